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
local mass, length, gravity = 1, 1, 9.81 -- kg, m, m/s^2

local frame = vida.system { "four-bar mechanisms", dimension = 2 }

-- The points that links connect: their place and velocity.
local function ground(x)
  return { x = x, y = 0, vx = 0, vy = 0 }
end
local function joint(name, x, y)
  local point = {}
  point.x, point.vx = frame:coordinate { name .. ".x", unit = "m", value = x, rate = 1 }
  point.y, point.vy = frame:coordinate { name .. ".y", unit = "m", value = y, rate = 0 }
  return point
end

-- A uniform link between two points: its velocity is linear between theirs.
local function link(name, a, b)
  local squares = a.vx ^ 2 + a.vx * b.vx + b.vx ^ 2 + a.vy ^ 2 + a.vy * b.vy + b.vy ^ 2
  frame:kinetic { name, mass / 6 * squares }
  frame:potential { "weight of " .. name, mass * gravity * (a.y + b.y) / 2 }
  local square = (b.x - a.x) ^ 2 + (b.y - a.y) ^ 2
  frame:constraint { name, (square - length ^ 2) / (2 * length), unit = "m" }
end

local before
for i = 0, windows do
  local x = i * length
  local top = joint("B" .. i, x, length)
  link("A" .. i .. "-B" .. i, ground(x), top)
  if before then
    link("B" .. i - 1 .. "-B" .. i, before, top)
  end
  before = top
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
