-- energy-momentum-ggl: energy, momenta and both levels of the constraints, computed here from positions and
-- velocities, for constraints of any form; closed forms; a double four-bar; what it refuses.
local vida = require "vida"
local check = require "check"
local conserved = require "conserved"

local function started(system, h, options)
  options = options or {}
  options[1], options.h = "energy-momentum-ggl", h
  local stepper = system:stepper(options)
  stepper:start()
  return stepper
end

local function steps(stepper, count)
  local good, message = stepper:step(count)
  assert(good, message)
end

-- ---- four particles with rods of any form ---------------------------------------------------------

-- Gonzalez 1999, section 4: V = K/4 (|d|^2 - 1)^2, with the lengths of the bars as functions of |d|.
local masses, stiffness = { 1, 3, 2.3, 1.7 }, { 100, 1000 }
local function four_particles(row)
  local s = vida.system "four particles"
  local p = {}
  for i, x in ipairs { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 }, { 1, 1, 0 } } do
    p[i] = s:particle { "p" .. i, mass = masses[i], position = x,
      velocity = { 0, 0, i == 4 and 2 / 1.7 or 0 } }
  end
  for i, ends in ipairs { { 1, 2 }, { 3, 4 } } do
    local a, b = p[ends[1]], p[ends[2]]
    s:constraint { "bar " .. i, row(vida.sqrt((a.x - b.x) ^ 2 + (a.y - b.y) ^ 2 + (a.z - b.z) ^ 2)) }
  end
  s:spring { "soft", p[1], p[3], stiffness = stiffness[1], length = 1, law = "squared" }
  s:spring { "hard", p[2], p[4], stiffness = stiffness[2], length = 1, law = "squared" }
  return s
end

local function difference(x, a, b)
  return { x[3 * b - 2] - x[3 * a - 2], x[3 * b - 1] - x[3 * a - 1], x[3 * b] - x[3 * a] }
end
local function dot(a, b)
  return a[1] * b[1] + a[2] * b[2] + a[3] * b[3]
end

-- Energy, momenta and angular momenta.
local function invariants(q, v)
  local list = { 0, 0, 0, 0, 0, 0, 0 }
  for i, m in ipairs(masses) do
    local x, u = { q[3 * i - 2], q[3 * i - 1], q[3 * i] }, { v[3 * i - 2], v[3 * i - 1], v[3 * i] }
    list[1] = list[1] + m / 2 * dot(u, u)
    for k = 1, 3 do
      local j, l = k % 3 + 1, (k + 1) % 3 + 1
      list[1 + k] = list[1 + k] + m * u[k]
      list[4 + k] = list[4 + k] + m * (x[j] * u[l] - x[l] * u[j])
    end
  end
  for i, k in ipairs(stiffness) do
    local d = difference(q, i, i + 2)
    list[1] = list[1] + k / 4 * (dot(d, d) - 1) ^ 2
  end
  return list
end

