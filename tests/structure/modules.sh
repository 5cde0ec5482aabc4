#!/usr/bin/env bash
# The rules that a compiler does not check:
#   - a module of plugin/ includes headers of itself and of modules above it only
#   - the folders of a module do not include headers of each other in a circle
#   - methods see the integration, and neither the frame around it nor another family of methods
#   - lua/*.c stands on the public headers and on Lua alone
#   - the library does not print, exit or abort
#   - no file but pictures has more than 800 lines, and the top level holds only what belongs there
# usage: modules.sh [TOP OF THE TREE]
set -euo pipefail
shopt -s nullglob

cd "${1:-$(dirname -- "${BASH_SOURCE[0]}")/../..}"

# From the top down; include/vida is above them all.
modules=(base expr system solve stepper methods embed study diagnose report cli)
max_lines=800
faults=0

fault() {
  echo "$*"
  faults=$((faults + 1))
}

# Lines "number:kind:header" of a file's includes; kind is < or ".
includes() {
  sed -n -E '/^[[:space:]]*#[[:space:]]*include/{=;s/^[^<"]*([<"])([^>"]*).*/\1:\2/p}' "$1" |
    paste -d: - -
}

# Whether header "$2", included with quotes by a file of module "$1", is in a module it may use.
is_above() {
  local module
  for module in "${modules[@]}"; do
    if [[ $2 == "$module"/* ]]; then
      [[ -f plugin/$2 ]]
      return
    fi
    if [[ $module == "$1" ]]; then
      break
    fi
  done
  return 1
}

check_module() {
  local module=$1 file number kind header
  while IFS= read -r file; do
    while IFS=: read -r number kind header; do
      if [[ $kind == '<' ]]; then
        case $module:$header in
          cli:lua.h | cli:lauxlib.h | cli:lualib.h) ;;
          *:lua.h | *:lauxlib.h | *:lualib.h)
            fault "$file:$number: <$header>: only lua/ and the command know Lua"
            ;;
        esac
        continue
      fi
      # The command sees the binding, base/ and the public headers.
      if [[ $module == cli ]]; then
        case $header in
          base/*) [[ -f plugin/$header ]] && continue ;;
          cli/*) [[ -f plugin/$header ]] && continue ;;
          lua/*) [[ -f $header ]] && continue ;;
          */*) ;;
          *) [[ -f plugin/cli/$header || -f lua/$header ]] && continue ;;
        esac
        fault "$file:$number: \"$header\": cli/ may use <vida/...>, base/ and the binding only"
      elif [[ $header == vida/* ]]; then
        fault "$file:$number: public headers are included as <$header>"
      elif ! is_above "$module" "$header"; then
        fault "$file:$number: \"$header\" is not in $module/ or in a module above it"
      fi
    done < <(includes "$file")
  done < <(find "plugin/$module" -name '*.[ch]' | sort)
}

# The folders of a module have an order, too. Headers of the module itself, outside of its folders, may
# include all of them.
check_circles() {
  local circle
  circle=$(grep -r -E '^#include "' plugin --include='*.[ch]' | awk -F '[/:"]' '
    { # plugin/MODULE/FOLDER/FILE:#include "MODULE/FOLDER/HEADER"
      if (NF == 9 && $6 == $2 && $7 != $3) { print $2 "/" $3, $6 "/" $7 }
    }' | tsort 2>&1 >/dev/null) ||
    fault "folders include headers of each other in a circle: ${circle//$'\n'/ }"
}

# Methods see the integration, not the frame around it, and no other family of methods.
check_methods() {
  local file number kind header family
  while IFS= read -r file; do
    family=$(dirname -- "${file#plugin/methods/}")
    while IFS=: read -r number kind header; do
      case $header in
        stepper/integration.h | stepper/method_options.h | stepper/nested.h | stepper/stages.h) ;;
        stepper/registry.h) [[ $family == . ]] ||
          fault "$file:$number: \"$header\": methods do not see the registry" ;;
        stepper/*) fault "$file:$number: \"$header\": methods do not see the frame" ;;
        methods/"$family"/*) ;;
        methods/*) fault "$file:$number: \"$header\" is of another family of methods" ;;
      esac
    done < <(includes "$file")
  done < <(find plugin/methods -name '*.[ch]' | sort)
}

check_public() {
  local file number kind header
  for file in plugin/include/vida/*.h; do
    while IFS=: read -r number kind header; do
      if [[ $kind != '<' ]]; then
        fault "$file:$number: \"$header\": public headers include only <vida/...> and C headers"
      elif [[ $header == vida/* && ! -f plugin/include/$header ]]; then
        fault "$file:$number: <$header>: there is no such public header"
      elif [[ $header == */* && $header != vida/* ]] &&
        [[ $file != plugin/include/vida/sundials.h || $header != sundials/* ]]; then
        fault "$file:$number: <$header>: public headers include only <vida/...> and C headers"
      fi
    done < <(includes "$file")
  done
}

check_binding() {
  local file number kind header
  for file in lua/*.[ch]; do
    while IFS=: read -r number kind header; do
      if [[ $kind == '<' ]]; then
        if [[ $header == */* && $header != vida/* && $header != sys/* ]]; then
          fault "$file:$number: <$header>: the binding stands on <vida/...>, Lua and C alone"
        fi
      elif [[ $header == */* || ! -f lua/$header ]]; then
        fault "$file:$number: \"$header\": the binding stands on <vida/...>, Lua and C alone"
      fi
    done < <(includes "$file")
  done
}

