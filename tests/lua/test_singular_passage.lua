-- Passages of singular configurations by a symplectic method: a run that is "ok" has the energy of its start,
-- and one whose step changes it ends there, by name.
local vida = require "vida"

-- Two windows of rods of 1 m and 1 kg (the N-four-bar of the IFToMM benchmarks) on hinges in space, as
-- quaternions: the energy is constant. They pass the flat pose, where the rank drops, some 15 times in 10 s.
local function windows()
  local s = vida.system { "windows", dimension = 3 }
  s:gravity { 0, -9.81, 0 }
  local long, z = 1 / 12, { 0, 0, 1 }
  local left
  for i = 0, 2 do
    local up = s:body { "A" .. i, mass = 1, inertia = { long, 1e-2, long }, position = { i, 0.5, 0 },
      as = "quaternion", velocity = { 0.5, 0, 0 }, body_rates = { 0, 0, -1 } }
    s:revolute { "foot " .. i, s.ground, up, at = { i, 0, 0 }, axis = z }
    if left then
      local across = s:body { "B" .. i, mass = 1, inertia = { 1e-2, long, long },
        position = { i - 0.5, 1, 0 }, as = "quaternion", velocity = { 1, 0, 0 }, body_rates = { 0, 0, 0 } }
      s:revolute { "left " .. i, left, across, at = { i - 1, 1, 0 }, axis = z }
      s:revolute { "right " .. i, across, up, at = { i, 1, 0 }, axis = z }
    end
    left = up
  end
  return s
end

-- Half of the energy of 2 rods at 1 m/s, of 3 that turn about their ends at 1 rad/s, and of their weights.
local total = 0.5 * (2 + 3 / 3) + 9.81 * (3 * 0.5 + 2)

local ended, gone = 0, 0
for _, steps in ipairs { 400, 467, 544, 740, 1598 } do
  local row = vida.compare { system = windows(), time = 10,
    methods = { { "rattlie", h = 10 / steps } } }:run { quiet = true }[1]
  if row.status == "ok" then
    gone = gone + 1
    assert(row.energy_error < 0.02 * total, ("%d steps: the energy is off by %g J"):format(steps,
      row.energy_error))
  else
    ended = ended + 1
    assert(row.message:find("near a singular configuration the energy differs", 1, true)
      or row.message:find("the step is too large", 1, true), row.message)
  end
end
assert(ended >= 1 and gone >= 1, ("%d ended, %d went through"):format(ended, gone))
