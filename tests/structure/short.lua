-- A very short comparison for the memory checker: all kinds of terms.
local vida = require "vida"

local system = vida.system "short"
system:gravity { 0, 0, -9.81 }
local upper = system:particle {
  "upper", mass = 2.0,
  position = { 2.820, 0.025, vida.free(-1) },
  velocity = { 3.381, 2.506, vida.free() },
}
local lower = system:particle {
  "lower", mass = 3.5,
  position = { 5.085, 0.105, vida.free(-1) },
  velocity = { 2.497, 10.495, vida.free() },
}
system:distance { "upper rod", system.ground, upper, length = 4.0 }
system:distance { "lower rod", upper, lower, length = 3.0 }
system:spring { "spring", system.ground, lower, stiffness = 10.0, length = 1.0 }

return vida.compare {
  system = system,
  time = 0.1,
  reference = { "energy-momentum", h = 0.005 },
  methods = {
    { "del-midpoint", h = 0.01 },
    { "rattle", h = 0.01 },
    { "energy-momentum", h = 0.01 },
  },
}
