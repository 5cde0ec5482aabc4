/* Methods that keep the energy by discrete derivatives: a rule for D V and D g, and one scheme.
 *
 *     M w = (p0 + p1) / 2,  p1 - p0 = h (f - D V(q0,q1)) - Dg(q0,q1)^T mu,  g(q1) = 0
 * with w = (q1 - q0)/h and generalized forces f in the middle of the step, at (q0 + q1)/2 and w. By
 * D V (q1 - q0) = V(q1) - V(q0) the energy changes by h f w, the work of the forces, and by nothing
 * else, where constraints are at rest. Of those that depend on time D g is taken with the time of
 * the middle, tm. At both nodes they hold, so that a drive's work is exactly
 * mu/h (g(q1,t1) - g(q1,tm) + g(q0,tm) - g(q0,t0)), what time alone makes of g. */
#ifndef VIDA_METHODS_ENERGY_ENERGY_H
#define VIDA_METHODS_ENERGY_ENERGY_H

#include "stepper/integration.h"

/* How discrete derivatives are formed. All functions return codes of evaluations. */
typedef struct vida_discrete_rule {
  /* D V, overwritten. */
  int (*potential)(VidaIntegration* self, const vida_interval* between, double* d_v);
  /* The entries of D g. */
  int (*constraints)(VidaIntegration* self, const vida_interval* between, double* entries);
  /* matrix += weight_v dDV/dq1 + weight_g d(Dg^T mu)/dq1 */
  int (*add_slopes)(VidaIntegration* self, const vida_interval* between, double weight_v,
                    double weight_g, const double* mu, double* matrix);
} vida_discrete_rule;

/* The beginning of the `own` state of such a method. */
typedef struct vida_energy_state {
  const vida_discrete_rule* rule;
  bool is_general; /* the state and the scheme are those of energy_general.c */
} vida_energy_state;

extern const vida_discrete_rule vida__equivariant_rule;

/* self->work.dq = h w, self->work.q1 = q0 + dq */
vida_interval vida__next_interval(VidaIntegration* self, const double* w);
/* Fails for a system without automatic discrete derivatives, or whose mass matrix is singular. */
int vida__require_discrete_derivatives(VidaIntegration* self, VidaError* error);
/* Forces at (q0 + q1)/2 and w, overwritten; zeros without any. */
int vida__middle_forces(VidaIntegration* self, const double* w, double* force);
/* The rows of the map that belong to constraints, (g0 + Dg dq)/h. */
int vida__energy_rows(VidaIntegration* self, const vida_interval* between, const double* w,
                      double* rows);

/* The part of the Newton matrix that the scheme shares with that of energy_general.c: forces,
 * potentials and constraints. */
int vida__energy_slopes(VidaIntegration* self, const vida_interval* between, const double* u,
                        double* matrix);
/* To the end of the step: p += change, q += h w, and the multipliers in the middle of it. */
void vida__energy_advance(VidaIntegration* self, const double* change);

/* What such methods put into their record. */
int vida__energy_residual(void* data, const double* u, double* r);
int vida__energy_jacobian(void* data, const double* u, double* matrix);
int vida__energy_start(VidaIntegration* self, VidaError* error);
int vida__energy_step(VidaIntegration* self, VidaError* error);
/* The same with more increments of the momenta: `more` adds them to `change` (n). */
int vida__energy_step_with(VidaIntegration* self,
                           int (*more)(VidaIntegration* self, double* change), VidaError* error);
int vida__energy_velocities(VidaIntegration* self, double* v, VidaError* error);
int vida__energy_at_node(VidaIntegration* self, double* value, double* t, VidaError* error);

/* The same for general Lagrangians that are quadratic in the rates (energy_general.c); `create`
 * makes its own state, for the equivariant rule. */
int vida__general_create(VidaIntegration* self, VidaError* error);
int vida__general_residual(void* data, const double* u, double* r);
int vida__general_jacobian(void* data, const double* u, double* matrix);
int vida__general_start(VidaIntegration* self, VidaError* error);
int vida__general_step(VidaIntegration* self, VidaError* error);
int vida__general_velocities(VidaIntegration* self, double* v, VidaError* error);
int vida__general_energy(VidaIntegration* self, double* value, double* t, VidaError* error);

#endif
