#!/usr/bin/env bash
# A sweep whose rows are not kept in memory goes on after a kill and after SIGTERM, with the same bytes; what does
# not belong together is refused. With MPI, several processes write the same bytes.
# shellcheck source-path=SCRIPTDIR source=support.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/support.sh"

script sweep <<TEXT
local vida = require "vida"
local length = vida.setting { "length", 1.0 }
local system = vida.system { "pendulum", dimension = 2 }
system:gravity { 0, -9.81 }
local bob = system:particle { "bob", mass = 1.0, position = { 0.6 * length, vida.free(-1) },
  velocity = { vida.free(), 0 } }
system:distance { "rod", system.ground, bob, length = length }
-- With the setting \`hangs\` the runs do not come beyond these starts. Before the runs, each process asks for all
-- starts, or, of two processes, for every second one.
local hangs = vida.setting { "hangs", false }
local asked = {}
local function start(i)
  while hangs and (i == 330 or i == 331) and asked[i] do
    asked[i] = asked[i] + 1
  end
  asked[i] = 1
  return { label = "i=" .. i,
    values = { ["bob.x"] = 0.9 * length * (1 + i % 50) / 50, ["d bob.y/dt"] = 0.01 * (i // 50) } }
end
local one = vida.compare { system = system, time = 1, methods = { { "rattle", h = 0.1 } } }
local many = vida.sweep { system = system, time = 1, jobs = 2, stream = "on",
  starts = { count = 2200, at = start },
  methods = { { "rattle", h = 0.01 }, { "energy-momentum", h = 0.05 } } }
local few = vida.sweep { system = system, time = 1, jobs = 2, stream = "on",
  starts = { count = 30, at = start },
  methods = { { "rattle", h = 0.1 } } }
return { one, many, few }
TEXT

same() {
  "${lua[@]}" "$SOURCE/tests/lua/same_results.lua" "$work/whole" "$1" >"$work/differences" ||
    complain "$2: $(head -c 800 "$work/differences")"
  for name in rows.csv statistics.csv map-1-rattle.svg map-2-energy-momentum.svg; do
    cmp -s "$work/whole/2/$name" "$1/2/$name" || complain "$2: $name differs"
  done
}

run run "$work/sweep.lua" --out "$work/whole"
shows "statistics of 4400 runs from 2200 starts"
shows "2200/2200"
[[ ! -e $work/whole/sweep.state && ! -e $work/whole/study.journal ]] || complain "a complete sweep has a state"
[[ $(wc -l <"$work/whole/2/rows.csv") == 4401 ]] || complain "rows.csv has not all rows"

grep -q '"map": "<svg' "$work/whole/report.json" || complain "the page has no map"

# Begins the sweep, and sends a signal when some chunks are kept. The state has 17 kB before the first one,
# and 59 kB after 292 starts.
begin_and_end() {
  rm -rf "$work/part"
  "$VIDA" run "$work/sweep.lua" --out "$work/part" --set hangs=true >/dev/null 2>&1 </dev/null &
  local pid=$!
  for ((i = 0; i < 3000; i++)); do
    [[ $(wc -c 2>/dev/null <"$work/part/sweep.state") -gt 25000 ]] && break
    sleep 0.02
  done
  kill "-$1" "$pid" 2>/dev/null
  wait "$pid" 2>/dev/null
}
begin_and_end KILL
[[ -e $work/part/sweep.state ]] || complain "the sweep was over before it was killed"
expect 1 run "$work/sweep.lua" --out "$work/part" --resume --set length=1.5
says "the unfinished sweep in '$work/part' cannot go on: it belongs to another system"
expect 1 run "$work/sweep.lua" --out "$work/part" --resume --set time=2
says "it belongs to another value of time, 1 instead of 2"
! grep -q "goes on with the unfinished runs" "$work/err" || complain "a sweep that cannot go on is said to go on"
# A function that gives other starts when asked again would give others to --resume, too.
script other <<TEXT
local vida = require "vida"
local system = vida.system { "fall", dimension = 1 }
system:particle { "stone", mass = 1.0, position = { 0 }, velocity = { 0 } }
local calls = 0
return vida.sweep { system = system, time = 1, methods = { { "rattle", h = 0.1 } }, stream = "on",
  starts = { count = 3000, at = function()
    calls = calls + 1
    return { values = { ["stone.x"] = calls } }
  end } }
TEXT
expect 1 run "$work/other.lua" --out "$work/other"
says "the function must always give the same start"
grep -q resume "$work/err" && complain "--resume is advised where starts differ: $(head -c 400 "$work/err")"

# Nor are the rows lost to the same command without --resume.
cp -r "$work/part" "$work/kept"
expect 1 run "$work/sweep.lua" --out "$work/part"
says "of an unfinished sweep; --resume goes on with it, --overwrite begins anew"
diff -r "$work/part" "$work/kept" >"$work/differences" || complain "refused, and: $(cat "$work/differences")"
cp -r "$work/part" "$work/damaged"
printf 'x' | dd of="$work/damaged/sweep.state" bs=1 seek=700 conv=notrunc 2>/dev/null
expect 1 run "$work/sweep.lua" --out "$work/damaged" --resume
says "sweep.state' is damaged: the sweep cannot go on; --overwrite"
! grep -q "goes on with the unfinished runs" "$work/err" || complain "a damaged sweep is said to go on"
expect 1 run "$work/sweep.lua" --out "$work/damaged"
says "has an unfinished sweep, whose state is damaged; --overwrite begins anew"
cp "$work/part/sweep.state" "$work/damaged/sweep.state"
printf 'x' | dd of="$work/damaged/2/rows.csv" bs=1 seek=700 conv=notrunc 2>/dev/null
expect 1 run "$work/sweep.lua" --out "$work/damaged" --resume
says "rows.csv' has changed: the sweep cannot go on; --overwrite"
truncate -s 700 "$work/damaged/2/rows.csv"
expect 1 run "$work/sweep.lua" --out "$work/damaged" --resume
says "rows.csv' is shorter than it was: the sweep cannot go on; --overwrite"
expect 0 run "$work/sweep.lua" --out "$work/damaged" --overwrite
same "$work/damaged" "begun anew as wished"
echo "lost" >>"$work/part/2/rows.csv"
expect 0 run "$work/sweep.lua" --out "$work/part" --resume
same "$work/part" "killed"
[[ ! -e $work/part/sweep.state ]] || complain "the state is left"
expect 1 run "$work/sweep.lua" --out "$work/part" --resume
says "holds no unfinished study: its results are complete (it has neither study.journal nor sweep.state)"
begin_and_end TERM
expect 0 run "$work/sweep.lua" --out "$work/part" --resume
same "$work/part" "ended by SIGTERM"

# A kill loses some seconds of a slow sweep, not all of its first 1024 starts: here, those of the chunk that hangs.
script slow <<TEXT
local vida = require "vida"
local system = vida.system { "pendulum", dimension = 2 }
system:gravity { 0, -9.81 }
local bob = system:particle { "bob", mass = 1.0, position = { 0.6, vida.free(-1) },
  velocity = { vida.free(), 0 } }
system:distance { "rod", system.ground, bob, length = 1 }
local hangs, calls = vida.setting { "hangs", false }, 0
return vida.sweep { system = system, time = 1, jobs = 2, stream = "on",
  starts = { count = 500, at = function(i)
    calls = calls + 1
    while hangs and calls > 500 + 49 + 40 do -- all are asked for before, and some twice
      calls = calls + 1
    end
    return { label = "i=" .. i, values = { ["bob.x"] = 0.9 * i / 500 } }
  end },
  methods = { { "rattle", h = 0.01 } } }
TEXT
run run "$work/slow.lua" --out "$work/unbroken" --quiet
"$VIDA" run "$work/slow.lua" --out "$work/slow" --quiet --set hangs=true >/dev/null 2>&1 </dev/null &
pid=$!
for ((i = 0; i < 1500; i++)); do
  [[ $(wc -l 2>/dev/null <"$work/slow/rows.csv") -ge 4 ]] && break
  sleep 0.02
done
kill -KILL "$pid" 2>/dev/null
wait "$pid" 2>/dev/null
rows=$(wc -l <"$work/slow/rows.csv")
((rows >= 4 && rows <= 41)) || complain "a killed sweep has $rows rows of its first 40"
expect 0 run "$work/slow.lua" --out "$work/slow" --quiet --resume
cmp -s "$work/slow/rows.csv" "$work/unbroken/rows.csv" || complain "chunks change rows.csv"
cmp -s "$work/slow/statistics.csv" "$work/unbroken/statistics.csv" || complain "chunks change statistics.csv"

# ---- several processes ----------------------------------------------------------------------------------------
if [[ ! -e $(dirname -- "$VIDA")/vida_mpi.so ]] || ! command -v mpirun >/dev/null || [[ -n ${VIDA_SANITIZED-} ]]; then
  echo "without MPI"
  finish
  exit
fi
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
together() { # together COUNT ARGUMENTS...
  local count=$1
  shift
  timeout 120 mpirun -n "$count" "$VIDA" run "$@" >"$work/out" 2>"$work/err" </dev/null
  code=$?
}
if ! mpirun -n 1 true 2>/dev/null; then
  echo "mpirun does not work here"
  finish
  exit
fi
for count in 2 4; do
  rm -rf "$work/part"
  together "$count" "$work/sweep.lua" --out "$work/part"
  ((code == 0)) || complain "$count processes: exit code $code: $(head -c 600 "$work/err")"
  same "$work/part" "$count processes"
  [[ $(grep -c 'statistics of 4400 runs' "$work/out") == 1 ]] || complain "$count processes print the results"
done

# A process with another scenario.
rm -rf "$work/part"
timeout 60 mpirun -n 1 "$VIDA" run "$work/sweep.lua" --out "$work/part" : -n 1 "$VIDA" run "$work/sweep.lua" \
  --out "$work/part" --set length=2 >"$work/out" 2>"$work/err" </dev/null && complain "another scenario is accepted"
says "rank 1 of the processes has another system"
rm -rf "$work/part"
timeout 60 mpirun -n 1 "$VIDA" run "$work/sweep.lua" --out "$work/part" : -n 1 "$VIDA" run "$work/sweep.lua" \
  --out "$work/part" --set stream=off >"$work/out" 2>"$work/err" </dev/null && complain "another sweep is accepted"
says "rank 1 of the processes has other comparisons"

# A process that is lost ends all of them, and one process goes on.
rm -rf "$work/part"
mpirun -n 2 "$VIDA" run "$work/sweep.lua" --out "$work/part" --set hangs=true >/dev/null 2>&1 </dev/null &
pid=$!
for ((i = 0; i < 1500; i++)); do
  [[ $(wc -c 2>/dev/null <"$work/part/sweep.state") -gt 25000 ]] && break
  sleep 0.02
done
kill -KILL "$(pgrep -P "$pid" -n vida)" 2>/dev/null
wait "$pid" 2>/dev/null && complain "a lost process is not noticed"
expect 0 run "$work/sweep.lua" --out "$work/part" --resume
same "$work/part" "a process was lost"

finish
