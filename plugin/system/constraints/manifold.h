/* States on the constraint manifold near arbitrary states. Some symmetries and integrals hold on
 * the manifold only: the rows of a joint, for example, are invariant under rotations where its ends
 * meet, and the formula for the angular velocity of a quaternion holds for unit quaternions. */
#ifndef VIDA_SYSTEM_CONSTRAINTS_MANIFOLD_H
#define VIDA_SYSTEM_CONSTRAINTS_MANIFOLD_H

#include "system/constraints/equations.h"

typedef struct vida_manifold vida_manifold;

/* Creates the work space for a system whose pattern is known. *manifold is NULL for systems without
 * constraints, and for very large ones, for which the search would take too long. The caller frees
 * it with vida__manifold_destroy. */
int vida__manifold_create(const VidaSystem* system, vida_manifold** manifold, VidaError* error);
/* Frees the work space and sets *manifold to NULL; NULL is allowed. */
void vida__manifold_destroy(vida_manifold** manifold);
/* Moves q and v (n each) to a state with g = 0, G v + g_t = 0 and A v + b = 0, by Newton steps from
 * q, or, if these fail, from points closer to `start` (n). Returns false if no state is found; q
 * and v are then unchanged. */
bool vida__manifold_find(vida_manifold* manifold, double t, const double* start, double* q,
                         double* v);

#endif
