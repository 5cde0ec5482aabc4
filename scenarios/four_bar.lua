-- A row of windows: N four-bar mechanisms side by side, with one degree of freedom altogether.
--
-- Benchmark A02 of the IFToMM library of computational benchmark problems for multibody dynamics:
-- uniform links of 1 m and 1 kg, N + 1 of them upright on the ground and N across their upper ends,
-- pushed at 1 m/s. Whenever the links lie in one line the constraint Jacobian loses rank, and each
-- window could fold up by itself; a method has to step over such places. The benchmark has N = 40
-- and 20 s, the library N = 2 and 10 s: then B0 is at (0.328457, 0.944519) m at the end.
-- Units: kg, m, s.

local vida = require "vida"

local time = vida.setting { "time", 10, unit = "s", text = "simulated time" }
local windows = vida.setting { "windows", 2, text = "their number N" }
assert(windows >= 1 and windows % 1 == 0, "windows: expected a whole number, at least 1")
local mass, length, gravity = 1, 1, 9.81 -- kg, m, m/s^2

local frame = vida.system { "four-bar mechanisms", dimension = 2 }

-- A uniform link between the points a and b: its velocity is linear between theirs. The element is
-- derived once and added many times.
local link = vida.element { "link",
  coordinates = { "ax", "ay", "bx", "by" },
  unit = "m",
  kinetic = function(ax, ay, bx, by)
    return mass / 6 * (ax.rate ^ 2 + ax.rate * bx.rate + bx.rate ^ 2
      + ay.rate ^ 2 + ay.rate * by.rate + by.rate ^ 2)
  end,
  potential = function(_, ay, _, by)
    return mass * gravity * (ay + by) / 2
  end,
  constraint = function(ax, ay, bx, by)
    return ((bx - ax) ^ 2 + (by - ay) ^ 2 - length ^ 2) / (2 * length)
  end,
}

local left_x, left_y
for i = 0, windows do
  local x = frame:coordinate { "B" .. i .. ".x", unit = "m", value = i * length, rate = 1 }
  local y = frame:coordinate { "B" .. i .. ".y", unit = "m", value = length, rate = 0 }
  frame:add(link, "A" .. i .. "-B" .. i, i * length, 0, x, y)
  frame:draw { "A" .. i .. "-B" .. i, { i * length, 0 }, { x, y }, style = "body" }
  if i > 0 then
    frame:add(link, "B" .. i - 1 .. "-B" .. i, left_x, left_y, x, y)
    frame:draw { "B" .. i - 1 .. "-B" .. i, { left_x, left_y }, { x, y }, style = "body" }
  end
  left_x, left_y = x, y
end

local steps = { 1e-2, 5e-3, 2e-3 } -- s

return vida.compare {
  system = frame,
  time = time,
  reference = { "rattle", h = 1e-4 },
  methods = {
    { "del-midpoint", h = steps },
    { "rattle", h = steps },
    { "del-endpoint", h = steps },
  },
}
