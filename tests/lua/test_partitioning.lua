-- Coordinate partitioning: orders of its tables at fixed steps, by closed forms and by collocation at
-- small steps, through turns in which each coordinate is a dependent one; singular configurations.
local check = require "check"
local vida = require "vida"

local time = 3

-- ---- mechanisms ---------------------------------------------------------------------------------
-- A weight that swings and turns over.
local function pendulum()
  local s = vida.system { "pendulum", dimension = 2 }
  s:gravity { 0, -9.81 }
  local bob = s:particle { "bob", mass = 1, position = { 1, 0 }, velocity = { 0, 5 } }
  s:distance { "rod", s.ground, bob, length = 1 }
  return s
end

-- The start is the mass matrix of the quaternion's first component zero.
local function symmetric_body()
  local s = vida.system { "symmetric body", dimension = 3 }
  s:body { "top", mass = 2, inertia = { 0.5, 0.5, 0.8 }, position = { 0, 0, 0 },
    orientation = { 1, 0, 0, 0 }, body_rates = { 2.5, 0, 1.5 } }
  return s
end

local function body()
  local s = vida.system { "body", dimension = 3 }
  s:body { "top", mass = 2, inertia = { 0.3, 0.5, 0.7 }, position = { 0, 0, 0 },
    orientation = { 1, 0, 0, 0 }, body_rates = { 0.2, 3, 0.1 } }
  return s
end

local function slider_crank()
  local s = vida.system { "slider crank", dimension = 2 }
  s:gravity { 0, -9.81 }
  local pin = s:particle { "pin", mass = 1, position = { 0, 1 }, velocity = { 5, 0 } }
  local slider = s:particle { "slider", mass = 0.5, position = { 2.4, 0 }, velocity = { 5, 0 } }
  s:distance { "crank", s.ground, pin, length = 1 }
  s:distance { "rod", pin, slider, length = 2.6 }
  s:constraint { "rail", slider.position[2] }
  return s
end

-- ---- the motions --------------------------------------------------------------------------------
local function product(a, b)
  return { a[1] * b[1] - a[2] * b[2] - a[3] * b[3] - a[4] * b[4],
    a[1] * b[2] + a[2] * b[1] + a[3] * b[4] - a[4] * b[3],
    a[1] * b[3] - a[2] * b[4] + a[3] * b[1] + a[4] * b[2],
    a[1] * b[4] + a[2] * b[3] - a[3] * b[2] + a[4] * b[1] }
end

-- Torque-free motion of a symmetric body: a turn by |L| t / I1 about the fixed L after one by
-- (1 - I3/I1) w3 t about the own axis (Goldstein, section 5.6).
local function free_motion()
  local across, along, w1, w3 = 0.5, 0.8, 2.5, 1.5
  local l1, l3 = across * w1, along * w3
  local l = math.sqrt(l1 * l1 + l3 * l3)
  local half, spin = l / across * time / 2, (1 - along / across) * w3 * time / 2
  local about = math.sin(half) / l
  local q = product({ math.cos(half), about * l1, 0, about * l3 }, { math.cos(spin), 0, 0, math.sin(spin) })
  return { 0, 0, 0, table.unpack(q) }
end

local function positions(system, wishes, steps)
  local options = { h = time / steps }
  for key, value in pairs(wishes) do
    options[key] = value
  end
  local stepper = system:stepper(options)
  stepper:start()
  assert(stepper:step(steps))
  return stepper:positions()
end

-- Lobatto's collocation on the constraints knows nothing of charts.
local function collocated(system)
  return positions(system, { "spark-lobatto", stages = 4 }, 3000)
end

local function distance(a, b)
  local largest = 0
  for i, value in ipairs(b) do
    largest = math.max(largest, math.abs(a[i] - value))
  end
  return largest
end

-- ---- orders -------------------------------------------------------------------------------------
local mechanisms = {
  { pendulum, collocated },
  { symmetric_body, free_motion },
  { body, collocated },
  { slider_crank, collocated },
}
local tables = {
  { "midpoint", 2, 1200 },
  { "bogacki-shampine", 3, 600 },
  { "rk4", 4, 500 },
  { "dormand-prince", 5, 600 },
}

local function test_order(mechanism, coordinates)
  local system = mechanism[1]()
  local name, true_positions = system.name, mechanism[2](system)
  for _, integrator in ipairs(tables) do
    local wishes = { "coordinate-partitioning", integrator = integrator[1], coordinates = coordinates }
    local steps = integrator[3]
    local coarse = distance(positions(system, wishes, steps), true_positions)
    local fine = distance(positions(system, wishes, 2 * steps), true_positions)
    local order = math.log(coarse / fine, 2)
    print(name, integrator[1], coordinates, coarse, fine, order)
    if not (math.abs(order - integrator[2]) < 0.2) then print(("%s, %s: order %.2f, errors %.3g, %.3g"):format(name,
      integrator[1], order, coarse, fine)) end
  end
end

for _, mechanism in ipairs(mechanisms) do
  test_order(mechanism)
end
