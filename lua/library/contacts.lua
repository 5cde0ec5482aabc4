--- Guides: points on lines, planes and curves. Nonholonomic contacts: rolling disks and knife edges.
-- Contacts that open and close: spheres with planes and with each other.
--
-- @classmod system
local vida, system_methods, library = ...

local fail, expected, kind = library.fail, library.expected, library.kind

--- Guides, rolling and sliding
-- @section contacts

-- ---- points on lines and planes -----------------------------------------------------------------

-- Returns the components in a frame of a direction, which is a direction of the body or a list of components
-- in space at the start.
local function direction_in(frame, value, place, field, dimension)
  if library.is_direction(value) then
    return library.resolve_direction(frame, value, place, field)
  end
  local direction = library.check_direction(place, field, value, dimension)
  if not frame.start then
    fail(("%s: %s: expected a direction of '%s', because its initial position is computed from the "
      .. "constraints")
      :format(place, field, frame.name))
  end
  return library.to_local(frame, direction)
end

local function resolve(system, method, given, keys, example)
  local place = library.check_definition(system, method, given, 3, keys, example)
  local dimension = library.dimension(system)
  if dimension == 1 then
    fail(place .. ": expected a system of dimension 2 or 3")
  end
  local frames, places = library.resolve_joint_ends(system, place, given, true)
  return place, dimension, frames, { first = places[1], second = places[2] }
end

-- For the ground, the axes of the frame are those of space.
local function advise_anchor(system, place, given, frames, values)
  library.advise_anchor(system, place, given, frames, { values.first, values.second }, function(d, size)
    local off = math.abs(vida.dot(values.n1, d)) + math.abs(values.n2 and vida.dot(values.n2, d) or 0)
    return off <= 1e-9 * size
  end)
end

--- Keeps the second end on a line that is fixed in the first.
-- @function point_on_line
-- @tparam table given
-- @tparam string given.1 its name
-- @tparam point|body given.2 the first end: a body, a point of one, a particle or a fixed point
-- @tparam point|body given.3 the second end
-- @tparam[opt] {number,...} given.at position of the joint in space at the start, m; not used if both ends
--   are points
-- @tparam {number,...}|direction given.axis direction of the line, in space at the start or a direction of
--   the first body
-- @usage
-- s:point_on_line { "wire", s.ground, upper, at = { 1, 0, 0 }, axis = { 0, 0, 1 } }
function system_methods.point_on_line(system, given)
  local place, dimension, frames, values = resolve(system, "point_on_line", given, { "at", "axis" },
    "{ \"wire\", system.ground, bead, axis = { 1, 0, 0 } }")
  library.demand_orientation(place, { frames[1] }, dimension)
  local axis = direction_in(frames[1], given.axis, place, "axis", dimension)
  values.n1 = dimension == 3 and library.across(axis) or library.turn_left(axis)
  values.n2 = dimension == 3 and vida.cross(axis, values.n1) or nil
  advise_anchor(system, place, given, frames, values)
  library.add_mechanism(library.add_guide, system, "line", "point on line", given[1], frames, values)
end

--- Keeps the second end on a plane that is fixed in the first (in space only).
-- @function point_on_plane
-- @tparam table given
-- @tparam string given.1 its name
-- @tparam point|body given.2 the first end: a body, a point of one, a particle or a fixed point
-- @tparam point|body given.3 the second end
-- @tparam[opt] {number,...} given.at position of the joint in space at the start, m; not used if both ends
--   are points
-- @tparam {number,...}|direction given.normal normal of the plane, in space at the start or a direction of
--   the first body
-- @usage
-- s:point_on_plane { "table", s.ground, upper, at = { 0, 0, 0 }, normal = { 0, 0, 1 } }
function system_methods.point_on_plane(system, given)
  local place, dimension, frames, values = resolve(system, "point_on_plane", given, { "at", "normal" },
    "{ \"table\", system.ground, foot, normal = { 0, 0, 1 } }")
  if dimension ~= 3 then
    fail(place .. ": there are no planes in the plane; use point_on_line")
  end
  library.demand_orientation(place, { frames[1] }, 1)
  values.n1 = direction_in(frames[1], given.normal, place, "normal", 3)
  advise_anchor(system, place, given, frames, values)
  library.add_mechanism(library.add_guide, system, "plane", "point on plane", given[1], frames, values)
