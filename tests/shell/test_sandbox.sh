#!/usr/bin/env bash
# Scenarios of strangers: each attack ends with the error that names it, and without an effect. The other half
# of the test: what is harmless works, and as it does without a sandbox.
# shellcheck source-path=SCRIPTDIR source=support.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/support.sh"

# The attacker's folder, and what lies outside of it.
mkdir -p "$work/stranger/.hidden" "$work/results" "$work/outside"
echo "local secret = 42" >"$work/outside/secret.lua"
echo "t,x" >"$work/outside/secret.csv"
echo "hidden" >"$work/stranger/.hidden/key"
echo "hidden" >"$work/stranger/.key"
echo "return 7" >"$work/stranger/helper.lua"
printf 't,bob.x\n1,0.5\n' >"$work/stranger/table.csv"
ln -s "$work/outside" "$work/stranger/link"
ln -s "$work/outside/secret.csv" "$work/stranger/link.csv"
ln -s "$work/outside/new.csv" "$work/results/dangling.csv"
mkfifo "$work/stranger/pipe"
effect=$work/outside/effect

advice="is not available in a sandboxed scenario; run with --trust if you trust the author"
attacks=0

without_effect() {
  if [[ -e $effect || $(find "$work/outside" | wc -l) != 3 || $(cat "$work/outside/secret.csv") != t,x ]]; then
    complain "$1 had an effect"
    rm -f "$effect"
  fi
}

# ends NAME TEXT [OPTIONS...]: the script on the standard input fails with the text, at its line, and
# without any effect outside of the folder.
ends() {
  local name=$1 text=$2
  shift 2
  attacks=$((attacks + 1))
  { echo "local effect, outside, out = '$effect', '$work/outside', '$work/results'"; cat; } \
    >"$work/stranger/attack.lua"
  expect 1 run "$work/stranger/attack.lua" "$@"
  says "$text" || complain "attack '$name'"
  grep -q -E "vida: .*:[0-9]+: " "$work/err" || complain "attack '$name': no line: $(cat "$work/err")"
  without_effect "attack '$name'"
}

# tries NAME TEXT: the same for a function of the script that "flush OPTIONS..." runs, with all those before.
names=() texts=()
tries() {
  names+=("$1") texts+=("$2")
  printf 'print("attack %d:", select(2, pcall(function()\n%s\nend)))\n' "${#names[@]}" "$(cat)" >>"$work/stranger/tries.lua"
}
refused() {
  tries "$1" "$2 $advice"
}
flush() {
  local i
  { echo "local effect, outside, out = '$effect', '$work/outside', '$work/results'"; cat "$work/stranger/tries.lua"
    echo 'error "the end"'; } >"$work/stranger/attack.lua"
  rm "$work/stranger/tries.lua"
  expect 1 run "$work/stranger/attack.lua" "$@"
  says "the end"
  for ((i = 1; i <= ${#names[@]}; i++)); do
    attacks=$((attacks + 1))
    grep -F -e "attack $i:" "$work/err" | grep -q -F -e "${texts[i - 1]}" ||
      complain "attack '${names[i - 1]}': $(grep -F -e "attack $i:" "$work/err")"
  done
  without_effect "one of ${#names[@]} attacks"
  names=() texts=()
}

# ---- processes and the environment --------------------------------------------------------------
refused "a command" os.execute <<<'os.execute("touch " .. effect)'
refused "a pipe" io.popen <<<'io.popen("touch " .. effect)'
refused "a command by index" os.execute <<<'_G["o" .. "s"]["exec" .. "ute"]("touch " .. effect)'
refused "a command by a module" os.execute <<<'require("os").execute("touch " .. effect)'
refused "a command by package.loaded" os.execute <<<'package.loaded.os.execute("touch " .. effect)'
refused "a command by a loaded chunk" os.execute <<<'load("os.execute(...)")("touch " .. effect)'
refused "a command by a chunk with another environment" os.execute \
  <<<'load("execute(...)", "x", "t", os)("touch " .. effect)'
refused "a command in a coroutine" os.execute <<<'assert(select(2, coroutine.resume(coroutine.create(function()
  os.execute("touch " .. effect) end))):match "nothing", select(2, pcall(os.execute)))'
