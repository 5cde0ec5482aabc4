-- The double spherical pendulum of J. M. Wendlandt and J. E. Marsden, "Mechanical integrators derived
-- from a discrete variational principle", Physica D 106 (1997) 223-246, section 5.2: two point masses
-- on two rods, in space. Units: kg, m, s.

local vida = require "vida"

return function()
  local pendulum = vida.system "double spherical pendulum"
  pendulum:gravity { 0, 0, -9.81 } -- m/s^2

  -- The paper gives x and y. The heights and vertical velocities follow from the rods, with both
  -- masses hanging: -1 asks for the solution below.
  local upper = pendulum:particle { "upper",
    mass = 2.0,
    position = { 2.820, 0.025, vida.free(-1) },
    velocity = { 3.381, 2.506, vida.free() },
  }
  local lower = pendulum:particle { "lower",
    mass = 3.5,
    position = { 5.085, 0.105, vida.free(-1) },
    velocity = { 2.497, 10.495, vida.free() },
  }
  pendulum:distance { "upper rod", pendulum.ground, upper, length = 4.0 }
  pendulum:distance { "lower rod", upper, lower, length = 3.0 }
  return pendulum, upper, lower
end
