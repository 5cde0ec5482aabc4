#include "study/measure/shadow.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

bool vida__is_shadow_order(double order) {
  return order == 0.0 || order == 4.0 || order == 8.0 || order == 12.0;
}

/* ---- weights --------------------------------------------------------------------------------- */

/* Computes the Lagrange polynomials of the nodes -half .. half and their slopes at x. */
static void find_polynomials(int half, double x, double* value, double* slope) {
  for (int i = -half; i <= half; i++) {
    double product = 1.0, derivative = 0.0;
    for (int j = -half; j <= half; j++) {
      if (j != i) {
        derivative = (derivative * (x - j) + product) / (i - j);
        product *= (x - j) / (i - j);
      }
    }
    value[i + half] = product;
    slope[i + half] = derivative;
  }
}

/* Computes the integrals of l_i l_j' from -1 to 1, with Gauss' rule of five points on PIECES equal
 * pieces. */
static void find_weights(int nodes, double* weight) {
  enum { POINTS = 5, PIECES = 16 };
  const double inner = sqrt(5.0 - 2.0 * sqrt(10.0 / 7.0)) / 3.0;
  const double outer = sqrt(5.0 + 2.0 * sqrt(10.0 / 7.0)) / 3.0;
  const double near = (322.0 + 13.0 * sqrt(70.0)) / 900.0;
  const double far = (322.0 - 13.0 * sqrt(70.0)) / 900.0;
  const double place[POINTS] = {-outer, -inner, 0.0, inner, outer};
  const double share[POINTS] = {far, near, 128.0 / 225.0, near, far};
  double value[VIDA_MOST_SHADOW_NODES], slope[VIDA_MOST_SHADOW_NODES];
  memset(weight, 0, (size_t)(nodes * nodes) * sizeof *weight);
  for (int piece = 0; piece < PIECES; piece++) {
    for (int k = 0; k < POINTS; k++) {
      find_polynomials(nodes / 2, -1.0 + (2.0 * piece + 1.0 + place[k]) / PIECES, value, slope);
      for (int i = 0; i < nodes; i++) {
        for (int j = 0; j < nodes; j++) {
          weight[i * nodes + j] += share[k] / PIECES * value[i] * slope[j];
        }
      }
    }
  }
}

/* ---- memory ---------------------------------------------------------------------------------- */

int vida__create_shadow(const VidaSystem* system, double order, vida_norm norm, vida_shadow* shadow,
                        VidaError* error) {
  *shadow = (vida_shadow){.now = NAN, .t = NAN};
  if (order == 0.0) {
    return VIDA_SUCCESS;
  }
  shadow->n = VidaSystem_CoordinateCount(system);
  shadow->nodes = (int)order + 1;
  vida__start_norm(&shadow->norm, norm, 1);
  const size_t size = (size_t)shadow->nodes * (size_t)shadow->n;
  shadow->q = vida__allocate(3 * size + (size_t)shadow->n, sizeof(double));
  if (!shadow->q) {
    return vida__fail_memory(error);
  }
  shadow->q_low = shadow->q + size;
  shadow->p = shadow->q_low + size;
  shadow->v = shadow->p + size;
  find_weights(shadow->nodes, shadow->weight);
  return VIDA_SUCCESS;
}

void vida__destroy_shadow(vida_shadow* shadow) {
  free(shadow->q);
  *shadow = (vida_shadow){0};
}

/* ---- values ---------------------------------------------------------------------------------- */

/* Returns the slot of the node with this index. */
static int slot(const vida_shadow* shadow, long node) {
  return (int)(node % shadow->nodes);
}

/* Computes the momenta without their part G^T nu, from a guess of the velocities in shadow->v. */
static int project_momenta(vida_shadow* shadow, VidaIntegration* self, double* p,
                           VidaError* error) {
  const double t = vida__node_time(self);
  double* v = shadow->v;
  int code = vida__jacobian(&self->model.evaluator, t, self->node.q, self->work.entries);
  if (code) {
    return vida__evaluation_failed(self, code, error);
  }
  code = vida__project_velocity(self, t, self->node.q, self->work.entries, self->node.p, v, NULL,
                                error);
  if (code) {
    return code;
  }
  code = vida__momenta(&self->model.evaluator, t, self->node.q, v, self->work.l_q, p);
  return code ? vida__evaluation_failed(self, code, error) : VIDA_SUCCESS;
}

static int store_node(vida_shadow* shadow, VidaStepper* stepper, VidaError* error) {
  VidaIntegration* self = &stepper->self;
  const size_t bytes = (size_t)shadow->n * sizeof(double);
  const size_t at = (size_t)slot(shadow, shadow->count) * (size_t)shadow->n;
  memcpy(shadow->q + at, self->node.q, bytes);
  memcpy(shadow->q_low + at, self->node.q_low, bytes);
  memcpy(shadow->p + at, self->node.p, bytes);
  shadow->count++;
  if (self->model.m == 0) {
    return VIDA_SUCCESS;
  }
  const int code = VidaStepper_Velocities(stepper, shadow->v, error);
  return code ? code : project_momenta(shadow, self, shadow->p + at, error);
}

