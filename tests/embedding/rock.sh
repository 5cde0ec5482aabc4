#!/usr/bin/env bash
# Builds the Lua module with LuaRocks from a copy of the sources, and loads it with a stock Lua. A
# command of its own: it compiles the whole library.
# usage: rock.sh SCRATCH
set -euo pipefail

source=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd -P)
scratch=$1
rm -rf "$scratch"
mkdir -p "$scratch/sources"
scratch=$(cd -- "$scratch" && pwd -P)
git -C "$source" ls-files --cached --others --exclude-standard -z |
  tar -C "$source" -cf - --null -T - | tar -C "$scratch/sources" -xf -
rockspec=$(cd -- "$source" && echo plugin/package/vida-*.rockspec)
(cd "$scratch/sources" && luarocks --lua-version 5.4 --tree "$scratch/tree" make "$rockspec") \
  >"$scratch/luarocks.log" 2>&1 || {
  cat "$scratch/luarocks.log"
  exit 1
}
version=$(LUA_CPATH_5_4="$scratch/tree/lib/lua/5.4/?.so" \
  lua5.4 -e 'local vida = require "vida"; assert(#vida.methods() > 0); io.write(vida.version)')
[[ $rockspec == *"/vida-$version-"* ]] || {
  echo "FAULT: $rockspec built version $version"
  exit 1
}
echo "rock of version $version: ok"
