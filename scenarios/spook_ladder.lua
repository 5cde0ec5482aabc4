-- The ladder of rigid rods falls for a minute, with the steps of a game: 1/60 s.
--
-- C. Lacoursiere, "Regularized, stabilized, variational methods for multibodies" (2007), section 6,
-- with its parameters, compliance epsilon = 1e-8 and damping time tau = 2 h. As the ladder falls, its
-- last rods whip at speeds that no step of this size follows. SPOOK, one linear system a step, lets
-- the joints give way by some centimetres for a moment and goes on: the energy falls (figure 4) and
-- never rises above that of the start, the joints are within O(h^2) (figures 5 and 6). Methods that
-- ask for g = 0 at the end of a step (del-endpoint is plain SHAKE) find no solution when it whips, and
-- end there; the same rows with Newton's method end even sooner. They, too, hold with smaller steps.
--
-- The ladder itself is that of ladder.lua. --set cells=20, 100 or 1000 are its other sizes (joints of
-- 1000 cells open at 1/60 s and hold at 1/240 s: --set steps_per_second=240).
-- Units: kg, m, s.

local vida = require "vida"

local cells = vida.setting { "cells", 10, text = "number of cells, N" }
local time = vida.setting { "time", 60, unit = "s", text = "simulated time" }
local rate = vida.setting { "steps_per_second", 60 }
assert(cells >= 1 and cells % 1 == 0, "cells: expected a whole number, at least 1")

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

local h = 1 / rate

return vida.compare {
  system = ladder,
  time = time,
  norm = "max",
  methods = {
    { "spook", h = { h, h / 2, h / 4 }, epsilon = 1e-8, tau_over_h = 2 },
    { "spook-newton", h = h, epsilon = 1e-8, tau_over_h = 2 },
    { "del-endpoint", h = h },
    { "rattle", h = h },
  },
}
