/* Sub-commands that look at every system of a scenario and integrate nothing. */
#ifndef VIDA_CLI_INSPECT_H
#define VIDA_CLI_INSPECT_H

#include <vida/vida.h>

#include "arguments.h"

typedef struct CliInspection {
  /* Prints what it sees and sets *wrong when that is a fault of the model; false with an error. */
  bool (*look)(const VidaStudy* study, bool* wrong, VidaError* error);
  bool defers_start;   /* what a start refuses is seen by `look`, and does not end the script */
  const char* between; /* printed between two systems */
} CliInspection;

/* `run`, `options` and `take_operand` of such a command; `run` calls the first with its inspection.
 */
int cli_inspect(const CliCommand* command, int count, char** arguments,
                const CliInspection* inspection);
extern const CliOption cli_inspection_options[];
bool cli_take_inspected(void* data, const char* value);

#endif
