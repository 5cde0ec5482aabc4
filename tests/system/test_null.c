/* Public functions with NULL for what must not be NULL: refused by name, or nothing returned. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <vida/vida.h>

#include "support/check.h"
#include "support/refused.h"

enum { NAME_SIZE = 96 };

static VidaSystem* system_of_one; /* a particle, complete */
static VidaSystem* open_system;

static int no_value(double t, const double* q, const double* v, double* lagrangian, void* data) {
  (void)t, (void)q, (void)v, (void)data;
  *lagrangian = 0.0;
  return 0;
}

static void make_systems(void) {
  const VidaParticle particle = {.name = "bob", .mass = 1.0};
  VidaError error;
  REQUIRE_OK(VidaSystem_Create("one", 2, &system_of_one, &error), &error);
  REQUIRE_OK(VidaSystem_AddParticle(system_of_one, &particle, NULL, &error), &error);
  REQUIRE_OK(VidaSystem_Complete(system_of_one, &error), &error);
  REQUIRE_OK(VidaSystem_Create("open", 2, &open_system, &error), &error);
  REQUIRE_OK(VidaSystem_AddParticle(open_system, &particle, NULL, &error), &error);
}

static void destroy_systems(void) {
  VidaSystem_Destroy(&system_of_one);
  VidaSystem_Destroy(&open_system);
}

static void test_building(void) {
  VidaError error = {0};
  VidaSystem* s = open_system;
  VidaSystem* none = NULL;
  const VidaInitial at = VidaInitial_Given(0.0);
  const VidaParticle particle = {.name = "other", .mass = 1.0};
  const VidaSpring spring = {.name = "spring"};
  const VidaDistance rod = {.name = "rod"};
  const VidaContact contact = {.name = "floor"};
  const VidaLagrangian lagrangian = {.value = no_value};
  const VidaConstraint constraint = {0};
  const VidaForce force = {.value = no_value};
  const double g[2] = {0.0};
  const int index[2] = {0, 1};
  REFUSED("system", VidaSystem_Create("rig", 2, NULL, &error));
  REFUSED("system", VidaSystem_AddCoordinate(NULL, "x", "", at, at, NULL, &error));
  REFUSED("name", VidaSystem_AddCoordinate(s, NULL, "", at, at, NULL, &error));
  REFUSED("system", VidaSystem_AddParticle(NULL, &particle, NULL, &error));
  REFUSED("particle", VidaSystem_AddParticle(s, NULL, NULL, &error));
  REFUSED("system", VidaSystem_AddGravity(NULL, g, &error));
  REFUSED("acceleration", VidaSystem_AddGravity(s, NULL, &error));
  REFUSED("system", VidaSystem_AddSpring(NULL, &spring, &error));
  REFUSED("spring", VidaSystem_AddSpring(s, NULL, &error));
  REFUSED("system", VidaSystem_AddDistance(NULL, &rod, &error));
  REFUSED("distance", VidaSystem_AddDistance(s, NULL, &error));
  REFUSED("system", VidaSystem_AddContact(NULL, &contact, NULL, &error));
  REFUSED("contact", VidaSystem_AddContact(s, NULL, NULL, &error));
  REFUSED("system", VidaSystem_AddCoupling(NULL, &(VidaCoupling){.name = "c"}, NULL, &error));
  REFUSED("coupling", VidaSystem_AddCoupling(s, NULL, NULL, &error));
  REFUSED("system", VidaSystem_AddEvent(NULL, &(VidaEvent){.name = "e"}, NULL, &error));
  REFUSED("event", VidaSystem_AddEvent(s, NULL, NULL, &error));
  REFUSED("system", VidaSystem_AddLagrangian(NULL, "L", 1, index, &lagrangian, NULL, &error));
  REFUSED("name", VidaSystem_AddLagrangian(s, NULL, 1, index, &lagrangian, NULL, &error));
  REFUSED("coordinates", VidaSystem_AddLagrangian(s, "L", 1, NULL, &lagrangian, NULL, &error));
  VidaExpression of = 0;
  REFUSED("system", VidaSystem_Switch(NULL, 0, 1, &of, &of, &of, &error));
  REFUSED("at", VidaSystem_Switch(s, 0, 1, NULL, &of, &of, &error));
  REFUSED("values", VidaSystem_Switch(s, 0, 1, &of, NULL, &of, &error));
  REFUSED("expression", VidaSystem_Switch(s, 0, 1, &of, &of, NULL, &error));
  REFUSED("system", VidaSystem_AddForce(NULL, "f", 1, index, &force, NULL, &error));
  REFUSED("name", VidaSystem_AddForce(s, NULL, 1, index, &force, NULL, &error));
  REFUSED("coordinates", VidaSystem_AddForce(s, "f", 1, NULL, &force, NULL, &error));
  REFUSED("force", VidaSystem_AddForce(s, "f", 1, index, NULL, NULL, &error));
  REFUSED("system", VidaSystem_AddConstraint(NULL, "g", 1, 1, index, &constraint, NULL, &error));
  REFUSED("name", VidaSystem_AddConstraint(s, NULL, 1, 1, index, &constraint, NULL, &error));
  REFUSED("coordinates", VidaSystem_AddConstraint(s, "g", 1, 1, NULL, &constraint, NULL, &error));
  REFUSED("system", VidaSystem_AddJumpTime(NULL, 1.0, &error));
  REFUSED("system", VidaSystem_AddMotion(NULL, VIDA_MOTION_POINT, index, &error));
  REFUSED("coordinates", VidaSystem_AddMotion(s, VIDA_MOTION_POINT, NULL, &error));
  REFUSED("system", VidaSystem_AddParameter(NULL, "k", 1.0, NULL, &error));
  REFUSED("name", VidaSystem_AddParameter(s, NULL, 1.0, NULL, &error));
  REFUSED("system", VidaSystem_SetParameter(NULL, 0, 1.0, &error));
  REFUSED("system", VidaSystem_SetRelaxation(NULL, "rod", 0.0, 0.0, &error));
  REFUSED("constraint", VidaSystem_SetRelaxation(s, NULL, 0.0, 0.0, &error));
  REFUSED("system", VidaSystem_Complete(NULL, &error));
  EXPECT_ERROR(VidaSystem_Create(NULL, 2, &none, &error), &error, VIDA_BAD_ARGUMENT, "name");
  EXPECT(!none, "nothing was created");
}

