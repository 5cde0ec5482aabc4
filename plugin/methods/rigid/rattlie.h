/* The state of rattlie, and the solution of the equations of its step. */
#ifndef VIDA_METHODS_RIGID_RATTLIE_H
#define VIDA_METHODS_RIGID_RATTLIE_H

#include <stdbool.h>

#include "methods/rigid/lie_exponential.h"
#include "methods/rigid/lie_joints.h"

typedef struct rattlie_state {
  vida_lie_joints* joints;
  bool has_node;     /* joints->gradient and the factors of joints->node are those of the node */
  double last_h;     /* s: of the last step */
  int alike;         /* number of last steps of this length */
  int nodes;         /* number of nodes from which joints->next was extrapolated; 0: it was not */
  double missed;     /* see vida__lie_missed_gradients, for the last step; infinity: not known */
  double corrected;  /* violation before the last correction of the last step; 0: not known */
  double correction; /* size of that correction */
  vida_lie_rotation* rotation; /* bodies: the rotations of the step, or guesses */
  double* response;            /* 9 by bodies: see vida__lie_factor_step */
  double* momentum;            /* rates: Pi0 + h f / 2, in the body */
  double* pull;                /* rates: -B^T mu of the last rotations */
  double* rates;               /* rates: work space */
  double* q1;                  /* n */
  double* g;                   /* m */
  double* mu;                  /* rows */
  double* residual;            /* rows */
  double* node_size;           /* m: sizes of the terms of the constraints at the node */
  double* size;                /* m: at least these, with which violations are compared */
  double* step;                /* rows: correction of mu */
  double* left;                /* rows: work space */
  double* block;               /* memory of the arrays above */
  size_t numbers;              /* in `block` */
} rattlie_state;

static inline rattlie_state* vida__rattlie_of(const VidaIntegration* self) {
  return ((const vida_lie_state*)self->state)->more;
}

/* Solves g(q1) = 0 for own->mu, from the guess there and in own->rotation, until a correction no
 * longer reduces the violation; `is_exact`: with the matrix of the step in all iterations. Returns
 * VIDA_STEP_NOT_CONVERGED if that fails; *body is then the index of a body that turns too far, or
 * -1. */
int vida__rattlie_solve(VidaIntegration* self, bool is_exact, int* body);
/* Returns whether another correction that contracts nearly as the last one did leaves rounding
 * only, so that its residual need not be computed. */
bool vida__rattlie_will_converge(double violation, double contraction);

#endif
