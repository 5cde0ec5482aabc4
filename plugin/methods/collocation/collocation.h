/* The state and the functions of galerkin-gauss, spark-lobatto and spark-nonholonomic: partitioned
 * Runge-Kutta methods for L(q,v,t) whose unknowns are the velocities of the stages.
 *
 *   Q_i = q0 + h sum_j alpha_ij X_j,
 *   L_v(Q_i, X_i) = gamma_i p0 + sum_j beta_ij (h L_q(Q_j, X_j) - G(Q_j)^T mu_j),
 *   g(Q_i) = 0,  i > 0,
 *   q1 = q0 + h sum_i b_i V_i,  p1 = p0 + sum_i b_i (h L_q(Q_i, X_i) - G(Q_i)^T mu_i)
 *
 * X_i are the velocities V_i of the stages, alpha = a, beta = a^ and gamma = 1. If L is v^T M v/2 -
 * V(q) and the first stage is the node, the equations need half of the unknowns: X_i are then the
 * mean velocities (Q_i - q0) / h, alpha = 1, beta = a a^ and gamma = c, without the first stage.
 * mu_j = h lambda_j; the multiplier of the last stage does not occur in the equations.
 *
 * Nonholonomic rows act as G does, and instead of g(Q_i) = 0 ask for
 *   sum_j alpha_ij (A(Q_j) V_j + b) = 0,  i > 0,
 * the same sums that advance the positions (Jay 2009). X_i are then the velocities of the stages.
 */
#ifndef VIDA_METHODS_COLLOCATION_COLLOCATION_H
#define VIDA_METHODS_COLLOCATION_COLLOCATION_H

#include "stepper/integration.h"

enum { VIDA_MOST_STAGES = 4, VIDA_STAGE_HISTORY = 6 };

/* A matrix of coefficients, by stages. */
typedef double vida_stage_matrix[VIDA_MOST_STAGES][VIDA_MOST_STAGES];

/* The coefficients of a method. */
typedef struct vida_stage_rule {
  int stages;
  int first;           /* first stage with unknowns */
  bool has_means;      /* X_i are mean velocities */
  bool starts_at_node; /* Lobatto's: the first stage is the node, the last one the next node */
  double c[VIDA_MOST_STAGES], b[VIDA_MOST_STAGES], gamma[VIDA_MOST_STAGES];
  vida_stage_matrix alpha, beta;
  /* Extrapolation of the polynomials through X_j and mu_j to the next step. */
  vida_stage_matrix velocity_ahead, multiplier_ahead;
} vida_stage_rule;

/* Returns Gauss' rule, whose collocation method is the Galerkin method with this quadrature. */
vida_stage_rule vida__gauss_rule(int stages);
/* Returns Lobatto's rules IIIA for positions and IIIB for momenta; `with_means`: with mean
 * velocities as unknowns. */
vida_stage_rule vida__lobatto_rule(int stages, bool with_means);

/* The state of a method. */
typedef struct vida_collocation {
  vida_stage_rule rule;
  int size;             /* number of equations */
  vida_pattern pattern; /* a block of the system's pattern for each pair of stages */
  double* unknown;      /* by stages, last first: X_i (n), mu_(i-1) (m) */
  double* history[VIDA_STAGE_HISTORY];
  int history_count;
  int predictor;       /* the best predictor of the last step */
  bool is_predictable; /* the error of the best predictor was small */
  bool is_evaluated;   /* the following arrays belong to the unknowns `evaluated` */
  double* evaluated;
  double* base;    /* n: p0 plus its rounding error */
  double* mean;    /* stages x n: (Q_i - q0) / h */
  double* change;  /* stages x n: Q_i - q0 */
  double* place;   /* stages x n: Q_i */
  double* push;    /* stages x n: h L_q - G^T mu */
  double* l_v;     /* stages x n */
  double* entries; /* stages x entries of G */
  double* rate;    /* stages x m: A V + b of nonholonomic rows */
  double* slopes;  /* work, entries of a_q of nonholonomic rows */
  /* Parts of the Newton matrix on the system's pattern, by stages: L_vv with G and G^T; L_qq with
   * the curvature of the constraints; the mixed derivatives of general Lagrangians. */
  double *inner, *outer, *mixed_vq, *mixed_qv;
  /* For general Lagrangians: rows whose gradients have no mass (collocation_mass.c). */
  bool has_weights;
  double* weight;    /* m: kappa, 0 for all other rows */
  double* row_rate;  /* m: work space, kappa G v */
  double* curvature; /* work, on the system's own pattern */
  double* turn;      /* n: work */
  int* outer_slot;   /* indices of the products of two entries of a row */
  double* work;      /* 2 (n + m) */
  double* sum;       /* n: work */
  double* node_push; /* n: h L_q of the first stage, if it is the node */
  double* impulse;   /* m: impulse of the last projection */
  size_t numbers;    /* before `history`, behind the state */
  bool has_step;     /* a step has been made */
} vida_collocation;

/* Allocates self->state and sets the rows of the map. */
int vida__collocation_create(VidaIntegration* self, const vida_stage_rule* rule, VidaError* error);
/* Computes p = L_v(q,v): for VidaMethod.start. */
int vida__collocation_start(VidaIntegration* self, VidaError* error);
/* Solves the equations of a step, and advances positions and momenta, but without the impulse at
 * the end of the step. */
int vida__collocation_step(VidaIntegration* self, VidaError* error);
/* Computes h sum b_i L(Q_i, V_i) for the last step: VidaMethod.action of the methods. */
int vida__collocation_action(VidaIntegration* self, double t, double* action, VidaError* error);
/* Returns the index of the first unknown of a stage. */
int vida__stage_offset(const VidaIntegration* self, int stage);
/* Returns the index of the first multiplier of a stage. */
int vida__multiplier_offset(const VidaIntegration* self, int stage);

/* ---- rows without mass (collocation_mass.c) ---- */

/* Returns the length of `outer_slot`. */
size_t vida__outer_count(const VidaSystem* system);
/* Finds the rows whose gradients have no mass at the start. Fails if they cannot be given one. */
int vida__find_weights(VidaIntegration* self, VidaError* error);
/* Adds the terms of the weights to l_q and l_v (n each); `entries` is G at (t,q). */
int vida__add_weights(VidaIntegration* self, double t, const double* q, const double* v,
                      const double* entries, double* l_q, double* l_v);
/* Adds the second derivatives of these terms to the matrices of a stage. */
int vida__add_weight_hessian(VidaIntegration* self, double t, const double* q, const double* v,
                             int stage);

/* VidaStepEquations.residual of the methods. */
int vida__collocation_residual(void* data, const double* u, double* r);
/* VidaStepEquations.jacobian of the methods. */
int vida__collocation_jacobian(void* data, const double* u, double* matrix);
/* VidaStepEquations.sizes of the methods. */
void vida__collocation_sizes(void* data, const double* u, double* size);
/* VidaStepEquations.second_guess of the methods. */
void vida__collocation_guess(void* data, double* u);

/* Lists what steps change and does not follow from their unknowns: the history, whose arrays change
 * their places, and the last projection (collocation_state.c). */
void vida__collocation_keep(VidaIntegration* self);
/* Visits the state: for VidaMethod.state. */
void vida__collocation_state(VidaIntegration* self, VidaRecord* record);

#endif
