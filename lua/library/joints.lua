--- Joints between bodies, particles and the ground.
--
-- Rows that keep points together are lengths, and their multipliers are forces. Rows that keep directions
-- orthogonal are scalar products of unit vectors; near zero they change like the angle between the
-- directions, so their unit is "rad" and their multipliers are torques. A row is a quantity of the second end
-- minus that of the first, so the force or torque on the second end is minus the multiplier.
--
-- @classmod system
local vida, system_methods, library = ...

local fail, expected, kind = library.fail, library.expected, library.kind
local end_names = { "first end", "second end" }

-- ---- ends ---------------------------------------------------------------------------------------

local function refuse_unknown_start(place, field, frame)
  fail(("%s: %s refers to space at the start, but the initial position of '%s' is computed from the "
    .. "constraints; use points and directions of the body itself"):format(place, field, frame.name))
end

-- Returns the place of a joint in the frame of its end i, from the given point or from the position `at` in
-- space.
local function resolve_place(frame, point, at, place, i, takes_at)
  local is_ground = frame.kind.count == 0
  if at and frame.kind.place_count > 0 and (point == nil or is_ground and vida.norm(point) == 0) then
    if not frame.start then
      refuse_unknown_start(place, "at", frame)
    end
    return library.to_local_point(frame, at)
  elseif point == nil then
    local what = takes_at
      and "%s: expected at = { ... }, its position at the start, or a point of body '%s' as its %s end"
      or "%s: expected a point of body '%s' as its %s end, such as body:point { ... }"
    fail(what:format(place, frame.name, i == 1 and "first" or "second"))
  end
  return point
end

-- Returns the frames and places of both ends of a joint, from its entries 2 and 3 and, if takes_at, its key
-- `at`.
local function resolve_ends(system, place, given, takes_at)
  local at = given.at
  if at ~= nil then
    at = library.check_list(place, "at", at, library.dimension(system))
  end
  local frames, places = {}, {}
  for i = 1, 2 do
    local point
    frames[i], point = library.resolve_end(system, given[i + 1], place, end_names[i])
    places[i] = resolve_place(frames[i], point, at, place, i, takes_at)
  end
  local first, second = frames[1], frames[2]
  if first == second or first.number and first.number == second.number then
    fail(("%s: both ends are on '%s'"):format(place, first.name))
  end
  return frames, places
end
library.resolve_joint_ends = resolve_ends

-- Returns the position of an end at the start and the size of its terms; nil if the position is computed from
-- the constraints.
local function start_place(frame, place)
  if frame.kind.place_count == 0 then
    return frame.start_place, frame.start_place and vida.norm(frame.start_place)
  end
  if frame.start then
    return library.start_point(frame, place), vida.norm(library.start_centre(frame)) + vida.norm(place)
  end
end

-- A joint may end at the ground (the origin) although the user meant another fixed point. If the rows do not
-- vanish at the start, this adds a hint to messages about the start. holds(d, size) returns whether the rows
-- vanish for the gap d, a difference of positions of this size.
local function advise_anchor(system, place, given, frames, places, holds)
  for i, frame in ipairs(frames) do
    local is_ground = frame.kind.name == "ground" and not frame.owner and vida.norm(places[i]) == 0
    local from, first_size, to, second_size
    if is_ground and given.at == nil then
      from, first_size = start_place(frames[1], places[1])
      to, second_size = start_place(frames[2], places[2])
    end
    if from and to and not holds(to - from, first_size + second_size) then
      local other, numbers = i == 1 and to or from, {}
      for k = 1, #other do
        numbers[k] = ("%.6g"):format(other[k])
      end
      library.advise_start(system, ("%s ends at the ground, which is the origin, and its other end starts "
        .. "at { %s }; for another fixed point use system:anchor { ... }"):format(place,
        table.concat(numbers, ", ")))
    end
  end
end
library.advise_anchor = advise_anchor

local function vanishes(d, size)
  return vida.norm(d) <= 1e-9 * size
end

