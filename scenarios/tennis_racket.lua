-- The tennis racket: a body that turns about its middle axis and flips over again and again.
--
-- Moments of inertia 1, 2, 3 kg m^2, and a rate of 1 rad/s about the second axis with 0.01 rad/s
-- about the first: Euler's equations have a solution in Jacobi's elliptic functions, whose period
-- is 41.509219529338 s; in between, at 20.754609764669 s, the body turns the other way round, while
-- its angular momentum stays where it is in space. Units: kg, m, s.

local vida = require "vida"

local time = vida.setting { "time", 42, unit = "s", text = "simulated time" }
local disturbance = vida.setting { "disturbance", 0.01, unit = "rad/s",
  text = "rate about the first axis" }

local inertia = { 1, 2, 3 } -- kg m^2
local rates = { disturbance, 1, 0 } -- in the body, rad/s

local racket = vida.system "tennis racket"

-- A unit quaternion, scalar first, from body to space; its rate is q * (0, rates) / 2.
local start = { 1, 0, 0, 0 }
local start_rate = { 0, rates[1] / 2, rates[2] / 2, rates[3] / 2 }
local q, v = {}, {}
for i, name in ipairs { "q.s", "q.x", "q.y", "q.z" } do
  q[i], v[i] = racket:coordinate { name, value = start[i], rate = start_rate[i] }
end

-- The angular velocity in the body: the vector part of 2 conj(q) * dq/dt.
local half = vida.quaternion_product({ q[1], -q[2], -q[3], -q[4] }, v)
local momentum, kinetic = {}, 0
for i = 1, 3 do
  local omega = 2 * half[i + 1]
  momentum[i] = inertia[i] * omega
  kinetic = kinetic + inertia[i] / 2 * omega ^ 2
end

racket:lagrangian { "rotation", kinetic }
racket:constraint { "unit length", vida.dot(q, q) - 1 }
racket:momentum { "L", vida.rotate(q, momentum), unit = "kg m^2/s" } -- in space

local steps = { 0.1, 0.05, 0.02, 0.01 } -- s

return vida.compare {
  system = racket,
  time = time,
  reference = { "del-midpoint", h = 1e-3 },
  methods = {
    { "del-midpoint", h = steps },
    { "rattle", h = steps },
  },
}
