-- radau on the benchmarks: the squeezer and the car axis against references in quadruple precision (their
-- scenarios say where they come from), a mass matrix that changes, nonholonomic and index-2 problems.
local check = require "check"
local mechanism = require "mechanism"
local vida = require "vida"

-- The results of a scenario's comparison with these methods instead of its own.
local function run_scenario(name, methods)
  local compare, work_precision = vida.compare, vida.work_precision
  local here = debug.getinfo(1, "S").source:match "^@(.*)tests/lua/" or "../"
  local path = package.path
  package.path = here .. "scenarios/?.lua;" .. path
  local function catch(wishes)
    wishes.methods, wishes.repeats = methods, nil
    return compare(wishes)
  end
  vida.compare, vida.work_precision = catch, catch
  local good, comparison = pcall(dofile, here .. "scenarios/" .. name .. ".lua")
  vida.compare, vida.work_precision, package.path = compare, work_precision, path
  assert(good, comparison)
  return comparison:run { quiet = true }
end

local function mescd(error)
  return -math.log(error, 10)
end

-- ---- at rtol = 1e-10: positions to 1e-8 relative, multipliers to 1e-6 ------------------------------
-- Digits by tolerance: at least as many as were asked for.
local tolerances = { 1e-3, 1e-4, 1e-6, 1e-8, 1e-10 }
for name, time in pairs { squeezer_work_precision = 0.03, car_axis = 3 } do
  local result = run_scenario(name, { { "radau", rtol = tolerances, h = time } })
  assert(#result == #tolerances)
  for i, rtol in ipairs(tolerances) do
    local row = result[i]
    assert(row.status == "ok", row.message)
    assert(mescd(row.position_error) > mescd(rtol) - 0.2,
      ("%s: %.2f digits with rtol = %g"):format(name, mescd(row.position_error), rtol))
    assert(row.constraint_position < 1e-14 and row.constraint_velocity < 1e-10)
    print(("%-24s rtol = %-6g steps %5d  mescd %5.2f, of velocities %5.2f, of multipliers %5.2f"):format(
      name, rtol, row.steps, mescd(row.position_error), mescd(row.velocity_error),
      mescd(row.multiplier_error)))
  end
end

local function relative(values, expected)
  local largest = 0
  for i, value in ipairs(expected) do
    largest = math.max(largest, math.abs(values[i] / value - 1))
  end
  return largest
end

local function at(system, time, rtol)
  local stepper = system:stepper { "radau", h = time, rtol = rtol }
  stepper:start()
  assert(stepper:step())
  return stepper
end

local squeezer = at(mechanism.scenario "squeezer", 0.03, 1e-10)
assert(relative(squeezer:positions(), { 15.810771195153707097, -15.756371058411839470,
  0.040822240119645804859, -0.53473011634207959377, 0.52440996587995406937, 0.53473011634207959377,
  1.0480807410419378731 }) < 1e-8)
assert(relative(squeezer:multipliers(), { 199.17534810453862819, -29.755309974971763324,
  23.066543611622151129, 31.452725275771137075, 22.642494786394378578, 11.617392352611255907 }) < 1e-6)
local car = at(mechanism.scenario "car_axis", 3, 1e-10)
assert(relative(car:positions(), { 0.049345578427524092132, 0.49698946023000810677,
  1.0417425248854261152, 0.37391102726536581936 }) < 1e-8)
assert(relative(car:multipliers(), { 0.0047368865908533265135, 2 * 0.0011046803312595658399 }) < 1e-6)

-- ---- fixed steps of the squeezer: order 5, of generalized-alpha and hht 2 --------------------------
local function slope(method, steps)
  local list = {}
  for i, count in ipairs(steps) do
    list[i] = 0.03 / count
  end
  local result = run_scenario("squeezer_work_precision", { { method, h = list } })
  for i = 1, #result do
    assert(result[i].status == "ok", result[i].message)
  end
  local first, last = result[1], result[#result]
  local function order(key)
    return math.log(first[key] / last[key]) / math.log(first.h / last.h)
  end
  return order "position_error", order "velocity_error", order "multiplier_error"
end
for _, order in ipairs { slope("radau", { 200, 300, 450, 675 }) } do
  check.close(order, 5, 0.25)
end
for _, method in ipairs { "hht", "generalized-alpha" } do
  for _, order in ipairs { slope(method, { 3000, 4000, 6000, 8000 }) } do
    check.close(order, 2, 0.15)
  end
end

-- ---- A2: the pivot on a parabola; minimal coordinates and Taylor series give 12 digits --------------
local state = at(mechanism.scenario "pendulum_on_curve", 5, 1e-10)
local q, v = state:positions(), state:velocities()
check.close(q[1], -0.315693356132, 1e-7)
check.close(q[3], 0.717073665337, 1e-7)
check.close(v[1], 0.326791427195, 1e-7)
check.close(v[3], 3.37533488768, 1e-6)
-- with friction energy falls at the rate damping |v|^2
local damped = mechanism.scenario("pendulum_on_curve", { damping = 0.5 })
for _, options in ipairs { { "radau", h = 0.02, rtol = 1e-8 }, { "radau", h = 0.02 },
  { "generalized-alpha", h = 0.002 }, { "hht", h = 0.002 } } do
  local stepper = damped:stepper(options)
  stepper:start()
  local before, lost, power = stepper:energy(), 0, 0
  for _ = 1, math.floor(2 / options.h + 0.5) do
    assert(stepper:step())
    local rate = stepper:velocities()
    local energy, now = stepper:energy(), 0.5 * (rate[1] ^ 2 + rate[2] ^ 2)
    assert(energy <= before + 1e-5)
    lost, power = lost + before - energy, power + now * options.h
    before = energy
  end
  check.close(lost / power, 1, 2e-2)
end

-- ---- a knife edge on an incline, Bloch, Nonholonomic Mechanics and Control, section 1.6 -------------
local sledge = vida.system "sledge"
local x, vx = sledge:coordinate { "x", unit = "m", value = 0, rate = 0 }
local _, vy = sledge:coordinate { "y", unit = "m", value = 0, rate = 0 }
local phi, spin = sledge:coordinate { "phi", unit = "rad", value = 0, rate = 2 }
sledge:lagrangian(0.625 * (vx ^ 2 + vy ^ 2) + 0.065 * spin ^ 2 + 1.25 * 3 * x)
sledge:nonholonomic { "blade", vx * vida.sin(phi) - vy * vida.cos(phi) }
local slide = at(sledge, 2, 1e-10)
q = slide:positions()
check.close(q[1], 3 / 8 * math.sin(4) ^ 2, 1e-8)
check.close(q[2], 3 / 8 * (4 - 0.5 * math.sin(8)), 1e-8)
check.close(q[3], 4, 1e-12)
check.close(slide:multipliers()[1], 2 * 1.25 * 3 * math.sin(4), 1e-6)
local _, drift = slide:constraint_errors()
assert(drift < 1e-13)

-- After many turns rounding of the angle is 1e-11, and the velocity satisfies the hidden constraint
-- where the angle is now, of rows of either kind.
local many = 1e5
local turned = vida.system "turned"
local u, vu = turned:coordinate { "u", value = 0, rate = 0 }
local _, vw = turned:coordinate { "w", value = 0, rate = 0 }
local turn, turning = turned:coordinate { "turn", unit = "rad", value = many, rate = 2 }
turned:lagrangian(0.625 * (vu ^ 2 + vw ^ 2) + 0.065 * turning ^ 2 + 1.25 * 3 * u)
turned:nonholonomic { "blade", vu * vida.sin(turn) - vw * vida.cos(turn) }
local crank = vida.system "crank"
local c, vc = crank:coordinate { "c", value = math.cos(many), rate = -2 * math.sin(many) }
local s, vs = crank:coordinate { "s", value = math.sin(many), rate = 2 * math.cos(many) }
local angle, rate = crank:coordinate { "angle", unit = "rad", value = many, rate = 2 }
crank:lagrangian(0.5 * (vc ^ 2 + vs ^ 2) + 0.2 * rate ^ 2 - 3 * c)
crank:constraint { "along", c - vida.cos(angle) }
crank:constraint { "across", s - vida.sin(angle) }
for _, system in ipairs { turned, crank } do
  for _, options in ipairs { { "radau", h = 0.05 }, { "radau", h = 0.05, rtol = 1e-8 } } do
    local stepper = system:stepper(options)
    stepper:start()
    for _ = 1, 200 do
      assert(stepper:step(1))
      local _, off = stepper:constraint_errors()
      assert(off < 1e-14, ("%s, %s: G v = %g"):format(system, options.rtol, off))
    end
  end
end
