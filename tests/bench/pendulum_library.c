/* The same step through the library: built-in particles and rods, and formulas. */
#include <stdlib.h>
#include <vida/expression.h>
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

static int build_from_terms(VidaSystem* system) {
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
  pendulum_initial(q, v);
  return VidaSystem_AddGravity(system, gravity, NULL) ||
         add_particle(system, "upper", UPPER_MASS, q, v) ||
         add_particle(system, "lower", LOWER_MASS, q + 3, v + 3) ||
         VidaSystem_AddDistance(system, &upper, NULL) ||
         VidaSystem_AddDistance(system, &lower, NULL);
}

/* Formulas are built without looking at each step: a failure shows when the term is added. */
static VidaExpression apply(VidaSystem* system, const char* operation, VidaExpression a,
                            VidaExpression b) {
  const VidaExpression operands[2] = {a, b};
  VidaExpression result = -1;
  VidaSystem_Apply(system, operation, 2, operands, &result, NULL);
  return result;
}

static VidaExpression number(VidaSystem* system, double value) {
  VidaExpression result = -1;
  VidaSystem_Constant(system, value, &result, NULL);
  return result;
}

static VidaExpression sum_of_squares(VidaSystem* system, const VidaExpression a[3]) {
  const VidaExpression xy =
      apply(system, "+", apply(system, "*", a[0], a[0]), apply(system, "*", a[1], a[1]));
  return apply(system, "+", xy, apply(system, "*", a[2], a[2]));
}

/* (|d|^2 - l^2) / (2 l) */
static int add_rod(VidaSystem* system, const char* name, const VidaExpression d[3], double l) {
  const VidaExpression square = sum_of_squares(system, d);
  const VidaExpression g = apply(system, "*", apply(system, "-", square, number(system, l * l)),
                                 number(system, 0.5 / l));
  return VidaSystem_AddExpressionConstraint(system, name, "m", g, NULL);
}

static int build_from_formulas(VidaSystem* system) {
  static const char* const names[COORDINATES] = {"x1", "y1", "z1", "x2", "y2", "z2"};
  double q[COORDINATES], v[COORDINATES];
  VidaExpression position[COORDINATES], rate[COORDINATES], between[3];
  pendulum_initial(q, v);
  for (int i = 0; i < COORDINATES; i++) {
    if (VidaSystem_AddCoordinate(system, names[i], "m", VidaInitial_Given(q[i]),
                                 VidaInitial_Given(v[i]), NULL, NULL) ||
        VidaSystem_Position(system, i, &position[i], NULL) ||
        VidaSystem_Rate(system, i, &rate[i], NULL)) {
      return 1;
    }
  }
  for (int k = 0; k < 3; k++) {
    between[k] = apply(system, "-", position[3 + k], position[k]);
  }
  VidaExpression lagrangian = number(system, 0.0);
  for (int body = 0; body < 2; body++) {
    const double mass = body ? LOWER_MASS : UPPER_MASS;
    const VidaExpression kinetic =
        apply(system, "*", number(system, 0.5 * mass), sum_of_squares(system, rate + 3 * body));
    const VidaExpression weight =
        apply(system, "*", number(system, mass * GRAVITY), position[3 * body + 2]);
    lagrangian = apply(system, "+", lagrangian, apply(system, "-", kinetic, weight));
  }
  return VidaSystem_AddExpressionLagrangian(system, "pendulum", lagrangian, NULL) ||
         add_rod(system, "upper rod", position, UPPER_LENGTH) ||
         add_rod(system, "lower rod", between, LOWER_LENGTH);
}

static int create(double h, int (*build)(VidaSystem* system), void** self) {
  LibraryLoop* loop = calloc(1, sizeof *loop);
  *self = loop;
  if (!loop) {
    return 1;
  }
  VidaOptions* options = NULL;
  const int failed = VidaSystem_Create("double spherical pendulum", 3, &loop->system, NULL) ||
                     build(loop->system) || VidaSystem_Complete(loop->system, NULL) ||
                     VidaOptions_Create("del-midpoint", &options, NULL) ||
                     VidaOptions_SetReal(options, "h", h, NULL) ||
                     VidaStepper_Create(loop->system, options, &loop->stepper, NULL);
  VidaOptions_Destroy(&options);
  return failed;
}

static int library_create(double h, void** self) {
  return create(h, build_from_terms, self);
}

static int formula_create(double h, void** self) {
  return create(h, build_from_formulas, self);
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

const Contender pendulum_formula = {
    "library, from formulas", formula_create,     library_start,  library_run,
    library_positions,        library_iterations, library_destroy};
