/* vida run SCENARIO.lua --settings: what --set can give to a scenario. */
#include <stdio.h>

#include "base/text.h"
#include "binding.h"
#include "commands.h"
#include "scenario.h"

enum { TEXT_COLUMN = 21 };

static void print_entry(const char* name, const char* kind, const char* text) {
  printf("  %-*s %s\n", TEXT_COLUMN - 3, name, kind);
  if (text[0]) {
    printf("%*s", TEXT_COLUMN, "");
    cli_print_wrapped(stdout, TEXT_COLUMN, text);
  }
}

static void show_setting(void* data, const VidaLuaSetting* setting) {
  char kind[VIDA_MESSAGE_SIZE] = "";
  int* count = data;
  vida__append(kind, sizeof kind, "%s%s%s%s, default %s", setting->kind,
               setting->unit[0] ? " (" : "", setting->unit, setting->unit[0] ? ")" : "",
               setting->value);
  if ((*count)++ == 0) {
    printf("settings of the scenario:\n");
  }
  print_entry(setting->name, kind, setting->text);
}

int cli_list_settings(lua_State* L, Scenario* scenario) {
  VidaError error;
  VidaOptions* options = NULL;
  int count = 0;
  vidalua_list_settings(L, show_setting, &count);
  if (VidaStudy_CreateOptions(&options, &error)) {
    return cli_fail(scenario, EXIT_FAILED, error.message);
  }
  printf("%soptions of its comparisons:\n", count > 0 ? "\n" : "");
  for (int i = 0; i < VidaOptions_Count(options); i++) {
    const VidaOptionRow* row = VidaOptions_Row(options, i);
    char kind[160];
    cli_describe_option(options, row, kind, sizeof kind);
    print_entry(row->name, kind, row->text);
  }
  VidaOptions_Destroy(&options);
  return 0;
}
