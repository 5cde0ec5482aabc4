-- A pile of 200 spheres falls into a box and comes to rest: contacts with dry friction by time stepping.
--
-- Every sphere may touch every other one, the floor and four walls: 20900 contacts, of which some 700 are
-- closed in the end. SPOOK (C. Lacoursiere, "Regularized, stabilized, variational methods for
-- multibodies", 2007) lets closed contacts yield by the compliance times their force: by less than 1 mm
-- here, under 8 layers of 1 kg with 1e-5 m/N. moreau-jean keeps the rates of closed gaps, and what they
-- had penetrated by when they closed: a part of a step at the speed of the impact. In both the energy
-- never rises above that of the start. A step costs what the pairs cost whose gaps are evaluated, and what
-- the closed contacts cost. Units: kg, m, s.

local vida = require "vida"

local count = vida.setting { "count", 200, text = "number of spheres" }
local time = vida.setting { "time", 60, unit = "s", text = "simulated time" }
local h = vida.setting { "h", 0.01, unit = "s", text = "step" }

local radius, friction, side = 0.5, 0.3, 5 -- spheres along an edge of the box
local width = 1.2 * side * 2 * radius

local function new_pile()
  local pile = vida.system "pile"
  pile:gravity { 0, 0, -9.81 }
  local spheres, seed = {}, 1
  local function jitter() -- Lehmer's generator: the same pile everywhere
    seed = seed * 16807 % 2147483647
    return 0.1 * seed / 2147483647
  end
  local walls = {
    { { 1, 0, 0 }, 0 }, { { -1, 0, 0 }, -width }, { { 0, 1, 0 }, 0 }, { { 0, -1, 0 }, -width },
  }
  for i = 1, count do
    local k = i - 1
    local x, y, z = k % side, k // side % side, k // side ^ 2
    local sphere = pile:particle { ("sphere %d"):format(i), mass = 1,
      position = { 1.1 * x + 0.5 + jitter(), 1.1 * y + 0.5 + jitter(), 1.1 * z + 0.55 } }
    pile:plane_contact { ("floor %d"):format(i), sphere, radius = radius, friction = friction }
    for number, wall in ipairs(walls) do
      pile:plane_contact { ("wall %d, %d"):format(number, i), sphere, radius = radius,
        normal = wall[1], height = wall[2] }
    end
    for other = 1, k do
      pile:sphere_contact { ("spheres %d, %d"):format(other, i), spheres[other], sphere,
        radii = { radius, radius }, friction = friction }
    end
    spheres[i] = sphere
  end
  return pile
end

return vida.compare {
  system = new_pile(),
  time = time,
  methods = {
    { "spook", h = h, compliance = 1e-5, accuracy = 1e-4 },
    { "moreau-jean", h = h, accuracy = 1e-4 },
  },
}
