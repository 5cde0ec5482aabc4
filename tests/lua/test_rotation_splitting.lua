-- rotation-splitting: free bodies against closed forms, heavy tops, order with compositions, and steps that
-- are too large. Bodies with springs: test_lie.lua.
local check = require "check"
local vida = require "vida"

local function free_body(inertia, rates)
  local system = vida.system "free body"
  system:body { "body", mass = 1, inertia = inertia, position = { 0, 0, 0 }, body_rates = rates }
  return system
end

local function quaternion_at(system, wishes, time, steps)
  local stepper = system:stepper(check.with(wishes, { h = time / steps }))
  stepper:start()
  assert(stepper:step(steps))
  local q = stepper:positions()
  return { q[4], q[5], q[6], q[7] }, stepper
end

-- The distance of two rotations; q and -q are the same one.
local function distance(a, b)
  local plus, minus = 0, 0
  for i = 1, 4 do
    plus, minus = math.max(plus, math.abs(a[i] - b[i])), math.max(minus, math.abs(a[i] + b[i]))
  end
  return math.min(plus, minus)
end

-- Moments 1, 1, 2, rates (1, 0, 5): precession about the momentum at sqrt(101) rad/s times a turn of the body
-- by -5 rad/s, by this closed form. The method has no error, at any step.
local right = { -0.812991342557, 0.0758547256881, -0.0566651714399, 0.574526061953 }
local right_10 = { 0.993195049892, -0.00158827725266, 0.000212076954902, 0.116451815219 }
for _, inertia in ipairs { { 1, 1, 2 }, { 1, 2, 1 }, { 2, 1, 1 } } do
  -- the same body with its axes in another order
  local axis = inertia[1] == 2 and 1 or inertia[2] == 2 and 2 or 3
  local rates = { 0, 0, 0 }
  rates[axis], rates[axis % 3 + 1] = 5, 1
  local function in_order(q)
    return { q[1], q[axis % 3 + 2], q[(axis + 1) % 3 + 2], q[axis + 1] }
  end
  for _, steps in ipairs { 1, 3, 50 } do
    local q = quaternion_at(free_body(inertia, rates), { "rotation-splitting" }, 1, steps)
    check.close(distance(in_order(q), right), 0, 2e-12)
    q = quaternion_at(free_body(inertia, rates), { "rotation-splitting" }, 10, steps)
    check.close(distance(in_order(q), right_10), 0, 2e-11)
  end
end

-- A sphere turns about the axis of its rates.
local q = quaternion_at(free_body({ 2, 2, 2 }, { 0, 3, 4 }), { "rotation-splitting" }, 0.7, 1)
check.close(distance(q, { math.cos(1.75), 0, 0.6 * math.sin(1.75), 0.8 * math.sin(1.75) }), 0, 1e-15)

-- The tennis racket, moments 1, 2, 3: by Jacobi's elliptic functions its middle rate is -1, and the third 0
-- again, 20.754609764669 s after the rates (0.01, 1, 0). Principal axes that are not those of the body.
local function racket_flip(h, inertia, rates, third)
  local stepper = free_body(inertia, rates):stepper { "rotation-splitting", h = h }
  stepper:start()
  local before
  for step = 1, math.ceil(22 / h) do
    assert(stepper:step())
    local x, v = stepper:positions(), stepper:velocities()
    local rate = vida.quaternion_product({ x[4], -x[5], -x[6], -x[7] }, { v[4], v[5], v[6], v[7] })
    local now = 0
    for i = 1, 3 do
      now = now + 2 * rate[i + 1] * third[i]
    end
    if step * h > 10 and before * now <= 0 then
      return h * (step - now / (now - before))
    end
    before = now
  end
  error "no flip"
end

local c, s = math.cos(0.3), math.sin(0.3)
local turned = { -- the moments 1 and 2 about axes turned by 0.3 rad
  { c ^ 2 + 2 * s ^ 2, -c * s, 0 }, { -c * s, s ^ 2 + 2 * c ^ 2, 0 }, { 0, 0, 3 } }
for _, case in ipairs {
  { inertia = { 1, 2, 3 }, rates = { 0.01, 1, 0 } },
  { inertia = turned, rates = { 0.01 * c - s, 0.01 * s + c, 0 } } } do
  local flips = {}
  for level, h in ipairs { 0.04, 0.02 } do
    flips[level] = math.abs(racket_flip(h, case.inertia, case.rates, { 0, 0, 1 }) - 20.754609764669)
  end
  assert(flips[2] < 1e-2, flips[2])
  check.close(math.log(flips[1] / flips[2], 2), 2, 0.15)
end

-- Compositions have their orders: against one of order 8 by the discrete Moser-Veselov equations.
local body = free_body({ 1, 2, 3 }, { 0.3, 1, -0.2 })
local fine = quaternion_at(body, { "compose", base = "lgvi", scheme = "kahan-li8" }, 5, 2000)
for scheme, order in pairs { suzuki4 = 4, ["kahan-li6"] = 6, ["kahan-li8"] = 8 } do
  local wishes = { "compose", base = "rotation-splitting", scheme = scheme }
  local coarse = distance(quaternion_at(body, wishes, 5, 15), fine)
  local less = distance(quaternion_at(body, wishes, 5, 30), fine)
  assert(less < 1e-13 or math.log(coarse / less, 2) > order - 0.5,
    ("%s: %g, %g"):format(scheme, coarse, less))
end

-- Too large a step for a body with three moments is refused, with its name; the state stays.
local stepper = body:stepper { "rotation-splitting", h = 5 }
stepper:start()
local first = stepper:positions()
local good, message = stepper:step()
assert(not good and message:find("turns too far", 1, true) and message:find("body", 1, true), message)
for i, value in ipairs(stepper:positions()) do
  check.close(value, first[i], 0)
end

print "ok"
