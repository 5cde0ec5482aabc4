/* Expressions: formulas in the coordinates of a system, for Lagrangians, constraints and forces.
 *
 * An expression is the index of a node of the expression graph of its system, and is valid in that
 * system only. Functions fail with VIDA_BAD_ARGUMENT for an index that the graph of their system
 * does not have. They cannot detect an expression of another system whose index is also in their
 * graph: it stands for another expression there. Equal expressions share one node. When a term is
 * added, VIDA differentiates it symbolically and compiles its derivatives to tapes. After
 * VidaSystem_Complete, functions that make expressions or add terms fail with VIDA_WRONG_ORDER. */
#ifndef VIDA_EXPRESSION_H
#define VIDA_EXPRESSION_H

#include <vida/error.h>
#include <vida/export.h>
#include <vida/system.h>

#ifdef __cplusplus
extern "C" {
#endif

/* An expression: the index of a node of the expression graph. */
typedef int VidaExpression;

/* Makes the expression of a constant. Fails with VIDA_BAD_ARGUMENT for a value that is not finite.
 */
VIDA_API int VidaSystem_Constant(VidaSystem* system, double value, VidaExpression* expression,
                                 VidaError* error);
/* Makes the expression of a position, q_i for the coordinate with the index i. Fails with
 * VIDA_BAD_ARGUMENT for an index outside 0 .. n - 1. */
VIDA_API int VidaSystem_Position(VidaSystem* system, int coordinate, VidaExpression* expression,
                                 VidaError* error);
/* Makes the expression of a rate, v_i for the coordinate with the index i. Fails with
 * VIDA_BAD_ARGUMENT for an index outside 0 .. n - 1. */
VIDA_API int VidaSystem_Rate(VidaSystem* system, int coordinate, VidaExpression* expression,
                             VidaError* error);
/* Makes the expression of the time t (s). */
VIDA_API int VidaSystem_Time(VidaSystem* system, VidaExpression* expression, VidaError* error);

/* Makes the expression of an operation on `count` operands. Operations: "+", "-" (one or two
 * operands), "*", "/", "^", "sqrt", "exp", "log", "sin", "cos", "tan", "asin", "acos", "atan",
 * "atan2", "sinh", "cosh", "tanh", "abs", "sign", "min", "max", "<", "<=", "==", and "where"
 * (condition, then, else). "where" evaluates both branches, so each must stay in its domain. Fails
 * with VIDA_UNKNOWN_NAME for an unknown operation (the message suggests the nearest name), and with
 * VIDA_BAD_ARGUMENT for a wrong number of operands.
 *
 * If a comparison, "sign", "abs", "min", "max" or a condition of "where" depends on time and
 * parameters only, VIDA locates the times at which it changes, and every method ends a step there.
 * At both ends of a step, such an operation has the value that it has inside the step. */
VIDA_API int VidaSystem_Apply(VidaSystem* system, const char* operation, int count,
                              const VidaExpression* operands, VidaExpression* expression,
                              VidaError* error);

/* Makes the expression of a function that jumps: values[0] where `of` is below at[0], values[i]
 * from at[i - 1] on, and values[count] from at[count - 1] on. `at` (count) increases; `values` has
 * count + 1 expressions. If `of` is the time, every method ends a step at each jump. */
VIDA_API int VidaSystem_Switch(VidaSystem* system, VidaExpression of, int count,
                               const VidaExpression* at, const VidaExpression* values,
                               VidaExpression* expression, VidaError* error);

/* Makes the expression of the parameter with this index (VidaSystem_AddParameter). Fails with
 * VIDA_BAD_ARGUMENT for an unknown index. */
VIDA_API int VidaSystem_ParameterExpression(VidaSystem* system, int parameter,
                                            VidaExpression* expression, VidaError* error);

/* Makes the expression of the multiplier of a constraint row (0 .. m - 1,
 * VidaSystem_ConstraintIndex), for forces f(q,v,t,lambda): dry friction in a guide, creep at a
 * wheel. The sign is that of the equations of motion, d/dt L_v - L_q = f - G^T lambda, and the unit
 * that of a force per gradient of the row. Only forces and torques may depend on it; other terms
 * that contain it are refused. Methods with VIDA_CAN_REACTIVE_FORCES integrate such systems. Fails
 * with VIDA_BAD_ARGUMENT for a row that does not exist. */
VIDA_API int VidaSystem_MultiplierExpression(VidaSystem* system, int row,
                                             VidaExpression* expression, VidaError* error);

/* ---- terms of a system ----------------------------------------------------------------------- */

/* Adds a term of the Lagrangian: any function of positions, rates, parameters and time. VIDA splits
 * the sum into constant masses, potentials and general terms. */
VIDA_API int VidaSystem_AddExpressionLagrangian(VidaSystem* system, const char* name,
                                                VidaExpression lagrangian, VidaError* error);
/* Adds a holonomic constraint g(q,t) = 0 of one row; `unit` is the unit of g ("m", ""). Fails with
 * VIDA_BAD_ARGUMENT if g contains a rate or no position. */
VIDA_API int VidaSystem_AddExpressionConstraint(VidaSystem* system, const char* name,
                                                const char* unit, VidaExpression g,
                                                VidaError* error);
/* Adds a nonholonomic constraint A(q,t) v + b(q,t) = 0 of one row; `unit` is the unit of the row
 * ("m/s"). Fails with VIDA_BAD_ARGUMENT if the row contains no rate or is not linear in the rates.
 */
VIDA_API int VidaSystem_AddExpressionNonholonomic(VidaSystem* system, const char* name,
                                                  const char* unit, VidaExpression row,
                                                  VidaError* error);
/* Adds generalized forces f(q,v,t), which may depend on multipliers, too. For 0 <= i < count,
 * force[i] acts on the coordinate with the index coordinates[i]. */
VIDA_API int VidaSystem_AddExpressionForce(VidaSystem* system, const char* name, int count,
                                           const int* coordinates, const VidaExpression* force,
                                           VidaError* error);
/* Adds forces f(q,v,t) that act along functions s(q,t), for example along the coordinates of a
 * point. The generalized forces are the sum over 0 <= k < count of force[k] d along[k] / dq. */
VIDA_API int VidaSystem_AddExpressionForceAlong(VidaSystem* system, const char* name, int count,
                                                const VidaExpression* along,
                                                const VidaExpression* force, VidaError* error);
/* Adds the forces -R_v of Rayleigh's dissipation function R(q,v,t). A linear damper has
 * R = c v^2 / 2. */
VIDA_API int VidaSystem_AddExpressionRayleigh(VidaSystem* system, const char* name,
                                              VidaExpression dissipation, VidaError* error);

/* Adds an observable f(q,v,t), which trajectories report beside the state; `unit` is the unit of f.
 * If `conserved`, the momentum error of a comparison includes it. */
VIDA_API int VidaSystem_AddObservable(VidaSystem* system, const char* name, const char* unit,
                                      bool conserved, VidaExpression value, VidaError* error);

/* ---- elements -------------------------------------------------------------------------------- */

/* Adds an instance of an element. An element is a system that serves as a pattern. Its terms and
 * constraints are derived once, and each instance replaces its coordinates and parameters. The
 * instance does not include the observables and the gravity of the element, nor the masses and
 * initial values of its particles. The element need not be complete, and may be freed after this
 * call.
 *   name         of the instance; constraint rows are named `name`, or "name: row" if there are
 *                several
 *   coordinates  indices of coordinates of this system, one per coordinate of the element, all
 *                different
 *   parameters   nullable, one value per parameter of the element; NULL: the element's own values
 *   links        nullable, one per parameter of the element: links[k] >= 0 links parameter k to the
 *                parameter of this system with that index; -1 leaves its value */
VIDA_API int VidaSystem_AddElement(VidaSystem* system, const VidaSystem* element, const char* name,
                                   const int* coordinates, const double* parameters,
                                   const int* links, VidaError* error);

/* ---- charts ---------------------------------------------------------------------------------- */

/* Adds a coordinate of the chart, for the method del-chart (Wendlandt and Marsden 1997, section
 * 4.2). A chart consists of as many coordinates x (angles of rods, for example) as the system has
 * degrees of freedom, and of an embedding q = phi(x) into the constraint manifold. A system has at
 * most one chart; elements and other methods ignore it. `near` (finite) is the guess of the
 * coordinate at the start. *expression receives its expression, which is valid only in the
 * embedding. */
VIDA_API int VidaSystem_AddChartCoordinate(VidaSystem* system, const char* name, double near,
                                           VidaExpression* expression, VidaError* error);
/* Adds the embedding of the chart. For 0 <= i < count, embedding[i] is the coordinate of the system
 * with the index coordinates[i]; each coordinate of the system occurs once. Call it after all
 * coordinates of the system and of the chart have been added. Fails with VIDA_BAD_ARGUMENT for a
 * missing or repeated coordinate, for an expression that contains positions, rates or time
 * (parameters are allowed), and for an unused chart coordinate. VidaStepper_Start of del-chart
 * checks that phi satisfies the constraints. */
VIDA_API int VidaSystem_AddChart(VidaSystem* system, int count, const int* coordinates,
                                 const VidaExpression* embedding, VidaError* error);
/* Returns the number of chart coordinates; 0 if the system has no embedding. */
VIDA_API int VidaSystem_ChartCoordinateCount(const VidaSystem* system);
/* Returns the name of a chart coordinate; NULL for an unknown index or without an embedding. */
VIDA_API const char* VidaSystem_ChartCoordinateName(const VidaSystem* system, int coordinate);

#ifdef __cplusplus
}
#endif
#endif
