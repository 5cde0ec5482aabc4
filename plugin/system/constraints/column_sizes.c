#include "system/constraints/column_sizes.h"

#include <math.h>
#include <string.h>

#include "system/evaluate/own_sizes.h"
#include "system/evaluate/sizes.h"

/* Relative to the largest column of the same unit: about the square root of rounding. */
static const double least_column = 1e-8;

void vida__group_coordinates(const VidaSystem* system, int* group) {
  for (int i = 0; i < system->coordinate_count; i++) {
    group[i] = i;
  }
  for (int p = 0; p < system->particle_count; p++) {
    const int first = system->particles[p].coordinate;
    for (int k = 1; k < system->dimension; k++) {
      group[first + k] = first;
    }
  }
  for (int k = 0; k < system->motion_count; k++) {
    const vida_motion* motion = &system->motions[k];
    const bool is_quaternion = motion->kind == VIDA_MOTION_QUATERNION;
    const bool is_vector =
        motion->kind == VIDA_MOTION_POINT || motion->kind == VIDA_MOTION_DIRECTION;
    const int width = is_quaternion ? 4 : is_vector ? system->dimension : 1;
    for (int a = 1; a < width; a++) {
      group[motion->coordinate[a]] = group[motion->coordinate[0]];
    }
  }
}

/* Computes, at the first coordinate of each group, its largest entry relative to the largest one of
 * the row. */
static void measure_groups(const VidaSystem* system, const double* entries, const int* group,
                           const double* unit, double* largest, double* size) {
  memset(largest, 0, (size_t)system->row_count * sizeof *largest);
  memset(size, 0, (size_t)system->coordinate_count * sizeof *size);
  for (int e = 0; e < system->entry_count; e++) {
    const int row = system->entries[e].row;
    largest[row] = fmax(largest[row], fabs(entries[e]) * unit[system->entries[e].coordinate]);
  }
  for (int e = 0; e < system->entry_count; e++) {
    const int row = system->entries[e].row;
    const int i = system->entries[e].coordinate;
    if (entries[e] != 0.0) {
      size[group[i]] = fmax(size[group[i]], fabs(entries[e]) * unit[i] / largest[row]);
    }
  }
}

double vida__scale_columns(const VidaSystem* system, const double* entries, const int* group,
                           double* largest, double* size, double* scale) {
  vida_unit_sizes sizes = {0};
  vida_extent extent;
  bool is_new;
  vida__find_own_sizes(system, entries, scale, size, &extent);
  const double first = size[0];
  for (int i = 0; i < system->coordinate_count; i++) {
    size[i] /= first; /* 1, and no rounding, if all are the same */
  }
  measure_groups(system, entries, group, size, largest, scale);
  for (int i = 0; i < system->coordinate_count; i++) {
    const int at = vida__unit_slot(&sizes, system->coordinates[i].unit, &is_new);
    sizes.largest[at] = fmax(sizes.largest[at], scale[group[i]]);
  }
  /* Backwards, because the first coordinate of a group has the size of the group. */
  for (int i = system->coordinate_count - 1; i >= 0; i--) {
    const int at = vida__unit_slot(&sizes, system->coordinates[i].unit, &is_new);
    const double measured = fmax(scale[group[i]], least_column * sizes.largest[at]);
    scale[i] = measured > 0.0 ? size[i] / measured : size[i];
  }
  return extent.rounding;
}
