-- energy-collocation: orders 2 s against closed forms, energy and both levels of the constraints computed
-- here from positions and velocities, identity with other methods where the theory says so, and what it
-- refuses.
local vida = require "vida"
local check = require "check"

local function run(system, options, time)
  local stepper = system:stepper(options)
  stepper:start()
  local good, message = stepper:step(math.floor(time / options.h + 0.5))
  assert(good, message)
  return stepper:positions(), stepper:velocities(), stepper
end

local function method(stages, h, points)
  return { "energy-collocation", stages = stages, h = h, points = points }
end

local function dot(a, b)
  local sum = 0
  for i = 1, #a do
    sum = sum + a[i] * b[i]
  end
  return sum
end

-- A free particle on a sphere: a great circle with constant speed 1.
local function sphere(row)
  local s = vida.system "sphere"
  local p = s:particle { "p", mass = 2, position = { 1, 0, 0 }, velocity = { 0, 0.6, 0.8 } }
  s:constraint { "sphere", row(p.x ^ 2 + p.y ^ 2 + p.z ^ 2) }
  return s
end

-- The gradient of the row on the sphere is 2, or 2 e, and it takes 2 kg 1 m/s^2 to stay there.
for gradient, row in pairs { [2] = function(square) return square - 1 end,
  [2 * math.exp(1)] = function(square) return vida.exp(square) - math.exp(1) end } do
  for stages = 1, 4 do
    local errors = {}
    for i, count in ipairs { 6, 12 } do
      local q, v, stepper = run(sphere(row), method(stages, 3 / count), 3)
      check.close(dot(q, q), 1, 2e-14)
      check.close(dot(q, v), 0, 2e-14)
      check.close(dot(v, v), 1, 2e-14)
      local to = { math.cos(3), 0.6 * math.sin(3), 0.8 * math.sin(3) }
      errors[i] = math.sqrt((q[1] - to[1]) ^ 2 + (q[2] - to[2]) ^ 2 + (q[3] - to[3]) ^ 2)
      check.close(stepper:multipliers()[1], 2 / gradient, 1e-13)
    end
    local order = math.log(errors[1] / errors[2], 2)
    assert(math.abs(order - 2 * stages) < 0.4, ("stages %d: %.2f, %g"):format(stages, order, errors[2]))
  end
end

-- A double pendulum with a spring to the ground, 1 - cos of its stretch as its potential: the energy over
-- 20 000 steps, and both rods with their rates.
local function double_pendulum(twice)
  local s = vida.system "double pendulum"
  s:gravity { 0, 0, -9.81 }
  local a = s:particle { "a", mass = 1, position = { 1, 0, 0 }, velocity = { 0, 1, 0 } }
  local b = s:particle { "b", mass = 1.5, position = { 1, 1, 0 }, velocity = { 1, 1, 2 } }
  s:distance { "upper", s.ground, a, length = 1 }
  s:distance { "lower", a, b, length = 1 }
  if twice then
    s:distance { "again", a, b, length = 1 }
  end
  s:potential(2 * (1 - vida.cos(b.x - 0.3)))
  return s
end
local function energy_of(q, v)
  return 0.5 * (dot({ v[1], v[2], v[3] }, { v[1], v[2], v[3] })
      + 1.5 * dot({ v[4], v[5], v[6] }, { v[4], v[5], v[6] }))
    + 9.81 * (q[3] + 1.5 * q[6]) + 2 * (1 - math.cos(q[4] - 0.3))
end
do
  local stepper = double_pendulum():stepper(method(2, 0.02))
  stepper:start()
  local first = energy_of(stepper:positions(), stepper:velocities())
  for _ = 1, 20 do
    assert(stepper:step(1000))
    local q, v = stepper:positions(), stepper:velocities()
    check.close(energy_of(q, v), first, 2e-12)
    local d, rate = {}, {}
    for i = 1, 3 do
      d[i], rate[i] = q[3 + i] - q[i], v[3 + i] - v[i]
    end
    check.close(dot(d, d), 1, 1e-14)
    check.close(dot(d, rate), 0, 1e-13)
    check.close(dot({ q[1], q[2], q[3] }, { v[1], v[2], v[3] }), 0, 1e-13)
  end
end

