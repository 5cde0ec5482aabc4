/* Ways back to the constraints: F h of paper 002, eq. 4.3 and 5.4, where h = (g, G v + g_t). */
#ifndef VIDA_METHODS_REFERENCE_PROJECTOR_H
#define VIDA_METHODS_REFERENCE_PROJECTOR_H

#include "system/evaluate/equations.h"
#include "system/evaluate/evaluate.h"

typedef struct vida_projector vida_projector;

/* F, by its equation in paper 002. H is the derivative of h with respect to z = (q, v). */
typedef enum vida_projection {
  VIDA_PROJECTION_FULL,       /* 4.4 with D = H^T: the shortest way in (q, v) */
  VIDA_PROJECTION_TRIANGULAR, /* 4.6: 4.4 with D of 4.5, G^T in both levels */
  VIDA_PROJECTION_MASS,       /* 5.5: M^-1 G^T (G M^-1 G^T)^-1 in both levels */
  VIDA_PROJECTION_IDENTITY    /* 5.6: G^T (G G^T)^-1 in both levels */
} vida_projection;

/* `shared` (nullable, must outlive it): equations whose matrix the mass projection may use. */
int vida__projector_create(const VidaSystem* system, vida_projection kind, vida_solver solver,
                           vida_equations* shared, vida_projector** projector, VidaError* error);
void vida__projector_destroy(vida_projector** projector);
/* Finds the rows that depend on others, for all later projections. */
int vida__projector_mark(vida_projector* projector, double t, const double* q, const double* v);
/* Makes F(t,q,v). With `is_factored` the shared equations have been factored there. 0,
 * VIDA_STEP_SINGULAR or what an evaluation reported. */
int vida__projector_factor(vida_projector* projector, double t, const double* q, const double* v,
                           bool is_factored);
/* h(t,q,v): g and G v + g_t (m each). */
int vida__projector_rows(vida_projector* projector, double t, const double* q, const double* v,
                         double* g, double* rate);
/* (dq, dv) = F (g, rate), n each; NULL for g or rate: that level is left alone, and its dq or dv
 * is 0. */
int vida__projector_apply(vida_projector* projector, const double* g, const double* rate,
                          double* dq, double* dv);
/* The same for one level and rows (m) of any meaning: D (G D)^-1 rows, along D = M^-1 G^T or G^T.
 * Not of the full projection. */
int vida__projector_lift(vida_projector* projector, const double* rows, double* along);
/* Entries of G where the rows were last asked for. */
const double* vida__projector_jacobian(const vida_projector* projector);
vida_evaluator* vida__projector_evaluator(vida_projector* projector);
vida_equations* vida__projector_equations(vida_projector* projector);

#endif