refused "an end" os.exit <<<'os.exit(0)'
refused "the environment" os.getenv <<<'print(os.getenv "HOME")'
refused "a deletion" os.remove <<<'os.remove(outside .. "/secret.csv")'
refused "a deletion in its own folder" os.remove <<<'os.remove "helper.lua"'
refused "a renaming" os.rename <<<'os.rename(outside .. "/secret.csv", effect)'
refused "a name in /tmp" os.tmpname <<<'os.tmpname()'
refused "a file in /tmp" io.tmpfile <<<'io.tmpfile()'
refused "the locale" os.setlocale <<<'os.setlocale "de_DE.UTF-8"'

# ---- code that is not Lua -----------------------------------------------------------------------
refused "a library" package.loadlib <<<'package.loadlib("libc.so.6", "system")'
refused "the path of libraries" package.cpath <<<'package.cpath = package.cpath .. ";" .. outside .. "/?.so"'
tries "a new path of libraries" "module 'secret' not found" \
  <<<'local path = package.path
  rawset(package, "cpath", outside .. "/?.so") package.path = ""
  local _, message = pcall(require, "secret")
  package.path = path
  error(message, 0)'
refused "the searchers" package.searchers <<<'package.searchers[3]("x")'
refused "a search" package.searchpath <<<'package.searchpath("secret", outside .. "/?.lua")'
refused "a plug-in" vida.plugin <<<'require("vida").plugin(outside .. "/libevil.so")'
refused "bytecode" bytecode <<<'load("\27Lua\x54\0\x19\x93\r\n\x1a\n")'
refused "bytecode by its mode" bytecode <<<'load("return 1", "x", "b")'
tries "bytecode by a reader" "attempt to load a binary chunk" \
  <<<'local parts = { "\27Lua", "\x54\0" } assert(load(function() return table.remove(parts, 1) end, "x", "bt"))'
printf '\033LuaS' >"$work/stranger/binary.lua"
tries "bytecode of a file" "attempt to load a binary chunk" <<<"assert(loadfile '$work/stranger/binary.lua')"
tries "bytecode of a module" "error loading module 'binary'" <<<'require "binary"'
refused "a dump" string.dump <<<'string.dump(function() end)'
refused "a dump by a method" string.dump <<<'("x").dump(function() end)'

# ---- the library debug --------------------------------------------------------------------------
for name in getregistry getupvalue setupvalue getmetatable setmetatable sethook getinfo getlocal upvaluejoin; do
  refused "debug.$name" "debug.$name" <<<"debug.$name(print, 1)"
done
refused "debug by a module" debug.getregistry <<<'require("debug").getregistry()'

# ---- files --------------------------------------------------------------------------------------
where="which is not in the folder of the script, $advice"
tries "an absolute path" "'/etc/passwd', $where" <<<'io.open "/etc/passwd"'
tries "a path upwards" "$where" <<<"io.open '$work/stranger/../outside/secret.csv'"
tries "a path upwards from nowhere" "$where" <<<"io.open '$work/stranger/no/../../outside/secret.csv'"
tries "a symbolic link" "$where" <<<"io.open '$work/stranger/link.csv'"
tries "a folder that is a symbolic link" "$where" <<<"io.lines '$work/stranger/link/secret.csv'"
tries "a default input" "$where" <<<'io.input(outside .. "/secret.csv")'
tries "a file that does not exist" "$where" <<<'io.open(outside .. "/nothing")'
tries "a hidden file" "$where" <<<"io.open '$work/stranger/.key'"
tries "a hidden folder" "$where" <<<"io.open '$work/stranger/.hidden/key'"
tries "a folder whose name begins like ours" "$where" <<<"io.open '$work/stranger2/x'"
tries "a device" "$where" <<<'io.open "/dev/zero"'
tries "the process" "$where" <<<'io.open "/proc/self/environ"'
tries "a named pipe" "Invalid argument" <<<"assert(io.open '$work/stranger/pipe')"
tries "a name with a zero byte" "zero byte" <<<"io.open '$work/stranger/table.csv\\0.lua'"
tries "a script elsewhere" "$where" <<<'dofile(outside .. "/secret.lua")'
tries "a chunk elsewhere" "$where" <<<'loadfile(outside .. "/secret.lua")'
tries "a module elsewhere" "$where" <<<'local path = package.path
  package.path = outside .. "/?.lua"
  local _, message = pcall(require, "secret")
  package.path = path
  error(message, 0)'
