-- What precision costs: three systems, more than a dozen methods on each, errors of the positions at
-- the end against wall time, fitted orders, and which method is the cheapest for an error.
--
-- The double spherical pendulum (parts/double_spherical_pendulum.lua), not stiff and with simple
-- constraints; the heavy top (parts/heavy_top.lua) as a unit quaternion, whose fast spin has to be
-- followed; and the squeezer (squeezer_work_precision.lua), whose formulas are long. With --report and
-- --plot each has its own part. Without --jobs: runs that share the machine take longer.

local vida = require "vida"
local double_spherical_pendulum = require "parts.double_spherical_pendulum"
local heavy_top = require "parts.heavy_top"
local precision = require "parts.precision"
local squeezer = require "squeezer_work_precision"

local finest = vida.setting { "finest", 7, text = "digits of the finest tolerance, and of the work" }

local function pendulum()
  local time = 5 -- s
  local runs = precision(time, finest)
  runs:steps(30, 3, { { "del-midpoint" }, { "del-ggl" }, { "rattle" }, { "del-endpoint" },
    { "energy-momentum" }, { "energy-momentum-ggl" }, { "generalized-alpha", projection = "velocity" } })
  runs:steps(15, 6, { { "compose", base = "rattle" }, { "spark-lobatto", stages = 3 },
    { "energy-collocation", stages = 3 } })
  runs:steps(15, 9, { { "compose", base = "rattle", scheme = "kahan-li8" },
    { "spark-lobatto", stages = 4 }, { "energy-collocation", stages = 4 } })
  runs:steps(100, 8, { { "symmetric-multistep" } })
  runs:steps(10, 5, { { "radau" } })
  runs:tolerances { { "radau" }, { "ida-ggl" }, { "ida-index2" },
    { "post-stabilized", variant = "s-both2" }, { "coordinate-projection" }, { "half-explicit" },
    { "half-explicit", scheme = "phem56" }, { "cvode-projected" } }
  return vida.work_precision {
    system = double_spherical_pendulum(), time = time, norm = "end",
    reference = "auto", methods = runs.methods,
  }
end

-- The centre at the end, computed in quadruple precision: 1000 and 2000 steps agree in 28 digits.
local function top()
  local time = 0.5 -- s
  local system, body = heavy_top "quaternion"
  local centre = { ["top.x"] = -0.70246829705658558659, ["top.y"] = -0.021165184701923326581,
    ["top.z"] = -0.71140025765173440555 }
  local runs = precision(time, finest)
  runs:steps(100, 3, { { "del-midpoint" }, { "rattle" }, { "energy-momentum" },
    { "energy-momentum-livens" }, { "generalized-alpha" },
    { "generalized-alpha", projection = "velocity" } })
  runs:steps(50, 6, { { "compose", base = "rattle" }, { "spark-lobatto", stages = 3 } })
  runs:steps(50, 9, { { "spark-lobatto", stages = 4 } })
  runs:steps(50, 5, { { "radau" } })
  runs:tolerances { { "radau" }, { "ida-ggl" }, { "ida-index2" },
    { "post-stabilized", variant = "s-both2" }, { "coordinate-projection" }, { "half-explicit" },
    { "half-explicit", scheme = "phem56" }, { "cvode-projected" } }
  return vida.work_precision {
    system = system, time = time, norm = "end", coordinates = { body.centre },
    reference = { states = { { t = time, positions = centre } },
      name = "quadruple precision", error = 1e-15 },
    methods = runs.methods,
  }
end

return { pendulum(), top(), squeezer }
