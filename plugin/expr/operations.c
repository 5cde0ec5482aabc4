#include "expr/operations.h"

#include <math.h>
#include <string.h>

#define COMMUTES true
#define ORDERED false
#define PASSES false
#define HIDES true
#define RECORD(name, lua, arity, order, finite, value, da, db, dc, rule, domain, reason, spelling) \
  {#name, lua, arity, order, finite, VIDA_DISCRETE_##rule, reason, spelling},
const vida_operation_record vida__operations[VIDA_OPERATION_COUNT] = {VIDA_OPERATION_LIST(RECORD)};
#undef RECORD

int vida__find_operation(const char* lua, int arity) {
  for (int i = 0; i < VIDA_OPERATION_COUNT; i++) {
    const vida_operation_record* record = &vida__operations[i];
    if (record->lua[0] && record->arity == arity && strcmp(record->lua, lua) == 0) {
      /* x^y is a real power; that an exponent is an integer is seen when the node is built. */
      return i;
    }
  }
  return -1;
}

double vida__apply_operation(vida_operation operation, int n, double a, double b, double c) {
  switch (operation) {
#define CASE(name, lua, arity, order, finite, value, ...) \
  case VIDA_OP_##name:                                    \
    return value;
    VIDA_OPERATION_LIST(CASE)
#undef CASE
    case VIDA_OPERATION_COUNT:
      break;
  }
  return NAN;
}

static bool is_in_domain(vida_operation operation, int n, double a, double b) {
  switch (operation) {
#define CASE(name, lua, arity, order, finite, value, da, db, dc, rule, domain, ...) \
  case VIDA_OP_##name:                                                              \
    return domain;
    VIDA_OPERATION_LIST(CASE)
#undef CASE
    case VIDA_OPERATION_COUNT:
      break;
  }
  return false;
}

const char* vida__fault_reason(vida_operation operation, int n, double a, double b, double c) {
  const int arity = vida__operations[operation].arity;
  const bool finite = isfinite(a) && (arity < 2 || isfinite(b)) && (arity < 3 || isfinite(c));
  if (finite && !is_in_domain(operation, n, a, b)) {
    return vida__operations[operation].reason;
  }
  return "a result that is not finite";
}

double vida__angle(double y, double x) {
  return x == 0.0 && y == 0.0 ? (double)NAN : atan2(y, x);
}
