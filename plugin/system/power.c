#include "system/power.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <vida/contact.h>

#include "base/error.h"
#include "base/memory.h"
#include "system/model/event.h"

struct vida_power {
  const VidaSystem* system;
  vida_equations* equations; /* NULL if the power does not need them */
  vida_evaluator evaluator;
  double *l_q, *l_v, *a; /* n each */
  double *lambda, *rate; /* m each */
};

/* The rounding error of a vanishing sum, relative to the sizes of its terms. */
static const double rounding = 1e-12;

/* ---- parts of the power ---------------------------------------------------------------------- */

/* Adds f v of one batch of forces to *energy_rate, and its size to *size; `force` (n) is work
 * space. */
static int find_batch_power(vida_evaluator* evaluator, const vida_term_batch* batch, double t,
                            const double* q, const double* v, double* force, double* energy_rate,
                            double* size) {
  const int n = evaluator->system->coordinate_count;
  const vida_place at = vida__place(evaluator, t, q, v);
  memset(force, 0, (size_t)n * sizeof *force);
  const int code = batch->kernel->gradient(batch, &at, force, force);
  for (int i = 0; i < n && !code; i++) {
    *energy_rate += force[i] * v[i];
    *size += fabs(force[i] * v[i]);
  }
  return code;
}

/* Computes L_t. */
static int find_time_rate(vida_evaluator* evaluator, double t, const double* q, const double* v,
                          double* l_t) {
  const VidaSystem* system = evaluator->system;
  const vida_place at = vida__place(evaluator, t, q, v);
  int code = VIDA_SUCCESS;
  for (int b = 0; b < system->term_batch_count && !code; b++) {
    const vida_term_batch* batch = &system->term_batches[b];
    code = batch->kernel->rate ? batch->kernel->rate(batch, &at, l_t) : VIDA_SUCCESS;
  }
  return code;
}

/* ---- sources of energy exchange -------------------------------------------------------------- */

/* Returns whether some holonomic constraint depends on time. */
static bool has_moving_constraint(const VidaSystem* system) {
  for (int b = 0; b < system->constraint_batch_count; b++) {
    const vida_constraint_batch* batch = &system->constraint_batches[b];
    if (batch->count > 0 && !batch->kernel->is_nonholonomic && batch->functions &&
        batch->functions->timed) {
      return true;
    }
  }
  return system->time_dependent;
}

static bool has_timed_formula(const VidaSystem* system) {
  for (int b = 0; b < system->term_batch_count; b++) {
    const vida_term_batch* batch = &system->term_batches[b];
    if (batch->count > 0 && !batch->kernel->is_force && batch->functions &&
        batch->functions->timed) {
      return true;
    }
  }
  return false;
}

/* Returns whether a force or a Lagrangian given as C functions may jump at a declared time. Its
 * values at some states then prove nothing about the other side of the jump. */
static bool may_callback_jump(const VidaSystem* system, bool is_force) {
  bool has = false;
  for (int b = 0; b < system->term_batch_count; b++) {
    const vida_term_kernel* kernel = system->term_batches[b].kernel;
    has = has || (kernel->is_callback && kernel->is_force == is_force);
  }
  return has && system->jump_time_count > 0;
}

static double next_number(unsigned long long* seed) {
  *seed = *seed * 6364136223846793005ULL + 1442695040888963407ULL;
  return (double)(*seed >> 11) / 4503599627370496.0 - 1.0;
}

/* What the states have shown: whether forces do work, C functions depend on time, and velocity rows
 * have a b. A term that cannot be evaluated there, or a force that is zero there, proves
 * nothing. */
typedef struct findings {
  bool works, timed, drives;
} findings;

