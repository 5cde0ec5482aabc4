-- A door on two hinges, one more than it needs.
--
-- A thin plate, 1 m wide and 20 kg, turns on two revolute joints on one axis: ten rows, of which five
-- say nothing new. A method that cannot take dependent rows stops at a singular matrix; here they are
-- named, and of the many ways to share the load between the hinges the smallest is reported. The axis
-- is tilted by 10 degrees from the vertical and the door is opened by 60 degrees from its lowest place:
-- a physical pendulum with I = m w^2 / 3, lever w / 2 and gravity g sin(10 degrees), so that it is back
-- after 4.2183052440757 s and turns at 1.59850959783 rad/s on its way through the lowest place.
--
-- (The case of EXUDYN issue 39.) Units: kg, m, s.

local vida = require "vida"

local hinges = vida.setting { "hinges", 2, text = "number of hinges: 1 or 2" }
local time = vida.setting { "time", 4.2183052440757, unit = "s", text = "simulated time: one swing" }

local mass, width, height = 20, 1, 2 -- kg, m
local tilt, opening = math.rad(10), math.rad(60)

-- The axis, the direction from it to the lowest place of the door's edge, and the one across both.
local axis = vida.vector { math.sin(tilt), 0, math.cos(tilt) }
local lowest = vida.vector { math.cos(tilt), 0, -math.sin(tilt) }
local across = vida.cross(axis, lowest)
local outwards = math.cos(opening) * lowest + math.sin(opening) * across -- along the open door
local normal = vida.cross(axis, outwards)

-- Axes of the door, as columns of its rotation matrix: outwards, normal, axis.
local orientation = {}
for i = 1, 3 do
  orientation[i] = { outwards[i], normal[i], axis[i] }
end

local system = vida.system "door"
system:gravity { 0, 0, -9.81 } -- m/s^2
local door = system:body { "door",
  mass = mass,
  inertia = { mass * height ^ 2 / 12, mass * (width ^ 2 + height ^ 2) / 12, mass * width ^ 2 / 12 },
  position = width / 2 * outwards, -- the middle of the axis is at the origin
  orientation = orientation,
  as = "directors",
}
system:revolute { "lower hinge", system.ground, door, at = -0.8 * axis, axis = axis }
if hinges == 2 then
  system:revolute { "upper hinge", system.ground, door, at = 0.8 * axis, axis = axis }
end

system:observe { "opening", unit = "rad",
  vida.atan2(vida.dot(door.position, across), vida.dot(door.position, lowest)) }
system:observe { "rate", vida.dot(door.angular_velocity, axis), unit = "rad/s" }

return vida.compare {
  system = system,
  time = time,
  coordinates = { door.centre },
  reference = { "rattle", h = time / 8000 },
  methods = {
    { "rattle", h = { time / 400, time / 800 } },
    { "del-midpoint", h = { time / 400, time / 800 } },
    { "energy-momentum", h = { time / 400, time / 800 } },
  },
}
