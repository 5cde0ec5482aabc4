/* Building systems: what is refused and in which words, what can be looked up, which momentum maps
 * are found, and terms given by C callbacks. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support/chart.h"
#include "support/check.h"
#include "support/motion.h"

/* ---- bad input ------------------------------------------------------------------------------ */

static VidaSystem* new_system(int dimension) {
  VidaSystem* system = NULL;
  VidaError error = {0};
  REQUIRE_OK(VidaSystem_Create("rig", dimension, &system, &error), &error);
  return system;
}

static VidaParticle particle_at(const char* name, double mass, double x, double y) {
  const VidaParticle particle = {
      .name = name,
      .mass = mass,
      .position = {VidaInitial_Given(x), VidaInitial_Given(y), VidaInitial_Given(0.0)},
      .velocity = {VidaInitial_Given(0.0), VidaInitial_Given(0.0), VidaInitial_Given(0.0)}};
  return particle;
}

static void add_particle(VidaSystem* system, const char* name, double x, double y) {
  VidaError error = {0};
  const VidaParticle particle = particle_at(name, 1.0, x, y);
  REQUIRE_OK(VidaSystem_AddParticle(system, &particle, NULL, &error), &error);
}

static void test_bad_systems(void) {
  VidaSystem* system = NULL;
  VidaError error = {0};
  EXPECT_ERROR(VidaSystem_Create("rig", 0, &system, &error), &error, VIDA_BAD_ARGUMENT, "rig");
  EXPECT(!system, "a system was made");
  EXPECT_ERROR(VidaSystem_Create("rig", 4, &system, &error), &error, VIDA_BAD_ARGUMENT, "4");
  EXPECT_ERROR(VidaSystem_Create(NULL, 2, &system, &error), &error, VIDA_BAD_ARGUMENT, "name");
  EXPECT_ERROR(VidaSystem_Create("", 2, &system, &error), &error, VIDA_BAD_ARGUMENT, "name");
  system = new_system(2);
  EXPECT_ERROR(VidaSystem_Complete(system, &error), &error, VIDA_BAD_ARGUMENT, "rig");
  VidaSystem_Destroy(&system);
  EXPECT(!system, "not set to NULL");
  VidaSystem_Destroy(&system);
  VidaSystem_Destroy(NULL);
  /* nobody needs to read messages */
  EXPECT(VidaSystem_Create("rig", 7, &system, NULL) == VIDA_BAD_ARGUMENT, "no error structure");
}

static void test_bad_particles(void) {
  const double bad[] = {-1.0, (double)NAN, (double)INFINITY};
  VidaSystem* system = new_system(2);
  VidaError error = {0};
  int index = -7;
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    const VidaParticle particle = particle_at("ball", bad[i], 0.0, 0.0);
    EXPECT_ERROR(VidaSystem_AddParticle(system, &particle, &index, &error), &error,
                 VIDA_BAD_ARGUMENT, "ball");
    EXPECT(strstr(error.message, "mass"), "%s", error.message);
  }
  EXPECT(index == -7, "index %d of a refused particle", index);
  VidaParticle particle = particle_at("ball", 1.0, (double)NAN, 0.0);
  EXPECT_ERROR(VidaSystem_AddParticle(system, &particle, NULL, &error), &error, VIDA_BAD_ARGUMENT,
               "ball");
  particle = particle_at("ball", 1.0, 0.0, 0.0);
  particle.velocity[1] = VidaInitial_Given((double)INFINITY);
  EXPECT_ERROR(VidaSystem_AddParticle(system, &particle, NULL, &error), &error, VIDA_BAD_ARGUMENT,
               "ball");
  EXPECT(strstr(error.message, "velocity"), "%s", error.message);
  /* what space has not is not looked at */
  particle = particle_at("ball", 1.0, 0.0, 0.0);
  particle.position[2] = VidaInitial_Given((double)NAN);
  REQUIRE_OK(VidaSystem_AddParticle(system, &particle, &index, &error), &error);
  EXPECT(index == 0 && VidaSystem_ParticleCount(system) == 1, "index %d of %d", index,
         VidaSystem_ParticleCount(system));
  particle = particle_at(NULL, 1.0, 0.0, 0.0);
  EXPECT_ERROR(VidaSystem_AddParticle(system, &particle, NULL, &error), &error, VIDA_BAD_ARGUMENT,
               "name");
  /* names are what messages go by */
  particle = particle_at("ball", 2.0, 1.0, 0.0);
  const int code = VidaSystem_AddParticle(system, &particle, NULL, &error);
  if (code) {
    EXPECT_ERROR(code, &error, VIDA_BAD_ARGUMENT, "ball");
  } else {
    EXPECT_ERROR(VidaSystem_Complete(system, &error), &error, VIDA_BAD_ARGUMENT, "ball");
  }
  VidaSystem_Destroy(&system);
}

