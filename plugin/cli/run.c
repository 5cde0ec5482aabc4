/* vida run SCENARIO.lua: runs the comparisons that a script returns and reports them. */
#include <errno.h>
#include <lauxlib.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/text.h"
#include "binding.h"
#include "commands.h"
#include "plot.h"
#include "ranks.h"
#include "run_arguments.h"
#include "scenario.h"
#include "terminal.h"

/* ---- the comparisons that a script returns --------------------------------------------------- */

typedef struct Work {
  Scenario scenario; /* first member: common to all commands */
  const RunArguments* arguments;
  VidaFolder* folder; /* NULL: nothing is written */
  /* Owned by Lua, NULL if nothing is written: the folder, DIR/report.json, and for each study its
   * folder (DIR, or DIR/1, DIR/2, ... for several studies) and its recording. */
  const char *out, *data;
  const char** directories;
  VidaRecording** recording;
  const VidaRanks* ranks; /* NULL: this is the only process */
  bool is_together;       /* all processes have made the sweeps, and end by themselves */
  VidaJournal* journal;   /* not of Lua */
  bool is_written;        /* all results are in their files */
} Work;

/* Removes comparisons that have no runs because of --only. */
static bool drop_empty_studies(Work* work) {
  int kept = 0;
  for (int i = 0; i < work->scenario.count; i++) {
    const VidaStudy* study = work->scenario.studies[i];
    if (VidaStudy_RunCount(study) > 0 || VidaStudy_SweepCounts(study).runs > 0) {
      work->scenario.studies[kept++] = work->scenario.studies[i];
    }
  }
  work->scenario.count = kept;
  if (kept == 0) {
    cli_fail(&work->scenario, EXIT_USAGE, "--only: the scenario has no run of this method");
  }
  return kept > 0;
}

/* --columns, for all comparisons of the scenario. */
static bool select_columns(Work* work) {
  VidaError error;
  const char* columns = work->arguments->columns;
  for (int i = 0; i < work->scenario.count && columns; i++) {
    if (VidaStudy_SelectColumns(work->scenario.studies[i], columns, &error)) {
      char message[VIDA_MESSAGE_SIZE + 8];
      snprintf(message, sizeof message, "--%s", error.message);
      cli_fail(&work->scenario, EXIT_USAGE, message);
      return false;
    }
  }
  return true;
}

/* ---- running and reporting ------------------------------------------------------------------- */

static int save_results(void* data, VidaError* error);

/* Warns, before the runs begin, about runs that cannot end in reasonable time. */
static void print_cost_warnings(const Work* work, int study) {
  char text[VIDA_NOTES_SIZE];
  VidaStudy_CostWarnings(work->scenario.studies[study], false, text, sizeof text);
  for (const char *line = text, *end; *line; line = end + (*end ? 1 : 0)) {
    end = line + strcspn(line, "\n");
    fprintf(stderr, "vida: note: %.*s\n", (int)(end - line), line);
  }
}

#define LARGE_TRAJECTORIES 1e8 /* bytes */

/* Tells before the runs how much they will write. */
static void print_size(const Work* work) {
  double bytes = 0.0;
  int runs = 0;
  for (int i = 0; i < work->scenario.count && work->out; i++) {
    bytes += VidaStudy_TrajectoryBytes(work->scenario.studies[i]);
    runs += VidaStudy_RunCount(work->scenario.studies[i]);
  }
  if (bytes > LARGE_TRAJECTORIES) {
    fprintf(stderr,
            "vida: note: the trajectories of %d run%s will take about %.2g GB%s; the option every "
            "writes fewer rows, --columns fewer columns, and --set trajectories=none no "
            "trajectories\n",
            runs, vida__plural(runs), bytes / 1e9,
            work->arguments->hdf5 ? " before compression" : "");
  }
}

