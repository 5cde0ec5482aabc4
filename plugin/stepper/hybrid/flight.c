/* Flights of open contacts that an adaptive method does not resolve.
 *
 * The steps of an adaptive method have errors of its tolerance. A contact that closes again below
 * that height is hit where these errors say, not where it lands, and methods of low order after a
 * restart never end the impacts that accumulate where a body comes to rest. Such a flight is so
 * short that one step of the classical Runge-Kutta method, whose error is estimated, follows it: a
 * part of the motion that ends shortly after the landing. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "stepper/hybrid/contacts.h"

/* Relative to the tolerance of the gap: the errors of many steps are small beside higher flights.
 */
static const double many_steps = 1000.0;
/* Relative to the time of a flight: by how much the part is longer. */
static const double beyond_landing = 0.125;

/* Returns the height below which gap c is not resolved. */
static double unresolved_height(const vida_hybrid* hybrid, int c) {
  return many_steps * VidaOptions_Get(hybrid->frame->self.options, "rtol") *
         hybrid->contacts->reach[c];
}

/* Returns whether contact c is open and so near that its flight may be a short one. */
static bool is_near(const vida_hybrid* hybrid, int c) {
  const double gap = hybrid->at.value[hybrid->first_contact + 2 * c];
  return !hybrid->contacts->flags[c] && !hybrid->contacts->list[c].is_coupling &&
         gap <= unresolved_height(hybrid, c);
}

/* Computes the accelerations at a state into `a` (n). */
static bool accelerate(VidaIntegration* self, double t, const double* q, const double* v,
                       double* a) {
  return !vida__accelerations(self, t, q, v, a, self->model.least_norm);
}

/* The accelerations of the stages of the step, and the state of a stage. */
static double* stage_of(const vida_hybrid* hybrid, int k) {
  return hybrid->contacts->flight + (size_t)k * (size_t)hybrid->frame->self.model.n;
}

/* Computes the other stages of a step over `way` from those of stage 0. */
static bool compute_stages(const vida_hybrid* hybrid, VidaIntegration* self, double way) {
  static const double place[] = {0.0, 0.5, 0.5, 1.0};
  const vida_sample* at = &hybrid->at;
  double *q = stage_of(hybrid, 4), *v = stage_of(hybrid, 5);
  for (int k = 1; k < 4; k++) {
    const double h = place[k] * way;
    /* The velocities of stage k - 1 come from the accelerations of the one before it. */
    const double *a = stage_of(hybrid, k - 1), *earlier = k > 1 ? stage_of(hybrid, k - 2) : NULL;
    for (int i = 0; i < self->model.n; i++) {
      q[i] = at->q[i] + h * (at->v[i] + (earlier ? place[k - 1] * way * earlier[i] : 0.0));
      v[i] = at->v[i] + h * a[i];
    }
    if (!accelerate(self, at->t + h, q, v, stage_of(hybrid, k))) {
      return false;
    }
  }
  return true;
}

/* Projects velocities at q onto the constraints, from which those of some methods drift: at impacts
 * the rate of a gap that has bounced then differs by this error, and flights do not become shorter.
 */
static bool satisfy_rates(VidaIntegration* self, double t, const double* q, double* v) {
  VidaError unused;
  return self->model.m == 0 || (!vida__jacobian(&self->model.evaluator, t, q, self->work.entries) &&
                                !vida__project_rates(self, t, q, v, &unused));
}

bool vida__fly(const vida_hybrid* hybrid, VidaIntegration* self, double way, double* q, double* v) {
  const vida_sample* at = &hybrid->at;
  const double *a = stage_of(hybrid, 0), *b = stage_of(hybrid, 1), *c = stage_of(hybrid, 2),
               *d = stage_of(hybrid, 3);
  if (!accelerate(self, at->t, at->q, at->v, stage_of(hybrid, 0)) ||
      !compute_stages(hybrid, self, way)) {
    return false;
  }
  for (int i = 0; i < self->model.n; i++) {
    q[i] = at->q[i] + way * (at->v[i] + way * (a[i] + b[i] + c[i]) / 6.0);
    v[i] = at->v[i] + way * (a[i] + 2.0 * (b[i] + c[i]) + d[i]) / 6.0;
  }
  return satisfy_rates(self, at->t + way, q, v);
}

