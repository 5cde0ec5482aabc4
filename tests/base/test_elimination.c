/* Elimination in a fixed order, on matrices (A, B^T; B, 0) of constrained systems, against a dense
 * solution with pivots. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/elimination.h"
#include "base/linear.h"
#include "base/sundials.h"

#include "support/check.h"
#include "support/dense.h"

enum { MOST_ROWS = 64, MOST_ENTRIES = 1024 };

/* A matrix by columns, beside its dense form. */
typedef struct Matrix {
  vida_pattern pattern;
  sunindextype start[MOST_ROWS + 1], row[MOST_ENTRIES];
  double values[MOST_ENTRIES];
  bool used[MOST_ENTRIES];
} Matrix;

/* Numbers of a linear congruential generator, between -1 and 1. */
static double draw(unsigned* seed) {
  *seed = 1664525u * *seed + 1013904223u;
  return *seed / 2147483648.0 - 1.0;
}

/* Particles in a row on a line with the masses m, each at a fixed distance from the one before; the
 * last one also from the ground if it is a loop. Row r has -b and c at r - 1 and r. Entries next to
 * the diagonal of the masses are in the pattern and zero. */
static void build_chain(Matrix* matrix, int n, int rows, const double* m, const double* b,
                        const double* c) {
  vida_pattern* pattern = &matrix->pattern;
  memset(matrix, 0, sizeof *matrix);
  *pattern = (vida_pattern){.size = n + rows, .leading = n};
  pattern->column_start = matrix->start;
  pattern->row = matrix->row;
  for (int j = 0; j < n + rows; j++) {
    for (int i = 0; i < n + rows; i++) {
      const int r = (i < n ? j : i) - n, k = i < n ? i : j; /* a constraint and a coordinate */
      const bool both = i < n && j < n;
      const bool mixed = (i < n) != (j < n);
      const bool in_row = mixed && ((k == r && r < n) || k == r - 1);
      if ((both && abs(i - j) <= 1) || in_row || i == j) {
        const double value = both ? (i == j ? m[i] : 0.0) : i == j ? 0.0 : k == r ? c[r] : -b[r];
        matrix->row[pattern->entries] = i;
        matrix->used[pattern->entries] = value != 0.0;
        matrix->values[pattern->entries++] = value;
      }
    }
    matrix->start[j + 1] = pattern->entries;
  }
}

/* Solves with pivots; returns the sign of the determinant. */
static int solve_dense(const Matrix* matrix, const double* b, double* x) {
  static double a[MOST_ROWS][MOST_ROWS];
  const int size = matrix->pattern.size;
  memset(a, 0, sizeof a);
  memcpy(x, b, (size_t)size * sizeof *x);
  for (int j = 0; j < size; j++) {
    for (sunindextype k = matrix->start[j]; k < matrix->start[j + 1]; k++) {
      a[matrix->row[k]][j] = matrix->values[k];
    }
  }
  return dense_solve(size, MOST_ROWS, a[0], x);
}

/* Of all entries, or of those that differ from zero. */
static vida_elimination* create(const Matrix* matrix, bool is_narrow) {
  vida_elimination *whole = NULL, *part = NULL;
  REQUIRE_OK(vida__elimination_create(&matrix->pattern, &whole), NULL);
  if (!whole || !is_narrow) {
    return whole;
  }
  REQUIRE_OK(vida__elimination_copy(whole, &part), NULL);
  vida__elimination_narrow(part, matrix->used);
  vida__elimination_destroy(&whole);
  return part;
}

static void fill(double* values, int count, double middle, unsigned* seed) {
  for (int i = 0; i < count; i++) {
    values[i] = middle + 0.5 * draw(seed);
  }
}

/* The last rows of the solution for a right side whose leading rows are zero. */
static void expect_last(const Matrix* matrix, const vida_elimination* elimination,
                        const double* b) {
  const int size = matrix->pattern.size, leading = matrix->pattern.leading;
  double side[MOST_ROWS], expected[MOST_ROWS], x[MOST_ROWS];
  for (int i = 0; i < size; i++) {
    side[i] = i < leading ? 0.0 : b[i];
    x[i] = b[i];
  }
  solve_dense(matrix, side, expected);
  vida__elimination_solve_last(elimination, x + leading, x + leading);
  for (int i = leading; i < size; i++) {
    EXPECT_NEAR(x[i], expected[i], 1e-11, "last rows: row %d of %d + %d", i, leading,
                size - leading);
  }
}

