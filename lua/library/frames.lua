-- Frames: what bodies, particles and the ground are to a joint. Each kind has a `view`, which makes
-- of its coordinates and their rates the positions, directions and angular velocity that equations
-- are written with. It takes expressions, when an element is traced, and numbers, for the start.
--
--   count        number of coordinates
--   place_count  numbers that say where a point of it is; arm(list) makes of them what `turn` takes
--   turn_count   numbers that say a direction of it; 0: it has no orientation
--   view(c, v)   origin, origin_rate: vectors; turn(a), turn_rate(a): a direction of the body in
--                space, and its rate; spin(): the angular velocity, of the plane one number
local vida, system_methods, library = ...

local fail, expected, kind = library.fail, library.expected, library.kind
local kinds = {}
library.frame_kinds = kinds

local function slice(list, first, count)
  return vida.vector(table.move(list, first, first + count - 1, 1, {}))
end

local function zeros(count)
  local list = {}
  for i = 1, count do
    list[i] = 0
  end
  return vida.vector(list)
end

local function same(list)
  return vida.vector(list)
end

-- ---- without orientation, or without motion -----------------------------------------------------

local function new_ground(dimension)
  return {
    name = "ground", count = 0, place_count = dimension, turn_count = dimension, arm = same,
    view = function()
      local zero = zeros(dimension)
      return {
        origin = zero, origin_rate = zero, turn = same,
        turn_rate = function() return zero end,
        angle = 0,
        spin = function() return dimension == 3 and zero or 0 end,
      }
    end,
  }
end

local function new_particle(dimension)
  return {
    name = "particle", count = dimension, place_count = 0, turn_count = 0,
    arm = function() return nil end,
    view = function(c, v)
      return { origin = slice(c, 1, dimension), origin_rate = slice(v, 1, dimension) }
    end,
  }
end

-- ---- the plane ----------------------------------------------------------------------------------

local function turn_left(a)
  return vida.vector { -a[2], a[1] }
end
library.turn_left = turn_left

local function combine(a, first, second)
  return a[1] * first + a[2] * second
end

-- Centre and angle.
kinds.plane = {
  name = "plane", count = 3, place_count = 2, turn_count = 2, arm = same,
  view = function(c, v)
    local u = vida.vector { vida.cos(c[3]), vida.sin(c[3]) }
    local across = turn_left(u)
    return {
      origin = slice(c, 1, 2), origin_rate = slice(v, 1, 2), angle = c[3],
      turn = function(a) return combine(a, u, across) end,
      turn_rate = function(a) return v[3] * combine(a, across, -u) end,
      spin = function() return v[3] end,
    }
  end,
}

-- Centre and unit vector (Lacoursiere 2007, section 6); points are on its axis.
kinds.rod2 = {
  name = "rod", count = 4, place_count = 1, turn_count = 2,
  arm = function(list) return list[1] end,
  view = function(c, v)
    local u, rate = slice(c, 3, 2), slice(v, 3, 2)
    local function turn(a, w)
      return type(a) ~= "number" and kind(a) ~= "expression" and combine(a, w, turn_left(w)) or a * w
    end
    return {
      origin = slice(c, 1, 2), origin_rate = slice(v, 1, 2),
      turn = function(a) return turn(a, u) end,
      turn_rate = function(a) return turn(a, rate) end,
      spin = function() return u[1] * rate[2] - u[2] * rate[1] end,
    }
  end,
}

-- ---- space --------------------------------------------------------------------------------------

kinds.rod3 = {
  name = "rod", count = 6, place_count = 1, turn_count = 1,
  arm = function(list) return list[1] end,
  view = function(c, v)
    local u, rate = slice(c, 4, 3), slice(v, 4, 3)
    local function scalar(a)
      return (kind(a) == "vector" or kind(a) == "table") and a[1] or a
    end
    return {
      origin = slice(c, 1, 3), origin_rate = slice(v, 1, 3),
      turn = function(a) return scalar(a) * u end,
      turn_rate = function(a) return scalar(a) * rate end,
      spin = function() return vida.cross(u, rate) end,
    }
  end,
}

local function conjugate(q)
  return vida.vector { q[1], -q[2], -q[3], -q[4] }
end

-- Centre and unit quaternion, scalar first, from body to space.
kinds.quaternion = {
  name = "quaternion", count = 7, place_count = 3, turn_count = 3, arm = same,
  view = function(c, v)
    local q, rate = slice(c, 4, 4), slice(v, 4, 4)
    -- d/dt of q (0, a) q* / |q|^2 in the form q (0, a) q*, which is linear in the rates
    local function turn_rate(a)
      local turned = vida.quaternion_product(vida.quaternion_product(rate, { 0, a[1], a[2], a[3] }),
        conjugate(q))
      return 2 * slice(turned, 2, 3)
    end
    return {
      origin = slice(c, 1, 3), origin_rate = slice(v, 1, 3),
      turn = function(a) return vida.rotate(q, a) end,
      turn_rate = turn_rate,
      spin = function() return 2 * slice(vida.quaternion_product(rate, conjugate(q)), 2, 3) end,
    }
  end,
}

