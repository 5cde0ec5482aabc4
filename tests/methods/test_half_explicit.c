/* half-explicit: its tableaux against order conditions. The conditions of ordinary differential
 * equations are those of Hairer, Norsett and Wanner, Solving Ordinary Differential Equations I,
 * section II.2; those of multipliers follow from motions along the constraint, for which a stage
 * computes the derivative of a power of time from its values at the points of the stages. */
#include <math.h>
#include <string.h>

#include "methods/reference/half_explicit.h"
#include "support/check.h"

enum { STAGES = VIDA_HALF_EXPLICIT_STAGES };

/* The stages with the additional one, whose place is the end of the step. */
typedef struct stages {
  const vida_half_explicit* scheme;
  int count;
  double a[STAGES][STAGES], c[STAGES];
  double b[STAGES];
} stages;

static stages read_stages(const vida_half_explicit* scheme) {
  stages made = {.scheme = scheme, .count = scheme->stages + (scheme->has_explicit_stage ? 1 : 0)};
  memcpy(made.a, scheme->a, sizeof made.a);
  memcpy(made.b, scheme->points[scheme->stages - 1], sizeof made.b);
  if (scheme->has_explicit_stage) {
    memcpy(made.a[scheme->stages], made.b, sizeof made.b);
  }
  for (int i = 0; i < made.count; i++) {
    for (int j = 0; j < STAGES; j++) {
      made.c[i] += made.a[i][j];
    }
  }
  return made;
}

static void apply(const stages* of, const double* x, double* y) {
  for (int i = 0; i < of->count; i++) {
    double sum = 0.0;
    for (int j = 0; j < i; j++) {
      sum += of->a[i][j] * x[j];
    }
    y[i] = sum;
  }
}

static double weigh(const stages* of, const double* weight, const double* x, const double* y) {
  double sum = 0.0;
  for (int i = 0; i < of->count; i++) {
    sum += weight[i] * x[i] * y[i];
  }
  return sum;
}

typedef struct tree {
  int order;
  double value, exact;
} tree;

enum { TREES = 17 };

/* The elementary weights of all trees up to order 5. */
static void find_trees(const stages* of, const double* weight, tree* trees) {
  double one[STAGES], c[STAGES], c2[STAGES], c3[STAGES], c4[STAGES], ac[STAGES], ac2[STAGES];
  double ac3[STAGES], cac[STAGES], c2ac[STAGES], aac[STAGES], acac[STAGES], aac2[STAGES];
  double aaac[STAGES];
  for (int i = 0; i < of->count; i++) {
    one[i] = 1.0;
    c[i] = of->c[i];
    c2[i] = c[i] * c[i];
    c3[i] = c2[i] * c[i];
    c4[i] = c2[i] * c2[i];
  }
  apply(of, c, ac);
  apply(of, c2, ac2);
  apply(of, c3, ac3);
  apply(of, ac, aac);
  apply(of, ac2, aac2);
  apply(of, aac, aaac);
  for (int i = 0; i < of->count; i++) {
    cac[i] = c[i] * ac[i];
    c2ac[i] = c2[i] * ac[i];
  }
  apply(of, cac, acac);
  const struct {
    int order;
    double density;
    const double *x, *y;
  } list[TREES] = {{1, 1, one, one},   {2, 2, one, c},     {3, 3, one, c2},    {3, 6, one, ac},
                   {4, 4, one, c3},    {4, 8, c, ac},      {4, 12, one, ac2},  {4, 24, one, aac},
                   {5, 5, one, c4},    {5, 10, one, c2ac}, {5, 15, c, ac2},    {5, 30, c, aac},
                   {5, 20, ac, ac},    {5, 20, one, ac3},  {5, 40, one, acac}, {5, 60, one, aac2},
                   {5, 120, one, aaac}};
  for (int k = 0; k < TREES; k++) {
    trees[k] =
        (tree){list[k].order, weigh(of, weight, list[k].x, list[k].y), 1.0 / list[k].density};
  }
}

static const double tiny = 2e-14;

static void test_ordinary_conditions(void) {
  const vida_half_explicit* scheme;
  for (int index = 0; (scheme = vida__half_explicit_scheme(index)) != NULL; index++) {
    const stages of = read_stages(scheme);
    tree trees[TREES], errors[TREES];
    double largest = 0.0;
    find_trees(&of, of.b, trees);
    find_trees(&of, scheme->error, errors);
    for (int k = 0; k < TREES; k++) {
      if (trees[k].order <= scheme->order) {
        EXPECT_BELOW(trees[k].value - trees[k].exact, tiny, "%s, tree %d", scheme->name, k);
      }
      if (errors[k].order <= scheme->embedded) {
        EXPECT_BELOW(errors[k].value, tiny, "%s, embedded formula, tree %d", scheme->name, k);
      } else if (errors[k].order == scheme->embedded + 1) {
        largest = fmax(largest, fabs(errors[k].value));
      }
    }
    EXPECT(largest > 1e-5, "%s: the error estimate is of too high an order", scheme->name);
  }
}

