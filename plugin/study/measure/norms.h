/* Norms of errors over the samples of a run, and fitted slopes. */
#ifndef VIDA_STUDY_MEASURE_NORMS_H
#define VIDA_STUDY_MEASURE_NORMS_H

#include <stdbool.h>

#include "base/compensated_sum.h"
#include "base/state_record.h"

/* Returns the Euclidean norm of x - y, or of x if y is NULL, over the components in `selection`
 * (count), or over the first `count` if it is NULL. Overflows only if the result does. */
double vida__difference_norm(const double* x, const double* y, int count, const int* selection);

/* Returns the largest |x_i - y_i| / (scale + |y_i|). This is 10^-mescd, where mescd are the mixed
 * error significant correct digits of the Test Set for IVP Solvers, if scale = atol/rtol. */
double vida__mixed_difference(const double* x, const double* y, int count, const int* selection,
                              double scale);

/* The norm of the errors of a run. */
typedef enum vida_norm {
  VIDA_NORM_MEAN, /* Wendlandt and Marsden 1997, eq. 5.10: sum of 2-norms / (samples x length of the
                     vector) */
  VIDA_NORM_MAX,  /* the largest 2-norm */
  VIDA_NORM_END,  /* the 2-norm of the last sample */
  VIDA_NORM_MIXED /* the mixed difference of the last sample */
} vida_norm;

/* The error of one quantity over a run, and the size of the reference quantity. */
typedef struct vida_error_norm {
  vida_norm norm;
  int length; /* of the vector */
  long samples;
  vida_sum difference_sum, size_sum;
  double difference_max, size_max;
  double difference_end, size_end;
} vida_error_norm;

/* Starts the norm of a vector with `length` components. */
void vida__start_norm(vida_error_norm* norm, vida_norm kind, int length);
/* Adds a sample: the 2-norms of the difference and of the reference quantity. */
void vida__add_sample(vida_error_norm* norm, double difference, double size);
/* Returns the norm; NaN without samples. If `relative`, divides by the same norm of the reference
 * quantity; NaN if that is zero. */
double vida__norm_value(const vida_error_norm* norm, bool relative);

/* Visits sums, and the samples of a norm that has been started. */
void vida__record_sums(VidaRecord* record, vida_sum* sums, size_t count);
void vida__norm_record(vida_error_norm* norm, VidaRecord* record);

/* A least-squares line through points that arrive one by one. Times count from `centre`, and values
 * should be differences from a typical value, to avoid cancellation. */
typedef struct vida_slope {
  double centre;
  long points;
  vida_sum t, tt, y, ty;
} vida_slope;
/* Starts a line about the time `centre`. */
void vida__start_slope(vida_slope* slope, double centre);
/* Adds a point. */
void vida__add_point(vida_slope* slope, double t, double y);
/* Visits the points of a line that has been started. */
void vida__slope_record(vida_slope* slope, VidaRecord* record);
/* Returns the slope; NaN if the points have fewer than two different times. */
double vida__slope_value(const vida_slope* slope);

/* Returns the 97.5 % quantile of Student's t distribution. */
double vida__student(int freedoms);

/* Fits a line to at least two points. Returns its slope; *interval receives half of its 95 %
 * confidence interval, NaN for two points. */
double vida__fit_line(int count, const double* x, const double* y, double* interval);

#endif
