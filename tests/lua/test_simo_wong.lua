-- simo-wong: closed forms of its steps, energy and momenta of bodies in potentials, large steps, what is
-- refused.
local check = require "check"
local mechanism = require "mechanism"
local vida = require "vida"

local function start(system, h, options)
  return mechanism.start(system, "simo-wong", h, options)
end

-- ---- systems ------------------------------------------------------------------------------------

-- A body about a fixed point: coordinates, and the kinetic energy of its rates.
local function turning(name, inertia, rates, tilt)
  local system = vida.system(name)
  local first = { math.cos(tilt / 2), math.sin(tilt / 2), 0, 0 }
  local rate = vida.quaternion_product(first, { 0, rates[1] / 2, rates[2] / 2, rates[3] / 2 })
  local q, v = {}, {}
  for i, part in ipairs { "q.s", "q.x", "q.y", "q.z" } do
    q[i], v[i] = system:coordinate { part, value = first[i], rate = rate[i] }
  end
  local half = vida.quaternion_product({ q[1], -q[2], -q[3], -q[4] }, v)
  local kinetic = 0
  for i = 1, 3 do
    kinetic = kinetic + inertia[i] / 2 * (2 * half[i + 1]) ^ 2
  end
  system:kinetic { "rotation", kinetic }
  system:constraint { "unit length", vida.dot(q, q) - 1 }
  local omega = { 2 * inertia[1] * half[2], 2 * inertia[2] * half[3], 2 * inertia[3] * half[4] }
  return system, q, vida.rotate(q, omega)
end

local function heavy_top(third)
  local inertia, weight = { 1.2, third or 1.2, 0.4 }, 3
  local system, q, momentum = turning("heavy top", inertia, { 0.2, 0.3, 8 }, 0.6)
  system:potential { "weight", weight * (1 - 2 * (q[2] ^ 2 + q[3] ^ 2)) }
  system:momentum { "J_z", momentum[3], unit = "kg m^2/s" }
  return system
end

-- Springs between points away from the centres, and to a particle: all six momenta stay.
local function pair()
  local system = vida.system "pair"
  local left = system:body { "left",
    mass = 1.5, inertia = { 1, 2, 2.5 }, position = { 0, 0, 0 }, velocity = { 0, 0.3, 0 },
    body_rates = { 0.3, 0.5, -0.4 },
  }
  local right = system:body { "right",
    mass = 0.7, inertia = { 0.4, 0.5, 0.3 }, position = { 3, 0, 0 }, velocity = { 0, -0.3, 0.2 },
    body_rates = { 0, 0.8, 0.6 },
  }
  local bead = system:particle { "bead", mass = 0.4, position = { 0, 2, 0.1 }, velocity = { 0.2, 0, 0 } }
  system:spring { "spring", left:point { 0.5, 0.2, 0 }, right:point { -0.4, 0, 0.3 },
    stiffness = 4, length = 1.5 }
  system:spring { "thread", bead, left:point { 0, 0.3, 0.4 }, stiffness = 3, length = 1 }
  return system, left, right
end

-- ---- closed forms -------------------------------------------------------------------------------

-- By hand: about an axis w is the rate, and the body turns by 2 atan(h w / 2) in each step.
local function test_axis()
  local h, steps = 0.1, 1000
  local stepper = start(mechanism.body({ 1, 2, 3 }, { 0, 1.5, 0 }), h)
  assert(stepper:step(steps))
  local q = stepper:positions()
  local angle = steps * 2 * math.atan(h * 1.5 / 2)
  check.close(q[1], math.cos(angle / 2), 1e-12)
  check.close(q[3], math.sin(angle / 2), 1e-12)
end

-- By hand: moments a, a, c, so that the midpoint rule for Euler's equations turns the rates about the
-- third axis by 2 atan(h (c - a) w3 / (2 a)) in each step.
local function test_symmetric_body()
  local h, steps = 0.05, 400
  local stepper = start(mechanism.body({ 1, 1, 2 }, { 1, 0, 5 }), h)
  assert(stepper:step(steps))
  local rates = mechanism.body_rates(stepper:positions(), stepper:velocities())
  local angle = steps * 2 * math.atan(h * 5 / 2)
  check.close(rates[1], math.cos(angle), 1e-12)
  check.close(rates[2], math.sin(angle), 1e-12)
  check.close(rates[3], 5, 1e-13)
end

