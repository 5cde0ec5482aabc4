-- Constraints or coordinates? The same steps twice: del-midpoint keeps the rods by forces, del-chart
-- works in angles of the user's choice and has no constraints to keep.
--
-- J. M. Wendlandt and J. E. Marsden, "Mechanical integrators derived from a discrete variational
-- principle", Physica D 106 (1997) 223-246, Theorem 1: with the discrete Lagrangian of the ambient
-- coordinates, eq. 4.12 (generalized coordinates) has the solutions of eq. 4.6 (multipliers). So all
-- columns agree but those of cost. The angles are polar ones, about the vertical: at a rod that hangs
-- straight down, the azimuth means nothing, and del-chart would end there. Units: kg, m, s, rad.

local vida = require "vida"

local time = vida.setting { "time", 10, unit = "s", text = "simulated time" }

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

-- The end of a rod that begins at `from`: theta from the downward vertical, phi about it.
local function along(from, length, theta, phi)
  local out = length * vida.sin(theta)
  return {
    from[1] + out * vida.cos(phi),
    from[2] + out * vida.sin(phi),
    from[3] - length * vida.cos(theta),
  }
end

pendulum:chart {
  -- `near`: about where the rods are at the start, to say which of the angles that fit are meant.
  coordinates = {
    { "theta1", near = 0.8 }, { "phi1", near = 0 }, { "theta2", near = 0.8 }, { "phi2", near = 0 },
  },
  embedding = function(theta1, phi1, theta2, phi2)
    local x1 = along({ 0, 0, 0 }, 4.0, theta1, phi1)
    return { [upper] = x1, [lower] = along(x1, 3.0, theta2, phi2) }
  end,
}

return vida.compare {
  system = pendulum,
  time = time,
  reference = { "del-midpoint", h = 1e-4 },
  methods = {
    { "del-midpoint", h = { 1e-1, 1e-2, 1e-3 } },
    { "del-chart", h = { 1e-1, 1e-2, 1e-3 } },
  },
}