/* Chains and loops with masses and gradients of size 1, of all entries and of those that differ
 * from zero. */
static void test_solutions(void) {
  unsigned seed = 7;
  for (int n = 1; n <= 30; n += 3) {
    for (int rows = 0; rows <= n; rows += n) {
      static Matrix matrix;
      double m[MOST_ROWS], lower[MOST_ROWS], upper[MOST_ROWS], b[MOST_ROWS], expected[MOST_ROWS],
          x[MOST_ROWS];
      fill(m, n, 1.0, &seed);
      fill(lower, rows, 0.5, &seed);
      fill(upper, rows, 2.0, &seed);
      fill(b, n + rows, 0.0, &seed);
      build_chain(&matrix, n, rows, m, lower, upper);
      const int sign = solve_dense(&matrix, b, expected);
      for (int kind = 0; kind < 4; kind++) {
        vida_elimination* elimination = create(&matrix, kind % 2);
        if (elimination && kind >= 2) {
          vida__elimination_allow_symmetric(elimination);
        }
        EXPECT(elimination && vida__elimination_factor(elimination, matrix.values),
               "%d + %d rows cannot be eliminated", n, rows);
        vida__elimination_solve(elimination, b, x);
        for (int i = 0; i < n + rows; i++) {
          EXPECT_NEAR(x[i], expected[i], 1e-11, "row %d of %d + %d", i, n, rows);
        }
        expect_last(&matrix, elimination, b);
        EXPECT(vida__elimination_sign(elimination) == sign, "sign of %d + %d rows", n, rows);
        vida__elimination_destroy(&elimination);
      }
    }
  }
}

/* The same factors object for symmetric values, for others, and for symmetric ones again. */
static void test_symmetric(void) {
  enum { N = 12 };
  static Matrix matrix;
  unsigned seed = 3;
  double m[N], lower[N], upper[N], b[2 * N], expected[2 * N], x[2 * N];
  fill(m, N, 1.0, &seed);
  fill(lower, N, 0.5, &seed);
  fill(upper, N, 2.0, &seed);
  fill(b, 2 * N, 0.0, &seed);
  build_chain(&matrix, N, N, m, lower, upper);
  vida_elimination* elimination = create(&matrix, true);
  vida__elimination_allow_symmetric(elimination);
  const int last = (int)matrix.start[1] - 1; /* of the first column: in a row of constraints */
  const double symmetric = matrix.values[last];
  for (int k = 0; k < 3; k++) {
    matrix.values[last] = symmetric * (k == 1 ? 1.5 : 1.0);
    solve_dense(&matrix, b, expected);
    EXPECT(vida__elimination_factor(elimination, matrix.values), "factors %d", k);
    vida__elimination_solve(elimination, b, x);
    for (int i = 0; i < 2 * N; i++) {
      EXPECT_NEAR(x[i], expected[i], 1e-11, "row %d, factors %d", i, k);
    }
  }
  vida__elimination_destroy(&elimination);
}

/* Constraints that all contain the coordinates 0 and 1 and one of their own: the first two have as
 * many rows below them as there are constraints, and what is left of those is full, so that each of
 * their steps has the rows of the next one. */
static void build_star(Matrix* matrix, int n, int rows, const double* m, const double* b) {
  vida_pattern* pattern = &matrix->pattern;
  memset(matrix, 0, sizeof *matrix);
  *pattern = (vida_pattern){.size = n + rows, .leading = n};
  pattern->column_start = matrix->start;
  pattern->row = matrix->row;
  for (int j = 0; j < n + rows; j++) {
    for (int i = 0; i < n + rows; i++) {
      const int r = (i < n ? j : i) - n, k = i < n ? i : j; /* a constraint and a coordinate */
      const bool in_row = (i < n) != (j < n) && (k < 2 || k == r + 2);
      if (in_row || i == j) {
        matrix->row[pattern->entries] = i;
        matrix->used[pattern->entries] = true;
        matrix->values[pattern->entries++] = i != j  ? (k == 1 ? b[r] * b[r] : b[r])
                                             : i < n ? m[i]
                                                     : 0.0;
      }
    }
    matrix->start[j + 1] = pattern->entries;
  }
}

