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
sweep({ vary = { ["bob.x"] = { 0.6, 0.8 } }, trajectories = "csv" }):run { quiet = true, out = folder }
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

-- ---- what was swept stands in titles, options and names of files ---------------------------------
local function weighted(p)
  local s = vida.system { "weighted", dimension = 2 }
  s:gravity { 0, -9.81 }
  local bob = s:particle { "bob", mass = p.mass, position = { 0.6, -0.8 } }
  s:distance { "rod", s.ground, bob, length = 1 }
  return s
end
for i, comparison in ipairs(sweep { parameters = { mass = { 1.5, 2 } }, system = weighted,
    trajectories = "csv" }) do
  local out = os.tmpname()
  os.remove(out)
  local values = comparison:run { quiet = true, out = out }
  local label = ("mass=%g"):format(i == 1 and 1.5 or 2)
  assert(values[1].options == label and values:csv():find("weighted,rattle," .. label .. ",", 1, true))
  assert(values:table():find("weighted, " .. label .. ", t = 0 .. 1 s", 1, true), values:table())
  assert(not values:table():find("options", 1, true)) -- is in the title
  assert(vida.states(out .. "/weighted-rattle-" .. label:gsub("=", "_") .. "-h_0.1.csv"))
  os.execute(("rm -r '%s'"):format(out))
end
check.fails_here("label: expected a text, got 3", sweep, { label = 3 })
check.fails_here("label: expected a label of one line", sweep, { label = "a\nb" })
assert(sweep({ label = "heavy" }):run({ quiet = true })[1].options == "heavy")

-- ---- where each run of a cloud started, and how errors are spread over it ------------------------
local spread = sweep({ cloud = { count = 5, spread = { ["bob.x"] = 0.1 } }, jobs = 1,
  methods = { { "rattle", h = { 0.1, 0.05 } }, { "energy-momentum", h = 0.1 } } }):run { quiet = true }
local header, first = spread:csv():match "^(.-)\n(.-)\n"
assert(header:find(",start bob.x,start bob.y", 1, true), header)
assert(tonumber(first:match "([^,]*),[^,]*$") == spread[1]["start bob.x"])
assert(spread:json():find('"start bob.x": ', 1, true))
for i = 1, #spread do
  local x, y = spread[i]["start bob.x"], spread[i]["start bob.y"]
  check.close(x ^ 2 + y ^ 2, 1, 1e-12) -- consistent: the rod is 1 m long
  assert(x ~= 0.6 and math.abs(x - 0.6) <= 0.1)
end
assert(#spread.spreads == 3)
local errors = {}
for i = 6, 10 do -- the second step of rattle
  errors[#errors + 1] = spread[i].energy_error
end
table.sort(errors)
local found = spread.spreads[2]
assert(found.method == "rattle" and found.options == "" and found.h == 0.05)
assert(found.runs == 5 and found.finished == 5 and found.energy_error.runs == 5)
-- Of five numbers the five numbers are they themselves.
for i, name in ipairs { "minimum", "lower_quartile", "median", "upper_quartile", "maximum" } do
  check.close(found.energy_error[name], errors[i], 1e-15 * errors[5])
end
assert(not found.position_error) -- not measured
-- Of four, definition 7 of Hyndman and Fan (1996): the quartiles are at 1.75, 2.5 and 3.25.
local four = sweep({ cloud = { count = 4, spread = { ["bob.x"] = 0.1 } }, jobs = 1 }):run { quiet = true }
local e = {}
for i = 1, 4 do
  e[i] = four[i].energy_error
end
table.sort(e)
local numbers = four.spreads[1].energy_error
check.close(numbers.lower_quartile, 0.25 * e[1] + 0.75 * e[2], 1e-14 * e[4])
check.close(numbers.median, 0.5 * e[2] + 0.5 * e[3], 1e-14 * e[4])
check.close(numbers.upper_quartile, 0.75 * e[3] + 0.25 * e[4], 1e-14 * e[4])
-- Runs that failed do not count.
local half = sweep({ vary = { ["bob.x"] = { 0.6, 3 } } }):run({ quiet = true })
assert(half.spreads[1].runs == 2 and half.spreads[1].finished == 1 and half.spreads[1].energy_error.runs == 1)
assert(half[1]["start bob.x"] == nil and not half:csv():find("start bob", 1, true)) -- one start is known
assert(spread:table(100):find("over the starts of the runs that reached their end:\nenergy, J", 1, true))
-- Without a run that reached its end there is nothing to list.
local none = sweep({ vary = { ["bob.x"] = { 3, 4 } } }):run { quiet = true }
assert(#none.spreads == 1 and not none:table(100):find("over the starts", 1, true), none:table(100))
assert(#grid:run({ quiet = true }).spreads == 1 and #sweep({}):run({ quiet = true }).spreads == 0)

-- ---- a reference for each start: the errors are those of comparisons of one start each -------------
local methods = {
  { "rattle", h = { 0.1, 0.05 } }, { "energy-momentum", h = 0.1 }, { "ida-ggl", rtol = 1e-6 },
}
for _, reference in ipairs { { "rattle", h = 0.001 }, "auto" } do
  local places = { 0.6, 0.8, -0.5 }
  local compared = sweep { vary = { ["bob.x"] = places }, reference = reference, methods = methods, jobs = 2 }
  local rows = compared:run { quiet = true }
  local own = 0
  for i, x in ipairs(places) do
    local system = vida.system { "pendulum", dimension = 2 }
    system:gravity { 0, -9.81 }
    local bob = system:particle { "bob", mass = 1, position = { x, vida.free(-1) },
      velocity = { vida.free(), 0 } }
    system:distance { "rod", system.ground, bob, length = 1 }
    local alone = vida.compare { system = system, time = 1, reference = reference, methods = methods }
    for k, row in ipairs(alone:run { quiet = true }) do
      local same = rows[(k - 1) * #places + i]
      assert(same.method == row.method and same.options:find(("bob.x=%g"):format(x), 1, true))
      for _, name in ipairs { "position_error", "velocity_error", "multiplier_error", "energy_error" } do
        assert(same[name] == row[name] and row[name] > 0, name)
      end
    end
    own = math.max(own, tonumber(alone:run({ quiet = true }):table(200):match "own error about ([%d.e+-]+)"))
  end
  assert(tonumber(rows:table(200):match "own error about ([%d.e+-]+)") == own)
  assert(rows.spreads[1].position_error.runs == 3)
end
-- A start from which there is no solution leaves its own rows without errors.
local torn = sweep { vary = { ["bob.x"] = { 0.6, 3 } }, reference = { "rattle", h = 0.001 } }
torn = torn:run { quiet = true }
assert(torn[1].position_error > 0 and torn[2].status ~= "ok" and torn[2].position_error == nil)
check.fails_here("runs from different starts need a method or \"auto\"", sweep,
  { vary = { ["bob.x"] = { 0.6 } }, reference = function() return {} end })

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
check.fails_here("expected vary or cloud, not both", sweep,
  { vary = { ["bob.x"] = { 1 } }, cloud = { count = 1, spread = 1 } })
check.fails_here("a function of the parameters", sweep, { parameters = { g = { 1 } } })
