/* The orders of the audit: errors at increasing numbers of steps, and the slope of a line through
 * them. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "diagnose/audit.h"

/* Steps of a time are divided by 2, 3, 4, 6, 8, 12, ...; a line is fitted through the errors of
 * FITTED neighbours. The error of orders above HIGH would fall from its first regular values to
 * rounding within fewer than that: their steps are divided by 8, 9, 10, ..., 16, 18, ..., from a
 * larger one on. Those of such orders with events, of orders above LOW in a thorough audit, whose
 * errors are followed down to rounding, and of time stepping with impacts, of which the first
 * COARSE_LEVELS are too large for a line, are divided by 4, 5, 6, 7, 8, 10, .... */
enum { LEVELS = 18, FINE_LEVELS = 36, PATIENT_LEVELS = 60, COARSE_LEVELS = 8 };
enum { MOST_LEVELS = 2 * PATIENT_LEVELS + 8 }; /* the finest have twice as many, and one octave */
enum { FITTED = VIDA_ORDER_STEPS, KINDS = 3, LOW = 2, HIGH = 6 };

#define ROUNDING 2e-13     /* below it errors are taken to be those of rounding */
#define GOOD 0.05          /* half of a confidence interval that leaves no doubt */
#define SURE 0.02          /* one that ends the refining */
#define COSTLY 5000        /* steps that no order is worth */
#define COSTLY_EVENTS 2500 /* of steps with events, which cost more */
#define THOROUGH 4         /* times as many steps in a thorough audit */

/* For adaptive methods: tolerances from 1e-2, three per power of ten, and the number of output
 * states. */
#define LARGEST_TOLERANCE 1e-2
enum { TOLERANCES_OF_TEN = 3, STATES = 8 };

typedef struct level {
  bool known, usable;
  double size;         /* of the step, or the tolerance */
  double error[KINDS]; /* of positions, velocities, multipliers, relative */
  double largest;      /* error of positions at a node, with events */
  double floor;        /* errors that are not above it may be rounding, or those of the reference */
} level;

/* Time stepping meets an impact at the end of a step: the error is that of a chance, and only a
 * line through many steps shows the order. */
static bool has_chance(const VidaAuditRow* row) {
  return row->has_events && Vida_IsTimeStepping(Vida_FindMethod(row->method));
}

/* Which steps are made. */
typedef struct refinement {
  bool is_high;    /* from four times the largest step on */
  bool is_fine;    /* many steps close to each other */
  bool is_finest;  /* twice as many, from twice that step on */
  bool is_patient; /* down to rounding, even if the order is known well before */
  long costly;     /* the number of steps that is too large */
} refinement;

static refinement choose_refinement(const VidaAuditRow* row, int order, bool thorough) {
  const bool is_high = !row->adaptive && order > (thorough ? LOW : HIGH);
  const bool is_fine = is_high || (!row->adaptive && has_chance(row));
  const long costly = row->has_events && !has_chance(row) ? COSTLY_EVENTS : COSTLY;
  const bool is_finest = !row->adaptive && !row->has_events && order > HIGH;
  return (refinement){is_high, is_fine, is_finest, thorough, thorough ? THOROUGH * costly : costly};
}

/* Returns a number of steps. Methods of high order begin above the largest step. */
static long steps_of(const vida_subject* subject, const refinement* how, int index) {
  const long base = (long)ceil(subject->of->time / subject->of->largest_step);
  const long factor = how->is_finest ? (8L + index % 8) << (index / 8)
                      : how->is_fine ? (4L + index % 4) << (index / 4)
                      : index % 2    ? 3L << (index / 2)
                                     : 2L << (index / 2);
  const long part = how->is_finest ? 128 : how->is_high ? 32 : 8;
  return (base * factor + part - 1) / part;
}

