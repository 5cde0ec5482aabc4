--- Formulas that jump at given times.
--
-- @classmod expression
local vida, _, library = ...

local fail, expected, kind = library.fail, library.expected, library.kind

local example = "{ s.time, at = { 0.3, 0.6 }, values = { 1, -1, 1 } }"

local function check_list(key, value)
  if kind(value) ~= "table" then
    expected("switch", key, "a list such as in " .. example, value)
  end
end

local function check_times(at)
  local before
  for i = 1, #at do
    local what = kind(at[i])
    if what ~= "expression" and not library.is_finite(at[i]) then
      expected("switch", ("at[%d]"):format(i), "a time", at[i])
    elseif what == "number" then
      if before and at[i] <= before then
        fail(("switch: at: times must grow, got %g after %g"):format(at[i], before))
      end
      before = at[i]
    end
  end
end

--- A function of time that jumps: `values[1]` before the first time of `at`, `values[2]` from it to
-- the second, and so on. Every method ends a step at each of these times, and at those at which a
-- condition of time alone changes in `vida.where`, `vida.abs`, `vida.min` or `vida.max`; it then
-- starts anew from the state. Trajectories have two rows there, one of each side.
-- @function vida.switch
-- @tparam table given
-- @tparam expression given.1 the time, `s.time`, or a formula of time that grows
-- @tparam {number|expression,...} given.at when it jumps, s; parameters are allowed
-- @tparam {number|expression,...} given.values one more than there are times
-- @treturn expression
-- @raise when times do not grow, or the numbers of times and values do not fit
-- @usage
-- local push = vida.switch { s.time, at = { 0.3, 0.6 }, values = { 1, -1, 0 } }
-- s:force { "push", { { x, push * vida.cos(s.time) } } }
function vida.switch(given)
  if kind(given) ~= "table" then
    fail("vida.switch: expected a table such as " .. example)
  end
  library.check_keys(given, "switch", "key", 1, { "at", "values" })
  local time, at, values = given[1], given.at, given.values
  if kind(time) ~= "expression" then
    expected("switch", "[1]", "the time of a system, s.time", time)
  end
  check_list("at", at)
  check_list("values", values)
  if #values ~= #at + 1 then
    fail(("switch: %d times part %d values, got %d"):format(#at, #at + 1, #values))
  end
  check_times(at)
  local result = values[#values]
  for i = #at, 1, -1 do
    result = vida.where(vida.less(time, at[i]), values[i], result)
  end
  return result
end
