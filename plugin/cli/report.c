/* vida report DIR: the page of results that are in a folder. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vida/vida.h>

#include "commands.h"

static bool take_folder(void* data, const char* value) {
  const char** folder = data;
  if (*folder) {
    return cli_usage_error("report", "one folder at a time, got '%s' and '%s'", *folder, value);
  }
  *folder = value;
  return value[0] ? true : cli_usage_error("report", "the name of a folder is empty");
}

static int write_page(const char* folder) {
  VidaError error;
  const size_t size = strlen(folder) + sizeof "/report.json";
  char* data = malloc(size);
  char* page = malloc(size);
  int code = EXIT_FAILED;
  if (!data || !page) {
    fputs("vida: out of memory\n", stderr);
  } else {
    snprintf(data, size, "%s/report.json", folder);
    snprintf(page, size, "%s/report.html", folder);
    code = VidaReport_PageFromData(data, page, &error) ? EXIT_FAILED : EXIT_OK;
    if (code) {
      fprintf(stderr, "vida: %s\n", error.message);
    } else {
      printf("%s\n", page);
    }
  }
  free(data);
  free(page);
  return code;
}

static int report_command(const CliCommand* command, int count, char** texts) {
  const char* folder = NULL;
  const CliParsed parsed = cli_parse(command, count, texts, &folder);
  if (parsed == CLI_HELP_SHOWN) {
    return EXIT_OK;
  }
  if (parsed == CLI_GO_ON && folder) {
    return write_page(folder);
  }
  if (parsed == CLI_GO_ON) {
    cli_usage_error(command->name, "the name of a folder is missing");
  }
  return EXIT_USAGE;
}

static const CliOption no_options[] = {{NULL, NULL, NULL, NULL}};

const CliCommand cli_report_command = {
    .name = "report",
    .operand = CLI_VALUE("DIR", CLI_FOLDER),
    .summary = "Write the HTML page of the results in a folder of 'vida run --out'.",
    .details =
        "\nReads DIR/report.json, writes DIR/report.html and prints its name.\n"
        "Exit code: 0 success, 1 failure, 2 wrong usage.\n",
    .examples = "  vida run scenarios/pendulum.lua --out results\n  vida report results\n",
    .options = no_options,
    .take_operand = take_folder,
    .run = report_command,
};