static double relative_difference(int n, const double* x, const double* right) {
  double largest = 0.0;
  for (int i = 0; i < n; i++) {
    const double off = fabs(x[i] - right[i]);
    largest = off > largest || isnan(off) ? off : largest;
  }
  const double size = vida__largest(n, right);
  return size > 0.0 ? largest / size : largest;
}

static int compare(vida_subject* subject, VidaStepper* stepper, level* at, VidaError* error) {
  const double t = VidaStepper_Time(stepper);
  double lambda_t = t;
  double* right = subject->lambda + subject->m;
  double* v = subject->a;
  const double* lambda = VidaStepper_Multipliers(stepper, &lambda_t);
  if (VidaStepper_Velocities(stepper, v, error)) {
    at->usable = false; /* the method cannot tell: as a failed run */
    return VIDA_SUCCESS;
  }
  int code = vida__subject_at(subject, t, subject->q, subject->v, NULL, error);
  if (code) {
    return code;
  }
  at->error[0] = relative_difference(subject->n, VidaStepper_Positions(stepper), subject->q);
  at->error[1] = relative_difference(subject->n, v, subject->v);
  if (at->largest > 0.0 || isnan(at->largest)) {
    at->error[0] = at->largest;
  }
  at->usable = isfinite(at->error[0]) && at->error[0] < 0.2;
  at->error[2] = NAN;
  if (subject->m > 0 && at->usable && isfinite(lambda[0])) {
    code = vida__subject_at(subject, lambda_t, subject->q, subject->v, right, error);
    at->error[2] = relative_difference(subject->m, lambda, right);
  }
  return code;
}

/* Takes the error of positions at a node, relative to the start. With events, the error at one time
 * depends on the places of the events in their steps, and is at times small by chance: the largest
 * one of all nodes is not. */
static int follow(vida_subject* subject, VidaStepper* stepper, level* at, VidaError* error) {
  const double* q = VidaStepper_Positions(stepper);
  const int code =
      vida__subject_at(subject, VidaStepper_Time(stepper), subject->q, subject->v, NULL, error);
  for (int i = 0; i < subject->n; i++) {
    const double off = fabs(q[i] - subject->q[i]) / vida__largest(subject->n, subject->q0);
    at->largest = off > at->largest || isnan(off) ? off : at->largest;
  }
  return code;
}

/* Returns the least error that tells an order: so many times that of the reference. A tenth of an
 * error changes the slope between two levels with half the step by 0.14, and that between steps of
 * which twice as many lie close to each other by twice as much. */
static double find_floor(const vida_subject* subject, const refinement* how) {
  static const double least_share = 10.0;
  return (how->is_finest ? 2.0 : 1.0) * fmax(ROUNDING, least_share * subject->reference_error);
}

/* Computes the errors after of->time in steps_of(index) steps, or with tolerance number `index`. A
 * run that fails is not usable: its step is too large. */
static int run(vida_subject* subject, const VidaAuditRow* row, long steps, int index, level* at,
               VidaError* error) {
  VidaStepper* stepper = NULL;
  VidaError failure = {0};
  const double h = subject->of->time / (double)steps;
  at->known = true;
  at->size = row->adaptive ? LARGEST_TOLERANCE * pow(10.0, -(double)index / TOLERANCES_OF_TEN) : h;
  int code = row->adaptive
                 ? vida__audit_adaptive_stepper(subject, row->method, h, at->size, &stepper, error)
                 : vida__audit_stepper(subject, row->method, h, &stepper, error);
  int failed = code;
  if (!code) {
    failed = VidaStepper_Start(stepper, 0.0, subject->q0, subject->v0, &failure);
    while (!failed && VidaStepper_Time(stepper) + 0.5 * h < subject->of->time) {
      failed = VidaStepper_Step(stepper, &failure);
      if (!failed && row->has_events) {
        code = failed = follow(subject, stepper, at, error);
      }
    }
  }
  if (!failed) {
    code = compare(subject, stepper, at, error);
  }
  VidaStepper_Destroy(&stepper);
  return code;
}

/* A line through errors: its slope is the order, `least` the smallest error that it goes through,
 * and `first` the first of its levels. */