/* Long columns and full blocks, symmetric or not. */
static void test_full_blocks(void) {
  unsigned seed = 11;
  for (int rows = 1; rows <= 14; rows++) {
    static Matrix matrix;
    double m[MOST_ROWS], gradient[MOST_ROWS], b[MOST_ROWS], expected[MOST_ROWS], x[MOST_ROWS];
    const int n = rows + 2;
    fill(m, n, 1.0, &seed);
    fill(gradient, rows, 1.0, &seed);
    fill(b, n + rows, 0.0, &seed);
    build_star(&matrix, n, rows, m, gradient);
    for (int kind = 0; kind < 3; kind++) {
      matrix.values[1] *= kind == 2 ? 1.25 : 1.0; /* no longer symmetric */
      const int sign = solve_dense(&matrix, b, expected);
      vida_elimination* elimination = create(&matrix, false);
      if (elimination && kind > 0) {
        vida__elimination_allow_symmetric(elimination);
      }
      EXPECT(elimination && vida__elimination_factor(elimination, matrix.values),
             "%d rows cannot be eliminated", rows);
      vida__elimination_solve(elimination, b, x);
      for (int i = 0; i < n + rows; i++) {
        EXPECT_NEAR(x[i], expected[i], 1e-11, "row %d of %d, kind %d", i, rows, kind);
      }
      expect_last(&matrix, elimination, b);
      EXPECT(vida__elimination_sign(elimination) == sign, "sign of %d rows", rows);
      vida__elimination_destroy(&elimination);
    }
  }
}

/* Two rows (1, 0) and (1, e) of unit masses: the second pivot is e^2, and the second multiplier for
 * the right side (0, 0, 0, 1) is -1/e^2. */
static void test_rough(void) {
  sunindextype start[] = {0, 3, 5, 7, 10}, row[] = {0, 2, 3, 1, 3, 0, 2, 0, 1, 3};
  const vida_pattern pattern = {
      .size = 4, .entries = 10, .leading = 2, .column_start = start, .row = row};
  const double b[4] = {0.0, 0.0, 0.0, 1.0};
  vida_elimination* elimination = NULL;
  REQUIRE_OK(vida__elimination_create(&pattern, &elimination), NULL);
  for (int k = 0; k < 3 && elimination; k++) {
    const double e = k == 2 ? 1e-7 : 1e-4;
    const double values[] = {1.0, 1.0, 1.0, 1.0, e, 1.0, 0.0, 1.0, e, 0.0};
    double x[4];
    vida__elimination_make_rough(elimination, k > 0);
    const bool is_factored = vida__elimination_factor(elimination, values);
    EXPECT(is_factored == (k == 1), "case %d", k);
    if (is_factored) {
      vida__elimination_solve(elimination, b, x);
      EXPECT_NEAR(x[3] * e * e, -1.0, 1e-6, "multiplier");
    }
  }
  EXPECT(elimination != NULL, "no elimination");
  vida__elimination_destroy(&elimination);
}

/* Without the zeros beside the masses, a chain of n particles has no fill: each coordinate is in
 * two rows (the last one in one), each multiplier has one more behind it. L then has (2 n - 1) + (n
 * - 1) entries, and both factors have twice that and a diagonal of 2 n. */
static void test_fill(void) {
  static Matrix matrix;
  double ones[MOST_ROWS];
  for (int i = 0; i < MOST_ROWS; i++) {
    ones[i] = 1.0;
  }
  for (int n = 2; n <= 30; n += 7) {
    build_chain(&matrix, n, n, ones, ones, ones);
    vida_elimination* elimination = create(&matrix, true);
    const long entries = vida__elimination_entries(elimination);
    EXPECT(entries == 2 * (3 * n - 2) + 2 * n, "%ld entries for %d particles", entries, n);
    vida__elimination_destroy(&elimination);
  }
}

/* What elimination in a fixed order cannot do: a mass that vanishes, rows that depend on each
 * other, a number that is none, an entry that was not to be used. */
