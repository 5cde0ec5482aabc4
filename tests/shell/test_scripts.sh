#!/usr/bin/env bash
# Scripts that go wrong: exit code 1, one message with the script's line, nothing on stdout.
# shellcheck source-path=SCRIPTDIR source=support.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/support.sh"

# wrong TEXT: the script on the standard input fails with this message, and makes no rows.
wrong() {
  script wrong
  expect 1 run "$work/wrong.lua"
  says "$1"
  silent
}

expect 1 run "$work/nowhere.lua"
says "cannot open $work/nowhere.lua"
silent
expect 1 run "$work"
says "cannot read $work"
printf '\033Lua' >"$work/binary.lua"
expect 1 run "$work/binary.lua"
says "binary chunk"

wrong "wrong.lua:1: " <<<'local x = = 3'
wrong "wrong.lua:2: on purpose" <<<$'\nerror "on purpose"'
expect 1 run "$work/wrnog.lua"
says "did you mean 'wrong'?"
wrong "an error that is a table, not a text" <<<'error {}'
wrong "told by its metamethod" <<'TEXT'
error(setmetatable({}, { __tostring = function() return "told by its metamethod" end }))
TEXT

# A message commands no terminal, and neither does a name.
wrong "wrong.lua:1: ?[2Jgone?" <<<'error "\27[2Jgone\7"'
wrong "wrong.lua:2: the name of a system has the control character 27" <<'TEXT'
local vida = require "vida"
vida.system "\27c"
TEXT

# Where it was called from, in short.
wrong "wrong.lua:1: deep" <<'TEXT'
local function inner() error "deep" end
local function outer() inner() end
outer()
TEXT
says "called from $work/wrong.lua:2"
says "called from $work/wrong.lua:3"
grep -q -F '[C]' "$work/err" && complain "the traceback shows C functions"
wrong "deep" <<'TEXT'
local function deep(n) if n == 0 then error "deep" end deep(n - 1) return 1 end
deep(100)
TEXT
says "  ..."
(($(wc -l <"$work/err") < 12)) || complain "the traceback is too long"

# Strict globals.
wrong "wrong.lua:1: 'x' is not declared; write 'local x = ...'" <<<'x = 3'
wrong "wrong.lua:1: 'lenght' is not declared; write 'local lenght = ...' before its first use" \
  <<<'local length = lenght'
wrong "'helper' is not declared" <<<'function helper() end'

# What comes back.
wrong "returned nothing: a scenario ends with 'return vida.compare { ... }'" <<<'local _ = 1'
wrong "returned number" <<<'return 3'
wrong "returned several values" <<<'return 1, 2'
wrong "returned an empty list" <<<'return {}'
wrong "returned a list whose entry 1 is not a comparison but a number" <<<'return { 7 }'
wrong "returned a vida.system" <<<'return require("vida").system "s"'

# A script that does its own work returns nothing, or what came of it.
pendulum='local vida = require "vida"
local s = vida.system { "p", dimension = 2 }
s:gravity { 0, -9.81 }
local p = s:particle { "p", mass = 1, position = { 1, 0 } }
s:distance { "rod", s.ground, p, length = 1 }
'
comparison='local c = vida.compare { system = s, time = 0.1, methods = { { "rattle", h = 0.1 } } }'
alone() {
  printf '%s' "$pendulum" >"$work/alone.lua"
  cat >>"$work/alone.lua"
}
alone <<'TEXT'
local stepper = s:stepper { "rattle", h = 0.1 }
stepper:start()
print(stepper:step(3), stepper:time())
TEXT
expect 0 run "$work/alone.lua"
says "true	0.3"
expect 0 run "$work/alone.lua" --quiet
expect 2 run "$work/alone.lua" --out "$work/nothing"
says "--out: the script returned no comparison"
[[ ! -e $work/nothing ]] || complain "a folder was made for nothing"
expect 1 check "$work/alone.lua"
says "returned nothing"
alone <<<'print(s:accelerations()["p.y"])'
expect 0 run "$work/alone.lua"
alone <<<"$comparison c:run { quiet = true }"
expect 0 run "$work/alone.lua"
alone <<<"$comparison return c:run { quiet = true }"
expect 0 run "$work/alone.lua"
alone <<<"$comparison local t = s:stepper { 'rattle', h = 0.1 } t:start() t:step()"
expect 1 run "$work/alone.lua"
says "returned nothing, and a comparison that it made was not run"
alone <<<'s:stepper { "ratle", h = 0.1 }'
expect 1 run "$work/alone.lua"
says "did you mean 'rattle'?"

# Mistakes in the model and in the comparison point to their line.
wrong "wrong.lua:3: particle 'p': mass: expected a non-negative number, got -2" <<'TEXT'
local vida = require "vida"
local system = vida.system "s"
system:particle { "p", mass = -2, position = { 0, 0, 0 } }
TEXT
wrong "wrong.lua:4: methods[1].h: expected a positive number in s, got -0.1" <<'TEXT'
local vida = require "vida"
local system = vida.system "s"
system:particle { "p", mass = 2, position = { 0, 0, 0 } }
return vida.compare {
  system = system,
  time = 1,
  methods = { { "rattle", h = -0.1 } },
}
TEXT
wrong "methods[1]: unknown method 'ratle'; did you mean 'rattle'?" <<'TEXT'
local vida = require "vida"
local system = vida.system "s"
system:particle { "p", mass = 2, position = { 0, 0, 0 } }
return vida.compare { system = system, time = 1, methods = { { "ratle", h = 0.1 } } }
TEXT
wrong "methods[1]: h = 0.3 does not divide time = 1" <<'TEXT'
local vida = require "vida"
local system = vida.system "s"
system:particle { "p", mass = 2, position = { 0, 0, 0 } }
return vida.compare { system = system, time = 1, methods = { { "rattle", h = 0.3 } } }
TEXT
wrong "the initial positions violate constraint 'rod'" <<'TEXT'
local vida = require "vida"
local system = vida.system "s"
local p = system:particle { "p", mass = 2, position = { 0, 0, 2 } }
system:distance { "rod", system.ground, p, length = 1 }
return vida.compare { system = system, time = 1, methods = { { "rattle", h = 0.1 } } }
TEXT

# stdout is for the result: what a script prints goes to stderr.
script talking <<<'print("aside", 1) io.write "written\n" return 3'
expect 1 run "$work/talking.lua"
says $'aside\t1'
says "written"
silent

# A script beside the scenario can be required.
script model <<<'return { mass = 2 }'
script scenario <<'TEXT'
local vida = require "vida"
local model = require "model"
local system = vida.system "s"
system:particle { "p", mass = model.mass, position = { 0, 0, 0 } }
return { vida.compare { system = system, time = 1, methods = { { "rattle", h = 0.1 } } } }
TEXT
expect 0 run "$work/scenario.lua"
(cd "$work" && "$VIDA" run scenario.lua >/dev/null 2>&1) || complain "no script beside it was found"

finish
