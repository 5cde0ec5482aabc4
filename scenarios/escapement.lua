-- Huygens' clock: a pendulum on a cycloid, which an escapement keeps swinging.
--
-- On a cycloid, x = a (u + sin u), y = -a (1 + cos u), the place s = 4 a sin(u / 2) along the track obeys
-- s'' = -g / (4 a) s exactly: the period does not depend on the amplitude (C. Huygens, "Horologium
-- oscillatorium", 1673). A force -c s' along the track brakes the bob, and each time it passes the lowest
-- point, "tick" to the right and "tock" to the left, the escapement adds the speed dv. With
-- delta = c / (2 m) and w = sqrt(g / (4 a) - delta^2)
--   ticks and tocks are pi / w = 1 s apart, from the first on, whatever the amplitude;
--   the speed after a kick tends to dv / (1 - exp(-pi delta / w)): the limit cycle, from inside and outside;
--   the k-th speed is v_k = dv + exp(-pi delta / w) v_(k-1).
-- The observable "limit" is the energy over that of the limit cycle after a kick; on the limit cycle it falls
-- from 1 to exp(-2 pi delta / w) between kicks, and each kick returns what the brake has taken. The column
-- "work" has the energy from the escapement minus that lost to the brake. Units: kg, m, s, rad.

local vida = require "vida"

local kick = vida.setting { "kick", 0.04, unit = "m/s", text = "speed that the escapement adds" }
local start = vida.setting { "start", 0.2, unit = "rad", text = "u at the start" }
local time = vida.setting { "time", 40, unit = "s", text = "simulated time" }

local mass, g, damping = 0.5, 9.81, 0.1 -- kg, m/s^2, N s/m
local delta, w = damping / (2 * mass), math.pi
local a = g / (4 * (w ^ 2 + delta ^ 2)) -- m: a tick or a tock in each second
local shrink = math.exp(-math.pi * delta / w)
local limit = kick / (1 - shrink) -- speed after a kick, on the limit cycle

local s = vida.system { "escapement", dimension = 2 }
s:gravity { 0, -g }
local bob = s:particle { "bob", mass = mass,
  position = { a * (start + math.sin(start)), -a * (1 + math.cos(start)) } }
local u, rate = s:point_on_curve { "cycloid", s.ground, bob, parameter = start,
  curve = function(p) return { a * (p + vida.sin(p)), -a * (1 + vida.cos(p)) } end }
s:rayleigh(0.5 * damping * vida.dot(bob.velocity, bob.velocity))
for _, pallet in ipairs { { "tick", 1 }, { "tock", -1 } } do
  local name, side = table.unpack(pallet)
  s:event { name, bob.x, direction = side > 0 and "rising" or "falling",
    set = { { bob.vx, bob.vx + side * kick }, { rate, rate + side * kick / (2 * a) } } }
end
local place = 4 * a * vida.sin(0.5 * u)
local speed = 2 * a * vida.cos(0.5 * u) * rate
s:observe { "amplitude", vida.sqrt(place ^ 2 + (speed / w + delta / w * place) ^ 2), unit = "m" }
s:observe { "limit", (speed ^ 2 + (delta ^ 2 + w ^ 2) * place ^ 2) / limit ^ 2 }

-- In closed form: s = e^(-delta t) (A cos(w t) + B sin(w t)) from one kick to the next.
local first = math.atan(w, -delta) / w -- falls from rest to the first tock
local function exact(t)
  local place0, speed0, since = 4 * a * math.sin(start / 2), 0, t
  local zero = first
  local sign = place0 > 0 and -1 or 1
  while since > zero do
    -- speed at the zero: the envelope at the phase of a zero
    local c, d = math.cos(w * zero), math.sin(w * zero)
    local b = (speed0 + delta * place0) / w
    local decay = math.exp(-delta * zero)
    speed0 = decay * ((b * w - delta * place0) * c - (place0 * w + delta * b) * d) + sign * kick
    place0, since, zero, sign = 0, since - zero, math.pi / w, -sign
  end
  local b = (speed0 + delta * place0) / w
  local at = math.exp(-delta * since) * (place0 * math.cos(w * since) + b * math.sin(w * since))
  local now = 2 * math.asin(at / (4 * a))
  return { positions = {
    bob = { a * (now + math.sin(now)), -a * (1 + math.cos(now)) }, ["cycloid.s"] = now,
  } }
end

return vida.compare {
  system = s, time = time,
  reference = { exact = exact, name = "closed form", error = 1e-14 },
  methods = {
    { "rattle", h = { 0.02, 0.01, 0.005 } },
    { "del-midpoint", h = { 0.02, 0.01, 0.005 } },
    { "radau", h = { 0.1, 0.05 } },
    { "post-stabilized", rtol = { 1e-6, 1e-9 }, h = 0.05 },
    { "ida-ggl", rtol = { 1e-6, 1e-8 }, h = 0.05 },
  },
}
