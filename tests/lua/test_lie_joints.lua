-- rattlie and lie-alpha on joints whose rows have no size of their own, or depend on each other: chains along
-- the axes that are released from rest.
local vida = require "vida"

local both = { { "rattlie" }, { "lie-alpha" } }

-- Runs the methods for `time` with the step h, all without a failure, and returns their rows.
local function run(system, time, h, methods)
  local entries = {}
  for i, method in ipairs(methods) do
    entries[i] = { method[1], projection = method.projection, h = h }
  end
  local rows = vida.compare { system = system, time = time, methods = entries }:run { quiet = true }
  for _, row in ipairs(rows) do
    assert(row.status == "ok", ("%s: %s %s, h = %g: %s"):format(system.name or "", row.method,
      row.options or "", h, row.message))
  end
  return rows
end

-- ---- bodies at rest -------------------------------------------------------------------------------
-- All centres are on all axes, so that nothing moves, whatever gravity is. The guess of a step, a flight
-- without impulses, solves the equations of the rotations exactly.
local function balanced(g)
  local s = vida.system "two axes"
  s:gravity { 0, 0, -g }
  local a = s:body { "a", mass = 0.1, inertia = { 5e-4, 5e-4, 8e-4 }, position = { 0, 0, 0 } }
  local b = s:body { "b", mass = 1, inertia = { 2e-3, 2e-3, 4e-3 }, position = { 0, 0, 0 } }
  s:revolute { "p", s.ground, a, at = { 0, 0, 0 }, axis = { 0, 1, 0 } }
  s:revolute { "q", a, b, at = { 0, 0, 0 }, axis = { 1, 0, 0 } }
  return s
end

for g = 1, 20 do
  for _, h in ipairs { 1e-3, 1e-2 } do
    for _, row in ipairs(run(balanced(g), 0.1, h, both)) do
      assert(row.energy_error < 1e-15 * g and row.constraint_position < 1e-15,
        ("g = %d, %s: energy %g, |g| %g"):format(g, row.method, row.energy_error, row.constraint_position))
    end
  end
end
