-- Refusals name the methods that can take the system: all that are named can, whole names are named,
-- and those that are only counted are as many as there are.
local vida = require "vida"
local check = require "check"
local takers = require "takers"

local step = 0.05

local function magnetic()
  local s = vida.system { "magnetic", dimension = 2 }
  local p = s:particle { "p", mass = 1, position = { 1, 0 }, velocity = { 0, 1 } }
  s:lagrangian { "field", p.x * p.velocity.y }
  return s
end

-- Only x + y has a mass.
local function singular()
  local s = vida.system "singular"
  local x, vx = s:coordinate { "x", value = 0.3, rate = 0.1 }
  local y, vy = s:coordinate { "y", value = 0.1, rate = 0.2 }
  s:kinetic { "T", (vx + vy) ^ 2 / 2 }
  s:potential { "V", x ^ 2 + y ^ 2 }
  return s
end

local function coupled()
  local s = vida.system "coupled"
  local x, vx = s:coordinate { "x", value = 0.3, rate = 0.1 }
  local y, vy = s:coordinate { "y", value = 0.1, rate = 0.2 }
  s:kinetic { "T", vx ^ 2 + vx * vy + vy ^ 2 }
  s:potential { "V", x ^ 2 + y ^ 2 }
  return s
end

local function edge(more)
  local s = vida.system "edge"
  local x, vx = s:coordinate { "x", value = 0, rate = 0 }
  local _, vy = s:coordinate { "y", value = 0, rate = 0 }
  local phi, omega = s:coordinate { "phi", value = 0, rate = 1.3 }
  s:lagrangian((vx ^ 2 + vy ^ 2) / 2 + omega ^ 2 / 2 + x + more * x * vy)
  s:nonholonomic { "edge", vida.sin(phi) * vx - vida.cos(phi) * vy }
  return s
end

local function driven()
  local s = vida.system { "driven", dimension = 2 }
  local p = s:particle { "p", mass = 1, position = { 1, 0 }, velocity = { 0, 1 } }
  s:constraint { "wall", p.x - 1 - 0.1 * (1 - vida.cos(s.time)) }
  return s
end

local function body()
  local s = vida.system "body"
  s:body { "top", mass = 1, inertia = { 1, 2, 3 }, position = { 0, 0, 0 }, body_rates = { 0.1, 1, 0 } }
  return s
end

local function cubic()
  local s = vida.system { "cubic", dimension = 2 }
  local p = s:particle { "p", mass = 1, position = { 0.5, 0.125 }, velocity = { 1, 0.75 } }
  s:constraint { "curve", p.y - p.x ^ 3 }
  return s
end

local function damped()
  local s = vida.system { "damped", dimension = 1 }
  local p = s:particle { "p", mass = 1, position = { 1 } }
  s:force(p.x, -p.velocity.x)
  return s
end

local function attempt(make, method)
  local good, message = pcall(function() make():stepper({ method, h = step }):start() end)
  return good and "" or message
end

local function split(list)
  local names = {}
  local text, more = list:match("^(.*) and (%d+) more$")
  for name in (text or list):gmatch("[%w%-]+") do
    names[#names + 1] = name
  end
  return names, tonumber(more or 0)
end

-- What says why itself, without a list: the system has to be changed for it.
local function is_mistake(message)
  return message:find("del-chart needs a chart", 1, true)
    or message:find("is singular at the start", 1, true)
    or message:find("Jacobian", 1, true)
end

-- Of a system with these properties (takers.lua); nil: no method can take it.
local function check_lists(make, properties)
  local lists, able, answers = 0, {}, {}
  for _, method in ipairs(vida.methods()) do
    answers[method.name] = attempt(make, method.name)
    if properties then
      takers.demand(properties, method.name, answers[method.name] == "", answers[method.name])
    else
      assert(answers[method.name] ~= "", method.name .. " takes it")
    end
    able[#able + 1] = answers[method.name] == "" and method.name or nil
  end
  for name, message in pairs(answers) do
    local list = message:match("; these can: (.*)$")
    if list then
      lists = lists + 1
      local names, more = split(list)
      assert(#names >= 3 or more == 0, message)
      for _, other in ipairs(names) do
        assert(answers[other] == "", ("%s names '%s', which says: %s"):format(name, other,
          tostring(answers[other])))
      end
      assert(#names + more == #able, message .. "; " .. #able .. " can")
    elseif message:find("no other method can", 1, true) then
      lists = lists + 1
      assert(#able == 0, message)
    else
      assert(message == "" or #able == 0 or is_mistake(message), name .. ": " .. message)
    end
  end
  assert(lists > 0, "no list")
  return answers
end

local answers = check_lists(magnetic, { "general Lagrangian", "no free bodies", "no chart" })
for _, name in ipairs { "verlet", "lgvi", "rotation-splitting", "simo-wong", "average-vector-field",
  "itoh-abe", "chorin", "energy-momentum-projected" } do
  assert(answers[name]:find("these can: ", 1, true), name .. answers[name])
end
answers = check_lists(singular)
for _, name in ipairs { "symplectic-euler", "energy-momentum", "average-vector-field" } do
  assert(answers[name]:find("no other method can", 1, true), name .. answers[name])
end
check_lists(coupled, { "coupled masses", "several coordinates", "no free bodies", "no chart" })
local edged = { "constraints", "nonholonomic", "no free bodies", "no chart" }
answers = check_lists(function() return edge(0) end, edged)
assert(not answers.verlet:find("rattle", 1, true), answers.verlet)
check_lists(function() return edge(0.3) end, edged)
answers = check_lists(driven, { "constraints", "driven constraint", "no free bodies", "no chart" })
for name, message in pairs(answers) do
  assert(message == "" or message:find("these can: ", 1, true) or name == "del-chart", message)
end
check_lists(body, { "constraints", "orientations", "no chart" }) -- a quaternion has length 1
check_lists(cubic, { "constraints", "curve", "no free bodies", "no chart" })
check_lists(damped, { "drag", "no free bodies", "no chart" })
check_lists(check.pendulum, { "constraints", "no free bodies" })

-- Of a composition, the base refuses; and a refusal of options has no list.
local refusal = check.fails("compose: lgvi accepts rigid bodies",
  function() magnetic():stepper { "compose", base = "lgvi", h = step } end)
assert(refusal:find("these can: del-midpoint", 1, true), refusal)
refusal = check.fails("add damping, or set projection = velocity",
  function() cubic():stepper { "generalized-alpha", rho = 1, h = step } end)
assert(not refusal:find("these can", 1, true), refusal)

-- Of a large system, steppers of all methods would take minutes.
local long = vida.system { "long chain", dimension = 3 }
local last = long.ground
for i = 1, 200 do
  local link = long:particle { "p" .. i, mass = 1, position = { i, 0, 0 } }
  long:distance { "r" .. i, last, link, length = 1 }
  last = link
end
check.fails("not 'r1' of system 'long chain'; 'vida advise' lists methods that do",
  function() long:stepper { "verlet", h = step } end)

print "ok"
