/* The complementarity problem of touching contacts, for solve/contact_problem.h. */
#ifndef VIDA_STEPPER_HYBRID_TOUCHING_PROBLEM_H
#define VIDA_STEPPER_HYBRID_TOUCHING_PROBLEM_H

#include "solve/contact_problem.h"
#include "stepper/hybrid/contacts.h"

struct vida_touching_problem {
  vida_contact_problem problem;
  int* touching;                   /* index in own->touching of each contact of the problem */
  int* row;                        /* index among the rows of touching contacts of each row of it */
  double *rates, *bias, *softness; /* rows; the rates are those after the impulses */
  double* least;                   /* contacts: room for problem.least */
  double* block;
};

/* Creates the problem for up to `rows` rows, or VIDA_IMPACT_ROWS. Destroyed also after a failure.
 */
int vida__touching_problem_create(int rows, vida_touching_problem** problem);
/* Frees the problem and sets *problem to NULL; NULL is allowed. */
void vida__touching_problem_destroy(vida_touching_problem** problem);
/* Poses own->problem for all touching contacts that are candidates and can receive an impulse:
 * constraints determine the gaps of the others. The friction of contacts that slide belongs to
 * their normal impulse. There is no bias and no least impulse. */
void vida__pose_touching(vida_hybrid_contacts* own);
/* Returns the rate of row k by a unit impulse along `row` of a contact; of one that slides, with
 * its friction. */
double vida__effect_on(const vida_hybrid_contacts* own, int k, const vida_touching* at, int row);
/* Returns the largest of the accelerations own->work of the rows of the problem. */
double vida__free_size(const vida_hybrid_contacts* own);
/* Fails because vida__solve_touching has found no "impulses" or "forces"; the unit is that of
 * rates. */
int vida__fail_touching(const vida_hybrid* hybrid, const char* what, const char* unit,
                        VidaError* error);
/* Solves for the impulses from `rates`, those of the rows of touching contacts without them, as
 * accurately as rounding allows. Returns whether the residual, relative to the largest rate, is at
 * most `enough`. */
bool vida__solve_touching(vida_touching_problem* posed, const double* rates, double enough);

#endif
