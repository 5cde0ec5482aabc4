-- Constraints that are distances, as rods and as formulas: their steps are those of the general
-- equations, which `plan = "general"` solves.
local vida = require "vida"

local function rod(s, name, a, b, length, as_formula)
  if not as_formula then
    s:distance { name, a, b, length = length }
    return
  end
  local d = b.position - (a.position or vida.vector { 0, 0, 0 })
  s:constraint { name, (vida.dot(d, d) - length ^ 2) / 2, unit = "m^2" }
end

-- Particles on a circle with rods to their neighbours, and to the middle of the circle from some of
-- them: neither a chain nor a tree. The last rod closes the circle.
local function make_ring(as_formula, springs)
  local s = vida.system { "ring", dimension = 3 }
  s:gravity { 0, 0, -9.81 }
  local count, particles = 6, {}
  for i = 1, count do
    local angle = 2 * math.pi * i / count
    particles[i] = s:particle { "p" .. i, mass = 1 + 0.1 * i,
      position = { math.cos(angle), math.sin(angle), 0 }, velocity = { 0, 0, 0.3 } }
  end
  for i = 1, count do
    rod(s, "side " .. i, particles[i], particles[i % count + 1], 1, as_formula)
  end
  if springs then
    for i = 1, count do
      s:spring { "spring " .. i, s.ground, particles[i], stiffness = 10 * i, length = 0.5 }
    end
  end
  return s
end

local function make_pendulum(as_formula)
  local s = vida.system { "pendulum at a place", dimension = 2 }
  s:gravity { 0, -9.81 }
  local a = s:particle { "a", mass = 2, position = { 4, -1 }, velocity = { 1, 0 } }
  local b = s:particle { "b", mass = 1, position = { 4, -3 }, velocity = { 1, 0 } }
  if as_formula then
    local d, e = a.position - vida.vector { 4, 1 }, b.position - a.position
    s:constraint { "first", vida.dot(d, d) - 4, unit = "m^2" }
    s:constraint { "second", 3 * (vida.dot(e, e) - 4), unit = "m^2" }
  else
    s:distance { "first", s:anchor { 4, 1 }, a, length = 2 }
    s:distance { "second", a, b, length = 2 }
  end
  return s
end

local function run(s, method, plan, h, steps)
  local stepper = s:stepper { method, h = h, plan = plan }
  stepper:start()
  assert(stepper:step(steps))
  return stepper:positions(), stepper:momenta()
end

local function near(a, b, allowed, what)
  for i = 1, #a do
    local difference = math.abs(a[i] - b[i])
    assert(difference <= allowed, ("%s: number %d differs by %g"):format(what, i, difference))
  end
end

for name, make in pairs { ring = make_ring, pendulum = make_pendulum,
  ["ring on springs"] = function(as_formula) return make_ring(as_formula, true) end } do
  for _, method in ipairs { "del-endpoint", "del-trapezoidal", "rattle", "energy-momentum" } do
    for _, h in ipairs { 1e-3, 1e-2 } do
      local q, p = run(make(false), method, "general", h, 500)
      for _, as_formula in ipairs { false, true } do
        local q1, p1 = run(make(as_formula), method, "auto", h, 500)
        local what = ("%s, %s, h = %g, formulas: %s"):format(name, method, h, as_formula)
        near(q, q1, 1e-11, what .. ": positions")
        near(p, p1, 1e-9, what .. ": momenta")
      end
    end
  end
end

-- Stages of compositions, of which some are calm and some are not: those of constraints that have the
-- same zeros and are no distances.
do
  local function swing(s, scheme, h, steps)
    local stepper = s:stepper { "compose", scheme = scheme, h = h }
    stepper:start()
    assert(stepper:step(steps))
    return stepper:positions(), stepper:momenta(), stepper:velocities()
  end
  local function make(by_length, springs)
    local s = vida.system { "two rods", dimension = 3 }
    s:gravity { 0, 0, -9.81 }
    local a = s:particle { "a", mass = 2, position = { 1, 0, 0 }, velocity = { 0, 0.3, 1 } }
    local b = s:particle { "b", mass = 1, position = { 2, 0, 0 }, velocity = { 0, 1, -2 } }
    local d = b.position - a.position
    if by_length then
      s:constraint { "first", vida.norm(a.position) - 1, unit = "m" }
      s:constraint { "second", vida.norm(d) - 1, unit = "m" }
    else
      s:distance { "first", s.ground, a, length = 1 }
      s:distance { "second", a, b, length = 1 }
    end
    if springs then
      s:potential { "pull", 5 * vida.dot(b.position, b.position) + b.x ^ 3 }
    end
    return s
  end
  for _, scheme in ipairs { "suzuki4", "yoshida4", "kahan-li6", "kahan-li8" } do
    for _, h in ipairs { 2e-3, 1e-2, 4e-2 } do
      for _, springs in ipairs { false, true } do
        local q, p, v = swing(make(true, springs), scheme, h, 150)
        local q1, p1, v1 = swing(make(false, springs), scheme, h, 150)
        local what = ("%s, h = %g, springs: %s"):format(scheme, h, springs)
        near(q, q1, 1e-11, what .. ": positions")
        near(p, p1, 1e-10, what .. ": momenta")
        near(v, v1, 1e-10, what .. ": velocities")
      end
    end
  end
