-- Compares the results in two folders byte by byte, except measured times and what follows from them.
-- usage: same_results.lua FIRST SECOND; prints what differs, exit code 1 if anything does
local json = require "json"

local first, second = arg[1], arg[2]
local differences = 0

local function differ(...)
  print(string.format(...))
  differences = differences + 1
end

local function read(path)
  local file <close> = assert(io.open(path, "rb"))
  return file:read "a"
end

local function list(folder)
  local names = {}
  local find <close> = assert(io.popen(("cd '%s' && find . -type f ! -name '.*' | sort"):format(folder)))
  for name in find:lines() do
    names[#names + 1] = name
  end
  return names
end

-- Keys of JSON whose values are times, or depend on them.
local measured = { wall_s = true, seconds = true, prices = true, times = true, made = true }

local function compare(a, b, place)
  if type(a) ~= type(b) or (type(a) ~= "table" and a ~= b) then
    differ("%s: %s, %s", place, tostring(a), tostring(b))
  elseif type(a) == "table" then
    for key in pairs(a) do
      if not measured[key] then
        compare(a[key], b[key], place .. "." .. key)
      end
    end
    for key in pairs(b) do
      if a[key] == nil and not measured[key] then
        differ("%s.%s is only in the second", place, key)
      end
    end
  end
end

-- Splits a line of CSV at the commas outside quotes.
local function fields(line)
  local found, quoted, from = {}, false, 1
  for at = 1, #line + 1 do
    local c = line:sub(at, at)
    quoted = c == '"' and not quoted or c ~= '"' and quoted
    if at > #line or (c == "," and not quoted) then
      found[#found + 1] = line:sub(from, at - 1)
      from = at + 1
    end
  end
  return found
end

-- The rows of a comparison without the column wall_s.
local function rows(text)
  local kept, wall = {}, nil
  for line in text:gmatch "[^\n]+" do
    local cells = fields(line)
    for i, cell in ipairs(cells) do
      wall = wall or (cell == "wall_s" and i)
    end
    cells[wall] = ""
    kept[#kept + 1] = table.concat(cells, ",")
  end
  return table.concat(kept, "\n")
end

-- Reports the names of one list that the other does not have.
local function only(names, others, where)
  local known = {}
  for _, name in ipairs(others) do
    known[name] = true
  end
  for _, name in ipairs(names) do
    if not known[name] then
      differ("%s is only in %s", name, where)
    end
  end
end

local names, others = list(first), list(second)
only(names, others, first)
only(others, names, second)
for _, name in ipairs(names) do
  local found, a, b = pcall(function() return read(first .. "/" .. name), read(second .. "/" .. name) end)
  if not found then
    differ("%s", a)
  elseif name:find "comparison.csv$" then
    if rows(a) ~= rows(b) then
      differ("%s differs", name)
    end
  elseif name:find "%.json$" then
    compare(json.read(a), json.read(b), name)
  elseif name:find "%.html$" == nil and a ~= b then
    differ("%s differs", name)
  end
end
os.exit(differences == 0)
