-- What drifts and what only oscillates: a long run of a double pendulum in space that swings
-- regularly, by methods that keep a structure and by methods that keep an error small.
--
-- vida.drift fits straight lines to the energy, to the error of the momenta and to the violation of
-- the constraints over all steps, with 95 % confidence intervals from the means of long blocks:
-- single steps follow each other too closely for the scatter to say anything. What is left beside a
-- line is told as an oscillation of its own. Structure-preserving methods have no slope that
-- differs from zero, however large their oscillation; of the others the slope grows into an error
-- of any size if the run is long enough. Beside them, over the first 50 steps: how far each method
-- is from keeping the symplectic form and from running backwards. Units: kg, m, s.

local vida = require "vida"

local time = vida.setting { "time", 200, unit = "s", text = "simulated time" }
local h = vida.setting { "h", 0.02, unit = "s", text = "step of all methods that have one" }

local pendulum = vida.system "swinging double pendulum"
pendulum:gravity { 0, 0, -9.81 } -- m/s^2

-- Small swings: of large ones the motion is chaotic, and a chaotic energy error wanders.
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

return vida.drift {
  system = pendulum,
  time = time,
  symplectic = true,
  reversibility = true,
  methods = {
    { "rattle", h = h },
    { "del-midpoint", h = h },
    { "energy-momentum", h = h },
    { "spark-lobatto", stages = 3, h = h },
    { "coordinate-projection", integrator = "rk4", h = h },
    { "baumgarte", integrator = "rk4", h = h },
    { "baumgarte", integrator = "rk4", gamma = 5, h = h }, -- 1/s
    { "hht", h = h },
    { "ida-ggl", rtol = 1e-6 },
    { "ida-index1", rtol = 1e-6 },
  },
}
