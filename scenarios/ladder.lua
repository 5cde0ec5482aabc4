-- A ladder of rigid rods in the plane, hung by one corner and falling (parts/ladder.lua).
--
-- Ladders of any length: --set cells=1000. Towards the end of a fall the last rods whip, and steps have
-- to be small there; a step that cannot be solved ends its run and says so.
--
-- Units: kg, m, s.

local vida = require "vida"
local new_ladder = require "parts.ladder"

local cells = vida.setting { "cells", 10, text = "number of cells, N" }
local time = vida.setting { "time", 1, unit = "s" }

return vida.compare {
  system = new_ladder(cells, 9.81),
  time = time,
  reference = { "rattle", h = 5e-4 },
  methods = {
    { "rattle", h = { 5e-3, 2e-3 } },
    { "del-midpoint", h = { 5e-3, 2e-3 } },
    { "energy-momentum", h = { 5e-3, 2e-3 } },
  },
}
