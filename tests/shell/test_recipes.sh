#!/usr/bin/env bash
# The recipes of plugin/guide/extending.md, done in a copy of the sources (tests/recipes/apply.sh): every
# place that they name, and no other one. The method passes the audit, the term the check of derivatives;
# the joint, the column and the integrator are compared with closed forms.
# shellcheck source-path=SCRIPTDIR source=support.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/support.sh"

if [[ -n ${VIDA_SANITIZED-} ]]; then
  echo "skipped: the copy is built without sanitizers"
  exit 77
fi
: "${BUILD:?the folder of the build}"
copy=$work/copy
mkdir "$copy"
cp -r "$SOURCE"/{plugin,lua} "$copy"
bash "$SOURCE/tests/recipes/apply.sh" "$copy" || complain "a place of a recipe is not there"

prefix_path=$(sed -n 's/^SUNDIALS_DIR:PATH=//p' "$BUILD/CMakeCache.txt")
cmake -S "$SOURCE/tests/recipes" -B "$work/build" -DCOPY="$copy" -DLIBRARY="$BUILD/libvida.a" \
  -DSUNDIALS_DIR="$prefix_path" >"$work/log" 2>&1 || complain "cmake fails: $(tail -n 5 "$work/log")"
cmake --build "$work/build" --parallel 2 >"$work/log" 2>&1 ||
  complain "the build fails: $(grep -m 5 -E 'error|warning|undefined|multiple' "$work/log")"
VIDA=$work/build/vida

# ---- method and term --------------------------------------------------------------------------------
expect 0 audit kick-drift
shows "all claims are true"
expect 0 methods
shows kick-drift
"$work/build/check" || complain "the term or the method fails"

# ---- joint, integrator, column ------------------------------------------------------------------------
expect 1 run "$SOURCE/tests/recipes/added.lua" --format csv # kick-drift takes no joints
[[ -s $work/out ]] || complain "added.lua: $(cat "$work/err")"
read -r header <"$work/out"
[[ ",$header," == *,energy_change,energy_start,work,* ]] || complain "columns: $header"
expect 1 run "$SOURCE/tests/recipes/added.lua" --format json
is_json "$work/out" '(value.rows or value)[2].energy_start == 2 * 1.5 ^ 2 / 2 + 3 * 0.5 ^ 2 / 2'
expect 0 methods post-stabilized
shows sayfy-aburub

# ---- sub-command --------------------------------------------------------------------------------------
expect 0 columns
shows "energy at the start"
expect 0 --help
shows "List the columns of all comparisons."
expect 2 colums
says "did you mean 'columns'?"
expect 0 completion bash
shows columns

finish
