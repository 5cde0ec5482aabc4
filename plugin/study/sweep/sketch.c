#include "study/sweep/sketch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <vida/error.h>

#include "base/memory.h"

/* Numbers of bins: 64 in each octave from the smallest double, 2^-1074, to the largest. */
enum { BINS_OF_OCTAVE = 64, LEAST_BIN = -1080 * BINS_OF_OCTAVE, MOST_BIN = 1030 * BINS_OF_OCTAVE };

/* Returns the number of the bin of a positive number m 2^e, 1/2 <= m < 1. */
static int bin_of(double value) {
  int exponent;
  const double part = frexp(value, &exponent);
  return exponent * BINS_OF_OCTAVE + (int)((2.0 * part - 1.0) * BINS_OF_OCTAVE);
}

/* Returns the middle of a bin. */
static double middle_of(int bin) {
  int exponent = bin / BINS_OF_OCTAVE, place = bin % BINS_OF_OCTAVE;
  if (place < 0) {
    place += BINS_OF_OCTAVE;
    exponent--;
  }
  return ldexp(0.5 + (place + 0.5) / (2.0 * BINS_OF_OCTAVE), exponent);
}

/* Makes room for bin number `bin`. */
static int include_bin(vida_bins* bins, int bin) {
  enum { SPARE = 32 };
  if (bins->size > 0 && bin >= bins->first && bin < bins->first + bins->size) {
    return VIDA_SUCCESS;
  }
  const int end = bins->first + bins->size;
  const int first = bins->size == 0 ? bin : bin < bins->first ? bin - SPARE : bins->first;
  const int last = bins->size == 0 ? bin : bin >= end ? bin + SPARE : end - 1;
  int64_t* counts = vida__allocate((size_t)(last - first) + 1, sizeof *counts);
  if (!counts) {
    return VIDA_OUT_OF_MEMORY;
  }
  if (bins->size > 0) {
    memcpy(counts + (bins->first - first), bins->counts, (size_t)bins->size * sizeof *counts);
  }
  free(bins->counts);
  *bins = (vida_bins){counts, first, last - first + 1};
  return VIDA_SUCCESS;
}

int vida__add_to_sketch(vida_sketch* sketch, double value) {
  if (value == 0.0) {
    sketch->zeros++;
    return VIDA_SUCCESS;
  }
  vida_bins* bins = value > 0.0 ? &sketch->above : &sketch->below;
  const int bin = bin_of(fabs(value));
  const int code = include_bin(bins, bin);
  if (!code) {
    bins->counts[bin - bins->first]++;
  }
  return code;
}

double vida__value_of_rank(const vida_sketch* sketch, int64_t rank) {
  int64_t before = 0;
  for (int i = sketch->below.size - 1; i >= 0 && rank >= 0; i--) { /* the largest amount is first */
    before += sketch->below.counts[i];
    if (rank < before) {
      return -middle_of(sketch->below.first + i);
    }
  }
  before += sketch->zeros;
  if (rank >= 0 && rank < before) {
    return 0.0;
  }
  for (int i = 0; i < sketch->above.size && rank >= 0; i++) {
    before += sketch->above.counts[i];
    if (rank < before) {
      return middle_of(sketch->above.first + i);
    }
  }
  return NAN;
}

/* ---- records --------------------------------------------------------------------------------- */

/* Only bins that are not empty. */
static void put_bins(const vida_bins* bins, vida_record* record) {
  int filled = 0;
  for (int i = 0; i < bins->size; i++) {
    filled += bins->counts[i] > 0;
  }
  vida__put_integer(record, filled);
  for (int i = 0; i < bins->size; i++) {
    if (bins->counts[i] > 0) {
      vida__put_integer(record, bins->first + i);
      vida__put_integer(record, bins->counts[i]);
    }
  }
}

static void get_bins(vida_bins* bins, vida_record* record) {
  const int64_t filled = vida__get_integer(record);
  for (int64_t i = 0; i < filled && !record->too_short && !record->no_memory; i++) {
    const int64_t bin = vida__get_integer(record);
    const int64_t count = vida__get_integer(record);
    if (bin < LEAST_BIN || bin > MOST_BIN || count < 1) {
      record->too_short = true;
    } else if (include_bin(bins, (int)bin)) {
      record->no_memory = true;
    } else {
      bins->counts[(int)bin - bins->first] = count;
    }
  }
}

void vida__put_sketch(const vida_sketch* sketch, vida_record* record) {
  put_bins(&sketch->below, record);
  vida__put_integer(record, sketch->zeros);
  put_bins(&sketch->above, record);
}

void vida__get_sketch(vida_sketch* sketch, vida_record* record) {
  vida__free_sketch(sketch);
  get_bins(&sketch->below, record);
  sketch->zeros = vida__get_integer(record);
  get_bins(&sketch->above, record);
}

void vida__free_sketch(vida_sketch* sketch) {
  free(sketch->above.counts);
  free(sketch->below.counts);
  *sketch = (vida_sketch){0};
}
