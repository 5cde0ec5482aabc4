#!/usr/bin/env bash
# Runs: formats, settings, choices of methods, files, and runs that fail.
# shellcheck source-path=SCRIPTDIR source=support.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/support.sh"

# ---- formats -----------------------------------------------------------------------------------
expect 0 run "$work/short.lua"
shows "rattle"
shows "del-midpoint"
[[ ! -s $work/err ]] || complain "stderr is not empty: $(cat "$work/err")"

expect 0 run --format csv "$work/short.lua"
[[ $(head -n 1 "$work/out" | tr -d '\r') == "$columns" ]] || complain "the columns of the CSV"
(($(wc -l <"$work/out") == 4)) || complain "the CSV has not four lines"
expect 0 run "$work/short.lua" --format=json
is_json "$work/out" '#(value.rows or value) == 3 and (value.rows or value)[1].method == "rattle"'

for columns_wide in 60 140; do
  COLUMNS=$columns_wide expect 0 run "$work/short.lua"
  widest=$(awk '{ if (length > n) n = length } END { print n }' "$work/out")
  ((widest <= columns_wide)) || complain "the table is $widest wide, not $columns_wide"
done

# ---- settings ----------------------------------------------------------------------------------
column() {
  "${lua[@]}" - "$work/out" "$1" <<'TEXT'
local json = require "json"
local value = json.read(io.open(arg[1]):read "a")
local list = {}
for _, row in ipairs(value.rows or value) do
  list[#list + 1] = tostring(row[arg[2]])
end
print(table.concat(list, " "))
TEXT
}
same() {
  [[ $1 == "$2" ]] || complain "expected $2, got $1"
}
expect 0 run "$work/short.lua" --format json --set duration=0.5
same "$(column steps)" "5 10 5"
expect 0 run "$work/short.lua" --format json --set time=0.2 # an option of the comparison
same "$(column steps)" "2 4 2"
expect 0 run "$work/short.lua" --format json --set norm=end --set relative=true
expect 2 run "$work/short.lua" --set duraton=0.5
says "--set: nothing in the script reads 'duraton'; did you mean 'duration'?"
silent
expect 2 run "$work/short.lua" --set tiem=0.5
says "did you mean 'time'?"
expect 2 run "$work/short.lua" --set xyzzy=0.5
says "--set: nothing in the script reads 'xyzzy'"
expect 2 run "$work/short.lua" --set duration=long
says "--set duration: expected a number in s, got 'long'"

expect 0 run "$work/short.lua" --settings
shows "duration           number (s), default 1.0"
shows "norm               mean|max|end|mixed, default mean"
shows "every "
expect 0 run "$work/short.lua" --format json --jobs 2
same "$(column steps)" "10 20 10"
expect 0 run "$work/short.lua" --jobs=0
expect 0 run "$work/short.lua" --jobs 3 --out "$work/shared"
shows "times are those of 3 parallel runs, which share the machine"
grep -q '^jobs: 3$' "$work/shared/study.txt" || complain "study.txt does not tell of the jobs"
for wrong in -1 2000 two 1.5 ''; do
  expect 2 run "$work/short.lua" --jobs "$wrong"
  says "--jobs: expected a whole number from 0 (as many as processors) to 1024, got '$wrong'"
done

# A seed goes to what draws random numbers, or to the script that asks for it.
script cloud <<'TEXT'
local vida = require "vida"
local system = vida.system { "cloud", dimension = 2 }
system:particle { "p", mass = 1, position = { 0, 0 }, velocity = { 1, 0 } }
return vida.sweep {
  system = system, time = 1, cloud = { count = 3, spread = 0.1, seed = 5 },
  methods = { { "verlet", h = 0.5 } },
}
TEXT
script seeded <<'TEXT'
local vida = require "vida"
local seed = vida.setting { "seed", 1 }
local system = vida.system "seed"
system:particle { "p", mass = seed, position = { 0, 0, 0 }, velocity = { 1, 0, 0 } }
return vida.compare { system = system, time = seed, methods = { { "verlet", h = 1 } } }
TEXT
expect 0 run "$work/cloud.lua" --out "$work/cloud5" --trajectories
expect 0 run "$work/cloud.lua" --seed 5 --trajectories --out "$work/cloud5-again"
expect 0 run "$work/cloud.lua" --seed 6 --trajectories --out "$work/cloud6"
trajectories=("$work"/cloud5/cloud*.csv)
trajectory=${trajectories[0]##*/}
cmp -s "$work/cloud5/$trajectory" "$work/cloud5-again/$trajectory" || complain "the same seed, another cloud"
cmp -s "$work/cloud5/$trajectory" "$work/cloud6/$trajectory" && complain "another seed, the same cloud"
expect 0 run "$work/seeded.lua" --seed 3 --format json
same "$(column steps)" 3
expect 2 run "$work/short.lua" --seed 3
says "--set: nothing in the script reads 'seed'"
expect 2 run "$work/short.lua" --seed 3.5
says "--seed: expected a whole number, got '3.5'"
expect 2 run "$work/short.lua" --set time=-1
says "--set time: expected a positive number in s, got '-1'"
expect 2 run "$work/short.lua" --set norm=men
says "--set norm: expected one of mean|max|end|mixed, got 'men'"
expect 1 run "$work/short.lua" --set duration=0.33
says "does not divide"

expect 0 run "$work/short.lua" --format json --only del-midpoint
same "$(column method)" "del-midpoint"
expect 0 run "$work/short.lua" --format json --only del-midpoint --only rattle
same "$(column method)" "rattle rattle del-midpoint"

# ---- files -------------------------------------------------------------------------------------
expect 0 run "$work/short.lua" --out "$work/results" --format csv
cmp -s <(cut -d, -f1-11 "$work/out") <(cut -d, -f1-11 "$work/results/comparison.csv") ||
  complain "comparison.csv is not what was printed"
is_json "$work/results/comparison.json" '#(value.rows or value) == 3'
trajectories=("$work"/results/*.csv)
((${#trajectories[@]} == 4)) || complain "expected 3 trajectories: ${trajectories[*]}"
leftovers=("$work"/results/*.partial)
[[ ! -e ${leftovers[0]} ]] || complain "left over: ${leftovers[*]}"
expect 0 run "$work/short.lua" --out "$work/results" # once more, into the same folder

script list <<'TEXT'
local vida = require "vida"
local system = vida.system "list"
system:particle { "p", mass = 1, position = { 0, 0, 0 }, velocity = { 1, 0, 0 } }
local function compare(time)
  return vida.compare { system = system, time = time, methods = { { "rattle", h = 0.1 } } }
end
return { compare(1), compare(2) }
TEXT
expect 0 run "$work/list.lua" --out "$work/list" --format json
same "$(column steps)" "10 20"
for i in 1 2; do
  trajectories=("$work/list/$i"/*.csv)
  [[ -e ${trajectories[0]} ]] || complain "no trajectory of comparison $i"
done
expect 0 run "$work/list.lua"

# Nothing can be written below a file; the error comes before the work.
expect 1 run "$work/short.lua" --out "$work/short.lua/results"
says "$work/short.lua/results"
silent
(($(wc -l <"$work/err") == 1)) || complain "more than one message"
expect 1 run "$work/short.lua" --out "$work/short.lua"
silent
expect 0 run "$work/short.lua" --out "$work/no/such/folder" # with those above it
[[ -e $work/no/such/folder/comparison.csv ]] || complain "no results in a folder below new ones"
expect 0 run "$work/short.lua" --out "$work/no//such/../other/"
[[ -e $work/no/other/comparison.csv ]] || complain "no results in a folder with a slash at its end"
if ((EUID != 0)); then
  mkdir -m 555 "$work/readonly"
  expect 1 run "$work/short.lua" --out "$work/readonly"
  silent
  [[ -z $(ls -A "$work/readonly") ]] || complain "something was written"
fi

# ---- output that cannot be written -------------------------------------------------------------
if [[ -e /dev/full ]]; then
  for format in table csv json; do
    "$VIDA" run "$work/short.lua" --format "$format" >/dev/full 2>"$work/err"
    code=$?
    ((code == 1)) || complain "a full disk gave exit code $code"
    says "vida: "
  done
  "$VIDA" methods >/dev/full 2>"$work/err"
  code=$?
  ((code == 1)) || complain "a full disk gave exit code $code"
  says "the output could not be written"
fi
# A reader that has gone is no error to talk about, and keeps nothing from being written.
mkfifo "$work/pipe"
# into_closed_pipe ARGUMENT...: runs vida with its output into a pipe that nobody reads any more.
into_closed_pipe() {
  local reader
  true <"$work/pipe" &
  reader=$!
  exec 7>"$work/pipe"
  wait "$reader"
  "$VIDA" "$@" >&7 2>"$work/err"
  code=$?
  exec 7>&-
}
for format in table csv json; do
  into_closed_pipe run "$work/short.lua" --format "$format" --out "$work/pipe-$format"
  ((code == 141)) || complain "a closed pipe gave exit code $code"
  [[ ! -s $work/err ]] || complain "a closed pipe was told of: $(cat "$work/err")"
  [[ -e $work/pipe-$format/comparison.csv ]] || complain "results were lost with the pipe"
done
into_closed_pipe run "$work/failing.lua"
((code == 1)) || complain "a failed run into a closed pipe: $code"
into_closed_pipe methods
[[ $code == 141 && ! -s $work/err ]] || complain "methods into a closed pipe"

# A disk that is full (here: a file that may not grow) is told of, and the rows are shown all the same.
(
  ulimit -f 4
  "$VIDA" run "$work/short.lua" --out "$work/full" --set duration=20 --format csv >"$work/out" 2>"$work/err"
  echo $? >"$work/code"
)
[[ $(cat "$work/code") == 1 ]] || complain "a full disk gave exit code $(cat "$work/code")"
says "cannot write $work/full/short-rattle-h_0.1.csv.partial: "
shows ",,INPUT_OUTPUT,"
shows ",,NOT_RUN,0,"
complete=("$work"/full/*h_0.1.csv)
[[ ! -e ${complete[0]} ]] || complain "a cut trajectory passes for a whole one"

# ---- runs that fail ----------------------------------------------------------------------------
expect 1 run "$work/failing.lua" --format json --out "$work/failed"
says "vida: 1 of 2 runs failed"
is_json "$work/out" '(value.rows or value)[1].status ~= "ok" and (value.rows or value)[2].status == "ok"'
is_json "$work/out" '#(value.rows or value)[1].message > 0 and (value.rows or value)[1].t_end == 0'
is_json "$work/failed/comparison.json" '#(value.rows or value) == 2'
incomplete=("$work"/failed/*.incomplete.csv)
[[ -e ${incomplete[0]} ]] || complain "the failed run left no incomplete trajectory"
expect 1 run "$work/failing.lua" --format csv
expect 1 run "$work/failing.lua"
shows "rattle"

# What is said of several runs is said once.
expect 0 run "$work/short.lua" --drift
tr -s '\n ' ' ' <"$work/out" >"$work/words"
said=$(grep -o 'no confidence in the drift: fewer than 128 states' "$work/words" | wc -l)
((said == 1)) || complain "a remark on three runs is there $said times"
grep -q 'rattle, h = 0.1 s; rattle, h = 0.05 s; del-midpoint, h = 0.1 s: no confidence' "$work/words" ||
  complain "the remark does not name its runs"

# ---- sweeps of thousands -------------------------------------------------------------------------
# Results take time in proportion to the runs: at the square or the cube of them this would be hours,
# whatever the machine.
script cloud <<'TEXT'
local vida = require "vida"
local system = vida.system { "cloud", dimension = 2 }
local bob = system:particle { "b", mass = 1.0, position = { 1, 0 } }
system:distance { "rod", system.ground, bob, length = 1.0 }
return vida.sweep {
  system = system,
  time = 0.02,
  cloud = { count = 6000, spread = { ["d b.y/dt"] = 0.1 } },
  methods = { { "rattle", h = 0.01, tolerance = 1e-11 } },
}
TEXT
timeout 1500 "$VIDA" run "$work/cloud.lua" --trajectories --out "$work/cloud" >"$work/out" 2>"$work/err" ||
  complain "a sweep of 6000 runs could not be written: $(head -c 300 "$work/err")"
rows=$(wc -l <"$work/cloud/comparison.csv")
((rows == 6001)) || complain "6000 runs gave $rows lines"
trajectories=("$work"/cloud/cloud-rattle-start_*.csv)
((${#trajectories[@]} == 6000)) || complain "6000 runs gave ${#trajectories[@]} trajectories"

finish
