-- Contacts by events: impacts, rest, release, sticking and sliding. Expected values are closed forms;
-- none comes from VIDA.
local check = require "check"
local vida = require "vida"

local g = 9.81

local run, times_of = check.run, check.times_of

-- ---- a ball on a floor: impacts at t0 (1 + 2 (e + ... + e^k)), rest at t0 (1 + e) / (1 - e) ------------
local function ball(e, height)
  local s = vida.system { "ball", dimension = 2 }
  s:gravity { 0, -g }
  local b = s:particle { "ball", mass = 2, position = { 0, height }, velocity = { 0.3, 0 } }
  s:contact { "floor", gap = b.y, restitution = e }
  return s
end
local fixed = { "rattle", "del-midpoint", "energy-momentum", "radau", "symmetric-multistep" }
for _, method in ipairs(fixed) do
  local e, height = 0.9, 1
  local fall = math.sqrt(2 * height / g)
  local stepper = run(ball(e, height), { method, h = 0.01 }, 10)
  local times = times_of(stepper, "impact")
  local sum = 0
  assert(#times > 200, #times)
  for k, t in ipairs(times) do
    check.close(t, fall * (1 + 2 * sum), 1e-12 * fall * (1 + 2 * sum))
    sum = sum + e ^ k
  end
  local rest = times_of(stepper, "rest")
  assert(#rest == 1)
  check.close(rest[1], fall * (1 + e) / (1 - e), 1e-6)
  check.close(stepper:positions()[1], 3, 1e-12)
  check.close(stepper:positions()[2], 0, 1e-15)
end
for _, method in ipairs { "ida-ggl", "cvode-projected", "post-stabilized", "half-explicit" } do
  local fall = math.sqrt(2 / g)
  local stepper = run(ball(0.5, 1), { method, h = 0.05, rtol = 1e-9 }, 3)
  check.close(times_of(stepper, "impact")[3], fall * (1 + 2 * (0.5 + 0.25)), 1e-5)
  check.close(times_of(stepper, "rest")[1], fall * 3, 1e-4)
  check.close(stepper:positions()[1], 0.9, 1e-6)
end

-- ---- a block on an incline: it sticks for tan(alpha) <= mu, or slides with g (sin alpha - mu cos alpha) --
local function incline(mu, alpha, speed)
  local s = vida.system { "incline", dimension = 2 }
  s:gravity { g * math.sin(alpha), -g * math.cos(alpha) }
  local b = s:particle { "block", mass = 2, position = { 0, 0 }, velocity = { speed, 0 } }
  s:contact { "plane", gap = b.y, restitution = 0, friction = mu, slip = { b.vx } }
  return s
end
for _, method in ipairs { "rattle", "del-midpoint", "radau", "post-stabilized" } do
  local alpha = math.rad(25)
  local critical = math.tan(alpha)
  check.close(run(incline(critical * (1 + 1e-9), alpha, 0), { method, h = 0.01 }, 1):positions()[1], 0, 1e-15)
  local slow = run(incline(critical * 0.999, alpha, 0), { method, h = 0.01 }, 1):positions()[1]
  check.close(slow, 0.5 * g * math.sin(alpha) * 0.001, 1e-9)
  -- Thrown upwards it stops after v^2 / (2 g (sin alpha + mu cos alpha)), and stays or slides back.
  local mu = 0.6
  local deceleration = g * (math.sin(alpha) + mu * math.cos(alpha))
  local stays = run(incline(mu, alpha, -2), { method, h = 0.01 }, 1)
  check.close(stays:positions()[1], -4 / (2 * deceleration), 1e-9)
  check.close(times_of(stays, "stick")[1], 2 / deceleration, 1e-9)
  mu = 0.2
  deceleration = g * (math.sin(alpha) + mu * math.cos(alpha))
  local left = 1 - 2 / deceleration
  check.close(run(incline(mu, alpha, -2), { method, h = 0.01 }, 1):positions()[1],
    -4 / (2 * deceleration) + 0.5 * g * (math.sin(alpha) - mu * math.cos(alpha)) * left ^ 2, 1e-9)
end

-- ---- a sphere without spin: it slides, and rolls from 2 v / (7 mu g) on with 5 v / 7 -----------------
for _, method in ipairs { "rattle", "del-midpoint", "radau" } do
  local s = vida.system { "sphere", dimension = 2 }
  local m, r, mu, v = 3, 0.1, 0.2, 3
  local x, vx = s:coordinate { "x", unit = "m", value = 0, rate = v }
  local y, vy = s:coordinate { "y", unit = "m", value = r }
  local _, w = s:coordinate { "angle", unit = "rad", value = 0 }
  s:kinetic(0.5 * m * (vx ^ 2 + vy ^ 2) + 0.2 * m * r ^ 2 * w ^ 2)
  s:potential(m * g * y)
  s:observe { "place", x, unit = "m" }
  s:contact { "floor", gap = y - r, restitution = 0, friction = mu, slip = { vx + r * w } }
  local stepper = run(s, { method, h = 0.01 }, 2)
  local rolls = 2 * v / (7 * mu * g)
  check.close(times_of(stepper, "stick")[1], rolls, 1e-9)
  check.close(stepper:velocities()[1], 5 * v / 7, 1e-9)
  check.close(stepper:velocities()[3], -5 * v / (7 * r), 1e-8)
  check.close(stepper:positions()[1], v * rolls - 0.5 * mu * g * rolls ^ 2 + 5 / 7 * v * (2 - rolls), 1e-9)
end

-- ---- Newton's cradle: an exact exchange of velocities -------------------------------------------------
for _, method in ipairs { "rattle", "del-midpoint", "energy-momentum", "radau" } do
  local s = vida.system { "cradle", dimension = 1 }
  local balls = {}
  for i = 1, 5 do
    balls[i] = s:particle { "ball " .. i, mass = 1, position = { i == 1 and -0.5 or 0.1 * i },
      velocity = { i == 1 and 1 or 0 } }
  end
  for i = 1, 4 do
    s:contact { "pair " .. i, gap = balls[i + 1].x - balls[i].x - 0.1, restitution = 1 }
  end
  local v = run(s, { method, h = 0.1 }, 2):velocities()
  for i = 1, 5 do
    check.close(v[i], i == 5 and 1 or 0, 1e-15)
  end
end

-- ---- two discs, oblique: the normal velocity times -e, a tangential impulse of at most mu times the
-- normal one
for _, mu in ipairs { 0.05, 5 } do
  local e, m, r = 0.7, { 1, 2 }, 0.5
  local s = vida.system { "discs", dimension = 2 }
  local discs = {}
  for i = 1, 2 do
    local x, vx = s:coordinate { "x" .. i, unit = "m", value = 1.5 * (i - 1), rate = 2 * (2 - i) }
    local y, vy = s:coordinate { "y" .. i, unit = "m", value = 0, rate = 0.7 }
    local _, w = s:coordinate { "angle" .. i, unit = "rad", value = 0, rate = 3 * (2 - i) }
    s:kinetic(0.5 * m[i] * (vx ^ 2 + vy ^ 2) + 0.25 * m[i] * r ^ 2 * w ^ 2)
    discs[i] = { x = x, y = y, vx = vx, vy = vy, w = w }
  end
  local a, b = discs[1], discs[2]
  local dx, dy = b.x - a.x, b.y - a.y
  local distance = vida.sqrt(dx ^ 2 + dy ^ 2)
  local tx, ty = -dy / distance, dx / distance
  s:contact { "discs", gap = distance - 2 * r, restitution = e, friction = mu,
    slip = { tx * (b.vx - a.vx) + ty * (b.vy - a.vy) - r * (a.w + b.w) } }
  local v = run(s, { "rattle", h = 0.05 }, 1):velocities()
  -- The discs meet with their centres on the x axis, since both have the same vy.
  local reduced = 1 / (1 / m[1] + 1 / m[2])
  local normal = (1 + e) * reduced * 2
  local slip = 0 - r * 3
  local stops = -slip / ((1 / m[1] + 1 / m[2]) * (1 + 2)) -- 1 / m + r^2 / (m r^2 / 2) for both
  local tangential = math.min(mu * normal, math.abs(stops)) * (stops < 0 and -1 or 1)
  check.close(v[1], 2 - normal / m[1], 1e-13)
  check.close(v[4], normal / m[2], 1e-13)
  check.close(v[2], 0.7 - tangential / m[1], 1e-13)
  check.close(v[5], 0.7 + tangential / m[2], 1e-13)
  check.close(v[3], 3 - r * tangential / (m[1] * r ^ 2 / 2), 1e-12)
  check.close(v[6], -r * tangential / (m[2] * r ^ 2 / 2), 1e-12)
end

-- ---- a ladder leaves the wall where its top has fallen to 2/3 of its height --------------------------
-- 4 m, from rest at 60 degrees: the time is the integral of d(angle) / rate, with
-- rate^2 = 3 g (sin a - sin x) / 4.
for _, case in ipairs { { "rattle", 1e-3, 2e-6 }, { "del-midpoint", 1e-3, 2e-6 },
  { "energy-momentum", 1e-3, 2e-6 },
  { "radau", 1e-2, 1e-9 }, { "ida-ggl", 1e-2, 1e-5, 1e-9 }, { "post-stabilized", 1e-2, 1e-7, 1e-10 } } do
  local length, angle = 4, math.rad(60)
  local s = vida.system { "ladder", dimension = 2 }
  local x, vx = s:coordinate { "x", unit = "m", value = 0.5 * length * math.cos(angle) }
  local y, vy = s:coordinate { "y", unit = "m", value = 0.5 * length * math.sin(angle) }
  local a, w = s:coordinate { "angle", unit = "rad", value = angle }
  s:kinetic(0.5 * (vx ^ 2 + vy ^ 2) + length ^ 2 / 24 * w ^ 2)
  s:potential(g * y)
  s:contact { "floor", gap = y - 0.5 * length * vida.sin(a), restitution = 0 }
  s:contact { "wall", gap = x - 0.5 * length * vida.cos(a), restitution = 0 }
  local fallen = y + 0.5 * length * vida.sin(a) - 2 / 3 * length * math.sin(angle)
  s:event { "two thirds", fallen, direction = "falling" }
  local stepper = run(s, { case[1], h = case[2], rtol = case[4] }, 0.8)
  local release = times_of(stepper, "release", "wall")
  assert(#release == 1)
  check.close(release[1], 0.650061, 6e-7 + case[3])
  check.close(times_of(stepper, "zero")[1], release[1], 10 * case[3])
  assert(#times_of(stepper, "release", "floor") == 0)
end

-- ---- a rocking block: an impact multiplies its rate by 1 - 3/2 sin(a)^2 (Housner 1963), exactly -----------
do
  local half, slender = 1, 0.1
  local b, h = half * math.sin(slender), half * math.cos(slender)
  local tilt = 1e-3
  local s = vida.system { "block", dimension = 2 }
  local _, vx = s:coordinate { "x", unit = "m", value = -b + b * math.cos(tilt) - h * math.sin(tilt) }
  local y, vy = s:coordinate { "y", unit = "m", value = b * math.sin(tilt) + h * math.cos(tilt) }
  local angle, w = s:coordinate { "angle", unit = "rad", value = tilt }
  s:kinetic(0.5 * (vx ^ 2 + vy ^ 2) + half ^ 2 / 6 * w ^ 2)
  s:potential(g * y)
  local c, n = vida.cos(angle), vida.sin(angle)
  for name, side in pairs { left = -b, right = b } do
    s:contact { name, gap = y + n * side - c * h, restitution = 0, friction = 10,
      slip = { vx - w * (n * side - c * h) } }
  end
  s:observe { "rate", w, unit = "rad/s" }
  for _, method in ipairs { "radau", "post-stabilized" } do
    local h_step = 1e-4
    local stepper = s:stepper { method, h = h_step }
    stepper:start()
    local before, after
    for _ = 1, 1000 do
      local rate = stepper:velocities()[3]
      assert(stepper:step())
      if #times_of(stepper, "impact") > 0 then
        before, after = rate, stepper:velocities()[3]
        break
      end
    end
    local p = math.sqrt(3 * g / (4 * half))
    local ratio = 1 / (1 - tilt / slender)
    -- From theta_0 to 0 in a quarter of the period; linear in the angles. The acceleration is smaller than
    -- that by at most a^2 / 6 of it, so the time is longer by a^2 / 12 of it.
    local quarter = math.log(ratio + math.sqrt(ratio ^ 2 - 1)) / p
    check.close(times_of(stepper, "impact")[1], quarter * (1 + slender ^ 2 / 24), quarter * slender ^ 2 / 20)
    -- Within the step of the impact the rate, which is w there by the energy, also changes by at most
    -- p^2 sin(a) h: 0.002 of it. The law of impact makes 0.015 of it.
    local at_impact = p * math.sqrt(2 * (math.cos(slender - tilt) - math.cos(slender)))
    local within = p ^ 2 * math.sin(slender) * h_step / at_impact
    assert(within < 0.0021)
    check.close(after / before, 1 - 1.5 * math.sin(slender) ^ 2, 1.01 * within)
  end
end

-- ---- a pendulum with an elastic stop keeps its energy: energy-momentum methods exactly -------------------
local function stopped(e)
  local s = vida.system { "pendulum", dimension = 2 }
  s:gravity { 0, -g }
  local bob = s:particle { "bob", mass = 1, position = { 0.8, -0.6 } }
  s:distance { "rod", s.ground, bob, length = 1 }
  s:contact { "stop", gap = bob.x + 0.3, restitution = e }
  return s
end
for method, bound in pairs { ["energy-momentum"] = 1e-12, ["energy-momentum-ggl"] = 1e-12, rattle = 5e-3,
  ["del-midpoint"] = 5e-3, radau = 1e-7 } do
  local s = stopped(1)
  local stepper = s:stepper { method, h = 0.01 }
  stepper:start()
  local first = stepper:energy()
  for _ = 1, 20 do
    assert(stepper:step(100))
    check.close(stepper:energy(), first, bound)
    check.close((stepper:constraint_errors()), 0, 1e-12)
  end
  assert(#times_of(stepper, "impact") > 10)
end

-- ---- an elastic billiard of three discs: energy to rounding ----------------------------------------------
for _, method in ipairs { "rattle", "del-midpoint", "energy-momentum" } do
  local s = vida.system { "billiard", dimension = 2 }
  local r, side = 0.1, 1
  local starts = { { 0.2, 0.3, 0.9, 0.35 }, { 0.7, 0.35, -0.3, 0.71 }, { 0.45, 0.75, 0.2, -0.55 } }
  local discs = {}
  for i, at in ipairs(starts) do
    local p = s:particle { "disc " .. i, mass = i, position = { at[1], at[2] }, velocity = { at[3], at[4] } }
    s:contact { "left " .. i, gap = p.x - r, restitution = 1 }
    s:contact { "right " .. i, gap = side - r - p.x, restitution = 1 }
    s:contact { "low " .. i, gap = p.y - r, restitution = 1 }
    s:contact { "high " .. i, gap = side - r - p.y, restitution = 1 }
    for j = 1, i - 1 do
      local d = vida.sqrt((p.x - discs[j].x) ^ 2 + (p.y - discs[j].y) ^ 2)
      s:contact { "pair " .. j .. i, gap = d - 2 * r, restitution = 1 }
    end
    discs[i] = p
  end
  local stepper = s:stepper { method, h = 0.25 }
  stepper:start()
  local energy = stepper:energy()
  assert(stepper:step(400))
  local _, count = stepper:events()
  assert(count > 500, count)
  check.close(stepper:energy() / energy, 1, 1e-13)
end

-- ---- mistakes ---------------------------------------------------------------------------------------------
do
  local s = vida.system { "ball", dimension = 2 }
  local b = s:particle { "ball", mass = 1, position = { 0, -0.1 } }
  s:contact { "floor", gap = b.y, restitution = 0.5 }
  local stepper = s:stepper { "rattle", h = 0.01 }
  check.fails("contact 'floor' begins with a negative gap", stepper.start, stepper)
end

-- ---- ropes and stops ------------------------------------------------------------------------------------
do
  local s = vida.system { "rope", dimension = 2 }
  s:gravity { 0, -g }
  local bob = s:particle { "bob", mass = 1, position = { 0.3, 0 } }
  s:rope { "rope", { 0, 0 }, bob, length = 1 }
  local stepper = run(s, { "rattle", h = 0.01 }, 2)
  local taut = math.sqrt(2 * math.sqrt(1 - 0.09) / g)
  check.close(times_of(stepper, "rest", "rope")[1], taut, 1e-12)
  local q = stepper:positions()
  check.close(q[1] ^ 2 + q[2] ^ 2, 1, 1e-12)
  check.fails("length: expected a positive number", s.rope, s, { "short", { 0, 0 }, bob, length = 0 })

  local line = vida.system { "carriage", dimension = 1 }
  local p = line:particle { "p", mass = 2, position = { 0 }, velocity = { 1 } }
  check.fails("expected a limit", line.stop, line, { "b", p.x })
  check.fails("least: expected a number below most", line.stop, line, { "b", p.x, least = 1, most = 0 })
  check.fails("restitution", line.stop, line, { "b", p.x, least = 1, restitution = 2 })
  line:stop { "bumpers", p.x, least = -1, most = 1, restitution = 0.5 }
  -- 1 s to the first bumper, 4 s to the second one at half the speed, 8 s back.
  local bumps = times_of(run(line, { "del-midpoint", h = 0.03 }, 15), "impact")
  check.close(bumps[1], 1, 1e-13)
  check.close(bumps[2], 5, 1e-12)
  check.close(bumps[3], 13, 1e-12)
end

-- ---- couplings ------------------------------------------------------------------------------------------
-- Two flywheels: I1 w1 + I2 w2 is kept when the clutch engages, and both have one rate until it is
-- released.
-- A string breaks where 3 m g sin(angle) reaches its strength; the bob leaves with sqrt(2 g sin(angle)).
for _, case in ipairs { { "rattle", 0.01, 3e-3 }, { "del-midpoint", 0.01, 3e-3 },
  { "energy-momentum", 0.01, 3e-3 },
  { "radau", 0.01, 1e-8 }, { "ida-ggl", 0.01, 1e-6, 1e-9 }, { "post-stabilized", 0.05, 1e-6, 1e-9 } } do
  local options = { case[1], h = case[2], rtol = case[4] }
  local s = vida.system { "clutch", dimension = 2 }
  local a, wa = s:coordinate { "a", unit = "rad", value = 0, rate = 10 }
  local b, wb = s:coordinate { "b", unit = "rad", value = 0 }
  s:kinetic(wa ^ 2 + 1.5 * wb ^ 2)
  s:coupling { "clutch", a - b, unit = "rad" }
  s:event { "close", s.time - 1, engage = "clutch" }
  s:event { "open", s.time - 2, release = { "clutch" } }
  s:event { "kick", s.time - 2.5, set = { { wb, 7 } } }
  local stepper = run(s, options, 3)
  local q, v = stepper:positions(), stepper:velocities()
  check.close(q[1], 10 + 4 * 2, 1e-12)
  check.close(q[2], 4 * 1.5 + 7 * 0.5, 1e-12)
  check.close(v[1], 4, 1e-13)
  check.close(v[2], 7, 1e-13)
  check.close(times_of(stepper, "engage")[1], 1, 1e-13)
  check.close(times_of(stepper, "break")[1], 2, 1e-13)

  local pendulum = vida.system { "pendulum", dimension = 2 }
  pendulum:gravity { 0, -g }
  local bob = pendulum:particle { "bob", mass = 2, position = { 1, 0 } }
  pendulum:coupling { "string", vida.norm(bob.position) - 1, unit = "m", engaged = true,
    strength = 3 * 2 * g * math.sin(1) }
  stepper = run(pendulum, options, 1)
  local speed = math.sqrt(2 * g * math.sin(1))
  check.close(stepper:velocities()[1], -speed * math.sin(1), case[3])
  -- From there on it flies freely.
  local flight = 1 - times_of(stepper, "break")[1]
  check.close(stepper:velocities()[2], -speed * math.cos(1) - g * flight, case[3])
end
do
  local s = vida.system { "hook", dimension = 1 }
  local p = s:particle { "p", mass = 1, position = { 0 }, velocity = { 1 } }
  check.fails("strength: expected a positive number", s.coupling, s, { "c", p.x, strength = -1 })
  check.fails("there is no coupling 'c'", s.event, s, { "e", p.x, engage = "c" })
  s:contact { "wall", gap = 5 - p.x }
  check.fails("event 'e': there is no coupling 'wall', only a contact of that name", s.event, s,
    { "e", p.x, engage = "wall" })
  s:coupling { "c", p.x, unit = "m", engaged = true }
  check.fails("event 'e' switches coupling 'c' twice", s.event, s, { "e", p.x, engage = { "c", "c" } })
  check.fails("event 'e' switches coupling 'c' twice", s.event, s, { "e", p.x, engage = "c", release = "c" })
  s:event { "e", p.x - 1, release = "c" } -- the failures have left nothing
  local stepper = s:stepper { "rattle", h = 0.01 }
  check.fails("coupling 'c' is engaged at the start, but its function has the rate 1", stepper.start, stepper)
  check.fails("does not accept coupling 'c'", s.stepper, s, { "moreau-jean", h = 0.01 })
end

-- ---- an impact at the start, and a start after a failed one ------------------------------------------
for _, method in ipairs { "rattle", "radau" } do
  local s = vida.system { "ball", dimension = 1 }
  s:gravity { -g }
  local b = s:particle { "ball", mass = 1, position = { 0 }, velocity = { -1 } }
  s:contact { "floor", gap = b.x, restitution = 0.8 }
  local stepper = s:stepper { method, h = 0.01 }
  stepper:start()
  check.close(stepper:velocities()[1], 0.8, 1e-15)
  assert(stepper:step(10))
  check.close(stepper:positions()[1], 0.8 * 0.1 - 0.5 * g * 0.01, 1e-14)
  check.fails("contact 'floor' begins with a negative gap", stepper.start, stepper, 0, { -1 }, { 0 })
  check.fails("has not been started", stepper.step, stepper)
  stepper:start(0, { 1 }, { 0 })
  assert(stepper:step(10))
  check.close(stepper:positions()[1], 1 - 0.5 * g * 0.01, 1e-14)
  assert(stepper:statistics().steps == 10 or method == "radau")
end

-- ---- more modes than asked memory for: time, names, what to try; rows are kept ------------------------
do
  local row = vida.compare { system = ball(0.5, 1), time = 3,
    methods = { { "rattle", h = 0.01, max_modes = 1 } } }:run { quiet = true }[1]
  local rest = 3 * math.sqrt(2 / g)
  assert(row.status == "TOO_MANY_MODES", row.status)
  check.close(row.t_end, rest, 0.01)
  assert(row.message:find(("at t = %.6g"):format(rest):sub(1, 10), 1, true), row.message)
  assert(row.message:find("max_modes = 1 ", 1, true) and row.message:find("'floor'", 1, true), row.message)
  assert(row.message:find("moreau-jean or spook", 1, true), row.message)
  check.close(run(ball(0.5, 1), { "rattle", h = 0.01, max_modes = 2 }, 3):positions()[2], 0, 1e-15)
end

-- ---- a floor and a ceiling that comes down: from t = 1 s on there is no room ---------------------------
for _, method in ipairs { "rattle", "radau" } do
  local s = vida.system { "press", dimension = 1 }
  s:gravity { -g }
  local b = s:particle { "ball", mass = 1, position = { 0.3 } }
  s:contact { "floor", gap = b.x, restitution = 0 }
  s:contact { "ceiling", gap = 1 - s.time - b.x, restitution = 0 }
  local row = vida.compare { system = s, time = 2, methods = { { method, h = 0.01 } } }
    :run { quiet = true }[1]
  assert(row.status ~= "ok", row.status)
  check.close(row.t_end, 1, 0.011)
  assert(row.message:find("'ceiling'", 1, true) or row.message:find("'floor'", 1, true), row.message)
  assert(row.message:find("t = 1", 1, true) and row.message:find("moreau-jean", 1, true), row.message)
end

-- ---- a block that falls flat on four feet with friction rests where it lands, with all feet -------------
-- The impulses of its feet cancel each other in the slip velocities. Rest at t0 (1 + e) / (1 - e).
for _, method in ipairs { "radau", "hht", "half-explicit", "post-stabilized", "extrapolation" } do
  for _, case in ipairs { { mu = 0.3, e = 0 }, { mu = 0.05, e = 0 }, { mu = 0.3, e = 0.3 } } do
    local drop = 0.01
    local s = vida.system "block"
    s:gravity { 0, 0, -g }
    local b = s:body { "b", mass = 2, inertia = { 0.2, 0.3, 0.4 }, position = { 0, 0, 0.4 + drop } }
    for i, p in ipairs { { 1, 1, -0.4 }, { -1, 1, -0.4 }, { 1, -1, -0.4 }, { -1, -1, -0.4 } } do
      local q = b:point(p)
      s:contact { "foot " .. i, gap = q.position[3], friction = case.mu, restitution = case.e,
        slip = { q.velocity[1], q.velocity[2] } }
    end
    local rests = run(s, { method, h = 0.01 }, 0.3)
    local q, v = rests:positions(), rests:velocities()
    check.close(q[1], 0, 1e-12)
    check.close(q[2], 0, 1e-12)
    check.close(q[3], 0.4, 1e-12)
    for k = 1, 7 do
      check.close(v[k], 0, 1e-12)
    end
    local times = times_of(rests, "rest")
    assert(#times == 4 and #times_of(rests, "slide") == 0)
    for _, t in ipairs(times) do
      check.close(t, math.sqrt(2 * drop / g) * (1 + case.e) / (1 - case.e), 1e-6)
    end
  end
end

-- ---- contacts that depend on each other: forces are not unique, the motion is ------------------------
-- A block with two feet, on which a force k t acts in the height h above the feet. Friction of both feet
-- is one sum, which holds it until k t = mu m g: no single foot decides, although the loads differ.
for _, method in ipairs { "radau", "post-stabilized", "half-explicit" } do
  local m, b, h, mu, k = 2, 0.5, 0.2, 0.4, 10
  local s = vida.system { "block", dimension = 2 }
  local x, vx = s:coordinate { "x", unit = "m", value = 0 }
  local y, vy = s:coordinate { "y", unit = "m", value = h }
  local angle, w = s:coordinate { "angle", unit = "rad", value = 0 }
  s:kinetic(0.5 * m * (vx ^ 2 + vy ^ 2) + 0.1 * w ^ 2)
  s:potential(m * g * y - k * s.time * x)
  local c, n = vida.cos(angle), vida.sin(angle)
  for name, side in pairs { left = -b, right = b } do
    s:contact { name, gap = y + n * side - c * h, restitution = 0, friction = mu,
      slip = { vx - w * (n * side - c * h) } }
  end
  local stepper = run(s, { method, h = 0.01 }, 1)
  local slides = mu * m * g / k
  for _, name in ipairs { "left", "right" } do
    local times = times_of(stepper, "slide", name)
    assert(#times == 1 and #times_of(stepper, "release", name) == 0, #times)
    check.close(times[1], slides, 1e-8)
  end
  check.close(stepper:positions()[1], k / m * (1 - slides) ^ 3 / 6, 1e-8)
  check.close(stepper:positions()[3], 0, 1e-12)
end
-- Four discs with friction in a box come to rest; their energy never grows, nothing overlaps, and methods
-- agree.
do
  local r, side, mu, e = 0.1, 0.5, 0.3, 0.3
  local function box(seed)
    local function random()
      seed = seed * 16807 % 2147483647
      return 2 * seed / 2147483647 - 1
    end
    local s, discs = vida.system { "box", dimension = 2 }, {}
    for i = 1, 4 do
      local x, vx = s:coordinate { "x" .. i, unit = "m", rate = random(),
        value = 0.14 + 0.23 * ((i - 1) % 2) + 0.01 * random() }
      local y, vy = s:coordinate { "y" .. i, unit = "m", rate = random(),
        value = 0.14 + 0.23 * ((i - 1) // 2) + 0.01 * random() }
      local _, w = s:coordinate { "a" .. i, unit = "rad", value = 0, rate = 2 * random() }
      s:kinetic(0.5 * (vx ^ 2 + vy ^ 2) + 0.25 * r ^ 2 * w ^ 2)
      s:potential(g * y)
      discs[i] = { x = x, y = y, vx = vx, vy = vy, w = w }
      local function touch(name, gap, slip)
        s:contact { name .. " " .. i, gap = gap, restitution = e, friction = mu, slip = { slip } }
      end
      touch("low", y - r, vx + r * w)
      touch("left", x - r, vy - r * w)
      touch("right", side - r - x, vy + r * w)
      for j = 1, i - 1 do
        local o = discs[j]
        local dx, dy = x - o.x, y - o.y
        local d = vida.sqrt(dx ^ 2 + dy ^ 2)
        touch("disc " .. j .. " and", d - 2 * r, (-dy * (vx - o.vx) + dx * (vy - o.vy)) / d - r * (w + o.w))
      end
    end
    return s
  end
  for _, seed in ipairs { 7919, 39595 } do
    local ends = {}
    for _, method in ipairs { "post-stabilized", "radau" } do
      local stepper = box(seed):stepper { method, h = 0.02 }
      stepper:start()
      local energy = stepper:energy()
      for _ = 1, 150 do
        assert(stepper:step())
        local q, now = stepper:positions(), stepper:energy()
        assert(now <= energy + 1e-9, now - energy)
        energy = now
        for i = 1, 4 do
          assert(math.min(q[3 * i - 2] - r, q[3 * i - 1] - r, side - r - q[3 * i - 2]) >= -1e-13)
          for j = 1, i - 1 do
            local dx, dy = q[3 * i - 2] - q[3 * j - 2], q[3 * i - 1] - q[3 * j - 1]
            assert(math.sqrt(dx * dx + dy * dy) - 2 * r >= -1e-13)
          end
        end
      end
      for _, v in ipairs(stepper:velocities()) do
        check.close(v, 0, 1e-13)
      end
      ends[#ends + 1] = stepper:positions()
    end
    for i = 1, 12 do
      check.close(ends[1][i], ends[2][i], 1e-6)
    end
  end
end
