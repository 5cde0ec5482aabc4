-- Coordinate partitioning: orders of its tables at fixed steps, by closed forms and by collocation at
-- small steps, through turns in which each coordinate is a dependent one; singular configurations.
local check = require "check"
local support = require "mechanism"
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

-- At the start, the mass of the quaternion's first component is zero.
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
local function free_motion(at)
  local across, along, w1, w3 = 0.5, 0.8, 2.5, 1.5
  local l1, l3 = across * w1, along * w3
  local l = math.sqrt(l1 * l1 + l3 * l3)
  local half, spin = l / across * at / 2, (1 - along / across) * w3 * at / 2
  local about = math.sin(half) / l
  local q = product({ math.cos(half), about * l1, 0, about * l3 }, { math.cos(spin), 0, 0, math.sin(spin) })
  return { 0, 0, 0, table.unpack(q) }
end

local parts = 6

-- Positions at each sixth of the time.
local function positions(system, wishes, steps)
  local options = { h = time / steps }
  for key, value in pairs(wishes) do
    options[key] = value
  end
  local stepper = system:stepper(options)
  local list = {}
  stepper:start()
  for k = 1, parts do
    assert(stepper:step(steps // parts))
    list[k] = stepper:positions()
  end
  return list
end

-- Lobatto's collocation on the constraints knows nothing of charts.
local function collocated(system)
  return positions(system, { "spark-lobatto", stages = 4 }, 3000)
end

local function closed()
  local list = {}
  for k = 1, parts do
    list[k] = free_motion(k * time / parts)
  end
  return list
end

-- The root of the mean square over these times.
local function distance(a, b)
  local sum = 0
  for k = 1, parts do
    for i, value in ipairs(b[k]) do
      sum = sum + (a[k][i] - value) ^ 2
    end
  end
  return math.sqrt(sum / parts)
end

-- ---- orders -------------------------------------------------------------------------------------
-- Steps in the time, where errors are neither far from the limit nor of the size of rounding. With one
-- degree of freedom and R anew at each step, the first term of rk4's error nearly cancels over a turn
-- (projection shows the same): there R is kept for longer.
local mechanisms = {
  { pendulum, collocated, { midpoint = 1200, ["bogacki-shampine"] = 600, ["dormand-prince"] = 600 } },
  { symmetric_body, closed,
    { midpoint = 300, ["bogacki-shampine"] = 150, rk4 = 120, ["dormand-prince"] = 120 } },
  { body, collocated, { midpoint = 300, ["bogacki-shampine"] = 150, rk4 = 120, ["dormand-prince"] = 90 } },
  { slider_crank, collocated, { midpoint = 1200, ["bogacki-shampine"] = 900, ["dormand-prince"] = 600 } },
  { pendulum, collocated, { rk4 = 600 }, { coordinates = "pivoting", condition_bound = 1.5 } },
  { slider_crank, collocated, { rk4 = 600 }, { coordinates = "pivoting", condition_bound = 1.5 } },
  { body, collocated, { rk4 = 300 }, { coordinates = "pivoting" } },
}
local orders = { midpoint = 2, ["bogacki-shampine"] = 3, rk4 = 4, ["dormand-prince"] = 5 }

local function test_order(mechanism)
  local system = mechanism[1]()
  local right = mechanism[2](system)
  for integrator, steps in pairs(mechanism[3]) do
    local wishes = { "coordinate-partitioning", integrator = integrator }
    for key, value in pairs(mechanism[4] or {}) do
      wishes[key] = value
    end
    local coarse = distance(positions(system, wishes, steps), right)
    local fine = distance(positions(system, wishes, 2 * steps), right)
    local order = math.log(coarse / fine, 2)
    assert(math.abs(order - orders[integrator]) < 0.2, ("%s, %s: order %.2f, errors %.3g and %.3g"):format(
      system.name, integrator, order, coarse, fine))
  end
end

for _, mechanism in ipairs(mechanisms) do
  test_order(mechanism)
end

-- Partitioning and projection integrate the same ODE: with the same table their errors are alike.
for _, mechanism in ipairs { { body, 100 }, { slider_crank, 600 } } do
  local system = mechanism[1]()
  local right = collocated(system)
  local own = distance(positions(system, { "coordinate-partitioning" }, mechanism[2] // 6 * 6), right)
  local other = distance(positions(system, { "coordinate-projection" }, mechanism[2] // 6 * 6), right)
  assert(own < 10 * other, ("%s: %.3g, and %.3g with projection"):format(system.name, own, other))
end

-- ---- nodes between which steps are chosen ---------------------------------------------------------
-- A chain that falls from the horizontal chooses other coordinates after nearly every step; what comes
-- before such a node says nothing of what comes after it. The reference is another method's, at a tight
-- tolerance. After half a second the chain is no longer sure to be anywhere.
local function falling_chain(links)
  local s = vida.system { "falling chain", dimension = 2 }
  s:gravity { 0, -9.81 }
  local before = s.ground
  for i = 1, links do
    local bob = s:particle { "bob " .. i, mass = 1 + i % 3, position = { 0.3 * i, 0 } }
    s:distance { "link " .. i, before, bob, length = 0.3 }
    before = bob
  end
  return s
end

for _, links in ipairs { 5, 10 } do
  local chain = falling_chain(links)
  local right = chain:stepper { "post-stabilized", rtol = 1e-11, h = 0.5 }
  right:start()
  assert(right:step())
  for _, coordinates in ipairs { "tangent", "pivoting" } do
    for _, rtol in ipairs { 1e-4, 1e-6, 1e-8 } do
      local stepper = chain:stepper { "coordinate-partitioning", coordinates = coordinates,
        rtol = rtol, h = 0.005 }
      stepper:start()
      assert(stepper:step(100))
      local off = support.distance(stepper:positions(), right:positions())
      assert(off < 10 * rtol, ("%d links, %s, rtol = %g: %g m off"):format(links, coordinates, rtol, off))
      assert(stepper:step(900))
    end
  end
end

-- ---- singular starts ----------------------------------------------------------------------------
-- Two cranks and their coupling in one line: one row depends on the others here, but not beside it, so
-- that a motion without it would pull the coupling apart.
local function aligned(speed)
  local s = vida.system { "aligned", dimension = 2 }
  local pin = s:anchor { 2, 0 }
  local a = s:particle { "a", mass = 1, position = { 1, 0 }, velocity = { 0, 3 } }
  local b = s:particle { "b", mass = 1, position = { 3, 0 }, velocity = { 0, speed } }
  s:distance { "left", s.ground, a, length = 1 }
  s:distance { "right", pin, b, length = 1 }
  s:distance { "coupling", a, b, length = 2 }
  return s
end

for _, wishes in ipairs { { h = 0.01 }, { h = 0.1, rtol = 1e-6 } } do
  wishes[1] = "coordinate-partitioning"
  local stepper = aligned(-9):stepper(wishes)
  stepper:start()
  local done, message = stepper:step(50)
  if done then -- the row that was left out has followed as well as the tolerance asks
    assert(wishes.rtol and stepper:constraint_errors() < 100 * wishes.rtol * 2)
  else
    assert(message:find("the other constraints implied 'coupling' at the start", 1, true), message)
  end
  -- The parallelogram moves on as one: what was left out follows from the others.
  stepper = aligned(3):stepper(wishes)
  stepper:start()
  assert(stepper:step(50))
end

-- ---- large systems, whose matrices are sparse ---------------------------------------------------
-- Bodies on a chain, a rope that is wound up, knife edges, and a bar that the others imply.
local function large()
  local s = vida.system { "large", dimension = 2 }
  s:gravity { 0, -9.81 }
  local last = s.ground
  for i = 1, 12 do
    local bob = s:particle { "bob " .. i, mass = 1 + 0.1 * i, position = { i, 0 }, velocity = { 0, 0.1 * i } }
    s:distance { "link " .. i, last, bob, length = 1 }
    last = bob
  end
  for i = 1, 6 do
    local angle = 0.3 * i
    local sledge = s:body { "sledge " .. i, mass = 1, inertia = 0.2, position = { i, -9 }, angle = angle,
      velocity = { math.cos(angle), math.sin(angle) }, angular_velocity = 0.5 }
    s:knife_edge { "edge " .. i, sledge, direction = { 1, 0 } }
    s:spring { "spring " .. i, last, sledge:point { 0.1, 0 }, stiffness = 3, length = 9 }
  end
  local weight = s:particle { "weight", mass = 1, position = { 20, -3 }, velocity = { 0, -0.1 } }
  s:distance { "winch", s:anchor { 20, 0 }, weight, length = function(t) return 3 + 0.1 * t end }
  local a = s:particle { "a", mass = 1, position = { 30, -1 }, velocity = { 1, 0 } }
  local b = s:particle { "b", mass = 1, position = { 31, -1 }, velocity = { 1, 0 } }
  local c = s:particle { "c", mass = 1, position = { 32, -1 }, velocity = { 1, 0 } }
  for i, bob in ipairs { a, b, c } do
    s:distance { "leg " .. i, s:anchor { 29 + i, 0 }, bob, length = 1 }
  end
  s:distance { "first", a, b, length = 1 }
  s:distance { "second", b, c, length = 1 }
  s:distance { "whole", a, c, length = 2 }
  return s
end

-- Other coordinates, with dense matrices, give other steps, whose errors are of the fifth order; so is the
-- difference, which halves five times with the steps.
local function state_at(options)
  options[1] = "coordinate-partitioning"
  local stepper = large():stepper(options)
  stepper:start()
  assert(stepper:step(math.floor(0.4 / options.h + 0.5)))
  local position, velocity = stepper:constraint_errors()
  assert(position < 1e-12 and velocity < 1e-11, "the constraints of the large system are violated")
  return stepper:positions()
end

local differences = {}
for i, h in ipairs { 0.02, 0.01 } do
  local sparse, dense = state_at { h = h }, state_at { h = h, coordinates = "pivoting" }
  assert(#sparse >= 40)
  differences[i] = 0
  for k = 1, #sparse do
    differences[i] = math.max(differences[i], math.abs(sparse[k] - dense[k]))
  end
end
assert(differences[2] < 1e-7 and differences[1] / differences[2] > 2 ^ 4.3, "the orders of large systems")

-- ---- what has no direction ----------------------------------------------------------------------
local s = vida.system { "coincident", dimension = 2 }
local a = s:particle { "a", mass = 1, position = { 1, 0 } }
local b = s:particle { "b", mass = 1, position = { 1, 0 } }
s:spring { "soft", a, b, stiffness = 3, length = 0 }
s:spring { "sp", a, b, stiffness = 10, length = 1 }
check.fails("spring 'sp': its ends are at the same place", function()
  s:stepper({ "rattle", h = 0.01 }):start()
end)
