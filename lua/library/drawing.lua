--- Drawings of systems for animations. Particles, rods, bodies, joints, springs and dampers are drawn
-- automatically; system:draw adds other shapes. Drawings do not affect the motion.
--
-- @classmod system
local vida, system_methods, library = ...

local fail, expected, kind = library.fail, library.expected, library.kind

-- A point of a frame in the form that library.add_line expects.
local function point_of(frame, place)
  return { frame, place }
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

-- Draws the guide of a slider: from the first end along the axis to the point nearest to the centre of the
-- second body.
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

-- Draws the axes of a hinge or universal joint. They are as long as the smaller body.
local function draw_axes(system, name, frames, values)
  local axes = { [1] = values.a, [2] = values.b3 or values.b }
  if not next(axes) then
    return
  end
  local extent
  for _, frame in ipairs(frames) do
    if frame.extent and frame.extent > 0 then
      extent = math.min(extent or frame.extent, frame.extent)
    end
  end
  local places = { values.first, values.second }
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

-- Draws a spring, damper or rod between both ends, and a joint from the centre of each body to the joint.
function library.draw_joint(system, title, name, frames, values)
  if guided[title] and #frames == 2 and frames[2].kind.count > 0 then
    if values.first and values.second and are_numbers(values.first) and are_numbers(values.second) then
      draw_guide(system, name, frames, values)
    end
  elseif library.draw_ends(system, name, link_styles[title], frames, values, pivots[title])
      and pivots[title] then
    draw_axes(system, name, frames, values)
  end
end

-- ---- bodies --------------------------------------------------------------------------------------

-- Bodies themselves are drawn by the library. Here is how far they reach in space: half the longest side of
-- the cuboid of their principal moments.
function library.space_extent(mass, j)
  local least = math.min(j[1], j[2], j[3])
  return math.sqrt(math.max(6 * ((j[1] + j[2] + j[3]) - 2 * least) / mass, 0)) / 2
end

-- Draws a circle about the centre of a body; `first` and `second` are unit vectors of its plane.
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
  points[#points + 1] = point_of(frame, {}) -- a spoke, which makes rotation visible
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
      expected(place, "replaces", "a name of an object to hide, or a list of names", value)
    end
  end
  if value ~= nil and #names == 0 then
    expected(place, "replaces", "a name of an object to hide, or a list of names", value)
  end
  return names
end

--- Draws a line through points in the animation of a report. VIDA draws without it particles, bodies (as
-- squares or cuboids with their inertia, unless these are many times larger than the system), joints (points
-- and axes), guides of sliders, rods, springs and dampers.
-- @function draw
-- @tparam table given
-- @tparam string given.1 name of the object that is drawn
-- @tparam {number|expression,...}|point|body given.2 the first point; more points follow. A single point is
--   drawn as a dot
-- @tparam[opt=false] boolean given.closed join the last point to the first
-- @tparam[opt="line"] string given.style "line", "body", "rod", "spring" or "damper"
-- @tparam[opt] string|{string,...} given.replaces names of bodies, joints, rods, springs or earlier lines to
--   hide; particles cannot be hidden
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
