#!/usr/bin/env bash
# Ctrl-C and SIGTERM stop a comparison and a script cleanly, what had finished is kept, and a folder
# belongs to one run at a time; progress is shown on terminals only.
# shellcheck source-path=SCRIPTDIR source=support.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/support.sh"

# A comparison that takes very long; it tells when it is about to begin.
script long <<TEXT
local vida = require "vida"
local system = vida.system { "long", dimension = 2 }
system:gravity { 0, -9.81 }
local bob = system:particle { "bob", mass = 1.0, position = { 1, 0 } }
system:distance { "rod", system.ground, bob, length = 1.0 }
local long = vida.compare { system = system, time = 1e4, methods = { { "rattle", h = 1e-5 } } }
io.open("$work/begun", "w"):close()
return long
TEXT
script endless <<TEXT
io.open("$work/begun", "w"):close()
while true do end
TEXT
sed 's/^return long/long:run { quiet = true }/' "$work/long.lua" >"$work/direct.lua"

# A run that finishes, one that takes very long, and one that is never begun.
script several <<TEXT
local vida = require "vida"
local system = vida.system { "several", dimension = 2 }
system:gravity { 0, -9.81 }
local bob = system:particle { "bob", mass = 1.0, position = { 1, 0 } }
system:distance { "rod", system.ground, bob, length = 1.0 }
local function compare(time, methods)
  return vida.compare { system = system, time = time, methods = methods, jobs = vida.setting { "jobs", 1 } }
end
local long = compare(1e4, { { "rattle", h = 100 }, { "rattle", h = { 1e-5, 1e-4 } } })
local first, last = compare(1, { { "rattle", h = 0.1 } }), compare(1, { { "rattle", h = 0.1 } })
io.open("$work/begun", "w"):close()
return vida.setting { "list", false } and { first, long, last } or long
TEXT

# await PATTERN: waits, for five minutes at most, until a file of this pattern exists.
await() {
  local i
  for ((i = 0; i < 3000; i++)); do
    compgen -G "$1" >/dev/null && return
    sleep 0.1
  done
}

# worked GROUP: prints the processor time of a process group in ticks; nothing without /proc.
worked() {
  awk -v group="$1" '{ sub(/^.*\) /, "") } $3 == group { sum += $12 + $13; found = 1 }
    END { if (found) print sum }' /proc/[0-9]*/stat 2>/dev/null
}

# busy GROUP: waits until the process group has worked for half a second; without /proc, for a second.
busy() {
  local begun now i
  begun=$(worked "$1")
  if [[ -z $begun ]]; then
    sleep 1
    return
  fi
  for ((i = 0; i < 3000; i++)); do
    sleep 0.1
    now=$(worked "$1")
    [[ -z $now ]] || ((now - begun >= $(getconf CLK_TCK) / 2)) && break
  done
}

# stop COMMAND...: starts it, sends \$signal to it when a file of the pattern \$sign exists, and waits
# for its end.
signal=INT
sign="$work/begun"
stop() {
  local pid i
  rm -f "$work/begun"
  # In a process group of its own: an interrupt from the keyboard goes to a whole group.
  setsid "$@" >"$work/out" 2>"$work/err" </dev/null &
  pid=$!
  await "$sign"
  busy "$pid"
  kill "-$signal" -- "-$pid"
  for ((i = 0; i < 3000; i++)); do
    kill -0 -- "-$pid" 2>/dev/null || break
    sleep 0.1
  done
  if kill -KILL -- "-$pid" 2>/dev/null; then
    complain "$*: it did not stop"
  fi
  wait "$pid"
  code=$?
}

