/* Coefficients of Gauss' and Lobatto's rules (Hairer, Lubich and Wanner, Geometric Numerical
 * Integration, II.1). */
#include <math.h>
#include <string.h>

#include "methods/collocation/collocation.h"

/* Returns the Lagrange polynomial of node j among `count`, at x. */
static double basis(int count, const double* node, int j, double x) {
  double value = 1.0;
  for (int k = 0; k < count; k++) {
    value *= k == j ? 1.0 : (x - node[k]) / (node[j] - node[k]);
  }
  return value;
}

static void fill_gauss(int stages, double* c, double* b) {
  const double inner = 0.5 * sqrt(3.0 / 7.0 - 2.0 / 7.0 * sqrt(1.2));
  const double outer = 0.5 * sqrt(3.0 / 7.0 + 2.0 / 7.0 * sqrt(1.2));
  const double offset[VIDA_MOST_STAGES][VIDA_MOST_STAGES] = {
      {0.0},
      {-sqrt(3.0) / 6.0, sqrt(3.0) / 6.0},
      {-sqrt(15.0) / 10.0, 0.0, sqrt(15.0) / 10.0},
      {-outer, -inner, inner, outer}};
  const double light = (18.0 - sqrt(30.0)) / 72.0;
  const double heavy = (18.0 + sqrt(30.0)) / 72.0;
  const double weight[VIDA_MOST_STAGES][VIDA_MOST_STAGES] = {
      {1.0}, {0.5, 0.5}, {5.0 / 18.0, 4.0 / 9.0, 5.0 / 18.0}, {light, heavy, heavy, light}};
  for (int i = 0; i < stages; i++) {
    c[i] = 0.5 + offset[stages - 1][i];
    b[i] = weight[stages - 1][i];
  }
}

static void fill_lobatto(int stages, double* c, double* b) {
  const double low = (5.0 - sqrt(5.0)) / 10.0;
  const double high = (5.0 + sqrt(5.0)) / 10.0;
  const double node[3][VIDA_MOST_STAGES] = {{0.0, 1.0}, {0.0, 0.5, 1.0}, {0.0, low, high, 1.0}};
  const double weight[3][VIDA_MOST_STAGES] = {{0.5, 0.5},
                                              {1.0 / 6.0, 2.0 / 3.0, 1.0 / 6.0},
                                              {1.0 / 12.0, 5.0 / 12.0, 5.0 / 12.0, 1.0 / 12.0}};
  for (int i = 0; i < stages; i++) {
    c[i] = node[stages - 2][i];
    b[i] = weight[stages - 2][i];
  }
}

/* Computes a_ij, the integral of basis function j from 0 to c_i, by Gauss' rule with four points,
 * which is exact. */
static void fill_collocation(const vida_stage_rule* rule, vida_stage_matrix a) {
  double point[VIDA_MOST_STAGES], weight[VIDA_MOST_STAGES];
  fill_gauss(VIDA_MOST_STAGES, point, weight);
  for (int i = 0; i < rule->stages; i++) {
    for (int j = 0; j < rule->stages; j++) {
      a[i][j] = 0.0;
      for (int k = 0; k < VIDA_MOST_STAGES; k++) {
        a[i][j] += rule->c[i] * weight[k] * basis(rule->stages, rule->c, j, rule->c[i] * point[k]);
      }
    }
  }
}

/* Computes a^ from b_i a^_ij + b_j a_ji = b_i b_j, the condition for preserving the symplectic form
 * and quadratic invariants. */
static void fill_conjugate(const vida_stage_rule* rule, vida_stage_matrix a,
                           vida_stage_matrix conjugate) {
  for (int i = 0; i < rule->stages; i++) {
    for (int j = 0; j < rule->stages; j++) {
      conjugate[i][j] = rule->b[j] * (1.0 - a[j][i] / rule->b[i]);
    }
  }
}

/* Computes the extrapolation of the polynomial of the last step. */
static void fill_extrapolation(vida_stage_rule* rule) {
  const int stages = rule->stages;
  for (int i = 0; i < stages; i++) {
    for (int j = 0; j < stages; j++) {
      /* Extrapolation of mean velocities: of the positions through the node, minus the motion up to
       * it. */
      const double moved = rule->has_means && j == stages - 1 ? 1.0 : 0.0;
      rule->velocity_ahead[i][j] = basis(stages, rule->c, j, 1.0 + rule->c[i]) - moved;
      rule->multiplier_ahead[i][j] =
          i < stages - 1 && j < stages - 1 ? basis(stages - 1, rule->c, j, 1.0 + rule->c[i]) : 0.0;
    }
  }
}

vida_stage_rule vida__gauss_rule(int stages) {
  vida_stage_rule rule = {.stages = stages};
  fill_gauss(stages, rule.c, rule.b);
  fill_collocation(&rule, rule.alpha);
  fill_conjugate(&rule, rule.alpha, rule.beta);
  for (int i = 0; i < stages; i++) {
    rule.gamma[i] = 1.0;
  }
  fill_extrapolation(&rule);
  return rule;
}

/* beta = a a^, alpha = 1, gamma = c */
static void use_means(vida_stage_rule* rule) {
  vida_stage_matrix product = {{0.0}};
  rule->has_means = true;
  rule->first = 1;
  for (int i = 0; i < rule->stages; i++) {
    for (int j = 0; j < rule->stages - 1; j++) {
      for (int k = 0; k < rule->stages; k++) {
        product[i][j] += rule->alpha[i][k] * rule->beta[k][j];
      }
    }
  }
  memcpy(rule->beta, product, sizeof product);
  for (int i = 0; i < rule->stages; i++) {
    rule->gamma[i] = rule->c[i];
    for (int j = 0; j < rule->stages; j++) {
      rule->alpha[i][j] = i == j && i > 0 ? 1.0 : 0.0;
    }
  }
}

vida_stage_rule vida__lobatto_rule(int stages, bool with_means) {
  vida_stage_rule rule = {.stages = stages, .starts_at_node = true};
  fill_lobatto(stages, rule.c, rule.b);
  fill_collocation(&rule, rule.alpha);
  /* Sets values that are known exactly without rounding: the ends of the step are its nodes. */
  for (int j = 0; j < stages; j++) {
    rule.alpha[0][j] = 0.0;
    rule.alpha[stages - 1][j] = rule.b[j];
    rule.gamma[j] = 1.0;
  }
  fill_conjugate(&rule, rule.alpha, rule.beta);
  for (int i = 0; i < stages; i++) {
    rule.beta[i][0] = rule.b[0];
    rule.beta[i][stages - 1] = 0.0;
  }
  if (with_means) {
    use_means(&rule);
  }
  fill_extrapolation(&rule);
  return rule;
}
