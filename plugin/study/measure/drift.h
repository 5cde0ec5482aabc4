/* A long series split into a straight line, with the confidence in its slope, and the oscillation
 * about it; of bounded memory however long the series. */
#ifndef VIDA_STUDY_MEASURE_DRIFT_H
#define VIDA_STUDY_MEASURE_DRIFT_H

#include "study/measure/norms.h"

enum { VIDA_DRIFT_BLOCKS = 32, VIDA_DRIFT_SAMPLES = 4 * VIDA_DRIFT_BLOCKS /* for an interval */ };

/* Values should be given as differences from a typical one, so that nothing cancels. */
typedef struct vida_drift {
  vida_slope line;
  vida_sum squares; /* of the values */
  long expected;    /* samples in all */
  double size;      /* what the values are differences of */
  struct {
    vida_sum t, y; /* t from the centre of the line */
    long count;
  } block[VIDA_DRIFT_BLOCKS];
} vida_drift;

/* A series of so many samples about the time `centre`. size: of the quantity that the values are
 * differences of, which rounding is relative to; 0 where it is not known. */
void vida__start_drift(vida_drift* drift, double centre, long samples, double size);
void vida__add_to_drift(vida_drift* drift, double t, double y);

/* Each NaN where there are too few samples: two for a slope, VIDA_DRIFT_SAMPLES for its interval.
 */
typedef struct vida_drift_fit {
  double slope;    /* least squares, of all samples */
  double interval; /* half of its 95 % confidence interval */
  /* The amplitude of a harmonic oscillation that is as large in the mean square as what is left
   * beside the line. */
  double oscillation;
} vida_drift_fit;

/* Samples of a motion follow each other closely, so that their scatter says nothing about the
 * slope's confidence (a t test on them finds drifts where there are none). The means of long blocks
 * are nearly independent: the interval is that of their scatter about the line (batch means, Law
 * and Kelton, Simulation Modeling and Analysis, 1982, chapter 8). Neighbouring blocks are joined as
 * long as they are correlated; what is left of that when there are eight widens the interval. So
 * does what the slope owes to the phases in which an oscillation begins and ends. A change by a few
 * units in the last place over the whole series is within it in any case. */
vida_drift_fit vida__fit_drift(const vida_drift* drift);

#endif
