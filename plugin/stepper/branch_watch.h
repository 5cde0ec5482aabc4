/* The watch of the motion along its constraints. It rejects steps that jump to another branch of g
 * = 0, and it records singular configurations, in which the constraint Jacobian loses rank.
 *
 * The watch receives the points of a motion in order: the ends of all steps of a method, including
 * an adaptive method's own steps. It scales coordinates by the masses at the start, with equal
 * factors for the components of a vector or quaternion, and constraint rows by their largest
 * gradient so far. Nothing then depends on units, and a vanishing gradient is detected. The watch
 * omits nonholonomic rows, which have no branches, and rows that depended on others at the start,
 * which are redundant. */
#ifndef VIDA_STEPPER_BRANCH_WATCH_H
#define VIDA_STEPPER_BRANCH_WATCH_H

#include "base/inline.h"
#include "stepper/frame.h"

/* A jump of a constraint between two points. */
typedef struct vida_discontinuity {
  int row;        /* -1: none */
  double t, size; /* time and size of the jump */
} vida_discontinuity;

/* Creates a watch; *watch is NULL if there is nothing to watch, which all functions below allow.
 * The watch uses the stepper's node matrix, and each call of vida__watch_follow overwrites its
 * factors. */
int vida__watch_create(VidaStepper* stepper, vida_watch** watch, VidaError* error);
/* Frees a watch and sets *watch to NULL; NULL is allowed. */
void vida__watch_destroy(vida_watch** watch);

/* Starts a motion at (t,q) and deletes all records. */
void vida__watch_start(vida_watch* watch, double t, const double* q);
/* Resets the motion to (t,q), after a step was rejected. */
void vida__watch_return(vida_watch* watch, double t, const double* q);
/* Keeps what has been measured, before steps that may be taken back. */
void vida__watch_keep(vida_watch* watch);
/* Moves the watch to the state (t,q) before these steps, with what had been measured then. */
void vida__watch_take_back(vida_watch* watch, double t, const double* q);
/* Moves the watch to the next point (t,q) of the motion. Fails with VIDA_STEP_NOT_CONVERGED and the
 * flag OTHER_BRANCH if this point cannot be reached from the last one along the constraints, or the
 * flag CONSTRAINT_JUMPS if a constraint jumps between the two points. After a failure the watch
 * stays at the last point. */
int vida__watch_follow(vida_watch* watch, double t, const double* q, VidaError* error);

/* Moves the watch to the point (t,q) within a series of steps, of which the frame checks the last
 * one; p (n): its momenta. Returns false if the series must end here: the watch looks at each
 * point, or rejects this one and will do so again, or the frame has to check the energy. */
bool vida__watch_passes(vida_watch* watch, double t, const double* q, const double* p);

/* Checks the point (t,q) as vida__watch_follow does, but stays at the last point. */
int vida__watch_check(vida_watch* watch, double t, const double* q, VidaError* error);

/* Visits what the watch has measured; NULL is allowed. */
void vida__watch_record(vida_watch* watch, VidaRecord* record);

/* Returns the number of singular configurations that the motion has passed. *t (nullable) receives
 * the time of the first one and *name (nullable) the name of the row that was redundant there.
 * Without one, both do not change. */
long vida__watch_passages(const vida_watch* watch, double* t, const char** name);
/* Returns the jump that stopped the last call of vida__watch_follow; NULL if there was none. */
const vida_discontinuity* vida__watch_jump(const vida_watch* watch);
/* If the last point is nearly singular, returns the name of the row that is redundant there and
 * writes the time to *t; otherwise returns NULL. */
const char* vida__watch_singular(const vida_watch* watch, double* t);

/* ---- internal (branch_watch.c, branch_matrix.c, branch_path.c) ---- */

/* The smallest singular value of at most so many rows is that of a small full matrix. */
enum { VIDA_FEW_ROWS = 4 };

/* The smallest singular value of the scaled rows at the last two points where it was measured, and
 * the singular configurations that the motion has passed. */
typedef struct vida_singularity {
  double t, value, t_before, value_before, largest;
  int count;
  bool is_passing; /* the motion is still near the configuration that it passed last */
  long passages;
  double first_t;
  int first_row;
} vida_singularity;

