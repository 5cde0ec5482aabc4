-- Prints the public names of the module as its manual has them, one a line: vida.sin, system:gravity,
-- system.ground. They are read from the module itself.
local vida = require "vida"

local function keys(list)
  local names = {}
  for name in pairs(list) do
    names[#names + 1] = name
  end
  table.sort(names)
  return names
end

local function show(owner, mark, list)
  for _, name in ipairs(keys(list)) do
    if name:match "^%a" then -- "[number]" is no name
      print(owner .. mark .. name)
    end
  end
end

-- The upvalue of a function that has this name, or this number where names are not kept.
local function upvalue(f, wanted)
  for i = 1, math.huge do
    local name, value = debug.getupvalue(f, i)
    if not name then
      return nil
    elseif name == wanted or i == wanted then
      return value
    end
  end
end

show("vida", ".", vida)

-- Classes in C: methods and properties are upvalues of __index.
local registry = debug.getregistry()
for _, name in ipairs { "system", "comparison", "result", "stepper", "expression", "point" } do
  local index = assert(registry["vida." .. name], name).__index
  show(name, ":", upvalue(index, 1))
  show(name, ".", upvalue(index, 2))
end
show("vector", ".", { x = true, y = true, z = true })

-- Classes in Lua.
local system = vida.system "names"
local body = system:body { "body", mass = 1, inertia = { 1, 1, 1 } }
local objects = {
  body = body, body_point = body:point { 1, 0, 0 }, body_direction = body:direction { 1, 0, 0 },
}
for _, name in ipairs(keys(objects)) do
  local index = debug.getmetatable(objects[name]).__index
  show(name, ":", upvalue(index, 1))
  show(name, ".", upvalue(upvalue(index, 2), "properties"))
end
