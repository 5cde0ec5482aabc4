-- The ten systems of the atlas, one of each kind that decides which method is cheap. Units: kg, m, s.
--
-- A system is a table: `name`, `time` (s), `make`, which returns the system, and `known`: `positions` of the
-- first coordinates at `time` from outside, a closed form or a solution in quadruple precision, which the
-- reference has to meet up to `error`. `ceiling` is the longest run in s of CPU time. To add one, append it
-- to the list and run measure.lua.

local vida = require "vida"

local systems = {}

local function add(given)
  systems[#systems + 1] = given
end

-- A pendulum released from the horizontal: one rod, in the plane.
add { name = "pendulum", time = 10,
  make = function()
    local s = vida.system { "pendulum", dimension = 2 }
    s:gravity { 0, -9.81 }
    local bob = s:particle { "bob", mass = 1, position = { 1, 0 } }
    s:distance { "rod", s.ground, bob, length = 1 }
    return s
  end,
  -- by elliptic functions
  known = { error = 1e-12, positions = { 0.2750874625761, -0.9614192050991 } },
}

-- Two rods in space, not stiff: see parts/double_spherical_pendulum.lua.
add { name = "double spherical pendulum", time = 5, make = function()
  return (require "parts.double_spherical_pendulum"())
end }

-- Two bars joined by stiff nonlinear springs, free in space: O. Gonzalez, Physica D 132 (1999) 165-174.
add { name = "four particles", time = 2,
  make = function()
    local s = vida.system "four particles"
    local p1 = s:particle { "p1", mass = 1.0, position = { 0, 0, 0 } }
    local p2 = s:particle { "p2", mass = 3.0, position = { 1, 0, 0 } }
    local p3 = s:particle { "p3", mass = 2.3, position = { 0, 1, 0 } }
    local p4 = s:particle { "p4", mass = 1.7, position = { 1, 1, 0 }, velocity = { 0, 0, 2 / 1.7 } }
    s:distance { "first bar", p1, p2, length = 1.0 }
    s:distance { "second bar", p3, p4, length = 1.0 }
    s:spring { "soft spring", p1, p3, stiffness = 100, length = 1.0, law = "squared" }
    s:spring { "hard spring", p2, p4, stiffness = 1000, length = 1.0, law = "squared" }
    return s
  end,
}

-- A fast top on a ball joint, as a unit quaternion: see parts/heavy_top.lua.
add { name = "heavy top", time = 0.5,
  make = function()
    return (require "parts.heavy_top"("quaternion"))
  end,
  -- in quadruple precision
  known = { error = 1e-12, positions = { -0.70246829705658558534, -0.021165184701923326581,
    -0.71140025765173440555 } },
}

-- Seven bodies in the plane, whose mass matrix changes: see parts/squeezer.lua.
add { name = "squeezer", time = 0.03, ceiling = 0.25,
  make = function()
    return (require "parts.squeezer"(0.033))
  end,
  -- in quadruple precision
  known = { error = 1e-9, positions = { 15.810771195153707097, -15.756371058411839470,
    0.040822240119645804859, -0.53473011634207959377 } },
}

-- Stiff springs, and a constraint that depends on time: see car_axis.lua.
add { name = "car axis", time = 3,
  make = function()
    local s = vida.system { "car axis", dimension = 2 }
    s:gravity { 0, -1 }
    local mass = 10 * 1e-4 / 2
    local left = s:particle { "left", mass = mass, position = { 0, 0.5 }, velocity = { -0.5, 0 } }
    local right = s:particle { "right", mass = mass, position = { 1, 0.5 }, velocity = { -0.5, 0 } }
    local yb = 0.1 * vida.sin(10 * s.time)
    local xb = vida.sqrt(1 - yb ^ 2)
    local right_length = vida.norm { right.x - xb, right.y - yb }
    s:spring { "left spring", s.ground, left, stiffness = 1, length = 0.5 }
    s:potential { "right spring", 0.5 * (right_length - 0.5) ^ 2 }
    s:constraint { "right angle", left.x * xb + left.y * yb }
    s:distance { "axis", left, right, length = 1 }
    return s
  end,
  -- in quadruple precision
  known = { error = 1e-11, positions = { 0.049345578427524092132, 0.49698946023000810677,
    1.0417425248854261152, 0.37391102726536581936 } },
}

-- A hundred links that hang and swing: slow motion with fast modes that rest.
add { name = "chain of 100", time = 0.5, ceiling = 0.3,
  make = function()
    local s, links, total = vida.system { "chain of 100", dimension = 2 }, 100, 1
    s:gravity { 0, -9.81 }
    local above, y = s.ground, 0
    for i = 1, links do -- along the parabola x = 0.2 (s / total)^2, but for the lengths of the links
      local before, now = 0.2 * ((i - 1) / links) ^ 2, 0.2 * (i / links) ^ 2
      y = y - math.sqrt((total / links) ^ 2 - (now - before) ^ 2)
      local mass = s:particle { ("mass %d"):format(i), mass = 1 / links, position = { now, y } }
      s:distance { ("link %d"):format(i), above, mass, length = total / links }
      above = mass
    end
    return s
  end,
}

-- A planet on an ellipse of eccentricity 0.6: no constraints, and speeds that change.
add { name = "Kepler", time = 15,
  make = function()
    local s, e = vida.system { "Kepler", dimension = 2 }, 0.6
    local planet = s:particle { "planet", mass = 1, position = { 1 - e, 0 },
      velocity = { 0, math.sqrt((1 + e) / (1 - e)) } }
    s:potential { "gravity of the sun", -1 / vida.norm { planet.x, planet.y } }
    return s
  end,
  -- Kepler's equation E - e sin E = t
  known = (function()
    local t, e = 15, 0.6
    local anomaly = t
    for _ = 1, 100 do
      anomaly = anomaly - (anomaly - e * math.sin(anomaly) - t) / (1 - e * math.cos(anomaly))
    end
    return { error = 6e-11, positions = { math.cos(anomaly) - e, math.sqrt(1 - e ^ 2) * math.sin(anomaly) } }
  end)(),
}

-- A free rigid body as a unit quaternion.
add { name = "rigid body", time = 10, make = function()
  local s = vida.system "rigid body"
  s:body { "body", mass = 1, inertia = { 1, 2, 2.5 }, position = { 0, 0, 0 },
    velocity = { 0.1, 0.2, -0.1 }, body_rates = { 0.3, 1, 0.2 } }
  return s
end }

-- A thin disk that rolls on a table: nonholonomic rows.
add { name = "rolling disk", time = 2, make = function()
  local s = vida.system "rolling disk"
  s:gravity { 0, 0, -9.81 }
  local spin = { 0.3, 1.83, 0 }
  local disk = s:body { "disk", mass = 1, inertia = { 0.25, 0.5, 0.25 }, position = { 0, 0, 1 },
    angular_velocity = spin, velocity = vida.cross(spin, { 0, 0, 1 }) }
  s:rolling_disk { "rolling", disk, radius = 1, axis = { 0, 1, 0 } }
  return s
end }

return systems
