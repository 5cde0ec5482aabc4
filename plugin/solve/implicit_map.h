/* The implicit map: F(u) = 0, solved by Newton's method. Usually u = (w, mu) on the KKT pattern.
 *
 * The first attempt makes full Newton steps of any length, by full_newton.h or by KINSOL; the
 * second uses the line search of KINSOL. Both have tolerances near rounding; the map has its own
 * test of the residual. Two further attempts, which the caller asks for, follow a path of solutions
 * and go past a singular configuration.
 * KLU keeps its symbolic analysis between calls. Messages of KINSOL do not reach the terminal. */
#ifndef VIDA_SOLVE_IMPLICIT_MAP_H
#define VIDA_SOLVE_IMPLICIT_MAP_H

#include <vida/method.h>

#include "base/given_solver.h"
#include "base/linear.h"
#include "system/evaluate/evaluate.h"

/* The rows of F, one per unknown. */
typedef struct vida_map_rows {
  const vida_pattern* pattern;
  vida_evaluator* evaluator; /* has the message of a failed evaluation */
  /* Returns the name and the kind ("constraint") of a row, for messages. */
  const char* (*name)(const void* list, int row, const char** kind);
  const void* list;
} vida_map_rows;

/* Returns the rows of the KKT pattern: coordinates, then constraints. */
vida_map_rows vida__map_rows_of(vida_evaluator* evaluator);

/* The flag of a step in which constraints lose rank, which the reduction to their null space does
 * not allow. */
#define VIDA_RANK_CHANGED "RANK_CHANGED"

typedef struct vida_map_options {
  double tolerance; /* of the scaled residual */
  int max_iterations;
  vida_solver solver;
  bool is_kinsol; /* KINSOL makes the first attempt */
  int reduced;    /* n: the solver removes the other unknowns, multipliers; 0: it does not */
  vida_services* services; /* NULL: the context and the linear solver are VIDA's */
} vida_map_options;

typedef struct vida_map vida_map;

/* Creates a map. The memory that `rows` points to, and `data`, must outlive it. The caller frees
 * *map with vida__map_destroy. */
int vida__map_create(SUNContext context, vida_map_rows rows, VidaStepEquations functions,
                     void* data, vida_map_options options, vida_map** map, VidaError* error);
/* Frees a map and sets *map to NULL; NULL is allowed. */
void vida__map_destroy(vida_map** map);

/* Sets the sizes (> 0) of the residual in row i and of unknown i, by which both are scaled. */
void vida__map_set_size(vida_map* map, int i, double row_size, double unknown_size);

/* Returns the values of the last Newton matrix, on the pattern of the rows. */
const double* vida__map_matrix(const vida_map* map);
/* Regularizes a map on the KKT pattern with dependent constraints. `redundancy` (m, not copied;
 * NULL: none) is subtracted from the diagonal of the constraint rows, which makes the Newton matrix
 * regular. This changes neither the equations nor the solutions. Components of the multipliers that
 * the equations do not determine stay close to the guess. */
void vida__map_set_redundancy(vida_map* map, const double* redundancy);
/* Sets a function that is called with the data of the map before each evaluation of the residual.
 * If it returns a negative code, the solution fails with this code. NULL: none. */
void vida__map_set_interrupt(vida_map* map, int (*interrupted)(void* data));

/* Tells the map whether vida__map_follow is called if its attempts fail. Newton's method then ends
 * as soon as it is lost (full_newton.h), and a line search after 100 evaluations without progress.
 */
void vida__map_expect_path(vida_map* map, bool is_followed);

/* Solves F(u) = 0 from the guess u, which receives the solution. On failure u is undefined, and
 * `error` has the flag of KINSOL and names the row with the largest residual. */
int vida__map_solve(vida_map* map, double* u, VidaError* error);

/* Solves F(u) = 0 as vida__map_solve does, but by Newton's method only. The residual of the guess
 * may be an approximation: it is evaluated again before the guess is accepted. Returns whether the
 * method succeeded; otherwise u is undefined. */
bool vida__map_attempt(vida_map* map, double* u);

/* Solves F(u) = 0, which Newton's method and the line search have not, along a path of solutions of
 * other equations (solution_path.h), from the second guess with the first `count` unknowns
 * displaced against their neighbours by `share` (> 0) of their sizes. Returns whether that
 * succeeded, by the same test as vida__map_solve; u then receives the solution. */
bool vida__map_follow(vida_map* map, int count, double share, double* u);

/* How constraints lose rank near a solution. */
typedef struct vida_map_singular {
  int count; /* the first unknowns, increments from where the rank is full */
  /* Removes from r, a residual at u, what constraints that depend on each other there leave open.
   * Returns 0 or a code. `data` is that of the map. */
  int (*filter)(void* data, const double* u, double* r);
} vida_map_singular;

/* Solves F(u) = 0 near a place where the matrix is singular, from the guess u. Newton's method
 * divides the rounding of dependent rows by the smallest singular value, and products of such
 * errors are then more than rounding. Here the corrections have matrices from before that place,
 * and nothing corrects what `filter` removes. Returns whether all rows, relative to the sizes that
 * scale them and to their terms, are at rounding; u then receives the solution. */
bool vida__map_pass_singular(vida_map* map, const vida_map_singular* singular, double* u);

/* Tells the map a solution u with its residual that has been found without it, for
 * vida__map_residual and vida__map_sign. */
void vida__map_accept(vida_map* map, const double* u, const double* residual);
/* Adds to the counts of the map, for a solution without it. */
void vida__map_count(vida_map* map, long iterations, long residuals, long jacobians);
/* Computes F_u^-1 r with the last factors of the map, for iterations: without a refinement, as the
 * next residual shows what is left. Returns 0 or VIDA_STEP_SINGULAR. */
int vida__map_correction(vida_map* map, const double* r, double* correction);

/* Factors the Jacobian at u once, so that later solves allocate nothing. After a failure the first
 * solve allocates what is missing. */
int vida__map_prepare(vida_map* map, const double* u);

/* Returns the matrix of Newton's method. */
const vida_linear* vida__map_linear(const vida_map* map);

/* Returns the number of Newton iterations since the last reset. */
long vida__map_iterations(const vida_map* map);
/* Returns the number of residual evaluations since the last reset. */
long vida__map_residuals(const vida_map* map);
/* Returns the number of Jacobian evaluations since the last reset. */
long vida__map_jacobians(const vida_map* map);
/* Sets all counts to 0. */
void vida__map_reset_counts(vida_map* map);

/* Returns the residual at the last solution, by rows. */
const double* vida__map_residual(const vida_map* map);

/* Returns the sign of det F_u at the last solution; 0 if it is not known. */
int vida__map_sign(vida_map* map);

/* Visits the numbers, the matrix and the counts of a map; NULL is allowed. */
void vida__map_record(vida_map* map, VidaRecord* record);

#endif
