/* Norms of errors over the samples of a run, sums that lose nothing, a fitted slope. */
#ifndef VIDA_STUDY_MEASURE_NORMS_H
#define VIDA_STUDY_MEASURE_NORMS_H

#include <stdbool.h>

/* Neumaier's compensated sum: a million terms cost no digits. Starts as all zero. */
typedef struct vida_sum {
  double sum, lost;
} vida_sum;
void vida__add_to_sum(vida_sum* sum, double value);
double vida__sum_value(const vida_sum* sum);

/* Euclidean norm of x - y (y may be NULL: of x) over `count` components: those listed in
 * `selection`, or the first `count` when it is NULL. Does not overflow before its result does. */
double vida__difference_norm(const double* x, const double* y, int count, const int* selection);

/* The largest |x_i - y_i| / (scale + |y_i|): 10^-mescd, with the mixed error significant correct
 * digits of the test sets for initial value problems, whose scale is atol/rtol. */
double vida__mixed_difference(const double* x, const double* y, int count, const int* selection,
                              double scale);

typedef enum vida_norm {
  VIDA_NORM_MEAN, /* paper 000, eq. 5.10: sum of 2-norms / (samples x length of the vector) */
  VIDA_NORM_MAX,  /* the largest 2-norm */
  VIDA_NORM_END,  /* the 2-norm of the last sample */
  VIDA_NORM_MIXED /* the mixed difference of the last sample */
} vida_norm;

/* The error of one quantity over a run, and the size of what it is compared with. */
typedef struct vida_error_norm {
  vida_norm norm;
  int length; /* of the vector */
  long samples;
  vida_sum difference_sum, size_sum;
  double difference_max, size_max;
  double difference_end, size_end;
} vida_error_norm;

void vida__start_norm(vida_error_norm* norm, vida_norm kind, int length);
/* One sample: the 2-norm of the difference, and that of the reference quantity. */
void vida__add_sample(vida_error_norm* norm, double difference, double size);
/* The norm; NaN ("not measured") without samples. `relative` divides by the same norm of the
 * reference quantity, and gives NaN when that is zero. */
double vida__norm_value(const vida_error_norm* norm, bool relative);

/* Least-squares straight line through points that arrive one by one. Times count from `centre` and
 * values should be given as differences from a typical one, so that nothing cancels. */
typedef struct vida_slope {
  double centre;
  long points;
  vida_sum t, tt, y, ty;
} vida_slope;
void vida__start_slope(vida_slope* slope, double centre);
void vida__add_point(vida_slope* slope, double t, double y);
/* The slope; NaN when the points have fewer than two different times. */
double vida__slope_value(const vida_slope* slope);

/* 97.5 % quantile of Student's distribution. */
double vida__student(int freedoms);

/* A straight line through at least two points: its slope, and half of the slope's 95 % confidence
 * interval (NaN for two points). */
double vida__fit_line(int count, const double* x, const double* y, double* interval);

#endif
