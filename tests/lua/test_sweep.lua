-- Sweeps: which starts there are, that they are those that runs start from, and that several runs at
-- once give the same numbers as one after the other.
local check = require "check"
local vida = require "vida"

local function pendulum()
  local s = vida.system { "pendulum", dimension = 2 }
  s:gravity { 0, -9.81 }
  local bob = s:particle { "bob", mass = 1, position = { 0.6, vida.free(-1) }, velocity = { vida.free(), 0 } }
  s:distance { "rod", s.ground, bob, length = 1 }
  return s
end

local function sweep(given)
  given.system = given.system or pendulum()
  given.time = given.time or 1
  given.methods = given.methods or { { "rattle", h = 0.1 } }
  return vida.sweep(given) -- a tail call, whose line messages have all the same
end

-- ---- combinations ------------------------------------------------------------------------------
local grid = sweep { vary = { ["bob.x"] = { 0.6, 0.8 }, ["d bob.y/dt"] = { 0, 1, 2 } } }
local result = grid:run { quiet = true }
assert(#result == 6)
assert(result[1].options == "bob.x=0.6 d bob.y/dt=0" and result[6].options == "bob.x=0.8 d bob.y/dt=2")
-- Names with blanks stay whole in the table, also where all runs have something in common.
local varied = sweep { vary = { ["d bob.y/dt"] = { 0, 1 } },
  methods = { { "rattle", h = 0.1, tolerance = 1e-11 } } }
local text = varied:run({ quiet = true }):table(200)
assert(text:find("d bob.y/dt=0 tolerance=1e-11", 1, true) and text:find("d bob.y/dt=1 ", 1, true), text)

-- ---- runs begin where they should: the free components are found for each start ------------------
local folder = os.tmpname()
os.remove(folder)
sweep({ vary = { ["bob.x"] = { 0.6, 0.8 } } }):run { quiet = true, out = folder }
for i, x in ipairs { 0.6, 0.8 } do
  local name = folder .. ("/pendulum-rattle-bob.x_%g-h_0.1.csv"):format(x)
  local first = vida.states(name)[1].values
  check.close(first["bob.x"], x, 1e-15)
  check.close(first["bob.y"], i == 1 and -0.8 or -0.6, 1e-14)
end
os.execute(("rm -r '%s'"):format(folder))

-- ---- clouds: the same seed is the same cloud, and jobs do not matter -----------------------------
local function cloud(seed, jobs)
  local rows = sweep({ cloud = { count = 40, spread = { ["bob.x"] = 0.1 }, seed = seed }, jobs = jobs })
    :run { quiet = true }
  local errors = {}
  for i = 1, #rows do
    assert(rows[i].status == "ok", rows[i].message)
    errors[i] = ("%.17g"):format(rows[i].energy_error)
  end
  return table.concat(errors, " ")
end
local one = cloud(1, 1)
assert(one == cloud(1, 1) and one == cloud(1, 4) and one == cloud(1, 0))
assert(one ~= cloud(2, 1))

-- All coordinates moved off the constraint come back to it.
local moved = sweep({ cloud = { count = 10, spread = 0.05 } }):run { quiet = true }
for i = 1, #moved do
  assert(moved[i].status == "ok" and moved[i].constraint_position < 1e-14)
end

-- ---- parameters: a system for each value ---------------------------------------------------------
local made = {}
local list = sweep { parameters = { length = { 1, 2 }, mass = { 3 } },
  system = function(p)
    made[#made + 1] = p.length .. " " .. p.mass
    return pendulum()
  end }
assert(#list == 2 and made[1] == "1 3" and made[2] == "2 3")

-- ---- a run that fails keeps its row, and the others go on -----------------------------------------
local far = sweep({ vary = { ["bob.x"] = { 0.6, 3 } }, jobs = 2 }):run { quiet = true }
assert(far[1].status == "ok" and far[2].status ~= "ok" and far[2].message ~= "")

-- ---- mistakes ------------------------------------------------------------------------------------
check.fails_here("has no coordinate or rate 'bob.q'; did you mean 'bob.x'?", sweep,
  { vary = { ["bob.q"] = { 1 } } })
check.fails_here("has no coordinate or rate 'nothing of that'", sweep,
  { vary = { ["nothing of that"] = { 1 } } })
check.fails_here("starts[2].bob.x: expected a finite number, got nan", sweep,
  { vary = { ["bob.x"] = { 1, 0 / 0 } } })
check.fails_here("cloud.spread.bob.x: expected a finite number", sweep,
  { cloud = { count = 2, spread = { ["bob.x"] = 0 / 0 } } })
check.fails_here("did you mean 'bob.x'?", sweep, { cloud = { count = 1, spread = { ["bob.xx"] = 1 } } })
check.fails_here("cloud.count: expected a number of starts", sweep, { cloud = { spread = 1 } })
check.fails_here("cloud.spread: expected a number", sweep, { cloud = { count = 1 } })
check.fails_here("vary.bob.x: expected a list of values", sweep, { vary = { ["bob.x"] = 1 } })
check.fails_here("give one of them", sweep,
  { vary = { ["bob.x"] = { 1 } }, cloud = { count = 1, spread = 1 } })
check.fails_here("a function of the parameters", sweep, { parameters = { g = { 1 } } })
