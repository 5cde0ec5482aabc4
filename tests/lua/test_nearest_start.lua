-- Starts that are adjusted: positions go to the nearest consistent ones in the mass norm, velocities
-- likewise, and free velocities are found with them.
local vida = require "vida"
local check = require "check"
local mechanism = require "mechanism"

-- ---- positions -------------------------------------------------------------------------------------

-- Two triangles of rods of length 1 that share an edge, given a little wrong.
local masses = { 1, 2, 0.5, 3 } -- kg
local places = { { 0, 0 }, { 1, 0.002 }, { 0.5, 0.8675 }, { 1.5, 0.8645 } } -- m
local rods = { { 1, 2 }, { 2, 3 }, { 3, 1 }, { 2, 4 }, { 4, 3 } }

local function triangles()
  local s = vida.system { "triangles", dimension = 2 }
  local p = {}
  for i, place in ipairs(places) do
    p[i] = s:particle { "p" .. i, mass = masses[i], position = place }
  end
  for k, rod in ipairs(rods) do
    s:distance { "rod " .. k, p[rod[1]], p[rod[2]], length = 1 }
  end
  return s
end

-- The square of the distance in the mass norm of the rigid figure with the first corner at (x,y) and the
-- first rod at the angle phi, and its corners.
local function figure(x, y, phi)
  local corners, square = {}, 0
  for i, at in ipairs { { 0, 0 }, { 1, 0 }, { 0.5, math.sqrt(0.75) }, { 1.5, math.sqrt(0.75) } } do
    corners[i] = { x + math.cos(phi) * at[1] - math.sin(phi) * at[2],
      y + math.sin(phi) * at[1] + math.cos(phi) * at[2] }
    for k = 1, 2 do
      square = square + masses[i] * (corners[i][k] - places[i][k]) ^ 2
    end
  end
  return square, corners
end

-- The best rotation of given points onto others has a closed form in the plane (Kabsch 1976): about the
-- centres of mass, by the angle of the sum of m (a x b) and m (a . b).
local function nearest_figure()
  local mass, own, other = 0, { 0, 0 }, { 0, 0 }
  local _, plain = figure(0, 0, 0)
  for i, m in ipairs(masses) do
    mass = mass + m
    for k = 1, 2 do
      own[k], other[k] = own[k] + m * plain[i][k], other[k] + m * places[i][k]
    end
  end
  local cross, dot = 0, 0
  for i, m in ipairs(masses) do
    local ax, ay = plain[i][1] - own[1] / mass, plain[i][2] - own[2] / mass
    local bx, by = places[i][1] - other[1] / mass, places[i][2] - other[2] / mass
    cross, dot = cross + m * (ax * by - ay * bx), dot + m * (ax * bx + ay * by)
  end
  local phi = math.atan(cross, dot)
  local c, d = math.cos(phi), math.sin(phi)
  local x = (other[1] - c * own[1] + d * own[2]) / mass
  local y = (other[2] - d * own[1] - c * own[2]) / mass
  return select(2, figure(x, y, phi))
end

local function test_triangles()
  local stepper = triangles():stepper { "rattle", h = 0.01 }
  local notes = stepper:start { adjust_start = true }
  local q, moved = stepper:positions(), 0
  for i, corner in ipairs(nearest_figure()) do
    for k = 1, 2 do
      moved = math.max(moved, math.abs(q[2 * i - 2 + k] - places[i][k]))
      check.close(q[2 * i - 2 + k], corner[k], 1e-15)
    end
  end
  assert(moved > 5e-4 and notes:find("adjusted", 1, true), notes)
  assert(stepper:constraint_errors() < 1e-15)
  check.fails("adjust_start = true allows that", function()
    triangles():stepper({ "rattle", h = 0.01 }):start()
  end)
end

-- Of a circle the nearest point is on the ray through the centre, however far away one was.
local function test_far()
  for _, place in ipairs { { 3, 4 }, { 0.03, 0.04 }, { -0.5, 0.001 } } do
    local s = vida.system { "circle", dimension = 2 }
    local p = s:particle { "p", mass = 2, position = place }
    s:distance { "rod", s.ground, p, length = 1 }
    local stepper = s:stepper { "rattle", h = 0.01 }
    stepper:start { adjust_start = true }
    local r = math.sqrt(place[1] ^ 2 + place[2] ^ 2)
    check.close(stepper:positions()[1], place[1] / r, 1e-15)
    check.close(stepper:positions()[2], place[2] / r, 1e-15)
  end
end

-- On the parabola y = x^2 the nearest point to (x0,y0) has 2 x^3 + (1 - 2 y0) x - x0 = 0.
local function test_parabola()
  local s = vida.system { "parabola", dimension = 2 }
  local p = s:particle { "p", mass = 1, position = { 1, 0.6 } }
  s:constraint { "curve", p.y - p.x ^ 2 }
  local stepper = s:stepper { "rattle", h = 0.01 }
  stepper:start { adjust_start = true }
  local x = 0.9
  for _ = 1, 20 do
    x = x - (2 * x ^ 3 - 0.2 * x - 1) / (6 * x ^ 2 - 0.2)
  end
  check.close(stepper:positions()[1], x, 1e-15)
end

-- What has no mass goes first: it costs nothing in this norm.
local function test_massless()
  local s = vida.system { "follower", dimension = 2 }
  local bob = s:particle { "bob", mass = 1, position = { 1, 0 } }
  local u = s:coordinate { "u", value = 2, rate = 0 }
  s:distance { "rod", s.ground, bob, length = 1 }
  s:constraint { "u is x", u - bob.x }
  local stepper = s:stepper { "rattle", h = 0.01 }
  stepper:start { adjust_start = true }
  local q = stepper:positions()
  check.close(q[1], 1, 1e-14)
  check.close(q[2], 0, 1e-14)
  check.close(q[3], 1, 1e-14)
end

-- ---- velocities ------------------------------------------------------------------------------------

-- Arms in a row on hinges about z whose centres have free velocities and whose rates do not fit: the
-- tilts are taken out, the spins stay, and quaternions and directors agree.
local function arms(count, as)
  local s = vida.system "arms"
  local last = s.ground
  for k = 1, count do
    local free = vida.free()
    local arm = s:body { "arm " .. k, mass = 1, inertia = { 0.1, 0.2, 0.2 }, position = { 2 * k - 1, 0, 0 },
      as = as, velocity = { free, free, free }, body_rates = { 0.3, 0.2 * k, 1 } }
    s:revolute { "hinge " .. k, last, arm, at = { 2 * k - 2, 0, 0 }, axis = { 0, 0, 1 } }
    last = arm
  end
  local stepper = s:stepper { "rattle", h = 0.01 }
  stepper:start { adjust_start = true }
  return stepper
end

local function test_free_velocities()
  for count = 1, 6 do
    for _, as in ipairs { "quaternion", "directors" } do
      local stepper = arms(count, as)
      -- Centres at 2 k - 1 on a straight row that turns at 1 rad/s.
      local energy = 0
      for k = 1, count do
        energy = energy + (2 * k - 1) ^ 2 / 2 + 0.2 / 2
      end
      check.close(stepper:energy(), energy, 1e-12 * energy)
      assert(select(2, stepper:constraint_errors()) < 1e-14)
    end
  end
end

mechanism.run { { "triangles", test_triangles }, { "far", test_far }, { "parabola", test_parabola },
  { "massless", test_massless }, { "free velocities", test_free_velocities } }
