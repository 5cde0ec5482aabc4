-- Forces that depend on multipliers: dry friction and creep, against closed forms and against a
-- program in minimal coordinates.
local vida = require "vida"
local check = require "check"
local close, fails, fails_here = check.close, check.fails, check.fails_here

local g = 9.81

-- Makes `n` steps and returns the stepper.
local function run(system, options, n)
  local stepper = system:stepper(options)
  stepper:start()
  local good, why = stepper:step(n)
  assert(good, why)
  return stepper
end

-- The methods that accept such a system, by their own word.
local able = {}
for _, method in ipairs(vida.methods()) do
  for _, text in ipairs(method.capabilities) do
    if text == "accepts forces that depend on multipliers" then
      able[method.name] = true
    end
  end
end
for _, name in ipairs { "rattle", "del-midpoint", "radau", "ida-index3", "ida-index2", "ida-ggl",
  "ida-index1", "baumgarte", "post-stabilized", "coordinate-projection", "half-explicit", "extrapolation" } do
  assert(able[name], name)
end

local function is_adaptive(name)
  for _, method in ipairs(vida.methods()) do
    if method.name == name then
      return check.is_adaptive(method)
    end
  end
end

-- ---- a bead on an inclined wire: x'' = g (sin a - mu cos a) ---------------------------------------

local function incline(a, mu)
  local s = vida.system { "incline", dimension = 2 }
  s:gravity { 0, -g }
  local bead = s:particle { "bead", mass = 2.5, position = { 0, 0 },
    velocity = { math.cos(a), -math.sin(a) } }
  local wire = s:constraint { "wire", math.sin(a) * bead.x + math.cos(a) * bead.y, unit = "m" }
  local pressed = -wire.multiplier -- the wire pushes upwards
  s:force { "friction", bead, mu * pressed * vida.vector { -math.cos(a), math.sin(a) } }
  return s
end

for _, mu in ipairs { 0.3, -0.2 } do -- downhill, and as if uphill
  local a = 0.7
  local s = incline(a, mu)
  local slide = g * (math.sin(a) - mu * math.cos(a))
  local found, lambda = s:accelerations()
  close(found["bead.x"], slide * math.cos(a), 1e-14)
  close(found["bead.y"], -slide * math.sin(a), 1e-14)
  close(lambda.wire, -2.5 * g * math.cos(a), 1e-13)
  for name in pairs(able) do
    local rtol = is_adaptive(name) and 1e-11 or nil
    local good, stepper = pcall(run, s, { name, h = 0.1, rtol = rtol }, 10)
    assert(good, name .. ": " .. tostring(stepper))
    local way = 1 + 0.5 * slide
    close(stepper:positions()[1], way * math.cos(a), 1e-9)
    close(stepper:positions()[2], -way * math.sin(a), 1e-9)
  end
end

-- ---- a bead on a loop with friction ---------------------------------------------------------------

-- With the angle a from below and u = v^2, the normal force m (u / R + g cos a) brakes with mu:
--     du/da = -2 g R (sin a + mu cos a) - 2 mu u.
local mu, radius, start = 0.25, 0.8, 9

local function exact_square(a)
  local weight = 1 + 4 * mu ^ 2
  local sine, cosine = -6 * mu * g * radius / weight, 2 * g * radius * (1 - 2 * mu ^ 2) / weight
  return sine * math.sin(a) + cosine * math.cos(a) + (start ^ 2 - cosine) * math.exp(-2 * mu * a)
end

-- The direction of friction is that of the motion or, regularized, nearly so.
local function loop(direction, normal)
  local s = vida.system { "loop", dimension = 2 }
  s:gravity { 0, -g }
  local bead = s:particle { "bead", mass = 1.7, position = { 0, -radius }, velocity = { start, 0 } }
  local rod = s:distance { "loop", s.ground, bead, length = radius }
  local pressed = normal(rod.multiplier)
  local along = vida.vector { -bead.y / radius, bead.x / radius }
  s:force { "friction", bead, -mu * pressed * direction(vida.dot(along, bead.velocity)) * along }
  return s
end

local function square_error(stepper)
  local q, v = stepper:positions(), stepper:velocities()
  local angle = math.atan(q[1], -q[2])
  assert(angle > 0)
  return v[1] ^ 2 + v[2] ^ 2 - exact_square(angle)
