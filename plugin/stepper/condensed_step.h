/* Equations of a step that are condensed to the multipliers.
 *
 * With a constant diagonal mass matrix and forces that do not depend on w, the first of the
 * equations
 *     M w + base + kappa G0^T mu = 0,   g(q0 + h w) / h = 0
 * is linear in w. Substituting w(mu) = -M^-1 (base + kappa G0^T mu) into the second leaves m
 * equations, whose Newton matrix is -kappa G1 M^-1 G0^T (Ryckaert, Ciccotti and Berendsen 1977). */
#ifndef VIDA_STEPPER_CONDENSED_STEP_H
#define VIDA_STEPPER_CONDENSED_STEP_H

#include "stepper/integration.h"

/* Creates the condensed equations for self->implicit.form. self->implicit.condensed remains NULL if
 * the system or the options require all unknowns (w, mu). The caller frees it with
 * vida__condensed_destroy, also after a failure. */
int vida__condensed_create(VidaIntegration* self, vida_map_options options, VidaError* error);
/* Frees the condensed equations and sets *condensed to NULL; NULL is allowed. */
void vida__condensed_destroy(vida_condensed** condensed);
/* Decides at the start of a motion whether its steps use the condensed equations: not if
 * constraints depend on each other, or if masses differ so much that sums of their reciprocals lose
 * digits. */
void vida__condensed_start(VidaIntegration* self);
/* Factors the matrices of the first step and of its projection, so that steps allocate nothing. */
void vida__condensed_prepare(VidaIntegration* self);
/* Returns whether the steps of this motion use the condensed equations. */
bool vida__is_condensed(const VidaIntegration* self);
/* Returns the pattern of their matrix. */
const vida_pattern* vida__condensed_pattern(const VidaIntegration* self);
/* Returns the map of the condensed equations, which must exist. */
vida_map* vida__condensed_map(const VidaIntegration* self);

/* With so many rows, the steps of a motion that have no history yet are condensed and calm, too:
 * the equations with all unknowns cost several times as much. */
enum { VIDA_MANY_ROWS = 1000 };

/* Solves the condensed equations for self->implicit.unknown, which contains a guess of all
 * unknowns. Returns whether that succeeded; if not, the unknowns do not change. A failure has no
 * message, since the step is then solved with all unknowns. */
bool vida__condensed_solve(VidaIntegration* self);
/* Computes v (n) and nu (m) as vida__project_velocity does, with the matrix G M^-1 G^T of the
 * multipliers; nu must not be NULL. Returns false, with undefined v and nu, if that fails; the
 * caller then uses the matrix of all unknowns. */
bool vida__condensed_project(VidaIntegration* self, double t, const double* q,
                             const double* entries, const double* p, double* v, double* nu);
/* Visits what condensed steps keep; nothing, if there are none. */
void vida__condensed_record(VidaIntegration* self, VidaRecord* record);

#endif
