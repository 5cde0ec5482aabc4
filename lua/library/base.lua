-- Classes of objects written in Lua. This file of the library runs first.
local _, _, library = ...

local fail, expected = library.fail, library.expected

function library.zeros(count)
  local list = {}
  for i = 1, count do
    list[i] = 0
  end
  return list
end

-- Returns the method as scripts call it: it refuses a call with a dot instead of a colon, and errors name the
-- line of the caller.
local function open_method(state_of, word, name, method)
  return library.through_c(function(object, ...)
    if not state_of(object) then
      expected("", name, ("a %s before it, with a colon: %s:%s { ... }"):format(word, word, name), object)
    end
    return method(object, ...)
  end)
end

-- The names of all properties and methods of an object with this state.
local function names_of(state, properties, methods, lacks)
  local names = {}
  for _, list in ipairs { properties, methods } do
    for key in pairs(list) do
      if not (lacks and lacks(state, key)) then
        names[#names + 1] = key
      end
    end
  end
  return names
end

-- Creates a class whose objects have a hidden state. Properties are functions of the state, methods are
-- functions of the object and the arguments; { direct = function in C } checks the object itself.
-- lacks(state, name), nullable, returns the reason why an object does not have a property of its class, or
-- nil. state_of(value), nullable, returns the state of an object, and nil for other values. Returns a
-- function that creates objects, and one that finds their state.
function library.new_class(name, properties, own_methods, describe, lacks, state_of)
  state_of = state_of or function(value) return library.object_state(value, name) end
  local methods = {}
  for key, method in pairs(own_methods) do
    methods[key] = type(method) == "table" and method.direct
      or open_method(state_of, name:match "%.(.*)", key, method)
  end
  local class = library.object_class(name, methods, function(object, key)
    local state = state_of(object)
    local reason = lacks and lacks(state, key)
    if reason then
      fail(("%s: %s"):format(describe(state), reason))
    elseif properties[key] then
      return properties[key](state)
    end
    local names = names_of(state, properties, methods, lacks)
    local nearest = type(key) == "string" and library.nearest_name(key, names)
    fail(("%s has no '%s'%s"):format(describe(state), tostring(key),
      nearest and ("; did you mean '%s'?"):format(nearest) or "; it has " .. library.sorted(names)))
  end)
  class.__tostring = function(object) return describe(state_of(object)) end
  class.__len = function() return 0 end
  class.__newindex = function(object) fail(describe(state_of(object)) .. " cannot be changed") end
  return function(state) return library.new_object(name, state) end, state_of
end
