-- A planet on an ellipse of eccentricity 0.6 around a fixed sun: the two-body problem with all
-- constants 1, so that a revolution takes 2 pi.
--
-- From the perihelion (1 - e, 0) with velocity (0, sqrt((1 + e) / (1 - e))); energy -1/2, angular
-- momentum sqrt(1 - e^2). Kepler's equation gives the place at any time; at t = 100 and e = 0.6 it
-- is (-0.104183204434, -0.694741715568). All methods keep the angular momentum; the energy of
-- symplectic ones oscillates, and that of energy-momentum does not change.

local vida = require "vida"

local time = vida.setting { "time", 100, text = "simulated time" }
local e = vida.setting { "eccentricity", 0.6, text = "of the ellipse, from 0 to below 1" }

local kepler = vida.system { "Kepler", dimension = 2 }
local planet = kepler:particle { "planet",
  mass = 1,
  position = { 1 - e, 0 },
  velocity = { 0, math.sqrt((1 + e) / (1 - e)) },
}
kepler:potential { "gravity of the sun", -1 / vida.norm { planet.x, planet.y } }

kepler:draw { "sun", { 0, 0 } }

local steps = { 5e-2, 2e-2, 1e-2 }

return vida.compare {
  system = kepler,
  time = time,
  reference = { "del-endpoint", h = 1e-4 },
  methods = {
    { "del-midpoint", h = steps },
    { "del-endpoint", h = steps },
    { "rattle", h = steps },
    { "energy-momentum", h = steps },
  },
}
