-- Rods and rigid bodies against closed forms, published numbers and each other.
local check = require "check"
local vida = require "vida"

local fails = check.fails_here

local function run(system, method, h, steps)
  local stepper = system:stepper { method, h = h }
  stepper:start()
  assert(stepper:step(steps))
  return stepper:positions(), stepper
end

local function distance(a, b)
  local sum = 0
  for i = 1, #b do
    sum = sum + (a[i] - b[i]) ^ 2
  end
  return math.sqrt(sum)
end

-- Demands that the errors with h and h / 2 differ by a factor of four, and that both are small.
local function second_order(coarse, fine, largest)
  check.close(coarse / fine, 4, 0.1)
  assert(fine < largest, ("error %g, expected less than %g"):format(fine, largest))
end

-- ---- torque-free symmetric body ------------------------------------------------------------------
-- I = (1, 1, 2), body rates (1, 0, 5): L turns the body at |L| / I1 = sqrt(101) rad/s about itself and
-- the body spins by -5 rad/s about its axis: q = exp(t L / (2 I1)) exp(-5 t e3 / 2), L = (1, 0, 10).
local function free_quaternion(t)
  local rate = math.sqrt(101)
  local c, s = math.cos(rate * t / 2), math.sin(rate * t / 2) / rate
  return vida.quaternion_product({ c, s, 0, 10 * s },
    { math.cos(-5 * t / 2), 0, 0, math.sin(-5 * t / 2) })
end
local published = { -0.812991342557, 0.0758547256881, -0.0566651714399, 0.574526061953 }
assert(distance(free_quaternion(1), published) < 1e-11)

local function free_body(change)
  local system = vida.system "free body"
  local body = system:body(check.with({
    "b", mass = 3, inertia = { 1, 1, 2 }, position = { 1, 2, 3 }, velocity = { 0.5, 0, -1 },
    body_rates = { 1, 0, 5 },
  }, change))
  return system, body
end

for _, method in ipairs { "del-midpoint", "rattle" } do
  local errors = {}
  for i, h in ipairs { 2e-3, 1e-3 } do
    local p = run(free_body {}, method, h, math.floor(1 / h + 0.5))
    check.close(p[1], 1.5, 1e-12)
    check.close(p[3], 2, 1e-12)
    local q = { table.unpack(p, 4, 7) }
    check.close(vida.norm(q), 1, 1e-14)
    errors[i] = distance(q, free_quaternion(1))
  end
  second_order(errors[1], errors[2], 3e-5)
