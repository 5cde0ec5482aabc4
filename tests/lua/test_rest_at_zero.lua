-- Bodies that rest where the terms of their gap vanish: violations that are rounding are none.
local check = require "check"
local vida = require "vida"

local g = 9.81

-- A ball with restitution e from the height of one metre is at rest after t1 (1 + 2 e / (1 - e)) with
-- t1 = sqrt(2 / g), and stays there; it does so again from a second start.
local function fall(case, e, kind)
  local rest = math.sqrt(2 / g) * (1 + 2 * e / (1 - e))
  local s = vida.system { "ball", dimension = 2 }
  s:gravity { 0, -g }
  local gap
  if kind == "body" then
    gap = s:body { "ball", mass = 2, inertia = 0.1, position = { 0, 1 } }.position[2]
  else
    gap = s:particle { "ball", mass = 2, position = { 0, 1 } }.y
  end
  s:contact { "floor", gap = gap, restitution = e }
  local stepper = s:stepper(case)
  for _ = 1, 2 do
    stepper:start()
    local good, message = stepper:step(math.ceil(5 / case.h))
    assert(good, ("%s, e = %g: %s"):format(case[1], e, tostring(message)))
    local events = stepper:events()
    local last = events[#events]
    assert(last.kind == "rest", case[1])
    check.close(last.t, rest, 1e-6)
    check.close(stepper:positions()[2], 0, 1e-14)
    check.close(stepper:velocities()[2], 0, 1e-14)
  end
end
for _, case in ipairs { { "rattle", h = 0.1 }, { "del-midpoint", h = 0.07 }, { "energy-momentum", h = 0.1 },
  { "generalized-alpha", h = 0.013 }, { "spark-lobatto", h = 0.1 }, { "radau", h = 0.1 } } do
  fall(case, 0.8)
end
-- Methods that make their steps with those of another method.
for _, name in ipairs { "compose", "symmetric-multistep", "rattle-variable" } do
  for _, e in ipairs { 0, 0.3, 0.8 } do
    for _, kind in ipairs { "particle", "body" } do
      fall({ name, h = 0.013 }, e, kind)
    end
  end
end

-- A block on a spring rubs on a floor and turns: half periods pi sqrt(m / k) apart its places have
-- alternating signs, and each is 2 mu m g / k nearer.
local m, k, mu, x0 = 1.1, 30, 0.1, 0.3
local half = math.pi * math.sqrt(m / k)
for _, h in ipairs { 0.025, 0.01, 0.005 } do
  for _, method in ipairs { "rattle", "del-midpoint", "generalized-alpha" } do
    local s = vida.system { "block", dimension = 2 }
    s:gravity { 0, -g }
    local block = s:particle { "block", mass = m, position = { x0, 0 } }
    s:potential(k / 2 * block.x ^ 2)
    s:contact { "floor", gap = block.y, friction = mu, slip = { block.vx } }
    local stepper = s:stepper { method, h = 2 * half / math.ceil(2 * half / h) }
    stepper:start()
    assert(stepper:step(math.ceil(2 * half / h)))
    check.close(stepper:positions()[1], x0 - 4 * mu * m * g / k, 20 * h ^ 2)
    check.close(stepper:positions()[2], 0, 1e-15)
  end
end

-- A block on an inclined plane stays where it is if mu > tan(angle) (Coulomb), in the origin of both
-- coordinates as elsewhere: at the origin, or near it, only rounding and the fall in a step have a size.
for _, name in ipairs { "coordinate-projection", "cvode-projected", "extrapolation", "half-explicit",
  "post-stabilized", "radau", "rattle", "hht", "energy-momentum", "ida-ggl" } do
  for _, place in ipairs { 0, 1e-20, 1e-12, 1 } do
    for i = 1, 40 do
      local angle = i * math.pi / 84
      local cosine, sine = math.cos(angle), math.sin(angle)
      local s = vida.system { "incline", dimension = 2 }
      s:gravity { 0, -g }
      local block = s:particle { "block", mass = 1, position = { place * cosine, -place * sine } }
      s:contact { "plane", gap = sine * block.x + cosine * block.y, friction = 1.2 * sine / cosine,
        slip = cosine * block.vx - sine * block.vy }
      local stepper = s:stepper { name, h = 0.05 }
      stepper:start()
      local good, message = stepper:step(10)
      assert(good, ("%s at %g on %d of 84: %s"):format(name, place, i, tostring(message)))
      check.close(stepper:positions()[1], place * cosine, 1e-13)
      check.close(stepper:positions()[2], -place * sine, 1e-13)
    end
  end
end
