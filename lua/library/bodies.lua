--- Rigid bodies and rods.
-- Their centre of mass is a particle, so that gravity acts on it and forces and comparisons take it; what
-- turns are coordinates of the body's own.
--
-- @classmod body
-- @usage
-- local vida = require "vida"
-- local s = vida.system "bodies"
-- local arm = s:body { "arm", mass = 1, inertia = { 0.1, 0.2, 0.2 } }
local vida, system_methods, library = ...

local fail, expected, kind = library.fail, library.expected, library.kind
local new_class = library.new_class

-- ---- points and directions fixed in bodies ------------------------------------------------------

-- The view of a frame in expressions of its system.
local function live_view(frame)
  if not frame.live then
    local rates = {}
    for i, c in ipairs(frame.coordinates) do
      rates[i] = c.rate
    end
    frame.live = library.make_view(frame.kind, frame.coordinates, rates)
  end
  return frame.live
end
library.live_view = live_view

local function point_position(point)
  return live_view(point.frame).point(point.place)
end

local function point_velocity(point)
  return live_view(point.frame).point_rate(point.place)
end

--- Where the point is, m.
-- @tfield vector body_point.position

--- How it moves, m/s.
-- @tfield vector body_point.velocity

--- What it is fixed in.
-- @tfield body body_point.body

local create_point, point_state = new_class("vida.body_point", {
  position = point_position, velocity = point_velocity,
  body = function(point) return point.frame.owner end,
}, {}, function(point) return ("point of body '%s'"):format(point.frame.name) end)

--- The direction in space.
-- @tfield vector body_direction.vector

--- What it is fixed in.
-- @tfield body body_direction.body

local create_direction, direction_state = new_class("vida.body_direction", {
  vector = function(direction) return live_view(direction.frame).turn(direction.components) end,
  body = function(direction) return direction.frame.owner end,
}, {}, function(direction) return ("direction of body '%s'"):format(direction.frame.name) end)

-- Components in the axes of the frame of a vector in those of the body as its user sees it.
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

local body_state

local function body_place(frame)
  return ("body '%s'"):format(frame.name)
end

--- A point that is fixed in the body.
-- @function point
-- @tparam {number,...} place in the axes of the body from its centre, m; of a rod in space a number along
--   it
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
  local place = library.check_list(body_place(frame), "point", given, count)
  place = to_frame(frame, place)
  return create_point { frame = frame, place = frame.fixed_at and frame.fixed_at + place or place }
end

--- A direction that is fixed in the body, of length 1.
-- @function direction
-- @tparam {number,...} components in the axes of the body
-- @treturn body_direction with `vector`, which is in space, and `body`
-- @usage
-- s:observe { "lean", arm:direction({ 0, 0, 1 }).vector.x }
local function body_direction(body, given)
  local frame = body_state(body)
  if frame.kind.turn_count == 1 then
    fail(body_place(frame) .. ": direction: a rod in space has the direction of its axis only; use rod.axis")
  end
  local components = library.check_direction(body_place(frame), "direction", given, frame.kind.turn_count)
  return create_direction { frame = frame, components = to_frame(frame, components) }
end

local function rod_end(sign)
  return function(frame) return create_point { frame = frame, place = { sign * frame.half_length } } end
end

-- Why this one has no such property, for messages; nil where it has.
local function lacks_of_body(frame, key)
  if (key == "head" or key == "tail") and not frame.half_length then
    return "only rods have a head and a tail; use body:point { ... }"
  elseif key == "axis" and not frame.half_length then
    return "only rods have an axis; use body:direction { ... }"
  elseif key == "angle" and frame.kind.turn_count ~= 2 then
    return "only bodies in the plane have an angle; in space there are orientation and angular_velocity"
  end
end

--- Its name.
-- @tfield string name

--- Its mass, kg.
-- @tfield number mass

--- The particle at its centre of mass.
-- @tfield point centre

--- Of its centre, m.
-- @tfield vector position

--- Of its centre, m/s.
-- @tfield vector velocity

--- What turns: in the plane the angle; else the coordinates, a quaternion or directors.
-- @tfield expression|vector orientation

--- In the plane: the angle of its x axis from that of space, rad; of a rod between -pi and pi.
-- @tfield expression angle

--- rad/s, in space.
-- @tfield expression|vector angular_velocity

--- Of a rod: from tail to head.
-- @tfield body_direction axis

