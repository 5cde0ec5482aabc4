/* The decision whether a row reports a loss or gain of energy. */
#ifndef VIDA_STUDY_MEASURE_ENERGY_H
#define VIDA_STUDY_MEASURE_ENERGY_H

#include <stdbool.h>

#include "base/state_record.h"

/* The sizes with which an energy defect is compared, and the defect that is reported. */
typedef struct vida_energy_verdict {
  double start;     /* size of the kinetic and potential energy at the start; at rest `rest` */
  double rest;      /* the least energy that counts as motion, or that the tolerance resolves */
  double least;     /* fraction of the motion; a smaller defect is a matter of precision */
  double large;     /* fraction of the motion; a larger defect is reported */
  double motion;    /* the largest kinetic energy so far, without the part that the defect adds */
  bool is_exact;    /* the method claims to keep the energy to rounding */
  double t, defect; /* time and size of the first large defect; 0: none */
  bool is_far;      /* the defect is larger than the motion itself */
} vida_energy_verdict;

/* Starts with the size of the energy at the start (J), the least energy that counts as motion (J),
 * and rtol (0 for fixed steps). */
void vida__begin_energy(vida_energy_verdict* verdict, double start, double rest, double rtol,
                        bool is_exact);
/* Processes the energy defect at t: the energy minus its correct value. `kinetic` is the kinetic
 * energy (J) there. */
void vida__judge_energy(vida_energy_verdict* verdict, double t, double defect, double kinetic);
/* Visits a verdict that has been started. */
void vida__energy_record(vida_energy_verdict* verdict, VidaRecord* record);
/* Returns whether a defect must be reported: it is large compared with the motion, or larger than
 * the method claims. */
bool vida__is_energy_wrong(const vida_energy_verdict* verdict);

#endif
