-- A bob falls into a rope and swings on it.
--
-- The rope is slack until the bob has fallen through its length, jerks taut without a rebound, which
-- takes the velocity along it, and carries the bob from there on as a rod would. Where the rope would
-- push it becomes slack again. Released at the distance d to the side of the upper end, the bob falls
-- for sqrt(2 sqrt(l^2 - d^2) / g). Units: kg, m, s.

local vida = require "vida"

local beside = vida.setting { "beside", 0.8, unit = "m", text = "distance from the upper end at the start" }
local height = vida.setting { "height", 0.9, unit = "m", text = "height above the upper end at the start" }
local length = 1

local s = vida.system { "slack rope", dimension = 2 }
s:gravity { 0, -9.81 }
local bob = s:particle { "bob", mass = 0.4, position = { beside, height - 1 }, velocity = { 1.5, 3 } }
s:rope { "rope", { 0, 0 }, bob, length = length, restitution = 0 }
s:observe { "distance", vida.norm(bob.position), unit = "m" }

return vida.compare {
  system = s, time = 3, reference = { "radau", rtol = 1e-12, h = 0.02 },
  methods = {
    { "rattle", h = { 0.02, 0.01, 0.005 } },
    { "del-midpoint", h = { 0.02, 0.01, 0.005 } },
    { "energy-momentum", h = { 0.02, 0.01, 0.005 } },
    { "post-stabilized", rtol = { 1e-6, 1e-8 }, h = 0.02 },
    { "ida-ggl", rtol = { 1e-6, 1e-8 }, h = 0.02 },
  },
}
