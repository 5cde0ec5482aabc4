-- Rows that nearly depend on others are told, at every size and place; exact ones, and rounding, are not.
local vida = require "vida"

-- A door on two hinges along `axis`; the second stands `aside` lengths beside the axis of the first. The
-- displacement is (0, 0, aside) x axis: perpendicular.
local function door(length, place, aside)
  local s = vida.system { "door", dimension = 3 }
  s:gravity { 2, 0, -9.6 }
  local axis = { 1 / 3, 2 / 3, 2 / 3 }
  local at = { 1.1 * place, 0.7 * place, -0.3 * place }
  local function along(part, beside)
    return { at[1] + length * (part * axis[1] - beside * axis[2]),
      at[2] + length * (part * axis[2] + beside * axis[1]), at[3] + length * part * axis[3] }
  end
  local b = s:body { "door", mass = 20, inertia = { 4 * length ^ 2, 5 * length ^ 2, 1.3 * length ^ 2 },
    position = { at[1] + 0.3 * length, at[2] + 0.5 * length, at[3] - 0.2 * length },
    orientation = { math.cos(0.3), 0.6 * math.sin(0.3), 0, 0.8 * math.sin(0.3) } }
  s:revolute { "lower", s.ground, b, at = along(0.37, 0), axis = axis }
  s:revolute { "upper", s.ground, b, at = along(-0.41, aside), axis = axis }
  return s
end

-- The size that the remark tells; nil without one.
local function told_size(system)
  local row = vida.compare { system = system, time = 1e-3, methods = { { "energy-momentum", h = 1e-3 } } }
    :run { quiet = true }[1]
  assert(row.status == "ok", row.message)
  return tonumber(row.message:match "'upper[^']*' nearly depends on others at the start, but for (%S+) of")
end

for _, length in ipairs { 1, 1e3, 1e-9 } do
  for _, aside in ipairs { 3e-5, 3e-6, 3e-7, 3e-8, 3e-9 } do
    local told = told_size(door(length, 0, aside))
    assert(told and told < aside and told > aside / 20, ("%g, %g: %s"):format(length, aside, told))
  end
  for _, aside in ipairs { 0, 3e-3 } do
    local told = told_size(door(length, 0, aside))
    assert(not told, ("%g, %g: %s"):format(length, aside, told))
  end
end
for _, place in ipairs { 1, 1e3, 1e6, 1e7, 1e8 } do
  local told = told_size(door(1, place, 0))
  assert(not told, ("%g: %s"):format(place, told))
end
