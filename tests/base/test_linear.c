/* Factors of a matrix whose values change: pivots that were chosen for other values are kept where
 * they are good enough, and chosen again where they are not. Solutions are known in advance: the
 * right side is made from them. */
#include "base/linear.h"

#include <math.h>

#include "support/check.h"

enum { MOST = 30 };

typedef struct Matrix {
  int size;
  double entry[MOST][MOST]; /* by rows */
  bool is_in[MOST][MOST];
  sunindextype start[MOST + 1], row[MOST * MOST];
  vida_pattern pattern;
} Matrix;

static void set(Matrix* matrix, int i, int j, double value) {
  matrix->entry[i][j] = value;
  matrix->is_in[i][j] = true;
}

static void make_pattern(Matrix* matrix) {
  sunindextype count = 0;
  for (int j = 0; j < matrix->size; j++) {
    matrix->start[j] = count;
    for (int i = 0; i < matrix->size; i++) {
      if (matrix->is_in[i][j]) {
        matrix->row[count++] = i;
      }
    }
  }
  matrix->start[matrix->size] = count;
  matrix->pattern = (vida_pattern){.size = matrix->size,
                                   .entries = (int)count,
                                   .column_start = matrix->start,
                                   .row = matrix->row};
}

/* Factors the present values and returns the largest relative error of a solution. */
static double solve(const Matrix* matrix, vida_linear* linear) {
  double x[MOST] = {0}, b[MOST] = {0};
  double largest = 0.0;
  int k = 0;
  for (int j = 0; j < matrix->size; j++) {
    for (int i = 0; i < matrix->size; i++) {
      if (matrix->is_in[i][j]) {
        linear->values[k++] = matrix->entry[i][j];
        b[i] += matrix->entry[i][j] * (1.0 + j);
      }
    }
  }
  if (vida__linear_factor(linear) || vida__linear_solve(linear, b, x)) {
    return INFINITY;
  }
  for (int j = 0; j < matrix->size; j++) {
    largest = fmax(largest, fabs(x[j] / (1.0 + j) - 1.0));
  }
  return largest;
}

/* A tridiagonal matrix with a strong diagonal, which then almost vanishes at one end: elimination
 * with that pivot would lose about as many digits as `vanishing` has. `scale` multiplies the first
 * rows: rows of very different sizes must not hide growth. */
static void check_vanishing(const char* name, vida_solver solver, double vanishing, double scale,
                            bool has_blocks) {
  static Matrix matrix;
  SUNContext context;
  vida_linear* linear = NULL;
  VidaError error = {0};
  matrix = (Matrix){.size = MOST};
  for (int i = 0; i < MOST; i++) {
    const double row = i < 3 ? scale : 1.0;
    set(&matrix, i, i, 4.0 * row);
    if (i > 0 && !(has_blocks && i == MOST / 2)) {
      set(&matrix, i, i - 1, row);
    }
    if (i + 1 < MOST) {
      set(&matrix, i, i + 1, row);
    }
  }
  make_pattern(&matrix);
  EXPECT(vida__context_create(&context) == 0, "no context");
  REQUIRE_OK(vida__linear_create(context, &matrix.pattern, solver, &linear, &error), &error);
  EXPECT_BELOW(solve(&matrix, linear), 1e-13, "%s: at first", name);
  /* The ends of a chain are eliminated first, so nothing is added to their pivots. */
  for (int place = 0; place < MOST; place += MOST - 1) {
    const double before = matrix.entry[place][place];
    set(&matrix, place, place, vanishing * before);
    EXPECT_BELOW(solve(&matrix, linear), 1e-11, "%s: without the pivot %d", name, place);
    set(&matrix, place, place, before);
    EXPECT_BELOW(solve(&matrix, linear), 1e-11, "%s: with the pivot %d again", name, place);
  }
  vida__linear_destroy(&linear);
  SUNContext_Free(&context);
}

static void test_vanishing_pivots(void) {
  static const double vanishing[] = {1e-12, 1e-13, 1e-15, 0.0};
  for (size_t k = 0; k < sizeof vanishing / sizeof vanishing[0]; k++) {
    check_vanishing("sparse", VIDA_SOLVER_KLU, vanishing[k], 1.0, false);
    check_vanishing("sparse, large rows", VIDA_SOLVER_KLU, vanishing[k], 1e6, false);
    check_vanishing("sparse, small rows", VIDA_SOLVER_KLU, vanishing[k], 1e-6, false);
    check_vanishing("sparse, two blocks", VIDA_SOLVER_KLU, vanishing[k], 1.0, true);
    check_vanishing("dense", VIDA_SOLVER_DENSE, vanishing[k], 1.0, false);
  }
}

int main(void) {
  static const CheckTest tests[] = {{"pivots that vanish", test_vanishing_pivots}, {NULL, NULL}};
  return check_main("linear", tests);
}
