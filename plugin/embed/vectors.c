#include "embed/vectors.h"

#include <stdbool.h>

#include "base/error.h"

static bool has_array(N_Vector vector) {
  return vector && vector->ops && vector->ops->nvgetarraypointer && vector->ops->nvgetlength;
}

double* vida__vector_array(N_Vector vector, sunindextype size) {
  if (!has_array(vector) || N_VGetLength(vector) != size) {
    return NULL;
  }
  return N_VGetArrayPointer(vector);
}

int vida__take_vector(N_Vector vector, const char* name, sunindextype size, SUNContext context,
                      double** array, VidaError* error) {
  if (!vector) {
    return vida__fail(error, VIDA_BAD_ARGUMENT, "%s is NULL", name);
  }
  if (!has_array(vector)) {
    return vida__fail(error, VIDA_BAD_ARGUMENT,
                      "%s is an N_Vector without N_VGetArrayPointer or N_VGetLength", name);
  }
  if (N_VGetLength(vector) != size) {
    return vida__fail(error, VIDA_BAD_ARGUMENT, "%s has %ld elements instead of %ld", name,
                      (long)N_VGetLength(vector), (long)size);
  }
  if (context && vector->sunctx != context) {
    return vida__fail(error, VIDA_BAD_ARGUMENT,
                      "%s belongs to another SUNContext than the formulation", name);
  }
  *array = N_VGetArrayPointer(vector);
  return *array ? VIDA_SUCCESS
                : vida__fail(error, VIDA_BAD_ARGUMENT, "%s is an N_Vector without an array", name);
}