end

-- ---- points on curves ---------------------------------------------------------------------------

local function what_curves_are(dimension)
  return ("a function of %s that returns expressions which vanish on the curve, or, with parameter = ("
    .. "initial "
    .. "value of s), a function of s that returns the point { ... }"):format(dimension == 3 and "x, y, z"
    or "x, y")
end

-- Calls the user's function with the components of a point; it returns the expressions that vanish on the
-- curve.
local function implicit_formulas(system, place, curve, dimension)
  local got = table.pack(curve(table.unpack(library.curve_point(system))))
  if got.n > 1 and got.n > dimension - 1 then
    fail(("%s: curve: expected a function that returns at most %d expression%s, got %d"):format(place,
      dimension - 1, dimension > 2 and "s" or "", got.n))
  elseif got.n == 0 or kind(got[1]) == "table" or kind(got[1]) == "vector" then
    expected(place, "curve", what_curves_are(dimension), got[1])
  end
  for i = 1, got.n do
    if kind(got[i]) ~= "expression" then
      expected(place, "curve", "a function that returns expressions which vanish on the curve", got[i])
    end
  end
  got.n = nil
  return got
end

-- Calls the user's function with the parameter s; it returns the point of the curve.
local function place_on_curve(place, curve, dimension, s)
  local target = curve(s)
  local text = "a function of s that returns a point, a list of %d numbers or expressions such as %s"
  local what = text:format(
    dimension,
    dimension == 2 and "{ s, s ^ 2 }" or "{ s, 0, s ^ 2 }")
  if kind(target) ~= "vector" and kind(target) ~= "table" or #target ~= dimension then
    expected(place, "curve", what, target)
  end
  local components = {}
  for i = 1, dimension do
    if not library.is_finite(target[i]) and kind(target[i]) ~= "expression" then
      expected(place, ("curve: [%d] of the point"):format(i), "a number or an expression", target[i])
    end
    components[i] = target[i]
  end
  return components
end

-- Checks the keys `curve` and `unit`, and returns the frames of the ends of a curve and the values with the
-- place of the point.
local function resolve_curve(system, place, given, dimension)
  if type(given.curve) ~= "function" then
    expected(place, "curve", what_curves_are(dimension), given.curve)
  elseif given.unit ~= nil and type(given.unit) ~= "string" then
    expected(place, "unit", "a text", given.unit)
  end
  local first, origin = library.resolve_end(system, given[2], place, "first end")
  if origin and vida.norm(origin) ~= 0 then
    expected(place, "first end", "a body or the ground, not a point of it; the curve is given in its axes",
      given[2])
  end
  local second, point = library.resolve_end(system, given[3], place, "second end")
  library.demand_orientation(place, { first }, dimension)
  if first == second then
    fail(("%s: both ends are on '%s'"):format(place, first.name))
  end
  if point == nil then
    point = {}
    for i = 1, second.kind.place_count do
      point[i] = 0
    end
  end
  return { first, second }, { second = point }
end

