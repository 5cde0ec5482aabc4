-- Sweeps whose rows are not kept: they have the runs and statistics of a sweep with rows, quantiles to
-- 1/128, whatever the number of processors, and their memory does not grow with the number of runs.
local check = require "check"
local vida = require "vida"

local function pendulum()
  local s = vida.system { "pendulum", dimension = 2 }
  s:gravity { 0, -9.81 }
  local bob = s:particle { "bob", mass = 1, position = { 0.6, vida.free(-1) }, velocity = { vida.free(), 0 } }
  s:distance { "rod", s.ground, bob, length = 1 }
  return s
end

local function sweep(given)
  given.system = given.system or pendulum()
  given.time = given.time or 0.5
  given.methods = given.methods or { { "rattle", h = 0.1 }, { "energy-momentum", h = { 0.25, 0.1 } } }
  return vida.sweep(given)
end

-- Rows of a CSV file. Commas in quoted fields become blanks.
local function read_csv(name)
  local rows, names = {}, nil
  for line in io.lines(name) do
    local row, k = {}, 0
    line = line:gsub('"[^"]*"', function(quoted)
      return (quoted:gsub(",", " "))
    end)
    for field in (line .. ","):gmatch "([^,]*)," do
      k = k + 1
      row[names and names[k] or k] = field
    end
    if names then
      rows[#rows + 1] = row
    else
      names = row
    end
  end
  return rows, names
end

local function read_all(name)
  local file = assert(io.open(name, "rb"))
  local text = file:read "a"
  file:close()
  return text
end

local folders = {}
local function folder()
  local name = os.tmpname()
  os.remove(name)
  folders[#folders + 1] = name
  return name
end

-- ---- a function that does not give the same start again ---------------------------------------------
-- The rows would belong to other starts than the survey and the runs that are kept.
do
  local calls = 0
  local function other(i)
    calls = calls + 1
    return { values = { ["bob.x"] = 0.001 * (i % 500) + (calls > 1200 and i == 900 and 1e-15 or 0) } }
  end
  local ok, message = pcall(function()
    local run = sweep { starts = { count = 1100, at = other }, stream = "on", jobs = 1 }
    run:run { quiet = true, out = folder() }
  end)
  assert(not ok and message:find("start 900 of the sweep is not the same", 1, true), message)
end

-- ---- the same runs and statistics as with rows -----------------------------------------------------
-- A start in fifty lies beyond the length of the rod: no choice of bob.y reaches it.
local COUNT = 1100 -- more than a chunk
local function at(i)
  local x = i % 50 == 7 and 1.5 or 0.5 + 0.4 * math.sin(i)
  return { label = "n=" .. i, values = { ["bob.x"] = x, ["d bob.y/dt"] = 0.3 * math.cos(3 * i) } }
end
local starts = { count = COUNT, at = at }
local one, two = folder(), folder()
local whole = sweep { starts = starts, stream = "off", jobs = 1 }:run { quiet = true, out = one }
local parts = sweep { starts = starts, stream = "on", jobs = 1 }:run { quiet = true, out = two }
assert(#whole == 3 * COUNT and #parts < 60)

local rows = read_csv(two .. "/rows.csv")
local kept = read_csv(one .. "/comparison.csv")
assert(#rows == 3 * COUNT and #kept == 3 * COUNT)
for k, row in ipairs(rows) do -- by starts; the others are by methods
  local start, method = (k - 1) // 3, (k - 1) % 3
  local other = kept[method * COUNT + start + 1]
  assert(row.start == tostring(start + 1))
  for name, value in pairs(other) do
    assert(name == "wall_s" or row[name] == value, name)
  end
end

for m, spread in ipairs(parts.spreads) do
  local other = whole.spreads[m]
  assert(spread.method == other.method and spread.options == other.options and spread.h == other.h)
  assert(spread.runs == COUNT and spread.finished == other.finished and spread.finished == COUNT - 22)
  assert(spread.statuses.ok.runs == COUNT - 22 and spread.statuses.ok.first == 1)
  local failed = 0
  for status, found in pairs(spread.statuses) do
    failed = failed + (status == "ok" and 0 or found.runs)
    assert(status == "ok" or found.first == 7, status)
  end
  assert(failed == 22)
  for name, exact in pairs(other) do
    local found = spread[name]
    if type(exact) == "table" and name ~= "wall_s" then
      local size = math.max(math.abs(exact.minimum), math.abs(exact.maximum))
      assert(found.runs == exact.runs, name)
      assert(found.minimum == exact.minimum and found.maximum == exact.maximum, name)
      check.close(found.mean, exact.mean, 1e-12 * size)
      check.close(found.deviation, exact.deviation, 1e-12 * size)
      for _, q in ipairs { "lower_quartile", "median", "upper_quartile" } do
        assert(math.abs(found[q] - exact[q]) <= math.abs(exact[q]) / 100, name)
      end
      -- Where the extreme values are, found in the rows.
      assert(tonumber(rows[3 * (found.maximum_at - 1) + m][name]) == exact.maximum, name)
      assert(tonumber(rows[3 * (found.minimum_at - 1) + m][name]) == exact.minimum, name)
    end
  end
end

-- Some runs have rows of their own, the same for all methods: the worst, a failure, the first and the last.
local seen = {}
for i = 1, #parts do
  seen[parts[i].options:match "n=%d+"] = true
end
local worst = parts.spreads[1].energy_error.maximum_at
assert(seen["n=1"] and seen["n=" .. COUNT] and seen["n=7"] and seen["n=" .. worst])
assert(parts:table(120):find "statistics of 3300 runs from 1100 starts")
local map = read_all(two .. "/map-1-rattle.svg")
for _, text in ipairs { "bob.x", "d bob.y/dt", "share of failed runs", "</svg>\n$" } do
  assert(map:find(text), text)
end
assert(read_all(two .. "/statistics.csv"):find "rattle,,0.1[0-9]*,,status ok,1078,")

-- ---- however the runs are made, the bytes are the same ---------------------------------------------
local three = folder()
sweep { starts = starts, stream = "on", jobs = 3, lanes = false }:run { quiet = true, out = three }
for _, name in ipairs { "rows.csv", "statistics.csv", "map-1-rattle.svg" } do
  assert(read_all(two .. "/" .. name) == read_all(three .. "/" .. name), name)
end

-- ---- with a reference for each start, and all ways to write starts ---------------------------------
local given = { time = 0.2, methods = { { "rattle", h = 0.1 } }, reference = "auto", jobs = 1,
  vary = { ["bob.x"] = { 0.3, 0.6, 0.8 }, ["d bob.y/dt"] = { 0, 1 } } }
local exact = sweep(given):run { quiet = true }
given.stream = "on"
local again = sweep(given)
for _ = 1, 2 do -- a second run begins anew
  local streamed = again:run { quiet = true }
  local a, b = streamed.spreads[1].position_error, exact.spreads[1].position_error
  assert(a.maximum == b.maximum and a.minimum == b.minimum and a.runs == 6 and a.maximum > 0)
end
local listed = sweep { stream = "on", starts = { at(1), at(2), at(3) } }:run { quiet = true }
assert(listed.spreads[1].runs == 3 and #listed == 9)
local cloud = { cloud = { count = 30, spread = 0.1 }, stream = "on" }
assert(sweep(cloud):run({ quiet = true }).spreads[2].finished == 30)

-- ---- it is automatic from 20000 runs on, unless trajectories are wished for --------------------------
local function of(count, more)
  return tostring(sweep { starts = { count = count, at = at }, methods = { { "rattle", h = 0.1 } },
    trajectories = more })
end
assert(of(20000):find "sweep from 20000 starts", of(20000))
assert(of(19, "csv"):find "comparison of 19 runs")

-- ---- what is refused ---------------------------------------------------------------------------------
check.fails("starts.count: expected the number of starts", sweep, { starts = { count = 0, at = at } })
check.fails("starts.at: expected a function", sweep, { starts = { count = 1, at = 3 } })
check.fails("not two of them", sweep, { starts = starts, vary = { ["bob.x"] = { 0 } } })
check.fails("starts[2].values", function()
  sweep { stream = "on", starts = { count = 3, at = function(i) return { values = i == 1 and {} or 4 } end } }
    :run { quiet = true }
end)
check.fails("no way", function()
  sweep { stream = "on", starts = { count = 3, at = function() error "no way" end } }:run { quiet = true }
end)

-- A sweep that has ended after some chunks: its rows are lost only where that is asked for.
local held, calls, most = folder(), 0, COUNT + 1024 + 50
local stopped = sweep { stream = "on", jobs = 1, starts = { count = COUNT, at = function(i)
  calls = calls + 1
  return calls <= most and at(i) or error "ended"
end } }
check.fails("ended", stopped.run, stopped, { quiet = true, out = held })
most = math.huge
local stored = read_all(held .. "/rows.csv")
check.fails("has an unfinished sweep; resume = true goes on with it, overwrite = true begins anew",
  stopped.run, stopped, { quiet = true, out = held })
assert(#stored > 1000 and read_all(held .. "/rows.csv") == stored)
local state = io.open(held .. "/sweep.state", "r+b")
state:seek("set", 700)
state:write "damaged"
state:close()
check.fails("whose state is damaged; overwrite = true begins anew", stopped.run, stopped,
  { quiet = true, out = held })
check.fails("is damaged: the sweep cannot go on; --overwrite", stopped.run, stopped,
  { quiet = true, out = held, resume = true })
local anew = stopped:run { quiet = true, out = held, overwrite = true }
assert(#anew > 0 and not io.open(held .. "/sweep.state"))

-- ---- the memory ---------------------------------------------------------------------------------------
-- 6000 rows of 4.4 kB would be 26 MB. A sanitizer keeps freed memory.
local maps = io.open "/proc/self/maps"
if maps and not maps:read "a":find "san%.so" then
  local function resident() -- kB
    return tonumber(read_all "/proc/self/status":match "VmRSS:%s+(%d+)")
  end
  local function of_memory(count)
    sweep { starts = { count = count, at = at }, stream = "on", jobs = 1, time = 0.1,
      methods = { { "rattle", h = 0.1 } } }:run { quiet = true }
    collectgarbage()
  end
  of_memory(2000)
  local before = resident()
  of_memory(8000)
  assert(resident() - before < 8000, resident() - before)
end

for _, name in ipairs(folders) do
  os.execute(("rm -r '%s'"):format(name))
end
