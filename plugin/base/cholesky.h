/* Small symmetric matrices that may be singular: Cholesky factors with the largest pivot first. */
#ifndef VIDA_BASE_CHOLESKY_H
#define VIDA_BASE_CHOLESKY_H

/* Factors the symmetric positive semidefinite `a` (size x size, row by row; its lower triangle is
 * read) in place: a[order][order] = L L^T. Pivots that are not larger than `tolerance` times the
 * first one end it. Returns the rank; order[rank ...] are the rows that depend on the others. */
int vida__cholesky_factor(int size, double* a, int* order, double tolerance);
/* x with a x = b by these factors; components beyond the rank are 0. `work` has `size` places. */
void vida__cholesky_solve(int size, int rank, const double* a, const int* order, const double* b,
                          double* work, double* x);

#endif
