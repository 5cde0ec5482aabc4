#!/usr/bin/env bash
# The documents build without a warning and have an entry for everything that is public.
# shellcheck source-path=SCRIPTDIR source=support.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/support.sh"

if [[ -n ${VIDA_SANITIZED-} ]]; then
  echo "skipped: documents are built without sanitizers"
  exit 77
fi
for tool in ldoc doxygen; do
  if ! command -v "$tool" >/dev/null; then
    echo "skipped: there is no $tool (Debian, Ubuntu: lua-ldoc and doxygen)"
    exit 77
  fi
done

: "${BUILD:?the folder of the build}"
if ! cmake --build "$BUILD" --target docs >"$work/log" 2>&1; then
  complain "the target docs fails: $(tail -n 20 "$work/log")"
fi
if grep -i -e 'warning' -e '???' "$work/log"; then
  complain "the target docs warns"
fi
html=$BUILD/docs/html
for page in index model describing choosing methods method_rattle audit comparisons pictures command scenarios c sundials \
  performance extending lua/index; do
  [[ -s $html/$page.html ]] || complain "there is no page $page.html"
done

"${lua[@]}" "$SOURCE/tests/lua/anchors.lua" "$html" >"$work/dead" || complain "links cannot be read"
[[ ! -s $work/dead ]] || complain "links to nowhere: $(head -n 5 "$work/dead")"
# The page of comparisons has the output of its examples.
for words in "mass=2 " "bob.x=0.8 -0.6" "200 of 200 runs" "own error about"; do
  grep -q -F "$words" "$html/comparisons.html" || complain "comparisons: no '$words'"
done

# ---- every method, scenario and sub-command ------------------------------------------------------

run methods
while read -r name; do
  [[ -s $html/method_${name//-/_}.html ]] || complain "there is no page of $name"
done < <(sed -n -E 's/^  ([a-z][a-z0-9-]*).*/\1/p' "$work/out")
for file in "$SOURCE"/scenarios/*.lua; do
  name=$(basename "$file" .lua)
  grep -q "scenarios_$name\"" "$html/scenarios.html" || complain "the scenario $name has no entry"
done
run --help
while read -r name; do
  grep -q "usage: vida $name" "$html/command.html" || complain "vida $name has no entry"
done < <(sed -n -e '/^commands:/,/^$/s/^  \([a-z]\{1,\}\).*/\1/p' "$work/out")

# ---- every public name -----------------------------------------------------------------------------

"${lua[@]}" "$SOURCE/tests/lua/public_names.lua" >"$work/names" || complain "names cannot be listed"
(($(wc -l <"$work/names") > 100)) || complain "there are too few names"
# What is on the page of the module itself is called there without `vida.`.
cat "$html"/lua/classes/*.html <(sed 's/<a name = "/&vida./' "$html/lua/modules/vida.html") >"$work/lua.html"
while read -r name; do
  grep -q -F "<a name = \"$name\"></a>" "$work/lua.html" || complain "Lua: $name has no entry"
done <"$work/names"

cat "$html"/*_8h.html >"$work/c.html"
for name in $(grep -h -o -E '\bVida[A-Za-z]*_[A-Za-z]+\(' "$SOURCE"/plugin/include/vida/*.h | tr -d '(' | sort -u); do
  grep -q -E "(>| )$name(</a>| \(|</b>)" "$work/c.html" || complain "C: $name has no entry"
done

finish
