/* The watch of the motion along its constraints: it rejects steps that jump to another branch of g
 * = 0, and records singular configurations, in which the constraint Jacobian loses rank.
 *
 * The watch receives the points of a motion, one after the other: the ends of all steps of a
 * method, also those between nodes. Coordinates are scaled by the masses of the start, equal for
 * all components of a vector or quaternion, and constraint rows by their largest gradient so far,
 * so that nothing depends on units and a vanishing gradient is noticed. Nonholonomic rows have no
 * branches, and rows that depended on others at the start are redundant: both are omitted. */
#ifndef VIDA_STEPPER_BRANCH_WATCH_H
#define VIDA_STEPPER_BRANCH_WATCH_H

#include "stepper/frame.h"

/* A jump of a constraint between two places. */
typedef struct vida_discontinuity {
  int row; /* -1: none */
  double t, size;
} vida_discontinuity;

/* *watch is NULL where there is nothing to watch; the functions below then do nothing. It uses the
 * stepper's node matrix, whose factors are lost in each call of Follow. */
int vida__watch_create(VidaStepper* stepper, vida_watch** watch, VidaError* error);
void vida__watch_destroy(vida_watch** watch);

/* The motion begins at (t,q); what was found before is forgotten. */
void vida__watch_start(vida_watch* watch, double t, const double* q);
/* The motion was put back to (t,q). */
void vida__watch_return(vida_watch* watch, double t, const double* q);
/* The motion has reached (t,q). Fails with VIDA_STEP_NOT_CONVERGED and the flag OTHER_BRANCH if
 * this point cannot be reached from the last one along the constraints, and with CONSTRAINT_JUMPS
 * if a constraint jumps between the two; the watch then stays at the last point. */
int vida__watch_follow(vida_watch* watch, double t, const double* q, VidaError* error);

/* Checks a point as Follow does, without moving there. */
int vida__watch_look(vida_watch* watch, double t, const double* q, VidaError* error);

/* The number of singular configurations that were passed; the time of the first one, and the row
 * that was redundant there (both nullable, unchanged if there was none). */
long vida__watch_passages(const vida_watch* watch, double* t, const char** name);
/* The row that jumped in the last attempt, or NULL. */
const vida_discontinuity* vida__watch_jump(const vida_watch* watch);
/* The row that is redundant at the last point (at *t), if that is nearly singular; otherwise NULL.
 */
const char* vida__watch_singular(const vida_watch* watch, double* t);

/* ---- inside (branch_watch.c, branch_path.c) ---- */

/* The smallest singular value of the scaled rows, at the last two places where it was
 * measured, and the largest so far; what was passed. */
typedef struct vida_singularity {
  double t, value, t_before, value_before, largest;
  int count;
  bool is_passing; /* still near the configuration that was passed */
  long passages;
  double first_t;
  int first_row;
} vida_singularity;

struct vida_watch {
  VidaStepper* stepper;
  vida_evaluator evaluator; /* its own: a failed look is no failure of the step */
  bool may_jump;            /* constraints are relaxed: other branches can be reached */
  bool is_blind;            /* no place yet, or none that can be evaluated */
  double* block;            /* where the arrays below live */
  bool* is_in;              /* m: rows that count */
  int row_count;            /* how many */
  double *root, *inverse;   /* n: roots of those masses, and 1 by them */
  /* The last place, and the one that is looked at. */
  double t;
  double *q, *q_next;       /* n */
  double *entries, *ahead;  /* of G there */
  double* size;             /* m: squares of the largest gradients so far */
  double bend;              /* the largest square of a turn so far, by that of the way it took */
  double last_way;          /* the square of the way of the last step */
  double *g, *g_next;       /* m: g there */
  double *rate, *rate_next; /* m: and g_t, of systems that depend on time */
  vida_discontinuity jump;  /* the jump that stopped the motion since the last point */
  double* length;           /* m: lengths of rows of G M^(-1/2) so far */
  vida_singularity singularity;
  double* dependence; /* m: how rows depend on each other there */
  double* measured;   /* n: the last of these places */
  double* between;    /* entries of G: work */
  /* Work space for the path from one point to the next. */
  double *x, *y, *step;  /* n */
  double *g_from, *g_to; /* m: violations at its ends */
  double* rows;          /* m */
  double* side;          /* n + m */
};

/* Makes and factors the matrix of G (entries) at unit masses and scaled rows. 0 or
 * VIDA_STEP_SINGULAR.
 */
int vida__watch_factor(vida_watch* watch, const double* entries);
/* Measures how near to a singular configuration the matrix that was factored last is, or could not
 * be (is_singular), which belongs to (t,q), and notes what the motion has passed. True: it is no
 * longer the last one. */
bool vida__watch_measure(vida_watch* watch, double t, const double* q, bool is_singular);
/* Whether a row of g jumps on the straight way from the last place to (t,q_next), whose G is in
 * `ahead`: then it is noted in watch->jump (discontinuity.c). */
bool vida__watch_finds_jump(vida_watch* watch, double t);
/* Whether a row of g jumps on the straight line from the last point to (t,q), which need not be a
 * point of the motion (branch_watch.c). */
bool vida__watch_probe_jump(vida_watch* watch, double t, const double* q);
/* Whether (t,q_next) can be reached from the last place along the constraints, in steps small
 * enough to be sure, which are measured; `turn` is that between the two. */
bool vida__watch_can_reach(vida_watch* watch, double t, double turn);

#endif
