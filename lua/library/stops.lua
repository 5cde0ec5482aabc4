--- Limits of motions: stops of coordinates, and ropes, which only pull.
--
-- @classmod system
local vida, system_methods, library = ...

local fail, expected, kind = library.fail, library.expected, library.kind

--- Stops and ropes
-- @section stops

local function check_restitution(place, value)
  if value == nil then
    return 0
  end
  if not library.is_finite(value) or value < 0 or value > 1 then
    expected(place, "restitution", "a number from 0 to 1", value)
  end
  return value
end

-- Adds a contact for each limit that there is.
local function add_stops(system, name, value, limit)
  if limit.least then
    system:contact { name .. ": least", gap = value - limit.least, restitution = limit.restitution }
  end
  if limit.most then
    system:contact { name .. ": most", gap = limit.most - value, restitution = limit.restitution }
  end
end
library.add_stops = add_stops

-- Checks the keys `limit` and `restitution` of a joint and returns its limits for add_stops; nil if it has
-- none.
function library.read_limit(place, given)
  local limit = given.limit
  if limit == nil then
    if given.restitution ~= nil then
      fail(place .. ": restitution: there is no limit to bounce from; expected also limit = { least, most }")
    end
    return nil
  end
  if kind(limit) ~= "table" or #limit ~= 2 or kind(limit[1]) ~= "number" or kind(limit[2]) ~= "number" then
    expected(place, "limit", "a list of two numbers, { least, most }", limit)
  end
  local least, most = limit[1], limit[2]
  local is_ordered = least < most -- not of NaN
  if not is_ordered then
    fail(("%s: limit: expected a least value below the largest, got %g and %g"):format(place, least, most))
  end
  return { least = least > -math.huge and least, most = most < math.huge and most,
    restitution = check_restitution(place, given.restitution) }
end

--- Limits a function of the positions: a joint that has stops, a carriage between bumpers. Each limit is a
-- contact, "name: least" or "name: most".
-- @function stop
-- @tparam table given
-- @tparam string given.1 its name
-- @tparam expression given.2 the function, such as an angle or a coordinate
-- @tparam[opt] number given.least its least value
-- @tparam[opt] number given.most its largest value
-- @tparam[opt=0] number given.restitution rate after an impact over that before, 0 to 1
-- @raise if there is neither limit, or if the limits are in the wrong order
-- @usage
-- s:stop { "bumpers", upper.x, least = -2, most = 2, restitution = 0.5 }
function system_methods.stop(system, given)
  local place = library.check_definition(system, "stop", given, 2, { "least", "most", "restitution" },
    "{ \"knee\", angle, least = 0, most = 2.5 }")
  if kind(given[2]) ~= "expression" then
    expected(place, "second entry", "an expression", given[2])
  end
  for _, key in ipairs { "least", "most" } do
    if given[key] ~= nil and not library.is_finite(given[key]) then
      expected(place, key, "a finite number", given[key])
    end
  end
  local least, most = given.least, given.most
  if not least and not most then
    fail(place .. ": expected a limit, least or most")
  end
  if least and most and least >= most then
    fail(("%s: least: expected a number below most = %g, got %g"):format(place, most, least))
  end
  add_stops(system, given[1], given[2],
    { least = least, most = most, restitution = check_restitution(place, given.restitution) })
end

-- The position of a particle, of a point of a body, or of a fixed point.
local function position_of(place, field, point)
  if kind(point) == "table" and library.is_finite(point[1]) then
    return point
  end
  local good, position = pcall(function() return point.position end)
  if not good or position == nil then
    expected(place, field, "a particle, a point of a body, or a fixed point such as { 0, 0 }", point)
  end
  return position
end

--- Adds a rope without mass between two points: a contact whose gap is what is left of its length. A slack
-- rope does nothing, a taut one pulls.
-- @function rope
-- @tparam table given
-- @tparam string given.1 its name
-- @tparam point|body_point|{number,...} given.2 the first end: a particle, a point of a body, or a fixed
--   point
-- @tparam point|body_point|{number,...} given.3 the second end
-- @tparam number given.length its length, m
-- @tparam[opt=0] number given.restitution rate after the rope jerks taut over that before, 0 to 1
-- @usage
-- s:rope { "leash", { 0, 0, 0 }, upper, length = 1.5 }
function system_methods.rope(system, given)
  local place = library.check_definition(system, "rope", given, 3, { "length", "restitution" },
    "{ \"rope\", from, to, length = 1 }")
  if not library.is_finite(given.length) or given.length <= 0 then
    expected(place, "length", "a positive number", given.length)
  end
  local from, to = position_of(place, "second entry", given[2]), position_of(place, "third entry", given[3])
  local square = 0
  for i = 1, library.dimension(system) do
    square = square + (to[i] - from[i]) ^ 2
  end
  if kind(square) ~= "expression" then
    fail(place .. ": expected an end that moves")
  end
  system:contact { given[1], gap = given.length - vida.sqrt(square),
    restitution = check_restitution(place, given.restitution) }
end
