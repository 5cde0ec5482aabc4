--- Elements: patterns of terms that are derived once and used many times.
--
-- An element owns a system that serves as the pattern of its instances. A fixed end (the ground, an anchor,
-- or a number instead of a coordinate) has no coordinates. Instances with fixed ends need another pattern, in
-- which the components of these ends are parameters. Each pattern is made when it is first needed.
--
-- @classmod system
local vida, system_methods, library = ...

local new_system = vida.system
local fail, expected, kind = library.fail, library.expected, library.kind

local axes = { "x", "y", "z" }
-- Functions that return one expression. The method of the system that adds it has the same name.
local parts = { "lagrangian", "kinetic", "potential", "rayleigh" }
-- Functions that return one row or several.
local row_parts = { "constraint", "nonholonomic" }
local functions = { "lagrangian", "kinetic", "potential", "rayleigh", "constraint", "nonholonomic", "force" }
local keys = { "points", "coordinates", "dimension", "parameters", "unit", table.unpack(functions) }

-- The definitions of element objects.
local definitions = setmetatable({}, { __mode = "k" })
-- The number of unnamed instances, by system and by name of the element.
local unnamed = setmetatable({}, { __mode = "k" })
-- The names of instances, by system and by element. They must be unique.
local instance_names = setmetatable({}, { __mode = "k" })

-- ---- reading a definition -----------------------------------------------------------------------

