/* Finds the rigid bodies among the coordinates, and checks that they move as rigid bodies.
 *
 * A body is a quaternion with the constraint of unit norm, which is its only one for methods
 * without joints. With v = E(q) omega, E omega = q * (0, omega) / 2, its inertia J = E^T L_vv E
 * must be the same for every unit q, and the equations of motion must be Euler's: with the bias b =
 * L_q + f - L_vq v - L_vt and E' omega = -|omega|^2 q / 4,
 *
 *     E^T (b + |omega|^2 L_vv q / 4) + omega x J omega = E^T b(v = 0),
 *
 * which detects any other dependence on velocities. Both are checked in arbitrary states. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <vida/bodies.h>

#include "base/error.h"
#include "base/memory.h"
#include "methods/rigid/lie.h"

enum { PROBES = 3 };
/* Bounds for rounding, or for errors of difference quotients, in terms that vanish. */
static const double vanishing = 1e-6;

/* Inverts a 3 x 3 matrix, by rows. Returns 0 or VIDA_STEP_SINGULAR. */
static int invert(const double a[9], double inverse[9]) {
  double size = 1.0;
  for (int i = 0; i < 3; i++) {
    const double* x = a + 3 * ((i + 1) % 3);
    const double* y = a + 3 * ((i + 2) % 3);
    for (int k = 0; k < 3; k++) {
      const int l = (k + 1) % 3;
      const int m = (k + 2) % 3;
      inverse[3 * k + i] = x[l] * y[m] - x[m] * y[l];
    }
    size *= fabs(a[3 * i]) + fabs(a[3 * i + 1]) + fabs(a[3 * i + 2]);
  }
  const double determinant = a[0] * inverse[0] + a[1] * inverse[3] + a[2] * inverse[6];
  if (!(fabs(determinant) > 1e-14 * size)) {
    return VIDA_STEP_SINGULAR;
  }
  for (int i = 0; i < 9; i++) {
    inverse[i] /= determinant;
  }
  return VIDA_SUCCESS;
}

/* ---- refusals -------------------------------------------------------------------------------- */

static int refuse(const VidaIntegration* self, const char* name, const char* reason,
                  VidaError* error) {
  const vida_lie_state* own = self->state;
  return VIDA_REFUSE_SYSTEM(
      error, "%s accepts rigid bodies as unit quaternions, %s: '%s' of system '%s' %s",
      self->method->info.name,
      own->accepts_joints ? "and coordinates with a constant mass of their own"
                          : "without other constraints",
      name, self->model.system->name, reason);
}

static int refuse_body(const VidaIntegration* self, const vida_lie_body* body, const char* reason,
                       VidaError* error) {
  return refuse(self, self->model.system->coordinates[body->coordinate[0]].name, reason, error);
}

/* ---- which coordinates are bodies ------------------------------------------------------------ */

/* Finds the first entries of the rows, and the declared quaternions of the coordinates. */
static void find_places(const VidaIntegration* self) {
  const VidaSystem* system = self->model.system;
  vida_lie_state* own = self->state;
  for (int e = system->entry_count - 1; e >= 0; e--) {
    own->row_start[system->entries[e].row] = e;
  }
  for (int i = 0; i < self->model.n; i++) {
    own->declared[i] = -1;
  }
  for (int k = system->motion_count - 1; k >= 0; k--) {
    for (int a = 0; a < 4 && system->motions[k].kind == VIDA_MOTION_QUATERNION; a++) {
      own->declared[system->motions[k].coordinate[a]] = k;
    }
  }
}

static bool is_in_row(const VidaSystem* system, int e, int row) {
  return e < system->entry_count && system->entries[e].row == row;
}

