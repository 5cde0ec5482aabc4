/* The measurements along one run. */
#ifndef VIDA_STUDY_MEASURE_MONITORS_H
#define VIDA_STUDY_MEASURE_MONITORS_H

#include "stepper/ensemble.h"
#include "stepper/frame.h"
#include "study/measure/drift.h"
#include "study/measure/energy.h"
#include "study/measure/norms.h"
#include "study/measure/shadow.h"
#include "study/study.h"
#include "study/time/time_loop.h"
#include "study/work/work_integral.h"
#include "system/evaluate/switch_watch.h"

/* The energy of parasitic solutions is large where it stays above this part of the kinetic energy
 * of the motion for some observations; at single ones the estimate also has the error of the
 * formula. The motion lacks it for good, and its energy is wrong by some 1e-4 (order 8) to 1e-3
 * (order 4) of the kinetic energy. In 1e7 steps of a double spherical pendulum the slope of the
 * energy is visible where the waves come to a few times this part, and is not where they come to a
 * fifth of it. */
#define VIDA_PARASITIC_OBSERVATIONS 100
#define VIDA_LARGE_PARASITIC_PART 1e-6

/* The monitors of one run. */
typedef struct vida_monitors {
  const VidaStudy* study;
  const vida_run* run;
  vida_error_norm position, velocity, multiplier, energy, momentum;
  bool drifts; /* also measure the drifts of momenta and constraints */
  vida_drift energy_drift, momentum_drift, constraint_drift;
  vida_shadow shadow;
  double constraint_position, constraint_velocity; /* the largest violations so far */
  double energy_start;                             /* energy of the consistent initial state */
  vida_switch_watch switches;
  vida_work work;      /* work done on the system since the start */
  double largest_work; /* largest |work| so far */
  double
      energy_size; /* size of the kinetic and potential energy at the start, at least rest_energy */
  double rest_energy; /* the least energy that counts as motion, or that the tolerance resolves */
  vida_energy_verdict energy_verdict;
  double impact_gain, impact_gain_t; /* energy that impacts of time stepping have brought, and the
                                        time of the first of them */
  double impact_motion;              /* the largest kinetic energy so far, without that gain */
  double* momenta_start; /* momenta of the consistent initial state, and their changes at events */
  double event_t;        /* time of the last event; NaN: none */
  double *event_v, *event_place; /* n: velocities after it; work space; NULL without impulses */
  int conserved;                 /* number of observables that count as momenta */
  long state_cursor, multiplier_cursor; /* positions in the reference */
  /* The newest values, for samples. */
  double energy_now, work_now; /* at the same time; the work is NaN if it is not known */
  double energy_defect;        /* change of the energy minus the work */
  double *v, *momenta;         /* n; momentum maps, then conserved observables */
  double* observables;
  double* valueless;  /* 2 for each observable: at how many samples it had no finite value, and the
                         time of the first one */
  double *g, *g_rate; /* m each */
  double* multipliers_there; /* m: of the reference */
  double* row_speeds;        /* m: the largest sum of |G v| so far */
  double *q_there, *v_there; /* n: of the reference */
  int dependent_count;       /* rows that depend on others, so that multipliers are not unique */
  char dependent[VIDA_MESSAGE_SIZE]; /* their names: "'left rod', 'right rod'"; "" without any */
  int near_row;                      /* the row that nearly depends on others; -1: none */
  double near_distance;              /* its distance from them */
  vida_violation violation;          /* the first one that deserves a remark */
  vida_violation loose_velocities;   /* the first one of velocities at an output state */
  double parasitic_t;                /* time when parasitic solutions became large; NaN: never */
  double parasitic_since;            /* time since which they may be */
  int parasitic_count;               /* observations since then */
  double passage_t;                  /* time of the first singular configuration */
  const char* passage;               /* name of the row that depends on others there; NULL: none */
} vida_monitors;

