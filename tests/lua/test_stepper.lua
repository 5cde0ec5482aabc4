-- system:stepper: starting, stepping, looking, and bad input.
local check = require "check"
local vida = require "vida"

local fails = check.fails_here

-- ---- mistakes -----------------------------------------------------------------------------------
local pendulum = check.pendulum()
fails("stepper: expected a table such as { \"rattle\", h = 0.01 }, got nothing",
  function() pendulum:stepper() end)
fails("stepper: unknown method 'ratttle'; did you mean 'rattle'?",
  function() pendulum:stepper { "ratttle", h = 0.1 } end)
fails("stepper.h: expected a positive number in s, got -0.1",
  function() pendulum:stepper { "rattle", h = -0.1 } end)
fails("stepper.h: expected a number in s, got a table",
  function() pendulum:stepper { "rattle", h = { 0.1 } } end)
fails("stepper: ", function() pendulum:stepper { "rattle" } end)

-- ---- every method on the pendulum ---------------------------------------------------------------
for _, method in ipairs(check.constrained_methods()) do
  local stepper = pendulum:stepper { method.name, h = 0.01 }
  assert(tostring(stepper):find("stepper of system 'pendulum'", 1, true))
  fails("", function() stepper:step() end) -- not started
  assert(stepper:start() == "")
  assert(stepper:time() == 0)
  assert(stepper:multipliers() == nil)
  local energy = stepper:energy()
  check.close(energy, 0, 1e-14)
  assert(stepper:step() == true)
  assert(stepper:step(99) == true)
  assert(stepper:step(0) == true)
  check.close(stepper:time(), 1, 1e-15)
  local q, v, p = stepper:positions(), stepper:velocities(), stepper:momenta()
  assert(#q == 2 and #v == 2 and #p == 2)
  -- The closed form of t = 1 s: 4 digits are what h = 0.01 gives.
  local stretch = check.keeps_constraints(method) and 1e-12 or 5e-3
  check.close(math.sqrt(q[1] ^ 2 + q[2] ^ 2), 1, stretch)
  check.close(0.5 * (v[1] ^ 2 + v[2] ^ 2) + 9.81 * q[2], 0, 0.1)
  energy = stepper:energy()
  check.close(energy, 0, 0.1)
  local multipliers, t = stepper:multipliers()
  assert(#multipliers == 1 and multipliers[1] > 0, "the rod is pulled")
  assert(t > 0.98 and t <= 1)
  local g, rate = stepper:constraint_errors()
  assert(g <= stretch and rate < 0.1)
  local statistics = stepper:statistics()
  local chooses = table.concat(method.capabilities, "\n"):find "can choose its own steps"
  assert((statistics.steps == 100 or chooses) and statistics.newton_iterations >= 0)

  -- From given values, at another time; a second start gives the same steps again.
  stepper:start(10, { 0, -1 }, { 0.5, 0 })
  assert(stepper:time() == 10 and stepper:statistics().steps == 0)
  stepper:step(5)
  local first = stepper:positions()
  stepper:start(10, { 0, -1 }, { 0.5, 0 })
  stepper:step(5)
  local second = stepper:positions()
  assert(first[1] == second[1] and first[2] == second[2])
  stepper:close()
end

-- ---- starts -------------------------------------------------------------------------------------
local stepper = pendulum:stepper { "rattle", h = 0.01 }
fails("start.positions: expected a list of 2 numbers, got 3",
  function() stepper:start(0, { 0, 1, 2 }, { 0, 0 }) end)
fails("start.positions[1]: expected a number, got the text \"0\"",
  function() stepper:start(0, { "0", 1 }, { 0, 0 }) end)
fails("start.velocities: expected a list of 2 numbers, got nothing",
  function() stepper:start(0, { 0, 1 }) end)
fails("start.time: expected a finite number, got nan",
  function() stepper:start(0 / 0, { 0, 1 }, { 0, 0 }) end)
fails("start: expected a table of options, or the time of a state, got the text",
  function() stepper:start("0s", { 0, 1 }, { 0, 0 }) end)
fails("start: unknown key 't1'", function() stepper:start { t1 = 1 } end)
fails("start.t0: expected a number, got the text \"1\"", function() stepper:start { t0 = "1" } end)
stepper:start { t0 = 2 }
assert(stepper:time() == 2)
fails("step: expected a number of steps, 0 or more, got -1",
  function() stepper:step(-1) end)
fails("a vida.stepper has no 'position'; did you mean 'positions'?",
  function() stepper:position() end)

local loose = vida.system "loose"
local a = loose:particle { "a", mass = 1, position = { 0, 0, 0 }, velocity = { 0.3, -1, 0 } }
local b = loose:particle { "b", mass = 1, position = { 1, 0, 0 }, velocity = { -0.1, 1, 0.2 } }
loose:distance { "rod", a, b, length = 1.0 }
local turning = loose:stepper { "rattle", h = 0.01 }
fails("the initial velocities violate constraint 'rod'", function() turning:start() end)
local notes = turning:start { adjust_start = true }
assert(notes ~= "")
local v = turning:velocities()
check.close(v[4] - v[1], 0, 1e-14)

-- From two points, as the papers do: the step in between is then made.
local two = pendulum:stepper { "del-midpoint", h = 0.01 }
two:start_two_points(0, { 0, -1 }, { math.sin(0.01), -math.cos(0.01) })
check.close(two:time(), 0.01, 0)
check.close(two:positions()[1], math.sin(0.01), 1e-15)
assert(two:step(10) == true)

-- ---- a step without a solution ------------------------------------------------------------------
local rotor = check.rotor()
local failing = rotor:stepper { "rattle", h = 1.0 }
failing:start()
local before = failing:positions()
local good, message, code = failing:step()
assert(good == nil and #message > 0)
assert(code:match("^[%u_]+$"), code)
assert(failing:time() == 0)
local after = failing:positions()
for i = 1, 6 do
  assert(before[i] == after[i], "a failed step leaves the state as it was")
end

-- ---- Newton's method ------------------------------------------------------------------------------
-- With the right Jacobian an error of 0.1 becomes rounding in four iterations: 1e-2, 1e-4, 1e-8, 1e-16.
-- A wrong term makes the convergence linear, and a step takes twice as many.
local function expect_quadratic(system, method, steps)
  local way = system:stepper(method)
  way:start { adjust_start = true }
  assert(way:step(steps))
  local mean = way:statistics().newton_iterations / steps
  assert(mean >= 1 and mean <= 5, ("%s: %g iterations a step"):format(method[1], mean))
end

for _, rows in ipairs { "midpoint", "endpoint" } do
  local s = vida.system "knife edge"
  local x, vx = s:coordinate { "x", value = 0, rate = 0 }
  local _, vy = s:coordinate { "y", value = 0, rate = 0 }
  local phi, omega = s:coordinate { "phi", value = 0, rate = 1.3 }
  s:lagrangian((vx ^ 2 + vy ^ 2 + omega ^ 2) / 2 + x + 3 * x * phi) -- x turns the edge
  s:nonholonomic { "edge", vida.sin(phi) * vx - vida.cos(phi) * vy }
  expect_quadratic(s, { "del-nonholonomic", rows = rows, h = 0.1 }, 40)
end
for stages = 3, 4 do
  local s = vida.system "top"
  s:gravity { 0, 0, -9.81 }
  local body = s:body { "top", mass = 1, inertia = { 1, 2, 3 }, position = { 0.3, 0, 0.4 },
    body_rates = { 0.1, 1, 3 } }
  s:ball { "foot", s.ground, body, at = { 0, 0, 0 } }
  expect_quadratic(s, { "spark-lobatto", stages = stages, h = 0.1 }, 50)
end

-- ---- closing ------------------------------------------------------------------------------------
stepper:close()
stepper:close()
assert(tostring(stepper) == "closed stepper")
for _, name in ipairs { "start", "step", "time", "positions", "velocities", "momenta",
  "multipliers", "energy", "constraint_errors", "statistics" } do
  check.fails("attempt to use a closed stepper", function() stepper[name](stepper) end)
end
check.fails("step: expected a stepper before it, with a colon", function() failing.step(rotor) end)

print("ok")
