-- Mistakes of new users: each message names the line of the script, what is wrong and what to do.
local check = require "check"
local vida = require "vida"

local fails = check.fails_here

local function make(dimension)
  local s = vida.system { "machine", dimension = dimension }
  local bead = s:particle { "bead", mass = 1, position = dimension == 2 and { 1, 0 } or { 1, 0, 0 } }
  local arm = s:body { "arm", mass = 1, inertia = dimension == 2 and 1 or { 1, 1, 1 },
    position = dimension == 2 and { 0, 2 } or { 0, 0, 2 } }
  return s, bead, arm
end

-- ---- lines, also of tail calls ----------------------------------------------------------------------

do
  local s, _, arm = make(2)
  local function sweep(change)
    return function()
      return vida.sweep(check.with({ system = s, time = 1, methods = { { "rattle", h = 0.1 } } }, change))
    end
  end
  fails("vary: expected lists of values by names, such as { x = { 1, 2 } }, got 5", sweep { vary = 5 })
  fails("cloud: expected a table such as { count = 100, spread = 0.01 }, got 5", sweep { cloud = 5 })
  fails("parameters: expected lists of values by names",
    sweep { parameters = 5, system = function() return s end })
  fails("vida.sweep: expected a table such as", function() return vida.sweep(3) end)
  fails("body 'arm': point: expected a list of 2 numbers, got 1", function() return arm:point(1) end)
  fails("body 'arm': direction: a direction cannot be zero", function() return arm:direction { 0, 0 } end)
  fails("states: cannot read no such file.csv: ", function() return vida.states "no such file.csv" end)
end

-- ---- a dot in place of the colon --------------------------------------------------------------------

do
  local s, bead, arm = make(2)
  s:distance { "rod", s.ground, bead, length = 1 }
  for _, name in ipairs { "ball", "distance", "torque", "force", "add" } do
    fails(name .. ": expected a system before it, with a colon: system:" .. name, function() s[name] {} end)
  end
  fails("particle: expected a system before it, with a colon: system:particle(...), got a table",
    function() s.particle { "p", mass = 1, position = { 0, 0 } } end)
  fails("gravity: expected a system before it", function() s.gravity { 0, -9.81 } end)
  fails("accelerations: expected a system before it", function() s.accelerations() end)
  fails("point: expected a body before it, with a colon: body:point", function() arm.point { 1, 0 } end)
  local stepper = s:stepper { "rattle", h = 0.1 }
  fails("step: expected a stepper before it, with a colon: stepper:step(...), got nothing",
    function() stepper.step() end)
  local comparison = vida.compare { system = s, time = 1, methods = { { "rattle", h = 0.1 } } }
  fails("run: expected a comparison before it", function() comparison.run() end)
  local result = comparison:run { quiet = true }
  fails("table: expected a result before it", function() result.table() end)
  -- what there is, where nothing is near
  fails("a vida.stepper has no 'foo'; it has close, constraint_errors, energy",
    function() return stepper.foo end)
  fails("a vida.result has no 'foo'; it has csv, events, json", function() return result.foo end)
  fails("a vida.comparison has no 'foo'; it has advise, close, run", function() return comparison.foo end)
  fails("a vida.point has no 'foo'; it has name, position, velocity", function() return bead.foo end)
  fails("a vida.system has no 'foo'; it has accelerations, add, anchor", function() return s.foo end)
  fails("system 'machine': 'name' cannot be set", function() s.name = "other" end)
end

-- ---- bodies have what they were made with -------------------------------------------------------------

