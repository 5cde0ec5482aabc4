#include "support/comparison.h"

#include <stdio.h>
#include <string.h>

#include "support/check.h"

/* Sets the options in `text`, each "key=value". */
static void set_options(VidaOptions* options, const char* text) {
  VidaError error = {0};
  char copy[256];
  char* rest = NULL;
  snprintf(copy, sizeof copy, "%s", text);
  for (char* word = strtok_r(copy, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
    char* value = strchr(word, '=');
    if (value) {
      *value++ = '\0';
      REQUIRE_OK(VidaOptions_SetText(options, word, value, &error), &error);
    }
  }
}

VidaOptions* comparison_method(const char* text) {
  VidaOptions* options = NULL;
  VidaError error = {0};
  char name[64];
  snprintf(name, sizeof name, "%.*s", (int)strcspn(text, " "), text);
  REQUIRE_OK(VidaOptions_Create(name, &options, &error), &error);
  set_options(options, text + strlen(name));
  return options;
}

VidaStudy* comparison_study(const VidaSystem* system, const char* text) {
  VidaOptions* options = NULL;
  VidaStudy* study = NULL;
  VidaError error = {0};
  REQUIRE_OK(VidaStudy_CreateOptions(&options, &error), &error);
  set_options(options, text);
  REQUIRE_OK(VidaStudy_Create(system, options, &study, &error), &error);
  VidaOptions_Destroy(&options);
  return study;
}

int comparison_reference(VidaStudy* study, const char* method, VidaError* error) {
  VidaOptions* options = comparison_method(method);
  const int code = VidaStudy_SetReference(study, options, error);
  VidaOptions_Destroy(&options);
  return code;
}

int comparison_run(VidaStudy* study, const char* method, VidaError* error) {
  VidaOptions* options = comparison_method(method);
  const int code = VidaStudy_AddRun(study, options, error);
  VidaOptions_Destroy(&options);
  return code;
}

void comparison_add(VidaStudy* study, const char* reference, const char* const* runs, int count) {
  VidaError error = {0};
  if (reference) {
    REQUIRE_OK(comparison_reference(study, reference, &error), &error);
  }
  for (int i = 0; i < count; i++) {
    REQUIRE_OK(comparison_run(study, runs[i], &error), &error);
  }
}
