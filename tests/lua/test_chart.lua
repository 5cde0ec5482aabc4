-- system:chart: coordinates of the constraint manifold, for del-chart.
local check = require "check"
local vida = require "vida"

local sin, cos = vida.sin, vida.cos

-- The double spherical pendulum of Wendlandt and Marsden 1997, section 5.2, in angles of the rods.
local function double_pendulum()
  local system = vida.system "double spherical pendulum"
  system:gravity { 0, 0, -9.81 }
  local upper = system:particle { "upper", mass = 2.0, position = { 2.820, 0.025, vida.free(-1) },
    velocity = { 3.381, 2.506, vida.free() } }
  local lower = system:particle { "lower", mass = 3.5, position = { 5.085, 0.105, vida.free(-1) },
    velocity = { 2.497, 10.495, vida.free() } }
  system:distance { "upper rod", system.ground, upper, length = 4.0 }
  system:distance { "lower rod", upper, lower, length = 3.0 }
  return system, upper, lower
end

local function run(system, method, h, steps)
  local stepper = system:stepper { method, h = h }
  stepper:start()
  assert(stepper:step(steps))
  return stepper
end

-- ---- Theorem 1: the steps of del-midpoint, in whatever angles -------------------------------------
do
  local system, upper, lower = double_pendulum()
  system:chart {
    coordinates = { { "theta1", near = 0.5 }, "phi1", { "theta2", near = 0.5 }, "phi2" },
    embedding = function(theta1, phi1, theta2, phi2)
      local x = 4 * sin(theta1) * cos(phi1)
      local y = 4 * sin(theta1) * sin(phi1)
      local z = -4 * cos(theta1)
      return {
        [upper] = { x, y, z },
        [lower] = { x + 3 * sin(theta2) * cos(phi2), y + 3 * sin(theta2) * sin(phi2),
          z - 3 * cos(theta2) },
      }
    end,
  }
  local chart, ambient = run(system, "del-chart", 1e-2, 1000), run(system, "del-midpoint", 1e-2, 1000)
  local q, expected = chart:positions(), ambient:positions()
  local p, momenta = chart:momenta(), ambient:momenta()
  local forces, tensions = chart:multipliers(), ambient:multipliers()
  for i = 1, 6 do
    check.close(q[i], expected[i], 1e-10)
    check.close(p[i], momenta[i], 1e-9)
  end
  for i = 1, 2 do
    check.close(forces[i], tensions[i], 1e-8)
  end
end

-- Heights instead of angles, by names and by coordinates, on the side where they are a chart: the
-- pendulum below the horizontal.
do
  local system = vida.system { "pendulum", dimension = 2 }
  system:gravity { 0, -9.81 }
  local bob = system:particle { "bob", mass = 1.3, position = { 0.3, vida.free(-1) } }
  system:distance { "rod", system.ground, bob, length = 0.8 }
  system:chart {
    coordinates = { "x" },
    embedding = function(x)
      return { [bob.x] = x, ["bob.y"] = -vida.sqrt(0.64 - x ^ 2) }
    end,
  }
  local q = run(system, "del-chart", 1e-2, 500):positions()
  local expected = run(system, "del-midpoint", 1e-2, 500):positions()
  check.close(q[1], expected[1], 1e-11)
  check.close(q[2], expected[2], 1e-11)
end

