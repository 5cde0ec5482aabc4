/* A sketch of a distribution, for quantiles of any number of values in bounded memory: a histogram
 * with bins of a relative width, as in DDSketch (Masson, Rim, Lee 2019). Each octave has 64 bins of
 * equal widths, so that a quantile is that of the values to a relative error of 1/128, and the bin
 * of a number follows from its bits, on every machine alike. */
#ifndef VIDA_STUDY_SWEEP_SKETCH_H
#define VIDA_STUDY_SWEEP_SKETCH_H

#include <stdint.h>

#include "base/record.h"

/* Bins of consecutive numbers, empty if zero-initialized. */
typedef struct vida_bins {
  int64_t* counts; /* size */
  int first, size; /* number of the first one */
} vida_bins;

/* A sketch, empty if zero-initialized. */
typedef struct vida_sketch {
  vida_bins above, below; /* of positive values, and of the amounts of negative ones */
  int64_t zeros;
} vida_sketch;

/* Adds a finite value. Returns 0 or VIDA_OUT_OF_MEMORY. */
int vida__add_to_sketch(vida_sketch* sketch, double value);
/* Returns the value of this rank, 0 .. number of values - 1, in ascending order, to a relative
 * error of 1/128; NaN for another rank. */
double vida__value_of_rank(const vida_sketch* sketch, int64_t rank);
/* Appends a sketch to a record, and reads it; what does not fit makes the record too short. */
void vida__put_sketch(const vida_sketch* sketch, vida_record* record);
void vida__get_sketch(vida_sketch* sketch, vida_record* record);
/* Empties a sketch and frees its memory. */
void vida__free_sketch(vida_sketch* sketch);

#endif
