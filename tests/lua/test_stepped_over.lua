-- Forces of time that act for a while: a method that chooses its steps either follows them, or its row
-- says since when it has not.
local check = require "check"
local vida = require "vida"

-- A wheel of J = 0.1 kg m^2 at rest takes up 1 N m s between t = 5 and 6, symmetrically about 5.5, by a
-- torque that rises and falls in 0.05 s: its angle at the end is (10 - 5.5) / J = 45 rad.
local function wheel()
  local s = vida.system { "late torque", dimension = 2 }
  local b = s:body { "wheel", mass = 1, inertia = 0.1, position = { 0, 0 } }
  s:revolute { "O", s.ground, b, at = { 0, 0 } }
  s:torque { "motor", b, 0.5 * (vida.tanh((s.time - 5) / 0.05) - vida.tanh((s.time - 6) / 0.05)) }
  return s
end
local rows = vida.compare { system = wheel(), time = 10, norm = "end",
  reference = { states = { { t = 10, positions = { 0, 0, 45 } } } },
  methods = { { "ida-ggl", rtol = { 1e-4, 1e-6, 1e-8 } }, { "ida-ggl", rtol = 1e-8, max_step = 0.1 },
    { "post-stabilized", rtol = { 1e-6, 1e-8 } }, { "coordinate-projection", rtol = 1e-8 },
    { "cvode-projected", rtol = 1e-8 }, { "baumgarte", rtol = 1e-8 }, { "radau", rtol = 1e-8 } },
}:run { quiet = true }
local missed = 0
for _, row in ipairs(rows) do
  assert(row.status == "ok", row.message)
  local since = row.message:match "from t = (%S+) s on steps have missed forces"
  local name = ("%s, rtol = %g: off by %g rad: %s"):format(row.method, row.rtol, row.position_error,
    row.message)
  assert((row.position_error > 0.01) == (since ~= nil), name)
  if since then
    missed = missed + 1
    check.close(tonumber(since), 5, 0.2)
  end
  assert(not row.message:find("energy", 1, true), name) -- of 1e-24 J there is nothing to be said
end
assert(missed >= 1 and missed < #rows, missed)
assert(rows[1].message:find("max_step", 1, true) and rows[4].position_error < 1e-3, rows[1].message)

-- A pair that is blind to forces of time alone (test_auto_reference.lua): x'' = sin(10 t).
local s = vida.system { "driven", dimension = 1 }
local p = s:particle { "p", mass = 1, position = { 0 } }
s:force { "f", { { p, { vida.sin(10 * s.time) } } } }
rows = vida.compare { system = s, time = 10, norm = "end",
  reference = function(t) return { positions = { p = { t / 10 - math.sin(10 * t) / 100 } } } end,
  methods = { { "coordinate-projection", integrator = "fehlberg", rtol = 1e-10 },
    { "coordinate-projection", integrator = "verner", rtol = 1e-10 } } }:run { quiet = true }
assert(rows[1].position_error > 1 and rows[1].message:find("integrator = verner", 1, true), rows[1].message)
assert(rows[2].position_error < 1e-8 and not rows[2].message:find("missed forces", 1, true), rows[2].message)

-- A remark on energy has its unit. Radau's steps of 0.1 s through a floor of 1e6 N/m lose energy.
local ball = vida.system { "ball", dimension = 1 }
ball:gravity { -9.81 }
local b = ball:particle { "b", mass = 1, position = { 1 } }
ball:potential { "floor", vida.where(vida.less(b.position[1], 0), 0.5e6 * b.position[1]^2, 0) }
local row = vida.compare { system = ball, time = 5, methods = { { "radau", h = 0.1 } } }
  :run { quiet = true }[1]
assert(row.message:find("the energy is too low by %d"), row.message)
