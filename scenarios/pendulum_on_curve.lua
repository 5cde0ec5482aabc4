-- A pendulum whose pivot slides on the parabola y = x^2 / 2.
--
-- The mass matrix couples the pivot and the angle and changes with it. For the start given here, at
-- rest, minimal coordinates and Taylor series give at t = 1 s x = -0.370252442393 m and
-- theta = -0.536371469529, at t = 5 s x = -0.315693356132 m and theta = 0.717073665337. With
-- --set damping=0.5 the curve brakes the pivot, and energy is lost at the rate damping * |v|^2.
-- Units: kg, m, s, rad.

local vida = require "vida"

local time = vida.setting { "time", 5, unit = "s", text = "simulated time" }
local pivot_mass = vida.setting { "pivot_mass", 1, unit = "kg" }
local tip_mass = vida.setting { "tip_mass", 1, unit = "kg" }
local length = vida.setting { "length", 1, unit = "m", text = "of the pendulum" }
local damping = vida.setting { "damping", 0, unit = "N s/m", text = "of the pivot on the curve" }
local gravity = 9.81 -- m/s^2

local pendulum = vida.system { "pendulum on a curve", dimension = 2 }
local x, vx = pendulum:coordinate { "x", unit = "m", value = 1, rate = 0 }
local y, vy = pendulum:coordinate { "y", unit = "m", value = 0.5, rate = 0 }
local theta, omega = pendulum:coordinate { "theta", unit = "rad", value = 0, rate = 0 } -- 0: down

-- Velocity and height of the tip, at (x + length sin theta, y - length cos theta).
local tip_vx = vx + length * vida.cos(theta) * omega
local tip_vy = vy + length * vida.sin(theta) * omega
local tip_y = y - length * vida.cos(theta)

pendulum:kinetic { "pivot", pivot_mass / 2 * (vx ^ 2 + vy ^ 2) }
pendulum:kinetic { "tip", tip_mass / 2 * (tip_vx ^ 2 + tip_vy ^ 2) }
pendulum:potential { "weight", gravity * (pivot_mass * y + tip_mass * tip_y) }
if damping ~= 0 then
  pendulum:rayleigh { "friction", damping / 2 * (vx ^ 2 + vy ^ 2) }
end
pendulum:draw { "pendulum", { x, y }, { x + length * vida.sin(theta), tip_y }, style = "rod" }
pendulum:constraint { "curve", y - x ^ 2 / 2, unit = "m" }

local steps = { 1e-2, 5e-3, 2e-3, 1e-3 } -- s

return vida.compare {
  system = pendulum,
  time = time,
  reference = { "del-midpoint", h = 1e-5 },
  methods = {
    { "del-midpoint", h = steps },
    { "rattle", h = steps },
    { "del-endpoint", h = steps },
  },
}