-- Refuses ends without the orientation that a joint needs: particles, and for most joints rods in space.
local function demand_orientation(place, frames, count)
  for i, frame in ipairs(frames) do
    if frame.kind.turn_count < count then
      local what = frame.kind.turn_count == 0 and "a particle has no orientation"
        or "a rod in space has no orientation about its axis"
      local which = #frames == 1 and "" or end_names[i] .. " "
      fail(("%s: %s'%s': %s; expected a rigid body or the ground"):format(place, which, frame.name, what))
    end
  end
end
library.demand_orientation = demand_orientation

-- ---- axes ---------------------------------------------------------------------------------------

local function is_pair(value)
  return kind(value) == "table" and #value == 2
    and (kind(value[1]) ~= "number" or kind(value[2]) ~= "number")
end

-- Returns the components in all frames of a direction in space at the start.
local function both_local(place, key, frames, direction)
  local components = {}
  for i, frame in ipairs(frames) do
    if not frame.start then
      refuse_unknown_start(place, key, frame)
    end
    components[i] = library.to_local(frame, direction)
  end
  return components
end

local function resolve_pair(place, key, frames, pair)
  local components = {}
  for i, frame in ipairs(frames) do
    components[i] = library.resolve_direction(frame, pair[i], place, ("%s[%d]"):format(key, i))
  end
  return components
end

-- Returns the components of an axis in both frames. A list of numbers is a direction in space at the start; a
-- pair has a direction for each end, in the axes of its body.
local function resolve_axis(place, key, frames, value, dimension)
  if is_pair(value) then
    return resolve_pair(place, key, frames, value)
  elseif library.is_direction(value) then
    expected(place, key, "a direction in space such as { 0, 0, 1 }, or one for each end in a list", value)
  end
  return both_local(place, key, frames, library.check_direction(place, key, value, dimension))
end

-- Returns the triads e[1], e[2], e[3] (the axis) in both frames. They coincide in space at the start. If an
-- axis is given for each end, `reference` has a direction across the axis for each end, which correspond to
-- each other.
local function resolve_triads(place, frames, given, needs_reference)
  if given.axis == nil then
    expected(place, "axis", "a direction in space such as { 0, 0, 1 }, or one for each end in a list", nil)
  end
  local triads = { {}, {} }
  if not is_pair(given.axis) then
    local e3 = library.check_direction(place, "axis", given.axis, 3)
    local e1 = library.across(e3)
    for k, direction in ipairs { e1, vida.cross(e3, e1), e3 } do
      local components = both_local(place, "axis", frames, direction)
      triads[1][k], triads[2][k] = components[1], components[2]
    end
    return triads
  end
  local axes = resolve_pair(place, "axis", frames, given.axis)
  local references = given.reference and resolve_pair(place, "reference", frames, given.reference)
  if needs_reference and not references then
    fail(place .. ": reference: with an axis for each end, expected also a direction across it for each end")
  end
  for i, axis in ipairs(axes) do
    local e1 = references and library.part_across(axis, references[i]) or library.across(axis)
    triads[i] = { e1, vida.cross(axis, e1), axis }
  end
  return triads
end

local function triad_values(values, triads)
  for i, mark in ipairs { "a", "b" } do
    for k = 1, 3 do
      values[mark .. k] = triads[i][k]
    end
  end
  return values
end
library.resolve_triads = resolve_triads
library.triad_values = triad_values

-- Adds the axis and the direction to its left in the plane, for both frames.
local function plane_values(place, frames, given, values)
  if given.axis == nil then
    expected(place, "axis", "a direction such as { 1, 0 }", nil)
  end
  local components = resolve_axis(place, "axis", frames, given.axis, 2)
  values.a1, values.b1 = components[1], components[2]
  values.a2, values.b2 = library.turn_left(components[1]), library.turn_left(components[2])
  return values
end

-- ---- limits -------------------------------------------------------------------------------------

-- Refuses limits of an angle that does not count turns.
local function check_turns(place, frames, limit)
  local counts = true
  for _, frame in ipairs(frames) do
    counts = counts and (frame.kind.turn_count < 3 and frame.kind.name ~= "rod")
  end
  if not counts and not (limit.least and limit.least > -math.pi and limit.most and limit.most < math.pi) then
    fail(place .. ": limit: expected two angles between -pi and pi; for more turns use system:stop with an "
      .. "angle of system:angle")
  end
