#!/usr/bin/env bash
# Failures of a sweep that differ in numbers only are said once, with the first start and how many
# there are; failures of other kinds for themselves.
# shellcheck source-path=SCRIPTDIR source=support.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/support.sh"

script sweep <<'TEXT'
local vida = require "vida"
local s = vida.system { "pendulum", dimension = 2 }
s:gravity { 0, -9.81 }
local bob = s:particle { "bob", mass = 1, position = { 1, 0 }, velocity = { 0, 3 } }
s:distance { "rod", s.ground, bob, length = 1 }
return vida.sweep { system = s, time = 1, methods = { { "rattle", h = 0.01 }, { "spook", h = 0.01 } },
  vary = { ["d bob.x/dt"] = { 0, 1, 2, 3 }, ["d bob.y/dt"] = { 3, 20 } } }
TEXT
expect 1 run "$work/sweep.lua" # along the rod no velocity but 0 is possible
[[ $(grep -c -E '^(rattle|spook)  .*INCONS' "$work/out") == 12 ]] || complain "expected 12 rows that failed: $(cat "$work/out")"
[[ $(grep -c "violate constraint 'rod'" "$work/out") == 1 ]] || complain "expected one message"
tr '\n' ' ' <"$work/out" | tr -s ' ' >"$work/line"
grep -q -F "rattle, h = 0.01 s, d bob.x/dt=1 d bob.y/dt=3 and 11 other runs (numbers of the first): \
INCONSISTENT_START at t = 0 s: the initial velocities violate constraint 'rod' by 1 m/s" "$work/line" ||
  complain "the message does not name the first start: $(cat "$work/line")"

finish
