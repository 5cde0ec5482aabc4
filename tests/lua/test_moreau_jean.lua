-- moreau-jean where bodies turn and contacts are curved: what its steps keep, against closed forms.
local check = require "check"
local vida = require "vida"

local g = 9.81

-- Returns the stepper after a time, and the deepest gap(q) of its steps.
local function move(s, h, time, gap)
  local stepper = s:stepper { "moreau-jean", h = h }
  local deepest = 0
  stepper:start()
  for _ = 1, math.floor(time / h + 0.5) do
    assert(stepper:step())
    deepest = gap and math.min(deepest, gap(stepper:positions())) or 0
  end
  return stepper, deepest
end

-- ---- free motion: a body that spins about a principal axis keeps its energy ---------------------------
-- At 45 rad/s and h = 0.01 it turns by 0.45 rad in a step.
for _, h in ipairs { 0.02, 0.01, 0.005 } do
  local s = vida.system "body"
  s:body { "body", mass = 2, inertia = { 0.01, 0.02, 0.015 }, position = { 0, 0, 0 },
    angular_velocity = { 0, 45, 0 } }
  local stepper = move(s, h, 2)
  check.close(stepper:energy() / (0.5 * 0.02 * 45 ^ 2), 1, 1e-8)
end

-- Constraints that turn as fast: a dumbbell of two particles, and a body on a hinge.
for _, h in ipairs { 0.02, 0.01, 0.005 } do
  local s = vida.system { "dumbbell", dimension = 2 }
  local a = s:particle { "a", mass = 1, position = { 0.5, 0 }, velocity = { 0, 22.5 } }
  local b = s:particle { "b", mass = 1, position = { -0.5, 0 }, velocity = { 0, -22.5 } }
  s:distance { "rod", a, b, length = 1 }
  check.close(move(s, h, 2):energy() / 22.5 ^ 2, 1, 1e-8)

  local door = vida.system { "door", dimension = 2 }
  local body = door:body { "body", mass = 1, inertia = 0.1, position = { 0.5, 0 }, velocity = { 0, 22.5 },
    angular_velocity = 45 }
  door:revolute { "hinge", door.ground, body, at = { 0, 0 } }
  check.close(move(door, h, 2):energy() / (0.5 * (0.1 + 0.25) * 45 ^ 2), 1, 1e-8)
end

-- ---- a ball that rolls goes on rolling with its speed ------------------------------------------------
-- The slip in the middle of a step, a chord of the turn a = w h, is that at its ends but for
-- r w (a / 4)^2, of which friction takes 2/7 at the start.
for _, h in ipairs { 0.02, 0.01, 0.005, 0.0025 } do
  local s = vida.system "ball"
  local r, w = 0.11, 45
  local inertia = 0.4 * 2 * r ^ 2
  s:gravity { 0, 0, -g }
  local ball = s:body { "ball", mass = 2, inertia = { inertia, inertia, inertia }, position = { 0, 0, r },
    velocity = { w * r, 0, 0 }, angular_velocity = { 0, w, 0 } }
  s:plane_contact { "floor", ball, radius = r, friction = 0.3 }
  local stepper, deepest = move(s, h, 2, function(q) return q[3] - r end)
  check.close(stepper:velocities()[1], w * r, 1.05 * 2 / 7 * w * r * (w * h / 4) ^ 2)
  check.close(deepest, 0, 1e-12)
end

-- ---- a bead in a valley swings on, and does not sink -------------------------------------------------
-- Without friction its energy is constant: second order, for no impact follows the start.
for _, valley in ipairs { function(x) return x ^ 2 / 2 end, function(x) return vida.cosh(x) - 1 end } do
  local energy, depth = {}, {}
  for i, h in ipairs { 0.01, 0.005, 0.0025 } do
    local s = vida.system { "valley", dimension = 2 }
    s:gravity { 0, -g }
    local bead = s:particle { "bead", mass = 1, position = { 1.5, valley(1.5) } }
    s:curve_contact { "valley", s.ground, bead, curve = function(x, y) return y - valley(x) end }
    local stepper, deepest = move(s, h, 20, function(q) return q[2] - valley(q[1]) end)
    energy[i], depth[i] = stepper:energy() - g * valley(1.5), deepest
    check.close(energy[i], 0, 500 * h ^ 2)
    check.close(depth[i], 0, 50 * h ^ 2)
  end
  assert(math.abs(energy[3] / energy[1]) < 1 / 8, "the energy is of second order")
end

-- A ball with spin rolls in a bowl, on which its energy is constant, too.
do
  local s = vida.system "bowl"
  local r, bowl = 0.1, 1
  local inertia = 0.4 * r ^ 2
  s:gravity { 0, 0, -g }
  local ball = s:body { "ball", mass = 1, inertia = { inertia, inertia, inertia },
    position = { 0.5, 0, -math.sqrt((bowl - r) ^ 2 - 0.25) }, velocity = { 0, 0, 0 } }
  s:curve_contact { "bowl", s.ground, ball,
    curve = function(x, y, z) return (bowl - r) ^ 2 - x ^ 2 - y ^ 2 - z ^ 2 end }
  local stepper, deepest = move(s, 0.005, 10, function(q)
    return bowl - r - math.sqrt(q[1] ^ 2 + q[2] ^ 2 + q[3] ^ 2)
  end)
  check.close(stepper:energy(), -g * math.sqrt((bowl - r) ^ 2 - 0.25), 2e-3)
  check.close(deepest, 0, 1e-3)
end

-- ---- small bounces end: a contact that bounces within its depth has its restitution -------------------
do
  local s = vida.system { "ball", dimension = 2 }
  s:gravity { 0, -g }
  local ball = s:particle { "ball", mass = 1, position = { 0, 0.01 } }
  s:contact { "floor", gap = ball.y, restitution = 0.5 }
  check.close(move(s, 1e-3, 1):velocities()[2], 0, 1e-12)
end

-- ---- boxes land on their corners and come to rest, with both methods of time stepping -----------------
-- The laws do not determine the twelve impulses of four corners. At rest the energy is that of the height.
for _, method in ipairs { "moreau-jean", "spook" } do
  for _, e in ipairs { 0, 0.5 } do
    for _, spin in ipairs { { 5, 3, 2 }, { 20, -15, 10 } } do
      local s = vida.system "box"
      s:gravity { 0, 0, -g }
      local box = s:body { "box", mass = 2, inertia = { 0.02, 0.03, 0.04 }, position = { 0, 0, 0.5 },
        velocity = { 2, 0.3, 0 }, angular_velocity = spin }
      for corner = 0, 7 do
        local x, y, z = corner % 2 * 2 - 1, corner // 2 % 2 * 2 - 1, corner // 4 * 2 - 1
        s:plane_contact { ("corner %d"):format(corner), box:point { 0.2 * x, 0.15 * y, 0.1 * z },
          friction = 0.4, restitution = e }
      end
      local stepper = s:stepper { method, h = 0.01 }
      stepper:start()
      assert(stepper:step(400))
      local v, height = stepper:velocities(), stepper:positions()[3]
      for i = 1, 6 do
        check.close(v[i], 0, 1e-6)
      end
      check.close(stepper:energy(), 2 * g * height, 1e-6)
      -- On one of its faces, but for what corners had penetrated by when they closed.
      local off = math.min(math.abs(height - 0.1), math.abs(height - 0.15), math.abs(height - 0.2))
      check.close(off, 0, 0.01)
    end
  end
end