tries "a module by its name" "$where" <<<"require '../outside/secret'"
tries "states elsewhere" "$where" <<<'require("vida").states(outside .. "/secret.csv")'
tries "states by the name of a chunk" "$where" <<<'assert(load([[local vida = ... return vida.states "secret.csv"]],
  "@" .. outside .. "/x.lua"))(require "vida")'
refused "the standard input" "the standard input" <<<'io.read()'
refused "lines of the standard input" "the standard input" <<<'io.lines()'
refused "the file of the standard input" io.stdin <<<'io.stdin:read()'

# ---- writing ------------------------------------------------------------------------------------
tries "writing without --out" "the folder of --out DIR (none is given), $advice" <<<'io.open(effect, "w")'
tries "writing beside the script" "none is given" <<<"io.open('$work/stranger/helper.lua', 'a')"
flush
tries "writing beside --out" "which is not in the folder of --out, $advice" <<<'io.open(effect, "w")'
tries "writing upwards" "not in the folder of --out" <<<'io.open(out .. "/../outside/effect", "w")'
tries "updating the script" "not in the folder of --out" <<<"io.open('$work/stranger/helper.lua', 'r+')"
tries "a default output" "not in the folder of --out" <<<'io.output(effect)'
tries "a program" "which is no .csv" <<<'io.open(out .. "/run.sh", "w")'
tries "a hidden table" "not in the folder of --out" <<<'io.open(out .. "/.profile.csv", "w")'
tries "a link that leads nowhere" "dangling.csv" <<<'assert(io.open(out .. "/dangling.csv", "w"))'
pendulum='local vida = require "vida"
local system = vida.system { "p", dimension = 2 }
local bob = system:particle { "bob", mass = 1, position = { 1, 0 } }
system:distance { "rod", system.ground, bob, length = 1 }
local comparison = vida.compare { system = system, time = 0.1, methods = { { "rattle", h = 0.05 } } }
local result = comparison:run()'
tries "results elsewhere" "run: '$effect', which is not in" <<<"$pendulum comparison:run { out = effect }"
tries "a report elsewhere" "run: '$effect', which is not in" <<<"$pendulum comparison:run { report = effect }"
tries "results written elsewhere" "write: '$effect', which" <<<"$pendulum result:write(effect)"
tries "a report written elsewhere" "report: '$effect', which" <<<"$pendulum result:report(effect)"
tries "a report that is a script" "which is no .html" <<<"$pendulum result:report(out .. '/x.lua')"
tries "a state elsewhere" "save: '$effect', which" <<<"$pendulum local m = system:stepper { 'rattle', h = 0.1 }
m:start() m:save(effect)"
tries "a state that is a program" "which is no .state" <<<"$pendulum local m = system:stepper { 'rattle', h = 0.1 }
m:start() m:save(out .. '/run.sh')"
tries "a state from elsewhere" "vida.load: '$work/outside/secret.csv', which" <<<"$pendulum vida.load(outside .. '/secret.csv', system)"
tries "a picture elsewhere" "plot: '$work/outside', which" \
  <<<"$pendulum comparison:run({ out = out }):plot { kind = 'energy', file = outside .. '/effect.svg' }"
flush --out "$work/results"

# ---- tables behind values -----------------------------------------------------------------------
tries "the metatable of strings" "attempt to index a boolean value" <<<'getmetatable("").__index.find = print'
tries "another metatable of a file" "attempt to index a boolean value" \
  <<<"getmetatable(io.open '$work/stranger/table.csv').__gc = print"