static int run_studies(lua_State* L, Work* work, VidaError* error) {
  const RunArguments* arguments = work->arguments;
  VidaLuaWatch watch = vidalua_begin_interrupt_checks(L);
  VidaLuaRun wishes = {.is_interrupted = vidalua_is_interrupted, .data = &watch};
  wishes.show_progress = !arguments->quiet && vidalua_progress_has_terminal();
  watch.hook = NULL; /* also an interrupt that came before */
  if (work->out) {
    wishes.save = save_results;
    wishes.saved = work;
  }
  int failure = VIDA_SUCCESS;
  for (int i = 0; i < work->scenario.count; i++) {
    print_cost_warnings(work, i);
  }
  print_size(work);
  for (int i = 0; i < work->scenario.count; i++) {
    VidaError problem;
    wishes.directory = work->out ? work->directories[i] : NULL;
    wishes.recording = work->out ? work->recording[i] : NULL;
    wishes.journal = work->journal;
    wishes.study = i;
    wishes.studies = work->scenario.count;
    wishes.progress = work->out;
    const int code = vidalua_run_study(work->scenario.studies[i], &wishes, &problem);
    if (code && !failure) {
      failure = code;
      *error = problem;
    }
    if (code && !vidalua_has_rows(work->scenario.studies[i], code)) {
      break;
    }
  }
  return failure;
}

static VidaJournalScope journal_scope(const Work* work) {
  return (VidaJournalScope){.directory = work->out,
                            .count = work->scenario.count,
                            .studies = work->scenario.studies,
                            .recording = work->recording,
                            .directories = work->directories};
}

/* Continues the journal of an unfinished study. */
static int continue_journal(Work* work, VidaError* error) {
  const VidaJournalScope scope = journal_scope(work);
  const int code = VidaJournal_Resume(&scope, &work->journal, error);
  if (!code && VidaJournal_LostBytes(work->journal) > 0) {
    fprintf(stderr,
            "vida: note: the last %lld bytes of the journal in '%s' were incomplete or damaged; "
            "their runs are made again\n",
            VidaJournal_LostBytes(work->journal), work->out);
  }
  if (!code) {
    const int begun = VidaJournal_BegunRuns(work->journal);
    fprintf(stderr, "vida: %d run%s had finished", VidaJournal_KeptRuns(work->journal),
            vida__plural(VidaJournal_KeptRuns(work->journal)));
    if (begun > 0) {
      fprintf(stderr, ", %d had begun", begun);
    }
    fputc('\n', stderr);
  }
  return code;
}

/* What an earlier process has made is lost only where that is asked for. */
static int refuse_to_lose(const char* folder, VidaError* error) {
  static const char advice[] = "--resume goes on with it, --overwrite begins anew";
  const long starts = VidaSweep_StoredStarts(folder);
  const int runs = VidaJournal_StoredRuns(folder);
  if (starts < 0) {
    return vida__fail_flag(error, VIDA_INPUT_OUTPUT, "UNFINISHED",
                           "'%s' has an unfinished sweep, whose state is damaged; --overwrite "
                           "begins anew",
                           folder);
  }
  if (starts > 0) {
    return vida__fail_flag(error, VIDA_INPUT_OUTPUT, "UNFINISHED",
                           "'%s' has %ld stored start%s of an unfinished sweep; %s", folder, starts,
                           starts == 1 ? "" : "s", advice);
  }
  return runs == 0 ? VIDA_SUCCESS
                   : vida__fail_flag(error, VIDA_INPUT_OUTPUT, "UNFINISHED",
                                     "'%s' has %d stored run%s of an unfinished study; %s", folder,
                                     runs, vida__plural(runs), advice);
}

/* Locks and prepares the folder of the results and those of the comparisons in it. */
static int hold_folders(Work* work, VidaError* error) {
  if (!work->out) {
    return VIDA_SUCCESS;
  }
  if (work->arguments->resume) {
    return VidaReport_ReopenFolder(work->out, &work->folder, error);
  }
  const bool was_unfinished = VidaReport_IsUnfinished(work->out);
  int code = work->arguments->overwrite ? VIDA_SUCCESS : refuse_to_lose(work->out, error);
  if (code) {
    return code;
  }
  code = VidaReport_HoldFolder(work->out, &work->folder, error);
  for (int i = 0; i < work->scenario.count && work->scenario.count > 1 && !code; i++) {
    code = VidaReport_PrepareFolder(work->directories[i], error);
  }
  if (!code && was_unfinished) {
    fprintf(stderr, "vida: note: '%s' held an unfinished study, which begins anew\n", work->out);
  }
  return code;
}

