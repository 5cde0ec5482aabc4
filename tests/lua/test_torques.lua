-- Torques on bodies and between them, against Euler's equations.
local check = require "check"
local vida = require "vida"
local takers = require "takers"

local fails, close = check.fails_here, check.close

local moments, mass = { 0.7, 1.1, 1.6 }, 2
local tilt = { axis = { 1, 2, 3 }, angle = 0.7 }
local turn = vida.vector { math.cos(0.35), math.sin(0.35) / math.sqrt(14), 2 * math.sin(0.35) / math.sqrt(14),
  3 * math.sin(0.35) / math.sqrt(14) }

local function conjugate(q)
  return { q[1], -q[2], -q[3], -q[4] }
end

local function slice(list, first, count)
  return vida.vector(table.move(list, first, first + count - 1, 1, {}))
end

-- The angular velocity of a body in space, from its coordinates and their rates from `first` on.
local function spin_of(q, v, first, as)
  if as == "quaternion" then
    return 2 * slice(vida.quaternion_product(slice(v, first, 4), conjugate(slice(q, first, 4))), 2, 3)
  end
  local w = vida.vector { 0, 0, 0 }
  for i = 0, 2 do
    w = w + 0.5 * vida.cross(slice(q, first + 3 * i, 3), slice(v, first + 3 * i, 3))
  end
  return w
end

-- ---- a free body: w = M t / J about a principal axis, with every method that takes it --------------

local function takes(system, wishes)
  local good, stepper = pcall(system.stepper, system, wishes)
  local start_good, message = good, stepper
  if good then
    start_good, message = pcall(stepper.start, stepper)
  end
  return start_good and stepper or nil, message
end

for _, as in ipairs { "quaternion", "directors" } do
  local taken = 0
  local bodies = as == "quaternion" and { "constraints", "orientations", "no chart" }
    or { "constraints", "no free bodies", "no chart" }
  for _, method in ipairs(vida.methods()) do
    local s = vida.system "spun"
    local body = s:body { "body", mass = mass, inertia = moments, as = as, orientation = tilt }
    s:torque { "thruster", body, { 0, 0, 0.8 }, frame = "body" }
    local stepper, message = takes(s, { method.name, h = 0.01 })
    takers.demand(bodies, method.name, stepper ~= nil, message)
    if stepper then
      assert(stepper:step(100))
      local w = spin_of(stepper:positions(), stepper:velocities(), 4, as)
      -- Methods of first order take the moment half a step late: 0.005 of 0.5 rad/s.
      local tolerance = method.order == 1 and 0.006 or 1e-4
      for i, expected in ipairs(vida.rotate(turn, { 0, 0, 0.8 / moments[3] })) do
        assert(math.abs(w[i] - expected) < tolerance, ("%s, %s: %g"):format(method.name, as, w[i] - expected))
      end
      taken = taken + 1
    else
      assert(message:find("not accept", 1, true) or message:find("accepts ", 1, true)
        or message:find("chart", 1, true), method.name .. ": " .. message)
    end
  end
  assert(taken == takers.count(bodies), taken .. " methods take a torque on a body as a " .. as)
end

-- From rest J a = M in any direction, in space and in the axes of the body, for a flat body as well.
for _, as in ipairs { "quaternion", "directors" } do
  for _, inertia in ipairs { moments, { 0.7, 1.1, 1.8 } } do
    for _, frame in ipairs { "space", "body" } do
      local s = vida.system "pushed"
      local given = vida.vector { 0.3, -1.1, 0.7 }
      local body = s:body { "body", mass = mass, inertia = inertia, as = as, orientation = tilt }
      s:torque { "push", body, given, frame = frame }
      local a = s:accelerations()
      local stepper = s:stepper { "rattle", h = 0.01 }
      stepper:start()
      local own = frame == "body" and given or vida.rotate(conjugate(turn), given)
      local expected = vida.rotate(turn, { own[1] / inertia[1], own[2] / inertia[2], own[3] / inertia[3] })
      local q = stepper:positions()
      if as == "quaternion" then
        local got = spin_of(q, a, 4, as)
        for i = 1, 3 do
          close(got[i], expected[i], 1e-14)
        end
      else
        for first = 4, #q, 3 do -- d'' = a x d
          local direction = vida.cross(expected, slice(q, first, 3))
          for i = 1, 3 do
            close(a[first + i - 1], direction[i], 1e-13)
          end
        end
      end
    end
  end
