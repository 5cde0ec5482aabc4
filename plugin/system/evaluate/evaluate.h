/* Evaluation of a completed system: sums over its terms and constraints.
 *
 * An evaluator is the mutable part: work space for callbacks and tapes, and the error of the last
 * failure. Every stepper has its own, so that threads can share a system. Functions return 0, > 0
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
  /* m: what forces that depend on multipliers take for these. NULL: not known; such forces then
   * fail. */
  const double* multipliers;
  double* trial; /* m: arbitrary multipliers, for tests at arbitrary states; NULL: not needed */
  VidaError error;
} vida_evaluator;

/* Creates an evaluator. The caller frees its memory with vida__evaluator_destroy. */
int vida__evaluator_create(const VidaSystem* system, vida_evaluator* evaluator, VidaError* error);
/* Frees the memory of an evaluator. */
void vida__evaluator_destroy(vida_evaluator* evaluator);

/* Returns the point (t,q,v) for kernels. */
vida_place vida__place(vida_evaluator* evaluator, double t, const double* q, const double* v);

/* ---- Lagrangian ---- */

/* Computes L. */
int vida__lagrangian(vida_evaluator* evaluator, double t, const double* q, const double* v,
                     double* lagrangian);
/* Computes l_q = L_q + f and l_v = L_v. */
int vida__gradient(vida_evaluator* evaluator, double t, const double* q, const double* v,
                   double* l_q, double* l_v);
/* Computes l_v, and l_q without forces that depend on multipliers. */
int vida__momenta(vida_evaluator* evaluator, double t, const double* q, const double* v,
                  double* l_q, double* l_v);
/* Computes L_q at rest: `rest` (n) are zeros. Skips kinetic energies, which have no part in it. l_v
 * (n) is work space. */
int vida__rest_force(vida_evaluator* evaluator, double t, const double* q, const double* rest,
                     double* l_q, double* l_v);
/* Adds weighted second derivatives of L to the matrix. */
int vida__add_hessian(vida_evaluator* evaluator, double t, const double* q, const double* v,
                      vida_hessian_weights weights, double* matrix);
/* The parts of the Lagrangian, which can be added. */
enum {
  VIDA_PART_POTENTIAL = 1, /* -V(q) */
  VIDA_PART_KINETIC = 2,   /* v^T M v / 2 of constant M */
  VIDA_PART_FORCE = 4,
  VIDA_PART_GENERAL = 8,
  VIDA_PART_REACTIVE = 16, /* forces that depend on multipliers */
  VIDA_PART_ALL = 31
};
/* Computes the gradient of the terms in `parts` only. Potentials do not use v. */
int vida__gradient_of(vida_evaluator* evaluator, int parts, double t, const double* q,
                      const double* v, double* l_q, double* l_v);
/* Adds weighted second derivatives of the terms in `parts` only to the matrix. */
int vida__add_hessian_of(vida_evaluator* evaluator, int parts, double t, const double* q,
                         const double* v, vida_hessian_weights weights, double* matrix);
/* Adds `weight` times the derivatives of forces with respect to multipliers, in the columns of
 * these, to the matrix. */
int vida__add_reactive_columns(vida_evaluator* evaluator, double t, const double* q,
                               const double* v, double weight, double* matrix);
/* Adds the derivatives (n) of the forces with respect to the multiplier of reaction_rows[k] to
 * columns + k * stride. */
int vida__reactive_columns(vida_evaluator* evaluator, double t, const double* q, const double* v,
                           size_t stride, double* columns);
/* Computes only the forces (n) that depend on multipliers; `work` (n) is work space. */
int vida__reactive_force(vida_evaluator* evaluator, double t, const double* q, const double* v,
                         double* force, double* work);
/* Returns the name of the first force that depends on a multiplier, and writes the name of the
 * first constraint row on whose multiplier it depends to *row; NULL if there is none. */
