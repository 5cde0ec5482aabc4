-- Rigid bodies in every form that there is, side by side: unit quaternions held by a constraint
-- (del-midpoint, rattle), the Lie group integrator that needs none (lgvi), and directors, three
-- orthonormal vectors whose mass matrix is constant, so that energy-momentum takes them.
--
-- First a body of moments 1, 2, 3 that turns freely, then a heavy top whose point is fixed: a body
-- about that point, in the potential of its weight. Without a potential the three quaternion methods
-- make the same steps (discrete Moser-Veselov equations), at different costs; with one they differ in
-- where they take its torque: in the middle of a step, or half of it at each end. Units: kg, m, s.

local vida = require "vida"

local time = vida.setting { "time", 10, unit = "s", text = "simulated time" }
local spin = vida.setting { "spin", 8, unit = "rad/s", text = "rate of the top about its axis" }

local steps = { 4e-2, 2e-2, 1e-2, 5e-3 } -- s

local function free_body(form)
  local system = vida.system("free body as " .. form)
  system:body { "body",
    as = form, mass = 1, inertia = { 1, 2, 3 }, -- kg m^2
    position = { 0, 0, 0 }, velocity = { 0.1, 0.2, -0.1 }, body_rates = { 0.3, 1, 0.2 }, -- rad/s
  }
  return system
end

-- Moments about the fixed point, weight m g l, and the quaternion, scalar first, from body to space.
local top = vida.system "heavy top"
local inertia, weight, tilt = { 1.2, 1.2, 0.4 }, 3, 0.6 -- kg m^2, N m, rad
local rates = { 0.2, 0.3, spin } -- in the body
local start = { math.cos(tilt / 2), math.sin(tilt / 2), 0, 0 }
local start_rate = vida.quaternion_product(start, { 0, rates[1] / 2, rates[2] / 2, rates[3] / 2 })
local q, v = {}, {}
for i, name in ipairs { "q.s", "q.x", "q.y", "q.z" } do
  q[i], v[i] = top:coordinate { name, value = start[i], rate = start_rate[i] }
end
local half = vida.quaternion_product({ q[1], -q[2], -q[3], -q[4] }, v)
local momentum, kinetic = {}, 0
for i = 1, 3 do
  local omega = 2 * half[i + 1]
  momentum[i] = inertia[i] * omega
  kinetic = kinetic + inertia[i] / 2 * omega ^ 2
end
top:kinetic { "rotation", kinetic }
top:potential { "weight", weight * (1 - 2 * (q[2] ^ 2 + q[3] ^ 2)) } -- height of the centre
top:constraint { "unit length", vida.dot(q, q) - 1 }
top:momentum { "L about the vertical", vida.rotate(q, momentum)[3], unit = "kg m^2/s" }
top:momentum { "L about the axis", momentum[3], unit = "kg m^2/s" }

local quaternion_methods = {
  { "del-midpoint", h = steps }, { "rattle", h = steps }, { "lgvi", h = steps },
}

return {
  vida.compare {
    system = free_body "quaternion", time = time, reference = { "lgvi", h = 2e-4 },
    methods = quaternion_methods,
  },
  vida.compare {
    system = free_body "directors", time = time, reference = { "rattle", h = 5e-4 },
    methods = { { "energy-momentum", h = steps }, { "rattle", h = steps } },
  },
  vida.compare {
    system = top, time = time, reference = { "lgvi", h = 2e-4 }, methods = quaternion_methods,
  },
}