do
  local s = vida.system { "plane", dimension = 2 }
  local crank = s:body { "crank", mass = 1, inertia = 1, angle = 0.7, angular_velocity = 2 }
  local rod = s:rod { "rod", mass = 1, length = 1, angle = 2.5 }
  local wall = s:body { "wall", fixed = true, angle = 0.2 }
  s:observe { "crank", crank.angle }
  s:observe { "rod", rod.angle }
  assert(wall.angle == 0.2)
  fails("body 'crank' has no 'foo'; it has angle, angular_velocity, centre, direction, mass, name, "
    .. "orientation, "
    .. "point, position, velocity", function() return crank.foo end)
  fails("body 'crank' has no 'angel'; did you mean 'angle'?", function() return crank.angel end)
  fails("body 'crank': only rods have an axis", function() return crank.axis end)
  local stepper = s:stepper { "rattle", h = 0.1 }
  stepper:start()
  check.close(stepper:observables().crank, 0.7, 1e-15)
  check.close(stepper:observables().rod, 2.5, 1e-15)
  local _, _, arm = make(3)
  fails("body 'arm': only bodies in the plane have an angle; in space there are orientation",
    function() return arm.angle end)
end

-- ---- values that a start would take ---------------------------------------------------------------------

-- What rounding leaves of 2 m is 0.
do
  local s = vida.system "start"
  local bar = s:body { "bar", mass = 1, inertia = { 1, 1, 1 }, position = { 2, 0, 0 } }
  s:ball { "pin", s.ground, bar:point { 0, 0, 0 } }
  fails("bar.x would go from 2 to 0 (", function() s:accelerations() end)
end

-- ---- a joint at the origin that was meant elsewhere ---------------------------------------------------

do
  local advice = "for another fixed point use system:anchor { ... }"
  local function start(add)
    local s, bead, arm = make(2)
    add(s, bead, arm)
    return function() s:accelerations() end
  end
  fails("ball 'hip' ends at the ground, which is the origin, and its other end starts at { 0, 2 }; "
    .. advice, start(function(s, _, arm) s:ball { "hip", s.ground, arm:point { 0, 0 } } end))
  fails("revolute 'pin' ends at the ground", start(function(s, _, arm) s:revolute { "pin", arm:point { 0, 0 },
    s.ground } end))
  fails("ball 'pin' ends at the ground", start(function(s, bead) s:ball { "pin", s.ground, bead } end))
  fails("distance 'rod' ends at the ground",
    start(function(s, bead) s:distance { "rod", s.ground, bead, length = 2 } end))
  fails("distance 'rope' ends at the ground",
    start(function(s, _, arm) s:distance { "rope", s.ground, arm:point { 0, 1 }, length = 2 } end))
  fails("point on line 'wire' ends at the ground",
    start(function(s, bead) s:point_on_line { "wire", s.ground, bead, axis = { 0, 1 } } end))
  -- The same from a comparison, a stepper and a cloud of starts.
  local s, bead = make(2)
  s:ball { "pin", s.ground, bead }
  local given = { system = s, time = 1, methods = { { "rattle", h = 0.1 } } }
  fails(advice, function() return vida.compare(given) end)
  fails(advice, function() return vida.sweep(check.with(given, { cloud = { count = 2, spread = 0.1 } })) end)
  fails(advice, function() s:stepper({ "rattle", h = 0.1 }):start() end)
  -- Where the ground is right, nothing is said of it.
  s, bead = make(2)
  s:ball { "pin", s:anchor { 5, 5 }, bead }
  local _, message = pcall(s.accelerations, s)
  assert(message:find("violate constraint", 1, true), message)
  assert(not message:find("ends at the ground", 1, true), message)
end

-- ---- two values, tables and numbers where functions or vectors belong ----------------------------------