end

-- Formulas of the same width that are no distances: a product of coordinates, different weights, a
-- point whose coordinates belong to two points. Their steps must not be taken for those of rods.
do
  local function make(formula)
    local s = vida.system "no distance"
    local x, xd = s:coordinate { "x", unit = "m", value = 1, rate = 0 }
    local y, yd = s:coordinate { "y", unit = "m", value = 0, rate = 1 }
    local z, zd = s:coordinate { "z", unit = "m", value = 0.5, rate = 0 }
    s:lagrangian(0.5 * (xd ^ 2 + yd ^ 2 + zd ^ 2) - 9.81 * y)
    formula(s, x, y, z)
    return s
  end
  local formulas = {
    weights = function(s, x, y) s:constraint { "ellipse", x ^ 2 + 2 * y ^ 2 - 1 } end,
    product = function(s, x, y) s:constraint { "hyperbola", x ^ 2 + y ^ 2 + (x - 1) * y - 1 } end,
    overlap = function(s, x, y, z)
      s:constraint { "first", x ^ 2 + y ^ 2 - 1 }
      s:constraint { "second", y ^ 2 + z ^ 2 - 0.25 }
    end,
    linear = function(s, x, y, z) s:constraint { "paraboloid", x ^ 2 + y ^ 2 - 2 * z } end,
  }
  for name, formula in pairs(formulas) do
    for _, method in ipairs { "del-endpoint", "rattle", "energy-momentum" } do
      local q = run(make(formula), method, "general", 1e-3, 400)
      local q1 = run(make(formula), method, "auto", 1e-3, 400)
      near(q, q1, 1e-11, name .. ", " .. method)
    end
  end
end

-- Lengths that depend on a parameter are those of each start.
do
  local s = vida.system { "changed length", dimension = 2 }
  s:gravity { 0, -9.81 }
  local length = s:parameter { "l", 1 }
  local a = s:particle { "a", mass = 1, position = { 0.6, vida.free(-1) }, velocity = { 0, 0 } }
  s:constraint { "rod", (vida.dot(a.position, a.position) - length ^ 2) / (2 * length), unit = "m" }
  local reused = s:stepper { "rattle", h = 1e-3 }
  reused:start()
  reused:step(50)
  s:set_parameter("l", 2)
  reused:start()
  reused:step(1000)
  local q = reused:positions()
  near({ math.sqrt(q[1] ^ 2 + q[2] ^ 2) }, { 2 }, 1e-13, "length")
  local new = s:stepper { "rattle", h = 1e-3 }
  new:start()
  new:step(1000)
  near(q, new:positions(), 0, "state")
end

-- A triangle that is nearly flat has its mirror image beside it. Steps end there where those of the
-- general equations do, and nowhere else.
do
  local seed = 12345
  local function random() -- Park and Miller 1988
    seed = seed * 16807 % 2147483647
    return seed / 2147483647
  end
  local function triangle(points, masses, omega)
    local s = vida.system { "flat triangle", dimension = 2 }
    s:gravity { 0, -9.81 }
    local particles = {}
    for i, p in ipairs(points) do
      particles[i] = s:particle { "p" .. i, mass = masses[i], position = p,
        velocity = { 1 - omega * p[2], 0.5 + omega * p[1] } }
    end
    for i = 1, 3 do
      local a, b = points[i], points[i % 3 + 1]
      local length = math.sqrt((a[1] - b[1]) ^ 2 + (a[2] - b[2]) ^ 2)
      s:distance { "side " .. i, particles[i], particles[i % 3 + 1], length = length }
    end
    return s
  end
  for case = 1, 200 do
    local points = { { 0, 0 }, { 1, 0 }, { 0.3 + 0.4 * random(), 10 ^ (-1 - 5 * random()) } }
    local masses = { 1, 10 ^ (2 * random() - 1), 10 ^ (2 * random() - 1) }
    local omega = 10 * (random() - 0.5)
    local h = ({ 1e-3, 3e-3, 0.01, 0.02, 0.03 })[1 + math.floor(5 * random())]
    local method = ({ "del-endpoint", "rattle" })[1 + case % 2]
    local areas = {}
    for _, plan in ipairs { "auto", "general" } do
      local stepper = triangle(points, masses, omega):stepper { method, h = h, plan = plan }
      stepper:start()
      if stepper:step(400) then
        local q = stepper:positions()
        areas[plan] = (q[3] - q[1]) * (q[6] - q[2]) - (q[5] - q[1]) * (q[4] - q[2])
      end
    end
    local auto, general = areas.auto or 1, areas.general or 1
    assert(auto > 0 or general < 0, ("case %d: only calm steps mirror the triangle"):format(case))
  end
