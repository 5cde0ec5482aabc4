-- A clutch engages a flywheel, and is released where the wheel is fast enough.
--
-- The motor turns a shaft against a spring of torsion; the clutch is a constraint that an event engages. Its
-- impulse keeps the angular momentum and takes the energy I1 I2 / (I1 + I2) (w1 - w2)^2 / 2 (column "work").
-- A second event releases it. Between events the methods make their own steps. Units: kg, m, s.

local vida = require "vida"

local engaged = vida.setting { "engaged", 0.5, unit = "s", text = "time at which the clutch engages" }
local inertia = { 0.4, 0.9 }

local s = vida.system { "clutch", dimension = 2 }
local shaft, w1 = s:coordinate { "shaft", unit = "rad", value = 0, rate = 12 }
local wheel, w2 = s:coordinate { "wheel", unit = "rad", value = 0 }
s:kinetic(0.5 * inertia[1] * w1 ^ 2 + 0.5 * inertia[2] * w2 ^ 2)
s:potential { "torsion", 5 * (1 - vida.cos(shaft)) }
s:coupling { "clutch", shaft - wheel, unit = "rad" }
s:event { "engage", s.time - engaged, engage = "clutch" }
s:event { "release", wheel - 6, direction = "rising", release = "clutch" }
s:observe { "slip", w1 - w2, unit = "rad/s" }

return vida.compare {
  system = s, time = 4, reference = { "radau", rtol = 1e-12, h = 0.05 },
  methods = {
    { "rattle", h = { 0.02, 0.01, 0.005 } },
    { "del-midpoint", h = { 0.02, 0.01, 0.005 } },
    { "energy-momentum", h = { 0.02, 0.01, 0.005 } },
    { "radau", h = 0.05 },
    { "ida-ggl", rtol = { 1e-6, 1e-8 }, h = 0.05 },
  },
}
