#include "stepper/jumps.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "stepper/branch_watch.h"
#include "stepper/hybrid/hybrid.h"

enum { MOST_PARTS = 10000 };
/* Jumps of a row and of its rate, relative to the reach of the row. */
static const double jump_of_row = 1e-10, jump_of_rate = 1e-9;

/* ---- making it ------------------------------------------------------------------------------- */

int vida__jumps_create(VidaStepper* stepper, VidaError* error) {
  const size_t n = (size_t)stepper->self.model.n, m = (size_t)stepper->self.model.m;
  if (!vida__has_jumps(stepper->self.model.system)) {
    return VIDA_SUCCESS;
  }
  vida_jumps* made = vida__allocate(1, sizeof *made);
  stepper->jumps = made;
  if (!made) {
    return vida__fail_memory(error);
  }
  made->q = vida__allocate(4 * n + 2 * m, sizeof *made->q);
  if (!made->q) {
    return vida__fail_memory(error);
  }
  made->v = made->q + n;
  made->q_node = made->v + n;
  made->v_node = made->q_node + n;
  made->rows = made->v_node + n;
  made->rows_right = made->rows + m;
  stepper->self.model.evaluator.segment = &stepper->segment;
  return vida__jump_search_create(stepper->self.model.system, &made->search, error);
}

void vida__jumps_destroy(vida_jumps** jumps) {
  vida_jumps* old = *jumps;
  if (old) {
    vida__jump_search_destroy(&old->search);
    free(old->q);
    free(old);
    *jumps = NULL;
  }
}

void vida__follow_segment(const VidaIntegration* self, vida_evaluator* evaluator) {
  evaluator->segment = self->model.evaluator.segment;
}

void vida__follow_equations(const VidaIntegration* self, vida_equations* equations) {
  if (equations) {
    vida__follow_segment(self, vida__equations_evaluator(equations));
  }
}

void vida__set_jump_function(VidaStepper* stepper, int (*tell)(void*, VidaStepper*, VidaError*),
                             void* data) {
  if (stepper && stepper->jumps) {
    stepper->jumps->tell = tell;
    stepper->jumps->data = data;
  }
}

const char* vida__velocity_jump(const VidaStepper* stepper, double* t) {
  const vida_jumps* jumps = stepper ? stepper->jumps : NULL;
  if (!jumps || jumps->velocity_row < 0) {
    return NULL;
  }
  *t = jumps->velocity_t;
  return stepper->self.model.system->rows[jumps->velocity_row].name;
}

bool vida__space_nodes(VidaStepper* stepper, double h) {
  vida_jumps* jumps = stepper->jumps;
  if (stepper->hybrid) {
    vida__hybrid_space_nodes(stepper, h);
    return true;
  }
  if (!jumps) {
    return false;
  }
  jumps->t0 = VidaStepper_Time(stepper);
  jumps->h = h;
  jumps->step = 0;
  return true;
}

/* ---- looking ahead --------------------------------------------------------------------------- */

static double slack_at(double t, double end) {
  return 16.0 * DBL_EPSILON * fmax(fabs(t), fabs(end));
}

/* Finds the next jump up to `end`; the segment up to it becomes that of the stepper. */
static int look_ahead(VidaStepper* stepper, double at, double end, bool* found, VidaError* error) {
  vida_jumps* jumps = stepper->jumps;
  const double from = fmax(at, jumps->from);
  vida_jump next;
  int code = vida__find_jump(&jumps->search, from, end + slack_at(at, end), &next, found, error);
  if (code) {
    return code;
  }
  const double to = *found ? next.before : end;
  stepper->segment = (vida_segment){jumps->from > at - slack_at(at, end) ? jumps->from : -INFINITY,
                                    *found ? next.before : INFINITY, from + 0.5 * (to - from)};
  *found = *found && next.t <= end + slack_at(at, end);
  if (*found) {
    jumps->jump = next;
  }
  return VIDA_SUCCESS;
}

/* Finds the next jump after the jump at `at`, if there is one. */
static int look_behind(VidaStepper* stepper, double at, double end, bool* found, VidaError* error) {
  int code = look_ahead(stepper, at, end, found, error);
  while (!code && *found && stepper->jumps->jump.t <= at + slack_at(at, end)) {
    stepper->jumps->from = stepper->jumps->jump.after;
    code = look_ahead(stepper, at, end, found, error);
  }
  return code;
}

