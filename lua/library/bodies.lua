--- Rigid bodies and rods.
-- The centre of mass of a body is a particle: gravity acts on it, and forces and comparisons accept it. The
-- orientation has coordinates of its own.
--
-- @classmod body
-- @usage
-- local vida = require "vida"
-- local s = vida.system "bodies"
-- local arm = s:body { "arm", mass = 1, inertia = { 0.1, 0.2, 0.2 } }
local vida, system_methods, library = ...

local fail, expected, kind, zeros = library.fail, library.expected, library.kind, library.zeros
local new_class = library.new_class

-- ---- points and directions fixed in bodies ------------------------------------------------------

-- The coordinates of a frame are those of its centre, followed by those of its orientation.
local function centre_of(frame)
  return vida.vector(table.move(library.coordinates_of(frame), 1, library.dimension(frame.system), 1, {}))
end

local function centre_rate_of(frame)
  local rates = {}
  for i = 1, library.dimension(frame.system) do
    rates[i] = library.coordinates_of(frame)[i].rate
  end
  return vida.vector(rates)
end

local function point_position(point)
  local frame = point.frame
  return frame.kind.count == 0 and vida.vector(point.place)
    or library.end_position(frame.system, "position", frame.name, { frame }, { place = point.place })
end

local function point_velocity(point)
  local frame = point.frame
  return frame.kind.count == 0 and vida.vector(zeros(library.dimension(frame.system)))
    or library.end_velocity(frame.system, "velocity", frame.name, { frame }, { place = point.place })
end

local function direction_vector(direction)
  local frame = direction.frame
  return frame.kind.count == 0 and vida.vector(direction.components)
    or library.end_direction(frame.system, "direction", frame.name, { frame },
      { direction = direction.components })
end

-- The position of a place in a frame, and a direction of a frame, in space.
function library.place_position(frame, place)
  return point_position { frame = frame, place = place }
end

function library.direction_vector(frame, components)
  return direction_vector { frame = frame, components = components }
end

local function angular_velocity(frame)
  local dimension = library.dimension(frame.system)
  if frame.kind.count == 0 then
    return dimension == 3 and vida.vector(zeros(3)) or 0
  elseif frame.kind.name == "plane" then
    return library.coordinates_of(frame)[3].rate
  end
  return library.angular_velocity(frame.system, frame.body)
end

--- The position of the point in space, m.
-- @tfield vector body_point.position

--- The velocity of the point in space, m/s.
-- @tfield vector body_point.velocity

--- The body in which the point is fixed.
-- @tfield body body_point.body

local body_state

local function point_state(value)
  local body, place = library.body_point(value)
  return body and { frame = body_state(body), place = place } or nil
end

new_class("vida.body_point", {
  position = point_position, velocity = point_velocity,
  body = function(point) return point.frame.owner end,
}, {}, function(point) return ("point of body '%s'"):format(point.frame.name) end, nil, point_state)

local function create_point(point)
  return library.new_body_point(point.frame.owner, point.place)
end

--- The direction in space.
-- @tfield vector body_direction.vector

--- The body in which the direction is fixed.
-- @tfield body body_direction.body

local create_direction, direction_state = new_class("vida.body_direction", {
  vector = direction_vector,
  body = function(direction) return direction.frame.owner end,
}, {}, function(direction) return ("direction of body '%s'"):format(direction.frame.name) end)

-- Converts a vector from the axes of the body, as the user sees them, to the axes of its frame.
local function to_frame(frame, vector)
  if frame.fixed_turn then
    return frame.fixed_turn(vector)
  elseif not frame.axes then
    return vector
  end
  local components = {}
  for i = 1, 3 do
    components[i] = frame.axes[1][i] * vector[1] + frame.axes[2][i] * vector[2]
      + frame.axes[3][i] * vector[3]
  end
  return vida.vector(components)
end
library.to_frame = to_frame

-- ---- the class of bodies ------------------------------------------------------------------------

local function body_place(frame)
  return ("body '%s'"):format(frame.name)
end

