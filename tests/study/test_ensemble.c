/* Runs whose steps are made at once: each has the states of the run alone, bit for bit. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <vida/vida.h>

#include "support/check.h"
#include "support/model.h"
#include "support/motion.h"

enum { RUNS = 7, MOST_SAMPLES = 1000, WIDTH = 2 * MODEL_COORDINATES + 3 * MODEL_LINKS + 8 };

/* All numbers that an observer receives, by runs. */
typedef struct Record {
  int samples[RUNS];
  double values[RUNS][MOST_SAMPLES][WIDTH];
  int n, m, maps;
  double last_t[RUNS];
  double last_q[RUNS][MODEL_COORDINATES];
  int calls, stops_at; /* of `progress` */
} Record;

static void add(double** to, const double* from, int count) {
  memcpy(*to, from, (size_t)count * sizeof **to);
  *to += count;
}

static int take(void* data, int run, const VidaSample* sample, VidaError* error) {
  Record* record = data;
  (void)error;
  record->last_t[run] = sample->t;
  memcpy(record->last_q[run], sample->q, (size_t)record->n * sizeof *sample->q);
  if (record->samples[run] < MOST_SAMPLES) {
    double* to = record->values[run][record->samples[run]];
    *to++ = sample->t;
    *to++ = sample->energy;
    add(&to, sample->q, record->n);
    add(&to, sample->v, record->n);
    add(&to, sample->multipliers, record->m);
    add(&to, sample->position_residuals, record->m);
    add(&to, sample->velocity_residuals, record->m);
    add(&to, sample->momenta, record->maps);
  }
  record->samples[run]++;
  return 0;
}

static int stop(void* data, int run, const char* what, double fraction) {
  Record* record = data;
  (void)run;
  (void)what;
  (void)fraction;
  return record->stops_at > 0 && ++record->calls >= record->stops_at;
}

/* Starts at the angles of a fan; number 3, `is_wild`, is so fast that its steps fail. */
static VidaStudy* make(const VidaSystem* system, const char* method, double h, double time,
                       const char* lanes, const char* jobs, bool is_wild) {
  VidaError error = {0};
  const char* const settings[] = {"lanes", lanes, "jobs", jobs, "adjust_start", "true", NULL};
  VidaStudy* study = motion_study(system, time, settings);
  VidaOptions* options = motion_method(method, h, NULL);
  double q[MODEL_COORDINATES], v[MODEL_COORDINATES];
  REQUIRE_OK(VidaSystem_Start(system, 0.0, NULL, q, v, NULL, &error), &error);
  for (int k = 0; k < RUNS; k++) {
    for (int i = 0; i < VidaSystem_CoordinateCount(system); i++) {
      v[i] += 0.01 * sin(1.0 + i + k);
    }
    v[0] += is_wild && k == 3 ? 300.0 : 0.0;
    REQUIRE_OK(VidaStudy_AddRunFrom(study, options, NULL, q, v, &error), &error);
    v[0] -= is_wild && k == 3 ? 300.0 : 0.0;
  }
  VidaOptions_Destroy(&options);
  return study;
}

static Record* run(VidaStudy* study, int stops_at, int expected) {
  VidaError error = {0};
  const VidaSystem* system = VidaStudy_System(study);
  Record* record = calloc(1, sizeof *record);
  record->n = VidaSystem_CoordinateCount(system);
  record->m = VidaSystem_ConstraintCount(system);
  record->maps = VidaSystem_MomentumCount(system);
  record->stops_at = stops_at;
  const VidaObserver observer = {.sample = take, .progress = stop, .data = record};
  const int code = VidaStudy_Run(study, &observer, &error);
  EXPECT(code == expected, "%d: %s", code, error.message);
  return record;
}

static void expect_same_rows(const VidaStudy* a, const VidaStudy* b, const char* method) {
  for (int k = 0; k < RUNS; k++) {
    const VidaRow *x = VidaStudy_Row(a, k), *y = VidaStudy_Row(b, k);
    EXPECT(strcmp(x->status, y->status) == 0, "%s, run %d: %s, not %s", method, k, x->status,
           y->status);
    EXPECT(x->t_end == y->t_end && x->steps == y->steps &&
               x->newton_iterations == y->newton_iterations &&
               x->residual_evaluations == y->residual_evaluations &&
               x->jacobian_evaluations == y->jacobian_evaluations,
           "%s, run %d: counts", method, k);
    EXPECT(memcmp(&x->energy_error, &y->energy_error, sizeof x->energy_error) == 0 &&
               memcmp(&x->energy_drift, &y->energy_drift, sizeof x->energy_drift) == 0 &&
               memcmp(&x->momentum_error, &y->momentum_error, sizeof x->momentum_error) == 0 &&
               memcmp(&x->constraint_position, &y->constraint_position,
                      sizeof x->constraint_position) == 0 &&
               memcmp(&x->constraint_velocity, &y->constraint_velocity,
                      sizeof x->constraint_velocity) == 0,
           "%s, run %d: errors", method, k);
  }
}

