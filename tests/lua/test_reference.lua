-- References that are no runs: closed forms, states, files. On x'' = -x Verlet's method turns the
-- phase by 2 asin(h/2) in each step, from x = 1 at rest: x_n = cos(n 2 asin(h/2)).
local check = require "check"
local vida = require "vida"

local function oscillator()
  local s = vida.system "oscillator"
  local x, v = s:coordinate { "x", unit = "m", value = 1, rate = 0 }
  s:lagrangian(0.5 * v^2 - 0.5 * x^2)
  return s
end

local function exact(t)
  return { positions = { x = math.cos(t) }, velocities = { -math.sin(t) } }
end

local function compare(given)
  return vida.compare {
    system = oscillator(), time = 2, norm = given.norm, mixed_scale = given.mixed_scale,
    reference = given.reference, methods = given.methods or { { "verlet", h = 0.1 } },
  }
end

local function run(given)
  return compare(given):run { quiet = true }
end

local phase = 2 * math.asin(0.05)
local right = math.cos(20 * phase) - math.cos(2)

-- ---- a function --------------------------------------------------------------------------------
local function at_end(reference)
  local row = run { norm = "end", reference = reference }[1]
  assert(row.status == "ok", row.message)
  check.close(row.position_error, math.abs(right), 1e-14)
  return row
end
at_end(exact)
at_end { exact = exact }
local known = run { norm = "end", reference = { exact = exact, name = "cosine", error = 1 } }
assert(known.reference == "cosine")
assert(known[1].message:find("below the reference's own estimated error", 1, true))

-- ---- a run ---------------------------------------------------------------------------------------
-- Its own error is that of Richardson, from a run with twice the step: a third of the difference, order 2.
-- An odd number of steps has no such run.
local ran = run { norm = "end", reference = { "verlet", h = 0.05 } }
local once, twice = math.cos(40 * 2 * math.asin(0.025)), math.cos(20 * phase)
check.close(ran.reference_error, math.abs(once - twice) / 3, 1e-14)
local odd = vida.compare { system = oscillator(), time = 2.1, reference = { "verlet", h = 0.1 },
  methods = { { "verlet", h = 0.05 } } }:run { quiet = true }
assert(odd[1].status == "ok" and odd[1].position_error and odd.reference_error == nil, odd.reference_error)

-- ---- the mixed norm: 10^-mescd of the test sets for initial value problems ----------------------
local mixed = run { norm = "mixed", mixed_scale = 0.5, reference = exact }
check.close(mixed[1].position_error, math.abs(right) / (0.5 + math.abs(math.cos(2))), 1e-14)
assert(mixed:table():find("mescd", 1, true))

-- ---- states ------------------------------------------------------------------------------------
local states = {
  { t = 1, positions = { math.cos(1) } },
  { t = 2, positions = { x = math.cos(2) }, velocities = { x = -math.sin(2) } },
}
local row = at_end { states = states }
assert(row.velocity_error)
assert(not at_end({ states = { { t = 2, positions = { math.cos(2) } } } }).velocity_error)
row = run({ norm = "max", reference = { states = states } })[1]
check.close(row.position_error,
  math.max(math.abs(math.cos(10 * phase) - math.cos(1)), math.abs(right)), 1e-14)

-- ---- files, those of trajectories among them ---------------------------------------------------
local folder = os.tmpname()
os.remove(folder)
compare { reference = exact, methods = { { "verlet", h = 0.05 } } }:run { quiet = true, out = folder }
local name = folder .. "/oscillator-verlet-h_0.05.csv"
row = run({ norm = "end", reference = { states = vida.states(name) } })[1]
check.close(row.position_error, math.abs(math.cos(20 * phase) - math.cos(40 * 2 * math.asin(0.025))), 1e-14)
local path = folder .. "/states.csv"
local function write(text)
  local file = assert(io.open(path, "w"))
  file:write(text)
  file:close()
  return path
end
write(("# a comment\n\"x [m]\",t,other\n%.17g,2,7\n"):format(math.cos(2)))
at_end { states = vida.states(path) }

local function read(file)
  local list = vida.states(file)
  return list
end

