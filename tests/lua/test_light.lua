-- Masses that are small beside others, down to none: what constraints determine is found, whatever the
-- mass, by every method that takes it; what nothing determines is refused by name.
local vida = require "vida"
local takers = require "takers"
local check = require "check"

local g = 9.81

-- ---- a movable pulley without weight --------------------------------------------------------------

-- Three weights on two ropes, the upper one over a pulley P that hangs on the lower one. Newton's laws
-- for a, b, c of 1, 2, 4 kg and rope forces S (upper) and 2 S (lower): a = 3 g / 5, b = c = -g / 5,
-- S = 8 g / 5.
local function pulley(mass)
  local s = vida.system { "pulley", dimension = 1 }
  s:gravity { -g }
  local a = s:particle { "a", mass = 1, position = { -3 } }
  local b = s:particle { "b", mass = 2, position = { -4 } }
  local c = s:particle { "c", mass = 4, position = { -2 } }
  local p = s:particle { "P", mass = mass, position = { -1 } }
  s:constraint { "lower", c.x + p.x + 3 }
  s:constraint { "upper", a.x + b.x - 2 * p.x + 5 }
  return s
end

-- What takes the system runs for `time` and is within its bound of the positions and multipliers of
-- exact(t), which are lists; how many methods did. Adaptive ones at their default tolerances. Where a
-- step may fail, what ends it names `culprit`.
local function run_all(make, time, exact, bounds, culprit)
  local right, refused = 0, {}
  local function compare(name, stepper)
    local bound = bounds[name] or bounds.default
    local positions, multipliers = exact(stepper:time())
    local q, lambda = stepper:positions(), stepper:multipliers()
    for i, value in ipairs(positions) do
      assert(math.abs(q[i] - value) < bound, ("%s: coordinate %d is %.17g, not %.17g"):format(name, i, q[i],
        value))
    end
    for r, value in ipairs(multipliers or {}) do
      assert(lambda[r] ~= lambda[r] or math.abs(lambda[r] - value) < math.abs(value) * bound,
        ("%s: multiplier %d is %.17g, not %.17g"):format(name, r, lambda[r], value))
    end
  end
  for _, method in ipairs(vida.methods()) do
    local system = make()
    local good, stepper = pcall(function()
      local stepper = system:stepper { method.name, h = 0.01 }
      stepper:start()
      return stepper
    end)
    if good then
      local stepped, message = stepper:step(math.floor(time / 0.01 + 0.5))
      if stepped then
        compare(method.name, stepper)
        right = right + 1
      else
        assert(culprit and message:find(culprit, 1, true), method.name .. ": " .. message)
      end
    else
      refused[method.name] = stepper
    end
  end
  return right, refused
end

-- All methods that have to take a system of particles on rods are right, and no other one takes it.
local function expect_all(right, refused, has_mass, what)
  local properties = { "constraints", "no free bodies", "no chart", has_mass and "light masses" or "no mass" }
  for _, method in ipairs(vida.methods()) do
    takers.demand(properties, method.name, not refused[method.name], refused[method.name])
  end
  assert(right == takers.count(properties), ("%s: %d are right"):format(what, right))
end

local adaptive = { default = 1e-9 }
for _, name in ipairs { "ida-index3", "ida-index2", "ida-ggl", "ida-index1", "ida-projected",
  "cvode-projected" } do
  adaptive[name] = 1e-4
end

local function test_pulley()
  for _, mass in ipairs { 1e-11, 1e-15, 1e-30, 1e-300, 0 } do
    local right, refused = run_all(function() return pulley(mass) end, 0.5, function(t)
      local x = g * t ^ 2 / 10
      return { -3 + 3 * x, -4 - x, -2 - x, -1 + x }, { -16 * g / 5, -8 * g / 5 }
    end, adaptive)
    expect_all(right, refused, mass > 0, ("mass %g"):format(mass))
    if mass == 0 then
      for _, name in ipairs { "energy-momentum-projected", "energy-momentum-ggl", "average-vector-field",
        "itoh-abe",
        "spark-lobatto" } do
        assert(refused[name]:find("'P.x'", 1, true), refused[name])
      end
    end
  end
end

-- ---- a coordinate without mass that follows another -----------------------------------------------

