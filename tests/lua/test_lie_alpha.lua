-- lie-alpha: the generalized-alpha method for rigid bodies with joints, against closed forms, against
-- generalized-alpha where both are the same method, what it damps, and what it refuses.
local check = require "check"
local vida = require "vida"

local function distance(a, b)
  local largest = 0
  for i = 1, #b do
    largest = math.max(largest, math.abs(a[i] - b[i]))
  end
  return largest
end

local function run(system, options, time, steps)
  local chosen = { options.method or "lie-alpha", h = time / steps, rho = options.rho,
    projection = options.projection }
  local stepper = system:stepper(chosen)
  stepper:start()
  assert(stepper:step(steps))
  return stepper
end

local function check_order(errors, tolerance)
  for i = 2, #errors do
    check.close(math.log(errors[i - 1] / errors[i], 2), 2, tolerance or 0.1)
  end
end

local variants = { {}, { rho = 0 }, { projection = "velocity" }, { rho = 1, projection = "velocity" } }

-- ---- free bodies ----------------------------------------------------------------------------------

local function free_body(inertia, rates)
  local system = vida.system "free body"
  system:body { "body", mass = 1, inertia = inertia, position = { 0, 0, 0 }, velocity = { 0, 0, 0 },
    body_rates = rates }
  return system
end

local function quaternion_of(stepper)
  local q = stepper:positions()
  return { q[4], q[5], q[6], q[7] }
end

-- About a principal axis it turns at its rate exactly.
assert(distance(quaternion_of(run(free_body({ 1, 2, 3 }, { 0, 1, 0 }), {}, 10, 20)),
  { math.cos(5), 0, math.sin(5), 0 }) < 1e-13)

-- A body with an axis of symmetry precesses about L at 10.0498756211 rad/s: q(1) in closed form.
for _, variant in ipairs(variants) do
  local errors = {}
  for _, steps in ipairs { 200, 400, 800 } do
    errors[#errors + 1] = distance(quaternion_of(run(free_body({ 1, 1, 2 }, { 1, 0, 5 }), variant, 1, steps)),
      { -0.812991342557, 0.0758547256881, -0.0566651714399, 0.574526061953 })
  end
  assert(errors[1] < 1e-2, errors[1])
  check_order(errors)
end

-- ---- the heavy top --------------------------------------------------------------------------------
-- Steady precession at the rate w about the vertical, with the axis tilted by the angle a: J cos(a) w^2 -
-- C s w + m g l = 0 with the moments J and C about the point and about the axis, and the spin s about the
-- axis. Its centre moves on a circle; the force at the point carries the weight and keeps it there.
local tilt, arm, mass, gravity, precession = 0.4, 0.1, 1, 9.81, 7
local across, along = 0.004, 0.002
local spin = ((across + mass * arm ^ 2) * math.cos(tilt) * precession ^ 2 + mass * gravity * arm)
  / (along * precession)

local function top()
  local system = vida.system "heavy top"
  local centre = { 0, -arm * math.sin(tilt), arm * math.cos(tilt) }
  system:gravity { 0, 0, -gravity }
  local body = system:body { "top", mass = mass, inertia = { across, across, along }, position = centre,
    orientation = { axis = { 1, 0, 0 }, angle = tilt },
    velocity = vida.cross({ 0, 0, precession }, centre),
    body_rates = { 0, precession * math.sin(tilt), spin } }
  system:ball { "point", system.ground, body, at = { 0, 0, 0 } }
  return system
end

