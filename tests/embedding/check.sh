#!/usr/bin/env bash
# Installs a build, moves it, and uses it as a stranger would: with find_package (shared and static),
# with pkg-config (shared and static), with FetchContent, and from a stock Lua. All programs
# must print the same.
# usage: check.sh BUILD SCRATCH
set -euo pipefail

here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
source=$(cd -- "$here/../.." && pwd -P)
build=$(cd -- "$1" && pwd -P)
scratch=$2

fail() {
  echo "FAULT: $*"
  exit 1
}

# Outputs of runs are compared with the first one.
compare() {
  local name=$1 program=$2
  "$program" >"$scratch/$name.txt" || fail "$name: the program failed"
  if [[ ! -f $scratch/expected.txt ]]; then
    cp "$scratch/$name.txt" "$scratch/expected.txt"
    cat "$scratch/expected.txt"
  fi
  cmp "$scratch/expected.txt" "$scratch/$name.txt" || fail "$name prints something else"
  echo "$name: ok"
}

rm -rf "$scratch"
mkdir -p "$scratch"
scratch=$(cd -- "$scratch" && pwd -P)
cmake --install "$build" --prefix "$scratch/first" >"$scratch/install.log"
mv "$scratch/first" "$scratch/prefix"
prefix=$scratch/prefix
pkgconfig=$(dirname -- "$(find "$prefix" -name vida.pc)")
libdir=$(dirname -- "$pkgconfig")
export PKG_CONFIG_PATH=$pkgconfig
sundials_dir=$(sed -n 's/^SUNDIALS_DIR:PATH=//p' "$build/CMakeCache.txt") # .../lib/cmake/sundials
sundials_libdir=$(cd -- "$sundials_dir/../.." && pwd -P)
# Headers of SUNDIALS; a system folder named twice would break the headers of C++.
include_sundials=()
for place in "$sundials_libdir"/../include "$sundials_libdir"/../../include; do
  [[ -f $place/sundials/sundials_types.h ]] || continue
  place=$(cd -- "$place" && pwd -P)
  [[ $place == /usr/include ]] || include_sundials=(-isystem "$place")
done
places="$prefix;$(dirname -- "$sundials_libdir")" # where CMake looks first
run_path=-Wl,-rpath,$sundials_libdir # of programs that link SUNDIALS themselves

# ---- what is in it -------------------------------------------------------------------------------
if grep -rlF "$scratch/first" "$prefix"; then
  fail "these files hold the place they were first installed in"
fi
if grep -rlIF -e "$source/plugin" -e "$build/" "$prefix"; then
  fail "these files hold the place of the sources"
fi
# A library exports the functions that its headers declare, and nothing else.
declared() {
  printf '#include <%s>\n' "$@" | cc -std=c11 -E -I"$prefix/include" "${include_sundials[@]}" -x c - |
    grep -v '^#' | grep -oE '\bVida[A-Za-z]*_[A-Za-z0-9]+ *\(' | tr -d ' (' | sort -u
}
exported() {
  nm -D --defined-only "$1" | awk '{ print $3 }' | sort -u
}
declared vida/vida.h vida/sundials.h >"$scratch/declared.txt"
(($(wc -l <"$scratch/declared.txt") > 300)) || fail "too few functions were found in the headers"
exported "$libdir/libvida.so" | diff "$scratch/declared.txt" - ||
  fail "libvida.so: declared (<) and exported (>) functions differ"
# Each header compiles alone; those of SUNDIALS need C++14. Headers of macros alone get a declaration.
alone() {
  local compiler=$1 language=$2 standard=$3 header=$4
  printf '#include <vida/%s>\nextern int included;\n' "$(basename -- "$header")" |
    "$compiler" "-std=$standard" -Wall -Wextra -Wpedantic -Wconversion -Wundef -Wshadow -Werror \
      -I"$prefix/include" "${include_sundials[@]}" -fsyntax-only -x "$language" - ||
    fail "$header cannot be included alone ($standard)"
}
for header in "$prefix"/include/vida/*.h; do
  for standard in c99 c11 c17; do
    alone cc c "$standard" "$header"
  done
  if command -v c++ >/dev/null; then
    [[ $header == */sundials.h ]] || alone c++ c++ c++11 "$header"
    for standard in c++14 c++20; do
      alone c++ c++ "$standard" "$header"
    done
  fi
done
rockspecs=("$source"/plugin/package/vida-"$(pkg-config --modversion vida)"-*.rockspec)
[[ -f ${rockspecs[0]} ]] || fail "there is no rockspec of this version"
echo "contents: ok"

# ---- the program -----------------------------------------------------------------------------------
for static in OFF ON; do
  name=find_package_static_$static
  cmake -S "$here" -B "$scratch/$name" -DCMAKE_PREFIX_PATH="$places" -DCMAKE_BUILD_TYPE=Release \
    -DSTATIC=$static >"$scratch/$name.log"
  cmake --build "$scratch/$name" >>"$scratch/$name.log"
  compare "$name" "$scratch/$name/pendulum"
done

