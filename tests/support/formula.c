#include "support/formula.h"

#include "support/check.h"

VidaExpression apply(VidaSystem* system, const char* operation, VidaExpression a,
                     VidaExpression b) {
  VidaError error = {0};
  VidaExpression result = -1;
  const VidaExpression operands[2] = {a, b};
  REQUIRE_OK(VidaSystem_Apply(system, operation, b < 0 ? 1 : 2, operands, &result, &error), &error);
  return result;
}

VidaExpression number(VidaSystem* system, double value) {
  VidaError error = {0};
  VidaExpression result = -1;
  REQUIRE_OK(VidaSystem_Constant(system, value, &result, &error), &error);
  return result;
}

VidaExpression times(VidaSystem* system, double factor, VidaExpression a) {
  return apply(system, "*", number(system, factor), a);
}

VidaExpression square(VidaSystem* system, VidaExpression a) {
  return apply(system, "*", a, a);
}

VidaExpression position(VidaSystem* system, int coordinate) {
  VidaError error = {0};
  VidaExpression result = -1;
  REQUIRE_OK(VidaSystem_Position(system, coordinate, &result, &error), &error);
  return result;
}

VidaExpression rate(VidaSystem* system, int coordinate) {
  VidaError error = {0};
  VidaExpression result = -1;
  REQUIRE_OK(VidaSystem_Rate(system, coordinate, &result, &error), &error);
  return result;
}

VidaExpression now(VidaSystem* system) {
  VidaError error = {0};
  VidaExpression result = -1;
  REQUIRE_OK(VidaSystem_Time(system, &result, &error), &error);
  return result;
}
