--- What systems look like. Particles, rods, bodies, and what joins them are drawn by themselves;
-- system:draw says what else there is to see. Nothing here has a part in the motion.
--
-- @classmod system
local vida, system_methods, library = ...

local fail, expected, kind = library.fail, library.expected, library.kind

local frame_names = {
  particle = "centre", plane = "angle", rod = "directions", quaternion = "quaternion",
  directors = "directions",
}

-- A point of a frame, as library.add_line takes it.
local function point_of(frame, place)
  if frame.kind.count == 0 then
    return { "space", {}, place }
  end
  return { frame_names[frame.kind.name], frame.coordinates, frame.kind.place_count > 0 and place or {} }
end

local function are_numbers(place)
  for i = 1, #place do
    if type(place[i]) ~= "number" then
      return false
    end
  end
  return true
end

-- ---- joints, springs and dampers -----------------------------------------------------------------

-- A slider's guide: from the first end along the axis to where the second body's centre is nearest to it.
local function draw_guide(system, name, frames, values)
  local axis = values.b3 or values.b1
  local place, along = {}, 0
  for i = 1, #axis do
    along = along + axis[i] * (values.second[i] or 0)
  end
  for i = 1, #axis do
    place[i] = (values.second[i] or 0) - along * axis[i]
  end
  local slider = frames[2].kind.place_count > 0 and point_of(frames[2], place)
  if slider then
    library.add_line(system, name, "guide", { point_of(frames[1], values.first), slider })
    if vida.norm(vida.vector(place)) > 0 then
      library.add_line(system, frames[2].name, "body", { point_of(frames[2], {}), slider })
    end
  end
  if frames[1].kind.count > 0 and frames[1].kind.place_count > 0 then
    library.add_line(system, frames[1].name, "body",
      { point_of(frames[1], {}), point_of(frames[1], values.first) })
  end
end

-- Where a ball joint, a hinge or a universal joint is, and the axes that it turns about, as long as the
-- smaller of the bodies.
local function draw_pivot(system, name, frames, values)
  local extent
  for _, frame in ipairs(frames) do
    if frame.extent and frame.extent > 0 then
      extent = math.min(extent or frame.extent, frame.extent)
    end
  end
  local last = frames[2].kind.count > 0 and 2 or 1
  local places = { values.first, values.second }
  library.add_line(system, name, "joint", { point_of(frames[last], places[last]) })
  local axes = { [1] = values.a, [2] = values.b3 or values.b }
  for i, axis in pairs(axes) do
    if extent and type(axis) == "table" and #axis == 3 and are_numbers(axis) then
      local points = {}
      for k, side in ipairs { -1, 1 } do
        local place = {}
        for j = 1, 3 do
          place[j] = (places[i][j] or 0) + side * extent * axis[j]
        end
        points[k] = point_of(frames[i], place)
      end
      library.add_line(system, name, "axis", points)
    end
  end
end

local pivots = { ball = true, revolute = true, universal = true }

local guided = { prismatic = true, cylindrical = true }

local link_styles = { distance = "rod", spring = "spring", damper = "damper" }

-- Between the places of both ends; of joints, where the ends are one, from the centre of each body.
function library.draw_joint(system, title, name, frames, values)
  local places = { values.first, values.second }
  if #frames ~= 2 or not places[1] or not places[2]
      or not are_numbers(places[1]) or not are_numbers(places[2]) then
    return
  end
  local points = { point_of(frames[1], places[1]), point_of(frames[2], places[2]) }
  if link_styles[title] then
    library.add_line(system, name, link_styles[title], points)
    return
  elseif guided[title] and frames[2].kind.count > 0 then
    draw_guide(system, name, frames, values)
    return
  end
  for i, frame in ipairs(frames) do
    if frame.kind.place_count > 0 and frame.kind.count > 0 then
      library.add_line(system, frame.name, "body", { point_of(frame, {}), points[i] })
    elseif frame.kind.count == 0 then
      library.add_line(system, name, "line", { points[i] })
    end
  end
  if pivots[title] then
    draw_pivot(system, name, frames, values)
  end
end

-- ---- bodies --------------------------------------------------------------------------------------

function library.draw_rod(system, frame)
  library.add_line(system, frame.name, "body",
    { point_of(frame, { -frame.half_length }), point_of(frame, { frame.half_length }) })
end

-- From the centre to the middle of a side, by which turns are told apart that a square looks alike after.
local square = { { 0, 0 }, { 1, 0 }, { 1, 1 }, { -1, 1 }, { -1, -1 }, { 1, -1 }, { 1, 0 } }

-- The square of the body's mass and moment of inertia.
function library.draw_plane_body(system, frame, mass, inertia)
  local half = math.sqrt(6 * inertia / mass) / 2
  local points = {}
  frame.extent = half
  for i, corner in ipairs(square) do
    points[i] = point_of(frame, { half * corner[1], half * corner[2] })
  end
  library.add_line(system, frame.name, "inertia", points)
end

