#include "study/work/work_integral.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/finite.h"
#include "base/memory.h"
#include "system/contacts/contacts.h"
#include "system/evaluate/time_jumps.h"

/* The difference between the work of two steps and that of one step over both is 2^6 - 1 times the
 * error for order six, and a smaller multiple if the order is not yet reached. */
static const double pair_factor = 15.0;
/* Every PAIRS-th pair of steps is compared with a step over both. */
enum { PAIRS = 4 };
/* Functions of time are evaluated inside the step, at this fraction from its ends. */
static const double inside = 1e-10;

/* ---- interpolation --------------------------------------------------------------------------- */

static bool has_accelerations(const vida_work_node* node, int n) {
  return vida__are_finite(node->a, n);
}

/* Computes q and v at the fraction x of the step from one node to the other. It distributes the
 * change of q, not q itself, so that large coordinates do not reduce the precision of v. */
static void interpolate(const vida_work_node* from, const vida_work_node* to, int n, bool quintic,
                        double x, double* q, double* v) {
  const double h = to->t - from->t, y = 1.0 - x;
  for (int i = 0; i < n; i++) {
    const double slope = (to->q[i] - from->q[i]) / h;
    /* The remainder of the straight line and its slope: u(0) = u(1) = 0, u' = v - slope. */
    const double left = from->v[i] - slope, right = to->v[i] - slope;
    double u = h * x * y * (left * y - right * x);
    double rate = left * y * (1.0 - 3.0 * x) + right * x * (3.0 * x - 2.0);
    if (quintic) {
      /* ... and the remainder of the cubic in the accelerations. */
      const double bend = from->a[i] + (4.0 * left + 2.0 * right) / h;
      const double bend_to = to->a[i] - (2.0 * left + 4.0 * right) / h;
      const double square = x * x * y * y;
      u += 0.5 * h * h * square * (bend * y + bend_to * x);
      rate +=
          0.5 * h *
          (2.0 * x * y * (1.0 - 2.0 * x) * (bend * y + bend_to * x) + square * (bend_to - bend));
    }
    q[i] = from->q[i] + x * (to->q[i] - from->q[i]) + u;
    v[i] = slope + rate;
  }
}

/* The inner points of Lobatto's rule of order six. */
static const double place[] = {0.27639320225002103, 0.72360679774997897};

/* ---- the work of a step ---------------------------------------------------------------------- */

static bool is_quintic(const vida_work* work, const vida_work_node* from,
                       const vida_work_node* to) {
  const int n = work->system->coordinate_count;
  return has_accelerations(from, n) && has_accelerations(to, n);
}

/* Computes the power at both inner points into work->energy_rate, and the accelerations there into
 * inner (2 n, nullable); NaN if a state has no power. */
static double integrate_power(vida_work* work, const vida_work_node* from, const vida_work_node* to,
                              bool quintic, double* inner) {
  const int n = work->system->coordinate_count;
  const double h = to->t - from->t;
  double sum = from->energy_rate + to->energy_rate;
  for (int k = 0; k < 2; k++) {
    double energy_rate = 0.0;
    interpolate(from, to, n, quintic, place[k], work->q, work->v);
    double* a = inner ? inner + k * n : NULL;
    if (vida__power_find(work->power, from->t + place[k] * h, work->q, work->v, &energy_rate, a)) {
      return (double)NAN;
    }
    work->energy_rate[k] = energy_rate;
    sum += 5.0 * energy_rate;
  }
  return h * sum / 12.0;
}

/* Returns the work in the last step up to x, from the cubic through the power at its four points.
 */
static double integrate_part(const vida_work* work, double x) {
  const double h = work->right.t - work->left.t;
  const double node[] = {0.0, place[0], place[1], 1.0};
  const double energy_rate[] = {work->left.energy_rate, work->energy_rate[0], work->energy_rate[1],
                                work->right.energy_rate};
  double sum = 0.0;
  for (int k = 0; k < 4; k++) {
    double c[4] = {1.0}, scale = 1.0; /* the product of the other x - node, by powers of x */
    int degree = 0;
    for (int j = 0; j < 4; j++) {
      if (j == k) {
        continue;
      }
      degree++;
      for (int i = degree; i >= 0; i--) {
        c[i] = (i > 0 ? c[i - 1] : 0.0) - node[j] * (i < degree ? c[i] : 0.0);
      }
      scale *= node[k] - node[j];
    }
    sum +=
        energy_rate[k] / scale * x * (c[0] + x * (c[1] / 2.0 + x * (c[2] / 3.0 + x * c[3] / 4.0)));
  }
  return h * sum;
}

