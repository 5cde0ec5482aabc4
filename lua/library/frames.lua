-- Frames: the ends of joints and forces, which are bodies, particles or the ground. Their equations are in C.
--
--   count        number of coordinates
--   place_count  number of components of a point in the frame
--   turn_count   number of components of a direction in the frame; 0: it has no orientation
local vida, _, library = ...

local expected, kind = library.expected, library.kind
local kinds = {
  plane = { name = "plane", count = 3, place_count = 2, turn_count = 2 },
  rod2 = { name = "rod", count = 4, place_count = 1, turn_count = 2 },
  rod3 = { name = "rod", count = 6, place_count = 1, turn_count = 1 },
  quaternion = { name = "quaternion", count = 7, place_count = 3, turn_count = 3 },
  directors = { name = "directors", count = 12, place_count = 3, turn_count = 3 },
  -- A flat body has no extent along its third principal axis: d3 = d1 x d2 is not a coordinate.
  flat_directors = { name = "directors", count = 9, place_count = 3, turn_count = 3 },
}
library.frame_kinds = kinds

for dimension = 1, 3 do
  kinds["ground" .. dimension] =
    { name = "ground", count = 0, place_count = dimension, turn_count = dimension }
  kinds["particle" .. dimension] = { name = "particle", count = dimension, place_count = 0, turn_count = 0 }
end

function library.turn_left(a)
  return vida.vector { -a[2], a[1] }
end

-- ---- frames of systems --------------------------------------------------------------------------

-- Creates a frame from its kind, the index of its first coordinate, the node of its expression, which those
-- of the others follow (neither for the ground), and their initial values (nil: computed from the
-- constraints).
function library.new_frame(system, frame_kind, name, first, node, values)
  return {
    system = system, kind = frame_kind, name = name, first = first, node = node, start = values,
  }
end

-- The coordinates of a frame as expressions. Most bodies are never asked for them.
function library.coordinates_of(frame)
  if not frame.coordinates then
    frame.coordinates = frame.node
      and library.coordinates(frame.system, frame.first, frame.node, frame.kind.count) or {}
  end
  return frame.coordinates
end

-- The initial position of the centre of a frame whose start is known; for the ground the origin.
function library.start_centre(frame)
  local centre = {}
  for i = 1, library.dimension(frame.system) do
    centre[i] = frame.start[i] or 0
  end
  return vida.vector(centre)
end

-- The position in space, at the start, of a point of a frame.
function library.start_point(frame, place)
  return library.end_start(frame.system, "place", frame.name, { frame }, { place = place })
end

-- The components in space, at the start, of a direction of a frame.
function library.start_direction(frame, components)
  return library.direction_start(frame.system, "direction", frame.name, { frame },
    { direction = components })
end

-- The components in a frame of a direction in space, at the start.
function library.to_local(frame, direction)
  return library.direction_at(frame.system, frame.kind.turn_count, frame.name, { frame },
    { direction = direction })
end

-- The place in a frame of a point in space, at the start; for a rod, of the nearest point on its axis.
function library.to_local_point(frame, position)
  return library.place_at(frame.system, frame.kind.place_count, frame.name, { frame }, { place = position })
end

-- Adds a joint or force by a function in C, and draws it. `what` is its kind for this function, `title` its
-- kind for the drawing; places and directions in `values` are components in the axes of the frames.
function library.add_mechanism(add, system, what, title, name, frames, values)
  add(system, what, name, frames, values)
  library.draw_joint(system, title, name, frames, values)
end

-- ---- checks --------------------------------------------------------------------------------------

local titles = setmetatable({}, { __index = function(list, method)
  list[method] = method:gsub("_", " ")
  return list[method]
end })

-- Checks the table { "name", ... } given to a method of a system. Returns its place in messages and the name.
function library.check_definition(system, method, given, positional, keys, example)
  if kind(system) ~= "system" then
    expected("", method, ("system:%s { ... }"):format(method), system)
  elseif kind(given) ~= "table" then
    expected("", method, "a table such as " .. example, given)
  elseif type(given[1]) ~= "string" then
    expected(method, "[1]", "a name", given[1])
  end
  local place = titles[method] .. " '" .. given[1] .. "'"
  library.check_keys(given, place, "key", positional, keys)
  return place, given[1]
end

-- Checks and returns a positive finite number.
function library.check_positive(place, key, value)
  if not library.is_finite(value) or value <= 0 then
    expected(place, key, "a positive number", value)
  end
  return value
end

-- Checks and returns a finite number or a parameter of the system.
function library.check_value(system, place, key, value, default)
  if kind(value) == "expression" and library.parameter(system, value) then
    return value
  end
  return library.check_number(place, key, value, default)
end

-- Checks and returns a finite number; without a value, returns the default if there is one.
function library.check_number(place, key, value, default)
  if value == nil and default ~= nil then
    return default
  elseif not library.is_finite(value) then
    expected(place, key, "a finite number", value)
  end
  return value
end
