-- Long runs that go on from their states.
-- arguments: --set checkpoint=0.02
local vida = require "vida"
local methods = { "rattle", "energy-momentum", "del-midpoint", "radau", "generalized-alpha" }
local function make(is_driven)
  local system = vida.system { is_driven and "driven" or "free", dimension = 2 }
  system:gravity { 0, -9.81 }
  local upper = system:particle { "upper", mass = 1, position = { 1, 0 } }
  local lower = system:particle { "lower", mass = 2, position = { 1, -1 } }
  system:distance { "upper rod", system.ground, upper, length = 1 }
  system:distance { "lower rod", upper, lower, length = 1 }
  if is_driven then
    system:damper { "damper", system.ground, lower, damping = 0.1 }
    system:force { "push", { { lower.x, vida.sin(3 * system.time) } } }
  end
  return system
end
-- Impacts with a floor and a stop, and events that are only recorded.
local function make_balls()
  local system = vida.system { "balls", dimension = 2 }
  system:gravity { 0, -9.81 }
  local ball = system:particle { "ball", mass = 1, position = { 0, 1 }, velocity = { 0.3, 0 } }
  system:contact { "floor", gap = ball.y, restitution = 1 }
  system:stop { "walls", ball.x, least = -1, most = 1, restitution = 1 }
  system:event { "top", ball.vy, direction = "falling" }
  return system
end
local list = {}
for i, name in ipairs(methods) do
  list[i] = { name, h = 0.002 }
end
return {
  vida.compare { system = make(true), time = 30, every = 10, reference = { "rattle", h = 1e-3 },
    methods = list },
  vida.compare { system = make_balls(), time = 30, every = 10, methods = { list[1], list[2], list[3] } },
  vida.drift { system = make(false), time = 60, trajectories = "hdf5", methods = list },
}
