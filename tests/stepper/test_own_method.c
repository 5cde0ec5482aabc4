/* A method that a program registers, on the functions that methods have; and singular passages. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <vida/vida.h>

#include "support/check.h"
#include "support/formula.h"
#include "support/model.h"

/* ---- symplectic Euler in both orders -----------------------------------------------------------
 */

typedef struct State {
  double* a; /* n */
} State;

static int create(VidaIntegration* integration, VidaError* error) {
  (void)error;
  State* own = calloc(1, sizeof *own);
  own->a = calloc(MODEL_COORDINATES, sizeof *own->a);
  VidaIntegration_SetState(integration, own);
  return VIDA_SUCCESS;
}

static void destroy(VidaIntegration* integration) {
  State* own = VidaIntegration_State(integration);
  if (own) {
    free(own->a);
  }
}

static int find_momenta(VidaIntegration* integration, VidaError* error) {
  double l_q[MODEL_COORDINATES];
  const VidaNode* node = VidaIntegration_Node(integration);
  return VidaIntegration_Gradient(integration, VidaIntegration_Time(integration), node->q, node->v,
                                  l_q, node->p, error);
}

static int start(VidaIntegration* integration, VidaError* error) {
  return find_momenta(integration, error);
}

static int kick(VidaIntegration* integration, double t, VidaError* error) {
  double lambda[MODEL_LINKS];
  const State* own = VidaIntegration_State(integration);
  VidaNode* node = VidaIntegration_Node(integration);
  const int n = VidaSystem_CoordinateCount(VidaIntegration_System(integration));
  const int code =
      VidaIntegration_Accelerations(integration, t, node->q, node->v, own->a, lambda, error);
  for (int i = 0; i < n && !code; i++) {
    node->v[i] += node->h * own->a[i];
  }
  return code;
}

static void drift(VidaIntegration* integration) {
  VidaNode* node = VidaIntegration_Node(integration);
  const int n = VidaSystem_CoordinateCount(VidaIntegration_System(integration));
  for (int i = 0; i < n; i++) {
    node->q[i] += node->h * node->v[i];
  }
}

static int step(VidaIntegration* integration, VidaError* error) {
  const VidaOptions* options = VidaIntegration_Options(integration);
  const double t = VidaIntegration_Time(integration);
  const bool drifts_first = VidaOptions_HasChoice(options, "first", "drift");
  if (drifts_first) {
    drift(integration);
  }
  const int code = kick(integration, t, error);
  if (!code && !drifts_first) {
    drift(integration);
  }
  return code ? code : find_momenta(integration, error);
}

static int velocities(VidaIntegration* integration, double* v, VidaError* error) {
  const VidaNode* node = VidaIntegration_Node(integration);
  (void)error;
  memcpy(v, node->v,
         (size_t)VidaSystem_CoordinateCount(VidaIntegration_System(integration)) * sizeof *v);
  return VIDA_SUCCESS;
}

static const VidaOptionRow rows[] = {{"first", VIDA_OPTION_CHOICE, "", 0.0, 0.0, 1.0, false,
                                      "kick|drift", "What a step does first."},
                                     {0}};

static const VidaMethod kick_drift = {.size = sizeof(VidaMethod),
                                      .info = {.name = "kick-drift",
                                               .title = "symplectic Euler",
                                               .equation = "Hairer, Lubich, Wanner, (I.1.9)",
                                               .limits = "none",
                                               .order = 1},
                                      .options = rows,
                                      .create = create,
                                      .start = start,
                                      .step = step,
                                      .velocities = velocities,
                                      .energy = VidaIntegration_NodeEnergy,
                                      .multipliers = VidaIntegration_NodeMultipliers,
                                      .destroy = destroy};

static void test_registration(void) {
  VidaError error = {0};
  REQUIRE_OK(Vida_RegisterMethod(&kick_drift, &error), &error);
  EXPECT(Vida_FindMethod("kick-drift") == &kick_drift.info, "the method is not found");
}

static VidaStepper* start_of(const VidaSystem* system, const char* first, double h) {
  VidaError error = {0};
  VidaOptions* options = NULL;
  VidaStepper* stepper = NULL;
  char text[16];
  double q[MODEL_COORDINATES], v[MODEL_COORDINATES];
  REQUIRE_OK(VidaOptions_Create("kick-drift", &options, &error), &error);
  REQUIRE_OK(VidaOptions_SetReal(options, "h", h, &error), &error);
  REQUIRE_OK(VidaOptions_SetText(options, "first", first, &error), &error);
  VidaOptions_Text(options, "first", text, sizeof text);
  EXPECT(!strcmp(text, first), "the option is '%s'", text);
  EXPECT(!VidaOptions_HasChoice(options, "first", "leap"), "a choice that does not exist");
  REQUIRE_OK(VidaStepper_Create(system, options, &stepper, &error), &error);
  REQUIRE_OK(VidaSystem_Start(system, 0.0, NULL, q, v, NULL, &error), &error);
  REQUIRE_OK(VidaStepper_Start(stepper, 0.0, q, v, &error), &error);
  VidaOptions_Destroy(&options);
  return stepper;
}