-- ---- vectors of particles and joints -------------------------------------------------------------
-- A particle in free flight: r = r0 + v0 t + g t^2 / 2, and a body beside it that falls.
do
  local function flight(reference)
    local s = vida.system { "flight", dimension = 2 }
    s:gravity { 0, -9.81 }
    s:particle { "bob", mass = 1, position = { 0, 1 }, velocity = { 3, 4 } }
    s:body { "block", mass = 2, inertia = 1, position = { 5, 0 } }
    local held = s:body { "held", mass = 2, inertia = 1, position = { 1, 0 } }
    s:weld { "pin", s.ground, held }
    return vida.compare { system = s, time = 1, norm = "max", reference = reference,
      methods = { { "rattle", h = 0.1 } } }:run { quiet = true }[1]
  end
  local function state(change)
    return function(t)
      local all = { bob = vida.vector { 3 * t, 1 + 4 * t - 9.81 * t ^ 2 / 2 }, ["block.angle"] = 0,
        block = { 5, -9.81 * t ^ 2 / 2 }, held = { 1, 0 }, ["held.angle"] = 0 }
      for key, value in pairs(t > 0 and change or {}) do -- it begins where the system does
        all[key] = value
      end
      return { positions = all, multipliers = { pin = { 0, -2 * 9.81 }, ["pin: turn"] = 0 },
        velocities = { bob = { 3, 4 - 9.81 * t }, block = { 0, -9.81 * t }, held = { 0, 0 },
          ["block.angle"] = 0, ["held.angle"] = 0 } }
    end
  end
  local same = flight(state())
  check.close(same.position_error, 0, 1e-13)
  check.close(same.velocity_error, 0, 1e-13)
  check.close(same.multiplier_error, 0, 1e-11)
  assert(flight(state { block = { 5.5, 0 } }).position_error > 0.4)
  check.fails("bob: expected a list of 2 numbers", flight, state { bob = { 1, 2, 3 } })
  check.fails("has no 'bib'", flight, state { bib = { 1, 2 } })
  check.fails("'bob.x' is given twice", flight, state { ["bob.x"] = 1 })
end

-- ---- mistakes ----------------------------------------------------------------------------------
check.fails_here("cannot read", read, folder .. "/nothing.csv")
check.fails_here("line 2: expected a number in column 'x'", read, write "t,x\n1,a\n")
check.fails_here("has no column t", read, write "x,y\n1,2\n")
check.fails_here("has no line with values", read, write "t,x\n")
check.fails_here("no column has the name of a coordinate", compare,
  { reference = { states = vida.states(write "t,y\n2,1\n") } })
check.fails_here("unknown key 'exacct'; did you mean 'exact'?", compare, { reference = { exacct = exact } })
check.fails_here("expected a method, { exact", compare, { reference = {} })
check.fails_here("has no 'y'", compare, { reference = { states = { { t = 1, positions = { y = 1 } } } } })
check.fails_here("times must grow", compare, { reference = { states = {
  { t = 1, positions = { 1 } }, { t = 1, positions = { 1 } } } } })
check.fails("has no 'y'", run, { reference = function() return { positions = { y = 1 } } end })
check.fails("expected a table", run, { reference = function() return 3 end })
check.fails("no value of 'x'", run, { reference = function() return { positions = {} } end })
check.fails("broken on purpose", run, { reference = function() error "broken on purpose" end })
check.fails("has no state at a time that a run reaches", run,
  { reference = { states = { { t = 1.234567, positions = { 1 } } } } })
os.execute(("rm -r '%s'"):format(folder))

-- ---- unit quaternions of either sign are the same orientation ------------------------------------
local function spinning(reference)
  local s = vida.system "top"
  s:body { "body", mass = 1, inertia = { 1, 1, 1 }, body_rates = { 0, 0, 1 } }
  return vida.compare { system = s, time = 1, norm = "end", reference = reference,
    methods = { { "rattle", h = 0.01 } } }:run { quiet = true }[1]
end
local function turned(sign)
  return function(t)
    return { positions = { 0, 0, 0, sign * math.cos(t / 2), 0, 0, sign * math.sin(t / 2) } }
  end
end
row = spinning(turned(1))
check.close(spinning(turned(-1)).position_error, row.position_error, 1e-15)
assert(row.position_error < 1e-4)

-- ---- multipliers of a reference with much smaller steps -------------------------------------------
-- energy-momentum has them in the middle of its steps, 50 steps of one reference and one of the other away
-- from its ends. Both references are right to 1e-5 of the tension, the method to some percent.
local errors = {}
for i, reference in ipairs { { "energy-momentum", h = 0.001 }, { "radau", h = 0.05 } } do
  errors[i] = vida.compare { system = (check.plain_pendulum()), time = 1, reference = reference,
    methods = { { "energy-momentum", h = 0.1 } } }:run({ quiet = true })[1].multiplier_error
end
check.close(errors[1], errors[2], 0.02 * errors[2])
