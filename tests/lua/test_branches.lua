-- Mechanisms never change their branch in silence, start from rest, and may hold more than they need.
local check = require "check"
local mechanism = require "mechanism"
local vida = require "vida"

local methods = mechanism.sanitized and { "rattle", "compose" }
  or { "rattle", "del-midpoint", "del-endpoint", "compose", "del-regularized" }

-- ---- a driven four-bar linkage --------------------------------------------------------------------
-- Ground 1.0, crank 0.5, coupler 1.2, rocker 0.8: a Grashof crank-rocker, A = (0, 0), D = (1, 0). With
-- the joint B of the crank, (B - D) x (C - B) keeps its sign over a full turn (its size is never below
-- 0.29), so that a change of sign is always a jump to the mirrored branch.
local function joint(angle, side)
  local bx, by = 0.5 * math.cos(angle), 0.5 * math.sin(angle)
  local dx, dy = 1 - bx, -by
  local d = math.sqrt(dx ^ 2 + dy ^ 2)
  local along = (1.2 ^ 2 - 0.8 ^ 2 + d ^ 2) / (2 * d)
  local across = side * math.sqrt(1.2 ^ 2 - along ^ 2)
  return bx + (along * dx - across * dy) / d, by + (along * dy + across * dx) / d
end

-- Driven, or with a crank of this inertia that turns freely.
local function four_bar(angle, side, rate, inertia)
  local system = vida.system { "four-bar", dimension = 2 }
  local x, y = joint(angle, side)
  local crank = system:body { "crank",
    mass = 1, inertia = inertia or 0.02, angle = angle, angular_velocity = rate,
    position = { 0.25 * math.cos(angle), 0.25 * math.sin(angle) },
    velocity = { -0.25 * rate * math.sin(angle), 0.25 * rate * math.cos(angle) },
  }
  local c = system:particle { "C",
    mass = 1,
    position = { vida.free { near = x }, vida.free { near = y } },
    velocity = { vida.free(), vida.free() },
  }
  system:revolute { "A", system.ground, crank, at = { 0, 0 } }
  if not inertia then
    system:drive { "motor", system.ground, crank, rate = rate }
  end
  system:distance { "coupler", crank:point { 0.25, 0 }, c, length = 1.2 }
  system:distance { "rocker", system:anchor { 1, 0 }, c, length = 0.8 }
  return system
end

