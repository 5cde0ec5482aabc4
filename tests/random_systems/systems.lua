-- Random constrained systems: each function makes one kind. All numbers are those of a system near
-- one metre, kilogram and second times units of mass, length and time that are drawn as well, so that
-- the motion is the same in every unit and only scales are tried.
--
-- A system comes as { system =, span = seconds to integrate, length =, mass =, time = its units, size =
-- what errors of all its coordinates are measured by (angles, directions and quaternions are of size
-- one in every unit), energy = the size of its energies, conserves = whether nothing does work on it,
-- exact = the solution, where it has a closed form }.
local vida = require "vida"

local random = require "random"

local kinds = {}

-- ---- vectors ------------------------------------------------------------------------------------

local function add(a, b, factor)
  local sum = {}
  for i = 1, #a do
    sum[i] = a[i] + (factor or 1) * b[i]
  end
  return sum
end

local function scale(a, factor)
  local scaled = {}
  for i = 1, #a do
    scaled[i] = a[i] * factor
  end
  return scaled
end

local function distance(a, b)
  local sum = 0
  for i = 1, #a do
    sum = sum + (a[i] - b[i]) ^ 2
  end
  return math.sqrt(sum)
end

-- rate x r, or in the plane a scalar rate.
local function turn(rate, r)
  if #r == 2 then
    return { -rate * r[2], rate * r[1] }
  end
  return { rate[2] * r[3] - rate[3] * r[2], rate[3] * r[1] - rate[1] * r[3], rate[1] * r[2] - rate[2] * r[1] }
end

local function random_rate(draw, dimension)
  if dimension == 2 then
    return draw:between(-2, 2)
  end
  return scale(draw:direction(3), draw:between(0, 2))
end

-- ---- what all kinds have ------------------------------------------------------------------------

local function new_system(name, draw, unit, dimension)
  local system = vida.system { name, dimension = dimension }
  local down = {}
  for i = 1, dimension do
    down[i] = i == dimension and -9.81 * unit.length / unit.time ^ 2 or 0
  end
  if draw:chance(0.8) then
    system:gravity(down)
  end
  return system
end

-- A particle at `place` (in units) that turns with everything else about the origin.
local function add_particle(system, name, unit, mass, place, rate)
  local velocity = rate and scale(turn(rate, place), unit.length / unit.time)
  return system:particle { name,
    mass = mass * unit.mass, position = scale(place, unit.length), velocity = velocity,
  }
end

-- A chain of particles from the origin: places in units.
local function random_walk(draw, count, dimension)
  local place, places = {}, {}
  for i = 1, dimension do
    place[i] = 0
  end
  for k = 1, count do
    place = add(place, draw:direction(dimension), draw:between(0.4, 1.5))
    places[k] = place
  end
  return places
end

local function add_rod(system, name, unit, a, b, from, to)
  system:distance { name, a, b, length = distance(from, to) * unit.length }
end

-- ---- the kinds ----------------------------------------------------------------------------------

-- A chain of rods and particles, some rods written down twice, some particles on springs.
local function add_chain(draw, unit, dimension, count, twice)
  local system = new_system("chain", draw, unit, dimension)
  local places = random_walk(draw, count, dimension)
  local rate = draw:chance(0.5) and random_rate(draw, dimension) or nil
  local before, from = system.ground, scale(places[1], 0)
  local particles = {}
  for k, place in ipairs(places) do
    particles[k] = add_particle(system, "p" .. k, unit, draw:between(0.3, 3), place, rate)
    add_rod(system, "rod " .. k, unit, before, particles[k], from, place)
    if twice and draw:chance(0.5) then
      add_rod(system, "again " .. k, unit, before, particles[k], from, place)
    end
    before, from = particles[k], place
  end
  return system, particles, places
end

function kinds.chain(draw, unit)
  return { system = (add_chain(draw, unit, draw:integer(2, 3), draw:integer(1, 5), false)) }
end

function kinds.doubled_rods(draw, unit)
  return { system = (add_chain(draw, unit, draw:integer(2, 3), draw:integer(1, 3), true)) }
