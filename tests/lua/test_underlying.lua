-- Methods on the underlying ODE: mechanisms of the literature at tight tolerances, drifts, redundant,
-- nonholonomic and rheonomic constraints, dissipation, refusals.
local check = require "check"
local mechanism = require "mechanism"
local vida = require "vida"

-- A started stepper with options like { "baumgarte", rtol = 1e-8 }, and it after `time`.
local function run(system, wishes, time, nodes)
  local copy = { h = time / (nodes or 1) }
  for key, value in pairs(wishes) do
    copy[key] = value
  end
  local stepper = system:stepper(copy)
  stepper:start()
  assert(stepper:step(nodes or 1))
  return stepper
end

local function relative(a, b)
  local largest = 0
  for i, value in ipairs(b) do
    largest = math.max(largest, math.abs(a[i] / value - 1))
  end
  return largest
end

local precise = {
  { "post-stabilized", rtol = 1e-10 }, -- s-both2, Dormand and Prince
  { "post-stabilized", rtol = 1e-10, variant = "s-full" },
  { "coordinate-projection", rtol = 1e-10 },
  { "coordinate-projection", rtol = 1e-10, metric = "identity" },
  { "coordinate-projection", rtol = 1e-10, integrator = "fehlberg" },
  { "coordinate-partitioning", rtol = 1e-10 },
  { "coordinate-partitioning", rtol = 1e-10, coordinates = "tangent" },
  { "stabilized-ode", rtol = 1e-10 },
  { "stabilized-ode", rtol = 1e-10, projection = "triangular" },
  { "half-explicit", rtol = 1e-10 },
  { "half-explicit", rtol = 1e-10, first_stage = "scheme" },
  { "half-explicit", rtol = 1e-10, metric = "identity" },
  { "half-explicit", rtol = 1e-10, scheme = "phem56" },
  { "half-explicit", rtol = 1e-10, scheme = "phem56", first_stage = "scheme" },
  { "half-explicit", rtol = 1e-10, scheme = "hem4" },
  { "extrapolation", rtol = 1e-10 },
  { "extrapolation", rtol = 1e-10, scheme = "euler", metric = "identity" },
}

-- ---- the squeezer -------------------------------------------------------------------------------
-- At t = 0.03: quadruple precision, to more digits than those of the test set of Bari.
local squeezer = mechanism.scenario "squeezer"
local squeezer_positions = { 1.5810771195153707097e+01, -1.5756371058411839470e+01,
  4.0822240119645804858e-02, -5.3473011634207959377e-01, 5.2440996587995406937e-01,
  5.3473011634207959377e-01, 1.0480807410419378731e+00 }
local squeezer_multipliers = { 1.9917534810453862819e+02, -2.9755309974971763325e+01,
  2.3066543611622151129e+01, 3.1452725275771137075e+01, 2.2642494786394378578e+01,
  1.1617392352611255906e+01 }

local function test_squeezer(wishes)
  local stepper = run(squeezer, wishes, 0.03)
  local off = relative(stepper:positions(), squeezer_positions)
  assert(off < 1e-8, "positions are off by " .. off)
  off = relative(stepper:multipliers(), squeezer_multipliers)
  assert(off < 1e-6, "multipliers are off by " .. off)
end

-- Table 6.4 of Ascher, Chin, Petzold and Reich 1995: drifts over 0.3 s within a factor of ten. "The various
-- variants cost about the same to execute": the test compares numbers of steps, but not their order, which
-- differs by some tenths of a percent and depends on the version of ARKODE. "The maximum drifts are much
-- smaller using our method": S-both2 has the drifts of a correction that is decomposed at the last stage.
local drifting = {
  { { "baumgarte" }, 0.93e-3, 0.11e-1 },
  { { "baumgarte", alpha1 = 12, alpha0 = 70 }, 0.45e-3, 0.44e-2 },
  { { "baumgarte", alpha1 = 200, alpha0 = 10000 }, 0.91e-5, 0.95e-4 },
  { { "post-stabilized", projection = "identity", decomposition = "stage" }, 0.29e-13, 0.17e-7 },
}

