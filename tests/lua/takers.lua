-- Which methods have to refuse a system, by what they are derived for: the limits that the guide states
-- (plugin/guide/methods). Every other method of the registry has to take it, a new one, too.
local vida = require "vida"

local takers = {}

local refusing = {
  -- maps of free motions
  ["constraints"] = { "symplectic-euler", "symplectic-implicit", "lie-trotter", "verlet", "implicit-midpoint",
    "galerkin-gauss", "chorin" },
  -- their unknowns are the rotations of rigid bodies without joints
  ["no free bodies"] = { "lgvi", "rotation-splitting", "simo-wong" },
  ["no chart"] = { "del-chart" },
  -- it divides by the change of the potential in the step
  ["several coordinates"] = { "chorin" },
  -- bodies, and coordinates with masses of their own
  ["coupled masses"] = { "rattlie", "lie-alpha" },
  -- masses of less than 1e-8 of those beside them
  ["light masses"] = { "rattlie", "lie-alpha" },
  -- splittings and discrete gradients of T(v) + V(q)
  ["general Lagrangian"] = { "symplectic-euler", "symplectic-implicit", "lie-trotter", "verlet", "chorin",
    "average-vector-field", "itoh-abe", "energy-momentum-projected",
    "del-ggl", "energy-momentum-ggl", "energy-collocation", "symmetric-multistep",
    "rattlie", "lie-alpha" },
  -- maps and formulas for forces of positions and time
  ["drag"] = { "symplectic-euler", "symplectic-implicit", "lie-trotter", "verlet", "symmetric-multistep",
    "rattlie" },
  -- methods with a constant mass matrix: quaternions have none
  ["orientations"] = { "average-vector-field", "itoh-abe", "energy-momentum-projected",
    "del-ggl", "energy-momentum-ggl", "energy-collocation", "symmetric-multistep" },
  -- discrete gradients of constraints that do not depend on time
  ["driven constraint"] = { "average-vector-field", "itoh-abe", "energy-momentum-projected",
    "energy-momentum-ggl", "energy-collocation" },
  -- its hidden constraint is that of lengths
  ["curve"] = { "energy-momentum-projected" },
  -- discrete derivatives of rows: a comparison of positions has none
  ["comparison"] = { "energy-momentum", "energy-momentum-projected", "energy-momentum-ggl",
    "energy-momentum-livens", "itoh-abe" },
  -- all that have no nonholonomic row in their equations
  ["nonholonomic"] = { "del-midpoint", "del-endpoint", "del-trapezoidal", "rattle", "rattle-variable",
    "compose", "del-regularized", "energy-momentum", "energy-momentum-projected", "energy-momentum-ggl",
    "energy-momentum-livens", "average-vector-field", "itoh-abe", "spark-lobatto", "symmetric-multistep",
    "del-ggl", "energy-collocation", "rattlie", "lie-alpha" },
  -- a massless coordinate that constraints determine
  ["no mass"] = { "average-vector-field", "itoh-abe", "energy-momentum-projected", "energy-momentum-ggl",
    "spark-lobatto", "spark-nonholonomic", "symmetric-multistep", "del-ggl", "energy-collocation",
    "rattlie", "lie-alpha" },
}

-- The set of methods that have to refuse a system with these properties.
function takers.refusing(properties)
  local set, known = {}, {}
  for _, method in ipairs(vida.methods()) do
    known[method.name] = true
  end
  for _, property in ipairs(properties) do
    for _, name in ipairs(assert(refusing[property], property)) do
      assert(known[name], "there is no method " .. name)
      set[name] = true
    end
  end
  return set
end

-- How many methods have to take it.
function takers.count(properties)
  local count, set = 0, takers.refusing(properties)
  for _, method in ipairs(vida.methods()) do
    count = count + (set[method.name] and 0 or 1)
  end
  return count
end

-- Demands of a method that it has taken a system of these properties, or has refused it.
function takers.demand(properties, name, has_taken, message)
  local has_to_refuse = takers.refusing(properties)[name] or false
  if has_taken == has_to_refuse then
    error(("%s has to %s a system with %s: %s"):format(name, has_to_refuse and "refuse" or "take",
      table.concat(properties, ", "), tostring(message)), 2)
  end
end

return takers
