/* The state of distance_steps.h, shared by its two files: the history of calm steps
 * (distance_steps.c), and the steps themselves (distance_equations.c). */
#ifndef VIDA_STEPPER_DISTANCE_STATE_H
#define VIDA_STEPPER_DISTANCE_STATE_H

#include "base/inline.h"
#include "solve/kinsol_newton.h"
#include "stepper/chain_matrix.h"
#include "stepper/distance_steps.h"
#include "system/constraints/distances.h"

/* Steps whose unknowns are known when a calm step begins, of which its guess is an extrapolation.
 */
enum { VIDA_PAST_STEPS = 4 };
/* The guesses of steps along means (distance_energy.h). */
enum { VIDA_EXTRAPOLATIONS = 3 };
/* A constraint. Points are coordinates of their first components; `first` of a distance from a
 * place is behind the last coordinate, where velocities are zero. */
typedef struct vida_distance_row {
  int first, second;
  double factor;              /* c */
  double by_first, by_second; /* 1 / mass of the points; 0: a place */
} vida_distance_row;

/* The unknowns of a step: w (n, and zeros for places) and mu (m). */
typedef struct vida_step_unknowns {
  double *w, *mu;
} vida_step_unknowns;

/* Numbers of iterations and evaluations since the start. */
typedef struct vida_calm_counts {
  long iterations, residuals, jacobians;
} vida_calm_counts;

struct vida_distance_steps {
  vida_distances distances;
  vida_chain_matrix matrix;
  vida_kinsol* kinsol; /* makes Newton's iterations; NULL: a loop of distance_equations.c */
  double left;         /* the last residual that KINSOL has asked for, relative to its terms */
  bool is_used;        /* in this motion */
  bool is_chain;       /* row r connects point r to point r - 1, or a place to point 0 */
  bool has_uniform_force;
  bool has_force;     /* `force` is that at the node */
  bool lacks_momenta; /* p is not that of the node yet: within a series, for methods with a history
                       */
  bool is_current;    /* past[] are the last steps */
  int known;          /* number of steps in past[]; the others continue their polynomial */
  bool is_ahead;      /* some of them are not yet in the general history */
  bool has_sizes;
  int extrapolation; /* index of the next guess of steps along means (distance_energy.h) */
  long resumes;      /* the step before which no calm step is tried */
  long patience;     /* the number of steps before the next try, if this one fails */
  vida_calm_counts counts;
  vida_distance_row* rows;                  /* m */
  vida_step_unknowns past[VIDA_PAST_STEPS]; /* the last steps; 0: the last one */
  vida_step_unknowns next;                  /* the step that is made */
  double* inverse;                          /* n: 1 / mass */
  double* unconstrained;                    /* n: w without constraint forces */
  double* force;                            /* n: at the node */
  double* reaction;       /* n: G^T mu at the start of the step, for methods with a history */
  double* v;              /* n, and zeros: velocities of a projection */
  double *d, *d_before;   /* m x dimension: differences of the points at the last two nodes */
  double* ahead;          /* m x dimension: d at the end of the step */
  double* mean;           /* m x dimension: mean of both, for steps along means, and */
  double* turned;         /* m x dimension: its change in the last iteration */
  double* rest;           /* m: g / h at the node */
  double* residual;       /* m: g / h at the end of the step */
  double* size;           /* m: of its terms */
  double* momentum;       /* m: of the terms of the momenta of its points, the smaller one */
  double* correction;     /* m */
  double *nu, *nu_before; /* m: impulses of the last two projections */
  double* block;          /* memory of the arrays above */
  /* The state before the last call, to take its steps back. */
  double* kept; /* all numbers that change, one after the other, and their places */
  vida_step_unknowns kept_past[VIDA_PAST_STEPS], kept_next;
  double *kept_d, *kept_d_before, *kept_nu, *kept_nu_before;
  bool kept_current, kept_ahead, kept_sizes, kept_tracked;
  int kept_known;
  vida_calm_counts kept_counts;
  int kept_extrapolation;
  int kept_count; /* of the general history */
};

/* Numbers of coordinates, of constraints, and of components of a distance. In a chain each row
 * connects the next point to the one before it, and the first row a point to a place. */
typedef struct vida_shape {
  int n, m, dimension;
  bool is_chain;
} vida_shape;

/* A part of the rows and of the coordinates, which a pass goes through: row .. row_end - 1, and
 * at .. end - 1. */
typedef struct vida_part {
  int row, row_end, at, end;
} vida_part;

VIDA_ALWAYS_INLINE vida_part whole_of(vida_shape of) {
  return (vida_part){0, of.m, 0, of.n};
}

enum { PART_ROWS = 64 }; /* whose numbers are in the cache together */

/* Returns whether passes go through the shape part by part. Those of a long chain do, so that all
 * of them find the numbers of a part in the cache. The last point of a part is complete with the
 * first row of the next one. */
VIDA_ALWAYS_INLINE bool has_parts(vida_shape of) {
  return of.is_chain && of.m > PART_ROWS;
}

/* Returns the part that begins with a row. */
VIDA_ALWAYS_INLINE vida_part part_from(int row, vida_shape of) {
  const int end = row + PART_ROWS < of.m ? row + PART_ROWS : of.m;
  return has_parts(of) ? (vida_part){row, end, row * of.dimension, end * of.dimension}
                       : whole_of(of);
}

/* Returns the end of the rows whose points are complete after a part. */
VIDA_ALWAYS_INLINE int complete_rows(vida_part part, vida_shape of) {
  return part.row_end < of.m ? part.row_end - 1 : of.m;
}

/* Return the coordinates of the points of row r, which is `at`. */
VIDA_ALWAYS_INLINE int first_of(const vida_distance_row* at, int r, vida_shape of) {
  return !of.is_chain ? at->first : r > 0 ? (r - 1) * of.dimension : of.n;
}

VIDA_ALWAYS_INLINE int second_of(const vida_distance_row* at, int r, vida_shape of) {
  return of.is_chain ? r * of.dimension : at->second;
}

/* Makes at most `most` calm steps, as vida__make_calm_steps does, with the past steps in own->past
 * (distance_equations.c). */
long vida__make_distance_steps(VidaIntegration* self, long most, bool* is_broken);
/* Returns the equations of a step, for KINSOL (distance_equations.c). */
vida_kinsol_equations vida__distance_step_equations(VidaIntegration* self);
/* Computes own->size at the node (distance_equations.c). */
void vida__measure_distance_sizes(VidaIntegration* self);
/* Computes d at the node from the compensated positions (distance_equations.c). */
void vida__find_distance_vectors(VidaIntegration* self);

/* Computes own->past from the general history, which must have VIDA_PAST_STEPS steps
 * (distance_steps.c). */
void vida__take_calm_history(VidaIntegration* self);
/* Computes the general history from own->past (distance_steps.c). */
void vida__give_calm_history(VidaIntegration* self);
/* Sets self->implicit.entries0 to the entries of G at the last node but one, which a general step
 * compares with those at its node (distance_steps.c). */
void vida__give_calm_entries(VidaIntegration* self);

#endif