do
  local s, bead, arm = make(2)
  local square = vida.element { "square", coordinates = 1, potential = function(x) return x ^ 2 end }
  local both = vida.element { "both", coordinates = 2, potential = function(x, y) return x * y end }
  fails("square 'a': expected 1 coordinate, got 2; one is a rate: system:coordinate returns a "
    .. "coordinate and its "
    .. "rate", function() s:add(square, "a", s:coordinate { "a", value = 1 }) end)
  fails("both 'b': coordinate 2 ('q2'): expected a coordinate of this system, or a number if it is "
    .. "fixed; one is "
    .. "a rate", function() s:add(both, "b", s:coordinate { "b", value = 1 }) end)
  s:add(square, "c", (s:coordinate { "c", value = 1 }))
  local near = vida.element { "near", points = 1, potential = function(a) return vida.dot(a, a) end }
  fails("near 'd': point 1 ('a'): expected a particle or a fixed point (of a body: the particle body.centre)",
    function() s:add(near, "d", arm) end)

  local function curve(text, given)
    fails(text, function() s:point_on_curve(check.with({ "c", s.ground, bead }, given)) end)
  end
  curve("point on curve 'c': curve: expected a function of x, y that returns expressions which "
    .. "vanish on the curve, or, with parameter = (initial value of s), a function of s that returns "
    .. "the point { ... }, got a table",
    { curve = { 1, 2 } })
  curve("a function of s that returns the point { ... }, got a table",
    { curve = function(x, y) return { x, y } end })
  curve("a function of s that returns the point { ... }, got nothing", { curve = function() end })
  curve("expected a function of s that returns a point, a list of 2 numbers or expressions such as "
    .. "{ s, s ^ 2 }",
    { parameter = 1, curve = function(x) return x, x ^ 2 end })
  curve("curve: [2] of the point: expected a number or an expression, got the text",
    { "d", parameter = 2, curve = function(x) return { x, "x" } end })

  fails("drive 'm': angle: expected a function of time that returns a number or an expression, got nothing",
    function() s:drive { "m", s.ground, arm, angle = function() end } end)
  fails("prescribe 'p': third entry: expected a function of time that returns a number or an expression",
    function() s:prescribe { "p", bead.x, function(t) return { t } end } end)
  fails("distance 'd': length: expected a function of time that returns a number or an expression",
    function() s:distance { "d", s.ground, bead, length = function() return "1" end } end)
  fails("distance 'd': first end: expected a particle or a fixed point (for a point in space use "
    .. "system:anchor { ... }), got a table", function() s:distance { "d", { 0, 1 }, bead, length = 1 } end)
  fails("ball 'b': first end: expected a body, a point of a body, a particle or a fixed point, not a name",
    function() s:ball { "b", "ground", arm, at = { 0, 0 } } end)
  fails("revolute 'r': axis: in the plane the axis is normal to the plane",
    function() s:revolute { "r", s.ground, arm, at = { 0, 0 }, axis = { 0, 0, 1 } } end)
  fails("force: on body 'arm': expected a force of 2 components; for a torque use system:torque",
    function() s:force(arm, 3) end)
  fails("force: on body 'arm': expected a force of 2 components", function() s:force { "f", arm, 3 } end)
  -- An object is no list of numbers, not even an empty one.
  fails("argument 1 of vida.norm: expected a vector", function() return vida.norm(arm) end)
  fails("prismatic 'r': axis: expected a list of 2 numbers, got a vida.body",
    function() s:prismatic { "r", s.ground, arm, at = { 0, 0 }, axis = arm } end)
  fails("particle 'q': position[2]: expected a finite number, got nan",
    function() s:particle { "q", mass = 1, position = { 0, 0 / 0 } } end)
  local _, stranger = make(2)
  fails("observe 'o': this expression belongs to another system with the same name 'machine'",
    function() s:observe { "o", stranger.x } end)
  local plain = vida.system "plain"
  plain:particle { "p", mass = 1, position = { 0, 0, 0 } }
  fails("write each method in its own braces",
    function() vida.compare { system = plain, time = 1, methods = { "rattle", h = 0.1 } } end)
end

-- A function of the script that fails while a comparison runs says its line, once.
do
  local s, bead = make(2)
  s:distance { "rod", s.ground, bead, length = 1 }
  local comparison = vida.compare { system = s, time = 1, methods = { { "rattle", h = 0.1 } },
    reference = function() return 3 end }
  local good, message = pcall(comparison.run, comparison, { quiet = true })
  if not good then
    assert(select(2, message:gsub("test_words%.lua:%d+:", "")) <= 1, message)
  end
end
