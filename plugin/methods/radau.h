/* Radau IIA with three stages, for constrained systems in the stabilized form of index 2 (Gear,
 * Gupta and Leimkuhler 1985), written for momenta p = L_v(q,v,t):
 *
 *     q' = v - D G^T eta,   p' = L_q - G^T lambda,   g(q,t) = 0,   G v + g_t = 0,
 *
 * where eta is zero on the exact solution and D is the inverse of the masses at the start. Stages
 * have the unknowns X_i = q', V_i, mu_i = h lambda_i and eta_i:
 *
 *     Q_i = q0 + h sum_j a_ij X_j,   D^-1 (X_i - V_i) + G(Q_i)^T eta_i = 0,
 *     L_v(Q_i,V_i) = p0 + sum_j a_ij (h L_q(Q_j,V_j) - G(Q_j)^T mu_j),
 *     G(Q_i) V_i + g_t = 0,   g(Q_i) / h = 0.
 *
 * Nonholonomic rows have their velocity level only; their eta is zero. */
#ifndef VIDA_METHODS_RADAU_H
#define VIDA_METHODS_RADAU_H

#include "methods/method.h"
#include "system/equations.h"

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
  vida_pattern pattern, node_pattern;
  double* unknown; /* 3 blocks */
  double* last;    /* those of the last step */
  double last_h;   /* 0: there is none */
  bool is_evaluated;
  double* evaluated; /* 3 blocks: what the following belongs to; 3 n each */
  double *mean, *change, *place, *push, *l_v;
  double* entries;                             /* 3 x entries of G */
  double* ahead;                               /* work: entries of G */
  double* eta;                                 /* m: work */
  vida_stage_blocks blocks[VIDA_RADAU_STAGES]; /* of the stages, */
  vida_stage_blocks node;                      /* and of the node */
  double* stage_size;                          /* 2 (n + m): work */
  double* base;                                /* n: p0 with what its rounding has left */
  double *a0, *lambda0;                        /* at the start */
  vida_equations* equations;                   /* for those */

  /* Choice of steps */
  SUNContext context;
  vida_linear* filter; /* NULL of fixed steps */
  double* defect;      /* 2 (n + m) */
  double rtol;
  double most_steps;
  double h_wanted;
  double h_accepted, error_accepted; /* of the last step; 0: there is none */
  bool was_rejected;
  long factorizations;
  /* The largest values so far: by coordinates, and by their units. */
  double *position_size, *velocity_size;
  double *position_scale, *velocity_scale;
  double* strength; /* n: of the forces that act on it, before they cancel */
} vida_radau;

extern const double vida__radau_c[VIDA_RADAU_STAGES];
extern const double vida__radau_a[VIDA_RADAU_STAGES][VIDA_RADAU_STAGES];

/* ---- the equations of a step (radau_stages.c) ---- */

/* The pattern of `stages` stages, 3 or 1; `pattern` NULL: the number of its entries. */
size_t vida__radau_pattern(const VidaSystem* system, int stages, vida_pattern* pattern);
int vida__radau_residual(void* data, const double* u, double* r);
int vida__radau_jacobian(void* data, const double* u, double* matrix);
void vida__radau_sizes(void* data, const double* u, double* size);
/* Q_i, L_v, h L_q - G^T mu and G of all stages at u. */
int vida__radau_evaluate(VidaStepper* stepper, const double* u);
/* The matrix of one stage at the node, with the coefficient `a`, for the estimate of errors. */
int vida__radau_node_matrix(VidaStepper* stepper, double a, double* matrix);

#endif
