#!/usr/bin/env bash
# vida check: a readable report, and exit codes 0 (warnings at most), 1 (something is wrong), 2.
# shellcheck source-path=SCRIPTDIR source=support.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/support.sh"

expect 0 check --help
shows "usage: vida check SCENARIO.lua"
shows "--set name=value"
expect 2 check
says "vida check: the name of a scenario is missing"
expect 2 check "$work/short.lua" --fromat csv
says "vida check: unknown option '--fromat'"
expect 2 check "$work/short.lua" "$work/failing.lua"
says "vida check: expected one scenario"
expect 2 check "$work/short.lua" --set duration
says "vida check: --set: expected name=value, got 'duration'"
expect 2 check "$work/short.lua" --set duratoin=3
says "duratoin"
expect 1 check "$work/nowhere.lua"
says "nowhere.lua"

# A pendulum: 2 coordinates less one rod. Its energy and momenta are zero at the start.
expect 0 check "$work/short.lua" --set duration=2
shows "short: 2 coordinates, 1 constraint row"
shows "degrees of freedom: 1 = 2 coordinates - rank 1 of the constraint Jacobian"
shows "constants at the start: energy = 0"
shows "J_z: not conserved: 'gravity' depends on"
shows "0 errors, 0 warnings"

# A run that would fail is no fault of the model. Momentum is conserved, so there is no note.
expect 0 check "$work/failing.lua"
shows "degrees of freedom: 5 ="
shows "L_x = 0, L_y = 0, L_z = 0, J_x = 0, J_y = 0, J_z = 1"
shows "0 errors, 0 warnings"

