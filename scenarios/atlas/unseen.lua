-- Systems that are not in the atlas, on which its advice is tested: see judge.lua. Units: kg, m, s.

local vida = require "vida"

local systems = {}

local function add(given)
  systems[#systems + 1] = given
end

-- A slider crank with a flywheel, in angles: M(q), and constraints that are no lengths.
add { name = "slider crank", time = 2, make = function()
  local s = vida.system { "slider crank", dimension = 2 }
  local crank, rod = 0.3, 0.8 -- lengths
  local theta, theta_rate = s:coordinate { "theta", unit = "rad", value = 0.5, rate = 6 }
  local phi, phi_rate = s:coordinate { "phi", unit = "rad", value = vida.free(-0.2), rate = vida.free() }
  local x, x_rate = s:coordinate { "x", unit = "m", value = vida.free(1), rate = vida.free() }
  local vx = -crank * vida.sin(theta) * theta_rate - rod / 2 * vida.sin(phi) * phi_rate
  local vy = crank * vida.cos(theta) * theta_rate + rod / 2 * vida.cos(phi) * phi_rate
  s:kinetic { "crank", 0.05 / 2 * theta_rate ^ 2 }
  s:kinetic { "rod", 1.2 / 2 * (vx ^ 2 + vy ^ 2) + 1.2 * rod ^ 2 / 24 * phi_rate ^ 2 }
  s:kinetic { "slider", 0.7 / 2 * x_rate ^ 2 }
  s:potential { "weight", 1.2 * 9.81 * (crank * vida.sin(theta) + rod / 2 * vida.sin(phi)) }
  s:constraint { "reach", crank * vida.cos(theta) + rod * vida.cos(phi) - x, unit = "m" }
  s:constraint { "height", crank * vida.sin(theta) + rod * vida.sin(phi), unit = "m" }
  return s
end }

-- Three rods in the plane.
add { name = "triple pendulum", time = 3, make = function()
  local s = vida.system { "triple pendulum", dimension = 2 }
  s:gravity { 0, -9.81 }
  local above = s.ground
  for i, angle in ipairs { 1.2, 0.7, 0.2 } do
    local mass = s:particle { "mass " .. i, mass = 1, position = {
      (i > 1 and math.sin(1.2) or 0) + (i > 2 and math.sin(0.7) or 0) + math.sin(angle),
      -((i > 1 and math.cos(1.2) or 0) + (i > 2 and math.cos(0.7) or 0) + math.cos(angle)) } }
    s:distance { "rod " .. i, above, mass, length = 1 }
    above = mass
  end
  return s
end }

-- A spherical pendulum with a spring to its side.
add { name = "spherical pendulum with a spring", time = 5, make = function()
  local s = vida.system "spherical pendulum with a spring"
  s:gravity { 0, 0, -9.81 }
  local bob = s:particle { "bob", mass = 2, position = { 1.2, 0, -0.5 }, velocity = { 0, 1.5, 0 } }
  s:distance { "rod", s.ground, bob, length = 1.3 }
  s:spring { "spring", s:anchor { 2, 0.5, 0 }, bob, stiffness = 40, length = 0.8 }
  return s
end }

-- A pendulum on a cart with a damper: a line and a length.
add { name = "pendulum on a cart", time = 5, make = function()
  local s = vida.system { "pendulum on a cart", dimension = 2 }
  s:gravity { 0, -9.81 }
  local cart = s:particle { "cart", mass = 3, position = { 0, 0 } }
  local bob = s:particle { "bob", mass = 1, position = { 0.8, -0.6 } }
  s:constraint { "track", cart.y, unit = "m" }
  s:distance { "rod", cart, bob, length = 1 }
  s:rayleigh { "damper", 0.5 / 2 * cart.velocity.x ^ 2 }
  return s
end }

-- Twenty links that fall from a quarter of a circle.
add { name = "chain of 20", time = 1, ceiling = 0.2, make = function()
  local s = vida.system { "chain of 20", dimension = 3 }
  s:gravity { 0, 0, -9.81 }
  local above, x, z = s.ground, 0, 0
  for i = 1, 20 do
    local angle = 1.4 * i / 20
    x, z = x + math.cos(angle) / 20, z - math.sin(angle) / 20
    local mass = s:particle { "mass " .. i, mass = 0.05, position = { x, 0, z } }
    s:distance { "link " .. i, above, mass, length = 1 / 20 }
    above = mass
  end
  return s
end }

-- A slow top of other proportions.
add { name = "slow top", time = 2, make = function()
  local s = vida.system "slow top"
  s:gravity { 0, 0, -9.81 }
  local rates = { 0.5, 0.2, 12 }
  local body = s:body { "top", mass = 1, inertia = { 0.08, 0.08, 0.03 }, position = { 0, 0.3, 0.4 },
    orientation = { axis = { 1, 0, 0 }, angle = -math.atan(0.3, 0.4) }, body_rates = rates,
    velocity = { vida.free(), vida.free(), vida.free() } }
  s:ball { "pivot", s.ground, body, at = { 0, 0, 0 } }
  return s
end }

return systems
