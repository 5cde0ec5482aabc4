-- The steps at which compositions of rattle and verlet first let an oscillation grow, as `limits`
-- says, against the half traces of products of the steps' matrices; and their longest stages.
local vida = require "vida"

local half = { -- Hairer, Lubich and Wanner, Geometric Numerical Integration, V.3.2, to ten digits
  suzuki4 = { 0.4144907718, 0.4144907718, -0.6579630872 },
  yoshida4 = { 1.3512071920, -1.7024143839 },
  yoshida6 = { 0.7845136105, 0.2355732134, -1.1776799842, 1.3151863207 },
  ["kahan-li6"] = { 0.3921614440, 0.3325991368, -0.7062462526, 0.0822135963, 0.7985439910 },
  ["kahan-li8"] = { 0.1302024831, 0.5611629818, -0.3894749626, 0.1588419066, -0.3959038941, 0.1845396410,
    0.2583743877, 0.2950117236, -0.6055085338 },
}
local order = { "kahan-li8", "suzuki4", "kahan-li6", "yoshida6", "yoshida4" }
local limits
for _, method in ipairs(vida.methods()) do
  limits = method.name == "compose" and method.limits or limits
end

local function multiply(a, b)
  return { a[1] * b[1] + a[2] * b[3], a[1] * b[2] + a[2] * b[4], a[3] * b[1] + a[4] * b[3],
    a[3] * b[2] + a[4] * b[4] }
end

local function half_trace(gamma, x)
  local product = { 1, 0, 0, 1 }
  for i = 1, 2 * #gamma - 1 do
    local h = gamma[math.min(i, 2 * #gamma - i)] * x
    local kick = { 1, 0, -h / 2, 1 }
    product = multiply(multiply(kick, multiply({ 1, h, 0, 1 }, kick)), product)
  end
  return (product[1] + product[4]) / 2
end

local function first_growth(gamma)
  local x = 0.01
  while math.abs(half_trace(gamma, x)) <= 1 + 1e-6 do
    x = x + 1e-3
  end
  return x
end

local function swing(base, scheme, h)
  local s = vida.system { "oscillator", dimension = 1 }
  local p = s:particle { "p", mass = 1, position = { 1 }, velocity = { 0.3 } }
  s:potential { "spring", 0.5 * p.x ^ 2 }
  local stepper = s:stepper { "compose", base = base, scheme = scheme, h = h }
  stepper:start()
  local largest = 0
  for _ = 1, 4000 do
    if not stepper:step(1) then
      return math.huge
    end
    largest = math.max(largest, math.abs(stepper:positions()[1]))
  end
  return largest
end

local grows, stages = {}, {}
for i, scheme in ipairs(order) do
  local longest = 0
  for _, gamma in ipairs(half[scheme]) do
    longest = math.max(longest, math.abs(gamma))
  end
  stages[i] = ("%.2f h (%s)"):format(longest, scheme)
  assert(limits:gsub("%s+", " "):find(stages[i], 1, true), stages[i] .. " is not in: " .. limits)
  local x = first_growth(half[scheme])
  grows[i] = ("%.2f"):format(x)
  for _, base in ipairs { "verlet", "rattle" } do
    assert(swing(base, scheme, x - 0.02) < 30, scheme .. " grows too soon")
    assert(swing(base, scheme, x + 0.02) > 1e3, scheme .. " does not grow")
  end
end
local text = ("%s, %s, %s, %s and %s on, in this order"):format(table.unpack(grows))
assert(limits:find(text, 1, true), text .. " is not in: " .. limits)

-- A composition claims what its base claims: energy-momentum and its kind do not keep G v = 0, and
-- their compositions keep the energy of the double pendulum, from rest at the height 0.
local pendulum = vida.system { "double pendulum", dimension = 2 }
pendulum:gravity { 0, -9.81 }
local inner = pendulum:particle { "inner", mass = 1, position = { 1, 0 } }
local outer = pendulum:particle { "outer", mass = 1, position = { 2, 0 } }
pendulum:distance { "first rod", pendulum.ground, inner, length = 1 }
pendulum:distance { "second rod", inner, outer, length = 1 }
for _, base in ipairs { "energy-momentum", "energy-momentum-projected", "average-vector-field",
    "itoh-abe" } do
  local stepper = pendulum:stepper { "compose", base = base, h = 0.02 }
  assert(stepper:start())
  for _ = 1, 100 do
    assert(stepper:step())
    assert(math.abs(stepper:energy()) < 1e-12, base)
  end
end

print "ok"