--- Of a rod: its end.
-- @tfield body_point head

--- Of a rod: its other end.
-- @tfield body_point tail

local create_body
create_body, body_state = new_class("vida.body", {
  name = function(frame) return frame.name end,
  mass = function(frame) return frame.mass end,
  centre = function(frame) return frame.particle end,
  position = function(frame) return frame.fixed_at or live_view(frame).origin end,
  velocity = function(frame) return live_view(frame).origin_rate end,
  orientation = function(frame)
    if frame.kind.name == "ground" then
      return frame.orientation
    end
    local dimension = library.dimension(frame.system)
    local own = table.move(frame.coordinates, dimension + 1, #frame.coordinates, 1, {})
    return #own == 1 and own[1] or vida.vector(own)
  end,
  angle = function(frame)
    if frame.kind.name == "ground" then
      return frame.orientation
    elseif frame.kind.name == "rod" then
      return vida.atan2(frame.coordinates[4], frame.coordinates[3])
    end
    return frame.coordinates[3]
  end,
  angular_velocity = function(frame) return live_view(frame).spin() end,
  axis = function(frame)
    local components = frame.kind.turn_count == 2 and { 1, 0 } or { 1 }
    return create_direction { frame = frame, components = components }
  end,
  head = rod_end(1), tail = rod_end(-1),
}, { point = body_point, direction = body_direction }, body_place, lacks_of_body)

-- ---- ends of joints -----------------------------------------------------------------------------

local ground_frames = setmetatable({}, { __mode = "k" })

local function ground_frame(system)
  local frame = ground_frames[system]
  if not frame then
    local frame_kind = library.frame_kinds["ground" .. library.dimension(system)]
    frame = library.new_frame(frame_kind, nil, "ground", {}, {}, {})
    ground_frames[system] = frame
  end
  return frame
end

-- Particles are frames without orientation; where they start is known to those who made them.
local function particle_end(system, point, place, field)
  local dimension = library.dimension(system)
  local first, position = library.point(system, point, place, field)
  if not first then
    return ground_frame(system), position
  end
  local coordinates = {}
  for i = 1, dimension do
    coordinates[i] = point[i]
  end
  local frame = library.new_frame(library.frame_kinds["particle" .. dimension], nil, point.name, coordinates)
  frame.number = first
  frame.start_place = library.point_start(point)
  return frame, {}
end

-- The frame and the place in it (nil: not said) of an end: a body, a point of one, a particle or a
-- fixed point. `field` names it in messages.
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

-- The components in a frame of a direction that is given as one of its body or as a list in the axes
-- of the body (of the ground: in space).
function library.resolve_direction(frame, value, place, field)
  local direction = direction_state(value)
  if direction then
    if direction.frame ~= frame then
      fail(("%s: %s: this direction is one of body '%s', expected one of '%s'"):format(place, field,
        direction.frame.name, frame.name))
    end
    return direction.components
  end
  return to_frame(frame, library.check_direction(place, field, value, frame.kind.turn_count))
end

function library.is_direction(value)
  return direction_state(value) ~= nil
end

-- The frame of a direction of a body; nil for anything else.
function library.direction_frame(value)
  local direction = direction_state(value)
  return direction and direction.frame
end

function library.is_body_end(value)
  return point_state(value) ~= nil or body_state(value) ~= nil
end

-- ---- forces ------------------------------------------------------------------------------------

local plain_force = system_methods.force
library.plain_force = plain_force -- of coordinates, as C knows it

-- Refuses one number as the force on a body: it is a torque that is meant.
local function check_force(system, target, force)
  local frame = point_state(target) and point_state(target).frame or body_state(target)
  if frame and (type(force) == "number" or kind(force) == "expression") then
    fail(("force: on body '%s', expected a force of %d components; a torque is "
      .. "system:torque { \"name\", body, moment }"):format(frame.name, library.dimension(system)))
  end
end

-- What a force acts on: of a point of a body its place, of a body its centre of mass.
local function force_target(system, value)
  local point = point_state(value)
  local frame = point and point.frame or body_state(value)
  if not frame then
    return value
  elseif frame.system ~= system then
    fail(("force: body '%s' belongs to another system"):format(frame.name))
  elseif #frame.coordinates == 0 then
    fail(("force: body '%s' is fixed: it takes any force and does not move"):format(frame.name))
  end
  return point and point_position(point) or frame.particle
end

-- system:force(body:point { 1, 0, 0 }, { 0, 0, f }), system:force(body, f), and all that C knows
-- (terms.c); also in a table after a name, and in a list of pairs there.
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
  return kind(value) == "userdata" and tostring(value):sub(1, 9) == "vida.free"
end

local function has_free(list)
  for _, value in ipairs(kind(list) == "table" and list or {}) do
    if is_free(value) then
      return true
    end
  end
  return false
end

-- A value that is only a first guess, when it is that.
local function maybe_free(value, guess)
  return guess and vida.free { near = value } or value
end

local function all_maybe_free(list, guess)
  local copy = {}
  for i, value in ipairs(list or {}) do
    copy[i] = type(value) == "number" and maybe_free(value, guess) or value
  end
  return copy
end

-- Numbers of a list in which all are given, or nil.
local function plain_numbers(list, count)
  if has_free(list) then
    return nil
  end
  local copy = {}
  for i = 1, count do
    copy[i] = list and list[i] or 0
  end
  return copy
end

-- The particle at the centre of mass.
local function add_centre(system, place, given, key, dimension)
  local position = given[key]
  if position ~= nil and not has_free(position) then
    library.check_list(place, key, position, dimension)
  elseif position == nil then
    position = plain_numbers(nil, dimension)
  end
  local velocity = given.velocity
  if velocity ~= nil and not has_free(velocity) then
    library.check_list(place, "velocity", velocity, dimension)
  end
  local particle = system_methods.particle(system, {
    given[1], mass = given.mass,
    position = all_maybe_free(position, given.guess), velocity = (velocity or given.guess)
      and all_maybe_free(velocity or plain_numbers(nil, dimension), given.guess) or nil,
  })
  return particle, plain_numbers(position, dimension), plain_numbers(velocity, dimension)
end

-- Coordinates "name.suffix" with values and rates.
local function add_coordinates(system, name, suffixes, unit, values, rates, given)
  local coordinates = {}
  local free_rates = is_free(given.angular_velocity) or is_free(given.body_rates)
  local no_rates = given.angular_velocity == nil and given.body_rates == nil and not given.guess
  for i, suffix in ipairs(suffixes) do
    coordinates[i] = system_methods.coordinate(system, {
      name .. "." .. suffix, unit = unit, value = maybe_free(values[i], given.guess),
      rate = not no_rates and maybe_free(rates[i], given.guess or free_rates) or nil,
    })
  end
  return coordinates
end

local function check_guess(place, given)
  if given.guess ~= nil and type(given.guess) ~= "boolean" then
    expected(place, "guess", "true or false", given.guess)
  end
end

-- Makes the frame and the body of a particle and the coordinates of its orientation.
local function finish_body(system, given, parts)
  local dimension = library.dimension(system)
  local coordinates = {}
  for i = 1, dimension do
    coordinates[i] = parts.particle[i]
  end
  table.move(parts.turning, 1, #parts.turning, dimension + 1, coordinates)
  local values, rates
  if parts.position and not given.guess then
    values = table.move(parts.values, 1, #parts.values, dimension + 1, table.move(parts.position, 1,
      dimension, 1, {}))
    rates = table.move(parts.rates, 1, #parts.rates, dimension + 1, table.move(parts.velocity
      or plain_numbers(nil, dimension), 1, dimension, 1, {}))
  end
  local frame = library.new_frame(parts.kind, nil, given[1], coordinates, values, rates)
  frame.system, frame.particle, frame.mass = system, parts.particle, given.mass
  frame.axes, frame.half_length = parts.axes, parts.half_length
  frame.owner = create_body(frame)
  return frame.owner, frame
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

