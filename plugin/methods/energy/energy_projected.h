/* The equations of energy-momentum-projected and energy-momentum-ggl, which have a second set of
 * multipliers for the hidden constraints f(q,p) = G(q) M^-1 p (energy_projected.c), and their
 * state. */
#ifndef VIDA_METHODS_ENERGY_ENERGY_PROJECTED_H
#define VIDA_METHODS_ENERGY_ENERGY_PROJECTED_H

#include "methods/energy/energy.h"

/* A rule for the discrete derivative of G(q) v. Functions return codes of evaluations. */
typedef struct vida_hidden_rule {
  /* Computes the entries of D_q (G v) and D_v (G v); v (n) is the mean of the velocities at both
   * nodes. */
  int (*find)(VidaIntegration* self, const vida_interval* between, const double* v,
              double* by_positions, double* by_rates);
  /* Computes the entries of (G v)_q at q1. */
  int (*slopes)(VidaIntegration* self, const double* v1, double* entries);
} vida_hidden_rule;

typedef struct vida_projected_state {
  vida_energy_state base;
  const vida_hidden_rule* hidden;
  double* v0;      /* n: M^-1 p0 */
  double* v1;      /* n: 2 v - v0 */
  double* unknown; /* 2 (n + m) */
  double* turned;  /* entries of D_q (G v) */
  double* middle;  /* entries of D_v (G v) */
  double* other;   /* entries: work */
  double* quarter; /* values of the KKT pattern: work */
  size_t numbers;  /* behind the state */
  bool has_eta;    /* unknown has that of the last step */
  vida_pattern pattern;
  struct vida_hidden_plan* plan; /* NULL: Newton's method for all unknowns (hidden_plan.h) */
} vida_projected_state;

/* Creates the state, for a system with automatic discrete derivatives. */
int vida__projected_create(VidaIntegration* self, const vida_hidden_rule* hidden, VidaError* error);

/* Fills a pattern whose four quarters are `quarter`, and whose sizes and arrays are set. */
void vida__double_pattern(const vida_pattern* quarter, vida_pattern* pattern);

/* Adds a quarter with the given pattern to the matrix of the doubled pattern, down and to the right
 * (0 or 1 each), and clears the quarter. */
void vida__add_quarter(const vida_pattern* pattern, const vida_pattern* doubled, int down,
                       int right, double* quarter, double* matrix);
/* Makes the rows of the map the KKT rows of the system and, below them, the same for the hidden
 * constraints. `indices` is memory for the pattern: 2 (n + m) + 1 and four times the entries of the
 * KKT pattern; `unknown` has 2 (n + m) numbers. */
void vida__use_doubled_rows(VidaIntegration* self, vida_pattern* pattern, sunindextype* indices,
                            double* unknown);

/* The functions of VidaMethod and VidaStepEquations. */
int vida__projected_residual(void* data, const double* u, double* r);
int vida__projected_jacobian(void* data, const double* u, double* matrix);
void vida__projected_sizes(void* data, const double* u, double* size);
void vida__projected_guess(void* data, double* u);
int vida__projected_step(VidaIntegration* self, VidaError* error);

/* Visits the state: for VidaMethod.state. */
void vida__projected_state_record(VidaIntegration* self, VidaRecord* record);

#endif