/* Returns p_i . (q_j - q_k) of three nodes. */
static double product(const vida_shadow* shadow, long i, long j, long k) {
  const int n = shadow->n;
  const size_t from = (size_t)(slot(shadow, k) * n), to = (size_t)(slot(shadow, j) * n);
  const double* p = shadow->p + slot(shadow, i) * n;
  double sum = 0.0;
  for (int c = 0; c < n; c++) {
    sum += p[c] * ((shadow->q[to + (size_t)c] - shadow->q[from + (size_t)c]) +
                   (shadow->q_low[to + (size_t)c] - shadow->q_low[from + (size_t)c]));
  }
  return sum;
}

/* Returns the shadow energy in the middle of the window. */
static double find_energy(const vida_shadow* shadow) {
  const int nodes = shadow->nodes;
  const long first = shadow->count - nodes, centre = first + nodes / 2;
  double sum = 0.0;
  for (int i = 0; i < nodes; i++) {
    for (int j = 0; j < nodes; j++) {
      if (j != nodes / 2) { /* positions are measured from the middle */
        sum += shadow->weight[i * nodes + j] * product(shadow, first + i, first + j, centre);
      }
    }
  }
  sum -= shadow->action[slot(shadow, centre)] + shadow->action[slot(shadow, centre + 1)];
  return sum / (2.0 * shadow->h);
}

static int stop(vida_shadow* shadow, const char* reason) {
  shadow->nodes = 0;
  shadow->reason = reason;
  return VIDA_SUCCESS;
}

int vida__begin_shadow(vida_shadow* shadow, VidaStepper* stepper, double centre, long steps,
                       VidaError* error) {
  const VidaIntegration* self = &stepper->self;
  const unsigned claims = self->method->info.capabilities & ~self->given_up;
  if (shadow->nodes == 0) {
    return VIDA_SUCCESS;
  }
  if (vida__has_energy_sources(self->model.system)) {
    return stop(shadow, "the exact motion does not keep the energy");
  }
  if (!(claims & VIDA_CAN_SYMPLECTIC)) {
    return stop(shadow, "the method does not claim to be symplectic");
  }
  if (stepper->hybrid) {
    return stop(shadow, "its window cannot go across events");
  }
  if (!vida__request_action(stepper)) {
    return stop(shadow, "the method does not compute the action of its steps");
  }
  if (steps < shadow->nodes) {
    return stop(shadow, "the run has fewer nodes than a window");
  }
  shadow->h = self->node.h;
  shadow->count = 0;
  shadow->has_value = false;
  vida__start_drift(&shadow->drift, centre, steps - shadow->nodes + 2,
                    vida__kinetic_size(self) + vida__potential_size(self));
  return store_node(shadow, stepper, error);
}

/* The steps of a shorter last step, or after a restart, are not those of the same map. */
static bool is_next(const vida_shadow* shadow, const VidaIntegration* self) {
  return self->node.h == shadow->h && self->node.step == shadow->count;
}

int vida__add_to_shadow(vida_shadow* shadow, VidaStepper* stepper, VidaError* error) {
  VidaError refusal;
  const VidaIntegration* self = &stepper->self;
  if (shadow->nodes == 0 || !is_next(shadow, self)) {
    return VIDA_SUCCESS;
  }
  int code = vida__step_action(stepper, &shadow->action[slot(shadow, shadow->count)], &refusal);
  if (code == VIDA_NOT_SUPPORTED) {
    return stop(shadow, "the method does not compute the action of its steps on this system");
  }
  if (code) {
    return vida__fail(error, code, "%s", refusal.message);
  }
  code = store_node(shadow, stepper, error);
  if (code || shadow->count < shadow->nodes) {
    return code;
  }
  shadow->now = find_energy(shadow);
  shadow->t = vida__node_time(self) - (double)(shadow->nodes / 2) * shadow->h;
  if (!shadow->has_value) {
    shadow->start = shadow->now;
    shadow->has_value = true;
  }
  if (!isfinite(shadow->now)) {
    return vida__fail(error, VIDA_NOT_FINITE,
                      "the shadow energy is not a finite number; try a smaller step");
  }
  vida__add_sample(&shadow->norm, fabs(shadow->now - shadow->start), fabs(shadow->start));
  vida__add_to_drift(&shadow->drift, shadow->t, shadow->now - shadow->start);
  return VIDA_SUCCESS;
}

void vida__shadow_record(vida_shadow* shadow, VidaRecord* record) {
  double* const reals[] = {&shadow->start, &shadow->now, &shadow->t};
  VidaRecord_Integer(record, &shadow->count, 0, LONG_MAX / 64);
  VidaRecord_Reals(record, shadow->action, VIDA_MOST_SHADOW_NODES);
  VidaRecord_Reals(record, shadow->q,
                   (3 * (size_t)shadow->nodes + (shadow->q ? 1 : 0)) * (size_t)shadow->n);
  VidaRecord_Flag(record, &shadow->has_value);
  for (size_t k = 0; k < sizeof reals / sizeof *reals; k++) {
    VidaRecord_Reals(record, reals[k], 1);
  }
  vida__norm_record(&shadow->norm, record);
  vida__drift_record(&shadow->drift, record);
}
