--- Numerical rotations for initial values: quaternions (scalar first, from body to space), matrices (lists of
-- rows), axes with angles; and principal axes.
--
-- @classmod vector
local vida, _, library = ...

local fail, expected, kind = library.fail, library.expected, library.kind

-- The largest deviation of a given rotation from norm 1 or orthogonality, which the rounding of its digits
-- causes.
local rounding = 1e-12

local function is_finite(value)
  return type(value) == "number" and value == value and value ~= math.huge and value ~= -math.huge
end
library.is_finite = is_finite

-- ---- checked numbers ----------------------------------------------------------------------------

-- Checks a list of `count` finite numbers and returns it as a vector.
function library.check_list(place, key, value, count)
  local good = library.copy_numbers(value, count)
  if good then
    return good
  end
  local what = count == 1 and "a list of one number" or ("a list of %d numbers"):format(count)
  if kind(value) ~= "vector" and (kind(value) ~= "table" or getmetatable(value) == false) then
    expected(place, key, what, value)
  elseif #value ~= count then
    local mark = place:sub(-1) == "'" and ": " or "."
    fail(("%s%s%s: expected %s, got %d of them"):format(place, mark, key, what, #value))
  end
  local copy = {}
  for i = 1, count do
    if not is_finite(value[i]) then
      expected(place, ("%s[%d]"):format(key, i), "a finite number", value[i])
    end
    copy[i] = value[i]
  end
  return vida.vector(copy)
end

-- Checks a direction of any length but zero and returns its unit vector.
function library.check_direction(place, key, value, count)
  local vector = library.check_list(place, key, value, count)
  local largest = 0
  for i = 1, count do
    largest = math.max(largest, math.abs(vector[i]))
  end
  if largest == 0 then
    fail(("%s: %s: a direction cannot be zero"):format(place, key))
  end
  vector = vector / largest -- squares of tiny numbers would vanish
  return vector / vida.norm(vector)
end

--- Returns a vector divided by its length.
-- @function vida.unit
-- @tparam vector v not zero
-- @treturn vector
-- @usage
-- local axis = vida.unit { 1, 1, 0 }
function vida.unit(vector)
  if kind(vector) ~= "table" and kind(vector) ~= "vector" and kind(vector) ~= "point" then
    expected("", "vida.unit", "a vector, a point or a list of numbers or expressions", vector)
  end
  local components = vida.vector(vector)
  local length = vida.norm(components)
  if length == 0 then
    fail("vida.unit: a vector of length zero has no direction")
  end
  return components / length
end

-- ---- directions ---------------------------------------------------------------------------------

-- The unit vector along the component of `vector` that is orthogonal to the unit vector `axis`; nil if there
-- is no such component.
function library.part_across(axis, vector)
  local part = vector - vida.dot(axis, vector) * axis
  local length = vida.norm(part)
  return length > 1e-6 and part / length or nil
end

-- ---- orientations -------------------------------------------------------------------------------

local function from_axis(place, given)
  library.check_keys(given, place .. ": orientation", "key", 0, { "axis", "angle" })
  local axis = library.check_direction(place, "orientation.axis", given.axis, 3)
  if not is_finite(given.angle) then
    expected(place, "orientation.angle", "an angle in rad", given.angle)
  end
  local s = math.sin(given.angle / 2)
  return vida.vector { math.cos(given.angle / 2), s * axis[1], s * axis[2], s * axis[3] }
end

local function from_rows(place, given)
  local rows = {}
  for i = 1, 3 do
    rows[i] = library.check_list(place, ("orientation[%d]"):format(i), given[i], 3)
  end
  for i = 1, 3 do
    for j = i, 3 do
      local product = vida.dot(rows[i], rows[j])
      if math.abs(product - (i == j and 1 or 0)) > rounding then
        fail(("%s: orientation: expected a rotation matrix, but row %d times row %d is %.10g"):format(
          place, i, j, product))
      end
    end
  end
  if vida.dot(vida.cross(rows[1], rows[2]), rows[3]) < 0 then
    fail(place .. ": orientation: expected a rotation matrix, got one that also mirrors (determinant -1)")
  end
  return library.from_matrix(rows)
end

-- Checks an orientation (a quaternion, { axis =, angle = } or the rows of a matrix) and returns its unit
-- quaternion.
function library.check_orientation(place, given)
  if given == nil then
    return vida.vector { 1, 0, 0, 0 }
  elseif kind(given) ~= "table" and kind(given) ~= "vector" then
    expected(place, "orientation",
      "a unit quaternion { w, x, y, z }, { axis = {...}, angle = } or three rows of a matrix", given)
  elseif kind(given) == "table" and (given.axis ~= nil or given.angle ~= nil) then
    return from_axis(place, given)
  elseif kind(given[1]) == "table" or kind(given[1]) == "vector" then
    if #given ~= 3 then
      fail(("%s: orientation: expected a matrix with three rows, got %d rows"):format(place, #given))
    end
    return from_rows(place, given)
  end
  local q = library.check_list(place, "orientation", given, 4)
  local length = vida.norm(q)
  if math.abs(length - 1) > rounding then
    fail(("%s: orientation: expected a quaternion of norm 1, got the norm %.10g; "
      .. "vida.unit { ... } normalizes it"):format(place, length))
  end
  return q / length
end

-- ---- principal axes -----------------------------------------------------------------------------

-- Checks an inertia tensor (three principal moments or a matrix) and returns its matrix.
local function read_tensor(place, given)
  if kind(given) ~= "table" and kind(given) ~= "vector" then
    expected(place, "inertia", "three principal moments or a symmetric 3 x 3 matrix", given)
  elseif type(given[1]) == "number" then
    local m = library.check_list(place, "inertia", given, 3)
    return { { m[1], 0, 0 }, { 0, m[2], 0 }, { 0, 0, m[3] } }
  elseif #given ~= 3 then
    expected(place, "inertia", "three principal moments or three rows of a symmetric matrix", given[1])
  end
  local matrix = {}
  for i = 1, 3 do
    matrix[i] = library.check_list(place, ("inertia[%d]"):format(i), given[i], 3)
  end
  for i = 1, 3 do
    for j = i + 1, 3 do
      local scale = math.max(math.abs(matrix[i][i]), math.abs(matrix[j][j]))
      if math.abs(matrix[i][j] - matrix[j][i]) > rounding * scale then
        fail(("%s: inertia: expected a symmetric matrix, but [%d][%d] is %.10g and [%d][%d] is %.10g"):format(
          place, i, j, matrix[i][j], j, i, matrix[j][i]))
      end
    end
  end
  return matrix
end

-- Checks an inertia tensor and returns its matrix, its principal moments and its principal axes (as columns).
function library.read_inertia(place, given)
  local matrix = read_tensor(place, given)
  local moments, axes = library.principal_axes(matrix)
  return { matrix = matrix, moments = moments, axes = axes }
end