/* Computes the power and the accelerations at a node; formulas of time are evaluated at `t`. */
static void find_power(vida_work* work, vida_work_node* node, double t) {
  if (vida__power_find(work->power, work->jumps ? t : node->t, node->q, node->v, &node->energy_rate,
                       node->a)) {
    node->energy_rate = (double)NAN;
  }
}

static void copy_node(const vida_work* work, const vida_work_node* from, vida_work_node* to) {
  const size_t n = (size_t)work->system->coordinate_count;
  to->t = from->t;
  to->energy_rate = from->energy_rate;
  memcpy(to->q, from->q, 3 * n * sizeof *to->q); /* v and a follow q */
}

static void set_node(const vida_work* work, vida_work_node* node, double t, const double* q,
                     const double* v) {
  const size_t bytes = (size_t)work->system->coordinate_count * sizeof *q;
  node->t = t;
  memcpy(node->q, q, bytes);
  memcpy(node->v, v, bytes);
}

/* Estimates the error from every PAIRS-th pair of steps of the same size. */
static void compare_pair(vida_work* work, double done) {
  const vida_work_node *first = &work->coarse, *middle = &work->left, *last = &work->right;
  const bool second = work->steps % 2 == 1;
  const double a = middle->t - first->t, b = last->t - middle->t;
  work->pair = second ? work->pair + done : done;
  if (!second) {
    copy_node(work, &work->left, &work->coarse);
  } else if (work->steps / 2 % PAIRS == 0 && fabs(a - b) < 1e-6 * b) {
    const double kept[] = {work->energy_rate[0], work->energy_rate[1]};
    const double over_both =
        integrate_power(work, first, last, is_quintic(work, first, last), NULL);
    memcpy(work->energy_rate, kept, sizeof kept);
    if (isfinite(over_both)) {
      vida__add_to_sum(&work->doubt, PAIRS * (work->pair - over_both) / pair_factor);
      work->error = fmax(work->error, fabs(vida__sum_value(&work->doubt))); /* leaves NaN out */
    }
  }
}

/* A part of a step next to a jump has no pair: its estimated error is the effect of the
 * accelerations on the work, the difference to a rule of order four. Pairs start again after the
 * jump. */
static void compare_part(vida_work* work, double done) {
  const double kept[] = {work->energy_rate[0], work->energy_rate[1]};
  const double rough = integrate_power(work, &work->left, &work->right, false, NULL);
  memcpy(work->energy_rate, kept, sizeof kept);
  work->lone += isfinite(rough) ? fabs(done - rough) / pair_factor : 0.0;
  work->error = fmax(work->error, work->lone); /* leaves NaN out */
  work->steps |= 1;
}

static void add_work(vida_work* work, double before) {
  const double h = work->right.t - work->left.t;
  const bool is_part = isfinite(work->after) || isfinite(before);
  const double from = fmax(work->left.t + inside * h, nextafter(work->left.t, INFINITY));
  const double to = fmin(work->right.t - inside * h, nextafter(work->right.t, -INFINITY));
  if (work->jumps || isfinite(work->after)) { /* behind a jump its other side is known */
    find_power(work, &work->left, fmax(from, work->after));
  }
  find_power(work, &work->right, fmin(to, before));
  const double done =
      integrate_power(work, &work->left, &work->right, is_quintic(work, &work->left, &work->right),
                      work->balance.inner);
  if (work->balance.n > 0 && isfinite(done)) {
    vida__balance_velocities(&work->balance, work->left.t, h, work->left.v, work->left.a,
                             work->right.v, work->right.a);
  }
  work->earlier = vida__sum_value(&work->work);
  vida__add_to_sum(&work->work, done);
  if (work->known && !isfinite(done)) {
    work->known = false;
    work->unknown_t = work->right.t;
  }
  if (work->known && is_part) {
    compare_part(work, done);
  } else if (work->known) {
    compare_pair(work, done);
  }
}

double vida__work_at(vida_work* work, double t) {
  const vida_work_node *from = &work->left, *to = &work->right;
  if (!work->power) {
    return 0.0;
  }
  if (!work->known) {
    return (double)NAN;
  }
  if (work->only_events || work->steps == 0 || !(t < to->t)) {
    return vida__sum_value(&work->work);
  }
  return work->earlier + integrate_part(work, (t - from->t) / (to->t - from->t));
}

