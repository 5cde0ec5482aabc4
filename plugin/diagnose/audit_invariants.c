/* The long run of the audit: energy, momenta, constraints, and dissipation. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "diagnose/audit.h"

/* The run is divided into BATCHES parts in which constraints are monitored. */
enum { SHADOW_ORDER = 8, BATCHES = 20, HALVINGS = 4, SIZES_EVERY = 16, CONFIRMING = 200 };

#define LARGE 8.0      /* times the system's step */
#define ROUNDING 1e-13 /* of constraints, relative */
#define EXACT 1e-11    /* largest relative deviation of a quantity that is kept exactly */

typedef struct watch {
  vida_subject* subject;
  VidaStepper* stepper;
  double energy0, energy_size;
  double lowest_energy, rise; /* of a dissipative system */
  double largest_energy;      /* deviation */
  vida_drift energy;          /* the same */
  vida_shadow shadow;
  double batch_t[BATCHES];
  long batch_count[BATCHES];
  int maps;
  double map0[VIDA_AUDIT_MOMENTA], map[VIDA_AUDIT_MOMENTA], map_size[VIDA_AUDIT_MOMENTA];
  double map_off[VIDA_AUDIT_MOMENTA];
  /* The largest violation of constraint rows, and its reference size. */
  double *g, *gv, *g_off, *gv_off, *g_size, *gv_size; /* m each */
  double batch_g[BATCHES], batch_gv[BATCHES];         /* the largest violation, relative */
  double* v;                                          /* n */
  double* block;
} watch;

static int create_watch(vida_subject* subject, watch* w, VidaError* error) {
  const size_t n = (size_t)subject->n;
  const size_t m = (size_t)subject->m;
  memset(w, 0, sizeof *w);
  w->subject = subject;
  w->block = vida__allocate(n + 6 * m, sizeof(double));
  if (!w->block) {
    return vida__fail_memory(error);
  }
  double** const rows[] = {&w->g, &w->gv, &w->g_off, &w->gv_off, &w->g_size, &w->gv_size};
  for (size_t i = 0; i < 6; i++) {
    *rows[i] = w->block + n + i * m;
  }
  w->v = w->block;
  return vida__create_shadow(subject->system, SHADOW_ORDER, VIDA_NORM_MAX, &w->shadow, error);
}

static void destroy_watch(watch* w) {
  VidaStepper_Destroy(&w->stepper);
  vida__destroy_shadow(&w->shadow);
  free(w->block);
}

static double relative(double off, double size) {
  return size > 0.0 ? off / size : off;
}

static void larger(double* largest, double value) {
  if (value > *largest || isnan(value)) {
    *largest = value;
  }
}

/* The reference sizes of momenta and constraints: sums of the sizes of their terms. Momentum maps
 * are linear in p. */
static int measure_sizes(watch* w, VidaError* error) {
  vida_subject* subject = w->subject;
  const double* q = VidaStepper_Positions(w->stepper);
  const double* p = VidaStepper_Momenta(w->stepper);
  double* alone = subject->a;
  double size[VIDA_AUDIT_MOMENTA] = {0.0};
  double value[VIDA_AUDIT_MOMENTA];
  memset(alone, 0, (size_t)subject->n * sizeof *alone);
  for (int i = 0; i < subject->n && w->maps > 0; i++) {
    alone[i] = p[i];
    VidaSystem_Momentum(subject->system, q, alone, value);
    alone[i] = 0.0;
    for (int k = 0; k < w->maps; k++) {
      size[k] += fabs(value[k]);
    }
  }
  for (int k = 0; k < w->maps; k++) {
    larger(&w->map_size[k], size[k]);
  }
  const int code = vida__dense_jacobian(subject, VidaStepper_Time(w->stepper), q, error);
  for (int r = 0; r < subject->m && !code; r++) {
    double g_size = 0.0;
    double gv_size = 0.0;
    for (int i = 0; i < subject->n; i++) {
      const double entry = fabs(subject->dense[r * subject->n + i]);
      g_size += entry * fabs(q[i]);
      gv_size += entry * fabs(w->v[i]);
    }
    larger(&w->g_size[r], g_size);
    larger(&w->gv_size[r], gv_size);
  }
  return code;
}

static void take_energy(watch* w, double energy, double t) {
  const double off = energy - w->energy0;
  double kinetic = 0.0;
  for (int i = 0; i < w->subject->n; i++) {
    kinetic += 0.5 * VidaStepper_Momenta(w->stepper)[i] * w->v[i];
  }
  larger(&w->energy_size, fabs(kinetic));
  larger(&w->largest_energy, fabs(off));
  larger(&w->rise, energy - w->lowest_energy);
  w->lowest_energy = fmin(w->lowest_energy, energy);
  vida__add_to_drift(&w->energy, t, off);
}

/* Measures one state of the run; *failure receives the reason if the method could not compute it.
 */
