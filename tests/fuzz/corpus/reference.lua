-- A function of the script runs in the middle of a comparison.
local vida = require "vida"
local s = vida.system { "p", dimension = 2 }
local a = s:particle { "a", mass = 1, position = { 1, 0 } }
s:distance { "rod", s.ground, a, length = 1 }
local comparison, later
local function compare(act)
  return vida.compare { system = s, time = 0.2, methods = { { "rattle", h = 0.1 } }, reference = function()
    act()
    collectgarbage()
    return { positions = { 1, 0 } }
  end }
end
for _, act in ipairs {
  function() comparison:close() end, function() comparison:run() end, function() later:close() end,
  function() local _ <close> = later end, function() coroutine.yield() end,
} do
  comparison, later = compare(act), compare(print)
  print(pcall(comparison.run, comparison))
end
local first = compare(function() s:close() later:close() end)
later = compare(print)
return { first, later }
