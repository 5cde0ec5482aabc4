-- A wheelset on rails: the forces of creep at its two contacts depend on the forces that press them together.
--
-- Two conical wheels on an axle run along a straight track at 30 m/s, held by springs, and hunt from one
-- rail to the other: at this speed the motion straight ahead is not stable. From the test set for initial
-- value problems (CWI Amsterdam, later University of Bari; problem "Wheelset", index 2, dimension 17), with
-- its constants: B. Simeon, C. Fuehrer, P. Rentrop, "Introduction to differential-algebraic equations in
-- vehicle system dynamics", Surv. Math. Ind. 1 (1991) 1-37; creep by A. Jaschinski, DLR-FB 90-06 (1990).
-- Coordinates are the place x, y, z of the axle, the angles theta and phi, and the rate of "turn", the
-- change of the axle's rate of turning. Where a cone touches a rail, at the angle psi and the place xi along
-- the axle, is found from the condition that both normals are parallel: four rows for four coordinates
-- without mass. These rows bear no force, since the gap of a contact, the other row of each side, does not
-- depend on psi and xi to first order. The gaps have the multipliers of the set with the other sign, times
-- 10^4. The set writes the equations of rotation in a form that differs from Lagrange's by phi^2 / 2; the
-- forces below are those of the set.
-- The reference is the state of the set at t = 10 s, which DASSL has computed with tolerances of 1e-9;
-- solutions with tolerances of 1e-11 differ from it by 4e-9. Errors are in the mixed norm of the set: the
-- column of positions has its mescd, -log10 of the largest |q - reference| / (1 + |reference|). Flanges that
-- run onto the rails make motions of some milliseconds, which 2 ms between states resolve for the balance of
-- energy. Units: kg, m, s, rad.

local vida = require "vida"

local time = vida.setting { "time", 10, unit = "s", text = "simulated time" }

local mass, gravity, speed = 16.08, 9.81, 30
local inertia, across = 0.0605, 0.366 -- about the axle, and across it
local lever, stiffness = 0.19, 6400 -- of the springs
local friction = 0.12
local cone, radius, half = 0.0262, 0.1, 0.1506 -- angle of the wheels, nominal radius, half of the track
local rail_radius = 0.06
local omega = speed / radius

-- Of Hertz' and Kalker's theory: modulus of rigidity, Poisson's number, coefficients of the ellipse.
local rigidity, poisson, e_ellipse, g_ellipse = 7.92e10, 0.28, 1.3537956, 0.7115218
local c11, c22, c23 = 4.72772197, 4.27526987, 1.97203505

-- ---- geometry: of numbers, and of expressions ---------------------------------------------------

-- side: 1 on the left, -1 on the right. The place of the contact, and the rows of the side.
local function contact_of(side, q)
  local st, ct, sp, cp = vida.sin(q.theta), vida.cos(q.theta), vida.sin(q.phi), vida.cos(q.phi)
  local s, c = vida.sin(q.psi), vida.cos(q.psi)
  local slope = -side * math.tan(cone)
  local r = radius + math.tan(cone) * (half - side * q.xi)
  local x = q.x + q.xi * ct * cp + r * (ct * sp * c - st * s)
  local off = half + math.sin(cone) * rail_radius - side * x -- from the middle of the rail's head
  local depth = vida.sqrt(rail_radius ^ 2 - off ^ 2)
  local rail, rail_slope = depth - radius - math.cos(cone) * rail_radius, side * off / depth
  return {
    st = st, ct = ct, sp = sp, cp = cp, s = s, c = c, r = r, slope = slope,
    rail_slope = rail_slope, rail_bend = rail_radius ^ 2 / depth ^ 3,
    gap = rail - q.y - q.xi * sp + r * cp * c,
    normal = rail_slope * (slope * sp + cp * c) + slope * ct * cp - ct * sp * c + st * s,
    along = slope * st * cp - st * sp * c - ct * s,
  }
end

-- ---- creep --------------------------------------------------------------------------------------