/* Sorts the coordinates in the order of a declared quaternion; returns whether there is one. */
static bool order_coordinates(const VidaIntegration* self, vida_lie_body* body) {
  const vida_lie_state* own = self->state;
  const int k = own->declared[body->coordinate[0]];
  for (int a = 0; a < 4; a++) {
    if (k < 0 || own->declared[body->coordinate[a]] != k) {
      return false;
    }
  }
  memcpy(body->coordinate, self->model.system->motions[k].coordinate, sizeof body->coordinate);
  return true;
}

/* Writes the coordinates of a row in ascending order; returns false if there are not four of them.
 */
static bool take_row(const VidaIntegration* self, int row, vida_lie_body* body) {
  const VidaSystem* system = self->model.system;
  const vida_lie_state* own = self->state;
  int count = 0;
  for (int e = own->row_start[row]; is_in_row(system, e, row); e++) {
    int place = count++;
    if (count > 4) {
      return false;
    }
    for (; place > 0 && body->coordinate[place - 1] > system->entries[e].coordinate; place--) {
      body->coordinate[place] = body->coordinate[place - 1];
    }
    body->coordinate[place] = system->entries[e].coordinate;
  }
  body->row = row;
  return count == 4;
}

/* Marks the coordinates of a body as taken. */
static int take_body(VidaIntegration* self, const vida_lie_body* body, VidaError* error) {
  vida_lie_state* own = self->state;
  double* taken = own->rest;
  for (int a = 0; a < 4; a++) {
    if (taken[body->coordinate[a]] != 0.0) {
      return refuse(self, self->model.system->rows[body->row].name,
                    "is a second constraint of a quaternion", error);
    }
    taken[body->coordinate[a]] = 1.0;
  }
  return VIDA_SUCCESS;
}

/* All other coordinates. */
static void find_others(VidaIntegration* self) {
  vida_lie_state* own = self->state;
  double* taken = own->rest;
  for (int i = 0; i < self->model.n; i++) {
    if (taken[i] == 0.0) {
      own->other[own->others++] = i;
    }
    taken[i] = 0.0;
  }
}

/* For methods without joints: each row belongs to a body. */
static int find_free_bodies(VidaIntegration* self, VidaError* error) {
  const VidaSystem* system = self->model.system;
  vida_lie_state* own = self->state;
  int code = VIDA_SUCCESS;
  for (int r = 0; r < self->model.m && !code; r++) {
    vida_lie_body* body = &own->body[own->bodies++];
    if (!take_row(self, r, body)) {
      return refuse(self, system->rows[r].name, "is not the unit norm of a quaternion", error);
    }
    order_coordinates(self, body);
    code = take_body(self, body, error);
  }
  find_others(self);
  return code;
}

/* ---- states to look at ----------------------------------------------------------------------- */

typedef struct probe {
  double *q, *v, *l_q, *l_v; /* n */
  double *bias, *bias_rest;  /* n */
  double* start;             /* n: the initial positions */
  double* rates;             /* 3 by bodies */
  double *g, *row_work;      /* m */
  double* entries;           /* of G */
  double* matrix;            /* of the KKT pattern */
} probe;

static int allocate_probe(const VidaIntegration* self, probe* at) {
  const size_t n = (size_t)self->model.n;
  const size_t m = (size_t)self->model.m;
  const size_t entries = (size_t)self->model.system->entry_count;
  double* next = vida__allocate(
      7 * n + 5 * m + entries + (size_t)self->model.system->pattern.entries, sizeof *next);
  at->q = next;
  if (!next) {
    return VIDA_OUT_OF_MEMORY;
  }
  double** const of_n[] = {&at->v, &at->l_q, &at->l_v, &at->bias, &at->bias_rest, &at->start};
  for (size_t k = 0; k < sizeof of_n / sizeof of_n[0]; k++) {
    next += n;
    *of_n[k] = next;
  }
  at->rates = next + n;
  at->g = at->rates + 3 * m;
  at->row_work = at->g + m;
  at->entries = at->row_work + m;
  at->matrix = at->entries + entries;
  return VIDA_SUCCESS;
}

