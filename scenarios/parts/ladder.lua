-- The ladder of rigid rods of C. Lacoursiere, "Regularized, stabilized, variational methods for
-- multibodies" (2007), section 6, for ladder.lua and spook_ladder.lua.
--
-- Every rod has its centre and a unit vector u as coordinates and the inertia m l^2 / 12 on u. Of the
-- 4 + 3 (N - 1) rods, 1 and 2 have their tails at the origin; the tail of rod j is at the head of rod
-- j - 3 where mod(j, 3) = 2, else at the head of rod j - 2; and rods 3k and 3k + 1 meet with their
-- heads. Each of the N cells is a closed loop, and the ladder has N + 1 degrees of freedom. Every rod
-- weighs 10 kg and is 1 m long. The ladder starts at rest and horizontally.
--
-- All rods share one element and all joints of a kind another, so that ladders of thousands of rods
-- are ready in no time.

local vida = require "vida"

local mass, length = 10, 1 -- kg, m
local right, up = 0, math.pi / 2 -- rad

local function add_rod(ladder, rods, j, x, y, angle)
  rods[j] = ladder:rod { ("rod %d"):format(j),
    mass = mass, length = length, angle = angle,
    centre = { x + length / 2 * math.cos(angle), y + length / 2 * math.sin(angle) },
  }
end

local function add_rods(ladder, cells)
  local rods = {}
  add_rod(ladder, rods, 1, 0, 0, up)
  add_rod(ladder, rods, 2, 0, 0, right)
  for k = 1, cells do
    add_rod(ladder, rods, 3 * k, (k - 1) * length, length, right)
    add_rod(ladder, rods, 3 * k + 1, k * length, 0, up)
    if k < cells then
      add_rod(ladder, rods, 3 * k + 2, k * length, 0, right)
    end
  end
  return rods
end

-- Pairs of points that meet, with the name of their joint.
local function find_joints(ladder, rods)
  local joints = {}
  for j, rod in ipairs(rods) do
    local below = j <= 2 and ladder.ground or rods[j % 3 == 2 and j - 3 or j - 2].head
    joints[#joints + 1] = { ("tail %d"):format(j), below, rod.tail }
    if j % 3 == 0 then
      joints[#joints + 1] = { ("heads %d"):format(j), rod.head, rods[j + 1].head }
    end
  end
  return joints
end

-- The root mean square of all rows of constraints, for figures 5 and 6.
local function observe_violation(ladder, rods, joints)
  local sum = 0
  for _, rod in ipairs(rods) do
    local u = (rod.head.position - rod.tail.position) / length
    sum = sum + ((vida.dot(u, u) - 1) / 2) ^ 2
  end
  for _, joint in ipairs(joints) do
    local gap = joint[3].position - joint[2].position
    sum = sum + vida.dot(gap, gap)
  end
  ladder:observe { "violation", vida.sqrt(sum / (#rods + 2 * #joints)) }
end

-- A ladder with so many cells, under so much gravity (m/s^2), and its rods.
return function(cells, gravity, with_violation)
  assert(cells >= 1 and cells % 1 == 0, "cells: expected a whole number, at least 1")
  local ladder = vida.system { "ladder", dimension = 2 }
  ladder:gravity { 0, -gravity }
  local rods = add_rods(ladder, cells)
  local joints = find_joints(ladder, rods)
  for _, joint in ipairs(joints) do
    ladder:revolute { table.unpack(joint) }
  end
  if with_violation then
    observe_violation(ladder, rods, joints)
  end
  return ladder, rods
end
