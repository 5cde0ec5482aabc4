-- Refusals name only methods that accept this very system: each method that a message lists is tried.
local vida = require "vida"

local known = {}
for _, method in ipairs(vida.methods()) do
  known[method.name] = true
end

-- Makes some steps; returns the message of a refusal, or nil.
local function try(make, method)
  local system = make()
  local made, why = pcall(function()
    local stepper = system:stepper { method, h = 0.01 }
    stepper:start()
    local moved, reason = stepper:step(3)
    if not moved then
      error(reason)
    end
  end)
  return not made and why or nil
end

-- Returns the names of methods in a text; those of other methods that contain them are not meant.
local function names_in(text)
  local names = {}
  for word in text:gmatch "[%w%-]+" do
    if known[word] then
      names[#names + 1] = word
    end
  end
  return names
end

-- ---- systems of many kinds ---------------------------------------------------------------------------
local systems = {}

local function add(name, dimension, build)
  systems[#systems + 1] = { name = name, make = function()
    local s = vida.system { name, dimension = dimension }
    build(s)
    return s
  end }
end

local function ball_of(s, friction, place)
  local body = s:body { "ball", mass = 1, inertia = { 0.1, 0.1, 0.1 }, position = { 0, 0, place } }
  s:gravity { 0, 0, -9.81 }
  s:plane_contact { "floor", body, radius = 0.5, friction = friction }
  return body
end

local function disc(s, slip)
  local x, vx = s:coordinate { "x", unit = "m", value = 0, rate = 0.2 }
  local z, vz = s:coordinate { "z", unit = "m", value = 0.5, rate = 0 }
  local a, turn = s:coordinate { "angle", value = 0, rate = -0.4 }
  s:kinetic(0.5 * (vx ^ 2 + vz ^ 2) + 0.05 * turn ^ 2)
  s:potential(9.81 * z)
  s:contact { "floor", gap = z - 0.5, friction = 0.5, slip = slip(vx, turn, a, x) }
end

add("bead on a rough curve", 2, function(s)
  s:gravity { 0, -9.81 }
  local bead = s:particle { "bead", mass = 1, position = { 1, 1 } }
  s:curve_contact { "curve", s.ground, bead, friction = 0.3, curve = function(x, y) return y - x ^ 2 end }
end)
add("ball on a rough floor", 3, function(s) ball_of(s, 0.3, 0.5) end)
add("ball above a rough floor", 3, function(s) ball_of(s, 0.3, 5) end)
add("ball above a smooth floor", 3, function(s) ball_of(s, 0, 5) end)
add("ball on a smooth floor", 3, function(s) ball_of(s, 0, 0.5) end)
add("disc that sticks", 2, function(s)
  disc(s, function(vx, turn, a) return vx + 0.5 * turn * (1 + 0.1 * vida.sin(a)) end)
end)
add("disc that keeps its place", 2, function(s)
  disc(s, function(vx, turn) return vx + 0.5 * turn end)
end)
add("disc that slides", 2, function(s)
  disc(s, function(vx, turn) return vx + 0.5 * turn + 3 end)
end)
add("disc and a skate", 2, function(s)
  disc(s, function(vx, turn) return vx + 0.5 * turn + 3 end)
  local y, vy = s:coordinate { "y", value = 0, rate = 1 }
  local w, vw = s:coordinate { "w", value = 0, rate = 0 }
  s:kinetic(0.5 * vy ^ 2 + 0.5 * vw ^ 2)
  s:nonholonomic { "skate", vw * vida.cos(y) - vy * vida.sin(y) + 0 * w }
end)
add("coupled wheels", 2, function(s)
  local a = s:body { "a", mass = 1, inertia = 1, angular_velocity = 1 }
  local b = s:body { "b", mass = 1, inertia = 1, position = { 3, 0 } }
  s:coupling { "clutch", a.angle - b.angle, unit = "rad", engaged = true }
end)
add("pendulum", 2, function(s)
  s:gravity { 0, -9.81 }
  local bob = s:particle { "bob", mass = 1, position = { 1, 0 } }
  s:distance { "rod", s.ground, bob, length = 1 }
end)
add("pendulum that is driven and damped", 2, function(s)
  s:gravity { 0, -9.81 }
  local bob = s:particle { "bob", mass = 1, position = { 1, 0 } }
  s:constraint { "rod", bob.x ^ 2 + bob.y ^ 2 - (1 + 0.1 * vida.sin(s.time)) ^ 2 }
  s:rayleigh(0.1 * bob.vx ^ 2)
end)
add("knife edge", 2, function(s)
  local skate = s:body { "skate", mass = 1, inertia = 0.1, velocity = { 1, 0 }, angular_velocity = 1 }
  s:knife_edge { "edge", skate, direction = { 1, 0 } }
end)

local refusals, tried = 0, 0
for _, system in ipairs(systems) do
  local built, why = pcall(system.make)
  assert(built, why)
  local works = {}
  for name in pairs(known) do
    works[name] = { message = try(system.make, name) }
  end
  for name, result in pairs(works) do
    local message = result.message
    if message then
      refusals = refusals + 1
      local lists = {}
      for part in message:gmatch "these can: ([^;]*)" do
        lists[#lists + 1] = part
      end
      for part in message:gmatch "; ([^;]*) take contacts without" do
        lists[#lists + 1] = part
      end
      for part in message:gmatch "; ([^;]*) take any number of contacts" do
        lists[#lists + 1] = part
      end
      for _, list in ipairs(lists) do
        for _, other in ipairs(names_in(list)) do
          tried = tried + 1
          assert(not works[other].message, ("%s: %s: %s\nbut %s: %s"):format(system.name, name, message,
            other, works[other].message))
        end
      end
    end
  end
end
assert(refusals > 50 and tried > 200, ("%d refusals, %d names"):format(refusals, tried))

-- ---- what makes a mode of another kind -------------------------------------------------------------------
local function refusal(index, method)
  local message = try(systems[index].make, method)
  assert(message, "no refusal")
  return message
end
local function demand(text, part)
  assert(text:find(part, 1, true), text)
end
for index, system in ipairs(systems) do
  if system.name == "disc that sticks" then
    local text = refusal(index, "rattle")
    demand(text, "this is the mode after contact 'floor' at t = 0, where sticking of 'floor' is a "
      .. "nonholonomic constraint")
    demand(text, "moreau-jean and spook take contacts without modes; 'vida advise' lists methods that take "
      .. "all modes")
  elseif system.name == "disc that slides" then
    demand(refusal(index, "rattle-variable"),
      "sliding of 'floor' causes a force that depends on the multiplier")
  end
end

-- ---- a contact that closes later in a way that the method does not accept ------------------------------
-- The step fails as others do: it returns the reason, and does not move.
local late = 0
for name in pairs(known) do
  local s = vida.system { "disc", dimension = 2 }
  local _, vx = s:coordinate { "x", unit = "m", value = 0, rate = 0.2 }
  local z, vz = s:coordinate { "z", unit = "m", value = 0.6, rate = 0 }
  local a, turn = s:coordinate { "angle", value = 0, rate = -0.4 }
  s:kinetic(0.5 * (vx ^ 2 + vz ^ 2) + 0.05 * turn ^ 2)
  s:potential(9.81 * z)
  s:contact { "floor", gap = z - 0.5, friction = 0.5, slip = vx + 0.5 * turn * (1 + 0.1 * vida.sin(a)) }
  local accepted, stepper = pcall(s.stepper, s, { name, h = 0.01 })
  if accepted and pcall(stepper.start, stepper) then
    local made, why, flag = stepper:step(30)
    if not made then
      late = late + 1
      assert(flag == "NOT_SUPPORTED" and why:find("this is the mode after contact 'floor'", 1, true), why)
      -- It falls 0.1 m until t = sqrt(0.2 / g) = 0.1428; with methods of first order, until then +- h.
      local t = stepper:time()
      assert(math.abs(t - 0.14) < 0.011 and stepper:positions()[2] > 0.5, name)
      local again, repeated = stepper:step()
      assert(not again and repeated == why and stepper:time() == t, repeated)
    end
  end
end
assert(late > 10, late)
