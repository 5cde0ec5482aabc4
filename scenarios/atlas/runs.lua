-- Runs of one method on one system, from coarse to fine: errors against CPU time.

local vida = require "vida"

local Runs = {}

Runs.targets = { 1e-3, 1e-6, 1e-9 }
Runs.nodes = 10 -- times at which positions are compared, equally spaced

local longest = 0.1 -- s of CPU time for a run, where the system has no ceiling of its own
local finest = 4e-10 -- a run with this error is the last
local most_rungs = 16
local most_failures = 12 -- the steps become good last where formulas of high order meet fast modes
local shortest = 5e-4 -- s, of a time that is measured

-- Runs that are not "ok", or whose numbers are doubtful, do not count.
local function is_good(row)
  for _, remark in ipairs(row.remarks) do
    if remark.severity ~= "note" then
      return false
    end
  end
  return row.status == "ok"
end

local function options_with(given, h, rtol)
  local options = {}
  for key, value in pairs(given) do
    options[key] = value
  end
  options.h, options.rtol = h, rtol
  return options
end

-- A fixed piece of work of the same kind. Other processes on the machine slow both it and a run down, by up
-- to a factor of two, so costs are measured in units of it.
local function new_gauge()
  local system = vida.system "gauge"
  system:gravity { 0, 0, -9.81 }
  local bob = system:particle { "bob", mass = 1, position = { 0.8, 0, -0.6 }, velocity = { 0, 1, 0 } }
  system:distance { "rod", system.ground, bob, length = 1 }
  local steppers = { [system:stepper { "rattle", h = 0.01 }] = 200,
    [system:stepper { "half-explicit", h = 0.05 }] = 40, [system:stepper { "spark-lobatto", h = 0.05 }] = 10 }
  local times = {} -- ascending
  local gauge = {}
  function gauge.time()
    local before = os.clock()
    for stepper, count in pairs(steppers) do
      stepper:start()
      stepper:step(count)
    end
    local taken = os.clock() - before
    local low, high = 1, #times + 1
    while low < high do
      local middle = (low + high) // 2
      if times[middle] < taken then
        low = middle + 1
      else
        high = middle
      end
    end
    table.insert(times, low, taken)
    return taken
  end
  -- The time on an idle machine: a tenth of the times are shorter. The least one may be a fault of the clock.
  function gauge.idle()
    return times[#times // 10 + 1] or math.huge
  end
  return gauge
end

local gauge = new_gauge()

-- CPU time of the start and all steps in units of the gauge: the median of repetitions, each of which is
-- divided by the time of the gauge just before and after it.
local function cost_of(subject, options, count)
  local stepper, ratios, total, runs = subject.system:stepper(options), {}, 0, 1
  local before = gauge.time()
  repeat
    local began = os.clock()
    for _ = 1, runs do
      stepper:start()
      stepper:step(count)
    end
    local taken, after = os.clock() - began, gauge.time()
    if taken < shortest and #ratios == 0 and runs == 1 then
      runs = math.ceil(shortest / math.max(taken, 1e-6)) -- too short for the clock
    else
      ratios[#ratios + 1] = 2 * taken / runs / (before + after)
    end
    total, before = total + taken + after, after
  until #ratios >= 3 and total > 0.15 or #ratios >= 15 and total > 0.03
  local reached = stepper:time()
  stepper:close()
  table.sort(ratios)
  return math.abs(reached - subject.time) < 1e-6 * subject.time and ratios[(#ratios + 1) // 2] or nil
end

local function try(subject, options, count)
  local comparison = vida.compare {
    system = subject.system, time = subject.time, norm = "max", wall_limit = 30 * subject.ceiling,
    reference = { states = subject.states, name = "reference", error = subject.error }, methods = { options },
  }
  local row = comparison:run { quiet = true }[1]
  comparison:close()
  if not (is_good(row) and row.position_error) then
    return nil, row.status, row.message
  end
  local cost = cost_of(subject, options, count)
  if not cost then
    return nil, "OTHER_CLOCK", "the steps of the method do not end at the time of the run"
  end
  return row.position_error / subject.size, cost
end

-- One run. Returns its error and cost, or nil, a status and why it does not count.
local function run(subject, options, count)
  local is_done, size, cost, message = pcall(try, subject, options, count)
  if not is_done then
    return nil, "NOT_SUPPORTED", size
  end
  return size, cost, message
end

local function steps_from(subject, options, order)
  local rungs, count, failures = {}, 10, 0
  local factor, status, message
  while #rungs < most_rungs and failures < most_failures do
    local whole = Runs.nodes * math.ceil(count / Runs.nodes)
    local given = options_with(options, subject.time / whole)
    local size, cost, text = run(subject, given, whole)
    if size then
      local last = rungs[#rungs]
      rungs[#rungs + 1] = { error = size, cost = cost, setting = subject.time / whole }
      local order_here = last and math.log(last.error / size) / math.log(whole / last.count) or order
      rungs[#rungs].count = whole
      factor = 10 ^ (1.5 / math.max(1, math.min(order, order_here)))
      factor = math.max(1.5, math.min(size > 0.05 and 2 or 6, factor))
      if last and last.error < 1e-7 and size > last.error / 1.5 then
        failures = failures + 3 -- rounding
      end
      if size < finest or cost * factor > subject.most_cost() then
        break
      end
    else
      status, message = cost, text
      if status == "NOT_SUPPORTED" or status == "BAD_ARGUMENT" or status == "OTHER_CLOCK"
        or status == "WALL_LIMIT" or #rungs > 0 and rungs[#rungs].cost * 4 > subject.most_cost() then
        break
      end
      failures, factor = failures + 1, 2
    end
    count = whole * factor
  end
  return rungs, status, message
end

local function tolerances_from(subject, options)
  local rungs, rtol, status, message = {}, 1e-2, nil, nil
  while rtol > 3e-14 do
    local given = options_with(options, subject.time / Runs.nodes, rtol)
    local size, cost, text = run(subject, given, Runs.nodes)
    if size then
      rungs[#rungs + 1] = { error = size, cost = cost, setting = rtol }
      if size < finest or cost * 2 > subject.most_cost() then
        break
      end
    else
      status, message = cost, text
      if status == "NOT_SUPPORTED" or status == "BAD_ARGUMENT" or status == "WALL_LIMIT" then
        break
      end
    end
    rtol = rtol * 10 ^ -1.25
  end
  return rungs, status, message
end

-- Returns the cost of an error and the step or rtol for it, by straight lines in logarithms; nil if it
-- was not reached. A coarsest run that is better than asked for bounds the cost from above.
local function cost_at(rungs, target)
  for i, rung in ipairs(rungs) do
    local last = rungs[i - 1]
    if rung.error <= target then
      local part = last and math.log(last.error / target) / math.log(last.error / rung.error) or 1
      last = last or rung
      local function between(a, b)
        return a * (b / a) ^ part
      end
      return between(last.cost, rung.cost), between(last.setting, rung.setting)
    end
  end
  return nil
end

-- Who reaches a smaller error for less, reaches the larger one, too.
local function fill_costs(row, rungs)
  for i = #Runs.targets, 1, -1 do
    row.costs[i], row.settings[i] = cost_at(rungs, Runs.targets[i])
    local finer = row.costs[i + 1]
    if finer and (not row.costs[i] or finer < row.costs[i]) then
      row.costs[i], row.settings[i] = finer, row.settings[i + 1]
    end
  end
end

-- The time of the gauge on an idle machine, the unit of costs, s.
function Runs.unit()
  return gauge.idle()
end

-- Measures a variant { "method", option = value, rtol = true }. Returns a row: `costs` and `settings` by the
-- targets; or nil, the status and the message of the run that ended it.
function Runs.measure(subject, variant, order)
  local options = options_with(variant, nil, nil)
  local climb = variant.rtol and tolerances_from or steps_from
  local rungs, status, message = climb(subject, options, order)
  if #rungs == 0 then
    return nil, status, message
  end
  local row = { costs = {}, settings = {}, best = math.huge }
  fill_costs(row, rungs)
  for _, rung in ipairs(rungs) do
    row.best = math.min(row.best, rung.error)
  end
  return row
end

-- ---- the reference ------------------------------------------------------------------------------

-- States at the nodes by one method.
local function states_by(system, time, options)
  local stepper = system:stepper(options)
  stepper:start()
  local states = { { positions = stepper:positions() } }
  local count = options.rtol and Runs.nodes or math.floor(time / options.h + 0.5)
  for k = 1, Runs.nodes do
    stepper:step(count // Runs.nodes)
    states[k + 1] = { t = time * k / Runs.nodes, positions = stepper:positions() }
  end
  stepper:close()
  return states
end

-- The 2-norm of a - b, over the components of b.
local function distance(a, b)
  local sum = 0
  for i = 1, #b do
    sum = sum + (a[i] - b[i]) ^ 2
  end
  return math.sqrt(sum)
end

-- Prepares a system: states of the reference, their error as the distance of two methods that have nothing in
-- common, and the largest distance from the start, by which errors are divided.
function Runs.subject(given)
  local system = given.make()
  local h = given.time / Runs.nodes
  local states = states_by(system, given.time, { "coordinate-projection", integrator = "verner",
    rtol = 1e-13, h = h, max_steps = 10000000 })
  local others = states_by(system, given.time, { "radau", rtol = 1e-13, h = h })
  local start = table.remove(states, 1)
  local subject = { name = given.name, system = system, time = given.time, states = states,
    ceiling = given.ceiling or longest, size = 0 }
  function subject.most_cost()
    return subject.ceiling / gauge.idle()
  end
  table.remove(others, 1)
  local far = 0
  for k, state in ipairs(states) do
    subject.size = math.max(subject.size, distance(state.positions, start.positions))
    far = math.max(far, distance(state.positions, others[k].positions))
  end
  subject.error = far / subject.size
  local known = given.known
  local off = known and distance(states[#states].positions, known.positions) or 0
  assert(not known or off < known.error,
    ("%s: the reference is %.1e off the known solution"):format(given.name, off))
  assert(subject.error < 2e-10, ("%s: two references differ by %.1e"):format(given.name, subject.error))
  return subject
end

return Runs