--- Keeps a point on a curve that is fixed in a body (in its axes, from its centre) or in space. In space one
-- expression defines a surface and two define a curve.
-- @function point_on_curve
-- @tparam table given
-- @tparam string given.1 its name
-- @tparam point|body given.2 the body in which the curve is fixed, or the ground
-- @tparam point|body given.3 the end that moves on the curve
-- @tparam function given.curve a function of the components x, y, z that returns one expression, or in space
--   also two, which vanish on the curve; with `parameter`, a function of s that returns the point
-- @tparam[opt] number given.parameter initial value of s, which is then a coordinate, "name.s"
-- @tparam[opt=0] number given.rate initial rate of s
-- @tparam[opt=""] string given.unit unit of the expressions that vanish
-- @treturn expression|nil s, if `parameter` is given
-- @treturn expression|nil the rate of s
-- @usage
-- s:point_on_curve { "track", s.ground, upper, parameter = 1,
--   curve = function(u) return { u, 0, u ^ 2 - 1 } end }
function system_methods.point_on_curve(system, given)
  local place = library.check_definition(system, "point_on_curve", given, 3,
    { "curve", "parameter", "rate", "unit" },
    "{ \"track\", system.ground, bead, curve = function(x, y) return y - x ^ 2 end }")
  local dimension = library.dimension(system)
  local curve, frames, values = given.curve, resolve_curve(system, place, given, dimension)
  if given.parameter == nil then
    values.formulas = implicit_formulas(system, place, curve, dimension)
    values.unit = given.unit
    library.add_mechanism(library.add_curve, system, "curve", "point on curve", given[1], frames, values)
    return
  end
  local s = system_methods.coordinate(system,
    { given[1] .. ".s", value = given.parameter, rate = given.rate })
  values.place = place_on_curve(place, curve, dimension, s)
  library.add_mechanism(library.add_parametric_curve, system, "curve", "point on curve", given[1], frames,
    values)
  return s, s.rate
end

-- ---- rolling ------------------------------------------------------------------------------------

--- Makes a thin disk roll on a plane without slipping. The centre of the disk is the centre of mass of the
-- body. Rows: "name: contact" and the nonholonomic rows "name: rolling 1", "name: rolling 2".
-- @function rolling_disk
-- @tparam table given
-- @tparam string given.1 its name
-- @tparam body given.2 the body
-- @tparam number given.radius radius of the disk, m
-- @tparam {number,...}|direction given.axis axis of the disk, in the axes of the body; not used in the plane
-- @tparam[opt] {number,...} given.normal normal of the plane, in space; by default upwards, the last axis
-- @tparam[opt=0] number given.height height of the plane along the normal, m
-- @usage
-- local wheel = s:body { "wheel", mass = 1, inertia = { 0.1, 0.2, 0.1 }, position = { 0, 0, 0.5 } }
-- s:rolling_disk { "tyre", wheel, radius = 0.5, axis = { 0, 1, 0 } }
function system_methods.rolling_disk(system, given)
  local place = library.check_definition(system, "rolling_disk", given, 2,
    { "radius", "axis", "normal", "height" }, "{ \"wheel\", body, radius = 0.5, axis = { 0, 1, 0 } }")
  local dimension = library.dimension(system)
  local frame = library.resolve_end(system, given[2], place, "second entry")
  if frame.kind.count == 0 then
    fail(place .. ": the ground does not roll; expected a body")
  end
  library.demand_orientation(place, { frame }, dimension)
  local upwards = dimension == 3 and { 0, 0, 1 } or { 0, 1 }
  local normal = library.check_direction(place, "normal", given.normal or upwards, dimension)
  local values = {
    radius = library.check_positive(place, "radius", given.radius), normal = normal,
    height = library.check_number(place, "height", given.height, 0),
  }
  if dimension == 2 then
    if given.axis ~= nil then
      fail(place .. ": axis: in the plane the axis of a disk is normal to the plane; leave axis out")
    end
    library.add_rolling_disk(system, "rolling disk", given[1], { frame }, values)
    library.draw_circle(system, given[1], frame, values.radius, { 1, 0 }, { 0, 1 })
    return
  end
  values.axis = library.resolve_direction(frame, given.axis, place, "axis")
  library.add_rolling_disk(system, "rolling disk", given[1], { frame }, values)
  local across = library.across(values.axis)
  library.draw_circle(system, given[1], frame, values.radius, across, vida.cross(values.axis, across))
end

-- ---- knife edges --------------------------------------------------------------------------------

