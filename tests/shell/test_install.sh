#!/usr/bin/env bash
# Installing after only the command has been built, as scenarios/run does it: what is missing is built.
# Without optimization, which takes most of the time of a build.
# shellcheck source-path=SCRIPTDIR source=support.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/support.sh"

if [[ -n ${VIDA_SANITIZED-} ]]; then
  echo "skipped: what is installed is built without sanitizers"
  exit 77
fi

: "${BUILD:?the folder of the build}"
prefix_path=$(sed -n 's/^SUNDIALS_DIR:PATH=//p' "$BUILD/CMakeCache.txt")
cmake -S "$SOURCE" -B "$work/build" -DCMAKE_BUILD_TYPE=Debug -DVIDA_TESTS=OFF \
  -DSUNDIALS_DIR="$prefix_path" >"$work/log" 2>&1 || complain "cmake fails: $(tail -n 5 "$work/log")"
cmake --build "$work/build" --parallel 2 --target vida_command >"$work/log" 2>&1 ||
  complain "the build fails: $(tail -n 5 "$work/log")"
[[ ! -e $work/build/libvida.so ]] || complain "the shared library was built without being asked for"
cmake --install "$work/build" --prefix "$work/prefix" >"$work/log" 2>&1 ||
  complain "the installation fails: $(tail -n 5 "$work/log")"
for file in bin/vida lib/lua/5.4/vida.so include/vida/vida.h share/vida/scenarios/pendulum.lua; do
  [[ -e $work/prefix/$file ]] || complain "there is no $file in the prefix"
done
for file in libvida.so libvida.a vida.pc vidaConfig.cmake; do
  [[ -n $(find "$work/prefix" -name "$file") ]] || complain "there is no $file in the prefix"
done
"$work/prefix/bin/vida" --version >"$work/out" 2>&1 || complain "the installed command does not run"
cmake --install "$work/build" --prefix "$work/again" >"$work/log" 2>&1
grep -q "Building" "$work/log" && complain "a finished build was built again"

finish
