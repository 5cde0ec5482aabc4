/* Constraint rows that depend on others: which are left out, and whether they hold without. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "methods/reference/ida.h"

/* ---- which ----------------------------------------------------------------------------------- */

void vida__reference_ida_leave_out(vida_reference_ida* own, vida_rank* rank, int m) {
  const int* dependent = rank ? vida__rank_dependent(rank) : NULL;
  memset(own->is_dependent, 0, (size_t)m * sizeof *own->is_dependent);
  own->left_out = rank ? vida__rank_dependent_count(rank) : 0;
  own->kept = 0;
  for (int k = 0; k < own->left_out; k++) {
    own->is_dependent[dependent[k]] = true;
  }
}

/* Newton's way back to g = 0 from own->moved_q, by what moves the masses least; whether it arrives.
 */
static bool come_back(VidaStepper* stepper, double t) {
  enum { MOST_ITERATIONS = 12 };
  vida_reference_ida* own = stepper->own;
  const int n = stepper->n;
  double* x = stepper->node_step;
  for (int k = 0; k < MOST_ITERATIONS; k++) {
    bool is_there = true;
    if (vida__constraints(&stepper->evaluator, t, own->moved_q, NULL, own->rows) ||
        vida__equations_factor(own->equations, t, own->moved_q, own->v)) {
      return false;
    }
    memset(x, 0, (size_t)n * sizeof *x);
    for (int r = 0; r < stepper->m; r++) {
      is_there = is_there && fabs(own->rows[r]) <= 64.0 * DBL_EPSILON * stepper->value_size[r];
      x[n + r] = -own->rows[r];
    }
    if (is_there || vida__equations_solve(own->equations, x, x)) {
      return is_there;
    }
    for (int i = 0; i < n; i++) {
      own->moved_q[i] += x[i];
    }
  }
  return false;
}

void vida__reference_ida_settle_rows(VidaStepper* stepper, double pace) {
  vida_reference_ida* own = stepper->own;
  const int at_start = own->left_out;
  double away = 0.1 / pace;
  for (int tries = 0; tries < 3; tries++, away *= 0.25) {
    const double t = stepper->t0 + away;
    for (int i = 0; i < stepper->n; i++) {
      own->moved_q[i] = stepper->q[i] + away * (own->v[i] + 0.5 * away * own->a[i]);
    }
    if (come_back(stepper, t)) {
      if (!vida__equations_mark(own->equations, t, own->moved_q, own->v)) {
        vida_rank* rank = vida__equations_rank(own->equations);
        vida__reference_ida_leave_out(own, rank, stepper->m);
      }
      break;
    }
  }
  own->kept = at_start - own->left_out;
  vida__equations_mark(own->equations, stepper->t0, stepper->q, own->v);
}

/* Of the largest term of a row: less is rounding. */
static const double contradiction = 1e-6;

/* The first row whose acceleration no force makes zero at the start, or -1. */
static int find_contradiction(VidaStepper* stepper) {
  vida_reference_ida* own = stepper->own;
  double* size = stepper->constraint_work;
  if (vida__motion_bias(&stepper->evaluator, stepper->t0, stepper->q, stepper->v0, own->force,
                        own->rows, own->l_v) ||
      vida__jacobian(&stepper->evaluator, stepper->t0, stepper->q, own->entries)) {
    return -1;
  }
  for (int r = 0; r < stepper->m; r++) {
    size[r] = fabs(own->rows[r]);
  }
  for (int e = 0; e < stepper->system->entry_count; e++) {
    const vida_jacobian_entry* entry = &stepper->system->entries[e];
    const double term = own->entries[e] * own->a[entry->coordinate];
    own->rows[entry->row] += term;
    size[entry->row] = fmax(size[entry->row], fabs(term));
  }
  for (int r = 0; r < stepper->m; r++) {
    if (fabs(own->rows[r]) > contradiction * size[r]) {
      return r;
    }
  }
  return -1;
}

int vida__reference_ida_fail_start(VidaStepper* stepper, const VidaError* cause, VidaError* error) {
  const vida_reference_ida* own = stepper->own;
  const int* dependent = vida__rank_dependent(stepper->rank);
  const bool contradicts = find_contradiction(stepper) >= 0;
  char more[32] = "", rtol[VIDA_REAL_TEXT_SIZE];
  const char* first = "";
  for (int k = 0; k < vida__rank_dependent_count(stepper->rank) && !*first; k++) {
    first = own->is_dependent[dependent[k]] ? "" : stepper->system->rows[dependent[k]].name;
  }
  if (own->kept > 1) {
    vida__append(more, sizeof more, " and %d more", own->kept - 1);
  }
  return vida__fail_flag(
      error, VIDA_STEP_SINGULAR, "SINGULAR_START",
      "%s cannot make a step from this start, rtol = %s: %s; it is a singular configuration: "
      "'%s'%s depend%s on others here, but not during the motion; %s",
      stepper->method->info.name, vida__shortest_text(rtol, own->rtol), cause->message, first, more,
      own->kept > 1 ? "" : "s",
      contradicts ? "with these velocities no accelerations satisfy all constraints: change them"
                  : "start from another configuration, or use coordinate-projection");
}

/* ---- their multipliers ----------------------------------------------------------------------- */