tries "the metatable of a system" "attempt to index a boolean value" <<<"$pendulum getmetatable(system).__gc = print"
tries "the metatable of a vector" "attempt to index a boolean value" \
  <<<'getmetatable(require("vida").vector { 1, 2 }).__add = print'
tries "a new metatable of a vector" "cannot change a protected metatable" \
  <<<'setmetatable(require("vida").vector { 1, 2 }, {})'
refused "a finalizer" "a finalizer (__gc)" <<<'setmetatable({}, { __gc = function() while true do end end })'
refused "a stopped collector" 'collectgarbage "stop"' <<<'collectgarbage "stop"'
flush
# What the script changes is its own: the binding calls the functions that it had before.
ends "changed functions of Lua" "the end" <<<'local pairs, type, rawset = pairs, type, rawset
for _, library in pairs { _G, string, table, math } do
  for name, value in pairs(library) do
    if type(value) == "function" and name ~= "error" and name ~= "require" then
      rawset(library, name, function() error "called" end)
    end
  end
end
local vida = require "vida"
local system = vida.system { "p", dimension = 2 }
local bob = system:particle { "bob", mass = 1, position = { 1, 0 } }
local bar = system:particle { "bar", mass = 1, position = { 2, 0 } }
system:distance { "rod", bar, bob, length = 1 }
vida.states("'"$work/stranger/table.csv"'")
error "the end"'
ends "a changed module" "the end" <<<'local vida = require "vida"
local new_system = vida.system
for name, value in pairs(vida) do if type(value) == "function" then vida[name] = function() error "called" end end end
local system = new_system { "p", dimension = 3 }
system:body { "top", mass = 1, inertia = { 1, 1, 2 } }
error "the end"'

# ---- functions of the script in the middle of a comparison ----------------------------------------
for act in "comparison:close()" "comparison:run()" "later:close()" "local closed <close> = later"; do
  ends "$act in a reference" "a comparison while one is at work" <<<"${pendulum%local comparison*}
local comparison, later
comparison = vida.compare { system = system, time = 0.1, methods = { { 'rattle', h = 0.05 } },
  reference = function() $act return { positions = { 1, 0 } } end }
later = vida.compare { system = system, time = 0.1, methods = { { 'rattle', h = 0.05 } } }
return { comparison, later }"
done
ends "a reference whose message controls the terminal" "?[31mred" <<<"${pendulum%local comparison*}
return vida.compare { system = system, time = 0.1, methods = { { 'rattle', h = 0.05 } },
  reference = function() error '\\27[31mred' end }"
ends "a setting that controls the terminal" "the text has the control character 27" \
  <<<'require("vida").setting { "x", 1, text = "\27]0;title\7" }'
ends "a reference that controls the terminal" "the text has the control character 27" <<<"${pendulum%local comparison*}
vida.compare { system = system, time = 0.1, methods = { { 'rattle', h = 0.05 } }, reference = { name = '\\27c',
  exact = function() return { positions = { 1, 0 } } end } }"

# ---- pages and pictures: texts stay texts ---------------------------------------------------------
cat >"$work/stranger/injects.lua" <<TEXT
local vida = require "vida"
local name = "</script><script>alert(1)</script><img src=x onerror=alert(2)> 'a; system(\\"touch $effect\\") \`touch $effect\`"
local system = vida.system { name, dimension = 2 }
local bob = system:particle { "=cmd|'/c calc'!A1", mass = 1, position = { 1, 0 } }
system:distance { name .. "2", system.ground, bob, length = 1 }
return vida.compare { system = system, time = 0.1, methods = { { "rattle", h = 0.05 } } }
TEXT
run run "$work/stranger/injects.lua" --out "$work/injected" --report --plot --quiet
((code == 0)) || complain "a name with markup fails: $(cat "$work/err")"
grep -q -a -e '<script>alert' -e '<img src=x' "$work/injected/report.html" && complain "markup in the page"
[[ ! -e $effect ]] || complain "gnuplot has run a command"
grep -q -r -e '^=cmd' -e ',=cmd' "$work/injected" && complain "a formula in a table"

