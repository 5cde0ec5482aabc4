/* Evaluation of a completed system: sums over its terms and constraints.
 *
 * An evaluator is the mutable part: scratch memory for callbacks and the error of the last failure.
 * Every stepper has its own, so that one system serves many threads. Functions return 0, > 0
 * (recoverable) or < 0 with `error` filled. Arrays q, v, l_q, l_v have n elements, g and lambda m;
 * `entries` are the values of G in the order of system->entries, `matrix` the values of the KKT
 * pattern. */
#ifndef VIDA_SYSTEM_EVALUATE_EVALUATE_H
#define VIDA_SYSTEM_EVALUATE_EVALUATE_H

#include "system/model/model.h"

typedef struct vida_evaluator {
  const VidaSystem* system;
  double* scratch;
  const vida_segment* segment; /* see vida_place */
  VidaError error;
} vida_evaluator;

int vida__evaluator_create(const VidaSystem* system, vida_evaluator* evaluator, VidaError* error);
void vida__evaluator_destroy(vida_evaluator* evaluator);

/* What kernels are given. */
vida_place vida__place(vida_evaluator* evaluator, double t, const double* q, const double* v);

/* ---- Lagrangian ---- */

int vida__lagrangian(vida_evaluator* evaluator, double t, const double* q, const double* v,
                     double* lagrangian);
/* l_q and l_v are overwritten. */
int vida__gradient(vida_evaluator* evaluator, double t, const double* q, const double* v,
                   double* l_q, double* l_v);
int vida__add_hessian(vida_evaluator* evaluator, double t, const double* q, const double* v,
                      vida_hessian_weights weights, double* matrix);
/* Gradient of the terms in `parts` only, a sum of the values above. Potentials do not use v. */
enum {
  VIDA_PART_POTENTIAL = 1, /* -V(q) */
  VIDA_PART_KINETIC = 2,   /* v^T M v / 2 of constant M */
  VIDA_PART_FORCE = 4,
  VIDA_PART_GENERAL = 8,
  VIDA_PART_ALL = 15
};
int vida__gradient_of(vida_evaluator* evaluator, int parts, double t, const double* q,
                      const double* v, double* l_q, double* l_v);
int vida__add_hessian_of(vida_evaluator* evaluator, int parts, double t, const double* q,
                         const double* v, vida_hessian_weights weights, double* matrix);
/* Writes the terms of the equations of motion that contain neither accelerations nor multipliers:
 * force (n) = L_q + f - L_vq v - L_vt, and bias (m), which G a must cancel; `work` has n
 * components. */
int vida__motion_bias(vida_evaluator* evaluator, double t, const double* q, const double* v,
                      double* force, double* bias, double* work);
/* Writes the bias alone: v g_qq v + 2 g_qt v + g_tt; for nonholonomic rows a_q v + a_t. */
int vida__constraint_bias(vida_evaluator* evaluator, double t, const double* q, const double* v,
                          double* bias);
/* Writes the values of the observables; NaN for one that is not conserved and has no value. */
int vida__observables(vida_evaluator* evaluator, double t, const double* q, const double* v,
                      double* values);
/* v L_v - L; `l_q` and `l_v` are work space. */
int vida__energy(vida_evaluator* evaluator, double t, const double* q, const double* v, double* l_q,
                 double* l_v, double* energy);
/* The two configurations of a step; dq = q1 - q0. Its time must be set if a term depends on time.
 */
vida_interval vida__interval(vida_evaluator* evaluator, const double* q0, const double* q1,
                             const double* dq);
/* Writes the discrete derivative of the potentials, without that of general Lagrangians. */
int vida__discrete_gradient(const VidaSystem* system, const vida_interval* between, double* d_v);
int vida__add_discrete_hessian(const VidaSystem* system, const vida_interval* between,
                               double weight, double* matrix);
/* Writes the discrete derivative of the general Lagrangians, with the rates of the interval held
 * fixed, and by_q1 and by_v times its derivatives with respect to q1 and these rates. */
