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

-- ---- mistakes -----------------------------------------------------------------------------------
local fails = check.fails_here

local function mistake(text, chart, change)
  local system, bob = check.plain_pendulum()
  fails(text, function() system:chart(chart(system, bob)) end)
  if change then
    change(system)
  end
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
mistake("a fixed point does not move", function(system, bob)
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
  fails("system 'pendulum' has its chart already", function()
    system:chart { coordinates = { "b" }, embedding = print }
  end)
  system:stepper { "del-chart", h = 0.01 }
  fails("is complete", function() system:chart { coordinates = { "b" }, embedding = print } end)
end

print("ok")