end

-- A nearly flat triangle with a tail: its signed area keeps its sign.
do
  local s = vida.system { "flat triangle with a tail", dimension = 2 }
  s:gravity { 2.295412987519, 6.4568319253662 }
  local x, height = 0.71403799061597, 6.1233751806508e-06
  local function particle(name, mass, position, velocity)
    return s:particle { name, mass = mass, position = position, velocity = velocity }
  end
  local a = particle("a", 9.2672895638842334, { 0, 0 }, { 0, 0 })
  local b = particle("b", 8.1545799737309856, { 1, 0 }, { -0.57294133934739, -7.1004342102491 })
  local c = particle("c", 0.46669005467222174, { x, height }, { -0.82308156723772, -5.0699797759872 })
  local tail = particle("tail", 1.9768848222849744, { x, height - 0.5 }, { 0, 0 })
  s:distance { "ab", a, b, length = 1 }
  s:distance { "ac", a, c, length = math.sqrt(x ^ 2 + height ^ 2) }
  s:distance { "bc", b, c, length = math.sqrt((1 - x) ^ 2 + height ^ 2) }
  s:distance { "tail", c, tail, length = 0.5 }
  s:spring { "spring", tail, s.ground, stiffness = 922.39403615112, length = 0.1 }
  local stepper = s:stepper { "del-endpoint", h = 0.0013937328253546 }
  stepper:start { adjust_start = true }
  for k = 1, 800 do
    assert(stepper:step())
    local q = stepper:positions()
    local area = (q[3] - q[1]) * (q[6] - q[2]) - (q[4] - q[2]) * (q[5] - q[1])
    assert(area > 0, "the triangle is mirrored in step " .. k)
  end
end

-- The place of a formula that lies far from the origin is found to the last digit: the second
-- derivatives of this formula are 1 / 0.75, which is rounded.
for _, place in ipairs { 1e2, 1e5, 1e8 } do
  local s = vida.system { "far away", dimension = 2 }
  s:gravity { 0, -9.81 }
  local a = s:particle { "a", mass = 1, position = { place + 0.75, place }, velocity = { 0, 0 } }
  local x, y = a.position[1] - place, a.position[2] - place
  s:constraint { "rod", (x ^ 2 + y ^ 2 - 0.75 ^ 2) / (2 * 0.75), unit = "m" }
  for _, method in ipairs { "del-endpoint", "rattle" } do
    local q = run(s, method, "auto", 1e-3, 1000)
    local length = math.sqrt((q[1] - place) ^ 2 + (q[2] - place) ^ 2)
    near({ length }, { 0.75 }, 4e-16 * place + 1e-14, method .. " at " .. place)
  end
end

-- The first steps of a long chain, whose tension builds up from none, are those of the general
-- equations, too, one by one or in a series. The midpoint energy is that of the last step.
local function make_chain(count)
  local s = vida.system { "chain", dimension = 2 }
  s:gravity { 0, -9.81 }
  local last = s.ground
  for i = 1, count do
    local p = s:particle { "p" .. i, mass = 1 + i % 3, position = { i, 0 },
      velocity = { 0, 0.1 * math.sin(i) } }
    s:distance { "r" .. i, last, p, length = 1 }
    last = p
  end
  return s
end

do
  local s = make_chain(1200)
  for _, method in ipairs { "del-endpoint", "del-trapezoidal", "energy-momentum" } do
    local q, p = run(s, method, "auto", 1e-3, 6)
    local q_general, p_general = run(s, method, "general", 1e-3, 6)
    near(q, q_general, 1e-12, method .. ", long chain")
    near(p, p_general, 1e-10, method .. ", momenta of a long chain")
    local stepper = s:stepper { method, h = 1e-3 }
    for _ = 1, 2 do
      stepper:start()
      for _ = 1, 6 do
        assert(stepper:step())
      end
      local alone = stepper:positions()
      for i = 1, #q do
        assert(alone[i] == q[i], method .. ": a series differs from single steps")
      end
    end
  end
  for _, plan in ipairs { "auto", "general" } do
    local stepper = s:stepper { "del-endpoint", h = 1e-3, energy = "midpoint", plan = plan }
    stepper:start()
    assert(stepper:step())
    local energy, t = stepper:energy()
    assert(math.abs(t - 5e-4) < 1e-15, "the energy is not that of the first step")
    local kinetic = 0
    for i = 1, 1200 do
      kinetic = kinetic + 0.5 * (1 + i % 3) * (0.1 * math.sin(i)) ^ 2
    end
    assert(math.abs(energy - kinetic) < 1e-2 * kinetic, "the energy of the first step")
  end
end
