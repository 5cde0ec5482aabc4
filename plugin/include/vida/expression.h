/* Expressions: Lagrangians and constraints written as formulas of a system's coordinates.
 *
 * An expression is a number that stands for a node of the system's graph; equal expressions are one
 * node. Derivatives are found on the graph when a term is added, and evaluated as tapes.
 * Expressions of one system mean nothing in another. Building fails after VidaSystem_Complete. */
#ifndef VIDA_EXPRESSION_H
#define VIDA_EXPRESSION_H

#include <vida/error.h>
#include <vida/system.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef int VidaExpression;

/* A number, which must be finite. */
int VidaSystem_Constant(VidaSystem* system, double value, VidaExpression* expression,
                        VidaError* error);
/* Position and rate of a coordinate, and the time. */
int VidaSystem_Position(VidaSystem* system, int coordinate, VidaExpression* expression,
                        VidaError* error);
int VidaSystem_Rate(VidaSystem* system, int coordinate, VidaExpression* expression,
                    VidaError* error);
int VidaSystem_Time(VidaSystem* system, VidaExpression* expression, VidaError* error);

/* An operation on `count` expressions: "+", "-" (one or two), "*", "/", "^", "sqrt", "exp", "log",
 * "sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "abs", "min",
 * "max",
 * "<", "<=", "==", "where" (condition, then, else). Fails with VIDA_UNKNOWN_NAME and the nearest.
 */
int VidaSystem_Apply(VidaSystem* system, const char* operation, int count,
                     const VidaExpression* operands, VidaExpression* expression, VidaError* error);

/* Adds a part of the Lagrangian: any function of positions, rates and time. */
int VidaSystem_AddExpressionLagrangian(VidaSystem* system, const char* name,
                                       VidaExpression lagrangian, VidaError* error);
/* Adds the constraint g = 0, one row, of positions and time; `unit` is that of g ("m", ""). A rate
 * in g is refused, and so is a g that depends on no coordinate. */
int VidaSystem_AddExpressionConstraint(VidaSystem* system, const char* name, const char* unit,
                                       VidaExpression g, VidaError* error);

#ifdef __cplusplus
}
#endif
#endif
