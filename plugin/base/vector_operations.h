/* Operations of serial vectors, for those of SUNDIALS: a package may come from a distribution that
 * has compiled them without optimization, where they cost eight times as much. */
#ifndef VIDA_BASE_VECTOR_OPERATIONS_H
#define VIDA_BASE_VECTOR_OPERATIONS_H

#include <sundials/sundials_nvector.h>

/* Replaces the operations of a serial vector by equal ones, which give the same bits. Its clones
 * have them, too. */
void vida__replace_vector_operations(N_Vector vector);
/* Replaces its weighted Euclidean norm by a faster one with other roundings, for solvers whose
 * results do not depend on that norm. */
void vida__loosen_norm(N_Vector vector);

#endif
