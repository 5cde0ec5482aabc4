/* What the command knows of the terminal: its width, and whether colours are wanted. */
#ifndef VIDA_CLI_TERMINAL_H
#define VIDA_CLI_TERMINAL_H

#include <stdbool.h>
#include <stdio.h>

/* Columns of stdout: $COLUMNS, or those of the terminal; 0 when it is none. */
int cli_terminal_width(void);

typedef enum CliColour { CLI_PLAIN, CLI_BOLD, CLI_RED, CLI_YELLOW } CliColour;
/* What switches to the colour; "" when the file is no terminal, or its user wants none (NO_COLOR).
 */
const char* cli_colour(FILE* file, CliColour colour);

#endif
