#!/usr/bin/env bash
# --defects, --drift and --shadow: more columns in every output, and results with them can be read back.
# shellcheck source-path=SCRIPTDIR source=support.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/support.sh"

defects=symplectic_noise,reversibility_defect
drifts=energy_drift_interval,energy_oscillation,momentum_drift,momentum_drift_interval
drifts+=,momentum_oscillation,constraint_drift,constraint_drift_interval,constraint_oscillation
shadows=shadow_energy_error,shadow_energy_drift,shadow_energy_drift_interval,shadow_energy_oscillation

header() {
  [[ $(head -n 1 "$1") == "$2" ]] || complain "$1 begins with $(head -n 1 "$1")"
}

expect 0 run "$work/short.lua" --format csv
header "$work/out" "$columns"
expect 0 run "$work/short.lua" --defects --format csv
header "$work/out" "$columns,$defects"
expect 0 run "$work/short.lua" --shadow --format csv
header "$work/out" "$columns,$shadows"
expect 0 run "$work/short.lua" --drift --set duration=20 --format csv
header "$work/out" "$columns,$drifts,$shadows"
expect 0 run "$work/short.lua" --defects --drift --set duration=20 --out "$work/results" --report
header "$work/results/comparison.csv" "$columns,$defects,$drifts,$shadows"
shows "drift per second with its 95 % confidence"
shows "constraints, m"
is_json "$work/results/comparison.json" 'value[1].reversibility_defect < 1e-11 and value[1].energy_oscillation > 0'
grep -q '"name": "reversibility_defect"' "$work/results/report.html" || complain "not in the page"
expect 0 run "$work/short.lua" --defects --set defect_steps=3 --format json
is_json "$work/out" 'value[1].symplectic_defect < 1e-9 and value[1].energy_oscillation == nil'

# Comparisons of one script that ask for different columns: a document has those of all.
script mixed <<TEXT
local vida = require "vida"
local system = vida.system "mixed"
local x, v = system:coordinate { "x", unit = "m", value = 1, rate = 0 }
system:lagrangian(0.5 * v^2 - 0.5 * x^2)
local methods = { { "verlet", h = 0.1 } }
return {
  vida.compare { system = system, time = 1, methods = methods, reversibility = true },
  vida.compare { system = system, time = 20, methods = methods, drift = true },
}
TEXT
expect 0 run "$work/mixed.lua" --out "$work/both" --format json
is_json "$work/out" 'value[1].energy_oscillation == json.null and value[2].reversibility_defect == json.null'
header "$work/both/comparison.csv" "$columns,reversibility_defect,$drifts"
header "$work/both/1/comparison.csv" "$columns,reversibility_defect"
header "$work/both/2/comparison.csv" "$columns,$drifts"

if type -P gnuplot >/dev/null; then
  expect 0 plot "$work/results" convergence --columns reversibility_defect --columns energy_oscillation
  expect 0 plot "$work/both"
  expect 0 plot "$work/results" shadow
  [[ -s $work/results/plots/shadow.svg ]] || complain "no picture of shadow energies"
fi

expect 2 run "$work/short.lua" --defect
says "did you mean '--defects'"
expect 2 run "$work/short.lua" --set defect_steps=0
says "defect_steps"
expect 0 run --help
shows "--defects"
expect 0 run "$work/short.lua" --settings
shows "reversibility"
finish