-- Centre and the three unit vectors along principal axes.
kinds.directors = {
  name = "directors", count = 12, place_count = 3, turn_count = 3, arm = same,
  view = function(c, v)
    local d, rate = {}, {}
    for i = 1, 3 do
      d[i], rate[i] = slice(c, 1 + 3 * i, 3), slice(v, 1 + 3 * i, 3)
    end
    return {
      origin = slice(c, 1, 3), origin_rate = slice(v, 1, 3), directors = d,
      turn = function(a) return a[1] * d[1] + a[2] * d[2] + a[3] * d[3] end,
      turn_rate = function(a) return a[1] * rate[1] + a[2] * rate[2] + a[3] * rate[3] end,
      spin = function()
        return 0.5 * (vida.cross(d[1], rate[1]) + vida.cross(d[2], rate[2]) + vida.cross(d[3], rate[3]))
      end,
    }
  end,
}

-- A flat body has no mass along the third of its principal axes: d3 = d1 x d2 is no coordinate.
kinds.flat_directors = {
  name = "directors", count = 9, place_count = 3, turn_count = 3, arm = same,
  view = function(c, v)
    local first, second = slice(c, 4, 3), slice(c, 7, 3)
    local first_rate, second_rate = slice(v, 4, 3), slice(v, 7, 3)
    local third = vida.cross(first, second)
    local third_rate = vida.cross(first_rate, second) + vida.cross(first, second_rate)
    return {
      origin = slice(c, 1, 3), origin_rate = slice(v, 1, 3),
      turn = function(a) return a[1] * first + a[2] * second + a[3] * third end,
      turn_rate = function(a) return a[1] * first_rate + a[2] * second_rate + a[3] * third_rate end,
      spin = function()
        return 0.5 * (vida.cross(first, first_rate) + vida.cross(second, second_rate)
          + vida.cross(third, third_rate))
      end,
    }
  end,
}

for dimension = 1, 3 do
  kinds["ground" .. dimension] = new_ground(dimension)
  kinds["particle" .. dimension] = new_particle(dimension)
end

-- ---- frames of systems --------------------------------------------------------------------------

-- The view of a kind, with the positions and velocities of its points.
function library.make_view(frame_kind, c, v)
  local view = frame_kind.view(c, v)
  function view.point(place)
    local arm = frame_kind.arm(place)
    return arm and view.origin + view.turn(arm) or view.origin
  end
  function view.point_rate(place)
    local arm = frame_kind.arm(place)
    return arm and view.origin_rate + view.turn_rate(arm) or view.origin_rate
  end
  return view
end

-- A frame: its kind, its coordinates (expressions) and, where the start is known, its view in
-- numbers. `owner` tells frames apart.
function library.new_frame(frame_kind, owner, name, coordinates, values, rates)
  return {
    kind = frame_kind, owner = owner, name = name, coordinates = coordinates,
    start = values and library.make_view(frame_kind, values, rates),
  }
end

-- Directions along the axes of the frame, in space, at the start.
local function start_axes(frame)
  local axes = {}
  for i = 1, frame.kind.turn_count do
    local a = zeros(frame.kind.turn_count)
    a[i] = 1
    axes[i] = frame.start.turn(a)
  end
  return axes
end

-- Components in the frame of a direction of space, at the start.
function library.to_local(frame, direction)
  local components = {}
  for i, axis in ipairs(start_axes(frame)) do
    components[i] = vida.dot(axis, direction)
  end
  return vida.vector(components)
end

-- Where a point of space is in the frame, at the start; of rods the nearest point on their axis.
function library.to_local_point(frame, position)
  local whole = library.to_local(frame, position - frame.start.origin)
  return table.move(whole, 1, frame.kind.place_count, 1, {})
end

-- ---- one element for all joints of one kind between frames of the same kinds ----------------------

-- By key; those with a function of the user's by this function, so that they may go when it goes.
local traced = {}
local traced_with = setmetatable({}, { __mode = "k" })

local function traced_elements(own_function)
  if own_function == nil then
    return traced
  end
  traced_with[own_function] = traced_with[own_function] or {}
  return traced_with[own_function]
end

