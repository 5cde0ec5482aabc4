/* The shadow energy of a symplectic method: the energy that its steps conserve but for terms that
 * are exponentially small in 1/h (Skeel and Hardy 2001; Engle, Skeel and Drees 2005).
 *
 * The steps are points of a smooth motion with an energy H' near H. Along this motion the discrete
 * action S grows at the rate dS/dt = p . dq/dt - H'. Since H' is constant,
 *     H' = (1 / 2h) (integral of p . dq from t - h to t + h  -  S(t + h) + S(t - h)),
 * with the integral of the polynomials through `order` + 1 nodes about t. A part G^T nu of p has no
 * product with dq: momenta are projected, because the impulses of constraints may alternate. */
#ifndef VIDA_STUDY_MEASURE_SHADOW_H
#define VIDA_STUDY_MEASURE_SHADOW_H

#include "stepper/frame.h"
#include "study/measure/drift.h"
#include "study/measure/norms.h"

enum { VIDA_MOST_SHADOW_NODES = 13 };

/* The shadow energy along one run. */
typedef struct vida_shadow {
  int nodes;          /* of a window, odd; 0: nothing is measured */
  const char* reason; /* why nothing is measured; NULL: nobody asked */
  int n;
  double h;   /* s */
  long count; /* of nodes so far */
  /* Of p_i . q_j in 2 h H', by rows; the action of the step to each node in its slot. */
  double weight[VIDA_MOST_SHADOW_NODES * VIDA_MOST_SHADOW_NODES];
  double action[VIDA_MOST_SHADOW_NODES];
  double *q, *q_low, *p; /* nodes x n, by slots */
  double* v;             /* n: work */
  bool has_value;
  double start; /* the first value, J */
  double now;   /* the newest value, J */
  double t;     /* its time, s */
  vida_error_norm norm;
  vida_drift drift;
} vida_shadow;

/* Returns whether this is an order of shadow energies (0: none, 4, 8 or 12). */
bool vida__is_shadow_order(double order);
/* Prepares the measurement of a run with this order; 0: nothing is measured. The caller frees it
 * with vida__destroy_shadow, also after a failure. */
int vida__create_shadow(const VidaSystem* system, double order, vida_norm norm, vida_shadow* shadow,
                        VidaError* error);
/* Frees the memory. */
void vida__destroy_shadow(vida_shadow* shadow);
/* Begins with the node of the stepper, for a run of `steps` steps about the time `centre` (s). If
 * there is no shadow energy, the reason is in shadow->reason. */
int vida__begin_shadow(vida_shadow* shadow, VidaStepper* stepper, double centre, long steps,
                       VidaError* error);
/* Adds the node after a step. */
int vida__add_to_shadow(vida_shadow* shadow, VidaStepper* stepper, VidaError* error);

/* Visits the nodes and values of a measurement that has begun. */
void vida__shadow_record(vida_shadow* shadow, VidaRecord* record);

#endif
