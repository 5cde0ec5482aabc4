--- Torques on bodies, and between two of them.
--
-- A torque M does the work M . w, with the angular velocity w of the body. Off the constraints of
-- its orientation, where methods evaluate forces as well, w is that of the rotation nearest to what
-- the coordinates do: then the forces on all coordinates turn everything with exactly M, and a
-- torque and its reaction leave the total angular momentum as it is.
--
-- @classmod system
local vida, system_methods, library = ...

local fail, expected, kind = library.fail, library.expected, library.kind

-- ---- generalized forces -------------------------------------------------------------------------

local function square(list)
  return vida.dot(list, list)
end

-- (tr D I - D)^-1 M with the sum D of d d^T over unit vectors d: the a for which forces a x d on
-- all of them have the moment M.
local function share_moment(directors, moment)
  local trace, s = 0, { { 0, 0, 0 }, { 0, 0, 0 }, { 0, 0, 0 } }
  for _, d in ipairs(directors) do
    trace = trace + square(d)
    for i = 1, 3 do
      for k = 1, 3 do
        s[i][k] = s[i][k] - d[i] * d[k]
      end
    end
  end
  for i = 1, 3 do
    s[i][i] = s[i][i] + trace
    s[i] = vida.vector(s[i])
  end
  local across = { vida.cross(s[2], s[3]), vida.cross(s[3], s[1]), vida.cross(s[1], s[2]) }
  local sum = moment[1] * across[1] + moment[2] * across[2] + moment[3] * across[3]
  return sum / vida.dot(s[1], across[1])
end

