/* Functions in quadruple precision from +, -, * and / alone: expected values that owe nothing to
 * the library under test nor to the C library beyond a first guess in double precision. */
#ifndef VIDA_TEST_QUAD_H
#define VIDA_TEST_QUAD_H

#include "expr/operations.h"

#if defined(__SIZEOF_FLOAT128__)
typedef __float128 Quad;
#define QUAD_EPSILON 1.93e-34
#else
typedef long double Quad; /* of as many bits as there are */
#define QUAD_EPSILON ((double)LDBL_EPSILON)
#endif

Quad quad_abs(Quad x);
Quad quad_sqrt(Quad x);
Quad quad_exp(Quad x);
Quad quad_log(Quad x);
Quad quad_sin(Quad x);
Quad quad_cos(Quad x);
Quad quad_atan2(Quad y, Quad x);
Quad quad_sinh(Quad x);
Quad quad_cosh(Quad x);

/* The value of an operation of the table on such numbers (not of divided differences). */
Quad quad_apply(vida_operation operation, int n, Quad a, Quad b, Quad c);

/* |value - expected| in units of the last place of expected, as a double that it rounds to. */
double quad_ulps(double value, Quad expected);

#endif
