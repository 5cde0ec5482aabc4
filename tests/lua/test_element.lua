-- Elements, parameters, forces, dissipation, nonholonomic rows and observables.
local check = require "check"
local vida = require "vida"

local fails = check.fails_here

local function run(system, method, h, steps)
  local stepper = system:stepper { method, h = h }
  stepper:start()
  assert(stepper:step(steps))
  return stepper:positions(), stepper
end

local function same(list, expected, tolerance)
  assert(#list == #expected, #list .. " entries")
  for i, value in ipairs(expected) do
    check.close(list[i], value, tolerance)
  end
end

local spring = vida.element {
  "spring", points = 2, parameters = { "k", "l0" },
  potential = function(a, b, p) return 0.5 * p.k * (vida.norm(b - a) - p.l0) ^ 2 end,
}
local rod = vida.element {
  "rod", points = { "from", "to" }, parameters = { "length" }, unit = "m",
  constraint = function(from, to, p)
    local d = to - from
    return (vida.dot(d, d) - p.length ^ 2) / (2 * p.length)
  end,
}
assert(tostring(spring) == "element 'spring'" and spring.name == "spring")

-- ---- springs and rods against the built-in ones, with fixed ends ---------------------------------
local function hanging(dimension, own)
  local system = vida.system { "hanging", dimension = dimension }
  local function at(x, y) return { x, y, dimension == 3 and 0.1 or nil } end
  system:gravity(dimension == 3 and { 0, -9.81, 0 } or { 0, -9.81 })
  local a = system:particle { "a", mass = 1, position = at(1, 0) }
  local b = system:particle { "b", mass = 2, position = at(1.5, 0.2) }
  local hook = system:anchor(at(0.5, 1))
  local length = dimension == 3 and math.sqrt(1.01) or 1
  if dimension == 3 then
    system:constraint { "flat", a.z - 0.1, unit = "m" }
  end
  if own == "each" then
    system:add(rod, "upper", system.ground, a, { length = length })
    system:add(spring, a, b, { k = 50, l0 = 0.5 })
    system:add(spring, b, hook, { k = 20, l0 = 1 })
  elseif own == "table" then
    local k = system:parameter { "k", 50 }
    system:add(rod, { "upper", system.ground, a, length = length })
    system:add(spring, { a, b, k = k, l0 = 0.5 })
    system:add(spring, { "side", b, hook, k = 20, l0 = 1 })
  else
    system:distance { "upper", system.ground, a, length = length }
    system:spring { "1", a, b, stiffness = 50, length = 0.5 }
    system:spring { "2", b, hook, stiffness = 20, length = 1 }
  end
  return system
end
for _, dimension in ipairs { 2, 3 } do
  for _, method in ipairs { "del-midpoint", "rattle" } do
    local expected = run(hanging(dimension, false), method, 0.01, 200)
    same(run(hanging(dimension, "each"), method, 0.01, 200), expected, 1e-11)
    same(run(hanging(dimension, "table"), method, 0.01, 200), expected, 1e-11)
  end
end

-- ---- scalar coordinates, fixed ones, lists of them -----------------------------------------------
-- Two unit masses on a line, coupled: normal modes x1 + x2 at rest, x1 - x2 = 2 cos(sqrt(2 k) t).
local coupling = vida.element {
  "coupling", coordinates = 2, parameters = { k = 3 },
  lagrangian = function(x, y, p) return 0.5 * (x.rate ^ 2 + y.rate ^ 2) - 0.5 * p.k * (x - y) ^ 2 end,
}
local function line(add)
  local system = vida.system "line"
  local x = system:coordinate { "x", value = 1 }
  local y = system:coordinate { "y", value = -1 }
  add(system, x, y)
  return system
end
local ways = {
  function(s, x, y) s:add(coupling, x, y) end,
  function(s, x, y) s:add(coupling, "named", x, y, { k = 3 }) end,
  function(s, x, y) s:add(coupling, { x, y }, {}) end,
  function(s, x, y) s:add(coupling, "named", { x, y }, { k = s:parameter { "k", 3 } }) end,
  -- From the middle, which is fixed, either spring is half as long and twice as stiff.
  function(s, x, y) s:add(coupling, x, 0, { k = 6 }) s:add(coupling, 0, y, { k = 6 }) end,
}
for _, add in ipairs(ways) do
  local q = run(line(add), "rattle", 1e-3, 1000)
  check.close(q[1], math.cos(math.sqrt(6)), 1e-5)
  check.close(q[2], -q[1], 1e-12)
end

-- ---- parameters that change without anything derived anew ----------------------------------------
local function oscillator(add)
  local system = vida.system "oscillator"
  local x, v = system:coordinate { "x", unit = "m", value = 1 }
  system:kinetic(0.5 * v ^ 2)
  add(system, x, v)
  return system, x, v
end
local stiffness
local loaded, mover = oscillator(function(s, x)
  stiffness = s:parameter { "stiffness", 2 }
  s:potential(stiffness * x ^ 2 / 2)
  s:add(coupling, x, 0, { k = stiffness }) -- adds a mass of 1 and the same stiffness
end)
for _, k in ipairs { 2, 5 } do
  loaded:set_parameter("stiffness", k)
  assert(loaded:get_parameter "stiffness" == k and loaded:get_parameter(stiffness) == k)
  check.close(run(loaded, "rattle", 1e-3, 1000)[1], math.cos(math.sqrt(k)), 1e-5)
  local a = loaded:accelerations({ 0.3 }, { 0 })
  check.close(a.x, -0.3 * k, 1e-14)
  assert(a[1] == a.x)
end
loaded:set_parameter(stiffness, 7)
check.close(loaded:accelerations()[1], -7, 1e-14)

-- ---- forces and dissipation: x'' + 2 d x' + 4 x = 0 -----------------------------------------------
-- x = exp(-d t) (cos(w t) + d / w sin(w t)), w^2 = 4 - d^2
local d = 0.3
local w = math.sqrt(4 - d ^ 2)
local exact = math.exp(-d) * (math.cos(w) + d / w * math.sin(w))
local damper = vida.element {
  "damper", coordinates = { "x", "y" }, parameters = { "c" },
  rayleigh = function(x, y, p) return 0.5 * p.c * (x.rate - y.rate) ^ 2 end,
}
local pusher = vida.element {
  "pusher", coordinates = 1, parameters = { "c" },
  force = function(x, p) return -p.c * x.rate end,
}
local dampings = {
  function(s, x, v) s:force(x, -2 * d * v) end,
  function(s, x, v) s:force { "drag", x, -2 * d * v } end,
  function(s, x, v) s:force { "drag", { { x, -2 * d * v } } } end,
  function(s, x, v) s:force(x, -1.5 * d * v) s:force(x, -0.5 * d * v) end,
  function(s, _, v) s:rayleigh(d * v ^ 2) end,
  function(s, _, v) s:rayleigh { "drag", d * v ^ 2 } end,
  function(s, x) s:add(damper, x, 0, { c = 2 * d }) end,
  function(s, x) s:add(pusher, x, { c = 2 * d }) end,
}
for _, add in ipairs(dampings) do
  local system = oscillator(function(s, x, v) s:potential(2 * x ^ 2) add(s, x, v) end)
  check.close(system:accelerations({ 0.7 }, { -0.2 })[1], -4 * 0.7 + 2 * d * 0.2, 1e-14)
  local coarse, fine = run(system, "rattle", 0.02, 50)[1], run(system, "rattle", 0.01, 100)[1]
  check.close(fine, exact, 2e-4)
  check.close((coarse - exact) / (fine - exact), 4, 0.2)
end
-- A constant force on a particle, by vector and by element: 5 m/s^2 for 1 s are 2.5 m.
local thrust = vida.element {
  "thrust", points = 1, parameters = { "f" },
  force = function(a, p) return { p.f, 0, 0 * a.x } end,
}
local opposed = vida.element {
  "opposed", points = 2, parameters = { "f" }, dimension = 2,
  force = function(_, _, p) return vida.vector { -p.f, 0 }, { p.f, 0 } end,
}
for _, dimension in ipairs { 2, 3 } do
  local system = vida.system { "pushed", dimension = dimension }
  local a = system:particle { "a", mass = 2, position = { 0, 0, dimension == 3 and 0 or nil } }
  if dimension == 3 then
    system:add(thrust, a, { f = 10 })
  else
    system:add(opposed, system.ground, a, { f = 7 })
    system:force(a, { 2, 0 })
    system:force { "more", a, vida.vector { 1, 0 } }
  end
  check.close(run(system, "rattle", 0.01, 100)[1], 2.5, 1e-12)
end

-- An element that makes sense in the plane only needs not say so.
local flat_pull = vida.element {
  "pull", points = 1, potential = function(b) return vida.dot(b, { 0, 4 }) end,
}
local plane = vida.system { "plane", dimension = 2 }
plane:add(flat_pull, plane:particle { "b", mass = 2, position = { 0, 0 } })
same(plane:accelerations(), { 0, -2 }, 1e-14)
local space = vida.system "space"
local floating = space:particle { "b", mass = 2, position = { 0, 0, 0 } }
fails("vida.dot: expected two vectors of the same length, got 3 and 2",
  function() space:add(flat_pull, floating) end)
fails("or with dimension = 2: ", function()
  local made = vida.element { "e", points = 1, potential = function(b) return vida.dot(b, { 1 }) end }
  return made
end)

-- ---- rows ----------------------------------------------------------------------------------------
-- A skate on ice runs along its blade: acceleration u w across it, and the force of the blade on the
-- skate is m u w (with A = (sin, -cos), A^T alpha = -m a).
local blade = vida.element {
  "blade", coordinates = { "x", "y", "angle" }, unit = "m/s",
  nonholonomic = function(x, y, angle) return x.rate * vida.sin(angle) - y.rate * vida.cos(angle) end,
}
for _, own in ipairs { true, false } do
  local skate = vida.system "skate"
  local x, vx = skate:coordinate { "x", unit = "m", value = 0, rate = 3 * math.cos(0.4) }
  local y, vy = skate:coordinate { "y", unit = "m", value = 0, rate = 3 * math.sin(0.4) }
  local angle, turn = skate:coordinate { "angle", unit = "rad", value = 0.4, rate = 2 }
  skate:kinetic(0.5 * 5 * (vx ^ 2 + vy ^ 2) + 0.5 * turn ^ 2)
  if own then
    skate:add(blade, "edge", x, y, angle)
  else
    skate:nonholonomic { "edge", vx * vida.sin(angle) - vy * vida.cos(angle), unit = "m/s" }
  end
  local a, alpha = skate:accelerations()
  same(a, { -6 * math.sin(0.4), 6 * math.cos(0.4), 0 }, 1e-13)
  check.close(alpha.edge, 5 * 6, 1e-12)
  assert(a.y == a[2] and #alpha == 1)
end
-- A weight on a ball joint with everything: three rows, named ones, and rows that move with time.
local pin = vida.element {
  "pin", points = 2, unit = "m", constraint = function(a, b) return b - a end,
}
local lift = vida.element {
  "lift", points = 1, parameters = { "speed" },
  constraint = function(a, p, t)
    return { { "across", a.x, unit = "m" }, { "up", a.y - p.speed * t ^ 2 / 2, unit = "m" } }
  end,
}
local weights = vida.system "weights"
weights:gravity { 0, -10, 0 }
local held = weights:particle { "held", mass = 2, position = { 1, 2, 3 } }
local lifted = weights:particle { "lifted", mass = 2, position = { 0, 0, 0 } }
weights:add(pin, "pin", weights:anchor { 1, 2, 3 }, held)
weights:add(lift, lifted, { speed = 4 })
weights:constraint { "ground", vida.vector { lifted.z }, unit = "m" }
local acceleration, lambda = weights:accelerations()
same(acceleration, { 0, 0, 0, 0, 4, 0 }, 1e-13)
check.close(lambda["pin: y"], -20, 1e-12) -- m a + lambda = m g
check.close(lambda["lift: up"], -2 * 14, 1e-12)
check.close(lambda["ground: x"], 0, 1e-12)
assert(#lambda == 6)

-- ---- observables ---------------------------------------------------------------------------------
local seen = oscillator(function(s, x, v)
  s:potential(2 * x ^ 2)
  s:observe { "double", 2 * x, unit = "m" }
  s:observe { "time", s.time }
  s:observe { "one", 1 }
  s:observe { "tip", vida.vector { x, v } }
  s:momentum { "p", v, unit = "kg m/s" }
end)
local position, stepper = run(seen, "rattle", 0.01, 30)
local values = stepper:observables()
check.close(values.double, 2 * position[1], 1e-15)
check.close(values.time, 0.3, 1e-15)
check.close(values["tip.y"], stepper:velocities()[1], 1e-15)
check.close(values.p, stepper:velocities()[1], 1e-15)
assert(values.one == 1 and values["tip.x"] == position[1])

-- ---- mistakes in elements ------------------------------------------------------------------------
local nothing = function(a) return a.x end
local function defines(change)
  local base = { "e", points = 2, parameters = { "k" }, potential = function(p, q) return p.x - q.x end }
  return function()
    local made = vida.element(check.with(base, change)) -- no tail call: its line would be lost
    return made
  end
end
fails("element: expected a table such as { \"spring\"", function() vida.element("spring") end)
fails("element[1]: expected a name, got nothing", defines { check.none })
fails("element 'e': unknown key 'point'; did you mean 'points'?", defines { point = 2 })
fails("element 'e': unknown key 'potentail'; did you mean 'potential'?", defines { potentail = nothing })
fails("element 'e': potential: expected a function of the points, the parameters and the time, got 1",
  defines { potential = 1 })
fails("element 'e': expected at least one function among lagrangian", defines { potential = check.none })
fails("element 'e': expected a number of points or coordinates", defines { points = check.none })
fails("element 'e': points: expected a number of points or a list of their names, got -1",
  defines { points = -1 })
fails("element 'e': points[2]: expected a name, got 3", defines { points = { "a", 3 } })
fails("element 'e': dimension: expected 1, 2 or 3, got 4", defines { dimension = 4 })
fails("element 'e': parameters: expected a list of names such as { \"k\", \"l0\" }, got the text \"k\"",
  defines { parameters = "k" })
fails("element 'e': parameters.k: expected a number, its default value, got true",
  defines { parameters = { k = true } })
fails("element 'e': two parameters are named 'k'", defines { parameters = { "k", k = 1 } })
fails("element 'e': unit: expected a text, got 1", defines { unit = 1 })
fails("element 'e': unit: constraint and nonholonomic rows have units of their own",
  defines { unit = "m", constraint = nothing, nonholonomic = nothing })
fails("element 'e': potential: expected a function that returns an expression, got nothing",
  defines { potential = function() end })
fails("element 'e': potential: expected a function that returns an expression, got 1",
  defines { potential = function() return 1 end })
fails("element 'e': potential: expected a function that returns an expression, got a vida.vector",
  defines { potential = function(p, q) return p - q end })
fails("element 'e' has no parameter 'K'; did you mean 'k'?",
  defines { potential = function(b, _, p) return p.K * b.x end })
fails("element 'e': parameters cannot be set inside it ('k')",
  defines { potential = function(_, _, p) p.k = 1 end })
fails("cannot branch on a symbolic value",
  defines { potential = function(b) return b.x < 1 and b.x or 0 end })
fails("depends on no coordinate", defines { potential = function(_, _, p) return p.k * 2 end })
fails("element 'e': constraint: expected a function that returns an expression, a vector or a list",
  defines { constraint = function() return 0 end })
fails("element 'e': constraint[2][1]: expected the name of the row, got nothing",
  defines { constraint = function(b) return { { "x", b.x }, {} } end })
fails("element 'e': constraint[1][2]: expected an expression, got 1",
  defines { constraint = function() return { { "x", 1 } } end })
fails("element 'e': constraint[1]: unknown key 'units'; did you mean 'unit'?",
  defines { constraint = function(b) return { { "x", b.x, units = "m" } } end })
fails("depends on a rate", defines { constraint = function(b) return b.vx end })
fails("element 'e': force: expected a function that returns 2 forces, got a vida.vector",
  defines { force = function(b) return b.velocity end })
fails("element 'e': force[1]: expected 3 components, got 2",
  defines { dimension = 3, force = function() return { { 1, 2 }, 0 } end })
fails("element 'e': force[2]: expected a vector of 3 components or 0, got 1",
  defines { force = function() return { 0, 1 } end })
fails("element 'e': force: expected 2 forces, got one at [3]",
  defines { force = function() return { 0, 0, { 1, 2, 3 } } end })
fails("an element cannot be changed", function() spring.k = 1 end)
fails("a vida.element has no 'k'", function() return spring.k end)
fails("element 'spring' cannot be called; add it with system:add(element, ...)", function() spring() end)
assert(getmetatable(spring) == false)

-- ---- mistakes in adding them ---------------------------------------------------------------------
local house = vida.system "house"
local q, rate = house:coordinate { "q", unit = "rad", value = 0.3 }
local bob = house:particle { "bob", mass = 1, position = { 1, 2, 3 } }
local tip = house:particle { "tip", mass = 1, position = { 1, 2, 4 } }
local g = house:parameter { "gravity", 9.81 }
local other = vida.system "other"
local r = other:coordinate { "r", value = 1 }
local stranger = other:particle { "stranger", mass = 1, position = { 1, 2, 3 } }
local foreign = other:parameter { "foreign", 1 }
local both = { k = 1, l0 = 1 }
fails("argument 1 of add: expected an element made by vida.element, got the text \"spring\"",
  function() house:add("spring", bob, tip) end)
fails("spring 'spring': expected 2 points, got 1", function() house:add(spring, bob, both) end)
fails("spring 'left': expected 2 points, got 3",
  function() house:add(spring, "left", bob, tip, bob, both) end)
fails("spring 'spring': point 2 ('b'): expected a particle or a fixed point, got 3",
  function() house:add(spring, bob, 3, both) end)
fails("spring 'spring': point 1 ('a'): expected a particle or a fixed point, got nothing",
  function() house:add(spring, nil, bob, both) end)
fails("spring 'spring': point 1 ('a'): this particle or point belongs to another system",
  function() house:add(spring, stranger, bob, both) end)
fails("both stand for coordinate 'bob.x'", function() house:add(spring, bob, bob, both) end)
fails("all its ends are fixed",
  function() house:add(spring, house.ground, house:anchor { 1, 0, 0 }, both) end)
fails("spring 'spring': l0: expected a number or a parameter of this system, got nothing",
  function() house:add(spring, bob, tip, { k = 1 }) end)
fails("spring 'spring': unknown parameter 'l'; its parameters are k, l0",
  function() house:add(spring, bob, tip, { k = 1, l = 1 }) end)
fails("spring 'spring': k: expected a finite number, got inf",
  function() house:add(spring, bob, tip, { k = math.huge, l0 = 1 }) end)
fails("spring 'spring': k: expected a number or a parameter of this system, got the text \"1\"",
  function() house:add(spring, bob, tip, { k = "1", l0 = 1 }) end)
fails("spring 'spring': k: expected a number or a parameter of this system, got a vida.expression",
  function() house:add(spring, bob, tip, { k = 2 * g, l0 = 1 }) end)
fails("spring 'spring': k: expected a number or a parameter of this system, got a vida.expression",
  function() house:add(spring, bob, tip, { k = foreign, l0 = 1 }) end)
fails("coupling 'coupling': expected 2 coordinates, got 1", function() house:add(coupling, q) end)
fails("coupling 'coupling': coordinate 2 ('q2'): expected a coordinate of this system, or a number",
  function() house:add(coupling, q, rate) end)
fails("coordinate 2 ('q2'): expected a coordinate of this system", function() house:add(coupling, q, r) end)
fails("coordinate 2 ('q2'): expected a coordinate of this system",
  function() house:add(coupling, q, 2 * q) end)
fails("opposed 'opposed': an element of dimension 2 in a system of dimension 3",
  function() house:add(opposed, bob, tip, { f = 1 }) end)
house:add(spring, bob, tip, both)

-- ---- mistakes in parameters, forces, rows and observables ----------------------------------------
fails("parameter: expected a table such as { \"g\", 9.81 }", function() house:parameter("g") end)
fails("parameter 'h': second entry: expected a finite number, got nothing",
  function() house:parameter { "h" } end)
fails("parameter 'h': second entry: expected a finite number, got inf",
  function() house:parameter { "h", 1 / 0 } end)
fails("parameter 'h': unknown key 'value'", function() house:parameter { "h", 1, value = 1 } end)
fails("two parameters named 'gravity'",
  function() house:parameter { "gravity", 1 } end)
fails("system 'house' has no parameter 'gravty'; did you mean 'gravity'?",
  function() house:set_parameter("gravty", 1) end)
fails("set_parameter[1]: expected the name of a parameter, got a vida.expression",
  function() house:set_parameter(q, 1) end)
fails("parameter 'gravity': value: expected a finite number, got the text \"1\"",
  function() house:set_parameter("gravity", "1") end)
fails("parameter 'gravity': value: expected a finite number, got nan",
  function() house:set_parameter("gravity", 0 / 0) end)
fails("get_parameter[1]: expected the name of a parameter, got nothing", function() house:get_parameter() end)

fails("force 'force': argument 1: expected a coordinate, a particle, a point of a body or a function of",
  function() house:force(1, 1) end)
fails("force 'force': argument 1: expected a coordinate, got the rate of one",
  function() house:force(rate, 1) end)
fails("force 'force' acts along a function of the rate of 'q'", function() house:force(2 * rate, 1) end)
fails("force 'force' acts on no coordinate", function() house:force(2 * house.time, 1) end)
fails("force: expected a target and a force, got 1 more argument",
  function() house:force(q, 1, 2) end)
fails("force 'force': this expression belongs to system 'other', not to system 'house'",
  function() house:force(r, 1) end)
fails("force 'force': this expression belongs to system 'other'", function() house:force(q, r) end)
fails("force 'force': argument 2: expected an expression, got nothing", function() house:force(q) end)
fails("force 'f': third entry: expected an expression, got the text \"x\"",
  function() house:force { "f", q, "x" } end)
fails("force 'f': third entry: a constant must be a finite number, got inf",
  function() house:force { "f", q, 1 / 0 } end)
fails("force 'f': unknown key 'unit'", function() house:force { "f", q, 1, unit = "N" } end)
fails("force 'f': third entry: expected a force of 3 components, got 2",
  function() house:force { "f", bob, { 1, 2 } } end)
fails("a fixed point does not move under a force",
  function() house:force(house.ground, { 1, 2, 3 }) end)
fails("force 'f': expected a list of pairs such as", function() house:force { "f", {} } end)
fails("force 'f': pair 2: expected a pair such as { x, fx }, got 1",
  function() house:force { "f", { { q, 1 }, 1 } } end)
fails("force 'f': entry 1 of pair 1: expected a coordinate, got the rate of one",
  function() house:force { "f", { { rate, 1 } } } end)
fails("lagrangian: expected one expression, got 1 more argument", function() house:lagrangian(q, q) end)
fails("constraint: expected { \"name\", expression, unit = \"m\" }, got 2 more arguments",
  function() house:constraint({ "c", q }, 1, 2) end)

fails("rayleigh: expected an expression or { \"name\", expression }, got 1", function() house:rayleigh(1) end)
fails("nonholonomic: expected a table such as", function() house:nonholonomic(q) end)
fails("nonholonomic 'n': second entry: expected an expression, got 1",
  function() house:nonholonomic { "n", 1, unit = "m/s" } end)
fails("momentum 'L': unknown key 'units'; did you mean 'unit'?",
  function() house:momentum { "L", rate, units = "m" } end)
fails("observe[1]: expected a name, got a vida.expression", function() house:observe { q } end)
fails("observe: expected { \"name\", expression, unit = \"m\" }, got a vida.vector",
  function() house:observe(bob - tip) end)
fails("Lagrangian 'L': second entry: expected an expression, got a vector; take a component or vida.dot",
  function() house:lagrangian { "L", bob - tip } end)
fails("accelerations.velocities: expected a list of",
  function() loaded:accelerations { 1 } end)
fails("accelerations.time: expected a finite number, got the text \"0\"",
  function() loaded:accelerations(nil, nil, "0") end)
fails("only a coordinate has a rate, not a formula", function() return (2 * q).rate end)
fails("system 'oscillator' is complete", function() loaded:parameter { "late", 1 } end)
fails("system 'oscillator' is complete", function() loaded:add(coupling, mover, 2) end)
assert(g.rate == 0)
house:close()
fails("attempt to use a closed system", function() house:add(spring, bob, tip, both) end)
fails("attempt to use a closed system", function() return house:get_parameter "gravity" end)
fails("attempt to use a closed system", function() return bob - tip end)

print("ok")
