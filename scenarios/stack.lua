-- A stack of boxes in the plane is dropped and comes to rest, with contacts at the corners.
--
-- Each box has two corners on the upper face of the box below, a line fixed in that box (`curve_contact`),
-- with dry friction. The boxes are a little beside each other, and begin 1 cm apart.
-- SPOOK (C. Lacoursiere, "Regularized, stabilized, variational methods for multibodies", 2007) lets a closed
-- contact yield by the compliance times its force: at rest the lowest gaps are those of half the weight of
-- the stack, -compliance n m g / 2 = -0.078 mm, and while the boxes fall onto each other some times that.
-- moreau-jean keeps what contacts had penetrated by when they closed: a part of a step at the speed of the
-- impact, some millimetres here. The observable "depth" is the deepest gap. In both the energy never rises
-- above that of the start. Units: kg, m, s.

local vida = require "vida"

local count = vida.setting { "count", 8, text = "number of boxes" }
local time = vida.setting { "time", 5, unit = "s", text = "simulated time" }
local h = vida.setting { "h", 0.005, unit = "s", text = "step" }

local mass, width, height, g, friction = 2, 0.4, 0.2, 9.81, 0.5
local apart, compliance = 0.01, 1e-6

local s = vida.system { "stack", dimension = 2 }
s:gravity { 0, -g }
local depth, below = 0, s.ground
for i = 1, count do
  local box = s:body { ("box %d"):format(i), mass = mass, inertia = mass * (width ^ 2 + height ^ 2) / 12,
    position = { 0.01 * (i % 3 - 1), (i - 0.5) * height + i * apart } }
  local face = i == 1 and 0 or height / 2 -- of what is below, from its centre
  for _, corner_of in ipairs { { "left", -width / 2 }, { "right", width / 2 } } do
    local name, side = table.unpack(corner_of)
    local corner = box:point { side, -height / 2 }
    s:curve_contact { ("%s of box %d"):format(name, i), below, corner, friction = friction,
      curve = function(_, y) return y - face end }
    local down = corner.position - (i == 1 and vida.vector { 0, 0 } or below.position)
    local tilt = i == 1 and 0 or below.angle
    depth = vida.min(depth, vida.cos(tilt) * down.y - vida.sin(tilt) * down.x - face)
  end
  s:draw { ("box %d"):format(i), box:point { -width / 2, -height / 2 }, box:point { width / 2, -height / 2 },
    box:point { width / 2, height / 2 }, box:point { -width / 2, height / 2 }, closed = true, style = "body" }
  below = box
end
s:observe { "depth", depth, unit = "m" }

return vida.compare {
  system = s, time = time,
  methods = {
    { "spook", h = { h, h / 2 }, compliance = compliance },
    { "moreau-jean", h = { h, h / 2 } },
  },
}
