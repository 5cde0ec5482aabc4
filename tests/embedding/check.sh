#!/usr/bin/env bash
# Installs a build, moves it, and uses it as a stranger would: with find_package (shared and static),
# with pkg-config (shared and static), with add_subdirectory, and from a stock Lua. All programs
# must print the same.
# usage: check.sh BUILD SCRATCH
set -euo pipefail

here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
source=$(cd -- "$here/../.." && pwd -P)
build=$1
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

# ---- what is in it -------------------------------------------------------------------------------
if grep -rlF "$scratch/first" "$prefix"; then
  fail "these files hold the place they were first installed in"
fi
if grep -rlIF -e "$source/plugin" -e "$build/" "$prefix"; then
  fail "these files hold the place of the sources"
fi
if nm -D --defined-only "$libdir/libvida.so" | awk '{print $3}' | grep -v '^Vida'; then
  fail "libvida.so exports these names besides Vida*"
fi
for header in "$prefix"/include/vida/*.h; do
  for standard in c11 c99; do
    echo "#include <vida/$(basename -- "$header")>" |
      cc "-std=$standard" -Wall -Wextra -Wpedantic -Werror -I"$prefix/include" -fsyntax-only -x c - ||
      fail "$header cannot be included alone ($standard)"
  done
  if command -v c++ >/dev/null; then
    echo "#include <vida/$(basename -- "$header")>" |
      c++ -std=c++11 -Wall -Wextra -Wpedantic -Werror -I"$prefix/include" -fsyntax-only -x c++ - ||
      fail "$header cannot be included from C++"
  fi
done
echo "contents: ok"

# ---- the program -----------------------------------------------------------------------------------
for static in OFF ON; do
  name=find_package_static_$static
  cmake -S "$here" -B "$scratch/$name" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_BUILD_TYPE=Release \
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
  $(pkg-config --static --libs vida | sed 's/-lvida/-l:libvida.a/')
if ldd "$scratch/pendulum_static" | grep -q libvida; then
  fail "the program was to be linked with libvida.a"
fi
compare pkg-config_static "$scratch/pendulum_static"

# shellcheck disable=SC2046 # words
cc -std=c11 -O2 -Wall -Wextra -Wpedantic -Werror $(pkg-config --cflags vida) -o "$scratch/stormer" \
  "$here/stormer.c" $(pkg-config --libs vida) "-Wl,-rpath,$libdir" -lm
"$scratch/stormer" || fail "a method written with the public headers alone"
echo "own method: ok"

cat >"$scratch/CMakeLists.txt" <<TEXT
cmake_minimum_required(VERSION 3.22)
project(parent LANGUAGES C)
add_subdirectory($source vida)
add_executable(pendulum $here/pendulum.c)
target_link_libraries(pendulum PRIVATE vida::vida m)
TEXT
cmake -S "$scratch" -B "$scratch/subdirectory" -DCMAKE_BUILD_TYPE=Release \
  -DCMAKE_C_FLAGS_RELEASE="-O2" >"$scratch/subdirectory.log"
cmake --build "$scratch/subdirectory" --target pendulum --parallel 2 >>"$scratch/subdirectory.log"
compare add_subdirectory "$scratch/subdirectory/pendulum"

# ---- the command and the module ----------------------------------------------------------------------
if [[ -f $build/vida ]]; then
  version=$(pkg-config --modversion vida)
  "$prefix/bin/vida" --version >"$scratch/version.txt" || fail "the installed command does not run"
  grep -F "$version" "$scratch/version.txt" || fail "the command is not of version $version"
  "$prefix/bin/vida" methods >"$scratch/methods.txt" || fail "the installed command does not run"
  grep -q rattle "$scratch/methods.txt" || fail "the installed command does not know rattle"
  echo "command: ok"
fi
if [[ -f $build/vida.so ]]; then
  module=$prefix/lib/lua/5.4/vida.so
  if nm -D --defined-only "$module" | awk '{print $3}' | grep -v '^luaopen_'; then
    fail "vida.so exports these names besides luaopen_*"
  fi
  if ldd "$module" | grep -i 'liblua'; then
    fail "vida.so must take Lua from the program that loads it"
  fi
  LUA_INIT_5_4='' LUA_CPATH_5_4="$prefix/lib/lua/5.4/?.so" \
    LUA_PATH_5_4="$prefix/share/lua/5.4/?.lua;$prefix/share/lua/5.4/?/init.lua" \
    lua5.4 -e 'assert(type(require("vida").system) ~= "nil")' || fail "a stock Lua cannot load vida"
  echo "module: ok"
fi
