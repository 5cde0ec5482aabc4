/* The command `vida`. */
#include <fcntl.h>
#include <lua.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>
#include <vida/vida.h>

#include "commands.h"

const CliCommand* const cli_commands[] = {&cli_run_command,
                                          &cli_check_command,
                                          &cli_advise_command,
                                          &cli_methods_command,
                                          &cli_audit_command,
                                          &cli_plot_command,
                                          &cli_report_command,
                                          &cli_compare_command,
                                          &cli_new_command,
                                          &cli_completion_command,
                                          NULL};

const CliOption cli_main_options[] = {
    {"--version", NULL, "show the versions of vida, SUNDIALS and Lua", NULL},
    {"--man", NULL, "print the manual page: vida --man | man -l -", NULL},
    {"--help", NULL, "show this text; 'vida COMMAND --help' says more", NULL},
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
      "  vida plot results energy\n"
      "  vida report results\n"
      "  vida compare before after\n",
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
  cli_complain("", "unknown %s '%s'%s", is_option ? "option" : "command", name,
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

/* A file that is opened later would become the standard stream that was closed, and take what is
 * meant for it. One that can only be read stands for stdout, so that writing to it fails. */
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
  /* A file that may not grow any more is one that cannot be written, and is told as that. */
  signal(SIGXFSZ, SIG_IGN);
#endif
  return cli_finish_output(dispatch(count - 1, arguments + 1));
}
