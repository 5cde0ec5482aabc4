-- Mechanisms of the literature, loaded from the scenarios, against published and independent numbers.
local check = require "check"
local mechanism = require "mechanism"

local converges, at = mechanism.converges, mechanism.at

-- The first `count` entries of a run at `time` as a function of the number of steps.
local function runner(system, method, time, count)
  return function(steps)
    return { table.unpack((at(system, method, time, steps)), 1, count) }
  end
end

local function sizes(values)
  local result = {}
  for i, value in ipairs(values) do
    result[i] = math.abs(value)
  end
  return result
end

-- Positions, velocities and multipliers at `time`: those of variational methods belong to the node
-- that a step starts from, and come with the next step.
local function with_multipliers(system, method, time, change)
  return function(steps)
    local state, stepper = at(system, method, time, steps)
    assert(stepper:step())
    local multipliers, t = stepper:multipliers()
    check.close(t, time, 1e-12 * time)
    for i, multiplier in ipairs(multipliers) do
      state[#state + 1] = change(i, multiplier)
    end
    return state
  end
end

-- ---- the pendulum on a curve --------------------------------------------------------------------
-- Minimal coordinates and Taylor series give 12 digits.
local function test_pendulum_on_curve(method)
  local system = mechanism.scenario "pendulum_on_curve"
  local function chosen(time, indices)
    return function(steps)
      local state = at(system, method, time, steps)
      local result = {}
      for i, index in ipairs(indices) do
        result[i] = state[index]
      end
      return result
    end
  end
  converges("t = 1 of " .. method, chosen(1, { 1, 3 }), 500,
    { -0.370252442393, -0.536371469529 }, { gain = 1e3 })
  converges("t = 5 of " .. method, chosen(5, { 1, 3, 4, 6 }), 2500,
    { -0.315693356132, 0.717073665337, 0.326791427195, 3.37533488768 }, { gain = 1e3 })
  -- released at rest with E = 0: the energy comes back, and the tip stays on its side
  local stepper = mechanism.start(system, method, 1e-3)
  local energy = stepper:energy()
  check.close(energy, -9.81 + 9.81, 1e-14)
  for _ = 1, 100 do
    assert(stepper:step(100))
    check.close(stepper:energy(), 0, 2e-4)
    check.close(stepper:constraint_errors(), 0, 1e-15)
  end
end

-- With friction k |v|^2 / 2 of the pivot: dE/dt = -k |v|^2 whenever it moves, and at no time more.
local function lose_energy(system, method, damping, steps)
  local time, samples = 2, 40
  local stepper = mechanism.start(system, method, time / steps)
  local before = stepper:energy()
  local last, power, lost = before, 0, 0
  local first = before
  for _ = 1, samples do
    for _ = 1, steps // samples do
      assert(stepper:step())
      local v = stepper:velocities()
      local now = damping * (v[1] ^ 2 + v[2] ^ 2)
      lost = lost + (power + now) / 2 * time / steps
      power = now
    end
    last = stepper:energy()
    assert(last < before, "the energy grows")
    before = last
  end
  assert(lost > 1, "friction has done something")
  return first - last - lost
end

local function test_friction(method)
  local damping = 0.5
  local system = mechanism.scenario("pendulum_on_curve", { damping = damping })
  -- what is lost is what friction takes, to second order
  local coarse = lose_energy(system, method, damping, 2000)
  local fine = lose_energy(system, method, damping, 4000)
  check.close(math.log(math.abs(coarse / fine), 2), 2, 0.1)
  check.close(fine, 0, 1e-5)
end

-- ---- Andrews' squeezing mechanism ---------------------------------------------------------------
-- At t = 0.03 s: an extrapolation method of order 24 in quadruple precision, which agrees with the
-- published values of the Bari test set to their 7 to 10 digits.
local squeezer_positions = { 1.5810771195153707097e+01, -1.5756371058411839470e+01,
  4.0822240119645804858e-02, -5.3473011634207959377e-01, 5.2440996587995406937e-01,
  5.3473011634207959377e-01, 1.0480807410419378731e+00 }
local squeezer_velocities = { 1.1399203022591060642e+03, -1.4243792951775400732e+03,
  1.1032911910618593746e+01, 1.9293374105032040832e+01, 5.7356991482950245382e-01,
  -1.9293374105032040832e+01, 3.2317914924913087500e-01 }
local squeezer_multipliers = { 1.9917534810453862819e+02, -2.9755309974971763325e+01,
  2.3066543611622151129e+01, 3.1452725275771137075e+01, 2.2642494786394378578e+01,
  1.1617392352611255906e+01 }

local function test_squeezer(method)
  local system = mechanism.scenario "squeezer"
  local exact, scale = {}, {}
  for _, part in ipairs { squeezer_positions, squeezer_velocities, squeezer_multipliers } do
    local largest = 0
    for _, value in ipairs(part) do
      largest = math.max(largest, math.abs(value))
    end
    for _, value in ipairs(part) do
      exact[#exact + 1] = value
      scale[#scale + 1] = largest
    end
  end
  converges("squeezer, " .. method,
    with_multipliers(system, method, 0.03, function(_, value) return value end), 6000, exact,
    { scale = scale, gain = 100 })
  -- energy: what the motor gave, 0.033 N m over the crank's angle, is part of the potential
  local _, stepper = at(system, method, 0.03, 6000)
  check.close(stepper:energy(), (mechanism.start(system, method, 1e-5):energy()), 1e-5)
  check.close(stepper:constraint_errors(), 0, 1e-15)
end

-- ---- the car axis -------------------------------------------------------------------------------
-- At t = 3: the same method in quadruple precision; agrees with the published values.
local car_axis = { 4.9345578427524092132e-02, 4.9698946023000810677e-01, 1.0417425248854261152e+00,
  3.7391102726536581936e-01, -7.7058368403592084284e-02, 7.4468665920684164915e-03,
  1.7556815753541736630e-02, 7.7034104377960106312e-01,
  -4.7368865908533265153e-03, -1.1046803312595658399e-03 }

local function test_car_axis(method)
  local system = mechanism.scenario "car_axis"
  -- The set's multipliers: of the other sign, and of |d|^2 - 1 instead of (|d|^2 - 1) / 2.
  local function change(i, value)
    return i == 1 and -value or -value / 2
  end
  converges("car axis, " .. method, with_multipliers(system, method, 3, change), 6000, car_axis,
    { scale = sizes(car_axis), gain = 100 })
end

-- ---- Kepler -------------------------------------------------------------------------------------
-- Kepler's equation gives the state at t = 100 for e = 0.6.
local function test_kepler(method)
  local system = mechanism.scenario "kepler"
  converges("Kepler, " .. method, runner(system, method, 100, 4), 50000,
    { -0.10418320443418060473, -0.69474171556795059932,
      1.2361777626870763242, 0.56462325108586457376 }, { gain = 100 })
end

-- ---- a row of windows ---------------------------------------------------------------------------
-- IFToMM A02 with N = 2: the exact reduction to one angle, in quadruple precision. B0 and its velocity.
local windows = {
  [0.6] = { 8.84327595935854902e-01, 4.66866900802083729e-01,
    1.69643119150604086e+00, -3.21333749443249392e+00 },
  [2.0] = { 5.78157957680114318e-02, 9.98327267863455481e-01,
    1.01726013662043651e+00, -5.89122487134456482e-02 },
  [3.4] = { -6.66026815686814610e-01, 7.45927798641451544e-01,
    1.94738773223835465e+00, 1.73879087570205880e+00 },
  [10] = { 3.28458111540815379e-01, 9.44518538178600962e-01,
    1.42305147020694412e+00, -4.94868845487042959e-01 },
}

local function test_windows(method)
  local system = mechanism.scenario "four_bar"
  local stepper = mechanism.start(system, method, 1e-3)
  check.close(stepper:energy(), 35.835, 1e-12) -- 1.5 + 3.5 * 9.81
  for time, exact in pairs(windows) do
    converges(("windows at t = %g of %s"):format(time, method), function(steps)
      local state = at(system, method, time, steps)
      return { state[1], state[2], state[7], state[8] }
    end, math.floor(500 * time + 0.5), exact, { gain = 100 })
  end
end

-- ---- the two-link arm ---------------------------------------------------------------------------
-- Case I of Ascher et al. at t = 40 s, from an independent computation with Heun's method and their
-- stabilization S-both^2, of which h = 1e-3 s leaves about 4 digits.
local function test_two_link_arm(method)
  local parabola, lifted = mechanism.scenario "two_link_arm"
  local stepper = mechanism.start(parabola, method, 1e-3)
  assert(stepper:step(40000))
  local q = stepper:positions()
  check.close(q[1], 0.780531, 3e-4)
  check.close(q[2], -2.611722, 3e-4)
  local position, velocity = stepper:constraint_errors()
  check.close(position, 0, 1e-14) -- "S-both^2" of the paper's Table 6.1: 3e-15
  check.close(velocity, 0, 1e-13)
  -- case II, where h = 1e-3 s leaves S-both^2 two digits: theta = (1.104, 2.011)
  stepper = mechanism.start(lifted, method, 1e-4)
  assert(stepper:step(100000))
  q = stepper:positions()
  check.close(q[1], 1.10, 0.05)
  check.close(q[2], 2.01, 0.05)
  position, velocity = stepper:constraint_errors()
  check.close(position, 0, 1e-14)
  check.close(velocity, 0, 1e-12)
end

-- ---- the heavy top ------------------------------------------------------------------------------
-- Bruels and Cardona's data: m = 15 kg at X = (0, 1, 0) m of the body, central moments of inertia
-- (0.234375, 0.46875, 0.234375), from R = 1 with rates (0, 150, -4.61538) in the body. About the
-- pivot the moments are larger by m |X|^2 across X. In quadruple precision: R X and rates at 0.5 s.
local heavy_top = { -7.0246829705658558934e-01, -2.1165184701923326581e-02,
  -7.1140025765173440555e-01, -4.7105310174524884297e-01, 150, 5.9010830483264570279e+00 }

local function test_heavy_top(method)
  local top = mechanism.body({ 15.234375, 0.46875, 15.234375 }, { 0, 150, -4.61538 },
    function(q) return 15 * 9.81 * mechanism.rotate(q, { 0, 1, 0 })[3] end)
  converges("heavy top, " .. method, function(steps)
    local _, stepper = at(top, method, 0.5, steps)
    local q, v = stepper:positions(), stepper:velocities()
    local result = mechanism.rotate(q, { 0, 1, 0 })
    return table.move(mechanism.body_rates(q, v), 1, 3, 4, result)
  end, 4000, heavy_top, { gain = 30, scale = { 1, 1, 1, 150, 150, 150 } })
end

local tests = {}
local function add(name, test, methods)
  for i, method in ipairs(methods) do
    -- Under sanitizers one method each, and not the same for all.
    if not mechanism.sanitized or i == #name % 2 + 1 then
      tests[#tests + 1] = { name .. ", " .. method, function() test(method) end }
    end
  end
end
local variational = { "del-midpoint", "rattle" }
add("pendulum on a curve", test_pendulum_on_curve, variational)
add("friction", test_friction, variational)
add("squeezer", test_squeezer, variational)
add("car axis", test_car_axis, { "del-midpoint", "rattle", "del-endpoint" })
add("Kepler", test_kepler, { "del-midpoint", "rattle", "del-endpoint", "energy-momentum" })
add("windows", test_windows, variational)
add("two-link arm", test_two_link_arm, variational)
add("heavy top", test_heavy_top, variational)
mechanism.run(tests)
