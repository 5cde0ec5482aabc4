-- The unit of mass changes no motion: dumbbells of atoms in kg, planets on rods, and a skate, against
-- closed forms and, by similarity, against the same motion with masses near 1.
local check = require "check"
local vida = require "vida"

-- Two equal masses at the ends of a bond turn about its middle with the angular velocity v / r.
local r, speed = 0.37, 1
for _, exponent in ipairs { -30, -26, -20, -18, 0, 20, 30 } do
  local m = 10.0 ^ exponent
  for _, h in ipairs { 0.1, 0.02 } do
    local s = vida.system { "dumbbell", dimension = 3 }
    local a = s:particle { "a", mass = m, position = { -r, 0, 0 }, velocity = { 0, -speed, 0 } }
    local b = s:particle { "b", mass = m, position = { r, 0, 0 }, velocity = { 0, speed, 0 } }
    s:distance { "bond", a, b, length = 2 * r }
    local steps = math.floor(2 / h + 0.5)
    local stepper = s:stepper { "energy-collocation", h = h }
    stepper:start()
    assert(stepper:step(steps))
    local q, angle = stepper:positions(), speed / r * steps * h
    -- An error of second order, at most that of the implicit midpoint rule: (h w)^2 / 12 of the angle.
    local allowed = r * angle * (h * speed / r) ^ 2 / 12
    check.close(q[4], r * math.cos(angle), allowed)
    check.close(q[5], r * math.sin(angle), allowed)
    check.close(math.sqrt(q[4] ^ 2 + q[5] ^ 2), r, 1e-12)
  end
end

-- A skate that turns evenly on a slope: along its blade the speed is u = 1 + k sin t, k = g sin(slope), so
-- that x = sin t + k sin(t)^2 / 2 and y = 1 - cos t + k (t / 2 - sin(2 t) / 4).
local k, time = 9.81 * 0.3, 1
for _, exponent in ipairs { -24, -18, 0, 24 } do
  local m = 10.0 ^ exponent
  local s = vida.system { "skate" }
  local x, vx = s:coordinate { "x", unit = "m", value = 0, rate = 1 }
  local _, vy = s:coordinate { "y", unit = "m", value = 0, rate = 0 }
  local phi, w = s:coordinate { "phi", value = 0, rate = 1 }
  s:kinetic(m * 0.5 * (vx ^ 2 + vy ^ 2) + 0.1 * m * w ^ 2)
  s:potential(-m * k * x)
  s:nonholonomic { "blade", vida.sin(phi) * vx - vida.cos(phi) * vy, unit = "m/s" }
  local q = check.run(s, { "spark-nonholonomic", h = 0.02 }, time):positions()
  -- Of fourth order: h^4 is 1.6e-7.
  check.close(q[1], math.sin(time) + k * math.sin(time) ^ 2 / 2, 2e-7)
  check.close(q[2], 1 - math.cos(time) + k * (time / 2 - math.sin(2 * time) / 4), 2e-7)
end

-- A double pendulum of lengths L, masses M and times T moves as one of lengths, masses and times 1.
local function swing(method, L, M, T)
  local s = vida.system { "double pendulum", dimension = 3 }
  s:gravity { 0, 0, -9.81 * L / T ^ 2 }
  local a = s:particle { "a", mass = M, position = { L, 0, 0 }, velocity = { 0, L / T, 0 } }
  local b = s:particle { "b", mass = 3 * M, position = { L, L, 0 }, velocity = { 0, L / T, 0 } }
  s:distance { "upper", s.ground, a, length = L }
  s:distance { "lower", a, b, length = L }
  local q = check.run(s, { method, h = 0.01 * T }, 2 * T):positions()
  for i = 1, #q do
    q[i] = q[i] / L
  end
  return q
end
for _, method in ipairs { "del-ggl", "energy-momentum-ggl", "energy-collocation", "spark-lobatto",
  "rattle" } do
  local expected = swing(method, 1, 1, 1)
  for _, units in ipairs { { 1, 1e18, 1 }, { 1, 1e30, 1 }, { 1e9, 1e24, 1e5 }, { 1e11, 1e30, 1e7 },
    { 1, 1e-30, 1 }, { 1e-9, 1e-27, 1e-12 } } do
    local q = swing(method, table.unpack(units))
    for i = 1, #q do
      check.close(q[i], expected[i], 1e-9) -- rounding, which 200 steps of a chaotic motion enlarge
    end
  end
end
