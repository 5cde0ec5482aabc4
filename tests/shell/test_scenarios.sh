#!/usr/bin/env bash
# The scenarios run, with little to compute, and do what their comments say.
# shellcheck source-path=SCRIPTDIR source=support.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/support.sh"

scenarios=$SOURCE/scenarios

expect 0 run "$scenarios/double_spherical_pendulum.lua" --set time=0.2 --format json
is_json "$work/out" '#(value.rows or value) == 29'
expect 0 run "$scenarios/pendulum.lua" --set time=1 --format csv
expect 0 run "$scenarios/four_particles.lua" --set time=0.1 --out "$work/four" --format csv
(($(wc -l <"$work/out") == 65)) || complain "four_particles.lua has not 64 rows"
[[ -e $work/four/1 && -e $work/four/2 ]] || complain "no trajectories of the two comparisons"
# Theorem 1: but for rounding, rows of del-chart are those of del-midpoint.
expect 0 run "$scenarios/charts.lua" --set time=1 --format json
is_json "$work/out" '(function()
  local rows = value.rows or value
  for i = 1, 3 do
    local a, b = rows[i], rows[i + 3]
    if a.method ~= "del-midpoint" or b.method ~= "del-chart" or a.h ~= b.h
      or math.abs(a.position_error - b.position_error) > 1e-10
      or math.abs(a.energy_error - b.energy_error) > 1e-9 then
      return false
    end
  end
  return true
end)()'

# Impacts: the first one against the radial fall, all against the reference; no method loses energy.
expect 0 run "$scenarios/bouncing_ball.lua" --set sideways=0 --out "$work/ball" --format json --quiet
# The times of impacts have the order 2 of three of the methods.
is_json "$work/out" '(function()
  local rows = value.rows or value
  for i, row in ipairs(rows) do
    local orders = row.rtol == json.null and row.method ~= "radau"
    local bound = orders and 0.02 * row.h ^ 2 or row.method == "radau" and 0.05 or 0.5
    if row.status ~= "ok" or row.events ~= 17 or not (row.event_error ~= json.null and row.event_error < bound)
      or orders and row.h == 1 and math.abs(rows[i - 1].event_error / row.event_error - 4) > 1 then
      return false
    end
  end
  return true
end)()'
awk -F, '$2 == "radau" && $4 == 10 && $6 == "impact" { print $8; exit }' "$work/ball/events.csv" >"$work/first"
"${lua[@]}" -e 'local r, x = 1200, 1000 / 1200
  local t = math.sqrt(r ^ 3 / 1e6) * (math.acos(math.sqrt(x)) + math.sqrt(x * (1 - x)))
  assert(math.abs(tonumber(io.read "a") - t) < 1e-6 * t)' <"$work/first" || complain "first impact: $(cat "$work/first")"

# Every scenario of the folder runs. A new one needs no entry here: the lists hold settings that make
# a long one short (several lines of a scenario: it runs as often), and those whose runs must fail.
quick=(
  "bouncing_ball --set time=40 --set restitution=1"
  "car_axis --set time=0.1"
  "chain --set links=5 --set amplitude=0.01"
  "door --set time=0.4"
  "door --set time=0.4 --set hinges=1"
  "double_spherical_pendulum --set time=0.2"
  "four_bar --set time=0.2 --set windows=5"
  "heavy_top --set time=0.02"
  "half_explicit --set finest=4 --set repeats=1 --set links=5"
  "high_order --set time=1"
  "jointed_bodies --set time=0.05"
  "escapement --set time=5"
  "kepler --set time=1 --set eccentricity=0.3"
  "long_run --set time=20"
  "ladder --set cells=2 --set time=0.1"
  "ladder_on_floor --set cells=4 --set time=4"
  "nonholonomic --set finest=3 --set time=0.2 --set repeats=1"
  "pile --set count=30 --set time=0.5"
  "pendulum_on_curve --set time=0.2 --set tip_mass=2"
  "pendulum_with_stop --set impacts=20"
  "rigid_body --set time=0.3"
  "spook_ladder --set time=8 --only spook --only spook-newton"
  "squeezer --set time=0.001 --set long_time=0.001 --set torque=0.05"
  "squeezer_work_precision --set finest=4 --set repeats=1"
  "stack --set count=3 --set time=0.5"
  "tennis_racket --set time=1"
  "two_link_arm --set time=0.2 --set time_II=0.2 --set omega=1"
  "two_link_arm_adaptive --set time=0.2 --set interval=0.1"
  "rolling_disk --set time=0.2"
  "variable_steps --set revolutions=1 --set swings=1"
  "wheelset --set time=0.1"
)
# Scenarios of which some runs must fail.
failing=(dumbbell pendulum_formulations spook_ladder)