-- The force of a contact in space, from the force that presses it together (with the sign of the set).
local function creep_of(side, q, v, at, pressed, tilt)
  local turn = q.theta / vida.cos(tilt)
  local st, ct, sd, cd = vida.sin(turn), vida.cos(turn), vida.sin(tilt), vida.cos(tilt)
  local spin = omega + v.turn
  local lift = q.xi * at.sp - at.r * at.cp * at.c
  -- velocity of the material of the wheel at the contact
  local wx = -spin * at.r * (st * at.c + ct * at.sp * at.s) + v.x
    - v.theta * (at.r * (st * at.sp * at.c + ct * at.s) + q.xi * st * at.cp) - v.phi * ct * lift
  local wy = spin * at.r * at.cp * at.s + v.y + v.phi * (q.xi * at.cp + at.r * at.sp * at.c)
  local wz = -spin * at.r * (ct * at.c - st * at.sp * at.s) + speed + v.z
    - v.theta * (q.xi * ct * at.cp + at.r * (ct * at.sp * at.c - st * at.s)) + v.phi * st * lift
  local rolling = 0.5 * vida.sqrt((wx - 2 * v.x) ^ 2 + (wy - 2 * v.y) ^ 2 + (wz - 2 * v.z - 2 * speed) ^ 2)
  local along = (st * wx + ct * wz) / rolling
  local sideways = (ct * cd * wx + side * sd * wy - st * cd * wz) / rolling
  local bore = (-side * sd * spin + cd * v.theta) / rolling
  -- Iterations begin without forces; the force that is added is rounding beside that of a wheel.
  local force = vida.sqrt(pressed ^ 2 + 1e-12)
  -- half-axes of the ellipse of contact
  local a = 0.5 / (at.r * vida.sqrt(1 + at.slope ^ 2))
  local b = 0.5 * at.rail_bend / (1 + at.rail_slope ^ 2) ^ 1.5
  local size = (3 * force * (1 - poisson) * e_ellipse
    / (2 * 3.1415926 * (a + b) * rigidity * math.sqrt(g_ellipse))) ^ (1 / 3)
  local most = friction * force
  local tx = -most * vida.tanh(rigidity * size ^ 2 * c11 * along / most)
  local ty = -most * vida.tanh(rigidity * size ^ 2 * (c22 * sideways + size * c23 * bore) / most)
  local excess = vida.max(1, vida.sqrt(tx ^ 2 + ty ^ 2) / most)
  tx, ty = tx / excess, ty / excess
  return vida.vector { st * tx + ct * cd * ty, side * sd * ty, ct * tx - st * cd * ty }
end

-- ---- the system ---------------------------------------------------------------------------------

local s = vida.system "wheelset"
local q, v, start = {}, {}, {
  x = 0.14941e-2, y = 0.40089e-6, z = 0.11241e-5, theta = -0.28573e-3, phi = 0.26459e-3, turn = 0,
}
for _, name in ipairs { "x", "y", "z", "theta", "phi", "turn" } do
  local unit = #name == 1 and "m" or "rad"
  q[name], v[name] = s:coordinate { name, unit = unit, value = start[name], rate = 0 }
end
s:kinetic(0.5 * mass * (v.x ^ 2 + v.y ^ 2 + v.z ^ 2) + 0.5 * across * (v.theta ^ 2 + v.phi ^ 2)
  + 0.5 * inertia * v.turn ^ 2)

local sides = {
  { name = "left", side = 1, psi = 7.5634406395172940e-6, xi = 0.1490635714733819 },
  { name = "right", side = -1, psi = -7.4122380357667139e-6, xi = -0.1521364296121248 },
}
for _, own in ipairs(sides) do
  local place = { x = q.x, y = q.y, theta = q.theta, phi = q.phi }
  place.psi = s:coordinate { "psi " .. own.name, unit = "rad", value = own.psi, rate = 0 }
  place.xi = s:coordinate { "xi " .. own.name, unit = "m", value = own.xi, rate = 0 }
  local at = contact_of(own.side, place)
  -- The start of the set has five digits, and its index 2 keeps the gap of 5e-10 m that they leave.
  start.psi, start.xi = own.psi, own.xi
  local left_open = contact_of(own.side, start).gap
  local row = s:constraint { own.name, at.gap - left_open, unit = "m" }
  s:constraint { own.name .. " normal", at.normal }
  s:constraint { own.name .. " along", at.along }
  own.place, own.at, own.force = place, at, -row.multiplier
  -- gradient of the gap
  own.gx = at.rail_slope
  own.gtheta = at.rail_slope * (at.r * (-at.ct * at.s - at.c * at.sp * at.st) - at.cp * at.st * place.xi)
  own.gphi = -at.c * at.r * at.sp - at.cp * place.xi
    + at.rail_slope * (at.cp * at.c * at.ct * at.r - at.ct * at.sp * place.xi)
  local w = -own.side * ((at.slope * at.cp - at.sp * at.c) * at.ct + at.s * at.st)
  own.tilt = vida.atan(w / (at.slope * at.sp + at.c * at.cp))
