/* vida plot DIR: pictures of the results in a folder; `vida run --plot` draws them, too. */
#include "plot.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "binding.h"
#include "commands.h"
#include "scenario.h"

static const char* kind_name(const void* list, int index) {
  (void)list;
  return Vida_PlotKind(index)->name;
}

/* ---- kinds ----------------------------------------------------------------------------------- */

static int find_kind(const char* name, size_t length) {
  for (int i = 0; Vida_PlotKind(i); i++) {
    const char* known = Vida_PlotKind(i)->name;
    if (strlen(known) == length && strncmp(known, name, length) == 0) {
      return i;
    }
  }
  return -1;
}

static bool are_kinds(const char* text) {
  do {
    const size_t length = strcspn(text, ",");
    if (find_kind(text, length) < 0) {
      return false;
    }
    text += length;
  } while (*text++ == ',');
  return true;
}

bool cli_may_be_kinds(const char* text) {
  return are_kinds(text) ||
         (!cli_is_script_name(text) && text[0] != '-' && access(text, F_OK) != 0);
}

static bool take_kind(const char* command, CliPictures* pictures, const char* name, size_t length) {
  const int kind = find_kind(name, length);
  if (kind < 0) {
    char text[80] = "", names[512] = "";
    int count = 0;
    while (Vida_PlotKind(count)) {
      count++;
    }
    vida__append(text, sizeof text, "%.*s", (int)length, name);
    const int nearest = Vida_NearestName(text, count, kind_name, NULL);
    if (nearest >= 0) {
      return cli_usage_error(command, "unknown kind of picture '%s'; did you mean '%s'?", text,
                             kind_name(NULL, nearest));
    }
    for (int i = 0; i < count; i++) {
      vida__append(names, sizeof names, "%s%s", i > 0 ? ", " : "", kind_name(NULL, i));
    }
    return cli_usage_error(command, "unknown kind of picture '%s'; there are %s", text, names);
  }
  for (int i = 0; i < pictures->count; i++) {
    if (pictures->kinds[i] == kind) {
      return true;
    }
  }
  if (pictures->count < CLI_MOST_KINDS) {
    pictures->kinds[pictures->count++] = kind;
  }
  return true;
}

bool cli_take_kinds(const char* command, CliPictures* pictures, const char* text) {
  bool good = true;
  do {
    const size_t length = strcspn(text, ",");
    good = take_kind(command, pictures, text, length);
    text += length;
  } while (good && *text++ == ',');
  return good;
}

/* ---- drawing --------------------------------------------------------------------------------- */

static bool is_flag(const VidaError* error, const char* flag) {
  return strcmp(error->flag, flag) == 0;
}

/* The pictures of one comparison; *drawn counts them. */
static int draw_study(const char* directory, const CliPictures* pictures, VidaPlot* plot,
                      int* drawn, char* names, size_t size, VidaError* error) {
  int code = VIDA_SUCCESS;
  const bool all = pictures->count == 0;
  for (int i = 0; !code && (all ? Vida_PlotKind(i) != NULL : i < pictures->count); i++) {
    const VidaPlotKind* kind = Vida_PlotKind(all ? i : pictures->kinds[i]);
    if (all && !kind->automatic) {
      continue;
    }
    plot->kind = kind->name;
    memset(error, 0, sizeof *error);
    code = VidaReport_Plot(directory, plot, error);
    if (!code) {
      (*drawn)++;
      vida__append(names, size, "%s%s", names[0] ? ", " : "", plot->name ? plot->name : kind->name);
    } else if (all && is_flag(error, "NO_DATA")) {
      code = VIDA_SUCCESS;
    }
  }
  return code;
}

int cli_draw_pictures(const char* directory, const CliPictures* pictures, bool quiet,
                      VidaError* error) {
  const int count = VidaReport_StudyCount(directory, error);
  VidaPlot plot = pictures->plot;
  int drawn = 0, code = count > 0 ? VIDA_SUCCESS : error->code;
  plot.svg = plot.svg || !plot.png;
  for (int study = 0; study < count && !code; study++) {
    char names[512] = "";
    if (pictures->study > 0 && study != pictures->study - 1) {
      continue;
    }
    plot.study = study;
    code = draw_study(directory, pictures, &plot, &drawn, names, sizeof names, error);
    if (names[0] && !quiet) {
      char folder[32] = "";
      if (count > 1) {
        vida__append(folder, sizeof folder, "/%d", study + 1);
      }
      fprintf(stderr, "vida: pictures in %s%s: %s\n", plot.folder ? plot.folder : directory,
              plot.folder ? "" : strcat(folder, "/plots"), names);
    }
  }
  if (!code && drawn == 0) {
    error->code = code = VIDA_NOT_SUPPORTED;
    snprintf(error->message, sizeof error->message, "'%s' has nothing to draw%s", directory,
             pictures->study > count ? ": there is no such comparison" : "");
  }
  return code;
}