local function test_rods()
  local forms = {
    function(d) return d ^ 2 - 1 end,
    function(d) return d - 1 end,
    function(d) return 1 / d - 1 end,
    function(d) return vida.exp(d ^ 3) - math.exp(1) end,
    function(d) return vida.sin(d) * vida.log(1 + d) - math.sin(1) * math.log(2) end,
  }
  local ends = {}
  for _, row in ipairs(forms) do
    for _, plan in ipairs { "auto", "general" } do
      local stepper = started(four_particles(row), 0.005, { plan = plan })
      local first = invariants(stepper:positions(), stepper:velocities())
      for _ = 1, 50 do
        steps(stepper, 20)
        local q, v = stepper:positions(), stepper:velocities()
        for i, value in ipairs(invariants(q, v)) do
          check.close(value, first[i], 4e-14)
        end
        for bar = 1, 3, 2 do
          local d, rate = difference(q, bar, bar + 1), difference(v, bar, bar + 1)
          check.close(math.sqrt(dot(d, d)), 1, 2e-15)
          check.close(dot(d, rate), 0, 1e-14)
        end
      end
      ends[#ends + 1] = stepper:positions()
      for i = 1, 12 do
        -- condensed or not: the same steps; other forms of the rows: others of second order
        check.close(ends[#ends][i], ends[plan == "auto" and 1 or #ends - 1][i],
          plan == "auto" and 1e-4 or 1e-11)
      end
    end
  end
end

-- ---- closed forms -----------------------------------------------------------------------------------

-- A free particle on a sphere, exp(r^2) = e: a great circle with constant speed. The phase
-- has an error of second order, all else is exact.
local function test_great_circle()
  local errors = {}
  for i, count in ipairs { 100, 200, 400 } do
    local s = vida.system "sphere"
    local p = s:particle { "p", mass = 2, position = { 1, 0, 0 }, velocity = { 0, 0.6, 0.8 } }
    s:constraint { "sphere", vida.exp(p.x ^ 2 + p.y ^ 2 + p.z ^ 2) - math.exp(1) }
    local stepper = started(s, 3 / count)
    steps(stepper, count)
    local q, v = stepper:positions(), stepper:velocities()
    check.close(dot(q, q), 1, 1e-14)
    check.close(dot(q, v), 0, 1e-14)
    check.close(dot(v, v), 1, 1e-14)
    errors[i] = math.abs(q[1] - math.cos(3))
    check.close(q[2] / 0.6, q[3] / 0.8, 1e-13)
    check.close(v[2] / 0.6, v[3] / 0.8, 1e-13)
  end
  for i = 1, 2 do
    check.close(math.log(errors[i] / errors[i + 1], 2), 2, 0.05)
  end
end

-- A bead on the wire y = cosh x - 1 under gravity. Its speed is x' cosh x, with
-- (x' cosh x)^2 = 2 g (cosh 1 - cosh x) after a release from rest at x = 1.
local function test_wire()
  local g, top = 9.81, (math.exp(1) + math.exp(-1)) / 2
  for _, h in ipairs { 0.01, 0.002 } do
    local s = vida.system { "wire", dimension = 2 }
    s:gravity { 0, -g }
    local p = s:particle { "p", mass = 1.5, position = { 1, top - 1 } }
    s:constraint { "wire", p.y + 1 - (vida.exp(p.x) + vida.exp(-p.x)) / 2 }
    local stepper = started(s, h)
    for _ = 1, 100 do
      steps(stepper, 5)
      local q, v = stepper:positions(), stepper:velocities()
      local x = q[1]
      local cosh, sinh = (math.exp(x) + math.exp(-x)) / 2, (math.exp(x) - math.exp(-x)) / 2
      check.close(q[2], cosh - 1, 4e-16)
      check.close(v[2], sinh * v[1], 4e-15)
      check.close((v[1] * cosh) ^ 2, 2 * g * (top - cosh), 4e-14)
    end
  end
end

-- ---- the double four-bar ----------------------------------------------------------------------------

local function energy_of_bars(q, v, g)
  local energy = 0
  for k = 0, 24, 6 do
    energy = energy + (v[k + 1] ^ 2 + v[k + 2] ^ 2) / 2 + g * q[k + 2]
      + (v[k + 3] ^ 2 + v[k + 4] ^ 2 + v[k + 5] ^ 2 + v[k + 6] ^ 2) / 48
  end
  return energy
end

-- Bars 1, 3 and 5 turn about the ground with the same angle. Closed form of the energy: with the angle a of
-- bar 1 from the vertical, T = 3 (1/2)(1/3) a'^2 + 2 (1/2) a'^2, V = (3/2 + 2) g cos a.
local function test_double_four_bar()
  for _, g in ipairs { -9.81, 9.81 } do -- swings; falls, through places where all bars lie in one line
    local stepper = started(conserved.double_four_bar(g, 1), 0.01)
    for _ = 1, 100 do
      steps(stepper, 50)
      local q, v = stepper:positions(), stepper:velocities()
      local sin, cos = q[3], q[4] -- of bar 1, whose first director points up
      check.close(sin ^ 2 + cos ^ 2, 1, 1e-14)
      check.close(sin * v[3] + cos * v[4], 0, 1e-13)
      check.close(energy_of_bars(q, v, g), 1.5 + 3.5 * g, 1e-13)
      if g < 0 then -- where the bars lie in one line, rounding moves them apart
        check.close(q[15], -sin, 2e-14)
        check.close(v[27], -v[3], 2e-13)
        check.close(1.5 * (v[3] ^ 2 + v[4] ^ 2) + 3.5 * g * cos, 1.5 + 3.5 * g, 1e-12)
      end
    end
  end
end

-- ---- nodes near a singular configuration ---------------------------------------------------------------

-- The parallelogram in which bar 1 is turned by `angle` from the vertical, clockwise with `rate`.
local function parallelogram(angle, rate)
  local ux, uy = math.sin(angle), math.cos(angle)
  local vx, vy = rate * uy, -rate * ux
  local q, v = {}, {}
  for i, bar in ipairs { { 0, 1 }, { 0.5, 0 }, { 1, -1 }, { 1.5, 0 }, { 2, -1 } } do
    local x, s, k = bar[1], bar[2], 6 * (i - 1)
    local place = s == 0 and { x + ux, uy, 1, 0, 0, 1 }
      or { x + ux / 2, uy / 2, s * ux, s * uy, -s * uy, s * ux }
    local speed = s == 0 and { vx, vy, 0, 0, 0, 0 } or { vx / 2, vy / 2, s * vx, s * vy, -s * vy, s * vx }
    for j = 1, 6 do
      q[k + j], v[k + j] = place[j], speed[j]
    end
  end
  return q, v
end

-- The method is reversible: a motion that starts `distance` from the place where all bars lie in one line
-- leads back there when its velocities are reversed. Closed form: the energy and all constraints, and bars
-- that stay parallel. Newton's method alone ends such steps below 1e-5 rad.
local function test_near_singular(method)
  local away, g = 7, 9.81
  for _, h in ipairs { 0.01, 0.005 } do
    for _, distance in ipairs { 1e-5, -2.3e-6, 1e-6, 4.9e-7, -1e-8, 2.3e-10, -1e-13 } do
      local stepper = conserved.double_four_bar(g, 1):stepper { method, h = h }
      stepper:start(0, parallelogram(math.pi / 2 + distance, distance > 0 and 4.7 or -4.7))
      steps(stepper, away)
      local q, v = stepper:positions(), stepper:velocities()
      for i = 1, 30 do
        v[i] = -v[i]
      end
      stepper:start(0, q, v)
      local first = energy_of_bars(q, v, g)
      for step = 1, 2 * away do
        steps(stepper, 1)
        q, v = stepper:positions(), stepper:velocities()
        if step == away then
          check.close(math.atan(q[3], q[4]) - math.pi / 2, distance, 1e-9)
        end
        local gap, rate = stepper:constraint_errors()
        check.close(gap, 0, 2e-15)
        check.close(rate, 0, 1e-12)
        check.close(energy_of_bars(q, v, g), first, 1e-12)
        for _, k in ipairs { 15, 27 } do
          check.close(q[k], -q[3], 1e-9)
          check.close(q[k + 1], -q[4], 1e-9)
        end
      end
    end
  end
end

-- ---- what it refuses --------------------------------------------------------------------------------

local function bead()
  local s = vida.system { "bead", dimension = 2 }
  return s, s:particle { "p", mass = 1, position = { 1, 1 } }
end

local function refused(text, s)
  check.fails(text, function() s:stepper { "energy-momentum-ggl", h = 0.01 } end)
end

local function test_refusals()
  local s, p = bead()
  s:constraint { "roof", p.y - vida.abs(p.x) }
  refused("needs the discrete derivative of G v, and 'roof' of system 'bead' has none", s)
  s, p = bead()
  s:constraint { "step", p.y - vida.where(vida.less(p.x, 0), p.x, 2 * p.x) }
  refused("'step'", s)
  s, p = bead()
  s:constraint { "lift", p.y - 1 - s.time }
  refused("whose constraints depend on time", s)
  s, p = bead()
  s:nonholonomic { "blade", p.x * p.y.rate - p.y * p.x.rate }
  refused("nonholonomic constraints", s)
  s, p = bead()
  s:lagrangian { "growing", p.x ^ 2 * p.y.rate ^ 2 }
  refused("needs a constant mass matrix", s)
end

test_rods()
test_great_circle()
test_wire()
test_double_four_bar()
test_near_singular("energy-momentum-ggl")
test_near_singular("energy-momentum-projected")
test_refusals()
