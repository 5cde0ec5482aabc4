-- Work and precision of the methods for nonholonomic constraints: what one digit more costs.
--
-- 1. A skate with a trailer slides down an incline: a rod whose front carries a knife edge along it, and
--    behind it a mass on a second rod. Rows of positions and of velocities together, constant masses.
-- 2. A thin disk rolls on a table (rolling_disk.lua): a quaternion body, whose mass matrix changes.
-- gni: S. Ferraro, D. Iglesias and D. Martin de Diego, Discrete Contin. Dyn. Syst. Suppl. (2009) 220-229;
-- spark-nonholonomic: L. O. Jay, "Lagrange-d'Alembert SPARK integrators for nonholonomic Lagrangian systems"
-- (2009), with 3 and 4 stages; beside them the discrete Lagrange-d'Alembert equations, their compositions,
-- and what DAE solvers do for a tolerance. Units: kg, m, s.

local vida = require "vida"
local precision = require "parts.precision"

local finest = vida.setting { "finest", 6, text = "digits of the finest level" }
local time = vida.setting { "time", 2, unit = "s", text = "simulated time" }

local function skate()
  local system = vida.system { "skate with trailer", dimension = 2 }
  system:gravity { 3, 0 }
  local front = system:particle { "front", mass = 1.2, position = { 0.6, 0 }, velocity = { 0.7, 0 } }
  local rear = system:particle { "rear", mass = 0.8, position = { -0.6, 0 }, velocity = { 0.7, -1.8 } }
  local trailer = system:particle { "trailer", mass = 0.5, position = { -1.4, 0 }, velocity = { 0.7, -1.1 } }
  system:distance { "runner", front, rear, length = 1.2 }
  system:distance { "bar", rear, trailer, length = 0.8 }
  system:nonholonomic { "edge", front.vx * (front.y - rear.y) - front.vy * (front.x - rear.x), unit = "m2/s" }
  return system
end

local function disk()
  local lean = 0.2
  local turned = { math.cos(lean / 2), math.sin(lean / 2), 0, 0 }
  local axle, up = vida.rotate(turned, { 0, 1, 0 }), vida.rotate(turned, { 0, 0, 1 })
  local spin = vida.vector { 0, 0, 1 } - 1.4912814078893 * axle
  local system = vida.system "rolling disk"
  system:gravity { 0, 0, -9.81 }
  local body = system:body { "disk", mass = 1, inertia = { 0.25, 0.5, 0.25 }, orientation = turned,
    position = up, angular_velocity = spin, velocity = vida.cross(spin, up) }
  system:rolling_disk { "rolling", body, radius = 1, axis = { 0, 1, 0 } }
  return system
end

local function compare(system)
  local runs = precision(time, finest)
  runs:steps(20, 2, { { "gni" }, { "del-nonholonomic" } })
  runs:steps(5, 4, { { "spark-nonholonomic" }, { "compose", base = "del-nonholonomic" } })
  runs:steps(3, 6, { { "spark-nonholonomic", stages = 4 } })
  runs:tolerances { { "radau" }, { "ida-ggl" }, { "half-explicit" }, { "coordinate-projection" } }
  return vida.work_precision {
    system = system, time = time, norm = "end", reference = "auto", methods = runs.methods,
  }
end

return { compare(skate()), compare(disk()) }
