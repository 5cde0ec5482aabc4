-- vida.methods: the table of the library as a script sees it.
local check = require "check"
local vida = require "vida"

local methods = vida.methods()
local byname = {}
for _, method in ipairs(methods) do
  byname[method.name] = method
  assert(#method.title > 0 and #method.equation > 0 and #method.limits > 0)
  assert(math.type(method.order) == "integer" and method.order >= 1)
  assert(#method.capabilities > 0)
  local options = {}
  for _, option in ipairs(method.options) do
    assert(#option.name > 0 and #option.text > 0)
    assert(option.type == "number" or option.type == "integer" or option.type == "boolean"
      or option.type == "choice" or option.type == "number by coordinate")
    assert((option.type == "number by coordinate") == (option.name == "atol"))
    assert((option.type == "choice") == (option.choices ~= nil))
    options[option.name] = option
  end
  assert(options.h.type == "number" and options.h.unit == "s" and options.h.minimum == 0)
  assert(options.h.default == nil)
  assert(options.linear_solver.default == "auto")
  assert(table.concat(options.linear_solver.choices, " ") == "auto dense klu")
end
for _, name in ipairs { "del-midpoint", "del-endpoint", "rattle", "energy-momentum" } do
  assert(byname[name], name)
  assert(byname[name].order == 2)
end

-- A list of one's own: changing it changes nothing else.
methods[1].name = "changed"
assert(vida.methods()[1].name ~= "changed")

-- Options of comparisons come in the same form, and each with a default is one that a comparison takes.
local defaults = {}
for _, option in ipairs(vida.comparison_options()) do
  assert(#option.name > 0 and #option.text > 0)
  defaults[option.name] = option.default
end
assert(defaults.time == nil and defaults.norm == "mean" and defaults.adjust_start == false)
defaults.system, defaults.time, defaults.methods = check.pendulum(), 1, { { "rattle", h = 0.5 } }
assert(#vida.compare(defaults):run { quiet = true } == 1)

-- Every method that takes constraints can be put into a comparison by its name; others say which do.
local system = check.pendulum()
local all = {}
for _, method in ipairs(vida.methods()) do
  all[#all + 1] = { method.name, h = 0.1 }
end
local result = vida.compare { system = system, time = 1, methods = all }:run { quiet = true }
for i = 1, #result do
  assert(result[i].status == "ok" or result[i].message:find("these can: ", 1, true), result[i].message)
end

print("ok")