/* Makes the runs of sweeps whose rows are not kept; then the studies have some of them. */
static int stream_sweeps(lua_State* L, Work* work, VidaError* error) {
  const VidaSweepScope scope = {.directory = work->out,
                                .count = work->scenario.count,
                                .studies = work->scenario.studies,
                                .folders = work->directories,
                                .ranks = work->ranks};
  VidaLuaWatch watch = vidalua_begin_interrupt_checks(L);
  const VidaLuaRun wishes = {
      .is_interrupted = vidalua_is_interrupted,
      .data = &watch,
      .show_progress = !work->arguments->quiet && vidalua_progress_has_terminal(),
      .progress = work->out};
  watch.hook = NULL; /* also an interrupt that came before */
  const int code = vidalua_run_sweeps(&scope, &wishes, work->arguments->resume, error);
  work->is_together = code == VIDA_SUCCESS;
  return code;
}

/* Processes are of use for streamed sweeps only. */
static void note_other_processes(const Work* work) {
  bool any = !work->ranks;
  for (int i = 0; i < work->scenario.count; i++) {
    any = any || VidaStudy_SweepCounts(work->scenario.studies[i]).starts > 0;
  }
  if (!any) {
    fprintf(stderr,
            "vida: note: only streamed sweeps are distributed among processes (stream=on), so one "
            "process makes all runs\n");
  }
}

/* What a process does that has no results of its own. */
static int work_for_others(lua_State* L, Work* work) {
  VidaError error;
  const int code = stream_sweeps(L, work, &error);
  return code ? cli_fail(&work->scenario, EXIT_FAILED, error.message) : 0;
}

/* Begins a journal, or continues that of an unfinished study. */
static int open_journal(Work* work, VidaError* error) {
  const VidaJournalScope scope = journal_scope(work);
  return !work->out ? VIDA_SUCCESS
         : work->arguments->resume && VidaReport_HasJournal(work->out)
             ? continue_journal(work, error)
             : VidaJournal_Create(&scope, &work->journal, error);
}

/* Removes the journal of a study that is complete; otherwise says how to go on. */
static void close_journal(Work* work, bool may_resume) {
  VidaReport_RemoveProgress(work->out); /* as long as the journal is there, nothing else is left */
  if (work->is_written && work->journal && VidaJournal_RemoveComplete(work->journal)) {
    VidaSweep_RemoveState(work->out);
  } else if (may_resume && VidaReport_IsUnfinished(work->out)) {
    fprintf(stderr, "vida: 'vida run %s --out %s --resume' goes on with the unfinished runs\n",
            work->arguments->script, work->out);
  }
  VidaJournal_Destroy(&work->journal);
}

static int print_table(const VidaStudy* study, VidaError* error) {
  const VidaTableStyle style = {.title = cli_colour(stdout, CLI_BOLD),
                                .failed = cli_colour(stdout, CLI_RED),
                                .not_run = cli_colour(stdout, CLI_YELLOW),
                                .plain = cli_colour(stdout, CLI_PLAIN)};
  return VidaReport_StyledTable(study, stdout, cli_terminal_width(), &style, error);
}

static int report(const Work* work, VidaError* error) {
  const VidaStudy* const* studies = (const VidaStudy* const*)work->scenario.studies;
  switch (work->arguments->format) {
    case FORMAT_CSV:
      return VidaReport_Csv(studies, work->scenario.count, stdout, error);
    case FORMAT_JSON:
      return VidaReport_Json(studies, work->scenario.count, stdout, error);
    case FORMAT_TABLE:
    default:
      for (int i = 0; i < work->scenario.count; i++) {
        if (i > 0) {
          putchar('\n');
        }
        const int code = print_table(studies[i], error);
        if (code) {
          return code;
        }
      }
      return VIDA_SUCCESS;
  }
}

