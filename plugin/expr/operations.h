/* The operations of expressions, in one table.
 *
 *   X(NAME, lua, arity, ORDER, FINITE, value, da, db, dc, DISCRETE, domain, reason, spelling)
 *
 *   NAME      of the enumerator VIDA_OP_NAME
 *   lua       name in scripts; "" if only the library makes it
 *   arity     number of operands
 *   ORDER     COMMUTES: operands may be exchanged; ORDERED: they may not
 *   FINITE    PASSES: an operand that is not finite makes the result not finite; HIDES: the
 *             result may be finite, so evaluators check the operands
 *   value     C expression of the operands a, b, c and the integer n of the node
 *   da db dc  partial derivatives: expressions that build nodes (derivative.c) from the operands
 *             a, b, c, the node r itself and its integer n
 *   DISCRETE  rule for the discrete derivative (discrete.c)
 *   domain    C expression that is true in the domain of the operation
 *   reason    error message outside the domain
 *   spelling  in C, with $1 $2 $3 for the operands and $n for the integer
 *
 * Every operation must stay in its domain and every result must be finite, also in the branch of a
 * `where` that is not selected. Guard the argument: where(x > 0, log(where(x > 0, x, 1)), 0).
 *
 * At kinks, derivatives are the means of both sides: abs'(0) = 0; min and max of equal operands
 * have the derivative 1/2 for each. A `where` is differentiated branch by branch. Comparisons and
 * sign have the derivative 0 everywhere. */
#ifndef VIDA_EXPR_OPERATIONS_H
#define VIDA_EXPR_OPERATIONS_H

#include <stdbool.h>

