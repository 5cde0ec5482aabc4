-- reduction = "null-space": the steps are those without it, the matrix does not depend on small steps, and
-- constraints without constant rank are named.
local vida = require "vida"
local check = require "check"

local function double_pendulum()
  local s = vida.system { "double pendulum", dimension = 3 }
  s:gravity { 0, 0, -9.81 }
  local upper = s:particle { "upper", mass = 2, position = { 2.820, 0.025, vida.free(-1) },
    velocity = { 3.381, 2.506, vida.free() } }
  local lower = s:particle { "lower", mass = 3.5, position = { 5.085, 0.105, vida.free(-1) },
    velocity = { 2.497, 10.495, vida.free() } }
  s:distance { "upper rod", s.ground, upper, length = 4 }
  s:distance { "lower rod", upper, lower, length = 3 }
  return s
end

local function driven_rod()
  local s = vida.system { "driven rod", dimension = 2 }
  s:gravity { 0, -9.81 }
  local p = s:particle { "p", mass = 0.7, position = { 1, 0 }, velocity = { 0.5, 0.3 } }
  s:constraint { "rod", (p.x ^ 2 + p.y ^ 2 - (1 + s.time / 2) ^ 2) / 2 }
  return s
end

-- A mass matrix that depends on an angle, and units that differ: kg and g.
local function cart()
  local s = vida.system "cart with pole"
  local x, vx = s:coordinate { "x", value = 0.1, rate = 0.4 }
  local y, vy = s:coordinate { "y", value = 0.01, rate = 0.08 }
  local angle, rate = s:coordinate { "angle", unit = "rad", value = 0.5, rate = -0.3 }
  s:lagrangian(1.5 * (vx ^ 2 + vy ^ 2) + vida.cos(angle) * vx * rate + 0.5e-3 * rate ^ 2 * 1200
    - 9.81 * (2 * y + vida.cos(angle)))
  s:constraint { "track", y - x ^ 2 }
  return s
end

-- A quaternion body on a ball joint: a mass matrix that is singular along the quaternion.
local function top()
  local s = vida.system "top"
  s:gravity { 0, 0, -9.81 }
  local body = s:body { "top", mass = 2, inertia = { 0.6, 0.6, 0.3 }, position = { 0, 0.15, 0.2 },
    orientation = { math.cos(0.3), -math.sin(0.3), 0, 0 }, angular_velocity = { 0.3, 0.8, 9 },
    velocity = vida.cross({ 0.3, 0.8, 9 }, { 0, 0.15, 0.2 }) }
  s:ball { "pivot", s.ground, body, at = { 0, 0, 0 } }
  return s
end

local methods = { "del-midpoint", "rattle", "energy-momentum", "del-endpoint", "del-trapezoidal" }

local function start(system, method, h, reduction)
  local stepper = system:stepper { method, h = h, reduction = reduction }
  stepper:start()
  return stepper
end

local function compare(make, method, h, count)
  local plain, reduced = start(make(), method, h, "none"), start(make(), method, h, "null-space")
  assert(plain:step(count))
  assert(reduced:step(count))
  local q, v = plain:positions(), plain:velocities()
  local statistics = reduced:statistics()
  assert(statistics.plan == "null-space" and statistics.unknowns == #q)
  for i = 1, #q do
    check.close(reduced:positions()[i], q[i], 1e-12)
    check.close(reduced:velocities()[i], v[i], 1e-11)
  end
  for r, force in ipairs(plain:multipliers()) do
    check.close(reduced:multipliers()[r], force, 1e-8 * (1 + math.abs(force)))
  end
end

local function test_same_steps()
  for _, make in ipairs { double_pendulum, driven_rod, cart, top } do
    for _, method in ipairs(methods) do
      compare(make, method, 0.005, 40)
    end
  end
end

-- From h = 0.01 to 1e-9 s.
local function test_small_steps()
  for _, method in ipairs(methods) do
    local largest, least = 0, math.huge
    for digits = 2, 9 do
      local stepper = start(double_pendulum(), method, 10 ^ -digits, "null-space")
      assert(stepper:step(20))
      local condition = stepper:statistics().condition
      largest, least = math.max(largest, condition), math.min(least, condition)
      local q = stepper:positions()
      check.close(math.sqrt(q[1] ^ 2 + q[2] ^ 2 + q[3] ^ 2), 4, 1e-14)
    end
    assert(largest < 2 * least and largest < 20, method)
  end
end

-- A point is moved along x, on y = 0 and z (x - 1) = y: at x = 1 the gradients of both rows are parallel.
local function sheet(method, h, time)
  local s = vida.system "sheet"
  local p = s:particle { "p", mass = 1, position = { 0, 0, 0 }, velocity = { 1, 0, 0 } }
  s:constraint { "drive", p.x - s.time }
  s:constraint { "floor", p.y }
  s:constraint { "sheet", p.y - p.z * (p.x - 1) }
  s:force { "push", p, { 0, vida.sin(7 * s.time), 0 } }
  return vida.compare { system = s, time = time,
    methods = { { method, h = h, reduction = "null-space" } } }
end

local function test_rank()
  for _, case in ipairs { { "del-midpoint", 0.125 }, { "energy-momentum", 0.08 } } do
    local row = sheet(case[1], case[2], 2):run { quiet = true }[1]
    assert(row.status == "RANK_CHANGED", row.status)
    local text = row.message
    assert(text:find("null-space needs constraints of constant rank", 1, true), text)
    assert(text:find("'floor' depends", 1, true) or text:find("'sheet' depends", 1, true), text)
  end
end

local function test_refusals()
  local function refuses(text, method, build)
    local s = vida.system { "s", dimension = 2 }
    local p = s:particle { "p", mass = 1, position = { 1, 0 } }
    build(s, p)
    check.fails(text, function() start(s, method, 0.01, "null-space") end)
  end
  refuses("'rod again' of system 's' depends on others at the start", "rattle", function(s, p)
    s:distance { "rod", s.ground, p, length = 1 }
    s:distance { "rod again", s.ground, p, length = 1 }
  end)
  refuses("system 's' has no constraints", "del-midpoint", function() end)
  refuses("'spark-lobatto' has no option 'reduction'", "spark-lobatto", function() end)
  refuses("nonholonomic constraints", "energy-momentum", function(s, p) s:nonholonomic { "n", p.vx } end)
  refuses("is for at most 1000 coordinates and constraints", "rattle", function(s, p)
    for i = 1, 400 do
      local next = s:particle { "p" .. i, mass = 1, position = { 1 + i, 0 } }
      s:distance { "rod " .. i, p, next, length = 1 }
      p = next
    end
  end)
end

test_same_steps()
test_small_steps()
test_rank()
test_refusals()