static int take_state(watch* w, int batch, bool with_sizes, VidaError* failure) {
  vida_subject* subject = w->subject;
  double energy = 0.0;
  double t = 0.0;
  int code = VidaStepper_Velocities(w->stepper, w->v, failure);
  code = code ? code : VidaStepper_Energy(w->stepper, &energy, &t, failure);
  code = code ? code : VidaStepper_Constraints(w->stepper, w->g, w->gv, failure);
  code = code ? code : vida__add_to_shadow(&w->shadow, w->stepper, failure);
  if (!code && with_sizes) {
    code = measure_sizes(w, failure);
  }
  if (code) {
    return code;
  }
  take_energy(w, energy, t);
  w->batch_t[batch] += VidaStepper_Time(w->stepper);
  w->batch_count[batch]++;
  VidaSystem_Momentum(subject->system, VidaStepper_Positions(w->stepper),
                      VidaStepper_Momenta(w->stepper), w->map);
  for (int k = 0; k < w->maps; k++) {
    larger(&w->map_off[k], fabs(w->map[k] - w->map0[k]));
  }
  for (int r = 0; r < subject->m; r++) {
    larger(&w->g_off[r], fabs(w->g[r]));
    larger(&w->gv_off[r], fabs(w->gv[r]));
    larger(&w->batch_g[batch], relative(fabs(w->g[r]), w->g_size[r]));
    larger(&w->batch_gv[batch], relative(fabs(w->gv[r]), w->gv_size[r]));
  }
  return VIDA_SUCCESS;
}

static int watch_run(watch* w, long steps, VidaError* failure) {
  double t;
  const vida_subject* subject = w->subject;
  int code = VidaStepper_Start(w->stepper, 0.0, subject->q0, subject->v0, failure);
  code = code ? code : VidaStepper_Energy(w->stepper, &w->energy0, &t, failure);
  if (code) {
    return code;
  }
  w->lowest_energy = w->energy0;
  vida__start_drift(&w->energy, 0.5 * (double)steps * VidaStepper_StepSize(w->stepper), steps,
                    fabs(w->energy0));
  w->maps = VidaSystem_MomentumCount(subject->system);
  w->maps = subject->system->nonholonomic ? 0 : w->maps; /* they are not kept under such rows */
  VidaSystem_Momentum(subject->system, VidaStepper_Positions(w->stepper),
                      VidaStepper_Momenta(w->stepper), w->map0);
  code = vida__begin_shadow(&w->shadow, w->stepper, w->energy.line.centre, steps, failure);
  for (long k = 1; k <= steps && !code; k++) {
    code = VidaStepper_Step(w->stepper, failure);
    code = code ? code
                : take_state(w, (int)((k - 1) * BATCHES / steps), k % SIZES_EVERY == 1, failure);
  }
  return code;
}

/* ---- what it comes to ------------------------------------------------------------------------ */

/* Drifting: the slope differs from zero with confidence, and its effect over the time `span` is not
 * small compared with the oscillations. */
static bool is_drifting(const vida_drift_fit* fit, double span) {
  const double slope = fabs(fit->slope);
  return slope > 2.0 * fit->interval && slope * span > 0.6 * fit->oscillation;
}

static void judge_shadow(const watch* w, double size, double span, VidaAuditRow* row) {
  VidaAuditMeasurement* shadow = &row->measurement[VIDA_AUDIT_SHADOW];
  if (!w->shadow.has_value) {
    return;
  }
  const vida_drift_fit fit = vida__fit_drift(&w->shadow.drift);
  shadow->value = fit.slope / size;
  shadow->interval = fit.interval / size;
  shadow->claimed = 0.0;
  const bool is_rounding = fabs(shadow->value) * span <= EXACT;
  shadow->verdict = !is_rounding && is_drifting(&fit, span) ? VIDA_AUDIT_FALSE : VIDA_AUDIT_TRUE;
}

static void judge_energy(const watch* w, VidaAuditRow* row) {
  VidaAuditMeasurement* energy = &row->measurement[VIDA_AUDIT_ENERGY];
  VidaAuditMeasurement* drift = &row->measurement[VIDA_AUDIT_DRIFT];
  const double size = fmax(fabs(w->energy0), w->energy_size);
  const vida_drift_fit fit = vida__fit_drift(&w->energy);
  const double span = 2.0 * w->energy.line.centre;
  energy->value = w->largest_energy / size;
  drift->value = fit.slope / size;
  drift->interval = fit.interval / size;
  judge_shadow(w, size, span, row);
  if (energy->value <= EXACT) {
    row->energy = VIDA_AUDIT_ENERGY_EXACT;
  } else if (is_drifting(&fit, span)) {
    row->energy = VIDA_AUDIT_ENERGY_DRIFTING;
  } else {
    row->energy = VIDA_AUDIT_ENERGY_BOUNDED;
  }
}

/* Returns the exponent of the growth in time of the largest violations of the batches. Rounding
 * does not grow. */
static double fit_growth(const watch* w, const double* largest) {
  double x[BATCHES], y[BATCHES], unused;
  double all = 0.0;
  for (int i = 0; i < BATCHES; i++) {
    x[i] = log(w->batch_t[i] / (double)w->batch_count[i]);
    y[i] = log(largest[i]);
    larger(&all, largest[i]);
  }
  if (!(all > ROUNDING)) {
    return 0.0;
  }
  return fmax(0.0, vida__fit_line(BATCHES, x, y, &unused));
}

