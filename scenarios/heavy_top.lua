-- The heavy top: a fast symmetric top on a ball joint, as a unit quaternion and as directors.
--
-- A benchmark of the multibody community (Bruels and Cardona): m = 15 kg, about the centre of mass
-- diag(0.234375, 0.46875, 0.234375) kg m^2, the centre 1 m from the pivot along the second axis of the
-- body, body rates (0, 150, -4.61538) rad/s. At t = 0.5, 1.0 and 1.5 s the centre is at
--   (-0.70246829702494559, -0.021165184701932658, -0.71140025765173441) m
--   ( 0.17334396409838604,  0.64008859207056886,  -0.74849079113358131) m
--   (-0.96816571563818065,  0.25030606213260173,  -0.0014220838511312954) m,
-- and its spin about its axis stays at 150 rad/s.
--
-- The scenario returns two comparisons. A quaternion has four coordinates and a mass matrix that
-- changes with it: energy-momentum then keeps the energy, but of the momentum only what order 2 is.
-- Directors, the vectors along the principal axes, have a constant one and quadratic constraints, and
-- it keeps both. Units: kg, m, s.

local vida = require "vida"

local time = vida.setting { "time", 1, unit = "s", text = "simulated time" }

local spin, precession = 150, -4.61538 -- rad/s, in the body

local function heavy_top(as)
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

local function compare(as, methods)
  local steps = { 2e-3, 1e-3, 5e-4 } -- s
  for i, name in ipairs(methods) do
    methods[i] = { name, h = steps }
  end
  local system, top = heavy_top(as)
  return vida.compare {
    system = system, time = time, coordinates = { top.centre },
    reference = { "rattle", h = 1e-4 }, methods = methods,
  }
end

return {
  compare("quaternion", { "rattle", "del-midpoint", "energy-momentum" }),
  compare("directors", { "rattle", "del-midpoint", "energy-momentum" }),
}
