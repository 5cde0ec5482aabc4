-- Methods of high order: what accuracy costs, by steps and by order.
--
-- galerkin-gauss (order twice its stages) goes round Kepler's ellipse of eccentricity 0.6, where
-- the place at t = 100 is known from Kepler's equation: (-0.104183204434, -0.694741715568).
-- spark-lobatto (L. O. Jay, "Symplectic partitioned Runge-Kutta methods for constrained Hamiltonian
-- systems", SIAM J. Numer. Anal. 33 (1996) 368-387; order twice its stages less two) swings the
-- double spherical pendulum of J. M. Wendlandt and J. E. Marsden (1997), section 5.2. Beside them
-- stand the methods of second order that they begin with: del-midpoint has one stage of the former,
-- rattle two of the latter, and symmetric-multistep (P. Console, E. Hairer and C. Lubich, "Symmetric
-- multistep methods for constrained Hamiltonian systems", Numer. Math. 124 (2013) 517-539), which
-- solves the equations of SHAKE in every order. energy-collocation (order twice its stages) keeps the
-- energy exactly instead of the symplectic form. Compare errors of runs whose steps times time per step
-- are alike.

local vida = require "vida"
local double_spherical_pendulum = require "parts.double_spherical_pendulum"

local time = vida.setting { "time", 30, text = "simulated time" }

local e = 0.6
local kepler = vida.system { "Kepler", dimension = 2 }
local planet = kepler:particle { "planet",
  mass = 1,
  position = { 1 - e, 0 },
  velocity = { 0, math.sqrt((1 + e) / (1 - e)) },
}
kepler:potential { "gravity of the sun", -1 / vida.norm { planet.x, planet.y } }

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
    system = double_spherical_pendulum(),
    time = time,
    reference = { "spark-lobatto", h = 2e-3, stages = 4 },
    methods = {
      { "rattle", h = { 1e-2, 1e-3, 1e-4 } },
      { "spark-lobatto", h = { 1e-1, 1e-2, 1e-3 }, stages = 2 },
      { "spark-lobatto", h = { 1e-1, 5e-2, 1e-2 }, stages = 3 },
      { "spark-lobatto", h = { 1e-1, 5e-2, 1e-2 }, stages = 4 },
      { "energy-collocation", h = { 1e-1, 5e-2, 1e-2 }, stages = 2 },
      { "energy-collocation", h = { 1e-1, 5e-2, 1e-2 }, stages = 3 },
      { "symmetric-multistep", h = { 1e-2, 5e-3 }, order = 4 },
      { "symmetric-multistep", h = { 1e-2, 5e-3 }, order = 6 },
      { "symmetric-multistep", h = { 2e-2, 1e-2, 5e-3 }, order = 8 },
    },
  },
}
