/* Two ends that a joint or a force connects. */
#ifndef VIDA_SYSTEM_MECHANICS_PAIR_H
#define VIDA_SYSTEM_MECHANICS_PAIR_H

#include "system/mechanics/pattern.h"

/* Writes the title, the name and the frames of an instance between two ends; with `has_places`,
 * also the parameters "first" and "second". Fails with VIDA_BAD_ARGUMENT, and names the end, if the
 * directions of an end have fewer than `turn_count` components. */
int vida__resolve_ends(const VidaSystem* system, const char* kind, const char* name,
                       const VidaEnd ends[2], int turn_count, bool has_places,
                       vida_instance* instance, VidaError* error);
/* Adds the directions of both ends as the parameters a1, a2, a3 and b1, b2, b3; in the plane, two
 * for each end. */
void vida__instance_triads(const VidaSystem* system, vida_instance* instance, const VidaEnd ends[2],
                           const VidaTriad triads[2]);
/* Refuses a vector (`count` components) whose length is not 1. */
int vida__check_unit_vector(const char* kind, const char* name, const char* key,
                            const double* vector, int count, VidaError* error);
/* Refuses triads whose directions are not orthonormal, or left-handed. */
int vida__check_triads(const VidaSystem* system, const vida_instance* instance,
                       const VidaTriad triads[2], VidaError* error);
/* Adds a quantity as the parameter `key` of the instance. Fails with VIDA_BAD_ARGUMENT if it is not
 * finite, if it is negative and `is_size`, and for an unknown parameter. */
int vida__instance_quantity(const VidaSystem* system, vida_instance* instance, const char* key,
                            VidaQuantity quantity, bool is_size, VidaError* error);
/* Returns the vector from the first end to the second, in the axes of space. */
vida_vector vida__trace_distance_vector(vida_trace* trace);

#endif