end

function kinds.chain_with_springs(draw, unit)
  local system, particles, places = add_chain(draw, unit, draw:integer(2, 3), draw:integer(2, 4), false)
  local last = #particles
  system:spring { "spring", particles[1], particles[last],
    stiffness = draw:between(5, 50) * unit.mass / unit.time ^ 2,
    length = distance(places[1], places[last]) * draw:between(0.7, 1.3) * unit.length,
  }
  local damped = draw:chance(0.4)
  if damped then
    system:damper { "damper", particles[1], particles[last],
      damping = draw:between(0.1, 2) * unit.mass / unit.time }
  end
  return { system = system, conserves = not damped }
end

-- A rigid frame of particles that hangs from the ground with more rods than it needs: a square with
-- both diagonals in the plane, five particles with all ten rods in space.
function kinds.redundant_frame(draw, unit)
  local dimension = draw:integer(2, 3)
  local count = dimension + 2
  local system = new_system("frame", draw, unit, dimension)
  local places
  local function is_thin()
    for i = 1, count do
      for j = i + 1, count do
        if distance(places[i], places[j]) < 0.6 then
          return true
        end
      end
    end
    return false
  end
  repeat
    places = {}
    for i = 1, count do
      places[i] = scale(draw:direction(dimension), draw:between(0.7, 1.5))
    end
  until not is_thin()
  local rate = random_rate(draw, dimension)
  local particles = {}
  for i, place in ipairs(places) do
    particles[i] = add_particle(system, "p" .. i, unit, draw:between(0.3, 3), place, rate)
  end
  for i = 1, count do
    for j = i + 1, count do
      add_rod(system, ("rod %d-%d"):format(i, j), unit, particles[i], particles[j], places[i], places[j])
    end
  end
  add_rod(system, "hanger", unit, system.ground, particles[1], scale(places[1], 0), places[1])
  return { system = system }
end

-- A rigid triangle in the plane whose third corner is lighter than the others by up to thirty decades.
function kinds.light_corner(draw, unit)
  local system = new_system("light corner", draw, unit, 2)
  local a = scale(draw:direction(2), draw:between(0.6, 1.2))
  local along = draw:between(0, 2 * math.pi)
  local b = add(a, { math.cos(along), math.sin(along) })
  local c = add(a, { math.cos(along + 0.9), math.sin(along + 0.9) }, draw:between(0.5, 1.2))
  local rate = draw:chance(0.7) and random_rate(draw, 2) or nil
  local light = draw:chance(0.1) and 1 or draw:decade(-30, 0)
  local p = add_particle(system, "a", unit, draw:between(0.5, 2), a, rate)
  local q = add_particle(system, "b", unit, draw:between(0.5, 2), b, rate)
  local r = add_particle(system, "light", unit, light, c, rate)
  add_rod(system, "a-b", unit, p, q, a, b)
  add_rod(system, "b-light", unit, q, r, b, c)
  add_rod(system, "light-a", unit, r, p, c, a)
  add_rod(system, "hanger", unit, system.ground, p, { 0, 0 }, a)
  return { system = system, light = light }
end

-- Weights on ropes over a fixed and a movable pulley, which is lighter than they are by up to thirty
-- decades. With the tensions u and l of the ropes, a'' = -g - l/a, b'' = -g - l/b, c'' = -g - u/c,
-- p'' = -g - (u - 2 l)/p, p'' = -c'' and a'' + b'' = 2 p'' make all accelerations constant.
function kinds.light_pulley(draw, unit)
  local system = vida.system { "pulleys", dimension = 1 }
  local g = 9.81 * unit.length / unit.time ^ 2
  system:gravity { -g }
  local light = draw:decade(-30, 0)
  local starts = { a = -3, b = -4, c = -2, pulley = -1 }
  local p, mass = {}, {}
  for _, name in ipairs { "a", "b", "c", "pulley" } do
    mass[name] = name == "pulley" and light or draw:between(0.5, 4)
    p[name] = add_particle(system, name, unit, mass[name], { starts[name] })
  end
  system:constraint { "upper rope", p.c.position.x + p.pulley.position.x + 3 * unit.length, unit = "m" }
  system:constraint { "lower rope",
    p.a.position.x + p.b.position.x - 2 * p.pulley.position.x + 5 * unit.length, unit = "m" }
  local half = 0.5 * (1 / mass.a + 1 / mass.b)
  local lower = -2 * mass.c * g / (2 + (mass.c + mass.pulley) * half)
  local c = g + lower * half
  local accelerations = { a = -g - lower / mass.a, b = -g - lower / mass.b, c = c, pulley = -c }
  local function exact(t)
    local positions, velocities = {}, {}
    for name, a in pairs(accelerations) do
      positions[name] = { starts[name] * unit.length + 0.5 * a * t ^ 2 }
      velocities[name] = { a * t }
    end
    return { positions = positions, velocities = velocities }
  end
  return { system = system, light = light, exact = exact }
