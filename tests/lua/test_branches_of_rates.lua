-- Rates that only decide between branches are a dependence, though derivatives do not show it: rows
-- with them are not linear in rates, Lagrangians that jump with them have no momenta, and methods
-- that take forces of positions alone refuse them. The same of positions and time is taken.
local check = require "check"
local vida = require "vida"

local fails = check.fails_here

local function make()
  local s = vida.system "branches"
  local x, v = s:coordinate { "x", value = 1, rate = 1 }
  s:kinetic(v ^ 2)
  return s, x, v
end

local one_or_two = function(a) return vida.where(vida.less(a, 1), 1, 2) end

for _, row in ipairs { function(v) return vida.abs(v) end, function(v) return vida.max(v, 0) end,
  function(v) return vida.min(v, 1) end, function(v) return v * one_or_two(v) end,
  function(v) return v + one_or_two(v) end, function(v) return vida.where(v, v, 2 * v) end,
  function(v) return v * vida.abs(v) end, function(v) return vida.atan2(v, 1) end } do
  local s, _, v = make()
  fails("'n' is not linear in the rates", function() s:nonholonomic { "n", row(v) } end)
end

for _, part in ipairs { "potential", "kinetic", "lagrangian" } do
  local s, x, v = make()
  fails("depends on a rate", function() s[part](s, { "L", x ^ 2 * one_or_two(v) }) end)
  fails("depends on a rate", function() s[part](s, { "L", v ^ 2 * one_or_two(v) }) end)
  -- Momenta jump there from one step to the next, and no step finds them.
  for _, bent in ipairs { vida.max(x, v), vida.min(v, 1), vida.abs(v), v ^ 2 + x * vida.abs(v - x) } do
    fails("an abs, a min or a max that depends on a rate", function() s[part](s, { "L", bent }) end)
  end
  s[part](s, { "bent in x", vida.abs(x) ^ 3 + (part == "potential" and 0 or v ^ 2) })
  s[part](s, { "smooth", (v ^ 2 + 1) ^ 0.5 })
end

do -- a constraint of positions and time
  local s, x, v = make()
  fails("depends on a rate", function() s:constraint { "g", vida.where(vida.less(v, 1), x, 2 * x) } end)
  fails("depends on a rate", function() s:constraint { "g", x + vida.abs(v) } end)
end

-- Forces may: but not of methods that take forces of positions and time only.
local function status(force, method)
  local s, x, v = make()
  s:force { "f", { { x, force(x, v, s.time) } } }
  return vida.compare { system = s, time = 0.1, methods = { { method, h = 0.01 } } }
    :run({ quiet = true })[1].status
end
for _, force in ipairs { function(_, v) return one_or_two(v - 5) end,
  function(_, v) return vida.max(v - 9, 0) end } do
  assert(status(force, "verlet") == "NOT_SUPPORTED")
  assert(status(force, "radau") == "ok")
end
assert(status(function(x) return one_or_two(x) end, "verlet") == "ok")
assert(status(function(_, _, t) return one_or_two(t) end, "verlet") == "ok")

-- Rows whose coefficients positions and time decide are linear in rates.
do
  local s, x, v = make()
  s:nonholonomic { "n", v * one_or_two(x) - 1 }
  local t, w = make()
  t:nonholonomic { "n", w * 0 + select(2, t:coordinate { "y", value = 0, rate = 0 }) }
end

print("ok")
