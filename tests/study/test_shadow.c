/* Shadow energies of symplectic methods, against closed forms for x'' = -w^2 x, by their order, and
 * with a drift that a method is given on purpose. */
#include <math.h>
#include <string.h>
#include <vida/vida.h>

#include "support/check.h"
#include "support/comparison.h"
#include "support/model.h"
#include "support/motion.h"

#define OMEGA 2.0
#define X0 0.3
#define V0 0.7
#define H 0.05

typedef struct Work {
  VidaSystem* system;
  VidaStudy* study;
} Work;

/* Takes the system over. */
static Work run_on(VidaSystem* system, const char* options, const char* const* methods, int count,
                   const VidaObserver* observer) {
  VidaError error = {0};
  Work work = {system, comparison_study(system, options)};
  comparison_add(work.study, NULL, methods, count);
  REQUIRE_OK(VidaStudy_Run(work.study, observer, &error), &error);
  for (int i = 0; i < count; i++) {
    const VidaRow* row = VidaStudy_Row(work.study, i);
    EXPECT(strcmp(row->status, "ok") == 0, "%s: %s", methods[i], row->message);
  }
  return work;
}

static void end(Work* work) {
  VidaStudy_Destroy(&work->study);
  VidaSystem_Destroy(&work->system);
}

static VidaSystem* oscillator(void) {
  const Model model = model_oscillator(1.0, OMEGA * OMEGA, X0, V0);
  return model_system(&model);
}

/* ---- values ---------------------------------------------------------------------------------- */

enum { METHODS = 3 };

/* Both maps turn by theta, cos theta = 1 - z^2 / 2 with z = h w, on ellipses E' = constant. The
 * motion on an ellipse with this frequency has the energy theta / (z sqrt(1 - z^2 / 4)) E'. */
static double known_energy(double coupling, double stretch) {
  const double z = OMEGA * H;
  const double form = 0.5 * (V0 * V0 + OMEGA * OMEGA * X0 * (stretch * X0 + coupling * V0));
  return acos(1.0 - 0.5 * z * z) / (z * sqrt(1.0 - 0.25 * z * z)) * form;
}

typedef struct Expected {
  double energy[METHODS];
  long count;
} Expected;

static int compare_sample(void* data, int run, const VidaSample* sample, VidaError* error) {
  Expected* expected = data;
  (void)error;
  if (sample->t < 13.0 * H - 1e-9) {
    EXPECT(isnan(sample->shadow_energy) || sample->t > 11.5 * H, "too few nodes at %g", sample->t);
    return VIDA_SUCCESS;
  }
  EXPECT_NEAR(sample->shadow_energy_t, sample->t - 6.0 * H, 1e-12, "the middle of 13 nodes");
  EXPECT_NEAR(sample->shadow_energy, expected->energy[run], 1e-12, "run %d, t = %g", run,
              sample->t);
  expected->count++;
  return VIDA_SUCCESS;
}

/* verlet: E' = (v^2 + w^2 (1 - z^2 / 4) x^2) / 2; a drift, then a kick: (v^2 + w^2 x^2 + h w^2 x v)
 * / 2; a kick, then a drift: the same with -h. */
static void test_values(void) {
  static const char* const methods[METHODS] = {"verlet h=0.05", "symplectic-euler h=0.05",
                                               "lie-trotter h=0.05"};
  const double z = OMEGA * H;
  Expected expected = {.energy = {known_energy(0.0, 1.0 - 0.25 * z * z), known_energy(H, 1.0),
                                  known_energy(-H, 1.0)}};
  const VidaObserver observer = {.sample = compare_sample, .data = &expected};
  Work work = run_on(oscillator(), "time=20 shadow=12", methods, METHODS, &observer);
  EXPECT(expected.count > 1000, "%ld samples", expected.count);
  for (int i = 0; i < METHODS; i++) {
    EXPECT_BELOW(VidaStudy_Row(work.study, i)->shadow_energy_error, 1e-13, "%s", methods[i]);
  }
  end(&work);
}

/* ---- orders ---------------------------------------------------------------------------------- */

/* A window of k + 1 nodes has an error of order k, whatever the order of the method is. */
static void test_orders(void) {
  static const char* const methods[] = {
      "rattle h=0.04",        "rattle h=0.02",       "del-midpoint h=0.04", "del-midpoint h=0.02",
      "del-endpoint h=0.04",  "del-endpoint h=0.02", "compose h=0.04",      "compose h=0.02",
      "spark-lobatto h=0.04", "spark-lobatto h=0.02"};
  enum { RUNS = sizeof methods / sizeof methods[0] };
  const Model model = model_double_spherical_pendulum();
  for (int order = 4; order <= 8; order += 4) {
    char options[64];
    snprintf(options, sizeof options, "time=10 norm=max shadow=%d", order);
    Work work = run_on(model_system(&model), options, methods, RUNS, NULL);
    for (int i = 0; i < RUNS; i += 2) {
      const double coarse = VidaStudy_Row(work.study, i)->shadow_energy_error;
      const double fine = VidaStudy_Row(work.study, i + 1)->shadow_energy_error;
      EXPECT(log2(coarse / fine) > order - 0.5, "%s: order %.2f of %d", methods[i],
             log2(coarse / fine), order);
    }
    end(&work);
  }
}

