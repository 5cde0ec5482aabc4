/* Two ends that a joint or a force connects. */
#ifndef VIDA_SYSTEM_MECHANICS_PAIR_H
#define VIDA_SYSTEM_MECHANICS_PAIR_H

#include "system/mechanics/pattern.h"

/* Fills in title, name and frames of an instance between two ends, each of which must have
 * `turn_count` components of directions; with `has_places` also the parameters "first" and
 * "second". Fails with VIDA_BAD_ARGUMENT, naming the end. */
int vida__resolve_ends(const VidaSystem* system, const char* kind, const char* name,
                       const VidaEnd ends[2], int turn_count, bool has_places,
                       vida_instance* instance, VidaError* error);
/* Directions of both ends as parameters a1, a2, a3 and b1, b2, b3; in the plane two of each. */
void vida__instance_triads(vida_instance* instance, const VidaTriad triads[2], int dimension);
/* Adds a quantity as a parameter of the instance. Fails with VIDA_BAD_ARGUMENT, naming the key,
 * where it is not finite, where `is_size` says that it must not be negative, and for an unknown
 * parameter. */
int vida__instance_quantity(const VidaSystem* system, vida_instance* instance, const char* key,
                            VidaQuantity quantity, bool is_size, VidaError* error);
/* The second place less the first, in space. */
vida_vector vida__trace_gap(vida_trace* trace);

#endif