end

local function forwards() return 1 end
local function same(x) return x end

do
  local s = loop(forwards, same)
  local a, lambda = s:accelerations()
  local press = 1.7 * (start ^ 2 / radius + g)
  close(lambda.loop, press, 1e-12)
  close(a["bead.x"], -mu * press / 1.7, 1e-12)
  local orders = { rattle = 2, ["del-midpoint"] = 2, ["del-endpoint"] = 2, ["del-trapezoidal"] = 2,
    hht = 2, ["generalized-alpha"] = 2, ["energy-momentum"] = 2,
    ["energy-momentum-livens"] = 2, radau = 5, compose = 4, baumgarte = 4,
    ["post-stabilized"] = 4, ["coordinate-projection"] = 4, ["half-explicit"] = 5, extrapolation = 6 }
  for name, order in pairs(orders) do
    local coarse = square_error(run(s, { name, h = 0.01 }, 30))
    local fine = square_error(run(s, { name, h = 0.0025 }, 120))
    local measured = math.log(math.abs(coarse / fine), 4)
    assert(measured > order - 0.4, ("%s: order %.2f instead of %g"):format(name, measured, order))
  end
  for name in pairs(able) do
    if is_adaptive(name) then
      close(square_error(run(s, { name, h = 0.3, rtol = 1e-10 }, 1)) / start ^ 2, 0, 1e-5)
    end
  end
  -- The power of the friction is what the energy loses.
  local rows = vida.compare { system = s, time = 0.3,
    methods = { { "radau", h = 0.005 }, { "ida-ggl", rtol = 1e-9, h = 0.005 } } }:run()
  for _, row in ipairs(rows) do
    assert(row.status == "ok" and row.energy_error < 1e-6, row.message)
  end
end

-- A regularized direction and |lambda| change nothing while the bead presses and slides fast.
for _, kind in ipairs { function(x) return vida.sqrt(x ^ 2) end, vida.abs } do
  local s = loop(function(v) return vida.tanh(v / 1e-2) end, kind)
  for _, name in ipairs { "rattle", "del-midpoint", "radau", "coordinate-projection" } do
    local tolerance = (name == "rattle" or name == "del-midpoint") and 2e-4 or 1e-8
    close(square_error(run(s, { name, h = 0.0025 }, 120)) / start ^ 2, 0, tolerance)
  end
  close(square_error(run(s, { "ida-index2", h = 0.3, rtol = 1e-9 }, 1)) / start ^ 2, 0, 1e-5)
end

-- ---- a wheel that creeps on a hilly track ---------------------------------------------------------

-- The centre of the wheel moves on y = Y(x); the creep force along the track is proportional to the
-- normal force. In minimal coordinates, with w = sqrt(1 + Y'^2), u = w x' and N = m (g + Y'' x'^2) / w:
--     m u' = F - m g Y' / w,   I p'' = M - r F,   F = -c N tanh((u - r p') / (e + |r p'|)).
local wheel = { mass = 3, inertia = 0.05, radius = 0.2, grip = 0.35, slip = 0.5, drive = 1.5 }

local function creep(normal, u, spin, tanh)
  return -wheel.grip * normal * tanh((u - wheel.radius * spin) / wheel.slip)
end

local function tanh(x)
  local e = math.exp(-2 * math.abs(x))
  return (x < 0 and -1 or 1) * (1 - e) / (1 + e)
end

local function slope(x) return 0.6 * math.cos(2 * x) end
local function bend(x) return -1.2 * math.sin(2 * x) end

local function wheel_rates(y)
  local x, u, spin = y[1], y[2], y[4]
  local w = math.sqrt(1 + slope(x) ^ 2)
  local normal = wheel.mass * (g + bend(x) * (u / w) ^ 2) / w
  local force = creep(normal, u, spin, tanh)
  return { u / w, force / wheel.mass - g * slope(x) / w, spin,
    (wheel.drive - wheel.radius * force) / wheel.inertia }
end

local function runge_kutta(y, h, n)
  for _ = 1, n do
    local function at(k, part)
      local z = {}
      for i = 1, 4 do z[i] = y[i] + part * k[i] end
      return z
    end
    local k1 = wheel_rates(y)
    local k2 = wheel_rates(at(k1, h / 2))
    local k3 = wheel_rates(at(k2, h / 2))
    local k4 = wheel_rates(at(k3, h))
    for i = 1, 4 do y[i] = y[i] + h / 6 * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]) end
  end
  return y
