/* vida run SCENARIO.lua --settings: what --set can give to a scenario. */
#include <stdio.h>
#include <string.h>

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

typedef struct Search {
  const char* name;
  bool found;
} Search;

static void compare_name(void* data, const VidaLuaSetting* setting) {
  Search* search = data;
  search->found = search->found || strcmp(setting->name, search->name) == 0;
}

/* Options that the script declares with vida.setting are listed among its settings. */
static bool is_setting(lua_State* L, const char* name) {
  Search search = {name, false};
  vidalua_list_settings(L, compare_name, &search);
  return search.found;
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
    if (is_setting(L, row->name)) {
      continue;
    }
    cli_describe_option(options, row, kind, sizeof kind);
    print_entry(row->name, kind, row->text);
  }
  VidaOptions_Destroy(&options);
  return 0;
}
