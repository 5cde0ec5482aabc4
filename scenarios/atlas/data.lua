-- The file of the atlas, plugin/diagnose/atlas_data.c: read, written and compared.
--
-- An atlas is a table: `methods`, the names of those that were measured; `systems`, each with `name`,
-- `time`, `rate` (1/s) and `features` by names; and `rows`, each with `system` (its number), `method`,
-- `options` (a text), `adaptive`, and `seconds` and `settings` (steps in s, or rtol) by the errors, 0 where
-- an error was not reached.

local data = { errors = { 1e-3, 1e-6, 1e-9 } }

local head = [[
/* The atlas of work and precision: what every method has cost on every system that it accepts.
 * Written by scenarios/atlas/measure.lua, which says what the numbers are; not by hand. */
#include "diagnose/atlas.h"

/* clang-format off */
const double vida__atlas_errors[VIDA_ATLAS_ERRORS] = {%s};

/* methods that were measured, or refused by all systems */
const char* const vida__atlas_methods[] = {%s};
const int vida__atlas_method_count = sizeof vida__atlas_methods / sizeof vida__atlas_methods[0];

/* name, time in s, largest rate in 1/s, features */
const vida_atlas_system vida__atlas_systems[] = {
]]

local middle = [[
};
const int vida__atlas_system_count = sizeof vida__atlas_systems / sizeof vida__atlas_systems[0];

/* system, method, options, adaptive, seconds for each error (0: not reached), step or rtol for it */
const vida_atlas_row vida__atlas_rows[] = {
]]

local tail = [[
};
const int vida__atlas_row_count = sizeof vida__atlas_rows / sizeof vida__atlas_rows[0];
]]

local function numbers(list)
  local words = {}
  for i = 1, #data.errors do
    words[i] = list[i] and ("%.3g"):format(list[i]) or "0"
  end
  return "{" .. table.concat(words, ", ") .. "}"
end

local function features_text(features)
  local names, words = {}, {}
  for name in pairs(features) do
    names[#names + 1] = name
  end
  table.sort(names)
  for i, name in ipairs(names) do
    words[i] = ("[VIDA_FEATURE_%s] = %.4g"):format(name:upper(), features[name])
  end
  return table.concat(words, ", ")
end

function data.write(path, atlas)
  local file <close> = assert(io.open(path, "w"))
  local errors = numbers(data.errors):sub(2, -2)
  local names = ""
  for i, name in ipairs(atlas.methods) do
    names = names .. (i % 5 == 1 and "\n    " or " ") .. ('"%s",'):format(name)
  end
  file:write(head:format(errors, names))
  for _, system in ipairs(atlas.systems) do
    file:write(("    {\"%s\", %.10g, %.4g, {%s}},\n"):format(system.name, system.time, system.rate,
      features_text(system.features)))
  end
  file:write(middle)
  for _, row in ipairs(atlas.rows) do
    file:write(("    {%d, \"%s\", \"%s\", %s, %s, %s},\n"):format(row.system - 1, row.method, row.options,
      row.adaptive, numbers(row.seconds), numbers(row.settings)))
  end
  file:write(tail)
end

local function read_numbers(text)
  local list = {}
  for word in text:gmatch "[^%s,]+" do
    list[#list + 1] = tonumber(word)
  end
  return list
end

function data.read(path)
  local file <close> = assert(io.open(path, "r"))
  local text = file:read "a"
  local atlas = { methods = {}, systems = {}, rows = {} }
  for name in text:match "vida__atlas_methods%[%] = {([^{}]*)}":gmatch '"([^"]+)"' do
    atlas.methods[#atlas.methods + 1] = name
  end
  for name, time, rate, rest in text:gmatch "\n    {\"([^\"]+)\", ([^,]+), ([^,]+), {([^{}]*)}}," do
    local features = {}
    for key, value in rest:gmatch "%[VIDA_FEATURE_([%u_]+)%] = ([^,]+)" do
      features[key:lower()] = tonumber(value)
    end
    atlas.systems[#atlas.systems + 1] = { name = name, time = tonumber(time), rate = tonumber(rate),
      features = features }
  end
  for system, method, options, adaptive, seconds, settings in text:gmatch
    "\n    {(%d+), \"([^\"]+)\", \"([^\"]*)\", (%l+), {([^{}]+)}, {([^{}]+)}}," do
    atlas.rows[#atlas.rows + 1] = { system = tonumber(system) + 1, method = method,
      options = options, adaptive = adaptive == "true", seconds = read_numbers(seconds),
      settings = read_numbers(settings) }
  end
  return atlas
end

-- The rows of a system that reached an error, the cheapest first. number: of the error.
function data.ranking(atlas, system, number)
  local list = {}
  for _, row in ipairs(atlas.rows) do
    if row.system == system and row.seconds[number] > 0 then
      list[#list + 1] = row
    end
  end
  table.sort(list, function(a, b)
    return a.seconds[number] < b.seconds[number]
  end)
  return list
end

local function key(row)
  return ("%s %s %s"):format(row.method, row.options, row.adaptive and "rtol" or "h")
end

-- Compares the rankings of two atlases: two methods are ranked if one costs more than `equal` times the
-- other, and the rankings differ if they are ranked in both, in opposite order. Prints and counts these
-- pairs.
function data.compare(first, second, equal)
  local faults, pairs_ranked, same_best = 0, 0, 0
  for s, system in ipairs(first.systems) do
    for e, size in ipairs(data.errors) do
      local other = {}
      for _, row in ipairs(data.ranking(second, s, e)) do
        other[key(row)] = row.seconds[e]
      end
      local list = data.ranking(first, s, e)
      for i, a in ipairs(list) do
        for k = i + 1, #list do
          local b = list[k]
          local x, y = other[key(a)], other[key(b)]
          if x and y and b.seconds[e] > equal * a.seconds[e] then
            pairs_ranked = pairs_ranked + 1
            if x > equal * y then
              faults = faults + 1
              print(("%s, %.0e: %s (%.3g ms, then %.3g ms) and %s (%.3g ms, then %.3g ms)"):format(
                system.name, size, key(a), 1e3 * a.seconds[e], 1e3 * x, key(b), 1e3 * b.seconds[e], 1e3 * y))
            end
          end
        end
      end
      local best = list[1] and other[key(list[1])]
      local now = data.ranking(second, s, e)[1]
      same_best = same_best + (best and best <= equal * now.seconds[e] and 1 or 0)
    end
  end
  print(("%d pairs of methods are ranked in both, %d of them in opposite order; the best of the first is "
    .. "among the best of the second in %d of %d cases"):format(pairs_ranked, faults, same_best,
    #first.systems * #data.errors))
  return faults
end

return data
