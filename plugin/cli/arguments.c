#include "arguments.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "binding.h"
#include "terminal.h"

enum { MOST_OPTIONS = 32, HELP_COLUMN = 24, HELP_WIDTH = 80, NARROW_WIDTH = 64, NARROW_COLUMN = 6 };

bool cli_usage_error(const char* command, const char* format, ...) {
  va_list list;
  const char* space = command[0] ? " " : "";
  fprintf(stderr, "%svida%s%s:%s ", cli_colour(stderr, CLI_RED), space, command,
          cli_colour(stderr, CLI_PLAIN));
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

bool cli_is_script_name(const char* name) {
  const size_t length = strlen(name);
  return length > 4 && strcmp(name + length - 4, ".lua") == 0;
}

static int page_width(void) {
  const int width = cli_terminal_width();
  return width <= 0 || width > HELP_WIDTH ? HELP_WIDTH : width;
}

void cli_print_item(FILE* file, const char* term, const char* text) {
  const int width = (int)strlen(term);
  const int column = page_width() < NARROW_WIDTH ? NARROW_COLUMN : HELP_COLUMN;
  if (width + 3 > column) {
    fprintf(file, "  %s\n%*s", term, column, "");
  } else {
    fprintf(file, "  %-*s", column - 2, term);
  }
  cli_print_wrapped(file, column, text);
}

/* Paragraphs whose lines are made for a page of full width. */
static void print_paragraphs(FILE* file, const char* text) {
  if (page_width() >= HELP_WIDTH) {
    fputs(text, file);
    return;
  }
  while (*text) {
    const char* end = strstr(text, "\n\n");
    const size_t length = end ? (size_t)(end - text) : strlen(text);
    char paragraph[2048] = "";
    vida__append(paragraph, sizeof paragraph, "%.*s", (int)length, text);
    for (char* c = paragraph; *c; c++) {
      *c = *c == '\n' ? ' ' : *c;
    }
    if (text[0] == '\n') {
      fputc('\n', file);
    }
    cli_print_wrapped(file, 0, paragraph + strspn(paragraph, " "));
    text += length;
    if (end) {
      fputc('\n', file);
      text += 2;
    }
  }
}

void cli_print_wrapped(FILE* file, int indent, const char* text) {
  int column = indent;
  for (const char* word = text; *word;) {
    const int length = (int)strcspn(word, " ");
    if (column > indent && column + 1 + length > page_width()) {
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

bool cli_is_output_closed(void) {
  struct pollfd out = {.fd = STDOUT_FILENO, .events = POLLOUT};
  return poll(&out, 1, 0) == 1 && (out.revents & POLLERR) != 0;
}

int cli_finish_output(int code) {
  const bool failed_before = ferror(stdout) != 0;
  errno = 0;
  if (fflush(stdout) == 0 && !failed_before) {
    return code;
  }
  if (errno == EPIPE || cli_is_output_closed()) {
    return code ? code : EXIT_SIGNAL + SIGPIPE;
  }
  fprintf(stderr, "vida: the output could not be written%s%s\n", errno ? ": " : "",
          errno ? strerror(errno) : "");
  return code ? code : EXIT_FAILED;
}

bool cli_take_choice(const char* command, const char* prefix, const char* value,
                     const char* const* names, int* chosen) {
  char expected[128] = "", suggestion[80];
  for (int i = 0; names[i]; i++) {
    if (strcmp(value, names[i]) == 0) {
      *chosen = i;
      return true;
    }
    vida__append(expected, sizeof expected, "%s%s",
                 i == 0         ? ""
                 : names[i + 1] ? ", "
                                : " or ",
                 names[i]);
  }
  return cli_usage_error(command, "%sexpected %s, got '%s'%s", prefix, expected, value,
                         cli_suggestion(suggestion, sizeof suggestion, value, names));
}

const CliOption cli_plugin_option = {
    "--plugin", CLI_VALUE("LIBRARY", CLI_LIBRARY),
    "load a plug-in (a shared library) with further methods; may be repeated, before or after the "
    "command",
    NULL};

static void print_option(const CliOption* option) {
  char term[80];
  snprintf(term, sizeof term, "%s%s%s", option->name, option->value ? " " : "",
           option->value ? option->value->name : "");
  cli_print_item(stdout, term, option->text);
}

static void print_help(const CliCommand* command) {
  printf("usage: vida %s", command->name);
  if (command->operand) {
    printf(" %s", command->operand->name);
  }
  printf(" [options]\n\n");
  cli_print_wrapped(stdout, 0, command->summary);
  print_paragraphs(stdout, command->details);
  printf("\n%soptions:%s\n", cli_colour(stdout, CLI_BOLD), cli_colour(stdout, CLI_PLAIN));
  for (const CliOption* option = command->options; option->name; option++) {
    print_option(option);
  }
  print_option(&cli_plugin_option);
  cli_print_item(stdout, "--help", "show this text");
  printf("\n%sexamples:%s\n%s", cli_colour(stdout, CLI_BOLD), cli_colour(stdout, CLI_PLAIN),
         command->examples);
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
  const char* names[MOST_OPTIONS + 3];
  char suggestion[80];
  int count = 0;
  for (const CliOption* option = command->options; option->name && count < MOST_OPTIONS; option++) {
    names[count++] = option->name;
  }
  names[count++] = cli_plugin_option.name;
  names[count++] = "--help";
  names[count] = NULL;
  return cli_usage_error(command->name, "unknown option '%s'%s", name,
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
      return cli_usage_error(command->name, "%s takes no value", option->name);
    }
    return option->take(data, NULL);
  }
  if (equals) {
    return option->take(data, equals + 1);
  }
  if ((option->value->what & CLI_OPTIONAL) &&
      (*index + 1 >= count || !command->takes_next ||
       !command->takes_next(option, arguments[*index + 1]))) {
    return option->take(data, NULL);
  }
  if (*index + 1 >= count) {
    return cli_usage_error(command->name, "%s needs a value: %s %s", option->name, option->name,
                           option->value->name);
  }
  (*index)++;
  return option->take(data, arguments[*index]);
}

static bool take_operand(const CliCommand* command, const char* value, void* data) {
  if (!command->take_operand) {
    return cli_usage_error(command->name, "unexpected argument '%s'", value);
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