end

-- ---- action and reaction --------------------------------------------------------------------------

-- Forces p' on the coordinates of orientation turn the body with (p q*)/2, or sum of d_i x p_i.
local function moment_of(q, p, first, as)
  if as == "quaternion" then
    return 0.5 * slice(vida.quaternion_product(slice(p, first, 4), conjugate(slice(q, first, 4))), 2, 3)
  end
  local sum = vida.vector { 0, 0, 0 }
  for i = 0, 2 do
    sum = sum + vida.cross(slice(q, first + 3 * i, 3), slice(p, first + 3 * i, 3))
  end
  return sum
end

for _, method in ipairs { "rattle", "del-midpoint", "del-endpoint", "spark-lobatto" } do
  for _, as in ipairs { "quaternion", "directors" } do
    local s = vida.system "satellite"
    local hull = s:body { "hull", mass = 5, inertia = { 2, 3, 4 }, body_rates = { 0.2, -0.3, 0.5 }, as = as }
    local wheel = s:body { "wheel", mass = 1, inertia = moments, position = { 2, 0, 0 }, as = as,
      body_rates = { 1, 0.5, -0.2 }, orientation = tilt }
    s:torque { "motor", hull, wheel, axis = { 1, 2, 2 }, moment = 3 + vida.sin(5 * s.time) }
    s:torque { "bearing", hull, wheel, moment = { 0.1, wheel.angular_velocity.x, 0.2 } }
    local stepper = s:stepper { method, h = 0.01 }
    stepper:start()
    local width = as == "quaternion" and 4 or 9
    local function total()
      local q, p = stepper:positions(), stepper:momenta()
      return moment_of(q, p, 4, as) + moment_of(q, p, 4 + width + 3, as)
    end
    local before, wheel_before = total(), moment_of(stepper:positions(), stepper:momenta(), 7 + width, as)
    assert(stepper:step(200))
    local after = total()
    for i = 1, 3 do
      close(after[i], before[i], 1e-11)
    end
    local change = moment_of(stepper:positions(), stepper:momenta(), 7 + width, as) - wheel_before
    assert(vida.norm(change) > 1, "the wheel was not turned")
  end
end

-- ---- motors of cranks -----------------------------------------------------------------------------

local lever = 0.5
for _, as in ipairs { "quaternion", "directors", "plane" } do
  local s = vida.system { "crank", dimension = as == "plane" and 2 or 3 }
  local crank
  if as == "plane" then
    crank = s:body { "crank", mass = mass, inertia = moments[3], position = { lever, 0 } }
    s:revolute { "pin", s.ground, crank, at = { 0, 0 } }
    s:torque { "motor", s.ground, crank, moment = 3 }
  else
    crank = s:body { "crank", mass = mass, inertia = moments, position = { lever, 0, 0 }, as = as }
    s:revolute { "pin", s.ground, crank, at = { 0, 0, 0 }, axis = { 0, 0, 1 } }
    s:torque { "motor", s.ground, crank, axis = { 0, 0, 2 }, moment = 3 }
  end
  -- alpha = M / (J + m l^2); after t it has turned by alpha t^2 / 2 and the motor has done M times that
  local alpha = 3 / (moments[3] + mass * lever ^ 2)
  close(s:accelerations()["crank.y"], alpha * lever, 1e-12)
  local stepper = s:stepper { "rattle", h = 0.001 }
  stepper:start()
  assert(stepper:step(1000))
  local q = stepper:positions()
  close(q[1], lever * math.cos(alpha / 2), 1e-6)
  close(q[2], lever * math.sin(alpha / 2), 1e-6)
  close((stepper:energy()), 3 * alpha / 2, 1e-5)
end

-- A torque -c w about the axis of a hinge is a damper, in any state.
for _, as in ipairs { "quaternion", "directors" } do
  local results = {}
  for i, how in ipairs { "torque", "damper" } do
    local s = vida.system "braked"
    local first = s:body { "first", mass = mass, inertia = moments, as = as, orientation = tilt,
      body_rates = { 0.3, 0.1, 2 } }
    local second = s:body { "second", mass = 1, inertia = { 1, 2, 2.5 }, as = as,
      angular_velocity = { -1, 0.4, 0.2 } }
    local axis = { 2, -1, 2 }
    if how == "torque" then
      local own = first:direction(vida.rotate(conjugate(turn), axis))
      local rate = vida.dot(own.vector, second.angular_velocity - first.angular_velocity)
      s:torque { "brake", first, second, axis = axis, moment = -0.7 * rate }
    else
      s:torsion_damper { "brake", first, second, axis = axis, damping = 0.7 }
    end
    results[i] = s:accelerations()
  end
  for k, value in ipairs(results[1]) do
    close(value, results[2][k], 1e-12)
  end
