-- One pendulum in all the formulations that are in use: the underlying ODE without and with Baumgarte's
-- terms, stabilized, corrected or projected after each step, in independent coordinates, and as
-- differential-algebraic equations of index 3 to 1, for IDA, for Radau IIA and for the methods of
-- multibody codes.
--
-- All have the same right solution: the period is 2.36784194757624 s; at t = 10 s the mass is at
-- (0.2750874625761, -0.9614192050991) m. What differs is what they lose: constraint_position is the
-- stretch of the rod, constraint_velocity the speed along it, energy_error the rest.
-- Units: kg, m, s.

local vida = require "vida"

local time = vida.setting { "time", 10, unit = "s", text = "simulated time" }

local pendulum = vida.system { "pendulum", dimension = 2 }
pendulum:gravity { 0, -9.81 } -- m/s^2
local bob = pendulum:particle { "bob", mass = 1.0, position = { 1, 0 } } -- at rest
pendulum:distance { "rod", pendulum.ground, bob, length = 1.0 }

-- At fixed steps, all with the same explicit table.
local explicit = {
  { "baumgarte" }, -- no stabilization: index 1
  { "baumgarte", alpha1 = 12, alpha0 = 70 },
  { "baumgarte", gamma_h = 1 },
  { "stabilized-ode", projection = "full" },
  { "stabilized-ode", projection = "triangular" },
  { "stabilized-ode", projection = "mass" },
  { "post-stabilized", variant = "s-full" },
  { "post-stabilized", variant = "s-both" },
  { "post-stabilized", variant = "s-both2" },
  { "post-stabilized", variant = "s-vel" },
  { "post-stabilized", variant = "s-pos" },
  { "coordinate-projection", level = "position" },
  { "coordinate-projection", level = "velocity" },
  { "coordinate-projection" },
  { "coordinate-partitioning" },
  { "coordinate-partitioning", coordinates = "pivoting" },
}
-- At fixed steps of their own.
local implicit = {
  { "hht" },
  { "hht", projection = "velocity" },
  { "generalized-alpha" },
  { "generalized-alpha", projection = "velocity" },
  { "radau" },
}
-- Steps chosen by the method.
local adaptive = {
  { "baumgarte" },
  { "baumgarte", integrator = "adams" },
  { "baumgarte", integrator = "bdf" },
  { "stabilized-ode", integrator = "bdf" },
  { "post-stabilized" },
  { "post-stabilized", integrator = "fehlberg" },
  { "coordinate-projection" },
  { "coordinate-partitioning" },
  { "cvode-projected" },
  { "ida-index1" },
  { "ida-projected" },
  { "ida-index2" },
  { "ida-ggl" },
  { "radau" },
}

local methods = { { "rattle", h = 1e-2 }, { "energy-momentum", h = 1e-2 } }
for _, method in ipairs(explicit) do
  method.integrator, method.h = "rk4", 1e-2
  methods[#methods + 1] = method
end
for _, method in ipairs(implicit) do
  method.h = 1e-2
  methods[#methods + 1] = method
end
methods[#methods + 1] = { "ida-index3", rtol = { 1e-4, 1e-6 } }
methods[#methods + 1] = { "ida-index3", rtol = 1e-8, raw = true, max_steps = 5000 } -- which fails
for _, method in ipairs(adaptive) do
  method.rtol = { 1e-4, 1e-6, 1e-8 }
  methods[#methods + 1] = method
end

return vida.compare {
  system = pendulum,
  time = time,
  reference = { "spark-lobatto", h = 5e-3, stages = 4 },
  methods = methods,
}
