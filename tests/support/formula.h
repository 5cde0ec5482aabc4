/* Short functions for formulas of a system. A failure ends the test. */
#ifndef VIDA_TEST_FORMULA_H
#define VIDA_TEST_FORMULA_H

#include <vida/expression.h>

/* An operation on one operand (b < 0) or two. */
VidaExpression apply(VidaSystem* system, const char* operation, VidaExpression a, VidaExpression b);
VidaExpression number(VidaSystem* system, double value);
VidaExpression times(VidaSystem* system, double factor, VidaExpression a);
VidaExpression square(VidaSystem* system, VidaExpression a);
/* Of a coordinate. */
VidaExpression position(VidaSystem* system, int coordinate);
VidaExpression rate(VidaSystem* system, int coordinate);
VidaExpression now(VidaSystem* system);

#endif