-- Puts lists of values into one table of parameters: { axis = { 1, 2, 3 }, l = 4 } becomes
-- { ["axis.1"] = 1, ..., l = 4 }; `shape` receives how many numbers each entry has (0: one number).
local function flatten_values(values)
  local flat, shape, names = {}, {}, {}
  for name in pairs(values) do
    names[#names + 1] = name
  end
  table.sort(names)
  for _, name in ipairs(names) do
    local value = values[name]
    if type(value) == "number" or kind(value) == "expression" then
      flat[name], shape[#shape + 1] = value, { name, 0 }
    elseif #value > 0 then
      shape[#shape + 1] = { name, #value }
      for i = 1, #value do
        flat[("%s.%d"):format(name, i)] = value[i]
      end
    end
  end
  return flat, shape
end

-- Parameters as functions of a joint see them: vectors where they were lists.
local function gather_values(shape, parameters)
  local values = {}
  for _, entry in ipairs(shape) do
    local name, count = entry[1], entry[2]
    if count == 0 then
      values[name] = parameters[name]
    else
      local list = {}
      for i = 1, count do
        list[i] = parameters[("%s.%d"):format(name, i)]
      end
      values[name] = vida.vector(list)
    end
  end
  return values
end

local function make_element(title, frames, extra, shape, functions)
  local names, counts = {}, {}
  for _, entry in ipairs(shape) do
    for i = 1, math.max(entry[2], 1) do
      names[#names + 1] = entry[2] == 0 and entry[1] or ("%s.%d"):format(entry[1], i)
    end
  end
  local total = extra
  for i, frame in ipairs(frames) do
    counts[i] = frame.kind
    total = total + frame.kind.count
  end
  local definition = { title, coordinates = total, parameters = names, unit = functions.unit }
  local function arguments(...)
    local given, views, at = { ... }, {}, 1
    for i, frame_kind in ipairs(counts) do
      local c, v = {}, {}
      for k = 1, frame_kind.count do
        c[k], v[k] = given[at], given[at].rate
        at = at + 1
      end
      views[i] = library.make_view(frame_kind, c, v)
    end
    local last = {}
    for k = 1, extra do
      last[k] = given[at + k - 1]
    end
    return views, gather_values(shape, given[total + 1]), given[total + 2], last
  end
  for _, part in ipairs { "kinetic", "potential", "rayleigh", "constraint", "nonholonomic" } do
    if functions[part] then
      definition[part] = function(...)
        local views, values, time, last = arguments(...)
        return functions[part](values, time, views, last)
      end
    end
  end
  return vida.element(definition)
end

-- Adds an instance of the element `key`, which is made when it is first needed, to the system.
-- title: what it is; frames: what it acts on; coordinates: more that it acts on; values: numbers
-- and lists of numbers; functions: see make_element, each of (values, time, views, coordinates).
-- own_function: one of the user's that they call; nullable.
function library.add_traced(system, key, title, name, frames, values, functions, coordinates, own_function)
  coordinates = coordinates or {}
  local flat, shape = flatten_values(values)
  local marks = { key }
  for _, frame in ipairs(frames) do
    marks[#marks + 1] = frame.kind.name .. frame.kind.count
  end
  for _, entry in ipairs(shape) do
    marks[#marks + 1] = entry[1] .. entry[2]
  end
  local list = {}
  for _, frame in ipairs(frames) do
    table.move(frame.coordinates, 1, #frame.coordinates, #list + 1, list)
  end
  table.move(coordinates, 1, #coordinates, #list + 1, list)
  if #list == 0 then
    fail(("%s '%s': everything it acts on is fixed, so that there is nothing to move"):format(title, name))
  end
  local full_key = table.concat(marks, "|")
  local elements = traced_elements(own_function)
  local element = elements[full_key]
  if not element then
    element = make_element(title, frames, #coordinates, shape, functions)
    elements[full_key] = element
  end
  system_methods.add(system, element, name, list, flat)
  library.draw_joint(system, title, name, frames, values)
end

-- Adds a joint by a function of C, and draws it: `what` it is for that function, `title` for the drawing;
-- the places and directions in `values` are components in the axes of the frames.
function library.add_mechanism(add, system, what, title, name, frames, values)
  add(system, what, name, frames, values)
  library.draw_joint(system, title, name, frames, values)
end

-- ---- checks --------------------------------------------------------------------------------------

-- Checks the table given to a method of a system: { "name", ... }.
function library.check_definition(system, method, given, positional, keys, example)
  if kind(system) ~= "system" then
    expected("", method, ("system:%s { ... }"):format(method), system)
  elseif kind(given) ~= "table" then
    expected("", method, "a table such as " .. example, given)
  elseif type(given[1]) ~= "string" then
    expected(method, "[1]", "a name", given[1])
  end
  local place = ("%s '%s'"):format(method:gsub("_", " "), given[1])
  library.check_keys(given, place, "key", positional, keys)
  return place, given[1]
end

-- A positive finite number.
function library.check_positive(place, key, value)
  if not library.is_finite(value) or value <= 0 then
    expected(place, key, "a positive number", value)
  end
  return value
end

-- A finite number or a parameter of the system.
function library.check_value(system, place, key, value, default)
  if kind(value) == "expression" and library.parameter(system, value) then
    return value
  end
  return library.check_number(place, key, value, default)
end

-- A finite number, or the default when there is one and nothing is given.
function library.check_number(place, key, value, default)
  if value == nil and default ~= nil then
    return default
  elseif not library.is_finite(value) then
    expected(place, key, "a finite number", value)
  end
  return value
end