local function test_drifts()
  local fewest, most, least = math.huge, 0, math.huge
  for i, row in ipairs(drifting) do
    local wishes, position, velocity = table.unpack(row)
    wishes.rtol, wishes.atol = 1e-5, 1e-6
    local stepper = run(squeezer, wishes, 0.3 / 300)
    local g, rate = 0, 0
    for _ = 2, 300 do
      assert(stepper:step())
      local at, speed = stepper:constraint_errors()
      g, rate = math.max(g, at), math.max(rate, speed)
    end
    assert(g < 10 * position and rate < 10 * velocity, ("row %d: %g and %g"):format(i, g, rate))
    assert(g > position / 10 and rate > velocity / 10, ("row %d: %g and %g"):format(i, g, rate))
    assert(g < least, ("row %d drifts more than the one before it: %g"):format(i, g))
    least = g
    local taken = stepper:statistics().steps + stepper:statistics().rejected_steps
    fewest, most = math.min(fewest, taken), math.max(most, taken)
  end
  assert(most < 1.1 * fewest, ("from %d to %d steps"):format(fewest, most))
end

-- ---- the car axis -------------------------------------------------------------------------------
-- At t = 3, quadruple precision; multipliers in the convention of the scenario.
local car = mechanism.scenario "car_axis"
local car_positions = { 4.9345578427524092132e-02, 4.9698946023000810677e-01,
  1.0417425248854261152e+00, 3.7391102726536581936e-01 }
local car_multipliers = { 4.7368865908533265153e-03, 2 * 1.1046803312595658399e-03 }

local function test_car_axis(wishes)
  local stepper = run(car, wishes, 3)
  local off = relative(stepper:positions(), car_positions)
  assert(off < 1e-8, "positions are off by " .. off)
  off = relative(stepper:multipliers(), car_multipliers)
  assert(off < 1e-6, "multipliers are off by " .. off)
end

-- ---- a pendulum on a curve: another mass matrix, dissipation ---------------------------------------
-- Minimal coordinates and Taylor series give 12 digits.
local function test_curve(wishes)
  local system = mechanism.scenario "pendulum_on_curve"
  local stepper = run(system, wishes, 5)
  local q, v = stepper:positions(), stepper:velocities()
  check.close(q[1], -0.315693356132, 1e-7)
  check.close(q[3], 0.717073665337, 1e-7)
  check.close(v[1], 0.326791427195, 1e-6)
  check.close(v[3], 3.37533488768, 1e-6)
  -- with friction at the pivot: dE/dt = -k |v|^2
  local k = 0.3
  system = mechanism.scenario("pendulum_on_curve", { damping = k })
  local h = 1e-3
  stepper = run(system, wishes, 1, 1000)
  local before = stepper:energy()
  v = stepper:velocities()
  local power = k * (v[1] ^ 2 + v[2] ^ 2)
  for _ = 1, 2 do
    local first = power
    assert(stepper:step())
    v = stepper:velocities()
    power = k * (v[1] ^ 2 + v[2] ^ 2)
    local after = stepper:energy()
    check.close(after - before, -h * (first + power) / 2, 1e-7)
    assert(after < before)
    before = after
  end
end

-- ---- redundant constraints ------------------------------------------------------------------------
-- A door on two hinges is back where it began after its period (a physical pendulum, elliptic integral).
local function test_door(wishes)
  local period = 4.2183052440757
  local system = mechanism.scenario("door", { hinges = 2 })
  local stepper = run(system, wishes, period)
  local q = stepper:positions()
  local first = system:stepper { "rattle", h = 1 }
  first:start()
  for i, value in ipairs(first:positions()) do
    check.close(q[i], value, 1e-6)
  end
  local g, rate = stepper:constraint_errors()
  assert(g < 1e-7 and rate < 1e-6)
end

