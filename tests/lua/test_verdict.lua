-- One verdict for all methods: none ends "ok" where a constraint jumps, where no motion follows the start,
-- or where a conserved energy is lost, without a word.
local check = require "check"
local mechanism = require "mechanism"
local vida = require "vida"
local takers = require "takers"

-- A row for each method of the registry that takes the system, at step h or tolerance rtol. Systems have
-- constraints, and these properties besides (takers.lua).
local function each_row(make, wishes, judge)
  local properties = { "constraints", "no free bodies", "no chart", wishes.property }
  for _, method in ipairs(vida.methods()) do
    local adaptive = check.is_adaptive(method)
    local system, reference = make()
    local row = vida.compare { system = system, time = wishes.time, reference = reference, methods = {
      { method.name, h = adaptive and wishes.time / 20 or wishes.h, rtol = adaptive and wishes.rtol or nil },
    } }:run { quiet = true }[1]
    takers.demand(properties, method.name, row.status ~= "NOT_SUPPORTED", row.message)
    if row.status ~= "NOT_SUPPORTED" then
      judge(row, ("%s: %s: %s"):format(row.method, row.status, row.message))
    end
  end
end

-- ---- rows that jump -------------------------------------------------------------------------------

-- A spindle's arm e turns at 2 rad/s; a nut of the lead 0.1 m/rad goes with it. The two masses turn and
-- move steadily: e = (cos 2t, sin 2t), nut = (0.2 t, 0).
local function screw(thread)
  local s = vida.system { "screw", dimension = 2 }
  local e = s:particle { "e", mass = 1, position = { 1, 0 }, velocity = { 0, 2 } }
  s:distance { "rod", s.ground, e, length = 1 }
  local nut = s:particle { "nut", mass = 1, position = { 0, 0 }, velocity = { 0.2, 0 } }
  s:constraint { "lift", nut.position.y }
  s:constraint { "thread", nut.position.x - 0.1 * thread(s, e.position), unit = "m" }
  return s
end

local two_turns = 2 * math.pi -- s
local function test_wrapped()
  local function make()
    return screw(function(_, e) return vida.atan2(e.y, e.x) end)
  end
  local wishes = { time = two_turns, h = two_turns / 200, rtol = 1e-5, property = "curve" }
  each_row(make, wishes, function(row, what)
    assert(row.status == "CONSTRAINT_JUMPS" and row.t_end <= math.pi / 2 + 1e-9, what)
    assert(row.message:find("'thread' jumps by 0.628 near t = 1.5", 1, true), what)
    assert(row.message:find("system:angle", 1, true), what)
  end)
end

-- The same with the angle of the spindle itself as a coordinate: the gradient of the row is the same on both
-- sides of the cut, so Newton's method may find a step across it, to a nut that is 0.628 m behind. The angle
-- is 0.1 + 3 t: the cut is at t = (pi - 0.1) / 3.
local function each_nut(angle, judge)
  each_row(function()
    local s = vida.system { "screw" }
    local th, w = s:coordinate { "th", value = 0.1, rate = 3, unit = "rad" }
    local x, v = s:coordinate { "x", value = 0.01, rate = 0.3, unit = "m" }
    s:kinetic(0.5 * w ^ 2 + 0.5 * v ^ 2)
    s:constraint { "nut", x - 0.1 * angle(th), unit = "m" }
    return s
  end, { time = 4, h = 0.01, rtol = 1e-7, property = "curve" }, function(row, what)
    assert(row.status ~= "ok" and row.t_end <= (math.pi - 0.1) / 3 + 1e-9, what)
    judge(row, what)
  end)
end

local function test_wrapped_coordinate()
  each_nut(function(th) return vida.atan2(vida.sin(th), vida.cos(th)) end, function(row, what)
    assert(row.status == "CONSTRAINT_JUMPS", what)
    assert(row.message:find("'nut' jumps by 0.628 near t = ", 1, true), what)
  end)
  -- Where the quotient is infinite, a step may also end in a division by zero.
  each_nut(function(th) return 2 * vida.atan(vida.sin(th) / (1 + vida.cos(th))) end, function() end)
