-- Methods that choose their steps, with the automatic reference.
local vida = require "vida"
local system = vida.system { "double pendulum", dimension = 3 }
system:gravity { 0, 0, -9.81 }
local upper = system:particle { "upper", mass = 1, position = { 1, 0, 0 } }
local lower = system:particle { "lower", mass = 1, position = { 1, 1, 0 } }
system:distance { "upper rod", system.ground, upper, length = 1 }
system:distance { "lower rod", upper, lower, length = 1 }
local rtol = { 1e-4, 1e-6, 1e-8 }
return vida.compare { system = system, time = 4, reference = "auto", jobs = 2, methods = {
  { "ida-ggl", rtol = rtol },
  { "ida-index2", rtol = rtol },
  { "post-stabilized", rtol = rtol },
  { "radau", rtol = rtol },
  { "half-explicit", rtol = rtol },
  { "baumgarte", rtol = 1e-6 },
} }
