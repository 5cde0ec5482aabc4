-- Four particles: two rigid bars joined by two stiff nonlinear springs, free in space.
--
-- O. Gonzalez, "Mechanical systems subject to holonomic constraints: differential-algebraic
-- formulations and conservative integration", Physica D 132 (1999) 165-174, section 4.
-- V = K/4 (|d|^2 - 1)^2 for each spring. Units: kg, m, s.
--
-- The scenario returns two comparisons:
-- 1. ten seconds with a step of 0.01 s. With --out DIR, the trajectory of energy-momentum in DIR/1
--    is figure 2 of the paper (the motion) and figure 3 (the velocity constraints, which this
--    method does not enforce: they oscillate about zero). energy-momentum-projected and
--    energy-momentum-ggl enforce them, too, and keep the same invariants; average-vector-field and
--    itoh-abe keep the energy with other discrete derivatives, but not the angular momentum (itoh-abe
--    not the linear one, either);
-- 2. the relative error of the fourth particle's position at t = 0.1 s over the step: figure 4,
--    a line of slope 2.

local vida = require "vida"

local time = vida.setting { "time", 10, unit = "s", text = "time of the first comparison" }

local system = vida.system "four particles"
local p1 = system:particle { "p1", mass = 1.0, position = { 0, 0, 0 } }
local p2 = system:particle { "p2", mass = 3.0, position = { 1, 0, 0 } }
local p3 = system:particle { "p3", mass = 2.3, position = { 0, 1, 0 } }
local p4 = system:particle { "p4",
  mass = 1.7,
  position = { 1, 1, 0 },
  velocity = { 0, 0, 2 / 1.7 }, -- its momentum is (0, 0, 2) kg m/s, the others are at rest
}
system:distance { "first bar", p1, p2, length = 1.0 }
system:distance { "second bar", p3, p4, length = 1.0 }
system:spring { "soft spring", p1, p3, stiffness = 100, length = 1.0, law = "squared" } -- N/m^3
system:spring { "hard spring", p2, p4, stiffness = 1000, length = 1.0, law = "squared" }

local motion = vida.compare {
  system = system,
  time = time,
  reference = { "energy-momentum", h = 1e-4 },
  methods = {
    { "energy-momentum", h = 1e-2 },
    { "energy-momentum-projected", h = 1e-2 },
    { "energy-momentum-ggl", h = 1e-2 },
    { "average-vector-field", h = 1e-2 },
    { "itoh-abe", h = 1e-2 },
    { "del-midpoint", h = 1e-2 },
    { "del-endpoint", h = 1e-2 },
    { "rattle", h = 1e-2 },
  },
}

local steps = { 1e-2, 5e-3, 2e-3, 1e-3, 5e-4, 2e-4, 1e-4 } -- s

local convergence = vida.compare {
  system = system,
  time = 0.1,
  norm = "end",
  relative = true,
  coordinates = { p4 },
  reference = { "energy-momentum", h = 1e-5 },
  methods = {
    { "energy-momentum", h = steps },
    { "energy-momentum-projected", h = steps },
    { "energy-momentum-ggl", h = steps },
    { "average-vector-field", h = steps },
    { "itoh-abe", h = steps },
    { "del-midpoint", h = steps },
    { "del-endpoint", h = steps },
    { "rattle", h = steps },
  },
}

return { motion, convergence }
