-- Steps of long chains that neither Newton's method nor a line search solves: compressed links give way to
-- alternating sides. The equations are those of Gonzalez 1999 (eq. 21 and 33-34), written out for distances.
local check = require "check"
local vida = require "vida"

local gravity = 9.81

-- A chain of links of 1 m from the ground along `direction`; mass(i) (kg), and sideways velocities speed(i).
local function chain(count, dimension, direction, mass, speed)
  local s = vida.system { "chain", dimension = dimension }
  local last = s.ground
  s:gravity(dimension == 2 and { 0, -gravity } or { 0, 0, -gravity })
  for i = 1, count do
    local position, velocity = {}, {}
    for k = 1, dimension do
      position[k] = i * direction[k]
      velocity[k] = direction[k] == 0 and k <= 2 and speed(i) or 0
    end
    local p = s:particle { "p" .. i, mass = mass(i), position = position, velocity = velocity }
    s:distance { "d" .. i, last, p, length = 1 }
    last = p
  end
  return s
end

-- The state of a stepper, by particles.
local function state_of(stepper)
  return { q = stepper:positions(), v = stepper:velocities(), energy = stepper:energy() }
end

-- Link i of a state, from particle i - 1 to particle i.
local function link_of(state, i, dimension)
  local d = {}
  for k = 1, dimension do
    local at = (i - 1) * dimension + k
    d[k] = state.q[at] - (i > 1 and state.q[at - dimension] or 0)
  end
  return d
end

local function dot(a, b)
  local sum = 0
  for k = 1, #a do
    sum = sum + a[k] * b[k]
  end
  return sum
end

-- The sum over all particles behind link i of what changed their momenta, apart from gravity, is the impulse
-- of the link: along the mean of the link at both ends of the step.
local function check_impulses(before, after, count, dimension, mass, h)
  local impulse, across, largest = {}, 0, 0
  for k = 1, dimension do
    impulse[k] = 0
  end
  for i = count, 1, -1 do
    for k = 1, dimension do
      local at = (i - 1) * dimension + k
      local weight = k == dimension and gravity or 0
      impulse[k] = impulse[k] + mass(i) * (after.v[at] - before.v[at] + h * weight)
    end
    local from, to, mean = link_of(before, i, dimension), link_of(after, i, dimension), {}
    for k = 1, dimension do
      mean[k] = 0.5 * (from[k] + to[k])
    end
    local along = dot(impulse, mean) / dot(mean, mean)
    largest = math.max(largest, math.abs(along))
    for k = 1, dimension do
      across = math.max(across, math.abs(impulse[k] - along * mean[k]))
    end
  end
  assert(across < 1e-13 * largest, ("impulses of %g N s leave their links by %g"):format(largest, across))
end

-- Velocities are those of the mean, and links keep their length.
local function check_positions(before, after, count, dimension, h)
  local off, fastest, longer = 0, 0, 0
  for at = 1, count * dimension do
    off = math.max(off, math.abs(after.q[at] - before.q[at] - 0.5 * h * (before.v[at] + after.v[at])))
    fastest = math.max(fastest, math.abs(before.v[at]))
  end
  for i = 1, count do
    local d = link_of(after, i, dimension)
    longer = math.max(longer, math.abs(dot(d, d) - 1))
  end
  assert(off < 1e-14 * (count + h * fastest), ("positions and velocities differ by %g m"):format(off))
  assert(longer < 1e-14 * count, ("a link is longer by %g m"):format(longer))
end

-- About the vertical axis through the ground.
local function spin_of(state, count, mass)
  local sum, size = 0, 0
  for i = 1, count do
    local x, y = 3 * i - 2, 3 * i - 1
    sum = sum + mass(i) * (state.q[x] * state.v[y] - state.q[y] * state.v[x])
    size = size + mass(i) * (math.abs(state.q[x] * state.v[y]) + math.abs(state.q[y] * state.v[x]))
  end
  return sum, size
end

local function check_chain(solver, case)
  local count, dimension, mass, h = case.count, case.dimension, case.mass, case.h
  local stepper = chain(count, dimension, case.direction, mass, case.speed)
    :stepper { case.method, h = h, solver = solver }
  stepper:start()
  local start = state_of(stepper)
  local before = start
  for _ = 1, case.steps do
    assert(stepper:step())
    local after = state_of(stepper)
    if case.method == "energy-momentum" then
      check_impulses(before, after, count, dimension, mass, h)
    end
    check_positions(before, after, count, dimension, h)
    check.close(after.energy, start.energy, 1e-12 * case.energy)
    if dimension == 3 then
      local _, size = spin_of(after, count, mass)
      check.close(spin_of(after, count, mass), spin_of(start, count, mass), 1e-11 * size)
    end
    before = after
  end
end

for _, solver in ipairs { "newton", "kinsol" } do
  -- Hangs down, with masses that differ; the second step is such a one. Energies in J, of the whole chain.
  for _, method in ipairs { "energy-momentum", "energy-momentum-livens", "itoh-abe" } do
    check_chain(solver, {
      method = method, count = 60, dimension = 2, direction = { 0, -1 }, h = 0.1, steps = 4,
      energy = 60 * 60 / 2 * gravity,
      mass = function(i) return 1 + 0.5 * math.sin(3 * i) end,
      speed = function(i) return 2 * math.sin(i) end,
    })
  end
  -- Horizontal; the tension at the ground grows with the square of the number of links.
  check_chain(solver, {
    method = "energy-momentum", count = 3000, dimension = 3, direction = { 1, 0, 0 }, h = 0.03, steps = 3,
    energy = 3000 * gravity,
    mass = function() return 1 end,
    speed = function(i) return 0.1 * math.sin(i) end,
  })
end

-- A step in which links would turn far still fails, and leaves the state before it.
local short = chain(2, 2, { 1, 0 }, function() return 1 end, function(i) return 3 * math.sin(i) end)
local stepper = short:stepper { "energy-momentum", h = 1.2 }
stepper:start()
local start = state_of(stepper)
for _ = 1, 2 do
  local good, message = stepper:step()
  assert(not good and message:find("the step is too large: try less than h = 1.2", 1, true), message)
  local after = state_of(stepper)
  for at = 1, 4 do
    assert(after.q[at] == start.q[at] and after.v[at] == start.v[at], "the failed step changed the state")
  end
end