/* ---- files ----------------------------------------------------------------------------------- */

/* Makes the recordings of all runs, which stay on the stack until the end. */
static void prepare_recordings(lua_State* L, Work* work) {
  const int count = work->out ? work->scenario.count : 0;
  luaL_checkstack(L, count + LUA_MINSTACK, "too many comparisons");
  VidaRecording** recording = lua_newuserdatauv(L, (size_t)count * sizeof *recording + 1, 0);
  for (int i = 0; i < count; i++) {
    recording[i] = vidalua_new_recording(L, work->scenario.studies[i]);
  }
  work->recording = count > 0 ? recording : NULL;
}

/* Makes names: of the folder, where none was given, that of the scenario. They stay on the stack
 * until the end. */
static void prepare_files(lua_State* L, Work* work) {
  const char* script = work->arguments->script;
  const int count = work->scenario.count;
  work->out = work->arguments->out;
  if (!work->out && !work->arguments->report) {
    return;
  }
  luaL_checkstack(L, count + LUA_MINSTACK, "too many comparisons");
  if (!work->out) {
    const char* name = strrchr(script, '/') ? strrchr(script, '/') + 1 : script;
    const size_t length = strlen(name);
    lua_pushlstring(L, name, cli_is_script_name(name) ? length - 4 : length);
    work->out = lua_pushfstring(L, "%s-report", lua_tostring(L, -1));
  }
  work->data = lua_pushfstring(L, "%s/report.json", work->out);
  work->directories = lua_newuserdatauv(L, (size_t)count * sizeof *work->directories, 0);
  for (int i = 0; i < count; i++) {
    work->directories[i] = count == 1 ? work->out : lua_pushfstring(L, "%s/%d", work->out, i + 1);
  }
}

static VidaPageFacts page_facts(const Work* work) {
  const char* script = work->arguments->script;
  const char* slash = strrchr(script, '/');
  return (VidaPageFacts){.scenario = slash ? slash + 1 : script, .software = LUA_RELEASE};
}

/* DIR/comparison.csv has the rows of all comparisons; the other files of a comparison are beside
 * its trajectories. `vida report` makes the page from DIR/report.json, which is written first, so
 * that a killed run leaves no rows without it. */
static int save_results(void* data, VidaError* error) {
  const Work* work = data;
  const VidaStudy* const* studies = (const VidaStudy* const*)work->scenario.studies;
  const VidaPageFacts facts = page_facts(work);
  const int count = work->scenario.count;
  VidaError problem;
  const int page = VidaReport_PageData((const VidaRecording* const*)work->recording, count, &facts,
                                       work->data, &problem);
  int code = VidaReport_Write(studies, count, work->out, error);
  for (int i = 0; i < count && count > 1 && !code; i++) {
    code = VidaReport_Write(studies + i, 1, work->directories[i], error);
  }
  if (!code && page) {
    code = page;
    if (error) {
      *error = problem;
    }
  }
  return code;
}

static int write_page(lua_State* L, const Work* work, VidaError* error) {
  const char* page = lua_pushfstring(L, "%s/report.html", work->out);
  const VidaPageFacts facts = page_facts(work);
  const int code = VidaReport_Page((const VidaRecording* const*)work->recording,
                                   work->scenario.count, &facts, page, error);
  if (!code) {
    fprintf(stderr, "vida: the report is %s\n", page);
  }
  lua_pop(L, 1);
  return code;
}

/* Draws the pictures. Without gnuplot prints a note, because all other results are complete. */
static int draw_pictures(const Work* work, VidaError* error) {
  const RunArguments* arguments = work->arguments;
  fflush(stdout);
  const int code = cli_draw_pictures(work->out, &arguments->pictures, arguments->quiet, error);
  if (code && cli_is_without_gnuplot(error)) {
    fprintf(stderr, "vida: %s; then 'vida plot %s' draws them\n", error->message, work->out);
    return VIDA_SUCCESS;
  }
  return code;
}

