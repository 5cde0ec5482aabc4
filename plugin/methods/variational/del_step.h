/* The discrete Euler-Lagrange step that all methods of the family share, and its state. */
#ifndef VIDA_METHODS_VARIATIONAL_DEL_STEP_H
#define VIDA_METHODS_VARIATIONAL_DEL_STEP_H

#include "stepper/integration.h"

/* A discrete Lagrangian on the straight line from q0 to q1. */
typedef struct vida_discrete_lagrangian {
  vida_line_rule line;
  /* sum b_i (c_i - 1/2): the share of the force in the momentum p1, beyond one half */
  double lead;
  bool projects; /* half impulses, and p projected on G v + g_t = 0 at the end of each step */
  /* Nonholonomic rows hold for the momenta at nodes instead of on the line (gni.c). */
  bool reflects;
} vida_discrete_lagrangian;

/* The state of a method of the family. */
typedef struct vida_variational_state {
  const vida_discrete_lagrangian* rule;
  double row_place; /* c of the point of the line at which nonholonomic rows hold */
  bool midpoint_energy;
  bool has_step; /* w below belongs to the last step */
  double kappa;
  double* base;    /* n: the part of the residual that does not depend on the unknowns */
  double* w;       /* n: velocity of the last step */
  double* impulse; /* m: nu of the last projection (rattle) */
  double* rows;    /* entries of A and a_q, for systems with nonholonomic rows */
  double* slopes;
  /* m each, for a rule that reflects; otherwise NULL: impulses mu of nonholonomic rows in the step,
   * and their multipliers at the node and before the last step */
  double *given, *alpha, *alpha_before;
  /* For systems with forces that depend on multipliers; otherwise NULL (del_reactions.c): rates and
   * these forces (n each). */
  double *rates, *reactive;
  size_t numbers; /* in: */
  double data[];  /* memory of the arrays above */
} vida_variational_state;

/* Allocates the state of a method with this discrete Lagrangian. */
int vida__del_create(VidaIntegration* self, const vida_discrete_lagrangian* rule, VidaError* error);

/* The functions of VidaMethod and VidaStepEquations for every discrete Lagrangian. */
int vida__del_residual(void* data, const double* u, double* r);
int vida__del_jacobian(void* data, const double* u, double* matrix);
/* Computes the forces (n) that depend on multipliers at the node at which a step starts, from the
 * unknowns of the step (del_reactions.c). */
int vida__del_find_reactive_force(VidaIntegration* self, const double* w, const double* mu,
                                  double* force);
/* Adds the derivatives of -kappa h times these forces with respect to the unknowns to the matrix.
 */
int vida__del_add_reactive_slopes(VidaIntegration* self, const double* w, const double* mu,
                                  double* matrix);
/* Corrects velocities v (n) and impulses nu (m) of a projection at the node and the time t for the
 * half impulse of these forces, which `force` (n) receives. The node matrix has been factored for
 * these entries of G. */
int vida__del_project_reactive(VidaIntegration* self, double t, const double* entries, double* v,
                               double* nu, double* force);
/* Writes the derivatives of the rows mu = given of a rule that reflects into the matrix, and into
 * self->work.entries that they do not depend on w. */
void vida__put_given_entries(VidaIntegration* self, double* matrix);
int vida__del_start(VidaIntegration* self, VidaError* error);
int vida__del_start_two_points(VidaIntegration* self, const double* q1, VidaError* error);
int vida__del_step(VidaIntegration* self, VidaError* error);
int vida__del_velocities(VidaIntegration* self, double* v, VidaError* error);
int vida__del_energy(VidaIntegration* self, double* value, double* t, VidaError* error);
int vida__del_action(VidaIntegration* self, double t, double* action, VidaError* error);

/* The two parts of a step that projects: the step without the projection, and the projection of p
 * on G v + g_t = 0 at the time t (s), with the second half impulse; it computes v at the node. */
int vida__del_advance(VidaIntegration* self, VidaError* error);
int vida__project_momenta(VidaIntegration* self, double t, VidaError* error);

/* Options and capabilities of methods for holonomic constraints. */
extern const VidaOptionRow vida__del_options[];
#define VIDA_DEL_CAPABILITIES                                                    \
  (VIDA_CAN_SYMPLECTIC | VIDA_CAN_MOMENTUM | VIDA_CAN_POSITION_LEVEL |           \
   VIDA_CAN_GENERAL_LAGRANGIAN | VIDA_CAN_TIME_DEPENDENT | VIDA_CAN_REVERSIBLE | \
   VIDA_CAN_VELOCITY_LEVEL | VIDA_CAN_TWO_POINT_START | VIDA_CAN_REACTIVE_FORCES)

/* Members of the records of all methods of the family, and of those for holonomic constraints. */
#define VIDA_DEL_FUNCTIONS                                                                  \
  .equations = {vida__del_residual, vida__del_jacobian, vida__step_sizes,                   \
                vida__guess_free_flight},                                                   \
  .start = vida__del_start, .velocities = vida__del_velocities, .energy = vida__del_energy, \
  .action = vida__del_action
#define VIDA_DEL_HOLONOMIC .start_two_points = vida__del_start_two_points

/* Visits the state: for VidaMethod.state. */
void vida__del_state(VidaIntegration* self, VidaRecord* record);

#endif
