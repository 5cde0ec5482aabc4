--- Torques on bodies and between bodies.
--
-- The power of a torque M is M . w with the angular velocity w of the body (VidaTorque).
--
-- @classmod system
local _, system_methods, library = ...

local fail, expected, kind = library.fail, library.expected, library.kind

-- ---- what is given ------------------------------------------------------------------------------

local example = {
  [2] = "{ \"motor\", frame, crank, moment = 3 }",
  [3] = "{ \"motor\", frame, crank, axis = { 0, 0, 1 }, moment = 3 }",
}

local function is_scalar(value)
  return library.is_finite(value) or kind(value) == "expression"
end

-- Returns the frames of one or two bodies, and the moment.
local function read_frames(system, place, given)
  local frames = { (library.resolve_end(system, given[2], place, "second entry")) }
  local moment = given.moment
  if kind(given[3]) == "point" or library.is_body_end(given[3]) then
    frames[2] = library.resolve_end(system, given[3], place, "third entry")
    if frames[1] == frames[2] then
      fail(("%s: both ends are on '%s'"):format(place, frames[1].name))
    end
  elseif given[3] ~= nil and moment ~= nil then
    fail(place .. ": the moment is given twice, as third entry and as moment = ...")
  elseif given[3] ~= nil then
    moment = given[3]
  end
  local moving = 0
  for _, frame in ipairs(frames) do
    moving = moving + frame.kind.count
  end
  if moving == 0 then
    fail(place .. ": all its ends are fixed; at least one must move")
  end
  return frames, moment
end

local function check_turning(place, frames, dimension)
  for _, frame in ipairs(frames) do
    if frame.kind.turn_count == 0 then
      fail(("%s: a particle ('%s') has no orientation; expected a body or the ground"):format(place,
        frame.name))
    elseif frame.kind.turn_count < dimension then
      fail(("%s: rod '%s' has no orientation about its axis; give it forces at rod.head and rod.tail, or "
        .. "make it a body"):format(place, frame.name))
    end
  end
end

local function check_scalar(place, moment, example_of_axis)
  if type(moment) == "function" then
    fail(place .. ": moment: expected a number or an expression, got a function; for a function of time use "
      .. "the expression system.time, as in 2 * vida.sin(s.time)")
  elseif not is_scalar(moment) then
    expected(place, "moment", "a number or an expression, N m" .. example_of_axis, moment)
  end
  return moment
end

-- Checks and returns the three components of a moment.
local function check_vector(place, moment)
  local what = "three components { mx, my, mz }, N m, or one with axis = { 0, 0, 1 }"
  if kind(moment) ~= "vector" and kind(moment) ~= "table" then
    if type(moment) == "function" then
      check_scalar(place, moment, "")
    end
    expected(place, "moment", what, moment)
  elseif #moment ~= 3 then
    fail(("%s: moment: expected %s, got %d"):format(place, what, #moment))
  end
  for i = 1, 3 do
    if not is_scalar(moment[i]) then
      expected(place, ("moment[%d]"):format(i), "a number or an expression", moment[i])
    end
  end
  return { moment[1], moment[2], moment[3] }
end

-- Returns the axes in which the axis of the torque is constant, "space", "first" or "second", and its
-- components there. The axis of a torque on one body is constant in space. Between two bodies it turns with
-- the first, as the axis of a joint does. A direction of a body turns with that body.
local function resolve_axis(place, frames, given)
  local direction_frame = library.direction_frame(given.axis)
  local first = frames[2] and "first" or "second"
  if direction_frame then
    if direction_frame ~= frames[1] and direction_frame ~= frames[2] then
      fail(("%s: axis: this direction is one of body '%s', on which the torque does not act"):format(place,
        direction_frame.name))
    end
    return direction_frame == frames[1] and first or "second",
      library.resolve_direction(direction_frame, given.axis, place, "axis")
  end
  local axis = library.check_direction(place, "axis", given.axis, 3)
  if given.frame == "body" then
    return first, library.to_frame(frames[1], axis)
  elseif not frames[2] then
    return "space", axis
  elseif not frames[1].start then
    fail(("%s: axis refers to space at the start, but the initial position of '%s' is computed from the "
      .. "constraints; use a direction of the body, as in axis = body:direction { 0, 0, 1 }"):format(place,
      frames[1].name))
  end
  return "first", library.to_local(frames[1], axis)
end

-- Returns the axes to which `axis` and `moment` refer, and a table with both.
local function resolve_moment(place, frames, given, moment)
  if given.axis ~= nil then
    if kind(moment) == "vector" or kind(moment) == "table" then
      fail(place .. ": moment: with an axis, expected one number or expression; leave out the axis for "
        .. "a vector")
    end
    local scalar = check_scalar(place, moment, " about the axis")
    local axes, axis = resolve_axis(place, frames, given)
    return axes, { moment = { scalar }, axis = axis }
  end
  local vector = check_vector(place, moment)
  if given.frame == "body" then
    return frames[2] and "first" or "second", { moment = library.to_frame(frames[1], vector) }
  end
  return "space", { moment = vector }
end

-- ---- system:torque ------------------------------------------------------------------------------

--- Torques
-- @section torques

--- Adds a torque on a body, or between two bodies: the moment acts on the second and its opposite on the
-- first. `s:torque { "name", body, moment }` is an external torque on one body. The moment may depend on
-- positions, rates and time. It has no potential; its work counts as work of a force.
-- @function torque
-- @tparam table given
-- @tparam string given.1 its name
-- @tparam body given.2 the body, or the first of two bodies, which may be the ground
-- @tparam[opt] body given.3 the second body
-- @tparam number|expression|{number|expression,...} given.moment moment, N m: in the plane anticlockwise; in
--   space about `axis`, or three components if there is no axis
-- @tparam[opt] {number,...}|direction given.axis in space only: a list of components in space, which on one
--   body is constant and between two bodies turns with the first, or a direction of one of the bodies
-- @tparam[opt="space"] string given.frame "space" or "body": the axes to which the components of moment and
--   axis refer; "body" are the axes of the (first) body, which turn with it
-- @raise if all bodies on which it acts are fixed
-- @usage
-- s:torque { "thruster", trunk, { 0, 0, 0.2 }, frame = "body" }
-- s:torque { "motor", trunk, leg, axis = { 0, 1, 0 }, moment = 2 * vida.sin(s.time) }
function system_methods.torque(system, given)
  local dimension = kind(system) == "system" and library.dimension(system) or 3
  local place = library.check_definition(system, "torque", given, 3,
    dimension == 3 and { "moment", "axis", "frame" } or { "moment" }, example[dimension] or example[2])
  if dimension == 1 then
    fail(place .. ": a torque needs a system of dimension 2 or 3")
  elseif given.frame ~= nil and given.frame ~= "space" and given.frame ~= "body" then
    expected(place, "frame", "\"space\" or \"body\"", given.frame)
  end
  local frames, moment = read_frames(system, place, given)
  check_turning(place, frames, dimension)
  local axes, values
  if dimension == 2 then
    axes, values = "space", { moment = { check_scalar(place, moment, "") } }
  else
    axes, values = resolve_moment(place, frames, given, moment)
  end
  library.add_torque(system, axes, given[1], frames[2] and frames or { {}, frames[1] }, values)
end
