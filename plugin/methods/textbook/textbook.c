/* The maps of textbooks, for systems without constraints (Marsden and Wendlandt 1997, section 2.4).
 *
 * With f(q,t) = -V_q and forces that depend on positions and time only, a constant mass matrix M:
 *     symplectic-euler (eq. 16):     q1 = q0 + h M^-1 p0,  p1 = p0 + h f(q1,t1)
 *     lie-trotter (example 5):       p1 = p0 + h f(q0,t0), q1 = q0 + h M^-1 p1
 *     verlet:                        half of that kick, the flight, the other half
 *     symplectic-implicit (eq. 17):  q1 = q0 + h M^-1 (p0 + p1)/2,  p1 = p0 + h f((q0 + q1)/2)
 * and for any regular Lagrangian, with H its Legendre transform,
 *     implicit-midpoint (eq. 18):    z1 = z0 + h X_H((z0 + z1)/2),
 * which is solved for w = (q1 - q0)/h = H_p: L_v - h/2 L_q - p0 = 0 at ((q0 + q1)/2, w), then p1 =
 * p0 + h L_q. For a constant mass matrix this is eq. 17. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "stepper/integration.h"
#include "stepper/method_options.h"
#include "system/constraints/singular.h"

typedef struct textbook_state {
  bool has_force; /* that at the node, found by the step before (verlet) */
  double* force;  /* n */
  double* kept;   /* n: p + p_low */
  double* w;      /* n: velocity of the last step */
  double data[];
} textbook_state;

/* ---- creation and start ---------------------------------------------------------------------- */

static int prepare_nothing(VidaIntegration* self, VidaError* error) {
  (void)self;
  (void)error;
  return VIDA_SUCCESS;
}

static int create_any(VidaIntegration* self, VidaError* error) {
  const size_t n = (size_t)self->model.n;
  textbook_state* own = vida__allocate(1, sizeof *own + 3 * n * sizeof own->data[0]);
  if (!own) {
    return vida__fail_memory(error);
  }
  own->force = own->data;
  own->kept = own->force + n;
  own->w = own->kept + n;
  self->state = own;
  vida__keep_in_steps(self, own->force, n * sizeof *own->force);
  vida__keep_in_steps(self, own->w, n * sizeof *own->w);
  vida__keep_in_steps(self, &own->has_force, sizeof own->has_force);
  return VIDA_SUCCESS;
}

static void record_state(VidaIntegration* self, VidaRecord* record) {
  textbook_state* own = self->state;
  VidaRecord_Flag(record, &own->has_force);
  VidaRecord_Reals(record, own->data, 3 * (size_t)self->model.n);
}

static int create_implicit(VidaIntegration* self, VidaError* error) {
  const int code = create_any(self, error);
  return code ? code : vida__check_position_forces(self, error);
}

static int create_explicit(VidaIntegration* self, VidaError* error) {
  self->implicit.prepare = prepare_nothing;
  return create_implicit(self, error);
}

static int start(VidaIntegration* self, VidaError* error) {
  textbook_state* own = self->state;
  own->has_force = false;
  int code = vida__gradient(&self->model.evaluator, self->node.t0, self->node.q, self->node.v,
                            self->work.l_q, self->work.l_v);
  if (code) {
    return vida__evaluation_failed(self, code, error);
  }
  memcpy(self->node.p, self->work.l_v, (size_t)self->model.n * sizeof(double));
  code = vida__factor_node_matrix(self, self->implicit.entries0, self->node.v);
  if (code == VIDA_STEP_SINGULAR) {
    VIDA_REFUSE_SYSTEM(error,
                       "%s cannot integrate system '%s': it needs a regular mass matrix, and that "
                       "of the start is singular",
                       self->method->info.name, self->model.system->name);
    if (error) {
      vida__append(error->message, VIDA_MESSAGE_SIZE, ": it has no mass along ");
      vida__append_massless(self->model.system, self->model.node_matrix->values, error->message,
                            VIDA_MESSAGE_SIZE);
    }
    return VIDA_NOT_SUPPORTED;
  }
  return code ? vida__evaluation_failed(self, code, error) : VIDA_SUCCESS;
}

/* ---- explicit steps -------------------------------------------------------------------------- */

/* Computes v = M^-1 p with the constant mass matrix, which the start has factored. */
static int find_flight(VidaIntegration* self, const double* p, double* v) {
  const VidaSystem* system = self->model.system;
  if (!system->separable) {
    memcpy(v, p, (size_t)self->model.n * sizeof *v);
    return vida__linear_solve(self->model.node_matrix, v, v);
  }
  for (int i = 0; i < self->model.n; i++) {
    v[i] = p[i] / system->mass[i];
  }
  return VIDA_SUCCESS;
}

static int find_force(VidaIntegration* self, double t) {
  textbook_state* own = self->state;
  /* Any velocity is suitable, since nothing depends on it. At rest, the terms of the mass would
   * vanish. */
  memset(self->work.place, 0, (size_t)self->model.n * sizeof(double));
  return vida__gradient(&self->model.evaluator, t, self->node.q, self->work.place, own->force,
                        self->work.l_v);
}

