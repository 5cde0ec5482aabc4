-- Newton's cradle: balls that touch exchange their velocities exactly.
--
-- Pendulums of equal masses hang side by side, and the first one is released. An impact runs through
-- the balls as a wave: contacts are hit one after the other, the fastest first, so that the last ball
-- leaves with the velocity of the first one, and the others stay. With restitution 1 each method keeps
-- across impacts what it keeps between them; rattle and energy-momentum differ in their times only by
-- the error of a pendulum. Units: kg, m, s.

local vida = require "vida"

local count = vida.setting { "balls", 5, text = "number of balls" }
local restitution = vida.setting { "restitution", 1, text = "speed after an impact over that before" }
local length, diameter, angle = 1, 0.1, 0.5

local s = vida.system { "cradle", dimension = 2 }
s:gravity { 0, -9.81 }
local balls = {}
for i = 1, count do
  local x = i * diameter
  local tilt = i == 1 and -angle or 0
  balls[i] = s:particle { "ball " .. i, mass = 0.3,
    position = { x + length * math.sin(tilt), -length * math.cos(tilt) } }
  s:distance { "string " .. i, s:anchor { x, 0 }, balls[i], length = length }
end
for i = 1, count - 1 do
  s:contact { "pair " .. i, gap = balls[i + 1].x - balls[i].x - diameter, restitution = restitution }
end
s:observe { "last", balls[count].x, unit = "m" }

return vida.compare {
  system = s, time = 6, reference = { "radau", rtol = 1e-12, h = 0.05 },
  methods = {
    { "rattle", h = { 0.02, 0.01, 0.005 } },
    { "del-midpoint", h = { 0.02, 0.01, 0.005 } },
    { "energy-momentum", h = { 0.02, 0.01, 0.005 } },
    { "post-stabilized", rtol = { 1e-6, 1e-8 }, h = 0.05 },
    { "ida-ggl", rtol = { 1e-6, 1e-8 }, h = 0.05 },
  },
}
