/* The implicit map: F(u) = 0, with u = (w, mu) on the KKT pattern as a rule, solved by KINSOL.
 *
 * The one place that knows KINSOL and its traps: full Newton, no cap on the step, tolerances near
 * rounding, acceptance by our own test of the residual, line search as a second try, KLU's analysis
 * kept from call to call, messages kept from the terminal. */
#ifndef VIDA_SOLVE_MAP_H
#define VIDA_SOLVE_MAP_H

#include <vida/error.h>

#include "base/linear.h"
#include "system/evaluate/evaluate.h"

/* The rows of F, as many as unknowns. */
typedef struct vida_map_rows {
  const vida_pattern* pattern;
  vida_evaluator* evaluator; /* has the message of a failed evaluation */
  /* Name and kind ("constraint") of a row, for messages. */
  const char* (*name)(const void* list, int row, const char** kind);
  const void* list;
} vida_map_rows;

/* Those of the KKT pattern: coordinates, then constraints. */
vida_map_rows vida__map_rows_of(vida_evaluator* evaluator);

typedef struct vida_map_functions {
  /* r of F at u; 0, > 0 or < 0 */
  int (*residual)(void* data, const double* u, double* r);
  /* values of F_u in the order of the pattern; they are zero on entry */
  int (*jacobian)(void* data, const double* u, double* matrix);
  /* size: of the terms that make up each row of F at u, by which its rounding is judged; 0
   * where nothing moves */
  void (*sizes)(void* data, const double* u, double* size);
  /* where the line search starts when Newton's method has failed from the first guess */
  void (*second_guess)(void* data, double* u);
} vida_map_functions;

typedef struct vida_map_options {
  double tolerance; /* of the scaled residual */
  int max_iterations;
  vida_solver solver;
} vida_map_options;

typedef struct vida_map vida_map;

/* What `rows` points to, and data, are kept. */
int vida__map_create(SUNContext context, vida_map_rows rows, vida_map_functions functions,
                     void* data, vida_map_options options, vida_map** map, VidaError* error);
void vida__map_destroy(vida_map** map);

/* Sizes of the residual of row i and of unknown i (> 0), by which both are scaled. */
void vida__map_set_size(vida_map* map, int i, double row_size, double unknown_size);

/* The values of the last matrix, on the pattern of the rows. */
const double* vida__map_matrix(const vida_map* map);
/* Constraints that depend on each other, of maps on the KKT pattern: the diagonal of each
 * constraint row is lessened by `redundancy` (m, kept; NULL: nothing), which makes the Newton
 * matrix regular. Equations and solutions stay what they are; of the multipliers, what the
 * equations leave open hardly moves from where the guess has it. */
void vida__map_set_redundancy(vida_map* map, const double* redundancy);
/* Asked, with the data of the map, before each evaluation of the residual: 0, or the negative code
 * that the solution then fails with. NULL: nobody is asked. */
void vida__map_set_interrupt(vida_map* map, int (*interrupted)(void* data));

/* Solves from the guess u, which receives the solution. On failure u is undefined, and the error
 * has the solver's flag and names the worst row. */
int vida__map_solve(vida_map* map, double* u, VidaError* error);

/* Factors the Jacobian at u once, so that later solves allocate nothing. A failure is harmless: the
 * first solve then does what is missing. */
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
