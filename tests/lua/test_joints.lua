-- Joints, contacts, springs, dampers and prescribed motion between bodies, against closed forms.
local check = require "check"
local vida = require "vida"

local fails = check.fails_here
local g = 9.81

local function run(system, method, h, steps)
  local stepper = system:stepper { method, h = h }
  stepper:start()
  assert(stepper:step(steps))
  return stepper:positions(), stepper
end

-- A system of space with gravity along -z and a body of 2 kg, 0.5 m along x from the origin.
local mass, lever = 2, 0.5
local moments = { 0.1, 0.2, 0.25 }
local function hung(as, change)
  local system = vida.system "hung"
  system:gravity { 0, 0, -g }
  local body = system:body(check.with(
    { "body", mass = mass, inertia = moments, position = { lever, 0, 0 }, as = as }, change or {}))
  return system, body
end

-- Positions less rows: degrees of freedom, when all rows are independent.
local function check_freedom(system, expected)
  local a, lambda = system:accelerations()
  local inner = #a == 7 and 1 or #a == 12 and 6 or 0 -- of one body: |q| = 1, or d_i . d_j
  assert(#a - #lambda == expected, ("%d degrees of freedom, expected %d"):format(#a - #lambda, expected))
  assert(inner > 0)
  return a, lambda
end

-- ---- joints to the ground, at rest from the horizontal -------------------------------------------
local alpha = mass * g * lever / (moments[2] + mass * lever ^ 2) -- about y, of the physical pendulum
for _, as in ipairs { "quaternion", "directors" } do
  for _, joint in ipairs {
    { "ball", 3, {} }, { "revolute", 1, { axis = { 0, -1, 0 } } },
    { "universal", 2, { axis = { { 0, 2, 0 }, { 1, 0, 0 } } } },
  } do
    local system, body = hung(as)
    local definition = check.with({ "joint", system.ground, body, at = { 0, 0, 0 } }, joint[3])
    system[joint[1]](system, definition)
    local a, lambda = check_freedom(system, joint[2])
    check.close(a["body.z"], -alpha * lever, 1e-12)
    check.close(a["body.x"], 0, 1e-12)
    check.close(lambda["joint: z"], -mass * (g - alpha * lever), 1e-11) -- what the joint carries
  end
  -- Down a slope of 45 degrees with half of gravity, whatever turning is held.
  for _, joint in ipairs { { "cylindrical", 2 }, { "prismatic", 1 } } do
    local system, body = hung(as)
    system[joint[1]](system, { "joint", system.ground, body, at = { lever, 0, 0 }, axis = { 1, 0, -1 } })
    local a = check_freedom(system, joint[2])
    check.close(a["body.x"], g / 2, 1e-12)
    check.close(a["body.z"], -g / 2, 1e-12)
  end
  -- A weld at the origin carries weight and moment: row "turn" about y balances m g l.
  local system, body = hung(as, { orientation = { axis = { 1, 2, 3 }, angle = 1 } })
  system:weld { "glue", system.ground, body, at = { 0, 0, 0 } }
  local a, lambda = check_freedom(system, 0)
  for i = 1, #a do
    check.close(a[i], 0, 1e-12)
  end
  check.close(lambda["glue: z"], -mass * g, 1e-11)
  local torque = 0
  for _, name in ipairs { "turn 1", "turn 2", "turn 3" } do
    torque = torque + lambda["glue: " .. name] ^ 2
  end
  check.close(math.sqrt(torque), mass * g * lever, 1e-10)
  -- The weight turns the body about +y; the ground turns it back, and row "turn 1" is about y here.
  check.close(lambda["glue: turn 1"], mass * g * lever, 1e-10)
  -- So does a hinge along a = x with directions e = z, -y across it: a torque of -lambda a x e on the body.
  system, body = hung(as)
  system:revolute { "hinge", system.ground, body, at = { 0, 0, 0 }, axis = { 1, 0, 0 } }
  _, lambda = system:accelerations()
  check.close(lambda["hinge: tilt 1"], -mass * g * lever, 1e-10)
  check.close(lambda["hinge: tilt 2"], 0, 1e-10)
  -- A universal joint of axes a = z and b = x: a torque of lambda a x b = lambda y on the body.
  system, body = hung(as)
  system:universal { "cardan", system.ground, body, at = { 0, 0, 0 }, axis = { { 0, 0, 1 }, { 1, 0, 0 } } }
  system:drive { "hold", system.ground, body, axis = { 0, 0, 1 }, rate = 0 }
  _, lambda = system:accelerations()
  check.close(lambda["cardan: axes"], -mass * g * lever, 1e-10)
end

-- The header of a run's trajectory.
local function header_of(system)
  local folder = os.tmpname()
  os.remove(folder)
  vida.compare { system = system, time = 0.01, methods = { { "rattle", h = 0.01 } } }
    :run { quiet = true, out = folder }
  local pipe = assert(io.popen(("cat '%s'/*rattle*.csv | head -n 1; rm -r '%s'"):format(folder, folder)))
  local header = pipe:read("a")
  pipe:close()
  return header
end

-- Units of multipliers of joints: forces and torques.
do
  local system, body = hung "quaternion"
  system:prismatic { "rail", system.ground, body, at = { 0, 0, 0 }, axis = { 1, 0, 0 } }
  local flat_system = vida.system { "flat slider", dimension = 2 }
  local block = flat_system:body { "block", mass = mass, inertia = 0.2, position = { lever, 0 } }
  flat_system:prismatic { "guide", flat_system.ground, block, at = { 0, 0 }, axis = { 1, 0 } }
  for given, expected in pairs {
    [system] = { "rail: across 1 [N]", "rail: turn 1 [N m]", "g rail: turn 3 [rad]" },
    [flat_system] = { "guide: across [N]", "guide: turn [N m]", "dg guide: turn/dt [rad/s]" } } do
    local header = header_of(given)
    for _, column in ipairs(expected) do
      assert(header:find(column, 1, true), header)
    end
  end
end

-- Ends as points and axes of each body do the same as places in space.
for _, as in ipairs { "quaternion", "directors" } do
  local tilt = { axis = { 1, 2, 3 }, angle = 1 }
  local system, body = hung(as, { orientation = tilt, inertia = { 0.2, 0.2, 0.2 } })
  local twin_system, twin = hung(as, { orientation = tilt, inertia = { 0.2, 0.2, 0.2 } })
  system:revolute { "hinge", system.ground, body, at = { 0, 0, 0 }, axis = { 0, 1, 0 } }
  local q = vida.vector { math.cos(0.5), -math.sin(0.5) / math.sqrt(14), -2 * math.sin(0.5) / math.sqrt(14),
    -3 * math.sin(0.5) / math.sqrt(14) }
  local arm, axis = vida.rotate(q, { -lever, 0, 0 }), vida.rotate(q, { 0, 1, 0 })
  twin_system:revolute { "hinge", twin_system.ground, twin:point(arm),
    axis = { { 0, 1, 0 }, twin:direction(axis) } }
  local a, b = system:accelerations(), twin_system:accelerations()
  check.close(a["body.z"], -mass * g * lever / (0.2 + mass * lever ^ 2) * lever, 1e-12)
  for i = 1, #a do
    check.close(a[i], b[i], 1e-11)
  end
end

-- Two bodies welded together swing like one, for energy-momentum as well.
local composite = moments[2] + mass * lever ^ 2 + moments[2] + mass * 4 * lever ^ 2
local function two_bodies(as, hinge)
  local system, body = hung(as)
  local second = system:body { "second", mass = mass, inertia = moments, position = { 2 * lever, 0, 0 },
    as = as }
  local bracket = system:body { "bracket", fixed = true, position = { 0, 0, 1 } }
  system[hinge](system, { "hinge", bracket, body, at = { 0, 0, 0 },
    axis = hinge == "revolute" and { 0, 1, 0 } or nil })
  system:weld { "glue", body, second }
  return system
end
for _, as in ipairs { "quaternion", "directors" } do
  local a = two_bodies(as, "revolute"):accelerations()
  check.close(a["second.z"], -2 * lever * mass * g * 3 * lever / composite, 1e-11)
end
local result = vida.compare {
  system = two_bodies("directors", "revolute"), time = 2, methods = { { "energy-momentum", h = 0.01 } },
}:run { quiet = true }
assert(result[1].status == "ok" and result[1].energy_error < 1e-11, result[1].message)

-- ---- in the plane --------------------------------------------------------------------------------
local function flat(change)
  local system = vida.system { "flat", dimension = 2 }
  system:gravity { 0, -g }
  local body = system:body(check.with(
    { "body", mass = mass, inertia = 0.2, position = { lever, 0 }, angle = 0.4 }, change or {}))
  return system, body
end
do
  local system, body = flat()
  system:revolute { "pin", system.ground, body, at = { 0, 0 } }
  local a, lambda = system:accelerations()
  check.close(a["body.angle"], -alpha, 1e-12)
  check.close(lambda["pin: y"], -mass * (g - alpha * lever), 1e-12)
  system, body = flat()
  system:prismatic { "slope", system.ground, body, at = { lever, 0 }, axis = { 1, -1 } }
  a, lambda = system:accelerations()
  assert(#a - #lambda == 1)
  check.close(a["body.y"], -g / 2, 1e-12)
  system, body = flat()
  system:weld { "glue", system.ground, body, at = { 0, 0 } }
  a, lambda = system:accelerations()
  check.close(a["body.angle"], 0, 1e-12)
  check.close(lambda["glue: turn"], -mass * g * lever, 1e-12) -- the ground turns the body anticlockwise
  -- A drive that holds the body has the same sign.
  system, body = flat()
  system:revolute { "pin", system.ground, body, at = { 0, 0 } }
  system:drive { "hold", system.ground, body, rate = 0 }
  a, lambda = system:accelerations()
  check.close(a["body.angle"], 0, 1e-12)
  check.close(lambda.hold, -mass * g * lever, 1e-12)
  -- A rod welded to a body, and one on a rail by its middle: no torque, it falls as it is.
  system, body = flat()
  local rod = system:rod { "rod", mass = 1, length = 1, centre = { 1, 1 }, angle = 1.1 }
  system:weld { "glue", body, rod }
  system:revolute { "pin", system.ground, body, at = { 0, 0 } }
  a = system:accelerations()
  check.close(a["body.angle"], -(mass * g * lever + g) / (0.2 + mass * lever ^ 2 + 1 / 12 + 2), 1e-12)
end

-- ---- distances, springs and dampers between points of bodies -------------------------------------
for _, as in ipairs { "quaternion", "directors" } do
  local system, body = hung(as)
  system:distance { "rope", system:anchor { 0, 0, 1 }, body:point { -lever, 0, 0 }, length = 1 }
  -- The rope from above at the end of a bar: it turns about its middle, T = m g / (1 + m l^2 / I).
  local a, lambda = system:accelerations()
  local tension = mass * g / (1 + mass * lever ^ 2 / moments[2])
  check.close(lambda.rope, tension, 1e-11)
  check.close(a["body.z"], tension / mass - g, 1e-12)

  for _, law in ipairs { "linear", "squared" } do
    system, body = hung(as)
    local stiffness = system:parameter { "stiffness", 30 }
    system:spring { "spring", system:anchor { 0, 0, 1.3 }, body:point { -lever, 0, 0 }, stiffness = stiffness,
      length = 1, law = law }
    -- 30 N/m x 0.3 m, or 30 N/m^3 x (1.3^2 - 1) x 1.3 m
    local force = law == "linear" and 9 or 30 * (1.3 ^ 2 - 1) * 1.3
    check.close(system:accelerations()["body.z"], force / mass - g, 1e-12)
  end
  -- A damper at the end of a bar that turns about y at 2 rad/s: that end rises at 1 m/s.
  for _, along in ipairs { "line", "velocity" } do
    system, body = hung(as, { angular_velocity = { 0, 2, 0 } })
    system:damper { "damper", body:point { -lever, 0, 0 }, system:anchor { 0, 0, 3 }, damping = 5,
      along = along }
    check.close(system:accelerations()["body.z"], -5 * 1 / mass - g, 1e-12)
  end
  -- Torsion about the axis of a hinge, without gravity: I alpha = -k angle - c rate.
  system, body = hung(as, { angular_velocity = { 0, 3, 0 }, velocity = { 0, 0, -3 * lever } })
  system:revolute { "hinge", system.ground, body, at = { 0, 0, 0 }, axis = { 0, 1, 0 } }
  system:torsion_spring { "k", system.ground, body, axis = { 0, 1, 0 }, stiffness = 7, angle = 0.2 }
  system:torsion_damper { "c", system.ground, body, axis = { 0, 1, 0 }, damping = 0.3 }
  local inertia = moments[2] + mass * lever ^ 2
  local angular = (mass * g * lever + 7 * 0.2 - 0.3 * 3) / inertia
  check.close(system:accelerations()["body.z"], -angular * lever, 1e-11)
end
do
  local system, body = flat { angular_velocity = 3, angle = 0.4 + 2 * math.pi }
  system:torsion_spring { "k", system.ground, body, stiffness = 7, angle = 0.2 }
  system:torsion_damper { "c", system.ground, body, damping = 0.3 }
  -- The plane counts turns: 0.2 rad and a whole turn.
  check.close(system:accelerations()["body.angle"], (-7 * (0.2 + 2 * math.pi) - 0.3 * 3) / 0.2, 1e-11)
  system, body = flat()
  local rod = system:rod { "rod", mass = 1, length = 1, centre = { 1, 1 }, angle = 1.1 }
  system:torsion_spring { "k", body, rod, stiffness = 7 }
  check.close(system:accelerations()["body.angle"], 7 * 0.7 / 0.2, 1e-11)
end

-- ---- points on lines, planes and curves ----------------------------------------------------------
do
  local system = vida.system "beads"
  system:gravity { 0, 0, -g }
  local bead = system:particle { "bead", mass = 3, position = { 1, 2, 3 } }
  system:point_on_line { "wire", system:anchor { 0, 2, 4 }, bead, axis = { 2, 0, -2 } }
  local puck = system:particle { "puck", mass = 3, position = { 1, 0, -1 } }
  system:point_on_plane { "slope", system.ground, puck, normal = { 1, 0, 1 } }
  local a, lambda = system:accelerations()
  check.close(a["bead.x"], g / 2, 1e-12)
  check.close(a["bead.y"], 0, 1e-12)
  check.close(a["puck.z"], -g / 2, 1e-12)
  check.close(math.abs(lambda.slope), 3 * g * math.sqrt(0.5), 1e-12)
end
-- A bead on z = x^2: x'' (1 + 4 x^2) + 4 x x'^2 + 2 g x = 0.
for _, way in ipairs { "implicit", "parametric", "on a body" } do
  local system = vida.system "parabola"
  system:gravity { 0, 0, -g }
  local bead = system:particle { "bead", mass = 3, position = { 0.7, 0, 0.49 }, velocity = { 2, 0, 2.8 } }
  local s
  if way == "parametric" then
    local rate
    s, rate = system:point_on_curve { "track", system.ground, bead, parameter = 0.7, rate = 2,
      curve = function(x) return { x, 0, x ^ 2 } end }
    system:observe { "s", s }
    system:observe { "rate", rate }
  elseif way == "implicit" then
    system:point_on_curve { "track", system.ground, bead, unit = "m",
      curve = function(x, y, z) return z - x ^ 2, y end }
  else -- which is held, and turned by a right angle
    local track = system:body { "track", mass = 1, inertia = { 1, 1, 1 }, position = { 0, 0, 1 },
      orientation = { axis = { 0, 0, 1 }, angle = math.pi / 2 } }
    system:weld { "glue", system.ground, track }
    system:point_on_curve { "track", track, bead,
      curve = function(x, y, z) return z + 1 - y ^ 2, x end }
  end
  local a = system:accelerations()
  check.close(a["bead.x"], -(4 * 0.7 * 4 + 2 * g * 0.7) / (1 + 4 * 0.49), 1e-11)
  if s then
    check.close(a["track.s"], a["bead.x"], 1e-11)
  end
end

-- ---- prescribed motion ---------------------------------------------------------------------------
-- A crank turned at a steady rate, or by t^2, is where it should be; the motor's torque is m g l cos.
for _, way in ipairs { "rate", "angle" } do
  local system, body = flat { angle = 0.4, angular_velocity = way == "rate" and 3 or 0,
    velocity = { 0, way == "rate" and 3 * lever or 0 } }
  system:revolute { "pin", system.ground, body, at = { 0, 0 } }
  system:drive { "motor", system.ground, body, rate = way == "rate" and 3 or nil,
    angle = way == "angle" and function(t) return t ^ 2 end or nil }
  local _, lambda = system:accelerations()
  local torque = mass * g * lever + (way == "angle" and 2 * (0.2 + mass * lever ^ 2) or 0)
  check.close(lambda.motor, -torque, 1e-11)
  local p = run(system, "rattle", 0.01, 100)
  check.close(p[3], 0.4 + (way == "rate" and 3 or 1), 1e-13)
  check.close(p[1], lever * math.cos(way == "rate" and 3 or 1), 1e-13)
end
for _, as in ipairs { "quaternion", "directors" } do
  local system, body = hung(as, { angular_velocity = { 0, 3, 0 }, velocity = { 0, 0, -3 * lever } })
  system:revolute { "hinge", system.ground, body, at = { 0, 0, 0 }, axis = { 0, 1, 0 } }
  system:drive { "motor", system.ground, body, axis = { 0, 1, 0 }, rate = 3 }
  local p = run(system, "rattle", 0.01, 200) -- 6 rad: beyond half a turn
  check.close(p[1], lever * math.cos(6), 1e-12)
  check.close(p[3], -lever * math.sin(6), 1e-12)
end
do
  local system = vida.system { "lift", dimension = 2 }
  system:gravity { 0, -g }
  local cage = system:particle { "cage", mass = 4, position = { 0, -3 }, velocity = { 0, 1 } }
  system:distance { "rope", system.ground, cage, length = function(t) return 3 - t + t ^ 2 / 4 end }
  local a, lambda = system:accelerations()
  check.close(a["cage.y"], -0.5, 1e-12)
  check.close(lambda.rope, 4 * (g - 0.5), 1e-11)
  local pushed = vida.system { "pushed", dimension = 2 }
  local x, rate = pushed:coordinate { "x", unit = "m", value = 1, rate = 2 }
  pushed:kinetic(0.5 * 6 * rate ^ 2)
  pushed:prescribe { "push", x, function(t) return 1 + 2 * t + 3 * t ^ 2 end, unit = "m" }
  local _, force = pushed:accelerations()
  check.close(force.push, -6 * 6, 1e-12)
end

-- ---- rolling -------------------------------------------------------------------------------------
-- Down a slope of 30 degrees: 2 / 3 of g sin for a uniform disk.
do
  local system = vida.system { "slope", dimension = 2 }
  system:gravity { g * 0.5, -g * math.sqrt(0.75) }
  local disk = system:body { "disk", mass = 3, inertia = 0.5 * 3 * 0.4 ^ 2, position = { 0, 0.5 } }
  system:rolling_disk { "wheel", disk, radius = 0.4, height = 0.1 }
  local a, lambda = system:accelerations()
  check.close(a["disk.x"], g / 3, 1e-12)
  check.close(a["disk.angle"], -g / 3 / 0.4, 1e-12)
  check.close(lambda["wheel: contact"], -3 * g * math.sqrt(0.75), 1e-11)
end
-- A thin disk with yaw q1, lean q2, spin q3 (R = Rz Rx Ry): the accelerations of the corrected example
-- of sympy issue 27631, q1'' = -2 q2' q3' / cos q2, q2'' = 4 g sin q2 / (5 r) + sin(2 q2) q1'^2 / 2
-- + 6 cos q2 q1' q3' / 5, q3'' = -(10 cos q2 q1' - 12 tan q2 q3') q2' / 6.
local function thin_disk(as, angles, rates, radius)
  local function about(axis, angle)
    local s = math.sin(angle / 2)
    return { math.cos(angle / 2), s * axis[1], s * axis[2], s * axis[3] }
  end
  local yaw = about({ 0, 0, 1 }, angles[1])
  local lean = vida.quaternion_product(yaw, about({ 1, 0, 0 }, angles[2]))
  local q = vida.unit(vida.quaternion_product(lean, about({ 0, 1, 0 }, angles[3])))
  local axes = { vida.vector { 0, 0, 1 }, vida.rotate(yaw, { 1, 0, 0 }), vida.rotate(lean, { 0, 1, 0 }) }
  local spin = rates[1] * axes[1] + rates[2] * axes[2] + rates[3] * axes[3]
  local up = vida.rotate(lean, { 0, 0, 1 }) -- from the contact to the centre
  local centre = radius * up
  local velocity = vida.cross(spin, centre)
  local system = vida.system "rolling disk"
  system:gravity { 0, 0, -g }
  local disk = system:body { "disk", mass = 5, as = as, position = centre, velocity = velocity,
    inertia = { 5 * radius ^ 2 / 4, 5 * radius ^ 2 / 2, 5 * radius ^ 2 / 4 }, orientation = q,
    angular_velocity = spin }
  system:rolling_disk { "wheel", disk, radius = radius, axis = { 0, 1, 0 } }
  return system, q, axes, spin
end
local function angular_acceleration(as, a, q, axes, spin)
  if as == "quaternion" then -- w = 2 q' q*
    local w = vida.quaternion_product({ a[4], a[5], a[6], a[7] }, { q[1], -q[2], -q[3], -q[4] })
    return 2 * vida.vector { w[2], w[3], w[4] }
  end
  -- d'' = w' x d + w x (w x d) for the directors, which of this flat body are two in its plane
  local sum = vida.vector { 0, 0, 0 }
  local directors = { vida.rotate(q, { 0, 0, 1 }), vida.rotate(q, { 1, 0, 0 }) }
  for i, d in ipairs(directors) do
    local second = vida.vector { a[1 + 3 * i], a[2 + 3 * i], a[3 + 3 * i] }
    sum = sum + vida.cross(d, second - vida.cross(spin, vida.cross(spin, d)))
  end
  -- d1 x (w' x d1) + d2 x (w' x d2) = w' + (w'.n) n, with n across both
  local n = axes[3]
  return sum - 0.5 * vida.dot(sum, n) * n
end
for _, as in ipairs { "quaternion", "directors" } do
  local angles, rates, radius = { 0.3, 0.4, 0.7 }, { 0.8, -0.5, 1.7 }, 0.6
  local system, q, axes, spin = thin_disk(as, angles, rates, radius)
  local a, lambda = system:accelerations()
  assert(#a - #lambda == 3)
  local c, s = math.cos(angles[2]), math.sin(angles[2])
  local expected = {
    -2 * rates[2] * rates[3] / c,
    4 * g * s / (5 * radius) + s * c * rates[1] ^ 2 + 6 / 5 * c * rates[1] * rates[3],
    -(10 * c * rates[1] - 12 * s / c * rates[3]) * rates[2] / 6,
  }
  local got = angular_acceleration(as, a, q, axes, spin)
  local turn2 = rates[1] * axes[1]
  local wanted = expected[1] * axes[1] + expected[2] * axes[2] + expected[3] * axes[3]
    + rates[2] * vida.cross(turn2, axes[2])
    + rates[3] * vida.cross(turn2 + rates[2] * axes[2], axes[3])
  for i = 1, 3 do
    check.close(got[i], wanted[i], 1e-10)
  end
end

-- ---- knife edge ----------------------------------------------------------------------------------
-- On an incline (closed form; Bloch, Nonholonomic Mechanics, section 1.6): phi = W t,
-- x = k sin(W t)^2, y = k (W t - sin(2 W t) / 2) with k = g sin(al) / (2 W^2), and the force
-- -2 m g sin(al) sin(W t).
local slope, turning = 0.3, 1.5
local k = g * math.sin(slope) / (2 * turning ^ 2)
local function skate(dimension, as, t)
  local c, s = math.cos(turning * t), math.sin(turning * t)
  local x, y = k * s ^ 2, k * (turning * t - s * c)
  local u, v = g * math.sin(slope) / turning * s * c, g * math.sin(slope) / turning * s ^ 2
  local system = vida.system { "skate", dimension = dimension }
  if dimension == 2 then
    system:gravity { g * math.sin(slope), 0 }
    local body = system:body { "skate", mass = 1.25, inertia = 0.13, position = { x, y }, velocity = { u, v },
      angle = turning * t, angular_velocity = turning }
    system:knife_edge { "blade", body, direction = { 2, 0 } }
  else
    system:gravity { g * math.sin(slope), 0, 0 }
    local body = system:body { "skate", mass = 1.25, inertia = { 0.13, 0.13, 0.13 }, as = as,
      position = { x, y, 0 }, velocity = { u, v, 0 }, angular_velocity = { 0, 0, turning },
      orientation = { axis = { 0, 0, 1 }, angle = turning * t } }
    system:knife_edge { "blade", body, direction = { 1, 0, 0 } }
  end
  return system
end
for _, kind in ipairs { { 2 }, { 3, "quaternion" }, { 3, "directors" } } do
  local t = 0.4
  local system = skate(kind[1], kind[2], t)
  local a, lambda = system:accelerations()
  local w = turning * t
  check.close(a["skate.x"], g * math.sin(slope) * math.cos(2 * w), 1e-12)
  check.close(a["skate.y"], g * math.sin(slope) * math.sin(2 * w), 1e-12)
  check.close(lambda.blade, -2 * 1.25 * g * math.sin(slope) * math.sin(w), 1e-11)
  local errors = {}
  for i, steps in ipairs { 100, 200 } do
    local p = run(skate(kind[1], kind[2], 0), "del-nonholonomic", 1 / steps, steps)
    errors[i] = math.abs(p[1] - k * math.sin(turning) ^ 2)
      + math.abs(p[2] - k * (turning - 0.5 * math.sin(2 * turning)))
  end
  check.close(errors[1] / errors[2], 4, 0.3)
  assert(errors[2] < 1e-3)
end

-- ---- rows that depend on others, and loops -------------------------------------------------------
-- A door on two hinges, ten rows of which five are new, is a physical pendulum on an axis tilted by ten
-- degrees (T = 4.2183052440757 s from 60 degrees; m w^2 / 3, w / 2, g sin 10): half a period later it is
-- open by 60 degrees on the other side. Closed form; the case is EXUDYN issue 39.
local function door(as, misalignment)
  local system = vida.system "door"
  system:gravity { 0, 0, -g }
  local tilt = math.rad(10)
  local axis = vida.vector { math.sin(tilt), 0, math.cos(tilt) }
  local lowest = vida.vector { math.cos(tilt), 0, -math.sin(tilt) }
  local across = vida.cross(axis, lowest)
  local outwards = 0.5 * lowest + math.sqrt(0.75) * across
  local normal = vida.cross(axis, outwards)
  local rows = {}
  for i = 1, 3 do
    rows[i] = { outwards[i], normal[i], axis[i] }
  end
  local body = system:body { "door", mass = 20, inertia = { 20 * 4 / 12, 20 * 5 / 12, 20 / 12 },
    position = outwards / 2, orientation = rows, as = as }
  system:revolute { "lower", system.ground, body, at = -0.8 * axis, axis = axis }
  if misalignment then
    system:revolute { "upper", system:anchor(0.8 * axis + vida.vector { 0, misalignment, 0 }),
      body:point { -0.5, 0, 0.8 }, axis = axis }
  else
    system:revolute { "upper", system.ground, body, at = 0.8 * axis, axis = axis }
  end
  return system, 0.5 * lowest - math.sqrt(0.75) * across
end
for _, as in ipairs { "quaternion", "directors" } do
  local errors = {}
  for i, steps in ipairs { 150, 300 } do
    local system, other_side = door(as)
    local q = run(system, "rattle", 0.5 * 4.2183052440757 / steps, steps)
    errors[i] = math.sqrt((q[1] - other_side[1] / 2) ^ 2 + (q[2] - other_side[2] / 2) ^ 2
      + (q[3] - other_side[3] / 2) ^ 2)
  end
  assert(errors[1] < 1e-3 and errors[2] < 0.3 * errors[1] + 1e-9, errors[1] .. " " .. errors[2])
  -- Both hinges together carry what one would: at rest at the start m (g - a) of the centre.
  local system = door(as)
  local a, lambda = system:accelerations()
  for _, axis in ipairs { "x", "y", "z" } do
    local carried = lambda["lower: " .. axis] + lambda["upper: " .. axis]
    check.close(carried, -20 * (a["door." .. axis] + (axis == "z" and g or 0)), 1e-8)
  end
  check.fails("'upper", function() run(door(as, 1e-3), "rattle", 1e-3, 1) end)
end
-- Three rods on four pins close a loop with one degree of freedom.
do
  local system = vida.system { "four bar", dimension = 2 }
  local crank = system:rod { "crank", mass = 1, length = 1, centre = { 0, 0.5 }, angle = math.pi / 2 }
  local coupler = system:rod { "coupler", mass = 1, length = 2, centre = { 1, 1 }, angle = 0 }
  local rocker = system:rod { "rocker", mass = 1, length = 1, centre = { 2, 0.5 }, angle = math.pi / 2 }
  system:revolute { "A", system.ground, crank.tail }
  system:revolute { "B", crank.head, coupler.tail }
  system:revolute { "C", coupler.head, rocker.head }
  system:revolute { "D", system:anchor { 2, 0 }, rocker.tail }
  system:gravity { 1, 0 }
  -- A parallelogram: (2 m l^2 / 3 + m l^2) alpha = (2 m l / 2 + m l) g
  local a, lambda = system:accelerations()
  assert(#a - #lambda == 1)
  check.close(a["coupler.x"], 2 / (5 / 3), 1e-12)
end

-- ---- momentum, and placement by joints -----------------------------------------------------------
-- Two bodies on a hinge, free in space: all six momenta are kept to rounding.
for _, as in ipairs { "quaternion", "directors" } do
  local system = vida.system "pair"
  local first = system:body { "first", mass = 1, inertia = { 0.2, 0.3, 0.4 }, as = as,
    angular_velocity = { 0, 0, 1 } }
  local second = system:body { "second", mass = 2, inertia = { 0.3, 0.3, 0.2 }, position = { 1, 0, 0 },
    as = as, velocity = { 0, 1, 0 }, angular_velocity = { 0, 0, 1 } }
  system:revolute { "hinge", first, second, at = { 0.4, 0, 0 }, axis = { 1, 1, 1 } }
  system:torsion_spring { "spring", first, second, axis = { 1, 1, 1 }, stiffness = 2, angle = 1 }
  local comparison = vida.compare {
    system = system, time = 10, methods = { { "del-midpoint", h = 0.02 } },
  }
  local outcome = comparison:run { quiet = true }
  assert(outcome[1].status == "ok" and outcome[1].momentum_error < 5e-13)
  assert(outcome[1].constraint_position < 1e-13)
end

-- A guess is moved until the joints hold; without one the start is refused, naming the joint.
local function placed(guess)
  local system = vida.system { "placed", dimension = 2 }
  local rod = system:rod { "rod", mass = 1, length = 2, centre = { 0.9, 0.1 }, angle = 0.2, guess = guess }
  system:revolute { "pin", system.ground, rod.tail }
  local bob = system:particle { "bob", mass = 1, position = { vida.free { near = 1.9 }, 1 } }
  system:revolute { "end", bob, rod.head }
  return system
end
local p = run(placed(true), "rattle", 1e-3, 0)
local c30 = math.sqrt(0.75) -- half the height of the weight is the sine of the angle
for i, value in ipairs { c30, 0.5, c30, 0.5, 2 * c30, 1 } do
  check.close(p[i], value, 1e-14)
end
check.fails("violate constraint 'end: y'", function() run(placed(nil), "rattle", 1e-3, 0) end)

-- ---- curves in the axes of a body, formulas with parameters ----------------------------------------
-- The line y = 0 of a frame that is turned by 30 degrees: a bead slides with g / 2.
do
  local system = vida.system { "slope", dimension = 2 }
  system:gravity { 0, -g }
  local frame = system:body { "frame", fixed = true, position = { 2, 1 }, angle = math.pi / 6 }
  local bead = system:particle { "bead", mass = 0.7, position = { 2, 1 } }
  system:point_on_curve { "wire", frame, bead, curve = function(_, y) return y end, unit = "m" }
  local a = system:accelerations()
  check.close(math.sqrt(a["bead.x"] ^ 2 + a["bead.y"] ^ 2), g / 2, 1e-12)
end

-- The x axis of a body with directors, whose axes are not principal ones, as a function of s.
do
  local system = vida.system "wire"
  local inertia = { { 0.3, 0.1, 0 }, { 0.1, 0.2, 0.05 }, { 0, 0.05, 0.4 } }
  local plate = system:body { "plate", mass = 1, inertia = inertia, as = "directors",
    orientation = { axis = { 0, 0, 1 }, angle = 0.8 } }
  local bead = system:particle { "bead", mass = 0.7,
    position = { 0.6 * math.cos(0.8), 0.6 * math.sin(0.8), 0 } }
  system:point_on_curve { "wire", plate, bead, parameter = 0.6, curve = function(s) return { s, 0, 0 } end }
  local stepper = system:stepper { "rattle", h = 0.01 }
  stepper:start() -- would refuse a bead that is not on the wire
  check.close(stepper:positions()[13], 0.6 * math.cos(0.8), 1e-14) -- after 12 of the plate
end

-- A crank whose angle is A sin(3 t), with a parameter A: at t = 0 its rate is 3 A.
do
  local system = vida.system { "crank", dimension = 2 }
  local crank = system:body { "crank", mass = 1, inertia = 0.1, velocity = { 0, 0 } }
  local size = system:parameter { "A", 0.2 }
  system:drive { "motor", system.ground, crank, angle = function(t) return size * vida.sin(3 * t) end }
  local stepper = system:stepper { "rattle", h = 0.01 }
  stepper:start()
  check.close(stepper:velocities()[3], 0.6, 1e-14)
end

-- ---- mistakes ------------------------------------------------------------------------------------
local house, wall = hung("quaternion")
local box = house:body { "box", mass = 1, inertia = { 1, 1, 1 } }
local loose = house:body { "loose", mass = 1, inertia = { 1, 1, 1 }, guess = true }
local bead = house:particle { "bead", mass = 1, position = { 0, 0, 0 } }
local stick = house:rod { "stick", mass = 1, length = 1, centre = { 0, 0, 0 }, direction = { 1, 0, 0 } }
local other, stranger = hung("quaternion")
assert(other ~= house)
local origin = { 0, 0, 0 }
local function joint(method, definition)
  return function() house[method](house, definition) end
end
fails("ball: expected a table such as", joint("ball", "hip"))
fails("ball 'hip': unknown key 'att'; did you mean 'at'?",
  joint("ball", { "hip", wall, box, att = origin }))
fails("ball 'hip': expected at = { ... }, its position at the start, or a point of body 'body' as its first",
  joint("ball", { "hip", wall, box }))
-- What has no key `at` does not ask for it.
fails("spring 's': expected a point of body 'body' as its first end",
  joint("spring", { "s", wall, box:point { 1, 0, 0 }, stiffness = 1, length = 1 }))
fails("ball 'hip': at: expected a list of 3 numbers, got 2",
  joint("ball", { "hip", wall, box, at = { 1, 2 } }))
fails("ball 'hip': first end: expected a body, a point of a body, a particle or a fixed point, got nothing",
  joint("ball", { "hip" }))
fails("ball 'hip': second end: body 'body' belongs to another system",
  joint("ball", { "hip", wall, stranger, at = origin }))
fails("ball 'hip': both ends are on 'body'", joint("ball", { "hip", wall, wall, at = origin }))
fails("ball 'hip': both ends are on 'bead'", joint("ball", { "hip", bead, bead }))
fails("ball 'hip': at refers to space at the start, but the initial position of 'loose' is computed",
  joint("ball", { "hip", wall, loose, at = origin }))
fails("ball 'hip': all its ends are fixed",
  joint("ball", { "hip", house:anchor { 1, 2, 3 }, house:body { "b", fixed = true }, at = origin }))
fails("revolute 'h': axis: expected a direction in space such as { 0, 0, 1 }",
  joint("revolute", { "h", wall, box, at = origin }))
fails("revolute 'h': axis: a direction cannot be zero",
  joint("revolute", { "h", wall, box, at = origin, axis = { 0, 0, 0 } }))
fails("revolute 'h': second end 'bead': a particle has no orientation",
  joint("revolute", { "h", wall, bead, at = origin, axis = { 0, 0, 1 } }))
fails("revolute 'h': second end 'stick': a rod in space has no orientation about its axis",
  joint("revolute", { "h", wall, stick, at = origin, axis = { 0, 0, 1 } }))
fails("revolute 'h': axis[2]: expected a direction of 'box', got a direction of body 'body'",
  joint("revolute", { "h", wall, box, at = origin, axis = { { 0, 0, 1 }, wall:direction { 0, 0, 1 } } }))
fails("prismatic 's': reference: with an axis for each end, expected also a direction across it",
  joint("prismatic", { "s", wall, box, at = origin, axis = { { 0, 0, 1 }, { 0, 0, 1 } } }))
fails("universal 'u': axis: expected two directions, one for each end",
  joint("universal", { "u", wall, box, at = origin, axis = { 0, 0, 1 } }))
fails("distance 'd': length: expected a positive number, got 0",
  joint("distance", { "d", wall:point(origin), box:point(origin), length = 0 }))
fails("spring 's': stiffness: expected a number that is not negative, got -1",
  joint("spring", { "s", wall:point(origin), box:point(origin), stiffness = -1, length = 1 }))
fails("drive 'm': expected either angle = function(t) ... end or rate = (rad/s)",
  joint("drive", { "m", wall, box, axis = { 0, 0, 1 } }))
fails("rolling disk 'w': radius: expected a positive number, got nothing",
  joint("rolling_disk", { "w", box, axis = { 0, 1, 0 } }))
fails("rolling disk 'w': axis: expected a list of 3 numbers, got nothing",
  joint("rolling_disk", { "w", box, radius = 1 }))
fails("knife edge 'k': the ground does not move; expected a body",
  joint("knife_edge", { "k", house.ground, direction = { 1, 0, 0 } }))
fails("point on curve 'c': curve: expected a function of x, y, z that returns expressions "
  .. "which vanish on the curve, or",
  joint("point_on_curve", { "c", house.ground, bead }))
fails("point on curve 'c': curve: expected a function that returns at most 2 expressions, got 3",
  joint("point_on_curve", { "c", house.ground, bead, curve = function(x, y, z) return x, y, z end }))
fails("prescribe 'p': third entry: expected a function of time, got 3",
  joint("prescribe", { "p", bead.x, 3 }))

print("ok")
