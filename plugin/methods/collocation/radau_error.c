/* The error of a step of radau: the embedded formula of order 3, filtered by the matrix of one
 * stage (Hairer and Wanner, section IV.8), in the norm of the tolerances. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "methods/collocation/radau.h"
#include "stepper/integration.h"
#include "system/evaluate/sizes.h"

/* Tolerances of the last step and of this step. */
static const double doubtful = 2.0;
/* A coordinate that has hardly moved yet counts as this part of the largest one of its unit. */
static const double share_of_largest = 1e-2;
/* Errors that rounding makes, in units of it. */
static const double rounding = 100.0;
/* And of impulses, where nothing else moves: velocities below this are none. Else vibrations of
 * stiff springs would pass unseen in large steps and be found in small ones. */
static const double nothing = 1e4;
static const double at_rest = 4.0;

void vida__radau_update_sizes(VidaIntegration* self, const double* q, const double* v) {
  vida_radau* own = self->state;
  const VidaSystem* system = self->model.system;
  vida_unit_sizes positions = {0};
  vida_unit_sizes velocities = {0};
  bool is_new;
  for (int k = 0; k < self->model.n; k++) {
    const char* unit = system->coordinates[k].unit;
    own->position_size[k] = fmax(own->position_size[k], fabs(q[k]));
    own->velocity_size[k] = fmax(own->velocity_size[k], fabs(v[k]));
    double* q_unit = &positions.largest[vida__unit_slot(&positions, unit, &is_new)];
    double* v_unit = &velocities.largest[vida__unit_slot(&velocities, unit, &is_new)];
    *q_unit = fmax(*q_unit, own->position_size[k]);
    *v_unit = fmax(*v_unit, own->velocity_size[k]);
  }
  for (int k = 0; k < self->model.n; k++) {
    const char* unit = system->coordinates[k].unit;
    own->position_scale[k] = positions.largest[vida__unit_slot(&positions, unit, &is_new)];
    own->velocity_scale[k] = velocities.largest[vida__unit_slot(&velocities, unit, &is_new)];
  }
}

/* gamma0 (h q', h p') at (q,v) plus the contributions of the stages, as the right-hand side of one
 * stage. */
static int find_defect(VidaIntegration* self, double gamma0, const double* q, const double* v) {
  vida_radau* own = self->state;
  const int n = self->model.n;
  const double root_6 = sqrt(6.0);
  const double weight[VIDA_RADAU_STAGES] = {gamma0 * (-13.0 - 7.0 * root_6) / 3.0,
                                            gamma0 * (-13.0 + 7.0 * root_6) / 3.0, -gamma0 / 3.0};
  const double* mu = own->unknown + (VIDA_RADAU_STAGES - 1) * own->block + 2 * n;
  double* force = self->work.l_q;
  vida__begin_reactions(self, mu, own->h); /* the filter removes what is not right about them */
  int code = vida__gradient(&self->model.evaluator, own->t, q, v, force, self->work.l_v);
  vida__end_reactions(self);
  memset(own->defect, 0, (size_t)own->block * sizeof *own->defect);
  for (int k = 0; k < n; k++) {
    force[k] *= own->h;
  }
  /* Forces along G^T do not matter, but only differences keep digits. */
  vida__add_reaction(self->model.system, self->implicit.entries0, -1.0, mu, force);
  for (int k = 0; k < n; k++) {
    double position = gamma0 * own->h * v[k];
    double momentum = gamma0 * force[k];
    for (int i = 0; i < VIDA_RADAU_STAGES; i++) {
      position += weight[i] * own->change[i * n + k];
      for (int j = 0; j < VIDA_RADAU_STAGES; j++) {
        momentum += weight[i] * vida__radau_a[i][j] * own->push[j * n + k];
      }
    }
    self->work.dq[k] = position / (gamma0 * own->h);
    own->defect[n + k] = momentum;
  }
  vida__radau_apply_metric(self, self->work.dq, own->defect);
  return code;
}

/* How long forces have acted. */
static double find_duration(const VidaIntegration* self) {
  const vida_radau* own = self->state;
  return fmax(self->node.h, own->t + own->h - self->node.t0);
}

/* The velocities that forces which cancel, including those of constraints, would each have produced
 * so far: their rounding accumulates for steps of any size. */
static double find_impulse(const VidaIntegration* self, int k) {
  const vida_radau* own = self->state;
  const double mass = self->model.root_mass[k] * self->model.root_mass[k];
  return find_duration(self) * own->strength[k] / mass;
}

/* Where what has moved is no more than what the rounding of `change` makes, that rounding. What
 * balances by rows that depend on others is as good as Newton's method, which is less. */
static double rounding_of(const VidaIntegration* self, double scale, double change) {
  const double part = self->model.redundant ? nothing : at_rest;
  return scale <= nothing * DBL_EPSILON * change ? part * DBL_EPSILON * change : 0.0;
}

