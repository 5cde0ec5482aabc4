-- The balance of energy: what is not work is an error, for every method; against closed forms where
-- there are some.
local check = require "check"
local mechanism = require "mechanism"
local vida = require "vida"

-- Steps, the bound of a method of order two on these systems, and of the others.
local second, fourth, tight = 2e-2, 1e-6, 1e-9
local methods = {
  { "radau", rtol = 1e-10, bound = tight }, { "radau", h = 0.005, bound = fourth },
  { "ida-ggl", rtol = 1e-8, bound = 1e-5 }, { "ida-index1", rtol = 1e-8, bound = 1e-4 },
  { "baumgarte", h = 0.005, bound = fourth }, { "post-stabilized", h = 0.005, bound = fourth },
  { "rattle", h = 0.005, bound = second }, { "del-midpoint", h = 0.005, bound = second },
  { "del-midpoint", h = 0.005, energy = "midpoint", bound = second },
  { "energy-momentum", h = 0.005, bound = second }, { "generalized-alpha", h = 0.005, bound = second },
}

-- Rows of all methods (or those that take the system), with what the balance leaves of each below its bound.
local function run(system, time, more)
  local list = {}
  for i, method in ipairs(methods) do
    list[i] = {}
    for key, value in pairs(method) do
      list[i][key] = value
    end
    list[i].bound = nil
  end
  local given = { system = system, time = time, norm = "max", methods = list }
  for key, value in pairs(more or {}) do
    given[key] = value
  end
  local rows = vida.compare(given):run { quiet = true }
  local good = 0
  for i, method in ipairs(methods) do
    local row = rows[i]
    if row.status ~= "NOT_SUPPORTED" then
      assert(row.status == "ok", row.method .. ": " .. row.message)
      assert(row.energy_error < method.bound, ("%s: %g"):format(row.method, row.energy_error))
      assert(row.work_error < 1e-8, ("%s: the work is resolved: %g"):format(row.method, row.work_error))
      good = good + 1
    end
  end
  assert(good >= 6, good)
  return rows
end

-- x'' + 2 c x' + k x = 0 from rest at 1: E(t) in closed form; all of its change is work.
local function test_damped_oscillator()
  local s = vida.system { "damped oscillator", dimension = 2 }
  local x, v = s:coordinate { "x", value = 1, rate = 0 }
  local c, k, time = 0.2, 4, 3
  s:kinetic(0.5 * v ^ 2)
  s:potential(0.5 * k * x ^ 2)
  s:rayleigh(c * v ^ 2)
  local w = math.sqrt(k - c ^ 2)
  local decay = math.exp(-c * time)
  local place = decay * (math.cos(w * time) + c / w * math.sin(w * time))
  local rate = -decay * k / w * math.sin(w * time)
  local change = 0.5 * rate ^ 2 + 0.5 * k * place ^ 2 - 0.5 * k
  local rows = run(s, time)
  check.close(rows[1].work, change, 1e-9)
  check.close(rows[1].energy_change, change, 1e-9)
end

local function test_damped_pendulum()
  local s = vida.system { "damped pendulum", dimension = 2 }
  s:gravity { 0, -9.81 }
  local bob = s:particle { "bob", mass = 1, position = { 1, 0 } }
  s:distance { "rod", s.ground, bob, length = 1 }
  s:damper { "drag", s:anchor { 0, 0.5 }, bob, damping = 0.3, along = "velocity" }
  local rows = run(s, 3)
  assert(rows[1].work < -1)
end

-- A force of time on a free mass: v = integral of sin 3 t, and the work is v^2/2.
local function test_force_in_time()
  local s = vida.system { "pushed", dimension = 2 }
  local x, v = s:coordinate { "x", value = 0, rate = 0 }
  s:kinetic(0.5 * v ^ 2)
  s:force { "push", { { x, vida.sin(3 * s.time) } } }
  local rows = run(s, 2)
  check.close(rows[1].work, ((1 - math.cos(6)) / 3) ^ 2 / 2, 1e-9)
