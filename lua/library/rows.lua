--- Rows: what methods that add constraints return.
--
-- `row.multiplier` is the multiplier of the constraint for forces that depend on it, such as dry friction in
-- a guide; that of a constraint with several rows is a vector with a component for each, in the order in
-- which reports name them.
--
-- @classmod row
-- @usage
-- local vida = require "vida"
-- local s = vida.system { "bead", dimension = 2 }
-- local bead = s:particle { "bead", mass = 1, position = { 0, 0 } }
-- local wire = s:constraint { "wire", bead.y - 0.2 * bead.x, unit = "m" }
-- local pressed = vida.abs(wire.multiplier) * math.sqrt(1.04)
-- s:force { "friction", bead.x, -0.1 * pressed * vida.tanh(bead.vx / 1e-3) }
local vida, system_methods, library = ...

local fail, kind = library.fail, library.kind

local methods = { "constraint", "nonholonomic", "distance", "ball", "revolute", "universal", "cylindrical",
  "prismatic", "weld", "drive", "prescribe", "point_on_line", "point_on_plane", "point_on_curve",
  "rolling_disk", "knife_edge" }

-- The system and the range of rows of each object.
local ranges = setmetatable({}, { __mode = "k" })

local class = { __name = "vida.row", __metatable = false }

--- The multiplier of the constraint, an expression; of a constraint with several rows, a vector. Its sign is
-- that of the equations of motion, in which the constraint causes the generalized forces -G^T lambda.
-- @field multiplier

function class.__index(row, key)
  local range = ranges[row]
  if key ~= "multiplier" then
    fail(("a row has no '%s'; it has: multiplier"):format(tostring(key)))
  end
  local list = {}
  for i = range.first, range.last do
    list[#list + 1] = library.row_multiplier(range.system, i)
  end
  return #list == 1 and list[1] or vida.vector(list)
end

function class.__newindex(_, key)
  fail(("'%s' of a row cannot be set"):format(tostring(key)))
end

function class.__tostring(row)
  local range = ranges[row]
  return ("row %d of %s"):format(range.first + 1, tostring(range.system))
end

-- Returns what a method returns by itself, or else the rows that it has added from `first` on, if any.
local function finish(system, first, ...)
  if select("#", ...) > 0 or library.row_count(system) == first then
    return ...
  end
  local row = setmetatable({}, class)
  ranges[row] = { system = system, first = first, last = library.row_count(system) - 1 }
  return row
end

for _, name in ipairs(methods) do
  local add = system_methods[name]
  system_methods[name] = function(system, ...)
    if kind(system) ~= "system" then
      return add(system, ...) -- which refuses it
    end
    return finish(system, library.row_count(system), add(system, ...))
  end
end