local function is_list(value)
  return kind(value) == "table" and (#value > 0 or next(value) == nil)
end

-- Returns the names of ends, which are given as a list of names or as a number of ends.
local function read_ends(place, definition, key, letters)
  local given = definition[key]
  local names = {}
  if math.type(given) == "integer" and given >= 0 and given <= 1000 then
    for i = 1, given do
      names[i] = given <= #letters and letters:sub(i, i) or letters:sub(1, 1) .. i
    end
  elseif is_list(given) then
    for i, name in ipairs(given) do
      if type(name) ~= "string" then
        expected(place, ("%s[%d]"):format(key, i), "a name", name)
      end
      names[i] = name
    end
  elseif given ~= nil then
    expected(place, key, "a number of " .. key .. " or a list of their names", given)
  end
  return names
end

-- Returns the names of parameters in their order, the default values, and the index of each name, from a list
-- such as { "k", l0 = 1 }.
local function read_parameters(place, given)
  local names, values, known = {}, {}, {}
  if given ~= nil and kind(given) ~= "table" then
    expected(place, "parameters", "a list of names such as { \"k\", \"l0\" }", given)
  end
  for key, value in pairs(given or {}) do
    if type(key) == "string" then
      if type(value) ~= "number" then
        expected(place, "parameters." .. key, "a number, its default value", value)
      end
      names[#names + 1], values[key] = key, value
    elseif type(value) ~= "string" then
      expected(place, ("parameters[%s]"):format(key), "a name", value)
    end
  end
  table.sort(names) -- pairs() has no defined order
  table.move(names, 1, #names, #(given or {}) + 1)
  table.move(given or {}, 1, #(given or {}), 1, names)
  for i, name in ipairs(names) do
    if known[name] then
      fail(("%s: two parameters are named '%s'"):format(place, name))
    end
    known[name] = i
  end
  return names, values, known
end

local function check_dimension(place, dimension)
  if dimension ~= nil and dimension ~= 1 and dimension ~= 2 and dimension ~= 3 then
    expected(place, "dimension", "1, 2 or 3", dimension)
  end
  return dimension
end

local function check_functions(place, definition)
  local count = 0
  for _, key in ipairs(functions) do
    local given = definition[key]
    if given ~= nil and type(given) ~= "function" then
      expected(place, key, "a function of the points, the parameters and the time", given)
    end
    count = count + (given and 1 or 0)
  end
  if count == 0 then
    fail(("%s: expected at least one function among %s"):format(place, table.concat(functions, ", ")))
  end
  if definition.unit ~= nil and type(definition.unit) ~= "string" then
    expected(place, "unit", "a text", definition.unit)
  end
  if definition.unit and definition.constraint and definition.nonholonomic then
    fail(place .. ": unit: constraint and nonholonomic rows have units of their own; return "
      .. "{ { \"name\", expression, unit = \"m\" } }")
  end
end

-- ---- tracing ------------------------------------------------------------------------------------

-- A hint for the message about an unknown parameter.
local function advice(definition, name)
  local nearest = library.nearest_name(name, definition.parameters)
  if nearest then
    return ("; did you mean '%s'?"):format(nearest)
  elseif #definition.parameters == 0 then
    return "; it has no parameters"
  end
  return "; its parameters are " .. table.concat(definition.parameters, ", ")
end

-- The argument p of the functions: the parameters by name.
local function new_parameter_table(definition, values)
  return setmetatable({}, {
    __index = function(_, key)
      local value = values[key]
      if value == nil then
        local name = tostring(key)
        fail(("element '%s' has no parameter '%s'%s"):format(definition.name, name, advice(definition, name)))
      end
      return value
    end,
    __newindex = function(_, key)
      fail(("element '%s': parameters cannot be set inside it ('%s')"):format(definition.name, tostring(key)))
    end,
    __metatable = false,
  })
end

-- Adds a parameter to the pattern. Returns its expression and its index.
local function add_parameter(pattern, name)
  pattern.parameter_count = pattern.parameter_count + 1
  return system_methods.parameter(pattern.system, { name, 1 }), pattern.parameter_count - 1
end

local function trace_point(pattern, name, fixed)
  if not fixed then
    local origin = { 0, 0, 0 }
    return system_methods.particle(pattern.system,
      { name, mass = 1, position = table.move(origin, 1, pattern.dimension, 1, {}) })
  end
  local first = pattern.parameter_count
  for axis = 1, pattern.dimension do
    add_parameter(pattern, name .. "." .. axes[axis])
  end
  return library.parameter_point(pattern.system, first, name)
end

local function trace_coordinate(pattern, name, fixed)
  if fixed then
    return (add_parameter(pattern, name))
  end
  return (system_methods.coordinate(pattern.system, { name, value = 0 }))
end

-- Calls a function that must return one value.
local function only_value(pattern, definition, part)
  local got = table.pack(definition[part](table.unpack(pattern.arguments)))
  if got.n > 1 then
    local is_row = part == "constraint" or part == "nonholonomic"
    fail(("%s: %s: expected a function that returns one value, got %d of them%s"):format(definition.place,
      part, got.n, is_row and "; for several rows return a list { { \"row\", expression }, ... }" or ""))
  end
  return got[1]
end

local function trace_parts(pattern, definition)
  for _, part in ipairs(parts) do
    if definition[part] then
      local value = only_value(pattern, definition, part)
      if kind(value) == "expression" then
        system_methods[part](pattern.system, { definition.name, value })
      elseif type(value) ~= "number" or not pattern.has_fixed then -- constant if only fixed ends enter
        expected(definition.place, part, "a function that returns an expression", value)
      end
    end
  end
end

-- Converts the result of a function of rows to a list of { name, expression, unit = }.
local function rows_of(definition, part, value)
  if kind(value) == "expression" then
    return { { definition.name, value } }
  elseif kind(value) == "table" and type(value[1]) == "string" then
    return { value }
  elseif kind(value) ~= "vector" and not is_list(value) or #value == 0 then
    expected(definition.place, part,
      "a function that returns an expression, a vector or a list { { \"row\", expression }, ... }", value)
  end
  local rows = {}
  for i, row in ipairs(value) do
    local name = kind(value) == "vector" and axes[i] or tostring(i)
    rows[i] = kind(row) == "table" and row or { name, row }
  end
  return rows
end

local function trace_rows(pattern, definition)
  for _, part in ipairs(row_parts) do
    if definition[part] then
      for i, row in ipairs(rows_of(definition, part, only_value(pattern, definition, part))) do
        local place = ("element '%s': %s[%d]"):format(definition.name, part, i)
        library.check_keys(row, place, "key", 2, { "unit" })
        if type(row[1]) ~= "string" then
          expected(place, "[1]", "the name of the row", row[1])
        elseif kind(row[2]) ~= "expression" then
          expected(place, "[2]", "an expression", row[2])
        end
        system_methods[part](pattern.system, { row[1], row[2], unit = row.unit or definition.unit })
      end
    end
  end
end

-- Returns the list of forces, one for each end. The function returns them as a list or as several values; for
-- a single end it may return the force itself.
local function forces_of(pattern, definition)
  local got = table.pack(definition.force(table.unpack(pattern.arguments)))
  local first, count = got[1], #definition.points + #definition.coordinates
  if got.n == 1 and count == 1 then
    local is_force = kind(first) ~= "table" or #first ~= 1
    return { is_force and first or first[1] }
  elseif got.n == 1 and count ~= 1 then
    if kind(first) ~= "table" then
      expected(definition.place, "force", ("a function that returns %d forces"):format(count), first)
    end
    return first
  end
  return got
end

local function add_point_force(pattern, definition, pairs_of_force, i, force)
  local point = pattern.arguments[i]
  if force == 0 or not force then
    return
  elseif kind(force) ~= "vector" and kind(force) ~= "table" then
    expected(definition.place, ("force[%d]"):format(i),
      ("a vector of %d components or 0"):format(pattern.dimension), force)
  elseif #force ~= pattern.dimension then
    fail(("%s: force[%d]: expected %d components, got %d"):format(definition.place, i,
      pattern.dimension, #force))
  end
  for axis = 1, pattern.dimension do
    if force[axis] ~= 0 and not pattern.fixed[i] then
      table.insert(pairs_of_force, { point[axis], force[axis] })
    end
  end
end

local function trace_force(pattern, definition)
  if not definition.force then
    return
  end
  local forces, pairs_of_force = forces_of(pattern, definition), {}
  local count, points = #definition.points + #definition.coordinates, #definition.points
  for i in pairs(forces) do
    if i ~= "n" and not (math.type(i) == "integer" and i >= 1 and i <= count) then
      fail(("%s: force: expected %d forces, got one at [%s]"):format(definition.place, count, tostring(i)))
    end
  end
  for i = 1, count do
    local force = forces[i]
    if i <= points then
      add_point_force(pattern, definition, pairs_of_force, i, force)
    elseif force and force ~= 0 and not pattern.fixed[i] then
      table.insert(pairs_of_force, { pattern.arguments[i], force })
    end
  end
  if #pairs_of_force > 0 then
    system_methods.force(pattern.system, { definition.name, pairs_of_force })
  end
end

-- Makes the pattern for a dimension and a set of fixed ends.
local function trace(definition, dimension, fixed)
  local pattern = {
    system = new_system { definition.name, dimension = dimension },
    dimension = dimension, fixed = fixed, has_fixed = next(fixed) ~= nil,
    arguments = {}, parameter_count = 0,
  }
  for i, name in ipairs(definition.points) do
    pattern.arguments[i] = trace_point(pattern, name, fixed[i])
  end
  for _, name in ipairs(definition.coordinates) do
    local i = #pattern.arguments + 1
    pattern.arguments[i] = trace_coordinate(pattern, name, fixed[i])
  end
  local values = {}
  for _, name in ipairs(definition.parameters) do
    values[name] = add_parameter(pattern, name)
  end
  table.insert(pattern.arguments, new_parameter_table(definition, values))
  table.insert(pattern.arguments, pattern.system.time)
  trace_parts(pattern, definition)
  trace_rows(pattern, definition)
  trace_force(pattern, definition)
  pattern.arguments = nil
  return pattern
end

-- Returns the pattern for a dimension and a set of fixed ends, and makes it if necessary.
local function pattern_of(definition, dimension, fixed)
  local key = dimension
  if next(fixed) then
    local marks = {}
    for i = 1, #definition.points + #definition.coordinates do
      marks[i] = fixed[i] and "f" or "-"
    end
    key = dimension .. table.concat(marks)
  end
  local pattern = definition.patterns[key]
  if not pattern then
    pattern = trace(definition, dimension, fixed)
    definition.patterns[key] = pattern
  end
  return pattern.system
end

-- Makes the first pattern when the element is defined, so that messages about mistakes in its functions name
-- the line of the definition. Without a dimension, tries dimension 3 and then 2.
local function trace_at_once(definition)
  if definition.dimension or #definition.points == 0 then
    pattern_of(definition, definition.dimension or 3, {})
    return
  end
  local good, message = pcall(pattern_of, definition, 3, {})
  if not good then
    local good_in_plane, message_in_plane = pcall(pattern_of, definition, 2, {})
    if not good_in_plane and message_in_plane ~= message and type(message) == "string" then
      message = ("%s\n  or with dimension = 2: %s"):format(message, tostring(message_in_plane))
    end
    if not good_in_plane then
      error(message, 0)
    end
  end
end

--- Elements
-- @section elements

-- ---- vida.element -------------------------------------------------------------------------------

local element_class = {
  __name = "vida.element",
  __tostring = function(element) return ("element '%s'"):format(definitions[element].name) end,
  __call = function(element)
    fail(("element '%s' cannot be called; add it with system:add(element, ...)"):format(
      definitions[element].name))
  end,
  __index = function(element, key)
    local definition = definitions[element]
    if key == "name" then
      return definition.name
    end
    fail(("a vida.element has no '%s'; it has name"):format(tostring(key)))
  end,
  __newindex = function() fail("an element cannot be changed") end,
  __metatable = false,
}

--- Defines an element: a pattern of terms that is derived once and used many times. The arguments of its
-- functions are the points (vectors with a `velocity`), the coordinates, the table of parameters and the
-- time; they return expressions of these.
-- @function vida.element
-- @tparam table given
-- @tparam string given.1 its name
-- @tparam[opt=0] integer|{string,...} given.points number of points, or their names
-- @tparam[opt=0] integer|{string,...} given.coordinates number of coordinates (each has a `rate`), or their
--   names
-- @tparam[opt] integer given.dimension 1, 2 or 3; by default that of the system
-- @tparam[opt] {string,...} given.parameters names of parameters; `name = value` sets a default value
-- @tparam[opt] string given.unit unit of its constraint rows
-- @tparam[opt] function given.lagrangian L, J
-- @tparam[opt] function given.kinetic T, J
-- @tparam[opt] function given.potential V, J
-- @tparam[opt] function given.rayleigh R, W
-- @tparam[opt] function given.constraint g: an expression, or a list of `{ "row", expression, unit = "m"
--   }`
-- @tparam[opt] function given.nonholonomic A v + b: an expression, or a list as for `constraint`
-- @tparam[opt] function given.force a list with the force on each point or coordinate
-- @treturn element with a `name`
-- @raise if there is no function, or if a function returns a value of the wrong type
-- @usage
-- local spring = vida.element { "spring", points = 2, parameters = { "k", l0 = 1 },
--   potential = function(a, b, p) return 0.5 * p.k * (vida.norm(b - a) - p.l0) ^ 2 end }
-- s:add(spring, s.ground, upper, { k = 100 })
function vida.element(given)
  if kind(given) ~= "table" then
    expected("", "element", "a table such as { \"spring\", points = 2, potential = function ... }", given)
  elseif type(given[1]) ~= "string" then
    expected("element", "[1]", "a name", given[1])
  end
  local place = ("element '%s'"):format(given[1])
  library.check_keys(given, place, "key", 1, keys)
  check_functions(place, given)
  local definition = {
    name = given[1], place = place, patterns = {}, unit = given.unit,
    points = read_ends(place, given, "points", "abcdef"),
    coordinates = read_ends(place, given, "coordinates", "q"),
    dimension = check_dimension(place, given.dimension),
  }
  definition.parameters, definition.defaults, definition.known = read_parameters(place, given.parameters)
  for _, key in ipairs(functions) do
    definition[key] = given[key]
  end
  if #definition.points + #definition.coordinates == 0 then
    fail(place .. ": expected a number of points or coordinates on which it acts, such as points = 2")
  end
  trace_at_once(definition)
  local element = setmetatable({}, element_class)
  definitions[element] = definition
  return element
end

-- ---- system:add ---------------------------------------------------------------------------------

local function next_name(system, definition)
  local counts = unnamed[system] or {}
  unnamed[system] = counts
  local count = (counts[definition.name] or 0) + 1
  counts[definition.name] = count
  return count == 1 and definition.name or ("%s %d"):format(definition.name, count)
end

local function check_new_name(system, element, place, name)
  local by_element = instance_names[system] or setmetatable({}, { __mode = "k" })
  local names = by_element[element] or {}
  instance_names[system], by_element[element] = by_element, names
  if names[name] then
    fail(place .. ": this name is already in use")
  end
  names[name] = true
end

-- Returns the name (nil: none), the ends, their number and the parameters from the arguments after the
-- element: "name", a, b, { k = 1 } or { "name", a, b, k = 1 }; the name is optional.
local function read_arguments(...)
  local list, count, values = { ... }, select("#", ...), nil
  local first = count == 1 and kind(list[1]) == "table" and list[1]
  if first and (type(first[1]) == "string" or #first > 0 and next(first, #first)) then
    values = list[1]
    list, count = table.move(values, 1, #values, 1, {}), #values
  elseif count > 0 and kind(list[count]) == "table" and not library.is_body_end(list[count])
    and list[count][1] == nil then
    values = list[count]
    list[count], count = nil, count - 1
  end
  if type(list[1]) == "string" then
    return list[1], table.move(list, 2, count, 1, {}), count - 1, values
  end
  return nil, list, count, values
end

-- Replaces lists of coordinates, such as those of a body, by their entries.
local function flatten(ends, count, points)
  local flat, length = {}, 0
  for i = 1, count do
    local value = ends[i]
    if i > points and (kind(value) == "table" or kind(value) == "vector") then
      table.move(value, 1, #value, length + 1, flat)
      length = length + #value
    else
      length = length + 1
      flat[length] = value
    end
  end
  return flat, length
end

-- A hint for the message about ends of which one is a rate.
local function advice_about_rates(system, ends, count)
  for i = 1, count do
    if library.rate(system, ends[i]) then
      return "; one is a rate: system:coordinate returns a coordinate and its rate, and a call as the last "
        .. "argument passes both; write (s:coordinate { ... }) to pass only the coordinate"
    end
  end
  return ""
end

local function check_count(system, place, definition, ends, count)
  local points, coordinates = #definition.points, #definition.coordinates
  if count ~= points + coordinates then
    local what = {}
    what[#what + 1] = points > 0 and ("%d point%s"):format(points, points > 1 and "s" or "") or nil
    what[#what + 1] = coordinates > 0
      and ("%d coordinate%s"):format(coordinates, coordinates > 1 and "s" or "") or nil
    fail(("%s: expected %s, got %d%s"):format(place, table.concat(what, " and "), count,
      advice_about_rates(system, ends, count)))
  end
end

-- Returns the indices of the coordinates of moving ends, the values of fixed ends, and the set of fixed ends.
local function resolve_ends(system, place, definition, ends)
  local dimension = library.dimension(system)
  local coordinates, values, fixed = {}, {}, {}
  for i, name in ipairs(definition.points) do
    local field = ("point %d ('%s')"):format(i, name)
    if library.is_body_end(ends[i]) then
      expected(place, field, "a particle or a fixed point (of a body: the particle body.centre)", ends[i])
    end
    local first, position = library.point(system, ends[i], place, field)
    if first then
      for axis = 0, dimension - 1 do
        coordinates[#coordinates + 1] = first + axis
      end
    else
      fixed[i] = true
      table.move(position, 1, dimension, #values + 1, values)
    end
  end
  for k, name in ipairs(definition.coordinates) do
    local i = #definition.points + k
    local number = library.coordinate(system, ends[i])
    if number then
      coordinates[#coordinates + 1] = number
    elseif type(ends[i]) == "number" then
      fixed[i] = true
      values[#values + 1] = ends[i]
    elseif library.rate(system, ends[i]) then
      fail(("%s: coordinate %d ('%s'): expected a coordinate of this system, or a number if it is fixed%s")
        :format(place, k, name, advice_about_rates(system, ends, i)))
    else
      expected(place, ("coordinate %d ('%s')"):format(k, name),
        "a coordinate of this system, or a number if it is fixed", ends[i])
    end
  end
  if #coordinates == 0 then
    fail(place .. ": all its ends are fixed; at least one must move")
  end
  return coordinates, values, fixed
end

local function refuse_unknown_parameter(place, definition, given)
  for key in pairs(given) do
    if type(key) == "string" and not definition.known[key] then
      fail(("%s: unknown parameter '%s'%s"):format(place, key, advice(definition, key)))
    end
  end
end

-- Appends the values of the element's parameters to `values`. Returns the links: the indices of parameters of
-- the system, or -1.
local function resolve_parameters(system, place, definition, given, values)
  local links = {}
  for i = 1, #values do
    links[i] = -1
  end
  for _, name in ipairs(definition.parameters) do
    local value = given[name]
    if value == nil then
      value = definition.defaults[name]
    end
    local at = #values + 1
    if type(value) == "number" then
      if value ~= value or value == math.huge or value == -math.huge then
        expected(place, name, "a finite number", value)
      end
      values[at], links[at] = value, -1
    else
      local number = value ~= nil and library.parameter(system, value)
      if not number then
        expected(place, name, "a number or a parameter of this system", value)
      end
      values[at], links[at] = system_methods.get_parameter(system, value), number
    end
  end
  return links
end

--- Adds an instance of an element. Other forms are `s:add(spring, a, b, { k = 100 })`, without a name, and
-- `s:add(spring, { "name", a, b, k = 100 })`.
-- @function add
-- @tparam element element from `vida.element`
-- @tparam[opt] string name name of the instance; by default "spring", "spring 2", ...
-- @tparam point|expression|number ... points and coordinates; fixed points, and numbers instead of
-- coordinates,   do not move
-- @tparam[opt] table parameters values by names: numbers, or parameters of the system
-- @raise if a parameter is unknown or missing, or if all ends are fixed
-- @usage
-- local magnet = vida.element { "magnet", points = 1, parameters = { "c" },
--   potential = function(a, p) return p.c / vida.dot(a, a) end }
-- s:add(magnet, "north pole", upper, { c = 0.1 })
function system_methods.add(system, element, ...)
  if kind(system) ~= "system" then
    expected("", "add", "system:add(element, ...)", system)
  end
  local definition = type(element) == "table" and definitions[element]
  if not definition then
    expected("", "argument 1 of add", "an element made by vida.element", element)
  end
  local name, ends, count, given = read_arguments(...)
  local is_unnamed = name == nil
  local place = ("%s '%s'"):format(definition.name, name or definition.name)
  given = given or {}
  if #definition.coordinates > 0 then
    ends, count = flatten(ends, count, #definition.points)
  end
  check_count(system, place, definition, ends, count)
  refuse_unknown_parameter(place, definition, given)
  local dimension = library.dimension(system)
  if #definition.points == 0 then
    dimension = definition.dimension or 3
  elseif definition.dimension and definition.dimension ~= dimension then
    fail(("%s: an element of dimension %d in a system of dimension %d"):format(place,
      definition.dimension, dimension))
  end
  local coordinates, values, fixed = resolve_ends(system, place, definition, ends)
  local links = resolve_parameters(system, place, definition, given, values)
  local pattern = pattern_of(definition, dimension, fixed)
  name = is_unnamed and next_name(system, definition) or name
  check_new_name(system, element, place, name)
  library.add_element(system, pattern, name, coordinates, values, links)
end
