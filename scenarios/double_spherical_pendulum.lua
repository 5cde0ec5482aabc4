-- The double spherical pendulum: two point masses on two rods, in space.
--
-- J. M. Wendlandt and J. E. Marsden, "Mechanical integrators derived from a discrete variational
-- principle", Physica D 106 (1997) 223-246, section 5.2. The runs of del-midpoint (there: DVP) and
-- energy-momentum (there: EM) give the rows of its Table 2; rattle and del-endpoint are shown
-- beside them; scenarios/figure 000-7 ... 000-12 draws its figures. Units: kg, m, s.

local vida = require "vida"

local time = vida.setting { "time", 30, unit = "s", text = "simulated time" }

local pendulum = vida.system "double spherical pendulum"
pendulum:gravity { 0, 0, -9.81 } -- m/s^2

-- The paper gives x and y. The heights and vertical velocities follow from the rods, with both
-- masses hanging: -1 asks for the solution below.
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

return vida.compare {
  system = pendulum,
  time = time,
  reference = { "energy-momentum", h = 1e-4 },
  methods = {
    -- As in the paper: started from two points, the second one of them the reference's, and the
    -- energy taken in the middle of each step.
    { "del-midpoint", h = { 1e-1, 1e-2, 1e-3, 1e-4 }, start = "two-point", energy = "midpoint" },
    { "energy-momentum", h = { 1e-1, 1e-2, 1e-3, 1e-4 } },
    { "rattle", h = { 1e-1, 1e-2, 1e-3 } },
    { "del-endpoint", h = { 1e-1, 1e-2, 1e-3 } },
  },
}
