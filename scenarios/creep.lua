-- A driven wheel on a hilly track: the force of its contact depends on a multiplier.
--
-- The track is the curve on which the centre of the wheel moves, y = a sin(k x). Its constraint carries the
-- normal force N, and the creep force along the track is proportional to it, F = -c N tanh(s / s0), where s
-- is the slip velocity of the contact point, as between wheel and rail or tyre and road: on a crest the wheel
-- is light and spins, in a valley it grips. With w = sqrt(1 + y'^2), the constraint g = y - a sin(k x) and
-- its multiplier lambda, N = -w lambda: the track pushes upwards along the gradient (-y', 1) of length w.
-- Every method below takes N from its own multipliers; none of them computes it from the motion, as a
-- program in minimal coordinates would, N = m (g + y'' x'^2) / w. Energy: the drive puts in what the slip
-- does not take out. Units: kg, m, s, rad.

local vida = require "vida"

local height = vida.setting { "height", 0.3, unit = "m", text = "amplitude of the hills" }
local grip = vida.setting { "grip", 0.35, text = "largest creep force over the normal force" }
local drive = vida.setting { "drive", 1.5, unit = "N m", text = "torque on the wheel" }

local mass, inertia, radius, slip = 3, 0.05, 0.2, 0.5
local k = 2 -- 1/m

local s = vida.system { "creeping wheel", dimension = 2 }
s:gravity { 0, -9.81 }
local start = math.sqrt(1 + (height * k) ^ 2)
local centre = s:particle { "centre", mass = mass, position = { 0, 0 },
  velocity = { 1.2 / start, height * k * 1.2 / start } }
local turn, spin = s:coordinate { "turn", unit = "rad", value = 0, rate = 4 }
s:kinetic(0.5 * inertia * spin ^ 2)
local track = s:constraint { "track", centre.y - height * vida.sin(k * centre.x), unit = "m" }

local slope = height * k * vida.cos(k * centre.x)
local w = vida.sqrt(1 + slope ^ 2)
local normal = -w * track.multiplier
local speed = (centre.vx + slope * centre.vy) / w
local creep = -grip * normal * vida.tanh((speed - radius * spin) / slip)
s:force { "creep", { { centre, creep * vida.vector { 1 / w, slope / w } }, { turn, -radius * creep } } }
s:force { "drive", turn, drive }
s:observe { "slip", speed - radius * spin, unit = "m/s" }
s:draw { "spoke", { centre.x, centre.y },
  { centre.x + radius * vida.sin(turn), centre.y + radius * vida.cos(turn) } }

return vida.compare {
  system = s, time = 2, reference = { "radau", rtol = 1e-12, h = 2 },
  methods = {
    { "rattle", h = { 1e-2, 5e-3, 2.5e-3 } },
    { "del-midpoint", h = { 1e-2, 5e-3, 2.5e-3 } },
    { "radau", h = { 2e-2, 1e-2 } },
    { "coordinate-projection", h = { 1e-2, 5e-3 } },
    { "ida-index2", rtol = { 1e-5, 1e-7 }, h = 1e-2 },
    { "ida-ggl", rtol = { 1e-5, 1e-7 }, h = 1e-2 },
  },
}