bool cli_is_without_gnuplot(const VidaError* error) {
  return is_flag(error, "NO_GNUPLOT");
}

/* ---- the command ----------------------------------------------------------------------------- */

typedef struct PlotArguments {
  const char* directory;
  CliPictures pictures;
  bool quiet;
  TextList methods, columns;
  double* steps;
} PlotArguments;

static bool take_operand(void* data, const char* value) {
  PlotArguments* arguments = data;
  if (!arguments->directory) {
    arguments->directory = value;
    return value[0] ? true : cli_usage_error("plot", "the folder has no name");
  }
  return cli_take_kinds("plot", &arguments->pictures, value);
}

static bool take_only(void* data, const char* value) {
  return cli_add_text("plot", &((PlotArguments*)data)->methods, value);
}

static bool take_column(void* data, const char* value) {
  return cli_add_text("plot", &((PlotArguments*)data)->columns, value);
}

static bool take_steps(void* data, const char* value) {
  PlotArguments* arguments = data;
  VidaPlot* plot = &arguments->pictures.plot;
  while (true) {
    char text[64] = "";
    double step = 0.0;
    const size_t length = strcspn(value, ",");
    double* grown =
        realloc(arguments->steps, ((size_t)plot->step_count + 1) * sizeof *arguments->steps);
    if (!grown) {
      return cli_usage_error("plot", "out of memory");
    }
    arguments->steps = grown;
    vida__append(text, sizeof text, "%.*s", (int)length, value);
    if (!vida__read_real(text, &step) || step <= 0.0) {
      return cli_usage_error("plot", "--h: expected steps in s, as in 0.1,0.01, got '%s'", text);
    }
    arguments->steps[plot->step_count++] = step;
    plot->steps = arguments->steps;
    value += length;
    if (*value++ != ',') {
      return true;
    }
  }
}

static bool take_time(void* data, const char* value) {
  VidaPlot* plot = &((PlotArguments*)data)->pictures.plot;
  char from[64] = "";
  const char* colon = strchr(value, ':');
  vida__append(from, sizeof from, "%.*s", (int)strcspn(value, ":"), value);
  if (!colon || !vida__read_real(from, &plot->from) || !vida__read_real(colon + 1, &plot->to) ||
      plot->to <= plot->from) {
    return cli_usage_error("plot", "--time: expected FROM:TO in s, as in 0:5, got '%s'", value);
  }
  return true;
}

enum { FORMAT_SVG, FORMAT_PNG, FORMAT_BOTH };
static const char* const format_names[] = {
    [FORMAT_SVG] = "svg", [FORMAT_PNG] = "png", [FORMAT_BOTH] = "both", NULL};

static bool take_format(void* data, const char* value) {
  VidaPlot* plot = &((PlotArguments*)data)->pictures.plot;
  int format = FORMAT_SVG;
  const bool good = cli_take_choice("plot", "--format: ", value, format_names, &format);
  plot->svg = format != FORMAT_PNG;
  plot->png = format != FORMAT_SVG;
  return good;
}

static bool take_folder(void* data, const char* value) {
  ((PlotArguments*)data)->pictures.plot.folder = value;
  return value[0] ? true : cli_usage_error("plot", "--out needs the name of a folder");
}

static bool take_name(void* data, const char* value) {
  ((PlotArguments*)data)->pictures.plot.name = value;
  return value[0] && !strchr(value, '/')
             ? true
             : cli_usage_error("plot", "--name: '%s' is not a name", value);
}

static bool take_title(void* data, const char* value) {
  ((PlotArguments*)data)->pictures.plot.title = value;
  return true;
}

static bool take_study(void* data, const char* value) {
  double number = 0.0;
  if (!vida__read_real(value, &number) || number < 1.0 || number > 1e6 ||
      number != (double)(int)number) {
    return cli_usage_error("plot", "--comparison: expected 1, 2, ..., got '%s'", value);
  }
  ((PlotArguments*)data)->pictures.study = (int)number;
  return true;
}

static bool take_quiet(void* data, const char* value) {
  (void)value;
  ((PlotArguments*)data)->quiet = true;
  return true;
}

