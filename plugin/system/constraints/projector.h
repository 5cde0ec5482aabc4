/* Corrections F h of a state that violates the constraints, with h = (g, G v + g_t): eq. 4.3 and
 * 5.4 of Ascher, Chin, Petzold and Reich 1995. */
#ifndef VIDA_SYSTEM_CONSTRAINTS_PROJECTOR_H
#define VIDA_SYSTEM_CONSTRAINTS_PROJECTOR_H

#include "system/constraints/equations.h"
#include "system/evaluate/evaluate.h"

typedef struct vida_projector vida_projector;

/* The matrix F, with its equation in this paper. H is the derivative of h with respect to z = (q,
 * v). */
typedef enum vida_projection {
  VIDA_PROJECTION_FULL,       /* 4.4 with D = H^T: the shortest projection in (q, v) */
  VIDA_PROJECTION_TRIANGULAR, /* 4.6: F of 4.4 with D of 4.5: G^T in both levels */
  VIDA_PROJECTION_MASS,       /* 5.5: M^-1 G^T (G M^-1 G^T)^-1 in both levels */
  VIDA_PROJECTION_IDENTITY    /* 5.6: G^T (G G^T)^-1 in both levels */
} vida_projection;

/* Creates a projector. `shared` (nullable, must outlive it) are equations whose matrix the mass
 * projection may use. The caller frees *projector with vida__projector_destroy. */
int vida__projector_create(const VidaSystem* system, vida_projection kind, vida_solver solver,
                           vida_equations* shared, vida_projector** projector, VidaError* error);
/* Frees a projector and sets *projector to NULL; NULL is allowed. */
void vida__projector_destroy(vida_projector** projector);
/* Finds the dependent rows at (t,q,v), for all later projections. The caller has marked shared
 * equations there. */
int vida__projector_mark(vida_projector* projector, double t, const double* q, const double* v);
/* Factors F at (t,q,v). If `is_factored`, the shared equations have been factored there. Returns 0,
 * VIDA_STEP_SINGULAR or the code of a failed evaluation. */
int vida__projector_factor(vida_projector* projector, double t, const double* q, const double* v,
                           bool is_factored);
/* Factors F at the place of the last vida__projector_positions or vida__projector_rows, with G of
 * that call. Returns what vida__projector_factor does. */
int vida__projector_factor_there(vida_projector* projector, double t, const double* q,
                                 const double* v);
/* Computes G and g(t,q) (m). */
int vida__projector_positions(vida_projector* projector, double t, const double* q, double* g);
/* Takes the entries of G of the last factors of the equations, for a place nearby. */
void vida__projector_take_jacobian(vida_projector* projector);
/* Computes only G at (t,q). */
int vida__projector_gradients(vida_projector* projector, double t, const double* q);
/* Computes only g(t,q) (m). */
int vida__projector_violation(vida_projector* projector, double t, const double* q, double* g);
/* Computes G v + g_t (m) with G of the last vida__projector_positions, at its place (t,q). */
int vida__projector_rate(vida_projector* projector, double t, const double* q, const double* v,
                         double* rate);
/* Computes h(t,q,v): g and G v + g_t (m each). */
int vida__projector_rows(vida_projector* projector, double t, const double* q, const double* v,
                         double* g, double* rate);
/* Computes (dq, dv) = F (g, rate), n each. If g or rate is NULL, that level does not change, and
 * its dq or dv is 0. */
int vida__projector_apply(vida_projector* projector, const double* g, const double* rate,
                          double* dq, double* dv);
/* Computes along (n) = D (G D)^-1 rows with D = M^-1 G^T or G^T, for any `rows` (m). Not for the
 * full projection. */
int vida__projector_correct(vida_projector* projector, const double* rows, double* along);
/* Returns the entries of G at the last call of vida__projector_positions or vida__projector_rows.
 */
const double* vida__projector_jacobian(const vida_projector* projector);
/* Returns the evaluator, which has the message of a failed evaluation. */
vida_evaluator* vida__projector_evaluator(vida_projector* projector);
/* Returns the equations of motion that the projector uses. */
vida_equations* vida__projector_equations(vida_projector* projector);

/* Visits the last factors; NULL is allowed. Equations that are shared are not visited. */
void vida__projector_record(vida_projector* projector, VidaRecord* record);

#endif
