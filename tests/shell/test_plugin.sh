#!/usr/bin/env bash
# Plug-ins: the example (tests/embedding/stormer.c) in every place where methods appear, a planted
# false claim, and shared libraries that are no plug-ins.
# shellcheck source-path=SCRIPTDIR source=support.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/support.sh"

plugins=${BUILD:?the build directory}/tests/plugins
stormer=$plugins/libstormer.so

# ---- where methods appear --------------------------------------------------------------------------
expect 0 methods --plugin "$stormer"
shows "stormer"
shows "rattle"
expect 0 --plugin "$stormer" methods stormer
shows "Ryckaert, Ciccotti and Berendsen 1977"
expect 0 completion bash "--plugin=$stormer"
shows "stormer"
expect 2 methods stormer
says "unknown method 'stormer'"
expect 0 --help
shows "--plugin LIBRARY"
expect 0 run --help
shows "--plugin LIBRARY"

# Once is enough, twice does no harm; a name without a slash is a file of the working directory.
expect 0 methods stormer --plugin "$stormer" --plugin "$stormer"
(cd "$plugins" && "$VIDA" methods stormer --plugin libstormer.so >/dev/null) ||
  complain "a name without a slash is not found in the working directory"

# A stepper of a plug-in is saved and loaded; without the plug-in it is refused by name.
cat >"$work/save.lua" <<TEXT
local vida = require "vida"
vida.plugin "$stormer"
local function build()
  local system = vida.system { "pendulum", dimension = 2 }
  system:gravity { 0, -9.81 }
  local bob = system:particle { "bob", mass = 2, position = { 0.6, -0.8 } }
  system:distance { "rod", system:anchor { 0, 0 }, bob, length = 1 }
  return system
end
local stepper = build():stepper { "stormer", h = 0.01 }
stepper:start()
stepper:step(30)
stepper:save "$work/stormer.state"
local loaded = vida.load("$work/stormer.state", build())
stepper:step(20)
loaded:step(20)
for i, q in ipairs(stepper:positions()) do
  assert(q == loaded:positions()[i], "another motion")
end
TEXT
cat >"$work/load.lua" <<TEXT
local vida = require "vida"
local system = vida.system { "pendulum", dimension = 2 }
local bob = system:particle { "bob", mass = 2, position = { 0.6, -0.8 } }
system:distance { "rod", system:anchor { 0, 0 }, bob, length = 1 }
vida.load("$work/stormer.state", system)
TEXT
$LUA "$work/save.lua" || complain "a stepper of a plug-in is not saved and loaded"
$LUA "$work/load.lua" 2>"$work/refusal" && complain "a method that is not there was loaded"
grep -q "method 'stormer', which is not known here" "$work/refusal" ||
  complain "the refusal names no method"

# Stormer's rule and rattle make the same positions (Leimkuhler and Skeel 1994): in a comparison by
# a scenario that loads the plug-in itself, with the reference of the comparison for both.
cat >"$work/pendulum.lua" <<TEXT
local vida = require "vida"
vida.plugin "$stormer"
local system = vida.system { "pendulum", dimension = 2 }
system:gravity { 0, -9.81 }
local bob = system:particle { "bob", mass = 2, position = { 0.6, -0.8 } }
system:distance { "rod", system:anchor { 0, 0 }, bob, length = 1 }
return vida.compare {
  system = system, time = 2, reference = { "rattle", h = 1e-3 },
  methods = { { "stormer", h = { 2e-2, 1e-2 } }, { "rattle", h = { 2e-2, 1e-2 } } },
}
TEXT
expect 0 run --trust "$work/pendulum.lua" --format csv --out "$work/results" --report
cat >"$work/errors.lua" <<'TEXT'
local names, column = {}, nil
for line in io.lines(arg[1]) do
  local fields = {}
  for field in (line .. ","):gmatch("([^,]*),") do
    fields[#fields + 1] = field
  end
  if not column then
    for i, name in ipairs(fields) do
      column = name == "position_error" and i or column
    end
  elseif fields[2] == arg[2] then
    print(("%.6e"):format(tonumber(fields[column])))
  end
end
TEXT
errors() {
  "${lua[@]}" "$work/errors.lua" "$work/out" "$1"
}
[[ -n $(errors stormer) ]] || complain "no rows of stormer"
[[ $(errors stormer) == "$(errors rattle)" ]] ||
  complain "errors of stormer and rattle differ: $(errors stormer) and $(errors rattle)"
grep -q stormer "$work/results/report.html" || complain "the report does not name stormer"
[[ -f $work/results/comparison.json ]] || complain "no comparison.json"

# A stock Lua with the module.
cat >"$work/module.lua" <<'TEXT'
local vida = require "vida"; vida.plugin(arg[1]); vida.plugin(arg[1])
  local found
  for _, method in ipairs(vida.methods()) do found = found or method.name == "stormer" end
  assert(found, "stormer is not in the list")
  local good, message = pcall(vida.plugin, "./missing.so")
  assert(not good and message:find("missing.so", 1, true), message)
  good, message = pcall(vida.plugin, 7)
  assert(not good)
TEXT
"${lua[@]}" "$work/module.lua" "$stormer" >"$work/out" 2>&1 || complain "module: $(cat "$work/out")"

# ---- the audit -------------------------------------------------------------------------------------
expect 0 audit stormer --plugin "$stormer"
shows "all claims are true"
shows "four particles"
expect 1 audit boaster --plugin "$plugins/libboaster.so"
shows "false"
shows "energy"

# ---- what is refused -------------------------------------------------------------------------------
expect 2 methods --plugin
says "--plugin needs a value"
expect 1 methods --plugin "$work/missing.so"
says "missing.so"
echo "no library" >"$work/text.so"
expect 1 methods --plugin "$work/text.so"
says "text.so"
refused() {
  expect 1 methods --plugin "$plugins/lib$1.so"
  says "$2"
  silent
}
refused no_interface "does not export vida_plugin_interface"
refused no_register "does not export the function vida_plugin_register"
refused old_interface "was built for version 99 of the plug-in interface"
refused wrong_size "build it with the headers of this version"
refused taken_name "there is already a method 'rattle'"
refused failing "the licence has run out"
refused silent_failing "vida_plugin_register failed"
refused nothing "registered no method"
refused bad_option "option 'order' has a default that is not the index of a choice"

# Of a plug-in whose second method is refused, the first one is not kept.
expect 1 methods first --plugin "$plugins/libsecond_bad.so"
says "there is already a method 'first'"

finish