--- Allows a point of a body to move only along the blade of a knife edge or skate. One nonholonomic row.
-- @function knife_edge
-- @tparam table given
-- @tparam string given.1 its name
-- @tparam point|body given.2 the body (its centre), or a point of it
-- @tparam {number,...}|direction given.direction direction of the blade, in the axes of the body
-- @tparam[opt] {number,...} given.normal normal of the plane of motion, in space; by default { 0, 0, 1 }; not
--   used in the plane
-- @usage
-- s:knife_edge { "blade", trunk, direction = { 1, 0, 0 } }
function system_methods.knife_edge(system, given)
  local place = library.check_definition(system, "knife_edge", given, 2, { "direction", "normal" },
    "{ \"blade\", skate, direction = { 1, 0 } }")
  local dimension = library.dimension(system)
  local frame, point = library.resolve_end(system, given[2], place, "second entry")
  if frame.kind.count == 0 then
    fail(place .. ": the ground does not move; expected a body")
  end
  library.demand_orientation(place, { frame }, dimension == 3 and 1 or 2)
  local values = { place = point }
  if point == nil then
    values.place = {}
    for i = 1, frame.kind.place_count do
      values.place[i] = 0
    end
  end
  values.blade = library.resolve_direction(frame, given.direction, place, "direction")
  if dimension == 3 then
    values.normal = library.check_direction(place, "normal", given.normal or { 0, 0, 1 }, 3)
  elseif given.normal ~= nil then
    fail(place .. ": normal: in a system of dimension 2 the blade moves in the plane of the system; leave "
      .. "normal out")
  end
  library.add_knife_edge(system, "knife edge", given[1], { frame }, values)
end

-- ---- contacts that open and close ---------------------------------------------------------------

-- The place of an end, which is its centre if it has not been given.
local function place_of(frame, point)
  local place = point or {}
  for i = 1, point and 0 or frame.kind.place_count do
    place[i] = 0
  end
  return place
end

--- Adds a contact of a sphere about a particle or a point of a body, in the plane a disc, with a plane that
-- is fixed in space, in the plane a line. Slip is the velocity of the material of the body at the contact;
-- the sphere about a particle does not turn. For other contacts: `system:contact`.
-- @function plane_contact
-- @tparam table given
-- @tparam string given.1 its name
-- @tparam point|body given.2 the centre: a body, a point of one or a particle
-- @tparam[opt=0] number given.radius radius of the sphere, m; 0: the point itself
-- @tparam[opt] {number,...} given.normal normal of the plane, towards the side of the sphere; by default
--   upwards, the last axis
-- @tparam[opt=0] number given.height height of the plane along the normal, m
-- @tparam[opt=0] number given.restitution Newton's e, 0 to 1
-- @tparam[opt=0] number given.friction Coulomb's mu
-- @usage
-- local ball = s:particle { "ball", mass = 1, position = { 0, 0, 2 } }
-- s:plane_contact { "floor", ball, radius = 0.1, restitution = 0.8, friction = 0.3 }
function system_methods.plane_contact(system, given)
  local place = library.check_definition(system, "plane_contact", given, 2,
    { "radius", "normal", "height", "restitution", "friction" }, "{ \"floor\", ball, radius = 0.1 }")
  local dimension = library.dimension(system)
  if dimension == 1 then
    fail(place .. ": expected a system of dimension 2 or 3")
  end
  local frame, point = library.resolve_end(system, given[2], place, "second entry")
  if frame.kind.count == 0 then
    fail(place .. ": the ground does not move; expected a body or a particle")
  end
  local upwards = dimension == 3 and { 0, 0, 1 } or { 0, 1 }
  library.add_plane_contact(system, "contact", given[1], { frame }, {
    place = place_of(frame, point), radius = library.check_number(place, "radius", given.radius, 0),
    normal = library.check_direction(place, "normal", given.normal or upwards, dimension),
    height = library.check_number(place, "height", given.height, 0),
    restitution = library.check_number(place, "restitution", given.restitution, 0),
    friction = library.check_number(place, "friction", given.friction, 0),
  })
