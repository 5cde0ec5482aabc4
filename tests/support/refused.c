#include "support/refused.h"

#include <stdio.h>
#include <string.h>

#include "support/check.h"

void check_refused(const char* call, const char* argument, int code, VidaError* error) {
  char expected[128];
  snprintf(expected, sizeof expected, "%.*s: %s is NULL", (int)strcspn(call, "("), call, argument);
  EXPECT(code == VIDA_BAD_ARGUMENT, "%s returns %d", call, code);
  EXPECT(strcmp(error->message, expected) == 0, "'%s' instead of '%s'", error->message, expected);
  memset(error, 0, sizeof *error);
}