# ---- what never ends ----------------------------------------------------------------------------
few=(--script-instructions 3e6)
more="the script needs more than 3e+06 instructions; --script-instructions N allows N"
ends "a loop" "$more" "${few[@]}" <<<'while true do end'
ends "a loop that catches errors" "$more" "${few[@]}" <<<'while true do pcall(function() while true do end end) end'
ends "a handler that loops" "$more" "${few[@]}" \
  <<<'while true do xpcall(error, function() while true do end end) end'
ends "a coroutine that loops" "$more" "${few[@]}" <<<'coroutine.wrap(function() while true do end end)()'
ends "coroutines without end" "$more" "${few[@]}" \
  <<<'while true do coroutine.resume(coroutine.create(function() for i = 1, 900 do end end)) end'
ends "coroutines that catch errors" "$more" "${few[@]}" \
  <<<'while true do pcall(coroutine.wrap(function() while true do pcall(error) end end)) end'
ends "closing a coroutine" "$more" "${few[@]}" <<<'local co = coroutine.create(function()
  local x <close> = setmetatable({}, { __close = function() while true do end end }) while true do end end)
while true do coroutine.resume(co) coroutine.close(co) end'
ends "closing a wrapped coroutine" "$more" "${few[@]}" <<<'coroutine.wrap(function()
  local x <close> = setmetatable({}, { __close = function() while true do end end }) while true do end end)()'
ends "an error whose text loops" "$more" "${few[@]}" \
  <<<'error(setmetatable({}, { __tostring = function() while true do end end }))'
ends "recursion" "stack overflow" <<<'local function f() return 1 + f() end f()'
ends "a slow pattern" "$more" "${few[@]}" <<<'(("a"):rep(50000)):find(".-.-.-.-.-b")'
ends "a slow pattern that is caught" "$more" "${few[@]}" \
  <<<'while true do pcall(string.match, ("a"):rep(50000), "(.-)(.-)(.-)b") end'
ends "a callback of gsub" "$more" "${few[@]}" <<<'("x"):gsub(".", function() while true do end end)'
ends "an iterator of gmatch" "$more" "${few[@]}" <<<'for _ in ("a"):rep(50000):gmatch "a-a-a-b" do end'
ends "an empty text many times" "$more" "${few[@]}" <<<'("") :rep(1 << 60)'
ends "moving nothing" "$more" "${few[@]}" <<<'table.move({}, 1, math.maxinteger - 1, 2)'
ends "inserting into a long proxy" "with __len to functions of table" "${few[@]}" \
  <<<'table.insert(setmetatable({}, { __len = function() return 1 << 50 end, __newindex = rawlen }), 1, 1)'
ends "sorting a long proxy" "with __len to functions of table" "${few[@]}" \
  <<<'table.sort(setmetatable({}, { __len = function() return 1 << 30 end, __index = rawlen, __newindex = rawlen }))'
ends "a length that changes" "with __len to functions of table" "${few[@]}" <<'TEXT'
local calls = 0
table.insert(setmetatable({}, { __len = function() calls = calls + 1 return calls > 1 and 1 << 50 or 0 end }), 1, 1)
TEXT
ends "an endless concatenation" "$more" "${few[@]}" <<<'table.concat(setmetatable({}, { __index = rawlen }), "", 1, 1 << 50)'
ends "closing without end" "$more" "${few[@]}" \
  <<<'local x <close> = setmetatable({}, { __close = function() while true do end end }) while true do end'
ends "an endless reference" "$more" "${few[@]}" <<<"${pendulum%local result*}
vida.compare { system = system, time = 0.1, reference = function() while true do end end,
  methods = { { 'rattle', h = 0.05 } } }:run()"

