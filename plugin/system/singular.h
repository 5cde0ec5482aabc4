/* What a singular matrix does not determine, by name. For messages: nothing of it is looked at
 * before a matrix has failed. */
#ifndef VIDA_SYSTEM_SINGULAR_H
#define VIDA_SYSTEM_SINGULAR_H

#include <stddef.h>

#include "system/model.h"

/* Appends to a text of `size` bytes what a matrix of the KKT pattern with these values (of the
 * pattern's entries) does not determine: "; it does not determine 'bead.x', 'bead.y': ...", with
 * the constraints whose multipliers are open, or nothing where the matrix is regular. */
void vida__append_singular(const VidaSystem* system, const double* values, char* text, size_t size);

#endif