typedef struct line {
  double order, interval, least;
  int first;
} line;

/* Fits the slope through FITTED levels from `first`; returns false if one of them is not usable. */
static bool fit(const level* levels, int first, int kind, line* fitted) {
  double x[FITTED], y[FITTED];
  double least = INFINITY;
  for (int i = 0; i < FITTED; i++) {
    const level* at = &levels[first + i];
    if (!at->known || !at->usable || !(at->error[kind] > at->floor)) {
      return false;
    }
    x[i] = log(at->size);
    y[i] = log(at->error[kind]);
    least = fmin(least, at->error[kind]);
  }
  fitted->order = vida__fit_line(FITTED, x, y, &fitted->interval);
  fitted->least = least;
  fitted->first = first;
  return true;
}

/* Chooses the window with the smallest steps whose line fits well; if there is none, the window
 * with the best fit. */
static bool fit_best(const level* levels, int kind, line* fitted) {
  bool found = false;
  for (int first = 0; first + FITTED <= MOST_LEVELS; first++) {
    line here;
    if (fit(levels, first, kind, &here) &&
        (!found || here.interval <= fmax(fitted->interval, GOOD))) {
      *fitted = here;
      found = true;
    }
  }
  return found;
}

/* Fits the slope through all usable levels from `first` on; returns false if they are too few. */
static bool fit_from(const level* levels, int first, int kind, line* fitted) {
  double x[MOST_LEVELS], y[MOST_LEVELS];
  double least = INFINITY;
  int count = 0;
  for (int i = first; i < MOST_LEVELS; i++) {
    const level* at = &levels[i];
    if (at->known && at->usable && at->error[kind] > at->floor) {
      x[count] = log(at->size);
      y[count++] = log(at->error[kind]);
      least = fmin(least, at->error[kind]);
    }
  }
  if (count >= FITTED) {
    fitted->order = vida__fit_line(count, x, y, &fitted->interval);
    fitted->least = least;
    fitted->first = first;
  }
  return count >= FITTED;
}

/* Leaves out as many of the largest steps as makes the line fit best. */
static bool fit_tail(const level* levels, int kind, line* fitted) {
  bool found = false;
  for (int first = 0; first < MOST_LEVELS; first++) {
    line here;
    if (fit_from(levels, first, kind, &here) && (!found || here.interval < fitted->interval)) {
      *fitted = here;
      found = true;
    }
  }
  return found;
}

/* Fits the slope in the way that suits the method and the system. The errors of adaptive methods
 * follow the tolerance with steps and jumps. */
static bool fit_order(const VidaAuditRow* row, const level* levels, int kind, line* fitted) {
  if (row->adaptive || has_chance(row)) {
    return fit_from(levels, row->adaptive ? 0 : COARSE_LEVELS, kind, fitted);
  }
  const bool found = fit_best(levels, kind, fitted);
  /* The part of a step before an event changes the error with the step. */
  return row->has_events && !(found && fitted->interval <= GOOD) ? fit_tail(levels, kind, fitted)
                                                                 : found;
}

/* Returns whether the errors are those of rounding wherever the method could run: it is exact here.
 */
static bool is_exact(const level* levels, int kind) {
  int count = 0;
  for (int i = 0; i < MOST_LEVELS; i++) {
    if (levels[i].known && levels[i].usable) {
      count++;
      if (!(levels[i].error[kind] < 1e-11)) {
        return false;
      }
    }
  }
  return count >= FITTED;
}

/* Returns whether all orders that can be measured are known well. */
static bool is_sure(const level* levels) {
  for (int kind = 0; kind < KINDS; kind++) {
    line fitted = {0};
    const bool found = fit_best(levels, kind, &fitted);
    if (found ? fitted.interval > SURE : kind == 0) {
      return false;
    }
  }
  return true;
}

