/* vida completion SHELL: what the shell completes, from the tables of commands and options. What
 * can be said of a value is in what it is called: METHOD, DIR, SCENARIO.lua, "table|csv|json". */
#include <string.h>
#include <vida/vida.h>

#include "base/text.h"
#include "commands.h"

enum { WORDS_SIZE = 8192 };

typedef enum ValueKind {
  VALUE_OTHER,
  VALUE_WORDS,
  VALUE_FOLDER,
  VALUE_SCRIPT,
  VALUE_TABLE
} ValueKind;

static const char* const globs[] = {[VALUE_SCRIPT] = "lua", [VALUE_TABLE] = "csv"};

static void add_methods(char words[WORDS_SIZE]) {
  for (int i = 0; i < Vida_MethodCount(); i++) {
    vida__append(words, WORDS_SIZE, " %s", Vida_MethodInfo(i)->name);
  }
}

static void add_kinds(char words[WORDS_SIZE]) {
  for (int i = 0; Vida_PlotKind(i); i++) {
    vida__append(words, WORDS_SIZE, " %s", Vida_PlotKind(i)->name);
  }
}

/* What a value of this name can be; words that can be told go to `words`, with spaces between. */
static ValueKind find_values(const char* name, char words[WORDS_SIZE]) {
  words[0] = '\0';
  if (!name) {
    return VALUE_OTHER;
  }
  if (strstr(name, "METHOD")) {
    add_methods(words);
  } else if (strchr(name, '|')) {
    vida__append(words, WORDS_SIZE, " %s", name);
    for (char* c = words; *c; c++) {
      *c = *c == '|' ? ' ' : *c;
    }
  }
  if (strstr(name, "KIND")) {
    add_kinds(words);
  }
  if (strstr(name, "DIR") || strstr(name, "FOLDER")) {
    return VALUE_FOLDER;
  }
  if (strstr(name, ".lua") || strstr(name, ".csv")) {
    return strstr(name, ".lua") ? VALUE_SCRIPT : VALUE_TABLE;
  }
  return words[0] ? VALUE_WORDS : VALUE_OTHER;
}

/* A text between quotes of a shell: no quote is left in it, nor what `special` has. */
static void print_text(const char* text, const char* special) {
  for (; *text; text++) {
    if (*text == '\'' || *text == '\n') {
      putchar(' ');
    } else {
      if (strchr(special, *text)) {
        putchar('\\');
      }
      putchar(*text);
    }
  }
}

/* ---- bash ------------------------------------------------------------------------------------ */

/* Words in lines: names of files may hold spaces, so that only a new line may divide. */
static void print_bash_words(const char* words, bool first) {
  for (; *words; words++) {
    if (*words != ' ') {
      putchar(*words);
    } else if (!first) {
      fputs("\\n", stdout);
    }
    first = false;
  }
}

static void print_bash_values(ValueKind kind, const char* words) {
  if (words[0]) {
    printf("COMPREPLY+=($(compgen -W $'");
    print_bash_words(words, true);
    printf("' -- \"$current\")); ");
  }
  if (kind == VALUE_FOLDER || kind == VALUE_SCRIPT || kind == VALUE_TABLE) {
    printf("COMPREPLY+=($(compgen -d -- \"$current\")); ");
  }
  if (kind == VALUE_SCRIPT || kind == VALUE_TABLE) {
    printf("COMPREPLY+=($(compgen -f -X '!*.%s' -- \"$current\")); ", globs[kind]);
  }
}

static void print_bash_options(const CliOption* options) {
  bool first = true;
  printf("COMPREPLY+=($(compgen -W $'");
  for (; options->name; options++) {
    printf("%s%s", first ? "" : "\\n", options->name);
    first = false;
  }
  printf("%s--help' -- \"$current\"))", first ? "" : "\\n");
}

static void print_bash(void) {
  char words[WORDS_SIZE] = "";
  printf(
      "# Completion for vida, written by 'vida completion bash'.\n"
      "_vida() {\n"
      "  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}\n"
      "  local command=${COMP_WORDS[1]} IFS=$'\\n'\n"
      "  COMPREPLY=()\n"
      "  if ((COMP_CWORD == 1)); then\n    ");
  for (int i = 0; cli_commands[i]; i++) {
    vida__append(words, sizeof words, " %s", cli_commands[i]->name);
  }
  for (const CliOption* option = cli_main_options; option->name; option++) {
    vida__append(words, sizeof words, " %s", option->name);
  }
  print_bash_values(VALUE_WORDS, words);
  printf("return\n  fi\n  case \"$command $previous\" in\n");
  for (int i = 0; cli_commands[i]; i++) {
    for (const CliOption* option = cli_commands[i]->options; option->name; option++) {
      if (option->value && option->value[0] != '[') {
        const ValueKind kind = find_values(option->value, words);
        printf("    '%s %s') ", cli_commands[i]->name, option->name);
        print_bash_values(kind, words);
        printf("return ;;\n");
      }
    }
  }
  printf("  esac\n  case \"$command\" in\n");
  for (int i = 0; cli_commands[i]; i++) {
    const ValueKind kind = find_values(cli_commands[i]->operand, words);
    printf("    %s) if [[ $current == -* ]]; then ", cli_commands[i]->name);
    print_bash_options(cli_commands[i]->options);
    printf("; else ");
    print_bash_values(kind, words);
    printf(":; fi ;;\n");
  }
  printf("  esac\n}\ncomplete -o filenames -F _vida vida\n");
}

/* ---- zsh ------------------------------------------------------------------------------------- */

