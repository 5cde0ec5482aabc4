-- gni and spark-nonholonomic: orders against closed forms, energies, rows at nodes and in the mean, what
-- they are without nonholonomic rows, and refusals.
local vida = require "vida"
local check = require "check"

local function run(system, options, count, time)
  options.h = time / count
  local stepper = system:stepper(options)
  stepper:start()
  local good, message = stepper:step(count)
  assert(good, message)
  return stepper
end

-- ---- systems with closed forms ------------------------------------------------------------------

-- u' = g cos(w t) along the edge, which turns steadily: x' = u cos(w t), y' = u sin(w t), and the force
-- across the edge is m (u w + g sin(w t)). A. M. Bloch, Nonholonomic Mechanics and Control, 1.6.
local turn, speed = 1.5, 0.7

local function slide(g, t)
  local a = turn * t
  return speed / turn * math.sin(a) + g / (2 * turn ^ 2) * math.sin(a) ^ 2,
    speed / turn * (1 - math.cos(a)) + g / (2 * turn ^ 2) * (a - math.sin(a) * math.cos(a)), a
end

local function edge(g)
  local s = vida.system "knife edge"
  local x, vx = s:coordinate { "x", value = 0, rate = speed }
  local _, vy = s:coordinate { "y", value = 0, rate = 0 }
  local phi, rate = s:coordinate { "phi", unit = "rad", value = 0, rate = turn }
  s:lagrangian(0.65 * (vx ^ 2 + vy ^ 2) + 0.2 * rate ^ 2 + 1.3 * g * x)
  s:nonholonomic { "edge", vx * vida.sin(phi) - vy * vida.cos(phi), unit = "m/s" }
  return s
end

-- The same with two particles on a rod: rows of positions and of velocities.
local function rod(g)
  local s = vida.system { "rod on an edge", dimension = 2 }
  s:gravity { g, 0 }
  local a = s:particle { "a", mass = 1.1, position = { 0.6, 0 }, velocity = { speed, 0.6 * turn } }
  local b = s:particle { "b", mass = 1.1, position = { -0.6, 0 }, velocity = { speed, -0.6 * turn } }
  s:distance { "rod", a, b, length = 1.2 }
  s:nonholonomic { "edge", (a.vx + b.vx) * (a.y - b.y) - (a.vy + b.vy) * (a.x - b.x), unit = "m2/s" }
  return s
end

-- z' = y x' + drift: with drift = 0, y = vy t, x' = c / sqrt(1 + y^2), z' = y x'.
local function particle(drift, q, v)
  local s = vida.system "nonholonomic particle"
  q, v = q or { 0, 0, 0 }, v or { 0.8, 0.9, 0 }
  local _, vx = s:coordinate { "x", value = q[1], rate = v[1] }
  local y, vy = s:coordinate { "y", value = q[2], rate = v[2] }
  local _, vz = s:coordinate { "z", value = q[3], rate = v[3] }
  s:lagrangian(0.5 * (vx ^ 2 + vy ^ 2 + vz ^ 2))
  s:nonholonomic { "row", vz - y * vx - (drift and vida.sin(s.time) or 0), unit = "m/s" }
  return s
end

-- A disk that stands upright: spin and heading turn steadily, the centre goes round a circle.
local function disk()
  local s = vida.system "upright disk"
  local _, vx = s:coordinate { "x", value = 0, rate = 0.5 * 2 }
  local _, vy = s:coordinate { "y", value = 0, rate = 0 }
  local _, spin = s:coordinate { "theta", unit = "rad", value = 0, rate = 2 }
  local phi, heading = s:coordinate { "phi", unit = "rad", value = 0, rate = 1.1 }
  s:lagrangian(0.5 * (vx ^ 2 + vy ^ 2) + 0.0625 * spin ^ 2 + 0.03125 * heading ^ 2)
  s:nonholonomic { "rolling x", vx - 0.5 * vida.cos(phi) * spin, unit = "m/s" }
  s:nonholonomic { "rolling y", vy - 0.5 * vida.sin(phi) * spin, unit = "m/s" }
  return s
