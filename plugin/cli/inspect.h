/* Sub-commands that inspect every system of a scenario without integrating it. */
#ifndef VIDA_CLI_INSPECT_H
#define VIDA_CLI_INSPECT_H

#include <vida/vida.h>

#include "arguments.h"

/* An inspection. */
typedef struct CliInspection {
  /* Prints the result, and sets *wrong if the model has a mistake. Returns false after filling
   * `error`. */
  bool (*look)(const VidaStudy* study, bool* wrong, VidaError* error);
  bool defers_start;   /* `look` reports errors of the start, which do not stop the script */
  const char* between; /* printed between two systems */
} CliInspection;

/* Implementations of `run`, `options` and `take_operand` for such a command. Its `run` calls
 * cli_inspect with its inspection. */
int cli_inspect(const CliCommand* command, int count, char** arguments,
                const CliInspection* inspection);
extern const CliOption cli_inspection_options[];
bool cli_take_inspected(void* data, const char* value);

#endif
