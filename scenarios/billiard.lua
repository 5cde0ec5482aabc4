-- Three discs in a box, without friction and with restitution 1: energy to rounding.
--
-- Between impacts the discs move on straight lines, which all methods follow exactly, so what is left
-- is the treatment of impacts. After a few dozens of them, rounding has grown to the size of the box:
-- two methods agree no longer about positions, though both keep the energy. With `--set time=10000`
-- there are more than 10^5 impacts. Units: kg, m, s.

local vida = require "vida"

local time = vida.setting { "time", 100, unit = "s", text = "duration" }
local radius, side = 0.1, 1
local starts = { { 0.2, 0.3, 0.9, 0.35 }, { 0.7, 0.35, -0.3, 0.71 }, { 0.45, 0.75, 0.2, -0.55 } }

local s = vida.system { "billiard", dimension = 2 }
local discs = {}
for i, start in ipairs(starts) do
  local disc = s:particle { "disc " .. i, mass = 0.1 * (i + 1), position = { start[1], start[2] },
    velocity = { start[3], start[4] } }
  s:stop { "across " .. i, disc.x, least = radius, most = side - radius, restitution = 1 }
  s:stop { "along " .. i, disc.y, least = radius, most = side - radius, restitution = 1 }
  for k, other in ipairs(discs) do
    local distance = vida.sqrt((disc.x - other.x) ^ 2 + (disc.y - other.y) ^ 2)
    s:contact { ("discs %d and %d"):format(k, i), gap = distance - 2 * radius, restitution = 1 }
  end
  discs[i] = disc
end

return vida.compare {
  system = s, time = time,
  methods = {
    { "rattle", h = 0.25 },
    { "del-midpoint", h = 0.25 },
    { "energy-momentum", h = 0.25 },
  },
}
