-- What the tests of mechanisms share: the systems of scenarios, free bodies, runs to a given time.
local vida = require "vida"

local mechanism = {}

-- The long runs are made shorter under sanitizers (CMake sets the variable).
mechanism.sanitized = os.getenv "VIDA_SANITIZED" == "1"

-- The systems of a scenario's comparisons; `values` of its settings are nullable.
function mechanism.scenario(name, values)
  local compare, setting, systems = vida.compare, vida.setting, {}
  vida.setting = function(wishes)
    return values and values[wishes[1]] or setting(wishes)
  end
  vida.compare = function(wishes)
    systems[#systems + 1] = wishes.system
    return wishes
  end
  local here = debug.getinfo(1, "S").source:match "^@(.*)tests/lua/" or "../"
  local path = package.path
  package.path = here .. "scenarios/?.lua;" .. path -- of models that scenarios share
  local good, message = pcall(dofile, here .. "scenarios/" .. name .. ".lua")
  vida.compare, vida.setting, package.path = compare, setting, path
  assert(good, message)
  return table.unpack(systems)
end

-- A started stepper.
function mechanism.start(system, method, h, options)
  local wishes = { method, h = h }
  for key, value in pairs(options or {}) do
    wishes[key] = value
  end
  local stepper = system:stepper(wishes)
  stepper:start()
  return stepper
end

-- Positions and velocities, one list after the other, after `time` in `steps` steps.
function mechanism.at(system, method, time, steps)
  local stepper = mechanism.start(system, method, time / steps)
  assert(stepper:step(steps))
  local state = stepper:positions()
  table.move(stepper:velocities(), 1, #state, #state + 1, state)
  return state, stepper
end

-- Largest |a[i] - b[i]| / (scale[i] or 1) over the entries of b.
function mechanism.distance(a, b, scale)
  local largest = 0
  for i, value in ipairs(b) do
    local off = math.abs(a[i] - value) / (scale and scale[i] or 1)
    largest = (off > largest or off ~= off) and off or largest
  end
  return largest
end

-- What two runs of second order with steps h and h / 2 extrapolate to.
function mechanism.extrapolate(coarse, fine)
  local result = {}
  for i = 1, #fine do
    result[i] = fine[i] + (fine[i] - coarse[i]) / 3
  end
  return result
end

-- Asserts that `run(steps)`, a list, comes to `exact` with second order: the errors with `steps` and
-- twice as many steps have the ratio 4 within `slack`, and what they extrapolate to is by the factor
-- `gain` closer than the better one. Errors are relative to `scale` where it is given.
function mechanism.converges(what, run, steps, exact, wishes)
  local coarse, fine = run(steps), run(2 * steps)
  local scale = wishes.scale
  local first, second = mechanism.distance(coarse, exact, scale), mechanism.distance(fine, exact, scale)
  local order = math.log(first / second, 2)
  local rest = mechanism.distance(mechanism.extrapolate(coarse, fine), exact, scale)
  local good = math.abs(order - 2) <= (wishes.slack or 0.05) and rest * wishes.gain <= second
  if not good then
    error(("%s: errors %.3e and %.3e are of order %.3f, extrapolated %.3e"):format(what, first, second,
      order, rest), 2)
  end
end

-- ---- bodies that turn about a point, as unit quaternions ------------------------------------------

-- The angular velocity in the body, the vector part of 2 conj(q) * v, of numbers or expressions.
function mechanism.body_rates(q, v)
  local turned = vida.cross({ q[2], q[3], q[4] }, { v[2], v[3], v[4] })
  local omega = {}
  for i = 1, 3 do
    omega[i] = 2 * (q[1] * v[i + 1] - v[1] * q[i + 1] - turned[i])
  end
  return omega
end

-- The rotation R(q) x by a unit quaternion, from body to space.
function mechanism.rotate(q, x)
  local axis = { q[2], q[3], q[4] }
  local once = vida.cross(axis, x)
  local twice = vida.cross(axis, once)
  local result = {}
  for i = 1, 3 do
    result[i] = x[i] + 2 * (q[1] * once[i] + twice[i])
  end
  return result
end

-- The angular momentum in space that belongs to momenta p of q: p . (0, n) * q / 2 for each axis n.
function mechanism.angular_momentum(q, p)
  local axis, rest = { q[2], q[3], q[4] }, { p[2], p[3], p[4] }
  local turned = vida.cross(axis, rest)
  local result = {}
  for i = 1, 3 do
    result[i] = (rest[i] * q[1] - p[1] * axis[i] + turned[i]) / 2
  end
  return result
end

-- The energy of rotation of a state with principal moments of inertia.
function mechanism.rotation_energy(inertia, q, v)
  local omega = mechanism.body_rates(q, v)
  local energy = 0
  for i = 1, 3 do
    energy = energy + inertia[i] / 2 * omega[i] ^ 2
  end
  return energy
end

-- A body with principal moments of inertia, fixed at a point, that starts in the identity times
-- `stretch` with the given rates in the body; `potential(q)` is nullable.
function mechanism.body(inertia, rates, potential, stretch)
  local system = vida.system "body"
  local start = { stretch or 1, 0, 0, 0 }
  local rate = { 0, rates[1] / 2, rates[2] / 2, rates[3] / 2 }
  local q, v = {}, {}
  for i, name in ipairs { "q.s", "q.x", "q.y", "q.z" } do
    q[i], v[i] = system:coordinate { name, value = start[i], rate = rate[i] }
  end
  system:lagrangian { "rotation", mechanism.rotation_energy(inertia, q, v) }
  if potential then
    system:potential { "potential", potential(q) }
  end
  system:constraint { "unit length", vida.dot(q, q) - 1 }
  return system
end

-- Runs the tests { name, function } in order, and tells of all that failed.
function mechanism.run(tests)
  local failed = 0
  for _, test in ipairs(tests) do
    local good, message = xpcall(test[2], debug.traceback)
    if not good then
      failed = failed + 1
      print(test[1] .. ": " .. message)
    end
  end
  assert(failed == 0, failed .. " tests failed")
  print "ok"
end

return mechanism
