-- Laws of impact where contacts are hit at one time: a wave, Newton's and Poisson's law. Expected values
-- are closed forms; none comes from VIDA. The motions begin with the impact.
local check = require "check"
local vida = require "vida"

local laws = { "wave", "newton", "poisson" }

-- The velocities right after an impact at the start.
local function after(s, law, method)
  local stepper = s:stepper { method or "rattle", h = 0.01, impact_law = law }
  stepper:start()
  return stepper:velocities(), stepper
end

local function expect(v, expected, tolerance)
  for i, value in ipairs(expected) do
    check.close(v[i], value, tolerance or 1e-14)
  end
end

-- ---- one contact: all laws agree ------------------------------------------------------------------------
-- A disc of mass 2 and radius 0.5 on a floor: normal impulse (1 + e) m u, tangential at most mu times that,
-- or what stops the slip, a third of the mass times the slip velocity.
for _, mu in ipairs { 0, 0.1, 2 } do
  local m, r, e, u, v0, w0 = 2, 0.5, 0.6, 1.5, 0.7, -3
  local s = vida.system { "disc", dimension = 2 }
  local _, vx = s:coordinate { "x", unit = "m", value = 0, rate = v0 }
  local y, vy = s:coordinate { "y", unit = "m", value = r, rate = -u }
  local _, w = s:coordinate { "angle", unit = "rad", value = 0, rate = w0 }
  s:kinetic(0.5 * m * (vx ^ 2 + vy ^ 2) + 0.25 * m * r ^ 2 * w ^ 2)
  s:contact { "floor", gap = y - r, restitution = e, friction = mu, slip = { vx + r * w } }
  s:observe { "x", vx, unit = "m/s" }
  local slip = v0 + r * w0
  local stops = -slip * m / 3
  local p = math.min(mu * (1 + e) * m * u, math.abs(stops)) * (stops < 0 and -1 or 1)
  for _, law in ipairs(laws) do
    expect((after(s, law)), { v0 + p / m, e * u, w0 + r * p / (0.5 * m * r ^ 2) })
  end
end

-- ---- Newton's cradle, three balls that touch ------------------------------------------------------------
-- D = {{2, -1}, {-1, 2}} for gaps between equal balls, w- = (-1, 0).
local function cradle(e, masses, speeds)
  local s = vida.system { "cradle", dimension = 1 }
  local balls = {}
  for i = 1, #masses do
    balls[i] = s:particle { "ball " .. i, mass = masses[i], position = { 0.125 * i },
      velocity = { speeds[i] } }
  end
  for i = 1, #masses - 1 do
    s:contact { "pair " .. i, gap = balls[i + 1].x - balls[i].x - 0.125, restitution = e[i] }
  end
  return s
end
for _, method in ipairs { "rattle", "energy-momentum", "radau", "post-stabilized" } do
  local elastic = cradle({ 1, 1 }, { 1, 1, 1 }, { 1, 0, 0 })
  expect((after(elastic, "wave", method)), { 0, 0, 1 })
  -- D P = (2, 0); Poisson: D C = (1, 0), and expansion repeats it.
  expect((after(elastic, "newton", method)), { -1 / 3, 2 / 3, 2 / 3 })
  expect((after(elastic, "poisson", method)), { -1 / 3, 2 / 3, 2 / 3 })
end
-- Newton's law does not know the restitution of a contact that does not approach; Poisson's does: after
-- C = (2/3, 1/3) the second one expands with 1/3, to which the first one answers with 1/6.
local soft = cradle({ 0, 1 }, { 1, 1, 1 }, { 1, 0, 0 })
expect((after(soft, "wave")), { 1 / 4, 1 / 4, 1 / 2 })
expect((after(soft, "newton")), { 1 / 3, 1 / 3, 1 / 3 })
expect((after(soft, "poisson")), { 1 / 6, 1 / 6, 2 / 3 })
-- Restitution 0 of the last pair: it does not matter with Newton's law, and the balls stay together.
local _, stepper = after(cradle({ 1, 0 }, { 1, 1, 1 }, { 1, 0, 0 }), "newton")
assert(stepper:step(10))
expect(stepper:velocities(), { -1 / 3, 2 / 3, 2 / 3 })