static void kick(VidaIntegration* self, double share) {
  const textbook_state* own = self->state;
  for (int i = 0; i < self->model.n; i++) {
    vida__add_compensated(&self->node.p[i], &self->node.p_low[i],
                          share * self->node.h * own->force[i]);
  }
}

static int fly(VidaIntegration* self) {
  textbook_state* own = self->state;
  for (int i = 0; i < self->model.n; i++) {
    own->kept[i] = self->node.p[i] + self->node.p_low[i];
  }
  const int code = find_flight(self, own->kept, own->w);
  if (!code) {
    vida__advance_positions(self, own->w);
  }
  return code;
}

/* An unstable motion grows until it overflows. */
static int finish_explicit(VidaIntegration* self, int code, VidaError* error) {
  char step[VIDA_STEP_NAME_SIZE];
  char h[VIDA_REAL_TEXT_SIZE];
  textbook_state* own = self->state;
  for (int i = 0; i < self->model.n && !code; i++) {
    if (!isfinite(self->node.q[i]) || !isfinite(self->node.p[i])) {
      own->has_force = false;
      return vida__fail(
          error, VIDA_NOT_FINITE,
          "%s: coordinate '%s' has overflowed; the step is too large: try less than h = %s",
          vida__name_step(self, step), self->model.system->coordinates[i].name,
          vida__real_text(h, vida__requested_step_size(self), 6));
    }
  }
  own->has_force = own->has_force && !code;
  return code ? vida__evaluation_failed(self, code, error) : VIDA_SUCCESS;
}

static int step_euler(VidaIntegration* self, VidaError* error) {
  int code = fly(self);
  code = code ? code : find_force(self, vida__next_time(self));
  if (!code) {
    kick(self, 1.0);
  }
  return finish_explicit(self, code, error);
}

static int step_lie_trotter(VidaIntegration* self, VidaError* error) {
  int code = find_force(self, vida__node_time(self));
  if (!code) {
    kick(self, 1.0);
    code = fly(self);
  }
  return finish_explicit(self, code, error);
}

static int step_verlet(VidaIntegration* self, VidaError* error) {
  textbook_state* own = self->state;
  int code = own->has_force ? 0 : find_force(self, vida__node_time(self));
  if (!code) {
    kick(self, 0.5);
    code = fly(self);
  }
  code = code ? code : find_force(self, vida__next_time(self));
  if (!code) {
    kick(self, 0.5);
    own->has_force = true;
  }
  return finish_explicit(self, code, error);
}

/* ---- implicit steps -------------------------------------------------------------------------- */

static void find_middle(const VidaIntegration* self, const double* w) {
  for (int i = 0; i < self->model.n; i++) {
    self->work.place[i] = self->node.q[i] + 0.5 * self->node.h * w[i];
  }
}

static double middle_time(const VidaIntegration* self) {
  return vida__node_time(self) + 0.5 * self->node.h;
}

static int residual(void* data, const double* w, double* r) {
  VidaIntegration* self = data;
  find_middle(self, w);
  const int code = vida__gradient(&self->model.evaluator, middle_time(self), self->work.place, w,
                                  self->work.l_q, self->work.l_v);
  for (int i = 0; i < self->model.n; i++) {
    r[i] = self->work.l_v[i] - 0.5 * self->node.h * self->work.l_q[i] -
           (self->node.p[i] + self->node.p_low[i]);
  }
  return code;
}

static int jacobian(void* data, const double* w, double* matrix) {
  VidaIntegration* self = data;
  const double half = 0.5 * self->node.h;
  const vida_hessian_weights weights = {-half * half, -half, half, 1.0};
  find_middle(self, w);
  return vida__add_hessian(&self->model.evaluator, middle_time(self), self->work.place, w, weights,
                           matrix);
}

static int step_midpoint(VidaIntegration* self, VidaError* error) {
  const double* w = self->implicit.unknown;
  int code = vida__solve_step(self, error);
  if (code) {
    return code;
  }
  find_middle(self, w);
  code = vida__gradient(&self->model.evaluator, middle_time(self), self->work.place, w,
                        self->work.l_q, self->work.l_v);
  if (code) {
    return vida__evaluation_failed(self, code, error);
  }
  for (int i = 0; i < self->model.n; i++) {
    vida__add_compensated(&self->node.p[i], &self->node.p_low[i], self->node.h * self->work.l_q[i]);
  }
  vida__advance_positions(self, w);
  memcpy(((textbook_state*)self->state)->w, w, (size_t)self->model.n * sizeof *w);
  return VIDA_SUCCESS;
}

/* ---- discrete actions ------------------------------------------------------------------------ */

/* Marsden and Wendlandt 1997, section 2.4: each map has a discrete Lagrangian on a line. */
#define LINE_ACTION(name, ...)                                                                  \
  static int name(VidaIntegration* self, double t, double* action, VidaError* error) {          \
    static const vida_line_rule rule = {__VA_ARGS__};                                           \
    return vida__line_action(self, &rule, t, ((textbook_state*)self->state)->w, action, error); \
  }