/* clang-format off */
#define VIDA_OPERATION_LIST(X)                                                                     \
  X(CONSTANT, "", 0, ORDERED, PASSES, 0.0, ZERO, ZERO, ZERO, FIXED, true, "", "$n")                \
  X(INPUT, "", 0, ORDERED, PASSES, 0.0, ZERO, ZERO, ZERO, FIXED, true, "", "$n")                   \
  X(ADD, "+", 2, COMMUTES, PASSES, a + b, ONE, ONE, ZERO, LINEAR, true, "", "($1 + $2)")           \
  X(SUBTRACT, "-", 2, ORDERED, PASSES, a - b, ONE, MINUS_ONE, ZERO, LINEAR, true, "",              \
    "($1 - $2)")                                                                                   \
  X(MULTIPLY, "*", 2, COMMUTES, PASSES, a * b, b, a, ZERO, PRODUCT, true, "", "($1 * $2)")         \
  X(DIVIDE, "/", 2, ORDERED, HIDES, a / b, DIV(ONE, b), NEG(DIV(r, b)), ZERO, QUOTIENT,            \
    b != 0.0, "division by zero", "($1 / $2)")                                                     \
  X(NEGATE, "-", 1, ORDERED, PASSES, -a, MINUS_ONE, ZERO, ZERO, LINEAR, true, "", "(-$1)")         \
  X(POWER_INTEGER, "^", 1, ORDERED, HIDES, vida__power_integer(a, n),                              \
    MUL(NUMBER(n), POWER_INTEGER(a, n - 1)), ZERO, ZERO, DIVIDED, n >= 0 || a != 0.0,              \
    "negative power of zero", "vida_power_integer($1, $n)")                                        \
  X(POWER, "^", 2, ORDERED, HIDES, pow(a, b), MUL(b, POWER(a, SUB(b, ONE))), MUL(r, LOG(a)),       \
    ZERO, GENERAL_POWER, a > 0.0 || (a == 0.0 && b > 0.0),                                         \
    "real power of a number that is not positive", "pow($1, $2)")                                  \
  X(SQRT, "sqrt", 1, ORDERED, PASSES, sqrt(a), DIV(NUMBER(0.5), r), ZERO, ZERO, ROOT, a >= 0.0,    \
    "square root of a negative number", "sqrt($1)")                                                \
  X(EXP, "exp", 1, ORDERED, HIDES, exp(a), r, ZERO, ZERO, DIVIDED, true, "", "exp($1)")            \
  X(LOG, "log", 1, ORDERED, PASSES, log(a), DIV(ONE, a), ZERO, ZERO, DIVIDED, a > 0.0,             \
    "logarithm of a number that is not positive", "log($1)")                                       \
  X(SIN, "sin", 1, ORDERED, PASSES, sin(a), COS(a), ZERO, ZERO, DIVIDED, true, "", "sin($1)")      \
  X(COS, "cos", 1, ORDERED, PASSES, cos(a), NEG(SIN(a)), ZERO, ZERO, DIVIDED, true, "",            \
    "cos($1)")                                                                                     \
  X(TAN, "tan", 1, ORDERED, PASSES, tan(a), ADD(ONE, SQUARE(r)), ZERO, ZERO, DIVIDED, true, "",    \
    "tan($1)")                                                                                     \
  X(ASIN, "asin", 1, ORDERED, PASSES, asin(a), DIV(ONE, COFACTOR(a)), ZERO, ZERO, DIVIDED,         \
    a >= -1.0 && a <= 1.0, "arc sine of a number beyond 1", "asin($1)")                            \
  X(ACOS, "acos", 1, ORDERED, PASSES, acos(a), NEG(DIV(ONE, COFACTOR(a))), ZERO, ZERO, DIVIDED,    \
    a >= -1.0 && a <= 1.0, "arc cosine of a number beyond 1", "acos($1)")                          \
  X(ATAN, "atan", 1, ORDERED, HIDES, atan(a), DIV(ONE, ADD(ONE, SQUARE(a))), ZERO, ZERO, DIVIDED,  \
    true, "", "atan($1)")                                                                          \
  X(ATAN2, "atan2", 2, ORDERED, HIDES, vida__angle(a, b), DIV(b, ADD(SQUARE(a), SQUARE(b))),       \
    NEG(DIV(a, ADD(SQUARE(a), SQUARE(b)))), ZERO, ANGLE, a != 0.0 || b != 0.0,                     \
    "angle of a vector of length zero", "atan2($1, $2)")                                           \
  X(SINH, "sinh", 1, ORDERED, PASSES, sinh(a), COSH(a), ZERO, ZERO, DIVIDED, true, "",             \
    "sinh($1)")                                                                                    \
  X(COSH, "cosh", 1, ORDERED, PASSES, cosh(a), SINH(a), ZERO, ZERO, DIVIDED, true, "",             \
    "cosh($1)")                                                                                    \
  X(TANH, "tanh", 1, ORDERED, HIDES, tanh(a), MUL(SUB(ONE, r), ADD(ONE, r)), ZERO, ZERO, DIVIDED, \
    true, "", "tanh($1)")                                                                          \
  X(ABS, "abs", 1, ORDERED, PASSES, fabs(a), SIGN(a), ZERO, ZERO, DIVIDED, true, "", "fabs($1)")   \
  X(SIGN, "sign", 1, ORDERED, HIDES, (double)((a > 0.0) - (a < 0.0)), ZERO, ZERO, ZERO, STEP,      \
    true, "", "(double)(($1 > 0.0) - ($1 < 0.0))")                                                 \
  X(MIN, "min", 2, COMMUTES, HIDES, b < a ? b : a, SHARE(SUB(b, a)), SHARE(SUB(a, b)), ZERO,       \
    EXTREMUM, true, "", "($2 < $1 ? $2 : $1)")                                                     \
  X(MAX, "max", 2, COMMUTES, HIDES, a < b ? b : a, SHARE(SUB(a, b)), SHARE(SUB(b, a)), ZERO,       \
    EXTREMUM, true, "", "($1 < $2 ? $2 : $1)")                                                     \
  X(LESS, "<", 2, ORDERED, HIDES, a < b ? 1.0 : 0.0, ZERO, ZERO, ZERO, STEP, true, "",             \
    "($1 < $2 ? 1.0 : 0.0)")                                                                       \
  X(LESS_EQUAL, "<=", 2, ORDERED, HIDES, a <= b ? 1.0 : 0.0, ZERO, ZERO, ZERO, STEP, true, "",     \
    "($1 <= $2 ? 1.0 : 0.0)")                                                                      \
  X(EQUAL, "==", 2, COMMUTES, HIDES, a == b ? 1.0 : 0.0, ZERO, ZERO, ZERO, STEP, true, "",         \
    "($1 == $2 ? 1.0 : 0.0)")                                                                      \
  X(WHERE, "where", 3, ORDERED, HIDES, a != 0.0 ? b : c, ZERO, WHERE(a, ONE, ZERO),                \
    WHERE(a, ZERO, ONE), SELECT, true, "", "($1 != 0.0 ? $2 : $3)")                                \
  /* phi[a, b] and phi[a, b, b] of the operation phi = n, its exponent (if any) being c */         \
  X(DIVIDED, "", 3, ORDERED, HIDES, vida__divided(n, a, b, c), TWICE(b, a, c), TWICE(a, b, c),     \
    UNSUPPORTED, NONE, true, "", "vida_divided($n, $1, $2, $3)")                                   \
  X(DIVIDED_TWICE, "", 3, ORDERED, HIDES, vida__divided_twice(n, a, b, c), UNSUPPORTED,            \
    UNSUPPORTED, UNSUPPORTED, NONE, true, "", "vida_divided_twice($n, $1, $2, $3)")                \
  /* atan2(a, b) / a, and its derivative with respect to a */                                      \
  X(ANGLE_RATIO, "", 2, ORDERED, HIDES, vida__angle_ratio(a, b), ANGLE_SLOPE(a, b),                \
    NEG(DIV(ONE, ADD(SQUARE(a), SQUARE(b)))), ZERO, NONE, a != 0.0 || b > 0.0,                     \
    "angle between opposite vectors", "vida_angle_ratio($1, $2)")                                  \
  X(ANGLE_SLOPE, "", 2, ORDERED, HIDES, vida__angle_slope(a, b), UNSUPPORTED, UNSUPPORTED, ZERO,   \
    NONE, a != 0.0 || b > 0.0, "angle between opposite vectors", "vida_angle_slope($1, $2)")