int vida__jumps_begin(VidaStepper* stepper, double t0, double h, VidaError* error) {
  vida_jumps* jumps = stepper->jumps;
  bool found;
  jumps->t0 = t0;
  jumps->h = h;
  jumps->step = 0;
  jumps->from = -INFINITY;
  jumps->is_at_jump = jumps->is_left = jumps->is_inside = false;
  jumps->before = (VidaStatistics){0};
  jumps->velocity_row = -1;
  return isfinite(t0) && isfinite(h) && h > 0.0 ? look_behind(stepper, t0, t0 + h, &found, error)
                                                : VIDA_SUCCESS; /* which the start refuses */
}

/* ---- crossing -------------------------------------------------------------------------------- */

static void set_edge(vida_jumps* jumps, bool is_left) {
  const double beside = is_left ? jumps->jump.before : jumps->jump.after;
  jumps->is_at_jump = true;
  jumps->is_left = is_left;
  jumps->edge = (vida_segment){-INFINITY, INFINITY, beside};
}

bool vida__multipliers_at_jump(VidaStepper* stepper, double* lambda) {
  const double* v;
  VidaError unused;
  if (!stepper->jumps || !stepper->jumps->is_at_jump) {
    return false;
  }
  if (vida__node_velocities(&stepper->self, &v, &unused) ||
      vida__accelerations(&stepper->self, vida__node_time(&stepper->self), stepper->self.node.q, v,
                          stepper->self.work.place, lambda)) {
    for (int r = 0; r < stepper->self.model.m; r++) {
      lambda[r] = (double)NAN;
    }
  }
  return true;
}

static int tell(VidaStepper* stepper, VidaError* error) {
  vida_jumps* jumps = stepper->jumps;
  if (!jumps->tell) {
    return VIDA_SUCCESS;
  }
  jumps->is_inside = true;
  const int code = jumps->tell(jumps->data, stepper, error);
  jumps->is_inside = false;
  return code;
}

/* Computes g into rows, G v + g_t into rates, and G into the entries, on the side of the segment.
 */
static int measure_rows(VidaStepper* stepper, double t, const double* q, const double* v,
                        double* rows, double* rates) {
  vida_evaluator* evaluator = &stepper->self.model.evaluator;
  double* entries = stepper->self.work.entries;
  int code = vida__constraints(evaluator, t, q, NULL, rows);
  code = code ? code : vida__jacobian(evaluator, t, q, entries);
  return code ? code : vida__velocity_residual(evaluator, t, q, entries, v, rates);
}

/* Checks the rows after the jump at t: positions cannot jump, velocities can. */
static int check_rows(VidaStepper* stepper, double t, const double* g_left, const double* rate_left,
                      bool* rates_jump, VidaError* error) {
  const double rounding = 4.0 * slack_at(t, t); /* of times, in which g and its rate move */
  vida_jumps* jumps = stepper->jumps;
  const double* g = stepper->self.work.g_work;
  const double* rate = jumps->rows_right;
  char number[VIDA_REAL_TEXT_SIZE], size[VIDA_REAL_TEXT_SIZE];
  double* scale = stepper->self.work.constraint_work;
  for (int r = 0; r < stepper->self.model.m; r++) {
    scale[r] = fabs(rate[r]) + fabs(rate_left[r]);
    if (fabs(g[r] - g_left[r]) > jump_of_row * stepper->self.model.reach[r] + rounding * scale[r]) {
      return vida__fail(error, VIDA_NOT_SUPPORTED,
                        "constraint '%s' jumps by %s at t = %s, and no motion can follow the jump",
                        stepper->self.model.system->rows[r].name,
                        vida__real_text(size, g[r] - g_left[r], 6), vida__real_text(number, t, 10));
    }
  }
  for (int e = 0; e < stepper->self.model.system->entry_count; e++) {
    const vida_jacobian_entry* entry = &stepper->self.model.system->entries[e];
    scale[entry->row] += fabs(stepper->self.work.entries[e] * jumps->v[entry->coordinate]);
  }
  *rates_jump = false;
  double* bias = stepper->self.work.g_work;
  if (vida__constraint_bias(&stepper->self.model.evaluator, t, jumps->q, jumps->v, bias)) {
    memset(bias, 0, (size_t)stepper->self.model.m * sizeof *bias);
  }
  for (int r = 0; r < stepper->self.model.m; r++) {
    const bool jumps_here =
        fabs(rate[r] - rate_left[r]) > jump_of_rate * scale[r] + rounding * fabs(bias[r]);
    *rates_jump = *rates_jump || jumps_here;
    if (jumps_here && jumps->velocity_row < 0) {
      jumps->velocity_row = r;
      jumps->velocity_t = t;
    }
  }
  return VIDA_SUCCESS;
}

