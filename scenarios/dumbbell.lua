-- A dumbbell tumbling freely: two unit masses and a rod, no force.
--
-- 1. The initial velocities have a component along the rod, which a rigid rod does not allow. Left
--    alone, such a start makes a method turn the masses inwards and the rotation dies.
--    adjust_start = true takes that component out, and the notes say by how much the velocities
--    have changed; without it the comparison is refused.
-- 2. What is left is a uniform rotation at 2.7161826003029 rad/s (relative velocity (0, 2, 0.2) m/s
--    on 0.74 m). A step of rattle turns the rod by exactly asin(h * rate), so that for h above
--    1 / rate = 0.368163760378 s no step exists: its run with h = 0.4 s ends at once with a status
--    that says so, and the other runs go on.
--
-- Units: kg, m, s.

local vida = require "vida"

local length = 0.74 -- m
local dumbbell = vida.system "dumbbell"
local left = dumbbell:particle { "left",
  mass = 1.0,
  position = { 0, 0, 0 },
  velocity = { 0.3, -1, 0 },
}
local right = dumbbell:particle { "right",
  mass = 1.0,
  position = { length, 0, 0 },
  velocity = { -0.1, 1, 0.2 },
}
dumbbell:distance { "rod", left, right, length = length }

local steps = { 0.1, 0.4 } -- s

return vida.compare {
  system = dumbbell,
  time = 10,
  adjust_start = true,
  reference = { "energy-momentum", h = 1e-3 },
  methods = {
    { "rattle", h = steps },
    { "del-endpoint", h = steps },
    { "del-midpoint", h = steps },
    { "energy-momentum", h = steps },
  },
}
