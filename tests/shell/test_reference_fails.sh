#!/usr/bin/env bash
# A reference that fails: rows are printed and written, the message comes with the script's line, and
# the exit code is 1.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

fail() {
  echo "$1" >&2
  cat errors rows >&2
  exit 1
}

for value in '"boom"' '{ 3 }' 'nil'; do
  cat > s.lua <<END
local vida = require "vida"
local s = vida.system { "pendulum", dimension = 2 }
s:gravity { 0, -9.81 }
local bob = s:particle { "bob", mass = 1, position = { 1, 0 } }
s:distance { "rod", s.ground, bob, length = 1 }
local function exact(t)
  if t > 0.5 then
    error($value)
  end
  return { positions = { bob = { 1, 0 } } }
end
local methods = { { "rattle", h = 0.1 }, { "radau", h = 0.1 } }
return {
  vida.compare { system = s, time = 1, reference = exact, methods = methods, label = "first" },
  vida.compare { system = s, time = 1, methods = methods, label = "second" },
}
END
  code=0
  "$VIDA" run s.lua --out out > rows 2> errors || code=$?
  [ "$code" = 1 ] || fail "exit code $code"
  grep -q '^vida: s.lua:8: ' errors || fail "the line of the script is missing"
  [ "$(grep -c '  ok  ' rows)" = 4 ] || fail "expected four rows"
  grep -q 'no errors against the reference: s.lua:8: ' rows || fail "expected a note"
  [ "$(grep -c ',ok,' out/comparison.csv)" = 4 ] || fail "expected four rows in comparison.csv"
  rm -r out
done
