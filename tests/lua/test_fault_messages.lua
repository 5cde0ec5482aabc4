-- What is said where a formula has no finite value: in the words of who wrote it.
local vida = require "vida"

local function message_of(potential, method, start)
  local s = vida.system { "particle", dimension = 1 }
  local p = s:particle { "p", mass = 1, position = { start or 1 } }
  s:potential { "pot", potential(p.position[1]) }
  local row = vida.compare { system = s, time = 1, methods = { method } }:run { quiet = true }[1]
  assert(row.status ~= "ok", row.status)
  return row.message
end

-- The derivatives 1 / 2 sqrt(x) at 0, 1 / x at 0, and 1 / sqrt(1 - x^2) at 1 have no values there, and
-- their functions have.
for _, case in ipairs {
  { function(x) return vida.sqrt(1 - x) end, "derivative of sqrt at 0" },
  { function(x) return vida.log(x - 1) end, "derivative of log at 0" },
  { function(x) return vida.asin(x) end, "of asin and acos at 1" },
} do
  for _, method in ipairs { { "rattle", h = 0.1 }, { "radau", rtol = 1e-6 }, { "ida-ggl", rtol = 1e-6 } } do
    local message = message_of(case[1], method)
    assert(message:find("'pot': division by zero, as in the ", 1, true), message)
    assert(message:find(case[2], 1, true), message)
  end
end
-- A division that is written as such.
local message = message_of(function(x) return 1 / (x - 1) end, { "rattle", h = 0.1 })
assert(message:find("'pot': division by zero", 1, true) and not message:find("derivative", 1, true), message)
message = message_of(function(x) return vida.sqrt(x) end, { "rattle", h = 0.1 }, -1)
assert(message:find("'pot': square root of a negative number", 1, true), message)

-- Dry friction that reverses within a step: x = t - t^2 / 2 until t = 1, and no step begins from there.
local s = vida.system { "friction", dimension = 1 }
local p = s:particle { "p", mass = 1, position = { 0 }, velocity = { 1 } }
s:force { "f", { { p, { vida.where(vida.less(0, p.velocity[1]), -1, 1) } } } }
local row = vida.compare { system = s, time = 3, methods = { { "rattle", h = 0.1 } } }:run { quiet = true }[1]
assert(row.status ~= "ok" and not row.message:find("an input that is not finite", 1, true), row.message)
assert(
  row.message:find("of 'p.x' is not a finite number, for example because the iterations", 1, true),
  row.message)