end

do
  local s = vida.system { "wheel", dimension = 2 }
  local u0, spin0 = 1.2, 4
  local w0 = math.sqrt(1 + slope(0) ^ 2)
  s:gravity { 0, -g }
  local centre = s:particle { "centre", mass = wheel.mass, position = { 0, 0 },
    velocity = { u0 / w0, slope(0) * u0 / w0 } }
  local p, spin = s:coordinate { "turn", unit = "rad", value = 0, rate = spin0 }
  s:kinetic(0.5 * wheel.inertia * spin ^ 2)
  local contact = s:constraint { "contact", centre.y - 0.3 * vida.sin(2 * centre.x), unit = "m" }
  local rise = 0.6 * vida.cos(2 * centre.x)
  local w = vida.sqrt(1 + rise ^ 2)
  local normal = -contact.multiplier * w
  local u = (centre.vx + rise * centre.vy) / w
  local force = creep(normal, u, spin, vida.tanh)
  s:force { "creep", { { centre, force * vida.vector { 1 / w, rise / w } }, { p, -wheel.radius * force } } }
  s:force { "drive", p, wheel.drive }
  local expected = runge_kutta({ 0, u0, 0, spin0 }, 1e-4, 10000)
  local function errors(stepper)
    local q = stepper:positions()
    return q[1] - expected[1], q[3] - expected[3]
  end
  for _, options in ipairs { { "radau", h = 0.01 }, { "radau", h = 0.5, rtol = 1e-9 },
    { "ida-index2", h = 0.5, rtol = 1e-9 }, { "ida-index3", h = 0.5, rtol = 1e-9 },
    { "coordinate-projection", h = 0.005 } } do
    local x, turn = errors(run(s, options, math.floor(1 / options.h + 0.5)))
    close(x, 0, 1e-6)
    close(turn, 0, 1e-6)
  end
  for _, name in ipairs { "rattle", "del-midpoint" } do -- in the limit of small steps
    local x1, turn1 = errors(run(s, { name, h = 0.002 }, 500))
    local x2, turn2 = errors(run(s, { name, h = 0.001 }, 1000))
    close(math.log(math.abs(x1 / x2), 2), 2, 0.2)
    close(math.log(math.abs(turn1 / turn2), 2), 2, 0.2)
    close((4 * x2 - x1) / 3, 0, 1e-6)
    close((4 * turn2 - turn1) / 3, 0, 1e-6)
  end
end

-- ---- strong coupling ------------------------------------------------------------------------------

-- A force c lambda along the gradient of a row only scales its multiplier: lambda (1 - c) = lambda0.
-- Substituting lambda again and again would diverge for c < -1.
local function scaled(c, form)
  local s = vida.system { "scaled", dimension = 2 }
  s:gravity { 0, -g }
  local bead = s:particle { "bead", mass = 2, position = { 0, 0 }, velocity = { 1, 0 } }
  local floor = s:constraint { "floor", bead.y, unit = "m" }
  s:force { "reaction", bead, { 0, c * (form or same)(floor.multiplier) } }
  return s
end

for _, c in ipairs { 0.5, -3, -50, 4 } do
  local _, lambda = scaled(c):accelerations()
  close(lambda.floor, -2 * g / (1 - c), 1e-12)
end
for _, options in ipairs { { "rattle", h = 0.1 }, { "radau", h = 0.1 },
  { "ida-index2", h = 0.1, rtol = 1e-6 }, { "coordinate-projection", h = 0.1 } } do
  local stepper = run(scaled(-3), options, 3)
  close(stepper:multipliers()[1], -2 * g / 4, 1e-9)
  close(stepper:positions()[1], 0.3, 1e-12)
end
do -- -G^T lambda + c |lambda| G^T with lambda < 0: lambda (-1 - c) = m g
  local _, lambda = scaled(0.5, vida.abs):accelerations()
  close(lambda.floor, -2 * g / 1.5, 1e-12)
