-- The double spherical pendulum: two point masses on two rods, in space.
--
-- J. M. Wendlandt and J. E. Marsden, "Mechanical integrators derived from a discrete variational
-- principle", Physica D 106 (1997) 223-246, section 5.2. The runs of del-midpoint (there: DVP) and
-- energy-momentum (there: EM) give the rows of its Table 2; rattle and del-endpoint are shown
-- beside them; scenarios/figure 000-7 ... 000-12 draws its figures. Units: kg, m, s.

local vida = require "vida"
local double_spherical_pendulum = require "parts.double_spherical_pendulum"

local time = vida.setting { "time", 30, unit = "s", text = "simulated time" }

-- DAE and ODE solvers choose their own steps. With these tolerances a run takes about as long as
-- one of the structure-preserving methods with h between 0.01 and 0.001 s. Raw index 3 needs much
-- smaller tolerances than the other formulations for the same error: its velocities and multipliers
-- carry the error of the positions divided by the step and by its square. Baumgarte's method with
-- rtol = 1e-4 lets the rods grow by centimetres.
local tolerances = { 1e-4, 1e-6, 1e-8 }

return vida.compare {
  system = double_spherical_pendulum(),
  time = time,
  reference = { "energy-momentum", h = 1e-4 },
  methods = {
    -- As in the paper: started from two points, the second one of them the reference's, and the
    -- energy taken in the middle of each step.
    { "del-midpoint", h = { 1e-1, 1e-2, 1e-3, 1e-4 }, start = "two-point", energy = "midpoint" },
    { "energy-momentum", h = { 1e-1, 1e-2, 1e-3, 1e-4 } },
    { "rattle", h = { 1e-1, 1e-2, 1e-3 } },
    { "del-endpoint", h = { 1e-1, 1e-2, 1e-3 } },
    { "ida-index3", rtol = tolerances },
    { "ida-index2", rtol = tolerances },
    { "ida-ggl", rtol = tolerances },
    { "baumgarte", rtol = { 1e-5, 1e-6, 1e-8 } },
    { "post-stabilized", rtol = tolerances },
  },
}