typedef struct Tally {
  long runs, finished, failed; /* the rest was not run */
} Tally;

static Tally count_runs(const Work* work) {
  Tally tally = {0};
  for (int i = 0; i < work->scenario.count; i++) {
    const VidaStudy* study = work->scenario.studies[i];
    const VidaSweepCounts sweep = VidaStudy_SweepCounts(study);
    tally.runs += sweep.runs;
    tally.finished += sweep.finished;
    tally.failed += sweep.failed;
    for (int run = 0; run < VidaStudy_RunCount(study) && sweep.starts == 0; run++) {
      const VidaOutcome outcome = VidaRow_Outcome(VidaStudy_Row(study, run));
      tally.runs++;
      tally.finished += outcome == VIDA_OUTCOME_FINISHED;
      tally.failed += outcome == VIDA_OUTCOME_FAILED;
    }
  }
  return tally;
}

static bool has_page(const Work* work) {
  char path[4096] = "";
  vida__append(path, sizeof path, "%s/report.html", work->out ? work->out : "");
  return work->out && access(path, F_OK) == 0;
}

/* Reports incomplete trajectories of a killed run, which are not removed. */
static void print_leftovers(const Work* work) {
  for (int i = 0; i < work->scenario.count && work->out; i++) {
    const int count = VidaReport_CountPartial(work->directories[i]);
    if (count > 0) {
      fprintf(stderr,
              "vida: '%s' holds %d incomplete trajector%s (*.partial) of an earlier run that "
              "was killed\n",
              work->directories[i], count, count > 1 ? "ies" : "y");
    }
  }
}

/* Prints and writes the results, also if the comparisons could not finish. */
static void print_failures(Work* work, int code, const VidaError* error) {
  const Tally tally = count_runs(work);
  char message[VIDA_MESSAGE_SIZE + 80];
  fflush(stdout); /* so that the rows come first on a terminal */
  if (code) {
    snprintf(message, sizeof message, "%s", error->message);
    if (tally.finished + tally.failed > 0) {
      snprintf(message, sizeof message, "%s; %ld of %ld runs had finished", error->message,
               tally.finished, tally.runs);
    }
    cli_fail(&work->scenario, EXIT_FAILED, message);
  } else if (tally.finished < tally.runs) {
    fprintf(stderr, "vida: %ld of %ld runs failed\n", tally.runs - tally.finished, tally.runs);
    work->scenario.exit_code = EXIT_FAILED;
  }
}

/* ---- everything that Lua may interrupt, in protected mode ------------------------------------ */

/* Makes the runs, and writes and prints the results. An early end is reported last, and does not
 * affect the runs that finished. */
static int run_and_report(lua_State* L, Work* work, VidaError* error) {
  VidaError later = {0};
  int code = run_studies(L, work, error);
  const Tally tally = count_runs(work);
  if (code && tally.finished + tally.failed == 0) {
    return code;
  }
  cli_ignore_interrupt(L);
  int after = work->out ? save_results(work, &later) : VIDA_SUCCESS;
  after = after || !work->arguments->report ? after : write_page(L, work, &later);
  work->is_written = !after;
  if (after && !code) { /* rows that cannot be kept can still be shown */
    code = after;
    *error = later;
  }
  after = report(work, &later);
  if (after && !code && !cli_is_output_closed()) {
    code = after;
    *error = later;
  }
  return code;
}

/* Returns whether --resume can go on after this error of a streamed sweep: the next attempt would
 * meet what another script, damaged files and starts that are not reproducible have left. */
static bool can_go_on(const VidaError* error) {
  static const char* const flags[] = {"CHANGED", "DAMAGED", "STARTS_DIFFER"};
  bool can = true;
  for (size_t k = 0; k < sizeof flags / sizeof *flags; k++) {
    can = can && strcmp(error->flag, flags[k]) != 0;
  }
  return can;
}