/* Leaves out maps that are zero in every state, such as the linear momentum of a rotating body. */
static void fill_momentum(const watch* w, int map, VidaAuditRow* row) {
  const char* name = VidaSystem_MomentumName(w->subject->system, map);
  double* largest_of_all = &row->measurement[VIDA_AUDIT_MOMENTUM].value;
  if (w->map_size[map] > 0.0 || !(w->map_off[map] <= 0.0)) {
    const double value = relative(w->map_off[map], w->map_size[map]);
    const int place = row->momentum_count++;
    memcpy(row->momentum[place].name, name, strlen(name) + 1); /* at most 96 bytes */
    row->momentum[place].value = value;
    if (isnan(*largest_of_all) || value > *largest_of_all || isnan(value)) {
      *largest_of_all = value;
    }
  }
}

static void fill_row(const watch* w, VidaAuditRow* row) {
  const vida_subject* subject = w->subject;
  const VidaSystem* system = subject->system;
  const VidaStatistics counts = VidaStepper_Statistics(w->stepper);
  VidaAuditMeasurement* all = row->measurement;
  if (subject->of->conservative) {
    judge_energy(w, row);
  } else if (!system->time_dependent) {
    all[VIDA_AUDIT_DISSIPATION].value = relative(w->rise, fabs(w->energy0));
  }
  for (int k = 0; k < w->maps; k++) {
    fill_momentum(w, k, row);
  }
  for (int r = 0; r < subject->m; r++) {
    const double rate = relative(w->gv_off[r], w->gv_size[r]);
    const double place = relative(w->g_off[r], w->g_size[r]);
    all[VIDA_AUDIT_VELOCITY_LEVEL].value =
        r ? fmax(all[VIDA_AUDIT_VELOCITY_LEVEL].value, rate) : rate;
    if (!VidaSystem_ConstraintIsNonholonomic(system, r)) {
      double* level = &all[VIDA_AUDIT_POSITION_LEVEL].value;
      *level = isnan(*level) ? place : fmax(*level, place);
    }
  }
  if (subject->m > 0) {
    all[VIDA_AUDIT_VELOCITY_GROWTH].value = fit_growth(w, w->batch_gv);
  }
  if (!isnan(all[VIDA_AUDIT_POSITION_LEVEL].value)) {
    all[VIDA_AUDIT_POSITION_GROWTH].value = fit_growth(w, w->batch_g);
  }
  if (counts.residual_evaluations > 0 &&
      !row->has_events) { /* explicit rules of plug-ins count none */
    all[VIDA_AUDIT_COST].value = (double)counts.residual_evaluations / (double)counts.steps;
  }
}

/* A method of high order may conserve the energy nearly exactly with a small step: its energy
 * counts as exact only if larger steps conserve it, too. */
static int confirm_exact(vida_subject* subject, VidaAuditRow* row, VidaError* error) {
  double h = LARGE * row->h;
  int failed = VIDA_STEP_NOT_CONVERGED;
  int code = VIDA_SUCCESS;
  for (int i = 0; i <= HALVINGS && failed && !code; i++, h *= 0.5) {
    VidaError failure = {0};
    watch w;
    code = create_watch(subject, &w, error);
    code = code ? code : vida__audit_stepper(subject, row->method, h, &w.stepper, error);
    if (!code) {
      failed = watch_run(&w, CONFIRMING, &failure);
    }
    const double off = w.largest_energy / fmax(fabs(w.energy0), w.energy_size);
    if (!code && !failed && !(off <= EXACT)) {
      row->energy = VIDA_AUDIT_ENERGY_BOUNDED;
      row->measurement[VIDA_AUDIT_ENERGY].value = off;
    }
    destroy_watch(&w);
  }
  return code;
}

/* Uses the step of the system, or, if it is too large for the method, half of it, repeatedly. */
int vida__measure_invariants(vida_subject* subject, long steps, VidaAuditRow* row,
                             VidaError* error) {
  VidaError failure = {0};
  int failed = VIDA_STEP_NOT_CONVERGED;
  int code = VIDA_SUCCESS;
  row->h = subject->of->h;
  for (int i = 0; i <= HALVINGS && failed && !code; i++) {
    watch w;
    row->h = i ? 0.5 * row->h : row->h;
    code = create_watch(subject, &w, error);
    code = code ? code : vida__audit_stepper(subject, row->method, row->h, &w.stepper, error);
    if (!code) {
      failed = watch_run(&w, steps, &failure);
      if (!failed) {
        row->steps = steps;
        fill_row(&w, row);
      }
    }
    destroy_watch(&w);
  }
  if (!failed && !code && row->energy == VIDA_AUDIT_ENERGY_EXACT) {
    code = confirm_exact(subject, row, error);
  }
  if (failed && !code) {
    row->status = VIDA_AUDIT_BROKEN;
    memcpy(row->message, failure.message, sizeof row->message);
  }
  return code;
}
