/* What is measured along one run. */
#ifndef VIDA_STUDY_MEASURE_MONITORS_H
#define VIDA_STUDY_MEASURE_MONITORS_H

#include "study/measure/drift.h"
#include "study/measure/energy.h"
#include "study/measure/norms.h"
#include "study/measure/work_integral.h"
#include "study/run/time_loop.h"
#include "study/study.h"
#include "system/terms/state_switches.h"

typedef struct vida_monitors {
  const VidaStudy* study;
  const vida_run* run;
  vida_error_norm position, velocity, multiplier, energy, momentum;
  bool drifts; /* of momenta and constraints, too */
  vida_drift energy_drift, momentum_drift, constraint_drift;
  double constraint_position, constraint_velocity; /* the largest so far */
  double energy_start;                             /* of the consistent start */
  vida_switch_watch switches;
  vida_work work;      /* done on the system since then */
  double largest_work; /* its size */
  double energy_size;  /* what there is of the energy at the start, of either kind;
                          at rest the least that is a motion */
  double rest_energy;  /* the least that is a motion, or that the tolerance resolves */
  vida_energy_verdict energy_verdict;
  double* momenta_start;                /* momenta of the same */
  int conserved;                        /* observables that count as momenta */
  long state_cursor, multiplier_cursor; /* places in the reference */
  /* The newest values, for rows of samples. */
  double energy_now, work_now; /* at the same time; the work is NaN where it is not known */
  double energy_defect;        /* what the energy has changed by without work */
  double *v, *momenta;         /* n; momentum maps, then conserved observables */
  double* observables;
  double *g, *g_rate;        /* m each */
  double* multipliers_there; /* m: of the reference */
  double *q_there, *v_there; /* n: of the reference */
  int dependent_count;       /* rows that depend on others, so that multipliers are not unique */
  char dependent[VIDA_MESSAGE_SIZE]; /* their names: "'left rod', 'right rod'"; "" without any */
  char astray[VIDA_MESSAGE_SIZE];    /* what constraint is violated, and when; "" when none is */
  double passage_t;                  /* the first singular configuration that was passed, */
  const char* passage; /* and the constraint that depends there on others; NULL: none */
} vida_monitors;

/* May be destroyed whatever has become of Create; a zeroed one too. */
int vida__create_monitors(const VidaStudy* study, const vida_run* run, vida_monitors* monitors,
                          VidaError* error);
void vida__destroy_monitors(vida_monitors* monitors);

/* Takes the standards for energy and momentum from a march just started with velocities. */
int vida__begin_monitors(vida_monitors* monitors, vida_march* march, VidaError* error);
/* Measures the state after a step. A value that is not finite fails with VIDA_NOT_FINITE. */
int vida__observe_step(vida_monitors* monitors, vida_march* march, VidaError* error);
/* Takes the work up to a jump within a step, and with the next call what changes over it; the
 * stepper is on the earlier side of the jump, then on the later one. */
int vida__observe_jump(vida_monitors* monitors, vida_march* march, VidaError* error);
/* Fills in the newest values that a row of samples needs and observe_step has left out. */
int vida__complete_sample(vida_monitors* monitors, vida_march* march, VidaError* error);
/* The newest values at a state that is not one of the steps' ends: energy, momenta, velocities. */
int vida__measure_sample(vida_monitors* monitors, vida_march* march, VidaError* error);
/* Remarks on singular configurations that a run has passed, finished or not. */
void vida__remark_on_passages(const vida_monitors* monitors, const vida_march* march, VidaRow* row);
/* Remarks on forces that have jumped where the state switches them, whether the run has finished or
 * not. */
void vida__remark_on_switches(const vida_monitors* monitors, VidaRow* row);
/* Remarks on rows that depend on others. */
void vida__remark_on_dependence(const vida_monitors* monitors, VidaRow* row);
/* Remarks on violated constraints and a wrong energy, and marks them in row->astray. */
void vida__remark_on_astray(const vida_monitors* monitors, VidaRow* row);
/* Writes what a run that has ended early kept, up to its last state, into the row. */
void vida__finish_early(const vida_monitors* monitors, VidaRow* row);
/* Writes the results and remarks into the row. */
int vida__finish_monitors(const vida_monitors* monitors, VidaRow* row, VidaError* error);

#endif