-- A parallelogram of three bodies on four hinges in space, 20 rows of rank 17, moves like the same one
-- of rods in the plane.
local function parallelogram_in_space()
  local system = vida.system "parallelogram in space"
  system:gravity { 1, 0, 0 }
  local function rod(name, length, position, axis)
    local thin, across = 1e-3, length ^ 2 / 12
    local inertia = axis == "x" and { thin, across, across } or { across, across, thin }
    return system:body { name, mass = 1, inertia = inertia, position = position, as = "directors" }
  end
  local crank = rod("crank", 1, { 0, 0, 0.5 }, "z")
  local coupler = rod("coupler", 2, { 1, 0, 1 }, "x")
  local rocker = rod("rocker", 1, { 2, 0, 0.5 }, "z")
  local y = { 0, 1, 0 }
  system:revolute { "A", system.ground, crank, at = { 0, 0, 0 }, axis = y }
  system:revolute { "B", crank, coupler, at = { 0, 0, 1 }, axis = y }
  system:revolute { "C", coupler, rocker, at = { 2, 0, 1 }, axis = y }
  system:revolute { "D", system.ground, rocker, at = { 2, 0, 0 }, axis = y }
  system:observe { "x", coupler.position.x, unit = "m" }
  system:observe { "height", coupler.position.z, unit = "m" }
  return system
end

local function parallelogram_in_plane()
  local system = vida.system { "parallelogram", dimension = 2 }
  local crank = system:rod { "crank", mass = 1, length = 1, centre = { 0, 0.5 }, angle = math.pi / 2 }
  local coupler = system:rod { "coupler", mass = 1, length = 2, centre = { 1, 1 }, angle = 0 }
  local rocker = system:rod { "rocker", mass = 1, length = 1, centre = { 2, 0.5 }, angle = math.pi / 2 }
  system:revolute { "A", system.ground, crank.tail }
  system:revolute { "B", crank.head, coupler.tail }
  system:revolute { "C", coupler.head, rocker.head }
  system:revolute { "D", system:anchor { 2, 0 }, rocker.tail }
  system:gravity { 1, 0 }
  system:observe { "x", coupler.position.x, unit = "m" }
  system:observe { "height", coupler.position.y, unit = "m" }
  return system
end

local function test_four_bar(wishes)
  local space = parallelogram_in_space()
  local plane = parallelogram_in_plane()
  local in_space = run(space, wishes, 1):observables()
  local in_plane = run(plane, wishes, 1):observables()
  check.close(in_space.x, in_plane.x, 1e-7)
  check.close(in_space.height, in_plane.height, 1e-7)
  assert(math.abs(in_plane.x - 1) > 0.1)
end

-- ---- nonholonomic rows ----------------------------------------------------------------------------
-- The knife edge on an incline, in closed form (Bloch, section 1.6): with w = phi' and
-- a = g sin(alpha), x = a / (2 w^2) sin^2(w t), y = a / (2 w^2) (w t - sin(2 w t) / 2), and the force
-- of the edge -2 m a sin(w t).
local function test_knife_edge(wishes)
  local mass, inertia, a, w = 1.25, 0.13, 9.81 * math.sin(0.3), 1.5
  local system = vida.system { "knife edge", dimension = 2 }
  local x, u = system:coordinate { "x", unit = "m", value = 0, rate = 0 }
  local _, v = system:coordinate { "y", unit = "m", value = 0, rate = 0 }
  local phi, rate = system:coordinate { "phi", unit = "rad", value = 0, rate = w }
  system:kinetic { "knife", mass / 2 * (u ^ 2 + v ^ 2) + inertia / 2 * rate ^ 2 }
  system:potential { "weight", -mass * a * x }
  system:nonholonomic { "edge", u * vida.sin(phi) - v * vida.cos(phi), unit = "m/s" }
  local t = 2
  local stepper = run(system, wishes, t)
  local q = stepper:positions()
  check.close(q[1], a / (2 * w ^ 2) * math.sin(w * t) ^ 2, 1e-7)
  check.close(q[2], a / (2 * w ^ 2) * (w * t - math.sin(2 * w * t) / 2), 1e-7)
  check.close(q[3], w * t, 1e-9)
  check.close(math.abs(stepper:multipliers()[1]), 2 * mass * a * math.sin(w * t), 1e-5)
end