static void test_expressions(void) {
  VidaError error = {0};
  VidaSystem* s = open_system;
  VidaExpression x = 0, pair[2];
  const int index[2] = {0, 1};
  REQUIRE_OK(VidaSystem_Position(s, 0, &x, &error), &error);
  pair[0] = pair[1] = x;
  REFUSED("system", VidaSystem_Constant(NULL, 1.0, &x, &error));
  REFUSED("expression", VidaSystem_Constant(s, 1.0, NULL, &error));
  REFUSED("system", VidaSystem_Position(NULL, 0, &x, &error));
  REFUSED("expression", VidaSystem_Position(s, 0, NULL, &error));
  REFUSED("system", VidaSystem_Rate(NULL, 0, &x, &error));
  REFUSED("expression", VidaSystem_Rate(s, 0, NULL, &error));
  REFUSED("system", VidaSystem_Time(NULL, &x, &error));
  REFUSED("expression", VidaSystem_Time(s, NULL, &error));
  REFUSED("system", VidaSystem_Apply(NULL, "+", 2, pair, &x, &error));
  REFUSED("operation", VidaSystem_Apply(s, NULL, 2, pair, &x, &error));
  REFUSED("operands", VidaSystem_Apply(s, "+", 2, NULL, &x, &error));
  REFUSED("expression", VidaSystem_Apply(s, "+", 2, pair, NULL, &error));
  REFUSED("system", VidaSystem_ParameterExpression(NULL, 0, &x, &error));
  REFUSED("expression", VidaSystem_ParameterExpression(s, 0, NULL, &error));
  REFUSED("system", VidaSystem_MultiplierExpression(NULL, 0, &x, &error));
  REFUSED("expression", VidaSystem_MultiplierExpression(s, 0, NULL, &error));
  REFUSED("system", VidaSystem_AddExpressionLagrangian(NULL, "L", x, &error));
  REFUSED("name", VidaSystem_AddExpressionLagrangian(s, NULL, x, &error));
  REFUSED("system", VidaSystem_AddExpressionConstraint(NULL, "g", "m", x, &error));
  REFUSED("name", VidaSystem_AddExpressionConstraint(s, NULL, "m", x, &error));
  REFUSED("system", VidaSystem_AddExpressionNonholonomic(NULL, "a", "m/s", x, &error));
  REFUSED("name", VidaSystem_AddExpressionNonholonomic(s, NULL, "m/s", x, &error));
  REFUSED("system", VidaSystem_AddExpressionForce(NULL, "f", 2, index, pair, &error));
  REFUSED("name", VidaSystem_AddExpressionForce(s, NULL, 2, index, pair, &error));
  REFUSED("coordinates", VidaSystem_AddExpressionForce(s, "f", 2, NULL, pair, &error));
  REFUSED("force", VidaSystem_AddExpressionForce(s, "f", 2, index, NULL, &error));
  REFUSED("system", VidaSystem_AddExpressionRayleigh(NULL, "R", x, &error));
  REFUSED("name", VidaSystem_AddExpressionRayleigh(s, NULL, x, &error));
  REFUSED("system", VidaSystem_AddObservable(NULL, "o", "m", false, x, &error));
  REFUSED("name", VidaSystem_AddObservable(s, NULL, "m", false, x, &error));
  REFUSED("system", VidaSystem_AddElement(NULL, system_of_one, "e", index, NULL, NULL, &error));
  REFUSED("element", VidaSystem_AddElement(s, NULL, "e", index, NULL, NULL, &error));
  REFUSED("name", VidaSystem_AddElement(s, system_of_one, NULL, index, NULL, NULL, &error));
  REFUSED("coordinates", VidaSystem_AddElement(s, system_of_one, "e", NULL, NULL, NULL, &error));
  REFUSED("system", VidaSystem_AddChartCoordinate(NULL, "a", 0.0, &x, &error));
  REFUSED("name", VidaSystem_AddChartCoordinate(s, NULL, 0.0, &x, &error));
  REFUSED("expression", VidaSystem_AddChartCoordinate(s, "a", 0.0, NULL, &error));
  REFUSED("system", VidaSystem_AddChart(NULL, 2, index, pair, &error));
  REFUSED("coordinates", VidaSystem_AddChart(s, 2, NULL, pair, &error));
  REFUSED("embedding", VidaSystem_AddChart(s, 2, index, NULL, &error));
}

