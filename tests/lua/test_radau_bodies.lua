-- radau on bodies that turn far in a step, on closed loops with a row too many, on strong damping across
-- a constraint that turns, and on a coordinate without mass.
local check = require "check"
local mechanism = require "mechanism"
local vida = require "vida"

-- Steps to `time`; g and G v stay at rounding at every node.
local function run(system, h, time, rtol)
  local stepper = mechanism.start(system, "radau", h, { rtol = rtol })
  for k = 1, math.floor(time / h + 0.5) do
    local good, message = stepper:step()
    assert(good, message)
    local position, velocity = stepper:constraint_errors()
    assert(position < 3e-14 and velocity < 3e-14,
      ("%s, h = %g, step %d: |g| = %g, |G v| = %g"):format(system, h, k, position, velocity))
  end
  return stepper
end

-- ---- a ball turns about a fixed axis: (cos(t/2), axis sin(t/2)) --------------------------------------
-- Order 5: errors of h and h / 2 are as 32 to 1.
local function ball(axis)
  local s = vida.system "ball"
  s:body { "ball", mass = 1, inertia = { 1, 1, 1 }, position = { 0, 0, 0 }, body_rates = axis }
  return s
end

local function ball_error(axis, h, time)
  local q, largest = run(ball(axis), h, time):positions(), 0
  local exact = { math.cos(time / 2), 0, 0, 0 }
  for k = 1, 3 do
    exact[k + 1] = axis[k] * math.sin(time / 2)
  end
  for k = 1, 4 do
    largest = math.max(largest, math.abs(q[3 + k] - exact[k]))
  end
  return largest
end

local long = mechanism.sanitized and 40 or 400
for _, axis in ipairs { { 0, 0, 1 }, { 1 / 3, 2 / 3, 2 / 3 } } do
  local coarse, fine = ball_error(axis, 0.4, long), ball_error(axis, 0.2, long)
  check.close(math.log(coarse / fine, 2), 5, 0.1)
  for _, h in ipairs { 0.3, 0.1, 0.05, 0.02, 0.01 } do
    local time = h > 0.15 and 0.75 * long or h > 0.04 and long or 20
    assert(ball_error(axis, h, time) < 1.2 * coarse * (h / 0.4) ^ 5 * time / long + 1e-12)
  end
end

-- ---- a free symmetric body: its rates go round the axis at (1 - c/a) times the spin (Euler 1765) -----
do
  local a, c, spin, side = 2, 1, 1.5, 0.4
  local s = vida.system "symmetric"
  local b = s:body { "body", mass = 1, inertia = { a, a, c }, position = { 0, 0, 0 },
    body_rates = { side, 0, spin } }
  -- In space the axis e3 goes round the momentum L at the rate |L| / a.
  local lx, lz = a * side, c * spin
  local l = math.sqrt(lx * lx + lz * lz)
  for _, h in ipairs { 0.25, 0.1, 0.02 } do
    local stepper = run(s, h, 10)
    local q = stepper:positions()
    local w, x, y, z = q[4], q[5], q[6], q[7]
    local axis = { 2 * (x * z + w * y), 2 * (y * z - w * x), w * w - x * x - y * y + z * z }
    -- Rodrigues' formula for e3 about n = L / |L|, L = (lx, 0, lz) at the start
    local turn, nx, nz = 10 * l / a, lx / l, lz / l
    local cos, sin = math.cos(turn), math.sin(turn)
    local right = { nx * nz * (1 - cos), -nx * sin, cos + nz * nz * (1 - cos) }
    for k = 1, 3 do
      check.close(axis[k], right[k], 2 * h ^ 5)
    end
    assert(b)
  end
end

