#!/usr/bin/env bash
# Results that something has damaged are refused where they are read, with the place; a folder holds
# the results of its last run.
# shellcheck source-path=SCRIPTDIR source=support.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/support.sh"

cd "$work" || exit 1
expect 0 run short.lua --out good --report --quiet

# damage FILE SED: $work/bad is the folder with FILE changed.
damage() {
  rm -rf bad
  cp -r good bad
  LC_ALL=C sed -E -i "$2" "bad/$1"
  if cmp -s "bad/$1" "good/$1"; then
    complain "$1 is not changed by $2"
  fi
}

# ---- the page's data ---------------------------------------------------------------------------
# One quote less, a comma more, a number that is none, a byte that is no UTF-8, a control character.
for change in '0,/"name"/s/"name"/"name/' '0,/"t0"/s/"t0"/, "t0"/' '0,/"time": /s//"time": 0/' \
  '0,/short/s//sh\xffort/' '0,/short/s//sh\x01ort/' '0,/false/s//False/' '$s/\]\}$/]]}/'; do
  damage report.json "$change"
  rm -f bad/report.html
  expect 1 report bad
  says "is damaged, line"
  [[ ! -e bad/report.html ]] || complain "a page of data that are no JSON: $change"
done
damage report.json '0,/"name"/s/"name"/"name/'
expect 1 report bad
says "'bad/report.json' is damaged, line 3, byte "
expect 0 report good

# ---- rows, trajectories, facts -----------------------------------------------------------------
damage comparison.csv '2s/,0\.1[0-9]*,/,0.1x,/'
expect 1 plot bad convergence
says "record 2 has '0.1x' in column 'h', where a number is expected"
damage comparison.csv '2s/short/sh\xffort/'
expect 1 plot bad convergence
says "line 2: bytes that are not UTF-8"
damage study.txt 's/^coordinates: .*/coordinates: 3000000000/'
expect 1 plot bad energy
says "'bad/study.txt' is damaged"
damage study.txt '/^momenta/d'
expect 1 plot bad energy
says "'bad/study.txt' is damaged"
damage study.txt 's/^pattern: .*/pattern: 1000000000/'
expect 1 plot bad sparsity
says "'bad/study.txt' is damaged"
damage study.txt '$s/.*/7 999999/'
expect 1 plot bad sparsity
says "its pattern is incomplete"
if command -v gnuplot >/dev/null 2>&1; then
  damage short-rattle-h_0.1.csv '3s/,/,1e/'
  expect 1 plot bad energy
  says "where a number is expected"
fi

# ---- what a folder holds -----------------------------------------------------------------------
echo mine >good/notes.csv
expect 0 run short.lua --only del-midpoint --out good --quiet
says "'good/report.html' belonged to earlier results and was removed; 'vida report good' makes"
found=$(cd good && echo *)
[[ $found == "comparison.csv comparison.json notes.csv report.json short-del-midpoint-h_0.1.csv study.txt" ]] ||
  complain "a folder of one run holds $found"
script two <<'LUA'
local one = dofile "short.lua"
return { one, dofile "short.lua" }
LUA
expect 0 run two.lua --out good --quiet
[[ ! -e good/short-del-midpoint-h_0.1.csv && -e good/2/short-rattle-h_0.1.csv ]] ||
  complain "two comparisons beside the trajectories of one"
expect 0 run short.lua --out good --quiet
[[ ! -e good/1 && ! -e good/2 && -e good/notes.csv ]] || complain "folders of earlier comparisons are left"

# ---- names -------------------------------------------------------------------------------------
cat >named.lua <<'LUA'
local vida = require "vida"
local file <close> = assert(io.open("name", "rb"))
local name = file:read "a"
local system = vida.system { name, dimension = 2 }
system:gravity { 0, -9.81 }
local bob = system:particle { name .. "b", mass = 1, position = { 1, 0 } }
system:distance { name .. " rod", system.ground, bob, length = 1 }
return vida.compare { system = system, time = 0.2, methods = { { "rattle", h = 0.1 } } }
LUA
printf 'caf\xe9' >name
expect 1 run named.lua --quiet
says "the name of a system is not valid UTF-8: byte 4"
says "save the script in UTF-8"

# Each in a picture that an XML parser takes; nothing is executed.
long=$(printf 'x%.0s' {1..200})
wide=$(printf 'ä%.0s' {1..63})$(printf '日%.0s' {1..60})
names=("Newton''s cradle" "'a" "''" "a\\" "\$x" "\$(touch pwned)" "%d %s" "{a}_b^c" "@x" "\`touch pwned\`"
  "]]>" "<&>\"'" "=cmd|'/C calc'!A0" "-x" "--help" "$long" "$wide" "x'.system('touch pwned').'")
if command -v gnuplot >/dev/null 2>&1 && command -v xmllint >/dev/null 2>&1; then
  for name in "${names[@]}"; do
    printf '%s' "$name" >name
    expect 0 run named.lua --out named --plot energy,phase --quiet
    xmllint --noout named/plots/*.svg 2>"$work/err" || complain "'$name': $(head -n 2 "$work/err")"
    expect 0 compare named/comparison.csv named/comparison.csv
  done
  # The same as names of files and as titles; < and | would be commands of gnuplot.
  for name in "${names[@]}" "<touch pwned;" "|touch pwned;" "~a" "!touch pwned"; do
    name=${name//\//_}
    name=${name:0:60}
    rm -rf pictures named/plots
    expect 0 plot named energy --name="$name" --title="$name" --quiet
    xmllint --noout named/plots/*.svg 2>"$work/err" || complain "'$name': $(head -n 2 "$work/err")"
    expect 0 plot named energy --out="./$name.d" --quiet
    xmllint --noout "./$name.d/energy.svg" 2>"$work/err" || complain "'$name': $(head -n 2 "$work/err")"
  done
  [[ -z $(find . -name 'pwned*' -print -quit) ]] || complain "a name was executed"
fi

# Spreadsheets take no cell of text for a formula; numbers keep their signs.
printf '=1+1' >name
expect 0 run named.lua --out sheet --quiet --format csv
grep -q "^'=1+1,rattle," "$work/out" || complain "a formula: $(tail -n 1 "$work/out")"
head -n 1 sheet/_1_1-rattle-h_0.1.csv | grep -q -F "'=1+1b.x" || complain "a formula in a title"
if grep -E "(^|,)'[-+]?[0-9.]" "$work/out" sheet/*.csv; then
  complain "a number became a text"
fi

# ---- scenarios that are installed --------------------------------------------------------------
mkdir -p prefix/bin prefix/share/vida/scenarios
cp "$VIDA" prefix/bin/vida
sed 's/"short"/"from afar"/' short.lua >prefix/share/vida/scenarios/afar.lua
for name in afar afar.lua; do
  prefix/bin/vida run "$name" --quiet >"$work/out" 2>"$work/err" </dev/null ||
    complain "an installed scenario is not found: $(cat "$work/err")"
  shows "from afar"
done
expect 0 run short --quiet # NAME.lua in the current folder
shows "short, t = 0"
expect 1 run nowhere --quiet
says "nowhere"

finish
