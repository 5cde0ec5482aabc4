-- Methods of high order: what accuracy costs, by steps and by order.
--
-- galerkin-gauss (order twice its stages) goes round Kepler's ellipse of eccentricity 0.6, where
-- the place at t = 100 is known from Kepler's equation: (-0.104183204434, -0.694741715568).
-- spark-lobatto (L. O. Jay, "Symplectic partitioned Runge-Kutta methods for constrained Hamiltonian
-- systems", SIAM J. Numer. Anal. 33 (1996) 368-387; order twice its stages less two) swings the
-- double spherical pendulum of J. M. Wendlandt and J. E. Marsden (1997), section 5.2. Beside them
-- stand the methods of second order that they begin with: del-midpoint has one stage of the former,
-- rattle two of the latter. Compare errors of runs whose steps times time per step are alike.

local vida = require "vida"

local time = vida.setting { "time", 30, text = "simulated time" }

local e = 0.6
local kepler = vida.system { "Kepler", dimension = 2 }
local planet = kepler:particle { "planet",
  mass = 1,
  position = { 1 - e, 0 },
  velocity = { 0, math.sqrt((1 + e) / (1 - e)) },
}
kepler:potential { "gravity of the sun", -1 / vida.norm { planet.x, planet.y } }

local pendulum = vida.system "double spherical pendulum"
pendulum:gravity { 0, 0, -9.81 } -- m/s^2
local upper = pendulum:particle { "upper",
  mass = 2.0,
  position = { 2.820, 0.025, vida.free(-1) },
  velocity = { 3.381, 2.506, vida.free() },
}
local lower = pendulum:particle { "lower",
  mass = 3.5,
  position = { 5.085, 0.105, vida.free(-1) },
  velocity = { 2.497, 10.495, vida.free() },
}
pendulum:distance { "upper rod", pendulum.ground, upper, length = 4.0 }
pendulum:distance { "lower rod", upper, lower, length = 3.0 }

return {
  vida.compare {
    system = kepler,
    time = time,
    reference = { "galerkin-gauss", h = 5e-3, stages = 4 },
    methods = {
      { "del-midpoint", h = { 1e-2, 1e-3, 1e-4 } },
      { "galerkin-gauss", h = { 2e-1, 5e-2, 1e-2 }, stages = 2 },
      { "galerkin-gauss", h = { 2e-1, 1e-1, 5e-2 }, stages = 3 },
      { "galerkin-gauss", h = { 2e-1, 1e-1, 5e-2 }, stages = 4 },
    },
  },
  vida.compare {
    system = pendulum,
    time = time,
    reference = { "spark-lobatto", h = 2e-3, stages = 4 },
    methods = {
      { "rattle", h = { 1e-2, 1e-3, 1e-4 } },
      { "spark-lobatto", h = { 1e-1, 1e-2, 1e-3 }, stages = 2 },
      { "spark-lobatto", h = { 1e-1, 5e-2, 1e-2 }, stages = 3 },
      { "spark-lobatto", h = { 1e-1, 5e-2, 1e-2 }, stages = 4 },
    },
  },
}
