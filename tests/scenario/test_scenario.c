/* Scenarios for C programs: a script's comparison gives the rows that the same comparison in C
 * gives; errors name the line; scenarios do not know of each other. */
#include <stdio.h>
#include <string.h>
#include <vida/scenario.h>
#include <vida/vida.h>

#include "support/check.h"

static const char script_path[] = "test_scenario_script.lua";

static void write_script(const char* text) {
  FILE* file = fopen(script_path, "w");
  if (EXPECT(file != NULL, "the script cannot be written")) {
    fputs(text, file);
    fclose(file);
  }
}

static const char pendulum_script[] =
    "local vida = require 'vida'\n"
    "local height = vida.setting { 'height', 0.8, unit = 'm', text = 'of the start' }\n"
    "local s = vida.system { 'pendulum', dimension = 2 }\n"
    "s:gravity { 0, -9.81 }\n"
    "local bob = s:particle { 'bob', mass = 2, position = { 0.6, -height } }\n"
    "s:distance { 'rod', s:anchor { 0, 0 }, bob, length = 1 }\n"
    "local function compare(method)\n"
    "  return vida.compare { system = s, time = 1, methods = { { method, h = 0.01 } } }\n"
    "end\n"
    "return { compare 'rattle', compare 'energy-momentum' }\n";

/* The pendulum of the script, in C. */
static VidaSystem* make_pendulum(void) {
  const VidaParticle bob = {"bob",
                            2.0,
                            {VidaInitial_Given(0.6), VidaInitial_Given(-0.8)},
                            {VidaInitial_Given(0.0), VidaInitial_Given(0.0)}};
  const double gravity[2] = {0.0, -9.81};
  VidaSystem* system = NULL;
  VidaError error;
  int index;
  REQUIRE_OK(VidaSystem_Create("pendulum", 2, &system, &error), &error);
  REQUIRE_OK(VidaSystem_AddGravity(system, gravity, &error), &error);
  REQUIRE_OK(VidaSystem_AddParticle(system, &bob, &index, &error), &error);
  const VidaDistance rod = {"rod", VidaPoint_Fixed(0.0, 0.0, 0.0), VidaPoint_Particle(index), 1.0};
  REQUIRE_OK(VidaSystem_AddDistance(system, &rod, &error), &error);
  REQUIRE_OK(VidaSystem_Complete(system, &error), &error);
  return system;
}

static void test_same_rows(void) {
  VidaScenario* scenario = NULL;
  VidaOptions *wishes = NULL, *method = NULL;
  VidaStudy* own = NULL;
  VidaError error;
  write_script(pendulum_script);
  REQUIRE_OK(VidaScenario_Load(script_path, NULL, &scenario, &error), &error);
  EXPECT(VidaScenario_StudyCount(scenario) == 2, "%d comparisons",
         VidaScenario_StudyCount(scenario));
  EXPECT(!VidaScenario_Study(scenario, 2) && !VidaScenario_Study(scenario, -1), "outside");
  VidaStudy* study = VidaScenario_Study(scenario, 0);
  REQUIRE_OK(VidaStudy_Run(study, NULL, &error), &error);

  VidaSystem* system = make_pendulum();
  REQUIRE_OK(VidaStudy_CreateOptions(&wishes, &error), &error);
  REQUIRE_OK(VidaOptions_SetReal(wishes, "time", 1.0, &error), &error);
  REQUIRE_OK(VidaStudy_Create(system, wishes, &own, &error), &error);
  REQUIRE_OK(VidaOptions_Create("rattle", &method, &error), &error);
  REQUIRE_OK(VidaOptions_SetReal(method, "h", 0.01, &error), &error);
  REQUIRE_OK(VidaStudy_AddRun(own, method, &error), &error);
  REQUIRE_OK(VidaStudy_Run(own, NULL, &error), &error);
  const VidaRow *row = VidaStudy_Row(study, 0), *expected = VidaStudy_Row(own, 0);
  EXPECT(strcmp(row->status, "ok") == 0 && row->steps == 100, "status %s, %ld steps", row->status,
         row->steps);
  EXPECT(row->energy_drift == expected->energy_drift &&
             row->constraint_position == expected->constraint_position,
         "rows differ: energy %g and %g", row->energy_drift, expected->energy_drift);

  VidaStudy_Destroy(&own);
  VidaOptions_Destroy(&method);
  VidaOptions_Destroy(&wishes);
  VidaSystem_Destroy(&system);
  VidaScenario_Destroy(&scenario);
  EXPECT(!scenario, "Destroy leaves a pointer");
}

