/* What a singular matrix, or one that is singular but for rounding, does not determine, by name. */
#ifndef VIDA_SYSTEM_CONSTRAINTS_SINGULAR_H
#define VIDA_SYSTEM_CONSTRAINTS_SINGULAR_H

#include <stdbool.h>
#include <stddef.h>

#include "system/model/model.h"

/* Appends to a text of `size` bytes what a matrix of the KKT pattern, with these values, leaves
 * open: "; nothing determines the motion of 'bead.x', 'bead.y': ...", or the constraints whose
 * forces are not told apart. Returns whether there is something: of a regular matrix nothing is
 * said. It is one thing to be singular, another to have small entries: no scaling of rows, columns
 * or masses changes what is said. Takes memory; without any nothing is said. */
bool vida__append_singular(const VidaSystem* system, const double* values, char* text, size_t size);

/* Of the mass part alone: appends "'u', 'w' and 2 more", the coordinates along which a mass matrix
 * has nothing (values as above, where constraints do not count), and returns how many. */
int vida__append_massless(const VidaSystem* system, const double* values, char* text, size_t size);

#endif
