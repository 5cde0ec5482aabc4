/* vida export DIR: trajectories of results for other programs. */
#include <stdio.h>
#include <vida/vida.h>

#include "base/text.h"
#include "commands.h"

typedef struct ExportArguments {
  const char* directory;
  int comparison; /* 0: all */
  VidaExport wishes;
} ExportArguments;

static const char* const format_names[] = {"numpy", "vtk", NULL};

static bool take_directory(void* data, const char* value) {
  ExportArguments* arguments = data;
  if (arguments->directory) {
    return cli_usage_error("export", "one folder at a time, got '%s' and '%s'",
                           arguments->directory, value);
  }
  arguments->directory = value;
  return value[0] ? true : cli_usage_error("export", "the name of a folder is empty");
}

static bool take_format(void* data, const char* value) {
  int format = 0;
  const bool good = cli_take_choice("export", "--format: ", value, format_names, &format);
  ((ExportArguments*)data)->wishes.format = format_names[format];
  return good;
}

static bool take_number(const char* name, const char* value, int* number) {
  double read = 0.0;
  if (!vida__read_real(value, &read) || read < 1.0 || read > 1e9 || read != (double)(int)read) {
    return cli_usage_error("export", "%s: expected 1, 2, ..., got '%s'", name, value);
  }
  *number = (int)read;
  return true;
}

static bool take_run(void* data, const char* value) {
  return take_number("--run", value, &((ExportArguments*)data)->wishes.run);
}

static bool take_comparison(void* data, const char* value) {
  return take_number("--comparison", value, &((ExportArguments*)data)->comparison);
}

static bool take_folder(void* data, const char* value) {
  ((ExportArguments*)data)->wishes.folder = value;
  return value[0] ? true : cli_usage_error("export", "--out needs the name of a folder");
}

static int export_results(ExportArguments* arguments) {
  VidaError error = {0};
  const int count = VidaReport_StudyCount(arguments->directory, &error);
  int all = 0, code = count > 0 ? VIDA_SUCCESS : VIDA_INPUT_OUTPUT;
  const int first = arguments->comparison > 0 ? arguments->comparison - 1 : 0;
  const int end = arguments->comparison > 0 ? arguments->comparison : count;
  for (int study = first; study < end && !code; study++) {
    int written = 0;
    arguments->wishes.study = study;
    code = VidaReport_Export(arguments->directory, &arguments->wishes, &written, &error);
    all += written;
  }
  if (code) {
    fprintf(stderr, "vida: %s\n", error.message);
    return EXIT_FAILED;
  }
  printf("%d trajector%s exported to %s", all, all == 1 ? "y" : "ies",
         arguments->wishes.folder ? arguments->wishes.folder : arguments->directory);
  printf(arguments->wishes.folder ? "\n" : "/%s%s\n",
         count > 1 && arguments->comparison == 0 ? "<N>/" : "", arguments->wishes.format);
  return EXIT_OK;
}

static int export_command(const CliCommand* command, int count, char** texts) {
  ExportArguments arguments = {0};
  const CliParsed parsed = cli_parse(command, count, texts, &arguments);
  if (parsed != CLI_GO_ON) {
    return parsed == CLI_HELP_SHOWN ? EXIT_OK : EXIT_USAGE;
  }
  if (!arguments.directory || !arguments.wishes.format) {
    cli_usage_error(command->name, arguments.directory
                                       ? "--format is missing: numpy or vtk"
                                       : "the name of a folder with results is missing");
    return EXIT_USAGE;
  }
  return export_results(&arguments);
}

static const CliOption export_options[] = {
    {"--format", CLI_CHOICE("numpy|vtk", format_names), "format of the files", take_format},
    {"--run", CLI_VALUE("N", CLI_OTHER), "export only run N, counted from 1 as rows are", take_run},
    {"--comparison", CLI_VALUE("N", CLI_OTHER),
     "export only this one of several comparisons in DIR", take_comparison},
    {"--out", CLI_VALUE("FOLDER", CLI_FOLDER), "write to FOLDER instead of DIR/numpy or DIR/vtk",
     take_folder},
    {NULL, NULL, NULL, NULL}};

const CliCommand cli_export_command = {
    .name = "export",
    .operand = CLI_VALUE("DIR", CLI_FOLDER),
    .summary = "Write trajectories for NumPy or ParaView.",
    .details =
        "\n"
        "DIR is the folder of 'vida run --out DIR', with trajectories in CSV or HDF5.\n"
        "numpy writes <run>.npy, a structured array with a field for each column:\n"
        "numpy.load(\"<run>.npy\")[\"energy\"]. vtk writes <run>.pvd, a series of at most\n"
        "1000 states for ParaView with points and lines, and <run>-paths.vtp, the paths of\n"
        "the points. Lines are there if the run wrote them: --columns all,drawing.\n"
        "Exit code: 0 success, 1 failure, 2 wrong usage.\n",
    .examples =
        "  vida run scenarios/pendulum.lua --out results --columns all,drawing\n"
        "  vida export results --format vtk --run 1\n"
        "  vida export results --format numpy\n",
    .options = export_options,
    .take_operand = take_directory,
    .run = export_command,
};
