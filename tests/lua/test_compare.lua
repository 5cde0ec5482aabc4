-- vida.compare: options, lists of values, results, and every kind of bad input with its message.
local check = require "check"
local json = require "json"
local vida = require "vida"

local fails = check.fails_here
local system, bob = check.pendulum()

local base = {
  system = system,
  time = 1,
  reference = { "energy-momentum", h = 1e-3 },
  methods = { { "rattle", h = { 0.1, 0.05 } }, { "del-midpoint", h = 0.1 } },
}
local function compare(change)
  return function() return vida.compare(check.with(base, change)) end
end

-- ---- mistakes in the comparison itself ----------------------------------------------------------
fails("vida.compare: expected a table such as", function() vida.compare() end)
fails("vida.compare: expected a table such as", function() vida.compare(system) end)
fails("unknown key of a comparison 'tiem'; did you mean 'time'?", compare { tiem = 1 })
fails("unknown key of a comparison 'method'; did you mean 'methods'?", compare { method = {} })
fails("unknown key of a comparison 'colour'", compare { colour = 1 })
fails("unknown key of a comparison [1]", compare { "x" })
fails("system: expected a system made by vida.system, got nothing",
  compare { system = check.none })
fails("system: expected a system made by vida.system, got a vida.point", compare { system = bob })
fails("time", compare { time = check.none })
fails("time: expected a number in s, got the text \"1\"", compare { time = "1" })
fails("time: expected a positive number in s, got -1", compare { time = -1 })
fails("time: expected a positive number in s, got 0", compare { time = 0 })
fails("time: expected a positive number in s, got ", compare { time = 0 / 0 })
fails("every: expected an integer, got false", compare { every = false })
fails("every: expected an integer", compare { every = 1.5 })
fails("every: expected an integer", compare { every = -1 })
fails("norm: expected one of mean, max, end, mixed, got 2", compare { norm = 2 })
fails("norm: expected one of mean|max|end|mixed, got 'men'", compare { norm = "men" })
fails("relative: expected true or false, got the text \"true\"", compare { relative = "true" })
fails("end_step: expected one of", compare { end_step = "long" })

-- ---- mistakes in the methods --------------------------------------------------------------------
fails("methods: expected a table such as", compare { methods = check.none })
fails("methods: expected at least one method, got an empty list", compare { methods = {} })
fails("methods: expected a list { ... }, got a table with the key 'rattle'",
  compare { methods = { rattle = { h = 1 } } })
fails("methods[1]: expected a table such as { \"rattle\", h = 0.01 }, got the text \"rattle\"",
  compare { methods = { "rattle" } })
fails("methods[1][1]: expected the name of a method, got nothing",
  compare { methods = { { h = 0.1 } } })

local function second(method)
  return compare { methods = { { "rattle", h = 0.1 }, method } }
end
fails("methods[2]: unknown method 'ratle'; did you mean 'rattle'?", second { "ratle", h = 0.1 })
fails("methods[2]: unknown method 'leapfrog'", second { "leapfrog", h = 0.1 })
fails("methods[2]: 'rattle' has no option 'step'", second { "rattle", step = 0.1 })
fails("methods[2]: 'rattle' has no option 'tolerence'; did you mean 'tolerance'?",
  second { "rattle", h = 0.1, tolerence = 1 })
fails("methods[2]: 'rattle' has no option [2]", second { "rattle", 0.1 })
fails("methods[2]: rattle: the step h is not set", second { "rattle" })
fails("methods[2].h: expected a positive number in s, got -0.1", second { "rattle", h = -0.1 })
fails("methods[2].h: expected a positive number in s, got 0", second { "rattle", h = 0 })
fails("methods[2].h: expected a positive number in s, got ", second { "rattle", h = 0 / 0 })
fails("methods[2].h: expected a positive number in s, got inf",
  second { "rattle", h = math.huge })
fails("methods[2].h: expected a number in s, got the text \"0.1\"",
  second { "rattle", h = "0.1" })
fails("methods[2].h[2]: expected a number in s, got the text \"x\"",
  second { "rattle", h = { 0.1, "x" } })