/* A method whose state is not known is refused by name; nothing is written. */
static void test_no_checkpoint(void) {
  VidaError error = {0};
  unsigned char* bytes = NULL;
  size_t size = 1;
  const Model model = model_oscillator(2.0, 8.0, 1.0, 0.5);
  VidaSystem* system = model_system(&model);
  VidaStepper* stepper = start_of(system, "kick", 0.01);
  EXPECT_ERROR(VidaStepper_SaveBytes(stepper, &bytes, &size, &error), &error, VIDA_NOT_SUPPORTED,
               "kick-drift cannot be saved: its record has no function 'state'");
  EXPECT(!bytes && size == 0, "%zu bytes", size);
  VidaStepper_Destroy(&stepper);
  VidaSystem_Destroy(&system);
}

static int saves, loads;

/* Steps leave nothing: the accelerations are work space. */
static void visit(VidaIntegration* integration, VidaRecord* record) {
  bool is_here = true;
  (void)integration;
  VidaRecord_Flag(record, &is_here);
  saves += VidaRecord_IsLoading(record) ? 0 : 1;
  loads += VidaRecord_IsLoading(record) ? 1 : 0;
}

static void test_checkpoint(void) {
  static VidaMethod saved;
  VidaError error = {0};
  VidaOptions* options = NULL;
  VidaStepper *stepper = NULL, *loaded = NULL;
  unsigned char* bytes = NULL;
  size_t size = 0;
  const Model model = model_oscillator(2.0, 8.0, 1.0, 0.5);
  VidaSystem* system = model_system(&model);
  double q[MODEL_COORDINATES], v[MODEL_COORDINATES];
  saved = kick_drift;
  saved.info.name = "kick-drift-saved";
  saved.state = visit;
  REQUIRE_OK(Vida_RegisterMethod(&saved, &error), &error);
  REQUIRE_OK(VidaOptions_Create("kick-drift-saved", &options, &error), &error);
  REQUIRE_OK(VidaOptions_SetReal(options, "h", 0.01, &error), &error);
  REQUIRE_OK(VidaStepper_Create(system, options, &stepper, &error), &error);
  REQUIRE_OK(VidaSystem_Start(system, 0.0, NULL, q, v, NULL, &error), &error);
  REQUIRE_OK(VidaStepper_Start(stepper, 0.0, q, v, &error), &error);
  REQUIRE_OK(VidaStepper_Steps(stepper, 7, NULL, &error), &error);
  REQUIRE_OK(VidaStepper_SaveBytes(stepper, &bytes, &size, &error), &error);
  REQUIRE_OK(VidaStepper_LoadBytes(system, options, bytes, size, &loaded, &error), &error);
  EXPECT(saves == 1 && loads == 1, "%d saves, %d loads", saves, loads);
  REQUIRE_OK(VidaStepper_Steps(stepper, 7, NULL, &error), &error);
  REQUIRE_OK(VidaStepper_Steps(loaded, 7, NULL, &error), &error);
  EXPECT(VidaStepper_Positions(stepper)[0] == VidaStepper_Positions(loaded)[0], "positions");
  free(bytes);
  VidaStepper_Destroy(&stepper);
  VidaStepper_Destroy(&loaded);
  VidaOptions_Destroy(&options);
  VidaSystem_Destroy(&system);
}

/* The recurrence of x'' = -(k/m) x, and the energy of its states. */
static void test_oscillator(void) {
  const double mass = 2.0, stiffness = 8.0, h = 0.01;
  VidaError error = {0};
  const Model model = model_oscillator(mass, stiffness, 1.0, 0.5);
  VidaSystem* system = model_system(&model);
  for (int drifts_first = 0; drifts_first < 2; drifts_first++) {
    VidaStepper* stepper = start_of(system, drifts_first ? "drift" : "kick", h);
    double x = 1.0, v = 0.5, energy = 0.0, rate = 0.0;
    for (int k = 0; k < 50; k++) {
      REQUIRE_OK(VidaStepper_Step(stepper, &error), &error);
      x += drifts_first ? h * v : 0.0;
      v -= h * stiffness / mass * x;
      x += drifts_first ? 0.0 : h * v;
    }
    REQUIRE_OK(VidaStepper_Velocities(stepper, &rate, &error), &error);
    REQUIRE_OK(VidaStepper_Energy(stepper, &energy, NULL, &error), &error);
    EXPECT_NEAR(VidaStepper_Positions(stepper)[0], x, 1e-14, "x");
    EXPECT_NEAR(rate, v, 1e-14, "v");
    EXPECT_NEAR(energy, 0.5 * mass * v * v + 0.5 * stiffness * x * x, 1e-13, "energy");
    VidaStepper_Destroy(&stepper);
  }
  VidaSystem_Destroy(&system);
}

/* The tension of the rod at a state, whose row is (|q|^2 - l^2) / (2 l): with its second
 * derivative, v^2 + q . a = 0, it is m l (v^2 + q . g) / |q|^2. */
