/* Translations and rotations of the particles of a system, and of the coordinates that
 * VidaSystem_AddMotion declares. */
#ifndef VIDA_SYSTEM_SYMMETRY_H
#define VIDA_SYSTEM_SYMMETRY_H

#include "system/model/model.h"

/* Returns the number of generators, translations and then rotations: at most
 * VIDA_LARGEST_MOMENTUM_COUNT; 0 without such coordinates. */
int vida__generator_count(const VidaSystem* system);
/* Returns the name of a generator: "L_x", ..., "J_z". */
const char* vida__generator_name(const VidaSystem* system, int generator);
/* Computes value = p . xi_k(q) for every generator k, and size, the sum of the sizes of its terms.
 * If `lifted`, xi_k is the part of the generator that acts on velocities, q are velocities and p is
 * L_v. */
void vida__apply_generators(const VidaSystem* system, const double* q, const double* p, bool lifted,
                            double* value, double* size);

/* Scales the rates v of quaternions by the factors by which the start scaled the quaternions, from
 * the given positions to q. This keeps the given angular velocities. Reports it in `notes`. */
void vida__scale_quaternion_rates(const VidaSystem* system, const double* q, double* v,
                                  char* notes);

#endif
