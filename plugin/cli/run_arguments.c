#include "run_arguments.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "terminal.h"

static const char* const format_names[] = {"table", "csv", "json", "hdf5", NULL};

bool cli_take_run_script(void* data, const char* value) {
  return cli_take_scenario("run", &((RunArguments*)data)->script, value);
}

static bool take_out(void* data, const char* value) {
  ((RunArguments*)data)->out = ((RunArguments*)data)->sandbox.sandbox.out = value;
  return value[0] ? true : cli_usage_error("run", "--out needs the name of a folder");
}

static bool take_format(void* data, const char* value) {
  int format = FORMAT_TABLE;
  RunArguments* arguments = data;
  if (!cli_take_choice("run", "--format: ", value, format_names, &format)) {
    return false;
  }
  if (format == FORMAT_HDF5) { /* of trajectories; the rows keep theirs */
    arguments->hdf5 = true;
  } else {
    arguments->format = (RunFormat)format;
  }
  return true;
}

static bool take_trajectories(void* data, const char* value) {
  (void)value;
  ((RunArguments*)data)->trajectories = true;
  return true;
}

static bool take_columns(void* data, const char* value) {
  ((RunArguments*)data)->columns = value;
  return true;
}

/* --columns help */
int cli_list_parts(void) {
  cli_print_wrapped(stdout, 0,
                    "Parts of trajectories for --columns, in the order in which they are written. "
                    "'all' are those without a star. Names of single columns, such as 'bob.x', "
                    "may follow.");
  for (int i = 0; Vida_TrajectoryPart(i); i++) {
    const VidaTrajectoryPart* part = Vida_TrajectoryPart(i);
    char name[40];
    snprintf(name, sizeof name, "%s%s", part->name, part->automatic ? "" : " *");
    cli_print_item(stdout, name, part->text);
  }
  return EXIT_OK;
}

static bool take_setting(void* data, const char* value) {
  return cli_add_setting("run", &((RunArguments*)data)->settings, value);
}

/* Stores a whole number within the limits as the setting of that name. */
static bool take_whole(RunArguments* arguments, const char* name, const char* value,
                       long long least, long long most, char* text, size_t size) {
  char* end = NULL;
  errno = 0;
  const long long number = strtoll(value, &end, 10);
  if (end == value || *end || errno || number < least || number > most) {
    return cli_usage_error("run", "--%s: expected a whole number%s, got '%s'", name,
                           most <= 1024 ? " from 0 (as many as processors) to 1024" : "", value);
  }
  snprintf(text, size, "%s=%lld", name, number);
  return cli_add_text("run", &arguments->settings, text);
}

static bool take_jobs(void* data, const char* value) {
  RunArguments* arguments = data;
  return take_whole(arguments, "jobs", value, 0, 1024, arguments->jobs, sizeof arguments->jobs);
}

static bool take_wall_limit(void* data, const char* value) {
  RunArguments* arguments = data;
  char* end = NULL;
  const double seconds = strtod(value, &end);
  if (end == value || *end || !(seconds > 0.0) || strlen(value) > 40) {
    return cli_usage_error("run", "--wall-limit: expected a positive number of seconds, got '%s'",
                           value);
  }
  snprintf(arguments->wall_limit, sizeof arguments->wall_limit, "wall_limit=%s", value);
  return cli_add_text("run", &arguments->settings, arguments->wall_limit);
}

/* An option of comparisons that is switched on. */
static bool switch_on(void* data, const char* setting) {
  return cli_add_text("run", &((RunArguments*)data)->settings, setting);
}

static bool take_defects(void* data, const char* value) {
  (void)value;
  return switch_on(data, "symplectic=true") && switch_on(data, "reversibility=true");
}

static bool take_drift(void* data, const char* value) {
  (void)value;
  return switch_on(data, "drift=true") && switch_on(data, "shadow=8");
}

static bool take_shadow(void* data, const char* value) {
  (void)value;
  return switch_on(data, "shadow=8");
}

static bool take_seed(void* data, const char* value) {
  RunArguments* arguments = data;
  return take_whole(arguments, "seed", value, LLONG_MIN, LLONG_MAX, arguments->seed,
                    sizeof arguments->seed);
}

static bool take_only(void* data, const char* value) {
  if (!Vida_FindMethod(value)) {
    return cli_unknown_method_error("run", value);
  }
  return cli_add_text("run", &((RunArguments*)data)->only, value);
}

