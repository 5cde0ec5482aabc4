/* A method of a plug-in that fails in each of its functions, or returns what is not a number: every
 * call returns a code with a message, and the state stays what it was. */
#include <math.h>
#include <string.h>
#include <vida/vida.h>

#include "support/check.h"

enum { NONE, CREATE, START, STEP, VELOCITIES, ENERGY, PLACES, MULTIPLIERS };
typedef enum Kind { RECOVERABLE, FATAL, UNKNOWN_CODE, NOT_A_NUMBER, MOVED_CLOCK } Kind;

/* Where the method is faulty, and how. */
static int place = NONE;
static Kind kind;

static int fault(int here, double* value) {
  if (here != place) {
    return VIDA_SUCCESS;
  }
  switch (kind) {
    case RECOVERABLE:
      return VIDA_STEP_NOT_CONVERGED;
    case FATAL:
      return VIDA_CALLBACK_FAILED;
    case UNKNOWN_CODE:
      return -12345;
    case MOVED_CLOCK:
      return VIDA_SUCCESS;
    case NOT_A_NUMBER:
      if (value) {
        *value = (double)NAN;
      }
      return VIDA_SUCCESS;
  }
  return VIDA_SUCCESS;
}

static int create(VidaIntegration* integration, VidaError* error) {
  (void)integration, (void)error;
  return fault(CREATE, NULL);
}

static int coordinate_count(const VidaIntegration* integration) {
  return VidaSystem_CoordinateCount(VidaIntegration_System(integration));
}

static int start(VidaIntegration* integration, VidaError* error) {
  VidaNode* node = VidaIntegration_Node(integration);
  (void)error;
  for (int i = 0; i < coordinate_count(integration); i++) {
    node->p[i] = node->v[i];
  }
  return fault(START, &node->p[0]);
}

/* Free motion of the first coordinate, of mass 1; others rest. */
static int step(VidaIntegration* integration, VidaError* error) {
  VidaNode* node = VidaIntegration_Node(integration);
  (void)error;
  node->q[0] += node->h * node->p[0];
  if (VidaSystem_ConstraintCount(VidaIntegration_System(integration)) > 0) {
    node->lambda[0] = place == MULTIPLIERS ? (double)NAN : 0.0;
  }
  if (place == STEP && kind == MOVED_CLOCK) {
    node->h *= 2.0;
    node->step += 7;
  }
  return fault(STEP, &node->q[0]);
}

static int velocities(VidaIntegration* integration, double* v, VidaError* error) {
  (void)error;
  for (int i = 0; i < coordinate_count(integration); i++) {
    v[i] = VidaIntegration_Node(integration)->p[i];
  }
  return fault(VELOCITIES, v);
}

static int energy(VidaIntegration* integration, double* value, double* t, VidaError* error) {
  const double p = VidaIntegration_Node(integration)->p[0];
  (void)error;
  *value = 0.5 * p * p;
  *t = VidaIntegration_Time(integration);
  return fault(ENERGY, value);
}

static const VidaOptionRow options[] = {
    {NULL, VIDA_OPTION_REAL, NULL, 0.0, 0.0, 0.0, false, NULL, NULL}};
static const VidaMethod faulty = {
    .size = sizeof(VidaMethod),
    .info = {"faulty", "fails where it is asked to", "none", "none", 1, VIDA_CAN_CONSTANT_MASS},
    .options = options,
    .create = create,
    .start = start,
    .step = step,
    .velocities = velocities,
    .energy = energy};

static VidaSystem* make_system(void) {
  const VidaParticle bead = {"bead", 1.0, {VidaInitial_Given(1.0)}, {VidaInitial_Given(2.0)}};
  VidaSystem* system = NULL;
  int index;
  EXPECT(!VidaSystem_Create("free mass", 1, &system, NULL) &&
             !VidaSystem_AddParticle(system, &bead, &index, NULL) &&
             !VidaSystem_Complete(system, NULL),
         "the system cannot be made");
  return system;
}

/* Calls a stepper in the order in which a program does; returns the first code that is not 0. */
static int drive(VidaStepper* stepper, double* v, double* value, VidaError* error) {
  const double q0 = 1.0, v0 = 2.0;
  int code = VidaStepper_Start(stepper, 0.0, &q0, &v0, error);
  for (int k = 0; k < 3 && !code; k++) {
    code = VidaStepper_Step(stepper, error);
    code = code ? code : VidaStepper_Velocities(stepper, v, error);
    code = code ? code : VidaStepper_Energy(stepper, value, NULL, error);
  }
  return code;
}

