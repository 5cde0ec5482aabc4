/* The reference of a study: computed once, and stored at the times at which runs are compared. */
#ifndef VIDA_STUDY_REFERENCE_REFERENCE_H
#define VIDA_STUDY_REFERENCE_REFERENCE_H

#include <limits.h>

#include "base/record.h"
#include "study/study.h"
#include "study/time/time_loop.h"

/* A reference. */
struct vida_reference {
  VidaOptions* options; /* NULL for a known solution */
  int candidate; /* index of the method that an automatic reference tries; -1: the user set the
                    method */
  VidaKnownSolution known;
  void* known_data; /* the part of `known` that the reference owns, freed with free() */
  vida_time_grid grid;
  bool adaptive;  /* the method chooses its own steps; the steps of the grid are output intervals */
  bool automatic; /* adaptive, and the grid is chosen to fit the runs */
  int order;      /* of the method */
  char text[VIDA_MESSAGE_SIZE]; /* "energy-momentum, h = 0.0001 s" or "ida-ggl, rtol = 1e-10" */
  double position_error;        /* own estimated error; NaN: not estimated */
  double extent;                /* largest distance from the start, in the measured coordinates */
  bool is_rough;                /* its error is as large as the motion */
  bool is_kept;                 /* made by an earlier process: it is not computed again */
  double passed_t;              /* time since which steps have missed forces; NaN: none missed */
  double ended_t;               /* time of the event that has ended the motion; NaN: none has */
  vida_event_list events;
  /* Stored states, n numbers each, with the numbers of steps after which they were reached. */
  long states;
  long* steps;
  double *q, *v;
  /* Stored multipliers, m numbers each, with their times. */
  long multiplier_count;
  double* multiplier_t;
  double* multipliers;
};

/* The number of steps of the state at the event that has ended the motion: the last one, and at no
 * time of the grid. */
#define VIDA_END_BY_EVENT LONG_MAX

/* Creates the reference of a known solution; its grid is chosen later. */
int vida__create_known_reference(const VidaKnownSolution* solution, vida_reference** reference,
                                 VidaError* error);
/* Creates the reference of a method with its options. */
int vida__create_reference(const VidaStudy* study, const VidaOptions* method,
                           vida_reference** reference, VidaError* error);
/* Makes `reference` the reference of the study, which then owns it. Destroys it on failure. */
int vida__set_reference(VidaStudy* study, vida_reference* reference, VidaError* error);
/* Makes the reference an automatic one of the candidate with this index. */
int vida__choose_candidate(const VidaStudy* study, int candidate, VidaError* error);
/* Returns the number of states of the reference that the runs need. */
long vida__needed_states(const VidaStudy* study);
/* Allocates them, without those of an earlier run of the study. */
int vida__reserve_states(const VidaStudy* study, VidaError* error);
/* Appends the solution of the reference to a record. */
void vida__put_reference(const VidaStudy* study, vida_record* record);
/* Reads a solution that vida__put_reference wrote in an earlier process. The next VidaStudy_Run
 * uses it. Fails with VIDA_INPUT_OUTPUT, and the reference is computed again, if the record does
 * not fit. */
int vida__get_reference(VidaStudy* study, vida_record* record, VidaError* error);
/* Frees a reference and sets *reference to NULL; NULL is allowed. */
void vida__destroy_reference(vida_reference** reference);
/* Computes the reference solution, stores what the runs need, and estimates its error. Fails with
 * VIDA_STEP_NOT_CONVERGED if the error is as large as the motion. */
int vida__make_reference(VidaStudy* study, const VidaObserver* observer, VidaError* error);

/* Makes the solutions of the reference from the starts of the runs that have their own, in parallel
 * if the study makes its runs so. A failed one leaves its runs without errors; the function fails
 * only if the user stops it, or without memory. */
int vida__make_start_references(VidaStudy* study, const VidaObserver* observer, VidaError* error);
/* Writes the largest of their own errors to the reference of the study. */
void vida__sum_up_start_references(VidaStudy* study);
/* Frees these solutions. */
void vida__destroy_start_references(VidaStudy* study);
/* Returns whether a run has a start of its own and should be compared with a solution from it,
 * which could not be found. */
bool vida__lacks_reference(const VidaStudy* study, const vida_run* run);

/* Updates *extent, the largest distance of the measured coordinates from the start, with the
 * current state. */
void vida__update_extent(const VidaStudy* study, const vida_time_loop* loop, double* extent);
/* Estimates reference->position_error from a second solution, and sets is_rough. A failure to
 * estimate it does not make the reference invalid: the function fails only if the user stops it. */
int vida__estimate_reference(VidaStudy* study, const VidaObserver* observer, vida_deadline deadline,
                             VidaError* error);

/* Returns whether a known solution distinguishes the two sides of a jump at t. */
bool vida__has_one_sided_states(const vida_reference* reference, double t);

/* Gives the unit quaternions of a state (q, v) the sign that is nearer to the positions `now`: both
 * signs are the same orientation. */
void vida__choose_signs(const VidaSystem* system, const double* now, double* q, double* v);
/* Returns the time of a stored state. */
double vida__reference_time(const vida_reference* reference, long state);
/* Returns the index of the state stored after `step` steps; -1 if there is none. *cursor is 0 at
 * first and only increases, as steps do. */
long vida__find_state(const vida_reference* reference, long step, long* cursor);
/* Computes the multipliers (m) of the reference at the time t by linear interpolation. At a jump,
 * which has two, returns those of the earlier side unless `is_later`. Returns false if t is more
 * than one step from the stored multipliers, or if they are not known there. *cursor is 0 at first
 * and only increases. */
bool vida__reference_multipliers(const vida_reference* reference, int m, double t, bool is_later,
                                 long* cursor, double* multipliers);

#endif
