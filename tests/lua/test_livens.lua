-- energy-momentum-livens: mass matrices M(q), singular ones, Lagrangians that are not quadratic in the
-- rates; against closed forms, and against energy-momentum where that has the same steps.
local vida = require "vida"
local check = require "check"
local conserved = require "conserved"
local mechanism = require "mechanism"

local livens = "energy-momentum-livens"

local function started(system, h, method)
  local stepper = system:stepper { method or livens, h = h }
  stepper:start()
  return stepper
end

local function steps(stepper, count)
  local good, message = stepper:step(count)
  assert(good, message)
end

-- The slope of errors over halved steps.
local function expect_order(errors, order)
  for i = 1, #errors - 1 do
    check.close(math.log(errors[i] / errors[i + 1], 2), order, 0.1)
  end
end

-- ---- quaternions: singular M(q) ---------------------------------------------------------------------

-- Angular momentum of a quaternion q = (w, x, y, z) from its conjugate momenta p: half of e q p for each
-- axis e.
local function angular_momentum(q, p)
  local w, x, y, z = q[1], q[2], q[3], q[4]
  local a, b, c, d = p[1], p[2], p[3], p[4]
  return { (-x * a + w * b - z * c + y * d) / 2, (-y * a + z * b + w * c - x * d) / 2,
    (-z * a - y * b + x * c + w * d) / 2 }
end

local top = conserved.top
local weight, spin, tilt = top.weight, top.spin, top.tilt

-- By hand: E = J3 spin^2 / 2 + m g l cos(tilt), vertical momentum J3 spin cos(tilt).
local function test_top()
  local energy = 0.25 * spin ^ 2 / 2 + weight * math.cos(tilt)
  local momentum = 0.25 * spin * math.cos(tilt)
  for _, method in ipairs { livens, "energy-momentum" } do
    local stepper, worst = started(top.make(), 0.002, method), 0
    for _ = 1, mechanism.sanitized and 2 or 20 do
      steps(stepper, 1000)
      local q, p = stepper:positions(), stepper:momenta()
      check.close(stepper:energy(), energy, 2e-13 * energy)
      check.close(q[1] ^ 2 + q[2] ^ 2 + q[3] ^ 2 + q[4] ^ 2, 1, 1e-14)
      worst = math.max(worst, math.abs(angular_momentum(q, p)[3] - momentum))
    end
    local is_exact = worst < 2e-13 * momentum
    assert(is_exact == (method == livens) and (is_exact or worst > 1e-6), method .. worst)
  end
end

-- A free body about its middle axis: energy and all three angular momenta, which are those of the start, by
-- hand; energy-momentum keeps the latter to second order only.
local function test_free_body()
  local principal, rates = { 1, 2, 3 }, { 0.1, 2, 0.05 }
  local function body()
    local s = vida.system "free"
    s:body { "body", mass = 2, inertia = principal, as = "quaternion", body_rates = rates }
    return s
  end
  local energy = 0
  for i = 1, 3 do
    energy = energy + principal[i] * rates[i] ^ 2 / 2
  end
  for _, method in ipairs { livens, "energy-momentum" } do
    local stepper, worst = started(body(), 0.02, method), 0
    for _ = 1, 100 do
      steps(stepper, mechanism.sanitized and 2 or 20)
      check.close(stepper:energy(), energy, 4e-14)
      local q, p = stepper:positions(), stepper:momenta()
      local list = angular_momentum({ q[4], q[5], q[6], q[7] }, { p[4], p[5], p[6], p[7] })
      for i, value in ipairs(list) do
        worst = math.max(worst, math.abs(value - principal[i] * rates[i]))
      end
    end
    local is_exact = worst < 1e-13
    assert(is_exact == (method == livens) and (is_exact or worst > 1e-6), method .. worst)
  end
end

-- ---- coordinates without mass -----------------------------------------------------------------------

