#!/usr/bin/env bash
# Runs of every method that are ended by a time limit, each somewhere in its middle, go on from their
# states: the files are those of runs without a limit.
# shellcheck source-path=SCRIPTDIR source=support.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/support.sh"

time=0.3
[[ -z ${VIDA_SANITIZED-} ]] || time=0.1
script all <<TEXT
local vida = require "vida"
local function driven()
  local s = vida.system { "driven", dimension = 2 }
  s:gravity { 0, -9.81 }
  local bob = s:particle { "bob", mass = 1, position = { 0.6, -0.8 } }
  s:distance { "rod", s.ground, bob, length = 1 }
  s:force { "push", { { bob.x, vida.sin(3 * s.time) } } }
  s:damper { "damper", s.ground, s:particle { "other", mass = 2, position = { 1, 1 }, velocity = { 1, 0 } },
    damping = 0.3 }
  return s
end
local function balls()
  local s = vida.system { "balls", dimension = 2 }
  s:gravity { 0, -9.81 }
  local ball = s:particle { "ball", mass = 1, position = { 0, 0.1 }, velocity = { 3, 0 } }
  s:contact { "floor", gap = ball.y, restitution = 0.9 }
  s:event { "top", ball.vy, direction = "falling" }
  return s
end
local list = {}
for i, make in ipairs { driven, balls } do
  local chosen = {}
  for _, method in ipairs(vida.methods()) do
    for _, options in ipairs { { method.name, h = 0.002 }, { method.name, rtol = 1e-6, h = 0.002 } } do
      if pcall(vida.compare, { system = make(), time = 0.002, methods = { options } }) then
        chosen[#chosen + 1] = options
      end
    end
  end
  list[i] = vida.compare { system = make(), time = $time, every = 3, methods = chosen, checkpoint = 0 }
end
return list
TEXT

run run "$work/all.lua" --out "$work/whole" --quiet
# How many runs a limit cuts in their middle depends on the machine: it is doubled until there are enough.
states=()
for limit in 0.0005 0.001 0.002 0.004 0.008 0.016; do
  rm -rf "$work/ended"
  expect 1 run "$work/all.lua" --out "$work/ended" --quiet --wall-limit "$limit"
  states=("$work"/ended/*/run-*.journal)
  ((${#states[@]} > 20)) && break
done
((${#states[@]} > 20)) || complain "only ${#states[@]} runs have left a state"
run run "$work/all.lua" --out "$work/ended" --quiet --resume
says ", ${#states[@]} had begun"
"${lua[@]}" "$SOURCE/tests/lua/same_results.lua" "$work/whole" "$work/ended" >"$work/differences" ||
  complain "the files differ: $(head -c 800 "$work/differences")"

finish
