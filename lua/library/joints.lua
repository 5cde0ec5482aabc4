--- Joints: what holds bodies, particles and the ground together.
--
-- Rows that keep points together are lengths, so that their multipliers are forces; rows that keep
-- directions across each other are products of unit vectors, which change like the angle between
-- them where they hold, so that their unit is that of an angle and their multipliers are torques.
-- Rows are those of the second end less those of the first: what acts on the second is minus the
-- multiplier.
--
-- @classmod system
local vida, system_methods, library = ...

local fail, expected, kind = library.fail, library.expected, library.kind
local end_names = { "first end", "second end" }

-- ---- ends ---------------------------------------------------------------------------------------

local function refuse_unknown_start(place, field, frame)
  fail(("%s: %s is a place in space at the start, but where '%s' starts is to be found; use points and "
    .. "directions of the body itself"):format(place, field, frame.name))
end

-- Where a joint is in the frame of its end i: the point that was given, or the place `at` in space.
local function resolve_place(frame, point, at, place, i, takes_at)
  local is_ground = frame.kind.count == 0
  if at and frame.kind.place_count > 0 and (point == nil or is_ground and vida.norm(point) == 0) then
    if not frame.start then
      refuse_unknown_start(place, "at", frame)
    end
    return library.to_local_point(frame, at)
  elseif point == nil then
    local what = takes_at
      and "%s: expected at = { ... }, where it is at the start, or a point of body '%s' as its %s end"
      or "%s: expected a point of body '%s' as its %s end: body:point { ... }, from its centre"
    fail(what:format(place, frame.name, i == 1 and "first" or "second"))
  end
  return point
end

-- Two ends with their places: entries 2 and 3 of a joint, and, of those that take it, its key `at`.
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

-- Where an end is at the start, and how large what it is made of is; nil where that is to be found.
local function start_place(frame, place)
  if frame.kind.place_count == 0 then
    return frame.start_place, frame.start_place and vida.norm(frame.start_place)
  end
  if frame.start then
    return frame.start.point(place), vida.norm(frame.start.origin) + vida.norm(place)
  end
end

-- Where a joint ends at the ground itself, and the start does not have it there, another fixed point is
-- meant perhaps: messages about the start then say so. holds(d, size): whether the rows vanish for the
-- gap d, a difference of places of this size.
local function advise_anchor(system, place, given, frames, places, holds)
  for i, frame in ipairs(frames) do
    local is_ground = frame.kind.name == "ground" and not frame.owner and vida.norm(places[i]) == 0
    local from, first_size = start_place(frames[1], places[1])
    local to, second_size = start_place(frames[2], places[2])
    if is_ground and given.at == nil and from and to and not holds(to - from, first_size + second_size) then
      local other, numbers = i == 1 and to or from, {}
      for k = 1, #other do
        numbers[k] = ("%.6g"):format(other[k])
      end
      library.advise_start(system, ("%s ends at the ground, which is the origin, and its other end starts "
        .. "at { %s }; a fixed point elsewhere is system:anchor { ... }"):format(place,
        table.concat(numbers, ", ")))
    end
  end
end
library.advise_anchor = advise_anchor

local function vanishes(d, size)
  return vida.norm(d) <= 1e-9 * size
end

-- Refuses ends that cannot be turned: particles, and for most joints rods in space.
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

-- Components in both frames of one direction of space at the start.
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

-- A direction by both frames: a list of numbers is one of space at the start, a pair has one for
-- each end, in the axes of that body.
local function resolve_axis(place, key, frames, value, dimension)
  if is_pair(value) then
    return resolve_pair(place, key, frames, value)
  elseif library.is_direction(value) then
    expected(place, key, "a direction in space such as { 0, 0, 1 }, or one for each end in a list", value)
  end
  return both_local(place, key, frames, library.check_direction(place, key, value, dimension))
end

