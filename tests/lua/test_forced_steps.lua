-- Adaptive methods that end a step at each state that is given out say how many of their steps that is,
-- and the table of a comparison names the runs in which it is most of them.
local check = require "check"

for _, method in ipairs { "radau", "coordinate-partitioning" } do
  for _, wish in ipairs { { 1e-4, 100 }, { 1, 1 } } do
    local stepper = check.pendulum():stepper { method, h = wish[1], rtol = 1e-6 }
    stepper:start()
    assert(stepper:step(wish[2]))
    local found = stepper:statistics()
    assert(found.forced_steps <= found.steps)
    if wish[2] == 100 then -- states far closer than the steps of this tolerance
      assert(found.forced_steps > 80, found.forced_steps)
    else
      assert(found.forced_steps < 3 and found.steps > 5, found.forced_steps)
    end
  end
end
local fixed = check.pendulum():stepper { "rattle", h = 0.01 }
fixed:start()
assert(fixed:step(10))
assert(fixed:statistics().forced_steps == 0)