/* clang-format on */

#define VIDA_OPERATION_ENUMERATOR(name, ...) VIDA_OP_##name,
typedef enum vida_operation {
  VIDA_OPERATION_LIST(VIDA_OPERATION_ENUMERATOR) VIDA_OPERATION_COUNT
} vida_operation;
#undef VIDA_OPERATION_ENUMERATOR

/* The rule for the discrete derivative of an operation. */
typedef enum vida_operation_rule {
  VIDA_DISCRETE_FIXED,         /* no operands */
  VIDA_DISCRETE_LINEAR,        /* the partial derivatives, which are constants */
  VIDA_DISCRETE_PRODUCT,       /* D(ab) = mean(b) Da + mean(a) Db */
  VIDA_DISCRETE_QUOTIENT,      /* the product of a and 1/b */
  VIDA_DISCRETE_ROOT,          /* D sqrt(a) = Da / (sqrt a0 + sqrt a1) */
  VIDA_DISCRETE_DIVIDED,       /* D phi(a) = phi[a0, a1] Da */
  VIDA_DISCRETE_GENERAL_POWER, /* DIVIDED for a fixed exponent, otherwise that of exp(b log a) */
  VIDA_DISCRETE_ANGLE,         /* the angle between (b0, a0) and (b1, a1) */
  VIDA_DISCRETE_EXTREMUM,      /* max(a, b) = b + max(a - b, 0), min(a, b) = b - max(b - a, 0) */
  VIDA_DISCRETE_STEP,          /* not supported: must not depend on positions */
  VIDA_DISCRETE_SELECT,        /* the selected branch, for a fixed condition */
  VIDA_DISCRETE_NONE           /* not supported: already a discrete derivative */
} vida_operation_rule;

/* An operation: a row of the table. */
typedef struct vida_operation_record {
  const char* name; /* "SQRT" */
  const char* lua;
  int arity;
  bool commutes;
  bool hides; /* may be finite for an operand that is not */
  vida_operation_rule discrete;
  const char* reason;
  const char* spelling;
} vida_operation_record;

/* The table, indexed by vida_operation. */
extern const vida_operation_record vida__operations[VIDA_OPERATION_COUNT];

/* Returns the operation with this name in scripts and this number of operands; -1 if there is none.
 */
int vida__find_operation(const char* lua, int arity);
/* Returns the value of an operation on numbers, which may be NaN or infinite. Not for CONSTANT and
 * INPUT. */
double vida__apply_operation(vida_operation operation, int n, double a, double b, double c);
/* Returns the reason why a result is not finite, "division by zero" for example. */
const char* vida__fault_reason(vida_operation operation, int n, double a, double b, double c);

/* Returns x^n by repeated multiplication; 1 / x^-n for negative n. */
static inline double vida__power_integer(double x, int n) {
  double power = 1.0;
  unsigned left = n < 0 ? 0u - (unsigned)n : (unsigned)n;
  for (double square = x; left; square *= square, left >>= 1) {
    if (left & 1u) {
      power *= square;
    }
    if (left == 1u) {
      break;
    }
  }
  return n < 0 ? 1.0 / power : power;
}

/* Returns the divided difference phi[u0, u1] of an operation, symmetric in u0 and u1 and without
 * cancellation (divided_differences.c); NaN outside the domain. p is the exponent of POWER and
 * POWER_INTEGER; other operations ignore it. MAX stands for max(u, 0). */
double vida__divided(int operation, double u0, double u1, double p);
/* Returns phi[u0, u1, u1] = (phi'(u1) - phi[u0, u1]) / (u1 - u0), which is phi''(u1) / 2 for u0 =
 * u1. */
double vida__divided_twice(int operation, double u0, double u1, double p);
/* Returns atan2(y, x); NaN for the vector of length zero. */
double vida__angle(double y, double x);
/* Returns atan2(y, x) / y, an even function of y; NaN if the vector (x, y) points along the
 * negative x axis or has length zero. */
double vida__angle_ratio(double y, double x);
/* Returns the derivative of vida__angle_ratio with respect to y. */
double vida__angle_slope(double y, double x);

#endif