-- Axis and two directions across it, e[1], e[2], e[3] (the axis), by both frames. Those across the
-- axis are the same in space at the start; when axes were given for each end, `reference` says for
-- each which direction across the axis goes with that of the other.
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
    fail(place .. ": reference: with an axis for each end, expected a direction across it for each end, too")
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

-- The same in the plane: the axis and what is to its left.
local function plane_values(place, frames, given, values)
  if given.axis == nil then
    expected(place, "axis", "a direction such as { 1, 0 }", nil)
  end
  local components = resolve_axis(place, "axis", frames, given.axis, 2)
  values.a1, values.b1 = components[1], components[2]
  values.a2, values.b2 = library.turn_left(components[1]), library.turn_left(components[2])
  return values
end

-- ---- rows ---------------------------------------------------------------------------------------

local function gap(p, views)
  return views[2].point(p.second) - views[1].point(p.first)
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

--- A ball joint: both ends are at one place. Three rows, "name: x", ..., the second end less the first in
-- the axes of space; in the plane two. Their multipliers are forces, N: the second body gets minus the
-- multiplier, the first one the multiplier.
-- @function ball
-- @tparam table given
-- @tparam string given.1 its name
-- @tparam point|body given.2 the first end: a body, a point of one, a particle or a fixed point
-- @tparam point|body given.3 the second one
-- @tparam[opt] {number,...} given.at where it is, in space at the start, m; not when both ends are points
-- @usage
-- s:ball { "hip", trunk, leg, at = { 0, 0, 0.5 } }
function system_methods.ball(system, given)
  local place = library.check_definition(system, "ball", given, 3, { "at" }, example)
  add_ball(system, "ball", place, given)
end

-- A joint with axes; whether it is one of the plane, too, and whether directions across the axes have to be
-- related.
local function add_oriented(system, method, given, is_in_plane, needs_reference)
  local dimension = kind(system) == "system" and library.dimension(system) or 3
  local keys = dimension == 3 and { "at", "axis", "reference" } or { "at", "axis" }
  local place = library.check_definition(system, method, given, 3, keys, axis_example)
  if dimension ~= 3 and not (is_in_plane and dimension == 2) then
    fail(("%s: there is no such joint in dimension %d"):format(place, dimension))
  end
  local frames, places = resolve_ends(system, place, given, true)
  demand_orientation(place, frames, dimension)
  local values = { first = places[1], second = places[2] }
  if method == "revolute" then
    advise_anchor(system, place, given, frames, places, vanishes)
  end
  if dimension == 3 then
    triad_values(values, resolve_triads(place, frames, given, needs_reference))
  else
    plane_values(place, frames, given, values)
  end
  library.add_mechanism(library.add_joint, system, method, method, given[1], frames, values)
end

--- A hinge: both bodies turn about one axis. Rows as those of `ball`, and in space "tilt 1", "tilt 2": how
-- far the second body's axis leans to either direction across the first one's. Their multipliers are
-- torques, N m: where positive, that on the second body turns its axis against the direction, that on the
-- first one is the opposite.
-- @function revolute
-- @tparam table given
-- @tparam string given.1 its name
-- @tparam point|body given.2 the first end: a body, a point of one, a particle or a fixed point
-- @tparam point|body given.3 the second one
-- @tparam[opt] {number,...} given.at where it is, in space at the start, m; not when both ends are points
-- @tparam {number,...}|{direction,direction} given.axis in space only: its axis, in space at the start; or
--   one of each body, as `body:direction` gives them or in the axes of the body
-- @usage
-- s:revolute { "hinge", s.ground, trunk, at = { 0, 0, 1 }, axis = { 0, 1, 0 } }
function system_methods.revolute(system, given)
  if kind(system) == "system" and library.dimension(system) == 2 then
    if kind(given) == "table" and given.axis ~= nil then
      fail(("revolute '%s': axis: in the plane everything turns about the axis across it; leave axis away")
        :format(tostring(given[1])))
    end
    local place = library.check_definition(system, "revolute", given, 3, { "at" },
      "{ \"pin\", frame, arm, at = { 0, 1 } }")
    add_ball(system, "revolute", place, given)
    return
  end
  add_oriented(system, "revolute", given, false)