static void test_bad_springs_and_rods(void) {
  VidaSystem* system = new_system(2);
  VidaError error = {0};
  add_particle(system, "a", 0.0, 0.0);
  add_particle(system, "b", 1.0, 0.0);
  const VidaSpring spring = {.name = "coil",
                             .from = VidaPoint_Particle(0),
                             .to = VidaPoint_Particle(1),
                             .stiffness = 10.0,
                             .length = 1.0};
  const VidaDistance rod = {
      .name = "stick", .from = VidaPoint_Particle(0), .to = VidaPoint_Particle(1), .length = 1.0};
  const double bad[] = {-1.0, (double)NAN, (double)INFINITY};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    VidaSpring s = spring;
    s.stiffness = bad[i];
    EXPECT_ERROR(VidaSystem_AddSpring(system, &s, &error), &error, VIDA_BAD_ARGUMENT, "stiffness");
    s = spring;
    s.length = bad[i];
    EXPECT_ERROR(VidaSystem_AddSpring(system, &s, &error), &error, VIDA_BAD_ARGUMENT, "length");
    s = spring;
    s.cubic = bad[i];
    EXPECT_ERROR(VidaSystem_AddSpring(system, &s, &error), &error, VIDA_BAD_ARGUMENT, "cubic");
    EXPECT(strstr(error.message, "coil"), "%s", error.message);
    VidaDistance d = rod;
    d.length = bad[i];
    EXPECT_ERROR(VidaSystem_AddDistance(system, &d, &error), &error, VIDA_BAD_ARGUMENT, "stick");
  }
  VidaDistance d = rod;
  d.length = 0.0;
  EXPECT_ERROR(VidaSystem_AddDistance(system, &d, &error), &error, VIDA_BAD_ARGUMENT, "stick");
  d = rod;
  d.to = VidaPoint_Particle(2);
  EXPECT_ERROR(VidaSystem_AddDistance(system, &d, &error), &error, VIDA_BAD_ARGUMENT, "stick");
  d.to = VidaPoint_Particle(-2);
  EXPECT_ERROR(VidaSystem_AddDistance(system, &d, &error), &error, VIDA_BAD_ARGUMENT, "stick");
  d.to = VidaPoint_Particle(0);
  EXPECT_ERROR(VidaSystem_AddDistance(system, &d, &error), &error, VIDA_BAD_ARGUMENT, "stick");
  d.to = VidaPoint_Fixed(0.0, (double)NAN, 0.0);
  EXPECT_ERROR(VidaSystem_AddDistance(system, &d, &error), &error, VIDA_BAD_ARGUMENT, "stick");
  d.from = VidaPoint_Fixed(0.0, 0.0, 0.0);
  d.to = VidaPoint_Fixed(1.0, 0.0, 0.0);
  EXPECT_ERROR(VidaSystem_AddDistance(system, &d, &error), &error, VIDA_BAD_ARGUMENT, "stick");
  VidaSpring s = spring;
  s.to = VidaPoint_Particle(5);
  EXPECT_ERROR(VidaSystem_AddSpring(system, &s, &error), &error, VIDA_BAD_ARGUMENT, "coil");
  s = spring;
  s.name = "";
  EXPECT_ERROR(VidaSystem_AddSpring(system, &s, &error), &error, VIDA_BAD_ARGUMENT, "name");
  const double gravity[2] = {0.0, (double)NAN};
  EXPECT_ERROR(VidaSystem_AddGravity(system, gravity, &error), &error, VIDA_BAD_ARGUMENT,
               "gravity");
  EXPECT(VidaSystem_ConstraintCount(system) == 0, "%d rows", VidaSystem_ConstraintCount(system));
  /* two rods of one name cannot be told apart in messages */
  REQUIRE_OK(VidaSystem_AddDistance(system, &rod, &error), &error);
  int code = VidaSystem_AddDistance(system, &rod, &error);
  code = code ? code : VidaSystem_Complete(system, &error);
  EXPECT_ERROR(code, &error, VIDA_BAD_ARGUMENT, "stick");
  VidaSystem_Destroy(&system);
}

static void test_order_of_calls(void) {
  VidaSystem* system = new_system(2);
  VidaStepper* stepper = NULL;
  VidaError error = {0};
  const double gravity[2] = {0.0, -9.81};
  double q[4], v[4];
  add_particle(system, "a", 0.0, 0.0);
  VidaOptions* options = motion_method("rattle", 0.1, NULL);
  EXPECT_ERROR(VidaSystem_Start(system, 0.0, NULL, q, v, NULL, &error), &error, VIDA_WRONG_ORDER,
               "rig");
  EXPECT_ERROR(VidaStepper_Create(system, options, &stepper, &error), &error, VIDA_WRONG_ORDER,
               "rig");
  REQUIRE_OK(VidaSystem_Complete(system, &error), &error);
  const VidaParticle late = particle_at("late", 1.0, 0.0, 0.0);
  EXPECT_ERROR(VidaSystem_AddParticle(system, &late, NULL, &error), &error, VIDA_WRONG_ORDER,
               "late");
  EXPECT_ERROR(VidaSystem_AddGravity(system, gravity, &error), &error, VIDA_WRONG_ORDER, "rig");
  /* a stepper that has not been started */
  REQUIRE_OK(VidaStepper_Create(system, options, &stepper, &error), &error);
  EXPECT_ERROR(VidaStepper_Step(stepper, &error), &error, VIDA_WRONG_ORDER, "");
  const double nan_q[2] = {(double)NAN, 0.0};
  const double zero[2] = {0.0, 0.0};
  EXPECT(VidaStepper_Start(stepper, 0.0, nan_q, zero, &error) != 0, "started from NaN");
  EXPECT(VidaStepper_Start(stepper, 0.0, zero, nan_q, &error) != 0, "started with NaN");
  EXPECT(VidaStepper_Start(stepper, (double)NAN, zero, zero, &error) != 0, "started at t = NaN");
  EXPECT(VidaStepper_StartWithStep(stepper, 0.0, -1.0, zero, zero, &error) != 0, "h = -1");
  VidaStepper_Destroy(&stepper);
  EXPECT(!stepper, "not set to NULL");
  VidaStepper_Destroy(&stepper);
  VidaOptions_Destroy(&options);
  VidaSystem_Destroy(&system);
}

