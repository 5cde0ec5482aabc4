/* A step with impacts that is interrupted at any question leaves nothing behind: what can be read,
 * and what contacts and events remember, are those of a twin that has not tried it, and the step
 * can be made afterwards. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <vida/vida.h>

#include "stepper/hybrid/contacts.h"
#include "support/check.h"
#include "support/formula.h"

enum { N = 4, QUESTIONS = 2000 };

typedef struct caller {
  long asked, stop_at;
} caller;

static int ask(void* data) {
  caller* from = data;
  return ++from->asked == from->stop_at ? VIDA_STOPPED : 0;
}

/* A ball on a rod from a bead that slides on a floor with friction, and hits a wall. */
static VidaSystem* make_system(void) {
  const double gravity[2] = {0.0, -9.81};
  VidaError error;
  VidaSystem* s = NULL;
  int bead = 0, ball = 0;
  REQUIRE_OK(VidaSystem_Create("bead and ball", 2, &s, &error), &error);
  const VidaParticle first = {.name = "bead",
                              .mass = 2.0,
                              .position = {VidaInitial_Given(0.3), VidaInitial_Given(0.0)},
                              .velocity = {VidaInitial_Given(2.0), VidaInitial_Given(0.0)}};
  const VidaParticle second = {.name = "ball",
                               .mass = 0.5,
                               .position = {VidaInitial_Given(0.3), VidaInitial_Given(1.0)},
                               .velocity = {VidaInitial_Given(2.0), VidaInitial_Given(0.0)}};
  REQUIRE_OK(VidaSystem_AddParticle(s, &first, &bead, &error), &error);
  REQUIRE_OK(VidaSystem_AddParticle(s, &second, &ball, &error), &error);
  REQUIRE_OK(VidaSystem_AddGravity(s, gravity, &error), &error);
  const VidaDistance rod = {.name = "rod",
                            .from = VidaPoint_Particle(bead),
                            .to = VidaPoint_Particle(ball),
                            .length = 1.0};
  REQUIRE_OK(VidaSystem_AddDistance(s, &rod, &error), &error);
  const VidaContact floor = {.name = "floor",
                             .gap = position(s, 1),
                             .friction = 0.3,
                             .slip_count = 1,
                             .slip = {rate(s, 0)}};
  const VidaContact wall = {
      .name = "wall", .gap = apply(s, "-", number(s, 0.5), position(s, 0)), .restitution = 0.6};
  const VidaContact ground = {.name = "ground", .gap = position(s, 3), .restitution = 0.5};
  REQUIRE_OK(VidaSystem_AddContact(s, &floor, NULL, &error), &error);
  REQUIRE_OK(VidaSystem_AddContact(s, &wall, NULL, &error), &error);
  REQUIRE_OK(VidaSystem_AddContact(s, &ground, NULL, &error), &error);
  REQUIRE_OK(VidaSystem_Complete(s, &error), &error);
  return s;
}

static VidaStepper* make_stepper(const VidaSystem* system, const VidaOptions* options, long steps) {
  VidaStepper* stepper = NULL;
  VidaError error;
  double q[N], v[N];
  REQUIRE_OK(VidaSystem_Start(system, 0.0, NULL, q, v, NULL, &error), &error);
  REQUIRE_OK(VidaStepper_Create(system, options, &stepper, &error), &error);
  REQUIRE_OK(VidaStepper_Start(stepper, 0.0, q, v, &error), &error);
  REQUIRE_OK(VidaStepper_Steps(stepper, steps, NULL, &error), &error);
  return stepper;
}

static void same(const double* a, const double* b, int count, const char* what, const char* name,
                 long k) {
  for (int i = 0; i < count; i++) {
    EXPECT(memcmp(&a[i], &b[i], sizeof a[i]) == 0, "%s, question %ld: %s %d is %.17g, not %.17g",
           name, k, what, i, a[i], b[i]);
  }
}

