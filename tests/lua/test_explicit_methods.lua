-- half-explicit and extrapolation, explicit methods on the constraints of velocities: measured orders, both
-- levels of the constraints, a constraint that depends on time with a closed form, dissipation, and refusals.
-- Mechanisms of the literature at tight tolerances: test_underlying.lua; coefficients:
-- tests/methods/test_half_explicit.c.
local check = require "check"
local mechanism = require "mechanism"
local vida = require "vida"

-- `fewer`: number of steps in tests of the order, relative to that of a method of order 5.
local schemes = {
  { { "half-explicit", scheme = "hedop5" }, order = 5 },
  { { "half-explicit", scheme = "hedop5", first_stage = "scheme" }, order = 5 },
  { { "half-explicit", scheme = "phem56" }, order = 5 },
  { { "half-explicit", scheme = "phem56", first_stage = "scheme" }, order = 5 },
  { { "half-explicit", scheme = "hem4" }, order = 4 },
  { { "extrapolation", scheme = "euler", columns = 3 }, order = 3, fewer = 4 },
  { { "extrapolation", scheme = "euler", columns = 6 }, order = 6, fewer = 1 / 4 },
  { { "extrapolation", scheme = "midpoint", columns = 1 }, order = 2, is_fixed = true },
  { { "extrapolation", scheme = "midpoint", columns = 3 }, order = 6, fewer = 1 / 2 },
  { { "extrapolation", scheme = "midpoint", columns = 4 }, order = 8, fewer = 1 / 2 },
}

local order_of, fewer, name_of, is_fixed = {}, {}, {}, {}
for _, row in ipairs(schemes) do
  local wishes = row[1]
  order_of[wishes], fewer[wishes], is_fixed[wishes] = row.order, row.fewer or 1, row.is_fixed
  local columns = wishes.columns and (", %d columns"):format(wishes.columns)
  name_of[wishes] = wishes[1] .. ", " .. wishes.scheme ..
    (columns or wishes.first_stage and " by the scheme" or "")
end

local function run(system, wishes, time, steps)
  local stepper = system:stepper(check.with(wishes, { h = time / steps }))
  stepper:start()
  assert(stepper:step(steps))
  return stepper
end

-- Demands errors that fall with the order of the scheme, within `slack`, between two numbers of steps; those
-- of schemes with fewer steps, whose order is higher, may fall to rounding.
local function demand_order(system, wishes, time, steps, error_of, slack)
  steps = math.ceil(steps * fewer[wishes])
  local coarse = error_of(run(system, wishes, time, steps))
  local fine = error_of(run(system, wishes, time, 2 * steps))
  local order = math.log(coarse / fine, 2)
  assert(order > order_of[wishes] - slack or (fewer[wishes] < 1 and fine < 2e-13),
    ("%s: order %.2f, errors %g and %g"):format(name_of[wishes], order, coarse, fine))
end

local function distance(a, b)
  local largest = 0
  for i, value in ipairs(b) do
    largest = math.max(largest, math.abs(a[i] - value))
  end
  return largest
end

-- The heavy top as a unit quaternion, M(q): its centre after 0.5 s, in quadruple precision.
local function test_heavy_top(wishes)
  local top = mechanism.scenario "heavy_top"
  local right = { -0.70246829705658558659, -0.021165184701923326581, -0.71140025765173440555 }
  demand_order(top, wishes, 0.5, 1600, function(stepper)
    return distance(stepper:positions(), right) -- the first three coordinates
  end, 0.5)
end

-- The double spherical pendulum against spark-lobatto of order 6 with 10 times the steps.
local function test_double_pendulum(wishes)
  local pendulum = mechanism.scenario "double_spherical_pendulum"
  local right = run(pendulum, { "spark-lobatto", stages = 4 }, 3, 4000)
  for _, of in ipairs { "positions", "velocities" } do
    demand_order(pendulum, wishes, 3, 400, function(stepper)
      return distance(stepper[of](stepper), right[of](right))
    end, 0.5)
  end
end

