-- Work and precision: orders of Verlet's method (2) and of its compositions (4, 8) on x'' = -x against
-- cos t, and that times are those of the runs.
local check = require "check"
local vida = require "vida"

local s = vida.system "oscillator"
local x, v = s:coordinate { "x", unit = "m", value = 1, rate = 0 }
s:lagrangian(0.5 * v^2 - 0.5 * x^2)

local comparison = vida.work_precision {
  system = s, time = 10, norm = "end",
  reference = function(t)
    return { positions = { math.cos(t) } }
  end,
  methods = {
    { "verlet", h = { 0.1, 0.05, 0.02, 0.01 } },
    { "compose", base = "verlet", h = { 0.1, 0.05, 0.02 } },
    { "compose", base = "verlet", scheme = "kahan-li8", h = { 0.5, 0.4 } },
    { "verlet", h = 5 },
  },
}
local result = comparison:run { quiet = true }
local series = result.series
assert(#series == 3, "runs that differ in their step only are one series")
for i, expected in ipairs { { "verlet", 4, 2 }, { "compose", 3, 4 }, { "compose", 2, 8 } } do
  assert(series[i].method == expected[1])
  assert(series[i].runs >= expected[2])
end
check.close(series[2].order, 4, 0.1)
check.close(series[3].order, 8, 0.3)
assert(series[2].order_interval < 0.1 and series[3].order_interval == nil)

-- An error between two runs costs a time between theirs, an error above all of them the least time.
local coarse, fine = result[5], result[6]
local between = math.sqrt(coarse.position_error * fine.position_error)
local seconds = result:seconds_for(2, between)
local low, high = math.min(coarse.wall_s, fine.wall_s), math.max(coarse.wall_s, fine.wall_s)
assert(seconds <= high * (1 + 1e-12))
check.close(result:seconds_for(2, 1), math.min(low, result[7].wall_s), 1e-12)
assert(result:seconds_for(1, 1e-12) == nil)
check.fails("seconds_for: expected the number of a series, from 1 to 3, got 9",
  result.seconds_for, result, 9, 1)
check.fails("positive error", result.seconds_for, result, 1, 0)
local text = result:table(100)
assert(text:find("fitted orders", 1, true) and text:find("*", 1, true))

-- The series whose largest error is 1e-7 has no run that tells what 1e-2 costs: a bound, marked.
local priced = text:match("fitted orders.*")
for i, row in ipairs { "verlet ", "compose base=verlet ", "compose scheme=" } do
  local largest = 0
  for _, run in ipairs(result) do
    if run.method == series[i].method and run.options == series[i].options then
      largest = math.max(largest, run.position_error)
    end
  end
  local line = priced:match("\n(" .. row .. "[^\n]*)")
  local column = 0
  for error in priced:match("order ([^\n]*)\n"):gmatch "%S+" do
    column = column + 1
    local cell = line:sub(36 + 10 + 10 * (column - 1), 36 + 10 * (column + 1) - 1)
    assert((cell:find("<=", 1, true) ~= nil) == (tonumber(error) > largest), line)
  end
  assert(column >= 3)
end
assert(text:find("<= all runs of the method are more accurate", 1, true))

-- The same errors bit for bit.
local again = comparison:run { quiet = true }
for i = 1, #result do
  assert(result[i].position_error == again[i].position_error)
end
