/* Work space for a start (initial.c), and its notes (start_notes.c). */
#ifndef VIDA_SYSTEM_START_START_WORK_H
#define VIDA_SYSTEM_START_START_WORK_H

#include <stdbool.h>

#include "base/linear.h"
#include "base/text.h"
#include "system/constraints/rank.h"
#include "system/evaluate/evaluate.h"

typedef enum vida_start_level { VIDA_POSITIONS, VIDA_VELOCITIES } vida_start_level;

typedef struct vida_start_work {
  vida_evaluator evaluator;
  SUNContext context;
  vida_linear* linear;
  const VidaSystem* system;
  const VidaStartOptions* options;
  double t;
  double* q;        /* n, the caller's */
  double* v;        /* n, the caller's */
  double* given;    /* n: the given values, before any of them moves */
  double* trial;    /* n */
  double* residual; /* m */
  double* size;     /* m: sum |G| |x|, with which a residual is compared */
  double* floor;    /* m: sum |G| |x| at the start of the level, a scale for the residual of values
                       that a projection made small */
  double* step;     /* n + m: right-hand side and solution */
  double* entries;  /* of G */
  double* flat;     /* of G: work, with 0 for held values */
  double* mass;     /* n */
  double* matrix;   /* work, entries of the KKT pattern */
  bool moves_defaults; /* default velocities are computed like free ones */
  double least;        /* vida__least_size of the values */
  double* compliance;  /* m: diagonal of G M^-1 G^T at the point of the last step */
  vida_rank* rank;     /* NULL until it is needed */
} vida_start_work;

/* Returns the initial value of a component, from the options or else from the coordinate. */
VidaInitial vida__initial_of(const vida_start_work* work, vida_start_level which, int i);

/* Writes a residual with its unit: "0.001 m", or "0.001 m/s" for velocities; for a rod, | |d| - l
 * |. */
const char* vida__residual_text(const VidaSystem* system, vida_start_level which, int row,
                                double value, char text[2 * VIDA_REAL_TEXT_SIZE]);
/* Appends a note on the free components that were computed. */
void vida__note_free(const vida_start_work* work, vida_start_level which, const double* x,
                     char* notes);
/* If the constraints do not determine all free components, appends a note on the chosen
 * solution. */
void vida__note_undetermined(const vida_start_work* work, vida_start_level which, int rank,
                             const bool* held, char* notes);

/* ---- sizes (start_sizes.c) ---- */

/* Returns the largest change of a value of x (n) relative to the largest value of its unit,
 * without changes that are rounding beside the values of all units; *index receives its index. */
double vida__measure_start_change(const vida_start_work* work, const double* x, int* index);
/* Adds to work->floor the largest velocity of each unit, since a rod with ends at rest has no size
 * of its own. */
void vida__add_common_velocity(vida_start_work* work, const double* x);
/* Finds the least size of all values and the masses, for the current entries of G. */
void vida__find_least_size(vida_start_work* work, vida_start_level which, const double* x);
/* Adds to work->floor the least size that was found, since rows of values that are 0, and whose
 * unit has no other value, have no size of their own. */
void vida__add_least_size(vida_start_work* work);

#endif
