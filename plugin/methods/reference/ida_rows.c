/* Dependent constraint rows: which ones are left out, and whether they still hold. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "methods/reference/ida.h"

/* ---- which ----------------------------------------------------------------------------------- */

void vida__reference_ida_remove_rows(vida_reference_ida* own, vida_rank* rank, int m) {
  const int* dependent = rank ? vida__rank_dependent(rank) : NULL;
  memset(own->form.is_dependent, 0, (size_t)m * sizeof *own->form.is_dependent);
  own->left_out = rank ? vida__rank_dependent_count(rank) : 0;
  own->kept = 0;
  for (int k = 0; k < own->left_out; k++) {
    own->form.is_dependent[dependent[k]] = true;
  }
}

/* Newton's way back to g = 0 from own->form.moved_q, by what moves the masses least; whether it
 * arrives.
 */
static bool come_back(VidaIntegration* self, double t) {
  enum { MOST_ITERATIONS = 12 };
  vida_reference_ida* own = self->state;
  const int n = self->model.n;
  double* x = self->work.node_step;
  for (int k = 0; k < MOST_ITERATIONS; k++) {
    bool is_there = true;
    if (vida__constraints(&self->model.evaluator, t, own->form.moved_q, NULL, own->form.rows) ||
        vida__equations_factor(own->equations, t, own->form.moved_q, own->v)) {
      return false;
    }
    memset(x, 0, (size_t)n * sizeof *x);
    for (int r = 0; r < self->model.m; r++) {
      is_there =
          is_there && fabs(own->form.rows[r]) <= 64.0 * DBL_EPSILON * self->model.value_size[r];
      x[n + r] = -own->form.rows[r];
    }
    if (is_there || vida__equations_solve(own->equations, x, x)) {
      return is_there;
    }
    for (int i = 0; i < n; i++) {
      own->form.moved_q[i] += x[i];
    }
  }
  return false;
}

void vida__reference_ida_restore_rows(VidaIntegration* self, double rate) {
  vida_reference_ida* own = self->state;
  const int at_start = own->left_out;
  double away = 0.1 / rate;
  for (int tries = 0; tries < 3; tries++, away *= 0.25) {
    const double t = self->node.t0 + away;
    for (int i = 0; i < self->model.n; i++) {
      own->form.moved_q[i] = self->node.q[i] + away * (own->v[i] + 0.5 * away * own->a[i]);
    }
    if (come_back(self, t)) {
      if (!vida__equations_mark(own->equations, t, own->form.moved_q, own->v)) {
        vida_rank* rank = vida__equations_rank(own->equations);
        vida__reference_ida_remove_rows(own, rank, self->model.m);
      }
      break;
    }
  }
  own->kept = at_start - own->left_out;
  vida__equations_mark(own->equations, self->node.t0, self->node.q, own->v);
}

/* Relative to the largest term of a row; smaller values are rounding. */
static const double contradiction = 1e-6;

/* Returns the first row whose second derivative no force makes zero at the start, or -1. */
static int find_contradiction(VidaIntegration* self) {
  vida_reference_ida* own = self->state;
  double* size = self->work.constraint_work;
  if (vida__motion_bias(&self->model.evaluator, self->node.t0, self->node.q, self->node.v,
                        own->form.force, own->form.rows, own->form.l_v) ||
      vida__jacobian(&self->model.evaluator, self->node.t0, self->node.q, own->form.entries)) {
    return -1;
  }
  for (int r = 0; r < self->model.m; r++) {
    size[r] = fabs(own->form.rows[r]);
  }
  for (int e = 0; e < self->model.system->entry_count; e++) {
    const vida_jacobian_entry* entry = &self->model.system->entries[e];
    const double term = own->form.entries[e] * own->a[entry->coordinate];
    own->form.rows[entry->row] += term;
    size[entry->row] = fmax(size[entry->row], fabs(term));
  }
  for (int r = 0; r < self->model.m; r++) {
    if (fabs(own->form.rows[r]) > contradiction * size[r]) {
      return r;
    }
  }
  return -1;
}

int vida__reference_ida_fail_start(VidaIntegration* self, const VidaError* cause,
                                   VidaError* error) {
  const vida_reference_ida* own = self->state;
  const int* dependent = vida__rank_dependent(self->model.rank);
  const bool contradicts = find_contradiction(self) >= 0;
  char more[32] = "", rtol[VIDA_REAL_TEXT_SIZE];
  const char* first = "";
  for (int k = 0; k < vida__rank_dependent_count(self->model.rank) && !*first; k++) {
    first = own->form.is_dependent[dependent[k]] ? "" : self->model.system->rows[dependent[k]].name;
  }
  if (own->kept > 1) {
    vida__append(more, sizeof more, " and %d more", own->kept - 1);
  }
  return vida__fail_flag(
      error, VIDA_STEP_SINGULAR, "SINGULAR_START",
      "%s cannot make a step from this start, rtol = %s: %s; it is a singular configuration: "
      "'%s'%s depend%s on others here, but not during the motion; %s",
      self->method->info.name, vida__shortest_text(rtol, own->rtol), cause->message, first, more,
      own->kept > 1 ? "" : "s",
      contradicts ? "with these velocities no accelerations satisfy all constraints: change them"
                  : "start from another configuration, or use coordinate-projection");
}