-- A pendulum released from the horizontal after a second, by elliptic integrals to 15 digits: it is what
-- steps of the same pendulum without the follower give, so that is what the two are compared with.
local function pendulum(follows)
  local s = vida.system { "pendulum", dimension = 2 }
  s:gravity { 0, -g }
  local bob = s:particle { "bob", mass = 1, position = { 1, 0 } }
  s:distance { "rod", s.ground, bob, length = 1 }
  if follows then
    local u = s:coordinate { "u", value = 1, rate = 0 }
    s:constraint { "u is x", u - bob.x }
  end
  return s
end

local function test_follower()
  local reference = pendulum():stepper { "radau", h = 1e-3 }
  reference:start()
  reference:step(1000)
  local q = reference:positions()
  local right, refused = run_all(function() return pendulum(true) end, 1, function()
    return { q[1], q[2], q[1] }
  end, { default = 4e-3 })
  expect_all(right, refused, false, "follower")
  for stages = 2, 4 do
    check.fails("'u'", function()
      pendulum(true):stepper({ "spark-lobatto", stages = stages, h = 0.01 }):start()
    end)
  end
  assert(refused["spark-lobatto"]:find("these can", 1, true), refused["spark-lobatto"])
end

-- ---- corners ---------------------------------------------------------------------------------------

-- A rigid triangle that hangs on a corner swings as the pendulum of its one mass.
local function test_triangle()
  local function make()
    local s = vida.system { "triangle", dimension = 2 }
    s:gravity { 0, -g }
    local a = s:particle { "a", mass = 1, position = { 1, 0 } }
    local b = s:particle { "b", mass = 0, position = { 0.5, 0.5 } }
    s:distance { "ga", s.ground, a, length = 1 }
    s:distance { "gb", s.ground, b, length = math.sqrt(0.5) }
    s:distance { "ab", a, b, length = math.sqrt(0.5) }
    return s
  end
  local reference = pendulum():stepper { "radau", h = 1e-3 }
  reference:start()
  reference:step(1000)
  local x, y = table.unpack(reference:positions())
  local right, refused = run_all(make, 1, function()
    return { x, y, (x - y) / 2, (x + y) / 2 }
  end, { default = 4e-3 })
  expect_all(right, refused, false, "triangle")
end

-- A straight pendulum of two rods with a bead between them, turned by `angle`.
local function beaded(mass, angle)
  local s = vida.system { "beaded", dimension = 2 }
  local c, d = math.cos(angle), math.sin(angle)
  s:gravity { 0, -g }
  local bead = s:particle { "bead", mass = mass, position = { 0.5 * c, 0.5 * d } }
  local bob = s:particle { "bob", mass = 1, position = { c, d } }
  s:distance { "upper", s.ground, bead, length = 0.5 }
  s:distance { "lower", bead, bob, length = 0.5 }
  return s
end

-- Across its rods the bead has nothing to go by. At an angle that does not lie along an axis, rounding
-- would otherwise take the place of a mass.
local function test_bead()
  for _, angle in ipairs { 0, 0.3, -1.1 } do
    for _, mass in ipairs { 0, 1e-300 } do
      local is_lost = mass == 0 or angle ~= 0
      for _, method in ipairs(vida.methods()) do
        local system = beaded(mass, angle)
        local good, message = pcall(function()
          local stepper = system:stepper { method.name, h = 0.01 }
          stepper:start()
        end)
        assert(not (good and is_lost), method.name)
        assert(good or message:find("'bead.", 1, true) or message:find("NOT_SUPPORTED", 1, true)
          or message:find("; these can", 1, true) or message:find("no other method", 1, true)
          or message:find("needs a chart", 1, true), method.name .. ": " .. tostring(message))
      end
    end
  end
end

-- A step that a light bead makes stiff either is right, or what ends it names the bead.
local function test_stiff_bead()
  local reference = pendulum():stepper { "radau", h = 1e-3 }
  reference:start()
  reference:step(200)
  local q = reference:positions()
  local right = 0
  for _, name in ipairs { "rattle", "del-midpoint", "compose", "energy-momentum", "radau", "hht",
    "post-stabilized", "coordinate-projection", "ida-index3" } do
    local stepper = beaded(1e-300, 0):stepper { name, h = 0.01 }
    stepper:start()
    local good, message = stepper:step(20)
    if good then
      check.close(stepper:positions()[3], q[1], 1e-2)
      right = right + 1
    else
      assert(message:find("'bead.", 1, true), name .. ": " .. message)
    end
  end
  local stepper = beaded(1e-15, 0):stepper { "radau", h = 0.01 }
  stepper:start()
  assert(stepper:step(20))
  check.close(stepper:positions()[3], q[1], 1e-7)
