#include "solve/solution_path.h"

#include <kinsol/kinsol.h>
#include <math.h>
#include <string.h>

enum { MOST_ITERATIONS = 200, ITERATIONS_OF_POINT = 8, ITERATIONS_OF_END = 12, FEW_ITERATIONS = 6 };
/* s is multiplied by a factor from point to point. */
static const double first_factor = 0.1;
static const double least_factor = 0.01;
static const double largest_factor = 0.98; /* the path ends, or turns back */
/* A smaller s is 0: in most steps all turns of the path lie before it. If its end is not found from
 * there, the path goes on by points to a smaller one, and to the last one. */
static const double nearly_at_end = 1e-6, nearer = 1e-3, nearest = 1e-11;
/* The residual of a point, relative to the one that it should have. Points are no more than guesses
 * of the next ones: most of what is left of s goes with the next factor. */
static const double point_tolerance = 0.1;
/* The residual of the end, relative to the first one, that may be rounding. */
static const double nearly_rounded = 1e-9;

/* The equations of a point. */
typedef struct point {
  const vida_full_newton* newton;
  const double* first; /* F at the first place */
  double s;
} point;

static int point_residual(void* data, const double* u, double* r) {
  const point* at = data;
  const int code = at->newton->residual(at->newton->data, u, r);
  for (int i = 0; i < at->newton->linear->pattern->size && at->s > 0.0; i++) {
    r[i] -= at->s * at->first[i];
  }
  return code;
}

static int point_matrix(void* data, const double* u) {
  const point* at = data;
  return at->newton->matrix(at->newton->data, u);
}

static double measure(const vida_full_newton* newton, const double* r) {
  double largest = 0.0;
  for (int i = 0; i < newton->linear->pattern->size; i++) {
    largest = fmax(largest, fabs(newton->row_scale[i] * r[i]));
  }
  return largest;
}

static bool is_reached(int flag) {
  return flag == KIN_SUCCESS || flag == KIN_INITIAL_GUESS_OK;
}

int vida__follow_path(const vida_full_newton* newton, vida_path_space space, double* u, double* r,
                      long* iterations) {
  const size_t bytes = (size_t)newton->linear->pattern->size * sizeof *u;
  point at = {newton, space.first, 1.0};
  vida_full_newton solver = *newton;
  solver.residual = point_residual;
  solver.matrix = point_matrix;
  solver.data = &at;
  solver.ends_if_lost = false; /* a point has few iterations */
  *iterations = 0;
  if (newton->residual(newton->data, u, space.first)) {
    return KIN_FIRST_SYSFUNC_ERR;
  }
  const double size = measure(newton, space.first);
  double reached = 1.0, factor = first_factor, near = nearly_at_end;
  memcpy(space.last, u, bytes);
  while (*iterations < MOST_ITERATIONS && factor < largest_factor) {
    long spent;
    at.s = reached * factor > near ? reached * factor : 0.0;
    solver.tolerance = fmax(newton->tolerance, point_tolerance * at.s * size);
    solver.max_iterations = at.s > 0.0 ? ITERATIONS_OF_POINT : ITERATIONS_OF_END;
    const int flag = vida__full_newton(&solver, u, r, &spent);
    *iterations += spent;
    const bool is_rounded =
        flag == KIN_MAXITER_REACHED && measure(newton, r) <= nearly_rounded * size;
    if (at.s <= 0.0 && (is_reached(flag) || is_rounded)) {
      return flag;
    }
    if (!is_reached(flag)) {
      if (at.s <= 0.0 && near <= nearest) {
        return flag;
      }
      near *= at.s > 0.0 ? 1.0 : nearer;
      memcpy(u, space.last, bytes);
      factor = sqrt(factor);
      continue;
    }
    memcpy(space.last, u, bytes);
    reached = at.s;
    factor = spent <= FEW_ITERATIONS ? fmax(factor * factor, least_factor) : factor;
  }
  return KIN_MAXITER_REACHED;
}

void vida__oppose_neighbours(const vida_pattern* pattern, int count, double* sign, double* queue) {
  memset(sign, 0, (size_t)count * sizeof *sign);
  for (int start = 0; start < count; start++) {
    int taken = 0, known = 0;
    if (sign[start] == 0.0) {
      sign[start] = 1.0;
      queue[known++] = start;
    }
    for (; taken < known; taken++) {
      const int j = (int)queue[taken];
      for (sunindextype k = pattern->column_start[j]; k < pattern->column_start[j + 1]; k++) {
        const int i = (int)pattern->row[k];
        if (i < count && sign[i] == 0.0) {
          sign[i] = -sign[j];
          queue[known++] = i;
        }
      }
    }
  }
}
