-- Steps of variable length: what rattle-variable makes of motions that are fast now and then.
--
-- Its steps are h over a density that follows the motion forwards and backwards alike (E. Hairer and
-- G. Soederlind, "Explicit, time reversible, adaptive step size control", SIAM J. Sci. Comput. 26
-- (2005) 1838-1851), so that the energy does not drift, as it would with steps that are chosen by
-- error estimates. Compare the energy errors of runs whose steps times time per step are alike.
--
-- The scenario returns three comparisons:
-- 1. a planet on an ellipse of eccentricity 0.9, from the aphelion. All constants are 1 and a
--    revolution takes 2 pi; after whole ones the planet is at (1.9, 0) again. The density is that
--    of the potential's curvature here, r^(-3/2);
-- 2. the same with a density of one's own, the observable "step density";
-- 3. a cart of 0.01 kg on a rail that carries a bob of 100 kg on a rod of 1 m, released at 30
--    degrees: the bob falls almost freely, and the cart flies by in 0.1 ms, at 162.12 m/s, after
--    0.165442893109 s and then every 0.330885786218 s. Steps that are even and too long for that
--    make the energy jump, or find no solution. The density follows how fast the rod turns, and what
--    it bears.

local vida = require "vida"

local revolutions = vida.setting { "revolutions", 20, text = "of the planet" }
local swings = vida.setting { "swings", 2, text = "of the cart" }
local e = vida.setting { "eccentricity", 0.9, text = "of the ellipse, from 0 to below 1" }

local function kepler(name)
  local system = vida.system { name, dimension = 2 }
  local planet = system:particle { "planet",
    mass = 1,
    position = { 1 + e, 0 },
    velocity = { 0, math.sqrt((1 - e) / (1 + e)) },
  }
  local distance = vida.norm { planet.x, planet.y }
  system:potential { "gravity of the sun", -1 / distance }
  return system, distance
end

local revolution = 2 * math.pi
local by_curvature = kepler "Kepler"
local by_observable, distance = kepler "Kepler, steps by the distance"
by_observable:observe { "step density", distance ^ -1.5 } -- 1 at the mean distance

local cart_and_bob = vida.system { "cart and bob", dimension = 2 }
cart_and_bob:gravity { 0, -9.81 } -- m/s^2
local cart = cart_and_bob:particle { "cart", mass = 0.01, position = { 0, 0 } }
local bob = cart_and_bob:particle { "bob", mass = 100, position = { 0.5, vida.free(-1) } }
cart_and_bob:constraint { "rail", cart.y, unit = "m" }
cart_and_bob:distance { "rod", cart, bob, length = 1 }
local swing = 0.330885786218 -- s

return {
  vida.compare {
    system = by_curvature,
    time = revolutions * revolution,
    norm = "max",
    reference = { "compose", base = "rattle", scheme = "kahan-li8", h = revolution / 5000 },
    methods = {
      { "rattle", h = { revolution / 1000, revolution / 4000 } },
      { "rattle-variable", h = { revolution / 125, revolution / 500 } },
    },
  },
  vida.compare {
    system = by_observable,
    time = revolutions * revolution,
    norm = "max",
    reference = { "compose", base = "rattle", scheme = "kahan-li8", h = revolution / 5000 },
    methods = {
      { "rattle-variable", h = { revolution / 250, revolution / 1000 } },
    },
  },
  vida.compare {
    system = cart_and_bob,
    time = swings * swing,
    norm = "max",
    reference = { "rattle-variable", h = swing / 6400 },
    methods = {
      { "rattle", h = { swing / 4000, swing / 20000 } },
      { "rattle-variable", h = { swing / 50, swing / 100, swing / 400 } },
    },
  },
}