small=(--script-memory 16)
memory="the script needs more than 16 MiB of memory; --script-memory MIB allows more"
refill='local t = {} while true do t[#t + 1] = ("x"):rep(1000) .. #t end'
# Nothing is left for the line when memory has run out.
for attack in "$refill" 'local s = "x" while true do s = s .. s end' 'return ("x"):rep(1 << 30)' \
  'return ("%99d"):rep(1 << 20):format(table.unpack({}, 1, 9))' \
  'return table.concat({ ("x"):rep(9e6), ("y"):rep(9e6) })' 'return ("x"):rep(1e6):gsub("x", ("y"):rep(1000))' \
  'local t = {} for i = 1, 1e9 do t[i] = {} end' 'return coroutine.wrap(function() return ("x"):rep(1 << 30) end)()'; do
  attacks=$((attacks + 1))
  script attack <<<"$attack"
  expect 1 run "$work/attack.lua" "${small[@]}"
  grep -q -F -e "$memory" -e "bad argument" "$work/err" || complain "$attack: $(cat "$work/err")"
done
ends "memory that is caught" "$memory" "${small[@]}" <<<"while true do pcall(function() $refill end) end"
((attacks >= 100)) || complain "only $attacks attacks"

# ---- the terminal -------------------------------------------------------------------------------
script terminal <<'TEXT'
print("\27]0;title\7", "\xC2\x9B2J", "tab\tand é")
io.write("\27[2J\n")
io.stderr:write("\127\n")
io.stdout:write("\27c")
TEXT
run run "$work/terminal.lua"
grep -q -P '[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]' "$work/out" "$work/err" && complain "control characters"
says $'tab\tand é'

