-- Impacts that accumulate where a body comes to rest, with methods that choose their own steps: flights
-- below the tolerance are followed as well as higher ones, and end where the sum of all flights ends.
local check = require "check"
local vida = require "vida"

local g = 9.81
local eps = 2.0 ^ -52

local explicit = { "post-stabilized", "coordinate-projection", "half-explicit", "extrapolation",
  "coordinate-partitioning", "radau", "stabilized-ode", "baumgarte" }
local multistep = { "cvode-projected", "ida-ggl", "ida-index3", "ida-index2", "ida-index1", "ida-projected" }

-- A ball falls from one metre above a floor. The flights after the first impact, at t1 = sqrt(2 / g), last
-- 2 t1 e^k, and all end at t1 (1 + 2 e / (1 - e)). Flights shorter than about 64 eps of the time are none.
-- The errors of methods of several steps, which restart at order 1, are those of a flight whose height is
-- the tolerance of the gap; the others are exact in a constant field, but for rounding of the gap.
local function fall(name, rtol, floor, h, e)
  local t1 = math.sqrt(2 / g)
  local rest = t1 * (1 + 2 * e / (1 - e))
  local s = vida.system { "ball" }
  local y, v = s:coordinate { "y", unit = "m", value = floor + 1 }
  s:lagrangian(0.5 * v ^ 2 - g * y)
  s:contact { "floor", gap = y - floor, restitution = e }
  local stepper = s:stepper { name, h = h, rtol = rtol }
  stepper:start()
  assert(stepper:step(math.ceil((rest + 0.1) / h)))
  local events = stepper:events()
  local last = events[#events]
  return last.kind, last.t - rest, #events - math.log(64 * eps) / math.log(e)
end
for _, list in ipairs { explicit, multistep } do
  for _, name in ipairs(list) do
    for _, rtol in ipairs { 1e-4, 1e-6, 1e-8, 1e-10 } do
      for _, floor in ipairs { 0, -1, 1000 } do
        for _, h in ipairs { 1, 0.01 } do
          for _, e in ipairs { 0.3, 0.5 } do
            local kind, late, more = fall(name, rtol, floor, h, e)
            local what = ("%s, rtol = %g, floor = %g, h = %g, e = %g"):format(name, rtol, floor, h, e)
            local size = math.max(1, math.abs(floor))
            local by_rounding = 4 * math.sqrt(8 * 16 * eps * size / g) / (1 - e)
            local by_tolerance = list == multistep and math.sqrt(8 * rtol * size / g) or 0
            assert(kind == "rest", what)
            assert(math.abs(late) <= by_rounding + by_tolerance, ("%s: %g s late"):format(what, late))
            assert(more <= 4, ("%s: %g events more than flights"):format(what, more))
          end
        end
      end
    end
  end
end

-- Two balls above each other on a floor, and a ball on a table that moves, with methods whose flights are
-- exact: the times of rest are those of a symplectic method with small steps.
local function two()
  local s = vida.system { "two" }
  local y, v = s:coordinate { "y", unit = "m", value = 1 }
  local z, w = s:coordinate { "z", unit = "m", value = 2.1 }
  s:lagrangian(0.5 * (v ^ 2 + w ^ 2) - g * (y + z))
  s:contact { "floor", gap = y, restitution = 0.3 }
  s:contact { "balls", gap = z - y - 0.1, restitution = 0.3 }
  return s
end
local function moving_table()
  local s = vida.system { "table" }
  local y, v = s:coordinate { "y", unit = "m", value = 1 }
  s:lagrangian(0.5 * v ^ 2 - g * y)
  s:contact { "floor", gap = y - 0.02 * vida.sin(7 * s.time), restitution = 0.4 }
  return s
end
local function last_rest(system, options)
  local stepper = system:stepper(options)
  stepper:start()
  assert(stepper:step(math.floor(2 / options.h + 0.5)))
  local events = stepper:events()
  assert(events[#events].kind == "rest", options[1])
  return events[#events].t
end
for _, make in ipairs { two, moving_table } do
  local exact = last_rest(make(), { "rattle", h = 1e-3 })
  for _, name in ipairs(explicit) do
    check.close(last_rest(make(), { name, h = 0.01, rtol = 1e-7 }), exact, 1e-6)
  end
end

-- A body beside a fast oscillator of period 6 ms: the flights are only followed where that is accurate.
-- The elastic energy of the oscillator, which nothing couples to the ball, stays what it is.
for _, name in ipairs { "post-stabilized", "half-explicit", "cvode-projected", "ida-ggl" } do
  local s = vida.system { "beside" }
  local y, v = s:coordinate { "y", unit = "m", value = 1 }
  local x, u = s:coordinate { "x", unit = "m", value = 0.1 }
  s:lagrangian(0.5 * v ^ 2 - g * y + 0.5 * u ^ 2 - 0.5e6 * x ^ 2)
  s:contact { "floor", gap = y, restitution = 0.5 }
  local stepper = s:stepper { name, h = 0.01, rtol = 1e-9 }
  stepper:start()
  assert(stepper:step(150))
  local place, speed = stepper:positions()[2], stepper:velocities()[2]
  check.close(0.5 * speed ^ 2 + 0.5e6 * place ^ 2, 0.5e4, 0.5e4 * 1e-3)
  check.close(place, 0.1 * math.cos(1500), 2e-3)
  local events = stepper:events()
  assert(events[#events].kind == "rest")
  check.close(events[#events].t, 3 * math.sqrt(2 / g), 1e-4)
end

-- A force that grows with time lifts a block from a floor when it reaches the weight, at t = g / 20: the
-- gap 20 (t - g / 20)^3 / 6 is for long below the error of the method, and the contact stays open.
for _, name in ipairs { "post-stabilized", "coordinate-projection", "half-explicit", "extrapolation",
  "coordinate-partitioning", "cvode-projected", "ida-ggl", "ida-projected" } do
  for _, rtol in ipairs { 1e-4, 1e-6, 1e-8 } do
    local s = vida.system { "lift" }
    local y, v = s:coordinate { "y", unit = "m", value = 0 }
    local _, u = s:coordinate { "x", unit = "m", value = 5, rate = 1 }
    s:lagrangian(0.5 * (v ^ 2 + u ^ 2) - g * y)
    s:force(y, 20 * s.time)
    s:contact { "floor", gap = y, restitution = 0.5 }
    local stepper = s:stepper { name, h = 0.01, rtol = rtol }
    stepper:start()
    assert(stepper:step(100))
    local events = stepper:events()
    assert(#events == 1 and events[1].kind == "release", name)
    check.close(events[1].t, g / 20, 1e-9)
    check.close(stepper:positions()[1], 20 * (1 - g / 20) ^ 3 / 6, 100 * rtol)
    check.close(stepper:positions()[2], 5 + 1, 100 * rtol)
  end
end

-- A bar on a hinge falls on a stop and comes to rest there, held in all directions: accelerations and
-- velocities are rounding, and no measure of errors. It stays at the angle of the stop. The time of rest is
-- that of a symplectic method; the hinge of `stabilized-ode` has rates that drift.
local function bar(dimension, e, aside, angle)
  local s = vida.system { "bar", dimension = dimension }
  if dimension == 2 then
    s:gravity { -aside, -g }
    local b = s:body { "bar", mass = 1, inertia = 0.1, position = { 0.5, 0 }, angle = 0 }
    s:revolute { "hinge", s.ground, b, at = { 0, 0 }, limit = { -angle, 0.1 }, restitution = e }
  else
    s:gravity { -aside, 0, -g }
    local b = s:body { "bar", mass = 1, inertia = { 0.1, 0.1, 0.1 }, position = { 0.5, 0, 0 } }
    s:revolute { "hinge", s.ground, b, at = { 0, 0, 0 }, axis = { 0, 1, 0 }, limit = { -0.1, angle },
      restitution = e }
  end
  return s
end
for _, case in ipairs { { 2, 0, 3, 1.2 }, { 2, 0.5, 3, 1.2 }, { 2, 0, 0, 1 }, { 2, 0.3, 0, 1 },
  { 3, 0, 3, 1.2 }, { 3, 0.5, 3, 1.2 } } do
  local dimension, e, _, angle = table.unpack(case)
  local exact = last_rest(bar(table.unpack(case)), { "rattle", h = 1e-3 })
  for _, name in ipairs { "extrapolation", "half-explicit", "post-stabilized", "coordinate-projection",
    "coordinate-partitioning", "stabilized-ode", "baumgarte" } do
    for _, rtol in ipairs { 1e-5, 1e-7, 1e-9 } do
      local s = bar(table.unpack(case))
      local stepper = s:stepper { name, h = 0.01, rtol = rtol }
      stepper:start()
      local good, message = stepper:step(200)
      local what = ("%s, %d dimensions, e = %g, rtol = %g: "):format(name, dimension, e, rtol)
      assert(good, what .. tostring(message))
      local events = stepper:events()
      assert(events[#events].kind == "rest", what)
      check.close(events[#events].t, exact, 1e-5 + 100 * rtol)
      local drifts = name == "stabilized-ode" or name == "baumgarte"
      local q, drift = stepper:positions(), drifts and 10 * rtol or 1e-9
      check.close(q[1], 0.5 * math.cos(angle), 1e-9 + drift)
      check.close(q[dimension], -0.5 * math.sin(angle), 1e-9 + drift)
    end
  end
end