/* Returns a pseudo-random number between -1 and 1; the sequence is the same on every machine. */
static double arbitrary(int k, int i) {
  return sin(1.0 + 12.9898 * k + 78.233 * i);
}

/* Sets up a state: unit quaternions, 1 in state 0 and arbitrary ones in others; other coordinates
 * near the start. */
static void choose_positions(const VidaIntegration* self, int k, probe* at) {
  const vida_lie_state* own = self->state;
  for (int j = 0; j < own->others; j++) {
    const int i = own->other[j];
    const double size = at->start[i] != 0.0 ? fabs(at->start[i]) : 1.0;
    at->q[i] = at->start[i] + 0.01 * k * size * arbitrary(k, i);
  }
  for (int b = 0; b < own->bodies; b++) {
    double square = 0.0;
    for (int a = 0; a < 4; a++) {
      const double x = k == 0 ? (a == 0 ? 1.0 : 0.0) : arbitrary(k, 4 * b + a);
      at->q[own->body[b].coordinate[a]] = x;
      square += x * x;
    }
    for (int a = 0; a < 4; a++) {
      at->q[own->body[b].coordinate[a]] /= sqrt(square);
    }
  }
}

static void choose_velocities(const VidaIntegration* self, int k, probe* at) {
  const vida_lie_state* own = self->state;
  for (int j = 0; j < own->others; j++) {
    at->v[own->other[j]] = arbitrary(k + PROBES, j);
  }
  for (int b = 0; b < own->bodies; b++) {
    double q[4], v[4];
    for (int i = 0; i < 3; i++) {
      at->rates[3 * b + i] = arbitrary(k + 2 * PROBES, 3 * b + i);
    }
    vida__lie_body_components(&own->body[b], at->q, q);
    vida__lie_quaternion_rate(q, at->rates + 3 * b, v);
    for (int a = 0; a < 4; a++) {
      at->v[own->body[b].coordinate[a]] = v[a];
    }
  }
}

/* Returns whether the general terms of the Lagrangian have no value at the velocities v. */
static bool lacks_value(VidaIntegration* self, double t, const double* v, probe* at) {
  return vida__gradient_of(&self->model.evaluator, VIDA_PART_GENERAL, t, at->q, v, at->l_q,
                           at->l_v) != VIDA_SUCCESS;
}

/* Fails after the evaluation at at->v has failed. A Lagrangian that has values at rest but not at
 * some velocities is no kinetic energy with constant masses. */
static int fail_probe(VidaIntegration* self, double t, int code, probe* at, VidaError* error) {
  const vida_lie_state* own = self->state;
  double* alone = at->bias; /* one velocity, with all other coordinates at rest */
  if (!lacks_value(self, t, at->v, at) || lacks_value(self, t, own->rest, at)) {
    return vida__evaluation_failed(self, code, error);
  }
  for (int j = 0; j < own->others; j++) {
    memset(alone, 0, (size_t)self->model.n * sizeof *alone);
    alone[own->other[j]] = at->v[own->other[j]];
    if (lacks_value(self, t, alone, at)) {
      return refuse(self, self->model.system->coordinates[own->other[j]].name,
                    "does not have a constant mass of its own", error);
    }
  }
  return refuse(self, vida__general_term(self->model.system),
                "does not have the kinetic energy of constant masses", error);
}

/* ---- inertia --------------------------------------------------------------------------------- */

/* Computes L_v for rates of one about the axis `axis` of every body, with all other rates zero or
 * one. */
static int probe_axis(VidaIntegration* self, int axis, double others, probe* at) {
  vida_lie_state* own = self->state;
  memset(at->v, 0, (size_t)self->model.n * sizeof *at->v);
  for (int b = 0; b < own->bodies && axis >= 0; b++) {
    double q[4], v[4];
    double rates[3] = {0.0, 0.0, 0.0};
    rates[axis] = 1.0;
    vida__lie_body_components(&own->body[b], at->q, q);
    vida__lie_quaternion_rate(q, rates, v);
    for (int a = 0; a < 4; a++) {
      at->v[own->body[b].coordinate[a]] = v[a];
    }
  }
  for (int j = 0; j < own->others; j++) {
    at->v[own->other[j]] = others;
  }
  return vida__gradient(&self->model.evaluator, 0.0, at->q, at->v, at->l_q, at->l_v);
}

