-- system:relax: constraints that give way, by their own numbers. Sag m g / k from the equilibrium.
local check = require "check"
local vida = require "vida"

local fails = check.fails_here

local function two_weights()
  local system = vida.system { "weights", dimension = 2 }
  system:gravity { 0, -9.81 }
  local left = system:particle { "left", mass = 2, position = { 0, 0 } }
  local right = system:particle { "right", mass = 2, position = { 1, 0 } }
  system:constraint { "left string", left.y, unit = "m" }
  system:constraint { "right string", right.y, unit = "m" }
  return system
end

local system = two_weights()
system:relax { "left string", compliance = 1e-4, damping_time = 0.05 }
for _, method in ipairs { "spook", "spook-newton" } do
  for _, h in ipairs { 1 / 60, 1 / 600 } do
    local stepper = system:stepper { method, h = h }
    stepper:start()
    assert(stepper:step(math.floor(2 / h + 0.5)))
    local q = stepper:positions()
    check.close(q[2], -2 * 9.81 * 1e-4, 1e-13)
    check.close(q[4], 0, 1e-13)
  end
end

-- Also after the first stepper, for those that start then.
system:relax { "left string", compliance = 3e-4, damping_time = 0.05 }
local stepper = system:stepper { "spook", h = 0.01 }
stepper:start()
stepper:step(200)
check.close(stepper:positions()[2], -2 * 9.81 * 3e-4, 1e-13)

-- All rows of a constraint by its name.
local rows = vida.system { "rows", dimension = 2 }
rows:gravity { 0, -9.81 }
local bob = rows:particle { "bob", mass = 1, position = { 0, 0 } }
rows:add(vida.element { "pin", points = 2, unit = "m", constraint = function(a, b) return b - a end },
  "pin", rows.ground, bob)
fails("has no constraint 'pim'", function() rows:relax { "pim", compliance = 1 } end)
rows:relax { "pin", compliance = 1e-3, damping_time = 0.05 }
local pinned = rows:stepper { "spook", h = 0.01 }
pinned:start()
pinned:step(300)
check.close(pinned:positions()[2], -9.81e-3, 1e-12)

fails("relax: expected a table such as", function() system:relax() end)
fails("did you mean 'left string'?", function() system:relax { "left strin", compliance = 1 } end)
fails("compliance: expected a number not below 0, got -1",
  function() system:relax { "left string", compliance = -1 } end)
fails("unknown key 'complience'; did you mean 'compliance'?",
  function() system:relax { "left string", complience = 1 } end)
fails("damping_time: expected a positive number, got 0", function()
  system:stepper { "spook", h = 0.1, damping_time = 0 }
end)
for _, compliance in ipairs { 0, 1e-6 } do
  fails("damping_time of constraint 'left string': expected a positive number, got 0", function()
    system:relax { "left string", compliance = compliance, damping_time = 0 }
  end)
end

-- The row of a distance is (d^2 - l^2)/(2 l): at rest it is lambda/k, and lambda d/l is the weight.
-- d - l is less than m g/k by 3 m g/(2 k l) of it, but for the square of that.
for _, method in ipairs { "spook", "spook-newton" } do
  for _, stiffness in ipairs { 1e3, 1e4 } do
    local hanging = vida.system { "hanging", dimension = 2 }
    hanging:gravity { 0, -9.81 }
    local weight = hanging:particle { "weight", mass = 1, position = { 0, -2 } }
    hanging:distance { "string", hanging.ground, weight, length = 2 }
    local hung = hanging:stepper { method, h = 1 / 60, compliance = 1 / stiffness, damping_time = 0.1 }
    hung:start()
    assert(hung:step(3000))
    local sag = 0
    for _ = 1, 60 do
      sag = 9.81 / stiffness / ((1 + sag / 4) * (1 + sag / 2))
    end
    check.close(-2 - hung:positions()[2], sag, 1e-13)
    check.close(hung:multipliers()[1], 9.81 / (1 + sag / 2), 1e-9)
    local ratio = 9.81 / stiffness / 2
    check.close(sag, 9.81 / stiffness * (1 - 1.5 * ratio), 9.81 / stiffness * 4 * ratio ^ 2)
  end
end

print "ok"
