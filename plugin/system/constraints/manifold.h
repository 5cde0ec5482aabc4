/* States that satisfy the constraints, near arbitrary ones: some symmetries and integrals hold
 * there only. A joint's rows, for one, turn with space where its ends meet; the formula for the
 * angular velocity of a quaternion holds where it has the length one. */
#ifndef VIDA_SYSTEM_CONSTRAINTS_MANIFOLD_H
#define VIDA_SYSTEM_CONSTRAINTS_MANIFOLD_H

#include "system/evaluate/equations.h"

typedef struct vida_manifold vida_manifold;

/* Of a system whose pattern is there. *manifold is NULL of systems without constraints, and of very
 * large ones, where it would take too long. */
int vida__manifold_create(const VidaSystem* system, vida_manifold** manifold, VidaError* error);
void vida__manifold_destroy(vida_manifold** manifold);
/* Moves q and v (n each) to a state with g = 0, G v + g_t = 0 and A v + b = 0, by Newton steps from
 * q, or else from places nearer to `start` (n). False where none is reached: q and v are as they
 * were. */
bool vida__manifold_find(vida_manifold* manifold, double t, const double* start, double* q,
                         double* v);

#endif
