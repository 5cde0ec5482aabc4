#!/usr/bin/env bash
# What the tests of the command share, to be sourced. VIDA, SOURCE and LUA are in the environment.
set -uo pipefail

: "${VIDA:?the path of the command}" "${SOURCE:?the top of the source tree}"
read -r -a lua <<<"${LUA:-lua5.4}"
export LUA_PATH_5_4="$SOURCE/tests/lua/?.lua;;"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
faults=0
# libhdf5 keeps some bytes for good, which its symbols no longer name once it is unloaded.
printf 'leak:%s\n' libhdf5 argz_add_sep >"$work/leaks"
export LSAN_OPTIONS="suppressions=$work/leaks:print_suppressions=0"
unset COLUMNS

complain() {
  echo "line ${BASH_LINENO[1]}: $*"
  faults=$((faults + 1))
}

# run ARGUMENTS...: the command, its output in $work/out and $work/err, its exit code in $code.
run() {
  "$VIDA" "$@" >"$work/out" 2>"$work/err" </dev/null
  code=$?
  if grep -q -e Sanitizer -e 'runtime error' "$work/err"; then
    complain "vida $*: $(cat "$work/err")"
  fi
}

# expect CODE ARGUMENTS...
expect() {
  local expected=$1
  shift
  run "$@"
  if ((code != expected)); then
    complain "vida $*: expected exit code $expected, got $code: $(head -c 600 "$work/err")"
  fi
}

# says TEXT: stderr has this text.   shows TEXT: stdout has it.   silent: stdout is empty.
says() {
  grep -q -F -e "$1" "$work/err" || complain "stderr does not say '$1': $(head -c 600 "$work/err")"
}
shows() {
  grep -q -F -e "$1" "$work/out" || complain "stdout does not show '$1': $(head -c 600 "$work/out")"
}
silent() {
  [[ ! -s $work/out ]] || complain "stdout is not empty: $(head -c 200 "$work/out")"
}

# script NAME: makes $work/NAME.lua from the standard input.
script() {
  cat >"$work/$1.lua"
}

# is_json FILE EXPRESSION: strict JSON, and the Lua expression on `value` is true.
is_json() {
  "${lua[@]}" - "$1" <<TEXT || complain "$1 is not the JSON expected: $2"
local json = require "json"
local file = assert(io.open(arg[1], "rb"))
local value = json.read(file:read "a")
assert($2)
TEXT
}

finish() {
  if ((faults > 0)); then
    echo "$faults faults"
    exit 1
  fi
  echo ok
}

# A comparison that takes no time.
script short <<'TEXT'
local vida = require "vida"
local time = vida.setting { "duration", 1.0, unit = "s" }
local system = vida.system { "short", dimension = 2 }
system:gravity { 0, -9.81 }
local bob = system:particle { "bob", mass = 1.0, position = { 1, 0 } }
system:distance { "rod", system.ground, bob, length = 1.0 }
return vida.compare {
  system = system,
  time = time,
  reference = { "energy-momentum", h = 0.01 },
  methods = { { "rattle", h = { 0.1, 0.05 } }, { "del-midpoint", h = 0.1 } },
}
TEXT

# The same with a run that has no solution.
script failing <<'TEXT'
local vida = require "vida"
local system = vida.system "failing"
local a = system:particle { "a", mass = 1, position = { 0, 0, 0 }, velocity = { 0, -1, 0 } }
local b = system:particle { "b", mass = 1, position = { 1, 0, 0 }, velocity = { 0, 1, 0 } }
system:distance { "rod", a, b, length = 1.0 }
return vida.compare {
  system = system,
  time = 2,
  methods = { { "rattle", h = 1.0 }, { "rattle", h = 0.1 } },
}
TEXT

columns=system,method,options,h,rtol,status,t_end,steps,newton_iterations,residual_evaluations
columns+=,jacobian_evaluations,wall_s,position_error,velocity_error,multiplier_error,energy_error
columns+=,energy_drift,momentum_error,constraint_position,constraint_velocity,symplectic_defect
columns+=,message,energy_change,work,work_error,constraint_integral
