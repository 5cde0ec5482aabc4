--- Points on lines, planes and curves; and what rolls or cuts: rolling disks and knife edges, whose
-- rows are of velocities.
--
-- @classmod system
local vida, system_methods, library = ...

local fail, expected, kind = library.fail, library.expected, library.kind

--- Guides, rolling and sliding
-- @section contacts

-- ---- points on lines and planes -----------------------------------------------------------------

-- Components in the frame of a direction: one of the body, or a list that is one of space at the
-- start.
local function direction_in(frame, value, place, field, dimension)
  if library.is_direction(value) then
    return library.resolve_direction(frame, value, place, field)
  end
  local direction = library.check_direction(place, field, value, dimension)
  if not frame.start then
    fail(("%s: %s: where '%s' starts is to be found; expected a direction of this body"):format(place, field,
      frame.name))
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

-- Directions of the ground are those of space.
local function advise_anchor(system, place, given, frames, values)
  library.advise_anchor(system, place, given, frames, { values.first, values.second }, function(d, size)
    local off = math.abs(vida.dot(values.n1, d)) + math.abs(values.n2 and vida.dot(values.n2, d) or 0)
    return off <= 1e-9 * size
  end)
end

--- A point of the second body moves on a line of the first.
-- @function point_on_line
-- @tparam table given
-- @tparam string given.1 its name
-- @tparam point|body given.2 the first end: a body, a point of one, a particle or a fixed point
-- @tparam point|body given.3 the second one
-- @tparam[opt] {number,...} given.at where it is, in space at the start, m; not when both ends are points
-- @tparam {number,...}|direction given.axis of the line, in space at the start, or a direction of the
--   first body
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

--- A point of the second body moves on a plane of the first, in space.
-- @function point_on_plane
-- @tparam table given
-- @tparam string given.1 its name
-- @tparam point|body given.2 the first end: a body, a point of one, a particle or a fixed point
-- @tparam point|body given.3 the second one
-- @tparam[opt] {number,...} given.at where it is, in space at the start, m; not when both ends are points
-- @tparam {number,...}|direction given.normal of the plane, in space at the start, or a direction of the
--   first body
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

-- Components in the first frame of where the point is from its origin.
local function place_in_first(views, p, dimension)
  local d = views[2].point(p.second) - views[1].origin
  local components = {}
  for i = 1, dimension do
    local axis = {}
    for k = 1, dimension do
      axis[k] = k == i and 1 or 0
    end
    components[i] = vida.dot(views[1].turn(vida.vector(axis)), d)
  end
  return components
end

local function what_curves_are(dimension)
  return ("a function of %s that returns what vanishes on the curve, or with parameter = (the start of s) a "
    .. "function of s that returns the place, { ... }"):format(dimension == 3 and "x, y, z" or "x, y")
end

local function implicit_rows(place, curve, dimension, unit)
  return {
    unit = unit,
    constraint = function(p, _, views)
      local got = table.pack(curve(table.unpack(place_in_first(views, p, dimension))))
      if got.n > 1 and got.n > dimension - 1 then
        fail(("%s: curve: expected a function that returns at most %d expression%s, got %d"):format(place,
          dimension - 1, dimension > 2 and "s" or "", got.n))
      elseif got.n == 0 or kind(got[1]) == "table" or kind(got[1]) == "vector" then
        expected(place, "curve", what_curves_are(dimension), got[1])
      end
      local rows = {}
      for i = 1, got.n do
        if kind(got[i]) ~= "expression" then
          expected(place, "curve", "a function that returns expressions which vanish on the curve", got[i])
        end
        rows[i] = { tostring(i), got[i], unit = unit }
      end
      return #rows == 1 and rows[1][2] or rows
    end,
  }
end

