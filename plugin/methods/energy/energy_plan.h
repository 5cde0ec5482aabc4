/* Simplified Newton iterations for the steps of energy-momentum: factors of an approximate matrix
 * stay the same during a step, or for several steps, as long as the residual shrinks fast.
 *
 * With diagonal masses the matrix leaves out, beside M, the curvature h K(mu) of the constraints
 * and the derivatives of the forces. Its corrections (dw, dmu) are then condensed to m multipliers
 * with the matrix G1 M^-1 Dg^T / 2. The residual shrinks with the ratio of what is left out to M,
 * about (h omega)^2 / 4 with the highest frequency omega of forces and tensions. With coupled
 * masses the matrix is that of Newton's method in one of the last steps.
 *
 * The residual is always that of all equations, so the solution is that of Newton's method, and
 * iterates from the same guess are close to its iterates. The forces and Dg of the last residual
 * are those of the solution, and need not be evaluated again. */
#ifndef VIDA_METHODS_ENERGY_ENERGY_PLAN_H
#define VIDA_METHODS_ENERGY_ENERGY_PLAN_H

#include "stepper/integration.h"

typedef struct vida_energy_plan vida_energy_plan;
typedef struct vida_discrete_rule vida_discrete_rule;

/* Creates the plan for a rule of D V and D g. *plan remains NULL if the system or the options
 * require Newton's method for all unknowns. The caller frees it with vida__energy_plan_destroy,
 * also after a failure. */
int vida__energy_plan_create(VidaIntegration* self, const vida_discrete_rule* rule,
                             vida_energy_plan** plan, VidaError* error);
/* Frees a plan and sets it to NULL; NULL is allowed. */
void vida__energy_plan_destroy(vida_energy_plan** plan);
/* Sets self->implicit.plan for a motion from the node. Allocates what its steps need. */
int vida__energy_plan_start(VidaIntegration* self, vida_energy_plan* plan, VidaError* error);

/* Returns f - D V (n) and the entries of Dg of the last step, which the plan must have solved. */
const double* vida__energy_plan_force(const vida_energy_plan* plan);
const double* vida__energy_plan_entries(const vida_energy_plan* plan);

/* Visits what a plan keeps of the last steps; NULL is allowed. */
void vida__energy_plan_record(vida_energy_plan* plan, VidaRecord* record);

#endif