end

--- A universal joint: both ends are at one place, and an axis of the first body is across an axis of the
-- second. Rows as those of `ball`, and "axes", the product of both axes a . b, whose multiplier is a torque,
-- N m: the second body gets the multiplier times a x b, the first one the opposite.
-- @function universal
-- @tparam table given
-- @tparam string given.1 its name
-- @tparam point|body given.2 the first end: a body, a point of one, a particle or a fixed point
-- @tparam point|body given.3 the second one
-- @tparam[opt] {number,...} given.at where it is, in space at the start, m; not when both ends are points
-- @tparam {direction,direction} given.axis one for each body: lists in space at the start, or directions
--   of the bodies
-- @raise when the axes are parallel at the start, or the system is in the plane
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
    in_space[i] = frame.start and frame.start.turn(axes[i])
  end
  -- Where they are parallel, the row that keeps them across each other has no gradient.
  if in_space[1] and in_space[2] and vida.norm(vida.cross(in_space[1], in_space[2])) < 1e-6 then
    fail(place .. ": axis: the two axes are parallel at the start; expected axes across each other")
  end
  library.add_mechanism(library.add_joint, system, "universal", "universal", given[1], frames,
    { first = places[1], second = places[2], a = axes[1], b = axes[2] })
end

-- ---- cylindrical, prismatic, weld ---------------------------------------------------------------

--- A cylindrical joint, in space: the second body turns about the axis and slides along it. Rows "across 1",
-- "across 2", the second end less the first along directions across the axis that turn with the first body
-- (multipliers are forces, N, the second body gets minus the multiplier), and "tilt 1", "tilt 2" as those of
-- `revolute`.
-- @function cylindrical
-- @tparam table given
-- @tparam string given.1 its name
-- @tparam point|body given.2 the first end: a body, a point of one, a particle or a fixed point
-- @tparam point|body given.3 the second one
-- @tparam[opt] {number,...} given.at where it is, in space at the start, m; not when both ends are points
-- @tparam {number,...}|{direction,direction} given.axis its axis, in space at the start; or one of each
--   body, as `body:direction` gives them or in the axes of the body
-- @usage
-- s:cylindrical { "sleeve", trunk, leg, at = { 0, 0, 0 }, axis = { 0, 0, 1 } }
function system_methods.cylindrical(system, given)
  add_oriented(system, "cylindrical", given, false)
end

--- A slider: the second body moves along the axis and does not turn. Rows "across 1", "across 2" (in the
-- plane "across", to the left of the axis), the second end less the first along directions that turn with
-- the first body: multipliers are forces, N. And "turn 1", "turn 2", "turn 3" about both directions and the
-- axis (in the plane "turn", anticlockwise), the angle of the second body less that of the first:
-- multipliers are torques, N m. Of all of them the second body gets minus the multiplier, the first one the
-- multiplier.
-- @function prismatic
-- @tparam table given
-- @tparam string given.1 its name
-- @tparam point|body given.2 the first end: a body, a point of one, a particle or a fixed point
-- @tparam point|body given.3 the second one
-- @tparam[opt] {number,...} given.at where it is, in space at the start, m; not when both ends are points
-- @tparam {number,...}|{direction,direction} given.axis its axis, in space at the start; or one of each
--   body, as `body:direction` gives them or in the axes of the body
-- @tparam[opt] {direction,direction} given.reference with an axis for each end, a direction across it for
--   each, which are one at the start
-- @usage
-- s:prismatic { "rail", s.ground, trunk, at = { 0, 0, 1 }, axis = { 1, 0, 0 } }
function system_methods.prismatic(system, given)
  add_oriented(system, "prismatic", given, true, true)
end