/* Computes the velocities after the jump: if the rate of a constraint jumps, an impulse of the
 * constraints changes them. */
static int meet_rows(VidaStepper* stepper, double t, const double* g_left, const double* rate_left,
                     VidaError* error) {
  vida_jumps* jumps = stepper->jumps;
  bool rates_jump = false;
  int code =
      measure_rows(stepper, t, jumps->q, jumps->v, stepper->self.work.g_work, jumps->rows_right);
  if (code) {
    return vida__evaluation_failed(&stepper->self, code, error);
  }
  code = check_rows(stepper, t, g_left, rate_left, &rates_jump, error);
  return code || !rates_jump ? code
                             : vida__project_rates(&stepper->self, t, jumps->q, jumps->v, error);
}

void vida__add_statistics(VidaStatistics* sum, VidaStatistics more) {
  sum->steps += more.steps;
  sum->rejected_steps += more.rejected_steps;
  sum->newton_iterations += more.newton_iterations;
  sum->residual_evaluations += more.residual_evaluations;
  sum->jacobian_evaluations += more.jacobian_evaluations;
  sum->factorizations += more.factorizations;
  sum->forced_steps += more.forced_steps;
}

/* A whole step has exactly the length of all other steps. */
static double part_size(const vida_jumps* jumps, double at, double target) {
  const double way = target - at;
  return fabs(way - jumps->h) <= slack_at(at, target) ? jumps->h : way;
}

static int start_part(VidaStepper* stepper, double t, double h, VidaError* error) {
  vida_jumps* jumps = stepper->jumps;
  vida__add_statistics(&jumps->before, stepper->self.statistics);
  return vida__start_motion(stepper, t, h, jumps->q, jumps->v, true, error);
}

/* Moves to the later side of the jump at the current state, and starts the method there; the next
 * jump is then known. */
static int cross(VidaStepper* stepper, double at, double end, bool* found, VidaError* error) {
  vida_jumps* jumps = stepper->jumps;
  double* rate_left = jumps->rows;
  double* g_left = stepper->self.model.least_norm;
  int code = tell(stepper, error);
  if (!code && stepper->self.model.m > 0) {
    code = measure_rows(stepper, at, jumps->q, jumps->v, g_left, rate_left);
    code = code ? vida__evaluation_failed(&stepper->self, code, error) : code;
  }
  jumps->from = jumps->jump.after;
  set_edge(jumps, false);
  const vida_jump crossed = jumps->jump;
  code = code ? code : look_behind(stepper, at, end, found, error);
  if (!code && stepper->self.model.m > 0) {
    code = meet_rows(stepper, at, g_left, rate_left, error);
  }
  if (!code) {
    const double target = *found ? fmin(jumps->jump.t, end) : end;
    code = start_part(stepper, at, part_size(jumps, at, target), error);
  }
  const vida_jump next = jumps->jump;
  jumps->jump = crossed;
  code = code ? code : tell(stepper, error);
  jumps->jump = next;
  jumps->is_at_jump = false;
  return code;
}

/* ---- parts of a step ------------------------------------------------------------------------- */

/* Advances from `at` to `target`; jumps->q and v contain the state before and after. */
static int make_part(VidaStepper* stepper, double at, double target, VidaError* error) {
  vida_jumps* jumps = stepper->jumps;
  const double way = target - at;
  if (way < VIDA_SHORTEST_PART * jumps->h &&
      vida__advance_shortly(&stepper->self, at, way, jumps->q, jumps->v)) {
    return start_part(stepper, target, jumps->h, error);
  }
  const double slack = slack_at(at, target);
  int code = VIDA_SUCCESS;
  if (fabs(vida__node_time(&stepper->self) - at) > slack ||
      fabs(stepper->self.node.h - way) > slack) {
    code = start_part(stepper, at, part_size(jumps, at, target), error);
  }
  code = code ? code : vida__make_step(stepper, error);
  return code ? code : vida__copy_state(&stepper->self, jumps->q, jumps->v, error);
}

