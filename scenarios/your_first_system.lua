-- A first system of your own: a mass on a spring that swings in a plane.
--
-- VIDA has particles, springs and rods, but it also takes any Lagrangian that you can write down.
-- Here the mass is described by two numbers, its distance r from the pivot and the angle theta from
-- the vertical. Nothing is derived by hand: the derivatives come from the formula.
-- Units: kg, m, s, rad.

-- The module. Everything below is called vida.something or is a method of the system.
local vida = require "vida"

-- Constants are plain Lua numbers. A setting can be changed from outside: --set stiffness=60
local mass = 1.0 -- kg
local length = 1.0 -- of the spring at rest, m
local gravity = 9.81 -- m/s^2
local stiffness = vida.setting { "stiffness", 40, unit = "N/m", text = "of the spring" }

-- The system starts empty. Its name is the heading of the table that is printed.
local swing = vida.system "spring pendulum"

-- Two coordinates, each with its value and rate at the start (rate = 0 if it is left out). What
-- comes back are expressions, symbols for the position and the rate at any time.
local r, rdot = swing:coordinate { "r", unit = "m", value = 1.3, rate = 0 }
local theta, thetadot = swing:coordinate { "theta", unit = "rad", value = 0.8, rate = 0 }

-- Expressions are calculated with like numbers: + - * / ^ and vida.cos, vida.sqrt, ... (math.cos
-- only knows numbers). A comparison such as r > 1 has no answer here; see vida.where.
local kinetic = mass / 2 * (rdot ^ 2 + r ^ 2 * thetadot ^ 2)
local weight = mass * gravity * r * vida.cos(theta) -- minus the potential energy: theta = 0 is down
local spring = stiffness / 2 * (r - length) ^ 2

-- The Lagrangian. Parts may be added one by one; a name shows up in messages. Something to try:
-- swing:constraint { "stiff", r - 1.3, unit = "m" } makes a rod of the spring.
-- What there is to see in the animation of a report; it has no part in the motion.
swing:draw { "spring", { 0, 0 }, { r * vida.sin(theta), -r * vida.cos(theta) }, style = "spring" }

swing:lagrangian { "spring pendulum", kinetic + weight - spring }

-- The steps to compare, in s.
local steps = { 2e-2, 1e-2, 5e-3, 2e-3 }

-- A scenario returns its comparison: each method with each step, measured against the reference.
-- del-endpoint is here to show that it is of first order when the kinetic energy depends on
-- positions, as it does on r; the other two are of second order: half the step, a quarter of the
-- error. energy-momentum needs a constant mass matrix and refuses this system.
return vida.compare {
  system = swing,
  time = 10,
  reference = { "rattle", h = 1e-4 },
  methods = {
    { "del-midpoint", h = steps },
    { "rattle", h = steps },
    { "del-endpoint", h = steps },
  },
}