static void check_node_state(vida_evaluator* evaluator, double t, const double* q, const double* v,
                             double* force, double* rate, findings* found) {
  const VidaSystem* system = evaluator->system;
  double l_t = 0.0;
  for (int b = 0; b < system->term_batch_count && !found->works; b++) {
    const vida_term_batch* batch = &system->term_batches[b];
    double energy_rate = 0.0, size = 0.0;
    if (batch->kernel->is_force && batch->count > 0) {
      const int code = find_batch_power(evaluator, batch, t, q, v, force, &energy_rate, &size);
      found->works = code || !(fabs(energy_rate) <= rounding * size) || size == 0.0;
    }
  }
  found->timed = found->timed || find_time_rate(evaluator, t, q, v, &l_t) || l_t != 0.0;
  if (system->nonholonomic && !found->drives) {
    found->drives = vida__constraint_rate(evaluator, t, q, rate);
    for (int r = 0; r < system->row_count; r++) {
      found->drives = found->drives || rate[r] != 0.0;
    }
  }
}

static void scan_states(vida_evaluator* evaluator, double* work, findings* found) {
  enum { STATES = 6 };
  const VidaSystem* system = evaluator->system;
  const int n = system->coordinate_count;
  double *q = work, *v = work + n;
  unsigned long long seed = 20250701;
  double scale = 0.0;
  for (int i = 0; i < n; i++) {
    const double value = system->coordinates[i].position.value;
    scale = isfinite(value) ? fmax(scale, fabs(value)) : scale;
  }
  scale = scale > 0.0 ? scale : 1.0;
  for (int s = 0; s < STATES; s++) {
    const double t = (s % 2 ? 1.0 : 10.0) * (1.0 + next_number(&seed)) / 2.0;
    for (int i = 0; i < n; i++) {
      const double start = system->coordinates[i].position.value;
      q[i] = (isfinite(start) ? start : 0.0) + 0.3 * scale * next_number(&seed);
      v[i] = scale * next_number(&seed);
    }
    check_node_state(evaluator, t, q, v, v + n, v + 2 * n, found);
  }
}

static bool has_impulses(const VidaSystem* system) {
  bool has = VidaSystem_ContactCount(system) > 0;
  for (int i = 0; i < system->event_count; i++) {
    const VidaEventAction action = system->events[i].action;
    has = has || action == VIDA_EVENT_SET || action == VIDA_EVENT_CALL;
  }
  return has;
}

int vida__find_energy_sources(VidaSystem* system, VidaError* error) {
  const size_t n = (size_t)system->coordinate_count;
  findings found = {.works = may_callback_jump(system, true),
                    .timed = has_timed_formula(system) || may_callback_jump(system, false),
                    .drives = has_moving_constraint(system)};
  bool called = false;
  for (int b = 0; b < system->term_batch_count; b++) {
    called = called || system->term_batches[b].kernel->is_callback;
  }
  if (system->has_forces || called || system->nonholonomic) {
    vida_evaluator evaluator;
    double* work = vida__allocate(3 * n + (size_t)system->row_count, sizeof *work);
    int code = vida__evaluator_create(system, &evaluator, error);
    evaluator.multipliers = evaluator.trial;
    if (!code && !work) {
      code = vida__fail_memory(error);
    }
    if (!code) {
      scan_states(&evaluator, work, &found);
    }
    vida__evaluator_destroy(&evaluator);
    free(work);
    if (code) {
      return code;
    }
  }
  system->exchange =
      (found.works ? VIDA_EXCHANGE_FORCES : 0) | (found.timed ? VIDA_EXCHANGE_TIME : 0) |
      (found.drives ? VIDA_EXCHANGE_DRIVES : 0) | (has_impulses(system) ? VIDA_EXCHANGE_EVENTS : 0);
  return VIDA_SUCCESS;
}

bool vida__has_energy_sources(const VidaSystem* system) {
  return system->exchange != 0;
}

/* ---- at a state ------------------------------------------------------------------------------ */