/* Makes the runs, until the order is known or the errors are those of rounding. */
static int run_all(vida_subject* subject, const VidaAuditRow* row, const refinement* how,
                   level levels[MOST_LEVELS], VidaError* error) {
  const int usual = how->is_patient ? PATIENT_LEVELS : how->is_fine ? FINE_LEVELS : LEVELS;
  const int most = how->is_finest ? 2 * usual + 8 : usual;
  int code = VIDA_SUCCESS;
  int small = 0, made = 0;
  long before = 0;
  bool sure = false;
  for (int i = 0; i < most && !code && !sure; i++) {
    const long steps = row->adaptive ? STATES : steps_of(subject, how, i);
    if (small >= (small == made ? FITTED : 2) || /* rounding; from the first level on: exact */
        (!row->adaptive && steps > how->costly)) {
      break;
    }
    if (!row->adaptive && steps == before) { /* few steps have no number between them */
      continue;
    }
    level* at = &levels[made++];
    at->floor = find_floor(subject, how);
    code = run(subject, row, steps, i, at, error);
    small += at->usable && at->error[0] < ROUNDING;
    sure =
        !row->adaptive && !how->is_fine && !how->is_patient && made > FITTED + 2 && is_sure(levels);
    before = steps;
  }
  return code;
}

/* Returns what the slope of positions gains from the window before that of the line to this one,
 * per shift by a whole window; NaN if there is none before it. */
static double find_trend(const level* levels, const line* fitted) {
  for (int back = FITTED; back > 1; back--) {
    line before;
    if (fitted->first >= back && fit(levels, fitted->first - back, 0, &before)) {
      return (fitted->order - before.order) * FITTED / back;
    }
  }
  return NAN;
}

/* Returns the largest slope of the windows that begin up to two windows before the line. */
static double find_highest(const level* levels, const line* fitted) {
  double highest = fitted->order;
  for (int back = 1; back <= 2 * FITTED && back <= fitted->first; back++) {
    line before;
    if (fit(levels, fitted->first - back, 0, &before)) {
      highest = fmax(highest, before.order);
    }
  }
  return highest;
}

static void find_evidence(const refinement* how, const level* levels, const line* fitted,
                          vida_order_evidence* evidence) {
  *evidence = (vida_order_evidence){0};
  for (int i = 0; i < MOST_LEVELS; i++) {
    const bool is_usable = levels[i].known && levels[i].usable;
    evidence->above += is_usable && levels[i].error[0] > levels[i].floor;
    evidence->falls_to_rounding =
        is_usable ? levels[i].error[0] <= levels[i].floor : evidence->falls_to_rounding;
  }
  if (fitted && how->is_finest) {
    evidence->trend = find_trend(levels, fitted);
    evidence->highest = find_highest(levels, fitted);
  }
}

int vida__measure_orders(vida_subject* subject, int order, bool thorough, VidaAuditRow* row,
                         vida_order_evidence* evidence, VidaError* error) {
  static const VidaAuditProperty properties[KINDS] = {
      VIDA_AUDIT_POSITION_ORDER, VIDA_AUDIT_VELOCITY_ORDER, VIDA_AUDIT_MULTIPLIER_ORDER};
  level levels[MOST_LEVELS] = {{0}};
  const refinement how = choose_refinement(row, order, thorough);
  const int code = run_all(subject, row, &how, levels, error);
  for (int kind = 0; kind < KINDS && !code; kind++) {
    VidaAuditMeasurement* measured = &row->measurement[properties[kind]];
    line fitted = {0};
    const bool found = fit_order(row, levels, kind, &fitted);
    if (kind == 0) {
      find_evidence(&how, levels, found ? &fitted : NULL, evidence);
    }
    if (found) {
      measured->value = fitted.order;
      measured->interval = fitted.interval;
      if (kind == 0) {
        row->measurement[VIDA_AUDIT_LEAST_ERROR].value = fitted.least;
      }
    } else if (is_exact(levels, kind)) {
      measured->value = INFINITY;
    }
  }
  return code;
}
