/* The implicit map: F(u) = 0, usually with u = (w, mu) on the KKT pattern, solved by KINSOL.
 *
 * Only map.c uses KINSOL. It takes full Newton steps without a limit on their length, tolerances
 * near rounding, its own test of the residual for acceptance, a line search as second attempt, and
 * the analysis of KLU from call to call; messages do not reach the terminal. */
#ifndef VIDA_SOLVE_MAP_H
#define VIDA_SOLVE_MAP_H

#include <vida/method.h>

#include "base/linear.h"
#include "system/evaluate/evaluate.h"

/* The rows of F; there are as many as unknowns. */
typedef struct vida_map_rows {
  const vida_pattern* pattern;
  vida_evaluator* evaluator; /* holds the message of a failed evaluation */
  /* Name and kind ("constraint") of a row, for messages. */
  const char* (*name)(const void* list, int row, const char** kind);
  const void* list;
} vida_map_rows;

/* Those of the KKT pattern: coordinates, then constraints. */
vida_map_rows vida__map_rows_of(vida_evaluator* evaluator);

typedef struct vida_map_options {
  double tolerance; /* of the scaled residual */
  int max_iterations;
  vida_solver solver;
} vida_map_options;

typedef struct vida_map vida_map;

/* Creates a map. The memory that `rows` points to, and `data`, must outlive it. */
int vida__map_create(SUNContext context, vida_map_rows rows, VidaStepEquations functions,
                     void* data, vida_map_options options, vida_map** map, VidaError* error);
void vida__map_destroy(vida_map** map);

/* Sets the sizes (> 0) of the residual of row i and of unknown i, which scale both. */
void vida__map_set_size(vida_map* map, int i, double row_size, double unknown_size);

/* The values of the last Newton matrix, on the pattern of the rows. */
const double* vida__map_matrix(const vida_map* map);
/* Regularizes maps on the KKT pattern with dependent constraints: `redundancy` (m, kept; NULL:
 * none) is subtracted from the diagonal of the constraint rows, which makes the Newton matrix
 * regular. Equations and solutions do not change; components of the multipliers that the equations
 * do not determine hardly move from the guess. */
void vida__map_set_redundancy(vida_map* map, const double* redundancy);
/* Sets a function that is called, with the data of the map, before each evaluation of the residual:
 * it returns 0, or a negative code with which the solution then fails. NULL: none. */
void vida__map_set_interrupt(vida_map* map, int (*interrupted)(void* data));

/* Solves from the guess u, which receives the solution. On failure u is undefined, and the error
 * has the flag of the solver and names the row with the largest residual. */
int vida__map_solve(vida_map* map, double* u, VidaError* error);

/* Factors the Jacobian at u once, so that later solves allocate nothing. After a failure the first
 * solve does what is missing. */
int vida__map_prepare(vida_map* map, const double* u);

long vida__map_iterations(const vida_map* map);
long vida__map_residuals(const vida_map* map);
long vida__map_jacobians(const vida_map* map);
void vida__map_reset_counts(vida_map* map);

/* The residual at the last solution, by rows. */
const double* vida__map_residual(const vida_map* map);

/* The sign of det F_u at the last solution; 0 where it cannot be found. */
int vida__map_sign(vida_map* map);

#endif