static void print_zsh_action(const char* name) {
  char words[WORDS_SIZE];
  const ValueKind kind = find_values(name, words);
  putchar(':');
  print_text(name ? name : "", ":[]");
  putchar(':');
  if (kind == VALUE_FOLDER) {
    printf("_files -/");
  } else if (kind == VALUE_SCRIPT || kind == VALUE_TABLE) {
    printf("_files -g \"*.%s\"", globs[kind]);
  } else if (words[0]) {
    printf("(%s)", words + 1);
  }
}

static void print_zsh(void) {
  printf(
      "#compdef vida\n"
      "# Completion for vida, written by 'vida completion zsh'.\n"
      "_vida() {\n  local -a commands=(\n");
  for (int i = 0; cli_commands[i]; i++) {
    printf("    '%s:", cli_commands[i]->name);
    print_text(cli_commands[i]->summary, ":");
    printf("'\n");
  }
  printf(
      "  )\n  if ((CURRENT == 2)); then\n    _describe command commands\n    return\n  fi\n"
      "  local command=$words[2]\n  shift words\n  ((CURRENT--))\n  case $command in\n");
  for (int i = 0; cli_commands[i]; i++) {
    printf("    %s) _arguments", cli_commands[i]->name);
    for (const CliOption* option = cli_commands[i]->options; option->name; option++) {
      printf(" \\\n      '*%s%s[", option->name, option->value ? "=" : "");
      print_text(option->text, "[]:");
      putchar(']');
      if (option->value) {
        if (option->value[0] == '[') {
          putchar(':'); /* it may be left out */
        }
        print_zsh_action(option->value);
      }
      putchar('\'');
    }
    printf(" \\\n      '--help[show its options]'");
    if (cli_commands[i]->operand) {
      printf(" \\\n      '*");
      print_zsh_action(cli_commands[i]->operand);
      putchar('\'');
    }
    printf(" ;;\n");
  }
  printf("  esac\n}\n_vida \"$@\"\n");
}

/* ---- fish ------------------------------------------------------------------------------------ */

static void print_fish_values(const char* name, bool required) {
  char words[WORDS_SIZE];
  const ValueKind kind = find_values(name, words);
  printf("%s", required ? " -x" : " -f");
  if (words[0] || kind != VALUE_OTHER) {
    printf(" -a '%s%s", words, words[0] ? " " : "");
    if (kind == VALUE_FOLDER) {
      printf("(__fish_complete_directories)");
    } else if (kind == VALUE_SCRIPT || kind == VALUE_TABLE) {
      printf("(__fish_complete_suffix .%s)", globs[kind]);
    }
    putchar('\'');
  }
}

static void print_fish(void) {
  printf("# Completion for vida, written by 'vida completion fish'.\n");
  for (int i = 0; cli_commands[i]; i++) {
    printf("complete -c vida -n __fish_use_subcommand -f -a %s -d '", cli_commands[i]->name);
    print_text(cli_commands[i]->summary, "\\");
    printf("'\n");
  }
  for (int i = 0; cli_commands[i]; i++) {
    const CliCommand* command = cli_commands[i];
    printf("complete -c vida -n '__fish_seen_subcommand_from %s'", command->name);
    print_fish_values(command->operand, false);
    putchar('\n');
    for (const CliOption* option = command->options; option->name; option++) {
      printf("complete -c vida -n '__fish_seen_subcommand_from %s' -l %s", command->name,
             option->name + 2);
      if (option->value && option->value[0] != '[') {
        print_fish_values(option->value, true);
      }
      printf(" -d '");
      print_text(option->text, "\\");
      printf("'\n");
    }
  }
}

/* ---- the command ----------------------------------------------------------------------------- */

typedef struct Shell {
  const char* name;
  void (*print)(void);
} Shell;

static const Shell shells[] = {{"bash", print_bash}, {"zsh", print_zsh}, {"fish", print_fish}};
enum { SHELLS = sizeof shells / sizeof shells[0] };

static bool take_shell(void* data, const char* value) {
  const Shell** chosen = data;
  const char* names[SHELLS + 1] = {NULL};
  char suggestion[80];
  for (int i = 0; i < SHELLS; i++) {
    names[i] = shells[i].name;
    if (strcmp(value, names[i]) == 0) {
      *chosen = &shells[i];
      return true;
    }
  }
  return cli_complain("completion", "expected bash, zsh or fish, got '%s'%s", value,
                      cli_suggestion(suggestion, sizeof suggestion, value, names));
}

static int run_completion(const CliCommand* command, int count, char** texts) {
  const Shell* shell = NULL;
  const CliParsed parsed = cli_parse(command, count, texts, &shell);
  if (parsed != CLI_GO_ON) {
    return parsed == CLI_WRONG ? EXIT_USAGE : EXIT_OK;
  }
  if (!shell) {
    cli_complain(command->name, "the name of a shell is missing: bash, zsh or fish");
    return EXIT_USAGE;
  }
  shell->print();
  return EXIT_OK;
}

static const CliOption completion_options[] = {{NULL, NULL, NULL, NULL}};

const CliCommand cli_completion_command = {
    .name = "completion",
    .operand = "bash|zsh|fish",
    .summary = "Print what makes a shell complete commands, options, methods and files.",
    .details = "",
    .examples =
        "  source <(vida completion bash)\n"
        "  vida completion zsh > ~/.zsh/completions/_vida\n"
        "  vida completion fish > ~/.config/fish/completions/vida.fish\n",
    .options = completion_options,
    .take_operand = take_shell,
    .run = run_completion,
};
