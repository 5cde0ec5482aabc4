-- del-ggl: both levels of the constraints, momenta, area in phase space, reversal and order, computed here
-- from positions and velocities, against closed forms.
local vida = require "vida"
local check = require "check"

local function started(system, h, method)
  local stepper = system:stepper { method or "del-ggl", h = h }
  stepper:start()
  return stepper
end

local function steps(stepper, count)
  local good, message = stepper:step(count)
  assert(good, message)
end

local function expect_order(errors)
  for i = 1, #errors - 1 do
    check.close(math.log(errors[i] / errors[i + 1], 2), 2, 0.1)
  end
end

local function dot(a, b)
  return a[1] * b[1] + a[2] * b[2] + a[3] * b[3]
end
local function cross(a, b)
  return { a[2] * b[3] - a[3] * b[2], a[3] * b[1] - a[1] * b[3], a[1] * b[2] - a[2] * b[1] }
end

-- A free particle on a sphere, written as a row that is not quadratic: a great circle.
local function test_great_circle()
  local errors = {}
  for i, count in ipairs { 50, 100, 200 } do
    local s = vida.system "sphere"
    local p = s:particle { "p", mass = 2, position = { 1, 0, 0 }, velocity = { 0, 0.6, 0.8 } }
    s:constraint { "sphere", vida.exp(p.x ^ 2 + p.y ^ 2 + p.z ^ 2) - math.exp(1) }
    local stepper = started(s, 3 / count)
    steps(stepper, count)
    local q, v = stepper:positions(), stepper:velocities()
    local turn = cross(q, v)
    check.close(dot(q, q), 1, 1e-14)
    check.close(dot(q, v), 0, 1e-14)
    check.close(turn[1], 0, 1e-14)
    check.close(turn[2], -0.8, 1e-13)
    check.close(turn[3], 0.6, 1e-13)
    errors[i] = math.abs(q[1] - math.cos(3))
  end
  expect_order(errors)
end

-- A rod whose length grows as 1 + t/2, without forces: l^2 angle' = c, angle = 2 c t / (2 + t).
local function test_growing_rod()
  local c, errors = 1.3, {}
  for i, count in ipairs { 100, 200, 400 } do
    local s = vida.system { "rod", dimension = 2 }
    local p = s:particle { "p", mass = 0.7, position = { 1, 0 }, velocity = { 0.5, c } }
    s:constraint { "rod", (p.x ^ 2 + p.y ^ 2 - (1 + s.time / 2) ^ 2) / 2 }
    local stepper = started(s, 2 / count)
    for k = 1, 10 do
      steps(stepper, count / 10)
      local q, v, l = stepper:positions(), stepper:velocities(), 1 + k / 10
      check.close(q[1] ^ 2 + q[2] ^ 2, l ^ 2, 1e-14)
      check.close(q[1] * v[1] + q[2] * v[2], l / 2, 1e-14)
      check.close(q[1] * v[2] - q[2] * v[1], c, 1e-13)
    end
    local q = stepper:positions()
    errors[i] = math.abs(math.atan(q[2], q[1]) - c)
  end
  expect_order(errors)
end

-- ---- the pendulum as a map of angle and rate --------------------------------------------------------

local function pendulum_map(angle, rate, h, count, method)
  local s = vida.system { "pendulum", dimension = 2 }
  s:gravity { 0, -9.81 }
  local sin, cos = math.sin(angle), math.cos(angle)
  local bob = s:particle { "bob", mass = 1, position = { sin, -cos }, velocity = { rate * cos, rate * sin } }
  s:distance { "rod", s.ground, bob, length = 1 }
  local stepper = started(s, h, method)
  steps(stepper, count)
  local q, v = stepper:positions(), stepper:velocities()
  return math.atan(q[1], -q[2]), q[1] * v[2] - q[2] * v[1]
end

-- The determinant of the derivative of three steps, by differences; area is the symplectic form of one
-- degree of freedom. energy-momentum does not preserve it.
local function test_area()
  local d, h = 1e-4, 0.15
  for _, method in ipairs { "del-ggl", "rattle", "energy-momentum" } do
    local function slope(by_angle, by_rate)
      local a, b = pendulum_map(1 + d * by_angle, 0.5 + d * by_rate, h, 3, method)
      local e, f = pendulum_map(1 - d * by_angle, 0.5 - d * by_rate, h, 3, method)
      return (a - e) / (2 * d), (b - f) / (2 * d)
    end
    local a, b = slope(1, 0)
    local e, f = slope(0, 1)
    local off = math.abs(a * f - b * e - 1)
    local is_kept = off < 2e-8
    assert(is_kept == (method ~= "energy-momentum") and (is_kept or off > 1e-5), method .. off)
  end
end

local function test_reversal()
  local angle, rate = pendulum_map(1, 0.5, 0.1, 100)
  angle, rate = pendulum_map(angle, -rate, 0.1, 100)
  check.close(angle, 1, 1e-11)
  check.close(rate, -0.5, 1e-11)
end

-- Energy without drift: the largest error of the last tenth of 50000 steps is that of the first.
local function test_energy()
  local s = vida.system { "pendulum", dimension = 2 }
  s:gravity { 0, -9.81 }
  local bob = s:particle { "bob", mass = 1, position = { 1, 0 } }
  s:distance { "rod", s.ground, bob, length = 1 }
  local stepper, largest = started(s, 0.02), {}
  for part = 1, 10 do
    largest[part] = 0
    for _ = 1, 500 do
      steps(stepper, 10)
      local q, v = stepper:positions(), stepper:velocities()
      largest[part] = math.max(largest[part], math.abs((v[1] ^ 2 + v[2] ^ 2) / 2 + 9.81 * q[2]))
    end
  end
  check.close(largest[10] / largest[1], 1, 0.01)
  assert(largest[1] < 0.02, largest[1])
end

-- ---- what it refuses --------------------------------------------------------------------------------

local function test_refusals()
  local s = vida.system { "bead", dimension = 2 }
  local p = s:particle { "p", mass = 1, position = { 1, 1 } }
  s:nonholonomic { "blade", p.x * p.y.rate - p.y * p.x.rate }
  check.fails("nonholonomic constraints", function() s:stepper { "del-ggl", h = 0.01 } end)
  s = vida.system { "bead", dimension = 2 }
  p = s:particle { "p", mass = 1, position = { 1, 1 } }
  s:lagrangian { "growing", p.x ^ 2 * p.y.rate ^ 2 }
  check.fails("needs a constant mass matrix", function() s:stepper { "del-ggl", h = 0.01 } end)
end

test_great_circle()
test_growing_rod()
test_area()
test_reversal()
test_energy()
test_refusals()
