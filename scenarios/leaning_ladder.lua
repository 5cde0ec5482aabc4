-- A ladder slides down a smooth wall and a smooth floor, and leaves the wall.
--
-- The top of a uniform ladder leaves the wall where it has fallen to two thirds of its height: there
-- the force of the wall, a multiplier, falls through zero. The event "two thirds" has the same time as
-- the release of the contact. A ladder of 4 m from rest at 60 degrees leaves the wall after 0.650061 s.
-- Units: kg, m, s.

local vida = require "vida"

local degrees = vida.setting { "angle", 60, text = "angle with the floor at the start, degrees" }
local length, mass, g = 4, 12, 9.81
local start = math.rad(degrees)

local s = vida.system { "leaning ladder", dimension = 2 }
local x, vx = s:coordinate { "x", unit = "m", value = 0.5 * length * math.cos(start) }
local y, vy = s:coordinate { "y", unit = "m", value = 0.5 * length * math.sin(start) }
local angle, spin = s:coordinate { "angle", unit = "rad", value = start }
s:kinetic(0.5 * mass * (vx ^ 2 + vy ^ 2) + mass * length ^ 2 / 24 * spin ^ 2)
s:potential(mass * g * y)
s:contact { "floor", gap = y - 0.5 * length * vida.sin(angle), restitution = 0 }
s:contact { "wall", gap = x - 0.5 * length * vida.cos(angle), restitution = 0 }
local top = y + 0.5 * length * vida.sin(angle)
s:event { "two thirds", top - 2 / 3 * length * math.sin(start), direction = "falling" }
s:observe { "top", top, unit = "m" }

return vida.compare {
  system = s, time = 0.8, reference = { "radau", rtol = 1e-12, h = 0.05 },
  methods = {
    { "rattle", h = { 0.02, 0.01, 0.005 } },
    { "del-midpoint", h = { 0.02, 0.01, 0.005 } },
    { "energy-momentum", h = { 0.02, 0.01, 0.005 } },
    { "radau", h = { 0.05, 0.02 } },
    { "ida-ggl", rtol = { 1e-6, 1e-8 }, h = 0.05 },
  },
}
