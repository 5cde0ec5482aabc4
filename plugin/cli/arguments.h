/* Arguments of a sub-command: one table drives parsing, messages and help. */
#ifndef VIDA_CLI_ARGUMENTS_H
#define VIDA_CLI_ARGUMENTS_H

#include <stdbool.h>
#include <stdio.h>

/* Exit codes of the command. */
enum { EXIT_OK = 0, EXIT_FAILED = 1, EXIT_USAGE = 2, EXIT_SIGNAL = 128 };

typedef struct CliOption {
  const char* name;  /* "--out" */
  const char* value; /* what its value is called in help; NULL: it takes none; "[KIND]": it may be
                      * left out, and the next argument is it only if takes_next says so */
  const char* text;
  /* Takes the value (NULL when there is none); false after a message on stderr. */
  bool (*take)(void* data, const char* value);
} CliOption;

typedef struct CliCommand {
  const char* name;
  const char* operand; /* what its operand is called in help; NULL: it has none */
  const char* summary;
  const char* details; /* paragraphs for help, each line at most 80 characters wide; "" */
  const char* examples;
  const CliOption* options; /* ends with a row without name */
  bool (*take_operand)(void* data, const char* value);
  /* Whether `next` is the value of an option whose value may be left out. */
  bool (*takes_next)(const CliOption* option, const char* next);
  int (*run)(const struct CliCommand* command, int count, char** arguments);
} CliCommand;

typedef enum CliParsed { CLI_GO_ON, CLI_HELP_SHOWN, CLI_WRONG } CliParsed;

/* Hands every argument to its row; --help is answered here. */
CliParsed cli_parse(const CliCommand* command, int count, char** arguments, void* data);

/* A message on stderr that points to the help, for wrong usage; returns false. */
bool cli_complain(const char* command, const char* format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 2, 3)))
#endif
    ;
/* "; did you mean 'x'?" or "" for a name that is none of `names` (a list that ends with NULL). */
const char* cli_suggestion(char* text, size_t size, const char* name, const char* const* names);

/* A term and its text, at the left margin of a help page. */
void cli_print_item(FILE* file, const char* term, const char* text);

/* Text that begins at column `indent` and goes on there, in lines of a page. */
void cli_print_wrapped(FILE* file, int indent, const char* text);

/* Whether the reader of stdout has gone, which is its good right and worth no message. */
bool cli_reader_is_gone(void);
/* Flushes stdout and returns the exit code: `code`, or when something did not arrive, after a
 * message, EXIT_FAILED; EXIT_SIGNAL + SIGPIPE when the reader has gone. */
int cli_finish_output(int code);

#endif