/* The state of a watch. */
struct vida_watch {
  VidaStepper* stepper;
  vida_evaluator evaluator; /* separate, because a failed check is not a failure of the step */
  bool is_smooth;           /* no constraint can jump or have a kink */
  bool is_broken;           /* some constraint may jump where its gradient does not turn */
  bool may_jump;            /* constraints are relaxed, so the motion can reach other branches */
  bool is_blind;            /* no point so far could be evaluated */
  double* block;            /* memory of the arrays below */
  bool* is_in;              /* m: rows that are watched */
  int row_count;            /* number of watched rows */
  int run_count;            /* number of runs of entries of G in the same row */
  int* run_row;             /* run_count: the row of a run */
  int* run_end;             /* run_count: the entry after its last one */
  double *root, *inverse;   /* n: square roots of the scaling masses, and their reciprocals */
  /* The last point of the motion, and the next one. */
  double t;
  double *q, *q_next;      /* n each */
  double *entries, *ahead; /* entries of G at both points */
  double* size;            /* m: largest squared gradient so far */
  double bend;     /* largest ratio so far of a squared turn to the squared distance of its step */
  double last_way; /* largest squared distance of a point from the one before it */
  /* The last point that was looked at, and how much farther gradients may turn from there before
   * the next look, relative to VIDA_HARDLY_TURNED. */
  double* seen; /* n */
  double room;
  double *g, *g_next;       /* m: g at both points, if constraints can jump */
  double *rate, *rate_next; /* m: g_t at both points, if the system depends on time */
  vida_discontinuity jump;  /* the jump that stopped the motion after the last point */
  double* length;           /* m: largest lengths so far of the rows of G M^(-1/2) */
  vida_singularity singularity;
  vida_singularity kept; /* before steps that may be taken back */
  double* dependence; /* m: unit vector z for which |B^T z| is about the smallest singular value */
  double* dependence_before; /* m: that of the last measurement */
  double* measured;          /* n: point of the last measurement */
  double* between;           /* entries of G: work space */
  double* difference;        /* entries of G: work space */
  /* Work space for the path from one point to the next. */
  double *x, *y, *step;  /* n */
  double *g_from, *g_to; /* m: violations at both ends of the path */
  double* rows;          /* m */
  double* side;          /* n + m */
  double* normal;        /* m x m and m x n for few rows: factors of B B^T, and B */
  bool is_normal;        /* they are those of the matrix that was factored last */
};

/* Assembles and factors the matrix of G (entries) with unit masses and scaled rows, for paths and
 * for vida__watch_value. Returns 0 or VIDA_STEP_SINGULAR. */
int vida__watch_factor(vida_watch* watch, const double* entries);
/* Factors the matrix of G (entries) for vida__watch_value only. Returns 0 or VIDA_STEP_SINGULAR. */
int vida__watch_prepare_value(vida_watch* watch, const double* entries);
/* Returns the smallest singular value of the scaled rows of the matrix that was factored last. */
double vida__watch_value(vida_watch* watch);
/* Updates watch->length, the largest lengths of rows so far. */
void vida__watch_lengths(vida_watch* watch, const double* entries);
/* Measures how close to singular the last factored matrix is (is_singular: it could not be
 * factored), which belongs to (t,q), and records what the motion has passed. Returns true if
 * another matrix has been factored meanwhile. */
bool vida__watch_measure(vida_watch* watch, double t, const double* q, bool is_singular);
/* Returns whether a row of g jumps on the straight line from the last point to (t,q_next), whose G
 * is in `ahead`, and records the jump in watch->jump (discontinuity.c). */
bool vida__watch_finds_jump(vida_watch* watch, double t);
/* Returns whether a row of g jumps on the straight line from the last point to (t,q), which need
 * not be a point of the motion (branch_watch.c). */
bool vida__watch_probe_jump(vida_watch* watch, double t, const double* q);
/* Returns whether (t,q_next) can be reached from the last point along the constraints. The path
 * consists of steps that are short enough to decide this; `turn` is the turn of the gradients
 * between the two points. */
bool vida__watch_can_reach(vida_watch* watch, double t, double turn);

/* ---- short ways, without calls: they are checked after each step ---- */

/* Relative to the largest singular value so far: below it the motion is followed step by step. */
#define VIDA_NEAR_SINGULAR 0.2
/* A step that is far longer than the last one may be an error: factor of its squared distance. */
#define VIDA_THROWN_FACTOR 100.0

static inline bool vida__is_near_singular(const vida_singularity* at) {
  return at->count > 0 && at->value < VIDA_NEAR_SINGULAR * at->largest;
}

/* Returns the squared distance between two points (n). */
VIDA_ALWAYS_INLINE double vida__watch_way(const vida_watch* watch, const double* restrict from,
                                          const double* restrict to, int n) {
  const double* restrict root = watch->root;
  double even = 0.0, odd = 0.0;
  for (int i = 0; i + 1 < n; i += 2) {
    const double first = root[i] * (to[i] - from[i]);
    const double second = root[i + 1] * (to[i + 1] - from[i + 1]);
    even += first * first;
    odd += second * second;
  }
  const double last = n % 2 == 1 ? root[n - 1] * (to[n - 1] - from[n - 1]) : 0.0;
  return even + odd + last * last;
}

/* Returns whether the watch looks at each point of the motion. */
static inline bool vida__watch_looks_always(const vida_watch* watch) {
  return !(watch->bend > 0.0) || watch->is_broken ||
         watch->stepper->self.model.system->time_dependent ||
         vida__is_near_singular(&watch->singularity);
}

/* Returns whether gradients hardly turn on a way of this squared length from the point that was
 * looked at, if they bend at most as much as ever so far. */
static inline bool vida__watch_allows(vida_watch* watch, double way) {
  if (way > VIDA_THROWN_FACTOR * watch->last_way ||
      !(watch->bend * way < watch->room * VIDA_HARDLY_TURNED)) {
    return false;
  }
  watch->last_way = way > watch->last_way ? way : watch->last_way;
  return true;
}

/* Returns whether gradients hardly turn from the last point to q (n) if, from the point that was
 * looked at, they bend at most as much as ever so far: angles add up. This holds after most steps.
 */
VIDA_ALWAYS_INLINE bool vida__watch_is_at_hand(vida_watch* watch, const double* q, int n) {
  if (vida__watch_looks_always(watch)) {
    return false;
  }
  return vida__watch_allows(watch, vida__watch_way(watch, watch->seen, q, n));
}

#endif