--- Returns a point that is fixed in the body.
-- @function point
-- @tparam {number,...} place components in the axes of the body, from its centre, m; for a rod the
--   distance from its centre towards its head
-- @treturn body_point with `position`, `velocity` and `body`
-- @usage
-- local corner = arm:point { 0.5, 0, 0 }
-- s:observe { "height", corner.position.z, unit = "m" }
local function body_point(body, given)
  local frame = body_state(body)
  local count = frame.kind.place_count
  if count == 1 and type(given) == "number" then
    given = { given }
  end
  local place = library.copy_numbers(given, count)
    or library.check_list(body_place(frame), "point", given, count)
  place = to_frame(frame, place)
  return create_point { frame = frame, place = frame.fixed_at and frame.fixed_at + place or place }
end

--- Returns a direction that is fixed in the body.
-- @function direction
-- @tparam {number,...} components in the axes of the body, of any length but 0
-- @treturn body_direction with `vector`, the unit vector in space, and `body`
-- @usage
-- s:observe { "lean", arm:direction({ 0, 0, 1 }).vector.x }
local function body_direction(body, given)
  local frame = body_state(body)
  if frame.kind.turn_count == 1 then
    fail(body_place(frame) .. ": direction: a rod in space has only the direction of its axis; use rod.axis")
  end
  local components = library.check_direction(body_place(frame), "direction", given, frame.kind.turn_count)
  return create_direction { frame = frame, components = to_frame(frame, components) }
end

local function rod_end(sign)
  return function(frame) return create_point { frame = frame, place = { sign * frame.half_length } } end
end

-- The reason why this body does not have a property of the class; nil if it has it.
local function lacks_of_body(frame, key)
  if (key == "head" or key == "tail") and not frame.half_length then
    return "only rods have a head and a tail; use body:point { ... }"
  elseif key == "axis" and not frame.half_length then
    return "only rods have an axis; use body:direction { ... }"
  elseif key == "angle" and frame.kind.turn_count ~= 2 then
    return "only bodies in the plane have an angle; in space there are orientation and angular_velocity"
  end
end

-- Makes the frame of a body in the plane when it is asked for; most are not.
body_state = library.frames_of_bodies(
  function(system, body, name, mass, number, particle, first, node, values)
    local frame = library.new_frame(system, library.frame_kinds.plane, name, first, node, values)
    frame.particle, frame.mass, frame.body, frame.owner = particle, mass, number, body
    return frame
  end)

--- The name.
-- @tfield string name

--- The mass, kg.
-- @tfield number mass

--- The particle at the centre of mass.
-- @tfield point centre

--- The position of the centre of mass, m.
-- @tfield vector position

--- The velocity of the centre of mass, m/s.
-- @tfield vector velocity

--- The coordinates of the orientation: in the plane the angle (rad), in space a quaternion or directors; of a
-- rod its unit vector.
-- @tfield expression|vector orientation

--- In the plane: the angle from the x axis of space to that of the body, rad; for a rod between -pi and pi.
-- @tfield expression angle

--- The angular velocity in the axes of space, rad/s; in the plane one expression.
-- @tfield expression|vector angular_velocity

--- Rods only: the direction from tail to head.
-- @tfield body_direction axis

--- Rods only: the end in the direction of `axis`.
-- @tfield body_point head

--- Rods only: the other end.
-- @tfield body_point tail

