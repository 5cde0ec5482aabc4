/* vida methods [NAME]: lists methods and their options from the tables of the library. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <vida/vida.h>

#include "binding.h"
#include "commands.h"

enum { MOST_METHODS = 256, FIELD_COLUMN = 13, OPTION_COLUMN = 21, LONG_CHOICES = 48 };

static void list_methods(void) {
  for (int i = 0; i < Vida_MethodCount(); i++) {
    const VidaMethodInfo* info = Vida_MethodInfo(i);
    cli_print_item(stdout, info->name, info->title);
  }
  printf("\n'vida methods NAME' shows the claims and options of a method.\n");
}

static void print_capabilities(unsigned capabilities) {
#define CAPABILITY_TEXT(name, bit, text) [bit] = text,
  static const char* const texts[] = {VIDA_CAPABILITY_LIST(CAPABILITY_TEXT)};
#undef CAPABILITY_TEXT
  for (unsigned i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    if (capabilities & (1U << i)) {
      printf("    %s\n", texts[i]);
    }
  }
}

/* A long list of choices can be broken between them. */
static size_t describe_choices(const char* choices, char* text, size_t size) {
  const bool is_long = strlen(choices) > LONG_CHOICES;
  size_t used = 0;
  for (const char* c = choices; *c && used + 4 < size; c++) {
    const bool is_wide = is_long && *c == '|';
    if (is_wide) {
      text[used++] = ' ';
    }
    text[used++] = *c;
    if (is_wide) {
      text[used++] = ' ';
    }
  }
  text[used] = '\0';
  return used;
}

void cli_describe_option(const VidaOptions* options, const VidaOptionRow* row, char* text,
                         size_t size) {
  char value[64];
  size_t used = 0;
  if (row->type == VIDA_OPTION_CHOICE) {
    used = describe_choices(row->choices, text, size);
  } else if (row->type == VIDA_OPTION_BOOLEAN) {
    used = (size_t)snprintf(text, size, "true|false");
  } else {
    used =
        (size_t)snprintf(text, size, "%s", row->type == VIDA_OPTION_INTEGER ? "integer" : "number");
    if (row->type == VIDA_OPTION_BY_COORDINATE && used < size) {
      used += (size_t)snprintf(text + used, size - used, ", or numbers by coordinate");
    }
    if (row->unit[0] && strcmp(row->unit, "1") != 0 && used < size) {
      used += (size_t)snprintf(text + used, size - used, " (%s)", row->unit);
    }
  }
  if (!isnan(row->default_value) && used < size) {
    VidaOptions_Text(options, row->name, value, sizeof value);
    snprintf(text + used, size - used, ", default %s", value);
  }
}

static int print_options(const char* method) {
  VidaError error;
  VidaOptions* options = NULL;
  if (VidaOptions_Create(method, &options, &error)) {
    fprintf(stderr, "vida: %s\n", error.message);
    return EXIT_FAILED;
  }
  printf("  options:\n");
  for (int i = 0; i < VidaOptions_Count(options); i++) {
    const VidaOptionRow* row = VidaOptions_Row(options, i);
    char kind[1024];
    cli_describe_option(options, row, kind, sizeof kind);
    printf("    %-16s ", row->name);
    cli_print_wrapped(stdout, OPTION_COLUMN, kind);
    printf("%*s", OPTION_COLUMN, "");
    cli_print_wrapped(stdout, OPTION_COLUMN, row->text);
  }
  VidaOptions_Destroy(&options);
  return EXIT_OK;
}

static void print_field(const char* name, const char* text) {
  printf("  %-*s", FIELD_COLUMN - 2, name);
  cli_print_wrapped(stdout, FIELD_COLUMN, text);
}

static int print_method(const VidaMethodInfo* info) {
  printf("%s: %s\n", info->name, info->title);
  print_field("equation:", info->equation);
  printf("  order:     %d\n", info->order);
  printf("  contacts:  %s, order %d across impacts\n",
         Vida_IsTimeStepping(info) ? "time stepping" : "events",
         Vida_OrderAcrossImpacts(info, info->order));
  print_field("limits:", info->limits);
  printf("  properties:\n");
  print_capabilities(info->capabilities);
  return print_options(info->name);
}

/* ---- the sub-command ------------------------------------------------------------------------- */

bool cli_unknown_method_error(const char* command, const char* name) {
  const char* names[MOST_METHODS + 1];
  char suggestion[80];
  int count = 0;
  for (; count < MOST_METHODS && count < Vida_MethodCount(); count++) {
    names[count] = Vida_MethodInfo(count)->name;
  }
  names[count] = NULL;
  return cli_usage_error(command, "unknown method '%s'%s", name,
                         cli_suggestion(suggestion, sizeof suggestion, name, names));
}

typedef struct MethodsArguments {
  const char* name;
} MethodsArguments;

static bool take_name(void* data, const char* value) {
  MethodsArguments* arguments = data;
  if (arguments->name) {
    return cli_usage_error("methods", "expected one method, got '%s' and '%s'", arguments->name,
                           value);
  }
  arguments->name = value;
  return Vida_FindMethod(value) ? true : cli_unknown_method_error("methods", value);
}

static int run_methods(const CliCommand* command, int count, char** arguments) {
  MethodsArguments wishes = {0};
  const CliParsed parsed = cli_parse(command, count, arguments, &wishes);
  if (parsed != CLI_GO_ON) {
    return parsed == CLI_WRONG ? EXIT_USAGE : EXIT_OK;
  }
  if (wishes.name) {
    return print_method(Vida_FindMethod(wishes.name));
  }
  list_methods();
  return EXIT_OK;
}

static const CliOption methods_options[] = {{NULL, NULL, NULL, NULL}};

const CliCommand cli_methods_command = {
    .name = "methods",
    .operand = CLI_VALUE("[METHOD]", CLI_METHOD | CLI_OPTIONAL),
    .summary = "List the methods, or describe one of them.",
    .details = "",
    .examples = "  vida methods\n  vida methods energy-momentum\n",
    .options = methods_options,
    .take_operand = take_name,
    .run = run_methods,
};
