#!/usr/bin/env bash
# Ctrl-C stops a comparison and a script cleanly; progress is shown on terminals only.
# shellcheck source-path=SCRIPTDIR source=support.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/support.sh"

# A comparison that takes very long; it tells when it is about to begin.
script long <<TEXT
local vida = require "vida"
local system = vida.system { "long", dimension = 2 }
system:gravity { 0, -9.81 }
local bob = system:particle { "bob", mass = 1.0, position = { 1, 0 } }
system:distance { "rod", system.ground, bob, length = 1.0 }
local long = vida.compare { system = system, time = 1e4, methods = { { "rattle", h = 1e-5 } } }
io.open("$work/begun", "w"):close()
return long
TEXT
script endless <<TEXT
io.open("$work/begun", "w"):close()
while true do end
TEXT
sed 's/^return long/long:run { quiet = true }/' "$work/long.lua" >"$work/direct.lua"

# stop COMMAND...: starts it, sends an interrupt to it when it is at work, and waits for its end.
stop() {
  local pid i
  rm -f "$work/begun"
  # In a process group of its own: an interrupt from the keyboard goes to a whole group.
  setsid "$@" >"$work/out" 2>"$work/err" </dev/null &
  pid=$!
  for ((i = 0; i < 300; i++)); do
    [[ -e $work/begun ]] && break
    sleep 0.1
  done
  sleep 0.5
  kill -INT -- "-$pid"
  for ((i = 0; i < 300; i++)); do
    kill -0 -- "-$pid" 2>/dev/null || break
    sleep 0.1
  done
  if kill -KILL -- "-$pid" 2>/dev/null; then
    complain "$*: it did not stop"
  fi
  wait "$pid"
  code=$?
}

stop "$VIDA" run "$work/long.lua" --out "$work/stopped"
((code == 1)) || complain "an interrupted comparison gave exit code $code"
says "stopped on request"
silent
[[ ! -e $work/stopped/comparison.csv ]] || complain "rows were written that look complete"
trajectories=("$work"/stopped/*.csv)
[[ ! -e ${trajectories[0]} || ${trajectories[0]} == *.incomplete.csv ]] ||
  complain "a trajectory was written that looks complete: ${trajectories[*]}"

stop "$VIDA" run "$work/endless.lua"
((code == 1)) || complain "an interrupted script gave exit code $code"
says "stopped on request"
silent

# The same in a stock Lua, whose own answer to Ctrl-C has to wait for the library.
stop "${lua[@]}" "$work/direct.lua"
says "interrupted!"

# Some machines have no pseudo-terminals to try it on.
if type -P script >/dev/null && script -q -c true /dev/null >/dev/null 2>&1 </dev/null; then
  sed 's/1e-5/0.01/' "$work/long.lua" >"$work/medium.lua"
  SHELL=/bin/sh command script -q -e -c "'$VIDA' run '$work/medium.lua' --format csv" /dev/null \
    </dev/null >"$work/terminal" || complain "a run on a terminal failed"
  grep -q 'rattle, h = 0.01 s: ' "$work/terminal" || complain "no progress on a terminal"
  SHELL=/bin/sh command script -q -e -c "'$VIDA' run '$work/medium.lua' --quiet" /dev/null \
    </dev/null >"$work/terminal"
  grep -q '%' "$work/terminal" && complain "progress although --quiet was given"
fi
expect 0 run "$work/short.lua" --format csv
[[ ! -s $work/err ]] || complain "progress although stderr is no terminal"

finish
