/* Half-explicit Runge-Kutta methods for constrained mechanics with the constraints of velocities
 * (index 2): q' = v, M v' = f - G^T lambda, G v + g_t = 0.
 *
 * Stage i is at (Q_i, V_i) = (q, v) + h sum_{j < i} a_ij (V_j, A_j). Its A_i and lambda_i satisfy
 * one linear system, whose second line is the constraint at the point (q, v) + h sum_{j <= i} r_ij
 * (V_j, A_j) at the time t + h sum_j r_ij:
 *
 *     M A_i + G(Q_i)^T lambda_i = f(Q_i, V_i),    G(R_i) (v + h sum_{j <= i} r_ij A_j) + g_t = 0.
 *
 * The point of the last stage is the end of the step. In partitioned methods (phem56) points and
 * stages are different; in the others the point of a stage is the next stage. */
#ifndef VIDA_METHODS_REFERENCE_HALF_EXPLICIT_H
#define VIDA_METHODS_REFERENCE_HALF_EXPLICIT_H

#include <stdbool.h>

enum { VIDA_HALF_EXPLICIT_STAGES = 7 };

/* A tableau. */
typedef struct vida_half_explicit {
  const char* name;
  int order, embedded; /* order of the formula that estimates the error */
  int stages;          /* without the one below */
  /* Acceleration and multipliers of the first stage are known: they are those of an additional
   * stage of the last step, at its end, with the index `stages`. */
  bool has_explicit_stage;
  double a[VIDA_HALF_EXPLICIT_STAGES][VIDA_HALF_EXPLICIT_STAGES];
  double points[VIDA_HALF_EXPLICIT_STAGES][VIDA_HALF_EXPLICIT_STAGES]; /* r */
  double error[VIDA_HALF_EXPLICIT_STAGES]; /* weights of the step less those of the embedded
                                            * formula, with the additional stage */
} vida_half_explicit;

/* The choices of the option `scheme`, in the order of
 * vida__half_explicit_scheme. */
#define VIDA_HALF_EXPLICIT_CHOICES "hedop5|phem56|hem4"

/* Returns the tableau with this index; NULL: there is none. */
const vida_half_explicit* vida__half_explicit_scheme(int index);

#endif