static void find_axes(vida_lie_body* body) {
  double inertia[3][3], axes[3][3];
  memcpy(inertia, body->inertia, sizeof inertia);
  Vida_PrincipalAxes((const double(*)[3])inertia, body->moment, axes);
  memcpy(body->axes, axes, sizeof body->axes);
  body->is_principal = axes[0][0] == 1.0 && axes[1][1] == 1.0 && axes[2][2] == 1.0;
}

static int measure_inertia(VidaIntegration* self, probe* at, VidaError* error) {
  vida_lie_state* own = self->state;
  int code = VIDA_SUCCESS;
  for (int axis = 0; axis < 3 && !code; axis++) {
    code = probe_axis(self, axis, 0.0, at);
    for (int b = 0; b < own->bodies && !code; b++) {
      double q[4], l_v[4], column[3];
      vida__lie_body_components(&own->body[b], at->q, q);
      vida__lie_body_components(&own->body[b], at->l_v, l_v);
      vida__lie_drop(q, l_v, column);
      for (int i = 0; i < 3; i++) {
        own->body[b].inertia[3 * i + axis] = column[i];
      }
    }
  }
  code = code ? code : probe_axis(self, -1, 1.0, at);
  if (code) {
    return fail_probe(self, 0.0, code, at, error);
  }
  for (int j = 0; j < own->others; j++) {
    own->mass[own->other[j]] = at->l_v[own->other[j]];
    if (!(own->mass[own->other[j]] > 0.0)) {
      return refuse(self, self->model.system->coordinates[own->other[j]].name, "has no mass",
                    error);
    }
    own->inverse_root[own->other[j]] = 1.0 / sqrt(own->mass[own->other[j]]);
  }
  for (int b = 0; b < own->bodies; b++) {
    vida_lie_body* body = &own->body[b];
    double* inertia = body->inertia;
    for (int i = 0; i < 3; i++) {
      const int k = (i + 1) % 3;
      const double mean = 0.5 * (inertia[3 * i + k] + inertia[3 * k + i]);
      inertia[3 * i + k] = inertia[3 * k + i] = mean;
    }
    if (invert(inertia, body->factors) || !(inertia[0] > 0.0) || !(inertia[4] > 0.0) ||
        !(inertia[8] > 0.0)) {
      return refuse_body(self, body, "has no regular inertia tensor", error);
    }
    find_axes(body);
    for (int i = 0; i < 3; i++) {
      body->inverse_root[i] = 1.0 / sqrt(body->moment[i]);
    }
  }
  return VIDA_SUCCESS;
}

/* ---- is it a rigid body? --------------------------------------------------------------------- */

/* Returns whether the row of a body is 0 at at->q, with a gradient along the quaternion. */
static bool is_norm(const VidaIntegration* self, const vida_lie_body* body, const probe* at) {
  const VidaSystem* system = self->model.system;
  const vida_lie_state* own = self->state;
  double q[4], along = 0.0, size = 0.0;
  vida__lie_body_components(body, at->q, q);
  for (int e = own->row_start[body->row]; is_in_row(system, e, body->row); e++) {
    for (int a = 0; a < 4; a++) {
      if (system->entries[e].coordinate == body->coordinate[a]) {
        along += at->entries[e] * q[a];
        size += at->entries[e] * at->entries[e];
      }
    }
  }
  return fabs(at->g[body->row]) <= vanishing * sqrt(size) &&
         fabs(along) >= (1.0 - vanishing) * sqrt(size) && size > 0.0;
}

