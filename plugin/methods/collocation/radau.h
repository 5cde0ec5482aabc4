/* Radau IIA with three stages, for constrained systems in the stabilized form of index 2 (Gear,
 * Gupta and Leimkuhler 1985), written for momenta p = L_v(q,v,t):
 *
 *     M q' = M v - G^T eta,   p' = L_q - G^T lambda,   g(q,t) = 0,   G v + g_t = 0,
 *
 * where eta is zero on the exact solution and M is L_vv at the start of the step, made regular for
 * quaternions. L_vv at another point would do as long as G M^-1 G^T is regular, which fails for a
 * body that has turned since. Stages have the unknowns X_i = q', V_i, mu_i = h lambda_i and eta_i:
 *
 *     Q_i = q0 + h sum_j a_ij X_j,   M (X_i - V_i) + G(Q_i)^T eta_i = 0,
 *     L_v(Q_i,V_i) = p0 + sum_j a_ij (h L_q(Q_j,V_j) - G(Q_j)^T mu_j),
 *     G(Q_i) V_i + g_t = 0,   g(Q_i) / h = 0.
 *
 * Nonholonomic rows have only the velocity level; their eta is zero. */
#ifndef VIDA_METHODS_COLLOCATION_RADAU_H
#define VIDA_METHODS_COLLOCATION_RADAU_H

#include "base/complex_linear.h"
#include "stepper/integration.h"
#include "system/constraints/equations.h"

enum { VIDA_RADAU_STAGES = 3 };

/* The part of the Newton matrix of one stage, on the pattern of the system: `inner` is L_vv with G
 * and G^T, `mixed_vq` is L_vq with the derivatives (G v + g_t)_q in the rows of G, `outer` is L_qq
 * less the curvature of the constraints with lambda, and in the columns of lambda less the
 * derivatives of forces with respect to it, `bend` their curvature with eta. */
typedef struct vida_stage_blocks {
  double *inner, *mixed_vq, *mixed_qv, *outer, *bend;
} vida_stage_blocks;

typedef struct vida_radau {
  double t, h;   /* of the current step */
  double t_next; /* its end, as exactly as possible */
  int block;     /* number of unknowns of a stage, 2 (n + m) */
  vida_pattern pattern;
  double* unknown; /* 3 blocks */
  double* last;    /* unknowns of the last step */
  double last_h;   /* length of the last step; 0: none */
  bool is_evaluated;
  double* evaluated; /* 3 blocks: the following arrays, 3 n each */
  double *mean, *change, *place, *push, *l_v;
  double* entries;                             /* 3 x entries of G */
  double* metric;                              /* M, on the system's pattern */
  double* turn;                                /* entries like G: (G v + g_t)_q */
  double* eta;                                 /* m: work */
  vida_stage_blocks blocks[VIDA_RADAU_STAGES]; /* blocks of the stages */
  double* stage_size;                          /* 2 (n + m): work */
  double* base;                                /* n: p0 plus its rounding error */
  double *a0, *lambda0;                        /* accelerations and multipliers at the start */
  vida_equations* equations;                   /* for a0 and lambda0 */

  /* The simplified Newton method (radau_newton.c) */
  SUNContext context;
  vida_linear *real_matrix, *metric_matrix;
  vida_linear *filter_matrix, *filter_metric; /* for the error estimate; NULL: fixed steps */
  vida_complex_linear* complex_matrix;
  vida_stage_blocks frozen; /* the blocks of the factored matrices, without `bend` */
  double* frozen_entries;   /* entries of G for the factored matrices */
  double factored_h;        /* step of the factored matrices; 0: none */
  bool is_fresh;            /* the matrices were made in this step */
  int count, fresh_count; /* iterations of the last step, and of the last step with new matrices */
  int spent;              /* additional iterations since then */
  int renewals, renewals_length; /* number of steps that begin with new matrices */
  int pause, pause_length;       /* number of steps that use the full Newton method */
  long iterations, residuals, jacobians, factorizations;
  double *guess, *kept, *residual, *mixed, *row_size, *row_scale; /* 3 blocks each */
  double *first, *second, *pairs, *trial;                         /* 2 (n + m) each */

  /* Step size control */
  double* defect; /* 2 (n + m) */
  double rtol;
  double most_steps;
  double h_wanted;
  double h_accepted, error_accepted; /* of the last accepted step; 0: none */
  bool was_rejected;
  /* The largest values so far: by coordinates (size) and by units (scale). */
  double *position_size, *velocity_size;
  double *position_scale, *velocity_scale;
  double* strength; /* n: sizes of the forces on each coordinate before they cancel */
} vida_radau;

