#!/usr/bin/env bash
# A study that was killed or stopped goes on with --resume, and its files are those of a study that
# was not; what does not belong together is refused.
# shellcheck source-path=SCRIPTDIR source=support.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/support.sh"

# Two comparisons, one of them with runs in parallel. `pause` is a callback that waits in the last
# run, so that a test knows where it kills the process.
script study <<TEXT
local vida = require "vida"
local pause = vida.setting { "pause", "" }
local length = vida.setting { "length", 1.0 }
local function pendulum(has_events)
  local system = vida.system { "study", dimension = 2 }
  system:gravity { 0, -9.81 }
  local bob = system:particle { "bob", mass = 1.0, position = { length, 0 } }
  system:distance { "rod", system.ground, bob, length = length }
  if has_events then
    system:event { "lowest", bob.x, set = { { bob.vx, 0.9 * bob.vx } } }
  end
  return system
end
local system = pendulum(false)
local one = vida.compare { system = pendulum(true), time = 1, drift = true, reference = { "rattle", h = 0.001 },
  methods = { { "rattle", h = { 0.1, 0.05 } }, { "ida-ggl", rtol = { 1e-4, 1e-6 } },
    { "rattle", h = 0.5 }, { "energy-momentum", h = 0.01 } } }
local many = vida.sweep { system = system, time = 1, jobs = 2, methods = { { "rattle", h = 0.01 } },
  cloud = { count = 20, spread = 0.1 } }
local long = vida.compare { system = system, time = pause == "" and 1 or 1e5, methods = { { "rattle", h = 0.001 } } }
return pause == "" and { one, many, long } or pause == "long" and { one, many, long } or one
TEXT

run run "$work/study.lua" --out "$work/whole"
same() {
  "${lua[@]}" "$SOURCE/tests/lua/same_results.lua" "$work/whole" "$1" >"$work/differences" ||
    complain "$2: $(head -c 800 "$work/differences")"
}
[[ ! -e $work/whole/study.journal ]] || complain "a complete study has a journal"

# Killed after a while, wherever that may be, and again while it goes on.
for seconds in 0.1 0.4; do
  rm -rf "$work/killed"
  for ((again = 0; again < 2; again++)); do
    arguments=(run "$work/study.lua" --out "$work/killed")
    [[ ! -e $work/killed/study.journal ]] || arguments+=(--resume)
    "$VIDA" "${arguments[@]}" >/dev/null 2>&1 </dev/null &
    pid=$!
    sleep "$seconds"
    kill -KILL "$pid" 2>/dev/null
    wait "$pid" 2>/dev/null
  done
  arguments=(run "$work/study.lua" --out "$work/killed")
  [[ ! -e $work/killed/study.journal ]] || arguments+=(--resume)
  run "${arguments[@]}"
  same "$work/killed" "killed after $seconds s"
  [[ ! -e $work/killed/study.journal ]] || complain "killed after $seconds s: the journal is left"
done

# Another length, other runs: refused, and nothing is lost.
rm -rf "$work/killed"
mkdir "$work/killed"
"$VIDA" run "$work/study.lua" --set pause=long --out "$work/killed" >/dev/null 2>&1 </dev/null &
pid=$!
for ((i = 0; i < 3000; i++)); do
  [[ -e $work/killed/3 ]] && compgen -G "$work/killed/3/*.partial" >/dev/null && break
  sleep 0.1
done
expect 1 run "$work/study.lua" --out "$work/killed" --resume --set pause=long
says "another run"
for ((i = 0; i < 3000; i++)); do
  [[ -e $work/killed/progress.txt ]] && break
  sleep 0.1
done
expect 0 watch --once "$work/killed"
shows "comparison 3 of 3: 0 of 1 runs, "
kill -KILL "$pid"
wait "$pid" 2>/dev/null
sleep 2.1 # a process that has just written may be starting anew
expect 1 watch "$work/killed"
shows "process $pid has ended before its study"
shows "holds an unfinished study; 'vida run SCENARIO.lua --out $work/killed --resume' goes on"
expect 0 watch "$work/whole"
shows "holds the results of a complete study"
expect 1 watch "$work/nowhere"
says "no study is running in"
expect 2 watch
expect 1 run "$work/study.lua" --out "$work/killed" --resume --set length=1.5 --set pause=long
says "cannot go on: the system of comparison 1 has changed since"
expect 1 run "$work/study.lua" --out "$work/killed" --resume --set norm=max --set pause=long
says "cannot go on: norm of comparison 1 was mean and is max now"
expect 1 run "$work/study.lua" --out "$work/killed" --resume --set pause=one
says "cannot go on: it has another number of comparisons"
[[ -s $work/killed/study.journal ]] || complain "a refused resume has lost the journal"
# Nor are finished runs lost to the same command without --resume.
cp -r "$work/killed" "$work/kept"
expect 1 run "$work/study.lua" --out "$work/killed" --set pause=long
says "has 26 stored runs of an unfinished study; --resume goes on with it, --overwrite begins anew"
diff -r "$work/killed" "$work/kept" >"$work/differences" || complain "refused, and: $(cat "$work/differences")"
expect 2 run "$work/study.lua" --out "$work/killed" --resume --overwrite
run run "$work/study.lua" --out "$work/kept" --overwrite
same "$work/kept" "begun anew as wished"
printf 'x' | dd of="$work/killed/study.journal" bs=1 seek=40 conv=notrunc 2>/dev/null
expect 1 run "$work/study.lua" --out "$work/killed" --resume --set pause=long
says "is damaged"

# A new run replaces a study that cannot go on, and says so.
run run "$work/study.lua" --out "$work/killed"
says "held an unfinished study, which begins anew"
same "$work/killed" "begun anew"

expect 2 run "$work/study.lua" --resume
says "--resume needs --out"
expect 1 run "$work/study.lua" --out "$work/whole" --resume
says "holds no unfinished study"

# A sweep whose reference fails from some starts ends with exit code 1 and the reason, with and without rows.
script blind <<'TEXT'
local vida = require "vida"
local s = vida.system { "pendulum", dimension = 2 }
s:gravity { 0, -9.81 }
local bob = s:particle { "bob", mass = 1, position = { 0.6, vida.free(-1) }, velocity = { vida.free(), 0 } }
s:distance { "rod", s.ground, bob, length = 1 }
return vida.sweep { system = s, time = 0.5, reference = { "rattle", h = 0.25 }, methods = { { "rattle", h = 0.05 } },
  starts = { count = 6, at = function(i)
    return { label = "start " .. i, values = { ["bob.x"] = 0.1, ["d bob.y/dt"] = i == 3 and 3 or 0.01 * i } }
  end } }
TEXT
for stream in off on; do
  expect 1 run "$work/blind.lua" --out "$work/blind" --set stream=$stream
  says "the reference failed from 1 of 6 starts, first from start 3: "
  shows "the reference failed from 1 of 6 starts"
done

# From Lua.
sed 's/^return vida.compare/local comparison = vida.compare/' "$work/short.lua" >"$work/direct.lua"
cat >>"$work/direct.lua" <<TEXT
local good, message = pcall(comparison.run, comparison, { out = "$work/whole", resume = true })
assert(not good and message:find "holds no unfinished study", message)
good, message = pcall(comparison.run, comparison, { resume = true })
assert(not good and message:find "resume = true needs out", message)
comparison:run { quiet = true, out = "$work/direct" }
assert(not io.open "$work/direct/study.journal")
TEXT
expect 0 run --trust "$work/direct.lua"

finish