--- Fixes the second body to the first as it is at the start. Rows "x", ... as those of `ball` and "turn 1",
-- ... as those of `prismatic`, with the axis z: multipliers are forces, N, and torques, N m; the second body
-- gets minus the multiplier, the first one the multiplier.
-- @function weld
-- @tparam table given
-- @tparam string given.1 its name
-- @tparam point|body given.2 the first end: a body, a point of one, a particle or a fixed point
-- @tparam point|body given.3 the second one
-- @tparam[opt] {number,...} given.at where, in space at the start, m; by default the centre of the second
--   body
-- @usage
-- s:weld { "glue", trunk, leg }
function system_methods.weld(system, given)
  local place = library.check_definition(system, "weld", given, 3, { "at" }, "{ \"glue\", first, second }")
  local dimension = library.dimension(system)
  local with_place = given
  if given.at == nil and library.is_body_end(given[3]) then
    local frame, point = library.resolve_end(system, given[3], place, "second end")
    if not point and frame.start then
      with_place = { given[1], given[2], given[3], at = frame.fixed_at or frame.start.origin }
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

-- What the user's function gives at a time.
local function value_of(place, key, f, time)
  local value = f(time)
  if not library.is_finite(value) and kind(value) ~= "expression" then
    expected(place, key, "a function of time that returns a number or an expression", value)
  end
  return value
end

-- ---- distance -----------------------------------------------------------------------------------

local builtin_distance = system_methods.distance

-- (|d|^2 - l^2) / (2 l), as between particles: the multiplier is the tension.
local function distance_row(d, length)
  return (vida.dot(d, d) - length ^ 2) / (2 * length)
end

local function advise_length(system, place, given, frames, places)
  advise_anchor(system, place, given, frames, places,
    function(d) return math.abs(vida.norm(d) / given.length - 1) < 1e-9 end)
end

-- system:distance { "rod", from, to, length = 1 }: ends may be points of bodies, and the length may
-- be a function of time
local function add_distance(system, given)
  local place = library.check_definition(system, "distance", given, 3, { "length" },
    "{ \"rod\", from, to, length = 1 }")
  local frames, places = resolve_ends(system, place, given)
  local values = { first = places[1], second = places[2] }
  if type(given.length) == "function" then
    local length = given.length
    library.add_traced(system, "distance in time", "distance", given[1], frames, values, {
      unit = "m",
      constraint = function(p, time, views)
        return distance_row(gap(p, views), value_of(place, "length", length, time))
      end,
    }, nil, length)
    return
  end
  values.length = library.check_positive(place, "length", given.length)
  advise_length(system, place, given, frames, places)
  library.add_mechanism(library.add_link, system, "distance", "distance", given[1], frames, values)
end

--- A rod without mass: one row (d^2 - l^2) / (2 l) = 0, a length to first order. Its multiplier is the
-- tension, above 0 when pulled.
-- @function distance
-- @tparam table given
-- @tparam string given.1 its name
-- @tparam point|body_point given.2 the first end: a point of a body, a particle or a fixed point
-- @tparam point|body_point given.3 the second one
-- @tparam number|function given.length l, m; above 0, or a function of time that returns it
-- @usage
-- s:distance { "rod", s.ground, upper, length = 1 }
-- s:distance { "winch", upper, trunk:point { 0, 0, 0.1 }, length = function(t) return 1.5 + 0.1 * t end }
function system_methods.distance(system, given)
  local own = kind(system) == "system" and kind(given) == "table"
    and (library.is_body_end(given[2]) or library.is_body_end(given[3]) or type(given.length) == "function")
  if own then
    add_distance(system, given)
  else
    builtin_distance(system, given)
    local place = ("distance '%s'"):format(given[1])
    local frames, places = resolve_ends(system, place, given)
    advise_length(system, place, given, frames, places)
  end
end

-- ---- prescribed motion --------------------------------------------------------------------------

-- In the plane the difference of angles, when both are angles; else the sine of what the angle from
-- the first to the second body differs by from what it should be.
local function drive_row(p, views, angle)
  local a, b = views[1], views[2]
  if a.angle and b.angle then
    return b.angle - a.angle - p.difference - angle
  end
  local wanted = -vida.sin(angle) * a.turn(p.a1) + vida.cos(angle) * a.turn(p.a2)
  return vida.dot(wanted, b.turn(p.b1))
