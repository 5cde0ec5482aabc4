/* Public functions of the method interface with NULL for what must not be NULL: refused by name, or
 * nothing returned; and records of methods that are refused. */
#include <math.h>
#include <string.h>
#include <vida/method.h>

#include "support/check.h"

static void test_nothing(void) {
  double x[4] = {0};
  VidaError error = {0};
  EXPECT(!VidaIntegration_System(NULL) && !VidaIntegration_Options(NULL), "of nothing");
  EXPECT(!VidaIntegration_Node(NULL) && !VidaIntegration_State(NULL), "of nothing");
  VidaIntegration_SetState(NULL, x);
  EXPECT(isnan(VidaIntegration_Time(NULL)), "of nothing");
  EXPECT_ERROR(VidaIntegration_Gradient(NULL, 0.0, x, x, x, x, &error), &error, VIDA_BAD_ARGUMENT,
               "integration is NULL");
  EXPECT_ERROR(VidaIntegration_MassMatrix(NULL, 0.0, x, x, x, &error), &error, VIDA_BAD_ARGUMENT,
               "integration is NULL");
  EXPECT_ERROR(VidaIntegration_Constraints(NULL, 0.0, x, x, &error), &error, VIDA_BAD_ARGUMENT,
               "integration is NULL");
  EXPECT_ERROR(VidaIntegration_ConstraintJacobian(NULL, 0.0, x, x, &error), &error,
               VIDA_BAD_ARGUMENT, "integration is NULL");
  EXPECT_ERROR(VidaIntegration_Accelerations(NULL, 0.0, x, x, x, x, &error), &error,
               VIDA_BAD_ARGUMENT, "integration is NULL");
  EXPECT_ERROR(VidaIntegration_ProjectVelocities(NULL, 0.0, x, x, x, x, &error), &error,
               VIDA_BAD_ARGUMENT, "integration is NULL");
  EXPECT_ERROR(VidaIntegration_NodeEnergy(NULL, x, x, &error), &error, VIDA_BAD_ARGUMENT,
               "integration is NULL");
  EXPECT_ERROR(VidaIntegration_NodeMultipliers(NULL, &error), &error, VIDA_BAD_ARGUMENT,
               "integration is NULL");
}

static void test_state(void) {
  double x[2] = {1.0, 2.0};
  long count = 3;
  bool flag = true;
  VidaRecord_Reals(NULL, x, 2);
  VidaRecord_Integer(NULL, &count, 0, 1);
  VidaRecord_Flag(NULL, &flag);
  EXPECT(!VidaRecord_IsLoading(NULL) && x[0] == 1.0 && x[1] == 2.0 && count == 3 && flag,
         "of nothing");
}

static void test_records(void) {
  VidaError error = {0};
  const int count = Vida_MethodCount();
  VidaMethod method = {.size = sizeof method};
  EXPECT_ERROR(Vida_LoadPlugin(NULL, &error), &error, VIDA_BAD_ARGUMENT, "path is NULL");
  EXPECT_ERROR(Vida_RegisterMethod(NULL, &error), &error, VIDA_BAD_ARGUMENT, "method is NULL");
  EXPECT_ERROR(Vida_RegisterMethod(&method, &error), &error, VIDA_BAD_ARGUMENT, "no name");
  method.info.name = "mine";
  EXPECT_ERROR(Vida_RegisterMethod(&method, &error), &error, VIDA_BAD_ARGUMENT,
               "method 'mine' needs a title");
  method.size = sizeof method - 8;
  EXPECT_ERROR(Vida_RegisterMethod(&method, &error), &error, VIDA_BAD_ARGUMENT,
               "build it with the headers of this version");
  EXPECT(Vida_MethodCount() == count && !Vida_FindMethod("mine"), "a refused method was added");
}

int main(void) {
  static const CheckTest tests[] = {
      {"nothing", test_nothing}, {"state", test_state}, {"records", test_records}, {NULL, NULL}};
  return check_main("null method", tests);
}
