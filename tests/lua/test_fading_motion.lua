-- First steps from rest: motions that fade out along a mechanism, and tensions far larger than loads.
local check = require "check"
local vida = require "vida"

-- The ladder of Lacoursiere 2007, section 6, in plain coordinates: rods as centres and unit vectors,
-- horizontal and at rest. It begins to fall at its far end; along it the motion of the first steps
-- falls below 1e-50.
local function ladder(cells)
  local mass, length, gravity = 10, 1, 9.81
  local s = vida.system { "ladder", dimension = 2 }
  local rods = {}
  local function add_rod(j, x, y, angle)
    local c, d = math.cos(angle), math.sin(angle)
    local q, v = {}, {}
    for k, value in ipairs { x + c / 2, y + d / 2, c, d } do
      q[k], v[k] = s:coordinate { ("rod %d.%d"):format(j, k), value = value, rate = 0 }
    end
    s:lagrangian(mass / 2 * (v[1] ^ 2 + v[2] ^ 2 + (v[3] ^ 2 + v[4] ^ 2) / 12) - mass * gravity * q[2])
    s:constraint { ("unit %d"):format(j), (q[3] ^ 2 + q[4] ^ 2 - 1) / 2 }
    rods[j] = q
  end
  add_rod(1, 0, 0, math.pi / 2)
  add_rod(2, 0, 0, 0)
  for k = 1, cells do
    add_rod(3 * k, k - 1, length, 0)
    add_rod(3 * k + 1, k, 0, math.pi / 2)
    if k < cells then
      add_rod(3 * k + 2, k, 0, 0)
    end
  end
  for j, q in ipairs(rods) do
    local below = rods[j % 3 == 2 and j - 3 or j - 2]
    for c = 1, 2 do
      local at = j > 2 and below[c] + below[c + 2] / 2 or 0
      s:constraint { ("tail %d.%d"):format(j, c), q[c] - q[c + 2] / 2 - at }
      if j % 3 == 0 then
        local other = rods[j + 1]
        s:constraint { ("heads %d.%d"):format(j, c), q[c] + (q[c + 2] - other[c + 2]) / 2 - other[c] }
      end
    end
  end
  return s
end

local methods = { "energy-momentum", "energy-momentum-projected", "energy-momentum-ggl",
  "del-endpoint", "del-midpoint", "rattle" }
for _, cells in ipairs { 16, 24, 64 } do
  local s = ladder(cells)
  for _, method in ipairs(methods) do
    for _, h in ipairs { 1 / 60, 1e-3 } do
      local stepper = s:stepper { method, h = h }
      stepper:start()
      local before = stepper:energy()
      for _ = 1, 6 do
        stepper:step()
      end
      local g = stepper:constraint_errors()
      assert(g < 1e-13, ("%s, %d cells: |g| = %g"):format(method, cells, g))
      if method == "energy-momentum" then
        check.close(stepper:energy(), before, 1e-14 * 3 * cells * 10 * 9.81)
      end
    end
  end
end

-- A straight chain of 1000 links that hangs at an angle: its tension is a thousand times the weight of
-- a link. Newton's method takes a few iterations from the first step on.
local links = 1000
local chain = vida.system { "chain", dimension = 2 }
chain:gravity { 0, -9.81 }
local last = chain.ground
for i = 1, links do
  local at = i / links
  local place = { at * math.cos(-0.5), at * math.sin(-0.5) }
  local p = chain:particle { ("p%d"):format(i), mass = 1 / links, position = place }
  chain:distance { ("d%d"):format(i), last, p, length = 1 / links }
  last = p
end
for _, method in ipairs { "energy-momentum", "del-midpoint", "rattle" } do
  local stepper = chain:stepper { method, h = 1e-3 }
  stepper:start()
  stepper:step()
  local count = stepper:statistics().newton_iterations
  assert(count <= 8, ("%s: %d iterations"):format(method, count))
end
