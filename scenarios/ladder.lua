-- A ladder of rigid rods in the plane, hung by one corner and falling.
--
-- C. Lacoursiere, "A regularized time stepper for multibody systems" (2007), section 6: every rod has
-- its centre and a unit vector u as coordinates and the inertia m l^2 / 12 on u. Of the 4 + 3 (N - 1)
-- rods, 1 and 2 have their tails at the origin; the tail of rod j is at the head of rod j - 3 where
-- mod(j, 3) = 2, else at the head of rod j - 2; and rods 3k and 3k + 1 meet with their heads. Each of
-- the N cells is a closed loop, and the ladder has N + 1 degrees of freedom. Every rod weighs 10 kg
-- and is 1 m long. The ladder starts at rest and horizontally.
--
-- All rods share one element and all joints of a kind another, so that ladders of thousands of rods
-- are ready in no time: --set cells=1000. Towards the end of a fall the last rods whip, and steps have
-- to be small there; a step that cannot be solved ends its run and says so.
--
-- Units: kg, m, s.

local vida = require "vida"

local cells = vida.setting { "cells", 10, text = "number of cells, N" }
local time = vida.setting { "time", 1, unit = "s" }

local mass, length = 10, 1 -- kg, m
local right, up = 0, math.pi / 2 -- rad

local ladder = vida.system { "ladder", dimension = 2 }
ladder:gravity { 0, -9.81 } -- m/s^2

local rods = {}

-- A rod from (x, y) in a direction.
local function add_rod(j, x, y, angle)
  rods[j] = ladder:rod { ("rod %d"):format(j),
    mass = mass, length = length, angle = angle,
    centre = { x + length / 2 * math.cos(angle), y + length / 2 * math.sin(angle) },
  }
end

add_rod(1, 0, 0, up)
add_rod(2, 0, 0, right)
for k = 1, cells do
  add_rod(3 * k, (k - 1) * length, length, right)
  add_rod(3 * k + 1, k * length, 0, up)
  if k < cells then
    add_rod(3 * k + 2, k * length, 0, right)
  end
end

for j, rod in ipairs(rods) do
  local below = j <= 2 and ladder.ground or rods[j % 3 == 2 and j - 3 or j - 2].head
  ladder:revolute { ("tail %d"):format(j), below, rod.tail }
  if j % 3 == 0 then
    ladder:revolute { ("heads %d"):format(j), rod.head, rods[j + 1].head }
  end
end

return vida.compare {
  system = ladder,
  time = time,
  reference = { "rattle", h = 5e-4 },
  methods = {
    { "rattle", h = { 5e-3, 2e-3 } },
    { "del-midpoint", h = { 5e-3, 2e-3 } },
    { "energy-momentum", h = { 5e-3, 2e-3 } },
  },
}
