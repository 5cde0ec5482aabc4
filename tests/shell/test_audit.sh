#!/usr/bin/env bash
# vida audit: its outputs, and that the guide shows what it measures.
# shellcheck source-path=SCRIPTDIR source=support.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/support.sh"

expect 0 audit --help
shows "duffing oscillator"
shows "usage: vida audit [METHOD]"
for word in --system --long --format examples: "heavy"; do
  shows "$word"
done

expect 0 audit rattle --system pendulum --system "knife edge"
shows "rattle: "
shows "pendulum "
shows "bounded"
shows "refused: rattle does not accept the nonholonomic constraints"
shows "all systems"
shows "all claims are true"

expect 0 audit energy-momentum --system "four particles" --format csv
shows "method,options,system,status,property,kind,value,interval,claimed,verdict,h,steps,message"
for property in position_order velocity_order multiplier_order "energy,exact" energy_drift \
  symplectic_defect reversal position_level velocity_level residuals_per_step; do
  shows "energy-momentum,,four particles,measured,$property"
done
for momentum in L_x L_y L_z J_x J_y J_z; do
  shows "energy-momentum,,four particles,measured,momentum $momentum,"
done
# every line has the fields of the first
awk -F, '{ if (NR == 1) fields = NF; else if (NF != fields) exit 1 }' "$work/out" ||
  complain "lines of CSV differ in their numbers of fields"

expect 0 audit rattle --system kepler --system "knife edge" --format json
cp "$work/out" "$work/audit.json"
is_json "$work/audit.json" 'value[1].system == "kepler" and value[1].property == "position_order"'
is_json "$work/audit.json" 'math.abs(value[1].value - 2) < 0.2 and value[1].verdict == "true"'

# What a method refuses is told from what was not measured and from what is not there.
expect 0 audit chorin --system "duffing oscillator" --system pendulum --format markdown
# shellcheck disable=SC2016 # backquotes of Markdown
grep -qE '^\| `chorin` \| 2\.0 \| - \| exact \| - \| no \| yes \| refuses \| refuses \| [2-3]\.[0-9] \|$' "$work/out" ||
  complain "the row of chorin: $(tail -1 "$work/out")"
expect 0 audit ida-ggl --system pendulum --format markdown
shows "| bounded |"
shows "| not measured | not measured |"
expect 0 audit rattle --system kepler --system "knife edge"
shows "refuses: accepts no system with this property; ?: not measured; -: does not apply"
awk '/^  kepler / { exit !/ - +- +- +- / }' "$work/out" || complain "kepler has no constraints to measure"
awk '/^  all systems / { exit !/ refuses / }' "$work/out" || complain "rattle refuses the row of the knife edge"

expect 0 audit verlet --system pendulum
shows "no claim was measured"

# Through events: order, energy and momenta of a method that finds them, and of one that does not; and the
# reason of a refusal, which names the contact and what becomes of it.
expect 0 audit energy-momentum --system "colliding discs" --format csv
for property in position_order velocity_order "energy,exact" "momentum L_x" "momentum L_y" "momentum J_z"; do
  shows "energy-momentum,,colliding discs,measured,$property"
done
if grep -q -e symplectic_defect -e two_point_start -e residuals_per_step "$work/out"; then
  complain "what has no meaning through events is measured"
fi
expect 0 audit moreau-jean --system "pendulum with a stop" --format markdown
shows "| method | contacts | pendulum with a stop | energy |"
# shellcheck disable=SC2016 # backquotes of Markdown
grep -qE '^\| `moreau-jean` \| time stepping \| (0\.[89]|1\.[01]) \| ' "$work/out" ||
  complain "the row of moreau-jean: $(tail -1 "$work/out")"
expect 0 audit gni --system "block with friction"
shows "refused: contact 'floor' slides: gni does not accept the force"
expect 0 audit verlet --system clutch
shows "refused: coupling 'clutch' is engaged: verlet accepts only systems without constraints"

# With options: the order that the method then claims, and no claim that it gives up.
expect 0 audit extrapolation --option scheme=euler --option columns=4 --system kepler --format csv
grep -qE '^extrapolation,"?scheme=euler columns=4"?,kepler,measured,position_order,,(3\.[89]|4\.[01])[0-9]*,[^,]*,4,true,' \
  "$work/out" || complain "the order of extrapolation with four columns: $(sed -n 2p "$work/out")"
expect 0 audit half-explicit --option level=velocity --system pendulum
shows "half-explicit level=velocity: "
shows "linear"
expect 0 audit --option plan=general --system kepler --format markdown
shows "rattle plan=general"
! grep -q "ida-index2" "$work/out" || complain "ida-index2 has no plan"
expect 1 audit rattle --option colums=4
grep -q "unknown option 'colums' of rattle" "$work/err" || complain "no message about the option"
expect 1 audit --option colums=4
grep -q "no method has the options" "$work/err" || complain "no message about the options"
expect 1 audit rattle --option h=0.1
grep -q "the audit chooses h itself" "$work/err" || complain "no message about h"
expect 2 audit rattle --option plan

# A signal ends it with what has been measured; the systems before come first. A busy machine may need
# longer than a second to begin.
for signal in INT TERM; do
  for delay in 1 4 16 64; do
    "$VIDA" audit rattle --long --format csv >"$work/out" 2>"$work/err" &
    process=$!
    sleep "$delay"
    kill -"$signal" $process
    code=0
    wait $process || code=$?
    grep -q "stopped before rattle on" "$work/err" && break
  done
  ((code == 128 + $(kill -l "$signal"))) || complain "after SIG$signal: exit code $code"
  shows "method,options,system,status,property"
  if grep -q "rattle,all systems" "$work/out"; then
    complain "SIG$signal came too late, or there is a summary of a part"
  fi
  says "stopped before rattle on"
done

expect 2 audit ratle
says "unknown method 'ratle'; did you mean 'rattle'?"
expect 2 audit rattle del-midpoint
says "expected one method"
expect 2 audit --system keplar
says "unknown system 'keplar'; did you mean 'kepler'?"
expect 2 audit --format markdwn
says "did you mean 'markdown'?"
expect 2 audit --lung
says "unknown option '--lung'; did you mean '--long'?"

# Under sanitizers that takes minutes, and the table is the same.
if [[ -n ${VIDA_SANITIZED-} ]]; then
  finish
  exit 0
fi

# The tables of measured properties in the guide are this output: names, orders, energies and why there is no
# value are compared, sizes depend on the machine's rounding.
expect 0 audit --format markdown
columns() {
  awk -F'|' '/^\| `/ { line = $2 "|" $3 "|" $4 "|" $5
    for (i = 6; i < NF; i++) { line = line "|" ($i ~ /^ (refuses|not measured|-) $/ ? $i : "") }
    print line }' "$1"
}
# An empty cell would be read as any of the three.
grep -E '\| +\|' "$work/out" && complain "the table has empty cells"
columns "$work/out" >"$work/measured"
awk '/^<!-- audit -->/ { on = 1 } /^<!-- end -->/ { on = 0 } on' "$SOURCE/plugin/guide/audit.md" >"$work/table"
columns "$work/table" >"$work/written"
if ! diff "$work/written" "$work/measured" >"$work/difference"; then
  complain "the table of the guide is not that of 'vida audit --format markdown':
$(cat "$work/difference")"
fi

finish
