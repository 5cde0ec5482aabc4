#include "system/evaluate/sizes.h"

#include <math.h>
#include <string.h>

int vida__find_unit_slot(vida_unit_sizes* sizes, const char* unit, bool* is_new) {
  const int kept = sizes->count < VIDA_REMEMBERED_UNITS ? sizes->count : VIDA_REMEMBERED_UNITS;
  for (int i = 0; i < kept; i++) {
    if (unit == sizes->unit[i]) {
      *is_new = false;
      return i;
    }
  }
  for (int i = 0; i < kept; i++) {
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
    vida_unit_sizes sizes;
    sizes.count = 0;
    bool is_new;
    int end = e;
    for (; end < system->entry_count && entry[end].row == row; end++) {
      const int i = entry[end].coordinate;
      const int at = vida__unit_slot(&sizes, system->coordinates[i].unit, &is_new);
      const double size = fabs(x[i]);
      sizes.largest[at] = size > sizes.largest[at] ? size : sizes.largest[at];
    }
    for (; e < end; e++) {
      const char* unit = system->coordinates[entry[e].coordinate].unit;
      floor[row] += fabs(entries[e]) * sizes.largest[vida__unit_slot(&sizes, unit, &is_new)];
    }
  }
}

double vida__find_system_size(const VidaSystem* system, const double* entries, const double* x,
                              int row) {
  vida_unit_sizes sizes = {0};
  bool is_new;
  double size = 0.0;
  for (int i = 0; i < system->coordinate_count; i++) {
    const char* unit = system->coordinates[i].unit;
    double* largest = &sizes.largest[vida__unit_slot(&sizes, unit, &is_new)];
    *largest = fmax(fmax(*largest, strcmp(unit, "rad") == 0 ? 1.0 : 0.0), fabs(x[i]));
  }
  for (int e = 0; e < system->entry_count; e++) {
    if (system->entries[e].row == row) {
      const char* unit = system->coordinates[system->entries[e].coordinate].unit;
      size += fabs(entries[e]) * sizes.largest[vida__unit_slot(&sizes, unit, &is_new)];
    }
  }
  return size;
}

static double* largest_of(vida_unit_sizes* sizes, const char* unit) {
  bool is_new;
  return &sizes->largest[vida__unit_slot(sizes, unit, &is_new)];
}

/* Finds the largest mass of each unit in the row from the entry `first` on, and the largest x of
 * the row in the mass norm. Returns the end of its entries. */
static int find_row_motion(const VidaSystem* system, const double* root_mass, const double* x,
                           int first, vida_unit_sizes* heaviest, double* scaled) {
  int e = first;
  heaviest->count = 0;
  *scaled = 0.0;
  for (; e < system->entry_count && system->entries[e].row == system->entries[first].row; e++) {
    const int i = system->entries[e].coordinate;
    double* mass = largest_of(heaviest, system->coordinates[i].unit);
    *mass = fmax(*mass, root_mass[i]);
    *scaled = fmax(*scaled, root_mass[i] * x[i]);
  }
  return e;
}

void vida__raise_row_sizes(const VidaSystem* system, const double* entries, const double* root_mass,
                           const double* x, double part, double* sizes) {
  static const double elsewhere = 0.1;
  vida_unit_sizes largest = {0}, heaviest;
  double scaled;
  for (int i = 0; i < system->coordinate_count; i++) {
    double* most = largest_of(&largest, system->coordinates[i].unit);
    *most = fmax(*most, x[i]);
  }
  for (int e = 0; e < system->entry_count;) {
    const int row = system->entries[e].row;
    const int end = find_row_motion(system, root_mass, x, e, &heaviest, &scaled);
    double size = 0.0;
    for (; e < end; e++) {
      const char* unit = system->coordinates[system->entries[e].coordinate].unit;
      const double mass = *largest_of(&heaviest, unit);
      const double moved = mass > 0.0 ? scaled / mass : 0.0;
      size += fabs(entries[e]) * fmax(moved, elsewhere * *largest_of(&largest, unit));
    }
    sizes[row] = isfinite(size) ? fmax(sizes[row], part * size) : sizes[row];
  }
}

/* Returns the smallest displacement, in the mass norm, that changes some row by its length. */
static double size_of_lengths(const VidaSystem* system, const double* entries, const double* mass) {
  const vida_jacobian_entry* entry = system->entries;
  double largest = 0.0;
  for (int e = 0; e < system->entry_count;) {
    const int row = entry[e].row;
    double root = 0.0; /* of G M^-1 G^T */
    for (; e < system->entry_count && entry[e].row == row; e++) {
      root = hypot(root, entries[e] / sqrt(mass[entry[e].coordinate]));
    }
    largest = root > 0.0 ? fmax(largest, system->rows[row].length / root) : largest;
  }
  return largest;
}

double vida__least_size(const VidaSystem* system, const double* entries, const double* mass,
                        const double* x, bool is_position) {
  double largest = is_position ? size_of_lengths(system, entries, mass) : 0.0;
  const char* angle = NULL; /* units are unique texts */
  for (int i = 0; i < system->coordinate_count && is_position && !angle; i++) {
    angle = strcmp(system->coordinates[i].unit, "rad") == 0 ? system->coordinates[i].unit : NULL;
  }
  for (int i = 0; i < system->coordinate_count; i++) {
    const bool is_angle = angle && system->coordinates[i].unit == angle;
    largest = fmax(largest, sqrt(mass[i]) * fmax(fabs(x[i]), is_angle ? 1.0 : 0.0));
  }
  return isfinite(largest) ? VIDA_LEAST_PART * largest : 0.0;
}