end

-- Chaplygin's sleigh, coordinates of the edge: u' = a w^2, w' = -m a u w / (J + m a^2). On the level where
-- it comes from standing still, u = U tanh(k t), w = W / cosh(k t). The mass matrix depends on phi.
local m, a, inertia, W = 1.3, 0.4, 0.25, 1.2
local U = W * math.sqrt((inertia + m * a * a) / m)
local k = m * a * U / (inertia + m * a * a)

local function sleigh()
  local s = vida.system "sleigh"
  local _, vx = s:coordinate { "x", value = 0, rate = 0 }
  local _, vy = s:coordinate { "y", value = 0, rate = 0 }
  local phi, rate = s:coordinate { "phi", unit = "rad", value = 0, rate = W }
  local cx, cy = vx - a * vida.sin(phi) * rate, vy + a * vida.cos(phi) * rate
  s:lagrangian(0.5 * m * (cx ^ 2 + cy ^ 2) + 0.5 * inertia * rate ^ 2)
  s:nonholonomic { "edge", vx * vida.sin(phi) - vy * vida.cos(phi), unit = "m/s" }
  return s
end

local subjects = {
  { make = function() return edge(3) end, exact = function(t) return { slide(3, t) } end },
  { make = function() return rod(3) end, exact = function(t)
    local x, y, angle = slide(3, t)
    local c, s = 0.6 * math.cos(angle), 0.6 * math.sin(angle)
    return { x + c, y + s, x - c, y - s }
  end },
  { make = function() return particle() end, exact = function(t)
    local y = 0.9 * t
    local root = math.sqrt(1 + y * y)
    return { 0.8 / 0.9 * math.log(y + root), y, 0.8 / 0.9 * (root - 1) }
  end },
  { make = disk, exact = function(t)
    return { 1 / 1.1 * math.sin(1.1 * t), 1 / 1.1 * (1 - math.cos(1.1 * t)), 2 * t, 1.1 * t }
  end },
  { make = sleigh, exact = function(t)
    return { [3] = W / k * (2 * math.atan(math.exp(k * t)) - math.pi / 2) }
  end },
}

local function error_of(subject, options, count, time)
  local q = run(subject.make(), options, count, time):positions()
  local largest = 0
  for i, value in pairs(subject.exact(time)) do
    largest = math.max(largest, math.abs(q[i] - value))
  end
  return largest
end

local function test_orders()
  for _, case in ipairs { { "gni", 2, 80 }, { "spark-nonholonomic", 2, 80, 2 },
    { "spark-nonholonomic", 4, 20, 3 }, { "spark-nonholonomic", 6, 10, 4 } } do
    local method, order, count, stages = table.unpack(case)
    for _, subject in ipairs(subjects) do
      local options = { method, stages = stages }
      local coarse, fine = error_of(subject, options, count, 2), error_of(subject, options, 2 * count, 2)
      check.close(math.log(coarse / fine, 2), order, 0.2)
    end
  end
end

-- The force across the edge at the time that belongs to it.
local function test_multipliers()
  for _, case in ipairs { { "gni", 2, 80 }, { "spark-nonholonomic", 4, 20 } } do
    local errors = {}
    for i = 1, 2 do
      local stepper = run(edge(3), { case[1] }, i * case[3], 2)
      local alpha, t = stepper:multipliers()
      local angle = turn * t
      local exact = 1.3 * ((speed + 3 / turn * math.sin(angle)) * turn + 3 * math.sin(angle))
      errors[i] = math.abs(alpha[1] - exact)
    end
    assert(errors[2] < errors[1] * 2 ^ -(case[2] - 0.3), case[1])
  end
end

-- ---- what they keep -----------------------------------------------------------------------------

