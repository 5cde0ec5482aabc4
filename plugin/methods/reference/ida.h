/* The formulations that IDA integrates: y = (q, v, p, lambda, mu), of which each has its part.
 *
 *   q' - v + W G^T mu = 0
 *   p' - L_q - f + G^T lambda = 0,  p - L_v = 0         where no accelerations are asked for, or
 *   d/dt L_v - L_q - f + G^T lambda = 0                 with the accelerations v'
 *   0 = g,  G v + g_t  or  G v' + ...                   the level of lambda, and g that of mu
 *
 * Momenta as variables leave only first derivatives of L in the equations, and exact second ones in
 * their Jacobian. Newton's systems are reduced to (q, v, lambda, mu): p = L_v is eliminated. */
#ifndef VIDA_METHODS_REFERENCE_IDA_H
#define VIDA_METHODS_REFERENCE_IDA_H

#include "solve/ida.h"
#include "stepper/integration.h"
#include "system/evaluate/equations.h"

typedef enum vida_level { VIDA_AT_POSITION, VIDA_AT_VELOCITY, VIDA_AT_ACCELERATION } vida_level;

/* Places in the reduced matrix of one entry of the KKT pattern's upper left block. */
typedef struct vida_block_slots {
  int entry; /* in the KKT pattern */
  int row, column;
  int by_position, by_velocity; /* of the equations of motion */
  int by_projection;            /* of q': where G^T mu bends; -1 without mu */
} vida_block_slots;

/* The same of one entry of G. */
typedef struct vida_entry_slots {
  int reaction, projection; /* G^T: of lambda and mu */
  int row_position, row_velocity;
  int position_row; /* of the row of mu */
} vida_entry_slots;

typedef struct vida_reference_ida {
  /* What the method is. */
  vida_level level;
  int index;       /* of the system, for messages */
  bool projects;   /* has mu and the rows g = 0 of it */
  bool in_momenta; /* has p */
  /* Options. */
  bool raw, scales_multipliers, suppresses;
  double rtol, first_step;
  double share; /* of a tolerance: IDA divides by all variables, also by those it does not test */

  SUNContext context;
  vida_ida* ida;
  vida_equations* equations;
  vida_pattern pattern;
  vida_block_slots* block;
  int block_count;
  vida_entry_slots* entry;
  int *position_diagonal, *velocity_diagonal; /* n: of q' - v */
  int *lambda_diagonal, *mu_diagonal;         /* m */

  int size, reduced_size;
  int p, lambda, mu; /* places in y; of v: n. In reduced vectors lambda is at 2 n, mu at 2 n + m */

  double* values; /* where all arrays of numbers live */
  double* v;      /* n: at the node; the stepper's v0 */
  double* a;      /* n: at the start */
  double* metric; /* n: W, squares of the sizes of positions */
  /* Sizes, which grow with the motion. */
  int* group;  /* n: the first coordinate of the same unit */
  int* family; /* n: the first component of the same vector, where its size is */
  double *position_size, *speed_size; /* n */
  double* multiplier_size;            /* m */
  double* row_tolerance;              /* m: work */
  bool* is_dependent;                 /* m: rows that are left out */
  int left_out;                       /* how many */
  int kept;                           /* dependent where the motion starts, and not left out */
  double *row_scale, *column_scale;   /* of the reduced matrix */
  double *l_q, *l_v, *force;          /* n: work */
  double *rows, *rate;                /* m: work */
  double *moved_q, *moved_v;          /* n: work */
  double *entries, *slopes, *changes, *turns; /* of G: work; (G v + g_t)_q, and how both change */
  double *l_vv, *l_vq, *hessian; /* KKT pattern: those of the last Jacobian, and work */
  double c;                      /* of the last Jacobian */

  bool must_start; /* IDA has stopped: it begins anew from the node */
  vida_ida_counts counted;
} vida_reference_ida;

/* Pattern and slots (ida_pattern.c). */
int vida__reference_ida_build(const VidaSystem* system, vida_reference_ida* own, VidaError* error);
void vida__reference_ida_release(vida_reference_ida* own);

/* Rows that depend on others (ida_rows.c). Those that `rank` (NULL: none) has found are
 * left out: their multipliers are zero. */
void vida__reference_ida_leave_out(vida_reference_ida* own, vida_rank* rank, int m);
/* Keeps those that depend on others only where the motion starts, at a singular configuration: on
 * the way, where something has moved by a part of its size (pace: 1/s), they do not. */
void vida__reference_ida_settle_rows(VidaIntegration* self, double pace);
/* Multipliers of rows that are left out become zero in y, the others make up for them. */
int vida__reference_ida_begin_rows(VidaIntegration* self, VidaError* error);
/* Multipliers at the node, of the same forces, but of least norm. */
int vida__reference_ida_spread(VidaIntegration* self, VidaError* error);
/* What it means that no step was made from a start where rows are kept. */
int vida__reference_ida_fail_start(VidaIntegration* self, const VidaError* cause, VidaError* error);
/* Fails with RANK_CHANGED where rows that are left out do not hold at the state y. */
int vida__reference_ida_check_rows(VidaIntegration* self, double t, const double* y,
                                   VidaError* error);

/* What IDA evaluates (ida_equations.c); data is a VidaStepper. */
extern const vida_ida_functions vida__reference_ida_functions;

#endif
