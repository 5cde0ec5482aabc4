-- The systems of tests/soak/run, each with
--   make()            the system
--   h                 its step, s
--   observe(q, v, p)  energy, size of its terms, and a list of { momentum, size of its terms },
--                     computed here from positions, velocities and momenta
-- Units: kg, m, s.
local vida = require "vida"
local conserved = require "conserved"

local systems = {}

local function cross(a, b)
  return { a[2] * b[3] - a[3] * b[2], a[3] * b[1] - a[1] * b[3], a[1] * b[2] - a[2] * b[1] }
end

local function dot(a, b)
  return a[1] * b[1] + a[2] * b[2] + a[3] * b[3]
end

local function three(x, i)
  return { x[i], x[i + 1], x[i + 2] }
end

-- ---- pendulums with rods of 1 m and masses of 1 kg that swing in space ------------------------------

local function pendulum(count)
  return {
    h = 0.01,
    make = function()
      local s = vida.system { "pendulum", dimension = 3 }
      s:gravity { 0, 0, -9.81 }
      local last = s.ground
      for i = 1, count do
        local bob = s:particle { "bob " .. i, mass = 1, position = { 0.6 * i, 0, -0.8 * i },
          velocity = { 0, 1.5 * i, 0 } }
        s:distance { "rod " .. i, last, bob, length = 1 }
        last = bob
      end
      return s
    end,
    observe = function(q, v)
      local energy, size, momentum, terms = 0, 0, 0, 0
      for i = 1, 3 * count, 3 do
        local x, u = three(q, i), three(v, i)
        energy = energy + dot(u, u) / 2 + 9.81 * x[3]
        size = size + dot(u, u) / 2 + 9.81 * math.abs(x[3])
        momentum = momentum + (x[1] * u[2] - x[2] * u[1])
        terms = terms + math.abs(x[1] * u[2]) + math.abs(x[2] * u[1])
      end
      return energy, size, { { momentum, terms } }
    end,
  }
end

systems.pendulum = pendulum(1)
systems.double_pendulum = pendulum(2)

-- ---- four particles (Gonzalez 1999, section 4): two bars and two springs, free in space -------------

-- In the frame of their centre: positions that are rounded far from the origin have fewer digits for
-- the springs.
local masses, stiffness = { 1, 3, 2.3, 1.7 }, { 100, 1000 }
local push, total = 2, 8 -- momentum of the last particle, mass of all

systems.four_particles = {
  h = 0.005,
  make = function()
    local s = vida.system "four particles"
    local p = {}
    for i, x in ipairs { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 }, { 1, 1, 0 } } do
      p[i] = s:particle { "p" .. i, mass = masses[i], position = x,
        velocity = { 0, 0, (i == 4 and push / masses[4] or 0) - push / total } }
    end
    s:distance { "bar 1", p[1], p[2], length = 1 }
    s:distance { "bar 2", p[3], p[4], length = 1 }
    s:spring { "soft", p[1], p[3], stiffness = stiffness[1], length = 1, law = "squared" }
    s:spring { "hard", p[2], p[4], stiffness = stiffness[2], length = 1, law = "squared" }
    return s
  end,
  -- V = K/4 (|d|^2 - 1)^2
  observe = function(q, v)
    local energy, list = 0, {}
    for k = 1, 6 do
      list[k] = { 0, 0 }
    end
    for i, m in ipairs(masses) do
      local x, u = three(q, 3 * i - 2), three(v, 3 * i - 2)
      local turn, reach = cross(x, u), math.sqrt(dot(x, x) * dot(u, u))
      energy = energy + m / 2 * dot(u, u)
      for k = 1, 3 do
        list[k][1], list[k][2] = list[k][1] + m * u[k], list[k][2] + m * math.sqrt(dot(u, u))
        list[3 + k][1], list[3 + k][2] = list[3 + k][1] + m * turn[k], list[3 + k][2] + m * reach
      end
    end
    for i, k in ipairs(stiffness) do
      local a, b = three(q, 3 * i - 2), three(q, 3 * i + 4)
      local d = { b[1] - a[1], b[2] - a[2], b[3] - a[3] }
      energy = energy + k / 4 * (dot(d, d) - 1) ^ 2
    end
    return energy, energy, list -- no negative terms
  end,
}