end

-- A bead in the middle of a straight string of rods that turns about one end, without gravity: it keeps
-- turning, however light the bead is beside the weight at the other end.
function kinds.light_bead(draw, unit)
  local system = vida.system { "light bead", dimension = 2 }
  local along = draw:between(0, 2 * math.pi)
  local rate = draw:between(0.5, 2) * (draw:chance(0.5) and 1 or -1)
  local radius = { draw:between(0.4, 1) }
  radius[2] = radius[1] + draw:between(0.4, 1)
  local light = draw:decade(-30, 0)
  local places, names = {}, { "bead", "weight" }
  local particles = {}
  for k = 1, 2 do
    places[k] = scale({ math.cos(along), math.sin(along) }, radius[k])
    particles[k] = add_particle(system, names[k], unit, k == 1 and light or 1, places[k], rate)
  end
  add_rod(system, "inner", unit, system.ground, particles[1], { 0, 0 }, places[1])
  add_rod(system, "outer", unit, particles[1], particles[2], places[1], places[2])
  local function exact(t)
    local positions, velocities = {}, {}
    local angle = along + rate * t / unit.time
    for k = 1, 2 do
      local place = scale({ math.cos(angle), math.sin(angle) }, radius[k])
      positions[names[k]] = scale(place, unit.length)
      velocities[names[k]] = scale(turn(rate, place), unit.length / unit.time)
    end
    return { positions = positions, velocities = velocities }
  end
  return { system = system, light = light, exact = exact }
end

