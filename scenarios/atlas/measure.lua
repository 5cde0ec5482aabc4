-- Measures the atlas of work and precision: every registered method on every system that it accepts.
--
--   lua measure.lua DATA                  measures everything, writes DATA (plugin/diagnose/atlas_data.c)
--   lua measure.lua DATA --against OTHER  compares the rankings of two such files; fails where they differ
--   lua measure.lua DATA --only METHOD    measures this method anew, and keeps the other rows of DATA
--   --systems NAME  those of NAME.lua instead of systems.lua (unseen: see judge.lua)
--   --jobs N        processes at the same time, by default 2
--   --quiet         no progress
--
-- Costs are CPU times of a run from start to end without outputs, the median of repetitions, corrected by a
-- gauge for what other processes do to the speed of the machine. Errors are the largest distance from the
-- reference at ten times, divided by the largest distance of the motion from its start (2-norms over all
-- coordinates). Runs that failed or were warned about do not count. Costs repeat within some ten per cent,
-- so a cost that is less than 1.5 times another is equal to it.

local here = arg[0]:match "^(.*)/" or "."
package.path = ("%s/../?.lua;%s"):format(here, package.path)

local data = require "atlas.data"

local equal = 1.5 -- costs within this factor have the same rank

local options = { jobs = 2, only = {}, systems = "systems", worker = nil, against = nil, quiet = false }
local i = 2
while i <= #arg do
  local word, value = arg[i], arg[i + 1]
  if word == "--quiet" then
    options.quiet = true
  elseif word == "--only" then
    options.only[#options.only + 1] = value
    i = i + 1
  else
    options[assert(word:match "^%-%-(%l+)$", word)] = value
    i = i + 1
  end
  i = i + 1
end

-- ---- one process --------------------------------------------------------------------------------

-- The variants of a method: its defaults with fixed steps or rtol, and those of variants.lua.
local function variants_of(method)
  local list, has_rtol, has_steps = {}, false, true
  for _, option in ipairs(method.options) do
    if option.name == "rtol" then
      has_rtol, has_steps = true, option.default == nil
    end
  end
  if has_steps then
    list[1] = { method.name }
  end
  if has_rtol then
    list[#list + 1] = { method.name, rtol = true }
  end
  for _, given in ipairs((require "atlas.variants")[method.name] or {}) do
    local variant = { method.name }
    for key, value in pairs(given) do
      variant[key] = value
    end
    list[#list + 1] = variant
  end
  return list
end

local function describe(variant)
  local words = {}
  for key, value in pairs(variant) do
    if key ~= 1 and key ~= "rtol" then
      words[#words + 1] = key .. "=" .. tostring(value)
    end
  end
  table.sort(words)
  return table.concat(words, " ")
end

-- What the choice of a method depends on, as VIDA sees it.
local function look_at(subject)
  local comparison = require "vida".compare { system = subject.system, time = subject.time,
    methods = { { "coordinate-projection", rtol = 1e-3, h = subject.time } } }
  local advice = comparison:advise()
  comparison:close()
  local words = {}
  for name, value in pairs(advice.features) do
    words[#words + 1] = ("%s = %.10g"):format(name, value)
  end
  return advice.rate, table.concat(words, ", ")
end

local function list_text(list)
  local words = {}
  for e = 1, #data.errors do
    words[e] = ("%.6g"):format(list[e] or 0)
  end
  return table.concat(words, ", ")
end

-- Rows of all methods on system number s, in one line each, as tables of Lua.
local function measure_system(s, given, only)
  local vida, runs = require "vida", require "atlas.runs"
  local subject = runs.subject(given)
  local rate, features = look_at(subject)
  print(("return { kind = 'system', number = %d, name = '%s', time = %.10g, rate = %.10g, "
    .. "features = { %s } }"):format(s, given.name, given.time, rate, features))
  for _, method in ipairs(vida.methods()) do
    for _, variant in ipairs(#only > 0 and not only[method.name] and {} or variants_of(method)) do
      local row, status, message = runs.measure(subject, variant, method.order)
      io.stderr:write(("%s: %s %s%s: %s\n"):format(given.name, method.name, describe(variant),
        variant.rtol and " rtol" or "", row and ("%.1e"):format(row.best) or status .. " " .. message))
      if row and row.costs[1] then
        print(("return { system = %d, method = '%s', options = '%s', adaptive = %s, seconds = { %s }, "
          .. "settings = { %s } }"):format(s, method.name, describe(variant), variant.rtol or false,
          list_text(row.costs), list_text(row.settings)))
      end
    end
  end
end

-- Measures the systems that no other process has taken, those with the longest runs first: a folder is made
-- once.
local function work(folder)
  local only, order, systems = {}, {}, require("atlas." .. options.systems)
  for _, name in ipairs(options.only) do
    only[name], only[1] = true, name
  end
  for s in ipairs(systems) do
    order[s] = s
  end
  table.sort(order, function(a, b)
    local first, second = systems[a].ceiling or 0, systems[b].ceiling or 0
    return first > second or first == second and a < b
  end)
  for _, s in ipairs(order) do
    if os.execute(("mkdir '%s/system %d' 2>/dev/null"):format(folder, s)) then
      measure_system(s, systems[s], only)
    end
  end
  local unit = require "atlas.runs".unit()
  if unit < math.huge then -- otherwise this process has measured nothing
    print(("return { kind = 'unit', unit = %.10g }"):format(unit))
  end
end

-- ---- all processes ------------------------------------------------------------------------------

local function start_workers()
  local folder = os.tmpname()
  os.remove(folder)
  assert(os.execute(("mkdir '%s'"):format(folder)))
  local words = {}
  for _, name in ipairs(options.only) do
    words[#words + 1] = "--only " .. name
  end
  local pipes = {}
  for k = 1, tonumber(options.jobs) do
    pipes[k] = assert(io.popen(("'%s' '%s' '%s' --systems %s --worker '%s' %s %s >'%s/%d'"):format(arg[-1],
      arg[0], arg[1], options.systems, folder, table.concat(words, " "),
      options.quiet and "2>/dev/null" or "", folder, k)))
  end
  local lines = {}
  for k, pipe in ipairs(pipes) do
    pipe:read "a"
    assert(pipe:close())
    for line in io.lines(("%s/%d"):format(folder, k)) do
      lines[#lines + 1] = line
    end
  end
  os.execute(("rm -r '%s'"):format(folder))
  return lines
end

-- The atlas of the lines, in the order of systems and methods. With `old`, only some methods were measured
-- anew.
local function collect(lines, old, only)
  local names, place, anew = {}, {}, {}
  for k, method in ipairs(require "vida".methods()) do
    names[k], place[method.name] = method.name, k
  end
  for _, name in ipairs(only) do
    anew[name] = true
  end
  local atlas = { methods = names, systems = {}, rows = {} }
  for _, row in ipairs(old and old.rows or {}) do
    row.place = not anew[row.method] and place[row.method] and #atlas.rows + 1
    atlas.rows[#atlas.rows + 1] = row.place and row or nil
  end
  local unit, new = math.huge, {}
  for k, line in ipairs(lines) do
    local made = assert(load(line, line, "t"))()
    made.place = #atlas.rows + k
    if made.kind == "system" then
      atlas.systems[made.number] = made
    elseif made.kind == "unit" then
      unit = math.min(unit, made.unit)
    else
      new[#new + 1] = made
    end
  end
  for _, row in ipairs(new) do
    for e, cost in ipairs(row.seconds) do
      row.seconds[e] = cost * unit
    end
    atlas.rows[#atlas.rows + 1] = row
  end
  table.sort(atlas.rows, function(a, b)
    local first = { a.system, place[a.method], a.place }
    local second = { b.system, place[b.method], b.place }
    for k = 1, 3 do
      if first[k] ~= second[k] then
        return first[k] < second[k]
      end
    end
    return false
  end)
  return atlas
end

if options.worker then
  work(options.worker)
elseif options.against then
  os.exit(data.compare(data.read(arg[1]), data.read(options.against), equal) == 0)
else
  local began = os.time()
  local file = #options.only > 0 and io.open(arg[1], "r") -- without one, its rows are the only ones
  local old = file and file:close() and data.read(arg[1]) or nil
  local atlas = collect(start_workers(), old, options.only)
  data.write(arg[1], atlas)
  io.stderr:write(("%d systems in %d s\n"):format(#atlas.systems, os.difftime(os.time(), began)))
end
