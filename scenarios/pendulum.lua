-- A pendulum in the plane, released from the horizontal: a point mass on a rod.
--
-- Positions, velocities and energy show what each method keeps and loses. The period is
-- 2.36784194757624 s; at t = 10 s the mass is at (0.2750874625761, -0.9614192050991) m.
-- Units: kg, m, s.

local vida = require "vida"

local time = vida.setting { "time", 10, unit = "s", text = "simulated time" }
local steps = { 1e-1, 5e-2, 2e-2, 1e-2, 1e-3 } -- s

local pendulum = vida.system { "pendulum", dimension = 2 }
pendulum:gravity { 0, -9.81 } -- m/s^2
local bob = pendulum:particle { "bob", mass = 1.0, position = { 1, 0 } } -- at rest
pendulum:distance { "rod", pendulum.ground, bob, length = 1.0 }

return vida.compare {
  system = pendulum,
  time = time,
  reference = { "energy-momentum", h = 1e-4 },
  methods = {
    { "del-midpoint", h = steps },
    { "del-endpoint", h = steps },
    { "rattle", h = steps },
    { "energy-momentum", h = steps },
  },
}
