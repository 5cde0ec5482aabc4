/* vida compare A.csv B.csv: how far two files of results are apart. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <vida/vida.h>

#include "base/text.h"
#include "commands.h"

typedef struct CompareArguments {
  const char* files[2];
  VidaTolerance tolerance;
} CompareArguments;

static bool take_file(void* data, const char* value) {
  CompareArguments* arguments = data;
  for (int i = 0; i < 2; i++) {
    if (!arguments->files[i]) {
      arguments->files[i] = value;
      return true;
    }
  }
  return cli_complain("compare", "two files are compared, '%s' is one too many", value);
}

static bool take_tolerance(const char* name, const char* value, double* tolerance) {
  if (vida__read_real(value, tolerance) && *tolerance >= 0.0) {
    return true;
  }
  return cli_complain("compare", "%s: expected a number that is not negative, got '%s'", name,
                      value);
}

static bool take_rtol(void* data, const char* value) {
  return take_tolerance("--rtol", value, &((CompareArguments*)data)->tolerance.rtol);
}

static bool take_atol(void* data, const char* value) {
  return take_tolerance("--atol", value, &((CompareArguments*)data)->tolerance.atol);
}

static bool take_all(void* data, const char* value) {
  (void)value;
  ((CompareArguments*)data)->tolerance.all = true;
  return true;
}

static bool take_common(void* data, const char* value) {
  (void)value;
  ((CompareArguments*)data)->tolerance.common = true;
  return true;
}

/* A folder of results stands for its comparison.csv; the path is then ours. */
static char* in_folder(const char* path) {
  struct stat status;
  const size_t size = strlen(path) + sizeof "/comparison.csv";
  char* inside = NULL;
  if (stat(path, &status) == 0 && S_ISDIR(status.st_mode) && (inside = malloc(size))) {
    snprintf(inside, size, "%s/comparison.csv", path);
  }
  return inside;
}

/* Exit codes are those of diff, for which trouble must not look like a difference. */
static int compare_files(const CompareArguments* arguments) {
  VidaError error = {0};
  bool same = false;
  if (VidaReport_Compare(arguments->files[0], arguments->files[1], &arguments->tolerance, stdout,
                         &same, &error) &&
      !cli_reader_is_gone()) {
    fprintf(stderr, "vida compare: %s\n", error.message);
    return EXIT_USAGE;
  }
  return same ? EXIT_OK : EXIT_FAILED;
}

static int run_compare(const CliCommand* command, int count, char** texts) {
  CompareArguments arguments = {.tolerance = {.rtol = 1e-9}};
  char* inside[2] = {NULL, NULL};
  const CliParsed parsed = cli_parse(command, count, texts, &arguments);
  if (parsed != CLI_GO_ON) {
    return parsed == CLI_WRONG ? EXIT_USAGE : EXIT_OK;
  }
  if (!arguments.files[1]) {
    cli_complain(command->name, "the names of two files are needed");
    return EXIT_USAGE;
  }
  for (int i = 0; i < 2; i++) {
    inside[i] = in_folder(arguments.files[i]);
    arguments.files[i] = inside[i] ? inside[i] : arguments.files[i];
  }
  const int code = compare_files(&arguments);
  free(inside[0]);
  free(inside[1]);
  return code;
}

static const CliOption compare_options[] = {
    {"--rtol", "NUMBER", "relative difference that is none, default 1e-9", take_rtol},
    {"--atol", "NUMBER", "absolute difference that is none, default 0", take_atol},
    {"--common", NULL, "rows and columns that only one file has are no difference", take_common},
    {"--all", NULL, "show every cell that differs, not the first 20", take_all},
    {NULL, NULL, NULL, NULL}};

const CliCommand cli_compare_command = {
    .name = "compare",
    .operand = "A.csv B.csv",
    .summary = "Tell how far two files of results are apart, row by row and by columns.",
    .details =
        "\nTwo comparison.csv (or their folders), whose rows are matched by system, method,\n"
        "options, h and rtol, all columns but wall_s and message; or two trajectories,\n"
        "whose rows are matched by t. A cell is beyond the tolerance when it is beyond rtol\n"
        "and atol. Differences are relative to the larger value; in trajectories to the\n"
        "largest one of the column, so that passing through zero does not matter.\n"
        "Exit code: 0 nothing is beyond the tolerance, 1 something is, 2 wrong usage or a\n"
        "file that cannot be read.\n",
    .examples =
        "  vida compare before/comparison.csv after/comparison.csv\n"
        "  vida compare results-gcc results-clang --rtol 1e-6 --atol 1e-12\n"
        "  vida compare a/run.csv b/run.csv --common\n",
    .options = compare_options,
    .take_operand = take_file,
    .run = run_compare,
};