-- By kinds of frames: forces on the coordinates c that turn, of the moment (in the plane a number).
local generalized = {
  plane = function(_, moment) return { moment } end,
  rod = function(c, moment)
    local u = vida.vector(c)
    return moment / square(u) * library.turn_left(u)
  end,
  -- With w = 2 q' q* / |q|^2 it is 2 (0, M) q / |q|^2.
  quaternion = function(c, moment)
    local product = vida.quaternion_product({ 0, moment[1], moment[2], moment[3] }, c)
    return 2 / square(vida.vector(c)) * product
  end,
  directors = function(c, moment)
    local directors, forces = {}, {}
    for i = 1, #c // 3 do
      directors[i] = vida.vector { c[3 * i - 2], c[3 * i - 1], c[3 * i] }
    end
    local shared = share_moment(directors, moment)
    for _, d in ipairs(directors) do
      table.move(vida.cross(shared, d), 1, 3, #forces + 1, forces)
    end
    return forces
  end,
}

-- Appends pairs { coordinate, force }.
local function add_pairs(pairs_of_force, frame, moment)
  local make = generalized[frame.kind.name]
  if not make then
    return -- the ground
  end
  local first = library.dimension(frame.system) + 1
  local turning = table.move(frame.coordinates, first, #frame.coordinates, 1, {})
  for i, force in ipairs(make(turning, moment)) do
    table.insert(pairs_of_force, { turning[i], force })
  end
end

-- ---- what is given ------------------------------------------------------------------------------

local example = {
  [2] = "{ \"motor\", frame, crank, moment = 3 }",
  [3] = "{ \"motor\", frame, crank, axis = { 0, 0, 1 }, moment = 3 }",
}

local function is_scalar(value)
  return library.is_finite(value) or kind(value) == "expression"
end

-- One body with its moment, or two with `moment =`.
local function read_frames(system, place, given)
  local frames = { (library.resolve_end(system, given[2], place, "second entry")) }
  local moment = given.moment
  if kind(given[3]) == "point" or library.is_body_end(given[3]) then
    frames[2] = library.resolve_end(system, given[3], place, "third entry")
    if frames[1] == frames[2] then
      fail(("%s: both ends are on '%s'"):format(place, frames[1].name))
    end
  elseif given[3] ~= nil and moment ~= nil then
    fail(place .. ": the moment is given twice, as the third entry and as moment =")
  elseif given[3] ~= nil then
    moment = given[3]
  end
  local moving = 0
  for _, frame in ipairs(frames) do
    moving = moving + #frame.coordinates
  end
  if moving == 0 then
    fail(place .. ": everything it acts on is fixed: it takes any torque and does not move")
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
    fail(place .. ": moment: expected a number or an expression, got a function; write one of time with "
      .. "system.time, as in 2 * vida.sin(s.time)")
  elseif not is_scalar(moment) then
    expected(place, "moment", "a number or an expression, N m" .. example_of_axis, moment)
  end
  return moment
end

-- The moment as a vector of `frame`, or of space where that is nil.
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
  return vida.vector { moment[1], moment[2], moment[3] }
end

local function turn_with(frame, vector)
  return library.live_view(frame).turn(vector)
end

-- The axis in space as it is at any time: of one body it stays where it is in space, between two it
-- turns with the first, as the axis of a joint does; a direction of a body turns with that body.
local function axis_in_space(place, frames, given)
  local direction_frame = library.direction_frame(given.axis)
  if direction_frame then
    if direction_frame ~= frames[1] and direction_frame ~= frames[2] then
      fail(("%s: axis: this direction is one of body '%s', on which the torque does not act"):format(place,
        direction_frame.name))
    end
    return turn_with(direction_frame, library.resolve_direction(direction_frame, given.axis, place, "axis"))
  end
  local axis = library.check_direction(place, "axis", given.axis, 3)
  if given.frame == "body" then
    return turn_with(frames[1], library.to_frame(frames[1], axis))
  elseif not frames[2] then
    return axis
  elseif not frames[1].start then
    fail(("%s: axis is a direction in space at the start, but where '%s' starts is to be found; use one of "
      .. "the body: axis = body:direction { 0, 0, 1 }"):format(place, frames[1].name))
  end
  return turn_with(frames[1], library.to_local(frames[1], axis))
end

local function moment_in_space(place, frames, given, moment)
  if given.axis ~= nil then
    if kind(moment) == "vector" or kind(moment) == "table" then
      fail(place .. ": moment: with an axis, expected one number or expression; leave one of them away")
    end
    return check_scalar(place, moment, " about the axis") * axis_in_space(place, frames, given)
  end
  local vector = check_vector(place, moment)
  return given.frame == "body" and turn_with(frames[1], library.to_frame(frames[1], vector)) or vector
end

-- ---- system:torque ------------------------------------------------------------------------------

--- Torques
-- @section torques

--- A torque on a body, or of a motor between two: the second gets the moment, the first the opposite.
-- Also `s:torque { "name", body, moment }`, which acts on one body from outside. The moment may depend on
-- positions, rates and time. Energy counts it as a force, which has no potential.
-- @function torque
-- @tparam table given
-- @tparam string given.1 its name
-- @tparam body given.2 the body; or the first of two, which may be the ground
-- @tparam[opt] body given.3 the second one
-- @tparam number|expression|{number|expression,...} given.moment N m: in the plane anticlockwise; in space
--   about `axis`, or without one three components
-- @tparam[opt] {number,...}|direction given.axis in space only: a direction of space, which of one body stays
--   as it is, and between two turns with the first, as that of a joint; or a direction of one of the bodies
-- @tparam[opt="space"] string given.frame or "body": the components of moment and axis are those in the axes
--   of the (first) body, and turn with it
-- @raise when nothing that it acts on turns
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
  moment = dimension == 2 and check_scalar(place, moment, "")
    or moment_in_space(place, frames, given, moment)
  local pairs_of_force = {}
  if frames[2] then
    add_pairs(pairs_of_force, frames[1], -moment)
  end
  add_pairs(pairs_of_force, frames[2] or frames[1], moment)
  library.plain_force(system, { given[1], pairs_of_force })
end
