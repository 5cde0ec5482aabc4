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
  return cli_usage_error("compare", "expected two files, got a third one, '%s'", value);
}

static bool take_tolerance(const char* name, const char* value, double* tolerance) {
  if (vida__read_real(value, tolerance) && *tolerance >= 0.0) {
    return true;
  }
  return cli_usage_error("compare", "%s: expected a number that is not negative, got '%s'", name,
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

/* Returns the path of comparison.csv in a folder of results, which the caller frees; NULL for a
 * file. */
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
      !cli_is_output_closed()) {
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
    cli_usage_error(command->name, "expected the names of two files");
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
    {"--rtol", CLI_VALUE("NUMBER", CLI_OTHER), "relative tolerance, default 1e-9", take_rtol},
    {"--atol", CLI_VALUE("NUMBER", CLI_OTHER), "absolute tolerance, default 0", take_atol},
    {"--common", NULL, "ignore rows and columns that only one file has", take_common},
    {"--all", NULL, "show all cells that differ, not only the first 20", take_all},
    {NULL, NULL, NULL, NULL}};

const CliCommand cli_compare_command = {
    .name = "compare",
    .operand = CLI_VALUE("A.csv B.csv", CLI_TABLE),
    .summary = "Compare two files of results by rows and columns.",
    .details =
        "\n"
        "Compares two files comparison.csv (or their folders), or two trajectories: CSV\n"
        "files, or runs of HDF5 files, DIR/trajectories.h5:RUN; two HDF5 files without\n"
        ":RUN are compared run by run. Rows of comparisons are matched by system, method,\n"
        "options, h and rtol, and the columns wall_s and message are ignored; rows of\n"
        "trajectories are matched by t. Two cells differ if their difference exceeds both\n"
        "rtol and atol. rtol is relative to the larger value; in trajectories, to the\n"
        "largest value of the column, so that passing through zero does not matter.\n"
        "Exit code: 0 no cell differs, 1 some cells differ, 2 wrong usage or a file\n"
        "cannot be read.\n",
    .examples =
        "  vida compare before/comparison.csv after/comparison.csv\n"
        "  vida compare results-gcc results-clang --rtol 1e-6 --atol 1e-12\n"
        "  vida compare a/run.csv b/run.csv --common\n",
    .options = compare_options,
    .take_operand = take_file,
    .run = run_compare,
};
