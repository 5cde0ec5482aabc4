/* A square complex matrix of fixed pattern with its direct solver: dense LU or KLU. Complex numbers
 * are pairs of doubles, real and imaginary part. */
#ifndef VIDA_BASE_COMPLEX_LINEAR_H
#define VIDA_BASE_COMPLEX_LINEAR_H

#include "base/linear.h"
#include "base/state_record.h"

typedef struct vida_complex_linear vida_complex_linear;

/* Creates a matrix. The pattern must outlive it. The caller frees *linear with
 * vida__complex_destroy. */
int vida__complex_create(const vida_pattern* pattern, vida_solver solver,
                         vida_complex_linear** linear, VidaError* error);
/* Frees a matrix and sets *linear to NULL; NULL is allowed. */
void vida__complex_destroy(vida_complex_linear** linear);
/* Returns the values (pairs, in the order of the pattern), which the caller assembles. */
double* vida__complex_values(vida_complex_linear* linear);
/* Factors the matrix. Returns 0 or VIDA_STEP_SINGULAR. With KLU the first factorization allocates
 * memory; later ones keep the pivots, and allocate only if these fail. */
int vida__complex_factor(vida_complex_linear* linear);
/* Replaces x by A^-1 x with the last factors. Returns 0 or VIDA_STEP_SINGULAR. */
int vida__complex_solve(vida_complex_linear* linear, double* x);
/* Visits the matrix with its factors; NULL is allowed. */
void vida__complex_record(vida_complex_linear* linear, VidaRecord* record);

#endif