end

-- A switch in a row that is linear beside: 0.3 m to the side at y = 0.505 m, at the speed of 1 m/s.
local function test_switch()
  each_row(function()
    local s = vida.system { "rail", dimension = 2 }
    local p = s:particle { "p", mass = 1, position = { 0, 0 }, velocity = { 0, 1 } }
    s:constraint { "rail", p.position.x - vida.where(vida.less(p.position.y, 0.505), 0, 0.3) }
    return s
  end, { time = 1, h = 0.01, rtol = 1e-5, property = "comparison" }, function(row, what)
    assert(row.status == "CONSTRAINT_JUMPS" and row.t_end < 0.51, what)
    assert(row.message:find("'rail' jumps by 0.3 near t = 0.50", 1, true), what)
  end)
end

-- The same screw with an angle that counts turns.
local function test_counted()
  each_row(function()
    local s = screw(function(s, e) return (s:angle { "turned", of = { e.x, e.y }, value = 0 }) end)
    return s, function(t)
      return { positions = { math.cos(2 * t), math.sin(2 * t), 0.2 * t, 0, 2 * t },
        velocities = { -2 * math.sin(2 * t), 2 * math.cos(2 * t), 0.2, 0, 2 } }
    end
  end, { time = two_turns, h = two_turns / 400, rtol = 1e-6, property = "no mass" }, function(row, what)
    -- h^2 of the coarsest, which are damped
    assert(row.status == "ok" and row.position_error < 5e-3, what)
  end)
end