static void test_bad_options(void) {
  VidaSystem* system = new_system(2);
  VidaStepper* stepper = NULL;
  VidaOptions* options = NULL;
  VidaError error = {0};
  EXPECT_ERROR(VidaOptions_Create("ratle", &options, &error), &error, VIDA_UNKNOWN_NAME, "rattle");
  EXPECT(!options, "options were made");
  EXPECT_ERROR(VidaOptions_Create("nonsense-of-no-method", &options, &error), &error,
               VIDA_UNKNOWN_NAME, "nonsense-of-no-method");
  add_particle(system, "a", 0.0, 0.0);
  REQUIRE_OK(VidaSystem_Complete(system, &error), &error);
  for (int i = 0; i < Vida_MethodCount(); i++) {
    const char* method = Vida_MethodInfo(i)->name;
    REQUIRE_OK(VidaOptions_Create(method, &options, &error), &error);
    EXPECT(!strcmp(VidaOptions_Method(options), method), "options of %s",
           VidaOptions_Method(options));
    EXPECT_ERROR(VidaStepper_Create(system, options, &stepper, &error), &error, VIDA_BAD_ARGUMENT,
                 "h");
    EXPECT(!stepper, "%s: a stepper without a step", method);
    EXPECT_ERROR(VidaOptions_SetReal(options, "hh", 0.1, &error), &error, VIDA_UNKNOWN_NAME, "hh");
    EXPECT_ERROR(VidaOptions_SetReal(options, "h", -0.1, &error), &error, VIDA_BAD_ARGUMENT,
                 "-0.1");
    EXPECT_ERROR(VidaOptions_SetText(options, "h", "fast", &error), &error, VIDA_BAD_ARGUMENT,
                 "fast");
    EXPECT_ERROR(VidaOptions_SetText(options, "h", "1e-3s", &error), &error, VIDA_BAD_ARGUMENT,
                 "1e-3s");
    for (int k = 0; k < VidaOptions_Count(options); k++) {
      const VidaOptionRow* row = VidaOptions_Row(options, k);
      EXPECT(row->name && row->text && row->unit, "%s: row %d lacks words", method, k);
      if (row->type == VIDA_OPTION_CHOICE) {
        EXPECT_ERROR(VidaOptions_SetText(options, row->name, "no-such-choice", &error), &error,
                     VIDA_BAD_ARGUMENT, row->choices);
      } else {
        EXPECT_ERROR(VidaOptions_SetReal(options, row->name, (double)NAN, &error), &error,
                     VIDA_BAD_ARGUMENT, row->name);
      }
      EXPECT(!VidaOptions_IsSet(options, row->name), "%s: %s is set", method, row->name);
    }
    VidaOptions_Destroy(&options);
  }
  VidaSystem_Destroy(&system);
}

static void test_options_by_coordinate(void) {
  VidaSystem* system = new_system(2);
  VidaStepper* stepper = NULL;
  VidaOptions *options = NULL, *copy = NULL;
  VidaError error = {0};
  char text[80];
  add_particle(system, "a", 1.0, 0.0);
  REQUIRE_OK(VidaSystem_Complete(system, &error), &error);
  REQUIRE_OK(VidaOptions_Create("ida-ggl", &options, &error), &error);
  REQUIRE_OK(VidaOptions_SetReal(options, "h", 0.1, &error), &error);
  EXPECT(isnan(VidaOptions_GetOf(options, "atol", "a.x")), "a default tolerance is not asked for");
  REQUIRE_OK(VidaOptions_SetOf(options, "atol", "a.y", 1e-4, &error), &error);
  REQUIRE_OK(VidaOptions_SetOf(options, "atol", "a.x", 1e-5, &error), &error);
  REQUIRE_OK(VidaOptions_SetOf(options, "atol", "a.y", 1e-7, &error), &error);
  REQUIRE_OK(VidaOptions_SetReal(options, "atol", 1e-3, &error), &error);
  EXPECT(VidaOptions_GetOf(options, "atol", "a.y") == 1e-7, "the last one holds");
  EXPECT(VidaOptions_GetOf(options, "atol", "b.y") == 1e-3, "the others");
  VidaOptions_Describe(options, text, sizeof text);
  EXPECT(!strcmp(text, "atol=0.001,a.x=1e-05,a.y=1e-07"), "%s", text);
  EXPECT_ERROR(VidaOptions_SetOf(options, "atol", "a.x", -1.0, &error), &error, VIDA_BAD_ARGUMENT,
               "positive");
  EXPECT_ERROR(VidaOptions_SetOf(options, "rtol", "a.x", 1e-3, &error), &error, VIDA_BAD_ARGUMENT,
               "rtol");
  EXPECT_ERROR(VidaOptions_SetOf(options, "atoll", "a.x", 1e-3, &error), &error, VIDA_UNKNOWN_NAME,
               "atol");
  REQUIRE_OK(VidaOptions_Copy(options, &copy, &error), &error);
  REQUIRE_OK(VidaStepper_Create(system, copy, &stepper, &error), &error);
  VidaStepper_Destroy(&stepper);
  /* the copy has its own */
  REQUIRE_OK(VidaOptions_SetText(copy, "atol", "b.x=1e-2,2", &error), &error);
  EXPECT(VidaOptions_GetOf(copy, "atol", "b.y") == 2.0, "of text");
  EXPECT(VidaOptions_GetOf(options, "atol", "b.x") == 1e-3, "the copied options have changed");
  EXPECT_ERROR(VidaStepper_Create(system, copy, &stepper, &error), &error, VIDA_UNKNOWN_NAME,
               "no coordinate 'b.x'; did you mean 'a.x'?");
  EXPECT_ERROR(VidaOptions_SetText(copy, "atol", "1e-3,a.x=", &error), &error, VIDA_BAD_ARGUMENT,
               "1e-3,a.x=");
  VidaOptions_Destroy(&copy);
  VidaOptions_Destroy(&options);
  VidaSystem_Destroy(&system);
}

