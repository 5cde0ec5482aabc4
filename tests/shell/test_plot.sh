#!/usr/bin/env bash
# Pictures: vida run --plot, vida plot, and what they say when there is nothing to draw with or from.
# shellcheck source-path=SCRIPTDIR source=support.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/support.sh"

# ---- without gnuplot -----------------------------------------------------------------------------
mkdir "$work/empty"
for tool in grep head cat; do # what the test itself needs
  ln -s "$(command -v "$tool")" "$work/empty/$tool"
done
path=$PATH
export PATH=$work/empty
expect 0 run "$work/short.lua" --out "$work/bare" --plot
export PATH=$path
says "gnuplot is not there"
says "vida plot $work/bare"
shows "rattle"
[[ -f $work/bare/comparison.csv && ! -e $work/bare/plots ]] || complain "results without gnuplot"
export PATH=$work/empty
expect 1 plot "$work/bare"
export PATH=$path
says "gnuplot is not there"
silent

# ---- wrong usage and wrong folders ---------------------------------------------------------------
expect 2 plot
says "the name of a folder with results is missing"
expect 2 plot "$work/bare" enrgy
says "did you mean 'energy'?"
expect 2 plot "$work/bare" energy --h -1
says "--h: expected steps"
expect 2 plot "$work/bare" energy --time 5
says "--time: expected FROM:TO"
expect 2 plot "$work/bare" energy --format jpg
expect 2 plot "$work/bare" --name two
says "--name needs one kind"
expect 2 run "$work/short.lua" --plot
says "--plot needs --out DIR"
expect 2 run "$work/short.lua" --out "$work/bare" --plot=energy,momentun
says "did you mean 'momentum'?"
expect 1 plot "$work/nowhere"
says "there is no folder '$work/nowhere'"
expect 1 plot "$work/empty"
says "it has no comparison.csv"
mkdir "$work/damaged"
head -n 1 "$work/bare/comparison.csv" >"$work/damaged/comparison.csv"
expect 1 plot "$work/damaged"
says "has no runs"
: >"$work/damaged/comparison.csv"
expect 1 plot "$work/damaged"
says "is empty"
cp "$work/bare/comparison.csv" "$work/damaged/"
expect 1 plot "$work/damaged"
says "study.txt is missing"
printf 'system,method\na,b,c\n' >"$work/damaged/comparison.csv"
expect 1 plot "$work/damaged"
says "record 2 has 3 fields, expected 2"
printf 'system,method\n"a,b\n' >"$work/damaged/comparison.csv"
expect 1 plot "$work/damaged"
says "quotes do not match in record 2"

if ! command -v gnuplot >/dev/null 2>&1; then
  ((faults == 0)) || finish
  echo "skipped: there is no gnuplot, so that the rest is left out"
  exit 77
fi

# ---- pictures ------------------------------------------------------------------------------------

# picture FILE TEXT...: well-formed XML with these texts
picture() {
  local text
  if [[ ! -s $1 ]]; then
    complain "there is no picture $1"
    return
  fi
  if command -v xmllint >/dev/null 2>&1; then
    xmllint --noout "$1" 2>"$work/xml" || complain "$1: $(head -c 300 "$work/xml")"
  fi
  for text in "${@:2}"; do
    grep -q -F -e "$text" "$1" || complain "$1 does not say '$text'"
  done
}

expect 0 run "$work/short.lua" --out "$work/results" --quiet --plot
[[ ! -s $work/err ]] || complain "stderr is not empty: $(cat "$work/err")"
for kind in energy drift multipliers phase trajectory work-precision convergence; do
  picture "$work/results/plots/$kind.svg" rattle del-midpoint "short: "
  [[ -s $work/results/plots/$kind.gp && -s $work/results/plots/$kind.dat ]] || complain "$kind: its script"
