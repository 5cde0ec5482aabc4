-- A hanging chain swings in its slowest mode.
--
-- N equal masses hang in a row on rods of length l, the first from the origin. Small displacements to
-- the side, numbered from the lower end, obey
--   y_n'' = (g / l) ((n + 1) (y_(n+1) - y_n) - n (y_n - y_(n-1))),   y_N = 0,
-- the recurrence of the Laguerre polynomials: y_n = L_n(x) cos(omega t) with omega^2 = g x / l and
-- L_N(x) = 0. (For many masses L_n(x) becomes Daniel Bernoulli's J_0.) The chain starts at rest in the
-- shape of the smallest root x; after one period, the time of the comparison, it is there again, but
-- for what is left of order amplitude^2: see the observable "swing" of a trajectory.
--
-- All rods are one built-in term, so that chains may be long: --set links=1000. Units: kg, m, s.

local vida = require "vida"

local links = vida.setting { "links", 20, text = "number of links, N" }
local amplitude = vida.setting { "amplitude", 1e-3, unit = "m", text = "displacement of the lower end" }

local total, gravity = 1, 9.81 -- m, m/s^2
local length = total / links

-- L_0(x) .. L_N(x), and the derivative of L_N.
local function laguerre(x)
  local values = { [0] = 1, 1 - x }
  for n = 1, links - 1 do
    values[n + 1] = ((2 * n + 1 - x) * values[n] - n * values[n - 1]) / (n + 1)
  end
  return values, links * (values[links] - values[links - 1]) / x
end

-- The smallest root, by Newton's method from below, where L_N falls and is convex.
local root = 1 / links
for _ = 1, 30 do
  local values, slope = laguerre(root)
  root = root - values[links] / slope
end
local shape = laguerre(root)
local period = 2 * math.pi / math.sqrt(gravity * root / length)

local chain = vida.system { "chain", dimension = 2 }
chain:gravity { 0, -gravity }
local above, x, y = chain.ground, 0, 0
for i = 1, links do
  local target = amplitude * shape[links - i]
  x, y = target, y - math.sqrt(length ^ 2 - (target - x) ^ 2)
  local mass = chain:particle { ("mass %d"):format(i), mass = 1 / links, position = { x, y } }
  chain:distance { ("link %d"):format(i), above, mass, length = length }
  above = mass
end
chain:observe { "swing", above.x / amplitude } -- of the lower end: cos(omega t)

local time = vida.setting { "time", period, unit = "s", text = "simulated time: one period" }

return vida.compare {
  system = chain,
  time = time,
  coordinates = { above },
  reference = { "rattle", h = time / 4000 },
  methods = {
    { "rattle", h = { time / 250, time / 500 } },
    { "del-midpoint", h = { time / 250, time / 500 } },
    { "energy-momentum", h = { time / 250, time / 500 } },
  },
}
