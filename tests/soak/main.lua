-- One run of tests/soak/run: main.lua SYSTEM METHOD STEPS DIR.
local vida = require "vida"
local here = arg[0]:match "^(.*)/" or "."
package.path = ("%s/?.lua;%s/../lua/?.lua;"):format(here, here) .. package.path

local name, method, steps, folder = arg[1], arg[2], math.tointeger(tonumber(arg[3])), arg[4]
local parts = 20
local given = require "systems"[name]
local system, h = given.make(), given.h

-- Bounds: momenta relative to their terms, g and G v relative to lengths of 1 m and speeds of 1 m/s,
-- and of exact methods the energy relative to its terms. The momenta of multistep methods are not
-- exact.
local bounds = ({
  ["rattle"] = { momentum = 1e-11, constraint = 1e-14, rate = 1e-13 },
  ["energy-momentum"] = { momentum = 1e-11, constraint = 1e-14 },
  ["symmetric-multistep"] = { constraint = 1e-14, rate = 1e-13 },
  ["energy-momentum-ggl"] = { momentum = 1e-12, constraint = 1e-12, rate = 1e-12, energy = 1e-12 },
  ["energy-momentum-livens"] = { momentum = 1e-12, constraint = 1e-12, energy = 1e-12 },
})[method]
local together = bounds.energy and 10 or 1000

local function memory()
  local file = io.open "/proc/self/status"
  local text = file and file:read "a" or ""
  return tonumber(text:match "VmRSS:%s*(%d+)") or 0 -- kB
end

local function observe(stepper)
  return given.observe(stepper:positions(), stepper:velocities(), stepper:momenta())
end

-- ---- the state: the stepper in one file, and what has been measured in another ------------------
local base = ("%s/%s-%s"):format(folder, name, method)

local function save(stepper, measured)
  stepper:save(base .. ".state.new")
  local file = assert(io.open(base .. ".measured.new", "w"))
  for key, value in pairs(measured) do
    file:write(("%s %a\n"):format(key, value))
  end
  file:close()
  assert(os.rename(base .. ".measured.new", base .. ".measured"))
  assert(os.rename(base .. ".state.new", base .. ".state"))
end

-- A process that was killed between the two renames leaves files of different times: only equal
-- numbers of steps belong together.
local function load()
  local file = io.open(base .. ".measured")
  local found, stepper = pcall(vida.load, base .. ".state", system)
  if not file or not found then
    return nil
  end
  local measured = {}
  for key, value in file:read("a"):gmatch "(%S+) (%S+)\n" do
    measured[key] = tonumber(value)
  end
  file:close()
  if math.abs(stepper:time() - measured.made * h) > 0.5 * h or measured.made >= steps then
    return nil
  end
  return stepper, measured
end

local stepper, measured = load()
if stepper then
  print(("%s %s: goes on after %.0f steps"):format(name, method, measured.made))
else
  stepper = system:stepper { method, h = h }
  stepper:start()
  local energy, _, momenta = observe(stepper)
  measured = { made = 0, start = energy, change = 0, energy = 0, momentum = 0, constraint = 0, rate = 0,
    memory = 0 }
  for k, momentum in ipairs(momenta) do
    measured["momentum" .. k] = momentum[1]
  end
  for i = 1, parts do
    measured["part" .. i] = 0
  end
end

-- ---- the steps ----------------------------------------------------------------------------------

local function raise(key, value)
  measured[key] = math.max(measured[key], value)
end

local function measure()
  local energy, size, momenta = observe(stepper)
  local g, rate = stepper:constraint_errors()
  local change = energy - measured.start
  local part = "part" .. math.min(parts, 1 + math.floor((measured.made - 1) * parts / steps))
  measured[part] = measured[part] + change
  raise("change", math.abs(change))
  raise("energy", math.abs(change) / size)
  raise("constraint", g)
  raise("rate", rate)
  for k, momentum in ipairs(momenta) do
    raise("momentum", math.abs(momentum[1] - measured["momentum" .. k]) / momentum[2])
  end
end

local saved = os.time()
while measured.made < steps do
  local good, message = stepper:step(together)
  if not good then
    print(("%-17s %-22s FAILED: %s"):format(name, method, message))
    os.exit(1)
  end
  measured.made = measured.made + together
  measure()
  if measured.made == 20000 then
    measured.memory = memory()
  end
  if os.time() - saved >= 60 then
    save(stepper, measured)
    saved = os.time()
  end
end

-- ---- the verdict --------------------------------------------------------------------------------
-- The slope of the means of the parts, and half of its 95 % interval (Student, 18 degrees of freedom).
local student = 2.101
local count, centre, mean = steps / together / parts, (parts + 1) / 2, 0
local means = {}
for i = 1, parts do
  means[i] = measured["part" .. i] / count
  mean = mean + means[i] / parts
end
local xx, xy, rest = 0, 0, 0
for i = 1, parts do
  xx = xx + (i - centre) ^ 2
  xy = xy + (i - centre) * (means[i] - mean)
end
for i = 1, parts do
  rest = rest + (means[i] - mean - xy / xx * (i - centre)) ^ 2
end
local per_part = steps * h / parts
local slope, interval = xy / xx / per_part, student * math.sqrt(rest / (parts - 2) / xx) / per_part
local grown = measured.memory > 0 and memory() - measured.memory or 0
-- Rounding is not quite symmetric: a bias of less than a tenth of the unit round-off of the energy per
-- step is no drift of the method.
local rounding = 1e-17 * math.abs(measured.start) / h
local good = (math.abs(slope) <= interval or math.abs(slope) <= rounding) and grown < 1024
for key, most in pairs(bounds) do
  good = good and measured[key] <= most
end
print(("%-17s %-22s %.0e steps: momenta %.1e and energy %.1e of their terms, |g| %.1e, |G v| %.1e, "
  .. "energy within %.1e J, drift %.1e +- %.1e J/s, memory +%d kB: %s"):format(name, method, steps,
  measured.momentum, measured.energy, measured.constraint, measured.rate, measured.change, slope, interval,
  grown, good and "ok" or "TOO LARGE"))
os.remove(base .. ".state")
os.remove(base .. ".measured")
os.exit(good and 0 or 1)
