-- The first random systems, one of each kind, with every method: no row is "ok" and wrong. How they are
-- judged stands in random_systems/judge.lua; `tests/random_systems/run` tries as many as you like.
package.path = "random_systems/?.lua;" .. package.path
local judge = require "judge"
local systems = require "systems"

-- Under the sanitizers every third kind, with one method of each family only.
local is_sanitized = os.getenv "VIDA_SANITIZED"
if is_sanitized then
  judge.only = { rattle = true, ["energy-momentum"] = true, ["ida-ggl"] = true, ["post-stabilized"] = true }
end

local wrong, right, judged, made_systems = {}, 0, 0, 0
for seed = 0, #systems.kinds - 1, is_sanitized and 3 or 1 do
  made_systems = made_systems + 1
  local made = systems.make(seed)
  local why = judge.system(made, function(verdict, method, _, text)
    right = right + (verdict == "right" and 1 or 0)
    if verdict == "wrong" then
      wrong[#wrong + 1] = ("seed %d (%s), %s: %s"):format(seed, made.kind, method.name, text)
    end
  end)
  judged = judged + (why and 0 or 1)
end
assert(#wrong == 0, table.concat(wrong, "\n"))
assert(judged == made_systems, "some systems have no reference")
assert(right > judged * (is_sanitized and 4 or 20), "too few rows are right")
