-- The reference that is found without being told a method: against closed forms and independent
-- methods, its estimate right within a factor of ten, and what is below it flagged.
local check = require "check"
local vida = require "vida"

-- ---- a closed form: x'' = -x ---------------------------------------------------------------------
local s = vida.system "oscillator"
local x, v = s:coordinate { "x", unit = "m", value = 1, rate = 0 }
s:lagrangian(0.5 * v^2 - 0.5 * x^2)
local row = vida.compare { system = s, time = 10, norm = "end", reference = "auto",
  methods = { { "verlet", h = 0.01 } } }:run { quiet = true }[1]
local phase = 2 * math.asin(0.005)
check.close(row.position_error, math.abs(math.cos(1000 * phase) - math.cos(10)), 1e-11)

-- ---- the double spherical pendulum, against compositions of order 8 --------------------------------
local function pendulum()
  local dsp = vida.system "double spherical pendulum"
  dsp:gravity { 0, 0, -9.81 }
  local upper = dsp:particle { "upper", mass = 2.0, position = { 2.820, 0.025, vida.free(-1) },
    velocity = { 3.381, 2.506, vida.free() } }
  local lower = dsp:particle { "lower", mass = 3.5, position = { 5.085, 0.105, vida.free(-1) },
    velocity = { 2.497, 10.495, vida.free() } }
  dsp:distance { "upper rod", dsp.ground, upper, length = 4.0 }
  dsp:distance { "lower rod", upper, lower, length = 3.0 }
  return dsp
end
local result = vida.compare { system = pendulum(), time = 5, norm = "end", reference = "auto",
  methods = {
    { "compose", base = "rattle", scheme = "kahan-li8", h = 0.005 },
    { "rattle", h = 0.01 },
  } }:run { quiet = true }
local agreement = result[1].position_error
assert(agreement < 1e-10, agreement)
assert(result.reference_error > agreement / 10 and result.reference_error < agreement * 10,
  ("estimated %g, measured %g"):format(result.reference_error, agreement))
assert(result[2].position_error > result.reference_error)
assert(not result[2].message:find("own estimated error", 1, true))

-- ---- where the explicit method needs too many steps, or cannot take the system ----------------------
local stiff = vida.system "stiff"
local y, w = stiff:coordinate { "y", unit = "m", value = 1e-3, rate = 0 }
local z, u = stiff:coordinate { "z", unit = "m", value = 1, rate = 0 }
stiff:lagrangian(0.5 * w^2 + 0.5 * u^2 - 0.5 * z^2)
stiff:rayleigh(0.5e8 * w^2)
stiff:force(y, -1e8 * y)
-- y' = -y after a short moment: y falls as exp(-t)
row = vida.compare { system = stiff, time = 1, norm = "end", reference = "auto",
  methods = { { "del-midpoint", h = 0.01 } } }:run { quiet = true }
assert(row.reference:find "^radau", row.reference)

-- ---- forces of time alone -----------------------------------------------------------------------
-- x'' = sin(w t) from rest has x = t/w - sin(w t)/w^2. The error estimate of Fehlberg's pair 7(8),
-- 41/840 (k1 + k11 - k12 - k13), is zero for every such quadrature (Hairer, Norsett, Wanner,
-- Solving Ordinary Differential Equations I, sec. II.5).
local function driven()
  local made = vida.system { "driven", dimension = 1 }
  local p = made:particle { "p", mass = 1, position = { 0 } }
  made:force { "f", { { p, { vida.sin(10 * made.time) } } } }
  return made
end
local function driven_position(t)
  return { positions = { p = { t / 10 - math.sin(10 * t) / 100 } } }
end
local function run_driven(reference)
  return vida.compare { system = driven(), time = 10, norm = "end", reference = reference,
    methods = { { "rattle", h = 0.01 } } }:run { quiet = true }
end
local right = run_driven(driven_position)[1].position_error
result = run_driven "auto"
check.close(result[1].position_error, right, 1e-11)
assert(result.reference_error < 1e-9, result.reference_error)
-- A reference with the blind pair is off by more than the motion, and is refused.
local off = vida.compare { system = driven(), time = 10, norm = "end", reference = driven_position,
  methods = { { "coordinate-projection", integrator = "fehlberg", rtol = 1e-10, h = 0.01 } } }
off = off:run { quiet = true }[1].position_error
assert(off > 1, off)
check.fails("missed forces", run_driven,
  { "coordinate-projection", integrator = "fehlberg", rtol = 1e-10 })

-- ---- a reference whose error is as large as the motion ---------------------------------------------
-- A ball on a stiff floor that pushes from y = 0 on keeps its energy: 0 < y < 1 for all times, as
-- energy conservation says. Fehlberg's pair steps into the floor without seeing it.
local ball = vida.system { "ball", dimension = 1 }
ball:gravity { -9.81 }
local b = ball:particle { "b", mass = 1, position = { 1 } }
local height = b.position[1]
-- As a force: a potential that does this is a conservative system with an impossible energy, which ends
-- the reference itself.
ball:force { "floor", { { height, vida.where(vida.less(height, 0), -1e6 * height, 0) } } }
local bounces = vida.compare { system = ball, time = 5,
  reference = { "coordinate-projection", integrator = "fehlberg", rtol = 1e-8 },
  methods = { { "rattle", h = 0.001 } } }
check.fails("as large as the motion", bounces.run, bounces, { quiet = true })
-- The automatic one comes to the end with less: free fall from 1 m lasts sqrt(2/g).
result = vida.compare { system = ball, time = 0.4, norm = "max", reference = "auto",
  methods = { { "rattle", h = 0.01 } } }:run { quiet = true }
assert(result.reference_error < 1e-9, result.reference_error)
-- Rounding of a system at rest is no motion, and no error: a pendulum that hangs.
local rest = vida.system { "rest", dimension = 2 }
rest:gravity { 0, -9.81 }
local bob = rest:particle { "bob", mass = 1, position = { 0, -1 } }
rest:distance { "rod", rest.ground, bob, length = 1 }
result = vida.compare { system = rest, time = 1, reference = "auto",
  methods = { { "rattle", h = 0.1 } } }:run { quiet = true }
assert(result[1].position_error < 1e-12, result[1].position_error)

-- ---- forces that act for a short time -----------------------------------------------------------------
-- 1000 exp(-(1000 (t - c))^2) N on 1 kg leaves sqrt(pi) m/s, at rest before t = c. Explicit methods that
-- choose their steps step over it: that is no reference, and the automatic one goes on to radau.
local function struck()
  local made = vida.system { "struck", dimension = 1 }
  local q = made:particle { "p", mass = 1, position = { 1 } }
  made:force { "f", { { q, { 1000 * vida.exp(-(1000 * (made.time - 5.00371)) ^ 2) } } } }
  return made
end
local function run_struck(reference)
  return vida.compare { system = struck(), time = 10, norm = "end", reference = reference,
    methods = { { "rattle", h = 0.0025 } } }:run { quiet = true }
end
local exact = 1 + math.sqrt(math.pi) * (10 - 5.00371)
result = run_struck "auto"
local known = run_struck { states = { { t = 10, positions = { exact } } } }
check.close(result[1].position_error, known[1].position_error, 1e-8)
check.fails("missed forces", run_struck,
  { "coordinate-projection", integrator = "verner", rtol = 1e-13, h = 0.0025 })

local function misspell()
  local made = vida.compare { system = s, time = 1, reference = "atuo", methods = { { "verlet", h = 0.1 } } }
  return made
end
check.fails_here('reference: expected "auto", a method', misspell)
