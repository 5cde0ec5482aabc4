#!/usr/bin/env bash
# Every public function is called with arguments that are not all NULL: by a test in C, by an example, by
# the Lua binding, which the Lua tests run, or by the command, which the shell tests run.
set -euo pipefail
cd "${1:-$(dirname -- "${BASH_SOURCE[0]}")/../..}"
called() {
  find tests lua plugin/cli -name '*.[ch]' ! -name 'test_null*.c' -exec \
    grep -h -o -E '\bVida[A-Za-z]*_[A-Za-z0-9]+\b' {} + | sort -u
}
# Prototypes without comments.
names=$(cat plugin/include/vida/*.h | sed 's|/\*.*\*/||' | sed '/\/\*/,/\*\//d' |
  grep -oE '\bVida[A-Za-z]*_[A-Za-z0-9]+\(' | tr -d '(' | sort -u)
(($(wc -w <<<"$names") > 300)) || { echo "only $(wc -w <<<"$names") public functions were found"; exit 1; }
left=$(comm -23 <(echo "$names") <(called))
if [[ -n $left ]]; then
  echo "no test, example or command calls these functions:"
  echo "$left"
  exit 1
fi
echo ok
