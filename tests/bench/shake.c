/* SHAKE and RATTLE on hanging chains of particles in space, through the library and coded by hand:
 * for each link the multiplier of its rod, from Newton's method with a tridiagonal matrix. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vida/vida.h>

#include "bench.h"

#define MASS 1.0     /* kg, of a particle */
#define LENGTH 1.0   /* m, of a link */
#define GRAVITY 9.81 /* m/s^2 */
#define TOLERANCE 1e-13
/* Rounding alone leaves far less than this after the steps below (m). */
#define AGREEMENT 1e-9

/* ---- by hand --------------------------------------------------------------------------------- */

/* A state is that of the vectors along the links, so that rounding does not grow with their number,
 * and of the velocities of the particles. */
typedef struct Chain {
  int links;
  double h;
  bool projects; /* RATTLE */
  bool has_step;
  double *d, *v;           /* 3 for each link: vectors, velocities of their ends */
  double *free_d, *next_d; /* d without impulses, and at the end of the step */
  double* force;           /* of the rods on their ends, times h^2 / mass */
  double *lambda, *change; /* for each link */
  double *below, *above, *pivot;
} Chain;

static double dot(const double* a, const double* b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static int create_chain(int links, double h, bool projects, Chain* chain) {
  double* block = calloc(20 * (size_t)links, sizeof *block);
  double** const vectors[] = {&chain->d, &chain->v, &chain->free_d, &chain->next_d, &chain->force};
  double** const numbers[] = {&chain->lambda, &chain->change, &chain->below, &chain->above,
                              &chain->pivot};
  if (!block) {
    return 1;
  }
  chain->links = links;
  chain->h = h;
  chain->projects = projects;
  for (size_t k = 0; k < 5; k++) {
    *vectors[k] = block + 3 * k * (size_t)links;
    *numbers[k] = block + (15 + k) * (size_t)links;
  }
  return 0;
}

/* Stretched out along x; velocities across it. */
static void start_chain(Chain* chain) {
  memset(chain->d, 0, 20 * (size_t)chain->links * sizeof *chain->d);
  chain->has_step = false;
  for (int i = 0; i < chain->links; i++) {
    chain->d[3 * i] = LENGTH;
    chain->v[3 * i + 1] = 0.1 * sin(i + 1.0);
  }
}

/* Factors and solves the tridiagonal matrix of G1 G0^T: rows from `left`, columns from `right`. */
static void solve_links(Chain* chain, const double* left, const double* right, double* x) {
  const int links = chain->links;
  for (int i = 0; i < links; i++) {
    chain->pivot[i] = (i ? 2.0 : 1.0) * dot(left + 3 * i, right + 3 * i);
    chain->below[i] = i ? -dot(left + 3 * i, right + 3 * i - 3) : 0.0;
    chain->above[i] = i < links - 1 ? -dot(left + 3 * i, right + 3 * i + 3) : 0.0;
  }
  for (int i = 0; i < links; i++) {
    if (i) {
      chain->pivot[i] -= chain->below[i] * chain->above[i - 1];
      x[i] -= chain->below[i] * x[i - 1];
    }
    chain->pivot[i] = 1.0 / chain->pivot[i];
    chain->above[i] *= chain->pivot[i];
    x[i] *= chain->pivot[i];
  }
  for (int i = links - 2; i >= 0; i--) {
    x[i] -= chain->above[i] * x[i + 1];
  }
}

/* Pulls the ends of the links: a = lambda_i d_i - lambda_(i+1) d_(i+1). */
static void find_pulls(const Chain* chain, const double* d, const double* lambda, double* a) {
  const int links = chain->links;
  for (int i = 0; i < links; i++) {
    for (int k = 0; k < 3; k++) {
      const double next = i < links - 1 ? lambda[i + 1] * d[3 * i + 3 + k] : 0.0;
      a[3 * i + k] = lambda[i] * d[3 * i + k] - next;
    }
  }
}

/* Finds the multipliers with which all links have their length at the end. Returns whether Newton's
 * method converged. */
static bool shake(Chain* chain) {
  enum { MOST = 20 };
  const int links = chain->links;
  for (int iteration = 0; iteration < MOST; iteration++) {
    double largest = 0.0;
    find_pulls(chain, chain->d, chain->lambda, chain->force);
    for (int i = 0; i < links; i++) {
      double* e = chain->next_d + 3 * i;
      for (int k = 0; k < 3; k++) {
        const double before = i ? chain->force[3 * i - 3 + k] : 0.0;
        e[k] = chain->free_d[3 * i + k] + chain->force[3 * i + k] - before;
      }
      chain->change[i] = 0.5 * (dot(e, e) - LENGTH * LENGTH);
      largest = fmax(largest, fabs(chain->change[i]));
    }
    if (largest < TOLERANCE) {
      return true;
    }
    solve_links(chain, chain->next_d, chain->d, chain->change);
    for (int i = 0; i < links; i++) {
      chain->lambda[i] -= chain->change[i];
    }
  }
  return false;
}

/* Removes the velocities along the links. */
static void project(Chain* chain) {
  const int links = chain->links;
  for (int i = 0; i < links; i++) {
    double rate[3];
    for (int k = 0; k < 3; k++) {
      rate[k] = chain->v[3 * i + k] - (i ? chain->v[3 * i - 3 + k] : 0.0);
    }
    chain->change[i] = dot(chain->d + 3 * i, rate);
  }
  solve_links(chain, chain->d, chain->d, chain->change);
  find_pulls(chain, chain->d, chain->change, chain->force);
  for (int i = 0; i < 3 * links; i++) {
    chain->v[i] -= chain->force[i];
  }
}

static int step_chain(Chain* chain) {
  const int links = chain->links;
  const double h = chain->h;
  const double before = chain->projects || !chain->has_step ? 0.5 : 1.0;
  for (int i = 0; i < links; i++) {
    chain->v[3 * i + 2] -= before * h * GRAVITY;
  }
  for (int i = 0; i < 3 * links; i++) {
    chain->free_d[i] = chain->d[i] + h * (chain->v[i] - (i >= 3 ? chain->v[i - 3] : 0.0));
  }
  if (!shake(chain)) {
    return 1;
  }
  for (int i = 0; i < 3 * links; i++) {
    chain->v[i] += chain->force[i] / h;
    chain->d[i] = chain->next_d[i];
  }
  if (chain->projects) {
    for (int i = 0; i < links; i++) {
      chain->v[3 * i + 2] -= 0.5 * h * GRAVITY;
    }
    project(chain);
  }
  chain->has_step = true;
  return 0;
}

/* ---- through the library --------------------------------------------------------------------- */

static int make_system(int links, VidaSystem** system, VidaError* error) {
  const double gravity[3] = {0.0, 0.0, -GRAVITY};
  int failed = VidaSystem_Create("chain", 3, system, error) ||
               VidaSystem_AddGravity(*system, gravity, error);
  for (int i = 0; i < links && !failed; i++) {
    char name[32];
    snprintf(name, sizeof name, "link %d", i + 1);
    VidaParticle end = {.name = name, .mass = MASS};
    for (int k = 0; k < 3; k++) {
      end.position[k] = VidaInitial_Given(k ? 0.0 : LENGTH * (i + 1));
      end.velocity[k] = VidaInitial_Given(k == 1 ? 0.1 * sin(i + 1.0) : 0.0);
    }
    const VidaDistance rod = {name, i ? VidaPoint_Particle(i - 1) : VidaPoint_Fixed(0.0, 0.0, 0.0),
                              VidaPoint_Particle(i), LENGTH};
    failed = VidaSystem_AddParticle(*system, &end, NULL, error) ||
             VidaSystem_AddDistance(*system, &rod, error);
  }
  return failed || VidaSystem_Complete(*system, error);
}

static int make_stepper(const VidaSystem* system, const char* method, double h,
                        VidaStepper** stepper, VidaError* error) {
  VidaOptions* options = NULL;
  const int failed = VidaOptions_Create(method, &options, error) ||
                     VidaOptions_SetReal(options, "h", h, error) ||
                     VidaStepper_Create(system, options, stepper, error);
  VidaOptions_Destroy(&options);
  return failed;
}

/* ---- comparison ------------------------------------------------------------------------------ */

typedef struct Times {
  double *library, *hand; /* s, of each round */
} Times;

static int measure(VidaStepper* stepper, const double* start, Chain* chain, long steps, int rounds,
                   const Times* times, VidaError* error) {
  const int n = 3 * chain->links;
  for (int round = 0; round < rounds; round++) {
    if (VidaStepper_Start(stepper, 0.0, start, start + n, error)) {
      return 1;
    }
    const double begin = bench_seconds();
    if (VidaStepper_Steps(stepper, steps, NULL, error)) {
      return 1;
    }
    const double middle = bench_seconds();
    start_chain(chain);
    const double again = bench_seconds();
    for (long k = 0; k < steps; k++) {
      if (step_chain(chain)) {
        snprintf(error->message, sizeof error->message, "the hand-coded step does not converge");
        return 1;
      }
    }
    times->library[round] = middle - begin;
    times->hand[round] = bench_seconds() - again;
  }
  return 0;
}

/* Returns the largest distance between the positions of both. */
static double find_difference(const VidaStepper* stepper, const Chain* chain) {
  const double* q = VidaStepper_Positions(stepper);
  double place[3] = {0.0, 0.0, 0.0}, difference = 0.0;
  for (int i = 0; i < 3 * chain->links; i++) {
    place[i % 3] += chain->d[i];
    difference = fmax(difference, fabs(place[i % 3] - q[i]));
  }
  return difference;
}

static int compare(int links, const char* method, const BenchOptions* options) {
  VidaError error = {0};
  VidaSystem* system = NULL;
  VidaStepper* stepper = NULL;
  Chain chain = {0};
  const size_t n = 3 * (size_t)links, rounds = (size_t)options->rounds;
  const long steps = options->steps / links > 100 ? options->steps / links : 100;
  double* work = calloc(2 * n + 2 * rounds, sizeof *work);
  const Times times = {work + 2 * n, work + 2 * n + rounds};
  int failed = !work || make_system(links, &system, &error) ||
               VidaSystem_Start(system, 0.0, NULL, work, work + n, NULL, &error) ||
               make_stepper(system, method, options->h, &stepper, &error) ||
               create_chain(links, options->h, strcmp(method, "rattle") == 0, &chain) ||
               measure(stepper, work, &chain, steps, options->rounds, &times, &error);
  if (failed) {
    fprintf(stderr, "shake: %d links, %s: %s\n", links, method, error.message);
  } else {
    const double scale = 1e6 / ((double)steps * links);
    const double library = scale * bench_median(options->rounds, times.library);
    const double hand = scale * bench_median(options->rounds, times.hand);
    const double difference = find_difference(stepper, &chain);
    printf("  %7d  %-12s %12.4f %12.4f %8.2f %12.1e\n", links, method, library, hand,
           library / hand, difference);
    failed = !(difference <= AGREEMENT);
    if (failed) {
      fprintf(stderr, "they do not compute the same motion (allowed: %g m)\n", AGREEMENT);
    }
  }
  free(chain.d);
  free(work);
  VidaStepper_Destroy(&stepper);
  VidaSystem_Destroy(&system);
  return failed;
}

int bench_shake(const BenchOptions* options) {
  static const int links[] = {2, 10, 100, 1000};
  static const char* const methods[] = {"del-endpoint", "rattle"};
  int failed = 0;
  printf("\nHanging chains, h = %g s, median of %d rounds, us/step/link\n", options->h,
         options->rounds);
  printf("  %7s  %-12s %12s %12s %8s %12s\n", "links", "", "library", "hand-coded", "ratio",
         "difference");
  for (size_t k = 0; k < sizeof links / sizeof *links && !failed; k++) {
    for (size_t m = 0; m < sizeof methods / sizeof *methods && !failed; m++) {
      failed = compare(links[k], methods[m], options);
    }
  }
  return failed;
}
