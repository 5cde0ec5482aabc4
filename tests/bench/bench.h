/* What the benchmarks share: time, medians, and one contender's place in a comparison. */
#ifndef VIDA_BENCH_H
#define VIDA_BENCH_H

/* One implementation of the same step on the same system. Functions return 0 on success. */
typedef struct Contender {
  const char* name;
  int (*create)(double h, void** self);
  int (*start)(void* self); /* back to the initial values */
  int (*run)(void* self, long steps);
  void (*positions)(const void* self, double* q);
  long (*iterations)(const void* self); /* of Newton, since start */
  void (*destroy)(void* self);
} Contender;

extern const Contender pendulum_library; /* through VidaStepper_Step */
extern const Contender pendulum_formula; /* the same, its Lagrangian and constraints written */
extern const Contender pendulum_kinsol;  /* a bare KINSOL loop */
extern const Contender pendulum_newton;  /* a hand-coded Newton loop with its own LU */

typedef struct BenchOptions {
  double h;   /* s */
  long steps; /* per round */
  int rounds;
} BenchOptions;

/* Each prints its part and returns 0, or 1 when something went wrong. */
int bench_pendulum(const BenchOptions* options);
int bench_chain(const BenchOptions* options);
int bench_shake(const BenchOptions* options);
int bench_ladder(const BenchOptions* options);
int bench_squeezer(void);
int bench_radau(void);
int bench_sweep(const BenchOptions* options);

double bench_seconds(void); /* of a clock that only goes forward */
double bench_median(int count, double* values /* sorted in place */);

#endif
