--- Reference states from CSV files.
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
  local file, reason = io.open(path, "r")
  if not file and not path:match("^/") then
    local folder = library.script_folder()
    file = folder and io.open(folder .. path, "r")
  end
  return file or fail("states: cannot read " .. reason)
end

--- Reads the states of a reference from a CSV file with the columns of a trajectory. Lines that begin with #
-- are comments. The first other line has the names of the columns, one of which is t. Values of empty fields
-- are unknown.
-- @function vida.states
-- @tparam string file path of the file, relative to the working directory or to the folder of the script
-- @treturn {table,...} a list of `{ t = 1, values = { ["bob.x"] = 1 } }`
-- @raise if the file cannot be read, or if a field is not a number (with the line)
-- @usage
-- local file <close> = assert(io.open("known.csv", "w"))
-- file:write "t,bob.x,bob.y\n1,0.5,-0.8660254\n"
-- file:flush()
-- local known = vida.states "known.csv"
function vida.states(path)
  if type(path) ~= "string" then
    library.expected("states", "file", "the name of a CSV file", path)
  end
  local file = open(path)
  local names, states, number = nil, {}, 0
  for line in file:lines() do
    number = number + 1
    line = line:gsub("\r$", "")
    if line:match("%S") and not line:match("^%s*#") then
      local fields = split(line)
      if not names then
        names = {}
        for i, title in ipairs(fields) do
          names[i] = strip_unit(title)
        end
      else
        local values = {}
        for i, name in ipairs(names) do
          local value = tonumber(fields[i] or "")
          if not value and (fields[i] or ""):match("%S") then
            file:close()
            fail(("states: %s, line %d: expected a number in column '%s', got '%s'"):format(path, number,
              name, fields[i]))
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
    end
  end
  file:close()
  if #states == 0 or not states[1].t then
    fail(("states: %s has no %s"):format(path, #states == 0 and "line with values" or "column t"))
  end
  return states
end
