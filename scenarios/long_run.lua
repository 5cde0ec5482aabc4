-- The energy over a long time: a double pendulum in space that swings for 1000 s, by four
-- structure-preserving methods with fixed steps and by four DAE and ODE solvers for a tolerance.
--
-- The energy of symplectic methods oscillates and does not drift. Energy-momentum methods keep it to
-- rounding. With solvers that control only the local error of their steps, its error grows with time.
-- Step and tolerance are chosen for runs that cost about the same. `scenarios/figure long-run` draws the
-- picture of README.md from this scenario. Units: kg, m, s.

local vida = require "vida"

local time = vida.setting { "time", 1000, unit = "s", text = "simulated time" }
local h = vida.setting { "h", 0.05, unit = "s", text = "step of the structure-preserving methods" }
local rtol = vida.setting { "rtol", 1e-5, text = "tolerance of the DAE and ODE solvers" }

-- Small swings: of large ones the motion is chaotic, and a chaotic energy error wanders.
local pendulum = vida.system "swinging double pendulum"
pendulum:gravity { 0, 0, -9.81 } -- m/s^2
local upper = pendulum:particle { "upper",
  mass = 2.0,
  position = { 0.5, 0.1, vida.free(-1) },
  velocity = { 0.0, 0.3, vida.free() },
}
local lower = pendulum:particle { "lower",
  mass = 3.5,
  position = { 1.1, 0.0, vida.free(-1) },
  velocity = { 0.0, 0.6, vida.free() },
}
pendulum:distance { "upper rod", pendulum.ground, upper, length = 4.0 }
pendulum:distance { "lower rod", upper, lower, length = 3.0 }

return vida.compare {
  system = pendulum,
  time = time,
  methods = {
    { "rattle", h = h },
    { "del-midpoint", h = h },
    { "spark-lobatto", stages = 3, h = h },
    { "energy-momentum", h = h },
    { "ida-index2", rtol = rtol },
    { "ida-ggl", rtol = rtol },
    { "radau", rtol = rtol },
    { "post-stabilized", rtol = rtol },
  },
}