/* Without an observer, most nodes are measured without being shown. */
static void compare_unseen(const VidaSystem* system, const VidaStudy* alone, const char* method,
                           double h, double time, bool is_wild) {
  VidaError error = {0};
  VidaStudy* together = make(system, method, h, time, "true", "2", is_wild);
  REQUIRE_OK(VidaStudy_Run(together, NULL, &error), &error);
  expect_same_rows(alone, together, method);
  VidaStudy_Destroy(&together);
}

static void compare(const Model* model, const char* method, double h, bool is_wild) {
  enum { STEPS = 250 };
  VidaSystem* system = model_system(model);
  VidaStudy* alone = make(system, method, h, STEPS * h, "false", "1", is_wild);
  Record* expected = run(alone, 0, VIDA_SUCCESS);
  static const char* const jobs[] = {"1", "2", "3"};
  for (size_t j = 0; j < sizeof jobs / sizeof *jobs; j++) {
    VidaStudy* together = make(system, method, h, STEPS * h, "true", jobs[j], is_wild);
    Record* record = run(together, 0, VIDA_SUCCESS);
    expect_same_rows(alone, together, method);
    EXPECT(memcmp(record->samples, expected->samples, sizeof record->samples) == 0 &&
               memcmp(record->values, expected->values, sizeof record->values) == 0,
           "%s on %s, h = %g, jobs %s: samples differ", method, model->name, h, jobs[j]);
    free(record);
    VidaStudy_Destroy(&together);
  }
  compare_unseen(system, alone, method, h, STEPS * h, is_wild);
  EXPECT(!is_wild || strcmp(VidaStudy_Row(alone, 3)->status, "ok") != 0, "%s: the wild run ended",
         method);
  EXPECT(strcmp(VidaStudy_Row(alone, 0)->status, "ok") == 0, "%s: %s", method,
         VidaStudy_Row(alone, 0)->status);
  free(expected);
  VidaStudy_Destroy(&alone);
  VidaSystem_Destroy(&system);
}

static const char* const methods[] = {"rattle", "del-endpoint", "del-trapezoidal",
                                      "energy-momentum", "symmetric-multistep"};

static void test_same_bits(void) {
  const Model models[] = {model_pendulum(2, 1.0, 1.0, 1.0, 0.0), model_double_spherical_pendulum(),
                          model_chain(5, 0.1), model_four_particles()};
  for (size_t k = 0; k < sizeof models / sizeof *models; k++) {
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
      compare(&models[k], methods[m], 1e-3, false);
    }
  }
}

/* Steps some of which are not calm, and a run that fails between others. */
static void test_failing_lanes(void) {
  const Model model = model_double_spherical_pendulum();
  for (size_t m = 0; m < 3; m++) {
    compare(&model, methods[m], 0.02, false);
    compare(&model, methods[m], 0.01, true);
  }
}

/* The runs that an observer stops have the state of the run alone at their last step. */
static void test_stopped_lanes(void) {
  const Model model = model_double_spherical_pendulum();
  VidaSystem* system = model_system(&model);
  VidaStudy* study = make(system, "rattle", 1e-3, 1e6, "true", "1", false);
  Record* record = run(study, 2, VIDA_STOPPED);
  int stopped = 0;
  for (int k = 0; k < RUNS; k++) {
    VidaError error = {0};
    const VidaRow* row = VidaStudy_Row(study, k);
    const double *q, *v;
    if (strcmp(row->status, "STOPPED") != 0) {
      continue;
    }
    stopped++;
    VidaOptions* options = motion_method("rattle", 1e-3, NULL);
    VidaStepper* stepper = NULL;
    EXPECT(VidaStudy_RunStart(study, k, &q, &v), "run %d has a start", k);
    REQUIRE_OK(VidaStepper_Create(system, options, &stepper, &error), &error);
    REQUIRE_OK(VidaStepper_Start(stepper, 0.0, q, v, &error), &error);
    for (long s = 0; s < row->steps; s++) {
      REQUIRE_OK(VidaStepper_Step(stepper, &error), &error);
    }
    EXPECT(memcmp(VidaStepper_Positions(stepper), record->last_q[k],
                  (size_t)record->n * sizeof(double)) == 0,
           "run %d, stopped after %ld steps", k, row->steps);
    EXPECT(row->t_end == record->last_t[k], "run %d: %g", k, row->t_end);
    EXPECT(row->newton_iterations == VidaStepper_Statistics(stepper).newton_iterations,
           "run %d: %ld iterations", k, row->newton_iterations);
    VidaStepper_Destroy(&stepper);
    VidaOptions_Destroy(&options);
  }
  EXPECT(stopped > 0, "no run was stopped");
  free(record);
  VidaStudy_Destroy(&study);
  VidaSystem_Destroy(&system);
}

int main(void) {
  static const CheckTest tests[] = {{"the same bits", test_same_bits},
                                    {"failing lanes", test_failing_lanes},
                                    {"stopped lanes", test_stopped_lanes},
                                    {NULL, NULL}};
  return check_main("ensembles", tests);
}