static void test_settings(void) {
  const char* const settings[] = {"height=0.6", "time=0.5", NULL};
  const char* const unknown[] = {"heigth=0.6", NULL};
  const char* const wrong[] = {"height=tall", NULL};
  const char* const no_value[] = {"height", NULL};
  VidaScenario *scenario = NULL, *other = NULL;
  VidaError error;
  write_script(pendulum_script);
  /* The rod is 1 m long, and (0.6, -0.6) is not on its circle. */
  EXPECT_ERROR(VidaScenario_Load(script_path, settings, &scenario, &error), &error,
               VIDA_BAD_ARGUMENT, "rod");
  EXPECT_ERROR(VidaScenario_Load(script_path, unknown, &scenario, &error), &error,
               VIDA_BAD_ARGUMENT, "setting: nothing in the script reads 'heigth'");
  EXPECT_ERROR(VidaScenario_Load(script_path, wrong, &scenario, &error), &error, VIDA_BAD_ARGUMENT,
               "setting height: expected a number");
  EXPECT_ERROR(VidaScenario_Load(script_path, no_value, &scenario, &error), &error,
               VIDA_BAD_ARGUMENT, "name=value");
  REQUIRE_OK(VidaScenario_Load(script_path, settings + 1, &scenario, &error), &error);
  REQUIRE_OK(VidaScenario_Load(script_path, NULL, &other, &error), &error);
  VidaStudy *half = VidaScenario_Study(scenario, 0), *whole = VidaScenario_Study(other, 0);
  REQUIRE_OK(VidaStudy_Run(half, NULL, &error), &error);
  VidaScenario_Destroy(&scenario);
  REQUIRE_OK(VidaStudy_Run(whole, NULL, &error), &error);
  EXPECT_NEAR(VidaStudy_Row(whole, 0)->t_end, 1.0, 1e-14, "the time of the script");
  VidaScenario_Destroy(&other);
}

/* A script has the rights of the program only if the program says so. */
static void test_trust(void) {
  VidaScenario* scenario = NULL;
  VidaError error;
  write_script("assert(os.getenv and package.cpath and debug.getregistry)\nerror 'trusted'\n");
  EXPECT_ERROR(
      VidaScenario_Load(script_path, NULL, &scenario, &error), &error, VIDA_BAD_ARGUMENT,
      "test_scenario_script.lua:1: package.cpath is not available in a sandboxed scenario; "
      "VidaScenario_LoadTrusted");
  EXPECT_ERROR(VidaScenario_LoadTrusted(script_path, NULL, &scenario, &error), &error,
               VIDA_BAD_ARGUMENT, "test_scenario_script.lua:2: trusted");
  write_script("return ('x'):rep(1 << 30)\n");
  EXPECT_ERROR(VidaScenario_Load(script_path, NULL, &scenario, &error), &error, VIDA_BAD_ARGUMENT,
               "the script needs more than 1024 MiB of memory");
  write_script("io.open('/etc/passwd', 'w')\n");
  EXPECT_ERROR(VidaScenario_Load(script_path, NULL, &scenario, &error), &error, VIDA_BAD_ARGUMENT,
               "test_scenario_script.lua:1: io.open: '/etc/passwd', which is not in");
}

static void test_errors(void) {
  VidaScenario* scenario = NULL;
  VidaError error;
  static const struct {
    const char *text, *message;
  } scripts[] = {{"local vida = require 'vida'\nlocal x = = 2\n", "test_scenario_script.lua:2:"},
                 {"\n\nerror 'broken'\n", "test_scenario_script.lua:3: broken"},
                 {"x = 1\n", "'x' is not declared"},
                 {"return 7\n", "returned number"},
                 {"return {}\n", "empty list"},
                 {"os.exit(3)\n", "os.exit would end the program"},
                 {"error {}\n", "test_scenario_script.lua"},
                 {"while true do local t = {} ; return nil end", "returned nothing"}};
  for (size_t i = 0; i < sizeof scripts / sizeof scripts[0]; i++) {
    write_script(scripts[i].text);
    EXPECT_ERROR(VidaScenario_Load(script_path, NULL, &scenario, &error), &error, VIDA_BAD_ARGUMENT,
                 scripts[i].message);
    EXPECT(!scenario, "a scenario after a failure");
  }
  EXPECT_ERROR(VidaScenario_Load(".", NULL, &scenario, &error), &error, VIDA_INPUT_OUTPUT, ".: ");
  EXPECT_ERROR(VidaScenario_Load("missing.lua", NULL, &scenario, &error), &error, VIDA_INPUT_OUTPUT,
               "missing.lua");
  remove(script_path);
}

int main(void) {
  static const CheckTest tests[] = {{"same rows", test_same_rows},
                                    {"settings", test_settings},
                                    {"trust", test_trust},
                                    {"errors", test_errors},
                                    {NULL, NULL}};
  return check_main("scenario", tests);
}