/* ---- their multipliers ----------------------------------------------------------------------- */

int vida__reference_ida_start_rows(VidaIntegration* self, VidaError* error) {
  vida_reference_ida* own = self->state;
  const int code = vida__formulation_omit_rows(
      &own->form, self->model.node_matrix, vida__node_time(self), self->node.q, own->v,
      vida__ida_values(own->ida) + own->form.lambda, self->work.node_step);
  return code ? vida__evaluation_failed(self, code, error) : VIDA_SUCCESS;
}

int vida__reference_ida_least_norm(VidaIntegration* self, VidaError* error) {
  const vida_reference_ida* own = self->state;
  const double t = vida__next_time(self);
  int code = vida__jacobian(&self->model.evaluator, t, self->node.q, self->work.entries);
  code = code ? code : vida__factor_node_matrix(self, self->work.entries, own->v);
  code = code ? code : vida__find_least_norm(self, self->work.entries, self->node.lambda);
  if (code) {
    return vida__evaluation_failed(self, code, error);
  }
  memcpy(self->node.lambda, self->model.least_norm, (size_t)self->model.m * sizeof(double));
  return VIDA_SUCCESS;
}

/* ---- whether they hold ----------------------------------------------------------------------- */

/* Multiple of the violation that the tolerance and the rounding of the kept rows explain. */
static const double allowed_part = 100.0;

/* Computes the sums of |G_ri| size_i, by rows. */
static void measure_reach(const VidaIntegration* self, const double* size, double* reach) {
  const vida_reference_ida* own = self->state;
  const VidaSystem* system = self->model.system;
  memset(reach, 0, (size_t)self->model.m * sizeof *reach);
  for (int e = 0; e < system->entry_count; e++) {
    const vida_jacobian_entry* entry = &system->entries[e];
    reach[entry->row] += fabs(own->form.entries[e]) * size[entry->coordinate];
  }
}

/* An omitted row that is violated, or -1: own->form.rows beside self->work.constraint_work. */
static int find_broken(const VidaIntegration* self) {
  const vida_reference_ida* own = self->state;
  double kept = own->rtol;
  double worst = 0.0;
  int broken = -1;
  for (int r = 0; r < self->model.m; r++) {
    const double part = self->work.constraint_work[r] > 0.0
                            ? fabs(own->form.rows[r]) / self->work.constraint_work[r]
                            : 0.0;
    if (!own->form.is_dependent[r]) {
      kept = fmax(kept, part);
    } else if (part > worst) {
      worst = part;
      broken = r;
    }
  }
  return worst > allowed_part * kept ? broken : -1;
}

static int fail_broken(const VidaIntegration* self, int row, double t, const char* level,
                       VidaError* error) {
  const vida_reference_ida* own = self->state;
  char at[VIDA_REAL_TEXT_SIZE], value[VIDA_REAL_TEXT_SIZE];
  return vida__fail_flag(
      error, VIDA_STEP_SINGULAR, "RANK_CHANGED",
      "%s at t = %s s: constraint '%s' depended on others at the start and was omitted, but the "
      "others do not imply it any more: its %s is %s; start where it is independent, or use radau "
      "or coordinate-projection, which satisfy all constraints",
      self->method->info.name, vida__real_text(at, t, 6), self->model.system->rows[row].name, level,
      vida__real_text(value, own->form.rows[row], 3));
}

int vida__reference_ida_check_rows(VidaIntegration* self, double t, const double* y,
                                   VidaError* error) {
  vida_reference_ida* own = self->state;
  if (own->left_out == 0) {
    return VIDA_SUCCESS;
  }
  const double* v = y + self->model.n;
  int code = vida__jacobian(&self->model.evaluator, t, y, own->form.entries);
  code = code ? code : vida__constraints(&self->model.evaluator, t, y, NULL, own->form.rows);
  if (code) {
    return vida__evaluation_failed(self, code, error);
  }
  measure_reach(self, own->position_size, self->work.constraint_work);
  int broken = find_broken(self);
  if (broken >= 0) {
    return fail_broken(self, broken, t, "g", error);
  }
  code = vida__constraint_rate(&self->model.evaluator, t, y, own->form.rows);
  if (code) {
    return vida__evaluation_failed(self, code, error);
  }
  vida__add_constraint_velocity(self->model.system, own->form.entries, 1.0, v, own->form.rows);
  measure_reach(self, own->speed_size, self->work.constraint_work);
  broken = find_broken(self);
  return broken >= 0 ? fail_broken(self, broken, t, "G v + g_t", error) : VIDA_SUCCESS;
}