/* ---- looking -------------------------------------------------------------------------------- */

static void test_names(void) {
  const Model model = model_double_spherical_pendulum();
  VidaSystem* system = model_system(&model);
  static const char* const names[6] = {"upper.x", "upper.y", "upper.z",
                                       "lower.x", "lower.y", "lower.z"};
  EXPECT(!strcmp(VidaSystem_Name(system), model.name), "%s", VidaSystem_Name(system));
  EXPECT(VidaSystem_CoordinateCount(system) == 6 && VidaSystem_ConstraintCount(system) == 2 &&
             VidaSystem_ParticleCount(system) == 2 && VidaSystem_Dimension(system) == 3,
         "%d coordinates, %d rows", VidaSystem_CoordinateCount(system),
         VidaSystem_ConstraintCount(system));
  for (int i = 0; i < 6; i++) {
    EXPECT(!strcmp(VidaSystem_CoordinateName(system, i), names[i]), "%s",
           VidaSystem_CoordinateName(system, i));
    EXPECT(!strcmp(VidaSystem_CoordinateUnit(system, i), "m"), "%s",
           VidaSystem_CoordinateUnit(system, i));
    EXPECT(VidaSystem_CoordinateIndex(system, names[i]) == i, "index of %s", names[i]);
  }
  EXPECT(VidaSystem_CoordinateIndex(system, "upper.w") == -1, "a name that is none");
  EXPECT(VidaSystem_ParticleIndex(system, "lower") == 1, "%d",
         VidaSystem_ParticleIndex(system, "lower"));
  EXPECT(VidaSystem_ParticleIndex(system, "low") == -1, "a name that is none");
  EXPECT(VidaSystem_ParticleCoordinate(system, 1) == 3, "%d",
         VidaSystem_ParticleCoordinate(system, 1));
  EXPECT(!strcmp(VidaSystem_ConstraintName(system, 1), "lower rod"), "%s",
         VidaSystem_ConstraintName(system, 1));
  EXPECT(!strcmp(VidaSystem_ConstraintUnit(system, 1), "m"), "%s",
         VidaSystem_ConstraintUnit(system, 1));
  VidaSystem_Destroy(&system);
}

/* ---- momentum maps -------------------------------------------------------------------------- */

/* The maps of a model are exactly these (names separated by blanks), and have the right values. */
static void expect_maps(const Model* model, const char* expected) {
  VidaSystem* system = model_system(model);
  char names[128] = "";
  double values[8], linear[3], angular[3], q[MODEL_COORDINATES], v[MODEL_COORDINATES];
  double p[MODEL_COORDINATES];
  const int n = VidaSystem_CoordinateCount(system);
  const int count = VidaSystem_MomentumCount(system);
  for (int i = 0; i < n; i++) { /* any state */
    q[i] = sin(1.0 + i);
    v[i] = cos(2.0 + 3.0 * i);
    p[i] = model->particle[i / model->dimension].mass * v[i];
  }
  model_momenta(model, q, v, linear, angular);
  EXPECT(count <= 8, "%d maps", count);
  VidaSystem_Momentum(system, q, p, values);
  for (int k = 0; k < count; k++) {
    const char* name = VidaSystem_MomentumName(system, k);
    const double* own = name[0] == 'L' ? linear : angular;
    snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", k ? " " : "", name);
    if (strlen(name) == 3) {
      EXPECT_NEAR(values[k], own[name[2] - 'x'], 1e-14, "%s of %s", name, model->name);
    }
  }
  EXPECT(!strcmp(names, expected), "%s has \"%s\", not \"%s\"", model->name, names, expected);
  EXPECT(!VidaSystem_MomentumName(system, count) && !VidaSystem_MomentumName(system, -1),
         "names outside of the list");
  VidaSystem_Destroy(&system);
}

static void test_momentum_maps(void) {
  const double x[3] = {0.3, -0.2, 0.1};
  const double v[3] = {0.1, 0.2, 0.4};
  Model model = model_double_spherical_pendulum();
  expect_maps(&model, "J_z");
  model = model_four_particles();
  expect_maps(&model, "L_x L_y L_z J_x J_y J_z");
  model = model_dumbbell(v, v);
  expect_maps(&model, "L_x L_y L_z J_x J_y J_z");
  model = model_free_particle(2, 2.0, x, v);
  expect_maps(&model, "L_x L_y J_z");
  model = model_free_particle(1, 2.0, x, v);
  expect_maps(&model, "L_x");
  model = model_free_particle(3, 2.0, x, v);
  model.gravity[2] = -9.81; /* free fall */
  expect_maps(&model, "L_x L_y J_z");
  model = model_free_particle(2, 2.0, x, v);
  model.gravity[1] = -9.81;
  expect_maps(&model, "L_x");
  model = model_pendulum(2, 1.0, 1.0, 0.5, 0.0);
  expect_maps(&model, "");
  model.gravity[1] = 0.0; /* a ball on a string in the plane */
  expect_maps(&model, "J_z");
  model = model_pendulum(3, 1.0, 1.0, 0.5, 0.0);
  expect_maps(&model, "J_z");
  model = model_oscillator(1.0, 4.0, 0.1, 0.0);
  expect_maps(&model, "");
  model = model_springs(); /* hung on points of the z axis */
  expect_maps(&model, "J_z");
  model = model_chain(5, 0.5);
  expect_maps(&model, "");
}

