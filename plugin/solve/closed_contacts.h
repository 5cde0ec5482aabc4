/* Closed contacts: those that take part in a step, with their rows and columns.
 *
 * A step evaluates all gaps, chooses contacts, evaluates the rows of these, and finds the columns
 * K^-1 (H^T, 0) of its matrix K of the KKT pattern. Columns have entries only where the pattern
 * connects coordinates with those of the row: bodies that no term and no constraint connects are
 * components of their own, and rows of different components are solved for together. So columns of
 * many separate bodies take as many solutions as there are rows on one body, not as there are rows.
 */
#ifndef VIDA_SOLVE_CLOSED_CONTACTS_H
#define VIDA_SOLVE_CLOSED_CONTACTS_H

#include <vida/options.h>

#include "base/linear.h"
#include "base/state_record.h"
#include "solve/contact_problem.h"
#include "system/contacts/contacts.h"
#include "system/evaluate/evaluate.h"

typedef struct vida_closed_contacts {
  const VidaSystem* system;
  VidaSystem* rows; /* the rows of all contacts */
  vida_evaluator evaluator;
  double* gap;                  /* contacts: all gaps */
  int count;                    /* of chosen contacts */
  int* chosen;                  /* their indices, ascending */
  vida_contact_problem problem; /* of the chosen ones */
  double* rate;                 /* rows: g_t of a gap, b of a slip velocity */
  double* before;               /* rows: u = H v + rate at the beginning of the step */
  double* last;                 /* the impulses of all rows of contacts in the last step */
  double *softness, *bias;      /* rows: those of `problem`, to be set */
  /* Contacts: the gap, not positive, with which a contact has closed, and what it was in the last
   * step: 0 open, 1 closed, 2 closed by an impulse. */
  double *kept_gap, *state;
  struct vida_closed_work* work;
} vida_closed_contacts;

/* Creates the closed contacts of a system that has contacts. Fails only without memory. */
int vida__closed_create(const VidaSystem* system, const vida_pattern* pattern,
                        vida_closed_contacts** closed, VidaError* error);
void vida__closed_destroy(vida_closed_contacts** closed);
/* Visits the impulses of the last step, and the gaps that are kept. */
void vida__closed_record(vida_closed_contacts* closed, VidaRecord* record);

/* Computes all gaps at (t,q). */
int vida__closed_gaps(vida_closed_contacts* closed, double t, const double* q);
/* Evaluates the rows of the chosen contacts at (t,q), sets `before` for the velocities v (n), the
 * impulses to those of the last step, and softness and bias to 0. Allocates only where more
 * contacts are chosen than ever before. */
int vida__closed_rows(vida_closed_contacts* closed, double t, const double* q, const double* v);
/* Finds the columns with the last factors of `matrix`: those of K, or, if `scale` (size of the
 * pattern) is not NULL, of K scaled by it on both sides. */
int vida__closed_columns(vida_closed_contacts* closed, vida_linear* matrix, const double* scale);
/* Returns the row of the problem that is the normal row of the chosen contact number k. */
static inline int vida__closed_row(const vida_closed_contacts* closed, int k) {
  return closed->problem.first[k];
}
/* Solves the problem, v (n) being the free velocity on entry. Keeps the impulses as the last ones.
 * Returns whether it succeeded (vida__solve_contacts). */
bool vida__closed_solve(vida_closed_contacts* closed, double* v);
/* Returns the energy (J) that impacts bring in a step to the velocities v (n), with the impulses of
 * the last problem; 0 if they take energy, beyond rounding. */
double vida__closed_gain(const vida_closed_contacts* closed, const double* v);
/* Adds H^T P to `force` (n). */
void vida__closed_add_impulses(const vida_closed_contacts* closed, double* force);
/* Finds the displacement x (n) that opens those of the chosen contacts which have stayed closed to
 * the gaps with which they closed, where they have sunk below these by more than rounding at (t,q),
 * after a step of length h: by the least sum of x^T K x, and to a small part of the depth. Uses the
 * columns of the last problem. Returns a code; *moves is false if there is nothing to do. */
int vida__closed_lift(vida_closed_contacts* closed, double t, double h, const double* q, double* x,
                      bool* moves);
/* Returns whether an impulse has closed contact number c in the last step. */
static inline bool vida__was_pressed(const vida_closed_contacts* closed, int c) {
  return closed->state[c] > 1.0;
}
/* Ends a step at (t,q): the chosen contacts are closed, and those that were not before keep their
 * gaps. */
int vida__closed_keep(vida_closed_contacts* closed, double t, const double* q);
/* Computes all gaps at the start (t,q), and fails with VIDA_INCONSISTENT_START if one is negative
 * by more than rounding. Sets the last impulses to 0; no gap is kept. */
int vida__closed_start(vida_closed_contacts* closed, double t, const double* q, VidaError* error);
/* Fails with VIDA_STEP_NOT_CONVERGED because vida__closed_solve has failed; `step` is the name of
 * the step. */
int vida__closed_fail(const vida_closed_contacts* closed, const char* step, VidaError* error);
/* Sets accuracy, sweeps and the algorithm from the option rows below. */
void vida__closed_take_options(vida_closed_contacts* closed, const VidaOptions* options);

/* Option rows of methods that solve for impulses of contacts. */
#define VIDA_CONTACT_ROWS                                                                         \
  {"contact_solver",                                                                              \
   VIDA_OPTION_CHOICE,                                                                            \
   "",                                                                                            \
   0.0,                                                                                           \
   0.0,                                                                                           \
   1.0,                                                                                           \
   false,                                                                                         \
   "auto|gauss-seidel",                                                                           \
   "Solver of the impulses of contacts: auto tries Newton's method (block pivoting) where at "    \
   "most 120 rows are closed, and makes projected Gauss-Seidel sweeps for more, or where it "     \
   "fails; then, for at most 360 rows, it holds impulses by a softness that it releases."},       \
      {"accuracy",                                                                                \
       VIDA_OPTION_REAL,                                                                          \
       "1",                                                                                       \
       1e-8,                                                                                      \
       1e-14,                                                                                     \
       0.1,                                                                                       \
       false,                                                                                     \
       NULL,                                                                                      \
       "Largest residual of the laws of contact and friction, relative to the largest velocity "  \
       "that closed contacts would have without impulses."},                                      \
  {                                                                                               \
    "sweeps", VIDA_OPTION_INTEGER, "1", 20000.0, 1.0, 1e9, false, NULL,                           \
        "Largest number of Gauss-Seidel sweeps of a step; the step fails if it does not suffice." \
  }

#endif
