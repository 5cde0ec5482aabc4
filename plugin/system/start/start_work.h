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
  double* size;     /* m: sum |G| |x|, against which a residual is judged */
  double* floor;    /* m: sum |G| |x| at the start of the level, a scale for the residual of values
                       that a projection has made small */
  double* step;     /* n + m: right side and solution */
  double* entries;  /* of G */
  double* flat;     /* of G: work, without what is held */
  double* mass;     /* n */
  bool moves_defaults; /* default velocities are computed like free ones */
  double least;        /* the least size of a value, in the mass norm: see vida__least_size */
  double* compliance;  /* m: diagonal of G M^-1 G^T at the point of the last step */
  vida_rank* rank;     /* NULL until it is needed */
} vida_start_work;

/* The initial value of a component: from the options, otherwise from the coordinate. */
VidaInitial vida__initial_of(const vida_start_work* work, vida_start_level which, int i);

/* Writes a residual with its unit: "0.001 m", "0.001 m/s" for velocities; for rods |d - l|. */
const char* vida__residual_text(const VidaSystem* system, vida_start_level which, int row,
                                double value, char text[2 * VIDA_REAL_TEXT_SIZE]);
/* Appends the free components that were computed. */
void vida__note_free(const vida_start_work* work, vida_start_level which, const double* x,
                     char* notes);
/* Appends a note if the constraints do not determine all free components, about the solution that
 * was taken. */
void vida__note_undetermined(const vida_start_work* work, vida_start_level which, int rank,
                             const bool* held, char* notes);

#endif
