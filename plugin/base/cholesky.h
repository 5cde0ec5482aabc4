/* Cholesky factors of small symmetric matrices that may be singular, with the largest pivot first.
 */
#ifndef VIDA_BASE_CHOLESKY_H
#define VIDA_BASE_CHOLESKY_H

/* Factors the symmetric positive semidefinite matrix `a` (size x size, by rows; only its lower
 * triangle is read) in place: a[order][order] = L L^T. Stops at the first pivot that is not larger
 * than `tolerance` times the first one. Returns the rank; order[rank ...] are the rows that depend
 * on the others. */
int vida__cholesky_factor(int size, double* a, int* order, double tolerance);
/* Solves a x = b with the factors of vida__cholesky_factor; components beyond the rank are 0.
 * `work` has `size` elements. */
void vida__cholesky_solve(int size, int rank, const double* a, const int* order, const double* b,
                          double* work, double* x);

#endif
