/* Andrews' squeezing mechanism for benchmarks (Hairer and Wanner, section VII.7), in the letters of
 * the Bari test set, by its formulas and as a system of the library. */
#ifndef VIDA_BENCH_SQUEEZER_H
#define VIDA_BENCH_SQUEEZER_H

enum { SQUEEZER_ANGLES = 7, SQUEEZER_LOOPS = 6 };

extern const double squeezer_start[SQUEEZER_ANGLES];
/* At t = 0.03 s: an extrapolation method of order 24 in quadruple precision. */
extern const double squeezer_end[SQUEEZER_ANGLES];
static const double squeezer_time = 0.03;

/* One integration to the end with a tolerance; q receives the angles there. What is returned is the
 * number of residuals, or -1 after a failure. */
typedef struct SqueezerContender {
  const char* name;
  int (*create)(void** self);
  long (*run)(void* self, double tolerance, double* q);
  void (*destroy)(void* self);
} SqueezerContender;

extern const SqueezerContender squeezer_bare;    /* IDA, residual and Jacobian by hand */
extern const SqueezerContender squeezer_library; /* ida-ggl */

#endif