static int make_parts(VidaStepper* stepper, double at, double end, bool found, VidaError* error) {
  vida_jumps* jumps = stepper->jumps;
  const double slack = slack_at(at, end);
  int code = VIDA_SUCCESS;
  for (int parts = 0; !code; parts++) {
    if (parts == MOST_PARTS) {
      char t[VIDA_REAL_TEXT_SIZE];
      return vida__fail(error, VIDA_NOT_SUPPORTED,
                        "there are more than %d jumps in the step that ends at t = %s; try a "
                        "smaller h, which is also the interval between output states",
                        MOST_PARTS, vida__real_text(t, end, 10));
    }
    if (jumps->is_left) {
      code = cross(stepper, at, end, &found, error);
    }
    const bool is_last = !found || jumps->jump.t >= end - slack;
    const double target = is_last ? end : jumps->jump.t;
    code = code ? code : make_part(stepper, at, target, error);
    if (code) {
      break;
    }
    at = target;
    jumps->is_at_jump = false;
    if (found) {
      set_edge(jumps, true);
    }
    if (is_last) {
      break;
    }
  }
  return code;
}

/* Restores the state before the step. */
static void return_to_node(VidaStepper* stepper, const vida_jumps* kept, vida_segment segment) {
  vida_jumps* jumps = stepper->jumps;
  VidaError unused;
  jumps->from = kept->from;
  jumps->jump = kept->jump;
  jumps->edge = kept->edge;
  jumps->is_at_jump = kept->is_at_jump;
  jumps->is_left = kept->is_left;
  stepper->segment = segment;
  memcpy(jumps->q, jumps->q_node, (size_t)stepper->self.model.n * sizeof *jumps->q);
  memcpy(jumps->v, jumps->v_node, (size_t)stepper->self.model.n * sizeof *jumps->v);
  start_part(stepper, jumps->t0 + (double)jumps->step * jumps->h, jumps->h, &unused);
}

int vida__jumps_step(VidaStepper* stepper, VidaError* error) {
  vida_jumps* jumps = stepper->jumps;
  const vida_jumps kept = *jumps;
  const double at = jumps->t0 + (double)jumps->step * jumps->h;
  const double end = jumps->t0 + (double)(jumps->step + 1) * jumps->h;
  const vida_segment segment = stepper->segment;
  bool found = false;
  int code = VIDA_SUCCESS;
  if (!jumps->is_left) {
    jumps->is_at_jump = false;
    code = look_behind(stepper, at, end, &found, error);
  }
  if (code) {
    return code;
  }
  /* Without a jump in the interval, the step is bitwise equal to a step of a system without jumps.
   */
  const double slack = slack_at(at, end);
  if (!jumps->is_left && !found && fabs(stepper->self.node.h - jumps->h) <= slack) {
    code = vida__make_step(stepper, error);
  } else {
    code = vida__copy_state(&stepper->self, jumps->q_node, jumps->v_node, error);
    if (code) {
      return code;
    }
    memcpy(jumps->q, jumps->q_node, (size_t)stepper->self.model.n * sizeof *jumps->q);
    memcpy(jumps->v, jumps->v_node, (size_t)stepper->self.model.n * sizeof *jumps->v);
    code = make_parts(stepper, at, end, found, error);
    if (code) {
      return_to_node(stepper, &kept, segment);
    }
  }
  jumps->step += code ? 0 : 1;
  return code;
}

/* ---- records --------------------------------------------------------------------------------- */

void vida__record_segment(vida_segment* segment, VidaRecord* record) {
  VidaRecord_Reals(record, &segment->from, 1);
  VidaRecord_Reals(record, &segment->to, 1);
  VidaRecord_Reals(record, &segment->moment, 1);
}

void vida__jumps_record(VidaStepper* stepper, VidaRecord* record) {
  vida_jumps* jumps = stepper->jumps;
  if (!jumps) {
    return;
  }
  const size_t n = (size_t)stepper->self.model.n, m = (size_t)stepper->self.model.m;
  double* reals[] = {&jumps->t0,          &jumps->h,      &jumps->from,      &jumps->velocity_t,
                     &jumps->jump.before, &jumps->jump.t, &jumps->jump.after};
  vida__record_part(record, "jumps in time");
  for (size_t k = 0; k < sizeof reals / sizeof *reals; k++) {
    VidaRecord_Reals(record, reals[k], 1);
  }
  VidaRecord_Integer(record, &jumps->step, 0, LONG_MAX);
  VidaRecord_Flag(record, &jumps->is_at_jump);
  VidaRecord_Flag(record, &jumps->is_left);
  VidaRecord_Reals(record, jumps->q, 4 * n + 2 * m); /* and what is behind it */
  vida__record_segment(&jumps->edge, record);
  vida__record_integers(record, &jumps->velocity_row, 1, -1, stepper->self.model.m - 1);
  vida__record_statistics(&jumps->before, record);
}
