/* Expressions: Lagrangians, constraints and forces as formulas of the coordinates of a system.
 *
 * An expression is the index of a node of the expression graph of the system; equal expressions are
 * one node. When a term is added, its derivatives are formed on the graph and compiled to tapes. An
 * expression is valid in its own system only. Functions that make expressions or add terms fail
 * with VIDA_WRONG_ORDER after VidaSystem_Complete. */
#ifndef VIDA_EXPRESSION_H
#define VIDA_EXPRESSION_H

#include <vida/error.h>
#include <vida/system.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The index of a node. */
typedef int VidaExpression;

/* Makes the expression of a number, which must be finite. */
int VidaSystem_Constant(VidaSystem* system, double value, VidaExpression* expression,
                        VidaError* error);
/* Make the expressions of the position and of the rate of a coordinate (by its index), and of the
 * time (s). */
int VidaSystem_Position(VidaSystem* system, int coordinate, VidaExpression* expression,
                        VidaError* error);
int VidaSystem_Rate(VidaSystem* system, int coordinate, VidaExpression* expression,
                    VidaError* error);
int VidaSystem_Time(VidaSystem* system, VidaExpression* expression, VidaError* error);

/* Makes the expression of an operation on `count` expressions: "+", "-" (one or two operands), "*",
 * "/", "^", "sqrt", "exp", "log", "sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh",
 * "cosh", "tanh", "abs", "min", "max", "<", "<=", "==", "where" (condition, then, else; both
 * branches are evaluated, so that each must stay in its domain). Fails with VIDA_UNKNOWN_NAME and
 * the nearest name for an unknown operation.
 *
 * Comparisons, "sign", "abs", "min", "max" and conditions of "where" that depend on time and
 * parameters only are located: every method ends a step where one of them changes. During a step
 * they have the value of the step's own side, also at its ends. */
int VidaSystem_Apply(VidaSystem* system, const char* operation, int count,
                     const VidaExpression* operands, VidaExpression* expression, VidaError* error);

/* Makes the expression of a parameter (VidaSystem_AddParameter), by its index. */
int VidaSystem_ParameterExpression(VidaSystem* system, int parameter, VidaExpression* expression,
                                   VidaError* error);

/* ---- terms of a system ----------------------------------------------------------------------- */

/* Adds a part of the Lagrangian: any function of positions, rates, parameters and time. Its addends
 * are classified: constant masses of coordinates, potentials, and general ones. */
int VidaSystem_AddExpressionLagrangian(VidaSystem* system, const char* name,
                                       VidaExpression lagrangian, VidaError* error);
/* Adds the holonomic constraint g(q,t) = 0, one row; `unit` is that of g ("m", ""). Fails with
 * VIDA_BAD_ARGUMENT if g contains a rate or depends on no coordinate. */
int VidaSystem_AddExpressionConstraint(VidaSystem* system, const char* name, const char* unit,
                                       VidaExpression g, VidaError* error);
/* Adds the nonholonomic constraint A(q,t) v + b(q,t) = 0, one row; `unit` is that of the row
 * ("m/s"). Fails with VIDA_BAD_ARGUMENT if the row is not linear in the rates or contains none. */
int VidaSystem_AddExpressionNonholonomic(VidaSystem* system, const char* name, const char* unit,
                                         VidaExpression row, VidaError* error);
/* Adds generalized forces f(q,v,t): force[i] acts on the coordinate with the index coordinates[i],
 * for i < count. */
int VidaSystem_AddExpressionForce(VidaSystem* system, const char* name, int count,
                                  const int* coordinates, const VidaExpression* force,
                                  VidaError* error);
/* Adds forces f(q,v,t) along functions s(q,t), such as the coordinates of the point where a force
 * acts: the generalized forces are the sum over k < count of force[k] d along[k] / dq. */
int VidaSystem_AddExpressionForceAlong(VidaSystem* system, const char* name, int count,
                                       const VidaExpression* along, const VidaExpression* force,
                                       VidaError* error);
/* Adds the forces -R_v of Rayleigh's dissipation function R(q,v,t); c v^2 / 2 is a linear damper.
 */
int VidaSystem_AddExpressionRayleigh(VidaSystem* system, const char* name,
                                     VidaExpression dissipation, VidaError* error);

/* Adds an observable f(q,v,t), which trajectories report beside the state. A `conserved` one counts
 * as a momentum map in the momentum error of a comparison. */
int VidaSystem_AddObservable(VidaSystem* system, const char* name, const char* unit, bool conserved,
                             VidaExpression value, VidaError* error);

/* ---- elements -------------------------------------------------------------------------------- */

/* Adds an instance of an element. An element is a system that serves as a pattern: its terms and
 * constraints are derived once, and its coordinates and parameters stand for those of each
 * instance. Its particles only name coordinates; their masses, initial values, observables and
 * gravity are ignored. It need not be complete, and may be freed after this call. name         of
 * the instance; its constraint rows are named `name`, or "name: row" if the element has several
 *   coordinates  indices in this system, one for each coordinate of the element, all different
 *   parameters   values, one for each parameter of the element; NULL for the values of the element
 *   links        nullable, one for each parameter of the element; links[k] >= 0 links parameter k
 * to the parameter of this system with that index, -1 leaves it at its value */
int VidaSystem_AddElement(VidaSystem* system, const VidaSystem* element, const char* name,
                          const int* coordinates, const double* parameters, const int* links,
                          VidaError* error);

/* ---- charts ---------------------------------------------------------------------------------- */

/* Adds a coordinate of the chart, for the method del-chart (Wendlandt and Marsden 1997,
 * section 4.2). A chart has as many coordinates x (angles of rods, for example) as the system has
 * degrees of freedom, and an embedding q = phi(x) into the constraint manifold. A system has at
 * most one chart; other methods, and elements, ignore it. The search for the initial value of the
 * coordinate begins at `near` (finite). *expression receives its expression, which is valid in the
 * embedding only. */
int VidaSystem_AddChartCoordinate(VidaSystem* system, const char* name, double near,
                                  VidaExpression* expression, VidaError* error);
/* Adds the embedding of the chart, after all coordinates of system and chart: embedding[i] is the
 * coordinate with the index coordinates[i], for i < count, where every coordinate of the system
 * occurs once. Fails with VIDA_BAD_ARGUMENT for a missing or repeated coordinate, for an expression
 * that contains positions, rates or time (parameters are allowed), and for a chart coordinate that
 * does not occur. The start of del-chart checks whether phi satisfies the constraints. */
int VidaSystem_AddChart(VidaSystem* system, int count, const int* coordinates,
                        const VidaExpression* embedding, VidaError* error);
/* The number of chart coordinates, and the name of one by its index; 0 and NULL without an
 * embedding. */
int VidaSystem_ChartCoordinateCount(const VidaSystem* system);
const char* VidaSystem_ChartCoordinateName(const VidaSystem* system, int coordinate);

#ifdef __cplusplus
}
#endif
#endif