/* What a caller can read. */
static void compare(VidaStepper* stepper, VidaStepper* twin, const char* name, long k) {
  double a[2 * N + 3], b[2 * N + 3];
  VidaError error;
  VidaStepper* const both[] = {stepper, twin};
  double* const values[] = {a, b};
  for (int i = 0; i < 2; i++) {
    double* value = values[i];
    memcpy(value, VidaStepper_Positions(both[i]), N * sizeof *value);
    REQUIRE_OK(VidaStepper_Velocities(both[i], value + N, &error), &error);
    REQUIRE_OK(VidaStepper_Energy(both[i], value + 2 * N, value + 2 * N + 1, &error), &error);
    value[2 * N + 2] = VidaStepper_Time(both[i]);
  }
  same(a, b, 2 * N, "state", name, k);
  EXPECT_NEAR(a[2 * N], b[2 * N], 1e-12, "%s, question %ld: energy", name, k);
  same(a + 2 * N + 1, b + 2 * N + 1, 2, "time", name, k);
  same(VidaStepper_Momenta(stepper), VidaStepper_Momenta(twin), N, "momentum", name, k);
  double t, u;
  const double x = VidaStepper_Multipliers(stepper, &t)[0],
               y = VidaStepper_Multipliers(twin, &u)[0];
  EXPECT((isnan(x) && isnan(y)) || fabs(x - y) <= 0.05 * (1.0 + fabs(y)),
         "%s, question %ld: multiplier %g, not %g", name, k, x, y);
}

/* What contacts and events remember. */
static void compare_memory(const vida_hybrid* a, const vida_hybrid* b, const char* name, long k) {
  const vida_hybrid_contacts *x = a->contacts, *y = b->contacts;
  const int count = x->count;
  same(a->extent, b->extent, N, "extent", name, k);
  same(x->reach, y->reach, count, "reach", name, k);
  same(x->graze, y->graze, count, "graze", name, k);
  same(x->creep, y->creep, count, "creep", name, k);
  same(x->departure, y->departure, count, "departure", name, k);
  same(x->speed, y->speed, x->all->row_count, "speed", name, k);
  same(x->place, y->place, VIDA_SLIP_MOST * count, "place", name, k);
  EXPECT(memcmp(x->flags, y->flags, (size_t)count) == 0, "%s, question %ld: flags", name, k);
  for (int i = 0; i < a->watched_count; i++) {
    EXPECT(a->watched[i].side == b->watched[i].side &&
               a->watched[i].is_at_zero == b->watched[i].is_at_zero,
           "%s, question %ld: function %d", name, k, i);
    same(&a->watched[i].speed, &b->watched[i].speed, 1, "speed of a function", name, k);
  }
  for (int m = 0; m < b->mode_count; m++) {
    EXPECT(a->modes[m].is_fresh == b->modes[m].is_fresh &&
               a->modes[m].stepper->started == b->modes[m].stepper->started,
           "%s, question %ld: mode %d", name, k, m);
  }
}

/* Interrupts step `step` at question k. Returns false if it has fewer questions. */
static bool interrupt(const VidaSystem* system, const VidaOptions* options, long step, long k) {
  const char* name = VidaOptions_Method(options);
  VidaStepper *twin = make_stepper(system, options, step),
              *stepper = make_stepper(system, options, step);
  VidaError error;
  caller from = {0, k};
  REQUIRE_OK(VidaStepper_SetInterrupt(stepper, ask, &from, &error), &error);
  const int code = VidaStepper_Step(stepper, &error);
  if (code) {
    compare(stepper, twin, name, k);
    compare_memory(stepper->hybrid, twin->hybrid, name, k);
    REQUIRE_OK(VidaStepper_Step(stepper, &error), &error);
    REQUIRE_OK(VidaStepper_Step(twin, &error), &error);
    for (int i = 0; i < N; i++) {
      EXPECT_NEAR(VidaStepper_Positions(stepper)[i], VidaStepper_Positions(twin)[i], 2e-4,
                  "%s, question %ld: the next step", name, k);
    }
  }
  VidaStepper_Destroy(&twin);
  VidaStepper_Destroy(&stepper);
  return code != VIDA_SUCCESS;
}

static void try_method(const char* method) {
  VidaSystem* system = make_system();
  VidaOptions* options = NULL;
  VidaError error;
  long interrupted = 0;
  REQUIRE_OK(VidaOptions_Create(method, &options, &error), &error);
  REQUIRE_OK(VidaOptions_SetReal(options, "h", 0.05, &error), &error);
  for (long step = 0; step < 12; step++) {
    for (long k = 1; k < QUESTIONS && interrupt(system, options, step, k); k++) {
      interrupted++;
    }
  }
  EXPECT(interrupted > 12, "%s: %ld interrupts", method, interrupted);
  VidaOptions_Destroy(&options);
  VidaSystem_Destroy(&system);
}

static void test_methods(void) {
  static const char* const methods[] = {"del-midpoint", "del-endpoint",         "energy-momentum",
                                        "hht",          "generalized-alpha",    "radau",
                                        "ida-ggl",      "coordinate-projection"};
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
    try_method(methods[i]);
  }
}

static const CheckTest tests[] = {{"steps with impacts", test_methods}, {NULL, NULL}};

int main(void) {
  return check_main("rejected impacts", tests);
}
