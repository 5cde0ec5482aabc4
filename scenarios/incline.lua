-- A block on an incline: it sticks, slides, and stops, against closed forms.
--
-- With Coulomb friction mu on a slope of the angle a, a block at rest sticks for tan a <= mu, and otherwise
-- slides with g (sin a - mu cos a). Thrown up with the speed v it stops after v^2 / (2 d),
-- d = g (sin a + mu cos a), at the time v / d; then it stays or slides back. Methods by events find the time
-- at which it stops, and have this motion but for rounding, or their tolerance. moreau-jean and spook do not
-- see what happens within the step in which it stops: the place where it stays has an error of second order
-- in h, and a block that slides back has a speed with an error of first order. Once it sticks it stays where
-- it is, to rounding. (moreau-jean closes the contact at the end of the first step, in which the block sinks
-- by g h^2 cos a.)
-- 1. thrown up the slope, it stays; 2. with little friction it slides back. Units: kg, m, s.

local vida = require "vida"

local degrees = vida.setting { "angle", 25, text = "slope, degrees" }
local speed = vida.setting { "speed", 2, unit = "m/s", text = "speed up the slope at the start" }

local slope, mass, g = math.rad(degrees), 2, 9.81

-- The place up the slope, in closed form.
local function place_of(mu, t)
  local d = g * (math.sin(slope) + mu * math.cos(slope))
  local back = math.max(0, g * (math.sin(slope) - mu * math.cos(slope)))
  local stop = speed / d
  if t <= stop then
    return speed * t - 0.5 * d * t ^ 2, speed - d * t
  end
  return 0.5 * speed * stop - 0.5 * back * (t - stop) ^ 2, -back * (t - stop)
end

-- The x axis points up the slope.
local function new_comparison(name, mu)
  local s = vida.system { name, dimension = 2 }
  s:gravity { -g * math.sin(slope), -g * math.cos(slope) }
  local block = s:particle { "block", mass = mass, position = { 0, 0 }, velocity = { speed, 0 } }
  s:contact { "plane", gap = block.y, restitution = 0, friction = mu, slip = { block.vx } }
  local function exact(t)
    local x, v = place_of(mu, t)
    return { positions = { block = { x, 0 } }, velocities = { block = { v, 0 } } }
  end
  return vida.compare {
    system = s, time = 1, norm = "max",
    reference = { exact = exact, name = "closed form", error = 0 },
    methods = {
      { "rattle", h = 0.01 },
      { "del-midpoint", h = 0.01 },
      { "radau", h = 0.01 },
      { "post-stabilized", rtol = 1e-8, h = 0.05 },
      { "ida-ggl", rtol = 1e-8, h = 0.05 },
      { "moreau-jean", h = { 0.01, 0.005, 0.0025 } },
      { "spook", h = { 0.01, 0.005, 0.0025 } },
    },
  }
end

return { new_comparison("incline, sticks", 0.6), new_comparison("incline, slides back", 0.2) }