-- A bead on a rod that turns with W, in polar coordinates with the mass matrix diag(m, m r^2); the constraint
-- r sin(theta - W t) = 0 has a gradient that changes. With the drag d r' the bead flies off as
-- r'' = W^2 r - (d / m) r', and the rod pushes with 2 m r' W = -lambda.
local m, W, d = 0.7, 2, 0.5
local function bead()
  local s = vida.system { "bead on a turning rod", dimension = 2 }
  local r, r_rate = s:coordinate { "r", unit = "m", value = 1, rate = 0 }
  local theta, theta_rate = s:coordinate { "theta", unit = "rad", value = 0, rate = W }
  s:kinetic { "bead", m / 2 * (r_rate ^ 2 + r ^ 2 * theta_rate ^ 2) }
  s:rayleigh { "drag", d / 2 * r_rate ^ 2 }
  s:constraint { "rod", r * vida.sin(theta - W * s.time), unit = "m" }
  return s
end

local function bead_at(t)
  local middle, root = -d / (2 * m), math.sqrt((d / (2 * m)) ^ 2 + W ^ 2)
  local s1, s2 = middle + root, middle - root
  local one, two = -s2 / (s1 - s2) * math.exp(s1 * t), s1 / (s1 - s2) * math.exp(s2 * t)
  return one + two, s1 * one + s2 * two
end

local function test_bead(wishes)
  local r, rate = bead_at(1)
  demand_order(bead(), wishes, 1, 20, function(stepper)
    return math.abs(stepper:positions()[1] - r)
  end, 0.3)
  if is_fixed[wishes] then
    return
  end
  local stepper = run(bead(), check.with(wishes, { rtol = 1e-11, columns = check.none }), 1, 1)
  check.close(stepper:positions()[1], r, 1e-8)
  check.close(stepper:positions()[2], W, 1e-9)
  check.close(stepper:velocities()[1], rate, 1e-8)
  check.close(stepper:multipliers()[1], -2 * m * rate * W, 1e-7)
end

-- Both levels to rounding; with velocities alone, positions drift with the order.
local function test_levels(wishes)
  local pendulum = mechanism.scenario "double_spherical_pendulum"
  local fixed, adaptive = { h = 0.01 / fewer[wishes] }, { h = 0.5, rtol = 1e-5, columns = check.none }
  for _, more in ipairs { fixed, not is_fixed[wishes] and adaptive or nil } do
    for _, level in ipairs { "both", "velocity" } do
      local stepper = pendulum:stepper(check.with(check.with(wishes, more), { level = level }))
      stepper:start()
      local largest, fastest = 0, 0
      for _ = 1, 10 do
        assert(stepper:step(level == "both" and 1 or 2))
        local g, rate = stepper:constraint_errors()
        largest, fastest = math.max(largest, g), math.max(fastest, rate)
      end
      assert(fastest < 3e-13, ("%s: G v = %g"):format(level, fastest))
      local is_kept = largest < 3e-14
      assert(is_kept == (level == "both"), ("%s: g = %g"):format(level, largest))
    end
  end
end

-- A pendulum of 1 m from the horizontal has the period 2.36784194757624 s (elliptic integral); the error at
-- its end is proportional to the tolerance.
local function test_tolerances(wishes)
  local period = 2.36784194757624
  local last
  for _, rtol in ipairs { 1e-4, 1e-6, 1e-8, 1e-10 } do
    local adaptive = check.with(wishes, { rtol = rtol, columns = check.none })
    local stepper = run(check.plain_pendulum(), adaptive, period, 1)
    local off = math.abs(stepper:positions()[2])
    assert(off < 300 * rtol, ("rtol = %g: %g"):format(rtol, off))
    assert(not last or off < last / 10, ("rtol = %g: %g after %s"):format(rtol, off, last))
    last = off
  end
end

