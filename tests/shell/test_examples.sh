#!/usr/bin/env bash
# The examples of the documents run: those of doc comments, of the README and of the guide.
# shellcheck source-path=SCRIPTDIR source=support.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/support.sh"

if ! (cd "$work" && "${lua[@]}" "$SOURCE/tests/lua/examples.lua" "$SOURCE") >"$work/log" 2>&1; then
  complain "examples of the documents fail:
$(cat "$work/log")"
fi

finish
