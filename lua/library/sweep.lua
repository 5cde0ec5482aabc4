--- Sweeps: a comparison with many starts, or a comparison for each combination of parameters.
--
-- @classmod comparison
local vida, _, library = ...

local fail, expected, kind = library.fail, library.expected, library.kind

-- Checks lists of values by names. Returns the names in their order.
local function check_lists(lists, place)
  local names = {}
  if type(lists) ~= "table" then
    expected("", place, "lists of values by names, such as { x = { 1, 2 } }", lists)
  end
  for name, values in pairs(lists) do
    if type(name) ~= "string" then
      expected(place, tostring(name), "a name", name)
    elseif type(values) ~= "table" or #values == 0 then
      expected(place, name, "a list of values", values)
    end
    names[#names + 1] = name
  end
  table.sort(names)
  return names
end

-- Returns all combinations of one value from each list. Names are sorted, and the last one varies fastest.
local function combinations(lists, place)
  local names = check_lists(lists, place)
  local all = { {} }
  for _, name in ipairs(names) do
    local longer = {}
    for _, before in ipairs(all) do
      for _, value in ipairs(lists[name]) do
        local combination = { table.unpack(before) }
        combination[#combination + 1] = { name, value }
        longer[#longer + 1] = combination
      end
    end
    all = longer
  end
  return all
end

local function describe(combination)
  local words = {}
  for i, entry in ipairs(combination) do
    local value = entry[2]
    words[i] = entry[1] .. "=" .. (type(value) == "number" and ("%.10g"):format(value) or tostring(value))
  end
  return table.concat(words, " ")
end

-- ---- starts -------------------------------------------------------------------------------------

-- Returns the same starts as `combinations` would, one by one: of a million there is no list.
local function vary_starts(vary)
  local names = check_lists(vary, "vary")
  local lists, count = {}, 1
  for _, name in ipairs(names) do
    lists[name] = { table.unpack(vary[name]) } -- the script may change its own
    count = count * #lists[name]
  end
  return { count = count, at = function(index)
    local combination, values, rest = {}, {}, index - 1
    for k = #names, 1, -1 do -- the last one varies fastest
      local list = lists[names[k]]
      combination[k] = { names[k], list[rest % #list + 1] }
      values[names[k]] = combination[k][2]
      rest = rest // #list
    end
    return { label = describe(combination), values = values }
  end }
end

-- Returns number `index`, from 1 on, of a series of random numbers between -1 and 1 that is the same on
-- every machine (splitmix64).
local function random_number(seed, index)
  local z = seed + index * 0x9E3779B97F4A7C15
  z = (z ~ (z >> 30)) * 0xBF58476D1CE4E5B9
  z = (z ~ (z >> 27)) * 0x94D049BB133111EB
  z = z ~ (z >> 31)
  return (z >> 11) * 2.0 ^ -52 - 1
end

-- Returns whether two starts coincide after their projection onto the constraints, which then remove the
-- whole spread. If a start cannot be projected, its run reports the reason.
local function is_same(system, first, second, spread, names)
  local found, one, other = pcall(function()
    return (library.start(system, first)), (library.start(system, second))
  end)
  local width, change = 0, 0
  for _, name in ipairs(names) do
    width = math.max(width, math.abs(spread[name] or 0))
    change = math.max(change, found and math.abs(other[name] - one[name]) or math.huge)
  end
  return width > 0 and change < 1e-9 * width
end

-- Returns starts that are uniformly distributed about that of the system; `adjust`: about the consistent
-- one nearest to its values.
local function cloud_starts(system, cloud, adjust)
  if type(cloud) ~= "table" then
    expected("", "cloud", "a table such as { count = 100, spread = 0.01 }", cloud)
  end
  library.check_keys(cloud, "cloud", "key", 0, { "count", "spread", "seed" })
  local count = math.tointeger(cloud.count)
  if not count or count < 1 then
    expected("cloud", "count", "a number of starts", cloud.count)
  end
  local seed = math.tointeger(library.given_seed(cloud.seed or 1))
  if not seed then
    expected("cloud", "seed", "an integer", cloud.seed)
  end
  local middle, names = library.start(system, adjust and {} or nil)
  local spread = cloud.spread
  if type(spread) == "number" then
    local all = {}
    for _, name in ipairs(names) do
      all[name] = spread
    end
    spread = all
  elseif type(spread) ~= "table" then
    expected("cloud", "spread", "a number, or numbers by the names of coordinates", spread)
  end
  for name, width in pairs(spread) do
    if not middle[name] then
      local nearest = library.nearest_name(tostring(name), names)
      fail(("cloud.spread: the system has no '%s'%s"):format(tostring(name),
        nearest and ("; did you mean '%s'?"):format(nearest) or ""))
    elseif type(width) ~= "number" or width - width ~= 0 then
      expected("cloud.spread", name, "a finite number", width)
    end
  end
  local moved = {}
  for _, name in ipairs(names) do
    moved[#moved + 1] = spread[name] and name
  end
  local function at(index)
    local values = {}
    for k, name in ipairs(moved) do
      values[name] = middle[name] + spread[name] * random_number(seed, (index - 1) * #moved + k)
    end
    return { label = "start=" .. index, values = values }
  end
  if count > 1 and is_same(system, at(1).values, at(2).values, spread, names) then
    fail("cloud.spread: all starts would be equal, because their projection onto the constraints removes the "
      .. "spread; expected coordinates that can move")
  end
  return { count = count, at = at }
end

-- ---- vida.sweep ---------------------------------------------------------------------------------

local function compare(given, system, label)
  local starts = given.starts
  if (given.vary or given.cloud) and starts then
    fail("sweep: expected starts, vary or cloud, not two of them: each sets the starts of the runs")
  elseif given.vary and given.cloud then
    fail("sweep: expected vary or cloud, not both: each sets the starts of the runs")
  elseif given.vary then
    starts = vary_starts(given.vary)
  elseif given.cloud then
    starts = cloud_starts(system, given.cloud, given.adjust_start)
  end
  local comparison = { system = system, starts = starts, jobs = 0, label = label, trajectories = "none",
    lanes = starts and true or nil, adjust_start = given.cloud and true or nil }
  for key, value in pairs(given) do
    if key ~= "label" and key ~= "vary" and key ~= "cloud" and key ~= "parameters" and key ~= "system" then
      comparison[key] = value
    end
  end
  return vida.compare(comparison)
end

--- Describes runs from many starts, or a comparison for each of many systems. By default the runs use all
-- processors. With a `reference` ("auto" or a method) VIDA also solves from each start with this method, and
-- compares the runs from there with that solution.
-- @function vida.sweep
-- @tparam table given keys as for `vida.compare`, and one of `vary`, `cloud`, `starts` and `parameters`
-- @tparam[opt] table given.vary lists of values by names of coordinates and rates; every combination is a
--   start
-- @tparam[opt] table given.cloud random starts about that of the system, projected onto the constraints
-- @tparam integer given.cloud.count number of starts
-- @tparam number|table given.cloud.spread largest deviation, for all coordinates or by names
-- @tparam[opt=1] integer given.cloud.seed seed of the random numbers; `--seed` replaces it
-- @tparam[opt] table given.starts the starts themselves, as for `vida.compare`: a list, or
--   `{ count = 1000000, at = f }`, where f(i) returns start number i
-- @tparam[opt="auto"] string given.stream `"on"`: keep only statistics, not the rows of all runs, and write
--   the rows to rows.csv; `"auto"`: from 20000 runs on
-- @tparam[opt] table given.parameters lists of values by names; `system` is then a function that makes a
--   system from a table with one value of each list. The values, for example `mass=1.5`, appear in the titles
--   of the comparisons and before the options of their runs
-- @tparam[opt=0] integer given.jobs number of runs in parallel; 0: one on each processor
-- @tparam[opt="none"] string given.trajectories format of trajectories in the folder of results: `"csv"` or
--   `"hdf5"`; `--trajectories` and `--format hdf5` replace it
-- @tparam[opt=true] boolean given.lanes make the calm steps of runs from many starts at once, in vector
--   instructions, with the same results
-- @treturn comparison|{comparison,...} with `parameters` a list
-- @raise if all starts of a cloud would be equal, because the constraints remove its spread
-- @usage
-- local sweep = vida.sweep {
--   system = s, time = 0.1, methods = { { "rattle", h = 0.01 } },
--   vary = { ["d bob.y/dt"] = { 0, 1, 2 } },
-- }
function vida.sweep(given)
  if type(given) ~= "table" then
    expected("", "vida.sweep", "a table such as { system = s, time = 1, methods = { ... }, vary = { ... } }",
      given)
  end
  if given.label ~= nil and type(given.label) ~= "string" then
    expected("sweep", "label", "a text", given.label)
  end
  if given.parameters == nil then
    if kind(given.system) ~= "system" then
      expected("sweep", "system", "a system, or with parameters = { ... } a function that makes one",
        given.system)
    end
    return compare(given, given.system, given.label)
  end
  if type(given.system) ~= "function" then
    expected("sweep", "system", "a function of the parameters that makes a system", given.system)
  end
  local all = {}
  for i, combination in ipairs(combinations(given.parameters, "parameters")) do
    local values = {}
    for _, entry in ipairs(combination) do
      values[entry[1]] = entry[2]
    end
    local system = given.system(values)
    if kind(system) ~= "system" then
      expected("sweep", "system", "a function that returns a system", system)
    end
    all[i] = compare(given, system, (given.label and given.label .. " " or "") .. describe(combination))
  end
  return all
end
