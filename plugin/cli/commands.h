/* The sub-commands. A new one needs its file and one row of CLI_COMMAND_LIST. */
#ifndef VIDA_CLI_COMMANDS_H
#define VIDA_CLI_COMMANDS_H

#include <vida/options.h>

#include "arguments.h"

extern const CliCommand* const cli_commands[]; /* all, ends with NULL (main.c) */
extern const CliOption cli_main_options[];     /* without a command: --help, --version, ... */

/* The sub-commands in the order of help. X(name): cli_<name>_command is in <name>.c. */
#define CLI_COMMAND_LIST(X) \
  X(run)                    \
  X(check)                  \
  X(advise)                 \
  X(methods)                \
  X(audit)                  \
  X(plot)                   \
  X(report)                 \
  X(watch)                  \
  X(compare)                \
  X(export)                 \
  X(new)                    \
  X(completion)

#define CLI_COMMAND_DECLARE(name) extern const CliCommand cli_##name##_command;
CLI_COMMAND_LIST(CLI_COMMAND_DECLARE)
#undef CLI_COMMAND_DECLARE

/* Prints the manual page for man (manual.c). */
void cli_print_manual(void);

/* Writes the type, the unit and the default value of an option to text: "number (s), default 0.01"
 * (methods.c). */
void cli_describe_option(const VidaOptions* options, const VidaOptionRow* row, char* text,
                         size_t size);

/* Writes "unknown method ...; did you mean ...?" on stderr. Returns false. */
bool cli_unknown_method_error(const char* command, const char* name);

#endif
