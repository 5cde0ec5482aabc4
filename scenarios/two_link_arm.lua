-- A robot's arm of two links in the plane, whose end follows a path.
--
-- U. M. Ascher, H. Chin, L. R. Petzold and S. Reich, "Stabilization of constrained mechanical
-- systems with DAEs and invariant manifolds" (1995), section 6, example 2: uniform rods, the first
-- one turning about the origin, under gravity and without a drive.
-- 1. Case I: the end moves on the parabola y = x^2 - beta, beta such that it starts there.
-- 2. Case II: the end is lifted and lowered, y = sin^2(omega t). The forces that this takes are
--    large at a few times, and the motion is sensitive. The path does work on the arm, whose energy
--    therefore changes.
-- The paper counts how far solutions of the underlying ODE drift off the path, with seven ways to
-- bring them back: its tables 6.1 and 6.2 are the columns constraint_velocity and constraint_position
-- of the rows with Heun's method. Two of those runs end early: they grow out of all numbers, which the
-- tables mark with a star. The variational methods stay on the path.
-- Units: kg, m, s, rad.

local vida = require "vida"

local time = vida.setting { "time", 40, unit = "s", text = "of case I" }
local time2 = vida.setting { "time_II", 10, unit = "s", text = "of case II" }
local omega = vida.setting { "omega", 0.5, unit = "rad/s", text = "of the path in case II" }

local mass = { 36, 36 } -- kg
local length = { 1, 1 } -- m
local gravity = 9.81 -- m/s^2
local start = { math.rad(70), math.rad(-140) }

-- The arm, and the place of its end. theta2 is the angle between the links.
local function new_arm(name)
  local arm = vida.system { name, dimension = 2 }
  local theta1, rate1 = arm:coordinate { "theta1", unit = "rad", value = start[1], rate = 0 }
  local theta2, rate2 = arm:coordinate { "theta2", unit = "rad", value = start[2], rate = 0 }
  local angle = { theta1, theta1 + theta2 } -- from the horizontal
  local rate = { rate1, rate1 + rate2 }

  local x, y, vx, vy = 0, 0, 0, 0 -- of the joint that the link begins at
  for i = 1, 2 do
    local along, across = length[i] * vida.cos(angle[i]), length[i] * vida.sin(angle[i])
    local middle_vx, middle_vy = vx - across * rate[i] / 2, vy + along * rate[i] / 2
    local inertia = mass[i] * length[i] ^ 2 / 12
    arm:kinetic { "link " .. i, mass[i] / 2 * (middle_vx ^ 2 + middle_vy ^ 2)
      + inertia / 2 * rate[i] ^ 2 }
    arm:potential { "weight " .. i, mass[i] * gravity * (y + across / 2) }
    arm:draw { "link " .. i, { x, y }, { x + along, y + across }, style = "body" }
    x, y = x + along, y + across
    vx, vy = vx - across * rate[i], vy + along * rate[i]
  end
  return arm, x, y
end

local parabola, x, y = new_arm "two-link arm on a parabola"
local beta = (length[1] * math.cos(start[1]) + length[2] * math.cos(start[1] + start[2])) ^ 2
parabola:constraint { "path", y - x ^ 2 + beta, unit = "m" }

local lifted, _, height = new_arm "two-link arm, lifted and lowered"
lifted:constraint { "path", height - vida.sin(omega * lifted.time) ^ 2, unit = "m" }

local steps = { 1e-2, 1e-3 } -- s
local methods = {
  { "del-midpoint", h = steps },
  { "rattle", h = steps },
  { "energy-momentum", h = steps },
  { "baumgarte", integrator = "heun", h = steps }, -- no stabilization
  { "baumgarte", integrator = "heun", alpha1 = 12, alpha0 = 70, h = steps },
  { "post-stabilized", integrator = "heun", variant = "s-full", h = steps },
}
for _, variant in ipairs { "s-both", "s-both2", "s-vel", "s-pos" } do
  methods[#methods + 1] =
    { "post-stabilized", integrator = "heun", variant = variant, projection = "identity", h = steps }
end

return {
  vida.compare {
    system = parabola,
    time = time,
    reference = { "del-midpoint", h = 1e-4 },
    methods = methods,
  },
  vida.compare {
    system = lifted,
    time = time2,
    reference = { "del-midpoint", h = 1e-4 },
    methods = methods,
  },
}
