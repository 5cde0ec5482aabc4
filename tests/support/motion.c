#include "support/motion.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "support/check.h"

static void set_all(VidaOptions* options, const char* const* settings) {
  VidaError error = {0};
  for (; settings && settings[0]; settings += 2) {
    REQUIRE_OK(VidaOptions_SetText(options, settings[0], settings[1], &error), &error);
  }
}

VidaOptions* motion_method(const char* method, double h, const char* const* settings) {
  VidaOptions* options = NULL;
  VidaError error = {0};
  REQUIRE_OK(VidaOptions_Create(method, &options, &error), &error);
  REQUIRE_OK(VidaOptions_SetReal(options, "h", h, &error), &error);
  set_all(options, settings);
  return options;
}

VidaStudy* motion_study(const VidaSystem* system, double time, const char* const* settings) {
  VidaOptions* options = NULL;
  VidaStudy* study = NULL;
  VidaError error = {0};
  REQUIRE_OK(VidaStudy_CreateOptions(&options, &error), &error);
  REQUIRE_OK(VidaOptions_SetReal(options, "time", time, &error), &error);
  set_all(options, settings);
  REQUIRE_OK(VidaStudy_Create(system, options, &study, &error), &error);
  VidaOptions_Destroy(&options);
  return study;
}

/* Whether a method has to take a model, by what it is derived for: maps of free particles take no
 * rods, and chorin one coordinate without rods; those of free bodies move their rotations, which
 * models do not have; del-chart needs the coordinates that the rods leave.
 * Every other method takes all models. */
static bool has_to_take(const char* method, const Model* model) {
  static const char* const without_rods[] = {"symplectic-euler",  "symplectic-implicit",
                                             "lie-trotter",       "verlet",
                                             "implicit-midpoint", "galerkin-gauss"};
  for (size_t i = 0; i < sizeof without_rods / sizeof without_rods[0]; i++) {
    if (strcmp(method, without_rods[i]) == 0) {
      return model->rods == 0;
    }
  }
  if (strcmp(method, "chorin") == 0) {
    return model->rods == 0 && model->dimension * model->particles == 1;
  }
  if (strcmp(method, "del-chart") == 0) {
    return model->chart || model->rods == 0;
  }
  return strcmp(method, "lgvi") != 0 && strcmp(method, "rotation-splitting") != 0 &&
         strcmp(method, "simo-wong") != 0;
}

Motion motion_start(const Model* model, const char* method, double h, const char* linear_solver) {
  Motion motion = {0};
  VidaError error = {0};
  VidaOptions* options = motion_method(method, h, NULL);
  if (!isnan(VidaOptions_Get(options, "linear_solver"))) { /* explicit methods have none */
    REQUIRE_OK(VidaOptions_SetText(options, "linear_solver", linear_solver, &error), &error);
  }
  motion.system = model_system(model);
  motion.n = VidaSystem_CoordinateCount(motion.system);
  motion.m = VidaSystem_ConstraintCount(motion.system);
  REQUIRE_OK(VidaSystem_Start(motion.system, 0.0, NULL, motion.q0, motion.v0, NULL, &error),
             &error);
  const int code = VidaStepper_Create(motion.system, options, &motion.stepper, &error);
  VidaOptions_Destroy(&options);
  EXPECT(code == (has_to_take(method, model) ? VIDA_SUCCESS : VIDA_NOT_SUPPORTED),
         "%s on %s: %s: %s", method, model->name, Vida_CodeName(code), code ? error.message : "");
  if (!code) {
    REQUIRE_OK(VidaStepper_Start(motion.stepper, 0.0, motion.q0, motion.v0, &error), &error);
  }
  return motion;
}

void motion_end(Motion* motion) {
  VidaStepper_Destroy(&motion->stepper);
  VidaSystem_Destroy(&motion->system);
}

void motion_steps(Motion* motion, long steps) {
  VidaError error = {0};
  int code = 0;
  for (long i = 0; i < steps && !code; i++) {
    code = VidaStepper_Step(motion->stepper, &error);
  }
  REQUIRE_OK(code, &error);
}

State motion_state(const Motion* motion) {
  State state = {0};
  VidaError error = {0};
  VidaStepper* stepper = motion->stepper;
  state.t = VidaStepper_Time(stepper);
  for (int i = 0; i < motion->n; i++) {
    state.q[i] = VidaStepper_Positions(stepper)[i];
    state.p[i] = VidaStepper_Momenta(stepper)[i];
  }
  const double* multipliers = VidaStepper_Multipliers(stepper, &state.multipliers_t);
  for (int i = 0; i < motion->m; i++) {
    state.multipliers[i] = multipliers[i];
  }
  REQUIRE_OK(VidaStepper_Velocities(stepper, state.v, &error), &error);
  REQUIRE_OK(VidaStepper_Energy(stepper, &state.energy, &state.energy_t, &error), &error);
  REQUIRE_OK(VidaStepper_ConstraintErrors(stepper, &state.constraint_position,
                                          &state.constraint_velocity, &error),
             &error);
  return state;
}

bool motion_at(const Model* model, const char* method, double h, long steps, State* state) {
  Motion motion = motion_start(model, method, h, "auto");
  const bool able = motion.stepper != NULL;
  if (able) {
    motion_steps(&motion, steps);
    *state = motion_state(&motion);
  }
  motion_end(&motion);
  return able;
}

bool motion_is_adaptive(const char* method) {
  VidaOptions* options = NULL;
  VidaError error = {0};
  REQUIRE_OK(VidaOptions_Create(method, &options, &error), &error);
  const bool adaptive = Vida_IsAdaptive(options);
  VidaOptions_Destroy(&options);
  return adaptive;
}

double largest_difference(int n, const double* a, const double* b) {
  double largest = 0.0;
  for (int i = 0; i < n; i++) {
    const double difference = fabs(a[i] - b[i]);
    largest = difference > largest || isnan(difference) ? difference : largest;
  }
  return largest;
}

bool all_finite(int n, const double* a) {
  for (int i = 0; i < n; i++) {
    if (!isfinite(a[i])) {
      return false;
    }
  }
  return true;
}