-- In space, between the ground and a body on a hinge: two turns and more, counted from two on.
local function test_spindle()
  local s = vida.system { "spindle" }
  local spindle = s:body { "spindle", mass = 1, inertia = { 1, 1, 0.5 }, angular_velocity = { 0, 0, 2 } }
  s:revolute { "bearing", s.ground, spindle, at = { 0, 0, 0 }, axis = { 0, 0, 1 } }
  local angle, rate = s:angle { "turned", s.ground, spindle, axis = { 0, 0, 1 }, value = 4 * math.pi }
  for _, wishes in ipairs { { "radau", rtol = 1e-9, h = 0.5 }, { "ida-ggl", rtol = 1e-9, h = 0.5 },
    { "post-stabilized", rtol = 1e-9, h = 0.5 } } do
    local stepper = s:stepper(wishes)
    stepper:start()
    assert(stepper:step(16))
    local q, v = stepper:positions(), stepper:velocities()
    check.close(q[#q], 4 * math.pi + 2 * stepper:time(), 1e-5)
    check.close(v[#v], 2, 1e-5)
  end
  check.fails("value: expected the angle", function()
    s:angle { "none", of = { angle, rate } }
  end)
  check.fails("either two ends or of", function()
    s:angle { "both", s.ground, spindle, of = { angle, rate } }
  end)
end

-- ---- starts ---------------------------------------------------------------------------------------

-- Three rods on a line; velocities (0, w) of the middle, and of the ends.
local function molecule(middle, left, right)
  local s = vida.system { "CO2", dimension = 2 }
  local c = s:particle { "C", mass = 12, position = { 0, 0 }, velocity = { 1, middle } }
  local a = s:particle { "O1", mass = 16, position = { -1.16, 0 }, velocity = { 1, left } }
  local b = s:particle { "O2", mass = 16, position = { 1.16, 0 }, velocity = { 1, right } }
  s:distance { "left", c, a, length = 1.16 }
  s:distance { "right", c, b, length = 1.16 }
  s:distance { "whole", a, b, length = 2.32 }
  return s
end

-- Second derivatives of the three lengths, each times its length, are d.d'' + |d'|^2 = 0: with d along the
-- line they contradict each other unless the middle moves as the mean of the ends.
local function test_bending()
  each_row(function() return molecule(2, -1, 0.5) end, { time = 0.1, h = 0.01, rtol = 1e-5 },
    function(row, what)
      assert(row.status == "SINGULAR_START" and row.message:find("velocities", 1, true), what)
    end)
end

-- Four points in a plane with six rods, one of which rises from it.
local function test_plane()
  each_row(function()
    local s = vida.system "tetrahedron"
    local places = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 }, { 1, 1, 0 } }
    local points = {}
    for i, place in ipairs(places) do
      points[i] = s:particle { "p" .. i, mass = i, position = place, velocity = { 0, 0, i == 4 and 1 or 0 } }
      for k = 1, i - 1 do
        local dx, dy = place[1] - places[k][1], place[2] - places[k][2]
        s:distance { ("rod %d %d"):format(k, i), points[k], points[i], length = math.sqrt(dx ^ 2 + dy ^ 2) }
      end
    end
    return s
  end, { time = 0.1, h = 0.01, rtol = 1e-5 }, function(row, what)
    assert(row.status == "SINGULAR_START", what)
  end)
end

-- Turning as one, at 0.5/1.16 rad/s: rows depend on each other, and do not contradict each other.
local function test_turning()
  local k, w = 1.16, 0.5 / 1.16
  each_row(function()
    return molecule(2, 1.5, 2.5), function(t)
      local x, y, dx, dy = t, 2 * t, k * math.cos(w * t), k * math.sin(w * t)
      return { positions = { x, y, x - dx, y - dy, x + dx, y + dy },
        velocities = { 1, 2, 1 + w * dy, 2 - w * dx, 1 - w * dy, 2 + w * dx } }
    end
  end, { time = 1, h = 0.01, rtol = 1e-6 }, function(row, what)
    assert(row.status == "ok" and row.position_error < 1e-3, what)
  end)
end

-- ---- energy -----------------------------------------------------------------------------------------

-- A method that damps, at a step of a quarter of a period: the pendulum's energy is that of its height at
-- most, 2 * 9.81 J, and what is lost of it is told; at small steps there is nothing to tell.
local function test_lost_energy()
  local rows = vida.compare { system = (check.plain_pendulum()), time = 20, methods = {
    { "generalized-alpha", h = { 0.4, 0.01 }, rho = 0 }, { "energy-momentum", h = 0.1 },
  } }:run { quiet = true }
  for _, row in ipairs(rows) do
    local says = row.message:find("the energy is too low by", 1, true)
      or row.message:find("the energy is too high by", 1, true)
    assert(row.status ~= "ok" or (says ~= nil) == (row.energy_error > 0.5 * 9.81), row.message)
  end
  assert(rows[1].message:find("the energy is too low by", 1, true), rows[1].message)
end

-- Two windows of rigid rods fall flat: 35.83 J in all, which projections onto the singular pose lose or
-- make more of. A run that says nothing of its energy has kept it to a tenth. With pivots by size and
-- absolute tolerances below rounding, which force steps into the pose; otherwise no run loses energy.
local function test_windows()
  local s = vida.system { "windows", dimension = 2 }
  local left
  s:gravity { 0, -9.81 }
  for i = 0, 2 do
    local up = s:rod { "A" .. i, mass = 1, length = 1, centre = { i, 0.5 }, angle = math.pi / 2,
      velocity = { 0.5, 0 }, angular_velocity = -1 }
    s:ball { "foot " .. i, s:anchor { i, 0 }, up.tail }
    if left then
      local across = s:rod { "B" .. i, mass = 1, length = 1, centre = { i - 0.5, 1 }, angle = 0,
        velocity = { 1, 0 }, angular_velocity = 0 }
      s:ball { "left " .. i, left.head, across.tail }
      s:ball { "right " .. i, across.head, up.head }
    end
    left = up
  end
  local told = 0
  for _, name in ipairs { "post-stabilized", "coordinate-projection", "cvode-projected" } do
    local rows = vida.compare { system = s, time = 1, methods = {
      { name, rtol = { 1e-2, 1e-3, 1e-4, 1e-6 }, atol = 1e-13, h = 0.05, max_steps = 2000,
        linear_solver = "klu" },
    } }:run { quiet = true }
    for _, row in ipairs(rows) do
      local says = row.message:find("the energy is too", 1, true)
      assert(row.status ~= "ok" or says or row.energy_error < 0.1 * 35.84, row.message)
      told = told + (says and 1 or 0)
    end
  end
  assert(told > 0, "no run loses its energy: the test tests nothing")
end

-- A governor whose sleeve of 2 kg a damper of 4e4 N s/m brakes: explicit methods are stable below 2.8 times
-- 2 kg / 4e4 N s/m or so. What they make of longer steps is no other branch of the constraints.
local function test_explicit_on_stiff()
  local s = vida.system "stiff governor"
  s:gravity { 0, 0, -9.81 }
  local left = s:particle { "left", mass = 1, position = { -0.6, 0, -0.8 }, velocity = { 0, -3, 0 } }
  local right = s:particle { "right", mass = 1, position = { 0.6, 0, -0.8 }, velocity = { 0, 3, 0 } }
  local sleeve = s:particle { "sleeve", mass = 2, position = { 0, 0, -1.6 } }
  s:constraint { "x", sleeve.x }
  s:constraint { "y", sleeve.y }
  for _, arm in ipairs { left, right } do
    s:distance { "upper " .. arm.name, s.ground, arm, length = 1 }
    s:distance { "lower " .. arm.name, sleeve, arm, length = 1 }
  end
  s:spring { "spring", s.ground, sleeve, stiffness = 8e5, length = 1.6 }
  s:damper { "damper", s.ground, sleeve, damping = 4e4 }
  for _, name in ipairs { "baumgarte", "stabilized-ode", "post-stabilized", "coordinate-projection",
    "coordinate-partitioning" } do
    local rows = vida.compare { system = s, time = 0.1, methods = { { name, h = { 1e-3, 1e-4 } } } }
      :run { quiet = true }
    assert(rows[1].status ~= "ok" and rows[1].status ~= "OTHER_BRANCH", name .. ": " .. rows[1].status)
    assert(rows[2].status == "ok", name .. ": " .. rows[2].message)
  end
end

-- A step that fails is the same step the next time, so it fails again, for the same reason: the guess, too,
-- is that of the first time. A double pendulum with a light bob, at steps that are too large for it. After a
-- failure half-explicit does not have the factors of its last stage any more, and makes another projection.
local function test_refused_again()
  local failed = 0
  for _, method in ipairs(vida.methods()) do
    for _, h in ipairs { 0.7, 0.5, 0.4, 0.3, 0.25 } do
      local s = vida.system { "light bob", dimension = 2 }
      s:gravity { 0, -9.81 }
      local a = s:particle { "a", mass = 1, position = { 0.6, -0.8 }, velocity = { 0, 0 } }
      local b = s:particle { "b", mass = 0.001, position = { 1.2, 0 }, velocity = { 3, -9 / 4 } }
      s:distance { "upper", s.ground, a, length = 1 }
      s:distance { "lower", a, b, length = 1 }
      local takes, stepper = pcall(s.stepper, s, { method.name, h = h })
      takes = takes and not check.is_adaptive(method) and method.name ~= "half-explicit"
        and pcall(stepper.start, stepper, { adjust_start = true })
      local going, message = takes, nil
      for _ = 1, going and 60 or 0 do
        going, message = stepper:step()
        if not going then break end
      end
      if takes and not going then
        failed = failed + 1
        for _ = 1, 2 do
          local again, other = stepper:step()
          assert(not again and other == message,
            ("%s, h = %g: %s; then: %s"):format(method.name, h, message, other or "ok"))
        end
      end
    end
  end
  assert(failed > 20, failed)
end

mechanism.run { { "wrapped angle", test_wrapped },
  { "wrapped coordinate", test_wrapped_coordinate }, { "switch", test_switch },
  { "counted angle", test_counted },
  { "spindle", test_spindle }, { "bending", test_bending }, { "plane", test_plane },
  { "turning", test_turning }, { "lost energy", test_lost_energy }, { "windows", test_windows },
  { "explicit on stiff", test_explicit_on_stiff }, { "refused again", test_refused_again } }