# cells FILE COLUMN: that column of the rows, in one line.
cells() {
  "${lua[@]}" - "$1" "$2" <<'TEXT'
local json = require "json"
local value = json.read(io.open(arg[1]):read "a")
local list = {}
for _, row in ipairs(value.rows or value) do
  list[#list + 1] = tostring(row[arg[2]])
end
print(table.concat(list, " "))
TEXT
}

stop "$VIDA" run --trust "$work/long.lua" --out "$work/stopped" --format json
((code == 130)) || complain "an interrupted comparison gave exit code $code"
says "stopped on request at t = "
says "; 0 of 1 runs had finished"
[[ $(cells "$work/out" status) == STOPPED ]] || complain "printed: $(cat "$work/out")"
[[ $(cells "$work/stopped/comparison.json" status) == STOPPED ]] || complain "written otherwise"
is_json "$work/stopped/comparison.json" '(value.rows or value)[1].t_end > 0'
trajectories=("$work"/stopped/long*.csv)
[[ ${#trajectories[@]} == 1 && ${trajectories[0]} == *.incomplete.csv ]] ||
  complain "a trajectory was written that looks complete: ${trajectories[*]}"

# Of three comparisons the first has finished, the second is at work, the last has not begun.
for signal in INT TERM; do
  expected=130
  [[ $signal == TERM ]] && expected=143
  sign="$work/$signal/2/*1e-05*.partial" \
    stop "$VIDA" run --trust "$work/several.lua" --out "$work/$signal" --set list=true --format json
  ((code == expected)) || complain "SIG$signal gave exit code $code"
  statuses=$(cells "$work/out" status)
  [[ $statuses == "ok "*" STOPPED NOT_RUN NOT_RUN" ]] || complain "SIG$signal: $statuses"
  [[ $(cells "$work/$signal/comparison.json" status) == "$statuses" ]] || complain "written otherwise"
  [[ -e $work/$signal/1/comparison.csv ]] || complain "the first comparison was not written"
  leftovers=$(find "$work/$signal" -name '*.partial' -o -name '.vida*')
  [[ -z $leftovers ]] || complain "left over: $leftovers"
done
signal=INT

sign="$work/page/*1e-05*.partial" stop "$VIDA" run --trust "$work/several.lua" --report --out "$work/page" --format json
((code == 130)) || complain "an interrupted run with a page gave exit code $code"
is_json "$work/page/report.json" '#value.studies[1].rows == 3'
[[ -s $work/page/report.html ]] || complain "no page of what had finished"

stop "$VIDA" run --trust "$work/several.lua" --set jobs=2 --format json
((code == 130)) || complain "two interrupted runs at once gave exit code $code"
[[ $(cells "$work/out" status) == *" STOPPED STOPPED" ]] || complain "$(cells "$work/out" status)"

stop "$VIDA" run --trust "$work/endless.lua"
((code == 130)) || complain "an interrupted script gave exit code $code"
says "stopped on request"
silent
signal=TERM stop "$VIDA" run --trust "$work/endless.lua"
((code == 143)) || complain "a script told to end gave exit code $code"
signal=INT

# In a sandbox, within a coroutine that catches errors.
script caught <<TEXT
io.open("$work/kept/begun.csv", "w"):close()
coroutine.wrap(function() while true do pcall(function() while true do end end) end end)()
TEXT
sign="$work/kept/begun.csv" stop "$VIDA" run "$work/caught.lua" --out "$work/kept"
((code == 130)) || complain "a sandboxed script that was interrupted gave exit code $code"
says "stopped on request"

# In the middle of a step: a million own steps, and many more, between two states that are given out.
# What had finished is kept, also by a second signal.
script inside <<TEXT
local vida = require "vida"
local system = vida.system "inside"
local x, v = system:coordinate { "x", value = 1, rate = 1 }
system:kinetic(v ^ 2)
system:potential(x ^ 2)
io.open("$work/begun", "w"):close()
return vida.compare { system = system, time = 1e6, methods = { { "verlet", h = 1e6 },
  { METHOD, h = 1e6 } } }
TEXT
for method in 'rattle-variable", start_density = 1e9, max_steps = 1e12' \
  'coordinate-projection", rtol = 1e-13, max_steps = 1e9' 'ida-ggl", rtol = 1e-13, max_steps = 1e9' \
  'radau", rtol = 1e-14, max_steps = 1e12' 'cvode-projected", rtol = 1e-14, max_steps = 1e9'; do
  rm -rf "$work/within"
  sed "s/METHOD/\"$method/" "$work/inside.lua" >"$work/within.lua"
  stop "$VIDA" run --trust "$work/within.lua" --out "$work/within" --format json
  ((code == 130)) || complain "$method: an interrupt within a step gave exit code $code"
  [[ $(cells "$work/out" status) == *" STOPPED" ]] || complain "$method: $(cells "$work/out" status)"
  says "within the step from t = 0"
done
for pause in 0 0 0 0 0 0 0.001 0.002 0.005 0.01; do
  rm -rf "$work/twice"
  "$VIDA" run --trust "$work/several.lua" --out "$work/twice" --format json >"$work/out" 2>"$work/err" </dev/null &
  first=$!
  await "$work/twice/*1e-05*.partial"
  kill -TERM "$first"
  [[ $pause == 0 ]] || sleep "$pause"
  kill -TERM "$first" 2>/dev/null
  wait "$first"
  [[ $(cells "$work/out" status) == *" STOPPED NOT_RUN" ]] ||
    complain "a second signal after $pause s lost rows: $(cat "$work/out")"
done

expect 1 run --trust "$work/several.lua" --wall-limit 0.3 --format json
[[ $(cells "$work/out" status) == *" WALL_LIMIT WALL_LIMIT" ]] || complain "$(cells "$work/out" status)"
for wrong in 0 -1 x inf1 ''; do
  expect 2 run "$work/short.lua" --wall-limit "$wrong"
done
sed 's/1e-5/1e-7/' "$work/long.lua" >"$work/endless_steps.lua"
stop "$VIDA" run --trust "$work/endless_steps.lua"
says "vida: note: rattle, h = 1e-07 s makes 1e+11 steps"

# ---- streams that are closed or full ------------------------------------------------------------
for arguments in "run $work/short.lua" "run $work/short.lua --out $work/closed" "methods" "methods rattle" \
  "--version" "--man" "--help" "run --help" "check $work/short.lua" "advise $work/short.lua" \
  "completion bash" "run --settings $work/short.lua"; do
  # shellcheck disable=SC2086
  "$VIDA" $arguments >&- 2>"$work/err" </dev/null
  code=$?
  ((code == 1)) || complain "vida $arguments >&-: exit code $code"
  grep -q -e 'could not be written' -e 'cannot write' "$work/err" || complain "vida $arguments >&-: $(cat "$work/err")"
  if [[ -c /dev/full ]]; then
    # shellcheck disable=SC2086
    "$VIDA" $arguments >/dev/full 2>"$work/err" </dev/null
    code=$?
    ((code == 1)) || complain "vida $arguments >/dev/full: exit code $code"
    grep -q -e 'could not be written' -e 'cannot write' "$work/err" ||
      complain "vida $arguments >/dev/full: $(cat "$work/err")"
  fi
done
[[ -s $work/closed/comparison.csv && ! -e $work/closed/.vida.lock ]] || complain "no rows beside a closed stdout"
"$VIDA" run --trust "$work/short.lua" --out "$work/quiet" --format csv >"$work/out" 2>&- <&- ||
  complain "a run without stdin and stderr failed"
[[ $(wc -l <"$work/out") == 4 ]] || complain "rows without stderr: $(cat "$work/out")"

# ---- a file that may not grow -------------------------------------------------------------------
(
  ulimit -f 8
  exec "$VIDA" run --trust "$work/short.lua" --set duration=1000 --out "$work/full" >"$work/out" 2>"$work/err" </dev/null
)
grep -q 'cannot write' "$work/err" || complain "a full disk: $(cat "$work/err")"
grep -q 'was killed' "$work/err" && complain "its own file is said to be another run's: $(cat "$work/err")"
leftovers=$(find "$work/full" -name '*.partial')
[[ -z $leftovers ]] || complain "left by a full disk: $leftovers"
for file in "$work"/full/*.incomplete.csv; do
  [[ ! -e $file ]] || awk -F, 'NR == 1 { n = NF } NF != n { exit 1 }' "$file" || complain "$file has a cut row"
done

# ---- processors that may not be used ------------------------------------------------------------
if type -P taskset >/dev/null && (($(nproc) > 1)); then
  taskset -c "$(taskset -cp $$ | sed 's/.*: //; s/[,-].*//')" "$VIDA" run --trust "$work/short.lua" --jobs 0 >"$work/out" 2>"$work/err"
  grep -q 'at once' "$work/out" "$work/err" && complain "jobs = 0 uses processors that it may not"
fi

# ---- a folder in use, and one whose run was killed ----------------------------------------------
rm -f "$work/begun"
"$VIDA" run --trust "$work/long.lua" --out "$work/shared" >"$work/first" 2>&1 </dev/null &
first=$!
for ((i = 0; i < 3000; i++)); do
  partial=("$work"/shared/*.csv.partial)
  [[ -e $work/shared/.vida.lock && -e ${partial[0]} ]] && break
  sleep 0.1
done
expect 1 run "$work/short.lua" --out "$work/shared"
says "another run (process $first) is writing into the folder '$work/shared'"
silent
cat >"$work/second.lua" <<TEXT
local vida = require "vida"
local system = vida.system "second"
system:particle { "p", mass = 1, position = { 0, 0, 0 } }
vida.compare { system = system, time = 1, methods = { { "rattle", h = 0.1 } } }:run { out = "$work/shared" }
TEXT
"${lua[@]}" "$work/second.lua" >"$work/out" 2>"$work/err" && complain "a script wrote into it"
says "is writing into the folder '$work/shared'"
partial=("$work"/shared/*.csv.partial)
[[ -e ${partial[0]} ]] || complain "the first run has lost its trajectory"
kill -KILL "$first"
wait "$first" 2>/dev/null
expect 0 run "$work/short.lua" --out "$work/shared"
[[ ! -e $work/shared/.vida.lock ]] || complain "the lock was left"
says "'$work/shared' holds 1 incomplete trajectory (*.partial) of an earlier run that was killed"
[[ -e ${partial[0]} ]] || complain "what the killed run had written has gone without a word"

# Outputs that were being written when it was killed are those of nobody; a run that ends well, in a
# folder without trajectories of others, says nothing of them.
mkdir -p "$work/cut/plots"
touch "$work"/cut/{comparison.csv,comparison.json,study.txt,report.json,report.html,plots/energy.svg}.partial
touch "$work/cut/short-rattle-h_0.1.csv.partial" # which this run writes, too
expect 0 run "$work/short.lua" --out "$work/cut"
leftovers=$(find "$work/cut" -name '*.partial')
[[ -z $leftovers ]] || complain "a later run has left $leftovers"
grep -q incomplete "$work/err" && complain "its own trajectories are said to be unfinished"

# A killed run: what had finished is there a second later, and vida report makes a page of it. So for
# runs one after the other and beside each other.
script killed <<'TEXT'
local vida = require "vida"
local system = vida.system { "killed", dimension = 2 }
system:gravity { 0, -9.81 }
local bob = system:particle { "bob", mass = 1.0, position = { 1, 0 } }
system:distance { "rod", system.ground, bob, length = 1.0 }
return vida.compare { system = system, time = 1000, methods = { { "rattle", h = { 0.1, 0.05, 1e-6 } },
  { "del-midpoint", h = { 0.02, 1e-6 } } } }
TEXT
for jobs in 1 2; do
  "$VIDA" run --trust "$work/killed.lua" --jobs "$jobs" --out "$work/killed$jobs" >/dev/null 2>&1 </dev/null &
  first=$!
  for ((i = 0; i < 3000; i++)); do
    # Beside the long run another one comes to its end.
    [[ $(grep -c ',ok,' "$work/killed$jobs/comparison.csv" 2>/dev/null) == $((jobs + 1)) ]] && break
    sleep 0.1
  done
  kill -KILL "$first"
  wait "$first" 2>/dev/null
  [[ $(grep -c ',NOT_RUN,' "$work/killed$jobs/comparison.csv") == $((4 - jobs)) ]] ||
    complain "jobs $jobs: $(cut -d, -f2,4,6 "$work/killed$jobs/comparison.csv")"
  is_json "$work/killed$jobs/report.json" '#value.studies[1].rows == 5 and value.studies[1].rows[2].status == "ok"
    and #value.studies[1].runs[2].t > 200'
  expect 0 report "$work/killed$jobs"
  [[ -s $work/killed$jobs/report.html ]] || complain "jobs $jobs: no page of a killed run"
done

# The same in a stock Lua, whose own answer to Ctrl-C has to wait for the library.
stop "${lua[@]}" "$work/direct.lua"
says "interrupted!"

# Some machines have no pseudo-terminals to try it on.
if type -P script >/dev/null && script -q -c true /dev/null >/dev/null 2>&1 </dev/null; then
  sed 's/1e-5/0.01/' "$work/long.lua" >"$work/medium.lua"
  SHELL=/bin/sh command script -q -e -c "'$VIDA' run --trust '$work/medium.lua' --format csv" /dev/null \
    </dev/null >"$work/terminal" || complain "a run on a terminal failed"
  grep -q 'rattle, h = 0.01 s: ' "$work/terminal" || complain "no progress on a terminal"
  SHELL=/bin/sh command script -q -e -c "'$VIDA' run --trust '$work/medium.lua' --quiet" /dev/null \
    </dev/null >"$work/terminal"
  grep -q '%' "$work/terminal" && complain "progress although --quiet was given"
else
  echo "skipped: progress on terminals, for no pseudo-terminal can be made"
fi
expect 0 run "$work/short.lua" --format csv
[[ ! -s $work/err ]] || complain "progress although stderr is no terminal"

finish
