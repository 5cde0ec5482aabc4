#include "system/constraints/state_projection.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "system/evaluate/sizes.h"

enum { MOST_ITERATIONS = 20 };

/* Returns the size of the terms of a row at q or at the given positions, from which the corrections
 * are subtracted, whichever are larger: where they cancel, as in a system at rest at the origin, g
 * keeps the rounding of the given ones. *e is the index of an entry not after the first one of the
 * row. Entries are sorted by row. */
static double find_terms(const vida_state_projection* projection, const double* q, int r, int* e) {
  const VidaSystem* system = projection->system;
  const double* entries = vida__projector_jacobian(projection->projector);
  double terms = system->rows[r].length;
  for (; *e < system->entry_count && system->entries[*e].row <= r; (*e)++) {
    const vida_jacobian_entry* entry = &system->entries[*e];
    const double x = fmax(fabs(q[entry->coordinate]), fabs(projection->given[entry->coordinate]));
    terms += entry->row == r ? fabs(entries[*e] * x) : 0.0;
  }
  return terms;
}

/* Returns the largest |g| relative to the size of its row: that of the start or, if this is 0, that
 * of the terms at q. */
static double relative_violation(const vida_state_projection* projection, const double* q) {
  double largest = 0.0;
  int e = 0;
  for (int r = 0; r < projection->system->row_count; r++) {
    const double given = projection->value_size[r];
    const double size = given > 0.0 ? given : find_terms(projection, q, r, &e);
    const double violation = fabs(projection->g[r]);
    /* Without a size, only 0 is no violation. */
    const double part = size > 0.0 ? violation / size : violation > 0.0 ? 1.0 : violation;
    largest = fmax(largest, part);
  }
  return largest;
}

/* Returns whether |g| is rounding beside the largest coordinates of the system. The terms of a row
 * may have grown since the start, and may be smaller than the rounding of the numbers that cancel
 * in them or of those with which the correction is solved. */
static bool is_system_rounding(const vida_state_projection* projection, const double* q) {
  static const double rounding = 64.0 * DBL_EPSILON;
  const VidaSystem* system = projection->system;
  const double* entries = vida__projector_jacobian(projection->projector);
  bool is_rounding = true;
  for (int r = 0; r < system->row_count && is_rounding; r++) {
    const double violation = fabs(projection->g[r]);
    is_rounding = violation == 0.0 || violation <= rounding * system->rows[r].length ||
                  violation <= rounding * vida__find_system_size(system, entries, q, r);
  }
  return is_rounding;
}

/* Returns whether the violation no longer decreases because it is rounding. */
static bool has_settled(const vida_state_projection* projection, const double* q, double violation,
                        double before) {
  return violation >= before && (violation < 1e-12 || is_system_rounding(projection, q));
}

/* Solves q = q~ - D(q) mu, g(q) = 0 (Ascher, Chin, Petzold and Reich 1995, eq. 5.3) for q~ in q.
 * Each iteration removes the component of q - q~ across D:
 *
 *     q <- q~ - D (G D)^-1 (g(q) + G (q~ - q)) */
int vida__project_position(vida_state_projection* projection, double t, double* q,
                           const double* v) {
  const VidaSystem* system = projection->system;
  vida_projector* projector = projection->projector;
  const int n = system->coordinate_count;
  const double tolerance = fmax(projection->accuracy, 4.0 * DBL_EPSILON);
  double* given = projection->given;
  projection->has_jacobian = false;
  double before = INFINITY;
  memcpy(given, q, (size_t)n * sizeof *q);
  for (int k = 0; k < MOST_ITERATIONS; k++) {
    int code = vida__projector_positions(projector, t, q, projection->g);
    const double violation = code ? 0.0 : relative_violation(projection, q);
    /* The first iteration always corrects, so that small violations do not accumulate. */
    if (!code && k > 0 &&
        (violation <= tolerance || has_settled(projection, q, violation, before))) {
      projection->has_jacobian = true;
      return VIDA_SUCCESS;
    }
    before = violation;
    code = code ? code : isfinite(violation) ? VIDA_SUCCESS : VIDA_NOT_FINITE;
    code = code ? code : vida__projector_factor_there(projector, t, q, v);
    projection->iterations++;
    for (int i = 0; i < n; i++) {
      projection->dv[i] = given[i] - q[i];
    }
    vida__add_constraint_velocity(system, vida__projector_jacobian(projector), 1.0, projection->dv,
                                  projection->g);
    code = code ? code : vida__projector_correct(projector, projection->g, projection->dq);
    if (code) {
      return code;
    }
    for (int i = 0; i < n; i++) {
      q[i] = given[i] - projection->dq[i];
    }
  }
  return vida__fail(&vida__projector_evaluator(projector)->error, VIDA_STEP_NOT_CONVERGED,
                    "the projection onto g = 0 does not converge in %d iterations",
                    MOST_ITERATIONS);
}

int vida__project_velocity_level(vida_state_projection* projection, double t, const double* q,
                                 double* v) {
  vida_projector* projector = projection->projector;
  int code = projection->has_jacobian ? VIDA_SUCCESS
                                      : vida__projector_positions(projector, t, q, projection->g);
  projection->has_jacobian = false;
  code = code ? code : vida__projector_factor_there(projector, t, q, v);
  code = code ? code : vida__projector_rate(projector, t, q, v, projection->rate);
  code = code ? code : vida__projector_correct(projector, projection->rate, projection->dv);
  for (int i = 0; i < projection->system->coordinate_count && !code; i++) {
    v[i] -= projection->dv[i];
  }
  return code;
}

