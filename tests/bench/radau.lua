-- What a step of radau costs beside one of rattle on the same system, in turns within one run, and how
-- it grows with the number of links of a chain. `vida_bench radau` runs it.
local vida = require "vida"

local ROUNDS = 5

-- Six links at right angles and six hinges, each across the two links that it joins (Bricard 1897;
-- the benchmark of the IFToMM): five bodies with 35 coordinates, and a row that depends on others.
local function bricard()
  local s = vida.system "Bricard linkage"
  s:gravity { 0, -9.81, 0 }
  local corners = { { 0, 0, 0 }, { 1, 0, 0 }, { 1, -1, 0 }, { 1, -1, 1 }, { 0, -1, 1 }, { 0, 0, 1 } }
  local axes = { { 0, 1, 0 }, { 0, 0, 1 }, { 1, 0, 0 } }
  local bodies = {}
  for i = 1, 5 do
    local from, to, inertia, middle = corners[i], corners[i + 1], {}, {}
    for k = 1, 3 do
      inertia[k] = from[k] == to[k] and 1 / 12 or 1e-3
      middle[k] = (from[k] + to[k]) / 2
    end
    bodies[i] = s:body { "link " .. i, mass = 1, inertia = inertia, position = middle }
  end
  for i = 1, 6 do
    s:revolute { "hinge " .. i, bodies[i - 1] or s.ground, bodies[i] or s.ground, at = corners[i],
      axis = axes[(i - 1) % 3 + 1] }
  end
  return s
end

-- A shaft, a slider on it, two arms with their weights, and two links between ball joints.
local function governor()
  local s = vida.system "governor"
  s:gravity { 0, 0, -9.81 }
  local rate, far = 2 * math.pi, math.sqrt(0.5)
  local spin = { 0, 0, rate }
  local shaft = s:body { "shaft", mass = 10, inertia = { 1, 1, 1 }, position = { 0, 0, 0.5 },
    body_rates = spin }
  local slider = s:body { "slider", mass = 2, inertia = { 0.01, 0.01, 0.02 }, position = { 0, 0, 0 },
    body_rates = spin }
  s:revolute { "bearing", s.ground, shaft, at = { 0, 0, 0 }, axis = { 0, 0, 1 } }
  s:prismatic { "guide", shaft, slider, at = { 0, 0, 0 }, axis = { 0, 0, 1 } }
  for i, side in ipairs { 1, -1 } do
    local arm = s:body { "arm " .. i, mass = 3, inertia = { 0.1, 0.1, 0.1 }, body_rates = spin,
      position = { side * far, 0, 1 - far }, velocity = { 0, rate * side * far, 0 } }
    local link = s:body { "link " .. i, mass = 0.5, inertia = { 0.01, 0.01, 0.01 }, body_rates = spin,
      position = { side / 4, 0, 0.25 }, velocity = { 0, rate * side / 4, 0 } }
    s:revolute { "hinge " .. i, shaft, arm, at = { 0, 0, 1 }, axis = { 0, 1, 0 } }
    s:ball { "upper " .. i, arm, link, at = { side / 2, 0, 0.5 } }
    s:ball { "lower " .. i, link, slider, at = { 0, 0, 0 } }
  end
  s:spring { "spring", shaft:point { 0, 0, 0.5 }, slider:point { 0, 0, 0 }, stiffness = 1000, length = 1.5 }
  return s
end

-- Rods of 1 m and 1 kg, stretched out 30 degrees below the horizontal, at rest.
local function chain(links)
  local s = vida.system { "chain", dimension = 2 }
  s:gravity { 0, -9.81 }
  local last = s.ground
  for i = 1, links do
    local bob = s:particle { "bob " .. i, mass = 1, position = { i * math.cos(math.pi / 6), -i / 2 } }
    s:distance { "rod " .. i, last, bob, length = 1 }
    last = bob
  end
  return s
end

local function median(list)
  table.sort(list)
  return (list[(#list + 1) // 2] + list[#list // 2 + 1]) / 2
end

-- Microseconds per step of each method, median of the rounds, in which they take turns.
local function measure(system, methods, h, steps)
  local steppers, times = {}, {}
  for i, method in ipairs(methods) do
    steppers[i], times[i] = system:stepper { method, h = h }, {}
  end
  for round = 1, ROUNDS do
    for i, stepper in ipairs(steppers) do
      stepper:start()
      local before = os.clock()
      assert(stepper:step(steps))
      times[i][round] = (os.clock() - before) / steps * 1e6
    end
  end
  for i in ipairs(methods) do
    times[i] = median(times[i])
  end
  return table.unpack(times)
end

print(("\nradau beside rattle, us/step, median of %d rounds in turns"):format(ROUNDS))
print(("  %-20s %8s %10s %10s %8s"):format("system", "h, s", "radau", "rattle", "ratio"))
for _, case in ipairs { { bricard(), 0.01, 50 }, { governor(), 0.005, 50 }, { chain(60), 0.01, 50 } } do
  local system, h, steps = table.unpack(case)
  local radau, rattle = measure(system, { "radau", "rattle" }, h, steps)
  local ratio = radau / rattle
  print(("  %-20s %8g %10.1f %10.1f %6.1f x"):format(system.name, h, radau, rattle, ratio))
end
local short = measure(chain(100), { "radau" }, 1e-3, 50)
local long = measure(chain(1000), { "radau" }, 1e-3, 50)
print(("  chain of 1000 links: %.1f times 100 links"):format(long / short))
