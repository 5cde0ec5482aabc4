-- A thin disk rolls on a table: two rows of velocities that no constraint of positions can replace.
--
-- Yaw q1 (rate "yaw rate"), lean q2 (0: upright), spin q3. With the rolling conditions as they are, by
-- d'Alembert's principle (putting them into the Lagrangian gives wrong equations), a disk of radius r
-- turns steadily with lean 0.2 rad and a yaw rate of 1 rad/s when its spin is -1.4912814078893 rad/s,
-- and an upright one is stable above the spin sqrt(g / (3 r)) = 1.808314132 rad/s (r = 1 m). The
-- scenario returns three comparisons, whose observable "lean" tells:
-- 1. the steady turn, for a fifth of the time: the lean stays at 0.2 rad (not for long: this turn is
--    not stable);
-- 2. upright with a spin of 1.79 rad/s and a push of 0.01 rad/s: it falls to one side, by 0.16 rad,
--    until the turn that this starts brings it up again;
-- 3. the same with 1.83 rad/s: it wobbles by 0.02 rad to either side.
-- (The observable "spin" is the rate about the axle: q3' + q1' sin q2.)
-- (The case of sympy issue 27631.) Units: kg, m, s.

local vida = require "vida"

local time = vida.setting { "time", 10, unit = "s", text = "simulated time" }
local gravity, radius, mass = 9.81, 1, 1 -- m/s^2, m, kg

local function about(axis, angle)
  local s = math.sin(angle / 2)
  return { math.cos(angle / 2), s * axis[1], s * axis[2], s * axis[3] }
end

local function rolling_disk(name, duration, lean, rates)
  local turned = about({ 1, 0, 0 }, lean)
  local axle, up = vida.rotate(turned, { 0, 1, 0 }), vida.rotate(turned, { 0, 0, 1 })
  local spin = rates[1] * vida.vector { 0, 0, 1 } + rates[2] * vida.vector { 1, 0, 0 } + rates[3] * axle
  local system = vida.system(name)
  system:gravity { 0, 0, -gravity }
  local disk = system:body { "disk",
    mass = mass,
    inertia = { mass * radius ^ 2 / 4, mass * radius ^ 2 / 2, mass * radius ^ 2 / 4 },
    orientation = turned,
    position = radius * up, -- the contact is at the origin
    angular_velocity = spin,
    velocity = radius * vida.cross(spin, up),
  }
  system:rolling_disk { "rolling", disk, radius = radius, axis = { 0, 1, 0 } }
  local axis = disk:direction({ 0, 1, 0 }).vector
  system:observe { "lean", vida.asin(axis.z), unit = "rad" }
  system:observe { "spin", vida.dot(disk.angular_velocity, axis), unit = "rad/s" }
  return vida.compare {
    system = system,
    time = duration,
    reference = { "del-nonholonomic", h = 1e-3 },
    methods = { { "del-nonholonomic", h = { 2e-2, 1e-2, 5e-3 } } },
  }
end

return {
  rolling_disk("steady turn", time / 5, 0.2, { 1, 0, -1.4912814078893 }),
  rolling_disk("disk at 1.79 rad/s", time, 0, { 0, 0.01, 1.79 }),
  rolling_disk("disk at 1.83 rad/s", time, 0, { 0, 0.01, 1.83 }),
}
