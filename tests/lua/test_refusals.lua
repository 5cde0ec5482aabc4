-- What a script says twice, or says and nobody would hear, is refused at its line.
local vida = require "vida"
local check = require "check"
local fails = check.fails_here

local function rig(dimension)
  local s = vida.system { "rig", dimension = dimension or 3 }
  local a = s:particle { "a", mass = 1, position = table.move({ 0, 0, 0 }, 1, dimension or 3, 1, {}) }
  local b = s:particle { "b", mass = 1, position = table.move({ 1, 0, 0 }, 1, dimension or 3, 1, {}) }
  return s, a, b
end

-- ---- two of one name ----------------------------------------------------------------------------

local s, a, b = rig()
local x = s:coordinate { "x", value = 0 }
s:spring { "coil", a, b, stiffness = 1, length = 1 }
s:distance { "rod", a, b, length = 1 }
s:constraint { "row", x }
s:body { "top", mass = 1, inertia = { 1, 1, 1 }, position = { 0, 0, 5 } }
s:body { "base", mass = 1, inertia = { 1, 1, 1 } }
s:ball { "hip", s.ground, a }
fails("there are two coordinates named 'x'", function() s:coordinate { "x", value = 0 } end)
fails("there are two particles named 'a'",
  function() s:particle { "a", mass = 1, position = { 0, 0, 0 } } end)
fails("there are two particles named 'top'",
  function() s:body { "top", mass = 1, inertia = { 1, 1, 1 } } end)
fails("there are two springs named 'coil'",
  function() s:spring { "coil", a, b, stiffness = 1, length = 1 } end)
fails("there are two constraints named 'rod'", function() s:distance { "rod", a, b, length = 2 } end)
fails("there are two constraints named 'row'", function() s:constraint { "row", 2 * x } end)
fails("ball 'hip': this name is already in use", function() s:ball { "hip", s.ground, b } end)
fails("control character 27", function() s:coordinate { "\27[2J", value = 0 } end)

local bush = vida.element { "bush", points = 2, potential = function(p, q) return vida.dot(p - q, p - q) end }
s:add(bush, "left", a, b)
s:add(bush, a, b)
s:add(bush, a, b)
fails("bush 'left': this name is already in use", function() s:add(bush, "left", a, b) end)
fails("bush 'bush 2': this name is already in use", function() s:add(bush, "bush 2", a, b) end)
local stop = vida.element { "stop", points = 2, potential = function(p, q) return vida.dot(p - q, p - q) end }
s:add(stop, "left", a, b) -- another element

-- ---- what nobody would hear ---------------------------------------------------------------------

fails("element 'e': constraint: expected a function that returns one value, got 2 of them; for several rows",
  function()
    vida.element { "e", points = 2, constraint = function(p, q) return p[1] - q[1], p[2] - q[2] end }
  end)
fails("element 'e': potential: expected a function that returns one value, got 3 of them",
  function()
    vida.element { "e", coordinates = 1, potential = function(q) return q ^ 2, nil, nil end }
  end)
fails("potential: expected one expression, got 1 more argument", function() s:potential(x ^ 2, x) end)

-- ---- axes of a universal joint ------------------------------------------------------------------

local mechanism = vida.system "mechanism"
local first = mechanism:body { "first", mass = 1, inertia = { 1, 2, 3 } }
-- Its x axis is the y axis of space at the start.
local second = mechanism:body { "second", mass = 1, inertia = { 1, 2, 3 },
  orientation = { axis = { 0, 0, 1 }, angle = math.pi / 2 } }
local at = { 0, 0, 0 }
fails("universal 'cardan': axis: the two axes are parallel",
  function()
    mechanism:universal { "cardan", first, second, at = at, axis = { { 1, 0, 0 }, { -2, 0, 0 } } }
  end)
fails("universal 'cardan': axis: the two axes are parallel", function()
  mechanism:universal { "cardan", first, second, at = at,
    axis = { first:direction { 0, 1, 0 }, second:direction { 1, 0, 0 } } }
end)
mechanism:universal { "cardan", first, second, at = at,
  axis = { first:direction { 1, 0, 0 }, second:direction { 1, 0, 0 } } }

-- ---- branches that leave their domain -----------------------------------------------------------

local function well(inside)
  local system = vida.system { "well", dimension = 1 }
  local p = system:particle { "p", mass = 2, position = { -1 } }
  system:potential { "root", vida.where(vida.less(0, p.x), vida.sqrt(inside(p.x)), 3 * p.x) }
  return system
end

check.fails("where evaluates both branches", function() well(function(q) return q end):accelerations() end)
check.fails("where evaluates both branches",
  function() well(function(q) return vida.max(q, 0) end):accelerations() end)
-- as the message says: the other branch, of slope 3 on mass 2
check.close(well(function(q) return vida.max(q, 1e-9) end):accelerations()["p.x"], -1.5, 1e-15)

-- ---- names and calls that are nearly right -------------------------------------------------------

fails("distance: expected a system before it, with a colon: system:distance(...), got a table",
  function() s.distance { "rod 2", a, b, length = 1 } end)
fails("prismatic: expected a system before it, with a colon", function() s.prismatic() end)
fails("vida has no 'comprae'; did you mean 'compare'?", function() vida.comprae {} end)
fails("vida has no 'sistem'; did you mean 'system'?", function() vida.sistem "name" end)
assert(vida.anything_else == nil and vida[1] == nil)