-- A pendulum and a coordinate without mass that follows the bob.
function kinds.massless_follower(draw, unit)
  local system, particles, places = add_chain(draw, unit, 2, draw:integer(1, 2), false)
  local place = places[#places][1] * unit.length
  local u = system:coordinate { "follower", unit = "m", value = place, rate = vida.free() }
  system:constraint { "follow", u - particles[#particles].position.x, unit = "m" }
  return { system = system }
end

-- A linkage of four bars: a crank-rocker, started at rest or with a turning crank.
function kinds.four_bar(draw, unit)
  local system = new_system("four-bar", draw, unit, 2)
  local crank, ground = draw:between(0.3, 0.5), 1
  local coupler, rocker = draw:between(1, 1.2), draw:between(0.75, 0.95)
  local angle = draw:between(0, 2 * math.pi)
  local b = { crank * math.cos(angle), crank * math.sin(angle) }
  local to = { ground - b[1], -b[2] }
  local d = math.sqrt(to[1] ^ 2 + to[2] ^ 2)
  local along = (coupler ^ 2 - rocker ^ 2 + d ^ 2) / (2 * d)
  local across = (draw:chance(0.5) and 1 or -1) * math.sqrt(coupler ^ 2 - along ^ 2)
  local c = { b[1] + (along * to[1] - across * to[2]) / d, b[2] + (along * to[2] + across * to[1]) / d }
  local rate = draw:chance(0.7) and draw:between(-3, 3) or 0
  local p = add_particle(system, "B", unit, draw:between(0.5, 2), b, rate)
  local q = system:particle { "C", mass = draw:between(0.5, 2) * unit.mass,
    position = scale(c, unit.length), velocity = { vida.free(), vida.free() } }
  add_rod(system, "crank", unit, system.ground, p, { 0, 0 }, b)
  add_rod(system, "coupler", unit, p, q, b, c)
  add_rod(system, "rocker", unit, system:anchor { ground * unit.length, 0 }, q, { ground, 0 }, c)
  return { system = system }
end

-- A pendulum or a double one whose pivot is moved up and down, or along.
function kinds.moving_pivot(draw, unit)
  local system = new_system("moving pivot", draw, unit, 2)
  local amplitude, frequency = draw:between(0.05, 0.4), draw:between(1, 6)
  local upwards = draw:chance(0.5)
  local start_rate = amplitude * frequency * unit.length / unit.time
  local pivot = system:particle { "pivot", mass = draw:between(0.3, 3) * unit.mass, position = { 0, 0 },
    velocity = upwards and { 0, start_rate } or { start_rate, 0 } }
  local function move(t)
    return amplitude * unit.length * vida.sin(frequency / unit.time * t)
  end
  system:prescribe { "drive", upwards and pivot.position.y or pivot.position.x, move, unit = "m" }
  system:prescribe { "guide", upwards and pivot.position.x or pivot.position.y,
    function() return 0 end, unit = "m" }
  local before, from = pivot, { 0, 0 }
  for k, place in ipairs(random_walk(draw, draw:integer(1, 2), 2)) do
    local p = system:particle { "p" .. k, mass = draw:between(0.3, 3) * unit.mass,
      position = scale(place, unit.length),
      velocity = upwards and { 0, start_rate } or { start_rate, 0 } }
    add_rod(system, "rod " .. k, unit, before, p, from, place)
    before, from = p, place
  end
  return { system = system, conserves = false }
end

-- Rigid bodies in the plane, one hinged to the other.
function kinds.planar_bodies(draw, unit)
  local system = new_system("planar bodies", draw, unit, 2)
  local rate = draw:chance(0.6) and draw:between(-2, 2) or 0
  local hinge, before = { 0, 0 }, system.ground
  for k = 1, draw:integer(1, 4) do
    local angle, half = draw:between(0, 2 * math.pi), draw:between(0.3, 0.8)
    local centre = add(hinge, { math.cos(angle), math.sin(angle) }, half)
    local mass = draw:between(0.3, 3)
    local body = system:body { "b" .. k, mass = mass * unit.mass,
      inertia = mass * half ^ 2 * draw:between(0.2, 0.6) * unit.mass * unit.length ^ 2,
      position = scale(centre, unit.length), angle = angle,
      velocity = scale(turn(rate, centre), unit.length / unit.time),
      angular_velocity = rate / unit.time }
    system:revolute { "hinge " .. k, before, body, at = scale(hinge, unit.length) }
    before, hinge = body, add(hinge, { math.cos(angle), math.sin(angle) }, 2 * half)
  end
  return { system = system, turns = true }
end

local function unit_quaternion(draw)
  local a, b = draw:direction(3), draw:between(0, math.pi)
  return { math.cos(b), math.sin(b) * a[1], math.sin(b) * a[2], math.sin(b) * a[3] }
end

-- A body in space on a ball joint, as a quaternion or as directors.
function kinds.top(draw, unit)
  local system = new_system("top", draw, unit, 3)
  local rate = scale(draw:direction(3), draw:between(0, 4))
  local centre = scale(draw:direction(3), draw:between(0.3, 1))
  local mass = draw:between(0.5, 2)
  local inertia = {}
  for i = 1, 3 do
    inertia[i] = mass * draw:between(0.15, 0.25) * unit.mass * unit.length ^ 2
  end
  local body = system:body { "top", mass = mass * unit.mass, inertia = inertia,
    as = draw:chance(0.5) and "directors" or nil, orientation = unit_quaternion(draw),
    position = scale(centre, unit.length), velocity = scale(turn(rate, centre), unit.length / unit.time),
    angular_velocity = scale(rate, 1 / unit.time) }
  system:ball { "tip", system.ground, body, at = { 0, 0, 0 } }
  return { system = system, turns = true }
end

-- A door on one hinge, or on two that say the same.
function kinds.door(draw, unit)
  local system = new_system("door", draw, unit, 3)
  local axis = draw:direction(3)
  local arm
  repeat
    arm = turn(axis, draw:direction(3))
  until distance(arm, { 0, 0, 0 }) > 0.4
  local rate = scale(axis, draw:between(-3, 3))
  local mass = draw:between(0.5, 2)
  local inertia = {}
  for i = 1, 3 do
    inertia[i] = mass * draw:between(0.15, 0.25) * unit.mass * unit.length ^ 2
  end
  local body = system:body { "door", mass = mass * unit.mass, inertia = inertia,
    as = draw:chance(0.5) and "directors" or nil, orientation = unit_quaternion(draw),
    position = scale(arm, unit.length), velocity = scale(turn(rate, arm), unit.length / unit.time),
    angular_velocity = scale(rate, 1 / unit.time) }
  for k = 1, draw:integer(1, 2) do
    system:revolute { "hinge " .. k, system.ground, body, axis = axis,
      at = scale(axis, (k - 1) * unit.length) }
  end
  return { system = system, turns = true }
end

-- Angles of a double pendulum: the mass matrix depends on positions, and there are no constraints.
function kinds.angles(draw, unit)
  local system = vida.system { "double pendulum in angles" }
  local l1, l2 = draw:between(0.5, 1.5) * unit.length, draw:between(0.5, 1.5) * unit.length
  local m1, m2 = draw:between(0.5, 2) * unit.mass, draw:between(0.5, 2) * unit.mass
  local g = 9.81 * unit.length / unit.time ^ 2
  local a, da = system:coordinate { "a", unit = "rad", value = draw:between(-2, 2), rate = 0 }
  local b, db = system:coordinate { "b", unit = "rad", value = draw:between(-2, 2),
    rate = draw:between(-1, 1) / unit.time }
  system:lagrangian(0.5 * (m1 + m2) * l1 ^ 2 * da ^ 2 + 0.5 * m2 * l2 ^ 2 * db ^ 2
    + m2 * l1 * l2 * da * db * vida.cos(a - b) + (m1 + m2) * g * l1 * vida.cos(a) + m2 * g * l2 * vida.cos(b))
  return { system = system, turns = true }
end

-- A bead on a curve of the plane.
function kinds.bead(draw, unit)
  local system = new_system("bead", draw, unit, 2)
  local x = draw:between(-1, 1)
  local a, b = draw:between(0.3, 1), draw:between(0.1, 0.4)
  local l = unit.length
  local slope = 2 * a * x + b * math.cos(x)
  local speed = draw:between(-2, 2) * l / unit.time
  local p = system:particle { "bead", mass = draw:between(0.3, 3) * unit.mass,
    position = { x * l, (a * x ^ 2 + b * math.sin(x)) * l }, velocity = { speed, slope * speed } }
  local at = p.position.x / l
  system:constraint { "wire", p.position.y - l * (a * at ^ 2 + b * vida.sin(at)), unit = "m" }
  return { system = system }
end

-- ---- one of them --------------------------------------------------------------------------------

local names = {}
for name in pairs(kinds) do
  names[#names + 1] = name
end
table.sort(names)

local systems = { kinds = names }

-- The system of a seed.
function systems.make(seed)
  local draw = random.new(seed)
  local name = names[seed % #names + 1]
  local is_plain = draw:chance(0.2)
  local unit = {
    mass = is_plain and 1 or draw:decade(-15, 15),
    length = is_plain and 1 or draw:decade(-9, 9),
    time = is_plain and 1 or draw:decade(-3, 3),
  }
  local made = kinds[name](draw, unit)
  made.kind, made.seed = name, seed
  made.mass, made.length, made.time = unit.mass, unit.length, unit.time
  made.energy = unit.mass * (unit.length / unit.time) ^ 2
  made.conserves = made.conserves ~= false
  made.size = made.turns and math.max(1, unit.length) or unit.length
  made.span = draw:between(1, 2) * unit.time
  return made
end

return systems
