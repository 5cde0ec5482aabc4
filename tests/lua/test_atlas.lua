-- The atlas of work and precision: its file, its measurements, and the advice that is made of it.
local check = require "check"
local vida = require "vida"

local source = debug.getinfo(1, "S").source:match "^@(.*)tests/lua/" or "../"
package.path = source .. "scenarios/?.lua;" .. package.path
local data = require "atlas.data"
local runs = require "atlas.runs"
local systems = require "atlas.systems"

local path = source .. "plugin/diagnose/atlas_data.c"
local atlas = data.read(path)

-- ---- the file ------------------------------------------------------------------------------------

-- It has the systems of systems.lua, and what it was made of comes back when it is written again.
assert(#atlas.systems == #systems and #systems == 10, "measure the atlas anew: scenarios/atlas/measure.lua")
for s, system in ipairs(atlas.systems) do
  assert(system.name == systems[s].name and system.time == systems[s].time, system.name)
end
local copy = os.tmpname()
data.write(copy, atlas)
local function text_of(name)
  local file <close> = assert(io.open(name, "r"))
  return file:read "a"
end
assert(text_of(copy) == text_of(path), "atlas_data.c was not written by measure.lua")
os.remove(copy)

-- Smaller errors never cost less, and every system has methods that reach 1e-9.
for _, row in ipairs(atlas.rows) do
  local a, b, c = table.unpack(row.seconds)
  assert(a > 0 and (b == 0 or b >= a) and (c == 0 or c >= b and b > 0), row.method)
end
for s = 1, #systems do
  assert(#data.ranking(atlas, s, 3) > 5, systems[s].name)
end

-- Methods that are not measured yet, new ones: a message, and no fault.
local measured, missing = {}, {}
for _, name in ipairs(atlas.methods) do
  measured[name] = true
end
for _, method in ipairs(vida.methods()) do
  missing[#missing + 1] = not measured[method.name] and method.name or nil
end
for _, name in ipairs(missing) do
  print(("%s is not in the atlas yet: lua5.4 scenarios/atlas/measure.lua plugin/diagnose/atlas_data.c "
    .. "--only %s"):format(name, name))
end

-- ---- the comparison of rankings --------------------------------------------------------------------

-- A pair in opposite order is found, and one within the factor is not.
local function with_costs(first, second)
  local function row(method, seconds)
    return { system = 1, method = method, options = "", adaptive = false, seconds = { seconds, 0, 0 },
      settings = { 1, 0, 0 } }
  end
  return { systems = { { name = "one" } }, rows = { row("a", first), row("b", second) } }
end
local print_all = print
print = function() end -- luacheck: ignore
assert(data.compare(with_costs(1, 2), with_costs(2, 1), 1.5) == 1)
assert(data.compare(with_costs(1, 2), with_costs(1.2, 1), 1.5) == 0)
assert(data.compare(with_costs(1, 1.2), with_costs(2, 1), 1.5) == 0)
print = print_all -- luacheck: ignore

-- ---- a measurement -----------------------------------------------------------------------------------

-- A method of order 2 needs steps that are smaller by sqrt(1000) for errors that are smaller by 1000.
local pendulum = runs.subject { name = "pendulum", time = 2, ceiling = 0.02, make = check.plain_pendulum }
local row = assert(runs.measure(pendulum, { "rattle" }, 2))
check.close(row.settings[1] / row.settings[2] / math.sqrt(1000), 1, 0.03)
assert(row.costs[1] > 0 and row.costs[2] >= row.costs[1])
local none, status = runs.measure(pendulum, { "verlet" }, 2)
assert(not none and status == "NOT_SUPPORTED", status)

-- The driver with two processes, of which one finds nothing to measure: a new method is added to a file.
local folder, file = os.tmpname(), os.tmpname()
os.remove(folder)
assert(os.execute(("mkdir -p '%s/atlas'"):format(folder)))
local small <close> = assert(io.open(folder .. "/atlas/small.lua", "w"))
small:write [[
local vida = require "vida"
return { { name = "oscillator", time = 1, ceiling = 0.001, make = function()
  local s = vida.system { "oscillator", dimension = 2 }
  local x, rate = s:coordinate { "x", unit = "m", value = 1 }
  s:kinetic { "mass", rate ^ 2 / 2 }
  s:potential { "spring", x ^ 2 / 2 }
  return s
end } }
]]
small:close()
data.write(file, { methods = {}, systems = {}, rows = {} })
local good = os.execute(("LUA_PATH_5_4='%s/?.lua;;' '%s' '%sscenarios/atlas/measure.lua' '%s' "
  .. "--systems small --only verlet --quiet 2>/dev/null"):format(folder, arg[-1], source, file))
local added = data.read(file)
assert(good and #added.rows == 1 and added.rows[1].method == "verlet" and added.rows[1].seconds[1] > 0)
os.execute(("rm -r '%s' '%s'"):format(folder, file))

-- ---- advice --------------------------------------------------------------------------------------------

-- On a system of the atlas itself, what is named costs at most twice as much as the best of those that keep
-- the constraints, and its evidence is a row of the file.
local claims = {}
for _, method in ipairs(vida.methods()) do
  claims[method.name] = table.concat(method.capabilities, "; ")
end
local needed = { anything = "", symplectic = "preserves the symplectic form",
  energy = "preserves the energy" }

local function rank(s, number, one, system)
  local best
  for _, measured_row in ipairs(data.ranking(atlas, s, number)) do
    local claim = claims[measured_row.options:match "base=(%S+)" or measured_row.method] or ""
    local is_able = claim:find(needed[one.keeps], 1, true)
      and (not system.is_held or claim:find("keeps the constraints g = 0", 1, true))
    best = best or is_able and measured_row.seconds[number]
    if measured_row.method == one.method and measured_row.options == one.options
      and measured_row.adaptive == one.adaptive then
      return measured_row.seconds[number] / best
    end
  end
  return nil
end

for _, s in ipairs { 1, 2, 3, 8, 9 } do
  local given = systems[s]
  local comparison = vida.compare { system = given.make(), time = given.time,
    methods = { { "radau", h = given.time / 1000 } } }
  local advice = comparison:advise()
  for name, value in pairs(atlas.systems[s].features) do
    check.close(advice.features[name], value, 1e-3 * (1 + math.abs(value)))
  end
  local is_held = advice.features.constrained > 0
  for _, one in ipairs(advice) do
    local number = one.error == 1e-3 and 1 or one.error == 1e-6 and 2 or 3
    local ratio = rank(s, number, one, { is_held = is_held })
    assert(one.keeps ~= "anything" or ratio and ratio <= 2,
      ("%s, %.0e: %s is %s times the best"):format(given.name, one.error, one.method, ratio))
    assert(#one.rivals <= 3 and one.seconds > 0 and (one.h or one.rtol) ~= 0)
  end
end

-- Where there are contacts, what is named takes them in every mode, and finds their times.
local function advice_on_block(options)
  local s = vida.system { "block", dimension = 2 }
  s:gravity { 0, -9.81 }
  local block = s:particle { "block", mass = 2, position = { 0, 0 }, velocity = { 1, 0 } }
  options[1], options.gap = "floor", block.y
  options.slip = options.friction and { block.vx }
  s:contact(options)
  return vida.compare { system = s, time = 1, methods = { { "radau", h = 0.1 } } }:advise()
end
for _, options in ipairs { { restitution = 0.5 }, { friction = 0.2 } } do
  local advice, taken = advice_on_block(options), {}
  for _, method in ipairs(advice.methods) do
    taken[method.name] = method
    assert(method.accepted or method.reason, method.name)
  end
  assert(advice.prefers == "events" and #advice > 0)
  assert(taken["moreau-jean"].accepted and taken["moreau-jean"].contacts == "time stepping"
    and taken["moreau-jean"].order == 1)
  assert(taken.radau.accepted and taken.radau.contacts == "events" and taken.radau.order == 5)
  assert(not taken.verlet.accepted and taken.verlet.reason:find("contact 'floor'", 1, true))
  assert(taken.gni.accepted == not options.friction, taken.gni.reason)
  for _, one in ipairs(advice) do
    assert(taken[one.method].accepted and taken[one.method].contacts == "events", one.method)
    assert(one.keeps ~= "symplectic")
  end
end