/* The factor of the order is for steps that resolve the motion. */
double vida__work_uncertainty(const vida_work* work) {
  return !work->power ? 0.0 : isnan(work->error) ? INFINITY : pair_factor * work->error;
}

/* ---- integrals of rows ----------------------------------------------------------------------- */

/* Integrates the rows A v + b by Gauss' rule of order four, which suffices for the cubic. If A is a
 * gradient, the integral does not depend on the path between the nodes: it is the drift of the row.
 */
static void add_rows(vida_work* work) {
  static const double rule[] = {0.21132486540518712, 0.78867513459481288};
  const VidaSystem* system = work->system;
  const int n = system->coordinate_count, m = system->row_count;
  const bool drives = system->exchange & VIDA_EXCHANGE_DRIVES;
  const double h = work->right.t - work->left.t;
  memset(work->row, 0, (size_t)m * sizeof *work->row);
  for (int k = 0; k < 2; k++) {
    const double x = rule[k];
    interpolate(&work->left, &work->right, n, false, x, work->q, work->v);
    const double t = work->left.t + x * h;
    memset(work->rate, 0, (size_t)m * sizeof *work->rate);
    if (vida__jacobian(work->evaluator, t, work->q, work->entries) ||
        (drives && vida__constraint_rate(work->evaluator, t, work->q, work->rate))) {
      return;
    }
    vida__add_constraint_velocity(system, work->entries, 1.0, work->v, work->rate);
    for (int r = 0; r < m; r++) {
      work->row[r] += 0.5 * h * work->rate[r];
    }
  }
  for (int r = 0; r < m; r++) {
    if (system->rows[r].is_nonholonomic) {
      vida__add_to_sum(&work->integral[r], work->row[r]);
      work->slip = fmax(work->slip, fabs(vida__sum_value(&work->integral[r])));
    }
  }
}

/* ---- the whole ------------------------------------------------------------------------------- */

static int allocate(vida_work* work, VidaError* error) {
  const VidaSystem* system = work->system;
  const size_t n = (size_t)system->coordinate_count, m = (size_t)system->row_count;
  vida_work_node* const nodes[] = {&work->left, &work->right, &work->coarse};
  work->memory = vida__allocate(11 * n + 2 * m + (size_t)system->entry_count + 1, sizeof(double));
  work->integral = vida__allocate(m + 1, sizeof *work->integral);
  if (!work->memory || !work->integral) {
    return vida__fail_memory(error);
  }
  double* next = work->memory;
  for (size_t k = 0; k < sizeof nodes / sizeof nodes[0]; k++) {
    nodes[k]->q = next;
    nodes[k]->v = next + n;
    nodes[k]->a = next + 2 * n;
    next += 3 * n;
  }
  work->q = next;
  work->v = next + n;
  work->row = next + 2 * n;
  work->rate = work->row + m;
  work->entries = work->rate + m;
  return VIDA_SUCCESS;
}

/* Friction and moving ground do work while a contact is closed, which is not integrated. What
 * impacts take is known where they are events, and not from time stepping. */
static bool has_working_contacts(const VidaSystem* system, bool is_time_stepping) {
  const vida_contacts* contacts = system->contacts;
  bool works = contacts && contacts->set.time_dependent;
  for (int i = 0; contacts && i < contacts->count; i++) {
    works = works || contacts->list[i].friction > 0.0 ||
            (is_time_stepping && contacts->list[i].restitution < 1.0);
  }
  for (int b = 0; contacts && b < contacts->set.constraint_batch_count; b++) {
    const vida_functions* functions = contacts->set.constraint_batches[b].functions;
    works = works || (functions && functions->timed);
  }
  return works;
}

int vida__create_work(const VidaSystem* system, bool is_time_stepping, vida_work* work,
                      VidaError* error) {
  const bool exchanges = vida__has_energy_sources(system);
  const bool only_events =
      system->exchange == VIDA_EXCHANGE_EVENTS && !vida__has_timed_forces(system);
  *work = (vida_work){.system = system,
                      .only_events = only_events,
                      .known = !has_working_contacts(system, is_time_stepping),
                      .unknown_t = NAN,
                      .error = exchanges && !only_events ? (double)NAN : 0.0};
  if (!exchanges && !system->nonholonomic) {
    return VIDA_SUCCESS;
  }
  work->jumps = vida__has_jumps(system);
  int code = allocate(work, error);
  if (!code && exchanges) {
    code = vida__power_create(system, &work->power, error);
  }
  if (!code && system->nonholonomic) {
    work->evaluator = vida__allocate(1, sizeof *work->evaluator);
    code = work->evaluator ? vida__evaluator_create(system, work->evaluator, error)
                           : vida__fail_memory(error);
  }
  return code;
}

