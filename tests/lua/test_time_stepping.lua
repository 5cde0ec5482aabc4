-- Impacts and friction by time stepping, against closed forms.
local vida = require "vida"

local g = 9.81

local function near(got, expected, tolerance, what)
  assert(math.abs(got - expected) <= tolerance, ("%s: %.17g, not %.17g within %g"):format(what, got, expected,
    tolerance))
end

local method = "moreau-jean"

-- Moves the system for a time and returns the stepper.
local function move(system, h, time, options)
  local settings = { method, h = h }
  for key, value in pairs(options or {}) do
    settings[key] = value
  end
  local stepper = system:stepper(settings)
  stepper:start()
  for _ = 1, math.floor(time / h + 0.5) do
    stepper:step()
  end
  return stepper
end

-- ---- a bouncing ball: order 1 across impacts, and rest after the Zeno time ----------------------

local function ball(e)
  local s = vida.system "ball"
  s:gravity { 0, 0, -g }
  local b = s:particle { "ball", mass = 2, position = { 0, 0, 1 } }
  s:contact { "floor", gap = b.z, restitution = e }
  return s
end

local e = 0.8
local both = { "moreau-jean", "spook" }
local fall = math.sqrt(2 / g)
local time = 0.7 -- after one impact
local up = e * g * fall
local height = up * (time - fall) - g / 2 * (time - fall) ^ 2
local zeno = fall * (1 + e) / (1 - e)
for _, name in ipairs(both) do
  method = name
  for _, h in ipairs { 1e-2, 1e-3, 1e-4 } do
    near(move(ball(e), h, time):positions()[3], height, 8 * h, name .. ": height after an impact, h = " .. h)
  end
  local resting = move(ball(e), 1e-3, zeno + 0.5)
  near(resting:velocities()[3], 0, 1e-12, name .. ": speed at rest")
  near(resting:positions()[3], 0, 1e-3 * g * 1e-3, name .. ": height at rest")
end

-- ---- a block on an incline ----------------------------------------------------------------------

local angle = math.rad(20)

local function incline(mu, speed)
  local s = vida.system { "incline", dimension = 2 }
  s:gravity { -g * math.sin(angle), -g * math.cos(angle) }
  local block = s:particle { "block", mass = 3, position = { 0, 0 }, velocity = { speed, 0 } }
  s:contact { "plane", gap = block.y, friction = mu, slip = block.vx }
  return s
end

local slide = g * (math.sin(angle) - 0.3 * math.cos(angle))
local stop = 2 ^ 2 / (2 * g * (math.sin(angle) + 0.5 * math.cos(angle)))
for _, name in ipairs(both) do
  method = name
  local sticks = move(incline(math.tan(angle) * (1 + 1e-9), 0), 0.01, 1)
  near(sticks:positions()[1], 0, 1e-15, name .. ": a block that sticks")
  near(move(incline(0.3, 0), 0.01, 1):positions()[1], -slide / 2, 1e-12, name .. ": a block that slides")
  for _, h in ipairs { 1e-2, 1e-3 } do
    near(move(incline(0.5, 2), h, 1):positions()[1], stop, 0.01 * h, name .. ": stopping distance, h = " .. h)
  end
end
method = "moreau-jean"

-- In space: thrown across the slope, it slides against the slip velocity; both solvers agree.
local function slope()
  local s = vida.system "slope"
  s:gravity { -g * math.sin(angle), 0, -g * math.cos(angle) }
  local block = s:particle { "block", mass = 3, position = { 0, 0, 0 }, velocity = { 1, 2, 0 } }
  s:contact { "plane", gap = block.z, friction = 0.7, slip = { block.vx, block.vy } }
  return s
end
local first = move(slope(), 1e-3, 1):positions()
local second = move(slope(), 1e-3, 1, { contact_solver = "gauss-seidel", accuracy = 1e-12 }):positions()
near(first[1], second[1], 1e-9, "x by both solvers")
near(first[2], second[2], 1e-9, "y by both solvers")
-- v' = -k v / |v| - b e_x with k = mu g cos, b = g sin: an independent Runge-Kutta integration
local k, b = 0.7 * g * math.cos(angle), g * math.sin(angle)
local x, y, px, py = 0, 0, 1, 2
local function rates(ax, ay)
  local size = math.sqrt(ax * ax + ay * ay)
  return -k * ax / size - b, -k * ay / size
end
while math.sqrt(px * px + py * py) > 1e-4 do
  local h = 1e-5
  local ax, ay = rates(px, py)
  local mx, my = px + h / 2 * ax, py + h / 2 * ay
  ax, ay = rates(mx, my)
  x, y, px, py = x + h * mx, y + h * my, px + h * ax, py + h * ay
end
near(first[1], x, 2e-3, "x where it stops")
near(first[2], y, 2e-3, "y where it stops")

-- ---- a sphere with spin on a floor: it rolls with 5/7 of its speed -------------------------------