-- The sign of (B - D) x (C - B): crank.x, crank.y are half of B.
local function branch(stepper)
  local q = stepper:positions()
  local bx, by, cx, cy = 2 * q[1], 2 * q[2], q[#q - 1], q[#q]
  return ((bx - 1) * (cy - by) - by * (cx - bx)) > 0
end

-- Two turns; true when they were finished, else false, and whether a step was refused because of its branch.
local function turn(wishes, degrees, system)
  local stepper = system:stepper(check.with(wishes, { h = math.rad(degrees) }))
  stepper:start()
  local first = branch(stepper)
  for _ = 1, 720 // degrees do
    local done, message = stepper:step(1)
    if not done then
      assert(message:find("less than h = ", 1, true) or wishes.rtol, message)
      return false, message:find("another branch", 1, true) ~= nil
    end
    -- post-stabilized may blow up: what is off the constraints is on no branch, and its |g| says so
    local off = stepper:constraint_errors() > 0.1 -- m
    assert(branch(stepper) == first or off and wishes[1] == "post-stabilized",
      ("%s jumps at %g degrees a step"):format(wishes[1], degrees))
    if off then
      return true
    end
  end
  assert(stepper:statistics().singular_passages == 0, wishes[1] .. " sees a singular configuration")
  return true
end

-- From eight angles of the crank (under sanitizers two), on both branches, forwards and backwards: how many
-- runs finish, and how many are refused because of the branch.
local apart = mechanism.sanitized and 180 or 45 -- degrees
local all = 360 // apart * 4
local function turn_from_all(wishes, degrees, inertia)
  local finished, refused = 0, 0
  for start = 0, 345, apart do
    for _, side in ipairs { 1, -1 } do
      for _, rate in ipairs { 1, -1 } do
        local system = four_bar(math.rad(start + 20), side, rate, inertia)
        local good, is_other = turn(wishes, degrees, system)
        finished = finished + (good and 1 or 0)
        refused = refused + (is_other and 1 or 0)
      end
    end
  end
  return finished, refused
end

for _, method in ipairs(methods) do
  assert(turn_from_all({ method }, 30) == all, method .. " can take 30 degrees a step")
  turn_from_all({ method }, 60)
end

-- Methods whose solutions are on the branch of the start at small steps, and may be on the other one
-- at large ones; a free crank may turn by more or less than these angles.
local refusals = {}
for _, method in ipairs { "hht", "generalized-alpha", "radau", "energy-momentum", "spark-lobatto",
  "post-stabilized", "coordinate-projection", "coordinate-partitioning" } do
  refusals[method] = 0
  assert(turn_from_all({ method }, 10) == all, method .. " can take 10 degrees a step")
  for _, degrees in ipairs { 30, 45, 60, 90 } do
    for _, inertia in ipairs { 0, 0.02, 2 } do -- driven, light, heavy
      local _, refused = turn_from_all({ method }, degrees, inertia > 0 and inertia or nil)
      refusals[method] = refusals[method] + refused
    end
  end
end
for _, method in ipairs { "hht", "generalized-alpha", "radau", "energy-momentum", "spark-lobatto",
  "post-stabilized", "coordinate-projection" } do
  assert(refusals[method] > 0, method .. " was never refused: the test tests nothing")
end

-- Steps between nodes, too.
local between = 0
for _, degrees in ipairs { 60, 75, 90, 120 } do
  between = between + select(2, turn_from_all({ "rattle-variable" }, degrees))
end
assert(between > 0, "rattle-variable was never refused: the test tests nothing")

-- With steps of their own they come to the end, with smaller ones where one would jump.
for _, method in ipairs { "radau", "post-stabilized", "coordinate-projection" } do
  for _, degrees in ipairs { 45, 90 } do
    assert(turn_from_all({ method, rtol = 1e-3 }, degrees) == all, method .. " with rtol")
    assert(turn_from_all({ method, rtol = 1e-3 }, degrees, 2) == all, method .. " with rtol, free")
  end
end
for _, method in ipairs { "ida-ggl", "cvode-projected", "coordinate-projection" } do
  turn_from_all({ method, rtol = 0.1 }, 45)
  turn_from_all({ method, rtol = 0.1 }, 45, 2)
end

-- ---- more constraints than needed, with two moving parts ---------------------------------------------
-- p is pinned at the origin; q turns about it on two rods that say the same: uniform motion on a
-- circle of radius sqrt(2) at one radian a second.
for _, method in ipairs { "rattle", "del-midpoint", "energy-momentum" } do
  local system = vida.system { "pinned", dimension = 2 }
  local p = system:particle { "p", mass = 1, position = { 0, 0 } }
  local q = system:particle { "q", mass = 1, position = { 1, 1 }, velocity = { -1, 1 } }
  system:constraint { "px", p.position[1] }
  system:constraint { "py", p.position[2] }
  system:distance { "from p", p, q, length = math.sqrt(2) }
  system:distance { "from the ground", system.ground, q, length = math.sqrt(2) }
  local stepper = system:stepper { method, h = 0.01 }
  stepper:start()
  assert(stepper:step(100))
  local x = stepper:positions()
  check.close(x[1] ^ 2 + x[2] ^ 2, 0, 1e-24)
  check.close(x[3] ^ 2 + x[4] ^ 2, 2, 1e-12)
  check.close(math.atan(x[4], x[3]), math.pi / 4 + 1, 1e-4)
end

-- ---- a driven slider-crank from rest --------------------------------------------------------------
-- Crank 1 at 0.3 rad and 2 rad/s, rod 2: bodies given at rest get the velocities that the drive asks
-- for, x' = -w (sin f + sin f cos f / sqrt(4 - sin^2 f)) of the slider.
local f, w = 0.3, 2
local sin, cos = math.sin(f), math.cos(f)
local lean = math.asin(sin / 2)
local reach = cos + 2 * math.cos(lean)
local system = vida.system { "slider-crank", dimension = 2 }
local crank = system:body { "crank", mass = 1, inertia = 0.1, angle = f, position = { cos / 2, sin / 2 } }
local rod = system:body { "rod",
  mass = 1, inertia = 0.1, angle = -lean, position = { (cos + reach) / 2, sin / 2 },
}
local slider = system:body { "slider", mass = 1, inertia = 0.1, position = { reach, 0 } }
system:revolute { "main", system.ground, crank, at = { 0, 0 } }
system:revolute { "pin", crank, rod, at = { cos, sin } }
system:revolute { "wrist", rod, slider, at = { reach, 0 } }
system:prismatic { "guide", system.ground, slider, at = { reach, 0 }, axis = { 1, 0 } }
system:drive { "motor", system.ground, crank, rate = w }
system:observe { "speed", slider.velocity[1], unit = "m/s" }
local stepper = system:stepper { "rattle", h = 0.01 }
stepper:start { adjust_start = true }
check.close(stepper:observables().speed, -w * (sin + sin * cos / math.sqrt(4 - sin ^ 2)), 1e-12)

-- ---- parameters, dampers and steps out of all bounds ------------------------------------------------
local oscillator = vida.system "oscillator"
local x, rate = oscillator:coordinate { "x", unit = "m", value = 1 }
local k = oscillator:parameter { "k", 4 }
oscillator:lagrangian(rate ^ 2 / 2 - k * x ^ 2 / 2)
oscillator:rayleigh(0 * rate ^ 2) -- a damper without damping is none
local comparison = vida.compare { system = oscillator, time = 1, methods = { { "rattle", h = 0.1 } } }
oscillator:set_parameter("k", 900)
check.fails("parameter 'k' of system 'oscillator' was 4 when the comparison was made, and is 900 now",
  function() comparison:run { quiet = true } end)

local falling = vida.system "falling"
falling:gravity { 0, 0, -9.81 }
falling:particle { "p", mass = 1, position = { 0, 0, 0 } }
local far = falling:stepper { "rattle", h = 1e300 }
far:start()
local done, message = far:step(3)
assert(not done and message:find("finite"), message)

-- ---- a mass matrix that is singular by its values ---------------------------------------------------
local joined = vida.system "joined"
local a, arate = joined:coordinate { "a", value = 1 }
local b, brate = joined:coordinate { "b", value = 1 }
joined:lagrangian { "sum", (arate + brate) ^ 2 / 2 - a ^ 2 - b ^ 2 }
for _, method in ipairs { "rattle", "del-midpoint" } do
  check.fails("the mass matrix of system 'joined' is singular at the start",
    function() joined:stepper({ method, h = 0.1 }):start() end)
end

print("ok")
