-- The tennis racket: a body that turns about its middle axis and flips over again and again.
--
-- Moments of inertia 1, 2, 3 kg m^2, and a rate of 1 rad/s about the second axis with 0.01 rad/s
-- about the first: Euler's equations have a solution in Jacobi's elliptic functions, whose period
-- is 41.509219529338 s; in between, at 20.754609764669 s, the body turns the other way round, while
-- its angular momentum stays where it is in space.
-- The body is one of the library's: its centre, which rests, and a quaternion or directors.
-- (rigid_body.lua writes the Lagrangian of a quaternion by hand.) Units: kg, m, s.

local vida = require "vida"

local time = vida.setting { "time", 42, unit = "s", text = "simulated time" }
local disturbance = vida.setting { "disturbance", 0.01, unit = "rad/s",
  text = "rate about the first axis" }

local function racket(form)
  local system = vida.system("tennis racket as " .. form)
  system:body { "racket",
    as = form, mass = 1, inertia = { 1, 2, 3 }, -- kg, kg m^2
    position = { 0, 0, 0 }, body_rates = { disturbance, 1, 0 }, -- m, rad/s
  }
  return system
end

local steps = { 0.1, 0.05, 0.02, 0.01 } -- s
local reference = { "compose", base = "rattle", scheme = "kahan-li6", h = 1e-2 }

return {
  vida.compare {
    system = racket "quaternion", time = time, reference = reference,
    methods = {
      { "del-midpoint", h = steps }, { "rattle", h = steps },
      { "lgvi", h = steps }, { "simo-wong", h = steps }, { "rattlie", h = steps },
    },
  },
  vida.compare {
    system = racket "directors", time = time, reference = reference,
    methods = { { "energy-momentum", h = steps }, { "rattle", h = steps } },
  },
}
