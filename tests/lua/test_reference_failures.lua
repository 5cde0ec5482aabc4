-- A reference that fails takes no rows with it, and its message names the line of the script.
local check = require "check"
local vida = require "vida"

local function text_of(file)
  local opened = assert(io.open(file))
  local text = opened:read "a"
  opened:close()
  return text
end

local function run(reference)
  local s = check.plain_pendulum()
  local folder = os.tmpname()
  os.remove(folder)
  local comparison = vida.compare {
    system = s, time = 2, reference = reference(),
    methods = { { "rattle", h = 0.1 }, { "radau", h = 0.1 } },
  }
  local message = check.fails("", comparison.run, comparison, { quiet = true, out = folder })
  local rows, notes = text_of(folder .. "/comparison.csv"), text_of(folder .. "/comparison.json")
  os.execute("rm -r '" .. folder .. "'")
  return message, rows, notes
end

local function line()
  return debug.getinfo(2, "l").currentline
end

local values = {
  { "boom", "boom" },
  { { code = 3 }, "an error that is a table" },
  { nil, "an error that is a nil" },
  { setmetatable({}, { __tostring = function() return "an object" end }), "an object" },
}
for k = 1, 4 do
  local raised
  local message, rows = run(function()
    return function(t)
      if t > 1 then
        raised = line() + 1
        error(values[k][1])
      end
      return { positions = { bob = { 1, 0 } } }
    end
  end)
  assert(message:find(values[k][2], 1, true), message)
  assert(message:find(("test_reference_failures.lua:%d:"):format(raised), 1, true), message)
  for _, method in ipairs { "rattle", "radau" } do
    local row = assert(rows:match("[^\n]*," .. method .. ",[^\n]*"), rows)
    assert(row:find(",ok,", 1, true) and row:find("no errors: the reference failed", 1, true), row)
  end
end

-- States that are none, numbers that are none, and methods that cannot go the way.
for _, case in ipairs {
  { function() return function() return nil end end, "expected a table with positions" },
  { function() return function() return { positions = { bob = { 0 / 0, 1 } } } end end,
    "no value of 'bob.x'" },
  { function() return { "rattle", h = 2 } end, "the reference (rattle, h = 2 s) failed at t = 0" },
  { function() return { states = { { t = 20, positions = { bob = { 1, 0 } } } } } end,
    "has no state at a time" },
} do
  local message, rows = run(case[1])
  assert(message:find(case[2], 1, true), message)
  local _, count = rows:gsub(",ok,", "")
  assert(count == 2, rows)
end

-- A reference of another motion is refused; a small difference at the start is its own error, in the norm of
-- the comparison. Without a value at the start there is nothing to compare. The motion is x = cos t.
local function compare_with(exact, error, relative)
  local s = vida.system "oscillator"
  local x, rate = s:coordinate { "x", unit = "m", value = 1, rate = 0 }
  s:kinetic(rate ^ 2 / 2)
  s:potential(x ^ 2 / 2)
  return vida.compare { system = s, time = 1, methods = { { "rattle", h = 0.01 } }, relative = relative,
    reference = { exact = exact, name = "closed form", error = error } }
end
local function moved(offset)
  return function(t)
    return { positions = { x = math.cos(t) + offset } }
  end
end
local function own_error(...)
  return compare_with(...):run { quiet = true }.reference_error
end
for _, offset in ipairs { 2, -0.01, 1e6 } do
  for error = 0, 1 do
    local comparison = compare_with(moved(offset), error == 0 and 0 or nil)
    local message = check.fails("another motion", comparison.run, comparison, { quiet = true })
    assert(message:find("'x' is", 1, true) and message:find("closed form", 1, true), message)
  end
end
check.close(own_error(moved(0), 0), 0, 1e-15)
check.close(own_error(moved(1e-5), 0), 1e-5, 1e-12)
check.close(own_error(moved(1e-5)), 1e-5, 1e-12)
check.close(own_error(moved(1e-5), 0, true), 1e-5 / math.sin(1), 1e-7) -- the mean of x is sin 1
local function unknown_at_start(t)
  return { positions = { x = t > 0 and math.cos(t) + 2 or 0 / 0 } }
end
check.close(own_error(unknown_at_start, 0), 0, 0)
