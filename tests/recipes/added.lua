-- What the recipes for a joint, a column and an integrator have added, against closed forms; then a
-- scenario that has all of them.
local vida = require "vida"

local function near(value, expected, tolerance, what)
  assert(math.abs(value - expected) <= tolerance, ("%s: %.17g, not %.17g"):format(what, value, expected))
end

-- ---- joint: a plate on a plane whose normal is z, under gravity { 3, 0, -4 } ------------------------
-- It slides with x'' = 3 and turns about z at 0.5 rad/s. The second end gets minus the multiplier: the plane
-- carries m 4, so that "along" has -8 N. Tilts have no torque: the plate hangs by its centre.
local mass, speed, spin, time = 2, 1.5, 0.5, 1

local function slide()
  local s = vida.system "slide"
  s:gravity { 3, 0, -4 }
  local plate = s:body { "plate", mass = mass, inertia = { 1, 2, 3 }, velocity = { 0, speed, 0 },
    body_rates = { 0, 0, spin } }
  s:planar { "floor", s.ground, plate, at = { 0, 0, 0 }, axis = { 0, 0, 1 } }
  return s, plate
end

local stepper = slide():stepper { "rattle", h = 0.01 }
stepper:start()
assert(stepper:step(100))
local q, lambda = stepper:positions(), stepper:multipliers()
assert(#lambda == 4, "the length of the quaternion, and three rows")
near(q[1], 3 * time ^ 2 / 2, 1e-12, "x")
near(q[2], speed * time, 1e-12, "y")
near(q[3], 0, 1e-13, "z")
near(q[4], math.cos(spin * time / 2), 1e-5, "half turn")
near(lambda[2], -4 * mass, 1e-9, "force of the plane")
near(lambda[3], 0, 1e-9, "first tilt")
near(lambda[4], 0, 1e-9, "second tilt")

-- ---- integrator: order 4 on x'' = -4 x --------------------------------------------------------------
local swing = vida.system { "swing", dimension = 1 }
local bob = swing:particle { "bob", mass = 1, position = { 1 } }
swing:potential { "well", 2 * bob.x ^ 2 }
local errors = {}
for i, h in ipairs { 0.1, 0.05 } do
  local way = swing:stepper { "post-stabilized", integrator = "sayfy-aburub", h = h }
  way:start()
  assert(way:step(math.floor(time / h + 0.5)))
  errors[i] = math.abs(way:positions()[1] - math.cos(2 * time))
end
near(math.log(errors[1] / errors[2], 2), 4, 0.3, "order")

-- ---- column: m v^2 / 2 + J w^2 / 2, with no height ---------------------------------------------------
local comparison = vida.compare { system = slide(), time = time, methods = { { "rattle", h = 0.1 } } }
local energy = mass * speed ^ 2 / 2 + 3 * spin ^ 2 / 2
near(comparison:run({ quiet = true })[1].energy_start, energy, 1e-14, "energy_start")

return vida.compare { system = slide(), time = time,
  methods = { { "kick-drift", h = 0.1 }, { "rattle", h = 0.1 } } }