static void test_asking(void) {
  VidaError error = {0};
  const VidaSystem* s = system_of_one;
  VidaCheck* check = NULL;
  double x[4] = {0.0}, lambda[1];
  int rank;
  REFUSED("system", VidaSystem_Start(NULL, 0.0, NULL, x, x, NULL, &error));
  REFUSED("q", VidaSystem_Start(s, 0.0, NULL, NULL, x, NULL, &error));
  REFUSED("v", VidaSystem_Start(s, 0.0, NULL, x, NULL, NULL, &error));
  REFUSED("system", VidaSystem_Rank(NULL, 0.0, x, &rank, NULL, &error));
  REFUSED("q", VidaSystem_Rank(s, 0.0, NULL, &rank, NULL, &error));
  REFUSED("rank", VidaSystem_Rank(s, 0.0, x, NULL, NULL, &error));
  REFUSED("system", VidaSystem_Accelerations(NULL, 0.0, x, x, x, lambda, &error));
  REFUSED("q", VidaSystem_Accelerations(s, 0.0, NULL, x, x, lambda, &error));
  REFUSED("v", VidaSystem_Accelerations(s, 0.0, x, NULL, x, lambda, &error));
  REFUSED("a", VidaSystem_Accelerations(s, 0.0, x, x, NULL, lambda, &error));
  REFUSED("system", VidaCheck_Create(NULL, 0.0, NULL, &check, &error));
  REFUSED("check", VidaCheck_Create(s, 0.0, NULL, NULL, &error));
  EXPECT(VidaSystem_Complete(NULL, NULL) == VIDA_BAD_ARGUMENT, "nobody reads the message");
}

static void test_options(void) {
  VidaError error = {0};
  VidaOptions *options = NULL, *copy = NULL;
  REQUIRE_OK(VidaOptions_Create("rattle", &options, &error), &error);
  REFUSED("options", VidaOptions_Copy(NULL, &copy, &error));
  REFUSED("copy", VidaOptions_Copy(options, NULL, &error));
  REFUSED("options", VidaOptions_SetReal(NULL, "h", 0.1, &error));
  REFUSED("name", VidaOptions_SetReal(options, NULL, 0.1, &error));
  REFUSED("options", VidaOptions_SetBoolean(NULL, "h", true, &error));
  REFUSED("name", VidaOptions_SetBoolean(options, NULL, true, &error));
  REFUSED("options", VidaOptions_SetText(NULL, "h", "1", &error));
  REFUSED("name", VidaOptions_SetText(options, NULL, "1", &error));
  REFUSED("text", VidaOptions_SetText(options, "h", NULL, &error));
  REFUSED("options", VidaOptions_SetOf(NULL, "atol", "q", 1.0, &error));
  REFUSED("name", VidaOptions_SetOf(options, NULL, "q", 1.0, &error));
  REFUSED("coordinate", VidaOptions_SetOf(options, "h", NULL, 1.0, &error));
  EXPECT(isnan(VidaOptions_GetOf(options, NULL, "q")), "no name, no value");
  EXPECT(isnan(VidaOptions_Get(options, NULL)), "no name, no value");
  EXPECT(!VidaOptions_HasChoice(options, "linear_solver", NULL), "no choice");
  VidaOptions_Text(options, "h", NULL, 0);
  VidaOptions_Describe(options, NULL, 0);
  VidaOptions_Destroy(&options);
  VidaOptions_Destroy(NULL);
}

