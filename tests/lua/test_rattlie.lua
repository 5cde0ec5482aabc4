-- rattlie: rigid bodies with joints as rotations, against closed forms, against other methods with
-- tight tolerances, what it keeps, and what it refuses.
local check = require "check"
local vida = require "vida"

local function distance(a, b)
  local largest = 0
  for i = 1, #b do
    largest = math.max(largest, math.abs(a[i] - b[i]))
  end
  return largest
end

local function run(system, method, time, steps)
  local stepper = system:stepper { method, h = time / steps }
  stepper:start()
  assert(stepper:step(steps))
  return stepper
end

-- Errors must fall as h^2: the observed order between successive halvings.
local function check_order(errors, tolerance)
  for i = 2, #errors do
    check.close(math.log(errors[i - 1] / errors[i], 2), 2, tolerance or 0.1)
  end
end

-- The quaternion of a free body and its rates about the axes of the body, from 2 conj(q) v.
local function quaternion_of(stepper)
  local q = stepper:positions()
  return { q[4], q[5], q[6], q[7] }
end

local function rates_of(stepper)
  local a, all = quaternion_of(stepper), stepper:velocities()
  local v = { all[4], all[5], all[6], all[7] }
  local product = { 0, 0, 0 }
  product[1] = 2 * (a[1] * v[2] - a[2] * v[1] - a[3] * v[4] + a[4] * v[3])
  product[2] = 2 * (a[1] * v[3] - a[3] * v[1] - a[4] * v[2] + a[2] * v[4])
  product[3] = 2 * (a[1] * v[4] - a[4] * v[1] - a[2] * v[3] + a[3] * v[2])
  return product
end

local function free_body(inertia, rates)
  local system = vida.system "free body"
  system:body { "body", mass = 1, inertia = inertia, position = { 0, 0, 0 }, velocity = { 0, 0, 0 },
    body_rates = rates }
  return system
end

