-- What a failed step says: its number, time and length are those of the stepper that was asked,
-- whatever it is made of.
local vida = require "vida"

local function rod(rate)
  local s = vida.system { "rod", dimension = 2 }
  local p = s:particle { "p", mass = 1, position = { 1, 0 }, velocity = { 0, rate } }
  s:distance { "rod", s.ground, p, length = 1 }
  return s
end

local function step_until_it_fails(stepper, most)
  for k = 1, most do
    local before = stepper:time()
    local good, message = stepper:step(1)
    if not good then
      assert(stepper:time() == before and stepper:statistics().steps == k - 1, message)
      return message, k
    end
  end
  error("no step failed")
end

local function says(message, text)
  assert(message:find(text, 1, true), "expected " .. text .. " in: " .. message)
end

local function expect(stepper, h, most)
  local message, k = step_until_it_fails(stepper, most)
  says(message, ("step %d from t = %.10g"):format(k, (k - 1) * h))
  says(message, ("try less than h = %.6g"):format(h))
  return message
end

-- A rod that turns by more than half a turn in a stage, backwards.
local stepper = rod(1):stepper { "compose", base = "rattle", scheme = "yoshida4", h = 0.7 }
stepper:start()
says(expect(stepper, 0.7, 10), "in stage 2 of 3, which is -1.19169 long: ")

stepper = rod(1):stepper { "rattle-variable", h = 1.9 }
stepper:start()
says(expect(stepper, 1.9, 50), " in a step that is ")

for _, method in ipairs { "rattle", "del-midpoint", "energy-momentum", "hht", "radau" } do
  stepper = rod(1):stepper { method, h = 2.6 }
  stepper:start()
  local good, message = stepper:step(200)
  assert(good or message:find(("step %d from t = %.10g"):format(stepper:statistics().steps + 1,
    stepper:time()), 1, true), method .. ": " .. tostring(message))
end

-- A heavy bob on a light joint of two rods: the tension moves the joint by T h^2/(m l) = 3 of its
-- length in a step, and spook, which takes its direction from before, has no bounds there.
local function heavy(pull)
  local s = vida.system { "heavy", dimension = 2 }
  s:gravity { 0, -pull / 1000 }
  local a = s:particle { "a", mass = 1, position = { 0, -1 }, velocity = { 1e-4, 0 } }
  local b = s:particle { "b", mass = 1000, position = { 0, -2 } }
  s:distance { "upper", s.ground, a, length = 1 }
  s:distance { "lower", a, b, length = 1 }
  return s
end

stepper = heavy(3):stepper { "spook", h = 1 }
stepper:start()
says(expect(stepper, 1, 3000), "times its own size, and is torn")
-- Asked once more it says the same.
local again, message = stepper:step(1)
assert(not again)
says(message, "times its own size")

-- What is within bounds goes on, and so does what its compliance lets give way by as much.
stepper = heavy(0.5):stepper { "spook", h = 1 }
stepper:start()
assert(stepper:step(3000))
local soft = vida.system { "soft", dimension = 2 }
soft:gravity { 0, -9.81 }
local bob = soft:particle { "bob", mass = 1, position = { 0, -1e-6 } }
soft:distance { "thread", soft.ground, bob, length = 1e-6 }
stepper = soft:stepper { "spook", h = 0.01, compliance = 1e6 }
stepper:start()
assert(stepper:step(300))
assert(stepper:constraint_errors() > 1e4 * 1e-6, "the thread has hardly opened")

print "ok"

-- The shortened last step of a run is that of the run, not the first one of its new start.
for _, method in ipairs { "rattle", "del-midpoint", "radau" } do
  local s = vida.system { "pushed", dimension = 2 }
  local bead = s:particle { "bead", mass = 1, position = { 1, 0 } }
  s:distance { "rod", s.ground, bead, length = 1 }
  s:force(bead.x, vida.where(vida.less(s.time, 1.492), 0, vida.sqrt(1.4905 - s.time)))
  local comparison = vida.compare { system = s, time = 1.495, end_step = "shorten",
    methods = { { method, h = 0.01 } } }
  local row = comparison:run({ quiet = true })[1]
  assert(row.status ~= "ok")
  says(row.message, "step 150 from t = 1.49:")
end