/* Where the position along a constraint is t^l, the stages compute d_i, which is l t^(l-1) at their
 * places up to an error. */
static void find_derivatives(const vida_half_explicit* scheme, int l, double* d) {
  const int count = scheme->stages + (scheme->has_explicit_stage ? 1 : 0);
  for (int i = 0; i < count; i++) {
    double at = 0.0, sum = 0.0;
    for (int j = 0; j <= i; j++) {
      at += scheme->points[i][j];
      sum += j < i ? scheme->points[i][j] * d[j] : 0.0;
    }
    d[i] = i == 0 && scheme->has_explicit_stage ? (l == 1 ? 1.0 : 0.0)
                                                : (pow(at, l) - sum) / scheme->points[i][i];
  }
}

/* sum_i b_i c_i^k d_i = l / (k + l), the integral of l t^(k + l - 1), for k + l <= order: forces of
 * constraints whose direction changes with t^k. */
static void test_multiplier_conditions(void) {
  const vida_half_explicit* scheme;
  for (int index = 0; (scheme = vida__half_explicit_scheme(index)) != NULL; index++) {
    const stages of = read_stages(scheme);
    for (int l = 1; l <= scheme->order; l++) {
      double d[STAGES] = {0.0};
      find_derivatives(scheme, l, d);
      for (int k = 0; k + l <= scheme->order; k++) {
        double sum = 0.0, error = 0.0;
        for (int i = 0; i < of.count; i++) {
          sum += of.b[i] * (k == 0 ? 1.0 : pow(of.c[i], k)) * d[i];
          error += scheme->error[i] * (k == 0 ? 1.0 : pow(of.c[i], k)) * d[i];
        }
        EXPECT_BELOW(sum - (double)l / (k + l), 1e-13, "%s, k = %d, l = %d", scheme->name, k, l);
        /* The error estimate leaves out k = 0, motions along the constraint alone. */
        if (k > 0 && k + l <= scheme->embedded) {
          EXPECT_BELOW(error, 1e-13, "%s, embedded, k = %d, l = %d", scheme->name, k, l);
        }
      }
      if (scheme->has_explicit_stage && l < scheme->order) { /* multipliers of order 4 */
        EXPECT_BELOW(d[scheme->stages] - l, 1e-12, "%s, last stage, l = %d", scheme->name, l);
      }
    }
  }
}

/* The last point is at the end of the step; other points and stages are at the times of the
 * publications: those of the formulas of Dormand and Prince; for phem56 points at 3/10, 3/8, 5/7,
 * 1; for hem4 the times of Radau. */
static void test_times(void) {
  static const double dormand_prince[] = {0.0, 0.2, 0.3, 0.8, 8.0 / 9.0, 1.0, 1.0};
  static const double murua[] = {0.0, 0.3, 0.375, 5.0 / 7.0, 1.0, 1.0, 19.0 / 30.0};
  static const double arnold[] = {0.0, 0.3, 0.8, 8.0 / 9.0, 1.0, 1.0, 0.95};
  const double root = sqrt(6.0);
  const double radau[] = {0.0, 0.3, (4.0 - root) / 10.0, (4.0 + root) / 10.0, 1.0};
  const double radau_points[] = {0.3, (4.0 - root) / 10.0, (4.0 + root) / 10.0, 1.0, 1.0};
  const double* const times[][2] = {
      {dormand_prince, arnold}, {dormand_prince, murua}, {radau, radau_points}};
  for (int index = 0; index < 3; index++) {
    const vida_half_explicit* scheme = vida__half_explicit_scheme(index);
    const stages of = read_stages(scheme);
    for (int i = 0; i < of.count; i++) {
      double at = 0.0;
      for (int j = 0; j <= i; j++) {
        at += scheme->points[i][j];
      }
      EXPECT_BELOW(of.c[i] - times[index][0][i], tiny, "%s, stage %d", scheme->name, i);
      EXPECT_BELOW(at - times[index][1][i], tiny, "%s, point %d", scheme->name, i);
    }
  }
}

int main(void) {
  static const CheckTest tests[] = {
      {"order conditions of ordinary equations", test_ordinary_conditions},
      {"order conditions of multipliers", test_multiplier_conditions},
      {"times of stages and points", test_times},
      {NULL, NULL}};
  return check_main("half-explicit Runge-Kutta methods", tests);
}
