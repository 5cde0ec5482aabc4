/* Methods that preserve the energy with discrete derivatives. Each has a rule for D V and D g; all
 * have the scheme
 *
 *   M w = (p0 + p1) / 2,  p1 - p0 = h (f - D V(q0,q1)) - Dg(q0,q1)^T mu,  g(q1) = 0,
 *
 * with w = (q1 - q0)/h and generalized forces f in the middle of the step, at (q0 + q1)/2 and w.
 * Since D V (q1 - q0) = V(q1) - V(q0), the energy changes by h f w, the work of the forces, and by
 * nothing else if the constraints do not depend on time. For constraints that depend on time, D g
 * is evaluated at the middle time tm, and g = 0 holds at both nodes. The work of a drive is then
 * exactly mu/h (g(q1,t1) - g(q1,tm) + g(q0,tm) - g(q0,t0)). */
#ifndef VIDA_METHODS_ENERGY_ENERGY_H
#define VIDA_METHODS_ENERGY_ENERGY_H

#include "methods/energy/energy_plan.h"
#include "stepper/integration.h"

/* A rule for discrete derivatives. All functions return codes of evaluations. */
struct vida_discrete_rule {
  /* Computes D V (n). */
  int (*potential)(VidaIntegration* self, const vida_interval* between, double* d_v);
  /* Computes the entries of D g. */
  int (*constraints)(VidaIntegration* self, const vida_interval* between, double* entries);
  /* Adds weight_v dDV/dq1 + weight_g d(Dg^T mu)/dq1 to the matrix. */
  int (*add_slopes)(VidaIntegration* self, const vida_interval* between, double weight_v,
                    double weight_g, const double* mu, double* matrix);
};

/* The first members of the state of such a method. */
typedef struct vida_energy_state {
  const vida_discrete_rule* rule;
  bool is_general;        /* state and scheme are those of energy_general.c */
  vida_energy_plan* plan; /* NULL: Newton's method for all unknowns */
} vida_energy_state;

extern const vida_discrete_rule vida__equivariant_rule;

/* Sets self->work.dq = h w and self->work.q1 = q0 + dq, and returns the interval. */
vida_interval vida__next_interval(VidaIntegration* self, const double* w);
/* Fails for a system without automatic discrete derivatives, or with a singular mass matrix. */
int vida__require_discrete_derivatives(VidaIntegration* self, VidaError* error);
/* Computes the forces at (q0 + q1)/2 and w; zeros without forces. For forces that depend on
 * multipliers, w is followed by mu. */
int vida__middle_forces(VidaIntegration* self, const double* w, double* force);
/* Computes the constraint rows of the map, (g0 + Dg dq)/h. */
int vida__energy_rows(VidaIntegration* self, const vida_interval* between, const double* w,
                      double* rows);

/* Adds the part of the Newton matrix that this scheme shares with that of energy_general.c: forces,
 * potentials and constraints. */
int vida__energy_slopes(VidaIntegration* self, const vida_interval* between, const double* u,
                        double* matrix);
/* Advances to the end of the step: adds `change` to p and h w to q, and sets the multipliers in the
 * middle of the step. */
void vida__energy_advance(VidaIntegration* self, const double* change);

/* VidaStepEquations.residual of these methods. */
int vida__energy_residual(void* data, const double* u, double* r);
/* VidaStepEquations.jacobian of these methods. */
int vida__energy_jacobian(void* data, const double* u, double* matrix);
/* VidaMethod.start of these methods. */
int vida__energy_start(VidaIntegration* self, VidaError* error);
/* VidaMethod.step of these methods. */
int vida__energy_step(VidaIntegration* self, VidaError* error);
/* Makes a step with further increments of the momenta, which `more` adds to `change` (n). */
int vida__energy_step_with(VidaIntegration* self,
                           int (*more)(VidaIntegration* self, double* change), VidaError* error);
/* VidaMethod.velocities of these methods. */
int vida__energy_velocities(VidaIntegration* self, double* v, VidaError* error);
/* VidaMethod.energy of these methods. */
int vida__energy_at_node(VidaIntegration* self, double* value, double* t, VidaError* error);

/* Visits the state of vida__general_create: for VidaMethod.state (energy_general.c). */
void vida__general_state(VidaIntegration* self, VidaRecord* record);
/* Creates the state of the method for general Lagrangians that are quadratic in the rates, with the
 * equivariant rule (energy_general.c). The functions below belong to it. */
int vida__general_create(VidaIntegration* self, VidaError* error);
int vida__general_residual(void* data, const double* u, double* r);
int vida__general_jacobian(void* data, const double* u, double* matrix);
int vida__general_start(VidaIntegration* self, VidaError* error);
int vida__general_step(VidaIntegration* self, VidaError* error);
int vida__general_velocities(VidaIntegration* self, double* v, VidaError* error);
int vida__general_energy(VidaIntegration* self, double* value, double* t, VidaError* error);

#endif