/* Hung elsewhere, the momentum about the vertical through the pivot is kept: a combination. */
static void test_combined_map(void) {
  Model model = model_pendulum(3, 2.0, 1.0, 0.5, 0.0);
  model.rod[0].from = VidaPoint_Fixed(5.0, -3.0, 2.0);
  model.particle[0].position[0] = VidaInitial_Given(5.0);
  model.particle[0].position[1] = VidaInitial_Given(-3.0 + 0.6);
  model.particle[0].position[2] = VidaInitial_Given(2.0 - 0.8);
  VidaSystem* system = model_system(&model);
  const double q[3] = {4.5, -2.5, 1.5};
  const double p[3] = {0.7, -0.4, 0.2};
  double value = (double)NAN;
  EXPECT(VidaSystem_MomentumCount(system) == 1, "%d maps", VidaSystem_MomentumCount(system));
  if (VidaSystem_MomentumCount(system) == 1) {
    const char* name = VidaSystem_MomentumName(system, 0);
    VidaSystem_Momentum(system, q, p, &value);
    const double about_pivot = (q[0] - 5.0) * p[1] - (q[1] + 3.0) * p[0];
    /* the sign and the size of a map are a matter of convention, its zeros are not */
    EXPECT(strstr(name, "J_z") && strstr(name, "L_x") && strstr(name, "L_y"), "\"%s\"", name);
    EXPECT_NEAR(fabs(value), fabs(about_pivot), 1e-12, "%s", name);
  }
  VidaSystem_Destroy(&system);
}

/* ---- callbacks ------------------------------------------------------------------------------ */

enum { FINE, RECOVERABLE, FATAL, NOT_A_NUMBER };

/* A pendulum of mass 1.3 on a rod of 0.8 by callbacks, which can be told to fail */
typedef struct Hooks {
  int lagrangian, constraint; /* how */
  long fail_from;             /* number of the call from which on */
  long calls;
} Hooks;

static const double hook_mass = 1.3;
static const double hook_length = 0.8;

static int outcome(Hooks* hooks, int how, double* first) {
  hooks->calls++;
  if (how == FINE || hooks->calls < hooks->fail_from) {
    return 0;
  }
  if (how == NOT_A_NUMBER) {
    *first = (double)NAN;
    return 0;
  }
  return how == RECOVERABLE ? 3 : -3;
}

static int hook_value(double t, const double* q, const double* v, double* l, void* data) {
  Hooks* hooks = data;
  (void)t;
  *l = hook_mass * (0.5 * (v[0] * v[0] + v[1] * v[1]) - MODEL_GRAVITY * q[1]);
  return outcome(hooks, hooks->lagrangian, l);
}

static int hook_gradient(double t, const double* q, const double* v, double* l_q, double* l_v,
                         void* data) {
  Hooks* hooks = data;
  (void)t;
  (void)q;
  l_q[0] = 0.0;
  l_q[1] = -hook_mass * MODEL_GRAVITY;
  l_v[0] = hook_mass * v[0];
  l_v[1] = hook_mass * v[1];
  return outcome(hooks, hooks->lagrangian, l_v);
}

static int hook_hessian(double t, const double* q, const double* v, double* l_qq, double* l_qv,
                        double* l_vv, void* data) {
  (void)t;
  (void)q;
  (void)v;
  (void)data;
  memset(l_qq, 0, 4 * sizeof *l_qq);
  memset(l_qv, 0, 4 * sizeof *l_qv);
  memset(l_vv, 0, 4 * sizeof *l_vv);
  l_vv[0] = l_vv[3] = hook_mass;
  return 0;
}

static int hook_constraint(double t, const double* q, double* g, void* data) {
  Hooks* hooks = data;
  (void)t;
  g[0] = (q[0] * q[0] + q[1] * q[1] - hook_length * hook_length) / (2.0 * hook_length);
  return outcome(hooks, hooks->constraint, g);
}

static int hook_jacobian(double t, const double* q, double* jacobian, void* data) {
  Hooks* hooks = data;
  (void)t;
  jacobian[0] = q[0] / hook_length;
  jacobian[1] = q[1] / hook_length;
  return outcome(hooks, hooks->constraint, jacobian);
}

static int hook_curvature(double t, const double* q, const double* lambda, double* curvature,
                          void* data) {
  (void)t;
  (void)q;
  (void)data;
  curvature[0] = curvature[3] = lambda[0] / hook_length;
  curvature[1] = curvature[2] = 0.0;
  return 0;
}

