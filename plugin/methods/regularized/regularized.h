/* The state and the functions that the regularized methods share (Lacoursiere 2007).
 *
 * All of them use the discrete Lagrangian of eq. 12, h L(q0, (q1 - q0)/h). A step from node k to
 * node k + 1 solves
 *   L_v(q0,w) - h L_q(q0,w) + kappa G(q0)^T mu = p0,     p1 = p0 + h L_q - kappa G(q0)^T mu
 * for w = (q1 - q0)/h and mu = h lambda, with kappa = 1. In the first step kappa = 1/2, and half of
 * the force is subtracted from p0. A holonomic row with compliance e and damping time tau requires
 *   (g1 + 2 g0 + g_before)/4 + tau (G1 w + g_t) = e lambda,
 * here multiplied by 4 psi / h with psi = 1 / (1 + 4 tau / h), so that it tends to the row of a
 * rigid constraint. A nonholonomic row with mobility gamma requires A w + b = gamma lambda. (lambda
 * is minus the one of the paper, whose alpha is h lambda.) */
#ifndef VIDA_METHODS_REGULARIZED_REGULARIZED_H
#define VIDA_METHODS_REGULARIZED_REGULARIZED_H

#include "solve/closed_contacts.h"
#include "stepper/integration.h"

/* The state of a regularized method. */
typedef struct vida_regularized_state {
  bool has_next;     /* the next step is already solved, for the velocity at the node */
  double row_place;  /* point of the step at which nonholonomic rows are evaluated, 0 to 1 */
  double kappa;      /* factor of the impulse in the next step */
  double* share;     /* m: psi of a row */
  double* softness;  /* m: coefficient of mu: 4 psi e / h^2, or gamma / h */
  double* yielding;  /* m: deflection of velocity rows under their forces, in a step */
  bool* is_averaged; /* m: false for rows that require g1 = 0 */
  double* v;         /* n: velocity of the last step */
  double* next;      /* n + m: (w, mu) of the next step */
  double* change;    /* n: change of the momenta in the next step */
  double* next_rise; /* m: (g1 - g0)/h of the next step */
  double* rise;      /* m: (g0 - g_before)/h */
  double* rate;      /* m: G v + g_t at the start */
  double* row_rate;  /* m: work space, G1 w + g_t */
  double* work;      /* n + m */
  double* rows;      /* entries of A; with nonholonomic rows only */
  double* slopes;    /* entries of a_q; with nonholonomic rows only */
  size_t numbers;    /* of all of these, from `share` on */
  struct vida_spook_contacts* contacts; /* NULL: the system has none */
} vida_regularized_state;

/* Option rows that the regularized methods share. */
#define VIDA_COMPLIANCE_ROWS                                                                 \
  {"compliance",                                                                             \
   VIDA_OPTION_REAL,                                                                         \
   "m/N",                                                                                    \
   0.0,                                                                                      \
   0.0,                                                                                      \
   INFINITY,                                                                                 \
   false,                                                                                    \
   NULL,                                                                                     \
   "1 / stiffness of holonomic constraints that have none of their own (for constraints in " \
   "metres; for others, the unit of g divided by that of its multiplier)."},                 \
  {                                                                                          \
    "epsilon", VIDA_OPTION_REAL, "m/N", 0.0, 0.0, INFINITY, false, NULL,                     \
        "The name of compliance in Lacoursiere 2007."                                        \
  }
#define VIDA_DAMPING_ROWS                                                                         \
  {"damping_time",                                                                                \
   VIDA_OPTION_REAL,                                                                              \
   "s",                                                                                           \
   NAN,                                                                                           \
   0.0,                                                                                           \
   INFINITY,                                                                                      \
   false,                                                                                         \
   NULL,                                                                                          \
   "Damping over stiffness of holonomic constraints without their own value, positive. Default: " \
   "2 h without compliance, as stability requires; 0 with compliance."},                          \
  {                                                                                               \
    "tau_over_h", VIDA_OPTION_REAL, "1", NAN, 0.0, INFINITY, false, NULL,                         \
        "The damping time in steps; 2 in Lacoursiere 2007."                                       \
  }
#define VIDA_MOBILITY_ROWS                                                                         \
  {"mobility",                                                                                     \
   VIDA_OPTION_REAL,                                                                               \
   "m/(N s)",                                                                                      \
   0.0,                                                                                            \
   0.0,                                                                                            \
   INFINITY,                                                                                       \
   false,                                                                                          \
   NULL,                                                                                           \
   "1 / coefficient of the viscous friction that stands for nonholonomic constraints; 0: none of " \
   "them slips."},                                                                                 \
  {                                                                                                \
    "gamma", VIDA_OPTION_REAL, "m/(N s)", 0.0, 0.0, INFINITY, false, NULL,                         \
        "The name of mobility in Lacoursiere 2007."                                                \
  }

/* Checks that no parameter has two values: for VidaMethod.check. */
int vida__regularized_check(const VidaOptions* options, VidaError* error);
/* Allocates the state. Fails with VIDA_NOT_SUPPORTED for relaxations that the method does not
 * support. */
int vida__regularized_create(VidaIntegration* self, VidaError* error);
/* Prepares a step: for vida_implicit.prepare. */
int vida__regularized_prepare(VidaIntegration* self, VidaError* error);
/* Starts a method, and reads the parameters of the rows: for VidaMethod.start. */
int vida__regularized_start(VidaIntegration* self, VidaError* error);
/* Computes the step from the node into own->next, unless it is known. */
typedef int (*vida_find_next)(VidaIntegration* self, VidaError* error);
/* Makes a step: VidaMethod.step with the method's own `find_next`. The velocity at a node is (v +
 * w)/2 of the steps before and after it, so the next step must be solved, too. */
int vida__regularized_step(VidaIntegration* self, vida_find_next find_next, VidaError* error);
/* Computes the velocities v (n) at the node: VidaMethod.velocities with the method's own
 * `find_next`. */
int vida__regularized_velocities(VidaIntegration* self, vida_find_next find_next, double* v,
                                 VidaError* error);
/* Undoes a step: for VidaMethod.undo. */
void vida__regularized_undo(VidaIntegration* self);

/* Visits the state: for VidaMethod.state. */
void vida__regularized_state_record(VidaIntegration* self, VidaRecord* record);

/* ---- contacts of spook (spook_contacts.c) ---- */

/* Creates the contacts of the system, if it has any, and frees them. */
int vida__spook_contacts_create(VidaIntegration* self, VidaError* error);
void vida__spook_contacts_destroy(VidaIntegration* self);
/* Checks the gaps at the start. */
int vida__spook_contacts_start(VidaIntegration* self, VidaError* error);
/* Finds the impulses of contacts in the next step. own->next contains the solution without them on
 * entry and with them on return; right (n + m) is the right-hand side of both. */
int vida__spook_contacts_find(VidaIntegration* self, double* right, VidaError* error);
/* Adds the impulses to the change of the momenta (n). */
void vida__spook_contacts_add(const VidaIntegration* self, double* change);
/* Keeps what a step that is undone needs, restores it, and records it. */
void vida__spook_contacts_keep(VidaIntegration* self);
void vida__spook_contacts_undo(VidaIntegration* self);
void vida__spook_contacts_record(VidaIntegration* self, VidaRecord* record);

#endif
