/* The terminal: its width, and colours. */
#ifndef VIDA_CLI_TERMINAL_H
#define VIDA_CLI_TERMINAL_H

#include <stdbool.h>
#include <stdio.h>

/* Returns the number of columns of stdout: $COLUMNS, or the width of the terminal; 0 if stdout is
 * not a terminal. */
int cli_terminal_width(void);

typedef enum CliColour { CLI_PLAIN, CLI_BOLD, CLI_RED, CLI_YELLOW } CliColour;
/* Returns the escape sequence of a colour; "" if the file is not a terminal or NO_COLOR is set. */
const char* cli_colour(FILE* file, CliColour colour);

#endif
