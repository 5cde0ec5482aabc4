-- Options that contradict each other, or that would change nothing, are mistakes of the line of the method:
-- nothing runs before they are refused.
local vida = require "vida"
local check = require "check"

local function pendulum(x)
  local s = vida.system { "pendulum", dimension = 2 }
  s:gravity { 0, -9.81 }
  local bob = s:particle { "bob", mass = 1, position = { x or 1, 0 } }
  s:distance { "rod", s.ground, bob, length = 1 }
  return s
end

local system = pendulum()
for message, method in pairs {
  ["post-stabilized: atol has no meaning for fixed steps h; set rtol as well"] =
    { "post-stabilized", h = 0.1, atol = 1e-6 },
  ["half-explicit: atol has no meaning"] = { "half-explicit", h = 0.1, atol = { ["bob.x"] = 1e-6 } },
  ["radau: max_steps has no meaning for fixed steps h; set rtol as well"] =
    { "radau", h = 0.1, max_steps = 100 },
  ["post-stabilized: integrator 'adams' keeps a history of past steps"] =
    { "post-stabilized", integrator = "adams", rtol = 1e-6 },
  ["coordinate-projection: integrator 'bdf' keeps a history of past steps"] =
    { "coordinate-projection", integrator = "bdf", rtol = 1e-6 },
  ["coordinate-partitioning: integrator 'bdf' keeps a history of past steps"] =
    { "coordinate-partitioning", integrator = "bdf", rtol = 1e-6 },
  ["'rattlie' has no option 'solver'"] = { "rattlie", h = 0.1, solver = "kinsol" },
  ["'verlet' has no option 'tolerance'"] = { "verlet", h = 0.1, tolerance = 1e-10 },
  ["'spook' has no option 'max_iterations'"] = { "spook", h = 0.1, max_iterations = 3 },
  ["half-explicit: first_stage has no effect with scheme = hem4"] =
    { "half-explicit", h = 0.1, scheme = "hem4", first_stage = "scheme" },
  ["half-explicit: metric has no effect with level = velocity"] =
    { "half-explicit", h = 0.1, level = "velocity", metric = "mass" },
} do
  check.fails_here(message, function()
    vida.compare { system = system, time = 1, methods = { { "rattle", h = 0.1 }, method } }
  end)
end

-- What goes together still does: tolerances with rtol, and compositions of methods that have fewer options.
for _, method in ipairs {
  { "post-stabilized", h = 0.1, rtol = 1e-6, atol = 1e-6, max_steps = 1000 },
  { "half-explicit", h = 0.01, scheme = "phem56", first_stage = "scheme", metric = "mass" },
  { "compose", h = 0.01, tolerance = 1e-13 },
} do
  local row = vida.compare { system = system, time = 1, methods = { method } }:run { quiet = true }[1]
  assert(row.status == "ok", row.message)
end
do
  local spring = vida.system { "spring", dimension = 2 }
  local bob = spring:particle { "bob", mass = 1, position = { 1, 0 } }
  spring:spring { "spring", spring.ground, bob, stiffness = 4, length = 0 }
  local stepper = spring:stepper { "compose", base = "verlet", h = 0.01 }
  stepper:start()
  assert(stepper:step(100))
  check.close(stepper:positions()[1], math.cos(2), 1e-6)
end

-- The centre of a cloud is the start that the runs adjust, where the initial values violate a constraint.
do
  local result = vida.sweep { system = pendulum(1.01), time = 0.1, adjust_start = true,
    cloud = { count = 3, spread = { ["bob.y"] = 0.01 } }, methods = { { "rattle", h = 0.01 } } }
    :run { quiet = true }
  for _, row in ipairs(result) do
    assert(row.status == "ok" and row.constraint_position < 1e-12, row.message)
  end
  assert(#result == 3)
end

-- Rates are projected to rounding, too, where the projection of positions before was far: what a loose
-- tolerance gives is inaccurate, but it is on both levels of the constraints.
do
  local s = vida.system "double pendulum"
  s:gravity { 0, 0, -9.81 }
  local a = s:particle { "a", mass = 1, position = { 1, 0, 0 }, velocity = { 0, 1, 0 } }
  local b = s:particle { "b", mass = 1.5, position = { 1, 1, 0 }, velocity = { 1, 1, 2 } }
  s:distance { "upper", s.ground, a, length = 1 }
  s:distance { "lower", a, b, length = 1 }
  for _, scheme in ipairs { "hedop5", "phem56", "hem4" } do
    for _, rtol in ipairs { 0.1, 0.01 } do
      local row = vida.compare { system = s, time = 3, methods = {
        { "half-explicit", scheme = scheme, rtol = rtol, h = 0.1 } } }:run { quiet = true }[1]
      assert(row.status == "ok", scheme .. ": " .. row.message)
      assert(row.constraint_velocity < 1e-11, ("%s: %g"):format(scheme, row.constraint_velocity))
    end
  end
end

-- A mass of 1 kg is put on a vertical rod of compliance c: it swings by 2 c m g, and what the motion lacks of
-- the energy is in the rod, x^2 / (2 c) of its deflection x. No energy is lost.
for _, compliance in ipairs { 1e-2, 1e-4 } do
  local s = vida.system { "load", dimension = 2 }
  s:gravity { 0, -9.81 }
  local bob = s:particle { "bob", mass = 1, position = { 0, -1 } }
  s:distance { "rod", s.ground, bob, length = 1 }
  local row = vida.compare { system = s, time = 2, methods = {
    { "del-regularized", h = math.sqrt(compliance) / 10, compliance = compliance } }, end_step = "shorten" }
    :run { quiet = true }[1]
  assert(row.status == "ok" and not row.message:find("the energy is too", 1, true), row.message)
end