# ---- what is harmless ---------------------------------------------------------------------------
mkdir -p "$work/stranger/parts"
echo 'return { name = ... }' >"$work/stranger/parts/part.lua"
cat >"$work/stranger/good.lua" <<'TEXT'
local folder = debug.traceback():match "([^%s]*)good.lua"
assert(require "helper" == 7 and require "helper" == 7 and package.loaded.helper == 7)
assert(require "parts.part".name == "parts.part")
assert(dofile(folder .. "helper.lua") == 7 and loadfile(folder .. "helper.lua")() == 7)
package.preload.mine = function(name, from) return name .. from end
assert(require "mine" == "mine:preload:")
assert(not pcall(require, "nowhere"))
for line in io.lines(folder .. "table.csv") do assert(line:match ",") end
assert(#require("vida").states(folder .. "table.csv") == 1 and #require("vida").states "table.csv" == 1)
local file <close> = assert(io.open(folder .. "table.csv", "rb"))
assert(file:read(1) == "t" and file:seek("end") == 14 and io.type(file) == "file" and not file:write "x")
assert(io.open(folder .. "nothing") == nil and not pcall(io.lines, folder .. "nothing"))
assert(io.input(file) == file and file:seek("set") == 0 and io.read "l" == "t,bob.x")
assert(os.time { year = 2000, month = 1, day = 1 } > 0 and os.clock() >= 0 and os.date "%Y" > "2000")
assert(load "return 1 + 1"() == 2 and load("return x", "x", "t", { x = 3 })() == 3)
assert(select("#", table.unpack({}, 1, 3)) == 3 and table.concat({ 1, 2 }, ",") == "1,2")
local t = { 3, 1, 2 }
table.sort(t, function(a, b) return a > b end)
table.insert(t, 1, 9)
assert(table.remove(t, 1) == 9 and t[1] == 3 and table.remove(t) == 1)
assert(coroutine.wrap(function(x) return coroutine.yield(x) end)(5) == 5)
assert(collectgarbage "count" > 0 and setmetatable({}, { __index = { y = 2 } }).y == 2)
_G.shared = 4
assert(shared == 4 and math.type(1) == "integer" and utf8.char(233) == "é")
error "good"
TEXT
expect 1 run "$work/stranger/good.lua"
says "good.lua:25: good"
rm -f "$work/results/dangling.csv"
cat >"$work/stranger/writes.lua" <<TEXT
$pendulum
local file = assert(io.open("$work/results/new/../mine.csv", "w"))
TEXT
run run "$work/stranger/writes.lua" --out "$work/results" # a folder that is not there
cat >"$work/stranger/writes.lua" <<TEXT
$pendulum
local file = assert(io.open("$work/fresh/mine.csv", "w"))
assert(file:write("t,x\n", 1, "\n"))
assert(file:close())
assert(io.open("$work/fresh/mine.csv"):read "a" == "t,x\n1\n")
comparison:run { out = "$work/fresh", report = "$work/fresh/page.html", quiet = true }
return comparison
TEXT
expect 0 run "$work/stranger/writes.lua" --out "$work/fresh"
[[ -s $work/fresh/mine.csv && -s $work/fresh/page.html && -s $work/fresh/comparison.csv ]] || complain "not written"

# With --trust everything is as in Lua.
script trusted <<TEXT
os.execute("touch $effect")
setmetatable({}, { __gc = print })
assert(debug.getregistry() and package.cpath and io.open("$work/outside/secret.csv") and os.getenv "PATH")
$pendulum
TEXT
expect 0 run "$work/trusted.lua" --trust
[[ -e $effect ]] || complain "--trust did not run the command"
rm -f "$effect"
for command in check advise "run --settings"; do
  # shellcheck disable=SC2086
  expect 1 $command "$work/trusted.lua"
  says "os.execute $advice"
done
expect 2 run "$work/trusted.lua" --script-memory 0
says "--script-memory: expected a number of at least 1, got '0'"
expect 2 check "$work/trusted.lua" --script-instructions many
says "vida check: --script-instructions: expected a number"

# ---- patterns: as in a stock Lua ----------------------------------------------------------------
script patterns <<'TEXT'
local state = 1
local function random(n)
  state = (state * 1103515245 + 12345) % 2147483648
  return state // 65536 % n + 1
end
local items = { "a", "b", ".", "%a", "%A", "%d", "%s", "%w", "[ab]", "[^a]", "[%a_]", "[]]", "[a-c%d]", "[^%s-]", "%%", "(",
  ")", "()", "%1", "%2", "%b()", "%f[%w]", "%f[^a]", "^", "$", "[", "%", "-", "*", "%f", "%bx", "x", "\0", "%g" }
local suffixes = { "", "", "", "*", "+", "-", "?" }
local letters = { "a", "b", "c", "(", ")", " ", "1", "x", "_", "%", "\0", "-", "]" }
local results = {}
local function note(...)
  local words = table.pack(...)
  for i = 1, words.n do
    results[#results + 1] = tostring(words[i]):gsub("^[^:]*:%d+: ", ""):gsub("%c", "?")
  end
end
for _ = 1, 4000 do
  local pattern, text = {}, {}
  for k = 1, random(5) do
    pattern[k] = items[random(#items)] .. suffixes[random(#suffixes)]
  end
  for k = 1, random(12) do
    text[k] = letters[random(#letters)]
  end
  pattern, text = table.concat(pattern), table.concat(text)
  local init = random(20) - 8
  note(pcall(string.find, text, pattern, init, random(9) == 1))
  note(pcall(string.match, text, pattern, init))
  note(pcall(function()
    local found = {}
    for first, second in text:gmatch(pattern, init) do
      found[#found + 1] = tostring(first) .. "," .. tostring(second)
    end
    return table.concat(found, ";")
  end))
  note(pcall(string.gsub, text, pattern, "<%0%1>", random(3)))
  note(pcall(string.gsub, text, pattern, { a = "A", b = false, x = 1 }))
  note(pcall(string.gsub, text, pattern, function(x) return type(x) == "string" and x .. x or nil end))
end
local sum = 0
for i, word in ipairs(results) do
  for k = 1, #word do
    sum = (sum * 31 + word:byte(k) + i) % 1000000007
  end
end
io.stdout:write(#results, " ", sum, "\n")
TEXT
run run "$work/patterns.lua"
"${lua[@]}" "$work/patterns.lua" >"$work/expected" || complain "the patterns fail in a stock Lua"
cmp -s "$work/out" "$work/expected" || complain "patterns: $(cat "$work/out") instead of $(cat "$work/expected")"

finish