-- All edges of a cuboid in one line, which begins at the centre and marks the side that the first axis
-- points to.
local cuboid = {
  { 0.5, 0.5, 0.5 }, { 1, 0.5, 0.5 }, { 1, 0, 0 }, { 0, 0, 0 }, { 1, 0, 0 }, { 1, 1, 0 }, { 0, 1, 0 },
  { 0, 0, 0 }, { 0, 0, 1 }, { 1, 0, 1 }, { 1, 0, 0 }, { 1, 0, 1 }, { 1, 1, 1 }, { 1, 1, 0 }, { 1, 1, 1 },
  { 0, 1, 1 }, { 0, 1, 0 }, { 0, 1, 1 }, { 0, 0, 1 },
}

-- The cuboid of the body's mass and inertia: principal moments, and their axes as columns in the
-- axes of the body; to_frame turns components from there to those of its frame.
function library.draw_space_body(system, frame, mass, inertia, to_frame)
  local j, axes = inertia.moments, inertia.axes
  local half, points = {}, {}
  for i = 1, 3 do
    half[i] = math.sqrt(math.max(6 * ((j[1] + j[2] + j[3]) - 2 * j[i]) / mass, 0)) / 2
  end
  frame.extent = math.max(half[1], half[2], half[3])
  for i, corner in ipairs(cuboid) do
    local place = { 0, 0, 0 }
    for k = 1, 3 do
      for axis = 1, 3 do
        place[axis] = place[axis] + axes[axis][k] * half[k] * (2 * corner[k] - 1)
      end
    end
    local turned = to_frame(frame, place)
    points[i] = point_of(frame, { turned[1], turned[2], turned[3] })
  end
  library.add_line(system, frame.name, "inertia", points)
end

-- The circle of a disk about the centre of a body; `first` and `second` are unit vectors of its plane.
function library.draw_circle(system, name, frame, radius, first, second)
  local points, count = {}, 24
  for i = 0, count do
    local c, s = math.cos(2 * math.pi * i / count), math.sin(2 * math.pi * i / count)
    local place = {}
    for k = 1, #first do
      place[k] = radius * (c * first[k] + s * second[k])
    end
    points[i + 1] = point_of(frame, place)
  end
  points[#points + 1] = point_of(frame, {}) -- a spoke, by which its turning is seen
  library.add_line(system, name, "body", points)
end

--- Drawing
-- @section drawing

-- ---- system:draw ---------------------------------------------------------------------------------

local styles = { line = true, body = true, rod = true, spring = true, damper = true }
local example = "system:draw { \"arm\", { 0, 0 }, { x, y } }"

local function given_point(system, value, place, field)
  local what = kind(value)
  if what == "point" or library.is_body_end(value) then
    local frame, where = library.resolve_end(system, value, place, field)
    return point_of(frame, where or {})
  elseif what ~= "table" and what ~= "vector" or #value ~= 2 and #value ~= 3 then
    expected(place, field, "a point: two or three numbers and expressions, a particle or a point of a body",
      value)
  end
  return { "formula", { value[1], value[2], value[3] } }
end

local function replaced_names(place, value)
  local names = type(value) == "table" and value or { value }
  for i = 1, #names do
    if type(names[i]) ~= "string" then
      expected(place, "replaces", "the name of what is not drawn any more, or a list of names", value)
    end
  end
  if value ~= nil and #names == 0 then
    expected(place, "replaces", "the name of what is not drawn any more, or a list of names", value)
  end
  return names
end

--- A line through points, to be seen in the animation of a report. Particles, bodies and what joins them
-- are drawn without it; of a body with moments of inertia that is the rectangle or cuboid that has them,
-- as far as it is not many times larger than all the rest, of a joint its place and axes, of a slider its
-- guide.
-- @function draw
-- @tparam table given
-- @tparam string given.1 what it is
-- @tparam {number|expression,...}|point|body given.2 the first point; more follow. One alone is a dot
-- @tparam[opt=false] boolean given.closed the last point is joined to the first
-- @tparam[opt="line"] string given.style "line", "body", "rod", "spring" or "damper"
-- @tparam[opt] string|{string,...} given.replaces names of bodies, joints, rods, springs or earlier lines
--   that are not drawn any more; particles are always
-- @usage
-- s:draw { "mast", { 0, 0, 0 }, { 0, 0, 2 }, upper }
-- s:draw { "sledge", trunk:point { -0.1, 0, 0 }, trunk:point { 0.1, 0, 0 }, style = "body",
--   replaces = "trunk" }
function system_methods.draw(system, given)
  if kind(given) ~= "table" then
    expected("", "draw", "a table such as " .. example, given)
  end
  local place, name = library.check_definition(system, "draw", given, #given,
    { "closed", "style", "replaces" }, example)
  if #given < 2 then
    fail(place .. ": expected at least one point, as in " .. example)
  elseif given.closed ~= nil and type(given.closed) ~= "boolean" then
    expected(place, "closed", "true or false", given.closed)
  elseif given.style ~= nil and not styles[given.style] then
    expected(place, "style", "\"line\", \"body\", \"rod\", \"spring\" or \"damper\"", given.style)
  end
  local points = {}
  for i = 2, #given do
    points[i - 1] = given_point(system, given[i], place, ("[%d]"):format(i))
  end
  if given.closed then
    points[#points + 1] = points[1]
  end
  for _, other in ipairs(replaced_names(place, given.replaces)) do
    library.hide_lines(system, other, place)
  end
  library.add_line(system, name, given.style or "line", points)
end
