-- A car axis on a bumpy road: a stiff mechanism with a constraint that depends on time.
--
-- The left wheel stands still at (0, 0); the right one is at the distance 1 and goes up and down,
-- yb = r sin(w t), xb = sqrt(1 - yb^2). A massless spring stands on each, and the axis of length 1
-- between their upper ends carries the car's mass. The left spring stays at right angles to the
-- line between the wheels.
-- From the test set for initial value problems of the University of Bari (problem "Car Axis"), in
-- its units, without dimensions: springs of stiffness 1 and length 1/2, masses M eps^2 / 2, gravity 1.
-- At t = 3 the left end is at (0.0493455784275, 0.4969894602300). The set writes G^T lambda with the
-- other sign, and |left - right|^2 - 1: its lambda1 is the negative multiplier of "right angle", its
-- lambda2 the negative half of the tension of "axis".

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

local steps = { 5e-3, 2e-3, 1e-3, 5e-4 }

return vida.compare {
  system = car,
  time = time,
  reference = { "rattle", h = 1e-5 },
  methods = {
    { "del-midpoint", h = steps },
    { "rattle", h = steps },
    { "del-endpoint", h = steps },
  },
}
