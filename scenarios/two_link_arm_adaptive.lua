-- The robot's arm whose end is lifted and lowered, y = sin^2(omega t), by an adaptive Runge-Kutta method.
--
-- U. M. Ascher, H. Chin, L. R. Petzold and S. Reich, "Stabilization of constrained mechanical
-- systems with DAEs and invariant manifolds" (1995), section 6, example 2 continued, table 6.3: the
-- formulas of Dormand and Prince with the control of DOPRI5, for a relative tolerance of 1e-5 and an
-- absolute one of 1e-6, over 100 s. Without stabilization the solution leaves the path, and where it
-- then comes to is another, harder problem. Corrected twice after each step, its drifts are those of
-- the table where the correction is decomposed at the last stage of a step, and far smaller where it
-- is decomposed at the end. The motion is chaotic: one run says little of how many steps a method
-- takes. Over runs with tolerances that differ in the sixth digit the means have the order of the
-- table (which counts rejected steps, as `steps` does not): most without stabilization, fewest with
-- the correction.
-- two_link_arm.lua builds the same arm from its links; here it is written as in the paper.
-- Units: kg, m, s, rad.

local vida = require "vida"

local time = vida.setting { "time", 100, unit = "s", text = "simulated time" }
local interval = vida.setting { "interval", 0.01, unit = "s", text = "between states looked at" }

local m1, m2, l1, l2, gravity = 36, 36, 1, 1, 9.81

local function new_arm(omega)
  local arm = vida.system { ("two-link arm, omega = %g"):format(omega), dimension = 2 }
  local theta1, rate1 = arm:coordinate { "theta1", unit = "rad", value = math.rad(70), rate = 0 }
  local theta2, rate2 = arm:coordinate { "theta2", unit = "rad", value = math.rad(-140), rate = 0 }
  local c2 = vida.cos(theta2)
  local m11 = m1 * l1 ^ 2 / 3 + m2 * (l1 ^ 2 + l2 ^ 2 / 3 + l1 * l2 * c2)
  local m12 = m2 * (l2 ^ 2 / 3 + l1 * l2 * c2 / 2)
  local m22 = m2 * l2 ^ 2 / 3
  local s1, s12 = vida.sin(theta1), vida.sin(theta1 + theta2)
  arm:kinetic { "links", (m11 * rate1 ^ 2 + 2 * m12 * rate1 * rate2 + m22 * rate2 ^ 2) / 2 }
  arm:potential { "weight", gravity * (m1 * l1 * s1 / 2 + m2 * (l1 * s1 + l2 * s12 / 2)) }
  arm:constraint { "path", l1 * s1 + l2 * s12 - vida.sin(omega * arm.time) ^ 2, unit = "m" }
  return arm
end

local tolerance = 1e-5
local methods = {
  { "baumgarte" }, -- no stabilization
  { "baumgarte", alpha1 = 12, alpha0 = 70 },
  { "post-stabilized", projection = "identity" }, -- s-both2
  { "post-stabilized", projection = "identity", decomposition = "stage" }, -- as printed
}
for _, method in ipairs(methods) do
  method.h, method.rtol, method.atol = interval, tolerance, tolerance / 10
end

return {
  vida.compare { system = new_arm(0.5), time = time, methods = methods },
  vida.compare { system = new_arm(1.0), time = time, methods = methods },
}
