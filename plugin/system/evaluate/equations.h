/* The equations of motion, solved for accelerations and multipliers:
 *
 *     [ M  G^T ] [ a      ]   [ L_q + f - L_vq v - L_vt ]
 *     [ G  0   ] [ lambda ] = [ -(what g'' has besides G a) ]
 *
 * Everything is allocated by Create; the first factorization may allocate inside KLU, later ones do
 * not. Where rows depend on others, as Mark has found, multipliers are those of least norm. */
#ifndef VIDA_SYSTEM_EVALUATE_EQUATIONS_H
#define VIDA_SYSTEM_EVALUATE_EQUATIONS_H

#include "base/linear.h"
#include "system/constraints/rank.h"
#include "system/evaluate/evaluate.h"

typedef struct vida_equations vida_equations;

/* The system must outlive it. */
int vida__equations_create(const VidaSystem* system, vida_solver solver, vida_equations** equations,
                           VidaError* error);
void vida__equations_destroy(vida_equations** equations);
/* From now on the identity stands in the place of M, in Factor and Solve and in what Mark measures
 * rows by: for projections along G^T. */
void vida__equations_use_identity(vida_equations* equations);

/* Finds the rows that depend on others at (t,q,v), for all later solves; without it rows are taken
 * for independent. 0, or what an evaluation reported. */
int vida__equations_mark(vida_equations* equations, double t, const double* q, const double* v);
bool vida__equations_is_redundant(const vida_equations* equations);
/* What Mark has found; NULL without constraints, and where the rank cannot be found. Create has
 * then filled its `error` with the reason. */
vida_rank* vida__equations_rank(vida_equations* equations);

/* Evaluates G and M at (t,q,v) and factors the matrix. 0, VIDA_STEP_SINGULAR, or what an evaluation
 * reported. */
int vida__equations_factor(vida_equations* equations, double t, const double* q, const double* v);
/* Entries of the factors; -1: not known. */
long vida__equations_factor_entries(const vida_equations* equations);
/* G of the last Factor, in the order of system->entries. */
const double* vida__equations_jacobian(const vida_equations* equations);
/* x (n + m) with M x + G^T y = r, G x = s for the right side (r,s), n + m, with the last factors;
 * both may be the same array. */
int vida__equations_solve(vida_equations* equations, const double* right_side, double* x);
/* Factor, and a (n) and lambda (m) of the equations of motion. `correction` (m, nullable) is added
 * to the right side of the constraints: G a + ... = correction (Baumgarte's terms). */
int vida__equations_find(vida_equations* equations, double t, const double* q, const double* v,
                         const double* correction, double* a, double* lambda);

/* Has the message of a failed evaluation. */
vida_evaluator* vida__equations_evaluator(vida_equations* equations);
/* Appends what the last matrix leaves open, see vida__append_singular. */
bool vida__equations_append_open(const vida_equations* equations, char* text, size_t size);
/* Fills `error` with what `code`, returned by one of the functions above, means. */
int vida__equations_failed(vida_equations* equations, int code, VidaError* error);

#endif
