/* The command `vida`. */
#include <fcntl.h>
#include <lua.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>
#include <vida/vida.h>

#include "commands.h"

#define COMMAND(name) &cli_##name##_command,
const CliCommand* const cli_commands[] = {CLI_COMMAND_LIST(COMMAND) NULL};
#undef COMMAND

const CliOption cli_main_options[] = {
    {"--version", NULL, "show the versions of vida, SUNDIALS, Lua and HDF5", NULL},
    {"--man", NULL, "print the manual page: vida --man | man -l -", NULL},
    {"--help", NULL, "show this text; see also 'vida COMMAND --help'", NULL},
    {NULL, NULL, NULL, NULL}};

static void print_help(FILE* file) {
  fputs("usage: vida COMMAND [options]\n\n", file);
  cli_print_wrapped(file, 0,
                    "Integrates constrained mechanical systems with several methods side by side.");
  fputs("\ncommands:\n", file);
  for (int i = 0; cli_commands[i]; i++) {
    cli_print_item(file, cli_commands[i]->name, cli_commands[i]->summary);
  }
  fputs("\noptions:\n", file);
  cli_print_item(file, "--plugin LIBRARY", cli_plugin_option.text);
  for (const CliOption* option = cli_main_options; option->name; option++) {
    cli_print_item(file, option->name, option->text);
  }
  fputs(
      "\nexamples:\n"
      "  vida new crane && vida run crane.lua\n"
      "  vida run scenarios/double_spherical_pendulum.lua\n"
      "  vida run scenarios/pendulum.lua --only rattle --format csv\n"
      "  vida check scenarios/pendulum.lua\n"
      "  vida advise scenarios/pendulum.lua\n"
      "  vida methods rattle\n"
      "  vida audit rattle\n"
      "  vida audit mine --plugin libmine.so\n"
      "  vida plot results energy\n"
      "  vida report results\n"
      "  vida compare before after\n"
      "  vida export results --format vtk\n",
      file);
}

enum { MOST_NAMES = 32 };

static int refuse_command(const char* name) {
  const char* names[MOST_NAMES] = {NULL};
  char suggestion[80];
  const bool is_option = name[0] == '-';
  for (int i = 0; i < MOST_NAMES - 1 &&
                  (is_option ? cli_main_options[i].name != NULL : cli_commands[i] != NULL);
       i++) {
    names[i] = is_option ? cli_main_options[i].name : cli_commands[i]->name;
  }
  cli_usage_error("", "unknown %s '%s'%s", is_option ? "option" : "command", name,
                  cli_suggestion(suggestion, sizeof suggestion, name, names));
  return EXIT_USAGE;
}

static int dispatch(int count, char** arguments) {
  if (count < 1) {
    print_help(stderr);
    return EXIT_USAGE;
  }
  if (strcmp(arguments[0], "--help") == 0 || strcmp(arguments[0], "-h") == 0) {
    print_help(stdout);
    return EXIT_OK;
  }
  if (strcmp(arguments[0], "--version") == 0) {
    char hdf5[VIDA_NAME_SIZE];
    const bool has_hdf5 = VidaReport_Hdf5Version(hdf5)[0] != '\0';
    printf("vida %s (SUNDIALS %s, %s, %s%s)\n", Vida_Version(), Vida_SundialsVersion(), LUA_RELEASE,
           has_hdf5 ? "HDF5 " : "without HDF5", hdf5);
    return EXIT_OK;
  }
  if (strcmp(arguments[0], "--man") == 0) {
    cli_print_manual();
    return EXIT_OK;
  }
  for (int i = 0; cli_commands[i]; i++) {
    if (strcmp(arguments[0], cli_commands[i]->name) == 0) {
      return cli_commands[i]->run(cli_commands[i], count - 1, arguments + 1);
    }
  }
  return refuse_command(arguments[0]);
}

/* Loads the plug-ins that the arguments name, and takes these arguments out, so that commands see
 * the methods and not the option. Returns the exit code. */
static int load_plugins(int* count, char** arguments) {
  const char* name = cli_plugin_option.name;
  const size_t length = strlen(name);
  int kept = 0;
  bool options_ended = false;
  for (int i = 0; i < *count; i++) {
    char* argument = arguments[i];
    options_ended = options_ended || strcmp(argument, "--") == 0;
    if (options_ended || strncmp(argument, name, length) != 0 ||
        (argument[length] != '\0' && argument[length] != '=')) {
      arguments[kept++] = argument;
      continue;
    }
    if (argument[length] == '\0' && i + 1 == *count) {
      cli_usage_error("", "--plugin needs a value: --plugin LIBRARY");
      return EXIT_USAGE;
    }
    const char* path = argument[length] == '=' ? argument + length + 1 : arguments[++i];
    VidaError error;
    if (Vida_LoadPlugin(path, &error)) {
      fprintf(stderr, "vida: %s\n", error.message);
      return EXIT_FAILED;
    }
  }
  *count = kept;
  return EXIT_OK;
}

/* If a standard stream is closed, a file that is opened later would take its place and its output.
 * This opens /dev/null in its place, for stdout only for reading, so that writing fails. */
static void occupy_standard_streams(void) {
  int file = open("/dev/null", O_RDONLY);
  while (file >= 0 && file < STDERR_FILENO) {
    file = open("/dev/null", file + 1 == STDERR_FILENO ? O_WRONLY : O_RDONLY);
  }
  if (file > STDERR_FILENO) {
    close(file);
  }
}

int main(int count, char** arguments) {
  occupy_standard_streams();
#ifdef SIGPIPE
  /* A reader of stdout that goes away must not keep files from being written. */
  signal(SIGPIPE, SIG_IGN);
#endif
#ifdef SIGXFSZ
  /* A file that reaches its size limit counts as a file that cannot be written. */
  signal(SIGXFSZ, SIG_IGN);
#endif
  int left = count - 1;
  const int code = load_plugins(&left, arguments + 1);
  return cli_finish_output(code ? code : dispatch(left, arguments + 1));
}