-- ---- the tennis racket ----------------------------------------------------------------------------
-- Jacobi's elliptic functions: the middle rate vanishes at a quarter and at three quarters of the period
-- of 41.509219529338 s, so that the body turns the other way round in between.
local period = 41.509219529338
do
  local stepper = free_body({ 1, 2, 3 }, { 0.01, 1, 0 }):stepper { "rattlie", h = 0.01 }
  stepper:start()
  local zeros, before = {}, 1
  for k = 1, 3200 do
    stepper:step()
    local middle = rates_of(stepper)[2]
    if middle * before < 0 then
      zeros[#zeros + 1] = (k - 1 + before / (before - middle)) * 0.01
    end
    before = middle
  end
  assert(#zeros == 2)
  check.close(zeros[1], period / 4, 1e-3)
  check.close(zeros[2], 3 * period / 4, 1e-3)
end

local errors = {}
for _, steps in ipairs { 100, 200, 400 } do
  local stepper = run(free_body({ 1, 2, 3 }, { 0.01, 1, 0 }), "rattlie", 10, steps)
  errors[#errors + 1] = distance(rates_of(stepper), { 0.976782616339, 0.214466128838, -0.563916152036 })
end
assert(errors[1] < 2e-3, errors[1])
check_order(errors)

-- On the axis itself it stays, and turns at its rate exactly.
do
  local stepper = run(free_body({ 1, 2, 3 }, { 0, 1, 0 }), "rattlie", 10, 100)
  assert(distance(rates_of(stepper), { 0, 1, 0 }) < 1e-14)
  assert(distance(quaternion_of(stepper), { math.cos(5), 0, math.sin(5), 0 }) < 1e-13)
end

-- A body with an axis of symmetry precesses about L at 10.0498756211 rad/s: q(1) in closed form.
errors = {}
for _, steps in ipairs { 100, 200, 400 } do
  local stepper = run(free_body({ 1, 1, 2 }, { 1, 0, 5 }), "rattlie", 1, steps)
  errors[#errors + 1] = distance(quaternion_of(stepper),
    { -0.812991342557, 0.0758547256881, -0.0566651714399, 0.574526061953 })
end
assert(errors[1] < 1e-2, errors[1])
check_order(errors)

-- ---- a pendulum on a hinge ------------------------------------------------------------------------
-- A plate that is released at 1 rad from the vertical passes it after a quarter of
-- 2 pi sqrt(I / (m g l)) / agm(1, cos(1/2)).
local function plate()
  local system = vida.system "plate on a hinge"
  system:gravity { 0, 0, -9.81 }
  local body = system:body { "plate", mass = 2, inertia = { 0.03, 0.05, 0.04 },
    position = { 0.3 * math.sin(1), 0, -0.3 * math.cos(1) }, velocity = { 0, 0, 0 },
    orientation = { axis = { 0, 1, 0 }, angle = -1 }, body_rates = { 0, 0, 0 } }
  system:revolute { "hinge", system.ground, body, at = { 0, 0, 0 }, axis = { 0, 1, 0 } }
  return system
end

local function agm(a, b)
  for _ = 1, 20 do
    a, b = (a + b) / 2, math.sqrt(a * b)
  end
  return a
end

local swing = 2 * math.pi * math.sqrt((0.05 + 2 * 0.3 ^ 2) / (2 * 9.81 * 0.3)) / agm(1, math.cos(0.5))
errors = {}
for _, steps in ipairs { 20, 40, 80 } do
  local stepper = run(plate(), "rattlie", swing / 4, steps)
  errors[#errors + 1] = math.abs(stepper:positions()[1])
end
assert(errors[1] < 1e-3, errors[1])
check_order(errors)

-- ---- the heavy top on a ball joint ----------------------------------------------------------------

local function top()
  local tilt, arm, spin = 0.3, 0.1, 50
  local system = vida.system "heavy top"
  local centre = { 0, -arm * math.sin(tilt), arm * math.cos(tilt) }
  local turn = { 0, -spin * math.sin(tilt), spin * math.cos(tilt) }
  system:gravity { 0, 0, -9.81 }
  local body = system:body { "top", mass = 1, inertia = { 0.004, 0.004, 0.002 }, position = centre,
    orientation = { axis = { 1, 0, 0 }, angle = tilt }, velocity = vida.cross(turn, centre),
    body_rates = { 0, 0, spin } }
  system:ball { "point", system.ground, body, at = { 0, 0, 0 } }
  return system
end

local exact = run(top(), "radau", 0.5, 1000):positions()
errors = {}
for _, steps in ipairs { 100, 200, 400 } do
  errors[#errors + 1] = distance(run(top(), "rattlie", 0.5, steps):positions(), exact)
end
assert(errors[1] < 1e-3, errors[1])
check_order(errors)

-- The hidden constraints hold at the nodes; energy-momentum violates them on this top.
local result = vida.compare { system = top(), time = 5,
  methods = { { "rattlie", h = 1e-3 }, { "energy-momentum", h = 1e-3 } } }:run { quiet = true }
assert(result[1].status == "ok", result[1].message)
assert(result[1].constraint_velocity < 1e-13 and result[2].constraint_velocity > 1e-5)
assert(result[1].constraint_position < 1e-15 and result[1].momentum_error < 1e-13)
assert(math.abs(result[1].energy_drift) < 1e-6, result[1].energy_drift)

-- ---- a closed loop of six bodies ------------------------------------------------------------------
-- A hexagon of bars on ball joints, free in space without gravity, or on a seventh joint.
local function loop(hangs)
  local system = vida.system "loop"
  local bodies, count = {}, 6
  local radius = 1 -- of the joints, m
  local turn = { 0.4, 0.3, 1 }
  if hangs then
    system:gravity { 0, 0, -9.81 }
  end
  for i = 1, count do
    local at = 2 * math.pi * (i - 0.5) / count
    local place = { radius * math.cos(math.pi / count) * math.cos(at),
      radius * math.cos(math.pi / count) * math.sin(at), 0 }
    local angle = at + math.pi / 2
    bodies[i] = system:body { "bar " .. i, mass = 1 + 0.1 * i, inertia = { 0.02, 0.09, 0.1 },
      position = place, velocity = vida.cross(turn, { place[1] - radius, place[2], place[3] }),
      orientation = { axis = { 0, 0, 1 }, angle = angle },
      body_rates = { turn[1] * math.cos(angle) + turn[2] * math.sin(angle),
        turn[2] * math.cos(angle) - turn[1] * math.sin(angle), turn[3] } }
  end
  for i = 1, count do
    local at = 2 * math.pi * i / count
    system:ball { "joint " .. i, bodies[i], bodies[i % count + 1],
      at = { radius * math.cos(at), radius * math.sin(at), 0 } }
  end
  if hangs then
    system:ball { "hook", system.ground, bodies[1], at = { radius, 0, 0 } }
  end
  return system, bodies
end

exact = run(loop(true), "radau", 0.5, 500):positions()
errors = {}
for _, steps in ipairs { 50, 100, 200 } do
  errors[#errors + 1] = distance(run(loop(true), "rattlie", 0.5, steps):positions(), exact)
end
check_order(errors)

-- Linear and angular momentum of the free loop, both levels of the joints, the unit norms.
result = vida.compare { system = loop(false), time = 20, methods = { { "rattlie", h = 0.01 } } }
  :run { quiet = true }
assert(result[1].status == "ok", result[1].message)
assert(result[1].momentum_error < 1e-13, result[1].momentum_error)
assert(result[1].constraint_position < 1e-13 and result[1].constraint_velocity < 1e-13)
assert(math.abs(result[1].energy_drift) < 1e-6 and result[1].energy_error < 1e-3)

-- Newton's method does not compute what its last correction leaves: the joints, whose terms are of 1 m,
-- and the hidden constraints are met to rounding all the same after each step, also where the motion is
-- violent (steps of 0.02 s), and where a force jumps, which no step before has told. The terms of a top,
-- here one that turns by 1 rad per step, are of 0.1 m.
local function check_steps(system, h, count, bound)
  local stepper = system:stepper { "rattlie", h = h }
  stepper:start()
  for k = 1, count do
    assert(stepper:step())
    local g, rate = stepper:constraint_errors()
    assert(g < bound and rate < 10 * bound, ("h = %g, step %d: %g, %g"):format(h, k, g, rate))
  end
end
for _, h in ipairs { 0.02, 0.01, 0.005, 0.001 } do
  check_steps(loop(true), h, 400, 1e-14)
end
check_steps(top(), 0.02, 400, 1e-15)
do
  local pushed, bars = loop(true)
  local force = vida.switch { pushed.time, at = { 0.3037, 0.7 }, values = { 0, 40, -30 } }
  pushed:force { "push", { { bars[3].centre, { 0, force, 0 } } } }
  check_steps(pushed, 0.0025, 400, 1e-14)
end

-- A chain that is let go from the horizontal: rows whose terms all vanish at the start.
local function chain()
  local system = vida.system "chain"
  system:gravity { 0, 0, -9.81 }
  local last = system.ground
  for i = 1, 4 do
    local body = system:body { "bar " .. i, mass = 1, inertia = { 0.02, 0.09, 0.1 },
      position = { i - 0.5, 0, 0 }, velocity = { 0, 0.3 * (i - 0.5), 0 }, body_rates = { 0, 0, 0.3 } }
    system:ball { "joint " .. i, last, body, at = { i - 1, 0, 0 } }
    last = body
  end
  return system
end
exact = run(chain(), "radau", 0.5, 500):positions()
errors = {}
for _, steps in ipairs { 50, 100, 200 } do
  errors[#errors + 1] = distance(run(chain(), "rattlie", 0.5, steps):positions(), exact)
end
check_order(errors)

-- Backwards from its end, the motion returns to its start.
do
  local system = loop(true)
  local forth = run(system, "rattlie", 1, 200)
  local back = system:stepper { "rattlie", h = 1 / 200 }
  local v = forth:velocities()
  for i = 1, #v do
    v[i] = -v[i]
  end
  back:start(0, forth:positions(), v)
  back:step(200)
  local start = system:stepper { "rattlie", h = 1 }
  start:start()
  assert(distance(back:positions(), start:positions()) < 1e-9)
end

-- The multipliers of a hanging plate at rest: its weight.
do
  local system = vida.system "rest"
  system:gravity { 0, 0, -9.81 }
  local body = system:body { "plate", mass = 2, inertia = { 0.03, 0.05, 0.04 },
    position = { 0, 0, -0.3 }, velocity = { 0, 0, 0 }, body_rates = { 0, 0, 0 } }
  system:ball { "nail", system.ground, body, at = { 0, 0, 0 } }
  local stepper = run(system, "rattlie", 1, 100)
  local lambda = stepper:multipliers()
  local largest = 0
  for i = 1, #lambda do
    largest = math.max(largest, math.abs(lambda[i]))
  end
  check.close(largest, 2 * 9.81, 1e-12)
end

-- ---- a four-bar mechanism on hinges in space -----------------------------------------------------
-- A parallelogram on four hinges has 20 rows of which 17 are independent: its coupler does not turn,
-- so that it swings as a pendulum with I = 2 J + m l^2 and m g (l/2 + l/2 + l).
local function four_bar()
  local system = vida.system "four-bar"
  system:gravity { 0, -9.81, 0 }
  local function bar(name, x, y, angle)
    return system:body { name, mass = 1, inertia = { 0.02, 0.09, 0.1 }, position = { x, y, 0 },
      velocity = { 0, 0, 0 }, orientation = { axis = { 0, 0, 1 }, angle = angle }, body_rates = { 0, 0, 0 } }
  end
  local x, y = math.sin(1), -math.cos(1) -- of the lower ends, m
  local turned = 1 - math.pi / 2
  local left, right = bar("left", x / 2, y / 2, turned), bar("right", 1 + x / 2, y / 2, turned)
  local coupler = bar("coupler", x + 0.5, y, 0)
  local axis = { 0, 0, 1 }
  system:revolute { "first", system.ground, left, at = { 0, 0, 0 }, axis = axis }
  system:revolute { "second", left, coupler, at = { x, y, 0 }, axis = axis }
  system:revolute { "third", coupler, right, at = { 1 + x, y, 0 }, axis = axis }
  system:revolute { "fourth", right, system.ground, at = { 1, 0, 0 }, axis = axis }
  return system
end
swing = 2 * math.pi * math.sqrt((2 * (0.1 + 0.25) + 1) / (2 * 9.81)) / agm(1, math.cos(0.5))
errors = {}
for _, steps in ipairs { 20, 40, 80 } do
  local stepper = run(four_bar(), "rattlie", swing / 4, steps)
  errors[#errors + 1] = math.abs(stepper:positions()[1])
  local g, g_t = stepper:constraint_errors()
  assert(g < 1e-14 and g_t < 1e-13)
end
assert(errors[1] < 1e-3, errors[1])
check_order(errors)

-- ---- slanted joints and small steps ---------------------------------------------------------------

-- A bar on one joint whose axis is parallel to no axis of space: the rows have more rounding than those
-- of parallel axes, and increments of small steps are not far above it. Each step ends on the joint.
for _, joint in ipairs { "revolute", "cylindrical", "prismatic" } do
  for _, h in ipairs { 0.02, 0.005, 0.001, 1e-4, 1e-6 } do
    for _, method in ipairs { { "rattlie", h = h }, { "compose", base = "rattlie", h = h } } do
      local system = vida.system "bar"
      system:gravity { 0, 0, -9.81 }
      local bar = system:body { "bar", mass = 2, inertia = { 0.1, 0.2, 0.15 },
        position = { 0.3, 0.1, -0.2 } }
      system[joint](system, { "joint", system.ground, bar, at = { 0, 0, 0 },
        axis = { 1, 2, 3 } })
      local stepper = system:stepper(method)
      stepper:start()
      assert(stepper:step(60))
      local g, g_t = stepper:constraint_errors()
      assert(g < 1e-12 and g_t < 1e-12, ("%s, h = %g: %g, %g"):format(joint, h, g, g_t))
    end
  end
end

-- A door on two hinges, of which one would do, turns with 1 rad/s: the angle is the time.
do
  local angles = {}
  for i, steps in ipairs { 50, 100 } do
    local system = vida.system "door"
    local door = system:body { "door", mass = 10, inertia = { 1, 2, 1.1 }, position = { 0.5, 0, 0 },
      velocity = { 0, 0.5, 0 }, angular_velocity = { 0, 0, 1 } }
    system:revolute { "upper", system.ground, door, at = { 0, 0, 0.7 }, axis = { 0, 0, 1 } }
    system:revolute { "lower", system.ground, door, at = { 0, 0, -0.7 }, axis = { 0, 0, 1 } }
    local stepper = run(system, "rattlie", 1, steps)
    local q = stepper:positions()
    angles[i] = math.abs(2 * math.atan(q[7], q[4]) - 1)
    check.close(math.sqrt(q[1] ^ 2 + q[2] ^ 2), 0.5, 1e-14)
    assert(stepper:constraint_errors() < 1e-14)
  end
  check_order(angles)
end

-- ---- without bodies, it is rattle -----------------------------------------------------------------

local function balls()
  local system = vida.system "double pendulum"
  system:gravity { 0, 0, -9.81 }
  local upper = system:particle { "upper", mass = 2, position = { 1, 0, 0 }, velocity = { 0, 1, 0 } }
  local lower = system:particle { "lower", mass = 1, position = { 2, 0, 0 }, velocity = { 0, 1, 1 } }
  system:distance { "first", system.ground, upper, length = 1 }
  system:distance { "second", upper, lower, length = 1 }
  return system
end
assert(distance(run(balls(), "rattlie", 1, 100):positions(), run(balls(), "rattle", 1, 100):positions())
  < 1e-11)

-- ---- what it refuses ------------------------------------------------------------------------------

local function refuses(text, change)
  local system = vida.system "refused"
  local body = system:body { "plate", mass = 2, inertia = { 0.03, 0.05, 0.04 },
    position = { 0, 0, -0.3 }, velocity = { 0, 0, 0 }, body_rates = { 0, 0, 0 } }
  change(system, body)
  check.fails(text, function() system:stepper({ "rattlie", h = 0.01 }):start() end)
end

refuses("'x' of system 'refused' feels forces that depend on velocities", function(system)
  local _, rate = system:coordinate { "x", unit = "m", value = 0, rate = 1 }
  system:kinetic { "T", 0.5 * rate ^ 2 }
  system:rayleigh(0.5 * rate ^ 2)
end)
refuses("'plate.q0' of system 'refused' feels forces that depend on velocities",
  function(system, body)
    local tip = body:point { 1, 0, 0 }
    system:rayleigh(0.5 * vida.dot(tip.velocity, tip.velocity))
  end)
refuses("'x' of system 'refused' does not have a constant mass of its own", function(system)
  local x, rate = system:coordinate { "x", unit = "m", value = 0, rate = 1 }
  system:kinetic { "T", 0.5 * (1 + x ^ 2) * rate ^ 2 }
end)
-- Velocities beyond the speed of light are no failure of the motion.
refuses("'x' of system 'refused' does not have a constant mass of its own", function(system)
  local x, rate = system:coordinate { "x", unit = "m", value = 0, rate = 0 }
  system:lagrangian(2 * x - vida.sqrt(1 - rate ^ 2))
end)
refuses("rattlie does not accept the nonholonomic constraints", function(system, body)
  system:nonholonomic { "blade", body.velocity[1] }
end)
-- A step that turns a body by more than 3 rad has no solution; the message names it.
do
  local stepper = free_body({ 1, 2, 3 }, { 0.1, 4, 0 }):stepper { "rattlie", h = 1 }
  stepper:start()
  local steps, message = stepper:step()
  assert(not steps and message:find("turns too far in a step", 1, true), message)
end
