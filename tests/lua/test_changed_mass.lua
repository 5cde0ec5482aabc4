-- A mass that depends on a parameter, and steppers that start again after it has changed.
local vida = require "vida"

-- A parameter that changes a mass between two starts of one stepper: steps are those of a new one.
do
  local s = vida.system "changed mass"
  local m = s:parameter { "m", 1 }
  local x, xd = s:coordinate { "x", unit = "m", value = 1, rate = 0 }
  local y, yd = s:coordinate { "y", unit = "m", value = 0, rate = 0 }
  local u, ud = s:coordinate { "u", unit = "m", value = 2, rate = 0 }
  local w, wd = s:coordinate { "w", unit = "m", value = 0.5, rate = 0 }
  s:lagrangian(0.5 * m * (xd ^ 2 + yd ^ 2) + 0.5 * (ud ^ 2 + wd ^ 2) - m * 9.81 * y - 9.81 * w)
  s:constraint { "rod", (x ^ 2 + y ^ 2 - 1) / 2, unit = "m" }
  s:constraint { "rod 2", ((x - u) ^ 2 + (y - w) ^ 2 - 1.25) / 2, unit = "m" }
  for _, method in ipairs { "rattle", "del-endpoint", "del-trapezoidal", "rattle-variable", "compose" } do
    s:set_parameter("m", 1)
    local reused = s:stepper { method, h = 0.01 }
    reused:start()
    reused:step(30)
    s:set_parameter("m", 2)
    reused:start()
    reused:step(300)
    local new = s:stepper { method, h = 0.01 }
    new:start()
    new:step(300)
    for k, place in ipairs(new:positions()) do
      assert(math.abs(reused:positions()[k] - place) < 1e-12, method .. ": the old mass is used")
    end
  end
end

-- A coupled mass m/6 (2, 1; 1, 2) under the uniform force -g/2 (1, 3): both coordinates have the constant
-- accelerations g/m (1, -5), which energy-momentum follows exactly, also after m has changed.
do
  local g = 9.81
  local s = vida.system "coupled mass"
  local m = s:parameter { "m", 1 }
  local x, xd = s:coordinate { "x", unit = "m", value = 1, rate = 0.5 }
  local y, yd = s:coordinate { "y", unit = "m", value = 2, rate = -0.25 }
  s:lagrangian(m / 6 * (xd ^ 2 + xd * yd + yd ^ 2))
  s:potential(g / 2 * (x + 3 * y))
  local stepper = s:stepper { "energy-momentum", h = 0.01 }
  for _, mass in ipairs { 1, 4 } do
    s:set_parameter("m", mass)
    stepper:start()
    stepper:step(100)
    local q, v = stepper:positions(), stepper:velocities()
    local expected = { 1 + 0.5 + g / mass / 2, 2 - 0.25 - 5 * g / mass / 2 }
    local speeds = { 0.5 + g / mass, -0.25 - 5 * g / mass }
    for k = 1, 2 do
      assert(math.abs(q[k] - expected[k]) < 1e-12, "coupled mass: position")
      assert(math.abs(v[k] - speeds[k]) < 1e-12, "coupled mass: velocity")
    end
  end
end
