/* vida new NAME: a scenario to begin with. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "commands.h"

static const char text_before_name[] =
    "-- A first scenario: a ball on a rod swings in a plane. Change it, then\n"
    "--   vida check FILE     checks the model: degrees of freedom, derivatives, start\n"
    "--   vida advise FILE    lists methods that suit it, and suggests a step\n"
    "--   vida run FILE       compares the methods; --out DIR --plot saves and draws the results\n"
    "-- Units: kg, m, s, rad.\n"
    "local vida = require \"vida\"\n"
    "\n"
    "-- Settings: 'vida run FILE --set length=2' changes one, 'vida run FILE --settings' lists "
    "them.\n"
    "local length = vida.setting { \"length\", 1.0, unit = \"m\", text = \"length of the rod\" }\n"
    "local time = vida.setting { \"time\", 10, unit = \"s\", text = \"simulated time\" }\n"
    "\n"
    "-- A particle with its initial position and velocity.\n"
    "local system = vida.system { \"";
static const char text_after_name[] =
    "\", dimension = 2 }\n"
    "system:gravity { 0, -9.81 } -- m/s^2\n"
    "local ball = system:particle { \"ball\", mass = 1.0, position = { length, 0 }, velocity = { "
    "0, 0 } }\n"
    "\n"
    "-- A rod from the origin to the particle. A second rod makes a double pendulum:\n"
    "--   local second = system:particle { \"second\", mass = 1.0, position = { 2 * length, 0 } }\n"
    "--   system:distance { \"second rod\", ball, second, length = length }\n"
    "system:distance { \"rod\", system.ground, ball, length = length }\n"
    "\n"
    "-- The comparison: each method with each step h (s) or tolerance rtol, against the "
    "reference.\n"
    "-- 'vida methods' lists the methods.\n"
    "return vida.compare {\n"
    "  system = system,\n"
    "  time = time,\n"
    "  reference = { \"spark-lobatto\", stages = 4, h = 0.01 },\n"
    "  methods = {\n"
    "    { \"rattle\", h = { 0.05, 0.02, 0.01 } }, -- symplectic; keeps both levels of "
    "constraints\n"
    "    { \"energy-momentum\", h = { 0.05, 0.02, 0.01 } }, -- keeps the energy\n"
    "    { \"ida-ggl\", rtol = { 1e-4, 1e-6 } }, -- a DAE solver with adaptive steps\n"
    "  },\n"
    "}\n";

typedef struct NewArguments {
  const char* name;
} NewArguments;

static bool take_name(void* data, const char* value) {
  NewArguments* arguments = data;
  if (arguments->name) {
    return cli_usage_error("new", "expected one name, got '%s' and '%s'", arguments->name, value);
  }
  for (const char* c = value; *c; c++) {
    if ((unsigned char)*c < 0x20 || *c == 0x7F) {
      return cli_usage_error("new", "the name has a control character");
    }
  }
  const char* slash = strrchr(value, '/');
  const char* last = slash ? slash + 1 : value;
  if (last[0] == '\0' || strcmp(last, ".lua") == 0) {
    return cli_usage_error("new", "expected the name of a scenario, got '%s'", value);
  }
  arguments->name = value;
  return true;
}

/* The name of the system, within quotes of Lua: that of the file without folder and ending. */
static void write_name(FILE* file, const char* name) {
  const char* slash = strrchr(name, '/');
  const char* from = slash ? slash + 1 : name;
  const char* end = from + strlen(from) - (cli_is_script_name(from) ? 4 : 0);
  for (; from < end; from++) {
    if (*from == '"' || *from == '\\') {
      fputc('\\', file);
    }
    fputc(*from == '_' ? ' ' : *from, file);
  }
}

static int write_scenario(const char* path, const char* name) {
  /* O_EXCL: whatever is there is worth more than this. */
  const int descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  FILE* file = descriptor >= 0 ? fdopen(descriptor, "w") : NULL;
  if (!file) {
    fprintf(stderr, "vida new: cannot write '%s': %s\n", path,
            errno == EEXIST ? "it is there already" : strerror(errno));
    return EXIT_FAILED;
  }
  fputs(text_before_name, file);
  write_name(file, name);
  fputs(text_after_name, file);
  const bool failed = ferror(file) != 0;
  if (fclose(file) != 0 || failed) {
    fprintf(stderr, "vida new: cannot write '%s': %s\n", path, strerror(errno));
    unlink(path);
    return EXIT_FAILED;
  }
  fprintf(stderr, "vida: %s is a scenario that runs: vida run %s\n", path, path);
  return EXIT_OK;
}

static int run_new(const CliCommand* command, int count, char** texts) {
  NewArguments arguments = {0};
  const CliParsed parsed = cli_parse(command, count, texts, &arguments);
  if (parsed != CLI_GO_ON) {
    return parsed == CLI_WRONG ? EXIT_USAGE : EXIT_OK;
  }
  if (!arguments.name) {
    cli_usage_error(command->name, "the name of the new scenario is missing");
    return EXIT_USAGE;
  }
  const size_t size = strlen(arguments.name) + sizeof ".lua";
  char* path = malloc(size);
  if (!path) {
    fputs("vida new: out of memory\n", stderr);
    return EXIT_FAILED;
  }
  snprintf(path, size, "%s%s", arguments.name, cli_is_script_name(arguments.name) ? "" : ".lua");
  const int code = write_scenario(path, arguments.name);
  free(path);
  return code;
}

static const CliOption new_options[] = {{NULL, NULL, NULL, NULL}};

const CliCommand cli_new_command = {
    .name = "new",
    .operand = CLI_VALUE("NAME", CLI_OTHER),
    .summary = "Write NAME.lua, a commented scenario that runs.",
    .details =
        "\nDoes not overwrite an existing file.\nExit code: 0 success, 1 the file was not "
        "written, 2 wrong usage.\n",
    .examples =
        "  vida new crane && vida run crane.lua\n"
        "  vida new models/four_bar\n",
    .options = new_options,
    .take_operand = take_name,
    .run = run_new,
};