mkdir "$scratch/pkg-config"
cp "$here/pendulum.c" "$here/Makefile" "$scratch/pkg-config"
make -C "$scratch/pkg-config" pendulum >"$scratch/pkg-config.log"
compare pkg-config "$scratch/pkg-config/pendulum"

# shellcheck disable=SC2046 # words
cc -std=c11 -O2 $(pkg-config --cflags vida) -o "$scratch/pendulum_static" "$here/pendulum.c" \
  $(pkg-config --static --libs vida | sed 's/-lvida/-l:libvida.a/') "$run_path"
if ldd "$scratch/pendulum_static" | grep -q libvida; then
  fail "the program was to be linked with libvida.a"
fi
compare pkg-config_static "$scratch/pendulum_static"

# A plug-in, linked with the library or not, in a program that has the shared or the static one.
warnings=(-Wall -Wextra -Wpedantic -Werror)
# shellcheck disable=SC2046 # words
{
  cc -std=c11 -O2 "${warnings[@]}" -shared -fPIC $(pkg-config --cflags vida) \
    -o "$scratch/libstormer.so" "$here/stormer.c" -lm
  cc -std=c11 -O2 "${warnings[@]}" -shared -fPIC $(pkg-config --cflags vida) \
    -o "$scratch/libstormer_linked.so" "$here/stormer.c" $(pkg-config --libs vida) \
    "-Wl,-rpath,$libdir" -Wl,--no-as-needed -lm
  cc -std=c11 -O2 "${warnings[@]}" $(pkg-config --cflags vida) -o "$scratch/plugin_host" \
    "$here/plugin_host.c" $(pkg-config --libs vida) "-Wl,-rpath,$libdir" -lm
  cc -std=c11 -O2 "${warnings[@]}" -rdynamic $(pkg-config --cflags vida) \
    -o "$scratch/plugin_host_static" "$here/plugin_host.c" -Wl,--whole-archive -l:libvida.a \
    -Wl,--no-whole-archive $(pkg-config --static --libs vida | sed 's/-lvida/-l:libvida.a/') \
    "$run_path"
}
for host in plugin_host plugin_host_static; do
  for plugin in libstormer libstormer_linked; do
    "$scratch/$host" "$scratch/$plugin.so" || fail "$host with $plugin"
  done
done
echo "plug-in: ok"

# ---- bodies and joints in C, a comparison and its page ----------------------------------------------
# shellcheck disable=SC2046 # words
cc -std=c11 -O2 "${warnings[@]}" $(pkg-config --cflags vida) -o "$scratch/six_bar" "$here/six_bar.c" \
  $(pkg-config --libs vida) "-Wl,-rpath,$libdir" -lm
"$scratch/six_bar" "$scratch" >"$scratch/six_bar.txt" || fail "six_bar: not what theory promises"
grep -q "six-bar linkage" "$scratch/six_bar.html" || fail "six_bar wrote no page"
echo "six-bar linkage: ok"

# ---- programs on SUNDIALS --------------------------------------------------------------------------
libraries=(-L"$sundials_libdir" "$run_path" -lsundials_ida -lsundials_arkode
  -lsundials_nvecserial -lsundials_sunlinsoldense -lsundials_sunmatrixdense)
[[ ! -e $sundials_libdir/libsundials_core.so ]] || libraries+=(-lsundials_core)
for program in ida_pendulum slider_crank splitting own_solver; do
  # shellcheck disable=SC2046 # words
  cc -std=c11 -O2 -Wall -Wextra -Wpedantic -Werror $(pkg-config --cflags vida) \
    "${include_sundials[@]}" -o "$scratch/$program" "$here/$program.c" \
    $(pkg-config --libs vida) "-Wl,-rpath,$libdir" "${libraries[@]}" -lm
  "$scratch/$program" >"$scratch/$program.txt" || fail "$program failed"
done
# The end state that the original program prints (idaSlCrank_dns.out of SUNDIALS), to its tolerance.
awk '$1 == "1.0000e+01" { found = 1; bad = off($2, 1.2757) || off($3, 1.0236) || off($4, -0.49881) }
     function off(x, y) { return x - y > 2e-4 || y - x > 2e-4 }
     END { exit !found || bad }' "$scratch/slider_crank.txt" || fail "slider_crank: another end state"
# The energy stays that of the start, -m g sqrt(l^2 - x^2) = -17.658 J.
awk '{ sub(/.*energy = /, ""); bad += $1 + 17.658 > 1e-4 || -17.658 - $1 > 1e-4 } END { exit bad || NR < 5 }' \
  "$scratch/ida_pendulum.txt" || fail "ida_pendulum: another energy"
grep -q -E 'order = (1\.9|2\.0)|has no SUNStepper' "$scratch/splitting.txt" || fail "splitting: order"
grep -q '^Newton matrix: 6 x 6' "$scratch/own_solver.txt" || fail "own_solver: another matrix"
cmake -S "$here" -B "$scratch/on_sundials" -DCMAKE_PREFIX_PATH="$places" \
  -DCMAKE_BUILD_TYPE=Release -DON_SUNDIALS=ON >"$scratch/on_sundials.log"