static int evaluate_rows(VidaIntegration* self, probe* at, VidaError* error) {
  int code = vida__constraints(&self->model.evaluator, 0.0, at->q, NULL, at->g);
  code = code ? code : vida__jacobian(&self->model.evaluator, 0.0, at->q, at->entries);
  return code ? vida__evaluation_failed(self, code, error) : VIDA_SUCCESS;
}

static int check_norms(VidaIntegration* self, probe* at, VidaError* error) {
  const vida_lie_state* own = self->state;
  const int code = evaluate_rows(self, at, error);
  for (int b = 0; b < own->bodies && !code; b++) {
    if (!is_norm(self, &own->body[b], at)) {
      return refuse(self, self->model.system->rows[own->body[b].row].name,
                    "is not the unit norm of a quaternion", error);
    }
  }
  return code;
}

/* Sets declared quaternions to arbitrary unit ones, and other coordinates to the start. */
static void choose_declared(const VidaIntegration* self, probe* at) {
  const VidaSystem* system = self->model.system;
  memcpy(at->q, at->start, (size_t)self->model.n * sizeof *at->q);
  for (int k = 0; k < system->motion_count; k++) {
    double square = 0.0;
    if (system->motions[k].kind != VIDA_MOTION_QUATERNION) {
      continue;
    }
    for (int a = 0; a < 4; a++) {
      at->q[system->motions[k].coordinate[a]] = arbitrary(1, 4 * k + a);
      square += arbitrary(1, 4 * k + a) * arbitrary(1, 4 * k + a);
    }
    for (int a = 0; a < 4; a++) {
      at->q[system->motions[k].coordinate[a]] /= sqrt(square);
    }
  }
}

/* For methods with joints: a body is a declared quaternion with a row of unit norm. All other rows
 * are joints. */
static int find_jointed_bodies(VidaIntegration* self, probe* at, VidaError* error) {
  vida_lie_state* own = self->state;
  choose_declared(self, at);
  int code = evaluate_rows(self, at, error);
  for (int r = 0; r < self->model.m && !code; r++) {
    vida_lie_body body = {.row = r};
    if (take_row(self, r, &body) && order_coordinates(self, &body) && is_norm(self, &body, at)) {
      own->body[own->bodies++] = body;
      code = take_body(self, &body, error);
    }
  }
  find_others(self);
  return code;
}

/* Computes at->l_q = M x with M in at->matrix. */
static void multiply_mass(const VidaIntegration* self, const double* x, probe* at) {
  const vida_pattern* pattern = &self->model.system->pattern;
  memset(at->l_q, 0, (size_t)self->model.n * sizeof *at->l_q);
  for (int j = 0; j < self->model.n; j++) {
    for (sunindextype k = pattern->column_start[j]; k < pattern->column_start[j + 1]; k++) {
      if (pattern->row[k] < self->model.n) {
        at->l_q[pattern->row[k]] += at->matrix[k] * x[j];
      }
    }
  }
}

static bool differs(const double* a, const double* b, int count, double size) {
  for (int i = 0; i < count; i++) {
    if (!(fabs(a[i] - b[i]) <= vanishing * size)) {
      return true;
    }
  }
  return false;
}

static double size_of(const double* a, int count) {
  double size = 0.0;
  for (int i = 0; i < count; i++) {
    size += fabs(a[i]);
  }
  return size;
}

/* Checks that M v is J omega for each body and m v for the other coordinates, without coupling and
 * with constant J. */
