-- Integrates a random system with every method at two step sizes (or three tolerances) and judges each
-- row that is "ok" against a reference of another formulation.
local vida = require "vida"

local judge = {} -- judge.only: the methods to be tried, { name = true }; nil: all

-- Those on the underlying ODE: they are compared with Radau IIA on the stabilized index 2, all others
-- with a projected Runge-Kutta method on that ODE.
local on_ode = {}
for _, name in ipairs { "baumgarte", "stabilized-ode", "post-stabilized", "coordinate-projection",
  "coordinate-partitioning", "cvode-projected" } do
  on_ode[name] = true
end

local STATES = 20 -- that are compared, over the whole time
local LEAST_STEPS = 160 -- of the larger step
local RESOLVED = 1e-6 -- of the size: errors of an explicit method of order 5, whose steps resolve the motion
local MOST_DOUBLINGS = 4 -- of the number of steps, until they do
local RTOL = 1e-5
local MOST_STEPS = 2000 -- between two states, of an adaptive method: a few hundred are enough

local function has(method, text)
  for _, capability in ipairs(method.capabilities) do
    if capability == text then
      return true
    end
  end
  return false
end

local function find_option(method, name)
  for _, option in ipairs(method.options) do
    if option.name == name then
      return option
    end
  end
  return nil
end

local function is_adaptive(method)
  local rtol = find_option(method, "rtol")
  return rtol ~= nil and rtol.default ~= nil
end

-- Relaxed constraints err by their damping, in the first order, and by the step in the second: the two
-- may cancel at one step, so that a third one is made.
local function is_relaxed(method)
  return find_option(method, "compliance") ~= nil
end

-- The order of a method of high order is measured between three steps: a bound on the growth of the error
-- from one step to the next would take order 1 for order 8 where both errors are small.
local function has_slopes(method)
  return not is_adaptive(method) and not is_relaxed(method) and method.order > 2
end

-- What the rows of a method ask for, and how many they are; `steps` of the larger step resolve the
-- motion.
local function wishes(method, made, steps)
  if is_adaptive(method) then
    return { method.name, rtol = { RTOL, RTOL / 10, RTOL / 100 }, h = made.span / STATES,
      max_steps = MOST_STEPS }, 3
  end
  local h = { made.span / steps, made.span / (2 * steps) }
  h[3] = (is_relaxed(method) or has_slopes(method)) and h[2] / 2 or nil
  return { method.name, h = h }, #h
end

local references = {
  ode = { "coordinate-projection", integrator = "verner", max_steps = MOST_STEPS },
  dae = { "radau", rtol = 1e-11, max_steps = 20000 },
}

-- Of the first one, the smallest that it takes: where rows depend on others, the rounding of
-- accelerations may be above 1e-12 of them.
local tolerances = { 1e-12, 1e-10, 1e-8 }

local function reference_of(made, name)
  local asked = { h = made.span / STATES, rtol = name == "ode" and made.rtol or nil }
  for key, value in pairs(references[name]) do
    asked[key] = value
  end
  return asked
end

local function compare(made, reference, methods)
  local comparison = vida.compare {
    system = made.system, time = made.span, reference = reference, methods = methods, norm = "max",
    jobs = 1,
  }
  return comparison:run { quiet = true }
end

-- ---- judging ------------------------------------------------------------------------------------

-- How large the error of the first row may be by those of the finer rows that are "ok", or nil where
-- none is. From half the step to the whole one it may grow ten times, and ten times again from a quarter.
-- In high order it may grow four times as much as the order says, above order 6 sixteen times, since terms
-- beyond the first count sooner; four times, too, where constraints are relaxed, within a time that is in
-- proportion to the step. The error of a tolerance is in proportion to it but for its sign, which makes
-- single errors small by chance: the largest of what the finer ones predict counts, ten times.
local function largest_error(method, finer, floor)
  local largest
  for i, row in ipairs(finer) do
    if row.status == "ok" and row.position_error then
      local order = is_relaxed(method) and math.max(2, method.order) or method.order > 2 and method.order
      local times = order and (order > 6 and 16 or 4) * 2 ^ order or 10
      local growth = is_adaptive(method) and 10 * 10 ^ i or times ^ i
      largest = math.max(largest or 0, growth * math.max(row.position_error, floor))
    end
  end
  return largest
end

local LEAST_PART = 0.7 -- of its order, between one of two pairs of steps
local ROUNDING = 1e-11 -- of the size
local SMOOTH = 1e-3 -- of the size: errors that are larger do not follow the order yet

-- The order that the errors of three rows have at most, where it is too low; nil where they say nothing:
-- at the level of rounding, or of the reference's own error, or where the steps are too large.
local function find_low_order(made, method, row, finer, floor)
  local level = math.max(ROUNDING * made.size, 30 * floor)
  local errors = { row.position_error }
  for i, other in ipairs(finer) do
    errors[i + 1] = other.status == "ok" and other.position_error or nil
  end
  if not has_slopes(method) or #errors < 3 or errors[1] > SMOOTH * made.size or errors[3] < level then
    return nil
  end
  local slope = math.max(math.log(errors[1] / errors[2], 2), math.log(errors[2] / errors[3], 2))
  return slope < LEAST_PART * method.order and slope or nil
end

