-- symmetric-multistep: starts that have no past, jumps in time, and the words of failures, against closed
-- forms.
local vida = require "vida"
local check = require "check"

local source = debug.getinfo(1, "S").source:match "^@(.*)tests/lua/" or "../"
package.path = source .. "scenarios/?.lua;" .. package.path

local function run(system, time, h, order)
  local stepper = system:stepper { "symmetric-multistep", order = order, h = h }
  stepper:start()
  stepper:step(math.floor(time / h + 0.5))
  return stepper:positions()[1], stepper:velocities()[1], stepper
end

-- A particle at x on a spring of stiffness k, whose other end is moved so that x = (t + c)^4.5. The history
-- of the first steps lies around the start, up to 3 h before it, where the power has no value if c is small:
-- the history then begins at the start.
local k = 20
for _, c in ipairs { 0.025, 1 } do
  local s = vida.system { "moved spring", dimension = 2 }
  local function drive(t)
    return t ^ 4.5 + 15.75 / k * t ^ 2.5
  end
  local rate = 4.5 * c ^ 3.5 + 2.5 * 15.75 / k * c ^ 1.5
  local p = s:particle { "p", mass = 1, position = { c ^ 4.5, drive(c) }, velocity = { 4.5 * c ^ 3.5, rate } }
  s:potential(k / 2 * (p.x - p.y) ^ 2)
  s:constraint { "drive", p.y - drive(s.time + c), unit = "m" }
  local position, velocity = run(s, 1, 0.01, 8)
  local t = 1 + c
  local bound = c < 1 and 1e-9 or 1e-12
  check.close(position, t ^ 4.5, bound)
  check.close(velocity, 4.5 * t ^ 3.5, 10 * bound)
end

-- A particle at y on a spring whose other end x rests until t = 0.437 and then moves with 2 m/s: a jump in
-- time on the grid of no step.
local jump, omega = 0.437, math.sqrt(k)
local function pulled()
  local s = vida.system { "pulled", dimension = 2 }
  local p = s:particle { "p", mass = 1, position = { 0.5, 0 }, velocity = { 0, 0 } }
  s:potential(k / 2 * (p.y - p.x) ^ 2)
  s:constraint { "drive", p.y - 2 * vida.max(0, s.time - jump), unit = "m" }
  return s
end
local function right_at(t)
  local x, v = 0.5 * math.cos(omega * jump), -0.5 * omega * math.sin(omega * jump) - 2
  local way = omega * (t - jump)
  return 2 * (t - jump) + x * math.cos(way) + v / omega * math.sin(way),
    2 - omega * x * math.sin(way) + v * math.cos(way)
end
for _, order in ipairs { 4, 6, 8 } do
  local x, v = right_at(4)
  local errors = {}
  for i, h in ipairs { 0.04, 0.02 } do
    local position, velocity = run(pulled(), 4, h, order)
    errors[i] = math.max(math.abs(position - x), math.abs(velocity - v))
  end
  local measured = math.log(errors[1] / errors[2], 2)
  assert(measured > order - 0.5, ("order %d: %.2f, %g, %g"):format(order, measured, errors[1], errors[2]))
end

-- A mass matrix with c outside its diagonal, and the force sin t on x: M (x, y)'' = (sin t, 0).
do
  local c, time = 0.3, 3
  local s = vida.system { "coupled", dimension = 2 }
  local p = s:particle { "p", mass = 1, position = { 0, 0 }, velocity = { 0, 0 } }
  s:kinetic { "coupling", c * p.x.rate * p.y.rate }
  s:force { "push", { { p.x, vida.sin(s.time) } } }
  local x, rate, stepper = run(s, time, 0.05, 8)
  check.close(x, (time - math.sin(time)) / (1 - c * c), 1e-10)
  check.close(rate, (1 - math.cos(time)) / (1 - c * c), 1e-10)
  check.close(stepper:positions()[2], -c * (time - math.sin(time)) / (1 - c * c), 1e-10)
end

-- A failure in the stages of the first steps names the step that was asked for.
local s = vida.system { "pendulum", dimension = 2 }
s:gravity { 0, -9.81 }
local p = s:particle { "p", mass = 1, position = { 1, 0 }, velocity = { 0, 30 } }
s:distance { "rod", s.ground, p, length = 1 }
local stepper = s:stepper { "symmetric-multistep", h = 0.2 }
stepper:start()
local good, message = stepper:step(1)
assert(not good and message:find("step 1 from t = 0, in stage", 1, true), message)
assert(message:find("of 17, which is", 1, true), message)
check.fails("order: expected 4, 6 or 8, got 7",
  function() s:stepper { "symmetric-multistep", h = 0.2, order = 7 } end)

