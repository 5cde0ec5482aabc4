-- Trajectories in HDF5.
-- arguments: --format hdf5
local vida = require "vida"
local swing = vida.system { "swing", dimension = 2 }
swing:gravity { 0, -9.81 }
local seat = swing:particle { "seat", mass = 30, position = { 2, vida.free(-1) } }
local toy = swing:particle { "toy", mass = 0.5, position = { 2.3, -2 } }
swing:distance { "chain", swing.ground, seat, length = 2.5 }
swing:spring { "rubber band", seat, toy, stiffness = 40, length = 0.3 }
local methods = {
  { "rattle", h = { 0.02, 0.01, 0.001 } },
  { "energy-momentum", h = { 0.02, 0.01 } },
  { "del-midpoint", h = { 1, 0.01 } },
  { "radau", h = 0.01 },
}
return {
  vida.compare { system = swing, time = 5, reference = { "rattle", h = 1e-4 }, methods = methods },
  vida.drift { system = swing, time = 20, methods = { { "rattle", h = { 0.02, 0.01 } } } },
}
