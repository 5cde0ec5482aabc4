-- Contacts of shapes, and limits of joints, against closed forms.
local check = require "check"
local vida = require "vida"

local g = 9.81

local run, times_of = check.run, check.times_of

-- ---- a point of a body against a plane: the end of a falling rod hits the floor ---------------------------
-- The impulse is (1 + e) v / (1 / m + r^2 cos(a)^2 / I).
for _, method in ipairs { "rattle", "del-midpoint", "radau" } do
  local m, r, angle, e, v = 3, 0.5, 0.4, 0.6, 2
  local inertia = m * (2 * r) ^ 2 / 12
  local s = vida.system { "rod", dimension = 2 }
  local rod = s:body { "rod", mass = m, inertia = inertia, angle = angle, velocity = { 0.3, -v },
    position = { 0, r * math.sin(angle) + 0.1 } }
  for name, at in pairs { head = r, tail = -r } do
    s:plane_contact { name, rod:point { at, 0 }, restitution = e }
  end
  local stepper = run(s, { method, h = 0.02 }, 0.06)
  check.close(times_of(stepper, "impact", "tail")[1], 0.1 / v, 1e-12)
  local impulse = (1 + e) * v / (1 / m + r ^ 2 * math.cos(angle) ^ 2 / inertia)
  local after = stepper:velocities()
  check.close(after[1], 0.3, 1e-14)
  check.close(after[2], -v + impulse / m, 1e-11)
  check.close(after[3], -r * math.cos(angle) * impulse / inertia, 1e-11)
end

-- ---- spheres: with a plane whose normal is oblique, and with each other -----------------------------------
-- Two spheres meet where their distance is the sum of the radii; without friction only the velocities along
-- the line of centres change.
for _, method in ipairs { "rattle", "energy-momentum", "radau" } do
  local s = vida.system "spheres"
  local n, e, m = vida.vector { 0.6, 0, 0.8 }, 0.5, { 2, 3 }
  local one = s:particle { "one", mass = m[1], position = { 0, 0, 0 }, velocity = { 1, 0.2, 0 } }
  local two = s:particle { "two", mass = m[2], position = { 2, 0.5, 0.3 }, velocity = { -1, 0, 0 } }
  s:sphere_contact { "spheres", one, two, radii = { 0.4, 0.6 }, restitution = e }
  s:plane_contact { "incline", one, radius = 0.4, normal = { 0.6, 0, 0.8 }, height = -1.4, restitution = e }
  local stepper = run(s, { method, h = 0.1 }, 0.8)
  -- |d + w t| = 1
  local d, w = vida.vector { 2, 0.5, 0.3 }, vida.vector { -2, -0.2, 0 }
  local dw, ww = vida.dot(d, w), vida.dot(w, w)
  local t = (-dw - math.sqrt(dw ^ 2 - ww * (vida.dot(d, d) - 1))) / ww
  check.close(times_of(stepper, "impact", "spheres")[1], t, 1e-13)
  local along = d + t * w
  local impulse = (1 + e) * -vida.dot(w, along) / (1 / m[1] + 1 / m[2])
  local after = stepper:velocities()
  local v1 = vida.vector { 1, 0.2, 0 } - impulse / m[1] * along
  for i = 1, 3 do
    check.close(after[i], v1[i], 1e-12)
    check.close(after[3 + i], (i == 1 and -1 or 0) + impulse / m[2] * along[i], 1e-12)
  end
  -- The first one then flies to the incline.
  local wall = t + (vida.dot(n, vida.vector { t, 0.2 * t, 0 }) + 1) / -vida.dot(n, v1)
  stepper = run(s, { method, h = 0.1 }, math.ceil(wall / 0.1) * 0.1)
  check.close(times_of(stepper, "impact", "incline")[1], wall, 1e-11)
  local normal = vida.dot(n, v1)
  for i = 1, 3 do
    check.close(stepper:velocities()[i], v1[i] - (1 + e) * normal * n[i], 1e-11)
  end
end

