/* A way to solutions of F(u) = 0 that Newton's method does not find: the solutions of
 * F(u) = s F(first), from s = 1, where `first` is one, to s = 0.
 *
 * In steps of long chains this path turns sharply where a force of compression reaches the load
 * under which neighbours give way to opposite sides: before, they hardly move; behind, they move as
 * far as the constraints ask for. As with the imperfection of a beam that buckles, a first place
 * that is displaced in that pattern rounds the turn off. */
#ifndef VIDA_SOLVE_SOLUTION_PATH_H
#define VIDA_SOLVE_SOLUTION_PATH_H

#include "solve/full_newton.h"

/* Work space of the caller, n each. */
typedef struct vida_path_space {
  double* first; /* F at the first place */
  double* last;  /* the last solution of the path */
} vida_path_space;

/* Follows the path from u (n), which receives its end. `newton` solves for the points of the path;
 * its residual is F, and its limit of iterations is not used. r (n) receives the last residual,
 * *iterations the number of iterations. Returns the flag of full_newton.h for s = 0; a negative one
 * if the path was not found to its end, which takes 200 iterations at most. Allocates nothing. */
int vida__follow_path(const vida_full_newton* newton, vida_path_space space, double* u, double* r,
                      long* iterations);

/* Writes 1 or -1 for each of the first `count` unknowns, with opposite signs for neighbours in the
 * pattern, as far as that is possible: by the distance from the first unknown that is connected.
 * `queue` (count) is work space. */
void vida__oppose_neighbours(const vida_pattern* pattern, int count, double* sign, double* queue);

#endif