int vida__discrete_force(const VidaSystem* system, const vida_interval* between, double* force);
int vida__add_discrete_slopes(const VidaSystem* system, const vida_interval* between, double by_q1,
                              double by_v, double* matrix);
/* Whether every potential and general Lagrangian (and every constraint) has a discrete derivative;
 * otherwise *name receives the name of the first without one. */
bool vida__has_discrete_derivatives(const VidaSystem* system, const char** name);
/* Whether every potential has a discrete derivative; otherwise *name receives the name of the first
 * without one. */
bool vida__has_discrete_potentials(const VidaSystem* system, const char** name);
/* Writes to *name the name of the first general Lagrangian with L_q != 0 at rest, which then
 * contains a potential; leaves *name unchanged if there is none. `rest` has n zeros, `l_q` and
 * `l_v` are work space. */
int vida__find_hidden_potential(vida_evaluator* evaluator, double t, const double* q,
                                const double* rest, double* l_q, double* l_v, const char** name);
/* The name of the first general Lagrangian; NULL if there is none. */
const char* vida__general_term(const VidaSystem* system);

/* ---- constraints ---- */

/* Rows are holonomic or nonholonomic. G has the rows A of the latter, g_t their b; as g they have
 * 0.
 *
 * g at q + q_low (nullable), overwritten. */
int vida__constraints(vida_evaluator* evaluator, double t, const double* q, const double* q_low,
                      double* g);
int vida__jacobian(vida_evaluator* evaluator, double t, const double* q, double* entries);
/* g_t, overwritten. */
int vida__constraint_rate(vida_evaluator* evaluator, double t, const double* q, double* rate);
int vida__add_curvature(vida_evaluator* evaluator, double t, const double* q, double weight,
                        const double* lambda, double* matrix);
int vida__discrete_jacobian(const VidaSystem* system, const vida_interval* between,
                            double* entries);
int vida__add_discrete_curvature(const VidaSystem* system, const vida_interval* between,
                                 double weight, const double* lambda, double* matrix);
/* (g(q1,t1) - g(q0,t0)) / h where q1 = q0 + dq, dq = h w, without cancellation where a discrete
 * derivative exists: Dg(q0,q1) w. `entries` is work space; g0 = g(q0,t0). */
int vida__constraint_increment(vida_evaluator* evaluator, double t1, const vida_interval* between,
                               const double* w, double h, const double* g0, double* entries,
                               double* increment);

/* Replaces rows of g that suffer from rounding in their evaluation, but have exact increments, by
 * tracked + share (g - tracked), where `tracked` is the sum of the increments. */
void vida__track_constraints(const VidaSystem* system, double share, const double* tracked,
                             double* g);
/* Writes the nonholonomic rows a(q,v,t) = A v + b and their derivatives a_q; other rows and entries
 * stay unchanged. */
int vida__nonholonomic(vida_evaluator* evaluator, double t, const double* q, const double* v,
                       double* rows);
int vida__nonholonomic_gradient(vida_evaluator* evaluator, double t, const double* q,
                                const double* v, double* entries);
/* Writes the derivative with respect to q of all rows of velocities, G v + g_t and a, as entries in
 * the pattern of G. */
int vida__velocity_gradient(vida_evaluator* evaluator, double t, const double* q, const double* v,
                            double* entries);

/* ---- sums with the entries of G ---- */

/* result += weight * G^T lambda */
void vida__add_reaction(const VidaSystem* system, const double* entries, double weight,
                        const double* lambda, double* result);
/* result += weight * G v */
void vida__add_constraint_velocity(const VidaSystem* system, const double* entries, double weight,
                                   const double* v, double* result);
/* Writes weight * G^T into the upper right block and G into the lower left block. */
void vida__add_columns(const VidaSystem* system, const double* entries, double weight,
                       double* matrix);
void vida__add_rows(const VidaSystem* system, const double* entries, double weight, double* matrix);

#endif
