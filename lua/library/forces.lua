--- Springs, dampers, torsion springs and torsion dampers.
--
-- @classmod system
local _, system_methods, library = ...

local fail, expected, kind = library.fail, library.expected, library.kind

--- Springs and dampers
-- @section forces

-- ---- springs ------------------------------------------------------------------------------------

local builtin_spring = system_methods.spring

-- A finite number that is not negative, or a parameter of the system.
local function check_size(system, place, key, value, default)
  local checked = library.check_value(system, place, key, value, default)
  if type(checked) == "number" and checked < 0 then
    expected(place, key, "a number that is not negative", value)
  end
  return checked
end

local function add_spring(system, given)
  local place = library.check_definition(system, "spring", given, 3,
    { "stiffness", "length", "cubic", "law" }, "{ \"spring\", from, to, stiffness = 1, length = 1 }")
  local frames, places = library.resolve_joint_ends(system, place, given)
  if given.law ~= nil and given.law ~= "linear" and given.law ~= "squared" then
    expected(place, "law", "\"linear\" or \"squared\"", given.law)
  end
  local values = {
    first = places[1], second = places[2],
    stiffness = check_size(system, place, "stiffness", given.stiffness),
    length = check_size(system, place, "length", given.length),
  }
  local squared = given.law == "squared"
  if given.cubic ~= nil and given.cubic ~= 0 then
    if squared then
      fail(place .. ": cubic: only the linear law has a cubic stiffness")
    end
    values.cubic = check_size(system, place, "cubic", given.cubic)
  end
  library.add_mechanism(library.add_spring, system, given.law or "linear", "spring", given[1], frames, values)
end

--- Adds a massless spring between two points.
-- @function spring
-- @tparam table given
-- @tparam string given.1 its name
-- @tparam point|body_point given.2 the first end: a point of a body, a particle or a fixed point
-- @tparam point|body_point given.3 the second end
-- @tparam number|expression given.stiffness k >= 0, N/m; or a parameter of the system
-- @tparam number|expression given.length rest length l >= 0, m; or a parameter
-- @tparam[opt=0] number given.cubic k3 >= 0 of a linear law, N/m^3
-- @tparam[opt="linear"] string given.law "linear": V = k s^2/2 + k3 s^4/4 with s = |d| - l; "squared": V =
--   k (|d|^2 - l^2)^2/4
-- @usage
-- s:spring { "rubber band", upper, trunk:point { 0, 0, 0.1 }, stiffness = 40, length = 0.3 }
function system_methods.spring(system, given)
  local own = kind(system) == "system" and kind(given) == "table"
    and (library.is_body_end(given[2]) or library.is_body_end(given[3])
      or kind(given.stiffness) == "expression" or kind(given.length) == "expression")
  if own then
    add_spring(system, given)
  else
    builtin_spring(system, given)
  end
end

-- ---- dampers ------------------------------------------------------------------------------------

--- Adds a damper between two points.
-- @function damper
-- @tparam table given
-- @tparam string given.1 its name
-- @tparam point|body_point given.2 the first end: a point of a body, a particle or a fixed point
-- @tparam point|body_point given.3 the second end
-- @tparam number given.damping c >= 0, N s/m
-- @tparam[opt="line"] string given.along "line": R = c s'^2/2 with the distance s; "velocity": R = c |v|^2/2
--   with the relative velocity v, which is defined also if the ends coincide
-- @usage
-- s:damper { "shock absorber", upper, trunk:point { 0, 0, 0.1 }, damping = 20 }
function system_methods.damper(system, given)
  local place = library.check_definition(system, "damper", given, 3, { "damping", "along" },
    "{ \"shock absorber\", wheel, frame, damping = 20 }")
  if given.along ~= nil and given.along ~= "line" and given.along ~= "velocity" then
    expected(place, "along", "\"line\" or \"velocity\"", given.along)
  end
  local frames, places = library.resolve_joint_ends(system, place, given)
  local values = {
    first = places[1], second = places[2],
    damping = check_size(system, place, "damping", given.damping),
  }
  library.add_mechanism(library.add_damper, system, given.along or "line", "damper", given[1], frames, values)