-- Any masses: momentum is kept by every law, energy by e = 1; Newton's law gives w+ >= -e w-.
local masses, speeds = { 3, 0.5, 7, 0.01, 2, 11 }, { 2, 1, 1, -1, -2, -2.5 }
for _, law in ipairs(laws) do
  for _, e in ipairs { 0, 0.4, 1 } do
    local v = after(cradle({ e, e, e, e, e }, masses, speeds), law)
    local momentum, energy, size = 0, 0, 0
    for i, m in ipairs(masses) do
      momentum = momentum + m * (v[i] - speeds[i])
      energy = energy + 0.5 * m * (v[i] ^ 2 - speeds[i] ^ 2)
      size = size + 0.5 * m * speeds[i] ^ 2
    end
    check.close(momentum, 0, 1e-13)
    assert(energy <= 1e-11 * size, energy)
    if e == 1 then
      check.close(energy, 0, 1e-11 * size)
    end
    for i = 1, #masses - 1 do
      local before, now = speeds[i + 1] - speeds[i], v[i + 1] - v[i]
      assert(now >= -1e-11, ("%s %g %d: %g"):format(law, e, i, now))
      assert(law ~= "newton" or now >= -e * before - 1e-11, now)
    end
  end
end

-- ---- a block that lands on both edges ---------------------------------------------------------------------
-- Rates of the gaps are v -+ b w; D = {{a, c}, {c, a}}, a = 1 / m + b^2 / I, c = 1 / m - b^2 / I.
local function block(given)
  local b, h = given.b, given.h
  local s = vida.system { "block", dimension = 2 }
  local x, vx = s:coordinate { "x", unit = "m", value = 0, rate = given.vx or 0 }
  local y, vy = s:coordinate { "y", unit = "m", value = h, rate = given.vy }
  local angle, w = s:coordinate { "angle", unit = "rad", value = 0, rate = given.w or 0 }
  s:kinetic(0.5 * given.m * (vx ^ 2 + vy ^ 2) + 0.5 * given.inertia * w ^ 2)
  s:observe { "x", x, unit = "m" }
  local c, n = vida.cos(angle), vida.sin(angle)
  for i, side in ipairs { -b, b } do
    s:contact { i == 1 and "left" or "right", gap = y + n * side - c * h, restitution = given.e[i],
      friction = given.mu, slip = given.mu and { vx - w * (n * side - c * h) } }
  end
  return s
end
-- Restitution 0 on the left and 1 on the right, m = 1, b = 1, I = 2: Newton D P = (1, 2); Poisson
-- C = (1, 1) / (a + c), and the right one expands alone.
local flat = { m = 1, b = 1, h = 0.5, inertia = 2, vy = -1, e = { 0, 1 } }
expect((after(block(flat), "newton")), { 0, 0.5, 0.5 })
expect((after(block(flat), "poisson")), { 0, 0.5, 0.25 })
-- It rocks about its left edge until the right one lands, and friction holds both: about its new edge the
-- angular momentum stays, so that the rate becomes w (1 - 3/2 sin(alpha)^2), tan(alpha) = b / h, or 0
-- where both edges stay.
for _, alpha in ipairs { 0.1, 0.5, 1.2 } do
  local b, h, w = math.sin(alpha), math.cos(alpha), -0.7
  local rate = w * math.max(0, 1 - 1.5 * math.sin(alpha) ^ 2)
  for _, law in ipairs { "newton", "poisson" } do
    local v = after(block { m = 3, b = b, h = h, inertia = 3 / 3, vx = -h * w, vy = b * w, w = w,
      mu = 100, e = { 0, 0 } }, law)
    expect(v, { -h * rate, rate == 0 and 0 or -b * rate, rate }, 1e-13)
  end
end

-- ---- contacts whose gap rates depend on each other ------------------------------------------------------
-- They fall from a height of 1 with g = 8 and land at t = 0.5 with the speed 4. A contact that receives no
-- impulse, as the others have turned its rate, leaves with them. Positions and velocities at t:
local function falls(dimension, law, t, build)
  local s = vida.system { "falls", dimension = dimension }
  s:gravity(dimension == 2 and { 0, -8 } or { 0, 0, -8 })
  build(s)
  local lands = s:stepper { "rattle", h = 0.01, impact_law = law }
  lands:start()
  assert(lands:step(math.floor(t / 0.01 + 0.5)))
  return lands:positions(), lands:velocities(), lands:energy()
end
-- Rates turn to e times those before: the height is 4 e x - 4 x^2, with x = t - 0.5.
local function expect_flat(q, v, e)
  expect({ q[1], q[2], v[1], v[2] }, { 0, 4 * e * 0.3 - 0.36, 0, 4 * e - 2.4 }, 1e-12)
