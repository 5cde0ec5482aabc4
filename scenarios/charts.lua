-- Constraints or coordinates? The same steps twice: del-midpoint keeps the rods by forces, del-chart
-- works in angles of the user's choice and has no constraints to keep.
--
-- J. M. Wendlandt and J. E. Marsden, "Mechanical integrators derived from a discrete variational
-- principle", Physica D 106 (1997) 223-246, Theorem 1: with the discrete Lagrangian of the ambient
-- coordinates, eq. 4.12 (generalized coordinates) has the solutions of eq. 4.6 (multipliers). So all
-- columns agree but those of cost. The angles are polar ones, about the vertical: at a rod that hangs
-- straight down, the azimuth means nothing, and del-chart would end there. Units: kg, m, s, rad.

local vida = require "vida"
local double_spherical_pendulum = require "parts.double_spherical_pendulum"

local time = vida.setting { "time", 10, unit = "s", text = "simulated time" }

local pendulum, upper, lower = double_spherical_pendulum()

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
