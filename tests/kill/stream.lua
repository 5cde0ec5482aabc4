-- A sweep whose rows are not kept, with a reference for each start.
-- arguments: --set stream=on
local vida = require "vida"
local system = vida.system { "pendulum", dimension = 2 }
system:gravity { 0, -9.81 }
local bob = system:particle { "bob", mass = 1, position = { 1, 0 } }
system:distance { "rod", system.ground, bob, length = 1 }
return vida.sweep { system = system, time = 1, cloud = { count = 4000, spread = 0.2 },
  reference = { "rattle", h = 0.01 },
  methods = { { "rattle", h = 0.02 }, { "energy-momentum", h = 0.02 } } }