-- ---- a top that turns by a radian in a step, by steps of its own too: the energy --------------------
do
  local s = vida.system "top"
  s:gravity { 0, 0, -9.81 }
  local top = s:body { "top", mass = 1, inertia = { 0.2, 0.2, 0.1 }, body_rates = { 0, 0, 20 },
    position = { math.sin(0.5), 0, math.cos(0.5) }, orientation = { math.cos(0.25), 0, math.sin(0.25), 0 } }
  s:ball { "pivot", s.ground, top, at = { 0, 0, 0 } }
  local start = 0.05 * 20 ^ 2 + 9.81 * math.cos(0.5)
  for _, h in ipairs { 0.05, 0.02, 0.01, 0.005 } do
    check.close(run(s, h, 2):energy(), start, 3e4 * h ^ 5)
  end
  check.close(run(s, 0.5, 2, 1e-8):energy(), start, 1e-5)
end

-- ---- Bricard's linkage: six hinges with a row too many keep its one freedom -------------------------
do
  local s = vida.system "Bricard linkage"
  s:gravity { 0, -9.81, 0 }
  local corners = { { 0, 0, 0 }, { 1, 0, 0 }, { 1, -1, 0 }, { 1, -1, 1 }, { 0, -1, 1 }, { 0, 0, 1 } }
  local axes = { { 0, 1, 0 }, { 0, 0, 1 }, { 1, 0, 0 } }
  local bodies = {}
  for i = 1, 5 do
    local from, to, inertia, middle = corners[i], corners[i + 1], {}, {}
    for k = 1, 3 do
      inertia[k] = from[k] == to[k] and 1 / 12 or 1e-3
      middle[k] = (from[k] + to[k]) / 2
    end
    bodies[i] = s:body { "link" .. i, mass = 1, inertia = inertia, position = middle }
  end
  for i = 1, 6 do
    s:revolute { "hinge" .. i, bodies[i - 1] or s.ground, bodies[i] or s.ground, at = corners[i],
      axis = axes[(i - 1) % 3 + 1] }
  end
  local before = s:stepper { "radau", h = 0.01 }
  before:start()
  local energy = before:energy()
  local q = {}
  for i, steps in ipairs { 25, 50, 100 } do
    local stepper = run(s, 0.5 / steps, 0.5)
    check.close(stepper:energy(), energy, 1e-3 * (25 / steps) ^ 4)
    q[i] = stepper:positions()
  end
  local order = math.log(mechanism.distance(q[1], q[2]) / mechanism.distance(q[2], q[3]), 2)
  assert(order > 4.5, order)
  -- by IDA
  local other = mechanism.start(s, "ida-ggl", 0.5, { rtol = 1e-9 })
  assert(other:step(1))
  assert(mechanism.distance(q[3], other:positions()) < 1e-6)
end

-- ---- a bob in honey: tan(theta / 2) falls as exp(-m g t / (c l)) where inertia is nothing beside it --
for _, damping in ipairs { 1e4, 1e7 } do
  local s = vida.system { "honey", dimension = 2 }
  s:gravity { 0, -9.81 }
  local bob = s:particle { "bob", mass = 1, position = { math.sin(2), -math.cos(2) } }
  s:distance { "rod", s.ground, bob, length = 1 }
  s:rayleigh(0.5 * damping * vida.dot(bob.velocity, bob.velocity))
  local time = damping / 9.81
  for _, wish in ipairs { { time / 50 }, { time, 1e-7 } } do
    local q = run(s, wish[1], time, wish[2]):positions()
    check.close(math.atan(q[1], -q[2]), 2 * math.atan(math.tan(1) * math.exp(-1)), 1e-5)
  end
end

-- ---- a coordinate without mass follows the bob; the pendulum is as it is without it -----------------
do
  local plain, bob = check.plain_pendulum()
  local s, other = check.plain_pendulum()
  local u = s:coordinate { "u", unit = "m", value = 1, rate = 0 }
  s:constraint { "follows", u - other.position[1], unit = "m" }
  local p, q = run(plain, 0.01, 1):positions(), run(s, 0.01, 1):positions()
  check.close(q[1], p[1], 1e-12)
  check.close(q[2], p[2], 1e-12)
  check.close(q[3], p[1], 1e-12)
  assert(bob)
end
