#!/usr/bin/env bash
# The command in daily use: new scenarios, completion, the manual page, colours, narrow terminals, names
# with spaces, decimal commas.
# shellcheck source-path=SCRIPTDIR source=support.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/support.sh"

# ---- vida new ----------------------------------------------------------------------------------
for name in first "with spaces" 'Bölcső "új"' 'back\slash'; do
  expect 0 new "$work/$name"
  expect 0 run "$work/$name.lua" --set time=1 --format json
  [[ -s $work/$name.lua ]] || complain "there is no $name.lua"
  is_json "$work/out" '#(value.rows or value) == 8'
done
"$VIDA" run "$work/with spaces.lua" --set time=1 --format json >"$work/out"
is_json "$work/out" '(value.rows or value)[1].system == "with spaces"'
expect 0 new "$work/ended.lua"
[[ -e $work/ended.lua && ! -e $work/ended.lua.lua ]] || complain "the ending was given twice"
echo precious >"$work/mine.lua"
expect 1 new "$work/mine"
says "cannot write '$work/mine.lua': it is there already"
[[ $(cat "$work/mine.lua") == precious ]] || complain "a file was overwritten"
expect 1 new "$work/no/such/folder"
says "No such file or directory"
expect 2 new
says "the name of the new scenario is missing"
expect 2 new a b
says "expected one name"
for wrong in '' "$work/" .lua; do
  expect 2 new "$wrong"
  says "expected the name of a scenario"
done
expect 2 new $'line\nbreak'
says "control character"
if [[ -n ${SOURCE:-} ]] && type -P luacheck >/dev/null; then
  luacheck -q --config "$SOURCE/.luacheckrc" "$work/first.lua" >"$work/out" || complain "$(cat "$work/out")"
fi