# run_scenario NAME SETTINGS...
run_scenario() {
  local name=$1 expected=0
  shift
  [[ " ${failing[*]} " == *" $name "* ]] && expected=1
  expect "$expected" run "$scenarios/$name.lua" "$@" --format csv --quiet
  (($(wc -l <"$work/out") > 1)) || complain "$name.lua has no rows"
}

# Those that run below, where their numbers are looked at.
looked_at=(drift_study work_precision rigid_body_methods)

# Those with references that take long under sanitizers.
long=(half_explicit nonholonomic)

for path in "$scenarios"/*.lua; do
  name=$(basename -- "$path" .lua)
  [[ " ${looked_at[*]} " == *" $name "* ]] && continue
  [[ -n ${VIDA_SANITIZED-} && " ${long[*]} " == *" $name "* ]] && continue
  known=no
  for line in "${quick[@]}"; do
    if [[ ${line%% *} == "$name" ]]; then
      read -r -a words <<<"$line"
      run_scenario "${words[@]}"
      known=yes
    fi
  done
  [[ $known == yes ]] || run_scenario "$name"
done

# Under sanitizers what follows takes minutes.
if [[ -n ${VIDA_SANITIZED-} ]]; then
  finish
  exit 0
fi

# What drifts and what does not, as the scenario has it. The maps of Runge-Kutta methods are neither
# symplectic nor reversible, at 1e-11 and above. Over so short a time the drift of a method that
# chooses its steps may hide in its oscillation.
expect 0 run "$scenarios/drift_study.lua" --format json
is_json "$work/out" '(function()
  local rows = value.rows or value
  for i, row in ipairs(rows) do
    local structured = i <= 4
    local drifts = math.abs(row.energy_drift) > row.energy_drift_interval
    if row.status ~= "ok" or structured and (drifts or row.reversibility_defect > 1e-12)
      or not structured and (tonumber(row.h) and not drifts or row.reversibility_defect < 1e-11)
      or structured and math.abs(row.momentum_drift) > row.momentum_drift_interval then
      return false
    end
  end
  return #rows == 10
end)()'

# Work and precision: three systems, twelve methods and more on each, and the same errors bit for bit
# whether runs are made one after the other or beside each other.
for jobs in 1 2; do
  expect 0 run "$scenarios/work_precision.lua" --set finest=4 --set repeats=1 --jobs "$jobs" --quiet \
    --out "$work/precision$jobs"
  (($(grep -c "fitted orders" "$work/out") == 3)) || complain "jobs=$jobs: not three tables of orders"
done
expect 0 compare "$work/precision1/comparison.csv" "$work/precision2/comparison.csv" --rtol 0 --atol 0
shows "rows compared, 0 cells beyond"
is_json "$work/precision1/comparison.json" '(function()
  local methods, count = {}, {}
  for _, row in ipairs(value.rows or value) do
    methods[row.system] = methods[row.system] or {}
    local key = row.method .. row.options
    count[row.system] = (count[row.system] or 0) + (methods[row.system][key] and 0 or 1)
    methods[row.system][key] = true
    if row.status ~= "ok" or not row.wall_s or row.residual_evaluations == 0 then
      return false
    end
  end
  return count["double spherical pendulum"] >= 12 and count["heavy top, quaternion"] >= 12
    and count.squeezer >= 12
end)()'

# Rigid bodies: which methods keep the energy of the top; RATTLE makes the same steps in both forms.
expect 0 run "$scenarios/rigid_body_methods.lua" --set time=0.4 --format json
is_json "$work/out" '(function()
  local rows = value.rows or value
  local rattle = {}
  for i, row in ipairs(rows) do
    local keeps = row.method:find("energy-momentum", 1, true) or row.method == "simo-wong"
    if row.status ~= "ok" or row.momentum_error > 1e-13 or (keeps or i <= 32) and row.energy_error > 1e-12
      or not keeps and i > 32 and row.energy_error < 1e-6 then
      return false
    end
    if i > 32 and row.method == "rattle" then
      rattle[#rattle + 1] = row.energy_error
    end
  end
  for k = 1, 4 do
    if math.abs(rattle[k] - rattle[k + 4]) > 1e-11 then
      return false
    end
  end
  return #rows == 64
end)()'

# The dumbbell: its steps of 0.4 s have no solution for those methods that keep the rod by a force
# along its old direction; the others go on.
expect 1 run "$scenarios/dumbbell.lua" --format json --only rattle
says "vida: 1 of 2 runs failed"
is_json "$work/out" '(value.rows or value)[1].status == "ok" and (value.rows or value)[2].status ~= "ok"'
expect 1 run "$scenarios/dumbbell.lua"
shows "velocities"

# Of all formulations of one pendulum, only the raw index 3 stops, and says what to take.
expect 1 run "$scenarios/pendulum_formulations.lua" --set time=0.5 --format csv
says "vida: 1 of"
grep -q "raw=true.*IDA_.*ida-ggl" "$work/out" || complain "the raw index 3 does not explain itself"

# The ladder: SPOOK gets through, the same rows with Newton's method end when it begins to whip.
expect 1 run "$scenarios/spook_ladder.lua" --set time=8 --only spook --only spook-newton --format json
is_json "$work/out" '(value.rows or value)[1].status == "ok" and (value.rows or value)[4].status ~= "ok"'

# Contacts and escapements against their closed forms, which are the references of these scenarios.
expect 0 run "$scenarios/incline.lua" --format json
is_json "$work/out" '(function()
  local rows = value.rows or value
  for i, row in ipairs(rows) do
    -- 0.66 s after a step in which the acceleration changes from 5.92 to 2.37 m/s^2
    local steps = row.method == "moreau-jean" or row.method == "spook"
    local bound = steps and 2.5 * row.h or row.method == "ida-ggl" and 1e-7 or 1e-14
    if row.status ~= "ok" or not (row.position_error < bound) then
      return false
    end
  end
  return #rows == 22
end)()'
# Every second a tick or a tock, of order 2 or better; the limit cycle from inside and from outside: the
# energy after a kick is that of the cycle but for exp(-2 pi delta / w) with each of them.
for start in 0.2 0.7; do
  expect 0 run "$scenarios/escapement.lua" --set start=$start --out "$work/clock" --format json --quiet
  is_json "$work/out" '(function()
    local rows = value.rows or value
    for i, row in ipairs(rows) do
      local fixed = row.method == "rattle" or row.method == "del-midpoint"
      local bound = fixed and 20 * row.h ^ 2 or row.rtol ~= json.null and 1e3 * row.rtol or 1e-5
      if row.status ~= "ok" or row.events ~= 40 or not (row.position_error < bound)
        or fixed and row.h < 0.02 and not (rows[i - 1].position_error > 3 * row.position_error) then
        return false
      end
    end
    return #rows == 12
  end)()'
  awk -F, '$2 == "post-stabilized" && $5 == 1e-9 { print $8 }' "$work/clock/events.csv" >"$work/ticks"
  "${lua[@]}" -e 'local first, count
    for t in io.lines() do
      first = first or tonumber(t)
      count = (count or -1) + 1
      assert(math.abs(tonumber(t) - first - count) < 1e-7, t)
    end
    assert(count == 39)' <"$work/ticks" || complain "ticks: $(head -3 "$work/ticks" | tr '\n' ' ')"
done
# A pendulum with a stop: impacts of order 2, and the energy after 200 of them.
expect 0 run "$scenarios/pendulum_with_stop.lua" --set impacts=200 --out "$work/stop" --format json --quiet
is_json "$work/out" '(function()
  local rows = value.rows or value
  for i, row in ipairs(rows) do
    local fixed = i <= 9
    if row.status ~= "ok" or fixed and i % 3 ~= 1 and math.abs(rows[i - 1].event_error / row.event_error - 4) > 0.5
      or row.method == "energy-momentum" and row.energy_error > 1e-11 or row.events ~= (i <= 15 and 10 or 200) then
      return false
    end
  end
  return #rows == 17
end)()'
# A ball on a vibrating table: impacts a period apart; on an arm the order 2.
expect 0 run "$scenarios/vibrating_table.lua" --format json
is_json "$work/out" '(function()
  local rows = value.rows or value
  for i, row in ipairs(rows) do
    local free, fixed = i <= 10, row.rtol == json.null
    if row.status ~= "ok" or free and (row.events ~= 20 or row.position_error > (fixed and 1e-11 or 30 * row.rtol))
      or not free and fixed and row.h < 0.02 and math.abs(rows[i - 1].event_error / row.event_error - 4) > 0.6
      or not free and not fixed and row.event_error > 1000 * row.rtol then
      return false
    end
  end
  return #rows == 27
end)()'
# The deepest gap and the energy, which never rises above that of the start.
cat >"$work/depth.lua" <<'LUA'
local deepest = tonumber(arg[1])
for i = 2, #arg do
  local file <close> = assert(io.open(arg[i]))
  local column, number = {}, 0
  for name in (file:read() .. ","):gmatch "([^,]*)," do
    number = number + 1
    column[name:match "^%a*"] = column[name:match "^%a*"] or number
  end
  local start
  for line in file:lines() do
    local values = {}
    for value in (line .. ","):gmatch "([^,]*)," do
      values[#values + 1] = value
    end
    local energy, depth = tonumber(values[column.energy]), tonumber(values[column.depth])
    start = start or energy
    assert(energy <= start and depth >= -deepest, arg[i] .. ": " .. line)
  end
end
LUA
expect 0 run "$scenarios/ladder_on_floor.lua" --set cells=5 --out "$work/floor" --quiet
"${lua[@]}" "$work/depth.lua" 3e-3 "$work"/floor/ladder-*.csv || complain "ladder on a floor"
expect 0 run "$scenarios/stack.lua" --set time=2 --only spook --out "$work/boxes" --quiet
"${lua[@]}" "$work/depth.lua" 1e-3 "$work"/boxes/stack-*.csv || complain "stack"
# The wheelset against the values of the test set.
expect 0 run "$scenarios/wheelset.lua" --only ida-ggl --format json --quiet
is_json "$work/out" '(function()
  local rows = value.rows or value
  return #rows == 2 and rows[1].position_error < 1e-6 and rows[2].position_error < 3e-8
    and rows[2].velocity_error < 1e-5 and rows[2].multiplier_error < 1e-2
end)()'

# The papers' figures: their numbers as CSV, a header and a row for every step or run, and pictures.
for figure in 4 5; do
  "$scenarios/figure" "004-$figure" --csv --set time=0.5 >"$work/figure" || complain "figure $figure"
  (($(grep -c -E '^(10|100),[-.e0-9]+,[-.e0-9]+$' "$work/figure") == 62)) || complain "figure $figure: rows"
done
"$scenarios/figure" 004-6 --csv --set time=2 >"$work/figure" || complain "figure 6"
awk -F, 'NR > 1 { h[NR] = $1; g[NR] = $2 }
  END { slope = log(g[5] / g[2]) / log(h[5] / h[2]); exit !(NR == 5 && slope > 1.8 && slope < 2.2) }' \
  "$work/figure" || complain "figure 6: $(cat "$work/figure")"
"$scenarios/figure" 004-8 2>/dev/null && complain "there is no figure 8"
if command -v gnuplot >/dev/null 2>&1; then
  for figure in 000-9 000-11 000-12 003-2 003-3 003-4; do
    "$scenarios/figure" "$figure" --out "$work/figures" --set time=1 >/dev/null || complain "figure $figure"
    [[ -s $work/figures/$figure.svg ]] || complain "figure $figure: no picture"
  done
  "$scenarios/figure" 004-4 --out "$work/figures" --set time=0.5 >/dev/null || complain "figure 004-4"
  grep -q "100 cells" "$work/figures/004-4.svg" || complain "figure 004-4: no picture"
fi

finish