static int check_momenta(VidaIntegration* self, probe* at, VidaError* error) {
  const vida_lie_state* own = self->state;
  multiply_mass(self, at->v, at);
  for (int b = 0; b < own->bodies; b++) {
    double q[4], f[4], expected[3], moments[3], told[3];
    const vida_lie_body* body = &own->body[b];
    vida__lie_multiply(body->inertia, at->rates + 3 * b, expected);
    vida__lie_body_components(body, at->q, q);
    vida__lie_body_components(body, at->l_q, f);
    vida__lie_drop(q, f, moments);
    vida__lie_body_components(body, at->l_v, f);
    vida__lie_drop(q, f, told);
    const double size = size_of(body->inertia, 9);
    if (differs(moments, expected, 3, size) || differs(told, expected, 3, size)) {
      return refuse_body(
          self, body, "does not have the kinetic energy of a rigid body about its centre of mass",
          error);
    }
  }
  for (int j = 0; j < own->others; j++) {
    const int i = own->other[j];
    const double p = own->mass[i] * at->v[i];
    const double size = own->mass[i];
    if (differs(&at->l_q[i], &p, 1, size) || differs(&at->l_v[i], &p, 1, size)) {
      return refuse(self, self->model.system->coordinates[i].name,
                    "does not have a constant mass of its own", error);
    }
  }
  return VIDA_SUCCESS;
}

/* Checks Euler's equations. */
static int check_forces(VidaIntegration* self, probe* at, VidaError* error) {
  const vida_lie_state* own = self->state;
  multiply_mass(self, at->q, at);
  for (int b = 0; b < own->bodies; b++) {
    double q[4], f[4], rest[4], m_q[4], moments[3], expected[3], spin[3];
    const vida_lie_body* body = &own->body[b];
    const double* rates = at->rates + 3 * b;
    vida__lie_body_components(body, at->q, q);
    vida__lie_body_components(body, at->bias, f);
    vida__lie_body_components(body, at->bias_rest, rest);
    vida__lie_body_components(body, at->l_q, m_q);
    const double square = rates[0] * rates[0] + rates[1] * rates[1] + rates[2] * rates[2];
    const double size = size_of(f, 4) + size_of(rest, 4) + square * size_of(body->inertia, 9);
    for (int a = 0; a < 4; a++) {
      f[a] += 0.25 * square * m_q[a];
    }
    vida__lie_drop(q, f, moments);
    vida__lie_drop(q, rest, expected);
    vida__lie_multiply(body->inertia, rates, spin);
    for (int i = 0; i < 3; i++) {
      const int k = (i + 1) % 3;
      const int l = (i + 2) % 3;
      moments[i] += rates[k] * spin[l] - rates[l] * spin[k];
    }
    if (differs(moments, expected, 3, size)) {
      return refuse_body(self, body, "feels forces that depend on velocities", error);
    }
  }
  for (int j = 0; j < own->others; j++) {
    const int i = own->other[j];
    const double size = fabs(at->bias[i]) + fabs(at->bias_rest[i]);
    if (differs(&at->bias[i], &at->bias_rest[i], 1, size)) {
      return refuse(
          self, self->model.system->coordinates[i].name,
          "feels forces that depend on velocities, or has a mass that depends on positions", error);
    }
  }
  return VIDA_SUCCESS;
}

/* Subtracts the generalized forces from the biases, if they may depend on velocities. */
static int leave_out_forces(VidaIntegration* self, double t, probe* at) {
  const vida_lie_state* own = self->state;
  vida_evaluator* evaluator = &self->model.evaluator;
  int code = VIDA_SUCCESS;
  for (int k = 0; k < 2 && own->accepts_rates && self->model.system->has_forces && !code; k++) {
    double* bias = k == 0 ? at->bias : at->bias_rest;
    code = vida__gradient_of(evaluator, VIDA_PART_FORCE, t, at->q, k == 0 ? at->v : own->rest,
                             at->l_q, at->l_v);
    for (int i = 0; i < self->model.n; i++) {
      bias[i] -= at->l_q[i];
    }
  }
  return code;
}

