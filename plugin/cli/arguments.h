/* Arguments of a sub-command. One table determines the parsing, the messages and the help. */
#ifndef VIDA_CLI_ARGUMENTS_H
#define VIDA_CLI_ARGUMENTS_H

#include <stdbool.h>
#include <stdio.h>

/* Exit codes of the command. */
enum { EXIT_OK = 0, EXIT_FAILED = 1, EXIT_USAGE = 2, EXIT_SIGNAL = 128 };

/* What a value can be, as bits. */
enum {
  CLI_OTHER = 0,
  CLI_METHOD = 1,    /* the name of a method */
  CLI_PICTURE = 2,   /* a kind of picture */
  CLI_FOLDER = 4,    /* a folder */
  CLI_SCRIPT = 8,    /* a file .lua */
  CLI_TABLE = 16,    /* a file .csv */
  CLI_LIBRARY = 32,  /* a file .so */
  CLI_OPTIONAL = 128 /* it may be left out */
};

/* The value of an option, or the operand of a command. */
typedef struct CliValue {
  const char* name;           /* in help: "DIR" */
  unsigned what;              /* bits, for completion */
  const char* const* choices; /* the allowed words, with NULL at the end; NULL: any */
} CliValue;
#define CLI_VALUE(text, bits) (&(const CliValue){.name = (text), .what = (bits)})
#define CLI_CHOICE(text, list) (&(const CliValue){.name = (text), .choices = (list)})

typedef struct CliOption {
  const char* name;      /* "--out" */
  const CliValue* value; /* NULL: none; CLI_OPTIONAL: the next argument is its value only if
                            takes_next returns true */
  const char* text;
  /* Processes the value (NULL without a value). Returns false after a message on stderr. */
  bool (*take)(void* data, const char* value);
} CliOption;

/* A sub-command. */
typedef struct CliCommand {
  const char* name;
  const CliValue* operand; /* NULL: it has none */
  const char* summary;
  const char* details; /* paragraphs for help, in lines of at most 80 characters; "" */
  const char* examples;
  const CliOption* options; /* ends with a row without a name */
  bool (*take_operand)(void* data, const char* value);
  /* Returns whether `next` is the value of an option whose value is optional. */
  bool (*takes_next)(const CliOption* option, const char* next);
  int (*run)(const struct CliCommand* command, int count, char** arguments);
} CliCommand;

/* An option that every command has: it loads a plug-in before the command begins. */
extern const CliOption cli_plugin_option;

typedef enum CliParsed { CLI_GO_ON, CLI_HELP_SHOWN, CLI_WRONG } CliParsed;

/* Returns whether a file name ends in ".lua" and has more characters than that. */
bool cli_is_script_name(const char* name);

/* Passes every argument to its option or to take_operand. Handles --help itself. */
CliParsed cli_parse(const CliCommand* command, int count, char** arguments, void* data);

/* Writes a message about wrong usage on stderr, with a reference to the help. Returns false. */
bool cli_usage_error(const char* command, const char* format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 2, 3)))
#endif
    ;
/* Writes "; did you mean 'x'?" to text for a name that is not in `names` (a list that ends with
 * NULL), or "" if no name is near. Returns text. */
const char* cli_suggestion(char* text, size_t size, const char* name, const char* const* names);

/* Sets *chosen to the index of `value` in `names` (a list that ends with NULL). Returns false after
 * a message that lists the names and begins with `prefix`: "--format: ". */
bool cli_take_choice(const char* command, const char* prefix, const char* value,
                     const char* const* names, int* chosen);

/* Prints a term at the left margin of a help page, and its text. */
void cli_print_item(FILE* file, const char* term, const char* text);

/* Prints a text in lines of a page that begin at the column `indent`. */
void cli_print_wrapped(FILE* file, int indent, const char* text);

/* Returns whether the reader of stdout has closed it. This is not an error and needs no message. */
bool cli_is_output_closed(void);
/* Flushes stdout. Returns `code`; EXIT_FAILED, after a message, if the output could not be written;
 * or EXIT_SIGNAL + SIGPIPE if the reader has closed it. */
int cli_finish_output(int code);

#endif