static void test_refusals(void) {
  static Matrix matrix;
  double m[4] = {1.0, 2.0, 3.0, 4.0}, b[5] = {0.0, 1.0, 1.0, 1.0, 1.0},
         c[5] = {1.0, 1.0, 1.0, 1.0, 1.0};
  build_chain(&matrix, 4, 4, m, b, c);
  vida_elimination* elimination = create(&matrix, true);
  EXPECT(vida__elimination_factor(elimination, matrix.values), "the regular matrix");
  for (int e = 0; e < matrix.pattern.entries; e++) {
    const double kept = matrix.values[e];
    matrix.values[e] = NAN;
    EXPECT(!vida__elimination_factor(elimination, matrix.values), "entry %d is NaN", e);
    matrix.values[e] = kept;
    if (!matrix.used[e] && matrix.row[e] < 4 && e < matrix.start[4]) {
      matrix.values[e] = 1e-3;
      EXPECT(!vida__elimination_factor(elimination, matrix.values), "entry %d is not used", e);
      matrix.values[e] = kept;
    }
  }
  vida__elimination_destroy(&elimination);

  matrix.row[1] = 2; /* in the first column: entry (2,0) without (0,2) */
  REQUIRE_OK(vida__elimination_create(&matrix.pattern, &elimination), NULL);
  EXPECT(elimination == NULL, "a pattern that is not symmetric has no elimination");
  vida__elimination_destroy(&elimination);

  m[2] = 1e-17; /* less than the rounding of the other masses in both its rows */
  build_chain(&matrix, 4, 4, m, b, c);
  elimination = create(&matrix, false);
  EXPECT(!vida__elimination_factor(elimination, matrix.values), "a light particle");
  vida__elimination_destroy(&elimination);

  m[2] = 3.0; /* five rows for four coordinates: the last one has x_3 only */
  build_chain(&matrix, 4, 5, m, b, c);
  elimination = create(&matrix, false);
  EXPECT(!vida__elimination_factor(elimination, matrix.values), "dependent rows");
  vida__elimination_destroy(&elimination);
}

/* A matrix solves with pivots where elimination fails, and returns to elimination afterwards. */
static void test_pivots(void) {
  static Matrix matrix;
  VidaError error = {0};
  SUNContext context = NULL;
  vida_linear* linear = NULL;
  double m[4] = {1.0, 2.0, 3.0, 4.0}, x[8], expected[8];
  const double b[4] = {0.0, 1.0, 1.0, 1.0}, c[4] = {1.0, 1.0, 1.0, 1.0};
  const double right[8] = {1.0, -2.0, 3.0, -4.0, 0.5, 0.25, -0.5, 1.0};
  const double masses[] = {3.0, 1e-17, 0.0, 3.0};
  REQUIRE_OK(vida__context_create(&context), NULL);
  build_chain(&matrix, 4, 4, m, b, c);
  REQUIRE_OK(vida__linear_create(context, &matrix.pattern, VIDA_SOLVER_AUTO, &linear, &error),
             &error);
  for (size_t k = 0; k < sizeof masses / sizeof *masses; k++) {
    m[2] = masses[k];
    build_chain(&matrix, 4, 4, m, b, c);
    const int sign = solve_dense(&matrix, right, expected);
    memcpy(linear->values, matrix.values, (size_t)matrix.pattern.entries * sizeof(double));
    EXPECT(vida__linear_factor(linear) == VIDA_SUCCESS, "mass %g", m[2]);
    EXPECT((linear->last_elimination != NULL) == (m[2] > 1.0), "the solver of mass %g", m[2]);
    EXPECT(vida__linear_solve(linear, right, x) == VIDA_SUCCESS, "mass %g", m[2]);
    EXPECT(vida__linear_sign(linear) == sign, "the sign for mass %g", m[2]);
    for (int i = 0; i < 8; i++) {
      EXPECT_NEAR(x[i], expected[i], 1e-12, "row %d for mass %g", i, m[2]);
    }
  }
  vida__linear_destroy(&linear);
  SUNContext_Free(&context);
}

