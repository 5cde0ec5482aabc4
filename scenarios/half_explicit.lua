-- Explicit methods that choose their own steps, compared: half-explicit Runge-Kutta methods and extrapolated
-- half-explicit steps, which solve one linear system per stage for the constraints of velocities, and the
-- formulas of Dormand and Prince, Verner and Fehlberg on the underlying ODE, projected after each step.
--
-- The squeezer (squeezer_work_precision.lua), whose mass matrix changes and whose formulas are long, and a
-- chain of equal links that falls from the horizontal, whose constraints are short. hedop5: M. Arnold, BIT 38
-- (1998) 415-438; phem56: A. Murua, Computing 59 (1997) 43-61; hem4: V. Brasey and E. Hairer, SIAM J. Numer.
-- Anal. 30 (1993) 538-552; extrapolation: C. Lubich, Impact Comput. Sci. Eng. 1 (1989), and MEXX, C. Lubich,
-- U. Nowak, U. Poehle and C. Engstler, ZIB SC 92-12 (1992). All Runge-Kutta methods have the same controller
-- of steps. Units: kg, m, s.

local vida = require "vida"
local precision = require "parts.precision"
local squeezer = require "parts.squeezer"

local finest = vida.setting { "finest", 8, text = "digits of the finest tolerance" }
local links = vida.setting { "links", 20, text = "number of links of the chain" }

local function methods(time)
  local runs = precision(time, finest)
  runs:tolerances { { "half-explicit", scheme = "hedop5" }, { "half-explicit", scheme = "phem56" },
    { "half-explicit", scheme = "hem4" }, { "extrapolation", scheme = "midpoint" },
    { "extrapolation", scheme = "euler" }, { "coordinate-projection", integrator = "dormand-prince" },
    { "coordinate-projection", integrator = "verner" }, { "coordinate-projection", integrator = "fehlberg" } }
  return runs.methods
end

local chain = vida.system { "falling chain", dimension = 3 }
chain:gravity { 0, 0, -9.81 }
local above = chain.ground
for i = 1, links do
  local mass = chain:particle { ("mass %d"):format(i), mass = 1, position = { i, 0, 0 },
    velocity = { 0, 0.1 * math.sin(i), 0 } }
  chain:distance { ("link %d"):format(i), above, mass, length = 1 }
  above = mass
end

local function compare(system, time)
  return vida.work_precision {
    system = system, time = time, norm = "end", reference = { "radau", rtol = 1e-12, h = time },
    methods = methods(time),
  }
end

return { compare(squeezer(0.033), 0.03), compare(chain, 2) }