# Every scenario that comes along is in order.
for scenario in "$SOURCE"/scenarios/*.lua; do
  expect 0 check "$scenario"
  shows "0 errors"
done

# A redundant row: the second brace of a braced square (Maxwell: 2 n - 3 = 5 rods are enough).
script square <<'TEXT'
local vida = require "vida"
local s = vida.system { "square", dimension = 2 }
local a = s:particle { "a", mass = 1, position = { 0, 0 } }
local b = s:particle { "b", mass = 1, position = { 1, 0 } }
local c = s:particle { "c", mass = 1, position = { 1, 1 } }
local d = s:particle { "d", mass = 1, position = { 0, 1 } }
s:distance { "south", a, b, length = 1 }
s:distance { "east", b, c, length = 1 }
s:distance { "north", c, d, length = 1 }
s:distance { "west", d, a, length = 1 }
s:distance { "brace", a, c, length = math.sqrt(2) }
s:distance { "second brace", b, d, length = math.sqrt(2) }
return vida.compare { system = s, time = 1, methods = { { "rattle", h = 0.1 } } }
TEXT
expect 0 check "$work/square.lua"
shows "degrees of freedom: 3 = 8 coordinates - rank 5 of the constraint Jacobian"
shows "warning: second brace: this row depends on"
shows "0 errors, 1 warning"
# It runs, and says so.
expect 0 run "$work/square.lua" --format csv
shows "multipliers are not unique: 'second brace' depends on others"

# An inconsistent start is told together with all the rest; so is one that is adjusted.
script inconsistent <<'TEXT'
local vida = require "vida"
local s = vida.system { "inconsistent", dimension = 2 }
local p = s:particle { "p", mass = 2, position = { 0, 2 } }
s:distance { "rod", s.ground, p, length = 1 }
return vida.compare { system = s, time = 1, methods = { { "rattle", h = 0.1 } } }
TEXT
expect 1 check "$work/inconsistent.lua"
shows "error: start: the initial positions violate constraint 'rod' by 1 m"
shows "degrees of freedom: 1 ="
shows "1 error, 0 warnings"
expect 0 check "$work/inconsistent.lua" --set adjust_start=true
shows "adjusted: the given positions violated constraint 'rod' by 1 m"

# A spring has no direction where its ends are at the same place, nor has a square where it is zero.
script coincident <<'TEXT'
local vida = require "vida"
local s = vida.system { "coincident", dimension = 2 }
local a = s:particle { "a", mass = 1, position = { 1, 0 } }
local b = s:particle { "b", mass = 1, position = { 1, 0 } }
s:spring { "soft", a, b, stiffness = 3, length = 0 }
if vida.setting { "squared", false } then
  s:constraint { "x2", a.x ^ 2 - 2 * a.x + 1 }
else
  s:spring { "stiff", a, b, stiffness = 10, length = 1 }
end
return vida.compare { system = s, time = 1, methods = { { "rattle", h = 0.1 } } }
TEXT
expect 1 check "$work/coincident.lua"
shows "error: start: spring 'stiff': its ends are at the same place"
expect 1 run "$work/coincident.lua"
says "spring 'stiff': its ends are at the same place"
expect 1 run "$work/coincident.lua" --set squared=true
says "the gradient of constraint 'x2' vanishes at the start: it does not restrict any velocity there"

# Rods that contradict each other are refused with what is left over.
script contradiction <<'TEXT'
local vida = require "vida"
local s = vida.system { "contradiction", dimension = 2 }
local p = s:particle { "p", mass = 2, position = { 0, 1 } }
s:distance { "rod", s.ground, p, length = 1 }
s:distance { "longer rod", s.ground, p, length = 1.001 }
return vida.compare { system = s, time = 1, methods = { { "rattle", h = 0.1 } } }
TEXT
expect 1 run "$work/contradiction.lua"
says "constraints contradict each other: 'longer rod' depends on 'rod', but is violated by 0.00"

# Invariant, but written out: x^6 + 3 x^4 y^2 + 3 x^2 y^4 + y^6 is |r|^6.
script bowl <<'TEXT'
local vida = require "vida"
local s = vida.system { "bowl", dimension = 2 }
local x, vx = s:coordinate { "x", unit = "m", value = 1, rate = 0 }
local p = s:particle { "p", mass = 1, position = { 0.5, 0.3 } }
s:kinetic(vx ^ 2)
s:potential(x ^ 2)
local a, b = p.x, p.y
s:potential { "bowl", a ^ 6 + 3 * a ^ 4 * b ^ 2 + 3 * a ^ 2 * b ^ 4 + b ^ 6 }
return vida.compare { system = s, time = 1, methods = { { "rattle", h = 0.1 } } }
TEXT
expect 0 check "$work/bowl.lua"
shows "bowl: it is invariant, but its discrete derivative is not"
shows "0 errors, 1 warning"

# A list of comparisons: each system once.
script list <<'TEXT'
local vida = require "vida"
local function pendulum(name)
  local s = vida.system { name, dimension = 2 }
  local p = s:particle { "p", mass = 2, position = { 1, 0 } }
  s:distance { "rod", s.ground, p, length = 1 }
  return s
end
local one, two = pendulum "one", pendulum "two"
local function compare(s)
  return vida.compare { system = s, time = 1, methods = { { "rattle", h = 0.1 } } }
end
return { compare(one), compare(one), compare(two) }
TEXT
expect 0 check "$work/list.lua"
shows "one: 2 coordinates"
shows "two: 2 coordinates"
(($(grep -c -F "degrees of freedom" "$work/out") == 2)) || complain "not each system once"

# A singular matrix is traced to what it leaves open: a bead without mass between two straight rods. No
# method starts there.
script bead <<'TEXT'
local vida = require "vida"
local s = vida.system { "beaded", dimension = 2 }
s:gravity { 0, -9.81 }
local bead = s:particle { "bead", mass = 0, position = { 0.5, 0 } }
local bob = s:particle { "bob", mass = 1, position = { 1, 0 } }
s:distance { "upper", s.ground, bead, length = 0.5 }
s:distance { "lower", bead, bob, length = 0.5 }
return vida.compare { system = s, time = 1, methods = { { "rattle", h = 0.1 } } }
TEXT
expect 1 check "$work/bead.lua"
shows "error: start: no method can start there"
shows "warning: mass matrix: mass matrix and constraints do not determine"
shows "'bead.y'"
sed 's/{ 0.5, 0 }/{ 0.4, 0.3 }/; s/{ 1, 0 }/{ 0.8, 0.6 }/' "$work/bead.lua" >"$work/turned.lua"
expect 1 check "$work/turned.lua"
shows "error: start: no method can start there"
shows "warning: mass matrix: mass matrix and constraints do not determine"
shows "'bead.x',"

# Rows of joints are called after these, and what joints are made of is no fault of the user. A motor
# moves what has no freedom of its own.
script motor <<'TEXT'
local vida = require "vida"
local s = vida.system "motor"
local inertia = { 0.1, 0.2, 0.25 }
local base = s:body { "base", mass = 1, inertia = inertia, position = { 0, 0, 0 } }
local arm = s:body { "arm", mass = 1, inertia = inertia, position = { 1, 0, 0 } }
s:weld { "foot", s.ground, base }
s:revolute { "hinge", base, arm, at = { 0, 0, 0 }, axis = { 0, 0, 1 } }
s:drive { "drive", base, arm, axis = { 0, 0, 1 }, rate = 3 }
return vida.compare { system = s, time = 1, adjust_start = true, methods = { { "rattle", h = 0.1 } } }
TEXT
expect 0 check "$work/motor.lua"
shows "'foot: x'"
shows "with bodies as"
shows "constraints prescribe"
shows "0 errors, 0 warnings"

finish
