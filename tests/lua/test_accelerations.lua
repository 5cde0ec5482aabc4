-- Accelerations and multipliers of mechanisms: one solve with the mass matrix and the constraint
-- Jacobian that come from Lagrangians and constraints, against published and independent numbers.
local check = require "check"
local mechanism = require "mechanism"

-- Entries against those expected: relative to each of them, and to the largest where one is zero.
local function agree(values, expected, tolerance)
  assert(#values == #expected)
  local largest = 0
  for _, value in ipairs(expected) do
    largest = math.max(largest, math.abs(value))
  end
  for i, value in ipairs(expected) do
    check.close(values[i], value, tolerance * (value ~= 0 and math.abs(value) or largest))
  end
end

-- ---- Andrews' squeezing mechanism ---------------------------------------------------------------
-- The Bari test set's initial column, and the state at t = 0.03 s in quadruple precision.
local function test_squeezer()
  local system = mechanism.scenario "squeezer"
  local a, lambda = system:accelerations()
  agree(a, { 14222.4439199541138705911625887, -10666.8329399655854029433719415, 0, 0, 0, 0, 0 }, 1e-9)
  agree(lambda, { 98.5668703962410896057654982170, -6.12268834425566265503114393122, 0, 0, 0, 0 },
    1e-9)
  -- from there on everything moves; its digits are those of q and v, times a condition of 1e5 or so
  a, lambda = system:accelerations(
    { 15.810771195153707, -15.756371058411839, 0.040822240119645804, -0.53473011634207959,
      0.52440996587995406, 0.53473011634207959, 1.0480807410419378 },
    { 1139.9203022591060, -1424.3792951775400, 11.032911910618593, 19.293374105032040,
      0.57356991482950245, -19.293374105032040, 0.32317914924913087 }, 0.03)
  agree(a, { -24631.763122874634470, 51850.319636464231534, 324102.60070757860581,
    566749.42200099532649, 16743.635418345444609, -566749.42200099532649, 9826.5078015441626885 }, 1e-9)
  agree(lambda, { 199.17534810453862819, -29.755309974971763325, 23.066543611622151129,
    31.452725275771137075, 22.642494786394378578, 11.617392352611255906 }, 1e-9)
end

-- ---- the car axis -------------------------------------------------------------------------------
-- At t = 0 the springs are at rest and everything falls; multipliers are zero. At t = 3 the
-- multipliers of the computation in quadruple precision, from its state.
local function test_car_axis()
  local system = mechanism.scenario "car_axis"
  local a, lambda = system:accelerations()
  agree(a, { 0, -1, 0, -1 }, 1e-13)
  check.close(mechanism.distance(lambda, { 0, 0 }), 0, 1e-17) -- of 1e-3
  a, lambda = system:accelerations(
    { 0.049345578427524092, 0.49698946023000810, 1.0417425248854261, 0.37391102726536581 },
    { -0.077058368403592084, 0.0074468665920684164, 0.017556815753541736, 0.77034104377960106 }, 3)
  -- the set's signs and its second constraint differ; see the scenario
  agree({ -lambda[1], -lambda[2] / 2 }, { -4.7368865908533265153e-03, -1.1046803312595658399e-03 }, 1e-9)
  assert(#a == 4)
end

-- ---- a row of windows ---------------------------------------------------------------------------
-- IFToMM A02, N = 2: the exact reduction, angle theta and rate in quadruple precision; then
-- J theta'' = -((N + 1) / 2 + N) g cos theta with J = (N + 1) / 3 + N, for each of the upper joints.
local function test_windows()
  local system = mechanism.scenario "four_bar"
  for _, state in ipairs { { 1.57079632679489661923, -1 },
    { 0.485744534059416261421, -3.63365059418765571493 },
    { -10.2667047522991133950, -2.61069199429905445128 } } do
    local theta, rate = state[1], state[2]
    local c, s = math.cos(theta), math.sin(theta)
    local change = -3.5 * 9.81 * c / 3
    local q, v, expected = {}, {}, {}
    for i = 0, 2 do
      table.move({ c + i, s }, 1, 2, 2 * i + 1, q)
      table.move({ -s * rate, c * rate }, 1, 2, 2 * i + 1, v)
      table.move({ -s * change - c * rate ^ 2, c * change - s * rate ^ 2 }, 1, 2, 2 * i + 1, expected)
    end
    local a = system:accelerations(q, v, 0)
    check.close(mechanism.distance(a, expected), 0, 1e-11)
  end
  check.close(mechanism.distance((system:accelerations()), { 0, -1, 0, -1, 0, -1 }), 0, 1e-14)
end

-- ---- the heavy top ------------------------------------------------------------------------------
-- As a quaternion about its pivot: Euler's equations J w' = J w x w + X x R^T m g, at the start of
-- Bruels and Cardona's data and in a state of no symmetry.
local function test_heavy_top()
  local inertia, x = { 15.234375, 0.46875, 15.234375 }, { 0, 1, 0 }
  local top = mechanism.body(inertia, { 0, 150, -4.61538 },
    function(q) return 15 * 9.81 * mechanism.rotate(q, x)[3] end)
  for _, state in ipairs { { q = { 1, 0, 0, 0 }, w = { 0, 150, -4.61538 } },
    { q = { 0.1, 0.5, -0.7, 0.5 }, w = { 3, 50, -7 } } } do
    local q, w = state.q, state.w
    local size = math.sqrt(q[1] ^ 2 + q[2] ^ 2 + q[3] ^ 2 + q[4] ^ 2)
    for i = 1, 4 do
      q[i] = q[i] / size
    end
    local v = { -(q[2] * w[1] + q[3] * w[2] + q[4] * w[3]) / 2,
      (q[1] * w[1] + q[3] * w[3] - q[4] * w[2]) / 2,
      (q[1] * w[2] + q[4] * w[1] - q[2] * w[3]) / 2,
      (q[1] * w[3] + q[2] * w[2] - q[3] * w[1]) / 2 }
    local weight = mechanism.rotate({ q[1], -q[2], -q[3], -q[4] }, { 0, 0, -15 * 9.81 })
    local l = { inertia[1] * w[1], inertia[2] * w[2], inertia[3] * w[3] }
    local expected = {}
    for i = 1, 3 do
      local j, k = i % 3 + 1, (i + 1) % 3 + 1
      expected[i] = (l[j] * w[k] - l[k] * w[j] + x[j] * weight[k] - x[k] * weight[j]) / inertia[i]
    end
    local a = top:accelerations(q, v, 0)
    -- w' is the vector part of 2 conj(q) a
    agree(mechanism.body_rates(q, a), expected, 1e-10)
  end
end

mechanism.run {
  { "squeezer", test_squeezer },
  { "car axis", test_car_axis },
  { "windows", test_windows },
  { "heavy top", test_heavy_top },
}