# The text of C files without comments, strings and characters, line by line after FILE:NUMBER:.
bare_code() {
  awk '
    FNR == 1 { comment = 0 }
    {
      line = $0
      out = ""
      while (line != "") {
        if (comment) {
          at = index(line, "*/")
          if (at == 0) { line = ""; break }
          line = substr(line, at + 2)
          comment = 0
          continue
        }
        if (match(line, /^"([^"\\]|\\.)*"/) || match(line, /^\047([^\047\\]|\\.)*\047/)) {
          line = substr(line, RLENGTH + 1)
          out = out "\"\""
          continue
        }
        two = substr(line, 1, 2)
        if (two == "//") { line = ""; break }
        if (two == "/*") { comment = 1; line = substr(line, 3); continue }
        if (match(line, /^[^"\047\/]+/)) {
          out = out substr(line, 1, RLENGTH)
          line = substr(line, RLENGTH + 1)
        } else {
          out = out substr(line, 1, 1)
          line = substr(line, 2)
        }
      }
      print FILENAME ":" FNR ":" out
    }' "$@"
}

# The command prints; lua/progress.c draws on a terminal while a comparison runs; lua/script.c and, for a sandbox,
# lua/sandbox_files.c have the print of scripts.
check_silence() {
  local files hit
  local calls='(v?printf|puts|putchar|perror|exit|_exit|_Exit|quick_exit|abort)[[:space:]]*\('
  mapfile -t files < <(find plugin lua -name '*.[ch]' ! -path 'plugin/cli/*' ! -path lua/progress.c \
    ! -path lua/script.c ! -path lua/sandbox_files.c | sort)
  while IFS= read -r hit; do
    fault "$hit: the library never prints, exits or aborts"
  done < <(bare_code "${files[@]}" |
    grep -E "^[^:]*:[0-9]+:(.*[^A-Za-z0-9_.>])?($calls|std(out|err)([^A-Za-z0-9_]|$))")
}

check_sizes() {
  local file lines
  while IFS= read -r -d '' file; do
    lines=$(wc -l <"$file")
    if ((lines > max_lines)); then
      fault "$file has $lines lines; at most $max_lines are allowed"
    fi
  done < <(find plugin lua tests scenarios -name '*.tmp' -prune -o -type f ! -name '*.svg' -print0)
}

check_places() {
  local entry module known
  for entry in *; do
    case $entry in
      plugin | lua | scenarios | tests) ;;
      CMakeLists.txt | README.md | CMakePresets.json | LICENSE | CHANGELOG.md) ;;
      *) fault "$entry does not belong at the top level" ;;
    esac
  done
  for entry in plugin/*/; do
    module=$(basename "$entry")
    known=" include package guide ${modules[*]} "
    if [[ $known != *" $module "* ]]; then
      fault "plugin/$module is not a module"
    fi
  done
}

check_public
for module in "${modules[@]}"; do
  check_module "$module"
done
check_circles
check_methods
check_binding
check_silence
check_sizes
check_places

if ((faults > 0)); then
  echo "$faults faults"
  exit 1
fi
echo "the modules are in order"
