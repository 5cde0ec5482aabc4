-- Refusals name the methods that can take the system: all that are named can, whole names are named,
-- and those that are only counted are as many as there are.
local vida = require "vida"
local check = require "check"

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

local function check_lists(make, lists_wanted)
  local lists, able, answers = 0, {}, {}
  for _, method in ipairs(vida.methods()) do
    answers[method.name] = attempt(make, method.name)
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
  assert(lists >= lists_wanted, ("%d lists"):format(lists))
  return answers
end

local answers = check_lists(magnetic, 8)
for _, name in ipairs { "verlet", "lgvi", "simo-wong", "average-vector-field", "itoh-abe", "chorin",
  "energy-momentum-projected" } do
  assert(answers[name]:find("these can: ", 1, true), name .. answers[name])
end
answers = check_lists(singular, 5)
for _, name in ipairs { "symplectic-euler", "energy-momentum", "average-vector-field" } do
  assert(answers[name]:find("no other method can", 1, true), name .. answers[name])
end
check_lists(coupled, 3)
answers = check_lists(function() return edge(0) end, 8)
assert(not answers.verlet:find("rattle", 1, true), answers.verlet)
check_lists(function() return edge(0.3) end, 8)
answers = check_lists(driven, 3)
for name, message in pairs(answers) do
  assert(message == "" or message:find("these can: ", 1, true) or name == "del-chart", message)
end
check_lists(body, 5)
check_lists(cubic, 5)
check_lists(damped, 5)
check_lists(check.pendulum, 3)

-- Of a composition, the base refuses; and a refusal of options has no list.
local refusal = check.fails("compose: lgvi takes rigid bodies",
  function() magnetic():stepper { "compose", base = "lgvi", h = step } end)
assert(refusal:find("these can: del-midpoint", 1, true), refusal)
refusal = check.fails("add damping, or set projection = velocity",
  function() cubic():stepper { "generalized-alpha", rho = 1, h = step } end)
assert(not refusal:find("these can", 1, true), refusal)

print "ok"