local function parametric_rows(place, curve, dimension)
  return {
    unit = "m",
    constraint = function(p, _, views, own)
      local target = curve(own[1])
      local what = ("a function of s that returns a place, a list of %d such as %s"):format(dimension,
        dimension == 2 and "{ s, s ^ 2 }" or "{ s, 0, s ^ 2 }")
      if kind(target) ~= "vector" and kind(target) ~= "table" or #target ~= dimension then
        expected(place, "curve", what, target)
      end
      for i = 1, dimension do
        if not library.is_finite(target[i]) and kind(target[i]) ~= "expression" then
          expected(place, ("curve: [%d] of the place"):format(i), "a number or an expression", target[i])
        end
      end
      return views[2].point(p.second) - views[1].origin - views[1].turn(vida.vector(target))
    end,
  }
end

--- A point moves on a curve, which is fixed in the first body and in its axes, from its centre; of the
-- ground in space.
-- @function point_on_curve
-- @tparam table given
-- @tparam string given.1 its name
-- @tparam point|body given.2 a body or the ground
-- @tparam point|body given.3 what moves on the curve
-- @tparam function given.curve of components x, y, z that returns what vanishes on the curve, one
--   expression or in space two; or, with `parameter`, of s that returns the place
-- @tparam[opt] number given.parameter the start of s, which is then a coordinate, "name.s"
-- @tparam[opt=0] number given.rate of s at the start
-- @tparam[opt=""] string given.unit of what vanishes
-- @treturn expression|nil s
-- @treturn expression|nil its rate
-- @usage
-- s:point_on_curve { "track", s.ground, upper, parameter = 1,
--   curve = function(u) return { u, 0, u ^ 2 - 1 } end }
function system_methods.point_on_curve(system, given)
  local place = library.check_definition(system, "point_on_curve", given, 3,
    { "curve", "parameter", "rate", "unit" },
    "{ \"track\", system.ground, bead, curve = function(x, y) return y - x ^ 2 end }")
  local dimension = library.dimension(system)
  local curve = given.curve
  if type(curve) ~= "function" then
    expected(place, "curve", what_curves_are(dimension), curve)
  elseif given.unit ~= nil and type(given.unit) ~= "string" then
    expected(place, "unit", "a text", given.unit)
  end
  local first, origin = library.resolve_end(system, given[2], place, "first end")
  if origin and vida.norm(origin) ~= 0 then
    expected(place, "first end", "a body or the ground, in whose axes the curve is", given[2])
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
  local frames, values = { first, second }, { second = point }
  if given.parameter == nil then
    library.add_traced(system, "curve " .. place, "point on curve", given[1], frames, values,
      implicit_rows(place, curve, dimension, given.unit), nil, curve)
    return
  end
  local s = system_methods.coordinate(system,
    { given[1] .. ".s", value = given.parameter, rate = given.rate })
  library.add_traced(system, "parametric " .. place, "point on curve", given[1], frames, values,
    parametric_rows(place, curve, dimension), { s }, curve)
  return s, s.rate
end

-- ---- rolling ------------------------------------------------------------------------------------

--- A thin disk about an axis of a body, through its centre, rolls on a plane without slipping: "name:
-- contact" and nonholonomic rows "name: rolling 1", "name: rolling 2".
-- @function rolling_disk
-- @tparam table given
-- @tparam string given.1 its name
-- @tparam body given.2 the body
-- @tparam number given.radius m
-- @tparam {number,...}|direction given.axis of the disk, in the axes of the body; not in the plane
-- @tparam[opt] {number,...} given.normal of the plane, in space; by default upwards, the last axis
-- @tparam[opt=0] number given.height of the plane along the normal, m
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
      fail(place .. ": axis: in the plane the axis of a disk is across the plane")
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

--- A skate: a body, or a point of it, moves along a direction of the body only. One nonholonomic row.
-- @function knife_edge
-- @tparam table given
-- @tparam string given.1 its name
-- @tparam point|body given.2 the body, or a point of it
-- @tparam {number,...}|direction given.direction of the blade, in the axes of the body
-- @tparam[opt] {number,...} given.normal of the ice, in space; by default { 0, 0, 1 }; not in the plane
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
    fail(place .. ": normal: a system of dimension 2 is the plane itself")
  end
  library.add_knife_edge(system, "knife edge", given[1], { frame }, values)
end