/* Returns whether a step over `way` is as accurate as those of the method: the difference to one of
 * second order, in the sizes of positions and speeds by the masses. */
static bool is_accurate(const vida_hybrid* hybrid, VidaIntegration* self, double way) {
  const double rtol = VidaOptions_Get(hybrid->frame->self.options, "rtol");
  const double *a = stage_of(hybrid, 0), *b = stage_of(hybrid, 1), *c = stage_of(hybrid, 2),
               *d = stage_of(hybrid, 3);
  double place = 0.0, speed = 0.0, force = 0.0, error = 0.0, error_of_speed = 0.0;
  if (!compute_stages(hybrid, self, way)) {
    return false;
  }
  for (int i = 0; i < self->model.n; i++) {
    const double root = self->model.root_mass[i];
    const double change = way * way * (b[i] + c[i] - 2.0 * a[i]) / 6.0;
    const double change_of_speed = way * (a[i] - 4.0 * b[i] + 2.0 * c[i] + d[i]) / 6.0;
    place = fmax(place, root * fmax(hybrid->extent[i], fabs(hybrid->at.q[i])));
    speed = fmax(speed, root * fabs(hybrid->at.v[i]));
    force = fmax(force, root * fabs(a[i]));
    error = fmax(error, root * fabs(change));
    error_of_speed = fmax(error_of_speed, root * fabs(change_of_speed));
  }
  return error <= rtol * place && error_of_speed <= rtol * fmax(speed, sqrt(force * place));
}

/* Returns the time until gap c vanishes, which has this acceleration, if its flight is not
 * resolved; otherwise infinity. */
static double time_of_flight(const vida_hybrid* hybrid, int c, double acceleration) {
  const int k = hybrid->first_contact + 2 * c;
  const double gap = fmax(hybrid->at.value[k], 0.0), rate = hybrid->at.rate[k];
  if (!is_near(hybrid, c) || !(acceleration < 0.0) || !(gap > 0.0 || rate > 0.0)) {
    return INFINITY;
  }
  const double rise = fmax(rate, 0.0);
  const double height = gap - 0.5 * rise * rise / acceleration;
  const double root = sqrt(rate * rate - 2.0 * gap * acceleration);
  const double time = rate > 0.0 ? (rate + root) / -acceleration : 2.0 * gap / (root - rate);
  return height <= unresolved_height(hybrid, c) ? time : INFINITY;
}

double vida__find_flight(vida_hybrid* hybrid, double end) {
  static const double rounded_time = 64.0 * DBL_EPSILON;
  vida_hybrid_contacts* own = hybrid->contacts;
  const vida_sample* at = &hybrid->at;
  bool any = false;
  for (int c = 0; own && hybrid->frame->self.adaptive && c < own->count; c++) {
    any = any || is_near(hybrid, c);
  }
  if (!any || vida__current_mode(hybrid)->stepper->jumps) {
    return (double)NAN;
  }
  VidaError unused;
  VidaIntegration* self = &vida__current_mode(hybrid)->probe->self;
  double* a = stage_of(hybrid, 0);
  if (vida__ready_probe(hybrid, at, &unused) || vida__evaluate_contacts(hybrid, at, &unused) ||
      !accelerate(self, at->t, at->q, at->v, a) ||
      vida__constraint_bias(&own->evaluator, at->t, at->q, at->v, own->bias)) {
    return (double)NAN;
  }
  const double* rates = vida__apply_contact_rows(own, a);
  double time = INFINITY;
  for (int c = 0; c < own->count; c++) {
    const int row = own->first_row[c];
    time = fmin(time, time_of_flight(hybrid, c, rates[row] + own->bias[row]));
  }
  const double way = fmin(time * (1.0 + beyond_landing), end - at->t);
  const bool is_short = isfinite(time) && way > rounded_time * fabs(at->t);
  return is_short && is_accurate(hybrid, self, way) ? fmin(at->t + way, end) : (double)NAN;
}
