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
local function open_method(states, word, name, method)
  return library.through_c(function(object, ...)
    if type(object) ~= "table" or not states[object] then
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

-- Creates a class whose objects are empty tables with a hidden state. Properties are functions of the state,
-- methods are functions of the object and the arguments. lacks(state, name), nullable, returns the reason why
-- an object does not have a property of its class, or nil. Returns a function that creates objects, a
-- function that finds their state, and the class.
function library.new_class(name, properties, own_methods, describe, lacks)
  local states = setmetatable({}, { __mode = "k" })
  local methods = {}
  for key, method in pairs(own_methods) do
    methods[key] = open_method(states, name:match "%.(.*)", key, method)
  end
  local class = {
    __name = name, __metatable = false,
    __tostring = function(object) return describe(states[object]) end,
    __newindex = function(object) fail(describe(states[object]) .. " cannot be changed") end,
    __index = function(object, key)
      local state = states[object]
      local reason = lacks and lacks(state, key)
      if reason then
        fail(("%s: %s"):format(describe(state), reason))
      elseif properties[key] then
        return properties[key](state)
      elseif methods[key] then
        return methods[key]
      end
      local names = names_of(state, properties, methods, lacks)
      local nearest = type(key) == "string" and library.nearest_name(key, names)
      fail(("%s has no '%s'%s"):format(describe(state), tostring(key),
        nearest and ("; did you mean '%s'?"):format(nearest) or "; it has " .. library.sorted(names)))
    end,
  }
  local function create(state)
    local object = setmetatable({}, class)
    states[object] = state
    return object
  end
  return create, function(object) return type(object) == "table" and states[object] or nil end, class
end
