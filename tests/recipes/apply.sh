#!/usr/bin/env bash
# Does the recipes of plugin/guide/extending.md in a copy of the sources: every place that they name, and
# no other one. A place that is no longer there is a fault.
# usage: apply.sh COPY
set -euo pipefail
copy=$1
recipes=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)

# insert before|after FILE LINE: puts the standard input beside the one line of a file that begins with
# LINE.
insert() {
  local file=$copy/$2 text
  text=$(cat)
  if ! TEXT=$text awk -v side="$1" -v line="$3" '
      index($0, line) == 1 {
        found++
        print side == "before" ? ENVIRON["TEXT"] "\n" $0 : $0 "\n" ENVIRON["TEXT"]
        next
      }
      { print }
      END { exit found != 1 }' "$file" >"$file.new"; then
    echo "$2 has not one line that begins with '$3'" >&2
    exit 1
  fi
  mv "$file.new" "$file"
}

# ---- a method: its file, and one row of the list --------------------------------------------------
cp "$recipes/kick_drift.c" "$copy/plugin/methods/textbook/"
insert before plugin/methods/built_in.c '  X(symplectic_euler) ' <<<'  X(kick_drift) \'

# ---- a term: its kernel with the function that adds instances, and the prototype -------------------
cp "$recipes/quartic.c" "$copy/plugin/system/terms/"
insert before plugin/include/vida/system.h 'VIDA_API int VidaSystem_AddSpring(' <<'TEXT'
VIDA_API int VidaSystem_AddQuartic(VidaSystem* system, const char* name, int coordinate,
                                   double stiffness, VidaError* error);
TEXT

# ---- a joint: its kind, its rows, one row of the table, and its function in Lua --------------------
insert before plugin/include/vida/joints.h '  VIDA_JOINT_WELD ' <<'TEXT'
  VIDA_JOINT_PLANAR, /* in space: "along", "tilt 1", "tilt 2" */
TEXT
insert before plugin/system/mechanics/joint.c 'static int weld_rows(' <<'TEXT'
static int planar_rows(vida_trace* trace, vida_trace_row* rows) {
  rows[0] = (vida_trace_row){"along", "m", along_first(trace, "a3", vida__trace_distance_vector(trace))};
  return 1 + add_tilt(trace, rows + 1);
}

TEXT
insert before plugin/system/mechanics/joint.c '    [VIDA_JOINT_WELD]' <<'TEXT'
    [VIDA_JOINT_PLANAR] = {"planar", false, {.constraint = planar_rows}},
TEXT
insert before lua/library/joints.lua '--- Fixes the second body to the first' <<'TEXT'
--- A planar joint, in space: the second body slides across the axis and turns about it.
-- @function planar
function system_methods.planar(system, given)
  add_oriented(system, "planar", given, false)
end

TEXT

# ---- a column: one row of the list, and the line that measures it ----------------------------------
insert before plugin/include/vida/columns.h '  X(work, REAL' <<'TEXT'
  X(energy_start, REAL, "", ENERGY, ENERGY, "start energy", 6, "", 0, "energy at the start") \
TEXT
insert after plugin/study/measure/monitors.c '    row->energy_change = ' <<'TEXT'
    row->energy_start = monitors->energy_start;
TEXT

# ---- an integrator: one row of the list ------------------------------------------------------------
insert before plugin/solve/butcher_tables.h '  X(CASH_KARP' <<'TEXT'
  X(SAYFY_ABURUB, "sayfy-aburub", erkstep, 4, 3, ARKODE_SAYFY_ABURUB_6_3_4, "") \
TEXT

# ---- a sub-command: its file, and one row of the list ----------------------------------------------
cp "$recipes/columns.c" "$copy/plugin/cli/"
insert before plugin/cli/commands.h '  X(new) ' <<<'  X(columns) \'
