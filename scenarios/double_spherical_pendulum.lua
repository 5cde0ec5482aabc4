-- The double spherical pendulum: two point masses on two rods, in space.
--
-- J. M. Wendlandt and J. E. Marsden, "Mechanical integrators derived from a discrete variational
-- principle", Physica D 106 (1997) 223-246, section 5.2. The runs of del-midpoint (there: DVP) and
-- energy-momentum (there: EM) give the rows of its Table 2; rattle and del-endpoint are shown
-- beside them; scenarios/figure 000-7 ... 000-12 draws its figures. Units: kg, m, s.

local vida = require "vida"
local double_spherical_pendulum = require "parts.double_spherical_pendulum"

local time = vida.setting { "time", 30, unit = "s", text = "simulated time" }

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
  },
}
