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

# Runs from starts without labels are told apart by the numbers of their starts.
script bare <<'TEXT'
local vida = require "vida"
local s = vida.system { "fall", dimension = 1 }
local stone = s:particle { "stone", mass = 1, position = { 1 }, velocity = { 0 } }
s:observe { "root", vida.sqrt(stone.x), unit = "m" }
return vida.sweep { system = s, time = 1, methods = { { "rattle", h = 0.5 } },
  starts = { { values = { ["stone.x"] = 1 } }, { values = { ["stone.x"] = -1 } }, { values = { ["stone.x"] = 2 } } } }
TEXT
expect 0 run "$work/bare.lua" --out "$work/bare" # observables are looked at in runs with samples only
tr '\n' ' ' <"$work/out" | tr -s ' ' >"$work/line"
grep -q -F "rattle, h = 0.5 s, start 2: observable 'root' has no finite value" "$work/line" ||
  complain "the start is not named: $(cat "$work/line")"

# The fastest run for an error is not one whose energy is doubtful. Heun's method multiplies the energy of an
# oscillator by 1 + (h omega)^4 / 4 in each step: here by 3.5 in all with the smaller step.
script fast <<'TEXT'
local vida = require "vida"
local s = vida.system { "oscillator", dimension = 1 }
local p = s:particle { "p", mass = 1, position = { 1 }, velocity = { 0 } }
s:potential { "spring", 50 * p.x ^ 2 }
return vida.compare { system = s, time = 4, reference = { "rattle", h = 1e-4 },
  methods = { { "baumgarte", integrator = "heun", h = { 0.1, 0.05 } }, { "rattle", h = 0.002 } } }
TEXT
expect 0 run "$work/fast.lua"
tr '\n' ' ' <"$work/out" | tr -s ' ' >"$work/line"
grep -q "the energy is" "$work/line" || complain "the energy is not doubtful: $(cat "$work/line")"
grep -q "fastest run with a position error" "$work/line" || complain "no fastest run: $(cat "$work/line")"
grep -q -E "fastest run with [^(]*baumgarte" "$work/line" && complain "a doubtful run is recommended: $(cat "$work/line")"

finish
