/* The equations of motion with forces that depend on multipliers:
 *
 *     M a + G^T lambda = r + f(lambda),   G a = s.
 *
 * Forces depend on few multipliers. With f(lambda) = f + F d, where d are the changes of these, a
 * and lambda are linear in d: one solution without d, and one for each column of F. The rows of
 * lambda on which f depends then are a small dense system for d: Newton's method, with one step
 * where f is linear. It has a solution wherever the equations have one, also where friction is so
 * large that substituting lambda into f again and again would diverge. */
#ifndef VIDA_SYSTEM_CONSTRAINTS_REACTIONS_H
#define VIDA_SYSTEM_CONSTRAINTS_REACTIONS_H

#include "base/state_record.h"
#include "system/evaluate/evaluate.h"

typedef struct vida_reactions vida_reactions;

/* Solves the equations without f: the right-hand side (n + m) and the solution are one array. */
typedef int (*vida_reactions_solver)(void* data, double* x);

/* Creates the work space; *reactions is NULL for systems without such forces. The system must
 * outlive it. The caller frees *reactions with vida__reactions_destroy. Fails only without memory.
 */
int vida__reactions_create(const VidaSystem* system, vida_reactions** reactions);
/* Frees the work space and sets *reactions to NULL; NULL is allowed. */
void vida__reactions_destroy(vida_reactions** reactions);

/* Returns the multipliers (m) at which the next solution begins: those of the last one, or zeros.
 */
double* vida__reactions_guess(vida_reactions* reactions);
/* Returns work space for multipliers (m) in the equations of a step. */
double* vida__reactions_work(vida_reactions* reactions);
/* Begins the next solution from zeros. */
void vida__reactions_forget(vida_reactions* reactions);

/* Solves the equations at (t,q,v). On entry, x (n + m) has r + f at the guess, and s; on return, it
 * has the solution, whose multipliers are also the next guess. Returns 0; VIDA_STEP_SINGULAR, with
 * the message in evaluator->error, if the multipliers are not determined; or the code of a failed
 * solution or evaluation. */
int vida__reactions_solve(vida_reactions* reactions, vida_evaluator* evaluator, double t,
                          const double* q, const double* v, vida_reactions_solver solve, void* data,
                          double* x);

/* Fills `error`, because rows depend on each other, so that the multiplier in a force is not
 * unique; returns VIDA_STEP_SINGULAR. */
int vida__fail_dependent_reactions(const VidaSystem* system, VidaError* error);

/* Visits the guess; NULL is allowed. */
void vida__reactions_record(vida_reactions* reactions, VidaRecord* record);

#endif
