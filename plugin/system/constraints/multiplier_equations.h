/* The equations
 *
 *     [ M  G^T ] [ x ]   [ r ]
 *     [ G  0   ] [ y ] = [ s ]
 *
 * with a constant diagonal M, condensed to the multipliers:
 *     G M^-1 G^T y = G M^-1 r - s,   x = M^-1 (r - G^T y).
 * Functions return false if rounding could spoil the result; the caller then solves the equations
 * with all unknowns. */
#ifndef VIDA_SYSTEM_CONSTRAINTS_MULTIPLIER_EQUATIONS_H
#define VIDA_SYSTEM_CONSTRAINTS_MULTIPLIER_EQUATIONS_H

#include "base/state_record.h"
#include "system/model/model.h"

typedef struct vida_multiplier_equations vida_multiplier_equations;

/* Creates the equations of a system, which must outlive them. With `has_identity`, M is the
 * identity. *equations is NULL if the masses of the system are not constant and diagonal, or if too
 * many constraints share a coordinate. The caller frees *equations with
 * vida__multiplier_equations_destroy. Fails only without memory. */
int vida__multiplier_equations_create(const VidaSystem* system, bool has_identity,
                                      vida_multiplier_equations** equations);
/* Frees the equations and sets *equations to NULL; NULL is allowed. */
void vida__multiplier_equations_destroy(vida_multiplier_equations** equations);

/* Takes the masses for a motion that starts with these entries of G. Returns whether no coordinate
 * is so light beside those that a row connects it to that the sums of reciprocal masses would lose
 * digits. */
bool vida__multiplier_equations_start(vida_multiplier_equations* equations, const double* entries);
/* Factors the matrix with these entries of G, which must remain until the last solution. Returns
 * false at a pivot that loses most of its digits. */
bool vida__multiplier_equations_factor(vida_multiplier_equations* equations, const double* entries);
/* Factors the matrix of the equations in which `rows` replaces G in the second line, G x = s:
 * entries of G at another place. Returns what vida__multiplier_equations_factor does. */
bool vida__multiplier_equations_factor_rows(vida_multiplier_equations* equations,
                                            const double* entries, const double* rows);
/* Solves the equations with the last factors: the right-hand side (r,s) and the solution (x,y) have
 * n + m components and may be the same array. Returns whether the solution is finite. */
bool vida__multiplier_equations_solve(vida_multiplier_equations* equations,
                                      const double* right_side, double* x);
/* Solves the equations for r = 0 with the last factors: computes x (n) only, from s (m). Returns
 * whether x is finite. */
bool vida__multiplier_equations_correct(vida_multiplier_equations* equations, const double* s,
                                        double* x);

/* Visits the last factors; NULL is allowed. */
void vida__multiplier_equations_record(vida_multiplier_equations* equations, VidaRecord* record);

#endif
