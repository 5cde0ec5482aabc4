/* The equations of motion, solved for accelerations and multipliers:
 *
 *     [ M  G^T ] [ a      ]   [ L_q + f - L_vq v - L_vt       ]
 *     [ G  0   ] [ lambda ] = [ -(terms of g'' without G a) ]
 *
 * vida__equations_create allocates all memory, except that the first factorization may allocate
 * inside KLU, and that of a large system that matrix, too. For rows that vida__equations_mark has
 * found to be dependent, multipliers have the least norm. */
#ifndef VIDA_SYSTEM_CONSTRAINTS_EQUATIONS_H
#define VIDA_SYSTEM_CONSTRAINTS_EQUATIONS_H

#include "base/linear.h"
#include "base/state_record.h"
#include "system/constraints/rank.h"
#include "system/evaluate/evaluate.h"

typedef struct vida_equations vida_equations;

/* Creates the equations of a system, which must outlive them. The caller frees *equations with
 * vida__equations_destroy. */
int vida__equations_create(const VidaSystem* system, vida_solver solver, vida_equations** equations,
                           VidaError* error);
/* Frees the equations and sets *equations to NULL; NULL is allowed. */
void vida__equations_destroy(vida_equations** equations);
/* For projections along G^T: replaces M by the identity in factorizations, solutions and row
 * norms. */
void vida__equations_use_identity(vida_equations* equations);
/* The same for coordinates in units of their own: unit (n, > 0), which must outlive the equations.
 * Right-hand sides and solutions are in these units. Do not condense such equations, and use
 * vida__equations_factor only. Fails only without memory. */
int vida__equations_use_units(vida_equations* equations, const double* unit);

/* Condenses the equations to the multipliers (multiplier_equations.h) in the motions in which they
 * allow it; without a call of vida__equations_mark, they do not. Call vida__equations_use_identity
 * first. Fails only without memory. */
int vida__equations_condense(vida_equations* equations, VidaError* error);

/* For methods that solve the equations many times: joins the tapes of the system (motion_tape.h)
 * for factorizations with vida__equations_factor and for vida__equations_motion_bias, where that
 * saves time, and factors the matrix as a symmetric one. Fails only without memory. */
int vida__equations_join(vida_equations* equations, VidaError* error);

/* Finds the dependent rows at (t,q,v), for all later solves; without a call, all rows count as
 * independent. Returns 0, or the code of a failed evaluation. */
int vida__equations_mark(vida_equations* equations, double t, const double* q, const double* v);
/* The same where the caller knows that the rows at (t,q) are independent. */
int vida__equations_mark_independent(vida_equations* equations, double t, const double* q);
/* Returns whether rows are dependent. */
bool vida__equations_is_redundant(const vida_equations* equations);
/* Returns the rank analysis; NULL without constraints, and if the rank cannot be computed
 * (vida__equations_create then wrote the reason to `error`). */
vida_rank* vida__equations_rank(vida_equations* equations);

/* Evaluates G and M at (t,q,v) and factors the matrix. Returns 0, VIDA_STEP_SINGULAR, or the code
 * of a failed evaluation. */
int vida__equations_factor(vida_equations* equations, double t, const double* q, const double* v);
/* Computes force (n) and bias (m) as vida__motion_bias does, at the place (t,q,v) of the last call
 * of vida__equations_factor; `work` (n) is work space. */
int vida__equations_motion_bias(vida_equations* equations, double t, const double* q,
                                const double* v, double* force, double* bias, double* work);
/* The same as vida__equations_factor with entries of G that are known. */
int vida__equations_factor_with(vida_equations* equations, double t, const double* q,
                                const double* v, const double* entries);
/* Factors the matrix of the equations M x + G^T y = r, R x = s, with `rows` for R: entries of G at
 * another place. M is evaluated at (t,q,v), and so is G, unless its entries are known (`columns`,
 * nullable). Later solves and corrections are those of these equations. Returns what
 * vida__equations_factor does. */
int vida__equations_factor_rows(vida_equations* equations, double t, const double* q,
                                const double* v, const double* columns, const double* rows);
/* Computes force (n) of vida__equations_motion_bias, at the place (t,q,v) of the last call of
 * vida__equations_factor or vida__equations_factor_rows; `work` (n + m) is work space. */
int vida__equations_motion_force(vida_equations* equations, double t, const double* q,
                                 const double* v, double* force, double* work);
/* Returns the number of entries of the factors, of the equations with all unknowns; -1: not known.
 */
long vida__equations_factor_entries(const vida_equations* equations);
/* Returns G of the last factorization, in the order of system->entries. */
const double* vida__equations_jacobian(const vida_equations* equations);
/* Solves M x + G^T y = r, G x = s with the last factors: the right-hand side (r,s) and the solution
 * (x,y) have n + m components and may be the same array. */
int vida__equations_solve(vida_equations* equations, const double* right_side, double* x);
/* Solves the equations of motion with forces that depend on multipliers (reactions.h). On entry, x
 * (n + m) has the force of vida__equations_motion_bias or vida__equations_motion_force at (t,q,v),
 * and the right-hand side s of the rows; on return, it has a and lambda. Without such forces, this
 * is vida__equations_solve. */
int vida__equations_solve_motion(vida_equations* equations, double t, const double* q,
                                 const double* v, double* x);
/* Computes x (n) of the solution for r = 0, from s (m). */
int vida__equations_correct(vida_equations* equations, const double* s, double* x);
/* Factors the matrix, and computes a (n) and lambda (m) of the equations of motion. `correction`
 * (m, nullable) is added to the right-hand side of the constraints: G a + ... = correction
 * (Baumgarte's terms). */
int vida__equations_find(vida_equations* equations, double t, const double* q, const double* v,
                         const double* correction, double* a, double* lambda);

/* Returns the evaluator, which has the message of a failed evaluation. */
vida_evaluator* vida__equations_evaluator(vida_equations* equations);
/* Appends the unknowns that the last matrix does not determine; see vida__append_singular. */
bool vida__equations_append_undetermined(const vida_equations* equations, char* text, size_t size);
/* Fills `error` with the meaning of a code that one of these functions returned, and returns the
 * code. */
int vida__equations_failed(vida_equations* equations, int code, VidaError* error);

/* Visits the last factors and what later ones depend on; NULL is allowed. */
void vida__equations_record(vida_equations* equations, VidaRecord* record);

#endif
