-- A ball bounces on a vibrating table, and every kind of solver finds the impacts.
--
-- The table moves as A sin(w t). A ball that meets it at the same phase in each of its periods T = 2 pi / w
-- rises with g T / 2 from each impact: with the restitution e the table then has the speed
--   A w cos(w t) = g T / 2 (1 - e) / (1 + e),
-- and this motion is stable for accelerations of the table that are not much larger than it needs
-- (P. J. Holmes, J. Sound Vib. 84 (1982) 173-189).
-- 1. It starts with such an impact: impacts are T apart, and the ball is where the reference, the closed
--    form, has it. Its flights are parabolas, which the methods with fixed steps have but for rounding.
-- 2. The ball is at the end of an arm, hinged beside the table. Each method makes steps of its own between
--    impacts, and the column of event times shows its order: 2 for rattle, del-midpoint and
--    energy-momentum, the tolerance for solvers of SUNDIALS. Impacts on a moving table do work.
-- Units: kg, m, s.

local vida = require "vida"

local restitution = vida.setting { "restitution", 0.7, text = "speed after an impact over that before" }
local amplitude = vida.setting { "amplitude", 0.01, unit = "m", text = "amplitude of the table" }
local frequency = vida.setting { "frequency", 5, unit = "Hz", text = "frequency of the table" }

local g, mass, arm = 9.81, 0.2, 0.6
local w, period = 2 * math.pi * frequency, 1 / frequency
local rise = g * period / 2
local lift = rise * (1 - restitution) / (1 + restitution)
local phase = math.acos(assert(lift < amplitude * w and lift / (amplitude * w),
  "amplitude: the table is too slow to throw the ball once in each period"))
local level = amplitude * math.sin(phase) -- of the table at impacts

local function ball_at(t)
  local since = t % period
  return level + rise * since - 0.5 * g * since ^ 2
end

local function add_table(s, ball)
  s:contact { "table", gap = ball.y - amplitude * vida.sin(w * s.time + phase), restitution = restitution }
  local height = amplitude * vida.sin(w * s.time + phase)
  s:draw { "table", { ball.x - 0.1, height }, { ball.x + 0.1, height } }
end

local free = vida.system { "ball on a vibrating table", dimension = 2 }
free:gravity { 0, -g }
local ball = free:particle { "ball", mass = mass, position = { 0, level }, velocity = { 0, rise } }
add_table(free, ball)

local held = vida.system { "ball on an arm, on a vibrating table", dimension = 2 }
held:gravity { 0, -g }
local tilt = 0.4
local bob = held:particle { "ball", mass = mass, position = { arm * math.cos(tilt), arm * math.sin(tilt) } }
held:distance { "arm", held.ground, bob, length = arm }
add_table(held, bob)

local tolerances = { 1e-6, 1e-8 }
local solvers = {
  { "radau", rtol = tolerances, h = 0.02 },
  { "ida-ggl", rtol = tolerances, h = 0.02 },
  { "cvode-projected", rtol = tolerances, h = 0.02 },
  { "post-stabilized", rtol = tolerances, h = 0.02 },
}
local function with(list)
  return table.move(solvers, 1, #solvers, #list + 1, list)
end

return {
  vida.compare {
    system = free, time = 4.1,
    reference = { name = "closed form", error = 1e-13,
      exact = function(t) return { positions = { ball = { 0, ball_at(t) } } } end },
    methods = with { { "rattle", h = 0.02 }, { "energy-momentum", h = 0.02 } },
  },
  vida.compare {
    system = held, time = 2, reference = { "radau", rtol = 1e-12, h = 0.02 },
    methods = with {
      { "rattle", h = { 0.02, 0.01, 0.005 } },
      { "del-midpoint", h = { 0.02, 0.01, 0.005 } },
      { "energy-momentum", h = { 0.02, 0.01, 0.005 } },
    },
  },
}
