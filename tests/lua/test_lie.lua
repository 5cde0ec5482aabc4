-- lgvi and rotation-splitting on bodies of the library: two of them with positions and a spring between
-- points of them, what else may act, and what is refused.
local check = require "check"
local vida = require "vida"

-- ---- two bodies on a spring ---------------------------------------------------------------------
-- The spring is fastened away from the centres, so that it pulls and turns both.
local function pair()
  local system = vida.system "pair"
  local left = system:body { "left",
    mass = 1.5, inertia = { 1, 2, 3 }, position = { 0, 0, 0 }, velocity = { 0, 0.3, 0 },
    body_rates = { 0.3, 0.5, -0.4 },
  }
  local right = system:body { "right",
    mass = 0.7, inertia = { 0.4, 0.5, 0.3 }, position = { 3, 0, 0 }, velocity = { 0, -0.3, 0.2 },
    body_rates = { 0, 0.8, 0.6 },
  }
  system:spring { "spring", left:point { 0.5, 0.2, 0 }, right:point { -0.4, 0, 0.3 },
    stiffness = 4, length = 1.5 }
  return system, left
end

local function positions_at(method, time, steps)
  local system = pair()
  local stepper = system:stepper { method, h = time / steps }
  stepper:start()
  assert(stepper:step(steps))
  return stepper:positions()
end

local function distance(a, b)
  local largest = 0
  for i = 1, #b do
    largest = math.max(largest, math.abs(a[i] - b[i]))
  end
  return largest
end

local right = positions_at("del-midpoint", 2, 20000)
for _, method in ipairs { "lgvi", "rotation-splitting" } do
  local before
  for _, steps in ipairs { 50, 100, 200, 400 } do
    local off = distance(positions_at(method, 2, steps), right)
    if before then
      check.close(math.log(before / off, 2), 2, 0.1)
    end
    before = off
  end
end

-- Momenta of the pair: all six, found from its motions; the energy does not drift.
local results = vida.compare {
  system = pair(), time = 100, methods = { { "lgvi", h = 0.01 }, { "rotation-splitting", h = 0.01 } },
}:run { quiet = true }
for _, result in ipairs(results) do
  assert(result.status == "ok", result.message)
  assert(result.momentum_error < 1e-13, result.momentum_error)
  assert(result.energy_error < 1e-3 and math.abs(result.energy_drift) < 1e-6)
  assert(result.constraint_position < 1e-14 and result.constraint_velocity < 1e-14)
end

-- ---- a driven body ------------------------------------------------------------------------------
-- By hand: a body that turns about a principal axis with a torque cos t about it, J w' = cos t, and a
-- force 6 t along x on its mass.
local function driven()
  local system = vida.system "driven"
  local q, v = {}, {}
  for i, name in ipairs { "q.s", "q.x", "q.y", "q.z" } do
    q[i], v[i] = system:coordinate { name, value = i == 1 and 1 or 0, rate = 0 }
  end
  local x, xdot = system:coordinate { "x", unit = "m", value = 0, rate = 1 }
  local half = vida.quaternion_product({ q[1], -q[2], -q[3], -q[4] }, v)
  system:kinetic { "turning", 2 * (half[2] ^ 2 + 2 * half[3] ^ 2 + 3 * half[4] ^ 2) }
  system:kinetic { "flying", xdot ^ 2 }
  system:constraint { "unit", vida.dot(q, q) - 1 }
  -- a moment M about the third axis of the body is the force 2 q (0, 0, 0, M)
  local moment = 2 * vida.cos(system.time)
  system:force { "motor", { { q[1], -q[4] * moment }, { q[2], q[3] * moment },
    { q[3], -q[2] * moment }, { q[4], q[1] * moment } } }
  system:force(x, 12 * system.time)
  return system
end
local last
for _, steps in ipairs { 50, 100, 200, 400 } do
  local stepper = driven():stepper { "lgvi", h = 1 / steps }
  stepper:start()
  assert(stepper:step(steps))
  local q = stepper:positions()
  -- angle'' = cos(t) / 3, x'' = 6 t
  local angle = (1 - math.cos(1)) / 3
  local off = math.max(math.abs(2 * math.atan(q[4], q[1]) - angle), math.abs(q[5] - 2))
  if last then
    check.close(math.log(last / off, 2), 2, 0.05)
  end
  last = off
end

-- ---- refusals -----------------------------------------------------------------------------------
local hinged = vida.system "hinged"
local frame = hinged:body { "top", mass = 1, inertia = { 1, 1, 2 }, position = { 0, 0, 1 } }
hinged:ball { "socket", hinged.ground, frame, at = { 0, 0, 0 } }
check.fails("is not the unit norm of a quaternion", function() hinged:stepper { "lgvi", h = 0.01 } end)

local damped, left = pair()
damped:rayleigh(0.1 * vida.dot(left.velocity, left.velocity))
check.fails("feels forces that depend on velocities",
  function() damped:stepper { "lgvi", h = 0.01 } end)
local particle = vida.system "particle"
particle:particle { "p", mass = 1, position = { 0, 0, 0 } }
check.fails("energy-momentum, ", function() particle:stepper { "lgvi", h = 0.01 } end)

local dragged = driven()
local axle, rate = dragged:coordinate { "axle", value = 0, rate = 1 }
dragged:kinetic { "axle", rate ^ 2 / 2 }
dragged:rayleigh(0.1 * rate ^ 2)
assert(axle)
check.fails("'axle' of system 'driven' feels forces that depend on velocities",
  function() dragged:stepper { "lgvi", h = 0.01 } end)

print("ok")