end

-- The integral of the work is of order six in the distance of the nodes (Lobatto's rule on the quintic
-- between them): a force -x on x'' = -x does the work (cos^2 t - 1) / 2 of its sign. The method is of
-- order eight.
local function test_order_of_work()
  local s = vida.system { "sprung", dimension = 1 }
  local p = s:particle { "p", mass = 1, position = { 1 } }
  s:force { "spring", p, { -p.x } }
  local rows = vida.compare { system = s, time = 2, methods = {
    { "post-stabilized", integrator = "fehlberg", h = { 0.4, 0.2 } } } }:run { quiet = true }
  local errors = {}
  for i, row in ipairs(rows) do
    errors[i] = math.abs(row.work - (1 - math.cos(2) ^ 2) / 2)
  end
  local order = math.log(errors[1] / errors[2], 2)
  assert(order > 5.5, ("order %g, errors %g and %g"):format(order, errors[1], errors[2]))
end

-- A potential of time: of a spring whose end moves, x'' = -4 (x - 0.3 sin 3 t), from rest at 0:
-- x = (3.6 sin 2 t - 2.4 sin 3 t) / 10, and E = v^2/2 + 2 (x - 0.3 sin 3 t)^2.
local function test_explicit_time()
  local s = vida.system { "moved spring", dimension = 2 }
  local x, v = s:coordinate { "x", value = 0, rate = 0 }
  s:kinetic(0.5 * v ^ 2)
  s:potential(2 * (x - 0.3 * vida.sin(3 * s.time)) ^ 2)
  local rows = run(s, 2)
  local place, rate = 0.36 * math.sin(4) - 0.24 * math.sin(6), 0.72 * (math.cos(4) - math.cos(6))
  check.close(rows[1].work, 0.5 * rate ^ 2 + 2 * (place - 0.3 * math.sin(6)) ^ 2, 1e-9)
end

-- A crank at a given angle t^2: its torque is known, (I + m r^2) 2 + m g r cos t^2, and so is the work,
-- (I + m r^2) (2 t)^2 / 2 + m g r sin t^2.
local function test_crank()
  local s = vida.system { "crank", dimension = 2 }
  s:gravity { 0, -9.81 }
  local crank = s:body { "crank", mass = 2, inertia = 0.1, position = { 0.5, 0 }, angle = 0 }
  s:revolute { "pin", s.ground, crank, at = { 0, 0 } }
  s:drive { "motor", s.ground, crank, angle = function(t) return t ^ 2 end }
  local rows = run(s, 1.5)
  local work = (0.1 + 2 * 0.25) * 3 ^ 2 / 2 + 2 * 9.81 * 0.5 * math.sin(2.25)
  check.close(rows[1].work, work, 1e-9)
  check.close(rows[1].energy_change, work, 1e-9)
end

-- A door in space that a motor opens and a damper brakes.
local function test_door()
  local s = vida.system "door"
  s:gravity { 0, 0, -9.81 }
  local door = s:body { "door", mass = 20, inertia = { 1, 2, 3 }, position = { 0.5, 0, 0 } }
  local axis = { 0, 0.6, 0.8 }
  s:revolute { "hinge", s.ground, door, at = { 0, 0, 0 }, axis = axis }
  s:torsion_damper { "brake", s.ground, door, axis = axis, damping = 0.4 }
  s:drive { "motor", s.ground, door, axis = axis, angle = function(t) return 0.5 * t ^ 2 end }
  local rows = vida.compare {
    system = s, time = 2, norm = "max", methods = { { "radau", rtol = 1e-10 }, { "ida-ggl", rtol = 1e-8 } },
  }:run { quiet = true }
  assert(rows[1].status == "ok" and rows[1].energy_error < tight, rows[1].energy_error)
  assert(rows[2].status == "ok" and rows[2].energy_error < 1e-5, rows[2].energy_error)
  -- At the end it turns with 2 rad/s, at 2 rad; its moment about the hinge is 0.36 * 2 + 0.64 * 3 + 20 / 4,
  -- and its centre is lower by 0.3 sin 2.
  local change = 0.5 * 7.64 * 2 ^ 2 - 20 * 9.81 * 0.3 * math.sin(2)
  check.close(rows[1].energy_change, change, 1e-9)
  check.close(rows[1].work, change, 1e-9)
