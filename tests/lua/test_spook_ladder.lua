-- The ladder of Lacoursiere 2007, section 6, as in the scenario: what figures 4 and 6 say of SPOOK, and
-- that methods which keep g = 0 do not get through with its steps.
local mechanism = require "mechanism"

local parameters = { epsilon = 1e-8, tau_over_h = 2 }
local seconds = mechanism.sanitized and 5 or 60

local function new_ladder(cells)
  return (mechanism.scenario("spook_ladder", { cells = cells }))
end

-- A minute without blow-up: every number stays finite, the energy never rises above that of the start
-- by more than 1 % (figure 4), and after every whip the joints close again: the worst of them is open
-- by less than `mean` metres on average.
local function fall(cells, rate, mean)
  local stepper = mechanism.start(new_ladder(cells), "spook", 1 / rate, parameters)
  local start = stepper:energy()
  local sum, last = 0, start
  for _ = 1, seconds * rate do
    assert(stepper:step())
    last = stepper:energy()
    assert(last <= start + 0.01 * math.abs(start), ("energy %g J of %g"):format(last, start))
    sum = sum + stepper:constraint_errors()
  end
  assert(last < start, "nothing was damped")
  local average = sum / (seconds * rate)
  assert(average < mean, ("%d cells: joints are open by %g m on average"):format(cells, average))
end
fall(10, 60, 0.05)
fall(20, 60, 0.05)
fall(20, 20, 0.5)
if not mechanism.sanitized then
  fall(100, 60, 0.25)
end

-- Figure 6: the average violation is of order 2 in the step, over the first two seconds.
local function average_violation(rate)
  local stepper = mechanism.start(new_ladder(10), "spook", 1 / rate, parameters)
  local sum = 0
  for _ = 1, 2 * rate do
    assert(stepper:step())
    sum = sum + stepper:constraint_errors()
  end
  return sum / (2 * rate)
end
local slope = math.log(average_violation(60) / average_violation(480)) / math.log(8)
assert(math.abs(slope - 2) < 0.2, ("slope %g"):format(slope))

-- Plain SHAKE, RATTLE and Newton's method on the rows of SPOOK end at a whip.
for _, method in ipairs { "del-endpoint", "rattle", "spook-newton" } do
  local options = method == "spook-newton" and parameters or nil
  local stepper = mechanism.start(new_ladder(20), method, 1 / 60, options)
  local good, message = stepper:step(60 * 60)
  assert(not good and message:find("the step is too large", 1, true), method .. " went on")
  assert(stepper:time() < 20, stepper:time())
end

print "ok"
