#include "study/measure/drift.h"

#include <float.h>
#include <limits.h>
#include <math.h>

enum { LEAST_BLOCKS = 8 };

#define ROUNDING (16.0 * DBL_EPSILON) /* of a value, which is a sum itself */

void vida__start_drift(vida_drift* drift, double centre, long samples, double size) {
  *drift = (vida_drift){.expected = samples, .size = size};
  vida__start_slope(&drift->line, centre);
}

void vida__add_to_drift(vida_drift* drift, double t, double y) {
  const long place = drift->line.points * VIDA_DRIFT_BLOCKS / drift->expected;
  const int at = place < VIDA_DRIFT_BLOCKS ? (int)place : VIDA_DRIFT_BLOCKS - 1;
  vida__add_to_sum(&drift->block[at].t, t - drift->line.centre);
  vida__add_to_sum(&drift->block[at].y, y);
  drift->block[at].count++;
  vida__add_to_sum(&drift->squares, y * y);
  vida__add_point(&drift->line, t, y);
}

void vida__drift_record(vida_drift* drift, VidaRecord* record) {
  vida__slope_record(&drift->line, record);
  vida__record_sums(record, &drift->squares, 1);
  for (int k = 0; k < VIDA_DRIFT_BLOCKS; k++) {
    vida__record_sums(record, &drift->block[k].t, 1);
    vida__record_sums(record, &drift->block[k].y, 1);
    VidaRecord_Integer(record, &drift->block[k].count, 0, LONG_MAX / 64);
  }
}

/* ---- confidence ------------------------------------------------------------------------------ */

/* Computes the means of blocks: their times relative to the mean time, and their distances from the
 * line. */
typedef struct block_means {
  int count;
  double t[VIDA_DRIFT_BLOCKS], off[VIDA_DRIFT_BLOCKS];
} block_means;

static void find_means(const vida_drift* drift, double slope, block_means* means) {
  const double points = (double)drift->line.points;
  const double mean_t = vida__sum_value(&drift->line.t) / points;
  const double mean_y = vida__sum_value(&drift->line.y) / points;
  means->count = VIDA_DRIFT_BLOCKS;
  for (int i = 0; i < means->count; i++) {
    const double count = (double)drift->block[i].count;
    means->t[i] = vida__sum_value(&drift->block[i].t) / count - mean_t;
    means->off[i] = vida__sum_value(&drift->block[i].y) / count - mean_y - slope * means->t[i];
  }
}

static void join_neighbours(block_means* means) {
  means->count /= 2;
  for (int i = 0; i < means->count; i++) {
    means->t[i] = 0.5 * (means->t[2 * i] + means->t[2 * i + 1]);
    means->off[i] = 0.5 * (means->off[2 * i] + means->off[2 * i + 1]);
  }
}

/* Returns the correlation of successive blocks. */
static double correlation(const block_means* means) {
  double squares = 0.0, products = 0.0;
  for (int i = 0; i < means->count; i++) {
    squares += means->off[i] * means->off[i];
    products += i > 0 ? means->off[i] * means->off[i - 1] : 0.0;
  }
  return squares > 0.0 ? products / squares : 0.0;
}

/* Returns the possible effect on the slope of an incomplete period, or of an oscillation that the
 * blocks divide: the change of the slope without the first block, the last block or both, and the
 * difference between samples and means. */
static double find_end_effect(const block_means* means) {
  double largest = 0.0, unused;
  for (int first = 0; first < 2; first++) {
    for (int last = 0; last < 2; last++) {
      const double change = vida__fit_line(means->count - first - last, means->t + first,
                                           means->off + first, &unused);
      largest = fmax(largest, fabs(change));
    }
  }
  return largest;
}

static double find_interval(block_means* means, double size) {
  double left = 0.0, spread = 0.0;
  const double ends = find_end_effect(means);
  const double time =
      (means->t[means->count - 1] - means->t[0]) * means->count / (means->count - 1);
  /* One in twenty series of independent blocks has a larger correlation. */
  while (means->count > LEAST_BLOCKS && correlation(means) > 1.64 / sqrt(means->count)) {
    join_neighbours(means);
  }
  const double together = fmin(fmax(correlation(means), 0.0), 0.9);
  for (int i = 0; i < means->count; i++) {
    left += means->off[i] * means->off[i];
    spread += means->t[i] * means->t[i];
  }
  const int freedoms = means->count - 2;
  const double widening = sqrt((1.0 + together) / (1.0 - together));
  const double scatter = vida__student(freedoms) * sqrt(left / freedoms / spread) * widening;
  return fmax(hypot(scatter, ends), ROUNDING * size / time);
}

/* ---- the whole ------------------------------------------------------------------------------- */

static double find_oscillation(const vida_drift* drift, double slope) {
  const double points = (double)drift->line.points;
  const double sum_y = vida__sum_value(&drift->line.y);
  const double rise =
      vida__sum_value(&drift->line.ty) - vida__sum_value(&drift->line.t) * sum_y / points;
  const double left = vida__sum_value(&drift->squares) - sum_y * sum_y / points - slope * rise;
  return left > 0.0 ? sqrt(2.0 * left / points) : 0.0 * left; /* rounding; NaN stays NaN */
}

vida_drift_fit vida__fit_drift(const vida_drift* drift) {
  vida_drift_fit fit = {vida__slope_value(&drift->line), NAN, NAN};
  if (isnan(fit.slope)) {
    return fit;
  }
  fit.oscillation = find_oscillation(drift, fit.slope);
  if (drift->expected >= VIDA_DRIFT_SAMPLES && drift->line.points == drift->expected) {
    block_means means;
    find_means(drift, fit.slope, &means);
    fit.interval = find_interval(&means, drift->size);
  }
  return fit;
}
