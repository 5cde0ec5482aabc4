/* The same step through the library. */
#include <stdlib.h>
#include <vida/vida.h>

#include "bench.h"
#include "pendulum.h"

typedef struct LibraryLoop {
  VidaSystem* system;
  VidaStepper* stepper;
} LibraryLoop;

static void library_destroy(void* self) {
  LibraryLoop* loop = self;
  if (!loop) {
    return;
  }
  VidaStepper_Destroy(&loop->stepper);
  VidaSystem_Destroy(&loop->system);
  free(loop);
}

static int add_particle(VidaSystem* system, const char* name, double mass, const double* q,
                        const double* v) {
  VidaParticle particle = {.name = name, .mass = mass};
  for (int k = 0; k < 3; k++) {
    particle.position[k] = VidaInitial_Given(q[k]);
    particle.velocity[k] = VidaInitial_Given(v[k]);
  }
  return VidaSystem_AddParticle(system, &particle, NULL, NULL);
}

static int library_create(double h, void** self) {
  LibraryLoop* loop = calloc(1, sizeof *loop);
  *self = loop;
  if (!loop) {
    return 1;
  }
  double q[COORDINATES], v[COORDINATES];
  const double gravity[3] = {0.0, 0.0, -GRAVITY};
  const VidaDistance upper = {.name = "upper rod",
                              .from = VidaPoint_Fixed(0.0, 0.0, 0.0),
                              .to = VidaPoint_Particle(0),
                              .length = UPPER_LENGTH};
  const VidaDistance lower = {.name = "lower rod",
                              .from = VidaPoint_Particle(0),
                              .to = VidaPoint_Particle(1),
                              .length = LOWER_LENGTH};
  VidaOptions* options = NULL;
  pendulum_initial(q, v);
  const int failed = VidaSystem_Create("double spherical pendulum", 3, &loop->system, NULL) ||
                     VidaSystem_AddGravity(loop->system, gravity, NULL) ||
                     add_particle(loop->system, "upper", UPPER_MASS, q, v) ||
                     add_particle(loop->system, "lower", LOWER_MASS, q + 3, v + 3) ||
                     VidaSystem_AddDistance(loop->system, &upper, NULL) ||
                     VidaSystem_AddDistance(loop->system, &lower, NULL) ||
                     VidaSystem_Complete(loop->system, NULL) ||
                     VidaOptions_Create("del-midpoint", &options, NULL) ||
                     VidaOptions_SetReal(options, "h", h, NULL) ||
                     VidaStepper_Create(loop->system, options, &loop->stepper, NULL);
  VidaOptions_Destroy(&options);
  return failed;
}

static int library_start(void* self) {
  double q[COORDINATES], v[COORDINATES];
  pendulum_initial(q, v);
  return VidaStepper_Start(((LibraryLoop*)self)->stepper, 0.0, q, v, NULL);
}

static int library_run(void* self, long steps) {
  VidaStepper* stepper = ((LibraryLoop*)self)->stepper;
  for (long i = 0; i < steps; i++) {
    if (VidaStepper_Step(stepper, NULL)) {
      return 1;
    }
  }
  return 0;
}

static void library_positions(const void* self, double* q) {
  memcpy(q, VidaStepper_Positions(((const LibraryLoop*)self)->stepper),
         sizeof(double) * COORDINATES);
}

static long library_iterations(const void* self) {
  return VidaStepper_Statistics(((const LibraryLoop*)self)->stepper).newton_iterations;
}

const Contender pendulum_library = {"through the library", library_create,    library_start,
                                    library_run,           library_positions, library_iterations,
                                    library_destroy};
