-- Without constraints, energy-collocation is HBVM(k, s) of Brugnano, Iavernaro and Trigiante 2010, with k =
-- points and s = stages: y' = f(y) is projected on s Legendre polynomials by Gauss' rule with k points. Here
-- is a second implementation, with fixed-point iteration.
local vida = require "vida"

if os.getenv "VIDA_SANITIZED" then
  return -- most of the time would be spent in Lua
end

local function legendre(degree, x) -- orthonormal on (0, 1)
  local before, now = 0, 1
  for n = 1, degree do
    before, now = now, ((2 * n - 1) * (2 * x - 1) * now - (n - 1) * before) / n
  end
  return math.sqrt(2 * degree + 1) * now, math.sqrt(2 * degree + 1) * before
end

local function gauss(count) -- by Newton's method
  local c, b = {}, {}
  for i = 1, count do
    local x = 0.5 + 0.5 * math.cos(math.pi * (i - 0.25) / (count + 0.5))
    local slope
    for _ = 1, 50 do
      local p, q = legendre(count, x)
      p, q = p / math.sqrt(2 * count + 1), q / math.sqrt(2 * count + 1)
      local z = 2 * x - 1
      slope = 2 * count * (z * p - q) / (z * z - 1)
      x = x - p / slope
    end
    local z = 2 * x - 1
    c[i], b[i] = x, 4 / ((1 - z * z) * slope * slope)
  end
  return c, b
end

-- The integral of the polynomial from 0 to c.
local function integral(degree, c)
  local nodes, weights = gauss(degree + 1)
  local sum = 0
  for i, x in ipairs(nodes) do
    sum = sum + weights[i] * c * legendre(degree, x * c)
  end
  return sum
end

-- Henon and Heiles, of degree 3, with a term of degree 6.
local function field(y)
  local q1, q2, p1, p2 = y[1], y[2], y[3], y[4]
  return { p1, p2, -(q1 + 2 * q1 * q2 + 6 * q1 ^ 5), -(q2 + q1 ^ 2 - q2 ^ 2) }
end

local function hbvm(k, s, h, steps, y)
  local c, b = gauss(k)
  local value, area = {}, {} -- of the polynomials at the points, and their integrals up to there
  for l = 1, k do
    value[l], area[l] = {}, {}
    for j = 1, s do
      value[l][j], area[l][j] = legendre(j - 1, c[l]), integral(j - 1, c[l])
    end
  end
  for _ = 1, steps do
    local gamma = {}
    for j = 1, s do
      gamma[j] = { 0, 0, 0, 0 }
    end
    for _ = 1, 60 do
      local following = {}
      for j = 1, s do following[j] = { 0, 0, 0, 0 } end
      for l = 1, k do
        local at = {}
        for i = 1, 4 do
          at[i] = y[i]
          for j = 1, s do at[i] = at[i] + h * area[l][j] * gamma[j][i] end
        end
        local f = field(at)
        for j = 1, s do
          for i = 1, 4 do following[j][i] = following[j][i] + b[l] * value[l][j] * f[i] end
        end
      end
      gamma = following
    end
    local new = {}
    for i = 1, 4 do new[i] = y[i] + h * gamma[1][i] end
    y = new
  end
  return y
end

for _, case in ipairs { { 3, 1 }, { 6, 1 }, { 3, 2 }, { 6, 2 }, { 8, 3 }, { 4, 4 } } do
  local points, stages = case[1], case[2]
  local system = vida.system "Henon and Heiles"
  local q1, v1 = system:coordinate { "q1", unit = "m", value = 0.3, rate = 0.1 }
  local q2, v2 = system:coordinate { "q2", unit = "m", value = -0.1, rate = 0.25 }
  system:kinetic { "T", 0.5 * (v1 ^ 2 + v2 ^ 2) }
  system:potential { "V", 0.5 * (q1 ^ 2 + q2 ^ 2) + q1 ^ 2 * q2 - q2 ^ 3 / 3 + q1 ^ 6 }
  local stepper = system:stepper { "energy-collocation", stages = stages, points = points, h = 0.2 }
  stepper:start()
  assert(stepper:step(10))
  local q, v = stepper:positions(), stepper:velocities()
  local y = hbvm(points, stages, 0.2, 10, { 0.3, -0.1, 0.1, 0.25 })
  local off = math.max(math.abs(q[1] - y[1]), math.abs(q[2] - y[2]), math.abs(v[1] - y[3]),
    math.abs(v[2] - y[4]))
  assert(off < 1e-12, ("points = %d, stages = %d: %g"):format(points, stages, off))
end