end

-- Beside what is joined to nothing there is no mass to compare with.
local function test_refused()
  local s = vida.system { "loose", dimension = 2 }
  s:particle { "speck", mass = 0, position = { 0, 0 } }
  s:particle { "stone", mass = 1, position = { 1, 0 } }
  check.fails("coordinate 'speck.x' has no mass", function() s:stepper { "rattle", h = 0.1 } end)
  check.fails("mass: expected a non-negative number, got -1", function()
    vida.system "x":particle { "p", mass = -1, position = { 0, 0, 0 } }
  end)
end

-- ---- a mass on a light tail is its own ------------------------------------------------------------

-- A pendulum of 1e-20 kg that hangs on a fixed bob of 1 kg, both free to move: the bob stays on its
-- line, the tail swings as a pendulum of its length.
local function test_tail()
  local function make()
    local s = vida.system { "tail", dimension = 2 }
    s:gravity { 0, -g }
    local bob = s:particle { "bob", mass = 1, position = { 0, 0 } }
    local tail = s:particle { "tail", mass = 1e-20, position = { 1, 0 } }
    s:constraint { "x", bob.x }
    s:constraint { "y", bob.y }
    s:distance { "rod", bob, tail, length = 1 }
    return s
  end
  local reference = pendulum():stepper { "radau", h = 1e-3 }
  reference:start()
  reference:step(1000)
  local x, y = table.unpack(reference:positions())
  local right = run_all(make, 1, function()
    return { 0, 0, x, y }
  end, { default = 5e-3 }, "'tail.x'")
  -- Those that stabilize the rod and do not project it may end at the tail, as run_all demands.
  local stabilized = 2 -- baumgarte, stabilized-ode
  assert(right >= takers.count { "constraints", "no free bodies", "no chart" } - stabilized, right)
end

-- ---- light bodies on two hinges -------------------------------------------------------------------

-- A chain of bodies that turn about y. A second hinge on each axis changes no motion: that of the chain with
-- one is the independent computation.
local function test_two_hinges()
  local function chain(masses, hinges)
    local s = vida.system "chain"
    s:gravity { 0, 0, -g }
    local last = s.ground
    for i, mass in ipairs(masses) do
      local body = s:body { "b" .. i, mass = mass, inertia = { 0.1 * mass, 0.2 * mass, 0.3 * mass },
        position = { i - 0.5, 0, 0 } }
      for k = 1, hinges do
        s:revolute { ("h%d %d"):format(i, k), last, body, at = { i - 1, 0.4 * (k - 1), 0 },
          axis = { 0, 1, 0 } }
      end
      last = body
    end
    return s
  end
  for _, masses in ipairs { { 1, 1e3, 1e-3, 1e3 }, { 1, 1e3, 1e-3 }, { 1e-3, 1e3, 1 }, { 1e6, 1e-3 } } do
    for _, method in ipairs { "rattle", "del-midpoint", "radau" } do
      local place = {}
      for hinges = 1, 2 do
        local stepper = chain(masses, hinges):stepper { method, h = 0.01 }
        stepper:start()
        assert(stepper:step(20))
        place[hinges] = stepper:positions()
      end
      for i, q in ipairs(place[2]) do
        check.close(q, place[1][i], 1e-8)
      end
    end
  end
end

local mechanism = require "mechanism"
mechanism.run { { "two hinges", test_two_hinges },
  { "pulley", test_pulley }, { "follower", test_follower }, { "triangle", test_triangle },
  { "bead", test_bead }, { "stiff bead", test_stiff_bead }, { "refusals", test_refused },
  { "tail", test_tail } }

-- c + P and a + b - 2 P are constant, and with them the velocities: methods with a second set of multipliers
-- for the hidden constraints keep them beside any mass.
for _, mass in ipairs { 1e-3, 1e-9, 1e-12, 1e-18 } do
  for _, name in ipairs { "energy-momentum-ggl", "energy-momentum-projected", "energy-collocation" } do
    local stepper = pulley(mass):stepper { name, h = 0.01 }
    stepper:start()
    assert(stepper:step(50))
    local v = stepper:velocities()
    check.close(v[3] + v[4], 0, 1e-12)
    check.close(v[1] + v[2] - 2 * v[4], 0, 1e-12)
    check.close(v[1], 0.6 * g * 0.5, 1e-2 * mass ^ 0.25)
  end
end