fails("methods[2].h[3]: expected a positive number in s, got -1",
  second { "rattle", h = { 0.1, 0.2, -1 } })
fails("methods[2].h: expected at least one value, got an empty list",
  second { "rattle", h = {} })
fails("methods[2].h: expected a list { ... }, got a table with the key 'a'",
  second { "rattle", h = { a = 1 } })
fails("methods[2].h[1]: expected a number in s, got a table",
  second { "rattle", h = { { 0.1 } } })
fails("methods[2].linear_solver: expected one of auto|dense|klu, got 'lu'",
  second { "rattle", h = 0.1, linear_solver = "lu" })
fails("methods[2].linear_solver: expected one of auto, dense, klu, got 3",
  second { "rattle", h = 0.1, linear_solver = 3 })
fails("methods[2]: h = 0.3 does not divide time = 1; nearest: 0.25 or 0.33",
  second { "rattle", h = 0.3 })
fails("methods[2]: h = 2 is longer than time = 1", second { "rattle", h = 2 })
fails("reference: unknown method 'energy-momentun'; did you mean 'energy-momentum'?",
  compare { reference = { "energy-momentun", h = 0.1 } })
fails("reference.h: expected a number in s, got a table",
  compare { reference = { "energy-momentum", h = { 0.1, 0.2 } } })
fails('reference: expected "auto", a method', compare { reference = "energy-momentum" })

-- ---- coordinates --------------------------------------------------------------------------------
fails("coordinates: expected a table such as", compare { coordinates = bob })
fails("coordinates[1]: expected a particle or a fixed point, got 1",
  compare { coordinates = { 1 } })
fails("coordinates[1]: expected a particle or a coordinate, not a fixed point",
  compare { coordinates = { system.ground } })
fails("coordinates: ", compare { coordinates = { bob, bob } })
fails("coordinates: ", compare { coordinates = {} })
local _, foreign = check.pendulum()
fails("coordinates[1]: this particle or point belongs to another system",
  compare { coordinates = { foreign } })
-- The error of one coordinate, in the largest norm, is that of its difference.
do
  local plain, ball = check.plain_pendulum()
  local x, y, vx = ball.x, ball.y, ball.vx
  local function compare_plain(measured)
    return vida.compare { system = plain, time = 1, norm = "end", coordinates = measured,
      reference = { "radau", rtol = 1e-11 }, methods = { { "rattle", h = 0.1 } } }
  end
  check.fails("coordinates: coordinate 'bob.x' is selected twice", compare_plain, { x, x })
  check.fails("coordinates[1]: expected a particle or a fixed point", compare_plain, { vx })
  local errors = {}
  for i, measured in ipairs { { x }, { y }, { ball } } do
    errors[i] = compare_plain(measured):run { quiet = true }[1].position_error
  end
  check.close(errors[1] ^ 2 + errors[2] ^ 2, errors[3] ^ 2, 1e-12 * errors[3] ^ 2)
  assert(errors[1] > 0 and errors[2] > 0)
end

-- ---- a complete system --------------------------------------------------------------------------
fails("system 'pendulum' is complete, because a comparison or a stepper uses it",
  function() system:particle { "late", mass = 1, position = { 0, 0 } } end)
fails("system 'pendulum' is complete", function() system:gravity { 0, 0 } end)
fails("has no coordinates", compare { system = vida.system "empty" })

-- ---- starts that do not fit ---------------------------------------------------------------------
local function tilted(change)
  local tilt = vida.system { "tilt", dimension = 2 }
  local mass = tilt:particle(check.with({ "mass", mass = 1, position = { 1, 0 } }, change))
  tilt:distance { "bar", tilt.ground, mass, length = 1.0 }
  return tilt
end
fails("the initial positions violate constraint 'bar' by",
  compare { system = tilted { position = { 1.5, 0 } } })
fails("the initial velocities violate constraint 'bar' by",
  compare { system = tilted { velocity = { 1, 1 } } })
