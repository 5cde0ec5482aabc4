-- Steps in which a constraint turns farther than a method resolves: the run ends with TURN_TOO_FAR, or its
-- motion is that of the closed form.
local vida = require "vida"

local function is_refused(message)
  return message:find("turns too far in the step", 1, true)
    or message:find("turns back in the step, against the rates", 1, true)
    or message:find("the step is too large", 1, true)
    or message:find("the equations of the step were not solved", 1, true)
    or message:find("another branch of the constraints", 1, true)
end

-- Steps until `time`; returns the positions, or nil if the run was refused with one of these messages.
local function run(system, options, time)
  local stepper = system:stepper(options)
  stepper:start()
  local good, message = stepper:step(math.floor(time / options.h + 0.5))
  assert(good or is_refused(message), message)
  return good and stepper:positions()
end

local methods = { { "energy-momentum-ggl" }, { "energy-momentum-projected" }, { "radau", stages = 3 } }
for stages = 1, 4 do
  methods[#methods + 1] = { "energy-collocation", stages = stages }
  methods[#methods + 1] = stages > 1 and { "spark-lobatto", stages = stages } or nil
end

-- A pendulum of 1 m that is released from the horizontal, g such that its period is 2.00000032988504 s:
-- pi / (2 agm(1, sqrt(2) / 2)) times that of small swings. At t = 1 s it is at (-1, 0), at 2 s at (1, 0).
local function pendulum()
  local s = vida.system { "pendulum", dimension = 2 }
  s:gravity { 0, -13.7503671 }
  local bob = s:particle { "bob", mass = 1, position = { 1, 0 } }
  s:distance { "rod", s.ground, bob, length = 1 }
  return s
end

-- A cart of 0.01 kg on a rail and a bob of 100 kg, 1 m apart, released at 30 degrees: the bob falls almost
-- freely, and passes below the cart at 0.165442893109 s and a half period of 0.330885787 s later. Between
-- the two the cart is on the other side.
local function whip()
  local s = vida.system { "whip", dimension = 2 }
  s:gravity { 0, -9.81 }
  local cart = s:particle { "cart", mass = 0.01, position = { 0, 0 } }
  local bob = s:particle { "bob", mass = 100, position = { 0.5, -math.sqrt(0.75) } }
  s:constraint { "rail", cart.y }
  s:distance { "rod", cart, bob, length = 1 }
  return s
end

-- The stages of radau are no option.
local function options_of(method, h)
  return { method[1], stages = method[1] ~= "radau" and method.stages or nil, h = h }
end

local refused, taken = 0, 0
for _, method in ipairs(methods) do
  for _, h in ipairs { 1, 0.5, 0.25 } do
    local q = run(pendulum(), options_of(method, h), 2)
    local stages = method.stages or 1
    refused, taken = refused + (q and 0 or 1), taken + (q and 1 or 0)
    -- A quarter of a radian per step and polynomial leaves less than that.
    assert(not q or (q[1] > 0.5 and math.abs(q[2]) < 0.9), ("%s, %d, h = %g"):format(method[1], stages, h))
    assert(not q or h < 1 or stages > 1)
  end
  for _, h in ipairs { 0.08, 0.05, 0.025, 0.02, 0.01, 0.005 } do
    local time = h * math.floor(0.25 / h + 0.5)
    local q = run(whip(), options_of(method, h), time)
    refused, taken = refused + (q and 0 or 1), taken + (q and 1 or 0)
    assert(not q or q[1] > q[3], ("%s, %s, h = %g: the cart has not passed the bob"):format(method[1],
      method.stages or "", h))
  end
end
assert(refused >= 30 and taken >= 30, ("%d refused, %d taken"):format(refused, taken))