-- ---- refusals ---------------------------------------------------------------------------------------
local function test_refusals()
  local pendulum = check.plain_pendulum()
  local function refuses(text, wishes)
    check.fails(text, function() pendulum:stepper(wishes) end)
  end
  refuses("keeps a history of past steps",
    { "post-stabilized", integrator = "bdf", rtol = 1e-6, h = 1 })
  refuses("cvode-projected, baumgarte and stabilized-ode can take it",
    { "coordinate-projection", integrator = "adams", rtol = 1e-6, h = 1 })
  refuses("ends with each change of the independent coordinates",
    { "coordinate-partitioning", integrator = "adams", rtol = 1e-6, h = 1 })
  refuses("the tolerance rtol is missing", { "baumgarte", integrator = "adams", h = 0.1 })
  refuses("has no error estimate", { "baumgarte", integrator = "rk4", rtol = 1e-6, h = 0.1 })
  refuses("zonneveld, cash-karp, dormand-prince, verner, fehlberg, sdirk2, esdirk3, esdirk4 and esdirk5 can",
    { "coordinate-projection", integrator = "midpoint", rtol = 1e-6, h = 0.1 })
  refuses("integrator 'esdirk3' is implicit, and its last stage is the end of the step",
    { "post-stabilized", integrator = "esdirk3", decomposition = "stage", h = 0.1 })
  refuses("s-full always uses the full projection",
    { "post-stabilized", variant = "s-full", projection = "mass", h = 0.1 })
  refuses("takes either alpha1 and alpha0, or gamma, or gamma_h",
    { "baumgarte", alpha1 = 1, gamma = 1, h = 0.1 })
  refuses("which varies with rtol", { "baumgarte", gamma_h = 1, rtol = 1e-6, h = 0.1 })
  refuses("which varies with rtol", { "stabilized-ode", gamma_h = 1, rtol = 1e-6, h = 0.1 })
  refuses("gamma or gamma_h, not both", { "stabilized-ode", gamma_h = 1, gamma = 1, h = 0.1 })
  -- too much work is told with ARKODE's own flag
  local stepper = pendulum:stepper { "baumgarte", rtol = 1e-10, max_steps = 3, h = 10 }
  stepper:start()
  local good, message = stepper:step()
  assert(not good and message:find("more steps than max_steps", 1, true), message)
  check.close(stepper:positions()[1], 1, 0)
  -- explicit steps of a stiff system, which stay near 1/(rate of damping) = 1e-11 s, are given up at once
  local stiff = vida.system { "stiff" }
  local speck = stiff:particle { "speck", mass = 1e-12, position = { 1, 0, 0 }, velocity = { 0.5, 0, 0 } }
  stiff:damper { "damper", speck, stiff:anchor { 0, 0, 0 }, damping = 0.1 }
  for _, method in ipairs { "post-stabilized", "half-explicit", "extrapolation" } do
    stepper = stiff:stepper { method, rtol = 1e-2, h = 1 }
    stepper:start()
    good, message = stepper:step()
    assert(not good and message:find("would be needed to reach the next output state", 1, true), message)
    assert(message:find("if the system is stiff", 1, true), message)
    assert(stepper:statistics().steps < 1e5)
  end
end

-- ---- the pendulum, by CVODE and by chosen steps ---------------------------------------------------------
-- Jacobi's elliptic functions: from the horizontal with g = 13.7503671 the period is 2.00000032988504;
-- with g = 9.81 it is at (0.181513351427, -0.9833884803341) after 100 s; released at 60 degrees, at
-- -0.65186304674198 rad after 10 s whatever its mass.
local function new_pendulum(gravity, mass, x, y)
  local system = vida.system { "pendulum", dimension = 2 }
  system:gravity { 0, -gravity }
  local bob = system:particle { "bob", mass = mass, position = { x, y } }
  system:distance { "rod", system.ground, bob, length = 1 }
  return system
end