-- By hand, for moments that differ: the momentum u in the middle solves u = P + h/2 u x w, w = u / J, and
-- P1 = 2 u - P. The centre falls freely, for which the midpoint rule is exact.
local function test_free_fall()
  local h, steps, inertia, rates = 0.2, 200, { 1, 2, 3 }, { 0.3, 1, -0.4 }
  local system = vida.system "free fall"
  system:gravity { 0, 0, -9.81 }
  system:body { "body",
    mass = 2, inertia = inertia, position = { 0, 1, 0 }, velocity = { 1, 0, 2 }, body_rates = rates,
  }
  local stepper = start(system, h)
  assert(stepper:step(steps))
  local momentum = { 0.3, 2, -1.2 }
  for _ = 1, steps do
    local middle = momentum
    for _ = 1, 100 do -- contracts by about h in each iteration
      local w = { middle[1] / inertia[1], middle[2] / inertia[2], middle[3] / inertia[3] }
      local turn = vida.cross(middle, w)
      middle = { momentum[1] + h / 2 * turn[1], momentum[2] + h / 2 * turn[2], momentum[3] + h / 2 * turn[3] }
    end
    momentum = { 2 * middle[1] - momentum[1], 2 * middle[2] - momentum[2], 2 * middle[3] - momentum[3] }
  end
  local q, v = stepper:positions(), stepper:velocities()
  local found = mechanism.body_rates({ q[4], q[5], q[6], q[7] }, { v[4], v[5], v[6], v[7] })
  for i = 1, 3 do
    check.close(found[i], momentum[i] / inertia[i], 1e-11)
  end
  local time = h * steps
  check.close(q[1], time, 1e-12)
  check.close(q[2], 1, 1e-12)
  check.close(q[3], 2 * time - 9.81 * time ^ 2 / 2, 1e-10)
end

-- ---- order --------------------------------------------------------------------------------------

local function test_order(build, time, steps)
  local right = mechanism.at(build(), "del-midpoint", time, 200 * steps)
  local before
  for _, count in ipairs { steps, 2 * steps, 4 * steps, 8 * steps } do
    local off = mechanism.distance(mechanism.at(build(), "simo-wong", time, count), right)
    if before then
      check.close(math.log(before / off, 2), 2, 0.1)
    end
    before = off
  end
end

-- Composed, the energy and the momenta are still exact, and the order is four.
local function test_composed()
  local system = heavy_top()
  local right = mechanism.start(system, "compose", 0.005, { base = "lgvi", scheme = "kahan-li8" })
  assert(right:step(200))
  local before
  for _, count in ipairs { 25, 50, 100, 200 } do
    local stepper = mechanism.start(system, "compose", 1 / count, { base = "simo-wong" })
    local energy = stepper:energy()
    assert(stepper:step(count))
    check.close(stepper:energy(), energy, 1e-13 * math.abs(energy))
    local off = mechanism.distance(stepper:positions(), right:positions())
    if before then
      check.close(math.log(before / off, 2), 4, 0.2)
    end
    before = off
  end
end

-- ---- what is kept -------------------------------------------------------------------------------

local function test_conserved(system, h, steps)
  steps = mechanism.sanitized and steps // 20 or steps
  local result = vida.compare { system = system, time = h * steps, methods = { { "simo-wong", h = h } } }
    :run { quiet = true }
  local row = result[1]
  assert(row.status == "ok", row.message)
  assert(row.energy_error < 2e-13, row.energy_error)
  assert(row.momentum_error < 5e-14, row.momentum_error)
  assert(row.constraint_position < 1e-15 and row.constraint_velocity < 1e-14)
end

-- There and back
local function test_reversal()
  local stepper = start(pair(), 0.05)
  local first = stepper:positions()
  local q
  for _ = 1, 2 do
    assert(stepper:step(100))
    q = stepper:positions()
    local v = stepper:velocities()
    for i = 1, #v do
      v[i] = -v[i]
    end
    stepper:start(0, q, v)
  end
  check.close(mechanism.distance(q, first), 0, 1e-11)
end

-- Unconditionally: bodies that turn by nearly half a turn in every step, and heavy ones on stiff
-- springs, keep their energy.
local function test_large_steps()
  local free = start(mechanism.body({ 1, 2, 3 }, { 3, 2, 1 }), 5)
  local energy = free:energy()
  for _ = 1, 1000 do
    assert(free:step())
    check.close(free:energy(), energy, 1e-12 * energy)
  end
  local l = mechanism.angular_momentum(free:positions(), free:momenta())
  check.close(mechanism.distance(l, { 3, 4, 3 }), 0, 1e-12)
end

-- Where Newton's method finds no solution it says so, and nothing has moved.
local function test_too_large()
  local stepper = start(heavy_top(), 1)
  for _ = 1, 50 do
    local before = stepper:positions()
    local good, message = stepper:step()
    if not good then
      assert(message:find("the turn of the body of 'q.s'", 1, true), message)
      assert(message:find("too large: try less than h = 1", 1, true), message)
      check.close(mechanism.distance(stepper:positions(), before), 0, 0)
      return
    end
  end
  error "every step was found"
end

-- The Newton matrix is exact: few iterations, with both solvers, to the same steps.
local function test_newton()
  local places = {}
  for i, solver in ipairs { "dense", "klu" } do
    local stepper = start(pair(), 0.1, { linear_solver = solver })
    assert(stepper:step(200))
    local statistics = stepper:statistics()
    assert(statistics.newton_iterations <= 4 * 200, statistics.newton_iterations)
    places[i] = stepper:positions()
  end
  check.close(mechanism.distance(places[1], places[2]), 0, 1e-9)
end