-- The rate of the unit vector; one along the axis does not turn a rod.
local function rod_rate(place, given, u)
  local spin = given.angular_velocity
  if spin == nil or is_free(spin) then
    return 0 * u
  elseif #u == 2 then
    return library.check_number(place, "angular_velocity", spin) * library.turn_left(u)
  end
  return vida.cross(library.check_list(place, "angular_velocity", spin, 3), u)
end

-- The kinetic energy I |u'|^2 / 2 with I = m l^2 / 12 for a uniform rod, and |u| = 1. The row is a
-- length, so that its multiplier is a force.
local rod_functions = {
  kinetic = function(p, _, _, u)
    local sum = 0
    for i = 1, #u do
      sum = sum + u[i].rate ^ 2
    end
    return 0.5 * p.inertia * sum
  end,
  constraint = function(p, _, _, u)
    return 0.5 * p.length * (vida.dot(u, u) - 1)
  end,
  unit = "m",
}

--- A slender rod: coordinates of its centre and a unit vector along it, from tail to head.
-- @function system:rod
-- @tparam table given
-- @tparam string given.1 its name
-- @tparam number given.mass above 0, kg
-- @tparam number given.length above 0, m
-- @tparam[opt] {number,...} given.centre at the start, m; components may be `vida.free`; by default the
--   origin
-- @tparam[opt] number given.angle in the plane: from the x axis, rad
-- @tparam[opt] {number,...} given.direction from tail to head; in space it is needed
-- @tparam[opt] {number,...} given.velocity of the centre, m/s
-- @tparam[opt=0] number|{number,...} given.angular_velocity rad/s, in space of three components
-- @tparam[opt] number given.inertia about the centre, kg m^2; by default that of a uniform rod, m l^2 / 12
-- @tparam[opt=false] boolean given.guess all values of the start are where to search from
-- @treturn body
-- @usage
-- local rod = s:rod { "rod", mass = 10, length = 1, direction = { 0, 0, -1 } }
-- s:ball { "pivot", s.ground, rod.tail }
function system_methods.rod(system, given)
  local place, name = library.check_definition(system, "rod", given, 1, rod_keys,
    "{ \"rod 1\", mass = 1, length = 1, centre = { 0, 0 }, angle = 0 }")
  local dimension = library.dimension(system)
  if dimension == 1 then
    fail(place .. ": a rod needs a system of dimension 2 or 3")
  end
  check_guess(place, given)
  library.check_positive(place, "mass", given.mass)
  library.check_positive(place, "length", given.length)
  local inertia = given.inertia == nil and given.mass * given.length ^ 2 / 12 or given.inertia
  library.check_positive(place, "inertia", inertia)
  local u = rod_direction(place, given, dimension)
  local rate = rod_rate(place, given, u)
  local particle, position, velocity = add_centre(system, place, given, "centre", dimension)
  local turning = add_coordinates(system, name, { "ux", "uy", dimension == 3 and "uz" or nil }, "", u, rate,
    given)
  library.add_motion(system, "direction", turning)
  library.add_traced(system, "rod" .. dimension, "rod", name .. ": direction", {},
    { inertia = inertia, length = given.length }, rod_functions, turning)
  local body, frame = finish_body(system, given, {
    kind = library.frame_kinds["rod" .. dimension], particle = particle, turning = turning,
    position = position, velocity = velocity, values = u, rates = rate, half_length = given.length / 2,
  })
  library.draw_rod(system, frame)
  return body
