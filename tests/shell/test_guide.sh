#!/usr/bin/env bash
# The generated parts of the guide (tables of runs, listings, pages of methods) are those of this build,
# wall times aside, and every link of the guide and of the README leads to a file and a heading.
# shellcheck source-path=SCRIPTDIR source=support.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/support.sh"

"${lua[@]}" "$SOURCE/tests/lua/links.lua" "$SOURCE" >"$work/links" || complain "dead links:
$(cat "$work/links")"

# Under sanitizers the scenarios take minutes, and the pages are the same. test_audit.sh compares the audit.
if [[ -z ${VIDA_SANITIZED-} ]]; then
  "${lua[@]}" "$SOURCE/plugin/guide/update.lua" "$VIDA" "$SOURCE/scenarios" --check --quick \
    >"$work/log" 2>&1 || complain "write the guide anew with the target guide:
$(head -n 60 "$work/log")"
fi

finish