static void test_reports(void) {
  VidaError error = {0};
  const VidaStudy* none[1] = {NULL};
  VidaTrajectories* trajectories = NULL;
  REFUSED("study", VidaReport_Table(NULL, stderr, 0, &error));
  REFUSED("study", VidaReport_StyledTable(NULL, stderr, 0, NULL, &error));
  REFUSED("studies", VidaReport_Csv(NULL, 1, stderr, &error));
  REFUSED("studies[0]", VidaReport_Csv(none, 1, stderr, &error));
  REFUSED("file", VidaReport_Csv(none, 0, NULL, &error));
  REFUSED("studies", VidaReport_Json(NULL, 1, stderr, &error));
  REFUSED("studies[0]", VidaReport_Json(none, 1, stderr, &error));
  REFUSED("file", VidaReport_Json(none, 0, NULL, &error));
  VidaFolder* folder = NULL;
  const VidaTolerance tolerance = {0};
  bool same = false;
  REFUSED("first", VidaReport_Compare(NULL, "b", &tolerance, stderr, &same, &error));
  REFUSED("second", VidaReport_Compare("a", NULL, &tolerance, stderr, &same, &error));
  REFUSED("tolerance", VidaReport_Compare("a", "b", NULL, stderr, &same, &error));
  REFUSED("file", VidaReport_Compare("a", "b", &tolerance, NULL, &same, &error));
  REFUSED("same", VidaReport_Compare("a", "b", &tolerance, stderr, NULL, &error));
  REFUSED("directory", VidaReport_PrepareFolder(NULL, &error));
  REFUSED("directory", VidaReport_HoldFolder(NULL, &folder, &error));
  REFUSED("folder", VidaReport_HoldFolder(".", NULL, &error));
  VidaReport_ReleaseFolder(&folder);
  VidaReport_ReleaseFolder(NULL);
  REFUSED("directory", VidaReport_Write(none, 0, NULL, &error));
  REFUSED("study", VidaTrajectories_Create(NULL, ".", &trajectories, &error));
  REFUSED("audit", VidaReport_AuditTable(NULL, stderr, &error));
  REFUSED("audit", VidaReport_AuditCsv(NULL, stderr, &error));
  REFUSED("audit", VidaReport_AuditJson(NULL, stderr, &error));
  REFUSED("audit", VidaReport_AuditMarkdown(NULL, stderr, &error));
  EXPECT(!VidaTrajectories_Observer(NULL).sample, "an observer of nothing");
}