static bool take_quiet(void* data, const char* value) {
  (void)value;
  ((RunArguments*)data)->quiet = true;
  return true;
}

static bool take_settings(void* data, const char* value) {
  (void)value;
  ((RunArguments*)data)->settings_only = true;
  return true;
}

static bool take_report(void* data, const char* value) {
  (void)value;
  ((RunArguments*)data)->report = true;
  return true;
}

static bool take_resume(void* data, const char* value) {
  (void)value;
  ((RunArguments*)data)->resume = true;
  return true;
}

static bool take_overwrite(void* data, const char* value) {
  (void)value;
  ((RunArguments*)data)->overwrite = true;
  return true;
}

static bool take_plot(void* data, const char* value) {
  RunArguments* arguments = data;
  arguments->plot = true;
  return value ? cli_take_kinds("run", &arguments->pictures, value) : true;
}

bool cli_run_takes_next(const CliOption* option, const char* next) {
  (void)option; /* there is one such option */
  return cli_may_be_kinds(next);
}

const CliOption cli_run_options[] = {
    {"--out", CLI_VALUE("DIR", CLI_FOLDER),
     "write comparison.csv and .json, every trajectory and report.json", take_out},
    {"--resume", NULL, "go on with the unfinished runs in DIR, after a kill or Ctrl-C",
     take_resume},
    {"--overwrite", NULL, "begin anew in DIR, though it has finished runs of an unfinished study",
     take_overwrite},
    {"--report", NULL, "write DIR/report.html; without --out, DIR is SCENARIO-report", take_report},
    {"--format", CLI_CHOICE("table|csv|json|hdf5", format_names),
     "format of the rows, by default a table; hdf5: of the trajectories, in DIR/trajectories.h5",
     take_format},
    {"--columns", CLI_VALUE("LIST", CLI_OTHER),
     "write only these columns of trajectories, such as q,v,energy; help lists them", take_columns},
    {"--trajectories", NULL, "write the trajectories of a sweep, too", take_trajectories},
    {"--set", CLI_VALUE("name=value", CLI_OTHER),
     "set a vida.setting or an option of the comparison", take_setting},
    {"--settings", NULL, "list the names, types and units that --set accepts; make no runs",
     take_settings},
    {"--only", CLI_VALUE("METHOD", CLI_METHOD),
     "make only the runs of this method; may be repeated", take_only},
    {"--jobs", CLI_VALUE("N", CLI_OTHER),
     "make N runs in parallel; 0: one on each processor. Parallel runs slow each other down",
     take_jobs},
    {"--wall-limit", CLI_VALUE("S", CLI_OTHER),
     "end each run after S seconds of wall time, with the status WALL_LIMIT", take_wall_limit},
    {"--seed", CLI_VALUE("N", CLI_OTHER),
     "seed of the random numbers for clouds of starts and for a vida.setting \"seed\"", take_seed},
    {"--defects", NULL,
     "measure the defects of the symplectic form and of reversibility of each method",
     take_defects},
    {"--drift", NULL, "report drifts with confidence intervals, and oscillations about them",
     take_drift},
    {"--shadow", NULL,
     "measure the shadow energies of symplectic methods, which oscillate far less than the energy",
     take_shadow},
    {"--plot", CLI_VALUE("[KIND,...]", CLI_PICTURE | CLI_OPTIONAL),
     "draw pictures with gnuplot into DIR/plots; see 'vida plot --help'", take_plot},
    {"--quiet", NULL, "show no progress", take_quiet},
    CLI_SANDBOX_OPTIONS,
    {NULL, NULL, NULL, NULL}};

bool cli_check_trajectories(RunArguments* arguments) {
  const char* wish = arguments->hdf5           ? "--format hdf5"
                     : arguments->trajectories ? "--trajectories"
                     : arguments->columns      ? "--columns"
                                               : NULL;
  char version[VIDA_NAME_SIZE];
  if (wish && !arguments->out && !arguments->report) {
    return cli_usage_error("run", "%s needs --out DIR, where the trajectories are written", wish);
  }
  if (arguments->hdf5 && !VidaReport_Hdf5Version(version)[0]) {
    return cli_usage_error("run",
                           "--format hdf5: this vida has no HDF5; install libhdf5 with its headers "
                           "(Debian: libhdf5-dev) and build vida again, or write csv");
  }
  return arguments->hdf5           ? switch_on(arguments, "trajectories=hdf5")
         : arguments->trajectories ? switch_on(arguments, "trajectories=csv")
                                   : true;
}
