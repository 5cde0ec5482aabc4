/* The formulations of system/formulation that IDA integrates, with their scales and tolerances. */
#ifndef VIDA_METHODS_REFERENCE_IDA_H
#define VIDA_METHODS_REFERENCE_IDA_H

#include "solve/ida.h"
#include "stepper/integration.h"
#include "system/constraints/equations.h"
#include "system/formulation/formulation.h"

/* The state of a method that uses IDA. */
typedef struct vida_reference_ida {
  /* The properties of the method. */
  vida_formulation form;
  int index; /* of the system, for messages */
  /* Options. */
  bool raw, scales_multipliers, suppresses;
  double rtol, first_step;
  double share; /* factor of tolerances: IDA averages over all variables, also those that it does
                   not test */

  SUNContext context;
  vida_ida* ida;
  vida_equations* equations;
  double* values; /* memory of the arrays of numbers */
  size_t numbers; /* in it */
  double* v;      /* n: node.v */
  double* a;      /* n: at the start */
  /* Sizes, which grow with the motion. */
  int* family; /* n: first component of the same vector, which holds its size */
  double *position_size, *speed_size; /* n */
  double* multiplier_size;            /* m */
  double* row_tolerance;              /* m: work */
  int left_out;                       /* number of omitted rows */
  int kept; /* number of rows that depend on others at the start, but are not omitted */
  double *row_scale, *column_scale; /* of the reduced matrix */
  double* rate;                     /* m: work */
  bool must_start;                  /* IDA has stopped and must restart from the node */
  vida_ida_counts counted;
} vida_reference_ida;

/* Omits the rows that depend on others, as found by `rank` (NULL: none): their multipliers are zero
 * (ida_rows.c). */
void vida__reference_ida_remove_rows(vida_reference_ida* own, vida_rank* rank, int m);
/* Restores the omitted rows that depend on others only at the start, in a singular configuration:
 * they are independent once the motion has changed positions by a fraction of their size. `rate`
 * (1/s) is the rate of this motion. */
void vida__reference_ida_restore_rows(VidaIntegration* self, double rate);
/* Sets the multipliers of omitted rows to zero in y, and adds their forces to the other
 * multipliers. */
int vida__reference_ida_start_rows(VidaIntegration* self, VidaError* error);
/* Computes the multipliers at the node that have the same forces G^T lambda and the least norm. */
int vida__reference_ida_least_norm(VidaIntegration* self, VidaError* error);
/* Fails because no step from a singular start, at which rows were kept, succeeded. */
int vida__reference_ida_fail_start(VidaIntegration* self, const VidaError* cause, VidaError* error);
/* Fails with RANK_CHANGED if the state y violates omitted rows. */
int vida__reference_ida_check_rows(VidaIntegration* self, double t, const double* y,
                                   VidaError* error);

/* The functions that IDA evaluates (ida_equations.c); `data` is the integration. */
extern const vida_ida_functions vida__reference_ida_functions;

#endif