-- Beyond the limit of order 8, h omega = 0.93, a free oscillator grows without bound, with discrete
-- momenta that are several times m v.
do
  local free = vida.system { "oscillator", dimension = 2 }
  local mass = free:particle { "p", mass = 1, position = { 1, 0 }, velocity = { 0, 0 } }
  free:potential { "spring", 50 * (mass.x ^ 2 + mass.y ^ 2) }
  for _, h in ipairs { 0.102, 0.1023, 0.105, 0.11 } do
    local unstable = free:stepper { "symmetric-multistep", h = h }
    unstable:start()
    local ok, _, name = unstable:step(3000)
    assert(not ok and name == "UNBOUNDED", ("h = %g ends ok"):format(h))
    local x = unstable:positions()[1]
    assert(math.abs(x) < 1e15, ("h = %g: it was noticed at x = %g"):format(h, x))
  end
end

-- A pendulum of 1 m from the horizontal: with steps of 20 ms it turns by at most 0.09 rad, far below the
-- first parasitic root of order 8 at 0.64; with steps of 50 ms by 0.22 rad, and overtones reach the root.
-- Table of the guide: the energy is wrong by 1e-6 and by more than 4e-3 of 9.81 J.
do
  local pendulum = vida.system { "pendulum", dimension = 2 }
  pendulum:gravity { 0, -9.81 }
  local bob = pendulum:particle { "p", mass = 1, position = { 1, 0 } }
  pendulum:distance { "rod", pendulum.ground, bob, length = 1 }
  local rows = vida.compare {
    system = pendulum, time = 20, methods = { { "symmetric-multistep", h = { 0.02, 0.05 } } },
  }:run { quiet = true }
  assert(rows[1].status == "ok" and rows[1].message == "", rows[1].message)
  assert(rows[2].status == "ok", rows[2].status)
  local warning = "the parasitic solutions of the multistep formula have more than 1e-06"
  assert(rows[2].message:find(warning, 1, true), rows[2].message)
end

-- The double spherical pendulum of Wendlandt and Marsden (1997) for 1000 s with twice their step. The
-- lowest parasitic wave of order 8 has 546 times its kinetic energy (test_multistep.c), so it takes energy
-- from the motion long before its velocities are large. The root of order 4 is three times as far from the
-- overtones.
do
  local system = require "parts.double_spherical_pendulum" ()
  local rows = vida.compare {
    system = system, time = 1000, methods = { { "symmetric-multistep", order = { 8, 4 }, h = 0.02 } },
  }:run { quiet = true }
  assert(rows[1].status == "ok", rows[1].message)
  assert(rows[1].message:find("the parasitic solutions", 1, true), rows[1].message)
  assert(rows[2].status == "ok" and rows[2].message == "", rows[2].message)
end

-- A run that is refused at its start has only the reason of its refusal.
do
  local rows = vida.compare {
    system = s, time = 1,
    methods = { { "verlet", h = 0.01 } },
  }:run { quiet = true }
  local refusal = rows[1].message
  assert(refusal:find("verlet accepts only systems without constraints", 1, true), refusal)
  assert(not refusal:find("parasitic", 1, true), refusal)
end

-- Options that do not go together are mistakes of the line that has them, before anything runs.
for text, method in pairs {
  ["methods[1]: symmetric-multistep: order: expected 4, 6 or 8, got 5"] =
    { "symmetric-multistep", h = 0.01, order = 5 },
  ["methods[1]: energy-collocation: points = 2 is less than stages = 3"] =
    { "energy-collocation", h = 0.01, stages = 3, points = 2 },
  ["methods[1]: baumgarte takes either alpha1 and alpha0, or gamma, or gamma_h"] =
    { "baumgarte", h = 0.01, gamma = 2, alpha1 = 1 },
  ["methods[1]: spook: give either compliance or epsilon, not both"] =
    { "spook", h = 0.01, compliance = 1e-6, epsilon = 1e-6 },
  ["methods[1]: rattle-variable: least_density, 2, must not be above start_density, 1"] =
    { "rattle-variable", h = 0.01, least_density = 2, start_density = 1 },
} do
  check.fails_here(text, function()
    return vida.compare { system = s, time = 1, methods = { method } }
  end)
end
