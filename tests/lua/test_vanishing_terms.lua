-- Joints and velocities whose terms all vanish but for rounding: rounding is not their size.
local check = require "check"
local vida = require "vida"

-- A Cardan shaft whose yokes turn about axes at the angle `bend` in the plane z = 0: all heights and
-- their rates are 0 or rounding. The pin of the first yoke, along z at the start, turns to
-- (0, -sin a, cos a), and that of the second one to cos b (-sin bend, cos bend, 0) + sin b (0, 0, 1).
-- They are orthogonal: tan b = tan a cos bend.
local bend, rate = 0.5, 3
local along = { math.cos(bend), math.sin(bend), 0 }

local function cardan(z, given)
  local s = vida.system "cardan"
  local first = s:body { "in", mass = 1, inertia = { 0.1, 0.2, 0.2 }, position = { -0.5, 0, z },
    angular_velocity = { rate, 0, 0 } }
  local w = given and rate * math.cos(bend) or 0
  local second = s:body { "out", mass = 1, inertia = { 0.1, 0.1, 0.1 },
    position = { 0.5 * along[1], 0.5 * along[2], z }, angular_velocity = { w * along[1], w * along[2], 0 } }
  s:revolute { "r1", s.ground, first, at = { -0.5, 0, z }, axis = { 1, 0, 0 } }
  s:revolute { "r2", s.ground, second, at = { 0.5 * along[1], 0.5 * along[2], z }, axis = along }
  s:universal { "u", first, second, at = { 0, 0, z },
    axis = { { 0, 0, 1 }, { -math.sin(bend), math.cos(bend), 0 } } }
  s:drive { "motor", s.ground, first, axis = { 1, 0, 0 }, rate = rate }
  return s
end

local methods = {}
for _, name in ipairs { "rattle", "rattlie", "lie-alpha", "energy-momentum", "del-midpoint", "half-explicit",
  "radau", "generalized-alpha" } do
  methods[#methods + 1] = { name, h = 0.01 }
end
methods[#methods + 1] = { "extrapolation", rtol = 1e-6 }
for _, case in ipairs { { z = 0, given = false }, { z = 1, given = true } } do
  local rows = vida.compare { system = cardan(case.z, case.given), time = 0.2, adjust_start = not case.given,
    methods = methods }:run { quiet = true }
  for _, row in ipairs(rows) do
    assert(row.status == "ok", row.method .. ": " .. row.message)
    assert(row.constraint_position < 1e-11, row.method)
    assert(not row.message:find("velocities violate", 1, true), row.method .. ": " .. row.message)
  end
end

-- The second yoke has turned by b, so that its z axis is at the height cos b.
for _, name in ipairs { "rattle", "rattlie", "lie-alpha", "energy-momentum" } do
  local s = cardan(0, true)
  local stepper = check.run(s, { name, h = 0.01 }, 0.5)
  local turned = math.atan(math.tan(0.5 * rate) * math.cos(bend))
  local q = stepper:positions()
  check.close(1 - 2 * (q[12] ^ 2 + q[13] ^ 2), math.cos(turned), 1e-11)
end

-- A rotor that spins about the origin turns as one elsewhere: by its rate times the time.
local function rotor(place, height)
  local s = vida.system "rotor"
  local body = s:body { "rotor", mass = 1, inertia = { 2e-3, 2e-3, 4e-3 }, position = { place, 0, height },
    angular_velocity = { 0, 0, 10 } }
  s:revolute { "o", s.ground, body, at = { 0, 0, 0 }, axis = { 0, 0, 1 } }
  return s
end

for _, place in ipairs { 0, 1e-17, 1e-25, 1e-100 } do
  for _, height in ipairs { 0, 0.3 } do
    local rows = vida.compare { system = rotor(place, height), time = 1, symplectic = true, methods = {
      { "rattlie", h = 0.01 }, { "rattle", h = 0.01 }, { "del-midpoint", h = 0.01 },
      { "lie-alpha", projection = "velocity", h = 0.01 }, { "ida-ggl", rtol = 1e-6 },
      { "coordinate-projection", rtol = 1e-11, max_steps = 2000 } } }:run { quiet = true }
    for i, row in ipairs(rows) do
      assert(row.status == "ok", row.method .. ": " .. row.message)
      assert(not row.message:find("velocities violate", 1, true), row.message)
      -- The free rotation of a rotor is linear in its angle, so that all steps are symplectic.
      assert(i > 3 or row.symplectic_defect < 1e-9, row.method .. ": " .. row.message)
    end
  end
end
for _, place in ipairs { 0, 1e-25 } do
  local stepper = rotor(place, 0):stepper { "coordinate-projection", rtol = 1e-10, h = 1 }
  stepper:start()
  assert(stepper:step(1))
  check.close(math.abs(stepper:positions()[4]), math.abs(math.cos(5)), 1e-7)
end

-- Gimbals whose rings share a centre in the origin.
do
  local s = vida.system "gimbals"
  s:gravity { 0, 0, -9.81 }
  local outer = s:body { "outer", mass = 0.2, inertia = { 1e-3, 2e-3, 1e-3 }, position = { 0, 0, 0 } }
  local inner = s:body { "inner", mass = 0.1, inertia = { 5e-4, 5e-4, 8e-4 }, position = { 0, 0, 0 } }
  local spun = s:body { "rotor", mass = 1, inertia = { 2e-3, 2e-3, 4e-3 }, position = { 0.05, 0, 0 },
    body_rates = { 100, 0, 0 } }
  s:revolute { "o", s.ground, outer, at = { 0, 0, 0 }, axis = { 0, 0, 1 } }
  s:revolute { "i", outer, inner, at = { 0, 0, 0 }, axis = { 0, 1, 0 } }
  s:revolute { "r", inner, spun, at = { 0.05, 0, 0 }, axis = { 1, 0, 0 } }
  local rows = vida.compare { system = s, time = 0.1, symplectic = true, methods = {
    { "rattle", h = 1e-3 }, { "gni", h = 1e-3 } } }:run { quiet = true }
  for _, row in ipairs(rows) do
    assert(row.symplectic_defect and row.symplectic_defect < 1e-7, row.method .. ": " .. row.message)
  end
end