-- By hand: a force that depends on time changes the energy by F(middle) (x1 - x0), here with F = 12 t on
-- one coordinate and a moment cos t about the axis of a turning body.
local function test_work()
  local system, q = turning("driven", { 1, 2, 3 }, { 0, 0, 0.5 }, 0)
  local x, speed = system:coordinate { "x", unit = "m", value = 0, rate = 1 }
  local moment = 2 * vida.cos(system.time)
  system:kinetic { "flying", speed ^ 2 }
  system:force { "motor", { { q[1], -q[4] * moment }, { q[2], q[3] * moment },
    { q[3], -q[2] * moment }, { q[4], q[1] * moment } } }
  system:force(x, 12 * system.time)
  local before
  for _, steps in ipairs { 50, 100, 200, 400 } do
    local stepper = start(system, 1 / steps)
    for _ = 1, steps do
      local energy, place = stepper:energy(), stepper:positions()
      local t = stepper:time() + 0.5 / steps
      assert(stepper:step())
      local now = stepper:positions()
      local turned = vida.quaternion_product({ place[1], 0, 0, -place[4] }, { now[1], 0, 0, now[4] })
      -- f . (Q1 - Q0) with f = 2 M e3 turned by the mean quaternion: |(Q0 + Q1)/2|^2 = (1 + cos)/2
      local angle = 2 * math.atan(turned[4], turned[1])
      local work = 12 * t * (now[5] - place[5]) + 2 * math.cos(t) * math.sin(angle / 2)
      check.close(stepper:energy() - energy, work, 1e-13)
    end
    -- 3 angle'' = cos t, x'' = 6 t
    local now = stepper:positions()
    local angle = 0.5 + (1 - math.cos(1)) / 3
    local off = math.max(math.abs(2 * math.atan(now[4], now[1]) - angle), math.abs(now[5] - 2))
    if before then
      check.close(math.log(before / off, 2), 2, 0.05)
    end
    before = off
  end
end

-- ---- refusals -----------------------------------------------------------------------------------

local function refuses(text, system)
  local message = check.fails(text, function() system:stepper { "simo-wong", h = 0.01 } end)
  assert(message:find("these can: ", 1, true), message)
  return message
end

local function test_refusals()
  local system, q = turning("odd", { 1, 2, 3 }, { 0, 0, 1 }, 0.3)
  system:potential { "spiral spring", 4 * (1 - q[1]) }
  local message = refuses("does not depend on the quaternion through products of two components", system)
  assert(message:find("these can: lgvi, rotation-splitting, del-midpoint", 1, true), message)

  system, q = turning("driven weight", { 1, 2, 3 }, { 0, 0, 1 }, 0.3)
  system:lagrangian { "weight", vida.cos(system.time) * (q[2] ^ 2 + q[3] ^ 2) }
  refuses("'weight' of system 'driven weight' has a potential inside a general Lagrangian", system)

  system, q = turning("stop", { 1, 2, 3 }, { 0, 0, 1 }, 0.3)
  system:potential { "stop", vida.where(vida.less(0.1, q[2]), q[2] ^ 2, 0.01) }
  refuses("'stop' of system 'stop' has none", system)

  -- a . (b x c) changes the mean of b x c by more than the means of b and c
  local twisted, one, other = pair()
  local a, b = one:direction { 1, 0, 0 }, other:direction { 0, 1, 0 }
  twisted:potential { "twist",
    vida.dot(a.vector, vida.cross(b.vector, other:direction { 0, 0, 1 }.vector)) }
  refuses("'J_x' of system 'pair' would not be constant", twisted)

  local bodies, left = pair()
  bodies:rayleigh(0.1 * vida.dot(left.velocity, left.velocity))
  refuses("simo-wong accepts rigid bodies as unit quaternions, without other constraints", bodies)
  refuses("'rod' of system 'pendulum' is not the unit norm of a quaternion", (check.plain_pendulum()))
  check.fails("simo-wong starts from unit quaternions, and that of 'q.s' has norm 1.1", function()
    local stepper = turning("long", { 1, 2, 3 }, { 0, 0, 1 }, 0):stepper { "simo-wong", h = 0.01 }
    stepper:start(0, { 1.1, 0, 0, 0 }, { 0, 0, 0, 0 })
  end)
end

mechanism.run {
  { "a turn about an axis", test_axis },
  { "a symmetric body", test_symmetric_body },
  { "free fall", test_free_fall },
  { "order, heavy top", function() test_order(heavy_top, 2, 50) end },
  { "order, pair", function() test_order(pair, 2, 20) end },
  { "composed", test_composed },
  { "1e5 steps of a heavy top", function() test_conserved(heavy_top(), 0.01, 100000) end },
  { "1e5 steps without symmetry", function() test_conserved(heavy_top(0.9), 0.03, 100000) end },
  { "2e4 steps of a pair", function() test_conserved(pair(), 0.05, 20000) end },
  { "reversal", test_reversal },
  { "large steps", test_large_steps },
  { "a step too large", test_too_large },
  { "Newton's method", test_newton },
  { "work", test_work },
  { "refusals", test_refusals },
}