end
local gaps = { -- of a particle: the same gap twice, a multiple, a corner of three planes, beside a guide
  { function(b) return b.y end, function(b) return b.y end },
  { function(b) return b.y end, function(b) return 2 * b.y end },
  { function(b) return b.y end, function(b) return b.y - 0.5 * b.x end,
    function(b) return b.y + 0.5 * b.x end },
  { function(b) return b.y end, function(b) return b.y + b.x end, is_guided = true },
}
for _, law in ipairs(laws) do
  for _, e in ipairs { 0.5, 1 } do
    for _, case in ipairs(gaps) do
      local q, v = falls(2, law, 0.8, function(s)
        local b = s:particle { "b", mass = 1, position = { 0, 1 } }
        if case.is_guided then
          s:constraint { "guide", b.x, unit = "m" }
        end
        for i, gap in ipairs(case) do
          s:contact { "floor " .. i, gap = gap(b), restitution = e }
        end
      end)
      expect_flat(q, v, e)
    end
  end
end
-- A rod with three feet, which are hit at one time with equal rates: all laws hit them together, and a
-- wave does, too, which hits the fastest one first. It stays flat, with e times its speed.
local function rod_with_feet(e, shift)
  return function(s)
    local b = s:body { "rod", mass = 1, inertia = 1 / 3, position = { 0, 1 } }
    for i = -1, 1 do
      s:contact { "foot " .. i, gap = b:point { i + shift, 0 }.position[2], restitution = e }
    end
  end
end
for _, law in ipairs(laws) do
  for _, e in ipairs { 0.5, 1 } do
    for _, shift in ipairs { 0, 0.2 } do
      local q, v = falls(2, law, 0.8, rod_with_feet(e, shift))
      expect_flat(q, v, e)
      check.close(v[3], 0, 1e-12)
    end
  end
end
-- One that turns as it falls hits its faster end first, alone. D of the ends: {{4, -2}, {-2, 4}}; with e = 1
-- and w- = (-5, -3) a wave has P = 10 / 4 on the left, w = (5, -8), then P = 4 on the right, w = (-3, 8), and
-- P = 3 / 2 on the left again: w = (3, 5). D is 1 / m + x x' / I.
do
  local s = vida.system { "rod", dimension = 1 }
  local y, vy = s:coordinate { "y", value = 0, rate = -4 }
  local angle, w = s:coordinate { "angle", value = 0, rate = 1 }
  s:kinetic(0.5 * vy ^ 2 + 0.5 / 3 * w ^ 2)
  s:contact { "left", gap = y - angle, restitution = 1 }
  s:contact { "right", gap = y + angle, restitution = 1 }
  expect((after(s, "wave")), { 4, 1 })
end
-- Tables with feet in a square, a triangle, and beside their centre: after a fall from a height of 1 each has
-- e^2 of its energy, and stays flat in all later impacts.
local shapes = {
  { { -1, -1 }, { -1, 1 }, { 1, -1 }, { 1, 1 } },
  { { 1, 0 }, { -0.5, math.sqrt(0.75) }, { -0.5, -math.sqrt(0.75) } },
  { { 0.4, 0 }, { -0.2, 0.3 }, { -0.2, -0.3 } },
  { { -0.8, -1 }, { -0.8, 1 }, { 1.2, -1 }, { 1.2, 1 } },
}
for _, law in ipairs(laws) do
  for _, feet in ipairs(shapes) do
    for _, e in ipairs { 1, 0.5 } do
      for _, t in ipairs { 0.55, 1 } do
        local _, v, energy = falls(3, law, t, function(s)
          local b = s:body { "top", mass = 1, inertia = { 1, 1.5, 2 }, position = { 0, 0, 1 } }
          for i, foot in ipairs(feet) do
            s:plane_contact { "foot " .. i, b:point { foot[1], foot[2], 0 }, radius = 0, restitution = e }
          end
        end)
        if t < 0.6 or e == 1 then
          check.close(energy, 8 * e ^ 2, 1e-11)
        end
        for k = 4, 7 do
          check.close(v[k], 0, 1e-12)
        end
        if t < 0.6 then
          check.close(v[3], 4 * e - 0.4, 1e-12)
        end
      end
    end
  end
end
-- A box that is turned by no more than rounding lands on both feet at one time: it keeps e^2 of its energy,
-- 0.5 m (1 + 2 g 0.6) e^2 above the floor, and does not turn.
for _, law in ipairs(laws) do
  for _, angle in ipairs { 1e-15, -1e-14, 1e-13, -1e-12 } do
    for _, friction in ipairs { 0, 0.3 } do
      local m, e, g = 2, 0.5, 9.81
      local s = vida.system { "box", dimension = 2 }
      s:gravity { 0, -g }
      local b = s:body { "b", mass = m, inertia = 0.2, position = { 0, 1 }, angle = angle,
        velocity = { 0, -1 } }
      for i = -1, 1, 2 do
        local foot = b:point { 0.5 * i, -0.4 }
        s:contact { "foot " .. i, gap = foot.position[2], restitution = e, friction = friction,
          slip = friction > 0 and { foot.velocity[1] } or nil }
      end
      local lands = s:stepper { "radau", h = 0.01, impact_law = law }
      lands:start()
      assert(lands:step(30))
      check.close(lands:energy(), m * g * 0.4 + 0.5 * m * (1 + 2 * g * 0.6) * e ^ 2, 1e-9)
      check.close(lands:velocities()[1], 0, 1e-9)
      check.close(lands:velocities()[3], 0, 1e-9)
    end
  end
