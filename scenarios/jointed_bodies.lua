-- Rigid bodies with joints: rotations as unknowns (rattlie) beside quaternions with constraints of unit norm.
--
-- Three systems of quaternion bodies: a fast heavy top on a ball joint, a chain of four bars, and a
-- closed loop of six bars that hangs on one of its joints. rattlie solves for the impulses of the
-- joints alone; the other methods solve for seven coordinates of each body, the joints and the norms.
-- The reference is a composition of rattle of order 6. Units: kg, m, s.

local vida = require "vida"

local time = vida.setting { "time", 1, unit = "s", text = "simulated time" }
local steps = { 0.005, 0.0025, 0.00125 } -- s
local gravity = { 0, 0, -9.81 }          -- m/s^2
local bar = { 0.02, 0.09, 0.1 }          -- kg m^2, moments of inertia of a bar of 1 m along its x axis

-- A top that spins at 50 rad/s about its axis, tilted by 0.3 rad; its centre is 0.1 m above the point.
local function heavy_top()
  local tilt, arm, spin = 0.3, 0.1, 50
  local top = vida.system "heavy top on a ball joint"
  local centre = { 0, -arm * math.sin(tilt), arm * math.cos(tilt) }
  local turn = { 0, -spin * math.sin(tilt), spin * math.cos(tilt) } -- in space
  top:gravity(gravity)
  local body = top:body { "top",
    mass = 1, inertia = { 0.004, 0.004, 0.002 }, orientation = { axis = { 1, 0, 0 }, angle = tilt },
    position = centre, velocity = vida.cross(turn, centre), body_rates = { 0, 0, spin },
  }
  top:ball { "point", top.ground, body, at = { 0, 0, 0 } }
  return top
end

-- Four bars in a row from the ground; they are let go horizontally and turn about the vertical.
local function chain()
  local system = vida.system "chain of four bars"
  system:gravity(gravity)
  local last = system.ground
  for i = 1, 4 do
    local body = system:body { "bar " .. i,
      mass = 1, inertia = bar, position = { i - 0.5, 0, 0 },
      velocity = { 0, 0.3 * (i - 0.5), 0 }, body_rates = { 0, 0, 0.3 },
    }
    system:ball { "joint " .. i, last, body, at = { i - 1, 0, 0 } }
    last = body
  end
  return system
end

-- A hexagon of bars of different masses; it hangs on its last joint, about which it turns.
local function loop()
  local system = vida.system "closed loop of six bars"
  local sides, turn = 6, { 0.4, 0.3, 1 } -- rad/s
  local apothem = math.cos(math.pi / sides)
  local bodies = {}
  system:gravity(gravity)
  for i = 1, sides do
    local at = 2 * math.pi * (i - 0.5) / sides
    local angle = at + math.pi / 2
    local centre = { apothem * math.cos(at), apothem * math.sin(at), 0 }
    bodies[i] = system:body { "bar " .. i,
      mass = 1 + 0.1 * i, inertia = bar, orientation = { axis = { 0, 0, 1 }, angle = angle },
      position = centre, velocity = vida.cross(turn, { centre[1] - 1, centre[2], 0 }),
      body_rates = { turn[1] * math.cos(angle) + turn[2] * math.sin(angle),
        turn[2] * math.cos(angle) - turn[1] * math.sin(angle), turn[3] },
    }
  end
  for i = 1, sides do
    local at = 2 * math.pi * i / sides
    system:ball { "joint " .. i, bodies[i], bodies[i % sides + 1],
      at = { math.cos(at), math.sin(at), 0 } }
  end
  system:ball { "hook", system.ground, bodies[1], at = { 1, 0, 0 } }
  return system
end

local function compare(system)
  return vida.compare {
    system = system, time = time,
    reference = { "compose", base = "rattle", scheme = "kahan-li6", h = 1e-3 },
    methods = {
      { "rattlie", h = steps }, { "rattle", h = steps }, { "del-midpoint", h = steps },
      { "energy-momentum", h = steps },
    },
  }
end

return { compare(heavy_top()), compare(chain()), compare(loop()) }
