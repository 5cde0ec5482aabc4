#include "system/constraints/manifold.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "system/evaluate/own_sizes.h"

enum { MOST_COORDINATES = 2000, MOST_STEPS = 30 };

struct vida_manifold {
  const VidaSystem* system;
  vida_equations* equations;
  double *place, *side; /* n, n + m */
  double* unit;         /* n: own sizes, relative to the first */
};

/* Distances between states, which Newton steps make small, are measured with the own sizes of the
 * coordinates, and so are the same in all units. */
static int find_units(vida_manifold* manifold, VidaError* error) {
  const VidaSystem* system = manifold->system;
  const int n = system->coordinate_count;
  vida_extent extent;
  double* entries = vida__allocate((size_t)system->entry_count, sizeof *entries);
  double* work = vida__allocate(2 * (size_t)n, sizeof *work);
  int code = entries && work ? VIDA_SUCCESS : vida__fail_memory(error);
  if (!code) {
    vida__find_start_sizes(vida__equations_evaluator(manifold->equations), entries, work,
                           manifold->unit, &extent);
    const double first = manifold->unit[0];
    for (int i = 0; i < n; i++) {
      manifold->unit[i] /= first; /* 1, and no rounding, if all are the same */
    }
    code = vida__equations_use_units(manifold->equations, manifold->unit) ? vida__fail_memory(error)
                                                                          : VIDA_SUCCESS;
  }
  free(entries);
  free(work);
  return code;
}

int vida__manifold_create(const VidaSystem* system, vida_manifold** manifold, VidaError* error) {
  const size_t n = (size_t)system->coordinate_count, m = (size_t)system->row_count;
  *manifold = NULL;
  if (m == 0 || n > MOST_COORDINATES) {
    return VIDA_SUCCESS;
  }
  vida_manifold* made = vida__allocate(1, sizeof *made);
  if (!made) {
    return vida__fail_memory(error);
  }
  made->system = system;
  made->place = vida__allocate(3 * n + m, sizeof *made->place);
  int code = vida__equations_create(system, VIDA_SOLVER_AUTO, &made->equations, error);
  if (!code && !made->place) {
    code = vida__fail_memory(error);
  }
  if (!code) {
    made->side = made->place + n;
    made->unit = made->side + n + m;
    code = find_units(made, error);
  }
  if (code) {
    vida__manifold_destroy(&made);
    return code;
  }
  *manifold = made;
  return VIDA_SUCCESS;
}

void vida__manifold_destroy(vida_manifold** manifold) {
  vida_manifold* old = *manifold;
  if (!old) {
    return;
  }
  vida__equations_destroy(&old->equations);
  free(old->place);
  free(old);
  *manifold = NULL;
}

/* Returns the largest value relative to its unit (nullable: 1). */
static double largest(const double* values, const double* unit, int count) {
  double size = 0.0;
  for (int i = 0; i < count; i++) {
    size =
        isfinite(values[i]) ? fmax(size, fabs(unit ? values[i] / unit[i] : values[i])) : INFINITY;
  }
  return size;
}

/* Makes Newton steps from `place`. Returns whether the last residual is rounding. */
static bool descend(vida_manifold* manifold, double t, const double* v) {
  static const double rounding = 1e-13;
  const int n = manifold->system->coordinate_count, m = manifold->system->row_count;
  vida_evaluator* evaluator = vida__equations_evaluator(manifold->equations);
  double *place = manifold->place, *side = manifold->side;
  for (int step = 0; step < MOST_STEPS; step++) {
    memset(side, 0, (size_t)n * sizeof *side);
    if (vida__constraints(evaluator, t, place, NULL, side + n) ||
        vida__equations_mark(manifold->equations, t, place, v) ||
        vida__equations_factor(manifold->equations, t, place, v)) {
      return false;
    }
    for (int r = 0; r < m; r++) {
      side[n + r] = -side[n + r];
    }
    if (vida__equations_solve(manifold->equations, side, side)) {
      return false;
    }
    const double moved = largest(side, NULL, n);
    for (int i = 0; i < n; i++) {
      place[i] += manifold->unit[i] * side[i];
    }
    if (!isfinite(moved) || moved <= rounding * largest(place, manifold->unit, n)) {
      return isfinite(moved);
    }
  }
  return false;
}

static bool project_velocity(vida_manifold* manifold, double t, double* v) {
  const int n = manifold->system->coordinate_count, m = manifold->system->row_count;
  double* side = manifold->side;
  for (int i = 0; i < n; i++) {
    side[i] = v[i] / manifold->unit[i];
  }
  if (vida__constraint_rate(vida__equations_evaluator(manifold->equations), t, manifold->place,
                            side + n) ||
      vida__equations_factor(manifold->equations, t, manifold->place, v)) {
    return false;
  }
  for (int r = 0; r < m; r++) {
    side[n + r] = -side[n + r];
  }
  if (vida__equations_solve(manifold->equations, side, side) || !isfinite(largest(side, NULL, n))) {
    return false;
  }
  for (int i = 0; i < n; i++) {
    v[i] = manifold->unit[i] * side[i];
  }
  return true;
}

bool vida__manifold_find(vida_manifold* manifold, double t, const double* start, double* q,
                         double* v) {
  static const double shares[] = {1.0, 0.1, 0.01};
  const int n = manifold->system->coordinate_count;
  for (size_t k = 0; k < sizeof shares / sizeof shares[0]; k++) {
    for (int i = 0; i < n; i++) {
      manifold->place[i] = start[i] + shares[k] * (q[i] - start[i]);
    }
    if (descend(manifold, t, v) && project_velocity(manifold, t, v)) {
      memcpy(q, manifold->place, (size_t)n * sizeof *q);
      return true;
    }
  }
  return false;
}
