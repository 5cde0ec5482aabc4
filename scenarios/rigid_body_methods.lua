-- Rigid bodies in every form that there is, side by side: unit quaternions held by a constraint
-- (del-midpoint, rattle), unit quaternions that need none (lgvi, simo-wong), and directors, orthonormal
-- vectors fixed to the body, whose mass matrix is constant (energy-momentum and others).
--
-- First a body of moments 1, 2, 2.5 that turns freely, then a heavy top whose point is fixed. Without a
-- potential the three symplectic methods on quaternions make the same steps at different costs, those of
-- the discrete Moser-Veselov equations, which happen to keep the energy. With one they differ in where they
-- take its torque, keep the momentum and let the energy oscillate; simo-wong and energy-momentum keep both.
-- Units: kg, m, s.

local vida = require "vida"

local time = vida.setting { "time", 10, unit = "s", text = "simulated time" }
local spin = vida.setting { "spin", 8, unit = "rad/s", text = "rate of the top about its axis" }

local steps = { 4e-2, 2e-2, 1e-2, 5e-3 } -- s

-- ---- a free body --------------------------------------------------------------------------------

local function free_body(form)
  local system = vida.system("free body as " .. form)
  system:body { "body",
    as = form, mass = 1, inertia = { 1, 2, 2.5 }, -- kg m^2
    position = { 0, 0, 0 }, velocity = { 0.1, 0.2, -0.1 }, body_rates = { 0.3, 1, 0.2 }, -- rad/s
  }
  return system
end

-- ---- a heavy top --------------------------------------------------------------------------------

local mass, arm, gravity = 1, 0.3, 10 -- kg, m from the fixed point to the centre, m/s^2
local inertia = { 1.2, 1.2, 0.4 } -- kg m^2, about the fixed point
local tilt = 0.6 -- rad, about x
local rates = { 0.2, 0.3, spin } -- rad/s, in the body

-- The quaternion, scalar first, from body to space: a body about the fixed point, in the potential of its
-- weight. The angular velocity in the body is the vector part of 2 conj(q) * dq/dt.
local function quaternion_top()
  local top = vida.system "heavy top as quaternion"
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
  local up = 1 - 2 * (q[2] ^ 2 + q[3] ^ 2) -- of the axis
  top:kinetic { "rotation", kinetic }
  top:potential { "weight", mass * gravity * arm * up }
  top:constraint { "unit length", vida.dot(q, q) - 1 }
  top:momentum { "L about the vertical", vida.rotate(q, momentum)[3], unit = "kg m^2/s" }
  top:draw { "axis", { 0, 0, 0 }, vida.rotate(q, { 0, 0, 2 * arm }), style = "body" }
  return top
end

-- The same with its centre and three directors, and a ball joint; moments about the centre. The momentum is
-- that of the directors' masses: m c x c' + sum of (tr J/2 - J_i) d_i x d_i'.
local function director_top()
  local top = vida.system "heavy top as directors"
  local centre = { 0, -arm * math.sin(tilt), arm * math.cos(tilt) }
  local turn = { rates[1], rates[2] * math.cos(tilt) - rates[3] * math.sin(tilt),
    rates[2] * math.sin(tilt) + rates[3] * math.cos(tilt) } -- in space
  local about_centre = { inertia[1] - mass * arm ^ 2, inertia[2] - mass * arm ^ 2, inertia[3] }
  local body = top:body { "top",
    as = "directors", mass = mass, orientation = { axis = { 1, 0, 0 }, angle = tilt },
    inertia = about_centre, position = centre, velocity = vida.cross(turn, centre), body_rates = rates,
  }
  top:gravity { 0, 0, -gravity }
  top:ball { "point", top.ground, body, at = { 0, 0, 0 } }
  local momentum = mass * vida.cross(body.position, body.velocity)
  local half_trace = (about_centre[1] + about_centre[2] + about_centre[3]) / 2
  for i, axis in ipairs { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } } do
    local tip = body:point(axis)
    momentum = momentum + (half_trace - about_centre[i])
      * vida.cross(tip.position - body.position, tip.velocity - body.velocity)
  end
  top:momentum { "L about the vertical", momentum[3], unit = "kg m^2/s" }
  return top
end

-- ---- the runs -----------------------------------------------------------------------------------

local quaternion_methods = {
  { "del-midpoint", h = steps }, { "rattle", h = steps }, { "lgvi", h = steps },
  { "simo-wong", h = steps },
}
local director_methods = {
  { "del-midpoint", h = steps }, { "rattle", h = steps }, { "energy-momentum", h = steps },
  { "energy-momentum-projected", h = steps },
}
local reference = { "compose", base = "rattle", scheme = "kahan-li6", h = 5e-3 }

return {
  vida.compare {
    system = free_body "quaternion", time = time, reference = reference, methods = quaternion_methods,
  },
  vida.compare {
    system = free_body "directors", time = time, reference = reference, methods = director_methods,
  },
  vida.compare {
    system = quaternion_top(), time = time, reference = reference, methods = quaternion_methods,
  },
  vida.compare {
    system = director_top(), time = time, reference = reference, methods = director_methods,
  },
}