/* A script without a comparison has ended successfully, unless an option needs a comparison. */
static int end_without_comparison(Work* work) {
  const RunArguments* arguments = work->arguments;
  const char* wish = arguments->out                      ? "--out"
                     : arguments->report                 ? "--report"
                     : arguments->only.count > 0         ? "--only"
                     : arguments->format != FORMAT_TABLE ? "--format"
                                                         : NULL;
  if (wish) {
    char message[VIDA_MESSAGE_SIZE];
    snprintf(message, sizeof message,
             "%s: the script returned no comparison; it ends with 'return vida.compare { ... }'",
             wish);
    cli_fail(&work->scenario, EXIT_USAGE, message);
  }
  return 0;
}

static int run_protected(lua_State* L) {
  VidaError error;
  Work* work = lua_touserdata(L, 1);
  const RunArguments* arguments = work->arguments;
  vidalua_open_libraries(L, arguments->script);
  for (int i = 0; i < arguments->only.count; i++) {
    vidalua_select_method(L, arguments->only.items[i]);
  }
  if (!cli_load_scenario(L, &work->scenario)) {
    return 0;
  }
  if (arguments->settings_only) {
    return cli_list_settings(L, &work->scenario);
  }
  if (work->scenario.count == 0) {
    return end_without_comparison(work);
  }
  if (!drop_empty_studies(work) || !select_columns(work)) {
    return 0;
  }
  if (work->ranks && work->ranks->rank > 0) {
    return work_for_others(L, work);
  }
  prepare_files(L, work);
  const bool had_page = has_page(work);
  int code = hold_folders(work, &error);
  if (code) {
    return cli_fail(&work->scenario, EXIT_FAILED, error.message);
  }
  note_other_processes(work);
  code = stream_sweeps(L, work, &error);
  if (code) {
    close_journal(work, can_go_on(&error));
    return cli_fail(&work->scenario, EXIT_FAILED, error.message);
  }
  prepare_recordings(L, work);
  code = open_journal(work, &error);
  if (code) {
    return cli_fail(&work->scenario, EXIT_FAILED, error.message);
  }
  code = run_and_report(L, work, &error);
  if (!code && arguments->plot) {
    code = draw_pictures(work, &error);
  }
  close_journal(work, true);
  if (had_page && !has_page(work)) {
    fprintf(stderr,
            "vida: '%s/report.html' belonged to earlier results and was removed; 'vida report %s' "
            "makes a new one\n",
            work->out, work->out);
  }
  print_leftovers(work);
  print_failures(work, code, &error);
  return 0;
}

/* Makes the runs, maybe together with other processes, of which the first one has the output. */
static int run_with_others(Work* work) {
  if (!cli_begin_ranks("run", &work->ranks) ||
      (work->ranks && work->ranks->rank > 0 && !freopen("/dev/null", "w", stdout))) {
    return EXIT_USAGE;
  }
  const int code = cli_run_protected(run_protected, &work->scenario);
  VidaJournal_Destroy(&work->journal);
  VidaReport_ReleaseFolder(&work->folder);
  fflush(NULL);
  cli_end_ranks(code != EXIT_OK && !work->is_together, code);
  return code;
}

