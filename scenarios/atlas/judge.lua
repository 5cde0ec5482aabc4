-- How good the advice of the atlas is on systems that are not in it:
--
--   lua measure.lua UNSEEN --systems unseen      measures all methods on the systems of unseen.lua
--   lua judge.lua UNSEEN                         compares the recommended methods with the best ones
--
-- The factor is the cost of the recommended method divided by that of the cheapest one. The exit code is 1 if
-- a method that is recommended for its cost alone has a factor above 2, or does not reach the error.

local here = arg[0]:match "^(.*)/" or "."
package.path = ("%s/../?.lua;%s"):format(here, package.path)

local vida = require "vida"
local data = require "atlas.data"

local keeps = { anything = false, symplectic = "preserves the symplectic form",
  energy = "preserves the energy exactly" }

local claims = {}
for _, method in ipairs(vida.methods()) do
  claims[method.name] = {}
  for _, claim in ipairs(method.capabilities) do
    claims[method.name][claim] = true
  end
end

-- The cheapest row with this claim, and the row of a recommendation.
local function find(atlas, system, number, given)
  local best, meant
  for _, row in ipairs(data.ranking(atlas, system, number)) do
    local claim = keeps[given.keeps]
    best = best or (not claim or claims[row.options:match "base=(%S+)" or row.method][claim]) and row or nil
    if row.method == given.method and row.options == given.options and row.adaptive == given.adaptive then
      meant = row
    end
  end
  return best, meant
end

local atlas = data.read(arg[1])
local is_good = true
for s, given in ipairs(require("atlas." .. (arg[2] or "unseen"))) do
  local comparison = vida.compare { system = given.make(), time = given.time,
    methods = { { "coordinate-projection", rtol = 1e-3, h = given.time } } }
  for _, one in ipairs(comparison:advise()) do
    local number = one.error > 1e-4 and 1 or one.error > 1e-8 and 2 or 3
    local best, meant = find(atlas, s, number, one)
    if best then
      local is_near = meant and meant.seconds[number] <= 2 * best.seconds[number]
      is_good = is_good and (is_near or one.keeps ~= "anything")
      print(("%-34s %-10s %.0e  %-42s %s  (best: %s %s%s, %.3g ms; evidence: %s)"):format(given.name,
        one.keeps, one.error, one.method .. " " .. one.options .. (one.adaptive and " rtol" or ""),
        meant and ("%.2f"):format(meant.seconds[number] / best.seconds[number]) or "not reached", best.method,
        best.options, best.adaptive and " rtol" or "", 1e3 * best.seconds[number], one.system))
    end
  end
end
os.exit(is_good)