end

-- ---- about axes ---------------------------------------------------------------------------------

-- Returns the place in messages, the frames and the triads of a torsion element.
local function resolve_torsion(system, method, given, keys)
  local dimension = kind(system) == "system" and library.dimension(system) or 3
  local example = dimension == 3 and "{ \"torsion\", frame, door, axis = { 0, 0, 1 }, %s = 1 }"
    or "{ \"torsion\", frame, arm, %s = 1 }"
  local all = { "axis", "reference", table.unpack(keys) }
  if dimension == 2 then
    all = keys
  end
  local place = library.check_definition(system, method, given, 3, all, example:format(keys[1]))
  local frames = {}
  for i = 1, 2 do
    frames[i] = library.resolve_end(system, given[i + 1], place, i == 1 and "first end" or "second end")
  end
  if frames[1] == frames[2] then
    fail(("%s: both ends are on '%s'"):format(place, frames[1].name))
  end
  library.demand_orientation(place, frames, dimension)
  if dimension == 3 then
    return place, frames, library.triad_values({}, library.resolve_triads(place, frames, given, true))
  end
  return place, frames, {}
end

--- Adds a torsion spring between two bodies: V = k (a - angle)^2 / 2. In space the angle a is 0 at the start
-- and lies between -pi and pi; a run ends with ANGLE_WRAPS if the motion goes further. For more turns use
-- `s:potential { "coil", 0.5 * k * turned ^ 2 }` with an angle `turned` of `s:angle`. In the plane a is the
-- angle between the x axes of the bodies, over any number of turns.
-- @function torsion_spring
-- @tparam table given
-- @tparam string given.1 its name
-- @tparam point|body given.2 the first end: a body or the ground
-- @tparam point|body given.3 the second end
-- @tparam {number,...}|{direction,direction} given.axis in space only: as for `revolute`
-- @tparam[opt] {direction,direction} given.reference if `axis` has a direction for each end: a direction
--   orthogonal to each, which coincide in space at the start
-- @tparam number given.stiffness k >= 0, N m/rad
-- @tparam[opt=0] number given.angle rest angle, rad
-- @usage
-- s:torsion_spring { "coil", s.ground, trunk, axis = { 0, 0, 1 }, stiffness = 2 }
function system_methods.torsion_spring(system, given)
  local place, frames, values = resolve_torsion(system, "torsion_spring", given, { "stiffness", "angle" })
  values.stiffness = check_size(system, place, "stiffness", given.stiffness)
  values.angle = library.check_value(system, place, "angle", given.angle, 0)
  library.add_mechanism(library.add_torsion, system, "spring", "torsion spring", given[1], frames, values)
end

--- Adds a torsion damper between two bodies: R = c w^2 / 2 with their relative angular velocity w about an
-- axis.
-- @function torsion_damper
-- @tparam table given
-- @tparam string given.1 its name
-- @tparam point|body given.2 the first end: a body or the ground
-- @tparam point|body given.3 the second end
-- @tparam {number,...}|{direction,direction} given.axis in space only: as for `revolute`
-- @tparam[opt] {direction,direction} given.reference if `axis` has a direction for each end: a direction
--   orthogonal to each, which coincide in space at the start
-- @tparam number given.damping c >= 0, N m s/rad
-- @usage
-- s:torsion_damper { "brake", s.ground, trunk, axis = { 0, 0, 1 }, damping = 0.1 }
function system_methods.torsion_damper(system, given)
  local place, frames, values = resolve_torsion(system, "torsion_damper", given, { "damping" })
  values.damping = check_size(system, place, "damping", given.damping)
  library.add_mechanism(library.add_torsion, system, "damper", "torsion damper", given[1], frames, values)
end
