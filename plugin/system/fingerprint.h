/* The checksum of a system. */
#ifndef VIDA_SYSTEM_FINGERPRINT_H
#define VIDA_SYSTEM_FINGERPRINT_H

#include <stdint.h>
#include <vida/system.h>

/* Computes a checksum of everything that determines the motion of a completed system and the names
 * of what is reported: coordinates, initial values, parameters, terms, constraints, observables. C
 * callbacks are known by their names only. Fails with VIDA_OUT_OF_MEMORY. */
int vida__fingerprint_system(const VidaSystem* system, uint64_t* checksum, VidaError* error);

#endif
