#include "system/sizes.h"

#include <math.h>
#include <string.h>

int vida__unit_slot(vida_unit_sizes* sizes, const char* unit, bool* is_new) {
  for (int i = 0; i < sizes->count && i < VIDA_REMEMBERED_UNITS; i++) {
    if (strcmp(unit, sizes->unit[i]) == 0) {
      *is_new = false;
      return i;
    }
  }
  const int at = sizes->count++ % VIDA_REMEMBERED_UNITS;
  sizes->unit[at] = unit;
  sizes->largest[at] = 0.0;
  *is_new = true;
  return at;
}

/* Entries are sorted by row. */
void vida__add_row_sizes(const VidaSystem* system, const double* entries, const double* x,
                         double* floor) {
  const vida_jacobian_entry* entry = system->entries;
  for (int e = 0; e < system->entry_count;) {
    const int row = entry[e].row;
    vida_unit_sizes sizes = {0};
    bool is_new;
    int end = e;
    for (; end < system->entry_count && entry[end].row == row; end++) {
      const int i = entry[end].coordinate;
      const int at = vida__unit_slot(&sizes, system->coordinates[i].unit, &is_new);
      sizes.largest[at] = fmax(sizes.largest[at], fabs(x[i]));
    }
    for (; e < end; e++) {
      const char* unit = system->coordinates[entry[e].coordinate].unit;
      floor[row] += fabs(entries[e]) * sizes.largest[vida__unit_slot(&sizes, unit, &is_new)];
    }
  }
}