/* The energy of RATTLE oscillates by 0.02 J; its shadow energy is constant. */
static void test_constant(void) {
  static const char* const methods[] = {"rattle h=0.01", "del-trapezoidal h=0.01"};
  const Model model = model_double_spherical_pendulum();
  Work work = run_on(model_system(&model), "time=100 norm=max shadow=8", methods, 2, NULL);
  for (int i = 0; i < 2; i++) {
    const VidaRow* row = VidaStudy_Row(work.study, i);
    EXPECT(row->energy_error > 1e-2, "%s: %g", methods[i], row->energy_error);
    EXPECT_BELOW(row->shadow_energy_error, 1e-9, "%s", methods[i]);
  }
  end(&work);
}

/* Runs from many starts, whose steps could be made at once, have the shadow energies of the runs
 * alone. */
static void test_lanes(void) {
  enum { RUNS = 4 };
  double errors[2][RUNS];
  const Model model = model_double_spherical_pendulum();
  for (int lanes = 0; lanes < 2; lanes++) {
    const char* const settings[] = {"lanes", lanes ? "true" : "false", "shadow", "8", "norm", "max",
                                    NULL};
    VidaError error = {0};
    VidaSystem* system = model_system(&model);
    VidaStudy* study = motion_study(system, 10.0, settings);
    VidaOptions* options = motion_method("rattle", 0.01, NULL);
    double q[MODEL_COORDINATES], v[MODEL_COORDINATES];
    REQUIRE_OK(VidaSystem_Start(system, 0.0, NULL, q, v, NULL, &error), &error);
    for (int i = 0; i < RUNS; i++) {
      REQUIRE_OK(VidaStudy_AddRunFrom(study, options, NULL, q, v, &error), &error);
      for (int k = 0; k < VidaSystem_CoordinateCount(system); k++) {
        v[k] *= 0.9;
      }
    }
    VidaOptions_Destroy(&options);
    Work work = {system, study};
    REQUIRE_OK(VidaStudy_Run(study, NULL, &error), &error);
    for (int i = 0; i < RUNS; i++) {
      errors[lanes][i] = VidaStudy_Row(study, i)->shadow_energy_error;
      EXPECT_BELOW(errors[lanes][i], 1e-9, "run %d", i);
      EXPECT(errors[lanes][i] == errors[0][i], "run %d: %g, not %g", i, errors[lanes][i],
             errors[0][i]);
    }
    end(&work);
  }
}

/* ---- a planted drift ------------------------------------------------------------------------- */

/* A drift and a kick, after which the momentum loses a part LOSS. With p dE'/dp = E' on average
 * over an ellipse, the shadow energy then falls by LOSS E' / h per second. */
#define LOSS 1.2e-10

static int leak_create(VidaIntegration* integration, VidaError* error) {
  (void)integration;
  (void)error;
  return VIDA_SUCCESS;
}

static int leak_start(VidaIntegration* integration, VidaError* error) {
  VidaNode* node = VidaIntegration_Node(integration);
  (void)error;
  node->p[0] = node->v[0];
  return VIDA_SUCCESS;
}

static int leak_step(VidaIntegration* integration, VidaError* error) {
  VidaNode* node = VidaIntegration_Node(integration);
  (void)error;
  node->q[0] += node->h * node->p[0];
  node->p[0] -= node->h * OMEGA * OMEGA * node->q[0];
  node->p[0] -= LOSS * node->p[0];
  node->v[0] = node->p[0];
  return VIDA_SUCCESS;
}

static int leak_velocities(VidaIntegration* integration, double* v, VidaError* error) {
  (void)error;
  v[0] = VidaIntegration_Node(integration)->p[0];
  return VIDA_SUCCESS;
}

static int leak_energy(VidaIntegration* integration, double* energy, double* t, VidaError* error) {
  const VidaNode* node = VidaIntegration_Node(integration);
  (void)error;
  *t = VidaIntegration_Time(integration);
  *energy = 0.5 * (node->p[0] * node->p[0] + OMEGA * OMEGA * node->q[0] * node->q[0]);
  return VIDA_SUCCESS;
}

