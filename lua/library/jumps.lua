--- Functions of time that jump.
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
        fail(("switch: at: times must increase, got %g after %g"):format(at[i], before))
      end
      before = at[i]
    end
  end
end

--- Returns a function of time that jumps: `values[1]` before the first time of `at`, `values[2]` from there
-- to the second, and so on. Every method ends a step at each of these times and restarts from the state
-- there. It does so also at the times at which a condition that depends only on time changes in `vida.where`,
-- `vida.abs`, `vida.min` or `vida.max`. Trajectories have two rows at such a time, one for each side.
-- @function vida.switch
-- @tparam table given
-- @tparam expression given.1 the time, `s.time`, or an increasing function of time
-- @tparam {number|expression,...} given.at times of the jumps, s, in increasing order; parameters are allowed
-- @tparam {number|expression,...} given.values one value more than there are times
-- @treturn expression
-- @raise if the times do not increase, or if the number of values is wrong
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
    fail(("switch: values: expected %d values for %d times, got %d"):format(#at + 1, #at, #values))
  end
  check_times(at)
  return #at == 0 and values[1] or library.switch(time, at, values)
end