int vida__power_create(const VidaSystem* system, vida_power** power, VidaError* error) {
  const size_t n = (size_t)system->coordinate_count, m = (size_t)system->row_count;
  *power = NULL;
  vida_power* made = vida__allocate(1, sizeof *made);
  if (!made) {
    return vida__fail_memory(error);
  }
  made->system = system;
  made->l_q = vida__allocate(3 * n + 2 * m + 1, sizeof *made->l_q);
  int code = vida__evaluator_create(system, &made->evaluator, error);
  code = code ? code : vida__equations_create(system, VIDA_SOLVER_AUTO, &made->equations, error);
  if (!code && !made->l_q) {
    code = vida__fail_memory(error);
  }
  if (code) {
    vida__power_destroy(&made);
    return code;
  }
  made->l_v = made->l_q + n;
  made->a = made->l_v + n;
  made->lambda = made->a + n;
  made->rate = made->lambda + m;
  *power = made;
  return VIDA_SUCCESS;
}

void vida__power_destroy(vida_power** power) {
  vida_power* old = *power;
  if (!old) {
    return;
  }
  vida__equations_destroy(&old->equations);
  vida__evaluator_destroy(&old->evaluator);
  free(old->l_q);
  free(old);
  *power = NULL;
}

int vida__power_mark(vida_power* power, double t, const double* q, const double* v) {
  return vida__equations_mark(power->equations, t, q, v);
}

/* Computes lambda g_t + alpha b with the multipliers in `power`. */
static int find_drive_power(vida_power* power, double t, const double* q, double* energy_rate) {
  const int m = power->system->row_count;
  const int code = vida__constraint_rate(&power->evaluator, t, q, power->rate);
  for (int r = 0; r < m && !code; r++) {
    *energy_rate += power->lambda[r] * power->rate[r];
  }
  return code;
}

int vida__power_find(vida_power* power, double t, const double* q, const double* v,
                     double* energy_rate, double* a) {
  const int exchange = power->system->exchange, n = power->system->coordinate_count;
  const bool drives = exchange & VIDA_EXCHANGE_DRIVES;
  double l_t = 0.0;
  int code = VIDA_SUCCESS;
  *energy_rate = 0.0;
  const bool reacts = power->system->has_reactive_forces && (exchange & VIDA_EXCHANGE_FORCES);
  if (a || drives || reacts) {
    double* into = a ? a : power->a;
    code = vida__equations_find(power->equations, t, q, v, NULL, into, power->lambda);
    for (int i = 0; i < n && !drives && !reacts && code > 0; i++) {
      into[i] = (double)NAN;
    }
    code = drives || reacts || code < 0 ? code : VIDA_SUCCESS;
  }
  if (!code && drives) {
    code = find_drive_power(power, t, q, energy_rate);
  }
  if (!code && (exchange & VIDA_EXCHANGE_FORCES)) {
    power->evaluator.multipliers = power->lambda;
    code = vida__gradient_of(&power->evaluator, VIDA_PART_FORCE | VIDA_PART_REACTIVE, t, q, v,
                             power->l_q, power->l_v);
    for (int i = 0; i < n; i++) {
      *energy_rate += power->l_q[i] * v[i];
    }
  }
  if (!code && (exchange & VIDA_EXCHANGE_TIME)) {
    code = find_time_rate(&power->evaluator, t, q, v, &l_t);
    *energy_rate -= l_t;
  }
  return code || isfinite(*energy_rate) ? code : VIDA_NOT_FINITE;
}

int vida__power_energy(vida_power* power, double t, const double* q, const double* v,
                       double* energy) {
  const int code = vida__energy(&power->evaluator, t, q, v, power->l_q, power->l_v, energy);
  return code || isfinite(*energy) ? code : VIDA_NOT_FINITE;
}

void vida__power_record(vida_power* power, VidaRecord* record) {
  const size_t n = (size_t)power->system->coordinate_count, m = (size_t)power->system->row_count;
  VidaRecord_Reals(record, power->l_q, 3 * n + 2 * m);
  vida__equations_record(power->equations, record);
}
