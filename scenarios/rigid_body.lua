-- A rigid body turning freely, described by a unit quaternion.
--
-- J. M. Wendlandt and J. E. Marsden, "Mechanical integrators derived from a discrete variational
-- principle", Physica D 106 (1997) 223-246, section 5.1: the Lagrangian of its eq. 5.3 on all of
-- R^4, and the constraint |q|^2 = 1. Nothing here knows that q is a rotation. Along q itself there
-- is no kinetic energy, so that the mass matrix is singular and only the constraint makes the
-- motion unique.
-- The runs of del-midpoint are those of its Table 1, with its errors of the quaternion, the energy
-- and the angular momentum, which are those of the two points that it starts from: the method keeps
-- both. Units: kg, m, s.

local vida = require "vida"

local time = vida.setting { "time", 30, unit = "s", text = "simulated time" }

local inertia = { 1, 2, 3 } -- principal moments, kg m^2
local rates = { 0, 3, 4 } -- angular velocity in the body at the start, rad/s

local body = vida.system "rigid body"

-- The quaternion, scalar first, from body to space. At the start it is 1, and its rate is
-- q * (0, rates) / 2.
local start = { 1, 0, 0, 0 }
local start_rate = { 0, rates[1] / 2, rates[2] / 2, rates[3] / 2 }
local q, v = {}, {}
for i, name in ipairs { "q.s", "q.x", "q.y", "q.z" } do
  q[i], v[i] = body:coordinate { name, value = start[i], rate = start_rate[i] }
end

-- The angular velocity in the body: the vector part of 2 conj(q) * dq/dt.
local half = vida.quaternion_product({ q[1], -q[2], -q[3], -q[4] }, v)
local momentum, kinetic = {}, 0
for i = 1, 3 do
  local omega = 2 * half[i + 1]
  momentum[i] = inertia[i] * omega
  kinetic = kinetic + inertia[i] / 2 * omega ^ 2
end

body:lagrangian { "rotation", kinetic }
body:constraint { "unit length", vida.dot(q, q) - 1 }
body:momentum { "L", vida.rotate(q, momentum), unit = "kg m^2/s" } -- in space

-- What there is to see: a line along each principal axis, longer where there is more mass.
for i, name in ipairs { "first axis", "second axis", "third axis" } do
  local sum = inertia[1] + inertia[2] + inertia[3]
  local tip = { 0, 0, 0 }
  tip[i] = math.sqrt(math.max(sum - 2 * inertia[i], 1))
  local place = vida.rotate(q, tip)
  body:draw { name, { 0, 0, 0 }, { place[1], place[2], place[3] }, style = "body" }
end

local steps = { 1e-1, 1e-2, 1e-3 } -- s

return vida.compare {
  system = body,
  time = time,
  reference = { "del-midpoint", h = 5e-5 },
  methods = {
    -- As in the paper: started from two points, and the energy taken in the middle of each step.
    { "del-midpoint", h = steps, start = "two-point", energy = "midpoint" },
    { "rattle", h = steps },
  },
}