-- Parameters may be in the embedding; a new value takes effect with the next start. Forces of friction
-- and of a motor are shared by both ends of a step, as del-midpoint shares them.
do
  local system = vida.system { "pendulum", dimension = 2 }
  system:gravity { 0, -9.81 }
  local length = system:parameter { "length", 0.8 }
  local bob = system:particle { "bob", mass = 1.3, position = { 0.48, -0.64 } }
  system:constraint { "rod", 0.5 * (bob.x ^ 2 + bob.y ^ 2 - length ^ 2), unit = "m" }
  system:force { "friction", bob, { -0.3 * bob.vx, -0.3 * bob.vy } }
  local torque = 2 * sin(3 * system.time)
  system:force { "motor", bob, { -torque * bob.y, torque * bob.x } }
  system:chart {
    coordinates = { { "angle", near = 0.5 } },
    embedding = function(angle) return { [bob] = { length * sin(angle), -length * cos(angle) } } end,
  }
  for _, value in ipairs { 0.8, 1.6 } do
    system:set_parameter("length", value)
    local start = { 0.6 * value, -0.8 * value }
    local ends = {}
    for i, method in ipairs { "del-chart", "del-midpoint" } do
      local stepper = system:stepper { method, h = 1e-2 }
      stepper:start(0, start, { 0, 0 })
      assert(stepper:step(1000))
      ends[i] = { q = stepper:positions(), force = stepper:multipliers()[1] }
    end
    for i = 1, 2 do
      check.close(ends[1].q[i], ends[2].q[i], 1e-11)
    end
    check.close(ends[1].force, ends[2].force, 1e-8)
    check.close(math.sqrt(ends[1].q[1] ^ 2 + ends[1].q[2] ^ 2), value, 1e-14)
  end
end

-- The free rigid body in unit quaternions (Wendlandt and Marsden 1997, eq. 5.3), whose mass matrix
-- depends on q and is singular along q; the chart are Cardan angles.
do
  local system = vida.system "rigid body"
  local q, v = {}, {}
  local names, start = { "a", "b", "c", "d" }, { 1, 0, 0, 0 }
  local rate = { 0, 0.05, 0.1, 0.9 } -- half of the angular velocity, rad/s
  for i = 1, 4 do
    q[i], v[i] = system:coordinate { names[i], value = start[i], rate = rate[i] }
  end
  local a, b, c, d = q[1], q[2], q[3], q[4]
  local omega = {
    2 * (a * v[2] - b * v[1] - c * v[4] + d * v[3]),
    2 * (a * v[3] + b * v[4] - c * v[1] - d * v[2]),
    2 * (a * v[4] - b * v[3] + c * v[2] - d * v[1]),
  }
  system:lagrangian(0.5 * (1.0 * omega[1] ^ 2 + 1.5 * omega[2] ^ 2 + 2.2 * omega[3] ^ 2))
  system:constraint { "unit", 0.5 * (a ^ 2 + b ^ 2 + c ^ 2 + d ^ 2 - 1) }
  system:chart {
    coordinates = { "yaw", "pitch", "roll" },
    embedding = function(yaw, pitch, roll)
      local cy, sy = cos(yaw / 2), sin(yaw / 2)
      local cp, sp = cos(pitch / 2), sin(pitch / 2)
      local cr, sr = cos(roll / 2), sin(roll / 2)
      return {
        [a] = cy * cp * cr + sy * sp * sr,
        [b] = cy * cp * sr - sy * sp * cr,
        [c] = cy * sp * cr + sy * cp * sr,
        [d] = sy * cp * cr - cy * sp * sr,
      }
    end,
  }
  local chart, ambient = run(system, "del-chart", 1e-2, 1000), run(system, "del-midpoint", 1e-2, 1000)
  for i = 1, 4 do
    check.close(chart:positions()[i], ambient:positions()[i], 1e-11)
    check.close(chart:velocities()[i], ambient:velocities()[i], 1e-10)
  end
  check.close(chart:energy(), ambient:energy(), 1e-11)
end

-- ---- mistakes -----------------------------------------------------------------------------------
local fails = check.fails_here

local function mistake(text, chart)
  local system, bob = check.plain_pendulum()
  fails(text, function() system:chart(chart(system, bob)) end)
end

