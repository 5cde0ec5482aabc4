-- Starts where an angle or a rate is 0: what rounding makes of it has no size of its own to be judged by, and
-- is no violation. Expected values are by hand.
local vida = require "vida"
local check = require "check"

local function slider(change)
  local s = vida.system { "slider", dimension = 2 }
  local given = { "c", mass = 1, inertia = 0.01, position = { 1, 0 } }
  for key, value in pairs(change.body or {}) do
    given[key] = value
  end
  local c = s:body(given)
  local p = s:particle { "p", mass = 1, position = change.bob or { 1, 1 }, velocity = change.velocity }
  if change.own_axes then
    s:prismatic { "guide", s.ground, c:point { 0, 0 }, axis = { { 1, 0 }, c:direction { 1, 0 } } }
  else
    s:prismatic { "guide", s.ground, c, at = { 0, 0 }, axis = { 1, 0 } }
  end
  s:distance { "rod", c:point { 0, 0 }, p, length = change.length or 1.01 }
  return s
end

-- Positions and velocities of the start: of c x, y and angle, of p x and y; the notes.
local function start(s, adjust)
  local stepper = s:stepper { "rattle", h = 0.01 }
  local notes = stepper:start { adjust_start = adjust }
  return stepper:positions(), stepper:velocities(), notes
end

-- ---- a rod that is off beside an angle of 0 -----------------------------------------------------

local q, _, notes = start(slider {}, true)
check.close(q[3], 0, 1e-20)
check.close(q[5], 1.01, 1e-14)
assert(notes:find("'rod'", 1, true) and notes:find("p.y from 1 to 1.01", 1, true), notes)
-- a body at the origin, with no length but that of the rod
q = start(slider { body = { position = { 0, 0 } }, bob = { 0, 1 } }, true)
check.close(q[3], 0, 1e-20)
check.close(q[5], 1.01, 1e-14)
-- it is the rod that is named
check.fails("violate constraint 'rod' by", start, slider {}, false)

-- ---- a rate that is off beside one of 0 ---------------------------------------------------------

local v
q, v, notes = start(slider { length = 1, velocity = { 0.2, 0.3 } }, true)
check.close(q[3], 0, 1e-20)
check.close(v[3], 0, 1e-20)
check.close(v[4], 0.2, 1e-14)
check.close(v[5], 0, 1e-14)
assert(notes:find("'rod'", 1, true) and notes:find("d p.y/dt from 0.3 to", 1, true), notes)
check.fails("violate constraint 'rod' by", start, slider { length = 1, velocity = { 0.2, 0.3 } }, false)

-- ---- a free position with an angle to be found --------------------------------------------------

for _, guess in ipairs { false, true } do
  local free = slider { length = 1.25, own_axes = true,
    body = { position = { vida.free { near = 0.9 }, 0 }, guess = guess }, bob = { 1.75, 1 } }
  q = start(free, false)
  check.close(q[1], 1, 1e-14) -- 3-4-5 triangle
  check.close(q[3], 0, 1e-20)
end

-- ---- what is off by more than rounding is refused as before -------------------------------------

for _, angle in ipairs { 1e-6, 1e-12 } do
  local turned = vida.system { "turned", dimension = 2 }
  local c = turned:body { "c", mass = 1, inertia = 0.01, position = { 1, 0 }, angle = angle }
  turned:prismatic { "guide", turned.ground, c:point { 0, 0 }, axis = { { 1, 0 }, c:direction { 1, 0 } } }
  check.fails("violate constraint 'guide: turn' by", start, turned, false)
  q = start(turned, true)
  check.close(q[3], 0, 1e-20)
end

-- ---- at rest, what rounding makes of no energy is no gain ---------------------------------------

local function messages(s, methods)
  for _, row in ipairs(vida.compare { system = s, time = 1, adjust_start = true, methods = methods }
    :run { quiet = true }) do
    assert(row.status == "ok" and row.message == "", row.method .. ": " .. row.message)
    assert(row.energy_error < 1e-25, row.method)
  end
end

for _, guess in ipairs { false, true } do
  local resting = slider { length = 1.01, own_axes = true,
    body = { position = { vida.free { near = 0.9 }, 0 }, guess = guess }, bob = { 1, 1 } }
  messages(resting, { { "rattle", h = 0.01 }, { "del-midpoint", h = 0.01 }, { "post-stabilized", h = 0.01 },
    { "energy-momentum", h = 0.01 }, { "ida-ggl", rtol = 1e-6 }, { "radau", rtol = 1e-6 },
    { "hht", h = 0.01 }, { "baumgarte", h = 0.01 } })
end

-- ---- at rest but for rounding, a reference begins with a step of its output ----------------------

-- The rate of x is off and becomes 0 by redundant rows, to rounding: y = t, or nothing moves.
for _, rate in ipairs { 0, 1 } do
  local wall = vida.system { "wall", dimension = 2 }
  local p = wall:particle { "p", mass = 1, position = { 1, 0 }, velocity = { 0.3, rate } }
  wall:constraint { "a", p.x - 1 }
  wall:constraint { "b", p.x ^ 2 - 1 }
  local methods = {}
  for _, name in ipairs { "ida-index3", "ida-index2", "ida-ggl", "ida-index1" } do
    methods[#methods + 1] = { name, rtol = { 1e-4, 1e-10 } }
  end
  local rows = vida.compare { system = wall, time = 1, adjust_start = true, methods = methods }
    :run { quiet = true }
  for _, row in ipairs(rows) do
    assert(row.status == "ok", row.method .. ": " .. row.message)
    check.close(row.energy_error, 0, 1e-12)
  end
end
