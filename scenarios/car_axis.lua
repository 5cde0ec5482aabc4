-- A car axis on a bumpy road: a stiff mechanism with a constraint that depends on time.
--
-- The left wheel stands still at (0, 0); the right one is at the distance 1 and goes up and down,
-- yb = r sin(w t), xb = sqrt(1 - yb^2). A massless spring stands on each, and the axis of length 1
-- between their upper ends carries the car's mass. The left spring stays at right angles to the
-- line between the wheels.
-- From the test set for initial value problems of the University of Bari (problem "Car Axis"), in
-- its units, without dimensions: springs of stiffness 1 and length 1/2, masses M eps^2 / 2, gravity 1.
-- The set writes G^T lambda with the other sign, and |left - right|^2 - 1: its lambda1 is the negative
-- multiplier of "right angle", its lambda2 the negative half of the tension of "axis".
-- Errors are those of the end in the mixed norm of the set: the column of positions has its mescd, mixed
-- error significant correct digits, -log10 of the largest |q - reference| / (1 + |reference|). The
-- reference at t = 3 was computed in quadruple precision, by extrapolation of order 24; the values that
-- GAMD found in quadruple precision agree with it to 1e-11, older ones of the set have wrong multipliers.

local vida = require "vida"

local time = vida.setting { "time", 3, text = "simulated time" }
local epsilon = vida.setting { "epsilon", 1e-2, text = "1 / eps is the frequency of the springs" }

local mass = 10 * epsilon ^ 2 / 2 -- at each end of the axis
local spring = { stiffness = 1, length = 0.5 }
local r, w = 0.1, 10 -- height and frequency of the bumps

local car = vida.system { "car axis", dimension = 2 }
car:gravity { 0, -1 }
local left = car:particle { "left", mass = mass, position = { 0, 0.5 }, velocity = { -0.5, 0 } }
local right = car:particle { "right", mass = mass, position = { 1, 0.5 }, velocity = { -0.5, 0 } }

local yb = r * vida.sin(w * car.time)
local xb = vida.sqrt(1 - yb ^ 2)
local right_length = vida.norm { right.x - xb, right.y - yb }

car:spring { "left spring", car.ground, left,
  stiffness = spring.stiffness, length = spring.length }
car:potential { "right spring", spring.stiffness / 2 * (right_length - spring.length) ^ 2 }
car:constraint { "right angle", left.x * xb + left.y * yb }
car:distance { "axis", left, right, length = 1 }

local at_3 = {
  t = 3,
  positions = {
    ["left.x"] = 0.049345578427524092132, ["left.y"] = 0.49698946023000810677,
    ["right.x"] = 1.0417425248854261152, ["right.y"] = 0.37391102726536581936,
  },
  velocities = {
    ["left.x"] = -0.077058368403592084284, ["left.y"] = 0.0074468665920684164915,
    ["right.x"] = 0.017556815753754173666, ["right.y"] = 0.77034104377960106312,
  },
  multipliers = { ["right angle"] = 0.0047368865908533265135, axis = 2 * 0.0011046803312595658399 },
}
local is_of_the_set = time == 3 and epsilon == 1e-2

local methods = {}
local function add(list, key, values)
  for _, method in ipairs(list) do
    method[key] = values
    methods[#methods + 1] = method
  end
end

add({ { "del-midpoint" }, { "rattle" }, { "del-endpoint" }, { "generalized-alpha" }, { "hht" },
  { "generalized-alpha", projection = "velocity" } }, "h", { 5e-3, 2e-3, 1e-3, 5e-4 })
add({ { "spark-lobatto" }, { "compose" }, { "radau" } }, "h", { 1e-2, 5e-3, 2e-3 })
add({ { "radau", h = time }, { "ida-ggl", h = time }, { "ida-index2", h = time },
  { "post-stabilized", variant = "s-both2", h = time }, { "coordinate-projection", h = time },
  { "cvode-projected", h = time } }, "rtol", { 1e-4, 1e-6, 1e-8 })

return vida.compare {
  system = car,
  time = time,
  norm = "mixed",
  reference = is_of_the_set
    and { states = { at_3 }, name = "quadruple precision", error = 1e-15 }
    or { "radau", rtol = 1e-12, h = time },
  methods = methods,
}
