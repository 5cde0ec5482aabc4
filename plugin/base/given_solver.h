/* The SUNContext and the linear solvers that a program provides for a stepper. */
#ifndef VIDA_BASE_GIVEN_SOLVER_H
#define VIDA_BASE_GIVEN_SOLVER_H

#include <vida/sundials.h>

#include "base/linear.h"

/* What a program provides for a stepper and for the steppers nested in it. */
typedef struct vida_services {
  VidaSundialsServices given;
  int solver_count; /* linear solvers that the program has created */
} vida_services;

/* Returns the context of the program, or creates one if `services` is NULL. Returns 0 or a flag. */
int vida__take_context(const vida_services* services, SUNContext* context);
/* Frees a context unless it is that of the program, and sets *context to NULL. */
void vida__leave_context(const vida_services* services, SUNContext* context);

/* A linear solver of the program, behind the SUNLinearSolver that KINSOL sees. */
typedef struct vida_given_solver {
  SUNLinearSolver solver;
  int failure;        /* result of the last call; 0: success */
  const char* failed; /* the operation that failed, for messages */
} vida_given_solver;

/* Returns whether the program creates the linear solvers. */
bool vida__gives_solver(const vida_services* services);
/* Creates the matrix and the solver of `linear` with create_solver. `linear` owns both, also after
 * a failure. */
int vida__give_solver(vida_linear* linear, SUNContext context, vida_services* services,
                      VidaError* error);
/* Frees a solver of the program and sets *given to NULL; NULL is allowed. */
void vida__given_destroy(vida_given_solver** given);
/* If the last call of the program's solver failed, fills `error`, with the flag of KINSOL, and
 * returns its code; otherwise returns 0. */
int vida__given_failed(const vida_linear* linear, const char* flag, VidaError* error);

#endif
