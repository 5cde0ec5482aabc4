/* Runs the comparisons of a Lua scenario from C and prints their tables:
 *   scenario FILE [name=value ...] */
#include <stdio.h>
#include <stdlib.h>
#include <vida/scenario.h>
#include <vida/vida.h>

int main(int count, char** arguments) {
  VidaScenario* scenario = NULL;
  VidaError error = {0};
  if (count < 2) {
    fprintf(stderr, "usage: scenario FILE [name=value ...]\n");
    return EXIT_FAILURE;
  }
  /* The arguments of main end with NULL, as the settings have to. */
  int code = VidaScenario_Load(arguments[1], (const char* const*)arguments + 2, &scenario, &error);
  for (int i = 0; i < VidaScenario_StudyCount(scenario) && !code; i++) {
    VidaStudy* study = VidaScenario_Study(scenario, i);
    code = VidaStudy_Run(study, NULL, &error);
    code = code ? code : VidaReport_Table(study, stdout, 100, &error);
  }
  VidaScenario_Destroy(&scenario);
  if (code) {
    fprintf(stderr, "scenario: %s\n", error.message);
  }
  return code ? EXIT_FAILURE : EXIT_SUCCESS;
}
