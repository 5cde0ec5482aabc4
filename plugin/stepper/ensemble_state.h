/* Vectors with a lane for each motion, and the state of ensemble_lanes.c, for its two files. */
#ifndef VIDA_STEPPER_ENSEMBLE_STATE_H
#define VIDA_STEPPER_ENSEMBLE_STATE_H

#include "stepper/ensemble_lanes.h"

#if VIDA_HAS_LANES

#include <stdint.h>

/* Vectors are in memory that is aligned for numbers only. */
typedef double lanes __attribute__((vector_size(VIDA_LANES * sizeof(double)), aligned(8)));
typedef int64_t lane_mask __attribute__((vector_size(VIDA_LANES * sizeof(double)), aligned(8)));

/* Macros, since functions with vectors as arguments have another interface with AVX. */
#define IS(condition) ((lane_mask)(condition))
#define SELECT(mask, a, b) ((lanes)(((mask) & (lane_mask)(a)) | (~(mask) & (lane_mask)(b))))
#define SELECT_BITS(mask, a, b) (((mask) & (a)) | (~(mask) & (b)))
#define MAGNITUDE(a) ((lanes)((lane_mask)(a)&INT64_MAX))
/* vida__add_exactly; total may not be a or b. */
#define ADD_EXACTLY(a, b, total, rest)              \
  do {                                              \
    (total) = (a) + (b);                            \
    const lanes part_ = (total) - (a);              \
    (rest) = ((a) - ((total)-part_)) + ((b)-part_); \
  } while (false)

/* Numbers of evaluations of each lane. */
typedef struct lane_counts {
  lane_mask iterations, residuals, jacobians;
} lane_counts;

/* A node that a step has reached. */
typedef struct lane_node {
  lanes *q, *w, *lambda, *mu, *nu; /* q, q_low, p, p_low, v (n each), one after the other; the
                                    * unknowns and the impulses of the step */
  lane_counts counts;              /* of all steps up to this one */
  lanes *g, *rate;                 /* m: g and its rate */
  lanes* energy;                   /* 1, followed by: */
  lanes *kinetic, *largest_g, *largest_rate, *finite; /* 1 each; `finite`: 0, or NaN */
  lanes* momenta;                                     /* VIDA_LARGEST_MOMENTUM_COUNT */
} lane_node;

struct vida_step_lanes {
  const VidaIntegration* self;      /* the first motion: masses, forces and rows are those of all */
  lanes *q, *q_low, *p, *p_low, *v; /* n each, one after the other; behind v zeros */
  lanes *w, *v_before;              /* n, and zeros for places */
  lanes* unconstrained;             /* n */
  lanes *d, *d_before, *ahead;      /* m x dimension */
  lanes* past[VIDA_PAST_STEPS];     /* m: multipliers */
  lanes *mu, *third, *g, *rest, *residual; /* m */
  lanes *size, *stiffness, *scale, *nu, *nu_before, *correction, *motion;
  lanes *seen, *root; /* n: of the watches */
  lanes *lower, *diagonal, *upper;
  lane_counts counts;
  lane_node node[VIDA_CALM_STEPS];
  bool measures;      /* g, its rate, energy and momenta of each node */
  const double** rod; /* m: parameters of each distance, if it measures */
  lanes* difference;  /* m x dimension */
  double* point;      /* n, n: positions and momenta of one lane */
  double* block;
};

/* Computes what monitors measure at a node from the present state (ensemble_measures.c). */
void vida__lanes_measure(vida_step_lanes* own, lane_node* to);

#endif

#endif