end
-- A ball between two others that hit it from both sides at equal speeds: it stays, and they return with e
-- times their speed.
for _, law in ipairs(laws) do
  for _, e in ipairs { 1, 0.5 } do
    expect((after(cradle({ e, e }, { 1, 3, 1 }, { 2, 0, -2 }), law)), { -2 * e, 0, 2 * e })
  end
end

-- ---- restitution and friction that would bring energy
-- A rod of length 2 that falls at 45 degrees and slides: in the rates (normal, slip) of its end,
-- D = {{2.5, 1.5}, {1.5, 2.5}}, w- = (-1, s), s = -0.5. With e = 1 and an end that sticks, Newton's law
-- would need P = (4.25, -1.75) / 4, which brings P_T s / 2; Poisson's takes (7, -2.6) / 8.
local function rod(height)
  local s = vida.system { "rod", dimension = 2 }
  local x, vx = s:coordinate { "x", unit = "m", value = 0, rate = -0.5 }
  local reach = math.cos(math.rad(45))
  local y, vy = s:coordinate { "y", unit = "m", value = reach + height, rate = -1 }
  local angle, w = s:coordinate { "angle", unit = "rad", value = math.rad(45) }
  s:kinetic(0.5 * (vx ^ 2 + vy ^ 2) + w ^ 2 / 6)
  s:observe { "x", x, unit = "m" }
  s:contact { "end", gap = y - vida.cos(angle), restitution = 1, friction = 1,
    slip = { vx + w * vida.cos(angle) } }
  return s
end
for _, law in ipairs { "wave", "newton" } do
  local lands = rod(0):stepper { "rattle", h = 0.01, impact_law = law }
  check.fails("the impact of 'end' at t = 0 would bring an energy of 0.1094 J", lands.start, lands)
  local row = vida.compare { system = rod(0.25), time = 1,
    methods = { { "rattle", h = 0.01, impact_law = law } } }:run { quiet = true }[1]
  assert(row.status == "ENERGY_GAINED" and row.message:find("impact_law = poisson", 1, true), row.message)
  check.close(row.t_end, 0.24, 0.0101)
end
local half = math.sqrt(0.5)
expect((after(rod(0), "poisson")),
  { -0.5 - 2.6 / 8, -1 + 7 / 8, 3 * half * (7 / 8 - 2.6 / 8) }, 1e-13)

-- ---- comparisons: an automatic reference has the law of the runs -----------------------------------
do
  local s = cradle({ 1, 1 }, { 1, 1, 1 }, { 1, 0, 0 })
  for _, law in ipairs(laws) do
    local row = vida.compare { system = s, time = 1, methods = { { "rattle", h = 0.1, impact_law = law } },
      reference = "auto" }:run { quiet = true }[1]
    assert(row.status == "ok", row.message)
    check.close(row.position_error, 0, 1e-9)
  end
end

-- ---- mistakes ---------------------------------------------------------------------------------------
check.fails("impact_law: expected one of wave|newton|poisson", after, soft, "newtons")
check.fails("impact_law", function() soft:stepper { "moreau-jean", h = 0.1, impact_law = "newton" } end)

-- ---- time stepping goes on where an impact brings energy, and says how much ------------------------
-- The rod above lands with the same rates on an end that sticks. Newton's law needs P = D^-1 (2, 0.5), so P_T
-- stops the slip, and P . (w- + w+) / 2 is P_T s / 2 = 7/64. Without friction nothing rises.
local function gain(s, method, h)
  local result = vida.compare { system = s, time = 0.5, methods = { { method, h = h } } }:run { quiet = true }
  local row = result[1]
  assert(row.status == "ok", row.message)
  for _, remark in ipairs(row.remarks) do
    if remark.code == "IMPACT_GAIN" then
      return remark
    end
  end
end
for _, method in ipairs { "moreau-jean", "spook" } do
  local found = gain(rod(0.25), method, 1e-4)
  assert(found and found.severity == "warning", method)
  check.close(found.a, 7 / 64, 1e-2)
  check.close(found.t, 0.25, 2e-3)
  assert(not gain(cradle({ 1, 1 }, { 1, 1, 1 }, { 1, 0, 0 }), method, 1e-2), method)
  assert(not gain(cradle({ 0.5, 0.5 }, { 1, 3, 1 }, { 2, 0, -2 }), method, 1e-2), method)
end