/* M x + G^T lambda = what all of them did, G x = 0. */
int vida__reference_ida_begin_rows(VidaStepper* stepper, VidaError* error) {
  const vida_reference_ida* own = stepper->own;
  const VidaSystem* system = stepper->system;
  const vida_hessian_weights mass_only = {0.0, 0.0, 0.0, 1.0};
  const int n = stepper->n;
  double* lambda = vida__ida_values(own->ida) + own->lambda;
  double* matrix = stepper->node_matrix->values;
  double* x = stepper->node_step;
  vida__linear_clear(stepper->node_matrix);
  int code = vida__add_hessian(&stepper->evaluator, vida__node_time(stepper), stepper->q, own->v,
                               mass_only, matrix);
  for (int e = 0; e < system->entry_count; e++) {
    const vida_jacobian_entry* entry = &system->entries[e];
    if (!own->is_dependent[entry->row]) {
      matrix[entry->row_slot] += own->entries[e];
      matrix[entry->column_slot] += own->entries[e];
    }
  }
  for (int r = 0; r < stepper->m; r++) {
    matrix[vida__constraint_diagonal(system, r)] += own->is_dependent[r] ? 1.0 : 0.0;
  }
  memset(x, 0, (size_t)(n + stepper->m) * sizeof *x);
  vida__add_reaction(system, own->entries, 1.0, lambda, x);
  code = code ? code : vida__linear_factor(stepper->node_matrix);
  code = code ? code : vida__linear_solve(stepper->node_matrix, x, x);
  if (code) {
    return vida__evaluation_failed(stepper, code, error);
  }
  memcpy(lambda, x + n, (size_t)stepper->m * sizeof *lambda);
  return VIDA_SUCCESS;
}

int vida__reference_ida_spread(VidaStepper* stepper, VidaError* error) {
  const vida_reference_ida* own = stepper->own;
  const double t = vida__next_time(stepper);
  int code = vida__jacobian(&stepper->evaluator, t, stepper->q, stepper->entries);
  code = code ? code : vida__factor_node_matrix(stepper, stepper->entries, own->v);
  code = code ? code : vida__find_least_norm(stepper, stepper->entries, stepper->lambda);
  if (code) {
    return vida__evaluation_failed(stepper, code, error);
  }
  memcpy(stepper->lambda, stepper->least_norm, (size_t)stepper->m * sizeof(double));
  return VIDA_SUCCESS;
}

/* ---- whether they hold ----------------------------------------------------------------------- */

/* Of what the tolerance and the rows that are kept explain. */
static const double allowed_part = 100.0;

/* Sum of |G_ri| size_i, by rows. */
static void measure_reach(const VidaStepper* stepper, const double* size, double* reach) {
  const vida_reference_ida* own = stepper->own;
  const VidaSystem* system = stepper->system;
  memset(reach, 0, (size_t)stepper->m * sizeof *reach);
  for (int e = 0; e < system->entry_count; e++) {
    const vida_jacobian_entry* entry = &system->entries[e];
    reach[entry->row] += fabs(own->entries[e]) * size[entry->coordinate];
  }
}

/* The row that is left out and does not hold, or -1: own->rows beside stepper->constraint_work. */
static int find_broken(const VidaStepper* stepper) {
  const vida_reference_ida* own = stepper->own;
  double kept = own->rtol;
  double worst = 0.0;
  int broken = -1;
  for (int r = 0; r < stepper->m; r++) {
    const double part =
        stepper->constraint_work[r] > 0.0 ? fabs(own->rows[r]) / stepper->constraint_work[r] : 0.0;
    if (!own->is_dependent[r]) {
      kept = fmax(kept, part);
    } else if (part > worst) {
      worst = part;
      broken = r;
    }
  }
  return worst > allowed_part * kept ? broken : -1;
}

static int fail_broken(const VidaStepper* stepper, int row, double t, const char* level,
                       VidaError* error) {
  const vida_reference_ida* own = stepper->own;
  char at[VIDA_REAL_TEXT_SIZE], value[VIDA_REAL_TEXT_SIZE];
  return vida__fail_flag(
      error, VIDA_STEP_SINGULAR, "RANK_CHANGED",
      "%s at t = %s s: constraint '%s' depended on others at the start and was omitted, but the "
      "others do not imply it any more: its %s is %s; start where it is independent, or use radau "
      "or coordinate-projection, which satisfy all constraints",
      stepper->method->info.name, vida__real_text(at, t, 6), stepper->system->rows[row].name, level,
      vida__real_text(value, own->rows[row], 3));
}

int vida__reference_ida_check_rows(VidaStepper* stepper, double t, const double* y,
                                   VidaError* error) {
  vida_reference_ida* own = stepper->own;
  if (own->left_out == 0) {
    return VIDA_SUCCESS;
  }
  const double* v = y + stepper->n;
  int code = vida__jacobian(&stepper->evaluator, t, y, own->entries);
  code = code ? code : vida__constraints(&stepper->evaluator, t, y, NULL, own->rows);
  if (code) {
    return vida__evaluation_failed(stepper, code, error);
  }
  measure_reach(stepper, own->position_size, stepper->constraint_work);
  int broken = find_broken(stepper);
  if (broken >= 0) {
    return fail_broken(stepper, broken, t, "g", error);
  }
  code = vida__constraint_rate(&stepper->evaluator, t, y, own->rows);
  if (code) {
    return vida__evaluation_failed(stepper, code, error);
  }
  vida__add_constraint_velocity(stepper->system, own->entries, 1.0, v, own->rows);
  measure_reach(stepper, own->speed_size, stepper->constraint_work);
  broken = find_broken(stepper);
  return broken >= 0 ? fail_broken(stepper, broken, t, "G v + g_t", error) : VIDA_SUCCESS;
}