static const CliOption plot_options[] = {
    {"--only", CLI_VALUE("METHOD", CLI_METHOD),
     "draw only the runs of this method; may be repeated", take_only},
    {"--h", CLI_VALUE("H,...", CLI_OTHER), "draw only runs with these steps (or tolerances)",
     take_steps},
    {"--columns", CLI_VALUE("NAME", CLI_OTHER),
     "draw this column of the trajectories, or this error; may be repeated", take_column},
    {"--time", CLI_VALUE("FROM:TO", CLI_OTHER), "draw only this range of time, in s", take_time},
    {"--comparison", CLI_VALUE("N", CLI_OTHER), "draw only this one of several comparisons in DIR",
     take_study},
    {"--format", CLI_CHOICE("svg|png|both", format_names), "format of the pictures, by default svg",
     take_format},
    {"--out", CLI_VALUE("FOLDER", CLI_FOLDER), "write the pictures to FOLDER instead of DIR/plots",
     take_folder},
    {"--name", CLI_VALUE("NAME", CLI_OTHER), "name of the files without extension", take_name},
    {"--title", CLI_VALUE("TEXT", CLI_OTHER), "title of the picture", take_title},
    {"--quiet", NULL, "do not list the pictures that were drawn", take_quiet},
    {NULL, NULL, NULL, NULL}};

static int plot_results(PlotArguments* arguments) {
  Scenario nobody = {0};
  VidaError error = {0};
  cli_add_text("plot", &arguments->methods, NULL);
  cli_add_text("plot", &arguments->columns, NULL);
  arguments->pictures.plot.methods = arguments->methods.count > 1 ? arguments->methods.items : NULL;
  arguments->pictures.plot.columns = arguments->columns.count > 1 ? arguments->columns.items : NULL;
  if (cli_draw_pictures(arguments->directory, &arguments->pictures, arguments->quiet, &error)) {
    cli_fail(&nobody, EXIT_FAILED, error.message);
    return EXIT_FAILED;
  }
  return EXIT_OK;
}

static int plot_command(const CliCommand* command, int count, char** texts) {
  PlotArguments arguments = {0};
  int code = EXIT_USAGE;
  const CliParsed parsed = cli_parse(command, count, texts, &arguments);
  if (parsed == CLI_HELP_SHOWN) {
    code = EXIT_OK;
  } else if (parsed == CLI_GO_ON && !arguments.directory) {
    cli_usage_error(command->name, "the name of a folder with results is missing");
  } else if (parsed == CLI_GO_ON && arguments.pictures.plot.name && arguments.pictures.count != 1) {
    cli_usage_error(command->name, "--name needs one kind of picture");
  } else if (parsed == CLI_GO_ON) {
    code = plot_results(&arguments);
  }
  free(arguments.methods.items);
  free(arguments.columns.items);
  free(arguments.steps);
  return code;
}

const CliCommand cli_plot_command = {
    .name = "plot",
    .operand = CLI_VALUE("DIR [KIND ...]", CLI_FOLDER | CLI_PICTURE),
    .summary = "Draw pictures of the results in a folder, with gnuplot.",
    .details =
        "\n"
        "DIR is the folder of 'vida run --out DIR'. Writes each picture to DIR/plots with\n"
        "its data (.dat) and its gnuplot script (.gp), which can be edited and run again.\n"
        "Without a KIND, draws all kinds for which the results have data:\n"
        "\n"
        "  energy          energy minus that of the start and the work, for each step\n"
        "  shadow          shadow energy minus its first value, after run --shadow\n"
        "  drift           largest violation of g = 0 and of G v + g_t = 0\n"
        "  momentum        momentum maps minus those of the start\n"
        "  multipliers     multipliers over time\n"
        "  phase           each coordinate against its rate\n"
        "  trajectory      paths of points in the plane, or their projections\n"
        "  work-precision  position error against time and evaluations\n"
        "  convergence     errors against the step or tolerance, with slopes 1, 2, 4\n"
        "  sparsity        pattern of the KKT matrix\n"
        "  time            columns over time; needs --columns. 'energy@0.1+0.01' draws\n"
        "                  only the runs with these steps\n"
        "\n"
        "A method has the same colour in all pictures.\n"
        "Exit code: 0 success, 1 nothing to draw or no gnuplot, 2 wrong usage.\n",
    .examples =
        "  vida run scenarios/double_spherical_pendulum.lua --out results --plot\n"
        "  vida plot results energy convergence --format both\n"
        "  vida plot results time --columns lower.y --h 0.1,0.0001 --time 0:10\n",
    .options = plot_options,
    .take_operand = take_operand,
    .run = plot_command,
};
