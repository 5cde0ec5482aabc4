/* What the regularized methods share (paper 004): relaxed rows, start, and what can be asked.
 *
 * All of them take the discrete Lagrangian of eq. 12, h L(q0, (q1 - q0)/h), so that a step from
 * node k to node k + 1 solves for w = (q1 - q0)/h and mu = h lambda
 *     L_v(q0,w) - h L_q(q0,w) + kappa G(q0)^T mu = p0,     p1 = p0 + h L_q - kappa G(q0)^T mu
 * with kappa = 1, or 1/2 in the first step, whose p0 has half of the force less. A holonomic row of
 * compliance e and damping time tau says that
 *     (g1 + 2 g0 + g_before)/4 + tau (G1 w + g_t) = e lambda,
 * here times 4 psi / h with psi = 1 / (1 + 4 tau / h), so that it goes over into that of a rigid
 * constraint; a nonholonomic row of mobility gamma, that A w + b = gamma lambda. (lambda is less
 * that of the paper, whose alpha is h times it.) */
#ifndef VIDA_METHODS_REGULARIZED_REGULARIZED_H
#define VIDA_METHODS_REGULARIZED_REGULARIZED_H

#include "stepper/integration.h"

typedef struct vida_regularized_state {
  bool has_next;     /* the step that follows is already solved, for the velocity at the node */
  double row_place;  /* where on the line nonholonomic rows are taken */
  double kappa;      /* share of the impulse in the step that follows */
  double* share;     /* m: psi of a row */
  double* softness;  /* m: what multiplies mu: 4 psi e / h^2, or gamma / h */
  double* yielding;  /* m: by how much rows give way to their forces, in a step where they are of
                        velocities */
  bool* is_averaged; /* m: false of rows that ask for g1 = 0 */
  double* v;         /* n: velocity of the last step */
  double* next;      /* n + m: (w, mu) of the step that follows, */
  double* change;    /* n: its change of the momenta, */
  double* next_rise; /* m: and (g1 - g0)/h */
  double* rise;      /* m: (g0 - g_before)/h */
  double* kept_v;    /* n, m: v and rise, for a step that fails */
  double* kept_rise;
  double* rate;     /* m: G v + g_t at the start */
  double* row_rate; /* m: work, G1 w + g_t */
  double* work;     /* n + m */
  double* rows;     /* entries of A and a_q, for systems with nonholonomic rows */
  double* slopes;
} vida_regularized_state;

/* The rows of options. */
#define VIDA_COMPLIANCE_ROWS                                                                \
  {"compliance",                                                                            \
   VIDA_OPTION_REAL,                                                                        \
   "m/N",                                                                                   \
   0.0,                                                                                     \
   0.0,                                                                                     \
   INFINITY,                                                                                \
   false,                                                                                   \
   NULL,                                                                                    \
   "1 / stiffness of holonomic constraints that have none of their own (of constraints in " \
   "metres; "                                                                               \
   "in others the unit of g over that of its multiplier)."},                                \
  {                                                                                         \
    "epsilon", VIDA_OPTION_REAL, "m/N", 0.0, 0.0, INFINITY, false, NULL,                    \
        "Name of compliance in the paper."                                                  \
  }
#define VIDA_DAMPING_ROWS                                                                     \
  {"damping_time",                                                                            \
   VIDA_OPTION_REAL,                                                                          \
   "s",                                                                                       \
   NAN,                                                                                       \
   0.0,                                                                                       \
   INFINITY,                                                                                  \
   false,                                                                                     \
   NULL,                                                                                      \
   "Damping over stiffness of holonomic constraints without their own value, positive. When " \
   "not given, "                                                                              \
   "2 h without compliance, which is needed for stability, and 0 with one."},                 \
  {                                                                                           \
    "tau_over_h", VIDA_OPTION_REAL, "1", NAN, 0.0, INFINITY, false, NULL,                     \
        "The damping time in steps, as in the paper, where it is 2."                          \
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
        "Name of mobility in the paper."                                                           \
  }

/* Allocates the state, and refuses relaxations that the method cannot take. */
int vida__regularized_create(VidaIntegration* self, VidaError* error);
/* `prepare` and `start` of the methods; a row's parameters are taken at the start. */
int vida__regularized_prepare(VidaIntegration* self, VidaError* error);
int vida__regularized_start(VidaIntegration* self, VidaError* error);
/* Finds the step from the node into own->next, unless it is there. */
typedef int (*vida_find_next)(VidaIntegration* self, VidaError* error);
/* `step`, `velocities` and `undo` of a method with its own `find_next`. The velocity at a node is
 * (v + w)/2 of the steps before and after it, so that a step is made only when the next one is
 * found, too. */
int vida__regularized_step(VidaIntegration* self, vida_find_next find_next, VidaError* error);
int vida__regularized_velocities(VidaIntegration* self, vida_find_next find_next, double* v,
                                 VidaError* error);
void vida__regularized_undo(VidaIntegration* self);

#endif