static VidaSystem* hooked_pendulum(Hooks* hooks, bool second_derivatives) {
  const Model model = model_pendulum(2, hook_mass, hook_length, 1.0, 0.5);
  const VidaLagrangian lagrangian = {hook_value, hook_gradient,
                                     second_derivatives ? hook_hessian : NULL};
  const VidaConstraint constraint = {hook_constraint, hook_jacobian,
                                     second_derivatives ? hook_curvature : NULL, NULL};
  const int both[2] = {0, 1};
  VidaSystem* system = new_system(2);
  VidaError error = {0};
  int index[2];
  REQUIRE_OK(VidaSystem_AddCoordinate(system, "across", "m", VidaInitial_Given(0.8 * sin(1.0)),
                                      VidaInitial_Given(0.4 * cos(1.0)), &index[0], &error),
             &error);
  REQUIRE_OK(VidaSystem_AddCoordinate(system, "up", "m", VidaInitial_Given(-0.8 * cos(1.0)),
                                      VidaInitial_Given(0.4 * sin(1.0)), &index[1], &error),
             &error);
  EXPECT(index[0] == 0 && index[1] == 1, "coordinates %d, %d", index[0], index[1]);
  REQUIRE_OK(VidaSystem_AddLagrangian(system, "swing", 2, both, &lagrangian, hooks, &error),
             &error);
  REQUIRE_OK(VidaSystem_AddConstraint(system, "string", 1, 2, both, &constraint, hooks, &error),
             &error);
  model_add_chart(&model, system);
  REQUIRE_OK(VidaSystem_Complete(system, &error), &error);
  return system;
}

/* A started stepper; NULL when the method takes no general Lagrangian */
static VidaStepper* hooked_stepper(VidaSystem* system, const char* method) {
  VidaStepper* stepper = NULL;
  VidaError error = {0};
  double q[2], v[2];
  VidaOptions* options = motion_method(method, 0.01, NULL);
  const int code = VidaStepper_Create(system, options, &stepper, &error);
  VidaOptions_Destroy(&options);
  if (code == VIDA_NOT_SUPPORTED) {
    EXPECT(strstr(error.message, "swing") || strstr(error.message, "string"),
           "%s names neither term nor constraint: %s", method, error.message);
    return NULL;
  }
  REQUIRE_OK(code, &error);
  REQUIRE_OK(VidaSystem_Start(system, 0.0, NULL, q, v, NULL, &error), &error);
  REQUIRE_OK(VidaStepper_Start(stepper, 0.0, q, v, &error), &error);
  return stepper;
}

/* How far apart two runs of a method may be that evaluate the same functions in other ways: those
 * that choose their steps agree to their tolerance, with default options 1e-6 a step; and
 * differences in the place of second derivatives show where g'' is used. */
static double same(const char* method, double rounding) {
  if (strcmp(method, "moreau-jean") == 0) {
    return 10.0 * rounding; /* is linearly implicit: derivatives by differences change its steps */
  }
  return motion_is_adaptive(method)                                  ? 5e-2
         : Vida_FindMethod(method)->capabilities & VIDA_CAN_ADAPTIVE ? 1e3 * rounding
                                                                     : rounding;
}

/* The pendulum by callbacks moves as the built-in one does, with and without second derivatives. */
static void test_callbacks(void) {
  const Model model = model_pendulum(2, hook_mass, hook_length, 1.0, 0.5);
  for (int i = 0; i < 2 * Vida_MethodCount(); i++) {
    const VidaMethodInfo* method = Vida_MethodInfo(i / 2);
    Hooks hooks = {0};
    VidaError error = {0};
    VidaSystem* system = hooked_pendulum(&hooks, i % 2 == 0);
    VidaStepper* stepper = hooked_stepper(system, method->name);
    if (stepper) {
      State state;
      double energy, v[2];
      motion_at(&model, method->name, 0.01, 200, &state);
      int code = 0;
      for (int k = 0; k < 200 && !code; k++) {
        code = VidaStepper_Step(stepper, &error);
      }
      REQUIRE_OK(code, &error);
      REQUIRE_OK(VidaStepper_Velocities(stepper, v, &error), &error);
      REQUIRE_OK(VidaStepper_Energy(stepper, &energy, NULL, &error), &error);
      EXPECT_BELOW(largest_difference(2, VidaStepper_Positions(stepper), state.q),
                   same(method->name, 1e-12), "%s", method->name);
      EXPECT_BELOW(largest_difference(2, v, state.v), same(method->name, 1e-11), "%s",
                   method->name);
      EXPECT_NEAR(energy, state.energy, same(method->name, 1e-11), "%s", method->name);
      EXPECT_NEAR(VidaStepper_Multipliers(stepper, NULL)[0], state.multipliers[0],
                  same(method->name, 1e-8), "%s: tension", method->name);
    } else {
      EXPECT(!(method->capabilities & VIDA_CAN_GENERAL_LAGRANGIAN) ||
                 (method->capabilities & VIDA_LIMIT_UNCONSTRAINED),
             "%s claims to take any Lagrangian", method->name);
    }
    VidaStepper_Destroy(&stepper);
    VidaSystem_Destroy(&system);
  }
}

/* Callbacks that fail in the middle of a run: the step fails with the callback's kind of failure,
 * the message names the term, the state stays, and the run can go on when it was a whim. */
