-- Textbook maps with forces f(q,t) and coupled masses, and what they refuse.
local check = require "check"
local vida = require "vida"

local methods = {
  { "symplectic-euler", 1 }, { "lie-trotter", 1 }, { "verlet", 2 }, { "symplectic-implicit", 2 },
  { "implicit-midpoint", 2 },
}

-- x'' = -4 x + 3 cos t from x = 0, v = 0: x = cos t - cos 2 t. Another coordinate is coupled to it by
-- the mass matrix and feels nothing, so that x + 2 y moves uniformly: with L = x'^2 + x' y' + y'^2, the
-- momentum of y is x' + 2 y', that of x is 2 x' + y' = 3/2 x' + 1/2 (x' + 2 y').
local function driven()
  local system = vida.system "driven"
  local x, xdot = system:coordinate { "x", unit = "m", value = 0, rate = 0 }
  local _, ydot = system:coordinate { "y", unit = "m", value = 1, rate = 0.5 }
  system:kinetic { "both", xdot ^ 2 + xdot * ydot + ydot ^ 2 }
  system:potential { "spring", 3 * x ^ 2 } -- 3/2 x'' = -6 x
  system:force(x, 4.5 * vida.cos(system.time))
  return system
end

for _, method in ipairs(methods) do
  local before
  for _, steps in ipairs { 200, 400, 800, 1600 } do
    local stepper = driven():stepper { method[1], h = 2 / steps }
    stepper:start()
    assert(stepper:step(steps))
    local q, p = stepper:positions(), stepper:momenta()
    local right = math.cos(2) - math.cos(4)
    local off = math.max(math.abs(q[1] - right), math.abs(q[2] - (1 + (2 - right) / 2)))
    check.close(p[2], 1, 1e-14)
    if before then
      check.close(math.log(before / off, 2), method[2], 0.05)
    end
    before = off
  end
end

-- A charge in a magnetic field goes round: implicit-midpoint keeps its speed, by H being quadratic.
local charge = vida.system { "charge", dimension = 2 }
local x, xdot = charge:coordinate { "x", unit = "m", value = 1, rate = 0 }
local y, ydot = charge:coordinate { "y", unit = "m", value = 0, rate = 1 }
charge:lagrangian { "field", 0.5 * (xdot ^ 2 + ydot ^ 2) + 1.5 * (x * ydot - y * xdot) }
local stepper = charge:stepper { "implicit-midpoint", h = 0.1 }
stepper:start()
for _ = 1, 1000 do
  assert(stepper:step())
  check.close(stepper:energy(), 0.5, 1e-14)
end

-- Friction is no force of positions and time: only implicit-midpoint takes it.
local damped = driven()
local z, zdot = damped:coordinate { "z", unit = "m", value = 1, rate = 1 }
damped:kinetic { "third", zdot ^ 2 / 2 }
damped:potential { "hold", z ^ 2 }
damped:rayleigh(0.1 * zdot ^ 2)
for k, method in ipairs(methods) do
  if k < #methods then
    local message = check.fails("velocity-dependent potential or force acts on 'z'",
      function() damped:stepper { method[1], h = 0.01 } end)
    assert(message:find("these can: del-midpoint", 1, true), message)
  else
    damped:stepper({ method[1], h = 0.01 }):start()
  end
end

print("ok")
