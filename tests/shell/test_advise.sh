#!/usr/bin/env bash
# vida advise: rates against closed forms, kinds of equations, and methods that take the system.
# shellcheck source-path=SCRIPTDIR source=support.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/support.sh"

# advise TEXT: advice on the system that the script on the standard input makes as `s`.
advise() {
  {
    echo 'local vida = require "vida"'
    cat
    echo 'return vida.compare { system = s, time = 10, methods = { { "del-midpoint", h = 0.1 } } }'
  } >"$work/advised.lua"
  expect 0 advise "$work/advised.lua"
}
# rate NAME EXPECTED: three digits of the line "NAME: 1.23 /s".
rate() {
  local got
  got=$(sed -n "s|^  $1: \\(.*\\) /s\$|\\1|p" "$work/out")
  awk -v a="$got" -v b="$2" 'BEGIN { exit !(a != "" && (a - b)^2 <= (0.006 * b)^2) }' ||
    complain "$1: expected $2, got '$got'"
}
# step: the suggested step.
step() {
  sed -n 's/^  h = \([^ ]*\) s.*/\1/p' "$work/out"
}

# A mass on a spring along x: sqrt(k/m) = sqrt(40/2.5) = 4.
advise <<'TEXT'
local s = vida.system { "spring", dimension = 2 }
local x, v = s:coordinate { "x", unit = "m", value = 0.3 }
s:kinetic(2.5 / 2 * v ^ 2)
s:potential(40 / 2 * x ^ 2)
TEXT
rate oscillation 4
shows "ordinary differential equations, no constraints"
# 2 pi / 4 / 50 = 0.0314 s, of which 0.025 divides ten seconds.
[[ $(step) == 0.025 ]] || complain "the step is $(step)"
for method in verlet rattle galerkin-gauss; do
  shows "  $method "
done
# Refusals do not ask all methods again which of them can: those are listed.
if grep -q -e "these can" "$work/out"; then
  complain "a list of methods in each refusal"
fi

# The same with a damper, f = -c v: damping c/m = 30/2.5 = 12.
advise <<'TEXT'
local s = vida.system { "damped", dimension = 2 }
local x, v = s:coordinate { "x", unit = "m", value = 0.3 }
s:kinetic(2.5 / 2 * v ^ 2)
s:potential(40 / 2 * x ^ 2)
s:rayleigh(30 / 2 * v ^ 2)
TEXT
rate oscillation 4
rate damping 12
shows "generalized forces, which depend on velocities: the energy is not"
grep -q "the energy exactly" "$work/out" && complain "energy is to be kept where it is not"

# A pendulum that hangs at rest: sqrt(g/L) = sqrt(9.81/2) = 2.215; and one that stands.
for place in "0, -2:oscillation" "0, 2:growing"; do
  advise <<TEXT
local s = vida.system { "pendulum", dimension = 2 }
s:gravity { 0, -9.81 }
local bob = s:particle { "bob", mass = 3, position = { ${place%%:*} } }
s:distance { "rod", s.ground, bob, length = 2 }
TEXT
  rate "${place##*:}" 2.2147
  shows "index 3"
  shows "1 degree of freedom"
done

# Let go from the side its rod carries nothing yet, but it will fall: sqrt(g/L) again.
advise <<'TEXT'
local s = vida.system { "pendulum", dimension = 2 }
s:gravity { 0, -9.81 }
local bob = s:particle { "bob", mass = 3, position = { 2, 0 } }
s:distance { "rod", s.ground, bob, length = 2 }
TEXT
rate "rotation from rest" 2.2147
grep -q oscillation "$work/out" && complain "an oscillation of a rod without force"

# On a circle without gravity: v/R = 3/2, which is also the rate at which it swings about its plane.
advise <<'TEXT'
local s = vida.system { "circle", dimension = 3 }
local bob = s:particle { "bob", mass = 3, position = { 2, 0, 0 }, velocity = { 0, 3, 0 } }
s:distance { "rod", s.ground, bob, length = 2 }
TEXT
rate rotation 1.5
rate oscillation 1.5

# Two equal pendulums on each other, hanging: sqrt((2 + sqrt 2) g/L) = sqrt(3.41421 * 9.81) = 5.7873.
advise <<'TEXT'
local s = vida.system { "double", dimension = 2 }
s:gravity { 0, -9.81 }
local a = s:particle { "a", mass = 1, position = { 0, -1 } }
local b = s:particle { "b", mass = 1, position = { 0, -2 } }
s:distance { "upper", s.ground, a, length = 1 }
s:distance { "lower", a, b, length = 1 }
TEXT
rate oscillation 5.7873
# In the stiffer mode the angles are 1 and -sqrt 2: x_a = 1, x_b = 1 - sqrt 2 = -0.41.
shows "most of it in 'a.x'"