end
fails("Painleve", function() return scaled(1):accelerations() end)
fails("'reaction'", function() return run(scaled(1), { "radau", h = 0.1 }, 1) end)

-- ---- refusals -------------------------------------------------------------------------------------

do
  local s = vida.system { "s", dimension = 2 }
  local bead = s:particle { "bead", mass = 1, position = { 0, -1 }, velocity = { 1, 0 } }
  local rod = s:distance { "rod", s.ground, bead, length = 1 }
  local n = rod.multiplier
  fails_here("only forces may", function() s:lagrangian(0.5 * n * bead.x ^ 2) end)
  fails_here("only forces may", function() s:rayleigh { "damper", n * bead.vx ^ 2 } end)
  fails_here("only forces may", function() s:constraint { "c", bead.x - n } end)
  fails_here("only forces may", function() s:observe { "tension", n } end)
  fails_here("only forces may", function() s:force { "along", bead.x * n, 1 } end)
  fails_here("did you mean 'rod'", function() return s:multiplier "rood" end)
  fails_here("it has: multiplier", function() return rod.force end)
  s:force { "drag", bead, -0.1 * s:multiplier "rod" * bead.velocity }
  for _, name in ipairs { "spook", "spark-lobatto", "lie-alpha" } do
    if not able[name] then
      fails("'drag' of system 's', which depends on the multiplier of 'rod'", s.stepper, s,
        { name, h = 0.01 })
    end
  end
  fails("'drag'", s.stepper, s, { "rattle", h = 0.01, reduction = "null-space" })
end

-- The multiplier of a row that depends on others is not unique.
do
  local s = vida.system { "twice", dimension = 2 }
  local bead = s:particle { "bead", mass = 1, position = { 0, -1 }, velocity = { 1, 0 } }
  local rod = s:distance { "rod", s.ground, bead, length = 1 }
  s:distance { "same rod", s.ground, bead, length = 1 }
  s:force { "drag", bead, -0.1 * rod.multiplier * bead.velocity }
  for name in pairs(able) do
    fails("not unique", function() s:stepper { name, h = 0.01 }:start() end)
  end
  fails("not unique", s.accelerations, s)
end

-- Where only multipliers of other rows are not unique, the motion is that without the redundant row.
do
  local function pair(is_twice)
    local s = vida.system { "pair", dimension = 2 }
    s:gravity { 0, -g }
    local bead = s:particle { "bead", mass = 1, position = { 0, -1 }, velocity = { 1, 0 } }
    local other = s:particle { "other", mass = 2, position = { 3, -1 }, velocity = { 0.5, 0 } }
    local rod = s:distance { "rod", s.ground, bead, length = 1 }
    local nail = s:anchor { 3, 0 }
    s:distance { "other rod", nail, other, length = 1 }
    if is_twice then
      s:distance { "same rod", nail, other, length = 1 }
    end
    s:force { "drag", bead, -0.1 * rod.multiplier * bead.velocity }
    return s
  end
  for name in pairs(able) do
    local once, twice = run(pair(false), { name, h = 0.01 }, 1), run(pair(true), { name, h = 0.01 }, 1)
    for i = 1, 4 do
      local what = ("%s: %.3g"):format(name, twice:positions()[i] - once:positions()[i])
      assert(math.abs(twice:positions()[i] - once:positions()[i]) < 1e-7, what)
    end
  end
end

-- ---- joints ---------------------------------------------------------------------------------------

-- The multipliers of a joint with several rows are a vector. A torque k |lambda| turns a body that hangs at
-- rest from a pin: with J about the pin and the centre at d below it, the pin carries m g and m d a, so
--     J a = k m sqrt(g^2 + d^2 a^2).
do
  local m, d, k = 2, 0.5, 0.1
  local s = vida.system { "door", dimension = 2 }
  s:gravity { 0, -g }
  local body = s:body { "body", mass = m, inertia = 0.1, position = { 0, -d } }
  local pin = s:revolute { "pin", s.ground, body, at = { 0, 0 } }
  s:torque { "friction", body, moment = k * vida.norm(pin.multiplier) }
  local about = 0.1 + m * d ^ 2
  local a = s:accelerations()
  close(a["body.angle"], k * m * g / math.sqrt(about ^ 2 - (k * m * d) ^ 2), 1e-12)
end
