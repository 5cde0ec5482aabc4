/* Processes the arguments and calls an inspection for every system of a scenario, for check and
 * advise. */
#include "inspect.h"

#include <stdlib.h>

#include "binding.h"
#include "scenario.h"

typedef struct Arguments {
  CliSandbox sandbox; /* first member */
  const char* script;
  TextList settings;
} Arguments;

typedef struct Work {
  Scenario scenario; /* first member: common to all commands */
  const CliInspection* inspection;
} Work;

bool cli_take_inspected(void* data, const char* value) {
  Arguments* arguments = data;
  return cli_take_scenario(arguments->sandbox.command, &arguments->script, value);
}

static bool take_setting(void* data, const char* value) {
  Arguments* arguments = data;
  return cli_add_setting(arguments->sandbox.command, &arguments->settings, value);
}

const CliOption cli_inspection_options[] = {
    {"--set", CLI_VALUE("name=value", CLI_OTHER),
     "set a vida.setting or an option of the comparison", take_setting},
    CLI_SANDBOX_OPTIONS,
    {NULL, NULL, NULL, NULL}};

static int inspect_protected(lua_State* L) {
  VidaError error = {0};
  bool wrong = false;
  Work* work = lua_touserdata(L, 1);
  Scenario* scenario = &work->scenario;
  vidalua_open_libraries(L, scenario->script);
  if (work->inspection->defers_start) {
    vidalua_defer_start(L);
  }
  if (!cli_load_scenario(L, scenario)) {
    return 0;
  }
  cli_restore_signals();
  for (int i = 0; i < scenario->count; i++) {
    if (!cli_is_first_of_system(scenario, i)) {
      continue;
    }
    if (i > 0) {
      fputs(work->inspection->between, stdout);
    }
    if (!work->inspection->look(scenario->studies[i], &wrong, &error)) {
      return cli_fail(scenario, EXIT_FAILED, error.message);
    }
  }
  scenario->exit_code = wrong ? EXIT_FAILED : EXIT_OK;
  return 0;
}

int cli_inspect(const CliCommand* command, int count, char** texts,
                const CliInspection* inspection) {
  Arguments arguments = {.sandbox = {.command = command->name}};
  int code = EXIT_USAGE;
  const CliParsed parsed = cli_parse(command, count, texts, &arguments);
  if (parsed == CLI_HELP_SHOWN) {
    code = EXIT_OK;
  } else if (parsed == CLI_GO_ON && !arguments.script) {
    cli_usage_error(command->name, "the name of a scenario is missing");
  } else if (parsed == CLI_GO_ON) {
    Work work = {.scenario = {.script = arguments.script,
                              .sandbox = arguments.sandbox.sandbox,
                              .settings = &arguments.settings},
                 .inspection = inspection};
    code = cli_run_protected(inspect_protected, &work.scenario);
  }
  free(arguments.settings.items);
  return code;
}
