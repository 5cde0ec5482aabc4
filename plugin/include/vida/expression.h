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

/* The number of a node. */
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

/* Comparisons, "sign", "abs", "min", "max" and the condition of "where" that depend on nothing but
 * time and parameters are met by steps: each ends where one of them changes. In a step they have
 * the value of its side, also at its ends.
 *
 * An operation on `count` expressions: "+", "-" (one or two), "*", "/", "^", "sqrt", "exp", "log",
 * "sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "abs", "min",
 * "max",
 * "<", "<=", "==", "where" (condition, then, else; both of these are evaluated, so that each must
 * stay in its domain). Fails with VIDA_UNKNOWN_NAME and the nearest.
 */
int VidaSystem_Apply(VidaSystem* system, const char* operation, int count,
                     const VidaExpression* operands, VidaExpression* expression, VidaError* error);

/* The expression that stands for a parameter (VidaSystem_AddParameter), by its number. */
int VidaSystem_ParameterExpression(VidaSystem* system, int parameter, VidaExpression* expression,
                                   VidaError* error);

/* ---- what a system makes of expressions ------------------------------------------------------ */

/* Adds a part of the Lagrangian: any function of positions, rates, parameters and time. Its
 * addends are sorted: what gives a coordinate a constant mass, potentials, and the rest. */
int VidaSystem_AddExpressionLagrangian(VidaSystem* system, const char* name,
                                       VidaExpression lagrangian, VidaError* error);
/* Adds the constraint g = 0, one row, of positions and time; `unit` is that of g ("m", ""). A rate
 * in g is refused, and so is a g that depends on no coordinate. */
int VidaSystem_AddExpressionConstraint(VidaSystem* system, const char* name, const char* unit,
                                       VidaExpression g, VidaError* error);
/* Adds the nonholonomic row a(q,v,t) = A(q,t) v + b(q,t) = 0; `unit` is that of the row ("m/s"). A
 * row that is not linear in the rates is refused, and so is one without rates. */
int VidaSystem_AddExpressionNonholonomic(VidaSystem* system, const char* name, const char* unit,
                                         VidaExpression row, VidaError* error);
/* Adds generalized forces f(q,v,t): force[i] acts on coordinates[i], count of them. */
int VidaSystem_AddExpressionForce(VidaSystem* system, const char* name, int count,
                                  const int* coordinates, const VidaExpression* force,
                                  VidaError* error);
/* Adds forces along functions s(q,t) of positions, the place where one acts say: force[k] along
 * along[k], count of them, are the generalized forces sum over k of force[k] d along[k] / dq. */
int VidaSystem_AddExpressionForceAlong(VidaSystem* system, const char* name, int count,
                                       const VidaExpression* along, const VidaExpression* force,
                                       VidaError* error);
/* Adds the forces -R_v of a dissipation function R(q,v,t) (c v^2 / 2: a linear damper). */
int VidaSystem_AddExpressionRayleigh(VidaSystem* system, const char* name,
                                     VidaExpression dissipation, VidaError* error);

/* Adds a quantity f(q,v,t) that is reported beside the state. `conserved` ones are momentum maps of
 * the user's own, which count in the momentum error of a comparison. */
int VidaSystem_AddObservable(VidaSystem* system, const char* name, const char* unit, bool conserved,
                             VidaExpression value, VidaError* error);

/* ---- elements -------------------------------------------------------------------------------- */

/* An element is a system that serves as a pattern: its coordinates and parameters stand for those
 * of each instance, its terms and constraints are derived once. Particles in it only name
 * coordinates, their masses are not used; neither are initial values, observables and gravity.
 *
 * Adds one instance of `element` (which needs not be complete, and may be freed at any time after).
 *   coordinates  of this system, one for each of the element's, no two alike
 *   parameters   values, one for each of the element's; nullable for its own values
 *   links        nullable; links[k] >= 0 makes parameter k follow this system's parameter of that
 *                number, -1 leaves it at its value
 * Its constraint rows are named `name`, or "name: row" where the element has several. */
int VidaSystem_AddElement(VidaSystem* system, const VidaSystem* element, const char* name,
                          const int* coordinates, const double* parameters, const int* links,
                          VidaError* error);

/* ---- charts ---------------------------------------------------------------------------------- */

/* Coordinates x of the constraint manifold of the user's own (angles of rods, say), as many as
 * there are degrees of freedom, and the embedding q = phi(x): what `del-chart` works with
 * (Wendlandt and Marsden 1997, section 4.2). Other methods do not use them. A system has one chart
 * at most, and of an element it means nothing.
 *
 * Adds a chart coordinate; the search for its initial value begins at `near` (finite). *expression
 * stands for it, in the embedding and nowhere else. */
int VidaSystem_AddChartCoordinate(VidaSystem* system, const char* name, double near,
                                  VidaExpression* expression, VidaError* error);
/* Adds the embedding, after all coordinates of system and chart: coordinate coordinates[i] is
 * embedding[i], count of them, every coordinate of the system once. Fails with VIDA_BAD_ARGUMENT
 * for a missing coordinate, for one that is given twice, for an expression of positions, rates
 * or time (parameters are allowed), and for a chart coordinate that nothing depends on. Whether phi
 * solves the constraints is seen when del-chart starts. */
int VidaSystem_AddChart(VidaSystem* system, int count, const int* coordinates,
                        const VidaExpression* embedding, VidaError* error);
/* Of a chart with its embedding; 0 and NULL without one. */
int VidaSystem_ChartCoordinateCount(const VidaSystem* system);
const char* VidaSystem_ChartCoordinateName(const VidaSystem* system, int coordinate);

#ifdef __cplusplus
}
#endif
#endif
