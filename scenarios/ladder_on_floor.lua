-- The ladder of rigid rods (parts/ladder.lua) falls onto a floor, for a minute with the steps of a game.
--
-- SPOOK (C. Lacoursiere, "Regularized, stabilized, variational methods for multibodies", 2007) with the
-- parameters of spook_ladder.lua, 1/60 s and a damping time of 2 h, and a floor below that the joints hit
-- without a rebound, with dry friction: one mixed complementarity problem a step. The ladder whips, and folds
-- up on the floor. Impacts and friction take energy: it is never above that of the start. A contact that
-- would close in a step is closed at its end, so that joints do not fall through. What they penetrate by is
-- the error of second order of a step that turns rods at fixed directions: less than 3 mm, for ladders of 5
-- to 20 cells (observable "depth"). Units: kg, m, s.

local vida = require "vida"
local new_ladder = require "parts.ladder"

local cells = vida.setting { "cells", 10, text = "number of cells" }
local time = vida.setting { "time", 60, unit = "s", text = "simulated time" }
local rate = vida.setting { "steps_per_second", 60 }
local level = vida.setting { "floor", -3, unit = "m", text = "height of the floor" }

local h = 1 / rate
local ladder, rods = new_ladder(cells, 1)
local depth = 0
for k = 0, cells do
  local upright = rods[3 * k + 1]
  for _, foot in ipairs { { "lower", upright.tail }, { "upper", upright.head } } do
    local name, joint = table.unpack(foot)
    if k > 0 or name == "upper" then -- the lower one hangs at the origin
      ladder:plane_contact { ("%s joint %d"):format(name, k), joint, height = level, friction = 0.3 }
      depth = vida.min(depth, joint.position.y - level)
    end
  end
end
ladder:observe { "depth", depth, unit = "m" }
ladder:draw { "floor", { -cells, level }, { cells, level } }

return vida.compare {
  system = ladder, time = time,
  methods = {
    { "spook", h = { h, h / 2 }, compliance = 1e-8, tau_over_h = 2, accuracy = 1e-4 },
  },
}