-- One stage integrates quadratic constraints and potentials as the discrete derivatives do: with rods and
-- gravity its steps are those of energy-momentum-ggl.
do
  local function pendulum()
    local s = vida.system "pendulum"
    s:gravity { 0, 0, -9.81 }
    local a = s:particle { "a", mass = 1, position = { 1, 0, 0 }, velocity = { 0, 1, 0 } }
    local b = s:particle { "b", mass = 1.5, position = { 1, 1, 0 }, velocity = { 1, 1, 2 } }
    s:distance { "upper", s.ground, a, length = 1 }
    s:distance { "lower", a, b, length = 1 }
    return s
  end
  local q, v = run(pendulum(), method(1, 0.02), 1)
  local q_ggl, v_ggl = run(pendulum(), { "energy-momentum-ggl", h = 0.02 }, 1)
  for i = 1, 6 do
    check.close(q[i], q_ggl[i], 1e-11)
    check.close(v[i], v_ggl[i], 1e-10)
  end
end

-- With as many points as polynomials it is Gauss' collocation method (Brugnano and Iavernaro: HBVM(s,s)),
-- which does not keep the energy of a quartic potential; with twice as many (degree 4 s - 1) it does.
local function quartic()
  local s = vida.system { "quartic", dimension = 2 }
  local p = s:particle { "p", mass = 1, position = { 1, 0.3 }, velocity = { 0.2, 0.9 } }
  s:potential(p.x ^ 4 / 4 + p.x ^ 2 * p.y + p.y ^ 4)
  return s
end
for stages = 1, 3 do
  local q, v = run(quartic(), method(stages, 0.1, stages), 2)
  local q_gauss, v_gauss = run(quartic(), { "galerkin-gauss", stages = stages, h = 0.1 }, 2)
  local function energy(x, u)
    return dot(u, u) / 2 + x[1] ^ 4 / 4 + x[1] ^ 2 * x[2] + x[2] ^ 4
  end
  local first = energy({ 1, 0.3 }, { 0.2, 0.9 })
  for i = 1, 2 do
    check.close(q[i], q_gauss[i], 1e-12)
    check.close(v[i], v_gauss[i], 1e-12)
  end
  assert(math.abs(energy(q, v) - first) > 1e-11, "Gauss' method keeps a quartic energy")
  local q_exact, v_exact = run(quartic(), method(stages, 0.1, 2 * stages), 2)
  check.close(energy(q_exact, v_exact), first, 1e-13)
end

-- A damped oscillator, x'' + 0.4 x' + 4 x = 0: its closed form, to the order of the method.
do
  local errors = {}
  for i, h in ipairs { 0.2, 0.1 } do
    local s = vida.system { "damped", dimension = 2 }
    local p = s:particle { "p", mass = 1, position = { 1, 0 } }
    s:potential(2 * p.x ^ 2)
    s:rayleigh(0.2 * p.velocity.x ^ 2)
    local q = run(s, method(3, h), 4)
    local omega = math.sqrt(4 - 0.04)
    local x = math.exp(-0.8) * (math.cos(4 * omega) + 0.2 / omega * math.sin(4 * omega))
    errors[i] = math.abs(q[1] - x)
  end
  assert(math.log(errors[1] / errors[2], 2) > 5.6, ("%g, %g"):format(errors[1], errors[2]))
end

-- Rods that are there twice: their forces are not unique, the motion is.
do
  local q = run(double_pendulum(), method(3, 0.05), 2)
  local q_twice = run(double_pendulum(true), method(3, 0.05), 2)
  for i = 1, 6 do
    check.close(q_twice[i], q[i], 1e-9)
  end
end

check.fails("points = 2 is less than stages = 3", function()
  double_pendulum():stepper(method(3, 0.1, 2))
end)
check.fails("stages", function() double_pendulum():stepper(method(5, 0.1)) end)
do
  local s = vida.system { "driven", dimension = 2 }
  local p = s:particle { "p", mass = 1, position = { 0, 0 }, velocity = { 1, 0 } }
  s:constraint { "drive", p.x - vida.sin(s.time), unit = "m" }
  check.fails("depend on time", function() s:stepper(method(2, 0.1)) end)
  local turning = vida.system "turning"
  turning:body { "top", as = "quaternion", mass = 1, inertia = { 1, 2, 3 } }
  check.fails("constant mass matrix", function() turning:stepper(method(2, 0.1)) end)
end
