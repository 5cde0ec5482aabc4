/* The state and the functions that the methods of rigid bodies share (lgvi, rotation-splitting,
 * simo-wong, rattlie, lie-alpha); each body is a unit quaternion. */
#ifndef VIDA_METHODS_RIGID_LIE_H
#define VIDA_METHODS_RIGID_LIE_H

#include <math.h>

#include "stepper/integration.h"

/* Vectors that are kept by bodies have a fourth component, which is 0: loops over them are those of
 * whole SIMD registers. */
enum { VIDA_TURNS = 4, VIDA_PADDED = 4 };

/* A body with a quaternion, scalar first, from body to space. */
typedef struct vida_lie_body {
  int coordinate[4];
  int row;                /* its constraint of unit norm */
  double inertia[9];      /* J, by rows */
  double factors[9];      /* J^-1, by rows */
  double moment[3];       /* the principal moments */
  double inverse_root[3]; /* 1 / sqrt(moment) */
  double axes[9];         /* column i: principal axis i; by rows */
  bool is_principal;      /* these are the axes of the body */
  /* Turns of the last steps, c = tan(angle / 2) times the axis (lie_turn.c). */
  double turn[3]; /* of the last step, in the body */
  /* Backward differences of order 0, 1, ..., in the principal axes. */
  double difference[VIDA_TURNS][VIDA_PADDED];
  int turns; /* number of known differences */
  double h;  /* of these steps */
  /* These numbers before a series of steps. */
  double kept_difference[VIDA_TURNS][VIDA_PADDED], kept_h;
  int kept_turns;
} vida_lie_body;

/* The state of a method. The angular momentum of a body in space is part of the node, which is
 * restored after a failed step. Its components are in self->node.v, and their rounding errors in
 * p_low, at the first three coordinates of the quaternion. */
typedef struct vida_lie_state {
  bool is_free;        /* no term of the system has a force at rest; only uniform forces are left */
  bool is_quiet;       /* nor are there uniform forces */
  bool accepts_joints; /* other rows than those of unit norm are joints */
  bool accepts_rates;  /* forces may depend on velocities */
  bool has_force;      /* the force at the node is known from the last step */
  const char* hidden_potential; /* name of a general Lagrangian with a potential; NULL: none */
  int bodies;
  int others;     /* number of coordinates that do not belong to a quaternion */
  int* other;     /* others: their indices */
  int* declared;  /* n: index of the declared quaternion that a coordinate belongs to, or -1 */
  int* row_start; /* m: index of the first entry of G of a row */
  double* mass;   /* n: masses of these coordinates */
  double* inverse_root; /* n: 1 / sqrt(mass) of these coordinates */
  double* force;        /* n: L_q at rest, at the node */
  double* rest;         /* n: zeros */
  /* Of kicked methods: rotates the bodies with their angular momenta for a step. */
  int (*fly)(VidaIntegration* self, VidaError* error);
  VidaStatistics kept;  /* before a series of steps */
  void* more;           /* data of one method, which frees it */
  vida_lie_body body[]; /* bodies */
} vida_lie_state;

/* What a method accepts besides free bodies under forces of positions and time. */
enum { VIDA_LIE_JOINTS = 1, VIDA_LIE_RATES = 2 };

/* Finds the bodies of a system and their inertia, and sets self->state. All rows must be unit norms
 * of quaternions, or, if the method accepts joints, those of declared quaternions and any others.
 * Fails with VIDA_NOT_SUPPORTED and the reason for other systems. */
int vida__lie_create(VidaIntegration* self, unsigned accepts, VidaError* error);
/* Refuses coordinates so light that their motion would be rounding: for VidaMethod.start. */
int vida__lie_check_masses(const VidaIntegration* self, VidaError* error);
/* ---- small vectors: inline and without loops, because a step consists of little else ---- */

/* Computes v = q * (0, rates) / 2. */
static inline void vida__lie_quaternion_rate(const double q[4], const double rates[3],
                                             double v[4]) {
  const double* w = rates;
  v[0] = 0.5 * (-q[1] * w[0] - q[2] * w[1] - q[3] * w[2]);
  v[1] = 0.5 * (q[0] * w[0] + q[2] * w[2] - q[3] * w[1]);
  v[2] = 0.5 * (q[0] * w[1] + q[3] * w[0] - q[1] * w[2]);
  v[3] = 0.5 * (q[0] * w[2] + q[1] * w[1] - q[2] * w[0]);
}
/* Computes the moments in the body of a force f on q: the transpose of
 * vida__lie_quaternion_rate. */
static inline void vida__lie_drop(const double q[4], const double f[4], double moments[3]) {
  moments[0] = 0.5 * (-q[1] * f[0] + q[0] * f[1] + q[3] * f[2] - q[2] * f[3]);
  moments[1] = 0.5 * (-q[2] * f[0] - q[3] * f[1] + q[0] * f[2] + q[1] * f[3]);
  moments[2] = 0.5 * (-q[3] * f[0] + q[2] * f[1] - q[1] * f[2] + q[0] * f[3]);
}
/* Computes the moment in space of a force f on q: f . ((0, e) * q) / 2 about each axis e. It is
 * linear in q, which need not have norm 1. */