-- Rows of velocities at nodes, also affine ones, and lengths.
local function test_rows()
  for _, method in ipairs { "gni", "spark-nonholonomic" } do
    for i = 1, 20 do
      local stepper = run(particle(true), { method }, i, 0.15 * i)
      local q, v = stepper:positions(), stepper:velocities()
      check.close(v[3], q[2] * v[1] + math.sin(0.15 * i), 1e-14)
    end
    local stepper = run(rod(3), { method }, 40, 4)
    local q, v = stepper:positions(), stepper:velocities()
    check.close((v[1] + v[3]) * (q[2] - q[4]) - (v[2] + v[4]) * (q[1] - q[3]), 0, 1e-13)
    check.close((q[1] - q[3]) ^ 2 + (q[2] - q[4]) ^ 2, 1.44, 1e-13)
  end
end

-- The energy of gni: exact without a potential and with a uniform force, over 10^5 steps.
local function test_energy()
  for _, make in ipairs { particle, disk, function() return edge(0) end } do
    local stepper = make():stepper { "gni", h = 0.02 }
    stepper:start()
    local first = stepper:energy()
    for _ = 1, 10 do
      assert(stepper:step(10000))
      check.close(stepper:energy() / first, 1, 1e-12)
    end
  end
  local stepper = edge(3):stepper { "gni", h = 0.02 }
  stepper:start()
  local first = stepper:energy()
  assert(stepper:step(20000))
  check.close(stepper:energy(), first, 1e-9) -- of a potential energy of some thousand J
end

-- On moving rows the impulse does work, and the energy is that of the nodes, with an error of second
-- order: a ball on a turntable, whose velocity turns with 2/7 of its rate w.
local function test_energy_of_moving_rows()
  local R, mass, w = 0.1, 2, 3
  local I, rate = 0.4 * mass * R ^ 2, 2 / 7 * w
  local x0, vy0 = 0.5, 0.4
  local s = vida.system "ball on a turntable"
  local x, vx = s:coordinate { "x", unit = "m", value = x0, rate = 0 }
  local y, vy = s:coordinate { "y", unit = "m", value = 0, rate = vy0 }
  local _, roll = s:coordinate { "a", unit = "rad", value = 0, rate = (w * x0 - vy0) / R }
  local _, pitch = s:coordinate { "b", unit = "rad", value = 0, rate = 0 }
  s:kinetic(0.5 * mass * (vx ^ 2 + vy ^ 2) + 0.5 * I * (roll ^ 2 + pitch ^ 2))
  s:nonholonomic { "along x", vx - R * pitch + w * y, unit = "m/s" }
  s:nonholonomic { "along y", vy + R * roll - w * x, unit = "m/s" }
  local t = 2
  local qx, qy = x0 - vy0 / rate * (1 - math.cos(rate * t)), vy0 / rate * math.sin(rate * t)
  local ux, uy = -vy0 * math.sin(rate * t), vy0 * math.cos(rate * t)
  local exact = 0.5 * mass * (ux ^ 2 + uy ^ 2)
    + 0.5 * I * (((w * qx - uy) / R) ^ 2 + ((ux + w * qy) / R) ^ 2)
  local errors = {}
  for i, h in ipairs { 0.04, 0.02, 0.01 } do
    local stepper = s:stepper { "gni", h = h }
    stepper:start()
    assert(stepper:step(math.floor(t / h + 0.5)))
    errors[i] = math.abs(stepper:energy() - exact)
  end
  for i = 1, 2 do
    check.close(errors[i] / errors[i + 1], 4, 0.4)
  end
end

-- Without potential and with constant masses, gni asks for A(q_k) (q_(k+1) - q_(k-1)) = 0: the rows hold in
-- the mean (Ferraro, Iglesias and Martin de Diego 2009).
local function test_mean()
  local stepper = particle():stepper { "gni", h = 0.1 }
  stepper:start()
  local before, here
  for _ = 1, 30 do
    local q = stepper:positions()
    if before then
      check.close(q[3] - before[3], here[2] * (q[1] - before[1]), 1e-14)
    end
    before, here = here, { table.unpack(q) }
    assert(stepper:step(1))
  end
end

