-- The heavy top (parts/heavy_top.lua), as a unit quaternion and as directors.
--
-- At t = 0.5, 1.0 and 1.5 s its centre is at
--   (-0.70246829702494559, -0.021165184701932658, -0.71140025765173441) m
--   ( 0.17334396409838604,  0.64008859207056886,  -0.74849079113358131) m
--   (-0.96816571563818065,  0.25030606213260173,  -0.0014220838511312954) m.
--
-- The scenario returns two comparisons. A quaternion has four coordinates and a mass matrix that
-- changes with it. Directors, the vectors along the principal axes, have a constant one and quadratic
-- constraints. energy-momentum keeps the energy of both; the momentum about the vertical, from the
-- velocities at the nodes, is off by an error of order 2. Units: kg, m, s.

local vida = require "vida"
local heavy_top = require "parts.heavy_top"

local time = vida.setting { "time", 1, unit = "s", text = "simulated time" }

local function compare(as, methods)
  local steps = { 2e-3, 1e-3, 5e-4 } -- s
  for i, name in ipairs(methods) do
    methods[i] = { name, h = steps }
  end
  local system, top = heavy_top(as)
  return vida.compare {
    system = system, time = time, coordinates = { top.centre },
    reference = { "rattle", h = 1e-4 }, methods = methods,
  }
end

return {
  compare("quaternion", { "rattle", "del-midpoint", "energy-momentum" }),
  compare("directors", { "rattle", "del-midpoint", "energy-momentum" }),
}
