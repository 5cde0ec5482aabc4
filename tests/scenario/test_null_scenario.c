/* Functions of scenarios with NULL for what must not be NULL. */
#include <vida/scenario.h>

#include "support/check.h"

static void test_nothing(void) {
  VidaScenario* scenario = NULL;
  VidaError error;
  EXPECT_ERROR(VidaScenario_Load(NULL, NULL, &scenario, &error), &error, VIDA_BAD_ARGUMENT,
               "path is NULL");
  EXPECT_ERROR(VidaScenario_Load("missing.lua", NULL, NULL, &error), &error, VIDA_BAD_ARGUMENT,
               "scenario is NULL");
  EXPECT_ERROR(VidaScenario_LoadTrusted(NULL, NULL, &scenario, &error), &error, VIDA_BAD_ARGUMENT,
               "path is NULL");
  EXPECT(VidaScenario_Load(NULL, NULL, NULL, NULL) == VIDA_BAD_ARGUMENT, "no error record");
  VidaScenario_Destroy(NULL);
  VidaScenario_Destroy(&scenario);
  EXPECT(VidaScenario_StudyCount(NULL) == 0 && !VidaScenario_Study(NULL, 0), "of nothing");
}

int main(void) {
  static const CheckTest tests[] = {{"nothing", test_nothing}, {NULL, NULL}};
  return check_main("null scenario", tests);
}
