-- What the Lua tests share: expected errors, numbers that are close, systems to play with.
local vida = require "vida"

local check = {}

-- Calls f(...) and demands an error whose text contains `text`, and which points into a script.
function check.fails(text, f, ...)
  local good, message = pcall(f, ...)
  assert(not good, "an error was expected: " .. text)
  assert(type(message) == "string", "the error is no text")
  if not message:find(text, 1, true) then
    error(("expected an error with\n  %s\ngot\n  %s"):format(text, message), 2)
  end
  return message
end

-- The same for mistakes in a script: the message begins with the line of the call.
function check.fails_here(text, f, ...)
  local message = check.fails(text, f, ...)
  if not message:find("^[^\n]*test_[%w_]+%.lua:%d+: ") then
    error("the message does not name the line: " .. message, 2)
  end
end

function check.close(value, expected, tolerance)
  if value ~= value or math.abs(value - expected) > tolerance then
    error(("expected %.17g within %g, got %.17g"):format(expected, tolerance, value), 2)
  end
end

-- Returns a stepper of the system that has made the steps up to a time.
function check.run(system, options, time)
  local stepper = system:stepper(options)
  stepper:start()
  assert(stepper:step(math.floor(time / options.h + 0.5)))
  return stepper
end

-- Returns the times of the events of a kind, of those called `name` or of all.
function check.times_of(stepper, kind, name)
  local times = {}
  for _, event in ipairs((stepper:events())) do
    if event.kind == kind and (not name or event.name == name) then
      times[#times + 1] = event.t
    end
  end
  return times
end

-- A unit pendulum of length 1 m in the plane, released from the horizontal.
function check.plain_pendulum()
  local system = vida.system { "pendulum", dimension = 2 }
  system:gravity { 0, -9.81 }
  local bob = system:particle { "bob", mass = 1.0, position = { 1, 0 } }
  system:distance { "rod", system.ground, bob, length = 1.0 }
  return system, bob
end

-- The same with its angle as a chart, so that every method can run on it.
function check.pendulum()
  local system, bob = check.plain_pendulum()
  system:chart {
    coordinates = { { "angle", near = 1 } },
    embedding = function(angle)
      return { [bob] = { vida.sin(angle), -vida.cos(angle) } }
    end,
  }
  return system, bob
end

-- Whether a method of vida.methods() chooses its own steps unless it is told otherwise.
function check.is_adaptive(method)
  for _, option in ipairs(method.options) do
    if option.name == "rtol" and option.default then
      return true
    end
  end
  return false
end

-- The methods that take constraints, with steps of a fixed size.
function check.constrained_methods()
  local found = {}
  for _, method in ipairs(vida.methods()) do
    local left_out = check.is_adaptive(method)
    for _, text in ipairs(method.capabilities) do
      left_out = left_out or text == "accepts only systems without constraints"
        or text == "accepts rigid bodies without joints, as unit quaternions"
    end
    if not left_out then
      found[#found + 1] = method
    end
  end
  return found
end

-- Two unit masses on a rod that turn about their middle at 2 rad/s, no force.
function check.rotor()
  local system = vida.system "rotor"
  local left = system:particle {
    "left", mass = 1, position = { -0.5, 0, 0 }, velocity = { 0, -1, 0 },
  }
  local right = system:particle {
    "right", mass = 1, position = { 0.5, 0, 0 }, velocity = { 0, 1, 0 },
  }
  system:distance { "rod", left, right, length = 1.0 }
  return system, left, right
end

-- A table like `base`, with the changes of `change`; a field set to check.none is taken out.
check.none = {}
function check.with(base, change)
  local copy = {}
  for key, value in pairs(base) do
    copy[key] = value
  end
  for key, value in pairs(change) do
    copy[key] = value ~= check.none and value or nil
    if value == false then
      copy[key] = false
    end
  end
  return copy
end

-- Whether a method of vida.methods() claims to keep g = 0; others relax constraints.
function check.keeps_constraints(method)
  for _, capability in ipairs(method.capabilities) do
    if capability == "keeps the constraints g = 0" then
      return true
    end
  end
  return method.name:find("^del%-") ~= nil -- without compliance
end

return check