end

-- A solid ball on a table that turns at the rate W: its centre goes around a circle at 2/7 W (E. J.
-- Routh, Dynamics of a System of Rigid Bodies, part 2, art. 224). The table does work on it.
local function test_turntable()
  local m, r, w = 1, 0.1, 2
  local moment = 0.4 * m * r ^ 2
  local x0, v0 = 0.5, 0.3
  for _, as in ipairs { "quaternion", "directors" } do
    local s = vida.system("turntable " .. as)
    local ball = s:body { "ball", as = as, mass = m, inertia = { moment, moment, moment },
      position = { x0, 0, r }, velocity = { 0, v0, 0 }, angular_velocity = { (w * x0 - v0) / r, 0, 0 } }
    local x, v, spin = ball.position, ball.velocity, ball.angular_velocity
    s:constraint { "table", x[3] - r, unit = "m" }
    s:nonholonomic { "rolling x", v[1] - r * spin[2] + w * x[2], unit = "m/s" }
    s:nonholonomic { "rolling y", v[2] + r * spin[1] - w * x[1], unit = "m/s" }
    -- v = (2/7) W e_z x (x - c): the centre c of the circle is on the x axis.
    local p = 2 / 7 * w
    local radius = v0 / p
    local rows = vida.compare {
      system = s, time = 2, norm = "max",
      methods = { { "radau", rtol = 1e-10 }, { "ida-ggl", rtol = 1e-8 }, { "post-stabilized", h = 0.005 } },
    }:run { quiet = true }
    local stepper = s:stepper { "radau", h = 0.01 }
    stepper:start {}
    for _ = 1, 200 do
      stepper:step()
    end
    local place = stepper:positions()
    check.close(place[1], x0 - radius + radius * math.cos(2 * p), 1e-8)
    check.close(place[2], radius * math.sin(2 * p), 1e-8)
    assert(rows[1].status == "ok" and rows[1].energy_error < tight, rows[1].energy_error)
    assert(math.abs(rows[1].work) > 1e-3 and rows[1].constraint_integral < 1e-8)
    for i = 2, 3 do
      assert(rows[i].status == "ok" and rows[i].energy_error < 1e-5, rows[i].energy_error)
    end
  end
end

-- A force across all velocities does no work, a row of velocities at rest neither: the energy is kept.
local function test_no_exchange()
  local s = vida.system { "gyroscopic", dimension = 2 }
  local x, vx = s:coordinate { "x", value = 1, rate = 1 }
  local y, vy = s:coordinate { "y", value = 0, rate = 0 }
  s:kinetic(0.5 * (vx ^ 2 + vy ^ 2))
  s:potential(x ^ 2 + y ^ 4)
  s:force { "field", { { x, 2 * vy }, { y, -2 * vx } } }
  s:nonholonomic { "steered", vida.sin(s.time) * vx - vida.cos(s.time) * vy }
  local rows = vida.compare { system = s, time = 1,
    methods = { { "radau", rtol = 1e-10 } } }:run { quiet = true }
  assert(rows[1].status == "ok" and rows[1].work == 0 and rows[1].energy_error < tight, rows[1].energy_error)
end

