/* The drift of a long series: the fitted slope with its confidence interval, and the oscillation
 * about the line. The memory does not depend on the length of the series. */
#ifndef VIDA_STUDY_MEASURE_DRIFT_H
#define VIDA_STUDY_MEASURE_DRIFT_H

#include "study/measure/norms.h"

enum { VIDA_DRIFT_BLOCKS = 32, VIDA_DRIFT_SAMPLES = 4 * VIDA_DRIFT_BLOCKS /* for an interval */ };

/* The data of a series. Values should be differences from a typical value, to avoid cancellation.
 */
typedef struct vida_drift {
  vida_slope line;
  vida_sum squares; /* of the values */
  long expected;    /* total number of samples */
  double size;      /* size of the quantity before subtraction of the typical value */
  struct {
    vida_sum t, y; /* t from the centre of the line */
    long count;
  } block[VIDA_DRIFT_BLOCKS];
} vida_drift;

/* Starts a series of `samples` samples about the time `centre`. `size` is the size of the quantity
 * before subtraction of the typical value, which determines its rounding; 0: not known. */
void vida__start_drift(vida_drift* drift, double centre, long samples, double size);
/* Adds a sample y at the time t. */
void vida__add_to_drift(vida_drift* drift, double t, double y);

/* Visits the samples of a series that has been started. */
void vida__drift_record(vida_drift* drift, VidaRecord* record);

/* The fit of a series. Members are NaN without enough samples: two for a slope, VIDA_DRIFT_SAMPLES
 * for its interval. */
typedef struct vida_drift_fit {
  double slope;    /* least-squares slope of all samples */
  double interval; /* half of its 95 % confidence interval */
  /* The amplitude of a harmonic oscillation with the mean square of the residuals of the fit. */
  double oscillation;
} vida_drift_fit;

/* Fits a line to the series. Successive samples of a motion are correlated, so their scatter does
 * not determine the confidence of the slope: a t test on them finds drifts that do not exist. The
 * means of long blocks are nearly independent, and the interval follows from their scatter about
 * the line (batch means, Law and Kelton, Simulation Modeling and Analysis, 1982, chapter 8).
 * Neighbouring blocks are joined as long as they are correlated; correlation that remains with
 * eight blocks widens the interval. So does the effect on the slope of the phases in which an
 * oscillation begins and ends. The interval always includes a change by a few units in the last
 * place over the whole series. */
vida_drift_fit vida__fit_drift(const vida_drift* drift);

#endif
