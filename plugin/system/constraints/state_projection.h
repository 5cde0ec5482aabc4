/* The projection of a state (q, v) onto g = 0 and G v + g_t = 0, to rounding (Ascher, Chin, Petzold
 * and Reich 1995, eq. 5.3). */
#ifndef VIDA_SYSTEM_CONSTRAINTS_STATE_PROJECTION_H
#define VIDA_SYSTEM_CONSTRAINTS_STATE_PROJECTION_H

#include "system/constraints/projector.h"

/* What a projection needs. The arrays belong to the caller. */
typedef struct vida_state_projection {
  const VidaSystem* system;
  vida_projector* projector; /* of the kind MASS or IDENTITY */
  double accuracy;           /* largest |g| relative to the size of its row */
  const double* value_size;  /* m: least sizes of rows: those of the start; 0: unknown */
  double *given, *dq, *dv;   /* n: work */
  double *g, *rate;          /* m: work */
  long iterations;           /* total number for positions */
  long corrections;          /* of positions, with given factors */
  bool has_jacobian;         /* the projector has G at the positions that were just projected */
} vida_state_projection;

/* Projects q (n) onto g = 0 at t, along the columns of D(q) (M^-1 G^T or G^T). Returns 0,
 * VIDA_STEP_NOT_CONVERGED, VIDA_NOT_FINITE, VIDA_STEP_SINGULAR, or the code of a failed
 * evaluation. */
int vida__project_position(vida_state_projection* projection, double t, double* q, const double* v);
/* Projects v (n) onto G v + g_t = 0 at (t,q), which is linear in v. If positions have been
 * projected before, q must be theirs. Returns 0, VIDA_STEP_SINGULAR, or the code of a failed
 * evaluation. */
int vida__project_velocity_level(vida_state_projection* projection, double t, const double* q,
                                 double* v);
/* Projects q and v (n each) as both functions do, with the factors that the projector's equations
 * have: those of a place that is so close that the projection converges in a few iterations, each
 * of which costs no factorization. Takes new factors if it does not. */
int vida__project_nearby(vida_state_projection* projection, double t, double* q, double* v);
/* Removes from an error estimate (2 n, of positions and velocities) the components that leave the
 * constraints, with the factors of the last projection. Returns 0 or VIDA_STEP_SINGULAR. */
int vida__project_error(vida_state_projection* projection, double* error);

#endif