# Nothing depends on the unit of mass.
for mass in 1e-9 1e9; do
  advise <<TEXT
local s = vida.system { "double", dimension = 2 }
s:gravity { 0, -9.81 }
local a = s:particle { "a", mass = $mass, position = { 0, -1 } }
local b = s:particle { "b", mass = $mass, position = { 0, -2 } }
s:distance { "upper", s.ground, a, length = 1 }
s:distance { "lower", a, b, length = 1 }
TEXT
  rate oscillation 5.7873
done

# A flight: nothing is known, and nothing is wrong.
advise <<'TEXT'
local s = vida.system { "flight", dimension = 2 }
s:gravity { 0, -9.81 }
s:particle { "ball", mass = 1, position = { 0, 0 }, velocity = { 3, 4 } }
TEXT
shows "not known: the suggested step is a fraction of the time"
[[ $(step) == 0.1 ]] || complain "the step is $(step)"

# A rod held twice, M(q), and what methods say of it.
advise <<'TEXT'
local s = vida.system { "twice", dimension = 2 }
s:gravity { 0, -9.81 }
local bob = s:particle { "bob", mass = 3, position = { 0, -2 } }
s:distance { "rod", s.ground, bob, length = 2 }
s:distance { "rod again", s.ground, bob, length = 2 }
TEXT
shows "1 of the rows depend on others"
shows "1 degree of freedom"
rate oscillation 2.2147
advise <<'TEXT'
local s = vida.system { "polar", dimension = 2 }
local r, rdot = s:coordinate { "r", unit = "m", value = 2 }
local theta, rate = s:coordinate { "theta", unit = "rad", value = 0, rate = 0.7 }
s:lagrangian(0.5 * rdot ^ 2 + 0.5 * r ^ 2 * rate ^ 2)
TEXT
shows "M(q)"
rate angles 0.7
# Without -q: grep would end before sed has written everything, which then fails by a signal.
sed -n '/methods that do not/,$p' "$work/out" | grep '^  verlet ' >/dev/null || complain "verlet takes M(q)"
sed -n '/methods that accept it/,/methods that do not/p' "$work/out" | grep '^  del-midpoint ' >/dev/null ||
  complain "del-midpoint refuses M(q)"

# Along a unit quaternion there is no kinetic energy, M q = 0, however the body is turned. A body in the plane
# has a regular mass matrix.
for turn in "axis = { 1, 0, 0 }, angle = 0" "angle = 0.7, axis = { 1, 2, -3 }"; do
  advise <<TEXT
local s = vida.system "body"
s:body { "body", mass = 1, inertia = { 1, 2, 2.5 }, position = { 0, 0, 0 }, body_rates = { 0.3, 1, 0.2 },
  orientation = { $turn } }
TEXT
  shows "M(q), singular: some rates"
done
advise <<'TEXT'
local s = vida.system { "plate", dimension = 2 }
s:body { "body", mass = 1e-9, inertia = 1e9, position = { 0, 0 }, angle = 0.3 }
TEXT
grep -q singular "$work/out" && complain "the mass matrix of a body in the plane is singular"

# The atlas: the nearest system of a triple pendulum is a pendulum of rods; the evidence is named; and under
# dampers nothing is said of methods that keep the energy or the symplectic form.
for damper in "" "s:rayleigh { 'drag', 0.1 * b.velocity.x ^ 2 }"; do
  advise <<TEXT
local s = vida.system { "triple", dimension = 2 }
s:gravity { 0, -9.81 }
local a = s:particle { "a", mass = 1, position = { 1, 0 } }
local b = s:particle { "b", mass = 1, position = { 1, -1 } }
local c = s:particle { "c", mass = 1, position = { 2, -1 } }
s:distance { "first", s.ground, a, length = 1 }
s:distance { "second", a, b, length = 1 }
s:distance { "third", b, c, length = 1 }
$damper
TEXT
  shows "nearest: 'pendulum'"
  shows "error 0.001: "
  shows "error 1e-09: "
  shows "it took"
  if [[ -n $damper ]]; then
    grep -q -e "with the exact energy" -e "with the symplectic form" "$work/out" &&
      complain "what a damped motion does not keep"
  else
    shows "error 1e-06 with the exact energy: "
    shows "error 1e-06 with the symplectic form: "
  fi
done

