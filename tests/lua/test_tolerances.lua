-- Absolute tolerances: of all coordinates, and of single ones, in every method that takes a tolerance.
local check = require "check"
local vida = require "vida"

local function has_option(method, name)
  for _, option in ipairs(method.options) do
    if option.name == name then
      return option
    end
  end
end

local tolerant, stepping = {}, {} -- the latter only with rtol, which has no default
for _, method in ipairs(vida.methods()) do
  if has_option(method, "atol") then
    tolerant[#tolerant + 1] = method.name
    stepping[method.name] = has_option(method, "rtol").default == nil
  end
end
assert(#tolerant >= 12 and stepping.radau,
  "IDA's formulations, Radau's formula and the methods on the underlying ODE")

local system = check.plain_pendulum()

local function run(method, atol)
  local stepper = system:stepper { method, h = 0.1, rtol = 1e-8, atol = atol }
  stepper:start()
  assert(stepper:step(10))
  return stepper:statistics().steps, stepper:positions()
end

for _, method in ipairs(tolerant) do
  local loose = run(method, 1e-2)
  local tight, q = run(method, 1e-8)
  local both, same = run(method, { ["bob.x"] = 1e-8, ["bob.y"] = 1e-8 })
  assert(both == tight and same[1] == q[1] and same[2] == q[2], method)
  local one = run(method, { 1e-2, ["bob.y"] = 1e-8 })
  assert(one > loose, ("%s: %d steps, and %d with one tolerance more"):format(method, loose, one))
  check.fails_here("atol: system 'pendulum' has no coordinate 'bob.z'; did you mean 'bob.x'?",
    run, method, { ["bob.z"] = 1e-8 })
  if stepping[method] then
    check.fails_here("atol has no meaning for fixed steps h; set rtol as well",
      function() system:stepper { method, h = 0.1, atol = 1e-6 } end)
  end
end

-- raw: a coordinate's tolerance is that of its velocity, too; what it does not name keeps the default
local function run_raw(atol)
  local stepper = system:stepper { "ida-index2", h = 0.1, rtol = 1e-6, atol = atol, raw = true }
  stepper:start()
  assert(stepper:step(10))
  return stepper:statistics().steps
end
assert(run_raw() == run_raw { ["bob.x"] = 1e-6 })
assert(run_raw { 1e-2 } < run_raw { 1e-2, ["bob.x"] = 1e-8 })

-- mistakes
check.fails_here("stepper.atol.bob.x: expected a positive number, got 0", run, "ida-ggl", { ["bob.x"] = 0 })
check.fails_here("atol.bob.x: expected a number, got true", run, "ida-ggl", { ["bob.x"] = true })
check.fails_here("atol: expected a number, or numbers by names of coordinates, got the text \"small\"",
  run, "ida-ggl", "small")
check.fails_here("atol: expected one number for all coordinates, and numbers by their names",
  run, "ida-ggl", { 1e-3, 1e-4, ["bob.x"] = 1e-3 })

-- in a comparison a list of numbers and tables is one run for each
local results = vida.compare {
  system = system,
  time = 1,
  methods = { { "ida-ggl", rtol = 1e-6, atol = { 1e-4, { 1e-6, ["bob.y"] = 1e-8 } } } },
}:run()
assert(#results == 2 and results[1].options == "atol=0.0001")
assert(results[2].options == "atol=1e-06,bob.y=1e-08" and results[2].status == "ok")
assert(results[2].steps > results[1].steps)

print "ok"