end

--- Adds a contact of two spheres about particles, points of bodies or a fixed point; in the plane discs. Slip
-- is the difference of the velocities of the material at the contact.
-- @function sphere_contact
-- @tparam table given
-- @tparam string given.1 its name
-- @tparam point|body given.2 the centre of the first sphere: a body, a point of one, a particle or a fixed
--   point
-- @tparam point|body given.3 the centre of the second one
-- @tparam {number,number} given.radii their radii, m
-- @tparam[opt=0] number given.restitution Newton's e, 0 to 1
-- @tparam[opt=0] number given.friction Coulomb's mu
-- @usage
-- local one = s:particle { "one", mass = 1, position = { 0, 0, 0 } }
-- local two = s:particle { "two", mass = 1, position = { 1, 0, 0 }, velocity = { -1, 0, 0 } }
-- s:sphere_contact { "balls", one, two, radii = { 0.2, 0.3 }, restitution = 1 }
function system_methods.sphere_contact(system, given)
  local place = library.check_definition(system, "sphere_contact", given, 3,
    { "radii", "restitution", "friction" }, "{ \"balls\", one, two, radii = { 0.1, 0.1 } }")
  local frames, points, words = {}, {}, { "second entry", "third entry" }
  for i = 1, 2 do
    local point
    frames[i], point = library.resolve_end(system, given[i + 1], place, words[i])
    points[i] = place_of(frames[i], point)
  end
  local radii = given.radii
  if kind(radii) ~= "table" or #radii ~= 2 then
    expected(place, "radii", "a list of two numbers", radii)
  end
  library.check_number(place, "radii", radii[1])
  library.check_number(place, "radii", radii[2])
  library.add_sphere_contact(system, "contact", given[1], frames, {
    first = points[1], second = points[2],
    radii = radii,
    restitution = library.check_number(place, "restitution", given.restitution, 0),
    friction = library.check_number(place, "friction", given.friction, 0),
  })
end

--- Adds a contact of a point with a curve that is fixed in a body or in space; in space with a surface. Slip
-- is the velocity of the point relative to this body, along the curve.
-- @function curve_contact
-- @tparam table given
-- @tparam string given.1 its name
-- @tparam point|body given.2 the body in which the curve is fixed, or the ground
-- @tparam point|body given.3 the point: a particle, a body (its centre) or a point of one
-- @tparam function given.curve a function of the components x, y, z of the point, in the axes of the body and
--   from its centre, that returns an expression which vanishes on the curve and is positive on the side of
--   the point. Its gradient must not vanish on the curve. The graph of a function h is `y - h(x)`
-- @tparam[opt=0] number given.restitution Newton's e, 0 to 1
-- @tparam[opt=0] number given.friction Coulomb's mu
-- @usage
-- local bead = s:particle { "bead", mass = 1, position = { 0.5, 0, 2 } }
-- s:curve_contact { "bowl", s.ground, bead, curve = function(x, y, z) return z - x ^ 2 - y ^ 2 end }
function system_methods.curve_contact(system, given)
  local place = library.check_definition(system, "curve_contact", given, 3,
    { "curve", "restitution", "friction" },
    "{ \"bowl\", system.ground, bead, curve = function(x, y) return y - x ^ 2 end }")
  local dimension = library.dimension(system)
  if dimension == 1 then
    fail(place .. ": expected a system of dimension 2 or 3")
  end
  local frames, values = resolve_curve(system, place, given, dimension)
  values.formulas = implicit_formulas(system, place, given.curve, dimension)
  if #values.formulas ~= 1 then
    fail(("%s: curve: expected a function that returns one expression, got %d"):format(place,
      #values.formulas))
  end
  values.restitution = library.check_number(place, "restitution", given.restitution, 0)
  values.friction = library.check_number(place, "friction", given.friction, 0)
  library.add_curve_contact(system, "contact", given[1], frames, values)
end