end

-- The forces that press the contacts together: with both, they cause the forces of the gaps along x and y.
local left, right = sides[1], sides[2]
local fx = left.gx * left.force + right.gx * right.force
local fy = -left.force - right.force
local sl, cl, sr, cr = vida.sin(left.tilt), vida.cos(left.tilt), vida.sin(right.tilt), vida.cos(right.tilt)
local scale = -sl * cr - sr * cl
left.pressed, right.pressed = (cr * fx - sr * fy) / scale, (-cl * fx - sl * fy) / scale

local force = { x = -2 * stiffness * q.x, y = -mass * gravity, z = -2 * stiffness * q.z }
local st, ct, sp, cp = left.at.st, left.at.ct, left.at.sp, left.at.cp
local spring = -2 * lever ^ 2 * stiffness * q.theta
local spin = omega + v.turn
local turn_theta = across * v.theta * v.phi * sp - inertia * spin * v.phi
  - (inertia - across) * v.theta * v.phi * sp + cp * spring
local turn_phi = inertia * spin * v.theta * cp + (inertia - across) * v.theta ^ 2 * sp * cp
local turn_axle = -inertia * v.theta * v.phi * cp + sp * spring
local moment = 0 -- of the gaps, about theta
for _, own in ipairs(sides) do
  local at, xi = own.at, own.place.xi
  local t = creep_of(own.side, own.place, v, at, own.pressed, own.tilt)
  force.x, force.y, force.z = force.x + t.x, force.y + t.y, force.z + t.z
  local rs, rc = at.r * at.s, at.r * at.c
  turn_theta = turn_theta - (xi * st + rs * ct * cp) * t.x - rs * sp * t.y + (rs * st * cp - xi * ct) * t.z
  turn_phi = turn_phi + (rc * ct * cp - xi * ct * sp) * t.x + (xi * cp + rc * sp) * t.y
    + (xi * st * sp - rc * st * cp) * t.z
  turn_axle = turn_axle - (rc * st + rs * ct * sp) * t.x + rs * cp * t.y - (rc * ct - rs * st * sp) * t.z
  moment = moment + own.gtheta * own.force
end
-- The set's equation of theta is that of its row divided by cos(phi), with the moment of the gaps; and its
-- equation of "turn" has the acceleration of theta.
local acceleration = (turn_theta + moment) / (across * cp)
force.theta = across * acceleration - moment
force.phi = turn_phi
force.turn = turn_axle - inertia * sp * acceleration
for _, name in ipairs { "x", "y", "z", "theta", "phi", "turn" } do
  s:force(q[name], force[name])
end

return vida.compare {
  system = s,
  time = time,
  norm = "mixed",
  coordinates = { q.x, q.y, q.z, q.theta, q.phi }, -- the set has no angle "turn"
  reference = time == 10 and {
    name = "DASSL", error = 4e-9, states = { { t = 10,
      positions = {
        x = 0.86355386965811e-2, y = 0.13038281022727e-4, z = -0.93635784016818e-4,
        theta = -0.13642299804033e-1, phi = 0.15292895005422e-2,
      },
      velocities = {
        x = -0.76985374142666e-1, y = -0.25151106429207e-3, z = 0.20541188079539e-2,
        theta = -0.23904837703692, phi = -0.13633468454173e-1, turn = -0.24421377661131,
      },
      multipliers = {
        left = 101.24044903201, right = 56.285630573753,
        ["left normal"] = 0, ["left along"] = 0, ["right normal"] = 0, ["right along"] = 0,
      },
    } },
  } or { "radau", rtol = 1e-11, h = time },
  methods = {
    { "ida-index2", rtol = { 1e-5, 1e-7 }, h = 2e-3 },
    { "ida-ggl", rtol = { 1e-5, 1e-7 }, h = 2e-3 },
    { "radau", rtol = 1e-5, h = 2e-3 },
    { "rattle", h = { 2e-3, 1e-3 } },
    { "del-midpoint", h = { 2e-3, 1e-3 } },
  },
}