LINE_ACTION(start_action, 1, {1.0}, {0.0})
LINE_ACTION(end_action, 1, {1.0}, {1.0})
LINE_ACTION(middle_action, 1, {1.0}, {0.5})
LINE_ACTION(trapezoidal_action, 2, {0.5, 0.5}, {0.0, 1.0})

/* ---- what can be asked ----------------------------------------------------------------------- */

static int constant_velocities(VidaIntegration* self, double* v, VidaError* error) {
  const int code = find_flight(self, self->node.p, v);
  return code ? vida__evaluation_failed(self, code, error) : VIDA_SUCCESS;
}

static int legendre_velocities(VidaIntegration* self, double* v, VidaError* error) {
  const textbook_state* own = self->state;
  const double* guess = self->node.step > 0 ? own->w : self->node.v;
  memcpy(v, guess, (size_t)self->model.n * sizeof *v);
  return vida__project_velocity(self, vida__node_time(self), self->node.q, self->work.entries,
                                self->node.p, v, NULL, error);
}

/* ---- records --------------------------------------------------------------------------------- */

static const VidaOptionRow options[] = {
    {NULL, VIDA_OPTION_REAL, NULL, 0.0, 0.0, 0.0, false, NULL, NULL}};

#define EXPLICIT_LIMITS                                                                        \
  "Explicit: stable for steps below 2 over the largest frequency. No constraints; a constant " \
  "mass matrix, potentials, and forces of positions and time."

#define TEXTBOOK_CAPABILITIES (VIDA_CAN_SYMPLECTIC | VIDA_CAN_MOMENTUM | VIDA_LIMIT_UNCONSTRAINED)

#define EXPLICIT_FUNCTIONS                                                                       \
  .common = vida__linear_options, .options = options, .create = create_explicit, .start = start, \
  .state = record_state, .velocities = constant_velocities, .energy = vida__node_energy
#define IMPLICIT_FUNCTIONS                                                                      \
  .options = options,                                                                           \
  .equations = {residual, jacobian, vida__step_sizes, vida__guess_free_flight}, .start = start, \
  .step = step_midpoint, .action = middle_action, .energy = vida__node_energy

const VidaMethod vida__symplectic_euler = {
    .size = sizeof(VidaMethod),
    .info = {"symplectic-euler", "symplectic Euler: a drift, then a kick by the force at its end",
             "Marsden and Wendlandt 1997, eq. 16", EXPLICIT_LIMITS, 1,
             TEXTBOOK_CAPABILITIES | VIDA_CAN_POSITION_FORCES},
    .step = step_euler,
    .action = end_action,
    EXPLICIT_FUNCTIONS};

const VidaMethod vida__lie_trotter = {
    .size = sizeof(VidaMethod),
    .info = {"lie-trotter", "Lie-Trotter splitting: a kick by the force, then a drift",
             "Marsden and Wendlandt 1997, example 5", EXPLICIT_LIMITS, 1,
             TEXTBOOK_CAPABILITIES | VIDA_CAN_POSITION_FORCES},
    .step = step_lie_trotter,
    .action = start_action,
    EXPLICIT_FUNCTIONS};

const VidaMethod vida__verlet = {
    .size = sizeof(VidaMethod),
    .info = {"verlet", "velocity Verlet: half a kick, a drift, half a kick",
             "Verlet 1967; Swope, Andersen, Berens, Wilson 1982", EXPLICIT_LIMITS, 2,
             TEXTBOOK_CAPABILITIES | VIDA_CAN_REVERSIBLE | VIDA_CAN_POSITION_FORCES},
    .step = step_verlet,
    .action = trapezoidal_action,
    EXPLICIT_FUNCTIONS};

const VidaMethod vida__symplectic_implicit = {
    .size = sizeof(VidaMethod),
    .info = {"symplectic-implicit",
             "generating function of Poincare: mean momentum, force at the midpoint",
             "Marsden and Wendlandt 1997, eq. 17",
             "No constraints; a constant mass matrix, potentials, and forces of positions and "
             "time. Stability does not limit the step, but frequencies above 2 over the step are "
             "not resolved.",
             2, TEXTBOOK_CAPABILITIES | VIDA_CAN_REVERSIBLE | VIDA_CAN_POSITION_FORCES},
    .create = create_implicit,
    .state = record_state,
    .velocities = constant_velocities,
    IMPLICIT_FUNCTIONS};

const VidaMethod vida__implicit_midpoint = {
    .size = sizeof(VidaMethod),
    .info = {"implicit-midpoint", "implicit midpoint rule in phase space (q, p)",
             "Marsden and Wendlandt 1997, eq. 18; Feng 1987",
             "No constraints; any Lagrangian with a regular mass matrix. Stability of linear "
             "systems does not limit the step, but very large steps have no solution.",
             2, TEXTBOOK_CAPABILITIES | VIDA_CAN_REVERSIBLE | VIDA_CAN_GENERAL_LAGRANGIAN},
    .create = create_any,
    .state = record_state,
    .velocities = legendre_velocities,
    IMPLICIT_FUNCTIONS};