fails("'bar'", compare { system = tilted { position = { 0, 0 } } })
fails("is free, but no constraint determines it", function()
  local loose = vida.system "loose"
  loose:particle { "p", mass = 1, position = { 0, 0, vida.free() } }
  vida.compare { system = loose, time = 1, methods = { { "rattle", h = 0.1 } } }
end)
local adjusted = compare { system = tilted { velocity = { 1, 1 } }, adjust_start = true } ()
local notes = adjusted:run { quiet = true }.notes
assert(#notes > 0, "nothing was said about the adjusted start")

-- ---- a run --------------------------------------------------------------------------------------
local comparison = compare { coordinates = { bob } } ()
assert(tostring(comparison) == "comparison of 3 runs on system 'pendulum'")
fails("a vida.comparison has no 'rum'; did you mean 'run'?", function() comparison:rum() end)
fails("run: unknown key 'quite'; did you mean 'quiet'?",
  function() comparison:run { quite = true } end)
fails("run.quiet: expected true or false, got 1", function() comparison:run { quiet = 1 } end)
fails("run.out: expected a text, got 1", function() comparison:run { out = 1 } end)
local result = comparison:run { quiet = true }
assert(#result == 3 and tostring(result) == "result of 3 runs")
assert(result.reference:find("energy-momentum", 1, true))
assert(result.notes == "")
assert(result[0] == nil and result[4] == nil)
for i = 1, 3 do
  assert(result[i].status == "ok", result[i].message)
  assert(result[i].system == "pendulum")
  check.close(result[i].t_end, 1, 0)
end
assert(result[1].method == "rattle" and result[1].h == 0.1 and result[1].steps == 10)
assert(result[2].method == "rattle" and result[2].h == 0.05 and result[2].steps == 20)
assert(result[3].method == "del-midpoint" and math.type(result[3].steps) == "integer")
local ratio = result[1].position_error / result[2].position_error
assert(ratio > 3 and ratio < 5, "rattle is of second order")
assert(result[1].rtol == nil and result[1].symplectic_defect == nil)
fails("a row has no column 'positon_error'; did you mean 'position_error'?",
  function() return result[1].positon_error end)
fails("a vida.result has no 'tabel'; did you mean 'table'?", function() return result.tabel end)

-- ---- its texts ----------------------------------------------------------------------------------
local header = "system,method,options,h,rtol,status,t_end,steps,newton_iterations,"
  .. "residual_evaluations,jacobian_evaluations,wall_s,position_error,velocity_error,"
  .. "multiplier_error,energy_error,energy_drift,momentum_error,constraint_position,"
  .. "constraint_velocity,symplectic_defect,message,energy_change,work,work_error,constraint_integral"
local csv = result:csv()
assert(csv:match("^[^\r\n]*") == header, "the columns of the CSV")
local _, lines = csv:gsub("\n", "")
assert(lines == 4)

local rows = json.read(result:json())
rows = rows.rows or rows
assert(#rows == 3)
local columns = {}
for name in header:gmatch("[^,]+") do
  columns[#columns + 1] = name
end
for i, row in ipairs(rows) do
  for k, name in ipairs(columns) do
    assert(row[k] == name, "the order of the columns in JSON")
    local expected = result[i][name]
    assert(row[name] == (expected == nil and json.null or expected), name)
  end
end

-- Numbers are the same where a comma is the decimal point.
if os.setlocale("de_DE.UTF-8") then
  local local_csv, local_json = result:csv(), result:json()
  os.setlocale "C"
  assert(local_csv == csv and local_json == result:json())
end

local wide, narrow = result:table(160), result:table(60)
assert(wide:find("rattle", 1, true) and narrow:find("rattle", 1, true))
for line in narrow:gmatch("[^\n]+") do
  assert(utf8.len(line) <= 60, "the table is wider than asked for: " .. line)
end
assert(result:table() == result:table(0))
fails("table: expected a number of characters per line, got -1",
  function() result:table(-1) end)

-- ---- files --------------------------------------------------------------------------------------
local folder = os.tmpname()
os.remove(folder)
local function content(name)
  local file = assert(io.open(folder .. "/" .. name, "rb"))
  local text = file:read("a")
  file:close()
  return text
end
result:write(folder)
assert(content("comparison.csv") == result:csv())
assert(content("comparison.json") == result:json())
local data = json.read(content "report.json")
assert(data.vida_page == 2 and #data.studies == 1 and #data.studies[1].rows == 3)
assert(#data.studies[1].runs[1].t == 11, "the states of a run")

-- A page of this result, and of it and another one.
local page = folder .. "/page.html"
result:report(page)
local alone = #content "page.html"
result:report(page, comparison:run { quiet = true })
assert(#content "page.html" > alone + 1000 and content("page.html"):find("</html>", 1, true))
fails("report: expected the name of a file, such as", function() result:report { file = page } end)
fails("report: expected further results after the name of the file, got a table",
  function() result:report(page, {}) end)
fails("report: cannot write", function() result:report(folder .. "/no/page.html") end)
fails("write: expected the name of a folder, got 3", function() result:write(3) end)
fails("cannot", function() result:write(folder .. "/comparison.csv") end)
result:write(folder .. "/no/such/folder") -- with those above it
assert(content("no/such/folder/comparison.csv") == result:csv())
fails("cannot", function() comparison:run { quiet = true, out = folder .. "/comparison.csv" } end)
local again = comparison:run { quiet = true, out = folder }
assert(content("comparison.csv") == again:csv())
os.execute("rm -r '" .. folder .. "'")

-- ---- lists and shared systems -------------------------------------------------------------------
local product = vida.compare {
  system = system,
  time = 1,
  methods = { { "rattle", h = { 0.1, 0.2 }, linear_solver = { "dense", "klu" } } },
}
assert(tostring(product):find("4 runs"))
result = product:run { quiet = true }
local seen = {}
for i = 1, #result do
  assert(result[i].status == "ok", result[i].message)
  assert(result[i].position_error == nil, "there is no reference")
  seen[result[i].h .. " " .. result[i].options] = true
end
assert(seen["0.1 linear_solver=dense"] and seen["0.1 linear_solver=klu"])
assert(seen["0.2 linear_solver=dense"] and seen["0.2 linear_solver=klu"])
assert(result.reference == "" and result.reference_error == nil)

-- ---- a run without a solution (the others go on) ------------------------------------------------
local rotor = check.rotor()
result = vida.compare {
  system = rotor,
  time = 2,
  methods = { { "rattle", h = { 1.0, 0.1 } } },
}:run { quiet = true }
assert(result[1].status ~= "ok" and result[1].message ~= "" and result[1].t_end == 0)
assert(result[1].position_error == nil and result[1].energy_error == nil)
assert(result[2].status == "ok")

-- ---- work that is done on a system is told apart from the error of its energy -------------------
local function exchanges(prepare)
  local s = vida.system { "worked on", dimension = 2 }
  local x, v = s:coordinate { "x", value = 0.1, rate = 0 }
  s:kinetic(0.5 * v ^ 2)
  prepare(s, x, v)
  local done = vida.compare { system = s, time = 1, norm = "end", methods = { { "rattle", h = 0.1 } } }
    :run { quiet = true }
  assert(done[1].status == "ok" and done[1].message == "", done[1].message)
  local text = done:table(120)
  local is_reported = text:find("energy: against that of the start and the work", 1, true) ~= nil
  assert(is_reported == (text:find("energy change", 1, true) ~= nil), text)
  assert(is_reported == (done[1].work ~= 0))
  check.close(math.abs(done[1].energy_change - done[1].work), done[1].energy_error, 1e-15)
  return is_reported
end
assert(not exchanges(function(s, x) s:potential(0.5 * x ^ 2) end))
assert(exchanges(function(s, x, v)
  s:potential(0.5 * x ^ 2)
  s:rayleigh(0.1 * v ^ 2)
end))
assert(exchanges(function(s, x) s:force { "motor", { { x, 2 } } } end))
assert(exchanges(function(s, x) s:potential(0.5 * (x - 9 * vida.sin(s.time)) ^ 2) end))

-- ---- closing ------------------------------------------------------------------------------------
comparison:close()
comparison:close()
assert(tostring(comparison) == "closed comparison")
fails("attempt to use a closed comparison", function() comparison:run() end)
fails("attempt to use a closed comparison", function() again:csv() end)
assert(again[1].method == "rattle", "the rows stay")
system:close()
fails("attempt to use a closed system", compare {})

print("ok")