/* h (w^2 / 2 - V(q1)) with the velocity w of the drift, which is that before the kick. */
static int leak_action(VidaIntegration* integration, double t, double* action, VidaError* error) {
  const VidaNode* node = VidaIntegration_Node(integration);
  const double before = node->p[0] / (1.0 - LOSS) + node->h * OMEGA * OMEGA * node->q[0];
  (void)t;
  (void)error;
  *action = 0.5 * node->h * (before * before - OMEGA * OMEGA * node->q[0] * node->q[0]);
  return VIDA_SUCCESS;
}

static void test_planted_drift(void) {
  static const VidaOptionRow no_options[] = {
      {NULL, VIDA_OPTION_REAL, NULL, 0.0, 0.0, 0.0, false, NULL, NULL}};
  static const VidaMethod leak = {.size = sizeof(VidaMethod),
                                  .info = {"leak", "symplectic Euler with a loss", "this test", "",
                                           1, VIDA_CAN_SYMPLECTIC | VIDA_LIMIT_UNCONSTRAINED},
                                  .options = no_options,
                                  .create = leak_create,
                                  .start = leak_start,
                                  .step = leak_step,
                                  .velocities = leak_velocities,
                                  .energy = leak_energy,
                                  .action = leak_action};
  static const char* const methods[] = {"leak h=0.05", "symplectic-euler h=0.05"};
  VidaError error = {0};
  REQUIRE_OK(Vida_RegisterMethod(&leak, &error), &error);
  Work work = run_on(oscillator(), "time=1000 drift=true shadow=8", methods, 2, NULL);
  const VidaRow *row = VidaStudy_Row(work.study, 0), *sound = VidaStudy_Row(work.study, 1);
  const double expected = -LOSS * known_energy(H, 1.0) / H;
  EXPECT_NEAR(expected, -1e-9, 2e-10, "the planted drift in J/s");
  EXPECT_NEAR(row->shadow_energy_drift, expected, 0.01 * fabs(expected), "the drift");
  EXPECT(row->shadow_energy_drift_interval < 0.1 * fabs(expected), "+- %g",
         row->shadow_energy_drift_interval);
  EXPECT(row->energy_drift_interval > 10.0 * fabs(expected), "the energy shows it: +- %g",
         row->energy_drift_interval);
  EXPECT(fabs(sound->shadow_energy_drift) <= sound->shadow_energy_drift_interval,
         "a drift of a sound method: %g", sound->shadow_energy_drift);
  end(&work);
}

/* ---- what has none --------------------------------------------------------------------------- */

static void expect_reason(const Work* work, int run, const char* text) {
  const VidaRow* row = VidaStudy_Row(work->study, run);
  EXPECT(isnan(row->shadow_energy_error) && strstr(row->message, text), "%s", row->message);
}

static void test_reasons(void) {
  static const char* const methods[] = {"energy-momentum h=0.1", "del-regularized h=0.1",
                                        "verlet h=2.5", "ida-ggl rtol=1e-6"};
  Work work = run_on(oscillator(), "time=10 shadow=8", methods, 4, NULL);
  expect_reason(&work, 0, "no shadow energy: the method does not claim to be symplectic");
  expect_reason(&work, 1, "no shadow energy: the method does not compute the action of its steps");
  expect_reason(&work, 2, "no shadow energy: the run has fewer nodes than a window");
  expect_reason(&work, 3, "no shadow energy: the method does not claim to be symplectic");
  EXPECT(!VidaStudy_HasColumn(work.study, Vida_FindColumn("energy_drift_interval")), "drift");
  end(&work);
}

static void test_option(void) {
  VidaError error = {0};
  VidaOptions* options = NULL;
  VidaStudy* study = NULL;
  VidaSystem* system = oscillator();
  REQUIRE_OK(VidaStudy_CreateOptions(&options, &error), &error);
  REQUIRE_OK(VidaOptions_SetReal(options, "time", 1.0, &error), &error);
  REQUIRE_OK(VidaOptions_SetReal(options, "shadow", 6.0, &error), &error);
  EXPECT_ERROR(VidaStudy_Create(system, options, &study, &error), &error, VIDA_BAD_ARGUMENT,
               "shadow: expected 0, 4, 8 or 12, got 6");
  VidaOptions_Destroy(&options);
  VidaSystem_Destroy(&system);
}

int main(void) {
  static const CheckTest tests[] = {{"values", test_values},
                                    {"orders", test_orders},
                                    {"constant", test_constant},
                                    {"lanes", test_lanes},
                                    {"planted drift", test_planted_drift},
                                    {"reasons", test_reasons},
                                    {"option", test_option},
                                    {NULL, NULL}};
  return check_main("shadow energies", tests);
}
