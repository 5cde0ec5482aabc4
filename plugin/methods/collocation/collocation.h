/* What galerkin-gauss and spark-lobatto share: partitioned Runge-Kutta methods for L(q,v,t), with
 * the velocities of their stages as unknowns.
 *
 *     Q_i = q0 + h sum_j alpha_ij X_j,
 *     L_v(Q_i, X_i) = gamma_i p0 + sum_j beta_ij (h L_q(Q_j, X_j) - G(Q_j)^T mu_j),
 *     g(Q_i) = 0,  i > 0,
 *     q1 = q0 + h sum_i b_i V_i,  p1 = p0 + sum_i b_i (h L_q(Q_i, X_i) - G(Q_i)^T mu_i)
 * X_i are the velocities V_i of the stages, alpha = a, beta = a^ and gamma = 1. Where L is
 * v^T M v/2 - V(q) and the first stage is the node, half of them can do: then X_i are the mean
 * velocities (Q_i - q0) / h, alpha = 1, beta = a a^ and gamma = c, without the first stage. mu_j =
 * h lambda_j, and the last stage has none in the equations. */
#ifndef VIDA_METHODS_COLLOCATION_COLLOCATION_H
#define VIDA_METHODS_COLLOCATION_COLLOCATION_H

#include "stepper/integration.h"

enum { VIDA_MOST_STAGES = 4, VIDA_STAGE_HISTORY = 6 };

/* A matrix of coefficients, by stages. */
typedef double vida_stage_matrix[VIDA_MOST_STAGES][VIDA_MOST_STAGES];

typedef struct vida_stage_rule {
  int stages;
  int first;           /* the first stage that has unknowns */
  bool has_means;      /* X_i are mean velocities */
  bool starts_at_node; /* Lobatto's: the first stage is the node, the last one the next node */
  double c[VIDA_MOST_STAGES], b[VIDA_MOST_STAGES], gamma[VIDA_MOST_STAGES];
  vida_stage_matrix alpha, beta;
  /* Where the polynomials through X_j and mu_j lead: those of the next step from the last ones */
  vida_stage_matrix velocity_ahead, multiplier_ahead;
} vida_stage_rule;

/* Gauss' rule, whose collocation method is the Galerkin method of its quadrature. */
vida_stage_rule vida__gauss_rule(int stages);
/* Lobatto's rules IIIA for positions and IIIB for momenta; with_means: see above. */
vida_stage_rule vida__lobatto_rule(int stages, bool with_means);

typedef struct vida_collocation {
  vida_stage_rule rule;
  int size;             /* of the system of equations */
  vida_pattern pattern; /* blocks of the system's own, one for each pair of stages */
  double* unknown;      /* by stages from the last to the first: X_i (n), mu_(i-1) (m) */
  double* history[VIDA_STAGE_HISTORY];
  int history_count;
  int predictor;       /* the one that was best in the last step */
  bool is_predictable; /* it was not far off */
  bool is_evaluated;   /* what follows belongs to `evaluated` */
  double* evaluated;
  double* base;    /* n: p0, and what its rounding has left */
  double* mean;    /* stages x n: (Q_i - q0) / h */
  double* change;  /* stages x n: Q_i - q0 */
  double* place;   /* stages x n: Q_i */
  double* push;    /* stages x n: h L_q - G^T mu */
  double* l_v;     /* stages x n */
  double* entries; /* stages x entries of G */
  /* Of the Newton matrix, on the system's own pattern, by stages: L_vv with G and G^T; L_qq with
   * the curvature of the constraints; the mixed ones of general Lagrangians */
  double *inner, *outer, *mixed_vq, *mixed_qv;
  /* Rows whose gradients have no mass, of general Lagrangians (collocation_mass.c) */
  bool has_weights;
  double* weight;    /* m: kappa, 0 of all other rows */
  double* row_rate;  /* m: work, kappa G v */
  double* curvature; /* work, on the system's own pattern */
  double* turn;      /* n: work */
  int* outer_slot;   /* places of the products of entries of a row with each other */
  double* work;      /* 2 (n + m) */
  double* sum;       /* n: work */
  double* node_push; /* n: h L_q of a stage at the node that has no unknowns */
  double* impulse;   /* m: of the last projection */
  bool has_step;     /* there is one */
} vida_collocation;

/* Allocates self->state and says what the map is like. */
int vida__collocation_create(VidaIntegration* self, const vida_stage_rule* rule, VidaError* error);
/* p = L_v(q,v). */
int vida__collocation_start(VidaIntegration* self, VidaError* error);
/* Solves, and advances positions and momenta; the impulse at the end of the step is left out. */
int vida__collocation_step(VidaIntegration* self, VidaError* error);
/* Where the unknowns of a stage, and the multiplier of one, begin. */
int vida__stage_offset(const VidaIntegration* self, int stage);
int vida__multiplier_offset(const VidaIntegration* self, int stage);

/* ---- rows without mass (collocation_mass.c) ---- */

/* How many places `outer_slot` has. */
size_t vida__outer_count(const VidaSystem* system);
/* Finds the rows whose gradients have no mass at the start. Fails where they cannot be given one.
 */
int vida__find_weights(VidaIntegration* self, VidaError* error);
/* Adds to l_q and l_v what the weights add to the Lagrangian; `entries` is G there. */
int vida__add_weights(VidaIntegration* self, double t, const double* q, const double* v,
                      const double* entries, double* l_q, double* l_v);
/* Adds their second derivatives to the matrices of a stage. */
int vida__add_weight_hessian(VidaIntegration* self, double t, const double* q, const double* v,
                             int stage);

/* The functions of the map. */
int vida__collocation_residual(void* data, const double* u, double* r);
int vida__collocation_jacobian(void* data, const double* u, double* matrix);
void vida__collocation_sizes(void* data, const double* u, double* size);
void vida__collocation_guess(void* data, double* u);

#endif