static void test_failing_callbacks(void) {
  static const struct {
    int how, code;
  } kinds[] = {{RECOVERABLE, VIDA_CALLBACK_RECOVERABLE},
               {FATAL, VIDA_CALLBACK_FAILED},
               {NOT_A_NUMBER, VIDA_NOT_FINITE}};
  for (int i = 0; i < Vida_MethodCount(); i++) {
    const char* method = Vida_MethodInfo(i)->name;
    for (int k = 0; k < 6; k++) {
      const int how = kinds[k / 2].how;
      const char* name = k % 2 ? "string" : "swing";
      Hooks hooks = {.fail_from = 1L << 60};
      VidaError error = {0};
      VidaSystem* system = hooked_pendulum(&hooks, true);
      VidaStepper* stepper = hooked_stepper(system, method);
      if (stepper) {
        REQUIRE_OK(VidaStepper_Step(stepper, &error), &error);
        const double before[2] = {VidaStepper_Positions(stepper)[0],
                                  VidaStepper_Positions(stepper)[1]};
        *(k % 2 ? &hooks.constraint : &hooks.lagrangian) = how;
        hooks.fail_from = 0;
        EXPECT_ERROR(VidaStepper_Step(stepper, &error), &error, kinds[k / 2].code, name);
        EXPECT(!memcmp(before, VidaStepper_Positions(stepper), sizeof before) &&
                   VidaStepper_StepCount(stepper) == 1,
               "%s: the state has changed", method);
        hooks.lagrangian = hooks.constraint = FINE;
        if (how != FATAL) {
          State state;
          const Model model = model_pendulum(2, hook_mass, hook_length, 1.0, 0.5);
          REQUIRE_OK(VidaStepper_Step(stepper, &error), &error);
          motion_at(&model, method, 0.01, 2, &state);
          EXPECT_BELOW(largest_difference(2, VidaStepper_Positions(stepper), state.q),
                       same(method, 1e-12), "%s after a failure of '%s'", method, name);
        }
      }
      VidaStepper_Destroy(&stepper);
      VidaSystem_Destroy(&system);
    }
  }
}

/* Whichever of the callbacks' calls in a step fails: the state is as before, and a second try makes
 * the step. */
static void fail_each_call(const char* method, bool of_constraint) {
  Hooks hooks = {.fail_from = 1L << 60};
  VidaError error = {0};
  VidaSystem* system = hooked_pendulum(&hooks, true);
  VidaStepper* stepper = hooked_stepper(system, method);
  const Model model = model_pendulum(2, hook_mass, hook_length, 1.0, 0.5);
  long steps = 0;
  for (long call = 1; stepper && call < 100; call++) {
    double before[4], after[4];
    memcpy(before, VidaStepper_Positions(stepper), 2 * sizeof(double));
    memcpy(before + 2, VidaStepper_Momenta(stepper), 2 * sizeof(double));
    hooks.fail_from = hooks.calls + call;
    *(of_constraint ? &hooks.constraint : &hooks.lagrangian) = RECOVERABLE;
    const int code = VidaStepper_Step(stepper, &error);
    hooks.constraint = hooks.lagrangian = FINE;
    if (!code) { /* fewer calls than that in a step */
      steps++;
      if (hooks.calls < hooks.fail_from) {
        break;
      }
      continue;
    }
    memcpy(after, VidaStepper_Positions(stepper), 2 * sizeof(double));
    memcpy(after + 2, VidaStepper_Momenta(stepper), 2 * sizeof(double));
    EXPECT(code == VIDA_CALLBACK_RECOVERABLE, "%s, call %ld: %s", method, call,
           Vida_CodeName(code));
    EXPECT(!memcmp(before, after, sizeof before) && VidaStepper_StepCount(stepper) == steps,
           "%s, call %ld: the state has changed by %g", method, call,
           largest_difference(4, before, after));
    REQUIRE_OK(VidaStepper_Step(stepper, &error), &error);
    steps++;
  }
  if (stepper) {
    State state;
    /* a failure before the start in time moves the history, and with it the error of the method */
    const double near = strcmp(method, "symmetric-multistep") == 0 ? 1e-11 : 1e-12;
    EXPECT(steps > 2, "only %ld calls", steps);
    motion_at(&model, method, 0.01, steps, &state);
    EXPECT_BELOW(largest_difference(2, VidaStepper_Positions(stepper), state.q), same(method, near),
                 "%s after %ld failures", method, steps);
  }
  VidaStepper_Destroy(&stepper);
  VidaSystem_Destroy(&system);
}

static void test_every_call_may_fail(void) {
  for (int i = 0; i < Vida_MethodCount(); i++) {
    fail_each_call(Vida_MethodInfo(i)->name, false);
    fail_each_call(Vida_MethodInfo(i)->name, true);
  }
}

/* Failures at the start are told the same way. */
static void test_failing_start(void) {
  for (int k = 0; k < 2; k++) {
    Hooks hooks = {.fail_from = 1L << 60};
    VidaError error = {0};
    double q[2], v[2];
    VidaSystem* system = hooked_pendulum(&hooks, true);
    hooks.constraint = k ? FATAL : NOT_A_NUMBER;
    hooks.fail_from = 0;
    EXPECT_ERROR(VidaSystem_Start(system, 0.0, NULL, q, v, NULL, &error), &error,
                 k ? VIDA_CALLBACK_FAILED : VIDA_NOT_FINITE, "string");
    VidaSystem_Destroy(&system);
  }
}

