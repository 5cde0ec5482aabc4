-- Classes of objects that are written in Lua; this file is the first of the library that runs.
local _, _, library = ...

local fail, expected = library.fail, library.expected

-- The same method for scripts: refuses what a dot in place of the colon hands over, and keeps the
-- line of its caller.
local function open_method(states, word, name, method)
  return library.through_c(function(object, ...)
    if type(object) ~= "table" or not states[object] then
      expected("", name, ("a %s before it, with a colon: %s:%s { ... }"):format(word, word, name), object)
    end
    return method(object, ...)
  end)
end

-- The names of properties and methods that an object of this state has, in order.
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

-- A class whose objects are empty tables with a state of their own: properties are functions of the
-- state, methods functions of object and arguments; lacks(state, name), nullable: whether only others
-- of the class have it. Returns a function that makes objects and one that finds their state.
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
