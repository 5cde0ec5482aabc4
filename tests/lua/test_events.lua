-- Events in Lua: system:event, stepper:events, and comparisons. Expected values are closed forms.
local check = require "check"
local vida = require "vida"

local fails = check.fails_here
local e, height, g = 0.9, 1.25, 9.81
local fall = math.sqrt(2 * height / g)

-- A ball that bounces, with the events that `more` adds.
local function bouncing(more)
  local s = vida.system { "ball", dimension = 2 }
  s:gravity { 0, -g }
  local ball = s:particle { "ball", mass = 2, position = { 0, height }, velocity = { 0.5, 0 } }
  s:event { "floor", ball.y, direction = "falling", set = { { ball.vy, -e * ball.vy } } }
  if more then
    more(s, ball)
  end
  return s, ball
end

-- The times of the impacts up to `last`.
local function impacts(last)
  local times, t, part = {}, fall, 1
  while t < last do
    times[#times + 1] = t
    part = part * e
    t = t + 2 * part * fall
  end
  return times
end

-- ---- mistakes -----------------------------------------------------------------------------------
local s = vida.system { "s", dimension = 2 }
local p = s:particle { "p", mass = 1, position = { 0, 0 } }
fails("event", function() s:event() end)
fails("direction: expected \"either\" or \"rising\" or \"falling\"",
  function() s:event { "a", p.x, direction = "up" } end)
fails("action", function() s:event { "a", p.x, action = "jump" } end)
fails("set", function() s:event { "a", p.x, set = { { p.x, 1 } } } end)
fails("cannot set velocities",
  function() s:event { "a", p.x, action = "stop", set = { { p.vx, 1 } } } end)
fails("direktion", function() s:event { "a", p.x, direktion = "rising" } end)
s:event { "a", p.x }
fails("'a'", function() s:event { "a", p.y } end)

-- ---- steppers -----------------------------------------------------------------------------------
do
  local stepper = bouncing(function(system, ball)
    system:event { "wall", ball.x - 1, action = "stop" }
  end):stepper { "rattle", h = 0.03 }
  local none, count = stepper:events()
  assert(#none == 0 and count == 0 and not stepper:has_ended())
  for _ = 1, 2 do -- a second start forgets the events of the first one
    stepper:start()
    assert(stepper:step(1000))
    local events, all = stepper:events()
    local expected = impacts(2)
    assert(stepper:has_ended() and #events == all and all == #expected + 1)
    check.close(stepper:time(), 2, 1e-14)
    for i, t in ipairs(expected) do
      assert(events[i].name == "floor" and events[i].kind == "zero")
      check.close(events[i].t, t, 1e-13)
    end
    assert(events[all].name == "wall" and events[all].t == stepper:time())
    fails("ended the motion", function() stepper:step() end)
  end
  stepper:close()
end

-- ---- comparisons --------------------------------------------------------------------------------
-- The energy that impacts take is no error of a method, nor the momentum along the wall.
do
  local result = vida.compare {
    system = bouncing(), time = 3, reference = { "radau", rtol = 1e-12 },
    methods = { { "rattle", h = { 0.1, 0.01 } }, { "energy-momentum", h = 0.03 }, { "verlet", h = 0.03 },
      { "radau", h = 0.05 }, { "ida-ggl", rtol = 1e-8 } },
  }:run { quiet = true }
  local expected = impacts(3)
  for i, row in ipairs(result) do
    local events, count = result:events(i)
    local exact = row.method ~= "ida-ggl"
    assert(row.status == "ok" and row.events == #expected and count == #expected, row.message)
    for k, t in ipairs(expected) do
      check.close(events[k].t, t, exact and 1e-12 or 1e-5)
    end
    assert(row.event_error < (exact and 1e-12 or 1e-5), row.event_error)
    assert(row.energy_error < (exact and 1e-12 or 1e-4), row.energy_error)
    assert(row.momentum_error < 1e-13)
    -- e^2 of the energy of the vertical motion remains at each impact.
    local lost = 2 * g * height * (1 - e ^ (2 * #expected))
    check.close(row.energy_change, -lost, exact and 1e-11 or 1e-3)
    check.close(row.work, -lost, exact and 1e-11 or 1e-3)
  end
  fails("the number of a run", function() result:events(9) end)
end

-- A motion that an event ends: the last state is at its time, and is compared with that of the
-- reference.
do
  local result = vida.compare {
    system = bouncing(function(system, ball)
      system:event { "top", ball.vy, direction = "falling", action = "stop" }
    end),
    time = 5, norm = "end", reference = { "radau", rtol = 1e-12 },
    methods = { { "rattle", h = 0.05 }, { "energy-momentum", h = 0.01 } },
  }:run { quiet = true }
  local top = fall + e * fall
  for _, row in ipairs(result) do
    assert(row.status == "ok" and row.events == 2)
    check.close(row.t_end, top, 1e-13)
    assert(row.event_error < 1e-13 and row.position_error < 1e-13)
    assert(row.message:find("ended by event 'top' at t = 0.9591", 1, true), row.message)
  end
end

-- Another number of events has no event error, and a remark. Steps h of an oscillator of frequency 1 have
-- the frequency 2/h asin(h/2), 1.022 for h = 0.7: the fourth descent is at 19.99, not at 20.42.
do
  local plain = vida.system { "plain", dimension = 1 }
  local mass = plain:particle { "mass", mass = 1, position = { 1 } }
  plain:spring { "spring", plain.ground, mass, stiffness = 1, length = 0 }
  plain:event { "middle", mass.x, direction = "falling" }
  local function row(given)
    given.system, given.time = plain, 20.3
    given.reference, given.methods = { "radau", rtol = 1e-12, h = 0.1 }, { { "verlet", h = 0.7 } }
    return vida.compare(given):run { quiet = true }[1]
  end
  local counted = row {}
  assert(counted.events == 4 and counted.event_error == nil)
  assert(counted.message:find("the run has 4 events of 'middle', the reference 3", 1, true), counted.message)
  assert(not row { events = false }.message:find "middle")
end

-- A brake, whose power changes at an event: the work of the brake balances the energy of an exact motion.
do
  local braked = vida.system { "braked", dimension = 1 }
  local mass = braked:particle { "mass", mass = 0.5, position = { 0.2 } }
  braked:potential(2.5 * mass.x ^ 2)
  braked:rayleigh(0.05 * mass.vx ^ 2)
  braked:event { "kick", mass.x, direction = "rising", set = { { mass.vx, mass.vx + 0.3 } } }
  local row = vida.compare { system = braked, time = 10, methods = { { "radau", rtol = 1e-10, h = 0.05 } } }
    :run { quiet = true }[1]
  assert(row.events == 5 and row.energy_error < 1e-8, row.energy_error)
end

-- Events that accumulate at a time (Zeno): after the fall, the flights with half the speed last
-- 2 v / g (1/2 + 1/4 + ...). At coarse tolerances, the last of the events is a zero that the function only
-- touches.
local function drops(method, rtol, restitution)
  local dropped = vida.system { "dropped", dimension = 1 }
  dropped:gravity { -g }
  local mass = dropped:particle { "mass", mass = 1, position = { height } }
  dropped:event { "floor", mass.x, direction = "falling", set = { { mass.vx, -restitution * mass.vx } } }
  local stepper = dropped:stepper { method, h = 0.01, rtol = rtol }
  stepper:start()
  local done, message, code = stepper:step(1000)
  assert(not done and code == "CHATTERING", method)
  assert(message:find "events follow each other without end", message)
  assert(stepper:positions()[1] > -1e-3, method)
  return stepper:time(), tonumber(message:match "at t = ([%d.]+)")
end
for _, method in ipairs { "rattle", "radau" } do
  local before, at = drops(method, nil, 0.5)
  local rest = fall + 2 * fall
  assert(math.abs(at - rest) < 1e-8 and rest - before < 0.01 and before < rest, at - rest)
end
drops("ida-ggl", 1e-4, 0.5)
drops("cvode-projected", 1e-4, 0.7)
drops("ida-index2", 1e-6, 0.3)
drops("energy-momentum", nil, 0.3)
