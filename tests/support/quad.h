/* Functions in quadruple precision from +, -, * and / alone: expected values that owe nothing to
 * the library under test nor to the C library beyond a first guess in double precision. */
#ifndef VIDA_TEST_QUAD_H
#define VIDA_TEST_QUAD_H

#include <float.h>

#include "expr/operations.h"

/* If the compiler has no __float128 and long double is less precise, QUAD_AVAILABLE is 0 and tests
 * that need it are skipped. */
#if defined(__SIZEOF_FLOAT128__)
typedef __float128 Quad;
#define QUAD_AVAILABLE 1
#else
typedef long double Quad;
#define QUAD_AVAILABLE (LDBL_MANT_DIG >= 106)
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

/* phi'(u), phi[u0, u1] and phi[u0, u1, u1] of an operation with divided differences; p is the
 * exponent of powers. Where the quotient would lose too many digits, what is taken is phi' at the
 * middle and phi'' / 2 at a third from u1: then the error is below 1e-16 and 1e-14. */
Quad quad_slope(vida_operation phi, Quad u, double p);
Quad quad_divided(vida_operation phi, Quad u0, Quad u1, double p);
Quad quad_divided_twice(vida_operation phi, Quad u0, Quad u1, double p);
/* Over which distance phi changes by a good part of itself. */
Quad quad_scale(vida_operation phi, Quad u);

/* The value of an operation of the table on such numbers (not of ANGLE_SLOPE). */
Quad quad_apply(vida_operation operation, int n, Quad a, Quad b, Quad c);

/* |value - expected| in units of the last place of expected, as a double that it rounds to. */
double quad_ulps(double value, Quad expected);

#endif
