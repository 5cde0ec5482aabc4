-- Many starts, in lanes and in parallel.
-- arguments: --trajectories
local vida = require "vida"
local system = vida.system { "pendulum", dimension = 2 }
system:gravity { 0, -9.81 }
local bob = system:particle { "bob", mass = 1, position = { 1, 0 } }
system:distance { "rod", system.ground, bob, length = 1 }
return vida.sweep { system = system, time = 5, jobs = 2, cloud = { count = 60, spread = 0.2 },
  methods = { { "rattle", h = 0.01 }, { "energy-momentum", h = 0.01 }, { "ida-ggl", rtol = 1e-6 } } }
