/* The formulas of symmetric-multistep, for tests. */
#ifndef VIDA_METHODS_VARIATIONAL_SYMMETRIC_MULTISTEP_H
#define VIDA_METHODS_VARIATIONAL_SYMMETRIC_MULTISTEP_H

enum { VIDA_MOST_LAGS = 8 };

/* A formula sum_j alpha_j q_(n+j) = h^2 sum_j beta_j a_(n+j), j = 0 .. order, which is symmetric
 * and explicit (beta_0 = beta_order = 0). */
typedef struct vida_multistep_formula {
  int order;                   /* and number of steps k */
  double d[VIDA_MOST_LAGS];    /* 0 .. k-2: coefficients of rho(z) / (z - 1)^2, symmetric */
  double beta[VIDA_MOST_LAGS]; /* 1 .. k-1, symmetric */
  /* Weights of h a_(n), h a_(n-1), ... in v_n - (q_n - q_(n-1)) / h, with a_n (0 .. k-1, of order
   * k + 1) and without it (1 .. k-1, of order k). */
  double with_force[VIDA_MOST_LAGS], without_force[VIDA_MOST_LAGS];
  /* Weights of h a_(n), h a_(n+-1), ... in (q_(n+1) - 2 q_n + q_(n-1)) / h (of order k). */
  double second_difference[VIDA_MOST_LAGS / 2];
  double lowest_cosine; /* cos theta of the root of rho with the smallest theta > 0 */
  /* Of the wave there: size of its energy, that which the motion lacks (or has more), over its
   * kinetic energy: theta |dF / dtheta| / (4 (1 - cos theta)), F = rho / sigma at exp(i theta). */
  double lowest_energy;
} vida_multistep_formula;

/* Returns the formula of order 4, 6 or 8; NULL for other orders. */
const vida_multistep_formula* vida__multistep_formula(int order);

#endif