local function sphere()
  local s = vida.system { "sphere", dimension = 2 }
  local m, r = 2, 0.5
  local _, vx = s:coordinate { "x", unit = "m", value = 0, rate = 7 }
  local z, vz = s:coordinate { "z", unit = "m", value = r, rate = 0 }
  local _, turn = s:coordinate { "angle", value = 0, rate = 0 }
  s:kinetic(0.5 * m * (vx ^ 2 + vz ^ 2) + 0.5 * 0.4 * m * r ^ 2 * turn ^ 2)
  s:potential(m * g * z)
  s:contact { "floor", gap = z - r, friction = 0.3, slip = vx + r * turn }
  return s
end
local until_it_rolls = 2 * 7 / (7 * 0.3 * g)
for _, name in ipairs(both) do
  method = name
  local rolling = move(sphere(), 0.01, 1)
  near(rolling:velocities()[1], 5, 1e-12, name .. ": speed of a rolling sphere")
  near(rolling:velocities()[3], -10, 1e-12, name .. ": rate of a rolling sphere")
end
method = "moreau-jean"
local rolling = move(sphere(), 0.01, 1)
local place = 7 * until_it_rolls - 0.15 * g * until_it_rolls ^ 2 + 5 * (1 - until_it_rolls)
near(rolling:positions()[1], place, 2e-5, "place of a rolling sphere")

-- ---- two discs: normal speed times -e, tangential impulse at most mu times the normal one --------

-- Discs of mass 1 and 2, radius 0.5; their normal at the impact is nearly the x axis.
local function discs(mu)
  local s = vida.system { "discs", dimension = 2 }
  local name = { "x", "y", "angle" }
  local q, v = { {}, {} }, { {}, {} }
  local start, rate = { { 0, 0, 0 }, { 1.0005, 0, 0 } }, { { 1, 0.2, 3 }, { 0, 0, 0 } }
  for i = 1, 2 do
    for c = 1, 3 do
      q[i][c], v[i][c] = s:coordinate { name[c] .. i, value = start[i][c], rate = rate[i][c] }
    end
    s:kinetic(0.5 * i * (v[i][1] ^ 2 + v[i][2] ^ 2) + 0.5 * (0.125 * i) * v[i][3] ^ 2)
  end
  local dx, dy = q[2][1] - q[1][1], q[2][2] - q[1][2]
  local length = vida.sqrt(dx ^ 2 + dy ^ 2)
  local nx, ny = dx / length, dy / length
  local slip = -ny * (v[2][1] - v[1][1]) + nx * (v[2][2] - v[1][2]) - 0.5 * (v[1][3] + v[2][3])
  s:contact { "discs", gap = length - 1, restitution = 0.6, friction = mu, slip = slip }
  return move(s, 1e-3, 2e-3):velocities()
end
-- normal impulse (1 + e) m12 u with m12 = 2/3; tangential masses: 1/m + r^2/I = 3 for 1, 3/2 for 2
local normal = 1.6 * 2 / 3 * 1
local sticking = (0.2 + 1.5) / 4.5
for _, mu in ipairs { 0, 0.1, 5 } do
  local tangential = math.min(mu * normal, sticking)
  local w = discs(mu)
  near(w[1], 1 - normal, 2e-3, "x rate of disc 1")
  near(w[4], normal / 2, 2e-3, "x rate of disc 2")
  near(w[2], 0.2 - tangential, 2e-3, "y rate of disc 1")
  near(w[5], tangential / 2, 2e-3, "y rate of disc 2")
  near(w[3], 3 - 0.5 * tangential / 0.125, 5e-3, "rate of disc 1")
  near(w[6], -0.5 * tangential / 0.25, 5e-3, "rate of disc 2")
end

-- ---- a pendulum with a stop: elastic impacts between constraints ---------------------------------

local function pendulum()
  local s = vida.system { "pendulum", dimension = 2 }
  s:gravity { 0, -g }
  local bob = s:particle { "bob", mass = 1.5, position = { 0.6, -0.8 } }
  s:distance { "rod", s.ground, bob, length = 1 }
  s:contact { "wall", gap = bob.x, restitution = 1 }
  return s
end
for _, h in ipairs { 1e-2, 1e-3 } do
  local stepper = move(pendulum(), h, 10)
  local off = stepper:constraint_errors()
  near(off, 0, 1e-14, "length of the rod")
  near(stepper:energy(), -1.5 * g * 0.8, 30 * h, "energy of a pendulum with a stop")
end

-- ---- a ball in space, as a body with a shape: rows derived once ------------------------------------

local function ball_with_spin()
  local s = vida.system "ball with spin"
  local m, r = 2, 0.5
  local inertia = 0.4 * m * r ^ 2
  s:gravity { 0, 0, -g }
  local body = s:body { "ball", mass = m, inertia = { inertia, inertia, inertia }, position = { 0, 0, r },
    velocity = { 7, 0, 0 }, angular_velocity = { 0, 0, 3 } }
  s:plane_contact { "floor", body, radius = r, friction = 0.3 }
  return s