-- A parameter that was zero when the system was completed: its force works afterwards.
local function test_parameter()
  local s = vida.system { "braked", dimension = 2 }
  local c = s:parameter { "c", 0 }
  local _, v = s:coordinate { "x", value = 0, rate = 1 }
  s:kinetic(0.5 * v ^ 2)
  s:rayleigh(0.5 * c * v ^ 2)
  local function work()
    local compared = vida.compare { system = s, time = 1, methods = { { "radau", h = 0.05 } } }
    return compared:run { quiet = true }[1].work
  end
  assert(work() == 0)
  s:set_parameter("c", 1)
  check.close(work(), 0.5 * (math.exp(-2) - 1), 1e-8)
end

-- Too few states for the work in between: the table says so.
local function test_unresolved()
  local s = vida.system { "fast", dimension = 2 }
  local x, v = s:coordinate { "x", value = 1, rate = 0 }
  s:kinetic(0.5 * v ^ 2)
  s:potential(50 * x ^ 2)
  s:rayleigh(0.01 * v ^ 2)
  local result = vida.compare { system = s, time = 4, methods = { { "radau", rtol = 1e-10, h = 0.25 } } }
    :run { quiet = true }
  assert(result[1].status == "ok" and result[1].energy_error > 1e-4)
  assert(result[1].work_error > result[1].energy_error)
  assert(result:table(120):find("not larger than the error of the integrated work", 1, true))
end

-- One step over many periods: the work is not known at all, and nothing is held against the method.
local function test_one_step()
  local s = vida.system { "fast", dimension = 2 }
  local x, v = s:coordinate { "x", value = 1, rate = 0 }
  s:kinetic(0.5 * v ^ 2)
  s:potential(50 * x ^ 2)
  s:force { "drag", { { x, -0.1 * v } } }
  local result = vida.compare {
    system = s,
    time = 10,
    methods = { { "radau", h = 10, rtol = 1e-8 }, { "cvode-projected", h = 10, rtol = 1e-8 } },
  }:run { quiet = true }
  for _, row in ipairs(result) do
    assert(row.status == "ok" and not (row.energy_error and row.energy_error == row.energy_error))
    assert(not row.message:find("no work accounts for it", 1, true), row.message)
    assert(row.message:find("no energy error", 1, true), row.message)
  end
end

-- A row of velocities that is the derivative of a rod: its integral is the drift of the rod's length,
-- which the positions tell as well.
local function test_integral()
  local s = vida.system { "rod of velocities", dimension = 2 }
  s:gravity { 0, -9.81 }
  local bob = s:particle { "bob", mass = 1, position = { 1, 0 } }
  s:nonholonomic { "rod", bob.x * bob.vx + bob.y * bob.vy, unit = "m/s" }
  s:observe { "drift", 0.5 * (bob.x ^ 2 + bob.y ^ 2 - 1), unit = "m" }
  local rows = vida.compare { system = s, time = 2,
    methods = { { "ida-ggl", rtol = 1e-6 }, { "ida-index1", rtol = 1e-6 }, { "hht", h = 0.005 } } }
    :run { quiet = true }
  for i = 1, 3 do
    assert(rows[i].status == "ok" and rows[i].constraint_integral > 1e-9, rows[i].message)
  end
  -- The same steps by hand: the largest drift at the nodes.
  local stepper = s:stepper { "hht", h = 0.005 }
  stepper:start {}
  local largest = 0
  for _ = 1, 400 do
    stepper:step()
    largest = math.max(largest, math.abs(stepper:observables().drift))
  end
  check.close(rows[3].constraint_integral, largest, 1e-3 * largest)
end

-- ---- jumps -------------------------------------------------------------------------------------------