-- The force at the point: its components are the last three multipliers.
local function force_of(stepper)
  local lambda = stepper:multipliers()
  return { lambda[#lambda - 2], lambda[#lambda - 1], lambda[#lambda] }
end

local function error_of_force(stepper)
  local f = force_of(stepper)
  local pull = mass * arm * math.sin(tilt) * precession ^ 2
  return math.abs(math.sqrt(f[1] ^ 2 + f[2] ^ 2 + f[3] ^ 2) - math.sqrt(pull ^ 2 + (mass * gravity) ^ 2))
end

for _, variant in ipairs(variants) do
  local errors, of_velocities, of_forces, at_start = {}, {}, {}, {}
  local angle = precession * 0.4
  local place = { arm * math.sin(tilt) * math.sin(angle), -arm * math.sin(tilt) * math.cos(angle),
    arm * math.cos(tilt) }
  for i, steps in ipairs { 800, 1600, 3200 } do
    local stepper = run(top(), variant, 0.4, steps)
    errors[i] = distance(stepper:positions(), place)
    of_velocities[i] = distance(stepper:velocities(), { -precession * place[2], precession * place[1], 0 })
    of_forces[i] = error_of_force(stepper)
    -- The third step, so that multipliers of a lower order at the start would show.
    at_start[i] = error_of_force(run(top(), variant, 1.2 / steps, 3))
  end
  assert(errors[1] < 3e-3 and of_velocities[1] < 3e-2 and of_forces[1] < 0.05 and at_start[1] < 0.05)
  check_order(errors)
  check_order(of_velocities)
  check_order(of_forces)
  check_order(at_start)
end

-- ---- forces that depend on velocities, and drives -------------------------------------------------

-- A plate on a hinge with a damper at its tip, without gravity: its rate falls as exp(-c t), c = 1 / (0.05 +
-- 2 * 0.3^2).
for _, variant in ipairs(variants) do
  local errors, of_velocities = {}, {}
  for _, steps in ipairs { 200, 400, 800 } do
    local system = vida.system "damped plate"
    local body = system:body { "plate", mass = 2, inertia = { 0.03, 0.05, 0.04 }, position = { 0, 0, -0.3 },
      velocity = { -0.6, 0, 0 }, body_rates = { 0, 2, 0 } }
    system:revolute { "hinge", system.ground, body, at = { 0, 0, 0 }, axis = { 0, 1, 0 } }
    local tip = body:point { 0, 0, -0.7 }
    system:rayleigh(0.5 * vida.dot(tip.velocity, tip.velocity))
    local stepper = run(system, variant, 0.5, steps)
    local c = 1 / (0.05 + 2 * 0.3 ^ 2)
    local rate = 2 * math.exp(-0.5 * c)
    local angle = (2 - rate) / c
    local place = { -0.3 * math.sin(angle), 0, -0.3 * math.cos(angle) }
    errors[#errors + 1] = distance(stepper:positions(), place)
    of_velocities[#errors] = distance(stepper:velocities(),
      { -0.3 * rate * math.cos(angle), 0, 0.3 * rate * math.sin(angle) })
  end
  assert(errors[1] < 2e-3 and of_velocities[1] < 1e-2)
  check_order(errors)
  check_order(of_velocities, 0.15)
end

-- A crank that is turned at 3 rad/s is where it should be.
do
  local system = vida.system "crank"
  system:gravity { 0, 0, -9.81 }
  local body = system:body { "crank", mass = 2, inertia = { 0.03, 0.05, 0.04 }, position = { 0, 0, -0.3 },
    velocity = { -0.9, 0, 0 }, body_rates = { 0, 3, 0 } }
  system:revolute { "hinge", system.ground, body, at = { 0, 0, 0 }, axis = { 0, 1, 0 } }
  system:drive { "motor", system.ground, body, axis = { 0, 1, 0 }, rate = 3 }
  local q = run(system, {}, 1, 100):positions()
  assert(distance(q, { -0.3 * math.sin(3), 0, -0.3 * math.cos(3) }) < 1e-12)
end

-- What is much faster than the step shrinks by rho per step, and faster at first.
do
  local system = vida.system "stiff"
  local x, rate = system:coordinate { "x", unit = "m", value = 1, rate = 0 }
  system:body { "body", mass = 1, inertia = { 1, 2, 3 } }
  system:kinetic { "T", 0.5 * rate ^ 2 }
  system:potential { "V", 0.5e10 * x ^ 2 }
  local stepper = system:stepper { "lie-alpha", h = 1, rho = 0.5 }
  stepper:start()
  assert(stepper:step(60))
  assert(math.abs(stepper:positions()[1]) < 1e-13)
end

-- ---- joints that depend on each other -------------------------------------------------------------
-- A door on two hinges, of which one would do, turns with 1 rad/s: the angle is the time.
for _, projection in ipairs { "none", "velocity" } do
  local angles = {}
  for i, steps in ipairs { 50, 100 } do
    local system = vida.system "door"
    local door = system:body { "door", mass = 10, inertia = { 1, 2, 1.1 }, position = { 0.5, 0, 0 },
      velocity = { 0, 0.5, 0 }, angular_velocity = { 0, 0, 1 } }
    system:revolute { "upper", system.ground, door, at = { 0, 0, 0.7 }, axis = { 0, 0, 1 } }
    system:revolute { "lower", system.ground, door, at = { 0, 0, -0.7 }, axis = { 0, 0, 1 } }
    local stepper = run(system, { projection = projection }, 1, steps)
    local q = stepper:positions()
    angles[i] = math.abs(2 * math.atan(q[7], q[4]) - 1)
    check.close(math.sqrt(q[1] ^ 2 + q[2] ^ 2), 0.5, 1e-13)
    assert(stepper:constraint_errors() < 1e-13)
  end
  check_order(angles)
end

-- ---- without bodies, it is generalized-alpha ------------------------------------------------------

local function balls()
  local system = vida.system "double pendulum"
  system:gravity { 0, 0, -9.81 }
  local upper = system:particle { "upper", mass = 2, position = { 1, 0, 0 }, velocity = { 0, 1, 0 } }
  local lower = system:particle { "lower", mass = 1, position = { 2, 0, 0 }, velocity = { 0, 1, 1 } }
  system:distance { "first", system.ground, upper, length = 1 }
  system:distance { "second", upper, lower, length = 1 }
  system:rayleigh(0.05 * vida.dot(lower.velocity, lower.velocity))
  return system
end
for _, variant in ipairs(variants) do
  local other = { method = "generalized-alpha", rho = variant.rho, projection = variant.projection }
  local a, b = run(balls(), variant, 1, 200), run(balls(), other, 1, 200)
  assert(distance(a:positions(), b:positions()) < 1e-10)
  assert(distance(a:velocities(), b:velocities()) < 1e-9)
  assert(distance(a:multipliers(), b:multipliers()) < 1e-7)
end

-- ---- what it refuses ------------------------------------------------------------------------------

local function refuses(text, change, options)
  local system = vida.system "refused"
  local body = system:body { "plate", mass = 2, inertia = { 0.03, 0.05, 0.04 },
    position = { 0, 0, -0.3 }, velocity = { 0, 0, 0 }, body_rates = { 0, 0, 0 } }
  change(system, body)
  local chosen = options or {}
  chosen[1], chosen.h = "lie-alpha", 0.01
  check.fails(text, function() system:stepper(chosen):start() end)
end

refuses("'x' of system 'refused' does not have a constant mass of its own", function(system)
  local x, rate = system:coordinate { "x", unit = "m", value = 0, rate = 1 }
  system:kinetic { "T", 0.5 * (1 + x ^ 2) * rate ^ 2 }
end)
refuses("lie-alpha does not accept the nonholonomic constraints", function(system, body)
  system:nonholonomic { "blade", body.velocity[1] }
end)
refuses("without damping (rho = 1) makes the multipliers of constraints", function(system, body)
  system:ball { "nail", system.ground, body, at = { 0, 0, 0 } }
end, { rho = 1 })
do
  local stepper = free_body({ 1, 2, 3 }, { 0.1, 4, 0 }):stepper { "lie-alpha", h = 1 }
  check.fails("turns too far in a step", function()
    stepper:start()
    assert(stepper:step())
  end)
end
