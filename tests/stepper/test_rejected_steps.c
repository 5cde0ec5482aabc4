/* A step that the frame rejects after the method has made it leaves nothing behind: time,
 * positions, momenta, velocities, multipliers and energy are those of a twin that has not tried the
 * step, to the last bit, also after saving and loading, and the step can be made afterwards. For
 * every method with each of its choices. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vida/vida.h>

#include "stepper/frame.h"
#include "support/check.h"
#include "support/exact.h"

enum { MOST_BEFORE = 7, MOST = 40, VALUES = 4 * MOST + 4 };

static VidaSystem* make_chain(void) {
  const Model model = model_chain(3, 0.3);
  return model_system(&model);
}

static VidaSystem* make_springs(void) {
  const Model model = model_springs();
  return model_system(&model);
}

static VidaSystem* make_top(void) {
  return make_top_with(1.0);
}

/* Everything that a caller can read. */
typedef struct reading {
  int count;
  double value[VALUES];
} reading;

static void read(VidaStepper* stepper, reading* read) {
  const size_t n = (size_t)stepper->self.model.n, m = (size_t)stepper->self.model.m;
  double* value = read->value;
  VidaError error;
  memset(read, 0, sizeof *read);
  value[0] = VidaStepper_Time(stepper);
  REQUIRE_OK(VidaStepper_Energy(stepper, &value[1], &value[2], &error), &error);
  memcpy(value + 4, VidaStepper_Positions(stepper), n * sizeof *value);
  memcpy(value + 4 + n, VidaStepper_Momenta(stepper), n * sizeof *value);
  REQUIRE_OK(VidaStepper_Velocities(stepper, value + 4 + 2 * n, &error), &error);
  memcpy(value + 4 + 3 * n, VidaStepper_Multipliers(stepper, &value[3]), m * sizeof *value);
  read->count = (int)(4 + 3 * n + m);
}

/* Returns the index of the first value with other bits, or -1. */
static int differ(const reading* a, const reading* b) {
  for (int i = 0; i < a->count; i++) {
    if (memcmp(&a->value[i], &b->value[i], sizeof a->value[i]) != 0) {
      return i;
    }
  }
  return -1;
}

static VidaStepper* make_stepper(const VidaSystem* system, const VidaOptions* options, int steps) {
  VidaStepper* stepper = NULL;
  VidaError error;
  double q[MOST], v[MOST];
  REQUIRE_OK(VidaSystem_Start(system, 0.0, NULL, q, v, NULL, &error), &error);
  if (VidaStepper_Create(system, options, &stepper, &error) ||
      VidaStepper_Start(stepper, 0.0, q, v, &error) ||
      VidaStepper_Steps(stepper, steps, NULL, &error)) {
    VidaStepper_Destroy(&stepper);
  }
  return stepper;
}

/* Makes the check of the energy reject the next step. */
static void reject_step(VidaStepper* stepper) {
  const double conserved = stepper->conserved_energy;
  const vida_energy_record kept = stepper->energy;
  VidaError error;
  stepper->conserved_energy = -1e300;
  stepper->energy = (vida_energy_record){.bound = 1e-300, .is_impossible = true, .judged = -1.0};
  const int code = VidaStepper_Step(stepper, &error);
  EXPECT(code == VIDA_STEP_NOT_CONVERGED && strcmp(error.flag, "UNBOUNDED") == 0, "%d: %s", code,
         error.message);
  EXPECT(stepper->energy.bound == 1e-300 && stepper->energy.judged == -1.0,
         "the check of the energy has kept what it found");
  stepper->conserved_energy = conserved;
  stepper->energy = kept;
}

