#!/usr/bin/env bash
# tests/soak/run with few steps: all its runs keep what they should, and a run that was stopped goes on.
# shellcheck source-path=SCRIPTDIR source=support.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/support.sh"

# A Lua with the sanitizers before it is no command that the script knows, and steps are slow there.
if [[ -n ${VIDA_SANITIZED-} ]]; then
  finish
  exit 0
fi

BUILD=$BUILD "$SOURCE/tests/soak/run" --steps 1000000 --dir "$work/soak" >"$work/out" 2>"$work/err" ||
  complain "a bound is exceeded: $(grep -v ': ok$' "$work/out") $(head -c 600 "$work/err")"
(($(grep -c ': ok$' "$work/out") == 12)) || complain "not twelve runs: $(cat "$work/out")"
[[ -z $(ls "$work/soak") ]] || complain "states of finished runs are left: $(ls "$work/soak")"

"$SOURCE/tests/soak/run" --steps 1234 >"$work/out" 2>"$work/err"
says "expected a multiple of 1000"

finish
