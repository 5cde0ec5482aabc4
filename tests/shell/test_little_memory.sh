#!/usr/bin/env bash
# A run that does not get the memory it needs says that, whichever method asks for it: it neither crashes
# nor blames the system.
# shellcheck source-path=SCRIPTDIR source=support.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/support.sh"

script chain <<TEXT
local vida = require "vida"
local system = vida.system { "chain", dimension = 2 }
system:gravity { 0, -9.81 }
local last = system.ground
for i = 1, 300 do
  local bead = system:particle { "bead " .. i, mass = 1, position = { i, 0 } }
  system:distance { "rod " .. i, last, bead, length = 1 }
  last = bead
end
return vida.compare { system = system, time = 0.01, every = 1, methods = {
  { "rattle", h = 0.01 }, { "radau", h = 0.01 },
  { "cvode-projected", rtol = 1e-4, h = 0.01 } } }
TEXT

# Sanitizers reserve more address space than there is to limit.
if ! (ulimit -v 200000 && exec "$VIDA" --version) >"$work/out" 2>&1; then
  echo "skipped: the command does not start in 200 MB"
  exit 77
fi

lacked=0
for kilobytes in 16000 20000 25000 30000; do
  (
    ulimit -v "$kilobytes"
    exec "$VIDA" run "$work/chain.lua" --quiet
  ) >"$work/out" 2>"$work/err" </dev/null
  code=$?
  ((code <= 1)) || complain "$kilobytes kB: exit code $code: $(head -c 300 "$work/err")"
  ! grep -q -i singular "$work/out" "$work/err" || complain "$kilobytes kB: $(grep -i -h singular "$work/out" "$work/err")"
  ! grep -q 'OUT_OF_MEMORY' "$work/out" || lacked=$((lacked + 1))
done
((lacked > 0)) || complain "no run lacked memory: nothing was tested"

finish
