-- Andrews' squeezing mechanism (parts/squeezer.lua), with fixed steps. At t = 0.03 s
-- beta = 15.81077119629904; tolerances are compared in squeezer_work_precision.lua.
--
-- The second comparison is table 6.4 of U. M. Ascher, H. Chin, L. R. Petzold and S. Reich,
-- "Stabilization of constrained mechanical systems with DAEs and invariant manifolds" (1995): how far
-- solutions drift off the constraints in 0.3 s, by the formulas of Dormand and Prince.

local vida = require "vida"
local squeezer = require "parts.squeezer"

local time = vida.setting { "time", 0.03, unit = "s", text = "simulated time" }
local long_time = vida.setting { "long_time", 0.3, unit = "s", text = "of the second comparison" }
local torque = vida.setting { "torque", 0.033, unit = "N m", text = "of the motor on the crank" }

local steps = { 1e-4, 5e-5, 2e-5, 1e-5 } -- s

local drifting = {
  { "baumgarte" }, -- no stabilization
  { "baumgarte", alpha1 = 12, alpha0 = 70 },
  { "baumgarte", alpha1 = 200, alpha0 = 10000 },
  { "post-stabilized", projection = "identity" }, -- s-both2
  { "post-stabilized", projection = "identity", decomposition = "stage" }, -- as printed
}
for _, method in ipairs(drifting) do
  method.h, method.rtol, method.atol = long_time / 300, 1e-5, 1e-6
end

return {
  vida.compare {
    system = squeezer(torque),
    time = time,
    reference = { "del-midpoint", h = 1e-6 },
    methods = {
      { "del-midpoint", h = steps },
      { "rattle", h = steps },
      { "del-endpoint", h = steps },
      { "energy-momentum", h = steps },
    },
  },
  vida.compare { system = squeezer(torque), time = long_time, methods = drifting },
}
