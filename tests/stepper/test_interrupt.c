/* Interrupts of steppers: every method asks in each step whether to go on; after an answer that
 * ends it the state is that of the node, and the step can be made again as if nothing had happened.
 * Wall limits of studies. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vida/vida.h>

#include "support/check.h"

enum { N = 2 };

typedef struct caller {
  long asked, stop_at; /* the question that is answered with a stop; 0: none */
  int answer;
} caller;

static int ask(void* data) {
  caller* from = data;
  return ++from->asked == from->stop_at ? from->answer : 0;
}

/* A free swing of a particle on a spring, or on a rod. */
static VidaSystem* make_system(bool has_rod) {
  const double gravity[2] = {0.0, -9.81};
  VidaParticle bob = {.name = "bob", .mass = 1.0};
  VidaSystem* system = NULL;
  VidaError error;
  bob.position[0] = VidaInitial_Given(1.0);
  bob.position[1] = VidaInitial_Given(0.0);
  bob.velocity[0] = VidaInitial_Given(0.0);
  bob.velocity[1] = VidaInitial_Given(0.5);
  REQUIRE_OK(VidaSystem_Create(has_rod ? "pendulum" : "free", 2, &system, &error), &error);
  int particle = 0;
  REQUIRE_OK(VidaSystem_AddParticle(system, &bob, &particle, &error), &error);
  REQUIRE_OK(VidaSystem_AddGravity(system, gravity, &error), &error);
  const VidaPoint point = VidaPoint_Particle(particle);
  if (has_rod) {
    const VidaDistance rod = {
        .name = "rod", .from = VidaPoint_Fixed(0.0, 0.0, 0.0), .to = point, .length = 1.0};
    REQUIRE_OK(VidaSystem_AddDistance(system, &rod, &error), &error);
  } else {
    const VidaSpring spring = {.name = "spring",
                               .from = VidaPoint_Fixed(0.0, 0.0, 0.0),
                               .to = point,
                               .stiffness = 50.0,
                               .length = 0.7};
    REQUIRE_OK(VidaSystem_AddSpring(system, &spring, &error), &error);
  }
  REQUIRE_OK(VidaSystem_Complete(system, &error), &error);
  return system;
}

/* NULL where the method does not take the system. */
static VidaStepper* make_stepper(const VidaSystem* system, const char* method, bool adaptive) {
  VidaOptions* options = NULL;
  VidaStepper* stepper = NULL;
  VidaError error;
  const double q[N] = {1.0, 0.0}, v[N] = {0.0, 0.5};
  REQUIRE_OK(VidaOptions_Create(method, &options, &error), &error);
  REQUIRE_OK(VidaOptions_SetReal(options, "h", adaptive ? 0.4 : 0.01, &error), &error);
  if (adaptive) {
    REQUIRE_OK(VidaOptions_SetReal(options, "rtol", 1e-9, &error), &error);
  }
  if (VidaStepper_Create(system, options, &stepper, &error) ||
      VidaStepper_Start(stepper, 0.0, q, v, &error)) {
    VidaStepper_Destroy(&stepper);
  }
  VidaOptions_Destroy(&options);
  return stepper;
}

static double distance(const VidaStepper* a, const double* q) {
  const double* p = VidaStepper_Positions(a);
  return fmax(fabs(p[0] - q[0]), fabs(p[1] - q[1]));
}

/* Two steps, the second of which is interrupted at one question after the other. */
static int try_method(const VidaSystem* system, const char* method, bool adaptive) {
  enum { MOST_STOPS = 6 };
  VidaError error = {0};
  caller from = {0, 0, VIDA_STOPPED};
  VidaStepper* undisturbed = make_stepper(system, method, adaptive);
  VidaStepper* stepper = make_stepper(system, method, adaptive);
  if (!stepper) {
    VidaStepper_Destroy(&undisturbed);
    return 0;
  }
  REQUIRE_OK(VidaStepper_SetInterrupt(stepper, ask, &from, &error), &error);
  for (int k = 0; k < 2; k++) {
    REQUIRE_OK(VidaStepper_Step(undisturbed, &error), &error);
  }
  REQUIRE_OK(VidaStepper_Step(stepper, &error), &error);
  EXPECT(from.asked >= (adaptive ? 3 : 1), "%s asks %ld times", method, from.asked);
  double q[N];
  memcpy(q, VidaStepper_Positions(stepper), sizeof q);
  for (long stop = 1; stop <= MOST_STOPS; stop++) {
    from.asked = 0;
    from.stop_at = stop;
    from.answer = stop % 2 ? VIDA_STOPPED : VIDA_WALL_LIMIT;
    const int code = VidaStepper_Step(stepper, &error);
    if (!code) {
      break; /* it has fewer questions */
    }
    EXPECT(code == from.answer && error.code == code, "%s: %d: %s", method, code, error.message);
    EXPECT(from.asked == stop, "%s goes on asking", method);
    EXPECT(strstr(error.message, " at t = ") != NULL, "%s: %s", method, error.message);
    EXPECT(distance(stepper, q) == 0.0 && VidaStepper_StepCount(stepper) == 1, "%s has moved",
           method);
  }
  if (VidaStepper_StepCount(stepper) == 1) {
    from.stop_at = 0;
    REQUIRE_OK(VidaStepper_Step(stepper, &error), &error);
  }
  const double off = distance(stepper, VidaStepper_Positions(undisturbed));
  EXPECT(off <= (adaptive ? 1e-5 : 1e-9), "%s: %g off after an interrupt", method, off);
  VidaStepper_Destroy(&stepper);
  VidaStepper_Destroy(&undisturbed);
  return 1;
}