end

-- The angle of a revolute joint in the plane, between the x axes of its ends. That of a rod does not count
-- turns.
local function plane_angle(frames)
  local angles, axes, wraps = {}, {}, false
  for i, frame in ipairs(frames) do
    axes[i] = library.direction_vector(frame, library.to_frame(frame, vida.vector { 1, 0 }))
    angles[i] = frame.kind.name == "ground" and math.atan(axes[i][2], axes[i][1])
      or library.coordinates_of(frame)[3]
    wraps = wraps or frame.kind.name == "rod"
  end
  local u, w = axes[1], axes[2]
  return wraps and vida.atan2(u[1] * w[2] - u[2] * w[1], u[1] * w[1] + u[2] * w[2]) or angles[2] - angles[1]
end

-- That of one in space, 0 at the start.
local function space_angle(frames, values)
  local b1 = library.direction_vector(frames[2], values.b1)
  return vida.atan2(vida.dot(library.direction_vector(frames[1], values.a2), b1),
    vida.dot(library.direction_vector(frames[1], values.a1), b1))
end

local function gap_between(frames, places)
  return library.place_position(frames[2], places[2]) - library.place_position(frames[1], places[1])
end

-- The place of the second end along the axis of a prismatic joint.
local function place_along(frames, values)
  local axis = library.direction_vector(frames[1], values.a3 or values.a1)
  return vida.dot(axis, gap_between(frames, { values.first, values.second }))
end

--- Joints and prescribed motion
-- @section joints

-- ---- ball, revolute, universal ------------------------------------------------------------------

local example = "{ \"hip\", trunk, leg, at = { 0, 0, 1 } }"
local axis_example = "{ \"hinge\", frame, door, at = { 0, 0, 1 }, axis = { 0, 0, 1 } }"

local function add_ball(system, method, place, given)
  local frames, places = resolve_ends(system, place, given, true)
  local values = { first = places[1], second = places[2] }
  advise_anchor(system, place, given, frames, places, vanishes)
  library.add_mechanism(library.add_joint, system, method, method, given[1], frames, values)
end

--- Adds a ball joint, which keeps both ends at one point. Rows: "name: x", "name: y" and in space "name: z",
-- the components in space of the second end minus the first. Their multipliers are forces, N: minus the
-- multiplier acts on the second body, the multiplier on the first.
-- @function ball
-- @tparam table given
-- @tparam string given.1 its name
-- @tparam point|body given.2 the first end: a body, a point of one, a particle or a fixed point
-- @tparam point|body given.3 the second end
-- @tparam[opt] {number,...} given.at position of the joint in space at the start, m; not used if both ends
--   are points
-- @usage
-- s:ball { "hip", trunk, leg, at = { 0, 0, 0.5 } }
function system_methods.ball(system, given)
  if library.join_points(system, "ball", given) then
    return
  end
  local place = library.check_definition(system, "ball", given, 3, { "at" }, example)
  add_ball(system, "ball", place, given)
end

local measures = { revolute = space_angle, prismatic = place_along }

