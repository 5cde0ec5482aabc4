/* N_Vectors of a program as arrays of numbers. */
#ifndef VIDA_EMBED_VECTORS_H
#define VIDA_EMBED_VECTORS_H

#include <vida/error.h>

#include "base/sundials.h"

/* Returns the array of a vector of length `size`; NULL if the vector is NULL, has no array or has
 * another length. */
double* vida__vector_array(N_Vector vector, sunindextype size);
/* Writes the array of a vector to *array. Fails with VIDA_BAD_ARGUMENT if vida__vector_array
 * returns NULL, or if the vector does not belong to `context` (nullable). `name` is the name of the
 * argument. */
int vida__take_vector(N_Vector vector, const char* name, sunindextype size, SUNContext context,
                      double** array, VidaError* error);

#endif