-- ---- a bead in a circle: chords of one length, at one angle to the circle ---------------------------------
-- Dropped from the centre it falls through it: there the gradient of the formula vanishes. The formula has
-- units of its own, and the circle may be fixed in a body.
for _, where in ipairs { "ground", "body" } do
  for _, method in ipairs { "rattle", "del-midpoint", "radau" } do
    local s = vida.system { "circle", dimension = 2 }
    local radius, start, speed = 2, 1.2, 3
    local bead = s:particle { "bead", mass = 0.1, position = { 4 + start, 1 }, velocity = { 0, speed } }
    local frame = s:body { "frame", fixed = true, position = { 4, 1 }, angle = 0.7 }
    if where == "body" then
      s:curve_contact { "circle", frame, bead, restitution = 1,
        curve = function(x, y) return 5 * (radius ^ 2 - x ^ 2 - y ^ 2) end }
    else
      s:curve_contact { "circle", s.ground, bead, restitution = 1,
        curve = function(x, y) return 5 * (radius ^ 2 - (x - 4) ^ 2 - (y - 1) ^ 2) end }
    end
    local stepper = run(s, { method, h = 0.05 }, 20)
    local half = math.sqrt(radius ^ 2 - start ^ 2) / speed
    local impacts = times_of(stepper, "impact")
    check.close(#impacts, math.floor((20 / half + 1) / 2), 0)
    for k, t in ipairs(impacts) do
      check.close(t, (2 * k - 1) * half, 1e-11)
    end
    local v = stepper:velocities()
    check.close(v[1] ^ 2 + v[2] ^ 2, speed ^ 2, 1e-11)
  end
end
do
  local s = vida.system { "circle", dimension = 2 }
  s:gravity { 0, -g }
  local bead = s:particle { "bead", mass = 0.1, position = { 0, 0 } }
  s:curve_contact { "circle", s.ground, bead, curve = function(x, y) return 1 - x ^ 2 - y ^ 2 end,
    restitution = 0.5 }
  local stepper = run(s, { "rattle", h = 0.01 }, 2)
  check.close(times_of(stepper, "impact")[2], math.sqrt(2 / g) * 2, 1e-12)
  check.close(times_of(stepper, "rest")[1], math.sqrt(2 / g) * 3, 1e-5)
end

-- ---- a mirror: what falls along the axis of a paraboloid passes through its focus -------------------------
-- z = (x^2 + y^2) / 4 has the focus (0, 0, 1). The bead is there when it has passed the distance of the
-- directrix: from the height h that is (h + 1) / speed, wherever it hits.
for _, method in ipairs { "rattle", "radau" } do
  for _, x in ipairs { 0.5, 1.4 } do
    local s = vida.system "mirror"
    local bead = s:particle { "bead", mass = 1, position = { x, 0.3, 3 }, velocity = { 0, 0, -2 } }
    s:curve_contact { "mirror", s.ground, bead, restitution = 1,
      curve = function(u, v, w) return w - (u ^ 2 + v ^ 2) / 4 end }
    local q = run(s, { method, h = 0.05 }, 2):positions()
    for i, focus in ipairs { 0, 0, 1 } do
      check.close(q[i], focus, 1e-11)
    end
  end
end

-- ---- a bead slides off a ball, where it has fallen by a third of its radius ------------------------------
-- From the top with the speed v it leaves at the height r (2 / 3 + v^2 / (3 g r)).
for _, case in ipairs { { "rattle", 5e-4, 2e-6 }, { "del-midpoint", 5e-4, 2e-6 }, { "radau", 1e-2, 1e-8 },
  { "post-stabilized", 1e-2, 1e-7, 1e-10 } } do
  local s = vida.system { "ball", dimension = 2 }
  local radius, speed = 0.5, 0.4
  s:gravity { 0, -g }
  local bead = s:particle { "bead", mass = 0.2, position = { 0, radius }, velocity = { speed, 0 } }
  s:curve_contact { "ball", s.ground, bead, curve = function(x, y) return x ^ 2 + y ^ 2 - radius ^ 2 end }
  local left = radius * (2 / 3 + speed ^ 2 / (3 * g * radius))
  s:event { "two thirds", bead.y - left, direction = "falling" }
  local stepper = run(s, { case[1], h = case[2], rtol = case[4] }, 0.6)
  check.close(times_of(stepper, "release")[1], times_of(stepper, "zero")[1], case[3])
end

-- ---- dry friction in a bowl -------------------------------------------------------------------------------
-- In a circle u = v^2 / (g r) obeys u' = -2 mu u - 2 (sin a + mu cos a) with the angle a from the lowest
-- point: u = A exp(-2 mu a) + ((2 - 4 mu^2) cos a - 6 mu sin a) / (1 + 4 mu^2).
for _, case in ipairs { { "rattle", 2e-4, 2e-6 }, { "radau", 5e-3, 1e-8 },
  { "post-stabilized", 5e-3, 1e-7, 1e-10 } } do
  local s = vida.system { "bowl", dimension = 2 }
  local r, mu, from = 0.8, 0.25, -1.2
  s:gravity { 0, -g }
  local bead = s:particle { "bead", mass = 0.2, position = { r * math.sin(from), -r * math.cos(from) } }
  s:curve_contact { "bowl", s.ground, bead, friction = mu,
    curve = function(x, y) return r ^ 2 - x ^ 2 - y ^ 2 end }
  s:event { "lowest point", bead.x, direction = "rising", action = "stop" }
  local stepper = s:stepper { case[1], h = case[2], rtol = case[4] }
  stepper:start()
  stepper:step(math.floor(1 / case[2]))
  local function f(a)
    return ((2 - 4 * mu ^ 2) * math.cos(a) - 6 * mu * math.sin(a)) / (1 + 4 * mu ^ 2)
  end
  local u = -f(from) * math.exp(2 * mu * from) + f(0)
  check.close(stepper:positions()[1], 0, 1e-9)
  check.close(stepper:velocities()[1], math.sqrt(g * r * u), case[3])
end
-- By time stepping, with errors of first order; and a bead that sticks where the slope is below mu.
for _, method in ipairs { "moreau-jean", "spook" } do
  local s = vida.system { "bowl", dimension = 2 }
  s:gravity { 0, -g }
  local start = math.atan(0.2999)
  local bead = s:particle { "bead", mass = 0.2, position = { math.sin(start), -math.cos(start) } }
  s:curve_contact { "bowl", s.ground, bead, friction = 0.3,
    curve = function(x, y) return 1 - x ^ 2 - y ^ 2 end }
  check.close(run(s, { method, h = 0.01 }, 1):positions()[1], math.sin(start), 1e-6)
end

-- ---- a cam lifts its follower ----------------------------------------------------------------------------
-- A circle of radius r about a point at the distance e from the axle: y = e sin a + sqrt(r^2 - (e cos a)^2).
for _, case in ipairs { { "rattle", 1e-3, 1e-9 }, { "radau", 1e-2, 1e-9 } } do
  local s = vida.system { "cam", dimension = 2 }
  local r, e, rate = 0.3, 0.1, 2
  s:gravity { 0, -g }
  local cam = s:body { "cam", mass = 1, inertia = 0.1, position = { 0, 0 }, angular_velocity = rate }
  s:revolute { "axle", s.ground, cam, at = { 0, 0 } }
  s:drive { "motor", s.ground, cam, rate = rate }
  local follower = s:particle { "follower", mass = 0.5, position = { 0, math.sqrt(r ^ 2 - e ^ 2) },
    velocity = { 0, e * rate } }
  s:constraint { "guide", follower.x, unit = "m" }
  s:curve_contact { "cam", cam, follower, curve = function(x, y) return (x - e) ^ 2 + y ^ 2 - r ^ 2 end }
  for _, time in ipairs { 1, 3 } do
    local a = rate * time
    local y = run(s, { case[1], h = case[2] }, time):positions()[5]
    check.close(y, e * math.sin(a) + math.sqrt(r ^ 2 - (e * math.cos(a)) ^ 2), case[3])
  end
end

-- ---- mistakes ---------------------------------------------------------------------------------------------
do
  local s = vida.system { "bowl", dimension = 2 }
  local bead = s:particle { "bead", mass = 1, position = { 0, 1 } }
  local function above(x, y)
    return y - x ^ 2
  end
  check.fails("curve: expected a function", s.curve_contact, s, { "c", s.ground, bead })
  check.fails("'bead'", s.curve_contact, s, { "c", bead, s.ground, curve = above })
  check.fails("does not depend on it", s.curve_contact, s,
    { "c", s.ground, bead, curve = function() return bead.x end })
  check.fails("depends on a rate", s.curve_contact, s,
    { "c", s.ground, bead, curve = function(x) return x + bead.vx end })
  check.fails("restitution", s.curve_contact, s, { "c", s.ground, bead, curve = above, restitution = 2 })
  check.fails("at most 1 expression", s.curve_contact, s,
    { "c", s.ground, bead, curve = function(x, y) return x, y end })
  local space = vida.system "space"
  local ball = space:particle { "ball", mass = 1, position = { 0, 0, 0 } }
  check.fails("one expression", space.curve_contact, space,
    { "c", space.ground, ball, curve = function(x, y) return x, y end })
  s:curve_contact { "c", s.ground, bead, curve = above }
  check.fails("two contacts named 'c'", s.curve_contact, s, { "c", s.ground, bead, curve = above })
  local stepper = s:stepper { "rattle", h = 0.01 }
  check.fails("contact 'c' begins with a negative gap", stepper.start, stepper, 0, { 0, -2 }, { 0, 0 })
end

-- ---- limits of hinges ------------------------------------------------------------------------------------
-- Without other forces a hinged body turns evenly from stop to stop; two bodies exchange their momenta.
local function bounce_times(from, rate, least, most, e, count)
  local times, t = {}, 0
  for i = 1, count do
    local to = rate > 0 and most or least
    t = t + (to - from) / rate
    times[i], from, rate = t, to, -e * rate
  end
  return times
end
for _, method in ipairs { "rattle", "del-midpoint", "radau" } do
  -- In the plane, on the ground, over more than a turn.
  local s = vida.system { "hinge", dimension = 2 }
  local arm = s:body { "arm", mass = 2, inertia = 0.1, position = { 0.5, 0 }, angular_velocity = 3,
    velocity = { 0, 1.5 } }
  s:revolute { "hinge", s.ground, arm, at = { 0, 0 }, limit = { -1, 7 }, restitution = 0.8 }
  local stepper = run(s, { method, h = 0.01 }, 6)
  local expected = bounce_times(0, 3, -1, 7, 0.8, 2)
  check.close(times_of(stepper, "impact", "hinge: most")[1], expected[1], 2e-3)
  check.close(times_of(stepper, "impact", "hinge: least")[1], expected[2], 4e-3)
  -- Two bodies on one hinge: the angle between them, and the sum of the angular momenta.
  local pair = vida.system { "pair", dimension = 2 }
  local one = pair:body { "one", mass = 1, inertia = 0.2, angle = 0.3, angular_velocity = 1 }
  local two = pair:body { "two", mass = 1, inertia = 0.5, angle = 0.8, angular_velocity = 3 }
  pair:revolute { "hinge", one, two, at = { 0, 0 }, limit = { 0, 1 }, restitution = 1 }
  stepper = run(pair, { method, h = 0.1 }, 0.5)
  check.close(times_of(stepper, "impact")[1], 0.25, 1e-12)
  local after = stepper:velocities()
  check.close(after[6] - after[3], -2, 1e-12)
  check.close(0.2 * after[3] + 0.5 * after[6], 1.7, 1e-12)
end
do
  -- In space about an oblique axis, and a rod in the plane: angles that do not count turns.
  local s = vida.system "hinge in space"
  local axis = vida.vector { 0.36, 0.48, 0.8 }
  local door = s:body { "door", mass = 2, inertia = { 0.1, 0.1, 0.1 }, angular_velocity = 2 * axis }
  check.fails("between -pi and pi", s.revolute, s,
    { "hinge", s.ground, door, at = { 0, 0, 0 }, axis = axis, limit = { -1, 4 } })
  check.fails("between -pi and pi", s.revolute, s,
    { "hinge", s.ground, door, at = { 0, 0, 0 }, axis = axis, limit = { -1, math.huge } })
  s:revolute { "hinge", s.ground, door, at = { 0, 0, 0 }, axis = axis, limit = { -1, 2 }, restitution = 0.5 }
  local stepper = run(s, { "radau", h = 0.05 }, 4.5)
  local expected = bounce_times(0, 2, -1, 2, 0.5, 2)
  check.close(times_of(stepper, "impact", "hinge: most")[1], expected[1], 1e-8)
  check.close(times_of(stepper, "impact", "hinge: least")[1], expected[2], 1e-8)
  check.close(stepper:velocities()[1], 0, 1e-12)

  local plane = vida.system { "rod", dimension = 2 }
  local rod = plane:rod { "rod", mass = 1, length = 1, centre = { 0.5, 0 }, angle = 0,
    angular_velocity = 2, velocity = { 0, 1 } }
  check.fails("between -pi and pi", plane.revolute, plane,
    { "hinge", plane.ground, rod.tail, limit = { -1, 4 } })
  plane:revolute { "hinge", plane.ground, rod.tail, limit = { -1, 2 }, restitution = 1 }
  check.close(times_of(run(plane, { "radau", h = 0.05 }, 3), "impact", "hinge: least")[1], 2.5, 1e-8)
end

-- ---- limits of sliders -----------------------------------------------------------------------------------
for _, method in ipairs { "rattle", "radau" } do
  local s = vida.system { "slider", dimension = 2 }
  local axis = { 0.8, 0.6 }
  local box = s:body { "box", mass = 2, inertia = 0.1, position = { 1, 2 }, velocity = { 1.6, 1.2 } }
  s:prismatic { "rail", s.ground, box, at = { 1, 2 }, axis = axis, limit = { -0.5, 1 }, restitution = 0.5 }
  local expected = bounce_times(0, 2, -0.5, 1, 0.5, 3)
  local stepper = run(s, { method, h = 0.05 }, 6)
  check.close(times_of(stepper, "impact", "rail: most")[1], expected[1], 1e-12)
  check.close(times_of(stepper, "impact", "rail: least")[1], expected[2], 1e-12)
  check.close(times_of(stepper, "impact", "rail: most")[2], expected[3], 1e-11)
end
do
  -- In space on a carriage that moves, too: the momentum is shared.
  local s = vida.system "carriage"
  local carriage = s:body { "carriage", mass = 3, inertia = { 1, 1, 1 }, velocity = { 0, 0, 0 } }
  local box = s:body { "box", mass = 1, inertia = { 1, 1, 1 }, position = { 0, 0, 1 },
    velocity = { 0, 0, 2 } }
  s:prismatic { "rail", carriage, box, at = { 0, 0, 1 }, axis = { 0, 0, 1 }, limit = { -1, 0.5 },
    restitution = 0.25 }
  local stepper = run(s, { "radau", h = 0.05 }, 0.4)
  check.close(times_of(stepper, "impact")[1], 0.25, 1e-10)
  -- v2 - v1 = -e 2, 3 v1 + v2 = 2
  check.close(stepper:velocities()[3], (2 + 0.5) / 4, 1e-9)
end

-- ---- limits of distances: ropes ---------------------------------------------------------------------------
for _, method in ipairs { "rattle", "del-midpoint", "radau" } do
  local s = vida.system { "rope", dimension = 2 }
  s:gravity { 0, -g }
  local bob = s:particle { "bob", mass = 1, position = { 0.3, 0 } }
  s:distance { "rope", s.ground, bob, limit = { 0, 1 } }
  local taut = math.sqrt(2 * math.sqrt(1 - 0.09) / g)
  local stepper = run(s, { method, h = 0.01 }, 1)
  check.close(times_of(stepper, "rest", "rope: most")[1], taut, 1e-11)
  local q = stepper:positions()
  check.close(q[1] ^ 2 + q[2] ^ 2, 1, 1e-11)
  check.close(#times_of(stepper, "impact", "rope: least"), 0, 0)
end
do
  -- A rod that is kept away: a bead that flies past at the distance 0.6 is turned aside at 1.
  local s = vida.system { "post", dimension = 2 }
  local bead = s:particle { "bead", mass = 1, position = { -2, 0.6 }, velocity = { 1, 0 } }
  assert(s:distance { "post", s.ground, bead, limit = { 1, math.huge }, restitution = 1 } == nil)
  check.fails("either length, for a rod, or limit", s.distance, s,
    { "both", s.ground, bead, length = 1, limit = { 0, 1 } })
  check.fails("not negative", s.distance, s, { "rope", s.ground, bead, limit = { -1, 1 } })
  check.fails("below the largest", s.distance, s, { "rope", s.ground, bead, limit = { 2, 1 } })
  check.fails("a list of two numbers", s.distance, s, { "rope", s.ground, bead, limit = 2 })
  check.fails("there is no limit", s.distance, s, { "rod", s.ground, bead, length = 2, restitution = 1 })
  local body = s:body { "body", mass = 1, inertia = 1 }
  check.fails("there is no limit", s.prismatic, s,
    { "rail", s.ground, body, at = { 0, 0 }, axis = { 1, 0 }, restitution = 1 })
  check.fails("has no orientation", s.revolute, s, { "hinge", s.ground, bead, limit = { 0, 1 } })
  local stepper = run(s, { "rattle", h = 0.1 }, 2)
  check.close(times_of(stepper, "impact", "post: least")[1], 2 - 0.8, 1e-12)
  check.close(stepper:velocities()[1], 1 - 2 * 0.64, 1e-12)
  check.close(stepper:velocities()[2], 2 * 0.48, 1e-12)
end