local function test_refusals()
  local pendulum = check.plain_pendulum()
  local function refuses(text, wishes)
    check.fails(text, function() pendulum:stepper(wishes) end)
  end
  refuses("rtol: expected", { "half-explicit", h = 0.1, rtol = 0 })
  refuses("scheme: expected", { "half-explicit", h = 0.1, scheme = "hem5" })
  refuses("level: expected", { "half-explicit", h = 0.1, level = "position" })
  refuses("h: expected", { "half-explicit", h = -0.1 })
  local rows = vida.compare {
    system = pendulum, time = 1, methods = { { "half-explicit", h = 0.01, level = "velocity" } },
  }:run { quiet = true }
  assert(rows[1].status == "ok", rows[1].message)
  check.fails("does not divide", function()
    vida.compare { system = pendulum, time = 1, methods = { { "half-explicit", h = 0.3 } } }
  end)
  -- a coordinate that neither mass nor constraint determines
  local s = vida.system { "no mass", dimension = 2 }
  local x, rate = s:coordinate { "x", unit = "m", value = 0, rate = 1 }
  s:coordinate { "idle", unit = "m", value = 0, rate = 1 }
  s:kinetic { "mass", rate ^ 2 / 2 }
  s:potential { "spring", x ^ 2 / 2 }
  check.fails("'idle'", function()
    s:stepper { "half-explicit", h = 0.1 }:start()
  end)
  -- more steps than allowed, with the state of the start
  local stepper = pendulum:stepper { "half-explicit", rtol = 1e-10, max_steps = 3, h = 10 }
  stepper:start()
  local good, message = stepper:step()
  assert(not good and message:find("more steps than max_steps", 1, true), message)
  check.close(stepper:positions()[1], 1, 0)
  rows = vida.compare {
    system = pendulum, time = 10, methods = { { "half-explicit", rtol = 1e-10, max_steps = 3, h = 10 } },
  }:run { quiet = true }
  assert(rows[1].status == "TOO_MUCH_WORK", rows[1].status)
end

-- A stepper that starts in the middle gives the same motion.
local function test_starts(wishes)
  local pendulum = check.plain_pendulum()
  local whole = run(pendulum, wishes, 1, 100)
  local half = run(pendulum, wishes, 0.5, 50)
  local rest = pendulum:stepper(check.with(wishes, { h = 0.01 }))
  rest:start(0.5, half:positions(), half:velocities())
  assert(rest:step(50))
  for i, value in ipairs(whole:positions()) do
    check.close(rest:positions()[i], value, 1e-9)
  end
end

-- Free motion, without constraints: a mass on a spring.
local function test_oscillator(wishes)
  local s = vida.system { "oscillator", dimension = 2 }
  local x, rate = s:coordinate { "x", unit = "m", value = 1, rate = 0 }
  s:kinetic { "mass", rate ^ 2 / 2 }
  s:potential { "spring", x ^ 2 / 2 }
  demand_order(s, wishes, 1, 8, function(stepper)
    return math.abs(stepper:positions()[1] - math.cos(1)) + math.abs(stepper:velocities()[1] + math.sin(1))
  end, 0.3)
end

local function test_refused_extrapolation()
  local pendulum = check.plain_pendulum()
  check.fails("extrapolation: rtol needs columns of 3 or more", function()
    pendulum:stepper { "extrapolation", rtol = 1e-6, h = 1, columns = 2 }
  end)
  check.fails("columns: expected", function()
    pendulum:stepper { "extrapolation", h = 0.1, columns = 9 }
  end)
end

local tests = { { "refusals", test_refusals }, { "refusals of extrapolation", test_refused_extrapolation } }
for _, row in ipairs(schemes) do
  local wishes = row[1]
  local function add(case, test)
    tests[#tests + 1] = { case .. ", " .. name_of[wishes], function() test(wishes) end }
  end
  add("oscillator", test_oscillator)
  add("heavy top", test_heavy_top)
  add("double spherical pendulum", test_double_pendulum)
  add("bead", test_bead)
  add("levels", test_levels)
  if not row.is_fixed then
    add("tolerances", test_tolerances)
  end
  add("starts", test_starts)
end
mechanism.run(tests)
