/* When an energy that should be kept is off by so much that a row says so. */
#ifndef VIDA_STUDY_MEASURE_ENERGY_H
#define VIDA_STUDY_MEASURE_ENERGY_H

#include <stdbool.h>

/* What a defect of the energy is measured by, and the one that is told. */
typedef struct vida_energy_verdict {
  double start; /* what there is at the start, of either kind; at rest the least that is a motion */
  double rest;  /* the least that is a motion, or that its tolerance resolves */
  double least; /* of it: a smaller defect is precision */
  double large; /* the part of the motion that is told */
  double motion;    /* the largest kinetic energy so far, as it were without the defect */
  bool is_exact;    /* the method claims to keep the energy to rounding */
  double t, defect; /* the first that was large; 0: none */
  bool is_far;      /* it is so much that nothing of the motion is left */
} vida_energy_verdict;

/* Begins with the size of the start, the least energy that is a motion, and rtol of runs that
 * choose their steps, else 0. */
void vida__begin_energy(vida_energy_verdict* verdict, double start, double rest, double rtol,
                        bool is_exact);
/* Takes the defect at t: how much more energy there is than there should be, beside the kinetic
 * energy there. */
void vida__judge_energy(vida_energy_verdict* verdict, double t, double defect, double kinetic);
/* Whether there is something to be told: a defect that is large beside all of the motion, or more
 * than the method claims. */
bool vida__energy_is_off(const vida_energy_verdict* verdict);

#endif