const char* vida__reactive_name(const VidaSystem* system, const char** row);
/* Computes the terms of the equations of motion that contain neither accelerations nor multipliers:
 * force (n) = L_q + f - L_vq v - L_vt, and bias (m), with G a = -bias. `work` (n) is work space. */
int vida__motion_bias(vida_evaluator* evaluator, double t, const double* q, const double* v,
                      double* force, double* bias, double* work);
/* Computes only force (n). */
int vida__motion_force(vida_evaluator* evaluator, double t, const double* q, const double* v,
                       double* force, double* work);
/* Computes only bias (m): v^T g_qq v + 2 g_qt v + g_tt; for nonholonomic rows a = A v + b, a_q v +
 * a_t. */
int vida__constraint_bias(vida_evaluator* evaluator, double t, const double* q, const double* v,
                          double* bias);
/* Computes the observables; NaN for an observable that is not conserved and has no value. */
int vida__observables(vida_evaluator* evaluator, double t, const double* q, const double* v,
                      double* values);
/* Computes the function of the event with this index and its rate (NaN: not known) at (t,q,v). */
int vida__evaluate_event(vida_evaluator* evaluator, int index, double t, const double* q,
                         const double* v, double* value, double* rate);
/* Replaces the velocities (n) that the event with this index sets, evaluated at (t,q,v). */
int vida__evaluate_assignments(vida_evaluator* evaluator, int index, double t, const double* q,
                               const double* v, double* velocities);
/* Computes the energy v L_v - L; `l_q` and `l_v` are work space. */
int vida__energy(vida_evaluator* evaluator, double t, const double* q, const double* v, double* l_q,
                 double* l_v, double* energy);
/* Returns the interval between the two configurations of a step; dq = q1 - q0. If a term depends on
 * time, the caller must then set the time of the interval. */
vida_interval vida__interval(vida_evaluator* evaluator, const double* q0, const double* q1,
                             const double* dq);
/* Computes the discrete derivative of the potentials, without that of general Lagrangians. */
int vida__discrete_gradient(const VidaSystem* system, const vida_interval* between, double* d_v);
/* Returns whether all potentials are linear in the coordinates by their form: their discrete
 * derivative is then the same for all positions. */
bool vida__has_linear_potentials(const VidaSystem* system);
/* Adds `weight` times the derivative with respect to q1 of vida__discrete_gradient to the
 * matrix. */
int vida__add_discrete_hessian(const VidaSystem* system, const vida_interval* between,
                               double weight, double* matrix);
/* Computes the discrete derivative of the general Lagrangians, with the rates of the interval held
 * fixed. */
int vida__discrete_force(const VidaSystem* system, const vida_interval* between, double* force);
/* Adds by_q1 and by_v times the derivatives of vida__discrete_force with respect to q1 and to the
 * rates to the matrix. */
int vida__add_discrete_slopes(const VidaSystem* system, const vida_interval* between, double by_q1,
                              double by_v, double* matrix);
/* Returns whether every potential, general Lagrangian and constraint has a discrete derivative;
 * otherwise *name receives the name of the first one without. */
bool vida__has_discrete_derivatives(const VidaSystem* system, const char** name);
/* Returns whether every potential has a discrete derivative; otherwise *name receives the name of
 * the first one without. */
bool vida__has_discrete_potentials(const VidaSystem* system, const char** name);
/* Finds the first general Lagrangian with L_q != 0 at rest, which then contains a potential, and
 * writes its name to *name; *name does not change if there is none. `rest` has n zeros, `l_q` and
 * `l_v` are work space. */
int vida__find_hidden_potential(vida_evaluator* evaluator, double t, const double* q,
                                const double* rest, double* l_q, double* l_v, const char** name);
/* Returns whether every constraint has a discrete Jacobian; otherwise *name receives the name of
 * the first one without. */
bool vida__has_discrete_jacobians(const VidaSystem* system, const char** name);
/* Returns the name of a term or constraint for messages: that of its functions, or its kind. */
const char* vida__batch_name(const vida_functions* functions, const char* kind);
/* Returns the name of the first general Lagrangian; NULL if there is none. */
const char* vida__general_term(const VidaSystem* system);

