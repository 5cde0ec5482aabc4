-- Velocities that are not given next to joints that demand others: they are found, and said to be;
-- those that are given stay, or are refused. Numbers from kinematics by hand.
local vida = require "vida"
local check = require "check"

-- A crank of length 1 that turns about the origin, a rod of length 2 from its end on, whose other end
-- slides along the x axis; both along it.
local function crank_slider(crank, rod)
  local s = vida.system { "crank slider", dimension = 2 }
  local function body(name, x, more)
    local given = { name, mass = 1, inertia = 0.1, position = { x, 0 } }
    for key, value in pairs(more) do
      given[key] = value
    end
    return s:body(given)
  end
  local first, second = body("crank", 0.5, crank), body("rod", 2, rod)
  s:revolute { "pivot", s.ground, first, at = { 0, 0 } }
  s:revolute { "pin", first, second, at = { 1, 0 } }
  s:point_on_line { "slide", s.ground, second:point { 1, 0 }, axis = { 1, 0 } }
  return s
end

local function start_of(s)
  local stepper = s:stepper { "rattle", h = 0.01 }
  local notes = stepper:start {}
  return stepper:velocities(), notes
end

-- The pin moves up with w, the middle of the rod with w / 2, and the rod turns by -w / 2.
local function check_start(s, w)
  local q, notes = start_of(s)
  assert(notes:find("(not given)", 1, true), notes)
  local expected = { 0, w / 2, w, 0, w / 2, -w / 2 }
  for i = 1, 6 do
    check.close(q[i], expected[i], 1e-12)
  end
end

check_start(crank_slider({ angular_velocity = 3 }, {}), 3)
check_start(crank_slider({ velocity = { 0, 2 } }, {}), 4)
check_start(crank_slider({}, { angular_velocity = 1 }), -2)
check_start(crank_slider({ velocity = { 0, 2 } }, { angular_velocity = -2 }), 4)
-- What fits stays to the last bit.
for _, value in ipairs((start_of(crank_slider({}, {})))) do
  assert(value == 0)
end

-- Among those that are given there is none that could stay.
check.fails("the initial velocities violate constraint", function()
  start_of(crank_slider({ angular_velocity = 3, velocity = { 0, 1 } }, {}))
end)
check.fails("the initial velocities violate constraint", function()
  start_of(crank_slider({ angular_velocity = 3 }, { velocity = { 0, 0 } }))
end)

-- It runs.
local rows = vida.compare { system = crank_slider({ angular_velocity = 3 }, {}), time = 0.1,
  methods = { { "radau", h = 0.01 }, { "rattle", h = 0.01 } } }:run { quiet = true }
for i = 1, #rows do
  assert(rows[i].status == "ok", rows[i].message)
end

-- A drive demands a velocity, in space and of a quaternion.
local s = vida.system { "drive", dimension = 3 }
local a = s:body { "a", mass = 1, inertia = { 0.1, 0.1, 0.1 }, position = { 0.5, 0, 0 } }
s:revolute { "pin", s.ground, a, at = { 0, 0, 0 }, axis = { 0, 0, 1 } }
s:drive { "motor", s.ground, a, axis = { 0, 0, 1 }, rate = 3 }
local v = start_of(s)
for i, value in ipairs { 0, 1.5, 0, 0, 0, 0, 1.5 } do -- q3 = sin(angle / 2)
  check.close(v[i], value, 1e-12)
end

-- Of a coordinate and of a particle.
local t = vida.system { "rack", dimension = 2 }
local p = t:particle { "p", mass = 1, position = { 0, 0 } }
local angle = t:coordinate { "angle", unit = "rad", value = 0, rate = 2 }
t:kinetic(0.5 * angle.rate ^ 2)
t:constraint { "roll", p.x - 0.3 * angle, unit = "m" }
check.close((start_of(t))[1], 0.6, 1e-15)
