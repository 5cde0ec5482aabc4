/* The state of lie-alpha, and the residual of its equations. */
#ifndef VIDA_METHODS_RIGID_LIE_ALPHA_H
#define VIDA_METHODS_RIGID_LIE_ALPHA_H

#include <stdbool.h>

#include "methods/rigid/lie_exponential.h"
#include "methods/rigid/lie_matrix.h"
#include "system/constraints/equations.h"

/* What is known of the node, besides the positions (rates each, and rows). */
typedef struct alpha_node {
  double *u, *a, *b; /* b is the acceleration */
  double* lambda;
} alpha_node;

typedef struct lie_alpha {
  double alpha_m, alpha_f, beta, gamma;
  double ratio;  /* gamma / beta */
  double motion; /* the largest root of a mass times its velocity */
  double moved;  /* the same for the last correction of velocities, relative to the rounding of
                  * positions that these lead to; infinity: of velocities at fixed positions */
  double share;  /* gamma (1 - alpha_f) / (1 - alpha_m): how much of h b1 is in u1 */
  bool projects;
  bool has_moved; /* `now` is that of the last step, `other` that of the node before it */
  vida_equations* equations;
  vida_lie_joints* joints;
  vida_lie_matrix* matrix;
  alpha_node now, other;
  double *w, *turn;       /* rates: the unknown, and h w */
  double *u_base, *base;  /* rates: what u1 has apart from ratio w, and from share h b1 */
  double* end;            /* rates: u1 */
  double *push, *pull;    /* rates: h f with J u x u, and with the impulses of the joints */
  double *work, *size;    /* rates + rows: work space, and sizes of the rows of the residual */
  double* residual;       /* rates + rows */
  double *q1, *v1;        /* n */
  double* q1_low;         /* n: what rounding takes from q1 */
  double *force, *change; /* n: forces; work space */
  double *mu, *g, *reach; /* m */
  double* block;          /* memory of the arrays above */
} lie_alpha;

static inline lie_alpha* vida__lie_alpha_of(const VidaIntegration* self) {
  return ((const vida_lie_state*)self->state)->more;
}

/* Returns the largest moment of inertia of a body. */
double vida__lie_alpha_largest_moment(const vida_lie_body* body);
/* Computes own->q1 and own->q1_low, q exp(turn). Returns the index of a body that turns too far, or
 * -1. */
int vida__lie_alpha_move(VidaIntegration* self, const double* turn);
/* Computes the residual for own->w and own->mu. Returns VIDA_STEP_NOT_CONVERGED with the index of a
 * body that turns too far in *body, or the code of a failed evaluation. */
int vida__lie_alpha_residual(VidaIntegration* self, int* body);
/* Computes G v1 + g_t at q1 as residual of the joints, for own->end and own->mu, and that of the
 * momenta. */
int vida__lie_alpha_velocity_residual(VidaIntegration* self);

#endif
