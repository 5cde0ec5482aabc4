-- Objects may die in any order, also those that others stand on, and at any time.
local check = require "check"
local vida = require "vida"

local function collect()
  collectgarbage()
  collectgarbage()
end

-- A stepper and a comparison keep the system alive that nobody else holds.
local function orphans()
  local system, bob = check.pendulum()
  local stepper = system:stepper { "rattle", h = 0.01 }
  local comparison = vida.compare {
    system = system,
    time = 1,
    coordinates = { bob },
    methods = { { "rattle", h = 0.1 } },
  }
  return stepper, comparison
end
local stepper, comparison = orphans()
collect()
stepper:start()
assert(stepper:step(10))
local result = comparison:run { quiet = true }
comparison = nil -- luacheck: ignore
collect()
assert(result:csv():find("rattle", 1, true), "a result keeps its comparison")

-- Closed in the wrong order.
do
  local system = check.rotor()
  local turning = system:stepper { "energy-momentum", h = 0.01 }
  turning:start()
  system:close()
  collect()
  assert(turning:step(10))
  turning:close()
  check.fails("closed system", function() system:stepper { "rattle", h = 0.1 } end)
end

-- A point keeps its system, and the system its points: a cycle that is still collected.
local dead = setmetatable({}, { __mode = "k" })
do
  local system = vida.system "cycle"
  dead[system] = true
  dead[system.ground] = true
  dead[system:particle { "p", mass = 1, position = { 0, 0, 0 } }] = true
end
collect()
assert(next(dead) == nil, "the cycle was not collected")

-- An element, with the patterns it owns, dies before what was made of it; and it is collected.
local elements = setmetatable({}, { __mode = "k" })
local function pulled()
  local system = vida.system { "pulled", dimension = 2 }
  local k = system:parameter { "k", 2 }
  local bob = system:particle { "bob", mass = 2, position = { 1, 0 } }
  local pull = vida.element {
    "pull", points = 2, parameters = { "k" },
    potential = function(a, b, p) return p.k * vida.dot(b - a, b - a) / 2 end,
    rayleigh = function(a, _, p) return p.k * vida.dot(a.velocity, a.velocity) end,
  }
  elements[pull] = true
  system:add(pull, bob, system.ground, { k = k })
  system:observe { "k", k * bob.x }
  return system
end
do
  local system = pulled()
  collect()
  assert(next(elements) == nil, "the element was not collected")
  check.close(system:accelerations()[1], -1, 1e-15)
  local pulling = system:stepper { "rattle", h = 0.01 }
  pulling:start()
  assert(pulling:step(3))
  assert(pulling:observables().k > 0)
end

-- Half-built objects: an error in the middle of a constructor.
for _ = 1, 20 do
  local system = check.pendulum()
  pcall(function() return system:stepper { "rattle", h = -1 } end)
  pcall(function()
    return vida.compare { system = system, time = 1, methods = { { "rattle", h = 0.1 }, { "x" } } }
  end)
  pcall(vida.system, { "bad", dimension = 7 })
end
collect()

-- A collector that never rests, while everything is built and used.
local old_pause = collectgarbage("setpause", 0)
local old_speed = collectgarbage("setstepmul", 1000)
for _ = 1, 5 do
  local step, compare = orphans()
  step:start()
  assert(step:step(3))
  local rows = compare:run { quiet = true }
  assert(#rows:json() > 0 and #rows:table(80) > 0 and #rows:csv() > 0)
  assert(#vida.methods() >= 4)
  check.close(pulled():accelerations()[1], -1, 1e-15)
  pcall(vida.element, { "bad", points = 3, force = function(a, b, c) return a + b - c, {}, 1 end })
  check.fails("mass", function()
    vida.system("s"):particle { "p", mass = -1, position = { 0, 0, 0 } }
  end)
end
collectgarbage("setpause", old_pause)
collectgarbage("setstepmul", old_speed)
collectgarbage("generational")
orphans()
collect()
collectgarbage("incremental")

-- In a coroutine, and through an error that unwinds to-be-closed variables.
local thread = coroutine.wrap(function()
  local step = orphans()
  step:start()
  coroutine.yield(step:time())
  assert(step:step(2))
  return step:time()
end)
assert(thread() == 0)
check.close(thread(), 0.02, 1e-15)
local held
local good = pcall(function()
  local step <close> = check.pendulum():stepper { "rattle", h = 0.1 }
  held = step
  error("on purpose")
end)
assert(not good and tostring(held) == "closed stepper")

-- Whatever is left dies when the state is closed, in an order that nobody knows.
LEFT = { orphans(), check.pendulum(), check.rotor(), result } -- luacheck: ignore

print("ok")