static inline void vida__lie_moment(const double q[4], const double f[4], double moment[3]) {
  moment[0] = 0.5 * (-q[1] * f[0] + q[0] * f[1] - q[3] * f[2] + q[2] * f[3]);
  moment[1] = 0.5 * (-q[2] * f[0] + q[3] * f[1] + q[0] * f[2] - q[1] * f[3]);
  moment[2] = 0.5 * (-q[3] * f[0] - q[2] * f[1] + q[1] * f[2] + q[0] * f[3]);
}
/* Computes y = A x for a 3 x 3 matrix, by rows. */
static inline void vida__lie_multiply(const double a[9], const double x[3], double y[3]) {
  y[0] = a[0] * x[0] + a[1] * x[1] + a[2] * x[2];
  y[1] = a[3] * x[0] + a[4] * x[1] + a[5] * x[2];
  y[2] = a[6] * x[0] + a[7] * x[1] + a[8] * x[2];
}
/* Computes c = a x b. */
static inline void vida__lie_cross(const double a[3], const double b[3], double c[3]) {
  c[0] = a[1] * b[2] - a[2] * b[1];
  c[1] = a[2] * b[0] - a[0] * b[2];
  c[2] = a[0] * b[1] - a[1] * b[0];
}
/* Returns a . b. */
static inline double vida__lie_dot(const double a[3], const double b[3]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
/* Solves A d = r, rows first, by Cramer's rule. Returns false if the determinant is not above
 * `least`. */
static inline bool vida__lie_solve(const double a[3][3], const double r[3], double least,
                                   double d[3]) {
  double x[3], y[3], z[3];
  vida__lie_cross(a[1], a[2], x);
  vida__lie_cross(a[2], a[0], y);
  vida__lie_cross(a[0], a[1], z);
  const double determinant = vida__lie_dot(a[0], x);
  if (!(fabs(determinant) > least)) {
    return false;
  }
  const double inverse = 1.0 / determinant;
  d[0] = (r[0] * x[0] + r[1] * y[0] + r[2] * z[0]) * inverse;
  d[1] = (r[0] * x[1] + r[1] * y[1] + r[2] * z[1]) * inverse;
  d[2] = (r[0] * x[2] + r[1] * y[2] + r[2] * z[2]) * inverse;
  return true;
}

/* Computes the conjugate of a quaternion, the opposite rotation. */
static inline void vida__lie_conjugate(const double q[4], double back[4]) {
  back[0] = q[0];
  back[1] = -q[1];
  back[2] = -q[2];
  back[3] = -q[3];
}
/* Computes the components y in the body of a vector x in space. */
static inline void vida__lie_turn_to_body(const double q[4], const double x[3], double y[3]) {
  const double axis[3] = {-q[1], -q[2], -q[3]};
  double once[3], twice[3];
  vida__lie_cross(axis, x, once);
  vida__lie_cross(axis, once, twice);
  y[0] = x[0] + 2.0 * (q[0] * once[0] + twice[0]);
  y[1] = x[1] + 2.0 * (q[0] * once[1] + twice[1]);
  y[2] = x[2] + 2.0 * (q[0] * once[2] + twice[2]);
}
/* Copies the components of `from` (n) at the coordinates of a body to x. */
static inline void vida__lie_body_components(const vida_lie_body* body, const double* from,
                                             double x[4]) {
  x[0] = from[body->coordinate[0]];
  x[1] = from[body->coordinate[1]];
  x[2] = from[body->coordinate[2]];
  x[3] = from[body->coordinate[3]];
}

/* Computes the components y in the principal axes of a body of a vector x in the body. */
static inline void vida__lie_turn_to_axes(const vida_lie_body* body, const double x[3],
                                          double y[3]) {
  const double* p = body->axes;
  for (int i = 0; i < 3; i++) {
    y[i] = p[i] * x[0] + p[3 + i] * x[1] + p[6 + i] * x[2];
  }
}

/* ---- the state ---- */

/* Computes the angular momentum in the body for the quaternion q. */
static inline void vida__lie_spin(const VidaIntegration* self, const vida_lie_body* body,
                                  const double q[4], double in_body[3]) {
  double spin[4];
  vida__lie_body_components(body, self->node.v, spin);
  vida__lie_turn_to_body(q, spin, in_body);
}
/* Adds a multiple of a moment in space to the angular momentum of a body. */
static inline void vida__lie_add_spin(VidaIntegration* self, const vida_lie_body* body,
                                      double weight, const double moment[3]) {
  for (int i = 0; i < 3; i++) {
    const int c = body->coordinate[i];
    vida__add_compensated(&self->node.v[c], &self->node.p_low[c], weight * moment[i]);
  }
}
/* Computes the force at the node, L_q at rest, into the state. */
static inline int vida__lie_find_force(VidaIntegration* self, double t) {
  vida_lie_state* own = self->state;
  if (own->is_quiet) {
    return VIDA_SUCCESS;
  }
  /* At rest, where the kinetic energy has no part in L_q. */
  return vida__rest_force(&self->model.evaluator, t, self->node.q, own->rest, own->force,
                          self->work.l_v);
}
/* Adds the impulse of half a step of this force to the momenta of all bodies and coordinates. */
static inline void vida__lie_kick(VidaIntegration* self) {
  const vida_lie_state* own = self->state;
  const double half = 0.5 * self->node.h;
  if (own->is_quiet) {
    return;
  }
  for (int b = 0; b < own->bodies; b++) {
    const vida_lie_body* body = &own->body[b];
    double q[4], f[4], moment[3];
    vida__lie_body_components(body, own->force, f);
    if (f[0] == 0.0 && f[1] == 0.0 && f[2] == 0.0 && f[3] == 0.0) {
      continue;
    }
    vida__lie_body_components(body, self->node.q, q);
    vida__lie_moment(q, f, moment);
    vida__lie_add_spin(self, body, half, moment);
  }
  for (int j = 0; j < own->others; j++) {
    const int i = own->other[j];
    if (own->force[i] != 0.0) {
      vida__add_compensated(&self->node.p[i], &self->node.p_low[i], half * own->force[i]);
    }
  }
}
/* Computes the angular velocity in the body for the quaternion q. */
void vida__lie_rates(const VidaIntegration* self, const vida_lie_body* body, const double q[4],
                     double rates[3]);
/* Adds a change to the quaternion, and scales the result to norm 1 (lie_turn.c). */
void vida__lie_advance(VidaIntegration* self, const vida_lie_body* body, const double change[4]);
/* Finds the turn c of a step, body->turn: J c + c x J c = (1 + share c c) h/2 Pi with the angular
 * momentum Pi in the body, by Newton's method, to rounding, from a guess that continues the last
 * turns. Counts its iterations. Fails with VIDA_STEP_NOT_CONVERGED, also for |c| >= 1 (lie_turn.c).
 */
int vida__lie_find_turn(VidaIntegration* self, vida_lie_body* body, double share);
/* Rotates the quaternion q * (1, c)/sqrt(1 + c c), by body->turn (lie_turn.c). */
void vida__lie_rotate(VidaIntegration* self, const vida_lie_body* body);
/* Forgets the last turns, as after a failed step: for VidaMethod.undo (lie_turn.c). */
void vida__lie_forget_turns(VidaIntegration* self);
/* Keeps the last turns and the counts before a series of steps, and restores them: for
 * vida_step_series (lie_turn.c). */
void vida__lie_keep_turns(VidaIntegration* self);
void vida__lie_take_back_turns(VidaIntegration* self);
/* Normalizes the quaternions, and computes the angular momenta in space and the momenta p, from q
 * and v of the node. */
int vida__lie_start(VidaIntegration* self, VidaError* error);
/* Computes self->node.p of the bodies from their angular momenta. */
void vida__lie_set_momenta(VidaIntegration* self);
/* Kicks and flights (lie_kicks.c): `create` of a method whose bodies turn by `fly`, its start and
 * its step: for VidaMethod. vida__lie_fail_turn is the failure of a body that turns too far. */
int vida__lie_create_kicked(VidaIntegration* self,
                            int (*fly)(VidaIntegration* self, VidaError* error), VidaError* error);
int vida__lie_start_kicked(VidaIntegration* self, VidaError* error);
int vida__lie_step_kicked(VidaIntegration* self, VidaError* error);
int vida__lie_fail_turn(const VidaIntegration* self, const vida_lie_body* body, VidaError* error);
/* What the records of these methods share. */
#define VIDA_LIE_KICKED_CAPABILITIES                                                         \
  (VIDA_CAN_SYMPLECTIC | VIDA_CAN_MOMENTUM | VIDA_CAN_REVERSIBLE | VIDA_CAN_POSITION_LEVEL | \
   VIDA_CAN_VELOCITY_LEVEL | VIDA_CAN_RIGID_BODIES)
#define VIDA_LIE_KICKED_FUNCTIONS                                                                  \
  .state = vida__lie_state_record, .start = vida__lie_start_kicked, .step = vida__lie_step_kicked, \
  .undo = vida__lie_forget_turns, .velocities = vida__lie_velocities, .energy = vida__node_energy, \
  .multipliers = vida__node_multipliers
#define VIDA_LIE_KICKED_LIMITS                                                              \
  "Rigid bodies in space as unit quaternions about their centre of mass or a fixed point, " \
  "without joints; potentials and forces of positions and time. "
#define VIDA_LIE_NORM_LIMITS \
  "The unit norm needs no constraint force; its multiplier is that of the equations of motion."
/* Visits the state: for VidaMethod.state, without what `more` points to. */
void vida__lie_state_record(VidaIntegration* self, VidaRecord* record);
/* Prepares a step: for vida_implicit.prepare. */
int vida__lie_prepare(VidaIntegration* self, VidaError* error);
/* Computes the velocities v (n) at the node: for VidaMethod.velocities. */
int vida__lie_velocities(VidaIntegration* self, double* v, VidaError* error);

#endif
