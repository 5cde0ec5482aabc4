/* vida --man: the manual page, from the same tables as the help. */
#include <string.h>
#include <vida/vida.h>

#include "commands.h"

/* Text of roff: no line begins with a request, and a hyphen is one that can be copied. */
static void print_roff(const char* text) {
  bool at_line_start = true;
  for (; *text; text++) {
    if (at_line_start && (*text == '.' || *text == '\'')) {
      fputs("\\&", stdout);
    }
    switch (*text) {
      case '\\':
        fputs("\\e", stdout);
        break;
      case '-':
        fputs("\\-", stdout);
        break;
      default:
        putchar(*text);
        break;
    }
    at_line_start = *text == '\n';
  }
}

/* Empty lines of roff are paragraphs. */
static void print_paragraphs(const char* text) {
  while (*text) {
    const size_t length = strcspn(text, "\n");
    if (length == 0) {
      puts(".PP");
    } else {
      char line[256];
      snprintf(line, sizeof line, "%.*s", (int)length, text);
      print_roff(line);
      putchar('\n');
    }
    text += length + (text[length] ? 1 : 0);
  }
}

static void print_term(const char* name, const CliValue* value, const char* text) {
  fputs(".TP\n\\fB", stdout);
  print_roff(name);
  fputs("\\fR", stdout);
  if (value) {
    fputs(" \\fI", stdout);
    print_roff(value->name);
    fputs("\\fR", stdout);
  }
  putchar('\n');
  print_roff(text);
  putchar('\n');
}

static void print_examples(const char* text) {
  puts(".PP\n.nf");
  print_roff(text);
  puts(".fi");
}

static void print_command(const CliCommand* command) {
  printf(".SS vida %s", command->name);
  if (command->operand) {
    putchar(' ');
    print_roff(command->operand->name);
  }
  printf(" [options]\n");
  print_paragraphs(command->summary);
  print_paragraphs(command->details);
  for (const CliOption* option = command->options; option->name; option++) {
    print_term(option->name, option->value, option->text);
  }
  print_examples(command->examples);
}

void cli_print_manual(void) {
  printf(".TH VIDA 1 \"\" \"vida %s\"\n.SH NAME\n", Vida_Version());
  puts(
      "vida \\- variational integrators beside solvers of differential\\-algebraic equations\n.SH "
      "SYNOPSIS\n\\fBvida\\fR \\fICOMMAND\\fR [options]\n.SH DESCRIPTION\nIntegrates constrained "
      "mechanical systems, which scenarios in Lua describe, with several\nmethods side by side, "
      "and shows what each method preserves, what it loses and what it costs.\n.SH COMMANDS");
  for (int i = 0; cli_commands[i]; i++) {
    print_command(cli_commands[i]);
  }
  puts(".SH OPTIONS");
  print_term(cli_plugin_option.name, cli_plugin_option.value, cli_plugin_option.text);
  for (const CliOption* option = cli_main_options; option->name; option++) {
    print_term(option->name, option->value, option->text);
  }
  puts(
      ".SH EXIT STATUS\n"
      "0 success, 1 a script or a run failed or results differ, 2 wrong usage,\n"
      "128 + n after signal n: 130 Ctrl\\-C, 141 the reader of the output has closed it, 143 "
      "SIGTERM.\n"
      ".SH ENVIRONMENT");
  print_term("COLUMNS", NULL, "width of tables; by default that of the terminal");
  print_term("NO_COLOR", NULL, "if not empty, turns off colours on terminals");
  print_term("PATH", NULL, "directories in which gnuplot is found");
}
