/* The work that is done on a system along a run, and the time integrals of its nonholonomic rows.
 *
 * Between two nodes the motion is interpolated from positions, velocities and accelerations at both
 * (Hermite polynomials of degree five, or three without accelerations). The power of the equations
 * of motion (power.h) is integrated along it by Lobatto's rule with four points. Both are of order
 * six. */
#ifndef VIDA_STUDY_WORK_WORK_INTEGRAL_H
#define VIDA_STUDY_WORK_WORK_INTEGRAL_H

#include "study/work/velocity_balance.h"
#include "system/power.h"

/* A node: the time, q, v, a (n each; a is NaN if not known), and the power (W), at a jump on one of
 * its sides. */
typedef struct vida_work_node {
  double t, *q, *v, *a, energy_rate;
} vida_work_node;

/* The work along a run. */
typedef struct vida_work {
  const VidaSystem* system;
  vida_power* power;         /* NULL: the energy of the system is constant */
  vida_evaluator* evaluator; /* for the rows; NULL: no row is nonholonomic */
  bool only_events;          /* nothing else changes the energy: there is no power to integrate */
  bool jumps;                /* some formula may jump in time, at a node */
  double before, after;  /* times on both sides of the last jump, at which formulas have the values
                            of that side */
  double energy_rate[2]; /* power at the inner points of the last step */
  vida_work_node left, right, coarse; /* ends of the step; left end of every second step */
  double *q, *v;                      /* n each: state at an inner point */
  double *entries, *row, *rate;       /* entries of G; m each: the rows at an inner point */
  double* memory;
  long steps;
  double lone;    /* estimated error for parts of a step, which have no pair */
  vida_sum work;  /* work up to the node */
  double earlier; /* work up to the node before */
  double pair;    /* work of the steps since `coarse` */
  vida_sum doubt; /* differences between steps and pairs of steps */
  double error;   /* largest estimated error of the work so far; NaN: no pair was compared */
  bool known;     /* the power of all states was known */
  double
      unknown_t; /* time of the first state without a known power; NaN: closed contacts do work */
  vida_sum* integral;            /* m: time integrals of nonholonomic rows */
  double slip;                   /* the largest |integral| so far */
  vida_velocity_balance balance; /* for runs that may step over forces of time */
} vida_work;

/* Allocates the work of a system. The caller frees it with vida__destroy_work, also after a
 * failure. */
int vida__create_work(const VidaSystem* system, bool is_time_stepping, vida_work* work,
                      VidaError* error);
/* Frees the work; it may be zero-initialized. */
void vida__destroy_work(vida_work* work);
/* Enables the balance of velocities (velocity_balance.h) if forces depend on time. */
int vida__watch_velocities(vida_work* work, VidaError* error);
/* Returns whether the run must be followed: its energy is not constant, or it has nonholonomic
 * rows. */
bool vida__work_is_needed(const vida_work* work);
/* Starts at the first node. */
void vida__begin_work(vida_work* work, double t, const double* q, const double* v);
/* Adds the step to the next node. */
void vida__follow_work(vida_work* work, double t, const double* q, const double* v);
/* Adds the step to a jump, within a step or at its node. Formulas have the values of its earlier
 * side up to the time `before`. */
void vida__follow_work_to_jump(vida_work* work, double t, const double* q, const double* v,
                               double before);
/* Adds the change over a jump to the velocities after it; formulas have the values of its later
 * side from the time `after`. The change of energy is work: of impulses, 1/2 (v+ + v-) (p+ - p-)
 * since the positions do not change, and of explicit time. */
void vida__follow_work_over_jump(vida_work* work, double t, const double* q, const double* v,
                                 double after);
/* Visits the nodes and sums of work that has begun. */
void vida__work_record(vida_work* work, VidaRecord* record);
/* Returns the work (J) up to a time in the last step; NaN if it is not known. */
double vida__work_at(vida_work* work, double t);
/* Returns the size (J) that a defect of the energy balance must exceed to count as a defect of the
 * method: 0 if the energy of the system is constant; infinity as long as no pair of steps was
 * compared. */
double vida__work_uncertainty(const vida_work* work);

#endif
