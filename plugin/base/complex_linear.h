/* A square complex matrix of fixed pattern with its direct solver: dense LU or KLU.
 *
 * Numbers are pairs of doubles, real and imaginary part. */
#ifndef VIDA_BASE_COMPLEX_LINEAR_H
#define VIDA_BASE_COMPLEX_LINEAR_H

#include "base/linear.h"

typedef struct vida_complex_linear vida_complex_linear;

/* The pattern must outlive the matrix. */
int vida__complex_create(const vida_pattern* pattern, vida_solver solver,
                         vida_complex_linear** linear, VidaError* error);
void vida__complex_destroy(vida_complex_linear** linear);
/* Pairs in the order of the pattern, assembled by the caller. */
double* vida__complex_values(vida_complex_linear* linear);
/* 0, or VIDA_STEP_SINGULAR. With KLU the first one allocates; later ones keep pivots, and allocate
 * only where those no longer serve. */
int vida__complex_factor(vida_complex_linear* linear);
/* x = A^-1 x with the last factors. 0, or VIDA_STEP_SINGULAR. */
int vida__complex_solve(vida_complex_linear* linear, double* x);

#endif
