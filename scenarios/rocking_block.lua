-- A slender block rocks on its edges (Housner 1963).
--
-- It pivots on one edge, which sticks, until the other one hits the ground; this impact is inelastic,
-- and the first edge lifts off. With the half-diagonal R and the slenderness a, each impact multiplies
-- the rate by 1 - 3/2 sin(a)^2, and for small angles the quarter of a period from the tilt theta is
--   acosh(1 / (1 - theta / a)) / p,  p^2 = 3 g / (4 R).
-- Edges that stick are nonholonomic rows here, so that methods without those refuse the motion. Units:
-- kg, m, s.

local vida = require "vida"

local tilt = vida.setting { "tilt", 0.05, unit = "rad", text = "angle at the start" }
local half, slenderness, mass, g = 1, 0.1, 500, 9.81
local b, h = half * math.sin(slenderness), half * math.cos(slenderness)

local s = vida.system { "rocking block", dimension = 2 }
local _, vx = s:coordinate { "x", unit = "m", value = -b + b * math.cos(tilt) - h * math.sin(tilt) }
local y, vy = s:coordinate { "y", unit = "m", value = b * math.sin(tilt) + h * math.cos(tilt) }
local angle, spin = s:coordinate { "angle", unit = "rad", value = tilt }
s:kinetic(0.5 * mass * (vx ^ 2 + vy ^ 2) + mass * half ^ 2 / 6 * spin ^ 2)
s:potential(mass * g * y)
local c, n = vida.cos(angle), vida.sin(angle)
for _, edge in ipairs { { "left", -b }, { "right", b } } do
  local name, side = table.unpack(edge)
  s:contact { name, gap = y + n * side - c * h, restitution = 0, friction = 5,
    slip = { vx - spin * (n * side - c * h) } }
end

return vida.compare {
  system = s, time = 4, reference = { "radau", rtol = 1e-12, h = 0.02 },
  methods = {
    { "del-nonholonomic", h = { 0.02, 0.01, 0.005 } },
    { "radau", h = { 0.02, 0.01 } },
    { "post-stabilized", rtol = { 1e-6, 1e-8 }, h = 0.02 },
    { "ida-ggl", rtol = { 1e-6, 1e-8 }, h = 0.02 },
  },
}
