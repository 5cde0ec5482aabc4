-- Vectors, points as vectors, and quaternions.
local check = require "check"
local vida = require "vida"

local fails = check.fails_here

local function same(vector, expected, tolerance)
  assert(#vector == #expected, #vector .. " components")
  for i, value in ipairs(expected) do
    check.close(vector[i], value, tolerance or 0)
  end
end

-- ---- of numbers ---------------------------------------------------------------------------------
local a, b = vida.vector { 1, 2, 3 }, vida.vector { 4, 6, 8 }
same(a + b, { 5, 8, 11 })
same(b - a, { 3, 4, 5 })
same(2 * a, { 2, 4, 6 })
same(a * 2, { 2, 4, 6 })
same(b / 2, { 2, 3, 4 })
same(-a, { -1, -2, -3 })
same(a + { 1, 1, 1 }, { 2, 3, 4 })
same({ 1, 1, 1 } - a, { 0, -1, -2 })
assert(a.x == 1 and a.y == 2 and a.z == 3 and a[3] == 3 and #a == 3)
assert(tostring(vida.vector { 1, 2.5 }) == "vector (1, 2.5)")
assert(vida.dot(a, b) == 40 and vida.norm(vida.vector { 3, 4 }) == 5)
same(vida.cross(a, { 4, 5, 7 }), { -1, 5, -3 })
same(vida.cross({ 1, 0, 0 }, { 0, 1, 0 }) * 2, { 0, 0, 2 })
assert(getmetatable(a) == false)
local seen = 0
for i, value in ipairs(a) do
  seen = seen + i * value
end
assert(seen == 14)
local changed = vida.vector(a)
changed.x, changed[2] = 10, 20
same(changed, { 10, 20, 3 })
same(a, { 1, 2, 3 })
assert(table.unpack(a) == 1)

-- ---- quaternions, scalar first ------------------------------------------------------------------
-- i j = k, j i = -k, and the norm of a product is the product of the norms.
same(vida.quaternion_product({ 0, 1, 0, 0 }, { 0, 0, 1, 0 }), { 0, 0, 0, 1 })
same(vida.quaternion_product({ 0, 0, 1, 0 }, { 0, 1, 0, 0 }), { 0, 0, 0, -1 })
same(vida.quaternion_product({ 0, 0, 1, 0 }, { 0, 0, 0, 1 }), { 0, 1, 0, 0 })
same(vida.quaternion_product({ 0, 0, 0, 1 }, { 0, 1, 0, 0 }), { 0, 0, 1, 0 })
local p, q = { 0.1, -0.7, 0.3, 0.5 }, { 0.4, 0.2, -0.9, 0.6 }
check.close(vida.norm(vida.quaternion_product(p, q)), vida.norm(p) * vida.norm(q), 1e-15)
-- A quarter turn about z takes x to y.
local quarter = { math.cos(math.pi / 4), 0, 0, math.sin(math.pi / 4) }
same(vida.rotate(quarter, { 1, 0, 0 }), { 0, 1, 0 }, 1e-15)
same(vida.rotation(quarter)[1], { 0, -1, 0 }, 1e-15)
same(vida.rotation(quarter)[2], { 1, 0, 0 }, 1e-15)
same(vida.rotation(quarter)[3], { 0, 0, 1 }, 1e-15)
-- v' = p v p* for quaternions of any norm, by matrix and by vector; products turn one after the other.
local v = { 0.3, -1.2, 0.8 }
local function turned(r)
  local conjugate = { r[1], -r[2], -r[3], -r[4] }
  local all = vida.quaternion_product(vida.quaternion_product(r, { 0, v[1], v[2], v[3] }), conjugate)
  check.close(all[1], 0, 1e-15)
  return { all[2], all[3], all[4] }
end
for _, r in ipairs { p, q, vida.quaternion_product(p, q) } do
  local rows = vida.rotation(r)
  same(vida.rotate(r, v), turned(r), 1e-14)
  same({ vida.dot(rows[1], v), vida.dot(rows[2], v), vida.dot(rows[3], v) }, turned(r), 1e-14)
end
same(vida.rotate(vida.quaternion_product(p, q), v), vida.rotate(p, vida.rotate(q, v)), 1e-14)

-- ---- of expressions -----------------------------------------------------------------------------
local house = vida.system "house"
local x, rate = house:coordinate { "x", value = 0.3 }
local bob = house:particle { "bob", mass = 1, position = { 1, 2, 3 } }
local far = house:particle { "far", mass = 1, position = { 4, 2, 3 } }
local hook = house:anchor { 3, 4, 5 }
local function is(value, expected)
  assert(tostring(value) == tostring(expected), tostring(value) .. " is not " .. tostring(expected))
end
is((bob - far)[2], bob.y - far.y)
is((bob - hook).z, bob.z - 5)
is((x * vida.vector { 1, x, bob.x })[3], x * bob.x)
is((vida.vector { 1, x, bob.x } / x)[1], 1 / x)
is((2 * bob).y, 2 * bob.y)
is((-bob).y, -bob.y)
is(bob.position.x, bob.x)
is(bob.velocity.z, bob.vz)
is(bob[2], bob.y)
is(vida.vector(bob).x, bob.x)
is(vida.norm(bob), vida.sqrt(bob.x * bob.x + bob.y * bob.y + bob.z * bob.z))
is(vida.dot(bob, { 1, 2, 3 }), bob.x * 1 + bob.y * 2 + bob.z * 3)
is(vida.rotate({ 1, 0, 0, 0 }, { x, 2, 3 })[1], 1 * x + 2 * (0 * x + 0 + 0))
same(hook.velocity, { 0, 0, 0 })
same(hook - house.ground, { 3, 4, 5 })
assert(#bob == 3 and bob[4] == nil)
local flat = vida.system { "flat", dimension = 2 }
local dot = flat:particle { "dot", mass = 1, position = { 1, 2 } }
assert(#dot == 2 and #dot.velocity == 2 and #(dot - flat.ground) == 2)

-- ---- mistakes -----------------------------------------------------------------------------------
fails("vida.vector: expected 1 argument, got 3", function() return vida.vector(1, 2, 3) end)
fails("argument 1 of vida.vector: expected a vector, a point or a list of numbers or expressions, got 3",
  function() return vida.vector(3) end)
fails("at least one component", function() return vida.vector {} end)
fails("argument 1 of vida.vector: [2]: expected a number or an expression, got the text \"y\"",
  function() return vida.vector { 1, "y" } end)
fails("two vectors have no '*'; use vida.dot(a, b) or vida.cross(a, b)", function() return a * b end)
fails("two vectors have no '*'", function() return bob * far end)
fails("nothing can be divided by a vector", function() return 1 / a end)
fails("nothing can be divided by a vector", function() return x / bob end)
fails("a vector has no '^'; its square is vida.dot(v, v)", function() return a ^ 2 end)
fails("operand 2 of '+': expected a vector, got 1", function() return a + 1 end)
fails("operand 1 of '-': expected a vector, got a vida.expression", function() return x - bob end)
fails("'+' of vectors: expected two vectors of the same length, got 3 and 2",
  function() return a + { 1, 2 } end)
fails("'-' of vectors: expected two vectors of the same length, got 3 and 2",
  function() return a - flat.ground end)
fails("operand 2 of '+': expected a vector, a point or a list of numbers or expressions, got nothing",
  function() return a + nil end)
fails("vectors cannot be compared", function() return a < b end)
fails("vectors cannot be compared", function() return bob <= far end)
fails("a vector is not a text", function() return "v = " .. a end)
fails("vectors have no '//'", function() return a // 2 end)
fails("a vector of 2 components has no 'z'", function() return vida.vector { 1, 2 }.z end)
fails("a vector of 3 components has no '5'", function() return a[5] end)
fails("a vector of 3 components has no 'w'", function() a.w = 1 end)
fails("vector[1]: expected a number or an expression, got the text \"one\"",
  function() a.x = "one" end)
fails("a vector has no 'velocity'; particles and points have", function() return (bob - far).velocity end)
fails("a point of dimension 2 has no component [4]", function() return dot[4] end)
fails("an expression of system 'house' and one of system 'flat' in one formula",
  function() return vida.vector { bob.x, bob.y } - dot end)
fails("argument 1 of vida.rotation: expected a list of 4 components, got 3",
  function() return vida.rotation(a) end)
fails("argument 2 of vida.rotate: expected a list of 3 components, got 4",
  function() return vida.rotate(p, q) end)
fails("argument 2 of vida.quaternion_product: expected a list of 4",
  function() return vida.quaternion_product(p, a) end)
fails("got inf", function() return x * vida.vector { 1 / 0, 1, 1 } end)
fails("argument 1 of vida.sin: expected a number or an expression, got a vector; take its components",
  function() return vida.sin(a) end)
fails("argument 2 of vida.where: expected a number or an expression, got a vector",
  function() return vida.where(x, bob, far) end)
is(rate, rate)

print("ok")