/* ---- constraints ---- */

/* Computes g at q + q_low (q_low is nullable). For nonholonomic rows, g is 0, G has the rows A, and
 * g_t is b. */
int vida__constraints(vida_evaluator* evaluator, double t, const double* q, const double* q_low,
                      double* g);
/* Computes the entries of G. */
int vida__jacobian(vida_evaluator* evaluator, double t, const double* q, double* entries);
/* Computes g_t (m). */
int vida__constraint_rate(vida_evaluator* evaluator, double t, const double* q, double* rate);
/* Computes G v + g_t (m), the residual of the constraints on velocities, from the entries of G at
 * (t,q). */
int vida__velocity_residual(vida_evaluator* evaluator, double t, const double* q,
                            const double* entries, const double* v, double* residual);
/* Adds weight * sum_r lambda_r g_qq to the matrix. */
int vida__add_curvature(vida_evaluator* evaluator, double t, const double* q, double weight,
                        const double* lambda, double* matrix);
/* Computes the entries of the discrete derivative Dg(q0,q1). */
int vida__discrete_jacobian(const VidaSystem* system, const vida_interval* between,
                            double* entries);
/* Adds weight * sum_r lambda_r times the derivative of Dg with respect to q1 to the matrix. */
int vida__add_discrete_curvature(const VidaSystem* system, const vida_interval* between,
                                 double weight, const double* lambda, double* matrix);
/* Computes (g(q1,t1) - g(q0,t0)) / h, where q1 = q0 + dq, dq = h w. Uses Dg(q0,q1) w, which has no
 * cancellation, for rows with a discrete derivative. `entries` is work space; g0 = g(q0,t0). */
int vida__constraint_increment(vida_evaluator* evaluator, double t1, const vida_interval* between,
                               const double* w, double h, const double* g0, double* entries,
                               double* increment);

/* Computes the entries of Dg(q0,q1) and the increment (g(q1) - g(q0)) / h = Dg w, w = dq / h, for
 * constraints that all have a discrete derivative and do not depend on time. */
int vida__discrete_constraints(const VidaSystem* system, const vida_interval* between,
                               const double* w, double* entries, double* increment);

/* Replaces some rows of g by tracked + share (g - tracked), where `tracked` (m) is the sum of their
 * increments: rows whose evaluation suffers from rounding, but whose increments are exact. */
void vida__track_constraints(const VidaSystem* system, double share, const double* tracked,
                             double* g);
/* Computes the nonholonomic rows a(q,v,t) = A v + b; other rows do not change. */
int vida__nonholonomic(vida_evaluator* evaluator, double t, const double* q, const double* v,
                       double* rows);
/* Computes the derivatives a_q of the nonholonomic rows; other entries do not change. */
int vida__nonholonomic_gradient(vida_evaluator* evaluator, double t, const double* q,
                                const double* v, double* entries);
/* Computes the derivatives with respect to q of G v + g_t, and of a for nonholonomic rows, as
 * entries in the pattern of G. */
int vida__velocity_gradient(vida_evaluator* evaluator, double t, const double* q, const double* v,
                            double* entries);

/* ---- sums with the entries of G ---- */

/* Adds weight * G^T lambda to result (n). */
void vida__add_reaction(const VidaSystem* system, const double* entries, double weight,
                        const double* lambda, double* result);
/* Adds weight * G v to result (m). */
void vida__add_constraint_velocity(const VidaSystem* system, const double* entries, double weight,
                                   const double* v, double* result);
/* Adds weight * G^T to the upper right block of the matrix. */
void vida__add_columns(const VidaSystem* system, const double* entries, double weight,
                       double* matrix);
/* Adds weight * G to the lower left block of the matrix. */
void vida__add_rows(const VidaSystem* system, const double* entries, double weight, double* matrix);

#endif
