/* The command `vida`. */
#include <lua.h>
#include <signal.h>
#include <string.h>
#include <vida/vida.h>

#include "commands.h"

static const CliCommand* const commands[] = {&cli_run_command,     &cli_check_command,
                                             &cli_methods_command, &cli_audit_command,
                                             &cli_plot_command,    &cli_compare_command};
enum { COMMANDS = sizeof commands / sizeof commands[0] };

static void print_help(FILE* file) {
  fputs(
      "usage: vida COMMAND [options]\n\n"
      "Integrates constrained mechanical systems with several methods side by side.\n\n"
      "commands:\n",
      file);
  for (int i = 0; i < COMMANDS; i++) {
    cli_print_item(file, commands[i]->name, commands[i]->summary);
  }
  fputs("\noptions:\n", file);
  cli_print_item(file, "--version", "show the versions of vida, SUNDIALS and Lua");
  cli_print_item(file, "--help", "show this text; 'vida COMMAND --help' says more");
  fputs(
      "\nexamples:\n"
      "  vida run scenarios/double_spherical_pendulum.lua\n"
      "  vida run scenarios/pendulum.lua --only rattle --format csv\n"
      "  vida check scenarios/pendulum.lua\n"
      "  vida methods rattle\n"
      "  vida audit rattle\n"
      "  vida plot results energy\n"
      "  vida compare before after\n",
      file);
}

static int refuse_command(const char* name) {
  const char* names[COMMANDS + 1];
  char suggestion[80];
  for (int i = 0; i < COMMANDS; i++) {
    names[i] = commands[i]->name;
  }
  names[COMMANDS] = NULL;
  cli_complain("", "unknown %s '%s'%s", name[0] == '-' ? "option" : "command", name,
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
    printf("vida %s (SUNDIALS %s, %s)\n", Vida_Version(), Vida_SundialsVersion(), LUA_RELEASE);
    return EXIT_OK;
  }
  for (int i = 0; i < COMMANDS; i++) {
    if (strcmp(arguments[0], commands[i]->name) == 0) {
      return commands[i]->run(commands[i], count - 1, arguments + 1);
    }
  }
  return refuse_command(arguments[0]);
}

int main(int count, char** arguments) {
#ifdef SIGPIPE
  /* A reader of stdout that goes away must not keep files from being written. */
  signal(SIGPIPE, SIG_IGN);
#endif
  return cli_finish_output(dispatch(count - 1, arguments + 1));
}