static void expect_fault(const VidaSystem* system, const VidaOptions* settings) {
  VidaStepper* stepper = NULL;
  VidaError error = {0};
  double v = 0.0, value = 0.0;
  int code = VidaStepper_Create(system, settings, &stepper, &error);
  EXPECT((code != 0) == (place == CREATE && kind != NOT_A_NUMBER), "create returned %d", code);
  if (!code) {
    code = drive(stepper, &v, &value, &error);
    EXPECT(place == CREATE || code != 0, "place %d, kind %d: no error", place, kind);
    EXPECT(place == CREATE || isfinite(VidaStepper_Positions(stepper)[0]),
           "place %d, kind %d: a position is %g", place, kind, VidaStepper_Positions(stepper)[0]);
  }
  if (code) {
    EXPECT(error.code == code && error.message[0], "place %d, kind %d: code %d, message '%s'",
           place, kind, error.code, error.message);
  }
  VidaStepper_Destroy(&stepper);
}

static void test_each_function(void) {
  VidaSystem* system = make_system();
  VidaOptions* settings = NULL;
  VidaError error = {0};
  EXPECT(!VidaOptions_Create("faulty", &settings, &error), "%s", error.message);
  EXPECT(!VidaOptions_SetReal(settings, "h", 0.1, &error), "%s", error.message);
  for (place = CREATE; place < PLACES; place++) {
    for (kind = RECOVERABLE; kind <= NOT_A_NUMBER; kind++) {
      expect_fault(system, settings);
    }
  }
  VidaOptions_Destroy(&settings);
  VidaSystem_Destroy(&system);
}

/* The clock is VIDA's: what a method writes into it has no effect. */
static void test_clock(void) {
  VidaSystem* system = make_system();
  VidaOptions* settings = NULL;
  VidaStepper* stepper = NULL;
  VidaError error = {0};
  double v, value;
  place = STEP;
  kind = MOVED_CLOCK;
  EXPECT(!VidaOptions_Create("faulty", &settings, NULL) &&
             !VidaOptions_SetReal(settings, "h", 0.1, NULL) &&
             !VidaStepper_Create(system, settings, &stepper, NULL),
         "no stepper");
  EXPECT(drive(stepper, &v, &value, &error) == 0, "a step failed: %s", error.message);
  EXPECT_NEAR(VidaStepper_Time(stepper), 3 * 0.1, 1e-15, "the time");
  EXPECT_NEAR(VidaStepper_Positions(stepper)[0], 1.0 + 0.3 * 2.0, 1e-15, "free motion");
  VidaStepper_Destroy(&stepper);
  VidaOptions_Destroy(&settings);
  VidaSystem_Destroy(&system);
}

/* A bead on the x axis of the plane, which is a constraint: y = 0. Multipliers of a step that are
 * no numbers are refused like positions. */
static void test_multipliers(void) {
  const VidaParticle bead = {.name = "bead", .mass = 1.0, .velocity = {VidaInitial_Given(2.0)}};
  VidaSystem* system = NULL;
  VidaOptions* settings = NULL;
  VidaStepper* stepper = NULL;
  VidaExpression y;
  VidaError error = {0};
  double q[2], v[2];
  REQUIRE_OK(VidaSystem_Create("wire", 2, &system, &error), &error);
  REQUIRE_OK(VidaSystem_AddParticle(system, &bead, NULL, &error), &error);
  REQUIRE_OK(VidaSystem_Position(system, 1, &y, &error), &error);
  REQUIRE_OK(VidaSystem_AddExpressionConstraint(system, "axis", "m", y, &error), &error);
  REQUIRE_OK(VidaSystem_Complete(system, &error), &error);
  REQUIRE_OK(VidaOptions_Create("faulty", &settings, &error), &error);
  REQUIRE_OK(VidaOptions_SetReal(settings, "h", 0.1, &error), &error);
  REQUIRE_OK(VidaStepper_Create(system, settings, &stepper, &error), &error);
  REQUIRE_OK(VidaSystem_Start(system, 0.0, NULL, q, v, NULL, &error), &error);
  place = NONE;
  REQUIRE_OK(VidaStepper_Start(stepper, 0.0, q, v, &error), &error);
  REQUIRE_OK(VidaStepper_Step(stepper, &error), &error);
  place = MULTIPLIERS;
  EXPECT_ERROR(VidaStepper_Step(stepper, &error), &error, VIDA_NOT_FINITE,
               "gives multipliers that are not finite");
  EXPECT_NEAR(VidaStepper_Multipliers(stepper, NULL)[0], 0.0, 0.0, "those of the last step");
  VidaStepper_Destroy(&stepper);
  VidaOptions_Destroy(&settings);
  VidaSystem_Destroy(&system);
}

static bool has_option(const VidaOptions* settings, const char* name) {
  bool found = false;
  for (int i = 0; i < VidaOptions_Count(settings); i++) {
    found = found || strcmp(VidaOptions_Row(settings, i)->name, name) == 0;
  }
  return found;
}

