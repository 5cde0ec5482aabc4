/* Names of the unknowns that a singular, or numerically singular, matrix does not determine. */
#ifndef VIDA_SYSTEM_CONSTRAINTS_SINGULAR_H
#define VIDA_SYSTEM_CONSTRAINTS_SINGULAR_H

#include <stdbool.h>
#include <stddef.h>

#include "system/model/model.h"

/* Appends to a text of `size` bytes the unknowns that a matrix of the KKT pattern with these values
 * does not determine: "; nothing determines the motion of 'bead.x', 'bead.y': ...", or the
 * constraints whose forces cannot be distinguished. Returns whether there are any; for a regular
 * matrix it appends nothing. The result does not depend on the scaling of rows, columns or masses.
 * Allocates memory; without memory it appends nothing. */
bool vida__append_singular(const VidaSystem* system, const double* values, char* text, size_t size);

/* Appends the coordinates in the null space of the mass matrix alone, "'u', 'w' and 2 more" (values
 * as above; constraints do not count), and returns their number. */
int vida__append_massless(const VidaSystem* system, const double* values, char* text, size_t size);

#endif