-- With two stages both velocities of stages are (q1 - q0)/h, in the mean of the rows of both ends.
local function test_two_stages()
  local stepper = particle():stepper { "spark-nonholonomic", stages = 2, h = 0.1 }
  stepper:start()
  local here = stepper:positions()
  for _ = 1, 30 do
    here = { table.unpack(here) }
    assert(stepper:step(1))
    local q = stepper:positions()
    check.close(2 * (q[3] - here[3]), (here[2] + q[2]) * (q[1] - here[1]), 1e-14)
    here = q
  end
end

-- Back to the start after the velocities are reversed.
local function test_reversal()
  for stages = 2, 4 do
    local there = run(particle(), { "spark-nonholonomic", stages = stages }, 20, 3)
    local q, v = there:positions(), there:velocities()
    local reversed = particle(false, q, { -v[1], -v[2], -v[3] })
    local back = run(reversed, { "spark-nonholonomic", stages = stages }, 20, 3)
    for i = 1, 3 do
      check.close(back:positions()[i], 0, 1e-12)
    end
  end
end

-- ---- without nonholonomic rows, and refusals ------------------------------------------------------

local function test_holonomic()
  for _, pair in ipairs { { "gni", "rattle" }, { "spark-nonholonomic", "spark-lobatto" } } do
    local one = run(check.plain_pendulum(), { pair[1] }, 100, 1)
    local other = run(check.plain_pendulum(), { pair[2] }, 100, 1)
    for i = 1, 2 do
      check.close(one:positions()[i], other:positions()[i], 1e-14)
      check.close(one:velocities()[i], other:velocities()[i], 1e-13)
    end
  end
end

local function test_refusals()
  local function massless()
    local s = vida.system "massless"
    local _, vx = s:coordinate { "x", value = 0, rate = 0.8 }
    local y, vy = s:coordinate { "y", value = 0, rate = 0.9 }
    local _, vz = s:coordinate { "z", value = 0, rate = 0 }
    s:lagrangian(0.5 * (vx ^ 2 + vy ^ 2))
    s:nonholonomic { "row", vz - y * vx, unit = "m/s" }
    return s
  end
  check.fails("gni needs a mass wherever only nonholonomic rows determine the motion of system 'massless'; "
    .. "nothing determines the motion of 'z'", function() run(massless(), { "gni" }, 1, 0.1) end)
  check.fails("'row', which is nonholonomic", function()
    run(massless(), { "spark-nonholonomic" }, 1, 0.1)
  end)
  check.fails("spark-lobatto does not accept the nonholonomic constraints", function()
    run(edge(0), { "spark-lobatto" }, 1, 0.1)
  end)
  check.fails("stages", function() edge(0):stepper { "spark-nonholonomic", h = 0.1, stages = 5 } end)
  check.fails("energy", function() edge(0):stepper { "gni", h = 0.1, energy = "midpoint" } end)
end

test_orders()
test_multipliers()
test_rows()
test_energy()
test_energy_of_moving_rows()
test_mean()
test_two_stages()
test_reversal()
test_holonomic()
test_refusals()

-- ---- errors along nonholonomic rows ---------------------------------------------------------------
-- Positions are not projected along them, so that their error belongs to the error of a step: x = 1 - cos t.
do
  local s = vida.system "row"
  local _, vx = s:coordinate { "x", value = 0, rate = 0, unit = "m" }
  local _, vy = s:coordinate { "y", value = 0, rate = 1, unit = "m" }
  s:kinetic(0.5 * (vx ^ 2 + vy ^ 2))
  s:nonholonomic { "c", vx - vida.sin(s.time), unit = "m/s" }
  for _, rtol in ipairs { 1e-5, 1e-8 } do
    local stepper = s:stepper { "cvode-projected", h = 4, rtol = rtol }
    stepper:start()
    assert(stepper:step())
    local error = math.abs(stepper:positions()[1] - (1 - math.cos(4)))
    assert(error < 1000 * rtol, ("cvode-projected, rtol = %g: an error of %g m"):format(rtol, error))
  end
end
