/* The run that errors are measured against: made once, kept at the times that runs ask for. */
#ifndef VIDA_STUDY_REFERENCE_REFERENCE_H
#define VIDA_STUDY_REFERENCE_REFERENCE_H

#include "study/run/time_loop.h"
#include "study/study.h"

struct vida_reference {
  VidaOptions* options; /* NULL where the solution is known otherwise */
  int candidate;        /* of those that are tried when no method is told; -1: one is told */
  VidaKnownSolution known;
  void* known_data; /* what of it is ours, freed with free() */
  vida_time_grid grid;
  bool adaptive;  /* chooses its own steps: those of the grid are where it is looked at */
  bool automatic; /* and its grid is made to fit the runs */
  int order;      /* of the method */
  char text[VIDA_MESSAGE_SIZE]; /* "energy-momentum, h = 0.0001 s" or "ida-ggl, rtol = 1e-10" */
  double position_error;        /* its own, estimated; NaN when not */
  double extent;                /* the largest distance from the start, of what is measured */
  bool is_rough;                /* its own error is as large as the motion */
  double passed_t;              /* since when it has passed over forces; NaN: it has not */
  /* States kept, n numbers each, by the number of steps after which they were reached. */
  long states;
  long* steps;
  double *q, *v;
  /* Multipliers kept, m numbers each, by the time they belong to. */
  long multiplier_count;
  double* multiplier_t;
  double* multipliers;
};

/* One of a known solution, whose grid is still to be chosen. */
int vida__create_known_reference(const VidaKnownSolution* solution, vida_reference** reference,
                                 VidaError* error);
int vida__create_reference(const VidaStudy* study, const VidaOptions* method,
                           vida_reference** reference, VidaError* error);
/* Makes it the reference of the study, which then owns it; on failure it is destroyed. */
int vida__adopt_reference(VidaStudy* study, vida_reference* reference, VidaError* error);
void vida__destroy_reference(vida_reference** reference);
/* Makes the reference solution, keeps what the study's runs need of it, and estimates its error.
 * Fails with VIDA_STEP_NOT_CONVERGED where that is as large as the motion. */
int vida__make_reference(VidaStudy* study, const VidaObserver* observer, VidaError* error);

/* *extent: the largest distance of the measured coordinates from the start so far. */
void vida__widen_extent(const VidaStudy* study, const vida_march* march, double* extent);
/* Estimates reference->position_error from a second solution, and whether it is rough. That nothing
 * can be said about the reference is no reason to do without it: only a request to stop is passed
 * on. */
int vida__estimate_reference(VidaStudy* study, const VidaObserver* observer, vida_deadline deadline,
                             VidaError* error);

/* Whether a known solution tells the two sides of a jump at t apart. */
bool vida__knows_sides(const vida_reference* reference, double t);

/* Index of the state kept after `step` steps, -1 when it is not kept. *cursor begins at 0 and only
 * moves forward, as runs do. */
long vida__find_state(const vida_reference* reference, long step, long* cursor);
/* The reference's multipliers at time t, linear between those kept; false when t is more than one
 * step away from them, or they are not known there. Where there are two at one time, at a jump,
 * those of its earlier side unless `is_later`. */
bool vida__reference_multipliers(const vida_reference* reference, int m, double t, bool is_later,
                                 long* cursor, double* multipliers);

#endif
