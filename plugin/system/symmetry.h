/* Translations and rotations of the particles of a system, and of coordinates that are declared to
 * move with space. */
#ifndef VIDA_SYSTEM_SYMMETRY_H
#define VIDA_SYSTEM_SYMMETRY_H

#include "system/model/model.h"

/* The number of generators, translations and then rotations: at most VIDA_LARGEST_MOMENTUM_COUNT; 0
 * if nothing moves with space. */
int vida__generator_count(const VidaSystem* system);
/* "L_x", ..., "J_z" */
const char* vida__generator_name(const VidaSystem* system, int generator);
/* Writes the sum of p . xi_k(q) for every generator k, and the sum of the sizes of its terms.
 * Lifted: with velocities for q and L_v for p, the part of the velocities. */
void vida__apply_generators(const VidaSystem* system, const double* q, const double* p, bool lifted,
                            double* value, double* size);

/* Scales the rates v of quaternions that were scaled (from the given positions to q), so that their
 * angular velocities stay the given ones, and reports it in `notes`. */
void vida__scale_quaternion_rates(const VidaSystem* system, const double* q, double* v,
                                  char* notes);

#endif
