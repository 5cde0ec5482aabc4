-- One run of tests/soak/run: main.lua SYSTEM METHOD STEPS DIR.
local vida = require "vida"

local name, method, steps, folder = arg[1], arg[2], math.tointeger(tonumber(arg[3])), arg[4]
local h, together, parts = 0.01, 1000, 20
local momentum_bound, constraint_bound = 1e-11, 1e-14 -- relative to the size of the terms; in metres

-- Pendulums with rods of 1 m and masses of 1 kg that swing in space.
local masses = {}
local function make(count)
  local system = vida.system { name, dimension = 3 }
  system:gravity { 0, 0, -9.81 }
  local last = system.ground
  for i = 1, count do
    local bob = system:particle { "bob " .. i, mass = 1, position = { 0.6 * i, 0, -0.8 * i },
      velocity = { 0, 1.5 * i, 0 } }
    system:distance { "rod " .. i, last, bob, length = 1 }
    last = bob
    masses[i] = 1
  end
  return system
end
local system = make(name == "pendulum" and 1 or 2)

-- The momentum about the vertical, and the size of its terms.
local function vertical_momentum(stepper)
  local q, v = stepper:positions(), stepper:velocities()
  local sum, size = 0, 0
  for i, mass in ipairs(masses) do
    local x, y, u, w = q[3 * i - 2], q[3 * i - 1], v[3 * i - 2], v[3 * i - 1]
    sum = sum + mass * (x * w - y * u)
    size = size + mass * (math.abs(x * w) + math.abs(y * u))
  end
  return sum, size
end

local function memory()
  local file = io.open "/proc/self/status"
  local text = file and file:read "a" or ""
  return tonumber(text:match "VmRSS:%s*(%d+)") or 0 -- kB
end

-- ---- the state: the stepper in one file, and what has been measured in another ------------------
local base = ("%s/%s-%s"):format(folder, name, method)
local keys = {
  "made", "start_energy", "start_momentum", "momentum", "size", "constraint", "energy", "memory",
}

local function save(stepper, measured)
  stepper:save(base .. ".state.new")
  local file = assert(io.open(base .. ".measured.new", "w"))
  for _, key in ipairs(keys) do
    file:write(("%s %a\n"):format(key, measured[key]))
  end
  for i = 1, parts do
    file:write(("part%d %a\n"):format(i, measured.sums[i]))
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
  local measured = { sums = {} }
  for key, value in file:read("a"):gmatch "(%S+) (%S+)\n" do
    local part = tonumber(key:match "^part(%d+)$")
    if part then
      measured.sums[part] = tonumber(value)
    else
      measured[key] = tonumber(value)
    end
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
  local momentum = vertical_momentum(stepper)
  measured = { made = 0, start_energy = stepper:energy(), start_momentum = momentum, momentum = 0, size = 0,
    constraint = 0, energy = 0, memory = 0, sums = {} }
  for i = 1, parts do
    measured.sums[i] = 0
  end
end

-- ---- the steps ----------------------------------------------------------------------------------
local saved = os.time()
while measured.made < steps do
  stepper:step(together)
  measured.made = measured.made + together
  local momentum, size = vertical_momentum(stepper)
  local energy = stepper:energy() - measured.start_energy
  local part = math.min(parts, 1 + math.floor((measured.made - 1) * parts / steps))
  measured.momentum = math.max(measured.momentum, math.abs(momentum - measured.start_momentum))
  measured.size = math.max(measured.size, size)
  measured.constraint = math.max(measured.constraint, (stepper:constraint_errors()))
  measured.energy = math.max(measured.energy, math.abs(energy))
  measured.sums[part] = measured.sums[part] + energy
  if measured.made == 20 * together then
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
for i = 1, parts do
  measured.sums[i] = measured.sums[i] / count
  mean = mean + measured.sums[i] / parts
end
local xx, xy, rest = 0, 0, 0
for i = 1, parts do
  xx = xx + (i - centre) ^ 2
  xy = xy + (i - centre) * (measured.sums[i] - mean)
end
for i = 1, parts do
  rest = rest + (measured.sums[i] - mean - xy / xx * (i - centre)) ^ 2
end
local per_part = steps * h / parts
local slope, interval = xy / xx / per_part, student * math.sqrt(rest / (parts - 2) / xx) / per_part
local grown = measured.memory > 0 and memory() - measured.memory or 0
-- Rounding is not quite symmetric: a bias of less than a tenth of the unit round-off of the energy per
-- step is no drift of the method.
local rounding = 1e-17 * math.abs(measured.start_energy) / h
local good = measured.momentum <= momentum_bound * measured.size and measured.constraint <= constraint_bound
  and (math.abs(slope) <= interval or math.abs(slope) <= rounding) and grown < 1024
print(("%-15s %-15s %.0e steps: momentum %.1e of its terms, |g| %.1e m, energy within %.1e J, drift %.1e +- "
  .. "%.1e J/s, memory +%d kB: %s"):format(name, method, steps, measured.momentum / measured.size,
  measured.constraint, measured.energy, slope, interval, grown, good and "ok" or "TOO LARGE"))
os.remove(base .. ".state")
os.remove(base .. ".measured")
os.exit(good)
