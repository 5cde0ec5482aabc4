#!/usr/bin/env bash
# Trajectories: chosen columns, HDF5 that every reader takes as it takes CSV, equal bytes of equal studies,
# none of sweeps unless asked for, and their size told before.
# shellcheck source-path=SCRIPTDIR source=support.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/support.sh"

# The library of HDF5 forgets some memory when it gives up a damaged file.
printf "leak:%s\n" libhdf5 argz_add_sep >"$work/leaks"
export LSAN_OPTIONS="suppressions=$work/leaks:print_suppressions=0"

script swing <<'TEXT'
local vida = require "vida"
local long = vida.setting { "long", false }
local system = vida.system { "swing", dimension = 2 }
system:gravity { 0, -9.81 }
local bob = system:particle { "bob", mass = 1.0, position = { 1, 0 } }
system:distance { "rod", system.ground, bob, length = 1.0 }
return vida.compare { system = system, time = long and 1e5 or 2, every = long and 1 or 0,
  methods = { { "rattle", h = { 0.1, 0.01 } }, { "del-midpoint", h = 0.1 } } }
TEXT
script sweep <<'TEXT'
local vida = require "vida"
local system = vida.system { "sweep", dimension = 2 }
local bob = system:particle { "bob", mass = 1.0, position = { 1, 0 } }
system:distance { "rod", system.ground, bob, length = 1.0 }
return vida.sweep { system = system, time = 1, methods = { { "rattle", h = 0.1 } },
  vary = { ["d bob.y/dt"] = { 0, 1, 2 } } }
TEXT

# ---- columns -------------------------------------------------------------------------------------
expect 0 run "$work/swing.lua" --out "$work/csv" --quiet
expect 0 run "$work/swing.lua" --out "$work/few" --quiet --columns g,bob.y,energy
head -n 1 "$work/few/swing-rattle-h_0.1.csv" | grep -qxF 't [s],energy [J],g rod [m],bob.y [m]' ||
  complain "other columns: $(head -n 1 "$work/few/swing-rattle-h_0.1.csv")"
expect 0 compare "$work/csv/swing-rattle-h_0.1.csv" "$work/few/swing-rattle-h_0.1.csv" --common --rtol 0
expect 2 run "$work/swing.lua" --out "$work/none" --columns q,enery
says "--columns: trajectories of system 'swing' have no 'enery'; did you mean 'energy'?"
expect 2 run "$work/swing.lua" --out "$work/none" --columns ,
expect 2 run "$work/swing.lua" --columns q
says "--columns needs --out DIR"
expect 0 run "$work/swing.lua" --columns help
shows "momenta"
[[ ! -e $work/none ]] || complain "a refused run made a folder"
expect 0 run "$work/swing.lua" --out "$work/no" --quiet --set trajectories=none
trajectories=("$work"/no/swing-*)
[[ ! -e ${trajectories[0]} ]] || complain "there is ${trajectories[0]}"

