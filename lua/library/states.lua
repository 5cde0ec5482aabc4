--- Reference states from files of trajectories.
--
-- @classmod comparison
local vida, _, library = ...

local fail = library.fail

-- Splits a line of CSV into its fields.
local function split(line)
  local fields, at = {}, 1
  while at <= #line + 1 do
    if line:sub(at, at) == '"' then
      local from, field = at + 1, ""
      repeat
        local quote = line:find('"', from, true) or #line + 1
        field = field .. line:sub(from, quote - 1)
        local again = line:sub(quote + 1, quote + 1) == '"'
        field = again and field .. '"' or field
        from = quote + (again and 2 or 1)
      until not again
      fields[#fields + 1] = field
      at = (line:find(",", from, true) or #line + 1) + 1
    else
      local comma = line:find(",", at, true) or #line + 1
      fields[#fields + 1] = line:sub(at, comma - 1)
      at = comma + 1
    end
  end
  return fields
end

-- "upper.x [m]" is the column "upper.x"; an apostrophe keeps spreadsheets from taking "-x" for a formula.
local function strip_unit(title)
  return (title:gsub("%s*%[[^%]]*%]%s*$", ""):gsub("^%s+", ""):gsub("^'(['=+@\t-])", "%1"))
end

local function open(path)
  local allowed, file, reason = pcall(io.open, path, "r") -- a sandbox refuses by an error
  if not (allowed and file) and not path:match("^/") then
    local folder = library.script_folder()
    local beside = folder and io.open(folder .. path, "r")
    if beside then
      return beside, folder .. path
    end
  end
  if not allowed then
    error(file, 0)
  end
  return file or fail("states: cannot read " .. reason), path
end

-- Returns the names of columns, and a function that returns the fields of the next line and its number.
local function csv_lines(file)
  local next_line, number = file:lines(), 0
  local function next_fields()
    for line in next_line do
      number = number + 1
      line = line:gsub("\r$", "")
      if line:match("%S") and not line:match("^%s*#") then
        return split(line), number
      end
    end
  end
  return next_fields() or {}, next_fields
end

-- The same for the trajectory of a run in an HDF5 file.
local function hdf5_lines(place)
  local titles, rows = library.read_trajectory(place)
  local number = 0
  return titles, function()
    number = number + 1
    return rows[number], number
  end
end

-- Opens a file of either format: "DIR/run.csv" or "DIR/trajectories.h5:run".
local function read(place)
  local path, run = place:match("^(.*%.h5)(:[^:/]*)$")
  local file, found = open(path or place)
  if file:read(4) == "\x89HDF" then
    file:close()
    local whole = run and io.open(found .. run, "r") -- a sandbox refuses a link of this name to elsewhere
    if whole then
      whole:close()
    end
    return nil, hdf5_lines(found .. (run or ""))
  end
  file:seek("set")
  return file, csv_lines(file)
end

--- Reads the states of a reference from a trajectory: from a CSV file with its columns, or from an HDF5 file.
-- In CSV, lines that begin with # are comments. The first other line has the names of the columns, one of
-- which is t. Values of empty fields are unknown.
-- @function vida.states
-- @tparam string file path of the file, relative to the working directory or to the folder of the script. The
--   name of a run follows that of an HDF5 file with several runs:
--   `"results/trajectories.h5:swing-rattle-h_0.1"`
-- @treturn {table,...} a list of `{ t = 1, values = { ["bob.x"] = 1 } }`
-- @raise if the file cannot be read, or if a field is not a number (with the line)
-- @usage
-- local file <close> = assert(io.open("known.csv", "w"))
-- file:write "t,bob.x,bob.y\n1,0.5,-0.8660254\n"
-- file:flush()
-- local known = vida.states "known.csv"
function vida.states(path)
  if type(path) ~= "string" then
    library.expected("states", "file", "the name of a file", path)
  end
  local file, titles, next_fields = read(path)
  local names, states = {}, {}
  for i, title in ipairs(titles) do
    names[i] = strip_unit(title)
  end
  for fields, number in next_fields do
    local values = {}
    for i, name in ipairs(names) do
      local field = fields[i] or ""
      local value = tonumber(field)
      if not value and field:match("%S") then
        file:close()
        fail(("states: %s, line %d: expected a number in column '%s', got '%s'"):format(path, number, name,
          field))
      end
      values[name] = value
    end
    if values["t of multipliers"] and values["t of multipliers"] ~= values.t then
      for name in pairs(values) do
        values[name] = not name:match("^lambda ") and values[name] or nil
      end
    end
    states[#states + 1] = { t = values.t, values = values }
  end
  if file then
    file:close()
  end
  if #states == 0 or not states[1].t then
    fail(("states: %s has no %s"):format(path, #states == 0 and "line with values" or "column t"))
  end
  return states
end