static int run_command(const CliCommand* command, int count, char** texts) {
  RunArguments arguments = {.sandbox = {.command = "run"}};
  int code = EXIT_USAGE;
  const CliParsed parsed = cli_parse(command, count, texts, &arguments);
  if (parsed == CLI_HELP_SHOWN) {
    code = EXIT_OK;
  } else if (parsed == CLI_GO_ON && arguments.columns && strcmp(arguments.columns, "help") == 0) {
    code = cli_list_parts();
  } else if (parsed == CLI_GO_ON && !cli_check_trajectories(&arguments)) {
    code = EXIT_USAGE;
  } else if (parsed == CLI_GO_ON && !arguments.script) {
    cli_usage_error(command->name, "the name of a scenario is missing");
  } else if (parsed == CLI_GO_ON && arguments.plot && !arguments.out && !arguments.report) {
    cli_usage_error(command->name,
                    "--plot needs --out DIR or --report, which write the results that it draws");
  } else if (parsed == CLI_GO_ON && arguments.resume && !arguments.out && !arguments.report) {
    cli_usage_error(command->name, "--resume needs --out DIR, the folder of the unfinished runs");
  } else if (parsed == CLI_GO_ON && arguments.resume && arguments.overwrite) {
    cli_usage_error(command->name,
                    "--resume goes on with a study, --overwrite begins it anew: one of them");
  } else if (parsed == CLI_GO_ON) {
    Work work = {.scenario = {.script = arguments.script,
                              .sandbox = arguments.sandbox.sandbox,
                              .settings = &arguments.settings,
                              .may_work_alone = true},
                 .arguments = &arguments};
    code = run_with_others(&work);
  }
  free(arguments.settings.items);
  free(arguments.only.items);
  return code;
}

const CliCommand cli_run_command = {
    .name = "run",
    .operand = CLI_VALUE("SCENARIO.lua", CLI_SCRIPT),
    .summary = "Run the comparisons of a scenario and print one row per run.",
    .details =
        "\n"
        "Prints rows on stdout, progress and messages on stderr. --out also writes the\n"
        "rows to DIR/comparison.csv and .json, and trajectories to DIR/<run>.csv\n"
        "(DIR/1/<run>.csv, ... if the scenario returns several comparisons), or with\n"
        "--format hdf5 to DIR/trajectories.h5. Sweeps write no trajectories unless\n"
        "--trajectories or --format hdf5 asks for them. --report adds DIR/report.html, a\n"
        "page with the table, plots and an animation for any browser; 'vida report DIR'\n"
        "writes it later from DIR/report.json.\n"
        "The script runs in a sandbox: it reads files of its folder, writes only into DIR\n"
        "and starts no programs. --trust runs it without: only if you trust the author.\n"
        "Ctrl-C (or SIGTERM) ends the runs, if necessary during a step. Finished runs are\n"
        "printed and written; the others have the status STOPPED or NOT_RUN. The third\n"
        "Ctrl-C ends the process at once. --resume goes on where a run with --out DIR\n"
        "was ended or killed: DIR/study.journal has the finished runs until all are done.\n"
        "Sweeps of 20000 runs and more write their rows to DIR/rows.csv and print\n"
        "statistics (--set stream=on or off decides otherwise). Under 'mpirun -n 4' four\n"
        "processes share the runs of such sweeps.\n"
        "Exit code: 0 all runs finished, 1 the script or a run failed, 2 wrong usage,\n"
        "130 or 143 ended by Ctrl-C or SIGTERM, 141 the reader of the rows has closed\n"
        "stdout.\n",
    .examples =
        "  vida run scenarios/double_spherical_pendulum.lua\n"
        "  vida run scenarios/pendulum.lua --settings\n"
        "  vida run scenarios/pendulum.lua --set time=5 --only rattle --only del-midpoint\n"
        "  vida run scenarios/pendulum.lua --out results --plot energy,convergence\n"
        "  vida run scenarios/double_spherical_pendulum.lua --jobs 0\n"
        "  vida run scenarios/work_precision.lua --out results --resume\n"
        "  vida run scenarios/double_spherical_pendulum.lua --defects --drift\n"
        "  vida run scenarios/four_particles.lua --out results --format csv > rows.csv\n"
        "  vida run scenarios/pendulum.lua --out results --format hdf5 --columns q,energy\n"
        "  vida run scenarios/double_spherical_pendulum.lua --report\n"
        "  mpirun -n 4 vida run sweep.lua --out results\n",
    .options = cli_run_options,
    .take_operand = cli_take_run_script,
    .takes_next = cli_run_takes_next,
    .run = run_command,
};