/* What only looks; the table holds what each finds in nothing. */
static void test_looking(void) {
  const struct {
    const char *what, *got, *expected;
  } texts[] = {{"name", VidaSystem_Name(NULL), ""},
               {"coordinate", VidaSystem_CoordinateName(NULL, 0), NULL},
               {"unit", VidaSystem_CoordinateUnit(NULL, 0), NULL},
               {"constraint", VidaSystem_ConstraintName(NULL, 0), NULL},
               {"its unit", VidaSystem_ConstraintUnit(NULL, 0), NULL},
               {"parameter", VidaSystem_ParameterName(NULL, 0), NULL},
               {"observable", VidaSystem_ObservableName(NULL, 0), NULL},
               {"its unit", VidaSystem_ObservableUnit(NULL, 0), NULL},
               {"momentum", VidaSystem_MomentumName(NULL, 0), NULL},
               {"chart", VidaSystem_ChartCoordinateName(NULL, 0), NULL},
               {"contact", VidaSystem_ContactName(NULL, 0), NULL},
               {"method", VidaOptions_Method(NULL), ""},
               {"notes", VidaCheck_Notes(NULL), ""}};
  const struct {
    const char* what;
    double got, expected; /* NaN: NaN */
  } numbers[] = {{"coordinates", VidaSystem_CoordinateCount(NULL), 0},
                 {"constraints", VidaSystem_ConstraintCount(NULL), 0},
                 {"particles", VidaSystem_ParticleCount(NULL), 0},
                 {"dimension", VidaSystem_Dimension(NULL), 0},
                 {"parameters", VidaSystem_ParameterCount(NULL), 0},
                 {"observables", VidaSystem_ObservableCount(NULL), 0},
                 {"momenta", VidaSystem_MomentumCount(NULL), 0},
                 {"chart", VidaSystem_ChartCoordinateCount(NULL), 0},
                 {"particle's", VidaSystem_ParticleCoordinate(NULL, 0), -1},
                 {"coordinate", VidaSystem_CoordinateIndex(NULL, "x"), -1},
                 {"of no name", VidaSystem_CoordinateIndex(system_of_one, NULL), -1},
                 {"particle", VidaSystem_ParticleIndex(NULL, "x"), -1},
                 {"of no name", VidaSystem_ParticleIndex(system_of_one, NULL), -1},
                 {"row", VidaSystem_ConstraintIndex(NULL, "x"), -1},
                 {"of no name", VidaSystem_ConstraintIndex(system_of_one, NULL), -1},
                 {"parameter", VidaSystem_ParameterIndex(NULL, "x"), -1},
                 {"of no name", VidaSystem_ParameterIndex(system_of_one, NULL), -1},
                 {"contacts", VidaSystem_ContactCount(NULL), 0},
                 {"contact", VidaSystem_ContactIndex(NULL, "x"), -1},
                 {"of no name", VidaSystem_ContactIndex(system_of_one, NULL), -1},
                 {"restitution", VidaSystem_ContactRestitution(NULL, 0), NAN},
                 {"friction", VidaSystem_ContactFriction(NULL, 0), NAN},
                 {"slip", VidaSystem_ContactSlipCount(NULL, 0), 0},
                 {"conserved", VidaSystem_ObservableIsConserved(NULL, 0), 0},
                 {"nonholonomic", VidaSystem_ConstraintIsNonholonomic(NULL, 0), 0},
                 {"value", VidaSystem_ParameterValue(NULL, 0), NAN},
                 {"compliance", VidaSystem_ConstraintCompliance(NULL, 0), NAN},
                 {"damping time", VidaSystem_ConstraintDampingTime(NULL, 0), NAN},
                 {"options", VidaOptions_Count(NULL), 0},
                 {"value", VidaOptions_Get(NULL, "h"), NAN},
                 {"set", VidaOptions_IsSet(NULL, "h"), 0},
                 {"check", VidaOptions_Check(NULL, NULL), VIDA_BAD_ARGUMENT},
                 {"choice", VidaOptions_HasChoice(NULL, "h", "x"), 0},
                 {"findings", VidaCheck_FindingCount(NULL), 0},
                 {"parts", VidaCheck_PartCount(NULL), 0},
                 {"worst", VidaCheck_Worst(NULL), VIDA_SEVERITY_NOTE},
                 {"momentum", VidaCheck_Momentum(NULL, 0), NAN},
                 {"energy", VidaCheck_Numbers(NULL).energy, NAN},
                 {"rank", VidaCheck_Numbers(NULL).rank, -1},
                 {"nearest", Vida_NearestName(NULL, 0, NULL, NULL), -1}};
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    const char *got = texts[i].got, *expected = texts[i].expected;
    EXPECT(got == expected || (got && expected && strcmp(got, expected) == 0), "%s: '%s'",
           texts[i].what, got ? got : "NULL");
  }
  for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
    const double got = numbers[i].got, expected = numbers[i].expected;
    EXPECT(got == expected || (isnan(got) && isnan(expected)), "%s: %g", numbers[i].what, got);
  }
  EXPECT(!VidaOptions_Row(NULL, 0) && !VidaCheck_Finding(NULL, 0) && !VidaCheck_Part(NULL, 0),
         "rows of nothing");
  VidaSystem_Momentum(NULL, NULL, NULL, NULL);
  VidaSystem_Destroy(NULL);
  VidaCheck_Destroy(NULL);
  VidaTrajectories_Destroy(NULL);
}

int main(void) {
  static const CheckTest tests[] = {{"systems", make_systems},         {"building", test_building},
                                    {"expressions", test_expressions}, {"asking", test_asking},
                                    {"options", test_options},         {"reports", test_reports},
                                    {"looking", test_looking},         {NULL, NULL}};
  const int failed = check_main("NULL arguments", tests);
  destroy_systems();
  return failed;
}
