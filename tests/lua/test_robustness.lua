-- Large steps, light parts beside heavy ones, and starts with one body at rest. Expected values are
-- closed forms, named beside them.
local check = require "check"
local vida = require "vida"

local function near(value, expected, tolerance, what)
  assert(math.abs(value - expected) <= tolerance,
    ("%s: %.17g, expected %.17g"):format(what, value, expected))
end

-- A dumbbell of unit masses turns by exactly asin(h rate) in every step of RATTLE and SHAKE; the
-- equations have a second solution, in which the rod turns over, and steps of 80 degrees must not
-- land on it.
local length, speed = 0.74, 2.0
local rate = speed / length
for _, method in ipairs { "rattle", "del-endpoint", "del-midpoint" } do
  for _, sine in ipairs { 0.3, 0.8, 0.9, 0.98 } do
    local system = vida.system { "dumbbell", dimension = 2 }
    local left = system:particle { "left", mass = 1, position = { 0, 0 },
      velocity = { 0, -speed / 2 } }
    local right = system:particle { "right", mass = 1, position = { length, 0 },
      velocity = { 0, speed / 2 } }
    system:distance { "rod", left, right, length = length }
    local stepper = system:stepper { method, h = sine / rate }
    stepper:start()
    local before = 0
    for _ = 1, 100 do
      assert(stepper:step())
      local q = stepper:positions()
      local angle = math.atan(q[4] - q[2], q[3] - q[1])
      local turned = (angle - before) % (2 * math.pi)
      near(turned, math.asin(sine), 1e-11, method .. " at sine " .. sine)
      before = angle
    end
  end
end

-- A pendulum does not notice a heavy body that flies by at 1 km/s: its rod keeps its length to
-- rounding whatever that body's mass, and its motion is the one without it.
local function bob_beside(mass, method)
  local system = vida.system { "pendulum", dimension = 2 }
  local bob = system:particle { "bob", mass = 1, position = { 1, 0 } }
  local stone = system:particle { "stone", mass = mass, position = { 0, 5 }, velocity = { 1e3, 0 } }
  local pull = 9.81 * bob.y -- on the bob alone
  system:potential { "weight", pull }
  system:distance { "rod", system.ground, bob, length = 1 }
  system:chart {
    coordinates = { { "angle", near = 1 }, "x", "y" },
    embedding = function(angle, x, y)
      return { [bob] = { vida.sin(angle), -vida.cos(angle) }, [stone] = { x, y } }
    end,
  }
  local taken, stepper = pcall(function() return system:stepper { method, h = 0.01 } end)
  if not taken then
    assert(stepper:find("these can: del-midpoint", 1, true), stepper)
    return nil -- takes no rods
  end
  stepper:start()
  local worst = 0
  for _ = 1, 300 do
    assert(stepper:step())
    local position = stepper:constraint_errors()
    worst = math.max(worst, position)
  end
  local q = stepper:positions()
  return worst, q[1]
end
for _, info in ipairs(check.constrained_methods()) do
  local _, alone = bob_beside(1, info.name)
  for _, mass in ipairs(alone and { 1e4, 1e10, 1e20, 1e30 } or {}) do
    local worst, x = bob_beside(mass, info.name)
    -- O(h^2) of methods that relax constraints: 2.5 h^2 v^2 / l with v^2 < 2 g l (Lacoursiere 2007,
    -- eq. 29)
    near(worst, 0, check.keeps_constraints(info) and 1e-14 or 2.5e-4 * 2 * 9.81,
      info.name .. ", rod beside " .. mass .. " kg")
    near(x, alone, 1e-11, info.name .. ", bob beside " .. mass .. " kg")
  end
end

-- A double pendulum whose upper mass is exactly at rest: the smallest change in the mass norm that
-- makes the velocity v of the lower one consistent, by hand: with rods along n1 = (0, -1) and n2 =
-- (0.6, -0.8) the impulses solve a 2 x 2 system.
for _, kick in ipairs { 1e-13, 1e-3, 0.8 } do
  local system = vida.system { "kicked", dimension = 2 }
  local upper = system:particle { "upper", mass = 1, position = { 0, -1 } }
  local lower = system:particle { "lower", mass = 1, position = { 0.6, -1.8 },
    velocity = { 1, kick } }
  system:distance { "upper rod", system.ground, upper, length = 1 }
  system:distance { "lower rod", upper, lower, length = 1 }
  local stepper = system:stepper { "rattle", h = 0.01 }
  stepper:start { adjust_start = true }
  local v = stepper:velocities()
  -- G M^-1 G^T = [1, -0.8; -0.8, 2] (n1.n1, -n1.n2, 2), right side [0, -(0.6 - 0.8 kick)]
  local violation = 0.6 - 0.8 * kick
  local determinant = 2 - 0.64
  local first, second = -0.8 * violation / determinant, -violation / determinant
  near(v[2], -first + 0.8 * second, 1e-9, "upper, vertical")
  near(v[3], 1 + 0.6 * second, 1e-9, "lower, horizontal")
  near(v[4], kick - 0.8 * second, 1e-9, "lower, vertical")
end

-- energy-momentum keeps energy to rounding also at a step where Newton's method ends just below its
-- tolerance, always on the same side (eq. 22 of Gonzalez 1999): without constraint forces that do
-- work a turning dumbbell has the energy of its start, m v^2 of both halves.
do
  local system = vida.system { "dumbbell", dimension = 2 }
  local left = system:particle { "left", mass = 1, position = { 0, 0 }, velocity = { 0, -1 } }
  local right = system:particle { "right", mass = 1, position = { length, 0 }, velocity = { 0, 1 } }
  system:distance { "rod", left, right, length = length }
  local stepper = system:stepper { "energy-momentum", h = 0.0473 }
  stepper:start()
  assert(stepper:step(50000))
  near(stepper:energy(), 1, 1e-11, "energy after 50000 steps")
end

print("ok")