end

-- ---- rigid bodies in the plane ------------------------------------------------------------------

local plane_keys = { "mass", "inertia", "position", "angle", "velocity", "angular_velocity", "guess" }

local plane_functions = {
  kinetic = function(p, _, _, c) return 0.5 * p.inertia * c[1].rate ^ 2 end,
}

local function add_plane_body(system, place, given)
  library.check_keys(given, place, "key", 1, plane_keys)
  library.check_positive(place, "mass", given.mass)
  library.check_positive(place, "inertia", given.inertia)
  local angle = library.check_number(place, "angle", given.angle, 0)
  local spin = given.angular_velocity
  spin = is_free(spin) and 0 or library.check_number(place, "angular_velocity", spin, 0)
  local particle, position, velocity = add_centre(system, place, given, "position", 2)
  local turning = add_coordinates(system, given[1], { "angle" }, "rad", { angle }, { spin }, given)
  library.add_motion(system, "angle", turning)
  library.add_traced(system, "body2", "body", given[1], {}, { inertia = given.inertia }, plane_functions,
    turning)
  local body, frame = finish_body(system, given, {
    kind = library.frame_kinds.plane, particle = particle, turning = turning,
    position = position, velocity = velocity, values = { angle }, rates = { spin },
  })
  library.draw_plane_body(system, frame, given.mass, given.inertia)
  return body
end

-- ---- rigid bodies in space ----------------------------------------------------------------------

local space_keys = { "mass", "inertia", "position", "orientation", "velocity", "angular_velocity",
  "body_rates", "as", "guess" }