static void test_methods(void) {
  for (int rod = 0; rod < 2; rod++) {
    VidaSystem* system = make_system(rod);
    int fixed = 0, adaptive = 0;
    for (int i = 0; i < Vida_MethodCount(); i++) {
      const VidaMethodInfo* info = Vida_MethodInfo(i);
      VidaOptions* options = NULL;
      VidaError error;
      REQUIRE_OK(VidaOptions_Create(info->name, &options, &error), &error);
      const bool always = Vida_IsAdaptive(options);
      VidaOptions_Destroy(&options);
      fixed += always ? 0 : try_method(system, info->name, false);
      adaptive += info->capabilities & VIDA_CAN_ADAPTIVE ? try_method(system, info->name, true) : 0;
    }
    EXPECT(fixed >= 15 && adaptive >= 5, "only %d and %d methods were tried", fixed, adaptive);
    VidaSystem_Destroy(&system);
  }
}

/* A million steps and more in one interval: the limit, and how far it came, are told. */
static void test_variable_steps(void) {
  VidaSystem* system = make_system(false);
  VidaOptions* options = NULL;
  VidaStepper* stepper = NULL;
  VidaError error = {0};
  const double q[N] = {1.0, 0.0}, v[N] = {0.0, 0.5};
  REQUIRE_OK(VidaOptions_Create("rattle-variable", &options, &error), &error);
  REQUIRE_OK(VidaOptions_SetReal(options, "h", 0.01, &error), &error);
  REQUIRE_OK(VidaOptions_SetReal(options, "start_density", 4e9, &error), &error);
  REQUIRE_OK(VidaOptions_SetReal(options, "max_steps", 1000.0, &error), &error);
  REQUIRE_OK(VidaStepper_Create(system, options, &stepper, &error), &error);
  REQUIRE_OK(VidaStepper_Start(stepper, 0.0, q, v, &error), &error);
  EXPECT(VidaStepper_Step(stepper, &error) == VIDA_STEP_NOT_CONVERGED, "%s", error.message);
  EXPECT(strcmp(error.flag, "TOO_MUCH_WORK") == 0, "%s", error.flag);
  EXPECT(strstr(error.message, "max_steps = 1000") != NULL, "%s", error.message);
  EXPECT(distance(stepper, q) == 0.0, "it has moved");
  caller from = {0, 500, VIDA_STOPPED};
  REQUIRE_OK(VidaStepper_SetInterrupt(stepper, ask, &from, &error), &error);
  EXPECT(VidaStepper_Step(stepper, &error) == VIDA_STOPPED, "%s", error.message);
  VidaStepper_Destroy(&stepper);
  VidaOptions_Destroy(&options);
  VidaSystem_Destroy(&system);
}

/* ---- studies --------------------------------------------------------------------------------- */

typedef struct log {
  long samples;
  double last_t;
  int ended;
} log_of_run;

static int take_sample(void* data, int run, const VidaSample* sample, VidaError* error) {
  log_of_run* seen = data;
  (void)run, (void)error;
  seen->samples++;
  seen->last_t = sample->t;
  return 0;
}

static int take_end(void* data, int run, const VidaRow* row, VidaError* error) {
  (void)run, (void)row, (void)error;
  ((log_of_run*)data)->ended++;
  return 0;
}

static int always_stop(void* data, int run, const char* what, double fraction) {
  (void)data, (void)run, (void)what, (void)fraction;
  return VIDA_STOPPED;
}

static VidaStudy* make_study(const VidaSystem* system, const char* limit, double seconds, int runs,
                             double time) {
  VidaOptions *options = NULL, *method = NULL;
  VidaStudy* study = NULL;
  VidaError error;
  REQUIRE_OK(VidaStudy_CreateOptions(&options, &error), &error);
  REQUIRE_OK(VidaOptions_SetReal(options, "time", time, &error), &error);
  if (limit) {
    REQUIRE_OK(VidaOptions_SetReal(options, limit, seconds, &error), &error);
  }
  REQUIRE_OK(VidaStudy_Create(system, options, &study, &error), &error);
  REQUIRE_OK(VidaOptions_Create("rattle", &method, &error), &error);
  REQUIRE_OK(VidaOptions_SetReal(method, "h", 1e-4, &error), &error);
  for (int i = 0; i < runs; i++) {
    REQUIRE_OK(VidaStudy_AddRun(study, method, &error), &error);
  }
  VidaOptions_Destroy(&method);
  VidaOptions_Destroy(&options);
  return study;
}

