/* Internal data and functions of a VidaFormulation. */
#ifndef VIDA_EMBED_FORMULATION_H
#define VIDA_EMBED_FORMULATION_H

#include <vida/sundials.h>

#include "system/constraints/state_projection.h"
#include "system/formulation/formulation.h"

struct VidaFormulation {
  VidaFormulationKind kind;
  const VidaSystem* system;
  SUNContext context; /* the caller's */
  int n, m, size;
  bool is_started;
  double t;           /* s: time of the start, for POSITIONS */
  double motion_rate; /* 1/s: the rate at which the motion of the start changes by its size */
  vida_evaluator evaluator;
  vida_formulation form;     /* the DAE; for ODE that of index 1, for the Jacobian */
  vida_equations* equations; /* accelerations and multipliers */
  vida_linear* linear;       /* KKT matrix, for multipliers without dependent rows; not for ODE */
  SUNContext own_context;    /* of `linear` */
  vida_projector* projector; /* for ODE with constraints; else NULL */
  vida_state_projection projection;
  vida_pattern pattern; /* of the caller's matrix; except for ODE, that of `form` */
  double* values;       /* of `pattern` */
  double* mass;         /* KKT pattern: M(q0), for POSITIONS */

  /* The first coordinate (n) and the first row (m) with the same unit. */
  int *unit_group, *row_group;

  double* block;           /* memory of the arrays below */
  double* position_size;   /* n: sizes of positions and velocities, one for each unit */
  double* speed_size;      /* n */
  double* multiplier_size; /* m */
  double* value_size;      /* m: see vida_state_projection */
  double* rate_size;       /* m: the largest rate of a coordinate of the row, 1/s */
  double *q, *v, *a;       /* n */
  double* lambda;          /* m */
  double* step;            /* n + m: work, right-hand sides and solutions */
  double *given, *dq, *dv; /* n: work of the projection */
  double *g, *rate;        /* m: work of the projection */
  double *state, *motion;  /* 2 n + m and 2 n + 2 m: y and y' of index 1, for the Jacobian of ODE */
  double* columns;         /* form.pattern.entries: the matrix of `form`, for ODE */
  VidaError last;          /* of the last function that an integrator called */
};

/* The use of a formulation, which depends on its kind. */
typedef enum vida_use { VIDA_USE_RESIDUAL, VIDA_USE_RATE, VIDA_USE_POSITIONS } vida_use;
/* Fails with VIDA_WRONG_ORDER unless the last VidaFormulation_Start succeeded. */
int vida__require_formulation_start(const VidaFormulation* self, VidaError* error);
/* Writes the arrays of `count` vectors to `arrays`. Records a failure if the formulation has
 * another use or has not been started, if a vector has no array or another length than y, and if
 * two of them are the same vector. */
int vida__take_arrays(VidaFormulation* self, vida_use use, int count, const N_Vector* vectors,
                      double** arrays);
/* Returns `code`, or, if it is 0 and one of the values (count) is not finite, VIDA_NOT_FINITE. */
int vida__check_finite(const double* values, int count, int code);
/* Sets form.is_dependent from the rank that the equations have found. */
void vida__mark_dependent(VidaFormulation* self);
/* Does what VidaFormulation_Start does for POSITIONS, with q0 in self->q; y (n + m) receives (q0,
 * 0). */
int vida__start_positions(VidaFormulation* self, double t, double* y, VidaError* error);
/* Records the failure `code` of a function that an integrator called, with the message of
 * `evaluator` if it has one. The code 0 clears the record. Returns `code`. */
int vida__note_failure(VidaFormulation* formulation, const vida_evaluator* evaluator, int code);
/* Records a wrong argument. Returns VIDA_BAD_ARGUMENT. */
int vida__note_bad_argument(VidaFormulation* formulation, const char* message);
/* Copies formulation->values to a dense matrix or to a sparse matrix by columns. Records a failure
 * for a matrix of another kind or size. */
int vida__store_matrix(VidaFormulation* formulation, SUNMatrix matrix);

#endif
