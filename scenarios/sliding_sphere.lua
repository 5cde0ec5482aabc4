-- A sphere is thrown without spin: it slides, and begins to roll at 5/7 of its speed.
--
-- While it slides, friction mu N slows it down and turns it; from t = 2 v / (7 mu g) on it rolls, at
-- the speed 5 v / 7. The normal force N is a multiplier, on which the force of friction depends. The
-- time at which sliding ends is an event, at which the row of the slip velocity becomes a constraint.
-- Against the bumper it bounces, and slides again until it rolls back. Units: kg, m, s.

local vida = require "vida"

local friction = vida.setting { "friction", 0.2, text = "Coulomb's coefficient of the floor" }
local speed = vida.setting { "speed", 3, unit = "m/s", text = "initial speed" }
local bumper = vida.setting { "bumper", 3, unit = "m", text = "position of the bumper" }
local mass, radius, g = 0.6, 0.1, 9.81

local s = vida.system { "sliding sphere", dimension = 2 }
local x, vx = s:coordinate { "x", unit = "m", value = 0, rate = speed }
local y, vy = s:coordinate { "y", unit = "m", value = radius }
local _, spin = s:coordinate { "angle", unit = "rad", value = 0 }
s:kinetic(0.5 * mass * (vx ^ 2 + vy ^ 2) + 0.2 * mass * radius ^ 2 * spin ^ 2)
s:potential(mass * g * y)
s:contact { "floor", gap = y - radius, restitution = 0, friction = friction, slip = { vx + radius * spin } }
s:stop { "bumper", x, most = bumper, restitution = 0.8 }
s:observe { "slip", vx + radius * spin, unit = "m/s" }

return vida.compare {
  system = s, time = 3, reference = { "radau", rtol = 1e-12, h = 0.05 },
  methods = {
    { "rattle", h = 0.02 },
    { "del-midpoint", h = 0.02 },
    { "radau", h = 0.02 },
    { "post-stabilized", rtol = 1e-8, h = 0.05 },
    { "ida-ggl", rtol = { 1e-6, 1e-8 }, h = 0.05 },
  },
}