mistake("chart: expected a table such as { coordinates = ", function() return 3 end)
mistake("chart: unknown key 'embeding'; did you mean 'embedding'?", function()
  return { coordinates = { "a" }, embeding = print }
end)
mistake("chart.coordinates: expected a table such as", function() return { embedding = print } end)
mistake("chart.coordinates: expected at least one", function()
  return { coordinates = {}, embedding = print }
end)
mistake("chart.embedding: expected a function of the chart coordinates, got nothing", function()
  return { coordinates = { "a" } }
end)
mistake("chart.coordinates[2]: expected a name or", function()
  return { coordinates = { "a", 7 }, embedding = print }
end)
mistake("chart coordinate 'a': unknown key 'nere'; did you mean 'near'?", function()
  return { coordinates = { { "a", nere = 1 } }, embedding = print }
end)
mistake("chart coordinate 'a': near: expected a finite number", function()
  return { coordinates = { { "a", near = 1 / 0 } }, embedding = print }
end)
mistake("there are two chart coordinates named 'a'", function()
  return { coordinates = { "a", "a" }, embedding = print }
end)
mistake("chart.embedding: expected a function that returns a table", function()
  return { coordinates = { "a" }, embedding = function() end }
end)
mistake("coordinate 'bob.y' is missing", function(_, bob)
  return { coordinates = { "a" }, embedding = function(a) return { [bob.x] = sin(a) } end }
end)
mistake("coordinate 'bob.x' is given twice", function(_, bob)
  return { coordinates = { "a" }, embedding = function(a)
    return { [bob] = { sin(a), -cos(a) }, ["bob.x"] = a }
  end }
end)
mistake("expected the 2 components of its position", function(_, bob)
  return { coordinates = { "a" }, embedding = function(a) return { [bob] = { sin(a) } } end }
end)
mistake("a fixed point has no coordinates", function(system, bob)
  return { coordinates = { "a" }, embedding = function(a)
    return { [bob] = { sin(a), -cos(a) }, [system.ground] = { 0, a } }
  end }
end)
mistake("chart.embedding: a key: expected a particle, a coordinate of this system or the name of one",
  function(_, bob)
    return { coordinates = { "a" }, embedding = function(a)
      return { [bob] = { sin(a), -cos(a) }, speed = a }
    end }
  end)
mistake("'bob.x' depends on the position of a coordinate of the system", function(_, bob)
  return { coordinates = { "a" }, embedding = function(a) return { [bob] = { bob.x, -cos(a) } } end }
end)
mistake("'bob.x' depends on a rate", function(_, bob)
  return { coordinates = { "a" }, embedding = function(a) return { [bob] = { bob.vx, -cos(a) } } end }
end)
mistake("'bob.y' depends on the time", function(system, bob)
  return { coordinates = { "a" }, embedding = function(a)
    return { [bob] = { sin(a), -cos(a) + system.time } }
  end }
end)
check.fails("depends on a coordinate of a chart", function()
  local system, bob = check.plain_pendulum()
  system:chart { coordinates = { "a" }, embedding = function(a)
    system:potential(a * bob.x)
    return { [bob] = { sin(a), -cos(a) } }
  end }
end)
mistake("nothing depends on its coordinate 'b'", function(_, bob)
  return { coordinates = { "a", "b" }, embedding = function(a) return { [bob] = { sin(a), -cos(a) } } end }
end)
do
  local other = check.plain_pendulum()
  local _, foreign = check.plain_pendulum()
  check.fails("belongs to", function()
    other:chart { coordinates = { "a" }, embedding = function(a) return { [foreign] = { a, a } } end }
  end)
end

-- The function's own errors come through with their line.
do
  local system = check.plain_pendulum()
  fails("my own", function()
    system:chart { coordinates = { "a" }, embedding = function() error "my own" end }
  end)
end

-- Without a chart, del-chart says how to give one.
check.fails("del-chart needs a chart, and system 'pendulum' has none", function()
  local system = check.plain_pendulum()
  system:stepper { "del-chart", h = 0.01 }
end)
do
  local system = check.pendulum() -- which has one
  fails("system 'pendulum' already has a chart", function()
    system:chart { coordinates = { "b" }, embedding = print }
  end)
  system:stepper { "del-chart", h = 0.01 }
  fails("is complete", function() system:chart { coordinates = { "b" }, embedding = print } end)
end

print("ok")
