-- Methods of a study of work and precision, each at every level from 3 digits to `finest`: steps get
-- finer, and tolerances tighter, from level to level.

local Runs = {}
Runs.__index = Runs

-- list: methods as vida.work_precision takes them.
local function add(runs, list, key, values)
  for _, method in ipairs(list) do
    method[key] = values
    runs.methods[#runs.methods + 1] = method
  end
end

-- Fixed steps: about `count` times 10^(digits / power) of them.
function Runs:steps(count, power, list)
  local steps = {}
  for digits = 3, self.finest do
    steps[#steps + 1] = self.time / math.floor(count * 10 ^ (digits / power))
  end
  add(self, list, "h", steps)
end

-- Methods that choose their own steps; nothing but the end is looked at.
function Runs:tolerances(list)
  local tolerances = {}
  for digits = 3, self.finest do
    tolerances[#tolerances + 1] = 10 ^ -digits
  end
  for _, method in ipairs(list) do
    method.h = self.time
  end
  add(self, list, "rtol", tolerances)
end

return function(time, finest)
  return setmetatable({ time = time, finest = finest, methods = {} }, Runs)
end
