/* vida completion SHELL: prints the completion from the tables of commands and options. */
#include <string.h>
#include <vida/vida.h>

#include "base/text.h"
#include "commands.h"

enum { WORDS_SIZE = 8192 };

/* Appends the words that a value can be, a space before each. */
static void append_words(const CliValue* value, char words[WORDS_SIZE]) {
  for (int i = 0; (value->what & CLI_METHOD) && i < Vida_MethodCount(); i++) {
    vida__append(words, WORDS_SIZE, " %s", Vida_MethodInfo(i)->name);
  }
  for (int i = 0; (value->what & CLI_PICTURE) && Vida_PlotKind(i); i++) {
    vida__append(words, WORDS_SIZE, " %s", Vida_PlotKind(i)->name);
  }
  for (int i = 0; value->choices && value->choices[i]; i++) {
    vida__append(words, WORDS_SIZE, " %s", value->choices[i]);
  }
}

/* Returns the extension of files that a value may name; NULL: the value is not a file. */
static const char* file_ending(const CliValue* value) {
  return value->what & CLI_SCRIPT    ? "lua"
         : value->what & CLI_TABLE   ? "csv"
         : value->what & CLI_LIBRARY ? "so"
                                     : NULL;
}

static bool is_optional(const CliOption* option) {
  return option->value && (option->value->what & CLI_OPTIONAL);
}

/* Prints a text between quotes of a shell, without quotes and the characters in `special`. */
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

static void print_bash_word_list(const char* words) {
  printf("COMPREPLY+=($(compgen -W $'");
  print_bash_words(words, true);
  printf("' -- \"$current\")); ");
}

static void print_bash_values(const CliValue* value) {
  char words[WORDS_SIZE] = "";
  const char* ending = file_ending(value);
  append_words(value, words);
  if (words[0]) {
    print_bash_word_list(words);
  }
  if (ending || (value->what & CLI_FOLDER)) {
    printf("COMPREPLY+=($(compgen -d -- \"$current\")); ");
  }
  if (ending) {
    printf("COMPREPLY+=($(compgen -f -X '!*.%s' -- \"$current\")); ", ending);
  }
}

static void print_bash_options(const CliOption* options) {
  bool first = true;
  printf("COMPREPLY+=($(compgen -W $'");
  for (; options->name; options++) {
    printf("%s%s", first ? "" : "\\n", options->name);
    first = false;
  }
  printf("%s--help\\n%s' -- \"$current\"))", first ? "" : "\\n", cli_plugin_option.name);
}

static void print_bash(void) {
  char words[WORDS_SIZE] = "";
  printf(
      "# Completion for vida, written by 'vida completion bash'.\n"
      "_vida() {\n"
      "  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}\n"
      "  local first=1 IFS=$'\\n'\n"
      "  COMPREPLY=()\n"
      "  if [[ $previous == %s ]]; then ",
      cli_plugin_option.name);
  print_bash_values(cli_plugin_option.value);
  printf(
      "return; fi\n"
      "  while [[ ${COMP_WORDS[first]} == %s ]]; do first=$((first + 2)); done\n"
      "  local command=${COMP_WORDS[first]}\n"
      "  if ((COMP_CWORD == first)); then\n    ",
      cli_plugin_option.name);
  for (int i = 0; cli_commands[i]; i++) {
    vida__append(words, sizeof words, " %s", cli_commands[i]->name);
  }
  for (const CliOption* option = cli_main_options; option->name; option++) {
    vida__append(words, sizeof words, " %s", option->name);
  }
  vida__append(words, sizeof words, " %s", cli_plugin_option.name);
  print_bash_word_list(words);
  printf("return\n  fi\n  case \"$command $previous\" in\n");
  for (int i = 0; cli_commands[i]; i++) {
    for (const CliOption* option = cli_commands[i]->options; option->name; option++) {
      if (option->value && !is_optional(option)) {
        printf("    '%s %s') ", cli_commands[i]->name, option->name);
        print_bash_values(option->value);
        printf("return ;;\n");
      }
    }
  }
  printf("  esac\n  case \"$command\" in\n");
  for (int i = 0; cli_commands[i]; i++) {
    printf("    %s) if [[ $current == -* ]]; then ", cli_commands[i]->name);
    print_bash_options(cli_commands[i]->options);
    printf("; else ");
    if (cli_commands[i]->operand) {
      print_bash_values(cli_commands[i]->operand);
    }
    printf(":; fi ;;\n");
  }
  printf("  esac\n}\ncomplete -o filenames -F _vida vida\n");
}

