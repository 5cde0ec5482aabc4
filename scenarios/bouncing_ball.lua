-- A ball bounces on a small moon, and every method finds the impacts with steps of its own.
--
-- The moon is a sphere of radius R that attracts like a point, and the ground is an event: where |r| - R
-- falls through zero, the velocity v becomes v - (1 + e) (v n) n with n = r / |r|. Between impacts each
-- method makes the steps that it would make anyway; to an impact it makes a shorter step, and it goes on
-- from there to the next node. So a method keeps across impacts what it keeps between them: the energy
-- balance, whose work is that of the impacts, and the angular momentum, since impacts on a smooth ground are
-- radial. The column of event times shows the order of each method. Without a sideways velocity, the first
-- impact is at the end of a radial fall from r0,
--   t = sqrt(r0^3 / (2 mu)) (acos(sqrt x) + sqrt(x (1 - x))),  x = R / r0.
-- Units: kg, m, s.

local vida = require "vida"

local restitution = vida.setting { "restitution", 0.8, text = "speed after an impact over that before" }
local sideways = vida.setting { "sideways", 2, unit = "m/s", text = "velocity along the ground" }

local radius, height, gravity, mass = 1000, 200, 0.5, 3
local mu = gravity * radius ^ 2

local s = vida.system { "bouncing ball", dimension = 2 }
local ball = s:particle { "ball", mass = mass, position = { 0, radius + height }, velocity = { sideways, 0 } }
local distance = vida.norm(ball.position)
s:potential { "attraction", -mass * mu / distance }
local upwards = vida.dot(ball.position, ball.velocity) / distance
local change = (1 + restitution) * upwards / distance
s:event { "impact", distance - radius, direction = "falling", set = {
  { ball.vx, ball.vx - change * ball.x },
  { ball.vy, ball.vy - change * ball.y },
} }
s:event { "top", upwards, direction = "falling" }
s:observe { "height", distance - radius, unit = "m" }

return vida.compare {
  system = s, time = 220, reference = { "radau", rtol = 1e-12, h = 10 },
  methods = {
    { "rattle", h = { 4, 2, 1 } },
    { "verlet", h = { 4, 2, 1 } },
    { "energy-momentum", h = { 4, 2, 1 } },
    { "radau", h = { 20, 10 } },
    { "ida-ggl", rtol = { 1e-5, 1e-7 }, h = 4 },
  },
}