# ---- sweeps, and how much is written ----------------------------------------------------------------
expect 0 run "$work/sweep.lua" --out "$work/sweep"
trajectories=("$work"/sweep/sweep-*.csv)
[[ ! -e ${trajectories[0]} ]] || complain "a sweep wrote ${trajectories[0]}"
expect 1 plot "$work/sweep" energy
says "which has no trajectories (sweeps write them with --trajectories)"
expect 0 run "$work/sweep.lua" --out "$work/sweep" --trajectories
trajectories=("$work"/sweep/sweep-*.csv)
((${#trajectories[@]} == 3)) || complain "three starts gave ${#trajectories[@]} trajectories"
expect 0 run "$work/sweep.lua" --out "$work/sweep" # nothing old stays
[[ ! -e ${trajectories[0]} ]] || complain "an old trajectory stays: ${trajectories[0]}"
# (1e6 + 1e7 + 1e6) rows of 10 columns of 20 bytes are 2.4 GB.
expect 1 run "$work/swing.lua" --out "$work/long" --quiet --set long=true --wall-limit 0.01
says "note: the trajectories of 3 runs will take about 2.4 GB; "
expect 1 run "$work/swing.lua" --out "$work/long" --quiet --set long=true --wall-limit 0.01 --columns energy
says "will take about 0.48 GB; " # two columns

# ---- HDF5 ----------------------------------------------------------------------------------------------
if "$VIDA" --version | grep -q "without HDF5" >/dev/null; then
  expect 2 run "$work/swing.lua" --out "$work/h5" --format hdf5
  says "this vida has no HDF5"
  finish
  exit 0
fi
expect 0 run "$work/swing.lua" --out "$work/h5" --quiet --format hdf5 --plot energy
expect 0 run "$work/swing.lua" --out "$work/again" --quiet --format hdf5 --jobs 2
expect 2 run "$work/swing.lua" --format hdf5
says "--format hdf5 needs --out DIR"
cmp "$work/h5/trajectories.h5" "$work/again/trajectories.h5" || complain "equal studies, other bytes"
files=("$work"/h5/*.h5*)
((${#files[@]} == 1)) || complain "more than one file: ${files[*]}"
for name in swing-rattle-h_0.1 swing-rattle-h_0.01 swing-del-midpoint-h_0.1; do
  expect 0 compare "$work/csv/$name.csv" "$work/h5/trajectories.h5:$name" --rtol 0
done
expect 0 compare "$work/h5/trajectories.h5" "$work/again/trajectories.h5" --rtol 0
shows "3 runs compared, 0 differ"
expect 2 compare "$work/csv/swing-rattle-h_0.1.csv" "$work/h5/trajectories.h5"
says "has the trajectories of 3 runs: expected one of them, as in '$work/h5/trajectories.h5:swing-rattle-h_0.1'"
expect 2 compare "$work/h5/trajectories.h5:nothing" "$work/h5/trajectories.h5:nothing"
says "has no run 'nothing'"

# Pictures have the same data.
if command -v gnuplot >/dev/null; then
  for folder in csv h5; do
    expect 0 plot "$work/$folder" energy drift phase trajectory multipliers
  done
  for file in "$work"/csv/plots/*.dat; do
    cmp "$file" "$work/h5/plots/${file##*/}" || complain "the pictures of ${file##*/} differ"
  done
  expect 0 plot "$work/few" energy time --columns bob.y
  expect 1 plot "$work/few" phase
  head -c 20000 "$work/again/trajectories.h5" >"$work/cut.h5" && mv "$work/cut.h5" "$work/again/trajectories.h5"
  expect 1 plot "$work/again" energy
  says "'$work/again/trajectories.h5' is damaged"
fi

# vida.states reads the same states.
cat >"$work/states.lua" <<'TEXT'
local vida = require "vida"
local folder = arg[1]
local csv = vida.states(folder .. "/csv/swing-rattle-h_0.1.csv")
local hdf5 = vida.states(folder .. "/h5/trajectories.h5:swing-rattle-h_0.1")
assert(#csv == 21 and #hdf5 == 21)
for i, state in ipairs(csv) do
  assert(state.t == hdf5[i].t)
  for name, value in pairs(state.values) do
    assert(hdf5[i].values[name] == value, name)
  end
  for name, value in pairs(hdf5[i].values) do
    assert(state.values[name] == value, name)
  end
end
local good, message = pcall(vida.states, folder .. "/h5/trajectories.h5")
assert(not good and message:find("has the trajectories of 3 runs", 1, true), message)
TEXT
"${lua[@]}" "$work/states.lua" "$work" || complain "vida.states reads other states"

# CSV and HDF5 replace each other.
expect 0 run "$work/swing.lua" --out "$work/h5" --quiet
[[ ! -e $work/h5/trajectories.h5 ]] || complain "the old trajectories stay"

# A killed run leaves files that can be read, and --resume makes of them what an uninterrupted one writes.
"$VIDA" run "$work/swing.lua" --out "$work/killed" --quiet --format hdf5 --set long=true >/dev/null 2>&1 &
for ((i = 0; i < 200; i++)); do
  size=$(stat -c %s "$work/killed/swing-rattle-h_0.1.h5.partial" 2>/dev/null || echo 0)
  ((size > 100000)) && break
  sleep 0.05
done
kill -9 $!
wait $! 2>/dev/null
partial=("$work"/killed/*.h5.partial)
expect 0 compare "${partial[0]}" "${partial[0]}"
shows "0 cells beyond"

script several <<'TEXT'
local vida = require "vida"
local system = vida.system { "several", dimension = 2 }
system:gravity { 0, -9.81 }
local bob = system:particle { "bob", mass = 1.0, position = { 1, 0 } }
system:distance { "rod", system.ground, bob, length = 1.0 }
return vida.compare { system = system, time = 100, every = 1, methods = {
  { "rattle", h = { 0.1, 0.01, 0.001, 0.0005 } } } }
TEXT
expect 0 run "$work/several.lua" --out "$work/whole" --quiet --format hdf5 --columns q,energy
"$VIDA" run "$work/several.lua" --out "$work/resumed" --quiet --format hdf5 --columns q,energy >/dev/null 2>&1 &
for ((i = 0; i < 500; i++)); do
  [[ -e $work/resumed/several-rattle-h_0.01.h5 ]] && break
  sleep 0.01
done
kill -9 $!
wait $! 2>/dev/null
if [[ ! -e $work/resumed/trajectories.h5 ]]; then # it was not faster than this test
  expect 1 run "$work/several.lua" --out "$work/resumed" --quiet --resume --format hdf5 --columns q
  says "the choice of columns of the comparison was q,energy and is q now"
  expect 0 run "$work/several.lua" --out "$work/resumed" --quiet --resume --format hdf5 --columns q,energy
fi
cmp "$work/whole/trajectories.h5" "$work/resumed/trajectories.h5" || complain "a resumed study has other bytes"
files=("$work"/resumed/*.h5*)
((${#files[@]} == 1)) || complain "more than one file: ${files[*]}"

# Of a killed study with several comparisons those that had finished, and whose files were joined, are not
# made again, but for a table that is damaged. Either way the files are those of an uninterrupted study.
sed -e 's/^return vida.compare/local first = vida.compare/' -e 's/time = 100/time = 10/' \
  -e 's/0.001, 0.0005/0.005, 0.002/' "$work/several.lua" >"$work/two.lua"
cat >>"$work/two.lua" <<'TEXT'
local second = vida.compare { system = system, time = 0.5, every = 1000, methods = { { "rattle", h = 1e-5 } } }
return { first, second }
TEXT
options=(--quiet --format hdf5 --columns q,energy)
expect 0 run "$work/two.lua" --out "$work/whole2" "${options[@]}"
"$VIDA" run "$work/two.lua" --out "$work/killed2" "${options[@]}" >/dev/null 2>&1 &
for ((i = 0; i < 3000; i++)); do
  compgen -G "$work/killed2/2/*.partial" >/dev/null && break
  sleep 0.01
done
kill -9 $!
wait $! 2>/dev/null
if [[ -e $work/killed2/study.journal ]]; then # it was not faster than this test
  cp -r "$work/killed2" "$work/flipped2"
  expect 0 run "$work/two.lua" --out "$work/killed2" "${options[@]}" --resume
  says "vida: 4 runs had finished"
  # The last table is the largest: most bytes of the file are its numbers.
  size=$(stat -c %s "$work/flipped2/1/trajectories.h5")
  "${lua[@]}" - "$work/flipped2/1/trajectories.h5" $((size * 3 / 4)) <<'TEXT'
local file = io.open(arg[1], "r+b")
file:seek("set", tonumber(arg[2]))
local byte = file:read(1):byte()
file:seek("set", tonumber(arg[2]))
file:write(string.char(byte ~ 16))
file:close()
TEXT
  expect 0 run "$work/two.lua" --out "$work/flipped2" "${options[@]}" --resume
  says "vida: 3 runs had finished"
  for number in 1 2; do
    for folder in killed2 flipped2; do
      cmp "$work/whole2/$number/trajectories.h5" "$work/$folder/$number/trajectories.h5" ||
        complain "$folder: comparison $number has other bytes"
    done
  done
fi

finish