-- Adds a joint with an axis. is_in_plane: it exists also in the plane; needs_reference: directions across
-- both axes must correspond.
local function add_oriented(system, method, given, is_in_plane, needs_reference)
  local dimension = kind(system) == "system" and library.dimension(system) or 3
  local keys = dimension == 3 and { "at", "axis", "reference" } or { "at", "axis" }
  if measures[method] then
    keys[#keys + 1], keys[#keys + 2] = "limit", "restitution"
  end
  local place = library.check_definition(system, method, given, 3, keys, axis_example)
  local limit = measures[method] and library.read_limit(place, given)
  if dimension ~= 3 and not (is_in_plane and dimension == 2) then
    fail(("%s: there is no such joint in dimension %d"):format(place, dimension))
  end
  local frames, places = resolve_ends(system, place, given, true)
  demand_orientation(place, frames, dimension)
  local values = { first = places[1], second = places[2] }
  if method == "revolute" then
    advise_anchor(system, place, given, frames, places, vanishes)
    if limit then
      check_turns(place, frames, limit)
    end
  end
  if dimension == 3 then
    triad_values(values, resolve_triads(place, frames, given, needs_reference))
  else
    plane_values(place, frames, given, values)
  end
  library.add_mechanism(library.add_joint, system, method, method, given[1], frames, values)
  if limit then
    library.add_stops(system, given[1], measures[method](frames, values), limit)
  end
end

--- Adds a hinge: both bodies turn about one axis. Rows: those of `ball`, and in space "tilt 1" and "tilt 2",
-- the components of the second body's axis along two directions orthogonal to the first body's axis. Their
-- multipliers are torques, N m; a positive multiplier reduces the component. With `limit` it has stops, the
-- contacts "name: least" and "name: most" of the angle by which the second body is turned from the first: in
-- space since the start, in the plane between the x axes of the bodies, over any number of turns.
-- @function revolute
-- @tparam table given
-- @tparam string given.1 its name
-- @tparam point|body given.2 the first end: a body, a point of one, a particle or a fixed point
-- @tparam point|body given.3 the second end
-- @tparam[opt] {number,...} given.at position of the joint in space at the start, m; not used if both ends
--   are points
-- @tparam {number,...}|{direction,direction} given.axis in space only: the axis in space at the start, or one
--   axis for each body (from `body:direction`, or a list in the axes of the body)
-- @tparam[opt] {number,number} given.limit the least and the largest angle, rad; see below
-- @tparam[opt=0] number given.restitution of the limits, 0 to 1
-- @raise in space, and for rods, if a limit is not between -pi and pi
-- @usage
-- s:revolute { "hinge", s.ground, trunk, at = { 0, 0, 1 }, axis = { 0, 1, 0 } }
function system_methods.revolute(system, given)
  if library.dimension(system) == 2 then
    local has_limit = kind(given) == "table" and (given.limit ~= nil or given.restitution ~= nil)
    if not has_limit and library.join_points(system, "revolute", given) then
      return
    end
    if kind(given) == "table" and given.axis ~= nil then
      fail(("revolute '%s': axis: in the plane the axis is normal to the plane; leave axis out")
        :format(tostring(given[1])))
    end
    local place = library.check_definition(system, "revolute", given, 3, { "at", "limit", "restitution" },
      "{ \"pin\", frame, arm, at = { 0, 1 } }")
    local limit = library.read_limit(place, given)
    local frames = limit and resolve_ends(system, place, given, true)
    if limit then
      demand_orientation(place, frames, 2)
      check_turns(place, frames, limit)
    end
    add_ball(system, "revolute", place, given)
    if limit then
      library.add_stops(system, given[1], plane_angle(frames), limit)
    end
    return
  end
  add_oriented(system, "revolute", given, false)
end

--- Adds a universal joint (in space only), which keeps both ends at one point, and an axis a of the first
-- body orthogonal to an axis b of the second. Rows: those of `ball`, and "axes", the product a . b. Its
-- multiplier is a torque, N m: the multiplier times a x b acts on the second body, its opposite on the first.
-- @function universal
-- @tparam table given
-- @tparam string given.1 its name
-- @tparam point|body given.2 the first end: a body, a point of one, a particle or a fixed point
-- @tparam point|body given.3 the second end
-- @tparam[opt] {number,...} given.at position of the joint in space at the start, m; not used if both ends
--   are points
-- @tparam {direction,direction} given.axis one axis for each body: a list in space at the start, or a
--   direction of the body
-- @raise if the axes are parallel at the start, or if the system is not in space
-- @usage
-- s:universal { "cardan", trunk, leg, at = { 0, 0, 0.5 }, axis = { { 1, 0, 0 }, { 0, 1, 0 } } }
function system_methods.universal(system, given)
  local place = library.check_definition(system, "universal", given, 3, { "at", "axis" },
    "{ \"cardan\", first, second, at = { 0, 0, 0 }, axis = { { 1, 0, 0 }, { 0, 1, 0 } } }")
  if library.dimension(system) ~= 3 then
    fail(place .. ": there is no such joint in the plane")
  end
  local frames, places = resolve_ends(system, place, given, true)
  demand_orientation(place, frames, 3)
  advise_anchor(system, place, given, frames, places, vanishes)
  if not is_pair(given.axis) then
    expected(place, "axis", "two directions, one for each end, such as { { 1, 0, 0 }, { 0, 1, 0 } }",
      given.axis)
  end
  local axes, in_space = {}, {}
  for i, frame in ipairs(frames) do
    local field = ("axis[%d]"):format(i)
    if library.is_direction(given.axis[i]) then
      axes[i] = library.resolve_direction(frame, given.axis[i], place, field)
    else
      local direction = library.check_direction(place, field, given.axis[i], 3)
      axes[i] = both_local(place, field, { frame }, direction)[1]
    end
    in_space[i] = frame.start and library.start_direction(frame, axes[i])
  end
  -- If they are parallel, the row "axes" has no gradient.
  if in_space[1] and in_space[2] and vida.norm(vida.cross(in_space[1], in_space[2])) < 1e-6 then
    fail(place .. ": axis: the two axes are parallel at the start; expected orthogonal axes")
  end
  library.add_mechanism(library.add_joint, system, "universal", "universal", given[1], frames,
    { first = places[1], second = places[2], a = axes[1], b = axes[2] })
end

-- ---- cylindrical, prismatic, weld ---------------------------------------------------------------

--- Adds a cylindrical joint (in space only): the second body turns about the axis and slides along it. Rows:
-- "across 1" and "across 2", the second end minus the first along two directions orthogonal to the axis that
-- turn with the first body, and "tilt 1" and "tilt 2" as in `revolute`. The multipliers of "across" are
-- forces, N: minus the multiplier acts on the second body, the multiplier on the first.
-- @function cylindrical
-- @tparam table given
-- @tparam string given.1 its name
-- @tparam point|body given.2 the first end: a body, a point of one, a particle or a fixed point
-- @tparam point|body given.3 the second end
-- @tparam[opt] {number,...} given.at position of the joint in space at the start, m; not used if both ends
--   are points
-- @tparam {number,...}|{direction,direction} given.axis the axis in space at the start, or one axis for each
--   body (from `body:direction`, or a list in the axes of the body)
-- @usage
-- s:cylindrical { "sleeve", trunk, leg, at = { 0, 0, 0 }, axis = { 0, 0, 1 } }
function system_methods.cylindrical(system, given)
  add_oriented(system, "cylindrical", given, false)
end

--- Adds a slider: the second body moves along the axis and does not turn relative to the first. Rows:
-- "across 1" and "across 2" (in the plane "across", to the left of the axis), the second end minus the first
-- along directions that turn with the first body, with forces (N) as multipliers; and "turn 1", "turn 2",
-- "turn 3" about these directions and the axis (in the plane "turn", anticlockwise), the angle of the second
-- body minus that of the first, with torques (N m) as multipliers. Minus the multiplier acts on the second
-- body, the multiplier on the first.
-- @function prismatic
-- @tparam table given
-- @tparam string given.1 its name
-- @tparam point|body given.2 the first end: a body, a point of one, a particle or a fixed point
-- @tparam point|body given.3 the second end
-- @tparam[opt] {number,...} given.at position of the joint in space at the start, m; not used if both ends
--   are points
-- @tparam {number,...}|{direction,direction} given.axis the axis in space at the start, or one axis for each
--   body (from `body:direction`, or a list in the axes of the body)
-- @tparam[opt] {direction,direction} given.reference if `axis` has a direction for each end: a direction
--   orthogonal to each, which coincide in space at the start
-- @tparam[opt] {number,number} given.limit the least and the largest place of the second end along the axis,
--   from the first end, m: the contacts "name: least" and "name: most"
-- @tparam[opt=0] number given.restitution of the limits, 0 to 1
-- @usage
-- s:prismatic { "rail", s.ground, trunk, at = { 0, 0, 1 }, axis = { 1, 0, 0 } }
function system_methods.prismatic(system, given)
  add_oriented(system, "prismatic", given, true, true)
end

--- Fixes the second body to the first in their relative position at the start. Rows: "x", ... as in `ball`,
-- and "turn 1", ... as in `prismatic` with the axis z. Their multipliers are forces (N) and torques (N m):
-- minus the multiplier acts on the second body, the multiplier on the first.
-- @function weld
-- @tparam table given
-- @tparam string given.1 its name
-- @tparam point|body given.2 the first end: a body, a point of one, a particle or a fixed point
-- @tparam point|body given.3 the second end
-- @tparam[opt] {number,...} given.at position of the joint in space at the start, m; by default the centre of
--   the second body
-- @usage
-- s:weld { "glue", trunk, leg }
function system_methods.weld(system, given)
  local place = library.check_definition(system, "weld", given, 3, { "at" }, "{ \"glue\", first, second }")
  local dimension = library.dimension(system)
  local with_place = given
  if given.at == nil and library.is_body_end(given[3]) then
    local frame, point = library.resolve_end(system, given[3], place, "second end")
    if not point and frame.start then
      with_place = { given[1], given[2], given[3], at = frame.fixed_at or library.start_centre(frame) }
    end
  end
  local frames, places = resolve_ends(system, place, with_place, true)
  demand_orientation(place, frames, dimension)
  local axis = dimension == 3 and { axis = { 0, 0, 1 } } or { axis = { 1, 0 } }
  local values = { first = places[1], second = places[2] }
  if dimension == 3 then
    triad_values(values, resolve_triads(place, frames, axis))
  else
    plane_values(place, frames, axis, values)
  end
  library.add_mechanism(library.add_joint, system, "weld", "weld", given[1], frames, values)
end

-- ---- functions of time --------------------------------------------------------------------------

-- Calls the user's function of time and checks its result.
local function value_of(place, key, f, time)
  local value = f(time)
  if not library.is_finite(value) and kind(value) ~= "expression" then
    expected(place, key, "a function of time that returns a number or an expression", value)
  end
  return value
end

-- ---- distance -----------------------------------------------------------------------------------

local builtin_distance = system_methods.distance

local function advise_length(system, place, given, frames, places)
  advise_anchor(system, place, given, frames, places,
    function(d) return math.abs(vida.norm(d) / given.length - 1) < 1e-9 end)
end

-- Limits the distance of two ends, which no row keeps. No distance is below 0.
local function add_distance_limit(system, place, given, limit, gap)
  if given.length ~= nil then
    fail(place .. ": expected either length, for a rod, or limit, for a rope")
  elseif limit.least and limit.least < 0 then
    expected(place, "limit", "distances that are not negative", limit.least)
  end
  limit.least = limit.least ~= 0 and limit.least
  library.add_stops(system, given[1], vida.norm(gap), limit)
end

-- Adds a rod whose ends may be points of bodies and whose length may be a function of time.
local function add_distance(system, given)
  local place = library.check_definition(system, "distance", given, 3, { "length", "limit", "restitution" },
    "{ \"rod\", from, to, length = 1 }")
  local limit = library.read_limit(place, given)
  local frames, places = resolve_ends(system, place, given)
  if limit then
    add_distance_limit(system, place, given, limit, gap_between(frames, places))
    return
  end
  local values = { first = places[1], second = places[2] }
  if type(given.length) == "function" then
    values.length = value_of(place, "length", given.length, system.time)
    library.add_mechanism(library.add_variable_link, system, "distance", "distance", given[1], frames, values)
    return
  end
  values.length = library.check_positive(place, "length", given.length)
  advise_length(system, place, given, frames, places)
  library.add_mechanism(library.add_link, system, "distance", "distance", given[1], frames, values)
end

--- Adds a massless rod: one row (d^2 - l^2) / (2 l) = 0, to first order the change of length. Its multiplier
-- is the tension, positive if the rod is pulled. With `limit` instead of `length` there is no row but the
-- contacts "name: least" and "name: most": { 0, l } is a rope, { l, math.huge } keeps the ends apart.
-- @function distance
-- @tparam table given
-- @tparam string given.1 its name
-- @tparam point|body_point given.2 the first end: a point of a body, a particle or a fixed point
-- @tparam point|body_point given.3 the second end
-- @tparam number|function given.length l > 0, m, or a function of time that returns l and may use parameters
--   and coordinates
-- @tparam[opt] {number,number} given.limit the least and the largest distance, m
-- @tparam[opt=0] number given.restitution of the limits, 0 to 1
-- @usage
-- s:distance { "rod", s.ground, upper, length = 1 }
-- s:distance { "winch", upper, trunk:point { 0, 0, 0.1 }, length = function(t) return 1.5 + 0.1 * t end }
function system_methods.distance(system, given)
  local own = kind(system) == "system" and kind(given) == "table"
    and (library.is_body_end(given[2]) or library.is_body_end(given[3]) or type(given.length) == "function"
      or given.limit ~= nil or given.restitution ~= nil)
  if own then
    add_distance(system, given)
  else
    if not builtin_distance(system, given) then
      return -- both ends move, and neither is the ground by mistake
    end
    local place = ("distance '%s'"):format(given[1])
    local frames, places = resolve_ends(system, place, given)
    advise_length(system, place, given, frames, places)
  end
end

-- ---- prescribed motion --------------------------------------------------------------------------

-- The initial angle of a frame in the plane; nil for a rod.
local function start_angle(frame)
  return frame.kind.count == 0 and 0 or frame.kind.name == "plane" and frame.start[3] or nil
end

local function drive_values(system, place, frames, given)
  if library.dimension(system) == 3 then
    return triad_values({}, resolve_triads(place, frames, given, true))
  end
  local values = plane_values(place, frames, { axis = { 1, 0 } }, {})
  local first, second = start_angle(frames[1]), start_angle(frames[2])
  if first and second then
    values.difference = second - first
  end
  return values
end

-- ---- angles -------------------------------------------------------------------------------------

local angle_keys = { [2] = { "of", "value", "rate" }, [3] = { "axis", "reference", "of", "value", "rate" } }

-- The vector `of`; nil if it is not given.
local function resolve_vector(place, given)
  local of = given.of
  if of == nil then
    return nil
  elseif given[2] ~= nil then
    fail(place .. ": expected either two ends or of = { x, y }")
  elseif (kind(of) ~= "vector" and kind(of) ~= "table") or #of ~= 2 then
    expected(place, "of", "a vector of two expressions, { x, y }", of)
  elseif given.value == nil then
    fail(place .. ": value: expected the angle of { x, y } at the start, rad; the equation alone also allows "
      .. "the opposite direction")
  end
  return of
end

--- Adds an angle that counts turns: a coordinate equal to the angle by which the second body is turned from
-- the first about an axis, or to the angle of a vector of two expressions. Unlike `vida.atan2` it does not
-- wrap, so constraints, forces and observables may use it over any number of turns: a screw is
-- `s:constraint { "thread", nut.x - lead / (2 * math.pi) * angle, unit = "m" }`. The coordinate has no mass.
-- Its row exerts no torque on the bodies unless other terms depend on the coordinate, and does not align the
-- axes: add a joint for that.
-- @function angle
-- @tparam table given
-- @tparam string given.1 name of the coordinate and of its row
-- @tparam[opt] point|body given.2 the first end: a body or the ground
-- @tparam[opt] point|body given.3 the second end
-- @tparam {number,...}|{direction,direction} given.axis in space only: as for `revolute`
-- @tparam[opt] {direction,direction} given.reference if `axis` has a direction for each end: a direction
--   orthogonal to each, which coincide in space at the start
-- @tparam[opt] {expression,expression} given.of instead of two ends: the components x and y of a vector, not
--   both zero
-- @tparam[opt=0] number given.value initial angle, rad; for two ends a whole number of turns; required for a
--   vector
-- @tparam[opt] number given.rate initial rate, rad/s; by default computed from the motion
-- @treturn expression the angle, rad
-- @treturn expression the rate of the angle, rad/s
-- @usage
-- local turned = s:angle { "turned", s.ground, trunk, axis = { 0, 0, 1 } }
-- s:constraint { "thread", upper.z - 0.01 * turned, unit = "m" }
function system_methods.angle(system, given)
  local dimension = kind(system) == "system" and library.dimension(system) or 3
  local place, name = library.check_definition(system, "angle", given, 3,
    angle_keys[dimension] or angle_keys[2], "{ \"turned\", frame, spindle, axis = { 0, 0, 1 } }")
  local of = resolve_vector(place, given)
  local frames, values = {}, {}
  for i = 1, of and 0 or 2 do
    frames[i] = library.resolve_end(system, given[i + 1], place, end_names[i])
  end
  if not of then
    demand_orientation(place, frames, dimension)
    values = drive_values(system, place, frames, given)
    values.difference = nil
  end
  local value = library.check_value(system, place, "value", given.value, 0)
  local angle, rate = system_methods.coordinate(system, { name, unit = "rad", value = value,
    rate = given.rate == nil and vida.free() or library.check_value(system, place, "rate", given.rate) })
  if of then
    system_methods.constraint(system, { name, of[2] * vida.cos(angle) - of[1] * vida.sin(angle) })
  else
    library.add_angle(system, "angle", name, frames, values, angle)
  end
  return angle, rate
end

--- Adds a motor, which prescribes the angle by which the second body is turned from the first about an axis
-- since the start. It does not replace a joint. Its multiplier is a torque about the axis, N m: minus the
-- multiplier acts on the second body, the multiplier on the first.
-- @function drive
-- @tparam table given
-- @tparam string given.1 its name
-- @tparam point|body given.2 the first end: a body, a point of one, a particle or a fixed point
-- @tparam point|body given.3 the second end
-- @tparam {number,...}|{direction,direction} given.axis in space only: as for `revolute`
-- @tparam[opt] {direction,direction} given.reference if `axis` has a direction for each end: a direction
--   orthogonal to each, which coincide in space at the start
-- @tparam[opt] number given.rate angular velocity, rad/s; either `rate` or `angle` is required
-- @tparam[opt] function given.angle function of time that returns the angle, rad; it may use parameters and
--   coordinates
-- @usage
-- s:drive { "motor", s.ground, trunk, axis = { 0, 0, 1 }, rate = 3 }
function system_methods.drive(system, given)
  local place = library.check_definition(system, "drive", given, 3,
    { "axis", "reference", "angle", "rate" }, "{ \"motor\", frame, crank, axis = { 0, 0, 1 }, rate = 3 }")
  local frames = {}
  for i = 1, 2 do
    frames[i] = library.resolve_end(system, given[i + 1], place, end_names[i])
  end
  demand_orientation(place, frames, library.dimension(system))
  local values = drive_values(system, place, frames, given)
  if (given.angle == nil) == (given.rate == nil) then
    fail(place .. ": expected either angle = function(t) ... end or rate = (rad/s)")
  elseif given.rate ~= nil then
    values.rate = library.check_value(system, place, "rate", given.rate)
    library.add_mechanism(library.add_drive, system, "drive", "drive", given[1], frames, values)
  elseif type(given.angle) == "function" then
    values.angle = value_of(place, "angle", given.angle, system.time)
    library.add_mechanism(library.add_angle_drive, system, "drive", "drive", given[1], frames, values)
  else
    expected(place, "angle", "a function of time", given.angle)
  end
end

--- Prescribes the value of an expression: one row, expression - f(t) = 0.
-- @function prescribe
-- @tparam table given
-- @tparam string given.1 its name
-- @tparam expression given.2 an expression of positions
-- @tparam function given.3 f, a function of time
-- @tparam[opt=""] string given.unit unit of the expression
-- @usage
-- s:prescribe { "lift", upper.z, function(t) return 0.1 * t end, unit = "m" }
function system_methods.prescribe(system, given)
  local place = library.check_definition(system, "prescribe", given, 3, { "unit" },
    "{ \"lift\", z, function(t) return 0.1 * t end, unit = \"m\" }")
  if kind(given[2]) ~= "expression" then
    expected(place, "second entry", "a coordinate or an expression, such as bob.x", given[2])
  elseif type(given[3]) ~= "function" then
    expected(place, "third entry", "a function of time", given[3])
  end
  local value = value_of(place, "third entry", given[3], system.time)
  if given.unit ~= nil and type(given.unit) ~= "string" then
    expected(place, "unit", "a text", given.unit)
  end
  library.add_prescribed_value(system, "prescribe", given[1], given.unit or "",
    { expression = given[2], value = value })
end
