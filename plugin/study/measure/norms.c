#include "study/measure/norms.h"

#include <limits.h>
#include <math.h>
#include <stddef.h>

static double component(const double* x, const double* y, int i, const int* selection) {
  const int j = selection ? selection[i] : i;
  return y ? x[j] - y[j] : x[j];
}

double vida__difference_norm(const double* x, const double* y, int count, const int* selection) {
  double largest = 0.0;
  for (int i = 0; i < count; i++) {
    const double size = fabs(component(x, y, i, selection));
    if (!isfinite(size)) {
      return size;
    }
    largest = size > largest ? size : largest;
  }
  if (largest == 0.0) {
    return 0.0;
  }
  double sum = 0.0;
  for (int i = 0; i < count; i++) {
    const double scaled = component(x, y, i, selection) / largest;
    sum += scaled * scaled;
  }
  return largest * sqrt(sum);
}

double vida__mixed_difference(const double* x, const double* y, int count, const int* selection,
                              double scale) {
  double largest = 0.0;
  for (int i = 0; i < count; i++) {
    const double size = scale + fabs(component(y, NULL, i, selection));
    const double off = fabs(component(x, y, i, selection));
    const double ratio = off > 0.0 ? off / size : off;
    if (!isfinite(ratio)) {
      return ratio;
    }
    largest = fmax(largest, ratio);
  }
  return largest;
}

void vida__start_norm(vida_error_norm* norm, vida_norm kind, int length) {
  *norm = (vida_error_norm){.norm = kind, .length = length};
}

void vida__record_sums(VidaRecord* record, vida_sum* sums, size_t count) {
  for (size_t i = 0; i < count; i++) {
    VidaRecord_Reals(record, &sums[i].sum, 1);
    VidaRecord_Reals(record, &sums[i].lost, 1);
  }
}

void vida__norm_record(vida_error_norm* norm, VidaRecord* record) {
  double* const reals[] = {&norm->difference_max, &norm->size_max, &norm->difference_end,
                           &norm->size_end};
  VidaRecord_Integer(record, &norm->samples, 0, LONG_MAX / 64);
  vida__record_sums(record, &norm->difference_sum, 1);
  vida__record_sums(record, &norm->size_sum, 1);
  for (size_t k = 0; k < sizeof reals / sizeof *reals; k++) {
    VidaRecord_Reals(record, reals[k], 1);
  }
}

void vida__slope_record(vida_slope* slope, VidaRecord* record) {
  vida_sum* const sums[] = {&slope->t, &slope->tt, &slope->y, &slope->ty};
  VidaRecord_Integer(record, &slope->points, 0, LONG_MAX / 64);
  for (size_t k = 0; k < sizeof sums / sizeof *sums; k++) {
    vida__record_sums(record, sums[k], 1);
  }
}

void vida__add_sample(vida_error_norm* norm, double difference, double size) {
  norm->samples += 1;
  vida__add_to_sum(&norm->difference_sum, difference);
  vida__add_to_sum(&norm->size_sum, size);
  norm->difference_max = difference > norm->difference_max ? difference : norm->difference_max;
  norm->size_max = size > norm->size_max ? size : norm->size_max;
  norm->difference_end = difference;
  norm->size_end = size;
}

double vida__norm_value(const vida_error_norm* norm, bool relative) {
  if (norm->samples == 0 || norm->length == 0) {
    return NAN;
  }
  double difference = norm->difference_end, size = norm->size_end;
  if (norm->norm == VIDA_NORM_MEAN) {
    const double terms = (double)norm->samples * (double)norm->length;
    difference = vida__sum_value(&norm->difference_sum) / terms;
    size = vida__sum_value(&norm->size_sum) / terms;
  } else if (norm->norm == VIDA_NORM_MAX) {
    difference = norm->difference_max;
    size = norm->size_max;
  }
  if (!relative || norm->norm == VIDA_NORM_MIXED) {
    return difference;
  }
  return size > 0.0 ? difference / size : NAN;
}

void vida__start_slope(vida_slope* slope, double centre) {
  *slope = (vida_slope){.centre = centre};
}

void vida__add_point(vida_slope* slope, double t, double y) {
  const double from_centre = t - slope->centre;
  slope->points += 1;
  vida__add_to_sum(&slope->t, from_centre);
  vida__add_to_sum(&slope->tt, from_centre * from_centre);
  vida__add_to_sum(&slope->y, y);
  vida__add_to_sum(&slope->ty, from_centre * y);
}

double vida__slope_value(const vida_slope* slope) {
  if (slope->points < 2) {
    return NAN;
  }
  const double mean_t = vida__sum_value(&slope->t) / (double)slope->points;
  const double spread = vida__sum_value(&slope->tt) - mean_t * vida__sum_value(&slope->t);
  const double rise = vida__sum_value(&slope->ty) - mean_t * vida__sum_value(&slope->y);
  return spread > 0.0 ? rise / spread : NAN;
}

double vida__student(int freedoms) {
  static const double table[] = {NAN,   12.706, 4.303, 3.182, 2.776, 2.571,
                                 2.447, 2.365,  2.306, 2.262, 2.228};
  const int last = (int)(sizeof table / sizeof table[0]) - 1;
  return freedoms <= last ? table[freedoms] : 1.96 + 2.7 / freedoms;
}

double vida__fit_line(int count, const double* x, const double* y, double* interval) {
  double mean_x = 0.0;
  double mean_y = 0.0;
  double xx = 0.0;
  double xy = 0.0;
  double rest = 0.0;
  for (int i = 0; i < count; i++) {
    mean_x += x[i] / count;
    mean_y += y[i] / count;
  }
  for (int i = 0; i < count; i++) {
    xx += (x[i] - mean_x) * (x[i] - mean_x);
    xy += (x[i] - mean_x) * (y[i] - mean_y);
  }
  const double slope = xy / xx;
  for (int i = 0; i < count; i++) {
    const double off = y[i] - mean_y - slope * (x[i] - mean_x);
    rest += off * off;
  }
  *interval = count > 2 ? vida__student(count - 2) * sqrt(rest / (count - 2) / xx) : (double)NAN;
  return slope;
}