-- Angular velocity in space at the start.
local function start_spin(place, given, q)
  if given.angular_velocity ~= nil and given.body_rates ~= nil then
    fail(place .. ": expected angular_velocity (in space) or body_rates (in the body), not both")
  elseif given.body_rates ~= nil and not is_free(given.body_rates) then
    return vida.rotate(q, library.check_list(place, "body_rates", given.body_rates, 3))
  elseif given.angular_velocity ~= nil and not is_free(given.angular_velocity) then
    return library.check_list(place, "angular_velocity", given.angular_velocity, 3)
  end
  return vida.vector { 0, 0, 0 }
end

-- The rotational energy of Wendlandt and Marsden 1997, eq. 5.3: with body rates W = 2 q* q', it is
-- W.J W / 2, and |q| = 1. The multiplier of the row is a torque.
local function quaternion_energy(p, _, _, q)
  local rates = {}
  for i = 1, 4 do
    rates[i] = q[i].rate
  end
  local w = 2 * vida.quaternion_product({ q[1], -q[2], -q[3], -q[4] }, rates)
  local j = p.inertia
  local energy = j[1] * w[2] ^ 2 + j[2] * w[3] ^ 2 + j[3] * w[4] ^ 2
  if p.products then
    local k = p.products
    energy = energy + 2 * (k[1] * w[3] * w[4] + k[2] * w[2] * w[4] + k[3] * w[2] * w[3])
  end
  return 0.5 * energy
end

local quaternion_functions = {
  kinetic = quaternion_energy,
  constraint = function(_, _, _, q) return 0.5 * (vida.dot(q, q) - 1) end,
}

local function add_quaternion_body(system, given, q, spin, matrix)
  local rates = 0.5 * vida.quaternion_product({ 0, spin[1], spin[2], spin[3] }, q)
  local turning = add_coordinates(system, given[1], { "q0", "q1", "q2", "q3" }, "", q, rates, given)
  library.add_motion(system, "quaternion", turning)
  local values = { inertia = { matrix[1][1], matrix[2][2], matrix[3][3] } }
  if matrix[2][3] ~= 0 or matrix[1][3] ~= 0 or matrix[1][2] ~= 0 then
    values.products = { matrix[2][3], matrix[1][3], matrix[1][2] }
  end
  library.add_traced(system, "quaternion", "body", given[1] .. ": quaternion", {}, values,
    quaternion_functions, turning)
  return { kind = library.frame_kinds.quaternion, turning = turning, values = q, rates = rates }
end

