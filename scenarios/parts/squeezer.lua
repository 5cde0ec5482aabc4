-- Andrews' squeezing mechanism: seven bodies in the plane, six loop constraints, one degree of
-- freedom, driven by a motor.
--
-- E. Hairer and G. Wanner, "Solving Ordinary Differential Equations II", section VII.7, and the test
-- set for initial value problems of the University of Bari (problem "Andrews' squeezing mechanism"),
-- whose letters are kept. Here only the geometry is written down: the place of each body's centre,
-- and its angle. The mass matrix, the gyroscopic forces and the constraint Jacobian, which are long
-- in the books, come from it.
-- The crank O-F turns 2.5 times in 0.03 s; then beta = 15.81077119629904. Units: kg, m, s, rad.

local vida = require "vida"

-- torque: of the motor on the crank, in N m (0.033 in the test set)
return function(torque)
  local squeezer = vida.system { "squeezer", dimension = 2 }

  -- Angles at the start, at rest; they close the loops with theta = 0.
  local function angle(name, value)
    return squeezer:coordinate { name, unit = "rad", value = value, rate = 0 }
  end
  local beta, beta_rate = angle("beta", -0.0617138900142764496358948458001)
  local theta, theta_rate = angle("theta", 0)
  local gamma, gamma_rate = angle("gamma", 0.455279819163070380255912382449)
  local phi, phi_rate = angle("phi", 0.222668390165885884674473185609)
  local delta, delta_rate = angle("delta", 0.487364979543842550225598953530)
  local omega, omega_rate = angle("omega", -0.222668390165885884674473185609)
  local epsilon, epsilon_rate = angle("epsilon", 1.23054744454982119249735015568)

  -- Fixed points, lengths (m), masses (kg), moments of inertia about the centres (kg m^2).
  local xa, ya, xb, yb, xc, yc = -0.06934, -0.00227, -0.03635, 0.03273, 0.014, 0.072
  local d, da, e, ea, rr, ra = 0.028, 0.0115, 0.02, 0.01421, 0.007, 0.00092
  local ss, sa, sb, sc, sd = 0.035, 0.01874, 0.01043, 0.018, 0.02
  local ta, tb, u, ua, ub = 0.02308, 0.00916, 0.04, 0.01228, 0.00449
  local zf, zt, fa = 0.02, 0.04, 0.01421
  local mass = { 0.04325, 0.00365, 0.02373, 0.00706, 0.07050, 0.00706, 0.05498 }
  local inertia = { 2.194e-6, 4.410e-7, 5.255e-6, 5.667e-7, 1.169e-5, 5.667e-7, 1.912e-5 }
  local stiffness, rest_length = 4530, 0.07785 -- of the spring, N/m and m

  -- A vector with its rate: `forward` and `left` of a direction that stands at an angle.
  local function vector(forward, left, direction, rate)
    local c, s = vida.cos(direction), vida.sin(direction)
    local x, y = forward * c - left * s, forward * s + left * c
    return { x = x, y = y, vx = -y * rate, vy = x * rate }
  end
  local function sum(a, b)
    return { x = a.x + b.x, y = a.y + b.y, vx = a.vx + b.vx, vy = a.vy + b.vy }
  end
  local function fixed(x, y)
    return { x = x, y = y, vx = 0, vy = 0 }
  end

  -- The chains of links, each from a fixed point: the crank O-F and the rod F-E; the triangle at B;
  -- A-G and G-E; A-H and H-E.
  local rod, rod_rate = beta + theta, beta_rate + theta_rate
  local upper, upper_rate = phi + delta, phi_rate + delta_rate
  local lower, lower_rate = omega + epsilon, omega_rate + epsilon_rate
  local a, b = fixed(xa, ya), fixed(xb, yb)
  local f = vector(rr, 0, beta, beta_rate)
  local g = sum(a, vector(zt, 0, delta, delta_rate))
  local h = sum(a, vector(0, -u, epsilon, epsilon_rate))

  local bodies = {
    { vector(ra, 0, beta, beta_rate), beta_rate },
    { sum(f, vector(-da, 0, rod, rod_rate)), rod_rate },
    { sum(b, vector(sb, -sa, gamma, gamma_rate)), gamma_rate },
    { sum(g, vector(0, -(e - ea), upper, upper_rate)), upper_rate },
    { sum(a, vector(ta, -tb, delta, delta_rate)), delta_rate },
    { sum(h, vector(zf - fa, 0, lower, lower_rate)), lower_rate },
    { sum(a, vector(ua, -ub, epsilon, epsilon_rate)), epsilon_rate },
  }
  for i, body in ipairs(bodies) do
    local centre, rate = body[1], body[2]
    squeezer:kinetic { "K" .. i,
      mass[i] / 2 * (centre.vx ^ 2 + centre.vy ^ 2) + inertia[i] / 2 * rate ^ 2 }
  end

  -- The spring from the triangle's corner D to C, and the motor's constant torque.
  local corner = sum(b, vector(sd, -sc, gamma, gamma_rate))
  local spring_length = vida.norm { corner.x - xc, corner.y - yc }
  squeezer:potential { "spring", stiffness / 2 * (spring_length - rest_length) ^ 2 }
  squeezer:potential { "motor", -torque * beta }

  -- All chains end in E.
  local function joined(name, p, q)
    squeezer:constraint { name .. ", x", p.x - q.x, unit = "m" }
    squeezer:constraint { name .. ", y", p.y - q.y, unit = "m" }
  end
  local end_of_rod = sum(f, vector(-d, 0, rod, rod_rate))
  local end_of_triangle = sum(b, vector(0, -ss, gamma, gamma_rate))
  local end_of_upper = sum(g, vector(0, -e, upper, upper_rate))
  local end_of_lower = sum(h, vector(zf, 0, lower, lower_rate))
  joined("triangle", end_of_rod, end_of_triangle)
  joined("upper links", end_of_rod, end_of_upper)
  joined("lower links", end_of_rod, end_of_lower)

  -- What there is to see: the bodies, from joint to joint, and the spring.
  local function draw(name, style, ...)
    local line = { name, style = style }
    for i, p in ipairs { ... } do
      line[i + 1] = { p.x, p.y }
    end
    squeezer:draw(line)
  end
  draw("spring", "spring", fixed(xc, yc), corner)
  draw("K3", "body", b, corner, end_of_triangle, b)
  draw("K1", "body", fixed(0, 0), f)
  draw("K5, K4", "body", a, g, end_of_upper)
  draw("K7, K6", "body", a, h, end_of_lower)
  draw("K2", "body", f, end_of_rod)

  return squeezer
end
