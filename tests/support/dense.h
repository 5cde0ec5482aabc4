/* A dense linear solver of the tests' own, to compare with. */
#ifndef VIDA_TEST_DENSE_H
#define VIDA_TEST_DENSE_H

/* Solves A x = b by Gauss elimination with partial pivoting. a: by rows, each `stride` long,
 * receives the upper triangle; x: receives the solution, and is b before. Returns the sign of det
 * A. */
int dense_solve(int size, int stride, double* a, double* x);

#endif
