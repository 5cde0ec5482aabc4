#!/usr/bin/env bash
# The recipes of plugin/guide/extending.md for a method and a term, done in a copy of the sources: every
# place that they name, and no other one. The method passes the audit, the term the check of derivatives.
# shellcheck source-path=SCRIPTDIR source=support.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/support.sh"

if [[ -n ${VIDA_SANITIZED-} ]]; then
  echo "skipped: the copy is built without sanitizers"
  exit 77
fi
: "${BUILD:?the folder of the build}"
copy=$work/copy
mkdir "$copy"
cp -r "$SOURCE"/{plugin,lua,scenarios,CMakeLists.txt,CMakePresets.json,LICENSE,README.md} "$copy"

# A method: its file, and one line of the list.
cp "$SOURCE/tests/recipes/kick_drift.c" "$copy/plugin/methods/textbook/"
sed -i 's/^\( *X(symplectic_euler)\) *\\$/  X(kick_drift) \\\n\1 \\/' "$copy/plugin/methods/registry.c"
# A term: its kernel with the function that adds instances, and the prototype.
cp "$SOURCE/tests/recipes/quartic.c" "$copy/plugin/system/terms/"
sed -i 's/^int VidaSystem_AddSpring(/int VidaSystem_AddQuartic(VidaSystem* system, const char* name, int coordinate,\n                          double stiffness, VidaError* error);\n&/' \
  "$copy/plugin/include/vida/system.h"

prefix_path=$(sed -n 's/^SUNDIALS_DIR:PATH=//p' "$BUILD/CMakeCache.txt")
cmake -S "$copy" -B "$work/build" -DCMAKE_BUILD_TYPE=Debug -DVIDA_TESTS=OFF \
  -DSUNDIALS_DIR="$prefix_path" >"$work/log" 2>&1 || complain "cmake fails: $(tail -n 5 "$work/log")"
cmake --build "$work/build" --parallel 2 --target vida_command vida_shared >"$work/log" 2>&1 ||
  complain "the build fails: $(grep -m 5 -E 'error|warning' "$work/log")"
"$work/build/vida" audit kick-drift >"$work/out" 2>&1 ||
  complain "the audit fails: $(tail -n 20 "$work/out")"
grep -q "all claims are true" "$work/out" || complain "the audit does not say that all claims are true"
"$work/build/vida" methods >"$work/out"
grep -q kick-drift "$work/out" || complain "the method is not listed"
cc -std=c11 -Wall -Wextra -I"$copy/plugin/include" -o "$work/check" "$SOURCE/tests/recipes/check.c" \
  -L"$work/build" -lvida -lm "-Wl,-rpath,$work/build" || complain "the program does not build"
"$work/check" || complain "the term or the method fails"

finish