/* ---- zsh ------------------------------------------------------------------------------------- */

static void print_zsh_action(const CliValue* value) {
  char words[WORDS_SIZE] = "";
  const char* ending = file_ending(value);
  append_words(value, words);
  putchar(':');
  print_text(value->name, ":[]");
  putchar(':');
  if (value->what & CLI_FOLDER) {
    printf("_files -/");
  } else if (ending) {
    printf("_files -g \"*.%s\"", ending);
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
        if (is_optional(option)) {
          putchar(':');
        }
        print_zsh_action(option->value);
      }
      putchar('\'');
    }
    printf(" \\\n      '*%s=[", cli_plugin_option.name);
    print_text(cli_plugin_option.text, "[]:");
    putchar(']');
    print_zsh_action(cli_plugin_option.value);
    printf("' \\\n      '--help[show its options]'");
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

static void print_fish_values(const CliValue* value, bool required) {
  char words[WORDS_SIZE] = "";
  const char* ending = file_ending(value);
  append_words(value, words);
  printf("%s", required ? " -x" : " -f");
  if (words[0] || ending || (value->what & CLI_FOLDER)) {
    printf(" -a '%s%s", words, words[0] ? " " : "");
    if (value->what & CLI_FOLDER) {
      printf("(__fish_complete_directories)");
    } else if (ending) {
      printf("(__fish_complete_suffix .%s)", ending);
    }
    putchar('\'');
  }
}

static void print_fish(void) {
  printf("# Completion for vida, written by 'vida completion fish'.\n");
  printf("complete -c vida -l %s", cli_plugin_option.name + 2);
  print_fish_values(cli_plugin_option.value, true);
  printf(" -d '");
  print_text(cli_plugin_option.text, "\\");
  printf("'\n");
  for (int i = 0; cli_commands[i]; i++) {
    printf("complete -c vida -n __fish_use_subcommand -f -a %s -d '", cli_commands[i]->name);
    print_text(cli_commands[i]->summary, "\\");
    printf("'\n");
  }
  for (int i = 0; cli_commands[i]; i++) {
    const CliCommand* command = cli_commands[i];
    printf("complete -c vida -n '__fish_seen_subcommand_from %s'", command->name);
    if (command->operand) {
      print_fish_values(command->operand, false);
    }
    putchar('\n');
    for (const CliOption* option = command->options; option->name; option++) {
      printf("complete -c vida -n '__fish_seen_subcommand_from %s' -l %s", command->name,
             option->name + 2);
      if (option->value && !is_optional(option)) {
        print_fish_values(option->value, true);
      }
      printf(" -d '");
      print_text(option->text, "\\");
      printf("'\n");
    }
  }
}

/* ---- the command ----------------------------------------------------------------------------- */

typedef void PrintCompletion(void);

static const char* const shell_names[] = {"bash", "zsh", "fish", NULL};
static PrintCompletion* const shell_scripts[] = {print_bash, print_zsh, print_fish};

static bool take_shell(void* data, const char* value) {
  int shell = 0;
  const bool good = cli_take_choice("completion", "", value, shell_names, &shell);
  *(PrintCompletion**)data = good ? shell_scripts[shell] : NULL;
  return good;
}

static int run_completion(const CliCommand* command, int count, char** texts) {
  PrintCompletion* print = NULL;
  const CliParsed parsed = cli_parse(command, count, texts, &print);
  if (parsed != CLI_GO_ON) {
    return parsed == CLI_WRONG ? EXIT_USAGE : EXIT_OK;
  }
  if (!print) {
    cli_usage_error(command->name, "the name of a shell is missing: bash, zsh or fish");
    return EXIT_USAGE;
  }
  print();
  return EXIT_OK;
}

static const CliOption completion_options[] = {{NULL, NULL, NULL, NULL}};

const CliCommand cli_completion_command = {
    .name = "completion",
    .operand = CLI_CHOICE("bash|zsh|fish", shell_names),
    .summary = "Print the completion of commands, options, methods and files for a shell.",
    .details = "",
    .examples =
        "  source <(vida completion bash)\n"
        "  vida completion zsh > ~/.zsh/completions/_vida\n"
        "  vida completion fish > ~/.config/fish/completions/vida.fish\n",
    .options = completion_options,
    .take_operand = take_shell,
    .run = run_completion,
};
