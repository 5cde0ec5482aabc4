-- The heavy top: a fast symmetric top on a ball joint, a benchmark of the multibody community
-- (Bruels and Cardona): m = 15 kg, about the centre of mass diag(0.234375, 0.46875, 0.234375) kg m^2,
-- the centre 1 m from the pivot along the second axis of the body, body rates (0, 150, -4.61538)
-- rad/s. Its spin about its axis stays at 150 rad/s. Units: kg, m, s.

local vida = require "vida"

local spin, precession = 150, -4.61538 -- rad/s, in the body

-- as: "quaternion" or "directors"
return function(as)
  local system = vida.system("heavy top, " .. as)
  system:gravity { 0, 0, -9.81 } -- m/s^2
  local top = system:body { "top",
    mass = 15,
    inertia = { 0.234375, 0.46875, 0.234375 },
    position = { 0, 1, 0 },
    velocity = { -precession, 0, 0 }, -- of the pivot: none
    body_rates = { 0, spin, precession },
    as = as,
  }
  system:ball { "pivot", system.ground, top, at = { 0, 0, 0 } }
  system:observe { "spin", vida.dot(top.angular_velocity, top:direction({ 0, 1, 0 }).vector), unit = "rad/s" }
  return system, top
end
