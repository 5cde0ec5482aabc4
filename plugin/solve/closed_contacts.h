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
  struct vida_closed_work* work;
} vida_closed_contacts;

/* Creates the closed contacts of a system that has contacts. Fails only without memory. */
int vida__closed_create(const VidaSystem* system, const vida_pattern* pattern,
                        vida_closed_contacts** closed, VidaError* error);
void vida__closed_destroy(vida_closed_contacts** closed);
/* Visits the impulses of the last step. */
void vida__closed_record(vida_closed_contacts* closed, VidaRecord* record);

/* Computes all gaps at (t,q). */
int vida__closed_gaps(vida_closed_contacts* closed, double t, const double* q);
/* Evaluates the rows of the chosen contacts at (t,q), sets `before` for the velocities v (n), the
 * impulses to those of the last step, and softness and bias to 0. Allocates only where more
 * contacts are chosen than ever before. */
int vida__closed_rows(vida_closed_contacts* closed, double t, const double* q, const double* v);
/* Finds the columns with the last factors of `matrix`. */
int vida__closed_columns(vida_closed_contacts* closed, vida_linear* matrix);
/* Returns the row of the problem that is the normal row of the chosen contact number k. */
static inline int vida__closed_row(const vida_closed_contacts* closed, int k) {
  return closed->problem.first[k];
}
/* Solves the problem, v (n) being the free velocity on entry. Keeps the impulses as the last ones.
 * Returns whether it succeeded (vida__solve_contacts). */
bool vida__closed_solve(vida_closed_contacts* closed, double* v);
/* Adds H^T P to `force` (n). */
void vida__closed_add_impulses(const vida_closed_contacts* closed, double* force);
/* Returns the first contact with a gap that is negative by more than rounding at the positions q
 * (n); -1: none. */
int vida__closed_find_negative(const vida_closed_contacts* closed, const double* q);

#endif
