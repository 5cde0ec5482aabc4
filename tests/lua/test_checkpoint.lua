-- stepper:save and vida.load: on systems with bodies, joints, many rows and dependent rows, for every method.
local check = require "check"
local vida = require "vida"

local fails = check.fails_here
local name = os.tmpname()

-- ---- systems ------------------------------------------------------------------------------------
-- So many rods that matrices are sparse.
local function chain()
  local s = vida.system { "chain", dimension = 3 }
  s:gravity { 0, 0, -9.81 }
  local last = s.ground
  for i = 1, 16 do
    local bob = s:particle { "bob " .. i, mass = 1 + 0.1 * i, position = { 0.8 * i, 0, -0.6 * i } }
    s:distance { "rod " .. i, last, bob, length = 1 }
    last = bob
  end
  return s
end

-- A door on two hinges: rows depend on each other.
local function door()
  local s = vida.system { "door", dimension = 3 }
  s:gravity { 0, 0.5, -9.81 }
  local body = s:body { "door", mass = 20, inertia = { 2, 1, 3 }, position = { 0.5, 0, 1 } }
  s:revolute { "upper", s.ground, body, at = { 0, 0, 1.5 }, axis = { 0, 0, 1 } }
  s:revolute { "lower", s.ground, body, at = { 0, 0, 0.5 }, axis = { 0, 0, 1 } }
  return s
end

-- A bead on a moving wire, with a spring of any power and drag.
local function wire()
  local s = vida.system { "wire", dimension = 2 }
  local bead = s:particle { "bead", mass = 2, position = { 1, 0 } }
  s:constraint { "wire", bead.y - 0.1 * vida.sin(3 * s.time) * bead.x }
  s:potential { "spring", 0.5 * (bead.x - 0.3) ^ 4 }
  return s
end

local function top()
  local s = vida.system { "top", dimension = 3 }
  s:gravity { 0, 0, -9.81 }
  local body = s:body { "top", mass = 1, inertia = { 0.3, 0.2, 0.1 }, position = { 0, 0, 1 },
    angular_velocity = { 1, 2, 5 } }
  return s, body
end

-- ---- every method -------------------------------------------------------------------------------
-- Histories of IDA, CVODE and ARKODE are not accessible.
local function restarts(method)
  return method:find "^ida%-" or method == "cvode-projected"
end

local function equal(a, b)
  for i = 1, #a do
    if a[i] ~= b[i] then
      return false
    end
  end
  return #a == #b
end

local compared = {}

local function compare(build, method, before)
  local s = build()
  local good, stepper = pcall(s.stepper, s, { method, h = 0.01 })
  if not good or not pcall(stepper.start, stepper) or not stepper:step(before) then
    return
  end
  stepper:save(name)
  local loaded = vida.load(name, build())
  for _ = 1, 2 do
    local here, there = stepper:step(15), loaded:step(15)
    assert(here == there, method)
  end
  assert(equal(stepper:positions(), loaded:positions()), method .. ": positions")
  assert(equal(stepper:velocities(), loaded:velocities()), method .. ": velocities")
  assert(equal(stepper:momenta(), loaded:momenta()), method .. ": momenta")
  assert(stepper:energy() == loaded:energy(), method .. ": energy")
  compared[build] = (compared[build] or 0) + 1
end

local least = { [chain] = 20, [door] = 8, [wire] = 8, [top] = 8 }
for build, count in pairs(least) do
  for _, method in ipairs(vida.methods()) do
    if not restarts(method.name) then
      compare(build, method.name, 7)
    end
  end
  assert((compared[build] or 0) >= count, "only " .. (compared[build] or 0) .. " of " .. build().name)
end

-- ---- events and contacts ------------------------------------------------------------------------
-- A stepper that is loaded in the middle of impacts, rest, sticking and sliding goes on bit for bit.
local function bounces()
  local s = vida.system { "box", dimension = 2 }
  s:gravity { 0, -9.81 }
  local ball = s:particle { "ball", mass = 2, position = { 0, 1 }, velocity = { 1, 0 } }
  s:contact { "floor", gap = ball.y, restitution = 0.5, friction = 0.1, slip = { ball.vx } }
  s:contact { "wall", gap = 1.5 - ball.x, restitution = 0.8 }
  local other = s:particle { "other", mass = 1, position = { 4, 0 }, velocity = { 3, 0 } }
  s:contact { "other floor", gap = other.y, friction = 0.3, slip = { other.vx } }
  s:coupling { "hook", other.x, unit = "m" }
  s:event { "half", s.time - 1.05, engage = "hook" }
  s:event { "passes", ball.x - 1, direction = "rising" }
  s:event { "kick", s.time - 1.6, set = { { ball.vx, -2 } }, release = "hook" }
  s:event { "end", s.time - 3.05, action = "stop" }
  return s
end
for _, case in ipairs { { "rattle", h = 0.02 }, { "del-midpoint", h = 0.02 }, { "radau", h = 0.02 },
  { "post-stabilized", h = 0.02 }, { "energy-momentum", h = 0.02 }, { "radau", h = 0.02, rtol = 1e-9 } } do
  for _, at in ipairs { 3, 24, 60, 85, 95 } do
    local s = bounces()
    local one = s:stepper(case)
    one:start()
    one:step(at)
    one:save(name)
    local other = vida.load(name, bounces())
    for part = 1, 6 do
      assert(one:time() == other:time() and one:energy() == other:energy(), case[1])
      local what = ("%s from %d, part %d"):format(case[1], at, part)
      assert(equal(one:positions(), other:positions()), what)
      assert(equal(one:velocities(), other:velocities()), what)
      one:step(9)
      other:step(9)
    end
    assert(one:step(200) and other:step(200))
    local count = #other:events()
    assert(count >= 1 and #one:events() >= count, count)
    assert(one:has_ended() and other:has_ended() and one:time() == other:time())
    assert(equal(one:positions(), other:positions()))
  end
end

-- ---- mistakes -----------------------------------------------------------------------------------
local pendulum = check.plain_pendulum()
local stepper = pendulum:stepper { "rattle", h = 0.01 }
fails("save: rattle has not been started", function() stepper:save(name) end)
stepper:start()
fails("save.file: expected the name of a file, got nothing", function() stepper:save() end)
fails("cannot be written", function() stepper:save("nowhere/a.state") end)
stepper:save(name)
fails("load.file: expected the name of a file, got 1", function() vida.load(1, pendulum) end)
fails("cannot be opened: No such file", function() vida.load("nowhere/a.state", pendulum) end)
fails("the checkpoint belongs to another system: its name is pendulum there and chain here",
  function() vida.load(name, chain()) end)
fails("", function() vida.load(name) end)
local file <close> = assert(io.open(name, "r+b"))
file:seek("set", 200)
file:write("x")
file:flush()
fails("is damaged", function() vida.load(name, pendulum) end)
stepper:close()
fails("closed stepper", function() stepper:save(name) end)
os.remove(name)
