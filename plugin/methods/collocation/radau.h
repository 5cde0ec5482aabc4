/* Radau IIA with three stages, for constrained systems in the stabilized form of index 2 (Gear,
 * Gupta and Leimkuhler 1985), written for momenta p = L_v(q,v,t):
 *
 *     M q' = M v - G^T eta,   p' = L_q - G^T lambda,   g(q,t) = 0,   G v + g_t = 0,
 *
 * where eta is zero on the exact solution and M is L_vv where the step starts, made regular for
 * quaternions. Masses of other places would do as long as G M^-1 G^T is regular, but those of a
 * body that has turned since are not. Stages have the unknowns X_i = q', V_i, mu_i = h lambda_i and
 * eta_i:
 *
 *     Q_i = q0 + h sum_j a_ij X_j,   M (X_i - V_i) + G(Q_i)^T eta_i = 0,
 *     L_v(Q_i,V_i) = p0 + sum_j a_ij (h L_q(Q_j,V_j) - G(Q_j)^T mu_j),
 *     G(Q_i) V_i + g_t = 0,   g(Q_i) / h = 0.
 *
 * Nonholonomic rows have their velocity level only; their eta is zero. */
#ifndef VIDA_METHODS_COLLOCATION_RADAU_H
#define VIDA_METHODS_COLLOCATION_RADAU_H

#include "base/complex_linear.h"
#include "stepper/integration.h"
#include "system/evaluate/equations.h"

enum { VIDA_RADAU_STAGES = 3 };

/* What the Newton matrix has of one stage, on the system's own pattern: `inner` is L_vv with G and
 * G^T, `mixed_vq` is L_vq with the time derivative of G in its rows, `outer` is L_qq less the
 * curvature of the constraints with lambda, `bend` their curvature with eta. */
typedef struct vida_stage_blocks {
  double *inner, *mixed_vq, *mixed_qv, *outer, *bend;
} vida_stage_blocks;

typedef struct vida_radau {
  double t, h;   /* of the step that is being made */
  double t_next; /* its end, as exactly as it is known */
  int block;     /* unknowns of a stage, 2 (n + m) */
  vida_pattern pattern;
  double* unknown; /* 3 blocks */
  double* last;    /* those of the last step */
  double last_h;   /* 0: there is none */
  bool is_evaluated;
  double* evaluated; /* 3 blocks: what the following belongs to; 3 n each */
  double *mean, *change, *place, *push, *l_v;
  double* entries;                             /* 3 x entries of G */
  double* metric;                              /* M, on the system's pattern */
  double* turn;                                /* entries like G: (G v + g_t)_q */
  double* eta;                                 /* m: work */
  vida_stage_blocks blocks[VIDA_RADAU_STAGES]; /* of the stages */
  double* stage_size;                          /* 2 (n + m): work */
  double* base;                                /* n: p0 with what its rounding has left */
  double *a0, *lambda0;                        /* at the start */
  vida_equations* equations;                   /* for those */

  /* The simplified Newton method (radau_newton.c) */
  SUNContext context;
  vida_linear *real_matrix, *metric_matrix;
  vida_linear *filter_matrix, *filter_metric; /* for the estimate of errors; NULL: fixed steps */
  vida_complex_linear* complex_matrix;
  vida_stage_blocks frozen; /* what they are made of, without `bend`, */
  double* frozen_entries;   /* with G there */
  double factored_h;        /* the step that they are made for; 0: none */
  bool is_fresh;            /* made in this step */
  int count, fresh_count;   /* iterations of the last step, of the last one with a new matrix */
  int spent;                /* iterations since then beyond those */
  int renewals, renewals_length; /* steps that have new matrices at once */
  int pause, pause_length;       /* steps that are left to the full Newton method */
  long iterations, residuals, jacobians, factorizations;
  double *guess, *kept, *residual, *mixed, *row_size, *row_scale; /* 3 blocks each */
  double *first, *second, *pairs, *trial;                         /* 2 (n + m) each */

  /* Choice of steps */
  double* defect; /* 2 (n + m) */
  double rtol;
  double most_steps;
  double h_wanted;
  double h_accepted, error_accepted; /* of the last step; 0: there is none */
  bool was_rejected;
  /* The largest values so far: by coordinates, and by their units. */
  double *position_size, *velocity_size;
  double *position_scale, *velocity_scale;
  double* strength; /* n: of the forces that act on it, before they cancel */
} vida_radau;

extern const double vida__radau_c[VIDA_RADAU_STAGES];
extern const double vida__radau_a[VIDA_RADAU_STAGES][VIDA_RADAU_STAGES];
/* a^-1 = t diag(gamma, alpha +- i beta) t^-1 */
extern const double vida__radau_t[VIDA_RADAU_STAGES][VIDA_RADAU_STAGES];
extern const double vida__radau_inverse_t[VIDA_RADAU_STAGES][VIDA_RADAU_STAGES];
extern const double vida__radau_gamma, vida__radau_alpha, vida__radau_beta;

/* ---- the equations of a step (radau_stages.c) ---- */

/* M at (own->t, q, v0); 0, > 0 or < 0. */
int vida__radau_find_metric(VidaIntegration* self);
/* y = M x */
void vida__radau_apply_metric(const VidaIntegration* self, const double* x, double* y);
/* The pattern of all stages; `pattern` NULL: the number of its entries. */
size_t vida__radau_pattern(const VidaSystem* system, vida_pattern* pattern);
int vida__radau_residual(void* data, const double* u, double* r);
int vida__radau_jacobian(void* data, const double* u, double* matrix);
void vida__radau_sizes(void* data, const double* u, double* size);
/* Q_i, L_v, h L_q - G^T mu and G of all stages at u. */
int vida__radau_evaluate(VidaIntegration* self, const double* u);
/* own->frozen, own->frozen_entries and own->turn, of one stage at u, or of the node that the step
 * own->unknown starts from. */
int vida__radau_freeze_stage(VidaIntegration* self, const double* u, int stage);
int vida__radau_freeze_node(VidaIntegration* self);

/* ---- their solution (radau_newton.c) ---- */

int vida__radau_create_newton(VidaIntegration* self, VidaError* error);
void vida__radau_destroy_newton(VidaIntegration* self);
/* Factors matrices for the guess u, so that later steps allocate nothing; a failure is harmless. */
void vida__radau_start_newton(VidaIntegration* self, const double* u);
/* Solves from the guess u, which receives the solution. > 0: it comes to no end, u is the guess
 * again, and the full Newton method may still succeed; < 0: what an evaluation reported. */
int vida__radau_newton(VidaIntegration* self, double* u);
/* Makes the matrix of the next function for the step own->unknown. */
int vida__radau_prepare_filter(VidaIntegration* self);
/* Solves with that of one stage at the node, whose coefficient is 1 / gamma: `defect` (2 (n + m)),
 * of M q' and of momenta, becomes what q' and v differ by. */
int vida__radau_filter(VidaIntegration* self, double* defect);

#endif