static int probe_state(VidaIntegration* self, int k, probe* at, VidaError* error) {
  vida_lie_state* own = self->state;
  const vida_hessian_weights mass_only = {0.0, 0.0, 0.0, 1.0};
  vida_evaluator* evaluator = &self->model.evaluator;
  const double t = 0.1 * k;
  choose_positions(self, k, at);
  int code = check_norms(self, at, error);
  if (!code && k == 0) {
    code = measure_inertia(self, at, error);
  }
  if (code) {
    return code;
  }
  choose_velocities(self, k, at);
  memset(at->matrix, 0, (size_t)self->model.system->pattern.entries * sizeof *at->matrix);
  code = vida__find_hidden_potential(evaluator, t, at->q, own->rest, at->l_q, at->l_v,
                                     &own->hidden_potential);
  code = code ? code
              : vida__motion_bias(evaluator, t, at->q, own->rest, at->bias_rest, at->row_work,
                                  at->l_q);
  code =
      code ? code : vida__motion_bias(evaluator, t, at->q, at->v, at->bias, at->row_work, at->l_q);
  code = code ? code : leave_out_forces(self, t, at);
  code = code ? code : vida__add_hessian(evaluator, t, at->q, at->v, mass_only, at->matrix);
  code = code ? code : vida__gradient(evaluator, t, at->q, at->v, at->l_q, at->l_v);
  if (code) {
    return fail_probe(self, t, code, at, error);
  }
  code = check_momenta(self, at, error);
  return code ? code : check_forces(self, at, error);
}

static int look_at_states(VidaIntegration* self, VidaError* error) {
  const vida_lie_state* own = self->state;
  probe at = {0};
  if (allocate_probe(self, &at)) {
    return vida__fail_memory(error);
  }
  /* This check does not need a consistent start. */
  const VidaStartOptions about = {.adjust = true, .tolerance = 1.0};
  int code = VidaSystem_Start(self->model.system, 0.0, &about, at.start, at.v, NULL, error);
  if (!code && own->accepts_joints) {
    code = find_jointed_bodies(self, &at, error);
  }
  for (int k = 0; k < PROBES && !code; k++) {
    code = probe_state(self, k, &at, error);
  }
  free(at.q);
  return code;
}

/* Finds out which forces there are, by the form of the terms. */
static void find_forces(const VidaIntegration* self) {
  const VidaSystem* system = self->model.system;
  vida_lie_state* own = self->state;
  own->is_free = true;
  for (int b = 0; b < system->term_batch_count; b++) {
    const vida_term_batch* batch = &system->term_batches[b];
    const bool rests = batch->functions && batch->functions->rests;
    own->is_free = own->is_free && (rests || batch->kernel->mass || batch->kernel->is_kinetic);
  }
  own->is_quiet = own->is_free;
  for (int i = 0; i < self->model.n; i++) {
    own->is_quiet = own->is_quiet && system->uniform_force[i] == 0.0;
  }
}

int vida__lie_create(VidaIntegration* self, unsigned accepts, VidaError* error) {
  const bool accepts_joints = (accepts & VIDA_LIE_JOINTS) != 0;
  const size_t n = (size_t)self->model.n;
  const size_t bodies = (size_t)self->model.m;
  if (bodies == 0 && !accepts_joints) {
    return VIDA_REFUSE_SYSTEM(error,
                              "%s accepts rigid bodies, but system '%s' has no unit quaternion",
                              self->method->info.name, self->model.system->name);
  }
  vida_lie_state* own =
      vida__allocate(1, sizeof *own + bodies * sizeof own->body[0] + 4 * n * sizeof(double) +
                            (2 * n + bodies) * sizeof(int));
  if (!own) {
    return vida__fail_memory(error);
  }
  own->accepts_joints = accepts_joints;
  own->accepts_rates = (accepts & VIDA_LIE_RATES) != 0;
  own->mass = (double*)(own->body + bodies);
  own->inverse_root = own->mass + n;
  own->force = own->inverse_root + n;
  own->rest = own->force + n;
  own->other = (int*)(own->rest + n);
  own->declared = own->other + n;
  own->row_start = own->declared + n;
  self->state = own;
  find_forces(self);
  find_places(self);
  const int code = accepts_joints ? VIDA_SUCCESS : find_free_bodies(self, error);
  return code ? code : look_at_states(self, error);
}
