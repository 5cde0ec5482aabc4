-- The ladder of rigid rods (parts/ladder.lua) falls for a minute, with the steps of a game: 1/60 s, and
-- with 1/20 s.
--
-- C. Lacoursiere, "Regularized, stabilized, variational methods for multibodies" (2007), section 6,
-- with its parameters, compliance epsilon = 1e-8 and damping time tau = 2 h. As the ladder falls, its
-- last rods whip at speeds that no step of this size follows. SPOOK, one linear system a step, lets
-- rods stretch for a moment and goes on: the energy falls and never rises above that of the start, and
-- violations are within O(h^2). Methods that ask for g = 0 at the end of a step (del-endpoint is plain
-- SHAKE) find no solution when it whips, and end there; SPOOK's own rows with Newton's method gain
-- energy and end even sooner. The Runge-Kutta method of order 4 with Baumgarte's terms ends in a whip at
-- 1/20 s. They, too, hold with smaller steps.
--
-- Figures of the paper, with their numbers (scenarios/figure 004-N draws them, with --csv prints them):
--   --set figure=4, 5   energy, and root mean square of violations, for 10 and 100 cells, in the
--                       trajectories ("energy", "violation")
--   --set figure=6      violation for steps of 1/30 to 1/240 s, over the first whips
--   --set figure=7      time per step of 10 to 10000 cells
--
-- The paper does not say its gravity. It is 1 m/s^2 here; --set gravity=9.81 asks for what steps of
-- 1/19 s do here, and goes on, too. What 1000 cells hang on is more than frozen directions of rods bear
-- at 1/60 s (tensions above m l / h^2), and they stretch without bound; they hold at 1/240 s:
-- --set cells=1000 --set steps_per_second=240.
-- Units: kg, m, s.

local vida = require "vida"
local new_ladder = require "parts.ladder"

local figure = vida.setting { "figure", 0, text = "of the paper, 4 to 7; 0: the table of methods" }
local cells = vida.setting { "cells", figure == 6 and 10 or 20, text = "number of cells, N" }
local times = { [6] = 10, [7] = 0.5 }
local time = vida.setting { "time", times[figure] or 60, unit = "s", text = "simulated time" }
local rate = vida.setting { "steps_per_second", figure == 7 and 240 or 60 }
local gravity = vida.setting { "gravity", 1, unit = "m/s^2" }
assert(figure == 0 or figure >= 4 and figure <= 7 and figure % 1 == 0, "figure: expected 0, 4, 5, 6 or 7")

local h = 1 / rate

local function spook(steps)
  return { "spook", h = steps, epsilon = 1e-8, tau_over_h = 2 }
end

-- SPOOK alone on a ladder of so many cells.
local function run_alone(size, steps)
  return vida.compare {
    system = new_ladder(size, gravity, figure < 7),
    time = time,
    every = figure < 7 and 1 or 0,
    methods = { spook(steps) },
  }
end

if figure == 4 or figure == 5 then
  return { run_alone(10, h), run_alone(100, h) }
elseif figure == 6 then
  return run_alone(cells, { 1 / 30, 1 / 60, 1 / 120, 1 / 240 })
elseif figure == 7 then
  return { run_alone(10, h), run_alone(100, h), run_alone(1000, h), run_alone(10000, h) }
end

return vida.compare {
  system = new_ladder(cells, gravity),
  time = time,
  norm = "max",
  methods = {
    spook { 3 * h, h, h / 4 },
    { "spook-newton", h = { 3 * h, h }, epsilon = 1e-8, tau_over_h = 2 },
    { "del-endpoint", h = { 3 * h, h } },
    { "rattle", h = { 3 * h, h } },
    { "baumgarte", integrator = "rk4", gamma_h = 1, h = { 3 * h, h } },
  },
}