extern const double vida__radau_c[VIDA_RADAU_STAGES];
extern const double vida__radau_a[VIDA_RADAU_STAGES][VIDA_RADAU_STAGES];
/* a^-1 = t diag(gamma, alpha +- i beta) t^-1 */
extern const double vida__radau_t[VIDA_RADAU_STAGES][VIDA_RADAU_STAGES];
extern const double vida__radau_inverse_t[VIDA_RADAU_STAGES][VIDA_RADAU_STAGES];
extern const double vida__radau_gamma, vida__radau_alpha, vida__radau_beta;

/* ---- the equations of a step (radau_stages.c) ---- */

/* Computes M at (own->t, q, v0). Returns 0, > 0 or < 0. */
int vida__radau_find_metric(VidaIntegration* self);
/* Computes y = M x. */
void vida__radau_apply_metric(const VidaIntegration* self, const double* x, double* y);
/* Fills in the pattern of all stages; with NULL, only returns the number of its entries. */
size_t vida__radau_pattern(const VidaSystem* system, vida_pattern* pattern);
/* VidaStepEquations.residual of the method. */
int vida__radau_residual(void* data, const double* u, double* r);
/* VidaStepEquations.jacobian of the method. */
int vida__radau_jacobian(void* data, const double* u, double* matrix);
/* VidaStepEquations.sizes of the method. */
void vida__radau_sizes(void* data, const double* u, double* size);
/* Computes Q_i, L_v, h L_q - G^T mu and G of all stages at u. */
int vida__radau_evaluate(VidaIntegration* self, const double* u);
/* Computes own->frozen, own->frozen_entries and own->turn for one stage at u. */
int vida__radau_freeze_stage(VidaIntegration* self, const double* u, int stage);
/* Computes own->frozen, own->frozen_entries and own->turn for the node at which the step
 * own->unknown starts. */
int vida__radau_freeze_node(VidaIntegration* self);

/* ---- the error of a step (radau_error.c) ---- */

/* Adds q and v (n each) to the largest values so far. */
void vida__radau_update_sizes(VidaIntegration* self, const double* q, const double* v);
/* Estimates the error of the step own->unknown; *result is 1 at the tolerance. */
int vida__radau_estimate_error(VidaIntegration* self, double* result, VidaError* error);

/* ---- the solution of these equations (radau_newton.c) ---- */

/* Creates the simplified Newton method. */
int vida__radau_create_newton(VidaIntegration* self, VidaError* error);
/* Frees the simplified Newton method. */
void vida__radau_destroy_newton(VidaIntegration* self);
/* Factors matrices for the guess u, so that later steps allocate nothing. Ignores failures. */
void vida__radau_start_newton(VidaIntegration* self, const double* u);
/* Solves the equations of a step from the guess u, which receives the solution. Returns 0; > 0 if
 * the iteration does not converge (u is then the guess, and the full Newton method may still
 * succeed); or < 0, the code of a failed evaluation. */
int vida__radau_newton(VidaIntegration* self, double* u);
/* Factors the matrix of vida__radau_filter for the step own->unknown. */
int vida__radau_prepare_filter(VidaIntegration* self);
/* Solves with the matrix of one stage at the node, whose coefficient is 1 / gamma. `defect` (2 (n +
 * m)) contains the defects of M q' and of the momenta, and receives the corrections of q' and v. */
int vida__radau_filter(VidaIntegration* self, double* defect);

#endif