static void test_bad_callbacks(void) {
  Hooks hooks = {0};
  VidaSystem* system = new_system(2);
  VidaError error = {0};
  const VidaLagrangian lagrangian = {hook_value, hook_gradient, NULL};
  const VidaLagrangian no_gradient = {hook_value, NULL, NULL};
  const VidaConstraint no_jacobian = {hook_constraint, NULL, NULL, NULL};
  const VidaConstraint constraint = {hook_constraint, hook_jacobian, NULL, NULL};
  const int good[2] = {0, 1};
  const int outside[2] = {0, 2};
  const int twice[2] = {1, 1};
  add_particle(system, "a", 0.0, 0.0);
  EXPECT_ERROR(VidaSystem_AddLagrangian(system, "swing", 2, good, &no_gradient, &hooks, &error),
               &error, VIDA_BAD_ARGUMENT, "swing");
  EXPECT_ERROR(VidaSystem_AddLagrangian(system, "swing", 2, outside, &lagrangian, &hooks, &error),
               &error, VIDA_BAD_ARGUMENT, "swing");
  EXPECT_ERROR(VidaSystem_AddLagrangian(system, "swing", 2, twice, &lagrangian, &hooks, &error),
               &error, VIDA_BAD_ARGUMENT, "a.y");
  EXPECT_ERROR(VidaSystem_AddLagrangian(system, "swing", 0, good, &lagrangian, &hooks, &error),
               &error, VIDA_BAD_ARGUMENT, "swing");
  EXPECT_ERROR(VidaSystem_AddConstraint(system, "string", 1, 2, good, &no_jacobian, &hooks, &error),
               &error, VIDA_BAD_ARGUMENT, "string");
  EXPECT_ERROR(VidaSystem_AddConstraint(system, "string", 0, 2, good, &constraint, &hooks, &error),
               &error, VIDA_BAD_ARGUMENT, "string");
  EXPECT_ERROR(
      VidaSystem_AddConstraint(system, "string", 1, 2, outside, &constraint, &hooks, &error),
      &error, VIDA_BAD_ARGUMENT, "string");
  EXPECT_ERROR(VidaSystem_AddCoordinate(system, NULL, "m", VidaInitial_Given(0.0),
                                        VidaInitial_Given(0.0), NULL, &error),
               &error, VIDA_BAD_ARGUMENT, "name");
  /* a coordinate that nothing gives a mass */
  REQUIRE_OK(VidaSystem_AddCoordinate(system, "ghost", "m", VidaInitial_Given(0.0),
                                      VidaInitial_Given(0.0), NULL, &error),
             &error);
  EXPECT_ERROR(VidaSystem_Complete(system, &error), &error, VIDA_BAD_ARGUMENT, "ghost");
  VidaSystem_Destroy(&system);
}

/* L = v_x^2 / 2 beside the particle's own kinetic energy: inertia that depends on the direction
 * keeps both momenta, and breaks the rotation, which only the velocities show. */
static int lopsided_value(double t, const double* q, const double* v, double* l, void* data) {
  (void)t;
  (void)q;
  (void)data;
  *l = 0.5 * v[0] * v[0];
  return 0;
}

static int lopsided_gradient(double t, const double* q, const double* v, double* l_q, double* l_v,
                             void* data) {
  (void)t;
  (void)q;
  (void)data;
  l_q[0] = 0.0;
  l_v[0] = v[0];
  return 0;
}

static void test_maps_of_velocities(void) {
  const VidaLagrangian lopsided = {lopsided_value, lopsided_gradient, NULL};
  const int x = 0;
  VidaSystem* system = new_system(2);
  VidaError error = {0};
  add_particle(system, "a", 0.3, 0.1);
  REQUIRE_OK(VidaSystem_AddLagrangian(system, "lopsided", 1, &x, &lopsided, NULL, &error), &error);
  REQUIRE_OK(VidaSystem_Complete(system, &error), &error);
  EXPECT(VidaSystem_MomentumCount(system) == 2, "%d maps", VidaSystem_MomentumCount(system));
  for (int k = 0; k < VidaSystem_MomentumCount(system); k++) {
    const char* name = VidaSystem_MomentumName(system, k);
    EXPECT(!strcmp(name, k ? "L_y" : "L_x"), "map %d is %s", k, name);
  }
  VidaSystem_Destroy(&system);
}

/* Symmetries are claimed only where the terms could be looked at: a callback that is not defined
 * away from its start does not make momentum maps out of nothing. */
static void test_maps_need_evidence(void) {
  Hooks hooks = {.lagrangian = RECOVERABLE};
  VidaSystem* system = new_system(2);
  VidaError error = {0};
  const VidaLagrangian lagrangian = {hook_value, hook_gradient, NULL};
  const int both[2] = {0, 1};
  add_particle(system, "a", 0.0, 0.0);
  REQUIRE_OK(VidaSystem_AddLagrangian(system, "swing", 2, both, &lagrangian, &hooks, &error),
             &error);
  REQUIRE_OK(VidaSystem_Complete(system, &error), &error);
  EXPECT(VidaSystem_MomentumCount(system) == 0, "%d maps, the first is %s",
         VidaSystem_MomentumCount(system), VidaSystem_MomentumName(system, 0));
  VidaSystem_Destroy(&system);
}

int main(void) {
  static const CheckTest tests[] = {{"bad systems", test_bad_systems},
                                    {"bad particles", test_bad_particles},
                                    {"bad springs and rods", test_bad_springs_and_rods},
                                    {"order of calls", test_order_of_calls},
                                    {"bad options", test_bad_options},
                                    {"options by coordinate", test_options_by_coordinate},
                                    {"names", test_names},
                                    {"momentum maps", test_momentum_maps},
                                    {"a combined momentum map", test_combined_map},
                                    {"maps of velocities", test_maps_of_velocities},
                                    {"maps need evidence", test_maps_need_evidence},
                                    {"callbacks", test_callbacks},
                                    {"failing callbacks", test_failing_callbacks},
                                    {"every call may fail", test_every_call_may_fail},
                                    {"failing start", test_failing_start},
                                    {"bad callbacks", test_bad_callbacks},
                                    {NULL, NULL}};
  return check_main("system", tests);
}