end
local speed = move(ball_with_spin(), 0.005, 1):velocities()
near(speed[1], 5, 1e-3, "speed of a ball that rolls in space")
near(speed[3], 0, 1e-12, "speed upwards of a ball that rolls in space")

-- ---- a pile of 200 spheres: the energy never rises above that of the start -------------------------

-- With spook and the compliance c, a gap yields by c times its force: here at most the weight of 8 layers,
-- and twice that in the fall.
method = "spook"
local compliance = 1e-5

local function pile(count)
  local s, spheres, seed = vida.system "pile", {}, 1
  s:gravity { 0, 0, -g }
  local function jitter()
    seed = seed * 16807 % 2147483647
    return 0.1 * seed / 2147483647
  end
  for i = 1, count do
    local index = i - 1
    local column, row, layer = index % 5, index // 5 % 5, index // 25
    spheres[i] = s:particle { "sphere " .. i, mass = 1,
      position = { 1.1 * column + jitter(), 1.1 * row + jitter(), 1.1 * layer + 0.55 } }
    s:plane_contact { "floor " .. i, spheres[i], radius = 0.5, friction = 0.5 }
    for other = 1, index do
      s:sphere_contact { other .. " and " .. i, spheres[other], spheres[i], radii = { 0.5, 0.5 },
        friction = 0.5 }
    end
  end
  return s
end

for _, count in ipairs { 50, 200 } do
  local piled = pile(count):stepper { method, h = 0.01, compliance = compliance, accuracy = 1e-4 }
  piled:start()
  local energy = piled:energy()
  for _ = 1, 60 do
    piled:step()
    local now = piled:energy()
    assert(now <= energy, ("the energy rises from %.17g to %.17g J"):format(energy, now))
  end
  local q, deepest = piled:positions(), 0
  for i = 0, count - 1 do
    deepest = math.min(deepest, q[3 * i + 3] - 0.5)
    for j = 0, i - 1 do
      local dx, dy, dz = q[3 * i + 1] - q[3 * j + 1], q[3 * i + 2] - q[3 * j + 2], q[3 * i + 3] - q[3 * j + 3]
      deepest = math.min(deepest, math.sqrt(dx * dx + dy * dy + dz * dz) - 1)
    end
  end
  near(deepest, 0, 2 * compliance * 8 * g, "the deepest gap of " .. count .. " spheres")
end
method = "moreau-jean"

-- ---- a body on four feet ------------------------------------------------------------------------
-- A quaternion has a singular mass matrix, and no motion determines how four feet share their force. The
-- block falls by 0.1 m and rests on its feet, at the energy m g z.
do
  local block = vida.system "block"
  block:gravity { 0, 0, -9.81 }
  local body = block:body { "body", mass = 2, inertia = { 0.2, 0.3, 0.4 }, position = { 0, 0, 0.5 } }
  for i, foot in ipairs { { 1, 1, -0.4 }, { -1, 1, -0.4 }, { 1, -1, -0.4 }, { -1, -1, -0.4 } } do
    block:contact { "foot " .. i, gap = body:point(foot).position[3] }
  end
  for _, h in ipairs { 0.01, 0.005, 0.001 } do
    local spook = block:stepper { "spook", h = h }
    spook:start()
    local deepest = 1
    for _ = 1, math.floor(1.5 / h + 0.5) do
      assert(spook:step())
      deepest = math.min(deepest, spook:positions()[3])
    end
    near(spook:positions()[3], 0.4, 1e-6, "the height of the block at rest, h = " .. h)
    near(spook:energy(), 2 * 9.81 * 0.4, 1e-5, "its energy")
    near(deepest, 0.4, 5e-3, "its deepest place") -- h v = 0.014 m in the first step, damped
  end
end

-- ---- refusals -----------------------------------------------------------------------------------

local low = vida.system "low"
local point = low:particle { "point", mass = 1, position = { 0, 0, -0.1 } }
low:contact { "floor", gap = point.z }
local stepper = low:stepper { "moreau-jean", h = 0.1 }
local started, why = pcall(stepper.start, stepper)
assert(not started and why:find("contact 'floor' begins with a negative gap, -0.1 m", 1, true), why)
-- All methods say so in the same words.
for _, name in ipairs { "spook", "rattle", "radau", "verlet" } do
  local other = low:stepper { name, h = 0.1 }
  local begun, reason = pcall(other.start, other)
  assert(not begun and reason:gsub("^.-: ", "") == why:gsub("^.-: ", ""), reason)
end
-- Event-driven methods have no sliding friction of shapes.
local refused
refused, why = pcall(function() return ball_with_spin():stepper { "radau", h = 0.1 } end)
assert(not refused and why:find("does not accept the friction of contact 'floor'", 1, true), why)