int vida__watch_velocities(vida_work* work, VidaError* error) {
  return work->power && vida__has_timed_forces(work->system)
             ? vida__create_velocity_balance(work->system, &work->balance, error)
             : VIDA_SUCCESS;
}

void vida__destroy_work(vida_work* work) {
  vida__destroy_velocity_balance(&work->balance);
  if (work->power) {
    vida__power_destroy(&work->power);
  }
  if (work->evaluator) {
    vida__evaluator_destroy(work->evaluator);
  }
  free(work->evaluator);
  free(work->memory);
  free(work->integral);
  *work = (vida_work){0};
}

bool vida__work_is_needed(const vida_work* work) {
  return work->power || work->evaluator;
}

void vida__begin_work(vida_work* work, double t, const double* q, const double* v) {
  if (!vida__work_is_needed(work)) {
    return;
  }
  work->after = -INFINITY;
  set_node(work, &work->right, t, q, v);
  if (work->power && !work->only_events) {
    vida__power_mark(work->power, t, q, v);
    find_power(work, &work->right, t);
  }
}

/* Adds the step to a node, or to a jump whose earlier side ends at `before`. */
static void follow(vida_work* work, double t, const double* q, const double* v, double before) {
  if (!vida__work_is_needed(work) || !(t > work->right.t)) {
    return;
  }
  copy_node(work, &work->right, &work->left);
  set_node(work, &work->right, t, q, v);
  if (work->power && !work->only_events) {
    add_work(work, before);
  }
  if (work->evaluator) {
    add_rows(work);
  }
  work->steps++;
  work->after = -INFINITY;
}

void vida__follow_work(vida_work* work, double t, const double* q, const double* v) {
  follow(work, t, q, v, INFINITY);
}

void vida__follow_work_to_jump(vida_work* work, double t, const double* q, const double* v,
                               double before) {
  follow(work, t, q, v, before);
  work->before = before;
}

void vida__follow_work_over_jump(vida_work* work, double t, const double* q, const double* v,
                                 double after) {
  vida_work_node* node = &work->right;
  double from = 0.0, to = 0.0;
  if (!vida__work_is_needed(work)) {
    return;
  }
  if (work->power) {
    int code = vida__power_energy(work->power, work->before, node->q, node->v, &from);
    code = code ? code : vida__power_energy(work->power, after, q, v, &to);
    vida__add_to_sum(&work->work, code ? (double)NAN : to - from);
    if (code && work->known) {
      work->known = false;
      work->unknown_t = t;
    }
  }
  set_node(work, node, t, q, v);
  work->after = after;
  work->steps = 2 * ((work->steps + 1) / 2);
}

static void record_node(vida_work_node* node, size_t n, VidaRecord* record) {
  VidaRecord_Reals(record, &node->t, 1);
  VidaRecord_Reals(record, &node->energy_rate, 1);
  VidaRecord_Reals(record, node->q, 3 * n); /* v and a follow q */
}

void vida__work_record(vida_work* work, VidaRecord* record) {
  const size_t n = (size_t)work->system->coordinate_count, m = (size_t)work->system->row_count;
  double* const reals[] = {&work->before,         &work->after,      &work->energy_rate[0],
                           &work->energy_rate[1], &work->lone,       &work->work.sum,
                           &work->work.lost,      &work->earlier,    &work->pair,
                           &work->doubt.sum,      &work->doubt.lost, &work->error,
                           &work->unknown_t,      &work->slip};
  vida__record_part(record, "work");
  VidaRecord_Integer(record, &work->steps, 0, LONG_MAX / 64);
  VidaRecord_Flag(record, &work->known);
  for (size_t k = 0; k < sizeof reals / sizeof *reals; k++) {
    VidaRecord_Reals(record, reals[k], 1);
  }
  if (work->memory) {
    record_node(&work->left, n, record);
    record_node(&work->right, n, record);
    record_node(&work->coarse, n, record);
    for (size_t r = 0; r < m; r++) {
      VidaRecord_Reals(record, &work->integral[r].sum, 1);
      VidaRecord_Reals(record, &work->integral[r].lost, 1);
    }
  }
  if (work->power) {
    vida__power_record(work->power, record);
  }
  vida__velocity_balance_record(&work->balance, record);
}