end

local function drive_values(system, place, frames, given)
  if library.dimension(system) == 3 then
    return triad_values({}, resolve_triads(place, frames, given, true))
  end
  local values = plane_values(place, frames, { axis = { 1, 0 } }, {})
  local first, second = frames[1].start.angle, frames[2].start.angle
  if first and second then
    values.difference = second - first
  end
  return values
end

-- ---- angles -------------------------------------------------------------------------------------

local angle_keys = { [2] = { "of", "value", "rate" }, [3] = { "axis", "reference", "of", "value", "rate" } }

-- The vector whose angle is asked for, where there is one.
local function resolve_vector(place, given)
  local of = given.of
  if of == nil then
    return nil
  elseif given[2] ~= nil then
    fail(place .. ": expected either two ends or of = { x, y }")
  elseif (kind(of) ~= "vector" and kind(of) ~= "table") or #of ~= 2 then
    expected(place, "of", "a vector of two expressions, { x, y }", of)
  elseif given.value == nil then
    fail(place .. ": value: expected the angle of { x, y } at the start, rad: half a turn away there is "
      .. "another one, which no equation refuses")
  end
  return of
end

--- An angle that counts turns: a coordinate that follows the second body as it turns from the first about
-- an axis, or a vector of two expressions in its plane. Unlike that of `vida.atan2`, its value does not
-- wrap, so that constraints, forces and observables may use it over any number of turns: a screw is
-- `s:constraint { "thread", nut.x - lead / (2 * math.pi) * angle, unit = "m" }`. It has no mass, and its
-- row holds nothing else; what keeps the axes together is a joint.
-- @function angle
-- @tparam table given
-- @tparam string given.1 its name, and that of its row
-- @tparam[opt] point|body given.2 the first end: a body or the ground
-- @tparam[opt] point|body given.3 the second one
-- @tparam {number,...}|{direction,direction} given.axis in space only: as for `revolute`
-- @tparam[opt] {direction,direction} given.reference with an axis for each end, a direction across it for
--   each, which are one at the start
-- @tparam[opt] {expression,expression} given.of instead of two ends: x and y, not both zero
-- @tparam[opt=0] number given.value at the start, rad; of two ends any whole number of turns, of a vector its
--   angle, which must be given
-- @tparam[opt] number given.rate at the start, rad/s; by default what the motion makes of it
-- @treturn expression the angle, rad
-- @treturn expression its rate, rad/s
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

--- A motor: prescribes the angle of the second body from the first about an axis, counted from the start.
-- The joint itself comes apart. Its multiplier is a torque, N m: the second body gets minus the multiplier
-- about the axis, the first one the multiplier.
-- @function drive
-- @tparam table given
-- @tparam string given.1 its name
-- @tparam point|body given.2 the first end: a body, a point of one, a particle or a fixed point
-- @tparam point|body given.3 the second one
-- @tparam {number,...}|{direction,direction} given.axis in space only: as for `revolute`
-- @tparam[opt] {direction,direction} given.reference with an axis for each end, a direction across it for
--   each, which are one at the start
-- @tparam[opt] number given.rate rad/s; either this or an angle
-- @tparam[opt] function given.angle of time, rad
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
    local angle = given.angle
    library.add_traced(system, "drive", "drive", given[1], frames, values, {
      unit = "rad",
      constraint = function(p, time, views)
        return drive_row(p, views, value_of(place, "angle", angle, time))
      end,
    }, nil, angle)
  else
    expected(place, "angle", "a function of time", given.angle)
  end
end

--- Prescribes the value of an expression: one row, expression - f(t) = 0.
-- @function prescribe
-- @tparam table given
-- @tparam string given.1 its name
-- @tparam expression given.2 of positions
-- @tparam function given.3 of time
-- @tparam[opt=""] string given.unit of the expression
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
  system_methods.constraint(system, { given[1], given[2] - value, unit = given.unit })
end
