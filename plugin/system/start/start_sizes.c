/* Sizes with which changes and violations of initial values are compared. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "system/evaluate/evaluate.h"
#include "system/evaluate/sizes.h"
#include "system/start/start_work.h"
#include "system/symmetry.h"

static double find_largest(const vida_start_work* work, const double* x, const char* unit) {
  const VidaSystem* system = work->system;
  double largest = 0.0;
  for (int i = 0; i < system->coordinate_count; i++) {
    if (strcmp(unit, system->coordinates[i].unit) == 0) {
      largest = fmax(largest, fmax(fabs(work->given[i]), fabs(x[i])));
    }
  }
  return largest;
}

static double recall_largest(vida_unit_sizes* sizes, const vida_start_work* work, const double* x,
                             const char* unit) {
  bool is_new;
  const int at = vida__unit_slot(sizes, unit, &is_new);
  if (is_new) {
    sizes->largest[at] = find_largest(work, x, unit);
  }
  return sizes->largest[at];
}

/* Returns the largest change of a coordinate with this unit that is rounding beside the values of
 * all units: where a body is at the origin but for 1e-17 m, its own place has no size. */
static double find_rounded(const vida_start_work* work, const char* unit) {
  static const double rounding = 64.0 * DBL_EPSILON;
  const VidaSystem* system = work->system;
  double heaviest = 0.0;
  for (int i = 0; i < system->coordinate_count; i++) {
    const bool is_alike = strcmp(unit, system->coordinates[i].unit) == 0;
    heaviest = is_alike ? fmax(heaviest, work->mass[i]) : heaviest;
  }
  return work->least > 0.0 && heaviest > 0.0
             ? rounding / VIDA_LEAST_PART * work->least / sqrt(heaviest)
             : 0.0;
}

static double recall_rounded(vida_unit_sizes* sizes, const vida_start_work* work,
                             const char* unit) {
  bool is_new;
  const int at = vida__unit_slot(sizes, unit, &is_new);
  if (is_new) {
    sizes->largest[at] = find_rounded(work, unit);
  }
  return sizes->largest[at];
}

double vida__measure_start_change(const vida_start_work* work, const double* x, int* index) {
  const VidaSystem* system = work->system;
  vida_unit_sizes sizes = {0}, rounded = {0};
  double worst = 0.0;
  *index = 0;
  for (int i = 0; i < system->coordinate_count; i++) {
    const char* unit = system->coordinates[i].unit;
    const double change = fabs(x[i] - work->given[i]);
    const double largest = fmax(recall_largest(&sizes, work, x, unit),
                                work->least > 0.0 ? work->least / sqrt(work->mass[i]) : 0.0);
    if (change > recall_rounded(&rounded, work, unit) && change / largest > worst) {
      worst = change / largest;
      *index = i;
    }
  }
  return worst;
}

void vida__add_common_velocity(vida_start_work* work, const double* x) {
  const VidaSystem* system = work->system;
  vida_unit_sizes sizes = {0};
  for (int e = 0; e < system->entry_count; e++) {
    const vida_jacobian_entry* entry = &system->entries[e];
    const char* unit = system->coordinates[entry->coordinate].unit;
    work->floor[entry->row] += fabs(work->entries[e]) * recall_largest(&sizes, work, x, unit);
  }
}

void vida__find_least_size(vida_start_work* work, vida_start_level which, const double* x) {
  const VidaSystem* system = work->system;
  const double* q = which == VIDA_POSITIONS ? x : work->q;
  work->least = 0.0;
  if (vida__find_masses(&work->evaluator, work->t, q, work->v, work->matrix, work->mass)) {
    return;
  }
  work->least = vida__least_size(system, work->entries, work->mass, x, which == VIDA_POSITIONS);
}

void vida__add_least_size(vida_start_work* work) {
  const VidaSystem* system = work->system;
  for (int e = 0; e < system->entry_count && work->least > 0.0; e++) {
    const vida_jacobian_entry* entry = &system->entries[e];
    work->floor[entry->row] +=
        fabs(work->entries[e]) * work->least / sqrt(work->mass[entry->coordinate]);
  }
}
