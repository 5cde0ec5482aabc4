-- vida.setting in a plain Lua: it returns its default, and says what is wrong with it.
local check = require "check"
local vida = require "vida"

local fails = check.fails_here

assert(vida.setting { "time", 30, unit = "s", text = "simulated time" } == 30)
assert(math.type(vida.setting { "n", 3 }) == "integer")
assert(vida.setting { "name", "rattle" } == "rattle")
assert(vida.setting { "flag", false } == false)
fails("setting: expected a table such as", function() vida.setting("time") end)
fails("setting[1]: expected a name, got 30", function() vida.setting { 30 } end)
fails("setting 'time': default: expected a number, a text, true or false, got nothing",
  function() vida.setting { "time" } end)
fails("setting 'time': default: expected a number, a text, true or false, got a table",
  function() vida.setting { "time", {} } end)
fails("setting 'time': unknown key 'units'; did you mean 'unit'?",
  function() vida.setting { "time", 1, units = "s" } end)
fails("setting 'time': unit: expected a text, got 1",
  function() vida.setting { "time", 1, unit = 1 } end)

print("ok")
