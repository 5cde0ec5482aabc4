/* A sample sub-command, for the recipe "A sub-command" of the guide: vida columns, the columns of
 * all comparisons. */
#include <vida/vida.h>

#include "commands.h"

static int run_columns(const CliCommand* command, int count, char** texts) {
  const CliParsed parsed = cli_parse(command, count, texts, NULL);
  for (int i = 0; parsed == CLI_GO_ON && Vida_Column(i); i++) {
    cli_print_item(stdout, Vida_Column(i)->name, Vida_Column(i)->text);
  }
  return parsed == CLI_WRONG ? EXIT_USAGE : EXIT_OK;
}

static const CliOption columns_options[] = {{NULL, NULL, NULL, NULL}};

const CliCommand cli_columns_command = {.name = "columns",
                                        .summary = "List the columns of all comparisons.",
                                        .details = "",
                                        .examples = "  vida columns\n",
                                        .options = columns_options,
                                        .run = run_columns};