done
picture "$work/results/plots/sparsity.svg" "3 x 3"
picture "$work/results/plots/energy.svg" "E(t) - E(0) [J]" "h = 0.1 s" "h = 0.05 s" "t [s]"
picture "$work/results/plots/convergence.svg" "position error [m]" "slope 2"
# The pendulum under gravity keeps no momentum: no picture without data.
[[ ! -e $work/results/plots/momentum.svg ]] || complain "a picture of no momentum"
expect 1 plot "$work/results" momentum
says "there is nothing to draw for a picture of kind 'momentum'"
leftovers=("$work"/results/plots/*.partial "$work"/results/plots/*.log)
[[ ! -e ${leftovers[0]} && ! -e ${leftovers[1]-} ]] || complain "left over: ${leftovers[*]}"

# A value of --plot beside it, or none; the scenario may follow.
expect 0 run --plot energy,drift "$work/short.lua" --out "$work/two"
says "vida: pictures in $work/two/plots: energy, drift"
[[ ! -e $work/two/plots/phase.svg ]] || complain "more pictures than asked for"
expect 0 run --plot "$work/short.lua" --out "$work/two"

expect 0 run "$work/short.lua" --out "$work/two"
[[ ! -e $work/two/plots/energy.svg ]] || complain "a picture of earlier results"
expect 0 plot "$work/two" energy

# The script can be changed and run again.
sed -i 's/E(t) - E(0)/change of the energy/' "$work/two/plots/energy.gp"
(cd "$work/two/plots" && rm energy.svg && gnuplot -d energy.gp) || complain "energy.gp by itself"
picture "$work/two/plots/energy.svg" "change of the energy"

# A disk that is full (here: files that may not grow) while gnuplot draws, which does not say so.
(
  ulimit -f 4
  "$VIDA" plot "$work/results" sparsity --out "$work/full" >"$work/out" 2>"$work/err"
  echo $? >"$work/code"
)
[[ $(cat "$work/code") == 1 ]] || complain "a full disk gave exit code $(cat "$work/code")"
says "cannot write '$work/full/sparsity.svg': File too large"
cut=("$work"/full/*.svg*)
[[ ! -e ${cut[0]} ]] || complain "a picture that was cut off is left: ${cut[*]}"

# A mistyped kind is no second scenario.
expect 2 run "$work/short.lua" --out "$work/results" --plot enrgy
says "unknown kind of picture 'enrgy'; did you mean 'energy'?"
expect 2 run "$work/short.lua" --out "$work/results" --plot xxxx
says "unknown kind of picture 'xxxx'; there are energy, shadow,"
expect 0 run --plot "$work/short.lua" --out "$work/results"

# One colour for a method, whichever runs are drawn.
colour() { sed -n "s/.*lc rgb '\(#[0-9a-f]*\)'.*title '$2'.*/\1/p" "$1"; }
expect 0 plot "$work/results" energy --only del-midpoint --name only
all=$(colour "$work/results/plots/convergence.gp" del-midpoint)
only=$(colour "$work/results/plots/only.gp" del-midpoint)
[[ -n $all && $all == "$only" ]] || complain "colours of del-midpoint: '$all', '$only'"
is_json "$work/results/report.json" \
  "(function() for _, m in ipairs(value.methods) do if m.name == 'del-midpoint' then return m.light end end end)() == '$all'"
grep -q rattle "$work/results/plots/only.svg" && complain "--only drew others, too"

# Numbers in the data are those of the trajectory: x of the last row of rattle, h = 0.1.
expect 0 plot "$work/results" time --columns bob.x --only rattle --h 0.1 --name x --format both
[[ -s $work/results/plots/x.png ]] || complain "no PNG"
expected=$(tail -n 1 "$work"/results/short-rattle-h_0.1.csv | cut -d, -f2)
got=$(awk 'NF == 2 && !/^#/ { last = $2 } END { print last }' "$work/results/plots/x.dat")
awk -v a="$expected" -v b="$got" 'BEGIN { exit !(a != "" && b != "" && (a - b) ^ 2 < 1e-22) }' ||
  complain "the last x is $expected, drawn was $got"
# Multipliers are drawn at their own times: those of del-midpoint belong to the node that a step begins at.
multiplier=$(head -n 1 "$work"/results/short-del-midpoint-h_0.1.csv | tr , '\n' | grep -n lambda | head -n 1)
expect 0 plot "$work/results" time --columns "${multiplier#*:}" --only del-midpoint --name force
awk -v last="$(awk 'NF == 2 && !/^#/ { t = $1 } END { print t }' "$work/results/plots/force.dat")" \
  'BEGIN { exit !((last - 0.9) ^ 2 < 1e-18) }' || complain "the last multiplier is not drawn at t = 0.9"
expect 0 plot "$work/results" time --columns bob.x --time 0.2:0.5 --h 0.1 --only rattle --name part
(($(grep -c '^[0-9]' "$work/results/plots/part.dat") == 4)) || complain "--time 0.2:0.5 is 4 rows"
expect 1 plot "$work/results" time --columns bob.w
says "no column 'bob.w'"
expect 1 plot "$work/results" convergence --columns position
says "no column 'position' of errors"
expect 1 plot "$work/results" energy --only lgvi
says "no run of 'lgvi' in the results"
expect 1 plot "$work/results" energy --h 0.3
says "nothing to draw"
expect 1 plot "$work/results" time
says "needs the names of columns"

# Where work is done on the system, it is taken off the energy.
script pushed <<'TEXT'
local vida = require "vida"
local system = vida.system { "pushed", dimension = 2 }
local block = system:particle { "block", mass = 1.0, position = { 1, 0 } }
system:force { "push", block, { 1, 0 } }
return vida.compare { system = system, time = 1, methods = { { "rattle", h = 0.1 } } }
TEXT
expect 0 run "$work/pushed.lua" --out "$work/pushed" --plot=energy
picture "$work/pushed/plots/energy.svg" "E(t) - E(0) - W(t) [J]"

# A swing of 8000 rows about x = 2: drawn curves have its lowest and highest values, pictures in the plane
# its middle in theirs; and a trajectory that is not there is told.
script swings <<'TEXT'
local vida = require "vida"
local system = vida.system { "swings", dimension = 2 }
local bob = system:particle { "bob", mass = 1.0, position = { 3, 1 }, velocity = { 0, 30 } }
system:spring { "spring", system:anchor { 2, 1 }, bob, stiffness = 100, length = 0 }
return vida.compare { system = system, time = 8, every = 1, methods = { { "verlet", h = { 0.001, 0.002 } } } }
TEXT
expect 0 run "$work/swings.lua" --out "$work/swings" --quiet
expect 0 plot "$work/swings" time --columns bob.x --h 0.001 --name x
extremes() { awk -F"$1" '$1 ~ /^[0-9]/ && NF > 1 { x = $2 + 0; if (!n++ || x < low) low = x; if (x > high) high = x }
  END { printf "%.9f %.9f", low, high }' "$2"; }
[[ $(extremes , "$work/swings/swings-verlet-h_0.001.csv") == "$(extremes ' ' "$work/swings/plots/x.dat")" ]] ||
  complain "drawn are $(extremes ' ' "$work/swings/plots/x.dat")"
expect 0 plot "$work/swings" trajectory
sed -n 's/^set xrange \[\(.*\):\(.*\)\]/\1 \2/p' "$work/swings/plots/trajectory.gp" |
  awk '{ n++; bad += ($1 + $2 - 4) ^ 2 > 1e-3 } END { exit !(n > 0 && bad == 0) }' || complain "x is not about 2"
rm "$work/swings/swings-verlet-h_0.002.csv"
expect 0 plot "$work/swings" time --columns bob.x --name less
picture "$work/swings/plots/less.svg" "the trajectories of 1 are missing"

# A run that failed is shown as such.
expect 1 run "$work/failing.lua" --out "$work/failed" --plot
picture "$work/failed/plots/energy.svg" "run failed"

# Methods with steps of their own share panels by the rank of their steps; a sweep is one entry of the
# legend.
script ranks <<'TEXT'
local vida = require "vida"
local system = vida.system { "ranks", dimension = 2 }
system:gravity { 0, -9.81 }
local bob = system:particle { "bob", mass = 1.0, position = { 1, 0 } }
system:distance { "rod", system.ground, bob, length = 1.0 }
return {
  vida.compare { system = system, time = 1, methods = {
    { "rattle", h = { 1 / 10, 1 / 20, 1 / 40, 1 / 80, 1 / 160 } },
    { "del-midpoint", h = { 1 / 11, 1 / 22, 1 / 44, 1 / 88, 1 / 176 } },
  } },
  vida.sweep { system = system, time = 1, methods = { { "rattle", h = 0.1 } },
    vary = { ["d bob.y/dt"] = { 0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.1, 1.2 } } },
}
TEXT
expect 0 run "$work/ranks.lua" --out "$work/ranks" --plot energy --trajectories
picture "$work/ranks/1/plots/energy.svg" "the largest step or tolerance of each method" "the fifth step"
grep -q "the sixth" "$work/ranks/1/plots/energy.svg" && complain "five steps have a sixth row"
picture "$work/ranks/2/plots/energy.svg" "rattle, 13 sets of options"
(($(grep -c '^# rattle' "$work/ranks/2/plots/energy.dat") == 13)) || complain "the sweep has 13 runs"

# Several comparisons, and fewer of them in the same folder later.
script several <<'TEXT'
local vida = require "vida"
local count = vida.setting { "count", 2 }
local system = vida.system "several"
system:particle { "p", mass = 1, position = { 0, 0, 0 }, velocity = { 1, 0, 0 } }
local all = {}
for i = 1, count do
  local methods = { { "rattle", h = { 0.1, 0.05 } } }
  table.insert(methods, i, { "del-midpoint", h = 0.1 })
  all[i] = vida.compare { system = system, time = i, methods = methods }
end
return all
TEXT
expect 0 run "$work/several.lua" --out "$work/several" --plot energy
picture "$work/several/1/plots/energy.svg" rattle
picture "$work/several/2/plots/energy.svg" rattle
[[ $(colour "$work/several/1/plots/energy.gp" rattle) == $(colour "$work/several/2/plots/energy.gp" rattle) ]] ||
  complain "two colours of one method"
expect 0 run "$work/several.lua" --out "$work/several" --set count=1
expect 0 plot "$work/several" energy
picture "$work/several/plots/energy.svg" rattle
expect 1 plot "$work/several" energy --comparison 2

# Names of any kind: nothing of them is taken for a command.
mkdir "$work/it's \"here\" \$(touch x) ü"
cd "$work/it's \"here\" \$(touch x) ü" || exit 1
cat >names.lua <<'TEXT'
local vida = require "vida"
local system = vida.system "a 'b' \"c\" <d> & \\n `touch y` ü {e}^2"
local p = system:particle { "käse, 'x' [m]", mass = 1, position = { 0, 0, 0 }, velocity = { 1, 0, 0 } }
local q = system:particle { "q", mass = 1, position = { 1, 0, 0 }, velocity = { 1, 1, 0 } }
system:distance { "bar, \"it's\"", p, q, length = 1.0 }
return vida.compare { system = system, time = 1, methods = { { "rattle", h = { 0.1, 0.05 } } } }
TEXT
expect 0 run names.lua --out "~r'e s" --quiet --plot
[[ ! -s $work/err ]] || complain "stderr is not empty: $(cat "$work/err")"
picture "~r'e s/plots/multipliers.svg" "ü {e}^2" "&lt;d" "lambda bar" "\`touch y\`"
picture "~r'e s/plots/trajectory.svg" "käse, 'x' [m]"
expect 0 plot "~r'e s" energy --name "n'ame \`touch z\`" --title "it's \$HOME"
picture "~r'e s/plots/n'ame \`touch z\`.svg" "it's \$HOME"
found=$(find . -maxdepth 3 -name '[xyz]')
[[ -z $found ]] || complain "something was run: $found"
cd "$SOURCE" || exit 1

# Where nothing can be written.
if ((EUID != 0)); then
  chmod 555 "$work/results/plots"
  expect 1 plot "$work/results" energy
  chmod 755 "$work/results/plots"
fi
expect 1 plot "$work/results" energy --out "$work/short.lua"
says "cannot create the folder"

# gnuplot's own failure is told.
mkdir "$work/bin"
printf '#!/bin/sh\necho "no such terminal" >&2\nexit 3\n' >"$work/bin/gnuplot"
chmod +x "$work/bin/gnuplot"
export PATH=$work/bin:$path
expect 1 plot "$work/results" energy
says "no such terminal"
export PATH=$path

# A run of which the start and the end alone are known is no straight line between them.
script ends <<'TEXT'
local vida = require "vida"
local system = vida.system { "ends", dimension = 2 }
system:gravity { 0, -9.81 }
local bob = system:particle { "bob", mass = 1.0, position = { 1, 0 } }
system:distance { "rod", system.ground, bob, length = 1.0 }
return vida.compare { system = system, time = 1,
  methods = { { "rattle", h = 0.01 }, { "ida-ggl", h = 1, rtol = 1e-6 } } }
TEXT
expect 0 run "$work/ends.lua" --out "$work/ends" --quiet
expect 0 plot "$work/ends" phase trajectory energy
for kind in phase trajectory energy; do
  grep -q 'using 1:2 with points' "$work/ends/plots/$kind.gp" || complain "$kind: no points"
  grep -q 'using 1:2 with lines' "$work/ends/plots/$kind.gp" || complain "$kind: no line"
done

finish
