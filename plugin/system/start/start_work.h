/* Work on a start (initial.c), and what is said of it (start_notes.c). */
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
  double* q;           /* n, the caller's */
  double* v;           /* n, the caller's */
  double* given;       /* n: what was asked for, before given values move */
  double* trial;       /* n */
  double* residual;    /* m */
  double* size;        /* m: sum |G| |x|, against which a residual is judged */
  double* floor;       /* m: the same where the level began; what is left of values that a
                          projection has made small is judged against it */
  double* step;        /* n + m: right side and solution */
  double* entries;     /* of G */
  double* flat;        /* of G: work, without what is held */
  double* mass;        /* n */
  bool moves_defaults; /* velocities that nobody has given are found like free ones */
  double least;        /* no value is judged by less, in the mass norm: see vida__least_size */
  double* compliance;  /* m: diagonal of G M^-1 G^T where the last step was found */
  vida_rank* rank;     /* NULL until it is needed */
} vida_start_work;

/* What a component begins with: what the options say, else the coordinate. */
VidaInitial vida__initial_of(const vida_start_work* work, vida_start_level which, int i);

/* A residual with its unit: "0.001 m", of velocities "0.001 m/s"; of rods |d - l|. */
const char* vida__residual_text(const VidaSystem* system, vida_start_level which, int row,
                                double value, char text[2 * VIDA_REAL_TEXT_SIZE]);
/* Appends the free components that were found. */
void vida__note_free(const vida_start_work* work, vida_start_level which, const double* x,
                     char* notes);
/* More free components than the constraints determine: which of the solutions was taken is told. */
void vida__note_undetermined(const vida_start_work* work, vida_start_level which, int rank,
                             const bool* held, char* notes);

#endif