end

-- A rod in the plane: M / (m l^2 / 12).
do
  local s = vida.system { "baton", dimension = 2 }
  local rod = s:rod { "rod", mass = 3, length = 1.2, angle = 0.4 }
  s:torque { "twist", rod, 0.6 }
  local a = s:accelerations()
  local alpha = 0.6 / (3 * 1.2 ^ 2 / 12)
  close(a["rod.ux"], -alpha * math.sin(0.4), 1e-13)
  close(a["rod.uy"], alpha * math.cos(0.4), 1e-13)
  close(a["rod.x"], 0, 0)
end

-- ---- mistakes -------------------------------------------------------------------------------------

do
  local s = vida.system "wrong"
  local body = s:body { "body", mass = mass, inertia = moments }
  local wall = s:body { "wall", fixed = true }
  local rod = s:rod { "rod", mass = 1, length = 1, direction = { 1, 0, 0 } }
  local bead = s:particle { "bead", mass = 1, position = { 1, 0, 0 } }
  local far = vida.system("other"):body { "far", mass = 1, inertia = moments }
  local lost = s:body { "lost", mass = mass, inertia = moments, guess = true }
  local function torque(text, given)
    fails(text, function() s:torque(given) end)
  end
  torque("torque 't': moment: expected three components { mx, my, mz }", { "t", body, 3 })
  torque("moment: expected three components { mx, my, mz }, N m, or one with axis = { 0, 0, 1 }, got 2",
    { "t", body, { 1, 2 } })
  torque("moment: expected three components", { "t", wall, body })
  torque("moment: with an axis, expected one number", { "t", body, { 0, 0, 1 }, axis = { 0, 0, 1 } })
  torque("moment: expected a number or an expression, got a function; for a function of time",
    { "t", body, axis = { 0, 0, 1 }, moment = function(t) return t end })
  torque("moment[2]: expected a number or an expression, got nan", { "t", body, { 1, 0 / 0, 1 } })
  torque("the moment is given twice", { "t", body, { 0, 0, 1 }, moment = { 0, 0, 1 } })
  torque("axis: a direction cannot be zero", { "t", body, 1, axis = { 0, 0, 0 } })
  torque("frame: expected \"space\" or \"body\"", { "t", body, { 0, 0, 1 }, frame = "bodies" })
  torque("unknown key 'momnt'; did you mean 'moment'?", { "t", body, momnt = 3 })
  torque("all its ends are fixed", { "t", wall, { 0, 0, 1 } })
  torque("all its ends are fixed", { "t", s.ground, wall, moment = { 0, 0, 1 } })
  torque("both ends are on 'body'", { "t", body, body, moment = { 0, 0, 1 } })
  torque("rod 'rod' has no orientation about its axis; give it forces at rod.head and rod.tail",
    { "t", rod, { 0, 0, 1 } })
  torque("a particle ('bead') has no orientation", { "t", bead, { 0, 0, 1 } })
  torque("second entry: body 'far' belongs to another system", { "t", far, { 0, 0, 1 } })
  torque("second entry: expected a body", { "t", 3, body })
  torque("this direction is one of body 'wall', on which the torque does not act",
    { "t", body, 1, axis = wall:direction { 0, 0, 1 } })
  torque("use a direction of the body, as in axis = body:direction { 0, 0, 1 }",
    { "t", lost, body, moment = 1, axis = { 0, 0, 1 } })
  s:torque { "t", lost, body, moment = 1, axis = lost:direction { 0, 0, 1 } }
  local plane = vida.system { "plane", dimension = 2 }
  local disc = plane:body { "disc", mass = 1, inertia = 1 }
  fails("moment: expected a number or an expression, N m, got a table",
    function() plane:torque { "t", disc, { 0, 0, 1 } } end)
  fails("unknown key 'axis'; known are: moment",
    function() plane:torque { "t", disc, 1, axis = { 0, 0, 1 } } end)
  fails("torque: expected a system before it, with a colon", function() plane.torque { "t", disc, 1 } end)
end
