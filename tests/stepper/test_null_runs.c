/* Public functions of methods, steppers, comparisons and audits with NULL for what must not be
 * NULL: refused by name, or nothing returned. Those of systems and reports are in test_null.c. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <vida/vida.h>

#include "support/check.h"
#include "support/refused.h"

static VidaSystem* free_particle(void) {
  const VidaParticle particle = {.name = "bob", .mass = 1.0};
  VidaSystem* system = NULL;
  VidaError error;
  REQUIRE_OK(VidaSystem_Create("one", 2, &system, &error), &error);
  REQUIRE_OK(VidaSystem_AddParticle(system, &particle, NULL, &error), &error);
  REQUIRE_OK(VidaSystem_Complete(system, &error), &error);
  return system;
}

static void test_steppers(void) {
  VidaError error = {0};
  VidaSystem* system = free_particle();
  VidaOptions* options = NULL;
  VidaStepper *s = NULL, *none = NULL;
  double x[2] = {0.0}, t = 0.0;
  REFUSED("options", VidaOptions_Create("rattle", NULL, &error));
  REFUSED("method", VidaOptions_Create(NULL, &options, &error));
  REQUIRE_OK(VidaOptions_Create("rattle", &options, &error), &error);
  REQUIRE_OK(VidaOptions_SetReal(options, "h", 0.1, &error), &error);
  REFUSED("stepper", VidaStepper_Create(system, options, NULL, &error));
  REFUSED("system", VidaStepper_Create(NULL, options, &none, &error));
  REFUSED("options", VidaStepper_Create(system, NULL, &none, &error));
  REQUIRE_OK(VidaStepper_Create(system, options, &s, &error), &error);
  REFUSED("stepper", VidaStepper_Start(NULL, 0.0, x, x, &error));
  REFUSED("q", VidaStepper_Start(s, 0.0, NULL, x, &error));
  REFUSED("v", VidaStepper_Start(s, 0.0, x, NULL, &error));
  REFUSED("stepper", VidaStepper_StartWithStep(NULL, 0.0, 0.1, x, x, &error));
  REFUSED("q", VidaStepper_StartWithStep(s, 0.0, 0.1, NULL, x, &error));
  REFUSED("v", VidaStepper_StartWithStep(s, 0.0, 0.1, x, NULL, &error));
  REFUSED("stepper", VidaStepper_Plan(NULL, &(VidaStepPlan){0}, &error));
  REFUSED("plan", VidaStepper_Plan(s, NULL, &error));
  unsigned char* bytes = NULL;
  size_t size;
  VidaStepper* loaded = NULL;
  const VidaSystem* of = VidaStepper_System(s);
  REFUSED("stepper", VidaStepper_Save(NULL, "a", &error));
  REFUSED("path", VidaStepper_Save(s, NULL, &error));
  REFUSED("stepper", VidaStepper_SaveBytes(NULL, &bytes, &size, &error));
  REFUSED("bytes", VidaStepper_SaveBytes(s, NULL, &size, &error));
  REFUSED("size", VidaStepper_SaveBytes(s, &bytes, NULL, &error));
  REFUSED("system", VidaStepper_Load(NULL, NULL, "a", &loaded, &error));
  REFUSED("path", VidaStepper_Load(of, NULL, NULL, &loaded, &error));
  REFUSED("stepper", VidaStepper_Load(of, NULL, "a", NULL, &error));
  REFUSED("system", VidaStepper_LoadBytes(NULL, NULL, (unsigned char*)"a", 1, &loaded, &error));
  REFUSED("bytes", VidaStepper_LoadBytes(of, NULL, NULL, 1, &loaded, &error));
  REFUSED("stepper", VidaStepper_LoadBytes(of, NULL, (unsigned char*)"a", 1, NULL, &error));
  EXPECT(!VidaStepper_Options(NULL) && !loaded && !bytes, "of nothing");
  REFUSED("stepper", VidaStepper_StartTwoPoints(NULL, 0.0, x, x, &error));
  REFUSED("q0", VidaStepper_StartTwoPoints(s, 0.0, NULL, x, &error));
  REFUSED("q1", VidaStepper_StartTwoPoints(s, 0.0, x, NULL, &error));
  REQUIRE_OK(VidaStepper_Start(s, 0.0, x, x, &error), &error);
  REFUSED("stepper", VidaStepper_Step(NULL, &error));
  REFUSED("stepper", VidaStepper_Steps(NULL, 1, NULL, &error));
  REFUSED("stepper", VidaStepper_Velocities(NULL, x, &error));
  REFUSED("v", VidaStepper_Velocities(s, NULL, &error));
  REFUSED("stepper", VidaStepper_Energy(NULL, x, &t, &error));
  REFUSED("energy", VidaStepper_Energy(s, NULL, &t, &error));
  REFUSED("stepper", VidaStepper_ConstraintErrors(NULL, x, x, &error));
  REFUSED("stepper", VidaStepper_Constraints(NULL, x, x, &error));
  REFUSED("stepper", VidaStepper_Observables(NULL, x, &error));
  REFUSED("values", VidaStepper_Observables(s, NULL, &error));
  EXPECT(!VidaStepper_Multipliers(NULL, &t) && isnan(t), "multipliers of nothing at %g", t);
  REFUSED("stepper", VidaStepper_SetEventObserver(NULL, NULL, NULL, &error));
  REFUSED("state", VidaEventState_SetVelocity(NULL, 0, 0.0, &error));
  VidaEventState_Stop(NULL);
  VidaStepper_Destroy(&s);
  VidaStepper_Destroy(NULL);
  VidaOptions_Destroy(&options);
  VidaSystem_Destroy(&system);
}

static void test_studies(void) {
  VidaError error = {0};
  VidaSystem* system = free_particle();
  VidaOptions *options = NULL, *method = NULL;
  VidaStudy *s = NULL, *none = NULL;
  VidaCheck* check = NULL;
  VidaSeries series;
  const VidaKnownSolution known = {.text = "known"};
  const int first = 0;
  const double x[2] = {0.0};
  REFUSED("options", VidaStudy_CreateOptions(NULL, &error));
  REQUIRE_OK(VidaStudy_CreateOptions(&options, &error), &error);
  REQUIRE_OK(VidaOptions_SetReal(options, "time", 1.0, &error), &error);
  REQUIRE_OK(VidaOptions_Create("rattle", &method, &error), &error);
  REFUSED("study", VidaStudy_Create(system, options, NULL, &error));
  REFUSED("system", VidaStudy_Create(NULL, options, &none, &error));
  REFUSED("options", VidaStudy_Create(system, NULL, &none, &error));
  REQUIRE_OK(VidaStudy_Create(system, options, &s, &error), &error);
  REFUSED("study", VidaStudy_SetReference(NULL, method, &error));
  REFUSED("method", VidaStudy_SetReference(s, NULL, &error));
  REFUSED("study", VidaStudy_SetKnownReference(NULL, &known, &error));
  REFUSED("solution", VidaStudy_SetKnownReference(s, NULL, &error));
  REFUSED("study", VidaStudy_SetReferenceStates(NULL, "x", 0.0, 1, x, x, x, NULL, &error));
  REFUSED("text", VidaStudy_SetReferenceStates(s, NULL, 0.0, 1, x, x, x, NULL, &error));
  REFUSED("t", VidaStudy_SetReferenceStates(s, "x", 0.0, 1, NULL, x, x, NULL, &error));
  REFUSED("q", VidaStudy_SetReferenceStates(s, "x", 0.0, 1, x, NULL, x, NULL, &error));
  REFUSED("study", VidaStudy_AddRun(NULL, method, &error));
  REFUSED("method", VidaStudy_AddRun(s, NULL, &error));
  REFUSED("study", VidaStudy_AddRunFrom(NULL, method, NULL, x, x, &error));
  REFUSED("method", VidaStudy_AddRunFrom(s, NULL, NULL, x, x, &error));
  REFUSED("study", VidaStudy_SelectCoordinates(NULL, 1, &first, &error));
  REFUSED("coordinates", VidaStudy_SelectCoordinates(s, 1, NULL, &error));
  REFUSED("study", VidaStudy_Run(NULL, NULL, &error));
  REFUSED("study", VidaStudy_Series(NULL, 0, &series, &error));
  REFUSED("series", VidaStudy_Series(s, 0, NULL, &error));
  REFUSED("study", VidaStudy_Check(NULL, &check, &error));
  VidaAdvice* advice = NULL;
  REFUSED("study", VidaStudy_Advise(NULL, &advice, &error));
  REFUSED("advice", VidaStudy_Advise(s, NULL, &error));
  VidaAdvice_Destroy(&advice);
  VidaAdvice_Destroy(NULL);
  REFUSED("check", VidaStudy_Check(s, NULL, &error));
  VidaStudy_Destroy(&s);
  VidaStudy_Destroy(NULL);
  VidaOptions_Destroy(&method);
  VidaOptions_Destroy(&options);
  VidaSystem_Destroy(&system);
}

static void test_audits(void) {
  VidaError error = {0};
  VidaAudit* audit = NULL;
  REFUSED("audit", VidaAudit_Create(false, NULL, &error));
  REQUIRE_OK(VidaAudit_Create(false, &audit, &error), &error);
  REFUSED("audit", VidaAudit_SetInterrupt(NULL, NULL, NULL, &error));
  REFUSED("audit", VidaAudit_SelectSystem(NULL, "x", &error));
  REFUSED("name", VidaAudit_SelectSystem(audit, NULL, &error));
  REFUSED("audit", VidaAudit_Method(NULL, Vida_FindMethod("rattle"), &error));
  REFUSED("claims", VidaAudit_Method(audit, NULL, &error));
  REFUSED("audit", VidaAudit_Options(NULL, NULL, &error));
  REFUSED("options", VidaAudit_Options(audit, NULL, &error));
  REFUSED("file", VidaReport_AuditCsv(audit, NULL, &error));
  VidaAudit_Destroy(&audit);
  VidaAudit_Destroy(NULL);
}

/* What only looks. */
static void test_looking(void) {
  const struct {
    const char* what;
    double got, expected; /* NaN: NaN */
  } numbers[] = {{"time", VidaStepper_Time(NULL), NAN},
                 {"step", VidaStepper_StepSize(NULL), NAN},
                 {"steps", (double)VidaStepper_StepCount(NULL), 0},
                 {"unique", VidaStepper_MultipliersAreUnique(NULL), 0},
                 {"dependent", VidaStepper_DependentRows(NULL, NULL), 0},
                 {"nearly dependent", VidaStepper_NearlyDependentRow(NULL, NULL), -1},
                 {"passages", (double)VidaStepper_SingularPassages(NULL, NULL, NULL), 0},
                 {"parasitic energy", VidaStepper_ParasiticEnergy(NULL), NAN},
                 {"statistics", (double)VidaStepper_Statistics(NULL).steps, 0},
                 {"order", Vida_MethodOrder(NULL), 0},
                 {"adaptive", Vida_IsAdaptive(NULL), 0},
                 {"time stepping", Vida_IsTimeStepping(NULL), 0},
                 {"order across impacts", Vida_OrderAcrossImpacts(NULL, 3), 3},
                 {"ended", VidaStepper_HasEnded(NULL), 0},
                 {"time of an event", VidaEventState_Time(NULL), NAN},
                 {"events", VidaSystem_EventCount(NULL), 0},
                 {"events of a run", (double)VidaStudy_EventCount(NULL, 0), 0},
                 {"kept events of a run", (double)VidaStudy_Events(NULL, 0, NULL), 0},
                 {"runs", VidaStudy_RunCount(NULL), 0},
                 {"series", VidaStudy_SeriesCount(NULL), 0},
                 {"seconds", VidaStudy_SecondsFor(NULL, 0, 1.0), NAN},
                 {"range", VidaStudy_ErrorRange(NULL, NULL, NULL), 0},
                 {"rows", VidaAudit_RowCount(NULL), 0},
                 {"summary", VidaAudit_IsSummary(NULL), 0},
                 {"false claims", VidaAudit_FalseClaims(NULL), 0}};
  const struct {
    const char* what;
    const void* got;
  } pointers[] = {{"method", Vida_FindMethod(NULL)},
                  {"system", VidaStepper_System(NULL)},
                  {"positions", VidaStepper_Positions(NULL)},
                  {"positions at an event", VidaEventState_Positions(NULL)},
                  {"velocities at an event", VidaEventState_Velocities(NULL)},
                  {"system at an event", VidaEventState_System(NULL)},
                  {"name of an event", VidaSystem_EventName(NULL, 0)},
                  {"momenta", VidaStepper_Momenta(NULL)},
                  {"multipliers", VidaStepper_Multipliers(NULL, NULL)},
                  {"system", VidaStudy_System(NULL)},
                  {"row", VidaStudy_Row(NULL, 0)},
                  {"row", VidaAudit_Row(NULL, 0)}};
  double own_error = 0.0;
  for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
    const double got = numbers[i].got, expected = numbers[i].expected;
    EXPECT(got == expected || (isnan(got) && isnan(expected)), "%s: %g", numbers[i].what, got);
  }
  for (size_t i = 0; i < sizeof pointers / sizeof pointers[0]; i++) {
    EXPECT(!pointers[i].got, "%s", pointers[i].what);
  }
  EXPECT(VidaStudy_Notes(NULL)[0] == '\0', "notes");
  EXPECT(VidaStudy_Reference(NULL, &own_error)[0] == '\0' && isnan(own_error), "%g", own_error);
}

int main(void) {
  static const CheckTest tests[] = {{"steppers", test_steppers},
                                    {"studies", test_studies},
                                    {"audits", test_audits},
                                    {"looking", test_looking},
                                    {NULL, NULL}};
  return check_main("NULL arguments of runs", tests);
}