static void test_multipliers(void) {
  const double mass = 2.0, length = 1.5;
  VidaError error = {0};
  const Model model = model_pendulum(2, mass, length, 0.7, 0.4);
  VidaSystem* system = model_system(&model);
  VidaStepper* stepper = start_of(system, "kick", 1e-3);
  double t = -1.0, v[2];
  EXPECT(isnan(VidaStepper_Multipliers(stepper, NULL)[0]), "a tension before the first step");
  REQUIRE_OK(VidaStepper_Step(stepper, &error), &error);
  REQUIRE_OK(VidaStepper_Velocities(stepper, v, &error), &error);
  const double* q = VidaStepper_Positions(stepper);
  const double* lambda = VidaStepper_Multipliers(stepper, &t);
  const double square = q[0] * q[0] + q[1] * q[1];
  EXPECT_NEAR(lambda[0],
              mass * length * (v[0] * v[0] + v[1] * v[1] - MODEL_GRAVITY * q[1]) / square, 1e-12,
              "tension");
  EXPECT(t == 1e-3, "the time of the tension is %g", t);
  VidaStepper_Destroy(&stepper);
  VidaSystem_Destroy(&system);
}

/* ---- singular passages -------------------------------------------------------------------------
 */

/* A slider-crank with equal lengths: with the pin above the bearing the slider is in the bearing,
 * and the rod may turn about it. The passage is where the pin changes its side. */
static void test_passages(void) {
  VidaError error = {0};
  VidaSystem* s = NULL;
  const double angle = 1.0, h = 0.01;
  const VidaParticle pin = {
      .name = "pin",
      .mass = 1.0,
      .position = {VidaInitial_Given(cos(angle)), VidaInitial_Given(sin(angle))},
      .velocity = {VidaInitial_Given(-sin(angle)), VidaInitial_Given(cos(angle))}};
  const VidaParticle slider = {
      .name = "slider",
      .mass = 1.0,
      .position = {VidaInitial_Given(2.0 * cos(angle)), VidaInitial_Given(0.0)},
      .velocity = {VidaInitial_Given(-2.0 * sin(angle)), VidaInitial_Given(0.0)}};
  const VidaDistance crank = {.name = "crank",
                              .from = VidaPoint_Fixed(0.0, 0.0, 0.0),
                              .to = VidaPoint_Particle(0),
                              .length = 1.0};
  const VidaDistance rod = {
      .name = "rod", .from = VidaPoint_Particle(0), .to = VidaPoint_Particle(1), .length = 1.0};
  REQUIRE_OK(VidaSystem_Create("slider-crank", 2, &s, &error), &error);
  REQUIRE_OK(VidaSystem_AddParticle(s, &pin, NULL, &error), &error);
  REQUIRE_OK(VidaSystem_AddParticle(s, &slider, NULL, &error), &error);
  REQUIRE_OK(VidaSystem_AddDistance(s, &crank, &error), &error);
  REQUIRE_OK(VidaSystem_AddDistance(s, &rod, &error), &error);
  REQUIRE_OK(VidaSystem_AddExpressionConstraint(s, "slide", "m", position(s, 3), &error), &error);
  REQUIRE_OK(VidaSystem_Complete(s, &error), &error);
  VidaOptions* options = NULL;
  VidaStepper* stepper = NULL;
  double q[4], v[4], t = -1.0, crossed = NAN;
  const char* row = NULL;
  REQUIRE_OK(VidaOptions_Create("rattle", &options, &error), &error);
  REQUIRE_OK(VidaOptions_SetReal(options, "h", h, &error), &error);
  REQUIRE_OK(VidaStepper_Create(s, options, &stepper, &error), &error);
  REQUIRE_OK(VidaSystem_Start(s, 0.0, NULL, q, v, NULL, &error), &error);
  REQUIRE_OK(VidaStepper_Start(stepper, 0.0, q, v, &error), &error);
  EXPECT(VidaStepper_SingularPassages(stepper, &t, &row) == 0 && t == -1.0 && !row,
         "a passage at the start");
  for (int k = 1; k <= 100 && isnan(crossed); k++) {
    REQUIRE_OK(VidaStepper_Step(stepper, &error), &error);
    crossed = VidaStepper_Positions(stepper)[0] < 0.0 ? k * h : NAN;
  }
  EXPECT(VidaStepper_SingularPassages(stepper, &t, &row) == 1, "no passage");
  EXPECT_NEAR(t, crossed - 0.5 * h, 0.5000001 * h, "the time of the passage");
  EXPECT(row && (!strcmp(row, "crank") || !strcmp(row, "rod") || !strcmp(row, "slide")), "row '%s'",
         row ? row : "");
  VidaStepper_Destroy(&stepper);
  VidaOptions_Destroy(&options);
  VidaSystem_Destroy(&s);
}

static const CheckTest tests[] = {{"registration", test_registration},
                                  {"oscillator", test_oscillator},
                                  {"no checkpoint", test_no_checkpoint},
                                  {"checkpoint", test_checkpoint},
                                  {"multipliers", test_multipliers},
                                  {"singular passages", test_passages},
                                  {NULL, NULL}};

int main(void) {
  return check_main("a method of a program", tests);
}
