-- arguments: --report --drift
local vida = require "vida"
local top = vida.system { "bodies", dimension = 3 }
top:gravity { 0, 0, -9.81 }
local body = top:body { "top", mass = 1, inertia = { 0.004, 0.004, 0.002 }, position = { 0.1, 0, 0 },
  body_rates = { 0, 0, 5 } }
top:ball { "joint", top.ground, body, at = { 0, 0, 0 } }
return vida.compare { system = top, time = 3, reference = { "rattle", h = 1e-3 }, methods = {
  { "rattle", h = { 0.02, 0.01 } },
  { "rattlie", h = { 0.02, 0.01 } },
  { "del-midpoint", h = 0.01 },
  { "energy-momentum-ggl", h = 0.01 },
} }
