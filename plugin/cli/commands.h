/* The sub-commands. A new one: its file, its line here and in main.c's list. */
#ifndef VIDA_CLI_COMMANDS_H
#define VIDA_CLI_COMMANDS_H

#include <vida/options.h>

#include "arguments.h"

extern const CliCommand* const cli_commands[]; /* all, ends with NULL (main.c) */
extern const CliOption cli_main_options[];     /* without a command: --help, --version, ... */

extern const CliCommand cli_run_command;
extern const CliCommand cli_check_command;
extern const CliCommand cli_methods_command;
extern const CliCommand cli_audit_command;
extern const CliCommand cli_report_command;
extern const CliCommand cli_plot_command;
extern const CliCommand cli_compare_command;
extern const CliCommand cli_advise_command;
extern const CliCommand cli_new_command;
extern const CliCommand cli_completion_command;

/* The manual page, for man (manual.c). */
void cli_print_manual(void);

/* "number (s), default 0.01": what an option takes (methods.c). */
void cli_describe_option(const VidaOptions* options, const VidaOptionRow* row, char* text,
                         size_t size);

/* "unknown method ...; did you mean ...?" on stderr; returns false. */
bool cli_complain_about_method(const char* command, const char* name);

#endif
