/* Translations and rotations of a system's particles and of coordinates that move with space. */
#ifndef VIDA_SYSTEM_SYMMETRY_H
#define VIDA_SYSTEM_SYMMETRY_H

#include "system/model/model.h"

/* Translations, then rotations: at most VIDA_LARGEST_MOMENTUM_COUNT; 0 where nothing moves with
 * space. */
int vida__generator_count(const VidaSystem* system);
/* "L_x", ..., "J_z" */
const char* vida__generator_name(const VidaSystem* system, int generator);
/* sum of p . xi_k(q) for every generator k, and the sum of the sizes of its parts. Lifted: with
 * velocities for q and L_v for p, what velocities add. */
void vida__apply_generators(const VidaSystem* system, const double* q, const double* p, bool lifted,
                            double* value, double* size);

/* A quaternion that was scaled (from the given positions to q) still has the rates of the old one,
 * with which it would turn faster or slower than was meant: scales them (v), and tells in `notes`.
 */
void vida__scale_quaternion_rates(const VidaSystem* system, const double* q, double* v,
                                  char* notes);

#endif