-- Unit vectors d_i along principal axes move with the constant masses E_i of the Euler tensor,
-- E_i = (sum of the moments) / 2 - J_i = integral of x_i^2 dm; of a flat body the third is zero, and
-- two of them do.
local function director_functions(count)
  local function director(c, i)
    return vida.vector { c[3 * i - 2], c[3 * i - 1], c[3 * i] }
  end
  return {
    kinetic = function(p, _, _, c)
      local energy = 0
      for k = 1, 3 * count do
        energy = energy + 0.5 * p.euler[(k + 2) // 3] * c[k].rate ^ 2
      end
      return energy
    end,
    constraint = function(_, _, _, c)
      local rows = {}
      for i = 1, count do
        rows[i] = { ("d%d.d%d"):format(i, i), 0.5 * (vida.dot(director(c, i), director(c, i)) - 1) }
      end
      for i = 1, count do
        for k = i + 1, count do
          rows[#rows + 1] = { ("d%d.d%d"):format(i, k), vida.dot(director(c, i), director(c, k)) }
        end
      end
      return rows
    end,
  }
end

-- The Euler tensor in its axes (columns), turned about until a vanishing entry is the third; and how
-- many directors there are.
local function euler_tensor(place, moments, axes)
  local half = (moments[1] + moments[2] + moments[3]) / 2
  local euler, thin = {}, 0
  for i = 1, 3 do
    euler[i] = half - moments[i]
    if euler[i] <= 1e-12 * half then
      thin, euler[i] = thin + 1, 0
    end
  end
  if thin > 1 then
    fail(place .. ": inertia: all its mass is on a line; use system:rod")
  end
  while thin == 1 and euler[3] ~= 0 do
    euler = { euler[2], euler[3], euler[1] }
    local turned = {}
    for i = 1, 3 do
      turned[i] = { axes[i][2], axes[i][3], axes[i][1] }
    end
    axes = turned
  end
  return euler, axes, 3 - thin
end

local function add_director_body(system, place, given, q, spin, inertia)
  local values, rates, suffixes = {}, {}, {}
  local euler, axes, count = euler_tensor(place, inertia.moments, inertia.axes)
  for i = 1, count do
    local d = vida.rotate(q, { axes[1][i], axes[2][i], axes[3][i] })
    local rate = vida.cross(spin, d)
    for axis = 1, 3 do
      values[#values + 1], rates[#rates + 1] = d[axis], rate[axis]
      suffixes[#suffixes + 1] = ("d%d%s"):format(i, ("xyz"):sub(axis, axis))
    end
  end
  local turning = add_coordinates(system, given[1], suffixes, "", values, rates, given)
  for i = 0, count - 1 do
    library.add_motion(system, "direction", table.move(turning, 3 * i + 1, 3 * i + 3, 1, {}))
  end
  library.add_traced(system, "directors" .. count, "body", given[1], {}, { euler = euler },
    director_functions(count), turning)
  return { kind = library.frame_kinds[count == 2 and "flat_directors" or "directors"], turning = turning,
    values = values, rates = rates, axes = axes }
end

local function add_space_body(system, place, given)
  library.check_keys(given, place, "key", 1, space_keys)
  local as = given.as == nil and "quaternion" or given.as
  if as ~= "quaternion" and as ~= "directors" then
    expected(place, "as", "\"quaternion\" or \"directors\"", given.as)
  end
  library.check_positive(place, "mass", given.mass)
  local inertia = library.check_inertia(place, given.inertia)
  local q = library.check_orientation(place, given.orientation)
  local spin = start_spin(place, given, q)
  local particle, position, velocity = add_centre(system, place, given, "position", 3)
  local parts = as == "quaternion" and add_quaternion_body(system, given, q, spin, inertia.matrix)
    or add_director_body(system, place, given, q, spin, inertia)
  parts.particle, parts.position, parts.velocity = particle, position, velocity
  local body, frame = finish_body(system, given, parts)
  library.draw_space_body(system, frame, given.mass, inertia, to_frame)
  return body
end

-- ---- bodies that do not move --------------------------------------------------------------------

local fixed_keys = { "fixed", "position", "orientation", "angle" }

-- A body that does not move: a place and an orientation to which joints are attached.
local function add_fixed_body(system, place, given, dimension)
  library.check_keys(given, place, "key", 1, fixed_keys)
  local position = given.position == nil and plain_numbers(nil, dimension) or given.position
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
  local frame = library.new_frame(library.frame_kinds["ground" .. dimension], nil, given[1], {}, {}, {})
  frame.system, frame.orientation, frame.fixed_at, frame.fixed_turn = system, orientation, position, turn
  frame.owner = create_body(frame)
  return frame.owner
end

-- ---- system:body --------------------------------------------------------------------------------

local every_key = { "mass", "inertia", "position", "orientation", "angle", "velocity", "angular_velocity",
  "body_rates", "as", "guess", "fixed" }

--- A rigid body: in the plane x, y and an angle, in space a unit quaternion or directors.
-- @function system:body
-- @tparam table given
-- @tparam string given.1 its name
-- @tparam number given.mass above 0, kg
-- @tparam number|{number,...} given.inertia about the centre of mass, kg m^2: in the plane a number, in
--   space three principal moments or the rows of a symmetric matrix, in the axes of the body
-- @tparam[opt] {number,...} given.position of the centre, m; components may be `vida.free`; by default the
--   origin
-- @tparam[opt] number given.angle in the plane, rad
-- @tparam[opt] {number,...}|table given.orientation in space: a unit quaternion, `{ axis = {...}, angle =
--   }` or the rows of a rotation matrix
-- @tparam[opt] {number,...} given.velocity of the centre, m/s
-- @tparam[opt] number|{number,...} given.angular_velocity rad/s, in space
-- @tparam[opt] {number,...} given.body_rates in space: the same in the axes of the body
-- @tparam[opt="quaternion"] string given.as or "directors": orthonormal vectors, with a constant mass
--   matrix
-- @tparam[opt=false] boolean given.guess all values of the start are where to search from
-- @tparam[opt=false] boolean given.fixed it does not move, and has a place and an orientation only
-- @treturn body
-- @raise when the inertia is none of a body, or the orientation no rotation
-- @usage
-- local top = s:body { "top", mass = 15, inertia = { 0.24, 0.47, 0.24 }, position = { 0, 1, 0 },
--   body_rates = { 0, 150, 0 }, as = "directors" }
function system_methods.body(system, given)
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