cmake --build "$scratch/on_sundials" >>"$scratch/on_sundials.log"
"$scratch/on_sundials/slider_crank" | cmp - "$scratch/slider_crank.txt" ||
  fail "slider_crank prints something else when CMake builds it"
echo "programs on SUNDIALS: ok"

# ---- scenarios from C --------------------------------------------------------------------------------
if [[ -f $libdir/libvida_lua.so ]]; then
  { declared vida/scenario.h | grep '^VidaScenario_' && echo luaopen_vida; } | sort -u >"$scratch/declared.txt"
  exported "$libdir/libvida_lua.so" | diff "$scratch/declared.txt" - ||
    fail "libvida_lua.so: declared (<) and exported (>) functions differ"
  # shellcheck disable=SC2046 # words
  cc -std=c11 -O2 "${warnings[@]}" $(pkg-config --cflags vida_lua) -o "$scratch/scenario" \
    "$here/scenario.c" $(pkg-config --libs vida_lua) "-Wl,-rpath,$libdir"
  cmake -S "$here" -B "$scratch/with_lua" -DCMAKE_PREFIX_PATH="$places" -DCMAKE_BUILD_TYPE=Release \
    -DWITH_LUA=ON >"$scratch/with_lua.log"
  cmake --build "$scratch/with_lua" --target scenario >>"$scratch/with_lua.log"
  # The table of the command, without the times and without what the command adds.
  rows() {
    awk '$1 == "rattle" || $1 == "del-midpoint" { $NF = ""; print }'
  }
  "$build/vida" run "$source/scenarios/pendulum.lua" --set time=1 --quiet 2>/dev/null |
    rows >"$scratch/rows_expected.txt"
  [[ -s $scratch/rows_expected.txt ]] || fail "no rows of the command"
  for program in scenario with_lua/scenario; do
    "$scratch/$program" "$source/scenarios/pendulum.lua" time=1 | rows >"$scratch/rows.txt" ||
      fail "$program failed"
    cmp "$scratch/rows_expected.txt" "$scratch/rows.txt" || fail "$program prints other rows"
  done
  "$scratch/scenario" "$source/scenarios/pendulum.lua" no_such_setting=1 2>"$scratch/errors.txt" &&
    fail "an unknown setting was taken"
  grep -q no_such_setting "$scratch/errors.txt" || fail "no message about an unknown setting"
  echo "scenarios from C: ok"
fi

cat >"$scratch/CMakeLists.txt" <<TEXT
cmake_minimum_required(VERSION 3.22)
project(parent LANGUAGES C)
include(FetchContent)
FetchContent_Declare(vida SOURCE_DIR $source)
FetchContent_MakeAvailable(vida) # add_subdirectory of the sources
add_executable(pendulum $here/pendulum.c)
target_link_libraries(pendulum PRIVATE vida::vida m)
TEXT
# Without optimization, which takes most of the time of a build and changes no number.
cmake -S "$scratch" -B "$scratch/subdirectory" -DCMAKE_PREFIX_PATH="$places" -DCMAKE_BUILD_TYPE=Debug \
  -DCMAKE_C_FLAGS_DEBUG="-O0" >"$scratch/subdirectory.log"
cmake --build "$scratch/subdirectory" --target pendulum --parallel 2 >>"$scratch/subdirectory.log"
compare FetchContent "$scratch/subdirectory/pendulum"

# ---- the command and the module ----------------------------------------------------------------------
if [[ -f $build/vida ]]; then
  version=$(pkg-config --modversion vida)
  "$prefix/bin/vida" --version >"$scratch/version.txt" || fail "the installed command does not run"
  grep -F "$version" "$scratch/version.txt" || fail "the command is not of version $version"
  "$prefix/bin/vida" methods >"$scratch/methods.txt" || fail "the installed command does not run"
  grep -q rattle "$scratch/methods.txt" || fail "the installed command does not know rattle"
  "$prefix/bin/vida" methods stormer --plugin "$scratch/libstormer_linked.so" \
    >"$scratch/stormer.txt" || fail "the installed command does not load a plug-in"
  grep -q "Stormer's rule" "$scratch/stormer.txt" || fail "the command does not know stormer"
  echo "command: ok"
fi
if [[ -f $build/vida.so ]]; then
  module=$prefix/lib/lua/5.4/vida.so
  { declared vida/vida.h vida/sundials.h vida/scenario.h && echo luaopen_vida; } | sort -u >"$scratch/declared.txt"
  exported "$module" | diff "$scratch/declared.txt" - ||
    fail "vida.so: declared (<) and exported (>) functions differ"
  if ldd "$module" | grep -i 'liblua'; then
    fail "vida.so must take Lua from the program that loads it"
  fi
  LUA_INIT_5_4='' LUA_CPATH_5_4="$prefix/lib/lua/5.4/?.so" \
    LUA_PATH_5_4="$prefix/share/lua/5.4/?.lua;$prefix/share/lua/5.4/?/init.lua" \
    lua5.4 -e 'assert(type(require("vida").system) ~= "nil")' || fail "a stock Lua cannot load vida"
  echo "module: ok"
fi
