-- Generates inputs for the fuzzer from random numbers: the same seed gives the same input. fuzz.c calls it as
-- a chunk of (kind, seed); it returns the text of a script, or a list of arguments of the command.
local kind, seed = ...
local vida = require "vida"

-- ---- random numbers: the same on every machine ----------------------------------------------------

local state = (seed * 2654435761 + 88172645463325252) % (1 << 62) + 1
local function random(n)
  state = state ~ (state << 13)
  state = state ~ (state >> 7)
  state = state ~ (state << 17)
  return (state >> 11) % n + 1
end
local function chance(percent) return random(100) <= percent end
local function pick(list) return list[random(#list)] end

-- ---- values ---------------------------------------------------------------------------------------

local reals = { "0", "1", "-1", "0.5", "2", "9.81", "1e-3", "1e-12", "1e6", "0.1", "3", "1/3" }
local odd = { "nil", "0/0", "1/0", "-1/0", "1e308", "5e-324", "-0.0", '""', '"x"', "{}", "{ 1 }",
  "{ 1, 2, 3, 4, 5 }", "true",
  "false", "print", "function() end", "function(...) return ... end", "math.mininteger", "math.maxinteger",
    "s", "vida",
  '("x"):rep(300)', '"\\0"', '"\\255\\254"', '"rod"', "q", "a", "{ {} }", "{ nil, 1 }", "vida.free()",
    "setmetatable({}, { "
  .. "__index = function() return 1 end })", "coroutine.wrap(function() coroutine.yield(1) end)", "s.time",
    "1e5", "2^53" }

local function real() return chance(4) and pick(odd) or pick(reals) end
local function vector(n)
  local list = {}
  for i = 1, chance(3) and random(5) or n do
    list[i] = real()
  end
  return "{ " .. table.concat(list, ", ") .. " }"
end

-- A formula of the coordinates q and r of the system.
local unary = { "sin", "cos", "exp", "sqrt", "log", "tan", "abs", "atan", "tanh" }
local function formula(depth)
  local kind_of = depth > 0 and random(8) or random(2)
  if kind_of == 1 then
    return real()
  elseif kind_of == 2 then
    return pick { "q", "r", "u", "w", "s.time", "q", "p" }
  elseif kind_of <= 4 then
    return ("vida.%s(%s)"):format(pick(unary), formula(depth - 1))
  elseif kind_of == 5 and chance(20) then
    return ("vida.where(vida.less(%s, %s), %s, %s)"):format(formula(depth - 1), formula(depth - 1),
      formula(depth - 1),
      formula(depth - 1))
  elseif kind_of == 5 then
    return ("vida.switch(%s)"):format(pick(reals))
  end
  return ("(%s %s %s)"):format(formula(depth - 1), pick { "+", "-", "*", "/", "^" }, formula(depth - 1))
end

-- ---- statements -----------------------------------------------------------------------------------

_G.known = _G.known or { methods = vida.methods(), options = vida.comparison_options() } -- of all calls
local known = _G.known
local methods = known.methods
local function method()
  local chosen = pick(methods)
  local fields = { ('"%s"'):format(chosen.name) }
  for _, option in ipairs(chosen.options) do
    local wanted = option.name == "h" and 95 or option.name == "rtol" and 60 or 8
    if chance(wanted) then
      local value = real()
      if option.name == "h" or option.name == "rtol" then
        value = chance(95) and pick { "0.1", "0.05", "0.02", "1e-3" } or value
      elseif type(option.type) == "string" and option.type:match "|" and chance(90) then
        local words = {}
        for word in option.type:gmatch "[^|]+" do
          words[#words + 1] = ('"%s"'):format(word)
        end
        value = pick(words)
      elseif chance(60) then
        value = pick { "1", "2", "3", "true", "false", "1e-3" }
      end
      fields[#fields + 1] = option.name .. " = " .. value
    end
  end
  return "{ " .. table.concat(fields, ", ") .. " }"
end

local names = { "rod", "a", "b", "spring", "x", "", "q", "upper", "\\27[2J", "=1+1", "é", "a,b", "'",
  "</script>", "`touch x`", "%s%n",
  "../x" }
local function name() return ('"%s%d"'):format(chance(80) and "n" or pick(names),
  random(chance(90) and 1000 or 3)) end

local dimension, points, bodies
local statements = {
  function()
    points = points + 1
    return ("local %s = s:particle { %s, mass = %s, position = %s, velocity = %s }"):format(
      points == 1 and "a" or points == 2 and "b" or "c" .. points, name(), real(), vector(dimension),
        vector(dimension))
  end,
  function() return ("s:gravity %s"):format(vector(dimension)) end,
  function()
    return ("s:distance { %s, %s, %s, length = %s }"):format(name(), pick { "s.ground", "a", "b" },
      pick { "a", "b" }, real())
  end,
  function()
    return ("s:spring { %s, %s, %s, stiffness = %s, length = %s }"):format(name(), pick { "a", "s.ground" },
      pick { "a", "b" },
      real(), real())
  end,
  function() return ("s:potential { %s, %s }"):format(name(), formula(3)) end,
  function() return ("s:lagrangian { %s, %s }"):format(name(), formula(3)) end,
  function() return ("s:kinetic { %s, %s * u^2 + w^2 }"):format(name(), real()) end,
  function() return ("s:constraint { %s, %s }"):format(name(), formula(2)) end,
  function() return ("s:nonholonomic { %s, %s * u - w }"):format(name(), formula(1)) end,
  function() return ("s:rayleigh { %s, %s * u^2 }"):format(name(), real()) end,
  function() return ("s:observe { %s, %s, unit = %s }"):format(name(), formula(2), name()) end,
  function() return ("s:momentum { %s, %s }"):format(name(), formula(1)) end,
  function() return ("s:force { %s, { { q, %s } } }"):format(name(), formula(2)) end,
  function() return ("s:damper { %s, a, %s, damping = %s }"):format(name(), pick { "b", "s.ground" },
    real()) end,
  function()
    bodies = bodies + 1
    return ("local body%d = s:body { %s, mass = %s, inertia = %s, position = %s }"):format(bodies, name(),
      real(),
      dimension == 3 and vector(3) or real(), vector(dimension))
  end,
  function()
    return ("s:%s { %s, %s, body%d, at = %s, axis = %s }"):format(pick { "revolute", "ball", "weld",
      "prismatic", "cylindrical",
      "universal" }, name(), chance(50) and "s.ground" or "body1", bodies > 0 and bodies or 1,
        vector(dimension), vector(dimension))
  end,
  function() return ("s:draw { %s, a, b }"):format(name()) end,
  function()
    return ("s:event { %s, %s, direction = %s, action = %s%s }"):format(name(), formula(1),
      pick { '"rising"', '"falling"', '"either"' }, pick { '"record"', '"record"', '"stop"' },
      chance(40) and (", set = { { u, %s * u } }"):format(real()) or "")
  end,
  function()
    return ("s:contact { %s, gap = %s, restitution = %s%s }"):format(name(), formula(1), real(),
      chance(30) and ", friction = " .. real() or "")
  end,
  function()
    return ("s:plane_contact { %s, a, radius = %s, friction = %s, restitution = %s }"):format(name(),
      real(), real(), real())
  end,
  function()
    return ("s:sphere_contact { %s, a, b, radius = %s, restitution = %s }"):format(name(), real(), real())
  end,
  function()
    return ("s:stop { %s, q, least = %s, most = %s, restitution = %s }"):format(name(), real(), real(),
      real())
  end,
  function()
    return ("s:coupling { %s, u - w, %s }"):format(name(), chance(50) and "engaged = true" or "")
  end,
  function() return ("s:relax { %s, %s }"):format(name(), real()) end,
  function() return ("s:set_parameter(%s, %s)"):format(name(), real()) end,
  function() return pick { "collectgarbage()", "s:close()", "local _ = s:accelerations()",
    "print(s, a, b, q)" } end,
  function()
    local text = "do local m = s:stepper(%s); m:start(); m:step(%s); "
      .. "print(m:energy(), m.time, m:statistics()); %s end"
    return text:format(method(),
      pick { "1", "3", "10", "-1", "1e3", "nil" }, pick { "m:close()", "m:step()", "s:close() m:step()",
        "m:constraint_errors()" })
  end,
}

-- A function that the library calls while it works.
local callbacks = { "error 'no'", "error {}", "coroutine.yield()", "comparison:close()", "s:close()",
  "comparison:run()",
  "collectgarbage()", "return { positions = { 1 } }", "return { positions = { q = t } }", "return { q = 1 }",
    "return 7",
  "s:particle { 'late', mass = 1, position = { 1, 2 } }", "return setmetatable({}, { __index = error })",
    "while true do end" }

local function comparison()
  local runs = {}
  for i = 1, random(3) do
    runs[i] = method()
  end
  local reference = chance(15) and "reference = " .. method() .. ", "
    or chance(10) and ("reference = function(t) %s end, "):format(pick(callbacks))
    or chance(5) and 'reference = "auto", ' or ""
  local extra = ""
  for _, option in ipairs(known.options) do
    if chance(4) and option.name ~= "time" and option.name ~= "jobs" then
      extra = extra .. option.name .. " = " .. (chance(60) and pick { "1", "2", "true", "1e-3",
        '"energy"' } or real()) .. ", "
    end
  end
  return ("comparison = vida.%s { system = s, time = %s, %s%smethods = { %s } }"):format(
    pick { "compare", "compare", "compare", "drift", "work_precision" }, chance(90) and pick { "0.1", "0.2",
      "0.3" } or real(),
    reference, extra, table.concat(runs, ", "))
end

local function script()
  dimension, points, bodies = random(2) + 1, 0, 0
  local lines = { 'local vida = require "vida"',
    ("local s = vida.system { %s, dimension = %d }"):format(name(), dimension),
    "local comparison" }
  if chance(70) then
    lines[#lines + 1] = statements[1]()
    lines[#lines + 1] = statements[1]()
  else
    lines[#lines + 1] = "local a, b"
  end
  if chance(50) then
    lines[#lines + 1] = ('local q, u = s:coordinate { "q", value = %s }'):format(real())
    lines[#lines + 1] = ('local r, w = s:coordinate { "r", rate = %s }'):format(real())
  else
    lines[#lines + 1] = "local q, u, r, w = 1, 2, 3, s"
  end
  lines[#lines + 1] = ('local p = s:parameter { "p", %s }'):format(real())
  for _ = 1, random(6) do
    lines[#lines + 1] = pick(statements)()
  end
  lines[#lines + 1] = comparison()
  if chance(15) then
    lines[#lines + 1] = pick {
      "local result = comparison:run() print(result:table(), result:csv(), result:json())",
      "comparison:run() comparison:run()", "comparison:close() comparison:run()", "comparison:advise()",
      "comparison:run { out = 'x' }",
      "vida.sweep { system = function(v) return s end, vary = { x = { 1, 2 } } }" }
  end
  lines[#lines + 1] = chance(95) and "return comparison" or "return { comparison, " .. pick(odd) .. " }"
  return lines
end

-- ---- damage ---------------------------------------------------------------------------------------

-- Replaces, removes or repeats tokens of a script.
local function damage(text)
  local tokens = {}
  for space, token in text:gmatch "(%s*)([%w_.\"]+)" do
    tokens[#tokens + 1] = space .. token
  end
  local from, to = pick(tokens):match "%S+", chance(50) and pick(odd) or pick(tokens):match "%S+"
  local at = select(2, text:gsub(from:gsub("%p", "%%%0"), ""))
  local wanted, count = random(math.max(at, 1)), 0
  return (text:gsub(from:gsub("%p", "%%%0"), function(token)
    count = count + 1
    return count == wanted and (chance(20) and "" or chance(10) and token .. " " .. token or to) or token
  end))
end

local words = { "run", "check", "advise", "methods", "audit", "plot", "report", "compare", "new",
  "completion", "--help", "--version",
  "--man", "--out", "--report", "--format", "csv", "json", "table", "--set", "a=1", "=", "--settings",
    "--only", "rattle", "--jobs",
  "2", "0", "-1", "1e300", "nan", "--wall-limit", "0.1", "--seed", "--defects", "--drift", "--shadow",
    "--plot=energy", "--quiet", "--trust",
  "--script-memory", "--script-instructions", "1e5", "--", "", "-", "--plugin", "x.so", "script.lua",
    "results",
  "results/report.json", "results/comparison.csv", "bash", "zsh", "fish", "--rtol", "1e-3", "--atol",
    "--system", "pendulum", "--option",
  "plan=general", "h", "time=0.1", "\27[2J", "%n%s", ("x"):rep(5000), "--form", "energy", "--kind", "--file",
    "out/a.svg" }

if kind == "script" then
  local text = table.concat(script(), "\n") .. "\n"
  for _ = 1, chance(50) and random(3) or 0 do
    text = damage(text)
  end
  return text
elseif kind == "arguments" then
  local list = {}
  for i = 1, random(7) do
    list[i] = pick(words)
  end
  if list[1] == "audit" or list[1] == "new" or list[1] == "completion" and chance(90) then
    list[1] = "run" -- audits take minutes, and the others do next to nothing
  end
  return table.unpack(list)
end