-- What is wrong with a row that is "ok" without a word, or nil; rows of smaller steps beside it.
local function find_fault(made, method, row, finer, floor)
  if has(method, "keeps the constraints g = 0") and not is_adaptive(method)
    and row.constraint_position and row.constraint_position > 1e-9 * made.size then
    return ("|g| = %.2g of its size though it keeps g = 0"):format(row.constraint_position / made.size)
  end
  if has(method, "preserves the energy exactly") and made.conserves
    and row.energy_error and row.energy_error > 1e-8 * made.energy * 10 then
    return ("energy off by %.2g of its size though it is kept"):format(row.energy_error / made.energy)
  end
  local unit = made.size
  local error_here = row.position_error
  if not error_here then
    return nil
  end
  local largest = largest_error(method, finer, floor)
  local half = finer[1]
  if not largest then
    return error_here > 0.1 * unit
      and ("error %.2g, and half the step ends with %s"):format(error_here / unit, half.status) or nil
  end
  -- Errors of a tolerance scatter: what is within some hundreds of it is right. In high order the step is
  -- chosen so that the error of projection is below RESOLVED. The feedback of stabilization makes the
  -- equations stiffer, and the error up to ten times larger; two of its terms may cancel at half the step.
  local slope = find_low_order(made, method, row, finer, floor)
  if slope then
    return ("order %.2g, not %d: error %.2g, %.2g at a quarter of the step"):format(slope, method.order,
      error_here / unit, finer[2].position_error / unit)
  end
  local tolerated = is_adaptive(method) and 300 * RTOL or method.order > 2 and 10 * RESOLVED or 1e-9
  local error_there = half.position_error or math.huge
  local finest = finer[#finer]
  local least = finest.status == "ok" and finest.position_error or 0
  if error_here > tolerated * unit and error_here > largest then
    return ("error %.2g, %.2g at half the step"):format(error_here / unit, error_there / unit)
  elseif least > 0.03 * unit and error_here < 1.5 * least then
    return ("error %.2g does not fall: %.2g at the smallest step"):format(error_here / unit, least / unit)
  end
  return nil
end

-- Remarks that are true of any run and do not say that something is off.
local neutral = { "^compared with the reference", "^multipliers are not unique", "^wall_s is" }

local function has_remark(row)
  for remark in row.message:gmatch "[^;]+" do
    remark = remark:gsub("^ ", "")
    local says = remark ~= ""
    for _, pattern in ipairs(neutral) do
      says = says and not remark:find(pattern)
    end
    if says then
      return true
    end
  end
  return false
end

-- Judges the rows of each method of a result, of which there are counts[k]; calls
-- note(verdict, method, row, text).
local function judge_result(made, methods, counts, result, floor, note)
  local last = 0
  for k, method in ipairs(methods) do
    local rows = table.move(result, last + 1, last + counts[k], 1, {})
    local finer = table.move(rows, 2, #rows, 1, {})
    last = last + counts[k]
    for i, row in ipairs(rows) do
      if row.status == "NOT_SUPPORTED" then
        note("refused", method, row)
      elseif row.status ~= "ok" then
        note("failed", method, row)
      else
        local fault = i == 1 and find_fault(made, method, row, finer, floor)
        if not fault then
          note("right", method, row)
        elseif has_remark(row) then
          note("warned", method, row, fault)
        else
          note("wrong", method, row, fault)
        end
      end
    end
  end
end

-- So many steps that a motion with close approaches and whips is resolved by all of them: several times
-- those that an explicit method of order 5 chooses, and as many as it needs when they are even. With
-- fewer, errors do not follow the order yet, and those of half the step say nothing about the step.
local function count_steps(made)
  local chosen = { "coordinate-projection", rtol = RTOL, h = made.span / STATES, max_steps = MOST_STEPS }
  local row = vida.compare { system = made.system, time = made.span, methods = { chosen } }
    :run { quiet = true }[1]
  local least = math.max(LEAST_STEPS, row.status == "ok" and 4 * row.steps or 0)
  local steps = STATES * math.ceil(least / STATES)
  for _ = 1, MOST_DOUBLINGS do
    local even = { "coordinate-projection", h = made.span / steps }
    row = compare(made, made.exact or reference_of(made, "dae"), { even })[1]
    if row.status ~= "ok" or not row.position_error or row.position_error <= RESOLVED * made.size then
      break
    end
    steps = 2 * steps
  end
  return steps
end

-- How far the two references are apart, or nil and why there is none. Sets made.rtol.
local function measure_references(made)
  local unit = made.size
  local is_run, result
  for _, rtol in ipairs(tolerances) do
    made.rtol = rtol
    is_run, result = pcall(compare, made, reference_of(made, "ode"), { reference_of(made, "dae") })
    if is_run then
      break
    end
  end
  local row = is_run and result[1]
  if not row then
    return nil, ("no reference: %s"):format(result)
  elseif row.status ~= "ok" or not row.position_error then
    return nil, ("no reference: %s: %s"):format(row.status, row.message)
  elseif row.position_error > 1e-4 * unit then
    return nil, ("the references differ by %.2g"):format(row.position_error / unit)
  end
  return row.position_error
end

-- Judges one system; calls note(verdict, method, row, text) for each row. Returns nil, or why it could
-- not be judged.
function judge.system(made, note)
  local groups = { ode = {}, dae = {} }
  for _, method in ipairs(vida.methods()) do
    if judge.only == nil or judge.only[method.name] then
      table.insert(on_ode[method.name] and groups.dae or groups.ode, method)
    end
  end
  local floor = 0
  if not made.exact then
    local why
    floor, why = measure_references(made)
    if not floor then
      return why
    end
  end
  local steps = count_steps(made)
  for name, methods in pairs(groups) do
    if #methods > 0 then
      local list, counts = {}, {}
      for k, method in ipairs(methods) do
        list[k], counts[k] = wishes(method, made, steps)
      end
      local result = compare(made, made.exact or reference_of(made, name), list)
      judge_result(made, methods, counts, result, floor, note)
    end
  end
  return nil
end

return judge
