/* The equations of motion as a differential-algebraic system F(t, y, y') = 0 with y = (q, v, p,
 * lambda, mu). Each formulation has some of these equations:
 *
 *   q' - v + W G^T mu = 0                               if positions are projected (mu)
 *   p' - L_q - f + G^T lambda = 0,  p - L_v = 0         with momenta, or
 *   d/dt L_v - L_q - f + G^T lambda = 0                 with accelerations v'
 *   0 = g,  G v + g_t  or  G v' + ...                   the level of lambda
 *   0 = g                                               the rows of mu
 *
 * Momenta as variables leave only first derivatives of L in the equations, and exact second
 * derivatives in their Jacobian. The matrix has the rows and columns (q, v, lambda, mu): p = L_v is
 * eliminated. */
#ifndef VIDA_SYSTEM_FORMULATION_FORMULATION_H
#define VIDA_SYSTEM_FORMULATION_FORMULATION_H

#include "system/evaluate/evaluate.h"

/* The level of the constraints that determine lambda. */
typedef enum vida_level { VIDA_AT_POSITION, VIDA_AT_VELOCITY, VIDA_AT_ACCELERATION } vida_level;

/* Indices in the matrix that belong to one entry of the upper left block of the KKT pattern. */
typedef struct vida_block_slots {
  int entry; /* in the KKT pattern */
  int row, column;
  int by_position, by_velocity; /* of the equations of motion */
  int by_projection;            /* of the equations q': the curvature of G^T mu; -1 without mu */
} vida_block_slots;

/* Indices in the matrix that belong to one entry of G; those of mu are -1 without mu. */
typedef struct vida_entry_slots {
  int reaction, projection; /* G^T: of lambda and of mu */
  int row_position, row_velocity;
  int position_row; /* of the row of mu */
} vida_entry_slots;

/* Indices that belong to the derivative of a force with respect to a multiplier. */
typedef struct vida_reactive_slots {
  int entry;    /* in the KKT pattern */
  int reaction; /* in the matrix */
} vida_reactive_slots;

typedef struct vida_formulation {
  const VidaSystem* system;
  vida_evaluator* evaluator;
  vida_level level;
  bool projects;   /* has mu and its rows g = 0 */
  bool in_momenta; /* has p */

  int size, reduced_size; /* of y and of the matrix */
  int p, lambda, mu;  /* indices in y; v is at n. In the matrix lambda is at 2 n, mu at 2 n + m */
  double* metric;     /* n: the diagonal of W; 1 until it is set */
  bool* is_dependent; /* m: omitted rows, which lambda_r = 0 and mu_r = 0 replace */

  vida_pattern pattern; /* of the matrix */
  vida_block_slots* block;
  int block_count;
  vida_entry_slots* entry;       /* one for each entry of G */
  vida_reactive_slots* reactive; /* where forces depend on multipliers; or NULL */
  int reactive_count;
  int *position_diagonal, *velocity_diagonal; /* n: of q' and of -v in the equations of q' */
  int *lambda_diagonal, *mu_diagonal;         /* m */

  double* values;            /* one block for the arrays below */
  double *l_q, *l_v, *force; /* n: work */
  double* rows;              /* m: work */
  double *moved_q, *moved_v; /* n: work */
  double* entries;           /* of G, at the last evaluation */
  double* slopes;            /* (G v + g_t)_q, as entries of G */
  double *changes, *turns;   /* rates of change of slopes and entries along the motion */
  double *l_vv, *l_vq;       /* KKT pattern: of the last matrix */
  double* hessian;           /* KKT pattern: work */
} vida_formulation;

/* Creates a formulation. The caller sets `level`, `projects` and `in_momenta`, this function all
 * other members. The system and the evaluator must outlive it. The caller frees the members with
 * vida__formulation_release, also after a failure. */
int vida__formulation_create(const VidaSystem* system, vida_evaluator* evaluator,
                             vida_formulation* form, VidaError* error);
void vida__formulation_release(vida_formulation* form);
/* Allocates and fills the pattern and the slots, for vida__formulation_create (pattern.c). */
int vida__formulation_build_pattern(vida_formulation* form);

/* Fills y and y' from positions q, velocities v, accelerations a (n each) and multipliers lambda
 * (m) that satisfy the equations of motion at t; mu and the rates of multipliers are 0. Afterwards
 * form->l_v contains the momenta. */
int vida__formulation_fill(vida_formulation* form, double t, const double* q, const double* v,
                           const double* a, const double* lambda, double* y, double* dy);
/* Replaces lambda (m) by multipliers that cause the same accelerations and are zero in the rows
 * is_dependent. `linear` is a matrix of the KKT pattern, x (n + m) is work space. */
int vida__formulation_omit_rows(vida_formulation* form, vida_linear* linear, double t,
                                const double* q, const double* v, double* lambda, double* x);

/* Computes r = F(t, y, y'). */
int vida__formulation_residual(vida_formulation* form, double t, const double* y, const double* dy,
                               double* r);
/* Adds dF/dy + c dF/dy', with p eliminated, to `matrix`, the values of the pattern. Derivatives
 * along the motion that have no formula are central differences over +-`step` (s). */
int vida__formulation_matrix(vida_formulation* form, double t, double c, double step,
                             const double* y, const double* dy, double* matrix);
/* Adds B x to result (n), where B is the upper left block (n x n) of a matrix of the KKT
 * pattern. */
void vida__formulation_add_product(const vida_formulation* form, const double* matrix,
                                   const double* x, double* result);

#endif