-- A force F for the time d on a mass m at rest leaves (F d)^2 / 2 m, wherever the nodes are: each part of
-- a step between jumps has a constant acceleration, which every method follows.
local function test_work_between_jumps()
  local s = vida.system { "pulse", dimension = 1 }
  local p = s:particle { "p", mass = 2, position = { 0 } }
  s:force { "f", { { p, { vida.switch { s.time, at = { 0.55, 0.62 }, values = { 0, 10, 0 } } } } } }
  local rows = vida.compare { system = s, time = 2, norm = "max",
    methods = { { "rattle", h = { 2, 0.5, 0.1 } }, { "radau", h = 0.5 }, { "verlet", h = 0.1 },
      { "del-midpoint", h = 0.5, energy = "midpoint" }, { "radau", rtol = 1e-6 } } }:run { quiet = true }
  for _, row in ipairs(rows) do
    check.close(row.work, 0.7 ^ 2 / 4, 1e-13)
    assert(row.energy_error < 1e-13 and row.work_error < 1e-12, row.energy_error)
    assert(not row.message:find("energy", 1, true), row.message)
  end
end

-- A stiffness that jumps from 1 to 4 at t = 0.505, where x = cos t: V jumps by 3/2 cos^2 0.505.
local function test_jump_of_a_potential()
  local s = vida.system { "stiffened", dimension = 1 }
  local x, v = s:coordinate { "x", unit = "m", value = 1, rate = 0 }
  s:kinetic(0.5 * v ^ 2)
  s:potential(vida.switch { s.time, at = { 0.505 }, values = { 0.5, 2 } } * x ^ 2)
  for _, row in ipairs(vida.compare { system = s, time = 1, norm = "max",
    methods = { { "radau", rtol = 1e-10 }, { "radau", h = 0.02 }, { "rattle", h = 0.001 } } }
    :run { quiet = true }) do
    local bound = row.method == "rattle" and 1e-5 or 1e-6 -- of order two
    check.close(row.work, 1.5 * math.cos(0.505) ^ 2, bound)
    assert(row.energy_error < bound, ("%s: %g"):format(row.method, row.energy_error))
  end
end

-- A crank of moment J = 0.35 about its pivot, driven at 3 rad/s until t = 0.505 and at -2 rad/s then:
-- the impulse of the drive does the work J (2^2 - 3^2) / 2, and its moment nothing before and after.
local function test_work_of_an_impulse()
  local s = vida.system { "kinked drive", dimension = 2 }
  local crank = s:body { "crank", mass = 1, inertia = 0.1, position = { 0.5, 0 } }
  s:revolute { "O", s.ground, crank, at = { 0, 0 } }
  local jump = 0.505
  s:drive { "motor", s.ground, crank, angle = function(t)
    return vida.where(vida.less(t, jump), 3 * t, 3 * jump - 2 * (t - jump))
  end }
  for _, row in ipairs(vida.compare { system = s, time = 1, norm = "max",
    methods = { { "rattle", h = { 0.5, 0.01 } }, { "radau", rtol = 1e-6 }, { "ida-ggl", rtol = 1e-8 },
      { "post-stabilized", rtol = 1e-6 }, { "energy-momentum", h = 0.001 } } }:run { quiet = true }) do
    local bound = (row.method == "energy-momentum" or row.method == "ida-ggl") and 1e-4 or 1e-12
    check.close(row.work, 0.35 * (4 - 9) / 2, bound)
    assert(row.energy_error < bound, ("%s: %g"):format(row.method, row.energy_error))
    assert(not row.message:find("energy is", 1, true), row.message)
  end
end

mechanism.run {
  { "damped oscillator", test_damped_oscillator }, { "damped pendulum", test_damped_pendulum },
  { "force in time", test_force_in_time },
  { "order of the work", test_order_of_work }, { "explicit time", test_explicit_time },
  { "crank", test_crank },
  { "door", test_door }, { "turntable", test_turntable }, { "no exchange", test_no_exchange },
  { "parameter", test_parameter }, { "unresolved", test_unresolved },
  { "one step", test_one_step }, { "integral", test_integral },
  { "work between jumps", test_work_between_jumps }, { "jump of a potential", test_jump_of_a_potential },
  { "impulse", test_work_of_an_impulse },
}
