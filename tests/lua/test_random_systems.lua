-- The first random systems, one of each kind, with every method: no row is "ok" and wrong. How they are
-- judged stands in random_systems/judge.lua; `tests/random_systems/run` tries as many as you like.
package.path = "random_systems/?.lua;" .. package.path
local judge = require "judge"
local systems = require "systems"

-- Under the sanitizers with one method of each family only.
local methods = os.getenv "VIDA_SANITIZED" and { "rattle", "energy-momentum", "ida-ggl", "post-stabilized" }
  or { false }

local wrong, right, judged = {}, 0, 0
for seed = 0, #systems.kinds - 1 do
  local made = systems.make(seed)
  for _, only in ipairs(methods) do
    judge.only = only or nil
    local why = judge.system(made, function(verdict, method, _, text)
      right = right + (verdict == "right" and 1 or 0)
      if verdict == "wrong" then
        wrong[#wrong + 1] = ("seed %d (%s), %s: %s"):format(seed, made.kind, method.name, text)
      end
    end)
    judged = judged + (why and 0 or 1)
  end
end
assert(#wrong == 0, table.concat(wrong, "\n"))
assert(judged == #systems.kinds * #methods, "some systems have no reference")
assert(right > judged * (#methods > 1 and 1 or 20), "too few rows are right")
