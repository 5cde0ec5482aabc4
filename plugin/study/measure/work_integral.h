/* The work that is done on a system along a run, and the integrals of its rows of velocities.
 *
 * Between two nodes the motion is interpolated from positions, velocities and accelerations at both
 * (Hermite, of fifth degree; without accelerations of third), and the power of the equations of
 * motion (system/power.h) is integrated along it by the rule of Lobatto with four places. Both are
 * of order six. */
#ifndef VIDA_STUDY_MEASURE_WORK_INTEGRAL_H
#define VIDA_STUDY_MEASURE_WORK_INTEGRAL_H

#include "study/measure/velocity_balance.h"
#include "system/evaluate/power.h"

/* A node: t, and q, v, a (n each; a is NaN where it is not known); the power there, on either side
 * of a jump in time. */
typedef struct vida_work_node {
  double t, *q, *v, *a, watts;
} vida_work_node;

typedef struct vida_work {
  const VidaSystem* system;
  vida_power* power;                  /* NULL: nothing exchanges energy */
  vida_evaluator* evaluator;          /* of the rows; NULL: no row is of velocities */
  bool jumps;                         /* some formula may jump in time: at a node, */
  double before, after;               /* beside which it is decided: the times of the last one */
  double watts[2];                    /* within the last step */
  vida_work_node left, right, coarse; /* ends of the step; the left end of every second step */
  double *q, *v;                      /* n each: on the way */
  double *entries, *row, *rate;       /* of G; m each: the rows on the way */
  double* memory;
  long steps;
  double lone;        /* of parts of a step: the doubt, which no pair can tell */
  vida_sum work;      /* done up to the node */
  double earlier;     /* at the node before it */
  double pair;        /* work of the steps since `coarse` */
  vida_sum doubt;     /* differences between steps and pairs of them */
  double error;       /* estimated, of the work: the largest so far; NaN: no pair was compared */
  bool known;         /* no state was without a power */
  double unknown_t;   /* else when it was */
  vida_sum* integral; /* m: of rows of velocities over time */
  double slip;        /* the largest of their sizes so far */
  vida_velocity_balance balance; /* of runs that may step over forces of time */
} vida_work;

/* May be destroyed whatever has become of Create; a zeroed one too. */
int vida__create_work(const VidaSystem* system, vida_work* work, VidaError* error);
void vida__destroy_work(vida_work* work);
/* Has velocities compared with accelerations from now on (velocity_balance.h), where forces depend
 * on time. */
int vida__watch_velocities(vida_work* work, VidaError* error);
/* Whether the run has to be followed at all. */
bool vida__work_is_needed(const vida_work* work);
/* The first node, and each next one. */
void vida__begin_work(vida_work* work, double t, const double* q, const double* v);
void vida__follow_work(vida_work* work, double t, const double* q, const double* v);
/* Follows to a jump within a step or at its node, where formulas are those of its earlier side up
 * to the time `before`. */
void vida__follow_work_to_jump(vida_work* work, double t, const double* q, const double* v,
                               double before);
/* Goes on behind the jump with the velocities there, formulas being those of its later side from
 * the time `after` on. The energy that changes meanwhile is work: of impulses, as the positions
 * stay, 1/2 (v+ + v-) (p+ - p-), and of explicit time. */
void vida__follow_work_over_jump(vida_work* work, double t, const double* q, const double* v,
                                 double after);
/* The work done up to a time in the last step; NaN where it is not known. */
double vida__work_at(vida_work* work, double t);
/* What a defect of the balance has to exceed to be the method's: without a comparison so far, no
 * defect does. */
double vida__work_doubt(const vida_work* work);

#endif
