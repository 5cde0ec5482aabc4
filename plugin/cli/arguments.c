#include "arguments.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#include "binding.h"

enum { MOST_OPTIONS = 32, HELP_COLUMN = 24, HELP_WIDTH = 80 };

bool cli_complain(const char* command, const char* format, ...) {
  va_list list;
  const char* space = command[0] ? " " : "";
  fprintf(stderr, "vida%s%s: ", space, command);
  va_start(list, format);
  vfprintf(stderr, format, list);
  va_end(list);
  fprintf(stderr, "\nTry 'vida%s%s --help'.\n", space, command);
  return false;
}

const char* cli_suggestion(char* text, size_t size, const char* name, const char* const* names) {
  const char* nearest = vidalua_nearest_name(name, vidalua_names(names));
  text[0] = '\0';
  if (nearest) {
    snprintf(text, size, "; did you mean '%s'?", nearest);
  }
  return text;
}

void cli_print_item(FILE* file, const char* term, const char* text) {
  const int width = (int)strlen(term);
  if (width + 3 > HELP_COLUMN) {
    fprintf(file, "  %s\n%*s", term, HELP_COLUMN, "");
  } else {
    fprintf(file, "  %-*s", HELP_COLUMN - 2, term);
  }
  cli_print_wrapped(file, HELP_COLUMN, text);
}

void cli_print_wrapped(FILE* file, int indent, const char* text) {
  int column = indent;
  for (const char* word = text; *word;) {
    const int length = (int)strcspn(word, " ");
    if (column > indent && column + 1 + length > HELP_WIDTH) {
      fprintf(file, "\n%*s", indent, "");
      column = indent;
    } else if (column > indent) {
      fputc(' ', file);
      column++;
    }
    fprintf(file, "%.*s", length, word);
    column += length;
    word += length;
    word += strspn(word, " ");
  }
  fputc('\n', file);
}

bool cli_reader_is_gone(void) {
  struct pollfd out = {.fd = STDOUT_FILENO, .events = POLLOUT};
  return poll(&out, 1, 0) == 1 && (out.revents & POLLERR) != 0;
}

int cli_finish_output(int code) {
  const bool failed_before = ferror(stdout) != 0;
  errno = 0;
  if (fflush(stdout) == 0 && !failed_before) {
    return code;
  }
  if (errno == EPIPE || cli_reader_is_gone()) {
    return code ? code : EXIT_SIGNAL + SIGPIPE;
  }
  fprintf(stderr, "vida: the output could not be written%s%s\n", errno ? ": " : "",
          errno ? strerror(errno) : "");
  return code ? code : EXIT_FAILED;
}

static void print_help(const CliCommand* command) {
  char term[80];
  printf("usage: vida %s", command->name);
  if (command->operand) {
    printf(" %s", command->operand);
  }
  printf(" [options]\n\n%s\n%s\noptions:\n", command->summary, command->details);
  for (const CliOption* option = command->options; option->name; option++) {
    snprintf(term, sizeof term, "%s%s%s", option->name, option->value ? " " : "",
             option->value ? option->value : "");
    cli_print_item(stdout, term, option->text);
  }
  cli_print_item(stdout, "--help", "show this text");
  printf("\nexamples:\n%s", command->examples);
}

static const CliOption* find_option(const CliCommand* command, const char* name, size_t length) {
  for (const CliOption* option = command->options; option->name; option++) {
    if (strlen(option->name) == length && strncmp(option->name, name, length) == 0) {
      return option;
    }
  }
  return NULL;
}

static bool refuse_option(const CliCommand* command, const char* name) {
  const char* names[MOST_OPTIONS + 2];
  char suggestion[80];
  int count = 0;
  for (const CliOption* option = command->options; option->name && count < MOST_OPTIONS; option++) {
    names[count++] = option->name;
  }
  names[count++] = "--help";
  names[count] = NULL;
  return cli_complain(command->name, "unknown option '%s'%s", name,
                      cli_suggestion(suggestion, sizeof suggestion, name, names));
}

/* Takes the option at arguments[*index] and its value, "--out DIR" or "--out=DIR". */
static bool take_option(const CliCommand* command, int count, char** arguments, int* index,
                        void* data) {
  const char* argument = arguments[*index];
  const char* equals = strchr(argument, '=');
  const size_t length = equals ? (size_t)(equals - argument) : strlen(argument);
  const CliOption* option = find_option(command, argument, length);
  if (!option) {
    return refuse_option(command, argument);
  }
  if (!option->value) {
    if (equals) {
      return cli_complain(command->name, "%s takes no value", option->name);
    }
    return option->take(data, NULL);
  }
  if (equals) {
    return option->take(data, equals + 1);
  }
  if (option->value[0] == '[' && (*index + 1 >= count || !command->takes_next ||
                                  !command->takes_next(option, arguments[*index + 1]))) {
    return option->take(data, NULL);
  }
  if (*index + 1 >= count) {
    return cli_complain(command->name, "%s needs a value: %s %s", option->name, option->name,
                        option->value);
  }
  (*index)++;
  return option->take(data, arguments[*index]);
}

static bool take_operand(const CliCommand* command, const char* value, void* data) {
  if (!command->take_operand) {
    return cli_complain(command->name, "unexpected argument '%s'", value);
  }
  return command->take_operand(data, value);
}

CliParsed cli_parse(const CliCommand* command, int count, char** arguments, void* data) {
  bool options_ended = false;
  for (int i = 0; i < count; i++) {
    const char* argument = arguments[i];
    bool good = true;
    if (!options_ended && strcmp(argument, "--") == 0) {
      options_ended = true;
    } else if (!options_ended && (strcmp(argument, "--help") == 0 || strcmp(argument, "-h") == 0)) {
      print_help(command);
      return CLI_HELP_SHOWN;
    } else if (!options_ended && argument[0] == '-' && argument[1]) {
      good = take_option(command, count, arguments, &i, data);
    } else {
      good = take_operand(command, argument, data);
    }
    if (!good) {
      return CLI_WRONG;
    }
  }
  return CLI_GO_ON;
}
