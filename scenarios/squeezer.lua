-- Andrews' squeezing mechanism (parts/squeezer.lua), with fixed steps. At t = 0.03 s
-- beta = 15.8107711962904; tolerances are compared in squeezer_work_precision.lua.

local vida = require "vida"
local squeezer = require "parts.squeezer"

local time = vida.setting { "time", 0.03, unit = "s", text = "simulated time" }
local torque = vida.setting { "torque", 0.033, unit = "N m", text = "of the motor on the crank" }

local steps = { 1e-4, 5e-5, 2e-5, 1e-5 } -- s

return vida.compare {
  system = squeezer(torque),
  time = time,
  reference = { "del-midpoint", h = 1e-6 },
  methods = {
    { "del-midpoint", h = steps },
    { "rattle", h = steps },
    { "del-endpoint", h = steps },
    { "energy-momentum", h = steps },
  },
}