/* Allocates the monitors of a run. The caller frees them with vida__destroy_monitors, also after a
 * failure. */
int vida__create_monitors(const VidaStudy* study, const vida_run* run, vida_monitors* monitors,
                          VidaError* error);
/* Frees the monitors; they may be zero-initialized. */
void vida__destroy_monitors(vida_monitors* monitors);

/* Stores the energy and the momenta at the start of a run with initial velocities. */
int vida__begin_monitors(vida_monitors* monitors, vida_time_loop* loop, VidaError* error);
/* Measures the state after a step. Fails with VIDA_NOT_FINITE for a value that is not finite. */
int vida__observe_step(vida_monitors* monitors, vida_time_loop* loop, VidaError* error);
/* Computes the momentum maps and the conserved observables at the node. */
int vida__measure_momenta(vida_monitors* monitors, const vida_time_loop* loop, double* momenta,
                          VidaError* error);
/* What is constant during joint steps. */
typedef struct vida_joint_bounds {
  double momenta_size; /* norm of the momenta at the start */
  double velocity;     /* a node with a larger |G v + g_t| must be shown and checked */
} vida_joint_bounds;
/* Returns whether nodes of joint steps can be observed by their quantities alone. */
bool vida__begin_joint_nodes(const vida_monitors* monitors, const vida_time_loop* loop,
                             vida_joint_bounds* bounds);
/* Measures the node after the next joint step as vida__observe_step does at the node itself. At a
 * node that must be looked at, does nothing and returns false. */
bool vida__observe_joint_node(vida_monitors* monitors, const vida_time_loop* loop,
                              const vida_joint_bounds* bounds, const vida_joint_node* node);
/* Processes a jump within a step. The first call, with the stepper on the earlier side of the jump,
 * adds the work up to the jump; the second call, on the later side, adds the change over the jump.
 */
int vida__observe_jump(vida_monitors* monitors, vida_time_loop* loop, VidaError* error);
/* Processes an event within a step: its change of the energy is work, and its change of the momenta
 * is no error. Returns 0 or a code. */
int vida__observe_event(vida_monitors* monitors, vida_time_loop* loop,
                        const VidaEventRecord* record);
/* Computes the newest values that a sample at the time t needs and that observe_step has not
 * computed. */
int vida__complete_sample(vida_monitors* monitors, vida_time_loop* loop, double t,
                          VidaError* error);
/* Computes energy, momenta and velocities at a state that is not the end of a step, for a sample.
 */
int vida__measure_sample(vida_monitors* monitors, vida_time_loop* loop, VidaError* error);
/* Adds remarks on singular configurations that a run has passed. */
void vida__remark_on_passages(const vida_monitors* monitors, const vida_time_loop* loop,
                              VidaRow* row);
/* Adds remarks on forces that jumped when the state switched them. */
void vida__remark_on_switches(const vida_monitors* monitors, VidaRow* row);
/* Adds remarks on observables that had no finite value at samples. */
void vida__remark_on_observables(const vida_monitors* monitors, VidaRow* row);
/* Adds a remark on rows that depend on others. */
void vida__remark_on_dependence(const vida_monitors* monitors, VidaRow* row);
/* Adds remarks on violated constraints and on a wrong energy, and sets row->doubtful. */
void vida__remark_on_deviations(const vida_monitors* monitors, VidaRow* row);
/* Visits the monitors of a run that has begun, but not the list of its events (monitor_state.c).
 * Words of remarks belong to the study when they are loaded. */
void vida__monitors_record(vida_monitors* monitors, VidaStudy* study, VidaRecord* record);
/* Writes the results of a run that ended early, up to its last state, to the row. */
void vida__finish_early(const vida_monitors* monitors, VidaRow* row);
/* Writes the results and remarks of a complete run to the row. */
int vida__finish_monitors(const vida_monitors* monitors, VidaRow* row, VidaError* error);

#endif