-- ---- a free body as directors, about its middle axis --------------------------------------------------

local mass, moments, rates = 2, { 1, 2, 3 }, { 0.1, 2, 0.05 }

systems.director_body = {
  h = 0.005,
  make = function()
    local s = vida.system "director body"
    s:body { "body", mass = mass, inertia = moments, as = "directors", body_rates = rates }
    return s
  end,
  -- Two directors, along the axes of the body, since the third entry of the Euler tensor,
  -- (I1 + I2 - I3) / 2, vanishes: T = m/2 v^2 + sum E_k/2 |d_k'|^2, J = m x * v + sum E_k d_k * d_k'.
  observe = function(q, v)
    local x, u = three(q, 1), three(v, 1)
    local energy, turn, reach = mass / 2 * dot(u, u), cross(x, u), 0
    for k = 1, 2 do
      local euler = (moments[1] + moments[2] + moments[3]) / 2 - moments[k]
      local d, rate = three(q, 3 * k + 1), three(v, 3 * k + 1)
      local part = cross(d, rate)
      energy = energy + euler / 2 * dot(rate, rate)
      reach = reach + euler * math.sqrt(dot(rate, rate))
      for i = 1, 3 do
        turn[i] = (k == 1 and mass * turn[i] or turn[i]) + euler * part[i]
      end
    end
    local list = {}
    for i = 1, 3 do
      list[i], list[3 + i] = { mass * u[i], reach }, { turn[i], reach }
    end
    return energy, energy, list
  end,
}

-- ---- the double four-bar of Metis' kind ---------------------------------------------------------------

-- Hanging bars swing, standing ones turn through places where all bars lie in one line, singular
-- configurations.
local function double_four_bar(gravity)
  local function make()
    return conserved.double_four_bar(gravity, 1)
  end
  local function observe(q, v)
    local energy, size = 0, 0
    for k = 0, 24, 6 do
      local kinetic = (v[k + 1] ^ 2 + v[k + 2] ^ 2) / 2
        + (v[k + 3] ^ 2 + v[k + 4] ^ 2 + v[k + 5] ^ 2 + v[k + 6] ^ 2) / 48
      energy = energy + kinetic + gravity * q[k + 2]
      size = size + kinetic + gravity * math.abs(q[k + 2])
    end
    return energy, size, {}
  end
  return { h = 0.01, make = make, observe = observe }
end

systems.swinging_four_bar, systems.turning_four_bar = double_four_bar(-9.81), double_four_bar(9.81)

-- ---- a fast top on its tip, as a unit quaternion: M(q), singular --------------------------------------

local top = conserved.top

systems.heavy_top = {
  h = 0.002,
  make = top.make,
  -- The momentum about the vertical is half of p q* along e_z; the energy of the method is p v - L.
  observe = function(q, v, p)
    local turn, kinetic, momentum = top.turn(q, v), 0, 0
    for i = 1, 3 do
      kinetic = kinetic + top.moments[i] / 2 * turn[i] ^ 2
      momentum = momentum + (top.moments[i] * turn[i]) ^ 2
    end
    local height = top.potential(q)
    local work = p[1] * v[1] + p[2] * v[2] + p[3] * v[3] + p[4] * v[4]
    local vertical = (-q[4] * p[1] - q[3] * p[2] + q[2] * p[3] + q[1] * p[4]) / 2
    return work - kinetic + height, work + kinetic + math.abs(height), { { vertical, math.sqrt(momentum) } }
  end,
}

-- ---- a bead and a spring on a coordinate without mass ----------------------------------------------------

systems.massless = {
  h = 0.01,
  make = function()
    local s = vida.system { "lever", dimension = 2 }
    local x, rate = s:coordinate { "x", value = 0.7, rate = 0.2 }
    local u = s:coordinate { "u", value = 1.4, rate = 0.4 }
    s:kinetic { "bead", 1.5 / 2 * rate ^ 2 }
    s:potential(4 / 2 * u ^ 2)
    s:constraint { "lever", u - 2 * x }
    return s
  end,
  observe = function(q, v)
    local energy = 1.5 / 2 * v[1] ^ 2 + 4 / 2 * q[2] ^ 2
    return energy, energy, {}
  end,
}

return systems