local function test_pendulum()
  for _, wishes in ipairs {
    { "cvode-projected", rtol = 1e-10 }, { "post-stabilized", rtol = 1e-10 },
    { "coordinate-projection", rtol = 1e-10 }, { "coordinate-partitioning", rtol = 1e-10 },
    { "half-explicit", rtol = 1e-10 }, { "half-explicit", rtol = 1e-10, scheme = "phem56" },
    { "extrapolation", rtol = 1e-10 }, { "extrapolation", rtol = 1e-10, scheme = "euler" } } do
    local stepper = run(new_pendulum(13.7503671, 1, 1, 0), wishes, 10)
    local q = stepper:positions()
    check.close(q[1], 1, 1e-9)
    check.close(q[2], 0, 2e-6)
    check.close(stepper:constraint_errors(), 0, 1e-13)
    stepper = run(new_pendulum(9.81, 1, 1, 0), wishes, 100)
    q = stepper:positions()
    check.close(q[1], 0.181513351427, 2e-4)
    check.close(q[2], -0.9833884803341, 4e-5)
    check.close(stepper:constraint_errors(), 0, 1e-13)
    for _, mass in ipairs { 1e-6, 1, 1e3, 1e9 } do
      stepper = run(new_pendulum(9.81, mass, math.sin(math.pi / 3), -0.5), wishes, 10)
      q = stepper:positions()
      check.close(math.atan(q[1], -q[2]), -0.65186304674198, 2e-6)
    end
  end
end

-- ---- where one looks does not matter -----------------------------------------------------------------
-- States between steps belong to the same motion, and are as good as the ends of steps.
local function test_nodes()
  local period = 2.36784194757624
  for _, wishes in ipairs {
    { "post-stabilized", rtol = 1e-9 }, { "post-stabilized", rtol = 1e-9, integrator = "fehlberg" },
    { "post-stabilized", rtol = 1e-9, integrator = "esdirk5" },
    { "half-explicit", rtol = 1e-9 }, { "half-explicit", rtol = 1e-9, scheme = "hem4" },
    { "extrapolation", rtol = 1e-9 }, { "extrapolation", rtol = 1e-9, scheme = "euler" },
    { "cvode-projected", rtol = 1e-9 }, { "coordinate-partitioning", rtol = 1e-9 } } do
    local pendulum = check.plain_pendulum()
    local few = run(pendulum, wishes, period, 1)
    local many = run(pendulum, wishes, period, 300)
    check.close(few:positions()[1], 1, 1e-8)
    check.close(many:positions()[1], 1, 1e-8)
    check.close(few:positions()[2], 0, 2e-6)
    check.close(many:positions()[2], 0, 2e-6)
    if wishes[1] ~= "coordinate-partitioning" then
      local a, b = few:statistics().steps, many:statistics().steps
      assert(math.abs(a - b) < 0.1 * a, ("%s: %d and %d steps"):format(wishes[1], a, b))
    end
  end
end

-- CVODE solves with its full matrix and, in a large system, without; ARKODE's table needs neither.
local function test_large()
  local function chain()
    local s = vida.system { "chain", dimension = 3 }
    s:gravity { 0, 0, -9.81 }
    local last = s.ground
    for i = 1, 340 do
      local p = s:particle { "p" .. i, mass = 1, position = { i, 0, 0 },
        velocity = { 0, 0.1 * math.sin(i), 0 } }
      s:distance { "r" .. i, last, p, length = 1 }
      last = p
    end
    return s
  end
  local by_bdf = run(chain(), { "cvode-projected", rtol = 1e-8 }, 0.05)
  local by_table = run(chain(), { "coordinate-projection", rtol = 1e-10 }, 0.05)
  local q, exact = by_bdf:positions(), by_table:positions()
  for i = 1, #q do
    check.close(q[i], exact[i], 1e-8 * 340) -- rtol times the size of the chain
  end
end

local tests = { { "drifts of the squeezer", test_drifts }, { "refusals", test_refusals },
  { "nodes", test_nodes }, { "pendulum", test_pendulum }, { "large chain", test_large } }
for _, wishes in ipairs(precise) do
  local what = {}
  for key, value in pairs(wishes) do
    what[#what + 1] = key == 1 and value or ("%s = %s"):format(key, value)
  end
  local name = table.concat(what, " ")
  local function add(case, test)
    tests[#tests + 1] = { case .. ", " .. name, function() test(wishes) end }
  end
  add("squeezer", test_squeezer)
  add("car axis", test_car_axis)
  add("pendulum on a curve", test_curve)
  add("door", test_door)
  add("four-bar", test_four_bar)
  add("knife edge", test_knife_edge)
end
mechanism.run(tests)
