-- What only watches a motion does not change it: events that are recorded, and contacts that are never
-- touched. Positions, velocities and messages of failed steps are compared, to the last bit, with those of
-- the same system without them, for every method.
local vida = require "vida"

local systems = {}

-- A chain that is released from the horizontal: its end whips. Returns functions to watch.
local function chain(links)
  return function()
    local s = vida.system { "chain", dimension = 2 }
    s:gravity { 0, -9.81 }
    local before, last = s.ground, nil
    for i = 1, links do
      last = s:particle { "p" .. i, mass = 1 / i, position = { 0.1 * i, i == links and 0.02 or 0 } }
      s:distance { "r" .. i, before, last, length = i == links and math.sqrt(0.0104) or 0.1 }
      before = last
    end
    return s, { last.x - 0.3, last.vx, last.y }, last.y + 100
  end
end
systems["chain of 3"] = chain(3)
systems["whip"] = chain(5)

systems["oscillator"] = function()
  local s = vida.system "oscillator"
  local x, v = s:coordinate { "x", value = 1, rate = 0.3 }
  s:lagrangian(0.5 * v ^ 2 - 0.5 * x ^ 2 - 0.1 * x ^ 4)
  return s, { x - 0.3, v }, x + 100
end

systems["spinning body"] = function()
  local s = vida.system "spinning body"
  local b = s:body { "b", mass = 1, inertia = { 1, 2, 3 }, position = { 0, 0, 0 }, velocity = { 1, 0, 0 },
    angular_velocity = { 1, 0.01, 2 } }
  return s, { b.position[1] - 0.3, b.position[1] - 0.5 }, b.position[1] + 100
end

systems["plane bodies"] = function()
  local s = vida.system { "plane bodies", dimension = 2 }
  s:gravity { 0, -9.81 }
  local a = s:body { "a", mass = 1, inertia = 0.1, position = { 0.5, 0 } }
  local b = s:body { "b", mass = 0.1, inertia = 0.01, position = { 1.5, 0 } }
  s:revolute { "hinge", s.ground, a, at = { 0, 0 } }
  s:revolute { "elbow", a, b, at = { 1, 0 } }
  return s, { b.position[1] - 0.3, b.velocity[1] }, b.position[2] + 100
end

systems["blade"] = function()
  local s = vida.system { "blade", dimension = 2 }
  local b = s:body { "b", mass = 1, inertia = 0.3, position = { 0, 0 }, velocity = { 1, 0 },
    angular_velocity = 0.9 }
  s:knife_edge { "edge", b, direction = { 1, 0 } }
  return s, { b.position[1] - 0.3 }, b.position[1] + 100
end

-- With impacts: some functions vanish together with a gap.
systems["two balls"] = function()
  local s = vida.system { "two balls", dimension = 2 }
  s:gravity { 3, -9.81 }
  local a = s:particle { "a", mass = 1, position = { 0, 0 }, velocity = { -1, 0 } }
  local b = s:particle { "b", mass = 1, position = { 0.5, 1 } }
  s:spring { "k", a, b, stiffness = 30, length = 1 }
  s:contact { "floor of a", gap = a.y, restitution = 0.5, friction = 0.4, slip = a.vx }
  s:contact { "floor of b", gap = b.y, restitution = 0.5, friction = 0.4, slip = b.vx }
  return s, { a.x + 0.03, a.vx, b.vy, b.y }, b.y + 100
end

systems["pendulum at a wall"] = function()
  local s = vida.system { "pendulum at a wall", dimension = 2 }
  s:gravity { 0, -9.81 }
  local a = s:particle { "a", mass = 1, position = { 1, 0 } }
  local b = s:particle { "b", mass = 1, position = { 2, 0 } }
  s:distance { "upper", s.ground, a, length = 1 }
  s:distance { "lower", a, b, length = 1 }
  s:contact { "wall", gap = a.x + 0.2, restitution = 0.5 }
  return s, { b.x - 0.3, b.vx, a.x + 0.2 }, b.y + 100
end

local additions = {
  ["recorded events"] = function(s, functions)
    for i, value in ipairs(functions) do
      s:event { "event " .. i, value, direction = i == 3 and "falling" or "either" }
    end
  end,
  ["a contact that is never touched"] = function(s, _, gap)
    s:contact { "far", gap = gap, restitution = 0.5 }
  end,
}

local function bits(list)
  local text = {}
  for i, value in ipairs(list) do
    text[i] = ("%a"):format(value)
  end
  return table.concat(text, " ")
end

-- Returns the states at the nodes, the last one perhaps a message, and the number of events; or nil and
-- the reason of a refusal. `each`: steps that are asked for at once.
local function run(make, add, options, steps, each)
  local s, functions, gap = make()
  if add then
    add(s, functions, gap)
  end
  local good, stepper = pcall(s.stepper, s, options)
  if good then
    good = pcall(stepper.start, stepper)
  end
  if not good then
    return nil, stepper
  end
  local states = {}
  for k = each, steps, each do
    local called, made, message = pcall(stepper.step, stepper, each)
    states[#states + 1] = ("%a: %s; %s"):format(stepper:time(), bits(stepper:positions()),
      bits(stepper:velocities()))
    if not called or not made then
      states[#states + 1] = "step " .. k .. ": " .. tostring(called and message or made)
      break
    end
  end
  local _, count = stepper:events()
  stepper:close()
  return states, count
end

local function variants(method)
  local list = { { method.name, h = 0.02 } }
  for _, row in ipairs(method.options) do
    if row.name == "rtol" then
      list[#list + 1] = { method.name, h = 0.02, rtol = 1e-6 }
    end
  end
  return list
end

local compared = 0
for name, make in pairs(systems) do
  local is_touched = name == "two balls" or name == "pendulum at a wall"
  for _, method in ipairs(vida.methods()) do
    for _, options in ipairs(variants(method)) do
      local steps = 72
      local alone = run(make, nil, options, steps, 1)
      for what, add in pairs(additions) do
        local states, count = run(make, add, options, steps, 1)
        if alone and (states or what == "recorded events") then
          local place = ("%s, %s with rtol = %s, %s"):format(name, method.name, tostring(options.rtol), what)
          assert(states, place .. ": " .. tostring(count))
          assert(what ~= "recorded events" or count > 0 or #states < steps, place .. ": no event")
          assert(#states == #alone, place .. ": " .. states[#states] .. "\n" .. alone[#alone])
          for k, state in ipairs(alone) do
            assert(states[k] == state, place .. ":\n" .. states[k] .. "\n" .. state)
          end
          compared = compared + 1
        end
      end
      -- Many steps at once are the same as one after the other.
      if alone and #alone == steps and (is_touched or name == "whip") then
        local add = not is_touched and additions["recorded events"] or nil
        local states = run(make, add, options, steps, 24)
        assert(#states == 3 and states[1] == alone[24] and states[3] == alone[72],
          name .. ", " .. method.name)
      end
    end
  end
end
assert(compared > 600, compared)
