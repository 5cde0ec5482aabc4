#!/usr/bin/env bash
# Every public function that takes a pointer is tried with NULL in one of tests/*/test_null*.c.
set -euo pipefail
cd "$(dirname -- "${BASH_SOURCE[0]}")/../.."
faults=0
# Prototypes without comments, one a line.
names=$(cat plugin/include/vida/*.h | sed 's|/\*.*\*/||' |
  sed '/\/\*/,/\*\//d' | tr '\n' ' ' | tr ';{}' '\n\n\n' |
  grep -oE '\bVida[A-Za-z]*_[A-Za-z]+\([^()]*(\([^()]*\)[^()]*)*\*' | sed 's/(.*//' | sort -u)
for name in $names; do
  if ! grep -q -w "$name" tests/*/test_null*.c; then
    echo "$name: no test calls it with NULL (tests/*/test_null*.c)"
    faults=$((faults + 1))
  fi
done
(($(wc -w <<<"$names") > 100)) || { echo "only $(wc -w <<<"$names") public functions were found"; exit 1; }
((faults == 0)) || exit 1
echo ok
