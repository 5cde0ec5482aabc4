#include "terminal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

int cli_terminal_width(void) {
  struct winsize size;
  const char* text = getenv("COLUMNS");
  char* end = NULL;
  const long columns = text ? strtol(text, &end, 10) : 0;
  if (text && end != text && *end == '\0' && columns > 0 && columns < 10000) {
    return (int)columns;
  }
  if (isatty(STDOUT_FILENO) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0) {
    return size.ws_col;
  }
  return 0;
}

/* https://no-color.org: any value that is not empty. */
static bool has_colours(FILE* file) {
  const char *refused = getenv("NO_COLOR"), *terminal = getenv("TERM");
  return isatty(fileno(file)) && !(refused && refused[0]) && terminal && terminal[0] &&
         strcmp(terminal, "dumb") != 0;
}

const char* cli_colour(FILE* file, CliColour colour) {
  static const char* const codes[] = {"\033[0m", "\033[1m", "\033[31m", "\033[33m"};
  return has_colours(file) ? codes[colour] : "";
}