# Contacts. A ball that comes to rest on a floor: methods that take no constraint refuse it, with the contact and
# what becomes of it; the others find events, and of those the ball has at least five in the trial: with
# t1 = sqrt(2/g) = 0.45 s and e = 0.9 impact number k is at t1 (1 + 2 (0.9 + ... + 0.9^(k-1))), 10 s are longer.
ball() {
  advise <<TEXT
local s = vida.system { "ball", dimension = 2 }
s:gravity { 0, -9.81 }
local ball = s:particle { "ball", mass = 2, position = { 0, 1 } }
s:contact { "floor", gap = ball.y, $1 }
TEXT
}
list_of() { # methods that accept it, or that do not
  sed -n "/methods that $1/,/^$/p" "$work/out"
}
ball "restitution = 0.9"
shows "  1 contact"
shows "time stepping, for any number of impacts in a step: spook (order 1"
shows "prefer events"
list_of "do not" | grep -A2 "^  verlet " | grep "contact 'floor' rests: verlet accepts only" >/dev/null ||
  complain "verlet takes a ball at rest"
for method in rattle energy-momentum radau; do
  list_of "accept it" | grep "^  $method .*by events" >/dev/null || complain "$method does not take the ball"
done
list_of "accept it" | grep "^  moreau-jean *order 1, by time stepping" >/dev/null || complain "order of moreau-jean"
sed -n 's/^  100 steps: \([0-9]*\) events$/\1/p' "$work/out" >"$work/count"
(($(cat "$work/count") >= 5)) || complain "the trial has met '$(cat "$work/count")' events"
grep -q "with the symplectic form" "$work/out" && complain "the symplectic form across impacts"

# With friction it slides: a method without forces of multipliers is never named above the list of refusals.
ball "restitution = 0.9, friction = 0.3, slip = { ball.vx }"
list_of "do not" | grep -A2 "^  gni " | grep "contact 'floor' slides" >/dev/null || complain "gni slides"
sed '/methods that do not/,$d' "$work/out" | grep -w -e gni -e verlet -e lgvi && complain "a method that refuses it"

# An elastic ball without friction never rests: verlet takes it.
ball "restitution = 1"
list_of "accept it" | grep "^  verlet .*by events" >/dev/null || complain "verlet refuses an elastic ball"

# Spheres with friction: time stepping only.
advise <<'TEXT'
local s = vida.system { "spheres", dimension = 2 }
s:gravity { 0, -9.81 }
local ball = s:particle { "ball", mass = 2, position = { 0, 1 } }
s:plane_contact { "floor", ball, radius = 0.1, restitution = 0.5, friction = 0.3 }
TEXT
shows "prefer time stepping: no event-driven method has taken it"
shows "many contacts: moreau-jean"
shows "event-driven: 0 methods"

# Large systems: sizes are told, and no method is tried. A chain that hangs, with N links of length l:
# the fastest mode is below 2 sqrt(N g / l), and near it.
advise <<'TEXT'
local s = vida.system { "chain", dimension = 2 }
s:gravity { 0, -9.81 }
local last = s.ground
for i = 1, 400 do
  local mass = s:particle { "mass " .. i, mass = 1, position = { 0, -i } }
  s:distance { "link " .. i, last, mass, length = 1 }
  last = mass
end
TEXT
shows "the system is too large"
awk '/^  oscillation:/ { found = $2 } END { top = 2 * sqrt(400 * 9.81); exit !(found > 0.95 * top && found <= top) }' \
  "$work/out" || complain "the fastest mode of a chain: $(grep oscillation "$work/out")"

# What the mass matrix L_vv depends on, by its closed form: 1 + t, 1 + 3 v^2, 1 + x^2; and constant in terms
# that are not quadratic (x v w), also where the formula ends nearby, at x = 0.3005.
mass_of() {
  advise <<TEXT
local s = vida.system "mass"
local x, v = s:coordinate { "x", unit = "m", value = 0.3, rate = 0.2 }
local y, w = s:coordinate { "y", unit = "m", value = 0.1, rate = 0.3 }
s:lagrangian { "L", 0.5 * v ^ 2 + 0.5 * w ^ 2 - x ^ 2 - y ^ 2 + $1 }
TEXT
  shows "mass matrix: $2"
}
mass_of "0.5 * v ^ 2 * s.time" "depends on time, M(t)"
mass_of "0.25 * v ^ 4" "depends on rates, M(v)"
mass_of "0.5 * x ^ 2 * v ^ 2" "depends on positions, M(q)"
mass_of "0.5 * x ^ 2 * v ^ 4 * (1 + s.time)" "depends on positions, rates and time, M(q,v,t)"
mass_of "x * w" "constant near the start"
mass_of "w * vida.sqrt(0.3005 - x)" "constant near the start"

expect 2 advise
says "the name of a scenario is missing"
expect 1 advise "$work/nowhere.lua"
says "cannot open"
expect 0 advise "$work/short.lua" --set duration=5

finish
