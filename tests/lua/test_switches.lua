-- Forces that the state switches: a remark where they jump, with every method that takes them, and
-- none where they have a kink only, or are smooth.
--
-- When they do is known in closed form: motions are uniformly accelerated or harmonic.
local vida = require "vida"
local takers = require "takers"
local check = require "check"

local x0, v0 = 1, 1

-- A particle on the x axis; what acts on it is added by `make`.
local function particle(make, x, v)
  local s = vida.system { "line", dimension = 2 }
  local p = s:particle { "p", mass = 1, position = { x or x0, 0 }, velocity = { v or v0, 0 } }
  make(s, p)
  return s
end

-- Rows of these methods, or of all; without an exact solution their errors are not measured.
local function rows_of(s, time, methods, exact)
  if not methods then
    methods = {}
    for _, method in ipairs(vida.methods()) do
      methods[#methods + 1] = check.is_adaptive(method) and { method.name, rtol = 1e-6 }
        or { method.name, h = 0.01 }
    end
  end
  return vida.compare { system = s, time = time, reference = exact and { exact = exact, error = 0 },
    methods = methods }:run { quiet = true }
end

-- How many rows ran, each with the remark that `names` begins (or, nil, with none), and when.
local function remarks(s, time, name, t, tolerance)
  local count = 0
  local rows = rows_of(s, time)
  for i = 1, #rows do
    local row = rows[i]
    local found = row.message:match("'" .. (name or "[^']*") .. "' jumps where positions or velocities")
    if row.status == "ok" then
      count = count + 1
      assert((found ~= nil) == (name ~= nil), ("%s: %s"):format(row.method, row.message))
      if t then
        check.close(tonumber(row.message:match("first at t = (%S+) s")), t, tolerance)
      end
    end
  end
  assert(count > 0)
  return count
end

-- ---- forces -------------------------------------------------------------------------------------

-- Dry friction on the way up and down an incline that pulls with 1: to rest at t = 1 / 1.4, where the
-- acceleration goes from -1.4 to -0.6. Some methods find no step over it, and say so.
local function incline(friction)
  return particle(function(s, p)
    s:potential { "incline", 1.0 * p.x }
    s:force { "dry", { { p.x, -0.4 * friction(p.x.rate) } } }
  end)
end
assert(remarks(incline(function(v)
  return vida.where(vida.less(0, v), 1, -1)
end), 1.5, "dry", 1 / 1.4, 0.02) > 10)
remarks(incline(function(v)
  return vida.tanh(v / 0.05)
end), 1.5)

-- A contact that begins at x = 0, with a damper: only the damper makes it jump.
local function contact(damping)
  return particle(function(s, p)
    s:force { "contact",
      { { p.x, vida.where(vida.less(p.x, 0), -100 * p.x - damping * p.x.rate, 0) } } }
  end, 1, -1)
end
remarks(contact(0), 1.5)
-- x = 1 - t up to there; moreau-jean evaluates the damper also at the end of a step.
remarks(contact(5), 1.05, "contact", 1, 2e-4)

-- ---- potentials and angles ----------------------------------------------------------------------

-- -|x|' is -sign(x); |x|^3 is smooth enough. From rest at x = 1 under a force of -1.
remarks(particle(function(s, p)
  s:potential { "wedge", vida.abs(p.x) }
end, 1, 0), 1.5, "wedge", math.sqrt(2), 0.01)
remarks(particle(function(s, p)
  s:potential { "cubic", vida.abs(p.x) ^ 3 }
end, 1, 0), 3)
remarks(particle(function(s, p)
  s:potential { "stop", 50 * vida.max(p.x - 0.5, 0) ^ 2 }
end, 1, 0), 3)

-- A spring of an angle that wraps on the way: from (-1, 0.5) down past (-1, 0) at t = 0.5.
local function wrapping(stiffness)
  local s = vida.system { "line", dimension = 2 }
  local p = s:particle { "p", mass = 1, position = { -1, 0.5 }, velocity = { 0, -1 } }
  s:force { "turn", { { p.x, stiffness * vida.atan2(p.y, p.x) } } }
  return s
end
remarks(wrapping(0.001), 0.8, "turn", 0.5, 1e-3)
local away = vida.system { "line", dimension = 2 }
local q = away:particle { "p", mass = 1, position = { 1, 0.5 }, velocity = { 0, -1 } }
away:force { "turn", { { q.x, 0.001 * vida.atan2(q.y, q.x) } } }
remarks(away, 0.8)

-- A torsion spring in space of a body that turns about z as a = 8 sin t: its angle wraps at
-- t = asin(pi / 8), and with one that counts turns it goes on for 8 rad and back.
local function coil(make)
  local s = vida.system { "coil", dimension = 3 }
  local b = s:body { "p", mass = 1, inertia = { 2, 2, 2 }, position = { 0, 0, 0 },
    angular_velocity = { 0, 0, 8 } }
  s:revolute { "pin", s.ground, b, axis = { 0, 0, 1 }, at = { 0, 0, 0 } }
  make(s, b)
  return s
end
local function turning(t)
  local angle = 8 * math.sin(t)
  return { positions = { p = { 0, 0, 0 }, ["p.q0"] = math.cos(angle / 2), ["p.q1"] = 0, ["p.q2"] = 0,
    ["p.q3"] = math.sin(angle / 2) } }
end
local rows = rows_of(coil(function(s, b)
  s:torsion_spring { "coil", s.ground, b, axis = { 0, 0, 1 }, stiffness = 2 }
end), 0.5, nil, turning)
for i = 1, #rows do
  assert(rows[i].status == "ANGLE_WRAPS" or rows[i].status == "NOT_SUPPORTED",
    rows[i].method .. ": " .. rows[i].status)
  takers.demand({ "constraints", "no chart", "orientations", "no free bodies" }, rows[i].method,
    rows[i].status == "ANGLE_WRAPS", rows[i].message)
  if rows[i].status == "ANGLE_WRAPS" then
    check.close(tonumber(rows[i].message:match("wraps at t = (%S+) s")), math.asin(math.pi / 8), 0.01)
  end
end
local counted = coil(function(s, b)
  local turned = s:angle { "turned", s.ground, b, axis = { 0, 0, 1 } }
  s:potential { "coil", 0.5 * 2 * turned ^ 2 }
end)
rows = vida.compare { system = counted, time = 6.3, norm = "max",
  reference = { error = 0, exact = function(t)
    local state = turning(t)
    state.positions.turned = 8 * math.sin(t)
    return state
  end },
  methods = { { "radau", rtol = 1e-8 }, { "ida-ggl", rtol = 1e-8 }, { "rattle", h = 0.01 },
    { "generalized-alpha", h = 0.01 } } }:run { quiet = true }
for i = 1, #rows do
  assert(rows[i].status == "ok", rows[i].message)
  check.close(rows[i].position_error, 0, i > 2 and 0.05 or 1e-4) -- a turn is 6.28
end

-- ---- how often ----------------------------------------------------------------------------------

-- x'' = -x from x = 1: x = 0 twice a turn, at t = pi / 2 + k pi; a step of 0.0001 on either side is
-- too small to be seen.
local often = rows_of(particle(function(s, p)
  s:potential { "spring", 0.5 * p.x ^ 2 }
  s:force { "step", { { p.x, vida.where(vida.less(p.x, 0), 1e-4, 0) } } }
end, 1, 0), 10, { { "rattle", h = 0.01 }, { "radau", rtol = 1e-8 } })
for i = 1, #often do
  assert(often[i].message:find("in 3 steps, first at t = 1.57", 1, true), often[i].message)
end

-- ---- branches of angles in time -----------------------------------------------------------------

-- atan2(sin t, cos t) is t - 2 pi from pi on: steps meet the jump. x'' = angle from rest at 0 has
-- x = t^3 / 6 up to pi; with s = t - pi, x = pi^3 / 6 + pi^2 s / 2 - pi s^2 / 2 + s^3 / 6 behind.
local function exact(t)
  local x, v = t ^ 3 / 6, t ^ 2 / 2
  local s = t - math.pi
  if s > 0 then
    x = math.pi ^ 3 / 6 + math.pi ^ 2 * s / 2 - math.pi * s ^ 2 / 2 + s ^ 3 / 6
    v = math.pi ^ 2 / 2 - math.pi * s + s ^ 2 / 2
  end
  return { positions = { p = { x, 0 } }, velocities = { p = { v, 0 } } }
end
local driven = particle(function(s, p)
  s:force { "angle", { { p.x, vida.atan2(vida.sin(s.time), vida.cos(s.time)) } } }
end, 0, 0)
local compared = vida.compare { system = driven, time = 4, norm = "max",
  reference = { exact = exact, error = 0 },
  methods = { { "radau", h = 0.5 }, { "spark-lobatto", h = 0.5, stages = 3 } } }:run { quiet = true }
for i = 1, #compared do
  -- Orders five and four are exact for accelerations linear in t, where steps end at the jump.
  assert(compared[i].status == "ok", compared[i].message)
  check.close(compared[i].position_error, 0, 1e-10)
  assert(not compared[i].message:find("jumps where", 1, true), compared[i].message)
end