-- A mass m on a lever: the coordinate u = 2 x has no mass, but a spring k. x swings with 2 sqrt(k / m).
local function test_lever()
  local m, k, errors = 1.5, 4, {}
  local omega = 2 * math.sqrt(k / m)
  for i, count in ipairs { 200, 400, 800 } do
    local s = vida.system { "lever", dimension = 2 }
    local x, rate = s:coordinate { "x", value = 0.7, rate = 0.2 }
    local u = s:coordinate { "u", value = 1.4, rate = 0.4 }
    s:kinetic { "mass", m / 2 * rate ^ 2 }
    s:potential(k / 2 * u ^ 2)
    s:constraint { "lever", u - 2 * x }
    local stepper = started(s, 3 / count)
    local energy = m / 2 * 0.04 + k / 2 * 1.96
    for _ = 1, 10 do
      steps(stepper, count / 10)
      local q, v = stepper:positions(), stepper:velocities()
      check.close(m / 2 * v[1] ^ 2 + k / 2 * q[2] ^ 2, energy, 4e-14)
      check.close(q[2], 2 * q[1], 1e-15)
      check.close(v[2], 2 * v[1], 1e-12)
    end
    local right = 0.7 * math.cos(3 * omega) + 0.2 / omega * math.sin(3 * omega)
    errors[i] = math.abs(stepper:positions()[1] - right)
  end
  expect_order(errors, 2)
end

-- ---- Lagrangians that are not quadratic in the rates ------------------------------------------------

-- A relativistic particle in the uniform field F, with m = c = 1: p = F t, x = (sqrt(1 + p^2) - 1) / F.
local function test_relativity()
  local force, errors = 0.8, {}
  for i, count in ipairs { 50, 100, 200 } do
    local s = vida.system { "fast", dimension = 2 }
    local x, rate = s:coordinate { "x", value = 0, rate = 0 }
    s:lagrangian { "particle", 1 - vida.sqrt(1 - rate ^ 2) + force * x }
    local stepper = started(s, 5 / count)
    for k = 1, 10 do
      steps(stepper, count / 10)
      local p = stepper:momenta()[1]
      check.close(p, force * k / 2, 1e-14)
      check.close(stepper:energy(), 0, 4e-15)
    end
    local p = 5 * force
    errors[i] = math.abs(stepper:positions()[1] - (math.sqrt(1 + p ^ 2) - 1) / force)
    check.close(stepper:velocities()[1], p / math.sqrt(1 + p ^ 2), 30 / count ^ 2)
  end
  expect_order(errors, 4) -- of x, since p is exact
end

-- ---- beside energy-momentum -------------------------------------------------------------------------

-- The same steps with constant masses, diagonal or not; with a mass matrix M(q) steps of second order.
local function test_agreement()
  local function pair(coupling)
    local s = vida.system { "pair", dimension = 2 }
    s:gravity { 0, -9.81 }
    local a = s:particle { "a", mass = 1, position = { 1, 0 } }
    local b = s:particle { "b", mass = 2, position = { 2, 0 }, velocity = { 0, 1 } }
    s:distance { "upper", s.ground, a, length = 1 }
    s:distance { "lower", a, b, length = 1 }
    if coupling == "constant" then
      s:kinetic { "coupling", 0.3 * a.x.rate * b.x.rate }
    elseif coupling then
      s:lagrangian { "coupling", 0.3 * vida.cos(a.x) * a.x.rate * b.x.rate }
    end
    return s
  end
  for _, coupling in ipairs { false, "constant" } do
    local one, other = started(pair(coupling), 0.01), started(pair(coupling), 0.01, "energy-momentum")
    steps(one, 200)
    steps(other, 200)
    for i = 1, 4 do
      check.close(one:positions()[i], other:positions()[i], 1e-11)
      check.close(one:velocities()[i], other:velocities()[i], 1e-10)
    end
  end
  local apart = {}
  for i, count in ipairs { 200, 400, 800 } do
    local one = started(pair "moving", 1 / count)
    local other = started(pair "moving", 1 / count, "energy-momentum")
    steps(one, count)
    steps(other, count)
    check.close(one:energy(), other:energy(), 1e-13)
    apart[i] = math.abs(one:positions()[1] - other:positions()[1])
  end
  expect_order(apart, 2)
end

-- ---- what it refuses --------------------------------------------------------------------------------

local function test_refusals()
  local s = vida.system { "bead", dimension = 2 }
  local p = s:particle { "p", mass = 1, position = { 1, 1 } }
  s:potential { "step", vida.where(vida.less(p.x, 0), p.x, 2 * p.x) }
  check.fails("energy-momentum-livens needs discrete derivatives: 'step' of system 'bead' has none",
    function() s:stepper { livens, h = 0.01 } end)
  s = vida.system { "blade", dimension = 2 }
  p = s:particle { "p", mass = 1, position = { 1, 1 } }
  s:nonholonomic { "blade", p.x * p.y.rate - p.y * p.x.rate }
  check.fails("nonholonomic constraints", function() s:stepper { livens, h = 0.01 } end)
end

test_top()
test_free_body()
test_lever()
test_relativity()
test_agreement()
test_refusals()