# ---- completion ----------------------------------------------------------------------------------
"$VIDA" completion bash >"$work/completion.bash" || complain "no completion for bash"
mkdir -p "$work/places/a folder"
touch "$work/places/model.lua" "$work/places/notes.txt" "$work/places/my model.lua" "$work/places/libmine.so"
# completes "WHAT" WORDS...: the last word is completed to these lines.
completes() {
  local expected=$1
  shift
  local got
  got=$(cd "$work/places" && bash -c '
    source "$1"; shift
    COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _vida
    ((${#COMPREPLY[@]})) && printf "%s\n" "${COMPREPLY[@]}"' - "$work/completion.bash" "$@" | LC_ALL=C sort)
  [[ $got == "$expected" ]] || complain "'$*' is completed to '$got', not '$expected'"
}
completes run vida ru
completes $'check\ncompare\ncompletion' vida c
completes --version vida --v
completes $'--seed\n--set\n--settings' vida run --se
completes csv vida run --format c
completes rattle-variable vida run --only rattle-
completes $'a folder\nmodel.lua\nmy model.lua' vida run ''
completes $'model.lua\nmy model.lua' vida check m
completes "a folder" vida run --out a
completes energy vida plot en
completes spook-newton vida methods spook-
completes fish vida completion f
completes "" vida run --set m
completes $'a folder\nlibmine.so' vida --plugin ''
completes libmine.so vida audit rattle --plugin lib
completes --plugin vida methods --pl
completes --plugin vida --pl
completes run vida --plugin libmine.so ru
completes spook-newton vida --plugin libmine.so methods spook-
"$VIDA" completion zsh >"$work/_vida" || complain "no completion for zsh"
"$VIDA" completion fish >"$work/vida.fish" || complain "no completion for fish"
if type -P zsh >/dev/null; then
  zsh -n "$work/_vida" || complain "zsh does not understand its completion"
fi
if type -P fish >/dev/null; then
  fish --no-execute "$work/vida.fish" || complain "fish does not understand its completion"
fi
for quotes in "$work/_vida" "$work/vida.fish"; do # an odd number would swallow what follows
  while read -r line; do
    only=${line//[^\']/}
    ((${#only} % 2 == 0)) || complain "quotes do not match: $line"
  done <"$quotes"
done
expect 2 completion
says "the name of a shell is missing"
expect 2 completion bsh
says "did you mean 'bash'?"

# ---- the manual page, and help of every command --------------------------------------------------
expect 0 --man
cp "$work/out" "$work/vida.1"
expect 0 --help
commands=$(sed -n '/^commands:/,/^options:/p' "$work/out" | sed -n 's/^  \([a-z]\{1,\}\) .*/\1/p')
(($(wc -w <<<"$commands") >= 8)) || complain "help names the commands $commands"
for command in $commands; do
  grep -q "^.SS vida $command" "$work/vida.1" || complain "the manual lacks $command"
  expect 0 "$command" --help
  shows "usage: vida $command"
  shows "examples:"
  shows "  vida "
done
if type -P groff >/dev/null; then
  groff -man -ww -Tutf8 "$work/vida.1" >"$work/out" 2>"$work/err" || complain "groff refuses the manual"
  [[ ! -s $work/err ]] || complain "groff: $(head -n 3 "$work/err")"
fi

# ---- narrow terminals ----------------------------------------------------------------------------
expect 0 --version
for command in $commands; do
  COLUMNS=40 expect 0 "$command" --help
  widest=$(sed '/^examples:/,$d; /^usage:/d' "$work/out" | awk '{ if (length > n) n = length } END { print n }')
  ((widest <= 40)) || complain "vida $command --help is $widest wide on 40 columns"
done
COLUMNS=40 expect 0 run "$work/short.lua"
widest=$(LC_ALL=C.UTF-8 awk '{ if (length > n) n = length } END { print n }' "$work/out")
((widest <= 46)) || complain "the table is $widest wide on 40 columns" # three columns are the least

# Rows that differ in their options alone can be told apart at every width.
cat >"$work/twins.lua" <<'LUA'
local vida = require "vida"
local s = vida.system { "p", dimension = 2 }
s:gravity { 0, -9.81 }
local bob = s:particle { "bob", mass = 1, position = { 1, 0 } }
s:distance { "rod", s.ground, bob, length = 1 }
return vida.compare { system = s, time = 1, reference = { "rattle", h = 0.01 }, methods = {
  { "post-stabilized", h = 0.1, variant = "s-full" }, { "post-stabilized", h = 0.1, variant = "s-vel" },
} }
LUA
for columns in 40 50 60 80; do
  COLUMNS=$columns expect 0 run "$work/twins.lua"
  shows "variant=s-full"
  shows "variant=s-vel"
done

# ---- colours: on terminals only, and not with NO_COLOR -------------------------------------------
expect 1 run "$work/failing.lua"
grep -q $'\033' "$work/out" "$work/err" && complain "colours although there is no terminal"
if type -P script >/dev/null && script -q -c true /dev/null >/dev/null 2>&1 </dev/null; then
  on_terminal() {
    SHELL=/bin/sh command script -q -e -c "$1" /dev/null </dev/null >"$work/terminal"
  }
  TERM=xterm on_terminal "'$VIDA' run '$work/failing.lua' --quiet"
  grep -q $'\033\\[31m' "$work/terminal" || complain "a failed run is not red on a terminal"
  grep -q $'\033\\[1m' "$work/terminal" || complain "no title in bold on a terminal"
  TERM=xterm NO_COLOR=1 on_terminal "'$VIDA' run '$work/failing.lua' --quiet"
  grep -q $'\033' "$work/terminal" && complain "colours although NO_COLOR is set"
  TERM=dumb on_terminal "'$VIDA' run '$work/failing.lua' --quiet"
  grep -q $'\033' "$work/terminal" && complain "colours on a dumb terminal"
else
  echo "skipped: colours on terminals, for no pseudo-terminal can be made"
fi

# ---- names with spaces and letters of all kinds, decimal commas ----------------------------------
cp "$work/short.lua" "$work/Größe und Weg.lua"
expect 0 run "$work/Größe und Weg.lua" --out "$work/out of Größe"
[[ -e "$work/out of Größe/comparison.csv" ]] || complain "no results in a folder with spaces"
for locale in de_DE.UTF-8 de_DE.utf8 hu_HU.UTF-8 fr_FR.UTF-8; do
  if [[ $(LC_ALL=$locale locale decimal_point 2>/dev/null) == , ]]; then
    LC_ALL=$locale expect 0 run "$work/short.lua" --format csv --set duration=0.5 --out "$work/comma"
    [[ $(head -n 2 "$work/out" | tail -n 1) == *rattle,,0.1* ]] || complain "$locale: $(cat "$work/out")"
    LC_ALL=$locale expect 0 compare "$work/comma" "$work/comma" --rtol 1e-3
  fi
done

finish
