-- A pendulum that swings against an elastic stop.
--
-- A rod hangs from a hinge that has a stop where it points straight down: `limit` of the joint. Released
-- from the angle a to the side, it hits the stop after a quarter of its period and then after every half of
-- it, 2 K(sin(a / 2)) / n, with the complete elliptic integral K and n^2 = m g l / I, and keeps its energy.
-- A method of second order has an error of second order in the times of impacts, also after many of them;
-- energy-momentum keeps the energy to rounding, and rattle lets it oscillate between impacts without drift.
-- The second comparison goes on for 1000 impacts, or more: --set impacts=10000. Units: kg, m, s, rad.

local vida = require "vida"

local angle = vida.setting { "angle", 1.2, unit = "rad", text = "angle at the start" }
local impacts = vida.setting { "impacts", 1000, text = "number of impacts of the long motion" }

local mass, length, g = 1.5, 1, 9.81
local inertia = mass * length ^ 2 / 12
local n = math.sqrt(mass * g * length / 2 / (inertia + mass * length ^ 2 / 4))

-- K by the arithmetic-geometric mean.
local function elliptic(k)
  local x, y = 1, math.sqrt(1 - k ^ 2)
  for _ = 1, 8 do -- it has all digits after five of them
    x, y = (x + y) / 2, math.sqrt(x * y)
  end
  return math.pi / (2 * x)
end
local quarter = elliptic(math.sin(angle / 2)) / n -- s: 0.432 s for 1.2 rad

local function new_pendulum(name)
  local s = vida.system { name, dimension = 2 }
  s:gravity { 0, -g }
  local rod = s:body { "rod", mass = mass, inertia = inertia, angle = angle,
    position = { length / 2 * math.sin(angle), -length / 2 * math.cos(angle) } }
  s:revolute { "hinge", s.ground, rod, at = { 0, 0 }, limit = { 0, math.huge }, restitution = 1 }
  s:draw { "rod", rod:point { 0, length / 2 }, rod:point { 0, -length / 2 }, style = "body" }
  return s
end

return {
  vida.compare {
    system = new_pendulum "pendulum with a stop", time = 20 * quarter, end_step = "shorten",
    reference = { "radau", rtol = 1e-12, h = 0.05 },
    methods = {
      { "rattle", h = { 0.02, 0.01, 0.005 } },
      { "del-midpoint", h = { 0.02, 0.01, 0.005 } },
      { "energy-momentum", h = { 0.02, 0.01, 0.005 } },
      { "radau", h = { 0.05, 0.02 } },
      { "cvode-projected", rtol = { 1e-6, 1e-8 }, h = 0.05 },
      { "ida-ggl", rtol = { 1e-6, 1e-8 }, h = 0.05 },
    },
  },
  vida.compare {
    system = new_pendulum "pendulum with a stop, long", time = 2 * impacts * quarter, end_step = "shorten",
    methods = {
      { "rattle", h = 0.02 },
      { "energy-momentum", h = 0.02 },
    },
  },
}