new_class("vida.body", {
  name = function(frame) return frame.name end,
  mass = function(frame) return frame.mass end,
  centre = function(frame) return frame.particle end,
  position = function(frame) return frame.fixed_at or centre_of(frame) end,
  velocity = function(frame)
    return frame.fixed_at and vida.vector(zeros(#frame.fixed_at)) or centre_rate_of(frame)
  end,
  orientation = function(frame)
    if frame.kind.name == "ground" then
      return frame.orientation
    end
    local dimension = library.dimension(frame.system)
    local own = table.move(library.coordinates_of(frame), dimension + 1, frame.kind.count, 1, {})
    return #own == 1 and own[1] or vida.vector(own)
  end,
  angle = function(frame)
    if frame.kind.name == "ground" then
      return frame.orientation
    elseif frame.kind.name == "rod" then
      return library.body_angle(frame.system, frame.body)
    end
    return library.coordinates_of(frame)[3]
  end,
  angular_velocity = angular_velocity,
  axis = function(frame)
    local components = frame.kind.turn_count == 2 and { 1, 0 } or { 1 }
    return create_direction { frame = frame, components = components }
  end,
  head = rod_end(1), tail = rod_end(-1),
}, { point = { direct = library.point_method(body_point) }, direction = body_direction }, body_place,
  lacks_of_body, body_state)

local function create_body(frame)
  return library.new_body(frame.system, frame)
end

-- ---- ends of joints -----------------------------------------------------------------------------

local ground_frames = setmetatable({}, { __mode = "k" })

local function ground_frame(system)
  local frame = ground_frames[system]
  if not frame then
    local frame_kind = library.frame_kinds["ground" .. library.dimension(system)]
    frame = library.new_frame(system, frame_kind, "ground", nil, nil, {})
    ground_frames[system] = frame
  end
  return frame
end

-- Particles are frames without orientation. Their initial positions are stored with the points.
local function particle_end(system, point, place, field)
  local dimension = library.dimension(system)
  local first, position = library.point(system, point, place, field)
  if not first then
    return ground_frame(system), position
  end
  local frame = library.new_frame(system, library.frame_kinds["particle" .. dimension], point.name, first)
  frame.number, frame.point = first, point
  frame.start_place = library.point_start(point)
  return frame, {}
end

-- Returns the frame of an end (a body, a point of a body, a particle or a fixed point) and the place in this
-- frame; nil for a body without a point. `field` names the end in messages.
function library.resolve_end(system, value, place, field)
  local point = point_state(value)
  local frame = point and point.frame or body_state(value)
  if not frame then
    if kind(value) ~= "point" then
      library.refuse_point(place, field, "a body, a point of a body, a particle or a fixed point", value)
    end
    return particle_end(system, value, place, field)
  elseif frame.system ~= system then
    fail(("%s: %s: body '%s' belongs to another system"):format(place, field, frame.name))
  end
  return frame, point and point.place or nil
end

-- Returns the components in a frame of a direction, which is a direction of its body or a list of components
-- in the axes of the body (for the ground, of space).
function library.resolve_direction(frame, value, place, field)
  local direction = direction_state(value)
  if direction then
    if direction.frame ~= frame then
      fail(("%s: %s: expected a direction of '%s', got a direction of body '%s'"):format(place, field,
        frame.name, direction.frame.name))
    end
    return direction.components
  end
  return to_frame(frame, library.check_direction(place, field, value, frame.kind.turn_count))
end

function library.is_direction(value)
  return direction_state(value) ~= nil
end

-- Returns the frame of a direction of a body; nil for any other value.
function library.direction_frame(value)
  local direction = direction_state(value)
  return direction and direction.frame
end

function library.is_body_end(value)
  return point_state(value) ~= nil or body_state(value) ~= nil
end

-- ---- forces ------------------------------------------------------------------------------------

local plain_force = system_methods.force
library.plain_force = plain_force -- on coordinates and points, implemented in C

-- Refuses a single number as the force on a body, which is probably meant as a torque.
local function check_force(system, target, force)
  local frame = point_state(target) and point_state(target).frame or body_state(target)
  if frame and (type(force) == "number" or kind(force) == "expression") then
    fail(("force: on body '%s': expected a force of %d components; for a torque use "
      .. "system:torque { \"name\", body, moment }"):format(frame.name, library.dimension(system)))
  end
end

-- The target of a force in C: for a point of a body its position, for a body its centre of mass.
local function force_target(system, value)
  local point = point_state(value)
  local frame = point and point.frame or body_state(value)
  if not frame then
    return value
  elseif frame.system ~= system then
    fail(("force: body '%s' belongs to another system"):format(frame.name))
  elseif frame.kind.count == 0 then
    fail(("force: body '%s' is fixed, so a force does not move it"):format(frame.name))
  end
  return point and point_position(point) or frame.particle
end

-- Extends the function in C (terms.c) by bodies and points of bodies as targets:
-- system:force(body:point { 1, 0, 0 }, { 0, 0, f }), system:force(body, f), and both in a table after a name
-- or in a list of pairs there.
function system_methods.force(system, first, ...)
  if kind(first) ~= "table" or point_state(first) or body_state(first) then
    check_force(system, first, (...))
    return plain_force(system, force_target(system, first), ...)
  end
  check_force(system, first[2], first[3])
  local given = {}
  for key, value in pairs(first) do
    given[key] = force_target(system, value)
  end
  if kind(given[2]) == "table" then
    local list = {}
    for key, pair in pairs(given[2]) do
      list[key] = kind(pair) == "table" and #pair == 2 and { force_target(system, pair[1]), pair[2] } or pair
    end
    given[2] = list
  end
  return plain_force(system, given, ...)
end

-- ---- start values -------------------------------------------------------------------------------

local function is_free(value)
  return kind(value) == "free"
end

local function has_free(list)
  for _, value in ipairs(kind(list) == "table" and list or {}) do
    if is_free(value) then
      return true
    end
  end
  return false
end

-- The values that all kinds of bodies have, as the functions in C expect them. `key` is the key of the
-- position, `spin` the angular velocity as a list (nil: not given).
local function new_definition(system, place, given, key, spin)
  local dimension = library.dimension(system)
  local position = given[key]
  if position ~= nil and not has_free(position) then
    library.check_list(place, key, position, dimension)
  end
  if given.velocity ~= nil and not has_free(given.velocity) then
    library.check_list(place, "velocity", given.velocity, dimension)
  end
  return {
    given[1], mass = given.mass, position = position == nil and zeros(dimension) or position,
    velocity = given.velocity, spin = spin, guess = given.guess,
    spin_is_free = is_free(given.angular_velocity) or is_free(given.body_rates),
  }
end

local function check_guess(place, given)
  if given.guess ~= nil and type(given.guess) ~= "boolean" then
    expected(place, "guess", "true or false", given.guess)
  end
end

-- Creates the frame and the Lua object of a body from the results of the function in C that has added it.
local function finish_body(system, given, frame_kind, body, particle, first, _, node, values)
  local frame = library.new_frame(system, frame_kind, given[1], first, node, values)
  frame.particle, frame.mass, frame.body = particle, given.mass, body
  frame.owner = create_body(frame)
  return frame
end

-- ---- rods ---------------------------------------------------------------------------------------

local rod_keys = { "mass", "length", "centre", "angle", "direction", "velocity", "angular_velocity",
  "inertia", "guess" }

local function rod_direction(place, given, dimension)
  if given.angle ~= nil and given.direction ~= nil then
    fail(place .. ": expected angle or direction, not both")
  elseif given.direction ~= nil then
    return library.check_direction(place, "direction", given.direction, dimension)
  elseif dimension == 3 then
    expected(place, "direction", "the direction from tail to head, such as { 1, 0, 0 }", given.direction)
  end
  local angle = library.check_number(place, "angle", given.angle)
  return vida.vector { math.cos(angle), math.sin(angle) }
end

-- The angular velocity as a list; nil if it is not given or free.
local function rod_spin(place, given, dimension)
  local spin = given.angular_velocity
  if spin == nil or is_free(spin) then
    return nil
  elseif dimension == 2 then
    return { library.check_number(place, "angular_velocity", spin) }
  end
  return library.check_list(place, "angular_velocity", spin, 3)
end

--- Adds a slender rod. Its coordinates are the position of its centre and a unit vector from tail to head.
-- @function system:rod
-- @tparam table given
-- @tparam string given.1 its name
-- @tparam number given.mass mass > 0, kg
-- @tparam number given.length length > 0, m
-- @tparam[opt] {number,...} given.centre initial position of the centre, m; components may be `vida.free`; by
--   default the origin
-- @tparam[opt] number given.angle in the plane: initial angle from the x axis, rad
-- @tparam[opt] {number,...} given.direction initial direction from tail to head; required in space
-- @tparam[opt] {number,...} given.velocity initial velocity of the centre, m/s
-- @tparam[opt=0] number|{number,...} given.angular_velocity initial angular velocity, rad/s; in space a list
--   of three components
-- @tparam[opt] number given.inertia moment of inertia about the centre, kg m^2; by default that of a uniform
--   rod, m l^2 / 12
-- @tparam[opt=false] boolean given.guess the initial values are guesses, from which the constraints are
-- solved
-- @treturn body
-- @usage
-- local rod = s:rod { "rod", mass = 10, length = 1, direction = { 0, 0, -1 } }
-- s:ball { "pivot", s.ground, rod.tail }
function system_methods.rod(system, given)
  local place = library.check_definition(system, "rod", given, 1, rod_keys,
    "{ \"rod 1\", mass = 1, length = 1, centre = { 0, 0 }, angle = 0 }")
  local dimension = library.dimension(system)
  if dimension == 1 then
    fail(place .. ": a rod needs a system of dimension 2 or 3")
  end
  check_guess(place, given)
  library.check_positive(place, "mass", given.mass)
  library.check_positive(place, "length", given.length)
  if given.inertia ~= nil then
    library.check_positive(place, "inertia", given.inertia)
  end
  local direction = rod_direction(place, given, dimension)
  local definition = new_definition(system, place, given, "centre", rod_spin(place, given, dimension))
  definition.length, definition.inertia, definition.direction = given.length, given.inertia, direction
  local frame = finish_body(system, given, library.frame_kinds["rod" .. dimension],
    library.add_rod(system, definition))
  frame.half_length = given.length / 2
  return frame.owner
end

-- ---- rigid bodies in the plane ------------------------------------------------------------------

local plane_keys = { "mass", "inertia", "position", "angle", "velocity", "angular_velocity", "guess" }

local function add_plane_body(system, place, given)
  library.check_keys(given, place, "key", 1, plane_keys)
  library.check_positive(place, "mass", given.mass)
  library.check_positive(place, "inertia", given.inertia)
  local angle = library.check_number(place, "angle", given.angle, 0)
  local spin = given.angular_velocity
  spin = spin ~= nil and not is_free(spin) and { library.check_number(place, "angular_velocity", spin) }
    or nil
  local definition = new_definition(system, place, given, "position", spin)
  definition.inertia, definition.angle = given.inertia, angle
  return finish_body(system, given, library.frame_kinds.plane,
    library.add_plane_body(system, definition)).owner
end

-- ---- rigid bodies in space ----------------------------------------------------------------------

local space_keys = { "mass", "inertia", "position", "orientation", "velocity", "angular_velocity",
  "body_rates", "as", "guess" }

-- The initial angular velocity in the axes of space; nil if it is not given or free.
local function start_spin(place, given, q)
  if given.angular_velocity ~= nil and given.body_rates ~= nil then
    fail(place .. ": expected angular_velocity (in space) or body_rates (in the body), not both")
  elseif given.body_rates ~= nil and not is_free(given.body_rates) then
    return vida.rotate(q, library.check_list(place, "body_rates", given.body_rates, 3))
  elseif given.angular_velocity ~= nil and not is_free(given.angular_velocity) then
    return library.check_list(place, "angular_velocity", given.angular_velocity, 3)
  end
end

local function add_space_body(system, place, given)
  library.check_keys(given, place, "key", 1, space_keys)
  local as = given.as == nil and "quaternion" or given.as
  if as ~= "quaternion" and as ~= "directors" then
    expected(place, "as", "\"quaternion\" or \"directors\"", given.as)
  end
  library.check_positive(place, "mass", given.mass)
  local inertia = library.read_inertia(place, given.inertia)
  local q = library.check_orientation(place, given.orientation)
  local spin = start_spin(place, given, q)
  local definition = new_definition(system, place, given, "position", spin)
  definition.inertia, definition.orientation = inertia.matrix, q
  definition.directors = as == "directors"
  local number, particle, first, count, node, values, axes = library.add_rigid_body(system, definition)
  local frame_kind = as == "quaternion" and "quaternion"
    or count == 9 and "flat_directors" or "directors"
  local frame = finish_body(system, given, library.frame_kinds[frame_kind], number, particle, first, count,
    node, values)
  frame.axes = axes
  frame.extent = library.space_extent(given.mass, inertia.moments)
  return frame.owner
end

-- ---- bodies that do not move --------------------------------------------------------------------

local fixed_keys = { "fixed", "position", "orientation", "angle" }

-- Adds a body that does not move: a position and an orientation to which joints are attached.
local function add_fixed_body(system, place, given, dimension)
  library.check_keys(given, place, "key", 1, fixed_keys)
  local position = given.position == nil and zeros(dimension) or given.position
  position = library.check_list(place, "position", position, dimension)
  local turn, orientation
  if dimension == 3 then
    orientation = library.check_orientation(place, given.orientation)
    turn = function(a) return vida.rotate(orientation, a) end
  else
    orientation = library.check_number(place, "angle", given.angle, 0)
    local u = vida.vector { math.cos(orientation), math.sin(orientation) }
    turn = function(a) return a[1] * u + a[2] * library.turn_left(u) end
  end
  local frame = library.new_frame(system, library.frame_kinds["ground" .. dimension], given[1], nil, nil, {})
  frame.orientation, frame.fixed_at, frame.fixed_turn = orientation, position, turn
  frame.body = library.add_fixed_body(system, { given[1], position = position,
    angle = dimension == 2 and orientation or nil, orientation = dimension == 3 and orientation or nil })
  frame.owner = create_body(frame)
  return frame.owner
end

-- ---- system:body --------------------------------------------------------------------------------

local every_key = { "mass", "inertia", "position", "orientation", "angle", "velocity", "angular_velocity",
  "body_rates", "as", "guess", "fixed" }

--- Adds a rigid body. In the plane its coordinates are x, y and an angle; in space they are the position of
-- its centre of mass and a unit quaternion or directors.
-- @function system:body
-- @tparam table given
-- @tparam string given.1 its name
-- @tparam number given.mass mass > 0, kg
-- @tparam number|{number,...} given.inertia inertia about the centre of mass, kg m^2: in the plane a number,
--   in space three principal moments or the rows of a symmetric matrix, in the axes of the body
-- @tparam[opt] {number,...} given.position initial position of the centre of mass, m; components may be
--   `vida.free`; by default the origin
-- @tparam[opt] number given.angle in the plane: initial angle, rad
-- @tparam[opt] {number,...}|table given.orientation in space: initial orientation as a unit quaternion,
--   `{ axis = {...}, angle = ... }` or the rows of a rotation matrix
-- @tparam[opt] {number,...} given.velocity initial velocity of the centre of mass, m/s
-- @tparam[opt] number|{number,...} given.angular_velocity initial angular velocity, rad/s; in space a list in
--   the axes of space
-- @tparam[opt] {number,...} given.body_rates in space: initial angular velocity in the axes of the body,
-- rad/s
-- @tparam[opt="quaternion"] string given.as coordinates of the orientation: "quaternion", or "directors",
--   which are orthonormal vectors with a constant mass matrix
-- @tparam[opt=false] boolean given.guess the initial values are guesses, from which the constraints are
-- solved
-- @tparam[opt=false] boolean given.fixed the body does not move; it has only a position and an orientation
-- @treturn body
-- @raise if no rigid body has this inertia, or if the orientation is not a rotation
-- @usage
-- local top = s:body { "top", mass = 15, inertia = { 0.24, 0.47, 0.24 }, position = { 0, 1, 0 },
--   body_rates = { 0, 150, 0 }, as = "directors" }
function system_methods.body(system, given)
  local plain = library.add_plain_body(system, given)
  if plain then
    return plain
  end
  local place = library.check_definition(system, "body", given, 1, every_key,
    "{ \"top\", mass = 1, inertia = { 1, 2, 2 }, position = { 0, 0, 0 } }")
  local dimension = library.dimension(system)
  if dimension == 1 then
    fail(place .. ": a rigid body needs a system of dimension 2 or 3")
  end
  check_guess(place, given)
  if given.fixed ~= nil and type(given.fixed) ~= "boolean" then
    expected(place, "fixed", "true or false", given.fixed)
  elseif given.fixed then
    return add_fixed_body(system, place, given, dimension)
  end
  return dimension == 3 and add_space_body(system, place, given) or add_plane_body(system, place, given)
end