/* ---- with given factors ---------------------------------------------------------------------- */

/* Subtracts the correction of the violation projection->g from q. */
static int correct_position(vida_state_projection* projection, double* q) {
  const int code = vida__projector_correct(projection->projector, projection->g, projection->dq);
  for (int i = 0; i < projection->system->coordinate_count && !code; i++) {
    q[i] -= projection->dq[i];
  }
  projection->corrections++;
  return code;
}

/* Corrects q until g = 0 to rounding. *is_done is false where the iteration is too slow. The last
 * correction is not checked if it leaves less than the tolerance at the rate of the one before. */
static int iterate_nearby(vida_state_projection* projection, double t, double* q, bool* is_done) {
  static const double slowest = 0.2; /* a rate below which new factors cost less */
  vida_projector* projector = projection->projector;
  const double tolerance = fmax(projection->accuracy, 4.0 * DBL_EPSILON);
  memcpy(projection->given, q, (size_t)projection->system->coordinate_count * sizeof *q);
  int code = vida__projector_violation(projector, t, q, projection->g);
  double before = code ? 0.0 : relative_violation(projection, q);
  *is_done = false;
  code = code ? code : correct_position(projection, q);
  for (int k = 0; k < MOST_ITERATIONS && !code && !*is_done; k++) {
    code = vida__projector_violation(projector, t, q, projection->g);
    const double violation = code ? 0.0 : relative_violation(projection, q);
    *is_done = violation <= tolerance || has_settled(projection, q, violation, before);
    const double rate = violation / before;
    if (code || *is_done || !(rate < slowest)) {
      break;
    }
    code = correct_position(projection, q);
    *is_done = rate * violation <= tolerance;
    before = violation;
  }
  return code;
}

/* Returns whether G v + g_t is rounding beside its terms in all rows. */
static bool is_rate_rounding(const vida_state_projection* projection, const double* v) {
  static const double rounding = 16.0 * DBL_EPSILON;
  const VidaSystem* system = projection->system;
  const double* entries = vida__projector_jacobian(projection->projector);
  double* terms = projection->g;
  memset(terms, 0, (size_t)system->row_count * sizeof *terms);
  for (int e = 0; e < system->entry_count; e++) {
    terms[system->entries[e].row] += fabs(entries[e] * v[system->entries[e].coordinate]);
  }
  bool is_rounding = true;
  for (int r = 0; r < system->row_count; r++) {
    is_rounding = is_rounding && fabs(projection->rate[r]) <= rounding * terms[r];
  }
  return is_rounding;
}

/* Each pass leaves the part of the violation by which G differs from that of the factors. After far
 * corrections of positions that is so much that the last passes take new factors. */
static int correct_rates(vida_state_projection* projection, double t, const double* q, double* v) {
  enum { MOST_PASSES = 4 };
  vida_projector* projector = projection->projector;
  int code = VIDA_SUCCESS;
  for (int pass = 0; pass < MOST_PASSES && !code; pass++) {
    code = vida__projector_rate(projector, t, q, v, projection->rate);
    if (code || is_rate_rounding(projection, v)) {
      return code;
    }
    code = vida__projector_correct(projector, projection->rate, projection->dv);
    for (int i = 0; i < projection->system->coordinate_count && !code; i++) {
      v[i] -= projection->dv[i];
    }
  }
  code = code ? code : vida__projector_rate(projector, t, q, v, projection->rate);
  return code || is_rate_rounding(projection, v)
             ? code
             : vida__project_velocity_level(projection, t, q, v);
}

int vida__project_nearby(vida_state_projection* projection, double t, double* q, double* v) {
  bool is_done;
  vida__projector_take_jacobian(projection->projector);
  int code = iterate_nearby(projection, t, q, &is_done);
  if (code) {
    return code;
  }
  if (is_done) {
    code = vida__projector_gradients(projection->projector, t, q);
    return code ? code : correct_rates(projection, t, q, v);
  }
  code = vida__project_position(projection, t, q, v);
  return code ? code : vida__project_velocity_level(projection, t, q, v);
}

int vida__project_error(vida_state_projection* projection, double* error) {
  const VidaSystem* system = projection->system;
  const int n = system->coordinate_count;
  for (int level = 0; level < 2; level++) {
    double* part = error + (long)level * n;
    memset(projection->g, 0, (size_t)system->row_count * sizeof *projection->g);
    vida__add_constraint_velocity(system, vida__projector_jacobian(projection->projector), 1.0,
                                  part, projection->g);
    for (int r = 0; r < system->row_count && level == 0; r++) {
      if (system->rows[r].is_nonholonomic) { /* positions are not projected along it */
        projection->g[r] = 0.0;
      }
    }
    const int code = vida__projector_correct(projection->projector, projection->g, projection->dq);
    if (code) {
      return code;
    }
    for (int i = 0; i < n; i++) {
      part[i] -= projection->dq[i];
    }
  }
  return VIDA_SUCCESS;
}
