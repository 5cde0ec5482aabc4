-- Drawings: what system:draw takes and refuses; where points of bodies are is tested in C.
local check = require "check"
local vida = require "vida"

local function new_system()
  local system = vida.system { "drawn", dimension = 2 }
  local x = system:coordinate { "x", unit = "m", value = 1, rate = 0 }
  local bob = system:particle { "bob", mass = 1, position = { 0, 1 } }
  system:kinetic { "kinetic", 0.5 * x.rate ^ 2 }
  return system, x, bob
end

-- ---- what it takes -------------------------------------------------------------------------------
do
  local system, x, bob = new_system()
  local rod = system:rod { "rod", mass = 1, length = 2, centre = { 3, 0 }, angle = 0 }
  system:draw { "all kinds", { 0, 0 }, { x, x ^ 2 + 1 }, bob, rod.head, system.ground, closed = true }
  system:draw { "a dot", { x, 0, 1 }, style = "rod" }
  system:draw { "a vector", vida.vector { x, 2 }, { 1, 1 } }

  vida.compare { system = system, time = 1, methods = { { "rattle", h = 0.1 } } }
  check.fails_here("complete", function() system:draw { "late", { x, 0 } } end)
end

-- ---- what it refuses -----------------------------------------------------------------------------
do
  local system, x = new_system()
  local other = vida.system { "other", dimension = 2 }
  local foreign = other:coordinate { "y", value = 0, rate = 0 }
  for _, case in ipairs {
    { { "line" }, "draw 'line': expected at least one point" },
    { { "line", 3 }, "[2]: expected a point" },
    { { "line", { 1 } }, "[2]: expected a point" },
    { { "line", { 1, "2" } }, "draw 'line': expected points of numbers and expressions, got a string" },
    { { "line", { 1, 0 / 0 } }, "finite" },
    { { "line", { x, foreign } }, "belongs to system 'other'" },
    { { "line", { x, 0 }, colour = "red" }, "colour" },
    { { "line", { x, 0 }, closed = 1 }, "closed" },
    { { "line", { x, 0 }, style = "rope" }, "style" },
    { { "line", { x, 0 }, replaces = "rope" }, "replaces: nothing named 'rope' is drawn so far" },
    { { "line", { x, 0 }, replaces = 3 }, "replaces" },
    { { "line", { x, 0 }, replaces = {} }, "replaces" },
    { { { x, 0 } }, "a name" },
    { "line", "a table" },
  } do
    check.fails_here(case[2], function() system:draw(case[1]) end)
  end
end

-- ---- it changes nothing --------------------------------------------------------------------------
-- The same motion to the last bit, with and without lines whose formulas need work space of their own.
local function end_of(drawn)
  local system = vida.system { "twice", dimension = 2 }
  local x, v = system:coordinate { "x", value = 0.3, rate = 1 }
  system:lagrangian { "L", 0.5 * v ^ 2 * (1 + x ^ 2) - vida.sin(x) }
  if drawn then
    for i = 1, 9 do
      system:draw { "line", { vida.sin(i * x), vida.sqrt(x - 100) }, { x, 0 } }
    end
  end
  local stepper = system:stepper { "rattle", h = 0.01 }
  stepper:start()
  for _ = 1, 50 do
    stepper:step()
  end
  return stepper:positions()[1]
end
assert(end_of(false) == end_of(true), "a drawing changes the motion")