end
for _, method in ipairs { "del-midpoint", "rattle", "energy-momentum" } do
  local errors = {}
  for i, h in ipairs { 2e-3, 1e-3 } do
    local p = run(free_body { as = "directors" }, method, h, math.floor(1 / h + 0.5))
    assert(#p == 3 + 6) -- a body whose Euler tensor has a vanishing entry takes two directors
    local q = free_quaternion(1)
    local d1, d2 = vida.rotate(q, { 1, 0, 0 }), vida.rotate(q, { 0, 1, 0 })
    errors[i] = distance({ table.unpack(p, 4, 9) }, { d1[1], d1[2], d1[3], d2[1], d2[2], d2[3] })
  end
  second_order(errors[1], errors[2], 2e-4)
end

-- Velocities are the same whether they are given in space or in the body, and orientations in any
-- form: half a right angle about (0, 0, 2).
local half = math.sqrt(0.5)
local forms = {
  { 0.5 * math.sqrt(2 + math.sqrt(2)), 0, 0, 0.5 * math.sqrt(2 - math.sqrt(2)) },
  { axis = { 0, 0, 2 }, angle = math.pi / 4 },
  { { half, -half, 0 }, { half, half, 0 }, { 0, 0, 1 } },
  vida.unit { 0.55 * math.sqrt(2 + math.sqrt(2)), 0, 0, 0.55 * math.sqrt(2 - math.sqrt(2)) },
}
local expected_start
for _, form in ipairs(forms) do
  for _, rates in ipairs { { body_rates = { 1, 1, 5 } },
    { body_rates = check.none, angular_velocity = { 0, math.sqrt(2), 5 } } } do
    rates.orientation = form
    local _, stepper = run(free_body(rates), "rattle", 1e-3, 0)
    expected_start = expected_start or { stepper:positions(), stepper:velocities() }
    assert(distance(stepper:positions(), expected_start[1]) < 1e-14)
    assert(distance(stepper:velocities(), expected_start[2]) < 1e-13)
  end
end
-- Matrices with any largest component.
for _, q in ipairs { { 0.1, 0.7, 0.1, 0.2 }, { 0.1, 0.2, -0.8, 0.3 }, { -0.2, 0.3, 0.4, 0.9 } } do
  q = vida.unit(q)
  local rows = vida.rotation(q)
  local p = run(free_body { orientation = { rows[1], rows[2], rows[3] } }, "rattle", 1e-3, 0)
  local sign = p[4] * q[1] < 0 and -1 or 1
  assert(distance(sign * vida.vector { table.unpack(p, 4, 7) }, q) < 1e-14)
end

-- ---- what is conserved, without being asked for --------------------------------------------------
for _, as in ipairs { "quaternion", "directors" } do
  local system = free_body { as = as, inertia = { 1, 2, 2.5 } }
  local result = vida.compare {
    system = system, time = 5,
    methods = { { "del-midpoint", h = 0.01 }, as == "directors" and { "energy-momentum", h = 0.01 } or nil },
  }:run { quiet = true }
  for i = 1, #result do
    assert(result[i].status == "ok")
    assert(result[i].momentum_error < 2e-12, result[i].momentum_error) -- 3 x 1.5 kg m/s, about 10 kg m^2/s
    assert(result[i].constraint_position < 1e-13)
  end
  if as == "directors" then
    assert(result[2].energy_error < 1e-11)
  end
end

-- ---- any inertia tensor, quaternion against directors --------------------------------------------
-- A body that carries a weight on a ball joint, described in its principal axes and in others: the
-- weight moves in the same way, to the second order of the method.
local turn = vida.unit { 0.8, 0.3, -0.4, 0.2 }
local function back(vector)
  return vida.rotate({ turn[1], -turn[2], -turn[3], -turn[4] }, vector)
end
-- Rows of R^T diag R, R from the other axes to the principal ones.
local function other_tensor(moments)
  local rows = {}
  local r = vida.rotation(turn)
  for i = 1, 3 do
    rows[i] = {}
    for j = 1, 3 do
      rows[i][j] = 0
      for k = 1, 3 do
        rows[i][j] = rows[i][j] + r[k][i] * moments[k] * r[k][j]
      end
    end
  end
  for i = 1, 3 do
    for j = 1, i - 1 do
      rows[i][j] = rows[j][i]
    end
  end
  return rows
end

local function carrier(as, others)
  local system = vida.system "carrier"
  system:gravity { 0, 0, -9.81 }
  local weight = system:particle { "weight", mass = 0.4, position = { 0.3, -0.2, 0.5 },
    velocity = vida.cross({ 1, 2, 3 }, { 0.3, -0.2, 0.5 }) + vida.vector { 0, 0, 1 } }
  local arm = vida.vector { 0.3, -0.2, 0.5 }
  local body = system:body {
    "body", mass = 2, inertia = others and other_tensor { 0.5, 0.8, 1.1 } or { 0.5, 0.8, 1.1 }, as = as,
    velocity = { 0, 0, 1 }, orientation = others and turn or nil, angular_velocity = { 1, 2, 3 },
  }
  system:ball { "socket", body:point(others and back(arm) or arm), weight }
  return system
end
local places = {}
for _, h in ipairs { 4e-3, 2e-3, 1e-3 } do
  for i, kind in ipairs { { "quaternion", false }, { "quaternion", true }, { "directors", false },
    { "directors", true } } do
    places[i] = places[i] or {}
    local p = run(carrier(kind[1], kind[2]), "del-midpoint", h, math.floor(1 / h + 0.5))
    table.insert(places[i], { p[1], p[2], p[3] })
  end
end
for k = 1, 3 do
  assert(distance(places[1][k], places[2][k]) < 1e-12)
  assert(distance(places[3][k], places[4][k]) < 1e-12)
end
second_order(distance(places[1][1], places[1][3]) * 0.8, distance(places[1][2], places[1][3]), 1e-4)
-- Either kind extrapolated to h = 0.
local function limit(list)
  return (4 * vida.vector(list[3]) - vida.vector(list[2])) / 3
end
assert(distance(limit(places[1]), limit(places[3])) < 1e-8)

-- ---- heavy top -----------------------------------------------------------------------------------
-- Published benchmark (m = 15, about the centre diag(0.234375, 0.46875, 0.234375), one metre along y
-- from the pivot, body rates (0, 150, -4.61538)); the centre at t = 0.5 s, recomputed in quadruple
-- precision.
local reference = { -0.70246829702494559, -0.021165184701932658, -0.71140025765173441 }
local function heavy_top(as)
  local system = vida.system "heavy top"
  system:gravity { 0, 0, -9.81 }
  local body = system:body {
    "top", mass = 15, inertia = { 0.234375, 0.46875, 0.234375 }, position = { 0, 1, 0 }, as = as,
    velocity = { 4.61538, 0, 0 }, body_rates = { 0, 150, -4.61538 },
  }
  system:ball { "pivot", system.ground, body, at = { 0, 0, 0 } }
  return system
end
for _, as in ipairs { "quaternion", "directors" } do
  local list = {}
  for i, h in ipairs { 1e-3, 5e-4 } do
    local p = run(heavy_top(as), "rattle", h, math.floor(0.5 / h + 0.5))
    list[i] = vida.vector { p[1], p[2], p[3] }
  end
  local coarse, fine = distance(list[1], reference), distance(list[2], reference)
  check.close(coarse / fine, 4, 0.3)
  assert(distance((4 * list[2] - list[1]) / 3, reference) < 0.03 * fine)
end

-- ---- rods ----------------------------------------------------------------------------------------
-- A rod on a pin is a pendulum with I = m l^2 / 3 and lever l / 2; let go from the horizontal it is
-- there again after 4 K(sin(pi / 4)) sqrt(2 l / (3 g)) = 2 pi sqrt(2 l / (3 g)) / agm(1, cos(pi / 4)).
local function agm(a, b)
  for _ = 1, 8 do
    a, b = (a + b) / 2, math.sqrt(a * b)
  end
  return a
end
local length, gravity = 0.8, 9.81
local period = 2 * math.pi * math.sqrt(2 * length / (3 * gravity)) / agm(1, math.cos(math.pi / 4))
local function hanging_rod(dimension)
  local system = vida.system { "rod", dimension = dimension }
  system:gravity(dimension == 2 and { 0, -gravity } or { 0, -gravity, 0 })
  local rod = system:rod(dimension == 2
    and { "rod", mass = 3, length = length, centre = { -length / 2, 0 }, angle = math.pi }
    or { "rod", mass = 3, length = length, centre = { -length / 2, 0, 0 }, direction = { -2, 0, 0 } })
  system:ball { "pin", system.ground, rod.tail }
  return system
end
for _, dimension in ipairs { 2, 3 } do
  local errors = {}
  for i, steps in ipairs { 200, 400 } do
    local p = run(hanging_rod(dimension), "del-midpoint", period / steps, steps)
    errors[i] = p[2] -- of second order, as the height is quadratic in time there: of fourth
  end
  check.close(errors[1] / errors[2], 16, 1)
  local a, lambda = hanging_rod(dimension):accelerations()
  check.close(a["rod.y"], -0.75 * gravity, 1e-12) -- half of 3 g / 2 at the end
  check.close(lambda["pin: y"], -3 * gravity / 4, 1e-12) -- the pin carries a quarter of the weight
end

-- A free rod keeps linear and angular momentum; so does a body of the plane.
for _, dimension in ipairs { 2, 3 } do
  local system = vida.system { "thrown", dimension = dimension }
  if dimension == 2 then
    system:rod { "rod", mass = 2, length = 1, centre = { 0, 0 }, angle = 0.3, velocity = { 1, 2 },
      angular_velocity = 4 }
    system:body { "plate", mass = 2, inertia = 0.3, position = { 1, 0 }, angle = 7,
      angular_velocity = -2 }
  else
    system:rod { "rod", mass = 2, length = 1, centre = { 0, 0, 1 }, direction = { 1, 1, 0 },
      velocity = { 1, 2, 0 }, angular_velocity = { 1, 0, 4 } }
  end
  local result = vida.compare {
    system = system, time = 5, methods = { { "energy-momentum", h = 0.01 } },
  }:run { quiet = true }
  assert(result[1].momentum_error < 1e-12 and result[1].energy_error < 1e-12)
end

-- ---- points, directions and what a body is in expressions ----------------------------------------
local room = vida.system "room"
local box = room:body { "box", mass = 1, inertia = { 1, 2, 2.5 }, position = { 1, 2, 3 },
  orientation = { axis = { 0, 0, 1 }, angle = math.pi / 2 }, angular_velocity = { 0, 0, 2 },
  velocity = { 1, 0, 0 } }
assert(tostring(box) == "body 'box'" and box.name == "box" and box.mass == 1)
assert(box.centre.name == "box" and #box.orientation == 4)
local corner = box:point { 1, 0, 0 } -- at (1, 3, 3), moves with (1, 0, 0) + 2 e_z x (0, 1, 0) = (-1, 0, 0)
assert(tostring(corner) == "point of body 'box'" and corner.body == box)
room:observe { "corner", corner.position, unit = "m" }
room:observe { "speed", corner.velocity, unit = "m/s" }
room:observe { "spin", box.angular_velocity, unit = "rad/s" }
room:observe { "edge", box:direction({ 0, 3, 0 }).vector }
local shelf = room:body { "shelf", fixed = true, position = { 0, 0, 1 },
  orientation = { axis = { 0, 0, 1 }, angle = math.pi / 2 } }
assert(distance(shelf:point({ 1, 0, 0 }).position, { 0, 1, 1 }) < 1e-15)
assert(distance(shelf:direction({ 1, 0, 0 }).vector, { 0, 1, 0 }) < 1e-15)
assert(distance(shelf.position, { 0, 0, 1 }) == 0)

-- ---- mistakes ------------------------------------------------------------------------------------
local plane = vida.system { "plane", dimension = 2 }
local function body(change)
  return function()
    vida.system("s"):body(check.with({ "b", mass = 1, inertia = { 1, 1, 1 } }, change))
  end
end
local function rod(change)
  return function()
    vida.system({ "s", dimension = 2 }):rod(check.with(
      { "r", mass = 1, length = 1, centre = { 0, 0 }, angle = 0 }, change))
  end
end
fails("body: expected a table such as", function() room:body("b") end)
fails("body[1]: expected a name, got nothing", function() room:body {} end)
fails("body 'b': unknown key 'masss'; did you mean 'mass'?", body { masss = 2 })
fails("body 'b': unknown key 'angle'", body { angle = 1 })
fails("body 'b': mass: expected a positive number, got 0", body { mass = 0 })
fails("body 'b': mass: expected a positive number, got nothing", body { mass = check.none })
fails("body 'b': inertia: expected three principal moments or a symmetric 3 x 3 matrix, got 1",
  body { inertia = 1 })
fails("body 'b': inertia: expected positive principal moments, got -1", body { inertia = { 1, 1, -1 } })
fails("got 0; a body whose mass is on a line is a rod: system:rod", body { inertia = { 0, 1, 1 } })
fails("body 'b': inertia: no body has the principal moments 1, 1, 3: the largest is more than the sum",
  body { inertia = { 1, 1, 3 } })
fails("body 'b': inertia: expected a symmetric matrix, but [1][2] is 0.1 and [2][1] is 0.2",
  body { inertia = { { 1, 0.1, 0 }, { 0.2, 1, 0 }, { 0, 0, 1 } } })
fails("body 'b': inertia: all its mass is on a line; use system:rod",
  body { inertia = { 1, 1, 1e-14 }, as = "directors" })
fails("body 'b': as: expected \"quaternion\" or \"directors\", got the text \"euler\"", body { as = "euler" })
fails("orientation: expected a quaternion of norm 1, got the norm 1.1; vida.unit { ... } normalizes it",
  body { orientation = { 1.1, 0, 0, 0 } })
fails("body 'b': orientation: expected a list of 4 numbers, got 3", body { orientation = { 1, 0, 0 } })
fails("body 'b': orientation: expected a rotation matrix, but row 1 times row 1 is 4",
  body { orientation = { { 2, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } } })
fails("expected a rotation matrix, got one that also mirrors",
  body { orientation = { { -1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } } })
fails("body 'b': orientation.axis: a direction cannot be zero",
  body { orientation = { axis = { 0, 0, 0 }, angle = 1 } })
fails("expected angular_velocity (in space) or body_rates (in the body), not both",
  body { angular_velocity = { 1, 0, 0 }, body_rates = { 1, 0, 0 } })
fails("body 'b': position: expected a list of 3 numbers, got 2", body { position = { 0, 0 } })
fails("body 'b': position[2]: expected a finite number, got inf", body { position = { 0, 1 / 0, 0 } })
fails("body 'b': velocity[1]: expected a finite number, got nan", body { velocity = { 0 / 0, 0, 0 } })
fails("body 'b': guess: expected true or false, got 1", body { guess = 1 })
fails("body 'b': unknown key 'mass'", body { fixed = true, inertia = check.none })
fails("body 'p': inertia: expected a positive number, got a table",
  function() plane:body { "p", mass = 1, inertia = { 1, 1, 1 } } end)
fails("rod 'r': length: expected a positive number, got -1", rod { length = -1 })
fails("rod 'r': angle: expected a finite number, got nothing", rod { angle = check.none })
fails("rod 'r': expected angle or direction, not both", rod { direction = { 1, 0 } })
fails("rod 'r': unknown key 'center'; did you mean 'centre'?", rod { center = { 0, 0 } })
fails("rod 'r': direction: a direction cannot be zero", rod { angle = check.none, direction = { 0, 0 } })
fails("body 'box': point: expected a list of 3 numbers, got 2", function() box:point { 1, 2 } end)
fails("body 'box': only rods have a head and a tail", function() return box.head end)
fails("body 'box' has no 'positon'; did you mean 'position'?", function() return box.positon end)
fails("body 'box' cannot be changed", function() box.mass = 3 end)
fails("point of body 'box' has no 'x'", function() return corner.x end)
fails("vida.unit: a vector of length zero has no direction", function() vida.unit { 0, 0 } end)

print("ok")

-- A quaternion turned a little has almost no mass along itself: starts near an upright body on a joint
-- are adjusted all the same, in position, in length and in velocity.
for power = -7, -2 do
  local off = 10.0 ^ power
  local upright = vida.system "upright top"
  local top = upright:body { "top",
    mass = 15, inertia = { 0.234375, 0.46875, 0.234375 }, position = { 0, 1, 0 },
    velocity = { 4.61538, 0, 0 }, body_rates = { 0, 150, -4.61538 }, as = "quaternion",
  }
  upright:ball { "pivot", upright.ground, top, at = { 0, 0, 0 } }
  local shifted = vida.compare {
    system = upright, time = 0.01, adjust_start = true, methods = { { "rattle", h = 1e-3 } },
    starts = {
      { values = { ["top.q0"] = 1 + off, ["top.q1"] = off, ["top.q2"] = -off, ["top.x"] = 0.7 * off } },
      { values = { ["top.q0"] = 1 + off, ["top.q1"] = 4 * off, ["top.q2"] = -off, ["top.x"] = 0.7 * off } },
    },
  }
  local rows = shifted:run { quiet = true }
  for _, row in ipairs { rows[1], rows[2] } do
    assert(row.status == "ok", row.message)
    assert(row.constraint_position < 1e-13)
  end
end

-- ---- quaternions beside a drive --------------------------------------------------------------------

-- spark-lobatto gives the norm of a quaternion a mass of its own, also in systems that depend on time. A
-- crank about y at 3 rad/s: cos and sin of half its angle.
do
  local function driven(has_bob)
    local s = vida.system "driven"
    s:gravity { 0, 0, -9.81 }
    local crank = s:body { "crank", mass = 1, inertia = { 0.1, 0.2, 0.3 }, position = { 0.5, 0, 0 } }
    s:revolute { "bearing", s.ground, crank, at = { 0, 0, 0 }, axis = { 0, 1, 0 } }
    s:drive { "motor", s.ground, crank, axis = { 0, 1, 0 }, rate = 3 }
    if has_bob then
      local bob = s:body { "bob", mass = 1, inertia = { 0.1, 0.2, 0.3 }, position = { 1, 0, -0.5 } }
      s:ball { "joint", crank, bob, at = { 1, 0, 0 } }
    end
    return s
  end
  local stepper = driven(false):stepper { "spark-lobatto", h = 0.05 }
  stepper:start()
  assert(stepper:step(20))
  local c, s = math.cos(3), math.sin(3)
  local exact = { 0.5 * c, 0, -0.5 * s, math.cos(1.5), 0, math.sin(1.5), 0 }
  for i, q in ipairs(stepper:positions()) do
    check.close(q, exact[i], 1e-12)
  end
  -- with a body that swings at its end: order 4, against another method
  local result = vida.compare { system = driven(true), time = 1, norm = "end",
    reference = { "radau", h = 0.002 }, methods = { { "spark-lobatto", h = { 0.02, 0.01 } } } }
    :run { quiet = true }
  assert(result[1].status == "ok", result[1].message)
  local order = math.log(result[1].position_error / result[2].position_error, 2)
  check.close(order, 4, 0.3)
end