/* A method has a tolerance and the claim to choose its own steps, or neither. */
static void test_tolerance(void) {
  static const VidaOptionRow rows[] = {
      {"rtol", VIDA_OPTION_REAL, "1", 1e-6, 1e-15, 1.0, false, NULL, "Tolerance."},
      {NULL, VIDA_OPTION_REAL, NULL, 0.0, 0.0, 0.0, false, NULL, NULL}};
  VidaMethod method = faulty;
  VidaError error = {0};
  method.info.name = "adaptive";
  method.info.capabilities |= VIDA_CAN_ADAPTIVE;
  EXPECT_ERROR(Vida_RegisterMethod(&method, &error), &error, VIDA_BAD_ARGUMENT,
               "method 'adaptive' has to have both or neither of an option 'rtol'");
  method.options = rows;
  method.info.capabilities &= ~(unsigned)VIDA_CAN_ADAPTIVE;
  EXPECT_ERROR(Vida_RegisterMethod(&method, &error), &error, VIDA_BAD_ARGUMENT,
               "method 'adaptive' has to have both or neither of an option 'rtol'");
  for (int i = 0; i < Vida_MethodCount(); i++) {
    VidaOptions* settings = NULL;
    const VidaMethodInfo* info = Vida_MethodInfo(i);
    REQUIRE_OK(VidaOptions_Create(info->name, &settings, &error), &error);
    EXPECT(has_option(settings, "rtol") == ((info->capabilities & VIDA_CAN_ADAPTIVE) != 0),
           "%s has the claim or the option alone", info->name);
    VidaOptions_Destroy(&settings);
  }
}

/* Steps that do not change the time are refused. */
static void test_lost_steps(void) {
  VidaSystem* system = make_system();
  VidaOptions* settings = NULL;
  VidaStepper* stepper = NULL;
  VidaError error = {0};
  const double q = 1.0, v = 2.0;
  place = NONE;
  REQUIRE_OK(VidaOptions_Create("faulty", &settings, &error), &error);
  REQUIRE_OK(VidaOptions_SetReal(settings, "h", 1e-12, &error), &error);
  REQUIRE_OK(VidaStepper_Create(system, settings, &stepper, &error), &error);
  EXPECT_ERROR(VidaStepper_Start(stepper, 1e20, &q, &v, &error), &error, VIDA_BAD_ARGUMENT,
               "the step h = 1e-12 is too short for the time t0 = 1e+20");
  REQUIRE_OK(VidaStepper_Start(stepper, 1.0, &q, &v, &error), &error);
  VidaStepper_Destroy(&stepper);
  VidaOptions_Destroy(&settings);
  VidaSystem_Destroy(&system);
}

/* A comparison with the method: its row has a status other than ok, a message, and no NaN in its
 * trajectory. */
static void test_rows(void) {
  VidaSystem* system = make_system();
  VidaOptions *settings = NULL, *wishes = NULL;
  VidaStudy* study = NULL;
  for (place = CREATE; place < PLACES; place++) {
    for (kind = RECOVERABLE; kind <= NOT_A_NUMBER; kind++) {
      if (place == CREATE && kind == NOT_A_NUMBER) {
        continue; /* create returns no number */
      }
      EXPECT(!VidaStudy_CreateOptions(&wishes, NULL) &&
                 !VidaOptions_SetReal(wishes, "time", 1.0, NULL) &&
                 !VidaStudy_Create(system, wishes, &study, NULL) &&
                 !VidaOptions_Create("faulty", &settings, NULL) &&
                 !VidaOptions_SetReal(settings, "h", 0.1, NULL) &&
                 !VidaStudy_AddRun(study, settings, NULL),
             "no comparison");
      VidaStudy_Run(study, NULL, NULL);
      const VidaRow* row = VidaStudy_Row(study, 0);
      EXPECT(row && strcmp(row->status, "ok") != 0 && row->message[0],
             "place %d, kind %d: status '%s', message '%s'", place, kind, row ? row->status : "",
             row ? row->message : "");
      VidaOptions_Destroy(&settings);
      VidaStudy_Destroy(&study);
      VidaOptions_Destroy(&wishes);
    }
  }
  VidaSystem_Destroy(&system);
}

int main(void) {
  static const CheckTest tests[] = {{"each function", test_each_function},
                                    {"clock", test_clock},
                                    {"multipliers", test_multipliers},
                                    {"tolerance", test_tolerance},
                                    {"lost steps", test_lost_steps},
                                    {"rows", test_rows},
                                    {NULL, NULL}};
  VidaError error;
  if (Vida_RegisterMethod(&faulty, &error)) {
    return 1;
  }
  return check_main("faulty method", tests);
}
