-- Expressions: building formulas, Lagrangians and constraints made of them, and mistakes.
local check = require "check"
local vida = require "vida"

local fails = check.fails_here

-- Steps to the end and returns the positions and the stepper.
local function run(system, method, h, steps)
  local stepper = system:stepper { method, h = h }
  stepper:start()
  assert(stepper:step(steps))
  return stepper:positions(), stepper
end

-- ---- functions of numbers -----------------------------------------------------------------------
for _, name in ipairs { "sin", "cos", "tan", "asin", "acos", "atan", "exp", "log", "sqrt", "abs" } do
  check.close(vida[name](0.3), math[name](0.3), 1e-16)
end
check.close(vida.sinh(0.3) + vida.cosh(0.3), math.exp(0.3), 1e-15)
check.close(vida.tanh(0.3), vida.sinh(0.3) / vida.cosh(0.3), 1e-15)
check.close(vida.atan2(1, -1), 3 * math.pi / 4, 1e-15)
assert(vida.abs(-3) == 3 and vida.min(2, 1, 3) == 1 and vida.max(2, 1, 3) == 3)
assert(vida.less(1, 2) == 1 and vida.less(2, 2) == 0 and vida.less_equal(2, 2) == 1)
assert(vida.equal(1, 1) == 1 and vida.equal(1, 2) == 0)
assert(vida.where(1, "a", "b") == "a" and vida.where(0, "a", "b") == "b")
assert(vida.where(1 < 2, "a", "b") == "a" and vida.where(1 > 2, "a", "b") == "b")
assert(vida.dot({ 1, 2, 3 }, { 4, 5, 6 }) == 32 and vida.dot({}, {}) == 0)
assert(vida.norm { 3, 4 } == 5 and vida.norm { -2 } == 2)
local product = vida.cross({ 1, 2, 3 }, { 4, 5, 7 })
assert(product[1] == -1 and product[2] == 5 and product[3] == -3 and #product == 3)

-- ---- building -----------------------------------------------------------------------------------
local house = vida.system { "house", dimension = 2 }
local q, v = house:coordinate { "q", unit = "rad", value = 0.3, rate = 0 }
local bob = house:particle { "bob", mass = 1, position = { 1, 2 } }
local hook = house:anchor { 3, 4 }
assert(tostring(q):find("^expression %d+ of system 'house'$"))
assert(tostring(q) ~= tostring(v))
assert(tostring(q + 1) == tostring(1 + q), "equal expressions are one node")
assert(tostring(bob.x) == tostring(bob.x) and tostring(bob.x) ~= tostring(bob.vx))
assert(q ~= v and q ~= 1 and q == q)
assert(hook.x == 3 and hook.y == 4 and hook.vx == 0 and house.ground.y == 0)
assert(tostring(house.time) ~= tostring(q))
assert(tostring(-(-q)) == tostring(q))
assert(getmetatable(q) == false)

-- ---- mistakes in formulas -----------------------------------------------------------------------
local stranger = vida.system "other":coordinate { "r", value = 1 }
local mixed = "an expression of system 'house' and one of system 'other' in one formula"
fails(mixed, function() return q + stranger end)
fails(mixed, function() return vida.atan2(q, stranger) end)
fails(mixed, function() return vida.where(q, 1, stranger) end)
fails(mixed, function() return vida.dot({ q }, { stranger }) end)
local branch = "cannot branch on a symbolic value; use vida.where(condition, a, b)"
fails(branch, function() return q < 1 end)
fails(branch, function() return 1 < q end)
fails(branch, function() return q >= v end)
fails("use tostring(expression)", function() return "q = " .. q end)
fails("use tostring(expression)", function() return q .. 1 end)
fails("expressions have no '//'; use '/'", function() return q // 2 end)
fails("expressions have no '%'", function() return q % 2 end)
fails("operand 2 of '+': expected a number or an expression, got nothing",
  function() return q + nil end)
fails("operand 1 of '*': expected a number or an expression, got a table",
  function() return {} * q end)
fails("operand 2 of '^': expected a number or an expression, got the text \"2\"",
  function() return q ^ "2" end)
fails("operand 2 of '*': a constant must be a finite number, got ",
  function() return q * (0 / 0) end)
fails("operand 1 of '-': a constant must be a finite number, got inf",
  function() return math.huge - q end)
fails("argument 1 of vida.atan2: a constant must be a finite number",
  function() return vida.atan2(0 / 0, q) end)
fails("argument 1 of vida.sin: expected a number or an expression, got the text \"q\"",
  function() return vida.sin("q") end)
fails("vida.sin: expected 1 argument, got 0", function() return vida.sin() end)
fails("vida.log: expected 1 argument, got 2", function() return vida.log(q, 10) end)
fails("for the angle of y and x use vida.atan2(y, x)", function() return vida.atan(q, v) end)
fails("vida.min: expected at least 2 arguments, got 1", function() return vida.min(q) end)
fails("vida.where: expected 3 arguments, got 2", function() return vida.where(q, 1) end)
fails("argument 1 of vida.where: expected a number or an expression, got nothing",
  function() return vida.where(nil, q, v) end)
fails("argument 2 of vida.dot: expected a vector, a point or a list of numbers or expressions, got a vida",
  function() return vida.dot({ q }, q) end)
fails("argument 1 of vida.norm: [2]: expected a number or an expression, got true",
  function() return vida.norm { q, true } end)
fails("vida.dot: expected two vectors of the same length, got 1 and 2",
  function() return vida.dot({ q }, { q, v }) end)
fails("vida.cross: expected two vectors of three components, got 2 and 3",
  function() return vida.cross({ q, v }, { 0, 0, 1 }) end)
fails("a vida.expression has no 'x'", function() return q.x end)
fails("points of system 'house' have no 'z': its dimension is 2", function() return bob.z end)
fails("points of system 'house' have no 'vz': its dimension is 2", function() return hook.vz end)
fails("number expected, got vida.expression (write vida.sin instead of math.sin, and so on)",
  function() return math.sin(q) end)
fails("operand 2 of '+': expected a number or an expression, got a table; vida.vector { ... } makes",
  function() return q + { 1 } end)
fails("only a coordinate has a rate", function() return v.rate end)
fails("only a coordinate has a rate", function() return house.time.rate end)
assert(tostring(q.rate) == tostring(v) and tostring(bob.x.rate) == tostring(bob.vx))

-- ---- mistakes in coordinates, Lagrangians and constraints ----------------------------------------
local function coordinate(change)
  local base = { "c", unit = "rad", value = 1, rate = 0 }
  return function() return house:coordinate(check.with(base, change)) end
end
fails("coordinate: expected a table such as", function() house:coordinate("c") end)
fails("coordinate[1]: expected a name, got nothing", coordinate { check.none })
fails("coordinate 'c': unknown key 'valeu'; did you mean 'value'?", coordinate { valeu = 1 })
fails("coordinate 'c': unknown key [2]", coordinate { [2] = 1 })
fails("coordinate 'c': value: expected a number or vida.free(), got nothing",
  coordinate { value = check.none })
fails("coordinate 'c': rate: expected a number or vida.free(), got a table", coordinate { rate = {} })
fails("coordinate 'c': unit: expected a text, got 1", coordinate { unit = 1 })
fails("coordinate 'c': value: expected a finite number, got nan", coordinate { value = 0 / 0 })
fails("coordinate 'c': rate: expected a finite number, got inf", coordinate { rate = 1 / 0 })

fails("lagrangian: expected an expression or { \"name\", expression }, got 1",
  function() house:lagrangian(1) end)
fails("lagrangian: expected an expression or { \"name\", expression }, got nothing",
  function() house:lagrangian() end)
fails("potential: expected an expression or", function() house:potential("q") end)
fails("lagrangian[1]: expected a name, got a vida.expression", function() house:lagrangian { q } end)
fails("Lagrangian 'L': second entry: expected an expression, got nothing",
  function() house:lagrangian { "L" } end)
fails("kinetic energy 'T': unknown key 'unit'", function() house:kinetic { "T", q, unit = "J" } end)
fails("Lagrangian 'L': this expression belongs to system 'other', not to system 'house'",
  function() house:lagrangian { "L", stranger } end)
fails("depends on no coordinate", function() house:lagrangian { "L", 0 * q + 1 } end)
fails("depends on no coordinate", function() house:potential(house.time) end)

fails("constraint: expected a table such as", function() house:constraint(q) end)
fails("constraint 'g': unknown key 'units'; did you mean 'unit'?",
  function() house:constraint { "g", q, units = "m" } end)
fails("constraint 'g': unit: expected a text, got 1",
  function() house:constraint { "g", q, unit = 1 } end)
fails("constraint 'g': second entry: expected an expression, got 1",
  function() house:constraint { "g", 1, unit = "m" } end)
fails("constraint 'g': this expression belongs to system 'other'",
  function() house:constraint { "g", stranger } end)
fails("constraint 'g' depends on a rate", function() house:constraint { "g", q + v } end)
fails("depends on no coordinate", function() house:constraint { "g", house.time - 1 } end)

-- A system without any coordinate, and one that is closed or complete.
local empty = vida.system "empty"
fails("depends on no coordinate", function() empty:lagrangian(empty.time) end)
empty:close()
fails("attempt to use a closed system", function() return empty.time end)
house:kinetic(0.5 * v ^ 2)
house:stepper { "rattle", h = 0.1 } : close()
fails("system 'house' is complete", function() return q + 1 end)
fails("system 'house' is complete", function() return bob.x end)
fails("system 'house' is complete", function() return house.time end)
fails("system 'house' is complete", function() house:lagrangian(q) end)
fails("system 'house' is complete", function() house:constraint { "g", q } end)
fails("system 'house' is complete", function() house:coordinate { "c", value = 1 } end)
house:close()
fails("attempt to use a closed system", function() return q + 1 end)
fails("attempt to use a closed system", function() return bob.x end)
assert(tostring(q):find("of closed system", 1, true))

-- An expression keeps its system alive.
do
  local alone = vida.system "alone":coordinate { "x", value = 1 }
  collectgarbage()
  collectgarbage()
  assert(tostring(alone + 1):find("of system 'alone'", 1, true))
end

-- ---- harmonic oscillator: x = cos(2 t) ----------------------------------------------------------
local function oscillator(add)
  local system = vida.system "oscillator"
  local x, rate = system:coordinate { "x", unit = "m", value = 1 }
  add(system, x, rate)
  return system
end
local ways = {
  function(s, x, rate) s:lagrangian(0.5 * rate ^ 2 - 2 * x ^ 2) end,
  function(s, x, rate) s:kinetic(rate * rate / 2) s:potential(2 * x * x) end,
  function(s, x, rate)
    s:lagrangian { "T", 0.5 * rate ^ 2 }
    s:lagrangian(-x ^ 2)
    s:lagrangian(-x ^ 2)
  end,
  function(s, x, rate) s:lagrangian(vida.where(vida.less(x, 100), rate ^ 2 / 2 - 2 * x ^ 2, 0)) end,
}
for _, add in ipairs(ways) do
  for _, method in ipairs { "del-midpoint", "rattle" } do
    local coarse = run(oscillator(add), method, 0.02, 50)
    local fine, stepper = run(oscillator(add), method, 0.01, 100)
    local errors = { coarse[1] - math.cos(2), fine[1] - math.cos(2) }
    check.close(errors[2], 0, 2e-4)
    check.close(errors[1] / errors[2], 4, 0.1) -- second order
    check.close(stepper:energy(), 2, 1e-3)
  end
end

-- ---- a pendulum in Cartesian coordinates against particle, gravity and rod ----------------------
local function written_pendulum()
  local system = vida.system "written pendulum"
  local x, vx = system:coordinate { "x", unit = "m", value = 1 }
  local y, vy = system:coordinate { "y", unit = "m", value = vida.free(-1) }
  system:lagrangian { "motion", 0.5 * vida.dot({ vx, vy }, { vx, vy }) - 9.81 * y }
  system:constraint { "rod", (x ^ 2 + y ^ 2 - 4) / 4, unit = "m" }
  return system
end
local function particle_pendulum()
  local system = vida.system { "particle pendulum", dimension = 2 }
  system:gravity { 0, -9.81 }
  local mass = system:particle { "bob", mass = 1, position = { 1, vida.free(-1) } }
  system:distance { "rod", system.ground, mass, length = 2 }
  return system
end
for _, method in ipairs { "del-midpoint", "del-endpoint", "rattle" } do
  local written = run(written_pendulum(), method, 0.01, 1000)
  local built = run(particle_pendulum(), method, 0.01, 1000)
  for i = 1, 2 do
    check.close(written[i], built[i], 1e-11)
  end
end

-- Particles with a spring of one's own against s:spring.
local function spring_pair(own)
  local system = vida.system { "pair", dimension = 2 }
  local a = system:particle { "a", mass = 1, position = { 0, 0 }, velocity = { 0, 1 } }
  local b = system:particle { "b", mass = 2, position = { 1.2, 0.1 } }
  if own then
    system:potential { "own", 25 * (vida.norm { b.x - a.x, b.y - a.y } - 1) ^ 2 }
  else
    system:spring { "coil", a, b, stiffness = 50, length = 1 }
  end
  return system
end
for _, method in ipairs { "del-midpoint", "rattle" } do
  local own, built = run(spring_pair(true), method, 0.01, 300), run(spring_pair(false), method, 0.01, 300)
  for i = 1, 4 do
    check.close(own[i], built[i], 1e-11)
  end
end

-- ---- a double pendulum in two angles against particles and rods ---------------------------------
local function angles()
  local system = vida.system "double pendulum in angles"
  local a, da = system:coordinate { "a", unit = "rad", value = 0.5 }
  local b, db = system:coordinate { "b", unit = "rad", value = 0.8 }
  local x1v, y1v = vida.cos(a) * da, vida.sin(a) * da
  local x2v, y2v = x1v + vida.cos(b) * db, y1v + vida.sin(b) * db
  system:kinetic(0.5 * (x1v ^ 2 + y1v ^ 2) + 0.5 * (x2v ^ 2 + y2v ^ 2))
  system:potential(-9.81 * (2 * vida.cos(a) + vida.cos(b)))
  return system
end
local function rods()
  local system = vida.system { "double pendulum of rods", dimension = 2 }
  local x, y = math.sin(0.5), -math.cos(0.5)
  system:gravity { 0, -9.81 }
  local first = system:particle { "first", mass = 1, position = { x, y } }
  local second = system:particle {
    "second", mass = 1, position = { x + math.sin(0.8), y - math.cos(0.8) },
  }
  system:distance { "upper rod", system.ground, first, length = 1 }
  system:distance { "lower rod", first, second, length = 1 }
  return system
end
-- The largest distance after 2 s between the two descriptions.
local function distance(method, h)
  local q1 = run(angles(), method, h, math.floor(2 / h + 0.5))
  local q2 = run(rods(), "rattle", h, math.floor(2 / h + 0.5))
  local x, y = math.sin(q1[1]), -math.cos(q1[1])
  local xx, yy = x + math.sin(q1[2]), y - math.cos(q1[2])
  return math.max(math.abs(x - q2[1]), math.abs(y - q2[2]), math.abs(xx - q2[3]),
    math.abs(yy - q2[4]))
end
for _, method in ipairs { "del-midpoint", "rattle" } do
  local coarse, fine = distance(method, 0.004), distance(method, 0.002)
  check.close(fine, 0, 2e-4)
  check.close(coarse / fine, 4, 0.1) -- both second order
end

-- ---- a constraint that moves: the pivot swings --------------------------------------------------
-- Pivot (0.3 sin 3t, 0); in the angle, L = (x'^2 + y'^2) / 2 - g y with time in it.
local function moving_rod()
  local system = vida.system { "moving pivot", dimension = 2 }
  local t = system.time
  system:gravity { 0, -9.81 }
  local mass = system:particle { "bob", mass = 1, position = { 0, -1 }, velocity = { 0.9, 0 } }
  system:constraint { "rod", ((mass.x - 0.3 * vida.sin(3 * t)) ^ 2 + mass.y ^ 2 - 1) / 2, unit = "m" }
  return system
end
local function moving_angle()
  local system = vida.system "moving pivot in the angle"
  local a, da = system:coordinate { "a", unit = "rad", value = 0 }
  local vx = 0.9 * vida.cos(3 * system.time) + vida.cos(a) * da
  local vy = vida.sin(a) * da
  system:lagrangian((vx ^ 2 + vy ^ 2) / 2 + 9.81 * vida.cos(a))
  return system
end
local function moving_distance(h)
  local steps = math.floor(2 / h + 0.5)
  local position = run(moving_rod(), "rattle", h, steps)
  local angle = run(moving_angle(), "del-midpoint", h, steps)[1]
  return math.max(math.abs(position[1] - 0.3 * math.sin(6) - math.sin(angle)),
    math.abs(position[2] + math.cos(angle)))
end
check.close(moving_distance(0.002), 0, 1e-4)
check.close(moving_distance(0.004) / moving_distance(0.002), 4, 0.1)

-- ---- formulas without second derivatives: free fall, and a force that grows with time -----------
for _, method in ipairs { "del-midpoint", "rattle" } do
  local system = vida.system "linear"
  local x, rate = system:coordinate { "x", unit = "m", value = 1 }
  local y, yrate = system:coordinate { "y", unit = "m", value = 0 }
  system:kinetic(0.5 * rate ^ 2 + 0.5 * yrate ^ 2)
  system:potential(2 * x)
  system:lagrangian(6 * y * system.time)
  local position = run(system, method, 0.01, 100)
  check.close(position[1], 1 - 1, 1e-12) -- 1 - t^2
  check.close(position[2], 1, 1e-4) -- t^3
end

-- The parts of a Lagrangian are sorted: a kinetic energy of constant mass and a potential make a
-- system that energy-momentum can take, written as it may be.
for i = 1, 3 do
  local _, stepper = run(oscillator(ways[i]), "energy-momentum", 0.01, 1000)
  check.close(stepper:energy(), 2, 1e-13)
end

-- A method that cannot take general Lagrangians says so.
local turning = vida.system "turning"
local radius, growth = turning:coordinate { "r", unit = "m", value = 1 }
local _, turn = turning:coordinate { "phi", unit = "rad", value = 0, rate = 1 }
turning:lagrangian(growth ^ 2 / 2 + radius ^ 2 * turn ^ 2 / 2 - radius ^ 2)
fails("does not accept the general Lagrangian 'Lagrangian' of system 'turning'", function()
  local stepper = turning:stepper { "energy-momentum-projected", h = 0.01 }
  stepper:start()
end)

print("ok")