/* The rounding of g makes velocities of rounding over h. Where nothing is faster, as in a system at
 * rest without forces, an error of that size moves nothing by more than its rounding. */
static double rounding_of_places(const vida_radau* own, double scale, double place) {
  const double least = DBL_EPSILON * place / own->h;
  return scale <= nothing * least ? rounding * least : 0.0;
}

/* The largest forces so far, from those of the last stage. */
static void update_strength(VidaIntegration* self) {
  vida_radau* own = self->state;
  const double* mu =
      own->unknown + (VIDA_RADAU_STAGES - 1) * own->block + 2 * (ptrdiff_t)self->model.n;
  for (int r = 0; r < self->model.m; r++) {
    own->eta[r] = mu[r] / own->h;
  }
  vida__measure_uncancelled_forces(self, self->implicit.entries0, own->eta, self->work.l_q);
  for (int k = 0; k < self->model.n; k++) {
    own->strength[k] = fmax(own->strength[k], self->work.l_q[k]);
  }
}

/* The tolerances of the errors of coordinate k and of its velocity: fractions of their sizes, and
 * the rounding of positions, velocities and impulses of forces. */
static double position_tolerance(const VidaIntegration* self, int k) {
  const vida_radau* own = self->state;
  const double scale = own->position_scale[k];
  const double atol = self->model.atol[k];
  const double least = isfinite(atol) ? atol : own->rtol * share_of_largest * scale;
  return own->rtol * own->position_size[k] + least + rounding * DBL_EPSILON * scale +
         rounding_of(self, scale, find_duration(self) * find_impulse(self, k));
}

static double velocity_tolerance(const VidaIntegration* self, int k) {
  const vida_radau* own = self->state;
  const double scale = own->velocity_scale[k];
  const double of_positions = own->position_scale[k];
  const double atol = self->model.atol[k];
  const double least = !isfinite(atol)      ? own->rtol * share_of_largest * scale
                       : of_positions > 0.0 ? atol / of_positions * scale
                                            : own->rtol * scale;
  return own->rtol * own->velocity_size[k] + least + rounding * DBL_EPSILON * scale +
         rounding_of(self, scale, find_impulse(self, k)) +
         rounding_of_places(own, scale, of_positions);
}

/* The largest error of positions and velocities relative to its tolerance. */
static double measure_error(VidaIntegration* self, double gamma0) {
  vida_radau* own = self->state;
  const int n = self->model.n;
  const int end = VIDA_RADAU_STAGES - 1;
  double largest = 0.0;
  update_strength(self);
  vida__radau_update_sizes(self, own->place + end * n, own->unknown + end * own->block + n);
  for (int k = 0; k < n; k++) {
    const double position = gamma0 * own->h * fabs(own->defect[k]);
    const double velocity = fabs(own->defect[n + k]);
    const double q_size = position_tolerance(self, k);
    const double v_size = velocity_tolerance(self, k);
    largest = position > largest * q_size ? position / q_size : largest;
    largest = velocity > largest * v_size ? velocity / v_size : largest;
  }
  return largest;
}

static int filter_defect(VidaIntegration* self, double gamma0, const double* q, const double* v) {
  const vida_radau* own = self->state;
  const int code = find_defect(self, gamma0, q, v);
  return code ? code : vida__radau_filter(self, own->defect);
}

/* An error that is too large may be one of the state at the node, which a smaller step does not
 * take away: it is estimated again from the state less this error (Hairer and Wanner, eq. IV.8.20).
 */
int vida__radau_estimate_error(VidaIntegration* self, double* result, VidaError* error) {
  vida_radau* own = self->state;
  const double gamma0 = 1.0 / vida__radau_gamma;
  int code = vida__radau_prepare_filter(self);
  code = code ? code : filter_defect(self, gamma0, self->node.q, self->node.v);
  *result = code ? 0.0 : measure_error(self, gamma0);
  if (!code && *result > 1.0 && *result < doubtful) {
    for (int k = 0; k < self->model.n; k++) {
      self->work.q1[k] = self->node.q[k] + gamma0 * own->h * own->defect[k];
      self->work.place[k] = self->node.v[k] + own->defect[self->model.n + k];
    }
    /* Outside of the domain the first estimate stands. */
    if (filter_defect(self, gamma0, self->work.q1, self->work.place) == VIDA_SUCCESS) {
      *result = fmin(*result, measure_error(self, gamma0));
    }
  }
  if (code) {
    return vida__evaluation_failed(self, code, error);
  }
  return isfinite(*result) ? VIDA_SUCCESS
                           : vida__fail(error, VIDA_NOT_FINITE,
                                        "the estimated error of a step is not a finite number");
}
