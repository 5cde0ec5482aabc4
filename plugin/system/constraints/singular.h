/* Names of the unknowns that a singular or nearly singular matrix does not determine. */
#ifndef VIDA_SYSTEM_CONSTRAINTS_SINGULAR_H
#define VIDA_SYSTEM_CONSTRAINTS_SINGULAR_H

#include <stdbool.h>
#include <stddef.h>

#include "system/model/model.h"

/* Appends to a text of `size` bytes the unknowns that a matrix of the KKT pattern with these values
 * does not determine: "; nothing determines the motion of 'bead.x', 'bead.y': ...", or the
 * constraints whose forces cannot be distinguished. Returns whether there are any; appends nothing
 * for a regular matrix. The result does not depend on the scaling of rows, columns or masses.
 * Allocates memory; without memory it appends nothing. */
bool vida__append_singular(const VidaSystem* system, const double* values, char* text, size_t size);

/* Appends only coordinates: for matrices in which a shift determines the forces of dependent rows.
 */
bool vida__append_open_motion(const VidaSystem* system, const double* values, char* text,
                              size_t size);

/* Appends the coordinates in the null space of the mass matrix alone, "'u', 'w' and 2 more", and
 * returns their number. `values` are those of the KKT pattern; constraints do not count. */
int vida__append_massless(const VidaSystem* system, const double* values, char* text, size_t size);

#endif