/* An order that is found once for a pattern, against one that each elimination finds itself. */
static void test_shared_order(void) {
  static Matrix matrix;
  double m[MOST_ROWS], lower[MOST_ROWS], upper[MOST_ROWS], b[MOST_ROWS], x[3][MOST_ROWS];
  const int n = 12, rows = 12;
  unsigned seed = 3;
  fill(m, n, 1.0, &seed);
  fill(lower, rows, 0.5, &seed);
  fill(upper, rows, 2.0, &seed);
  fill(b, n + rows, 0.0, &seed);
  build_chain(&matrix, n, rows, m, lower, upper);
  for (int k = 0; k < 3; k++) { /* its own order, the shared one, a narrowed copy of that */
    if (k == 1) {
      REQUIRE_OK(vida__order_pattern(&matrix.pattern), NULL);
    }
    vida_elimination* elimination = create(&matrix, k == 2);
    EXPECT(elimination && vida__elimination_factor(elimination, matrix.values), "number %d", k);
    vida__elimination_solve(elimination, b, x[k]);
    vida__elimination_destroy(&elimination);
  }
  vida__free_pattern_order(&matrix.pattern);
  vida__free_pattern_order(&matrix.pattern);
  for (int i = 0; i < n + rows; i++) {
    EXPECT(x[1][i] == x[0][i], "row %d: %.17g and %.17g", i, x[1][i], x[0][i]);
    EXPECT_NEAR(x[2][i], x[0][i], 1e-12, "row %d", i);
  }
}

/* A large matrix is prepared for pivots only when elimination fails: then, too, the solution is
 * that of the equations. The chain is that of `pivots`, many times. */
static void test_late_pivots(void) {
  enum { COPIES = 600, SIZE = 4 * COPIES };
  static sunindextype start[SIZE + 1], row[2 * SIZE];
  static double right[SIZE], x[SIZE];
  vida_pattern pattern = {
      .size = SIZE, .entries = 2 * SIZE, .leading = SIZE / 2, .column_start = start, .row = row};
  vida_linear* linear = NULL;
  SUNContext context = NULL;
  VidaError error;
  REQUIRE_OK(vida__context_create(&context), NULL);
  for (int j = 0; j < SIZE; j++) { /* (d, 1; 1, 0) for each leading row and the one behind it */
    const int other = j < SIZE / 2 ? j + SIZE / 2 : j - SIZE / 2;
    start[j + 1] = 2 * (j + 1);
    row[2 * j] = j < other ? j : other;
    row[2 * j + 1] = j < other ? other : j;
    right[j] = j + 1.0;
  }
  REQUIRE_OK(vida__linear_create(context, &pattern, VIDA_SOLVER_AUTO, &linear, &error), &error);
  for (int pass = 0; pass < 3; pass++) {
    const double d = pass == 1 ? 0.0 : 2.0; /* without masses there is no pivot on the diagonal */
    for (int j = 0; j < SIZE; j++) {
      linear->values[2 * j] = j < SIZE / 2 ? d : 1.0;
      linear->values[2 * j + 1] = j < SIZE / 2 ? 1.0 : 0.0;
    }
    EXPECT(vida__linear_factor(linear) == VIDA_SUCCESS, "pass %d", pass);
    EXPECT(vida__linear_solve(linear, right, x) == VIDA_SUCCESS, "pass %d", pass);
    for (int j = 0; j < SIZE / 2; j++) {
      EXPECT_NEAR(x[j], right[j + SIZE / 2], 1e-9, "pass %d, row %d", pass, j);
      EXPECT_NEAR(x[j + SIZE / 2], right[j] - d * right[j + SIZE / 2], 1e-9, "pass %d, row %d",
                  pass, j + SIZE / 2);
    }
  }
  vida__linear_destroy(&linear);
  SUNContext_Free(&context);
}

int main(void) {
  static const CheckTest tests[] = {{"solutions", test_solutions},
                                    {"symmetric values", test_symmetric},
                                    {"full blocks", test_full_blocks},
                                    {"rough factors", test_rough},
                                    {"fill", test_fill},
                                    {"refusals", test_refusals},
                                    {"pivots", test_pivots},
                                    {"shared order", test_shared_order},
                                    {"late pivots", test_late_pivots},
                                    {NULL, NULL}};
  return check_main("elimination", tests);
}