/* 10^10 steps; a busy machine makes some in 0.2 s. The row keeps what was measured, and the last
 * state that was reached is the last sample. */
static void test_wall_limit(void) {
  VidaSystem* system = make_system(true);
  VidaError error = {0};
  log_of_run seen = {0};
  const VidaObserver observer = {.sample = take_sample, .end = take_end, .data = &seen};
  VidaStudy* study = make_study(system, "wall_limit", 0.2, 1, 1e6);
  REQUIRE_OK(VidaStudy_Run(study, &observer, &error), &error);
  const VidaRow* row = VidaStudy_Row(study, 0);
  EXPECT(strcmp(row->status, "WALL_LIMIT") == 0, "%s: %s", row->status, row->message);
  EXPECT(strncmp(row->message, "wall_limit = 0.2 s", 18) == 0, "%s", row->message);
  EXPECT(row->t_end > 0.0 && row->t_end < 1e6 && row->t_end == seen.last_t, "t_end = %g, %g",
         row->t_end, seen.last_t);
  EXPECT(isfinite(row->energy_error) && isfinite(row->constraint_position), "measured errors");
  EXPECT(seen.ended == 1, "%d ends", seen.ended);
  VidaStudy_Destroy(&study);
  study = make_study(system, "study_wall_limit", 0.2, 3, 1e6);
  REQUIRE_OK(VidaStudy_Run(study, &observer, &error), &error);
  EXPECT(strcmp(VidaStudy_Row(study, 0)->status, "WALL_LIMIT") == 0, "first");
  for (int i = 1; i < 3; i++) {
    row = VidaStudy_Row(study, i);
    EXPECT(strcmp(row->status, "NOT_RUN") == 0 &&
               strncmp(row->message, "study_wall_limit = 0.2 s", 24) == 0,
           "%s: %s", row->status, row->message);
  }
  VidaStudy_Destroy(&study);
  VidaSystem_Destroy(&system);
}

/* An observer's request stops a run whose row and last state are kept. */
static void test_request(void) {
  VidaSystem* system = make_system(true);
  VidaError error = {0};
  log_of_run seen = {0};
  const VidaObserver observer = {
      .sample = take_sample, .end = take_end, .progress = always_stop, .data = &seen};
  VidaStudy* study = make_study(system, NULL, 0.0, 2, 1e6);
  EXPECT(VidaStudy_Run(study, &observer, &error) == VIDA_STOPPED, "%s", error.message);
  const VidaRow* row = VidaStudy_Row(study, 0);
  EXPECT(strcmp(row->status, "STOPPED") == 0 && row->t_end == seen.last_t && seen.ended == 1,
         "%s at %g, last sample at %g", row->status, row->t_end, seen.last_t);
  EXPECT(strcmp(VidaStudy_Row(study, 1)->status, "NOT_RUN") == 0, "second");
  VidaStudy_Destroy(&study);
  VidaSystem_Destroy(&system);
}

/* 10^10 steps take 1000 s at 10^-7 s each; with a limit, or fewer steps, there is nothing to say.
 */
static void test_cost_warnings(void) {
  VidaSystem* system = make_system(true);
  char text[VIDA_NOTES_SIZE];
  VidaStudy* study = make_study(system, NULL, 0.0, 1, 1e6);
  VidaStudy_CostWarnings(study, false, text, sizeof text);
  EXPECT(strstr(text, "1e+10 steps") && strstr(text, "wall_limit"), "'%s'", text);
  VidaStudy_Destroy(&study);
  study = make_study(system, "wall_limit", 1.0, 1, 1e6);
  VidaStudy_CostWarnings(study, false, text, sizeof text);
  EXPECT(text[0] == '\0', "'%s'", text);
  VidaStudy_Destroy(&study);
  study = make_study(system, NULL, 0.0, 1, 1.0);
  VidaStudy_CostWarnings(study, true, text, sizeof text);
  EXPECT(text[0] == '\0', "'%s'", text);
  VidaStudy_Destroy(&study);
  VidaSystem_Destroy(&system);
}

int main(void) {
  static const CheckTest tests[] = {{"methods", test_methods},
                                    {"variable steps", test_variable_steps},
                                    {"wall limits", test_wall_limit},
                                    {"requests", test_request},
                                    {"cost warnings", test_cost_warnings},
                                    {NULL, NULL}};
  return check_main("interrupts and limits", tests);
}