static void compare(const VidaSystem* system, const VidaOptions* options, int before,
                    const char* name) {
  VidaStepper *twin = make_stepper(system, options, before + 1), *stepper = NULL, *loaded = NULL;
  reading expected, found;
  VidaError error;
  if (!twin) {
    return;
  }
  VidaStepper_Destroy(&twin); /* the step can be made */
  twin = make_stepper(system, options, before);
  stepper = make_stepper(system, options, before);
  reject_step(stepper);
  read(twin, &expected);
  read(stepper, &found);
  int at = differ(&found, &expected);
  EXPECT(at < 0, "%s after %d steps: value %d is %.17g, not %.17g", name, before, at,
         found.value[at < 0 ? 0 : at], expected.value[at < 0 ? 0 : at]);
  unsigned char* bytes = NULL;
  size_t size = 0;
  REQUIRE_OK(VidaStepper_SaveBytes(stepper, &bytes, &size, &error), &error);
  REQUIRE_OK(VidaStepper_LoadBytes(system, options, bytes, size, &loaded, &error), &error);
  read(loaded, &found);
  at = differ(&found, &expected);
  EXPECT(at < 0, "%s after %d steps, loaded: value %d is %.17g, not %.17g", name, before, at,
         found.value[at < 0 ? 0 : at], expected.value[at < 0 ? 0 : at]);
  REQUIRE_OK(VidaStepper_Step(twin, &error), &error);
  const int code = VidaStepper_Step(stepper, &error);
  EXPECT(code == VIDA_SUCCESS, "%s after %d steps, the next one: %s", name, before, error.message);
  /* Histories are lost where packages own them, and the stage that half-explicit methods keep. */
  const bool restarts =
      Vida_IsAdaptive(options) || strcmp(VidaOptions_Method(options), "half-explicit") == 0;
  for (int i = 0; i < system->coordinate_count; i++) {
    EXPECT_NEAR(VidaStepper_Positions(stepper)[i], VidaStepper_Positions(twin)[i],
                restarts ? 1e-3 : 1e-6, "%s after %d steps: the next one", name, before);
  }
  free(bytes);
  VidaStepper_Destroy(&loaded);
  VidaStepper_Destroy(&stepper);
  VidaStepper_Destroy(&twin);
}

static void try_options(const VidaSystem* system, const VidaOptions* options, const char* choice) {
  char name[256];
  snprintf(name, sizeof name, "%s: %s%s", system->name, VidaOptions_Method(options), choice);
  compare(system, options, 0, name);
  compare(system, options, 1, name);
  compare(system, options, MOST_BEFORE, name);
}

static VidaOptions* make_options(const char* method) {
  VidaOptions* options = NULL;
  VidaError error;
  REQUIRE_OK(VidaOptions_Create(method, &options, &error), &error);
  REQUIRE_OK(VidaOptions_SetReal(options, "h", 0.01, &error), &error);
  return options;
}

/* Every value of every choice, one at a time. */
static void try_choices(const VidaSystem* system, const char* method) {
  VidaOptions* plain = make_options(method);
  try_options(system, plain, "");
  for (int k = 0; k < VidaOptions_Count(plain); k++) {
    const VidaOptionRow* row = VidaOptions_Row(plain, k);
    char values[512], *rest = values, choice[128];
    if (row->type != VIDA_OPTION_CHOICE || !row->choices || strcmp(row->name, "start") == 0) {
      continue;
    }
    snprintf(values, sizeof values, "%s", row->choices);
    for (const char* value = strtok_r(values, "|", &rest); value;
         value = strtok_r(NULL, "|", &rest)) {
      VidaOptions* options = make_options(method);
      VidaError error;
      snprintf(choice, sizeof choice, ", %s = %s", row->name, value);
      if (!VidaOptions_SetText(options, row->name, value, &error)) {
        try_options(system, options, choice);
      }
      VidaOptions_Destroy(&options);
    }
  }
  VidaOptions_Destroy(&plain);
}

static void test_system(VidaSystem* (*make)(void)) {
  VidaSystem* system = make();
  for (int i = 0; i < Vida_MethodCount(); i++) {
    try_choices(system, Vida_MethodInfo(i)->name);
  }
  VidaSystem_Destroy(&system);
}

static void test_chain(void) {
  test_system(make_chain);
}
static void test_springs(void) {
  test_system(make_springs);
}
static void test_oscillator(void) {
  test_system(make_oscillator);
}
static void test_pendulum(void) {
  test_system(make_pendulum);
}
static void test_free_body(void) {
  test_system(make_precession);
}
static void test_top(void) {
  test_system(make_top);
}

static const CheckTest tests[] = {{"a chain of rods", test_chain},
                                  {"springs", test_springs},
                                  {"an oscillator", test_oscillator},
                                  {"a pendulum", test_pendulum},
                                  {"a free body", test_free_body},
                                  {"a top", test_top},
                                  {NULL, NULL}};

int main(void) {
  return check_main("rejected steps", tests);
}
