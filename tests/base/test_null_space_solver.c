/* The solver of KKT systems in the null space of their rows: solutions that are known in advance,
 * dependent rows, and the condition of a matrix that is known. */
#include <math.h>

#include "base/linear.h"
#include "base/null_space_solver.h"
#include "support/check.h"

enum { N = 6, MOST_ROWS = 3, MOST = N + MOST_ROWS };

typedef struct Kkt {
  int m;
  double k[N][N], c[MOST_ROWS][N], r[MOST_ROWS][N];
} Kkt;

/* Numbers in (-1, 1) without structure. */
static double number(int i, int j) {
  const double value = 1e4 * sin(12.9898 * (i + 1) + 78.233 * (j + 1));
  return 2.0 * (value - floor(value)) - 1.0;
}

static Kkt make(int m, double size) {
  Kkt kkt = {.m = m};
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < N; j++) {
      kkt.k[i][j] = size * (0.3 * number(i, j) + (i == j ? 3.0 : 0.0));
    }
    for (int r = 0; r < m; r++) {
      kkt.c[r][i] = number(i, r + 20);
      kkt.r[r][i] = kkt.c[r][i] + 0.2 * number(i, r + 40);
    }
  }
  return kkt;
}

static double entry(const Kkt* kkt, int i, int j) {
  return i < N && j < N ? kkt->k[i][j] : i < N ? kkt->c[j - N][i] : j < N ? kkt->r[i - N][j] : 0.0;
}

/* Returns the code of the factorization; *error receives the largest one of the solution 1, 2, ...
 */
static int solve(const Kkt* kkt, vida_linear* linear, double* error) {
  const int size = N + kkt->m;
  double x[MOST] = {0};
  for (int j = 0; j < size; j++) {
    for (int i = 0; i < size; i++) {
      linear->values[i + j * size] = entry(kkt, i, j);
      x[i] += entry(kkt, i, j) * (1.0 + j);
    }
  }
  const int code = vida__linear_factor(linear);
  if (code || vida__linear_solve(linear, x, x)) {
    return code ? code : VIDA_STEP_SINGULAR;
  }
  *error = 0.0;
  for (int j = 0; j < size; j++) {
    *error = fmax(*error, fabs(x[j] - (1.0 + j)));
  }
  return VIDA_SUCCESS;
}

static vida_linear* create(SUNContext context, vida_pattern* pattern, int m) {
  static sunindextype start[MOST + 1], row[MOST * MOST];
  VidaError error = {0};
  vida_linear* linear = NULL;
  const int size = N + m;
  for (int j = 0; j <= size; j++) {
    start[j] = j * size;
  }
  for (int k = 0; k < size * size; k++) {
    row[k] = k % size;
  }
  *pattern =
      (vida_pattern){.size = size, .entries = size * size, .column_start = start, .row = row};
  REQUIRE_OK(vida__linear_create_reduced(context, pattern, N, &linear, &error), &error);
  return linear;
}

static void test_solutions(void) {
  SUNContext context = NULL;
  vida_pattern pattern;
  EXPECT(!vida__context_create(&context), "no context");
  for (int m = 0; m <= MOST_ROWS; m++) {
    vida_linear* linear = create(context, &pattern, m);
    for (int digits = -6; digits <= 6; digits += 3) {
      const double size = pow(10.0, digits);
      const Kkt kkt = make(m, size);
      double error = NAN;
      EXPECT(!solve(&kkt, linear, &error), "m = %d, 1e%d: not factored", m, digits);
      EXPECT_BELOW(error, 1e-13 * fmax(size, 1.0 / size), "m = %d, 1e%d", m, digits);
      EXPECT(vida__null_space_lost_row(linear->pivoting) == -1, "m = %d: a row is lost", m);
    }
    vida__linear_destroy(&linear);
  }
  SUNContext_Free(&context);
}

/* A row that is a multiple of another one, and a row of zeros. */
static void test_dependent_rows(void) {
  SUNContext context = NULL;
  vida_pattern pattern;
  EXPECT(!vida__context_create(&context), "no context");
  vida_linear* linear = create(context, &pattern, MOST_ROWS);
  for (int kind = 0; kind < 2; kind++) {
    Kkt kkt = make(MOST_ROWS, 1.0);
    double error = NAN;
    for (int i = 0; i < N; i++) {
      kkt.c[2][i] = kind == 0 ? 1e5 * kkt.c[0][i] : 0.0;
    }
    EXPECT(solve(&kkt, linear, &error) == VIDA_STEP_SINGULAR, "kind %d was factored", kind);
    const int lost = vida__null_space_lost_row(linear->pivoting);
    EXPECT(lost == 2 || (kind == 0 && lost == 0), "lost row %d", lost);
    EXPECT(isnan(vida__null_space_condition(linear->pivoting)), "a condition without factors");
  }
  vida__linear_destroy(&linear);
  SUNContext_Free(&context);
}

/* With K = s I and orthonormal rows C = R the reduced matrix is orthogonal: each column has a sum
 * of at least 1 and at most sqrt(n), whatever s is. */
static void test_condition(void) {
  SUNContext context = NULL;
  vida_pattern pattern;
  EXPECT(!vida__context_create(&context), "no context");
  vida_linear* linear = create(context, &pattern, 1);
  for (int digits = -9; digits <= 9; digits += 3) {
    Kkt kkt = {.m = 1};
    double error = NAN;
    for (int i = 0; i < N; i++) {
      kkt.k[i][i] = pow(10.0, digits);
      kkt.c[0][i] = kkt.r[0][i] = i % 2 ? -2.0 : 2.0;
    }
    EXPECT(!solve(&kkt, linear, &error), "not factored");
    const double condition = vida__null_space_condition(linear->pivoting);
    EXPECT(condition >= 1.0 && condition <= 1.001 * N, "1e%d: condition %g", digits, condition);
  }
  vida__linear_destroy(&linear);
  SUNContext_Free(&context);
}

int main(void) {
  static const CheckTest tests[] = {{"solutions", test_solutions},
                                    {"dependent rows are named", test_dependent_rows},
                                    {"the condition of an orthogonal matrix", test_condition},
                                    {NULL, NULL}};
  return check_main("null_space_solver", tests);
}
