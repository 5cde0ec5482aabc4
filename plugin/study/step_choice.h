/* How the steps of a run were chosen: fixed steps h, or a tolerance rtol. The row of an adaptive
 * run has no h. */
#ifndef VIDA_STUDY_STEP_CHOICE_H
#define VIDA_STUDY_STEP_CHOICE_H

#include <stdbool.h>
#include <vida/study.h>

typedef struct vida_step_choice {
  bool is_adaptive;
  const char* name; /* "h" or "rtol" */
  const char* unit; /* " s" or "" */
  double value;     /* of h (s) or rtol */
} vida_step_choice;

/* Returns the choice with this step (s; NaN: adaptive) or tolerance. */
vida_step_choice vida__step_choice(double h, double rtol);
/* Returns the choice of the run with this row. */
vida_step_choice vida__step_choice_of(const VidaRow* row);
/* Returns whether the run chose its own steps. */
bool vida__is_adaptive(const VidaRow* row);
/* Returns the step (s) of the run, or its tolerance. */
double vida__step_or_tolerance(const VidaRow* row);
/* Returns whether two runs have the same step, or the same tolerance. */
bool vida__is_same_choice(const VidaRow* a, const VidaRow* b);

#endif
