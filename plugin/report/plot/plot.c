/* The kinds of pictures, and the calls of gnuplot. */
#include "report/plot/plot.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "base/text.h"

extern char** environ; /* POSIX has it in no header */

typedef struct kind_row {
  VidaPlotKind kind;
  vida_plot_maker* make;
} kind_row;

static const kind_row kinds[] = {
    {{"energy",
      "energy against that of the start and the work done since, over time, for each step", true},
     vida__plot_energy},
    {{"shadow", "shadow energy (run --shadow) against its first value, over time, for each step",
      true},
     vida__plot_shadow},
    {{"drift", "largest violation of g = 0 and of G v + g_t = 0 over time", true},
     vida__plot_drift},
    {{"momentum", "momentum maps against those of the start, over time", true},
     vida__plot_momentum},
    {{"multipliers", "multipliers over time", true}, vida__plot_multipliers},
    {{"phase", "phase portraits: each coordinate against its rate", true}, vida__plot_phase},
    {{"trajectory", "paths of points in the plane, or their projections", true},
     vida__plot_trajectory},
    {{"work-precision", "position error against time and evaluations", true},
     vida__plot_work_precision},
    {{"convergence", "errors against the step or tolerance, with slopes 1, 2, 4", true},
     vida__plot_convergence},
    {{"sparsity", "pattern of the KKT matrix", true}, vida__plot_sparsity},
    {{"time", "columns of the trajectories (--columns) over time", false}, vida__plot_time}};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

const VidaPlotKind* Vida_PlotKind(int index) {
  return index >= 0 && index < KINDS ? &kinds[index].kind : NULL;
}

/* ---- finding and running gnuplot ------------------------------------------------------------- */

/* Searches PATH as a shell does; returns false if nothing is found. */
static bool find_gnuplot(char path[VIDA_PATH_SIZE]) {
  const char* from = getenv("PATH");
  struct stat status;
  while (from && *from) {
    const size_t length = strcspn(from, ":");
    if (length > 0 && length < VIDA_PATH_SIZE - 16) {
      path[0] = '\0';
      vida__append(path, VIDA_PATH_SIZE, "%.*s/gnuplot", (int)length, from);
      if (path[0] == '/' && stat(path, &status) == 0 && S_ISREG(status.st_mode) &&
          access(path, X_OK) == 0) {
        return true;
      }
    }
    from += length + (from[length] == ':');
  }
  return false;
}

bool VidaReport_HasGnuplot(void) {
  char path[VIDA_PATH_SIZE];
  return find_gnuplot(path);
}

/* Starts gnuplot with empty input and its messages in the file `log`, and waits for its end.
 * Returns the result of waitpid, or -1 if it could not be started. */
static int spawn(const char* program, const char* log, char* const* arguments) {
  posix_spawn_file_actions_t actions;
  pid_t child = 0;
  int status = -1;
  if (posix_spawn_file_actions_init(&actions) != 0) {
    return -1;
  }
  const bool started =
      posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0) == 0 &&
      posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0) == 0 &&
      posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, log, O_WRONLY | O_CREAT | O_TRUNC,
                                       0666) == 0 &&
      posix_spawn(&child, program, &actions, NULL, arguments, environ) == 0;
  posix_spawn_file_actions_destroy(&actions);
  while (started && waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) { /* the program waits for all its children elsewhere: only the picture
                             shows whether gnuplot succeeded */
      return 0;
    }
  }
  return status;
}

/* Returns the last message of gnuplot in one line; it follows the line and a mark below it. */
static void read_complaint(const char* path, char* text, size_t size) {
  char line[256];
  FILE* file = fopen(path, "r");
  text[0] = '\0';
  while (file && fgets(line, sizeof line, file)) {
    line[strcspn(line, "\n")] = '\0';
    if (line[strspn(line, " \t^")]) {
      text[0] = '\0';
      vida__append(text, size, "%s", line + strspn(line, " \t"));
    }
  }
  if (file) {
    fclose(file);
  }
}

static int run_gnuplot(const char* program, const char* folder, const char* name,
                       const char* ending, VidaError* error) {
  char commands[9 * VIDA_PATH_SIZE] = "", script[VIDA_PATH_SIZE] = "", log[VIDA_PATH_SIZE] = "";
  char complaint[256], gnuplot[] = "gnuplot", no_settings[] = "-d", run[] = "-e";
  char* const arguments[] = {gnuplot, no_settings, run, commands, script, NULL};
  FILE* file = fmemopen(commands, sizeof commands, "w");
  if (!file) {
    return vida__fail_memory(error);
  }
  fputs("cd ", file);
  vida__write_gnuplot_path(file, folder);
  fprintf(file, "; ending = '%s'; picture = ", ending);
  vida__write_gnuplot_path(file, name);
  fprintf(file, " . '.%s.partial'", ending);
  if (fclose(file) != 0 || strlen(commands) + 1 >= sizeof commands) {
    return vida__fail(error, VIDA_INPUT_OUTPUT, "the name '%s/%s' is too long for gnuplot", folder,
                      name);
  }
  vida__append(script, sizeof script, "./%s.gp", name);
  vida__append(log, sizeof log, "%s/%s.log", folder, name);
  const int status = spawn(program, log, arguments);
  read_complaint(log, complaint, sizeof complaint);
  remove(log);
  if (status != 0) {
    return vida__fail(error, VIDA_INPUT_OUTPUT, "gnuplot did not draw '%s/%s.gp': %s", folder, name,
                      complaint[0] ? complaint : "it could not be started, or ended early");
  }
  return VIDA_SUCCESS;
}

/* Returns whether the file ends as pictures of its kind do: a full disk cuts them off. */
static bool is_whole(const char* path, const char* ending) {
  const char* last = strcmp(ending, "svg") == 0 ? "</svg>" : "IEND";
  const size_t length = strlen(last);
  char tail[64] = "";
  bool found = false;
  FILE* file = fopen(path, "rb");
  if (!file) {
    return false;
  }
  const long from = fseek(file, 0, SEEK_END) == 0 ? ftell(file) - (long)sizeof tail : -1;
  if (fseek(file, from > 0 ? from : 0, SEEK_SET) == 0) {
    const size_t got = fread(tail, 1, sizeof tail, file);
    for (size_t i = 0; i + length <= got && !found; i++) {
      found = memcmp(tail + i, last, length) == 0;
    }
  }
  fclose(file);
  return found;
}

/* Returns why the file cannot be written any further; gnuplot does not report a full disk. 0: it
 * can. */
static int find_refusal(const char* path) {
  static const char more[1 << 16]; /* more than a program holds back before it writes */
  FILE* file = fopen(path, "ab");
  if (!file) {
    return errno;
  }
  errno = 0;
  const bool good = fwrite(more, 1, sizeof more, file) == sizeof more && fflush(file) == 0;
  int reason = good ? 0 : errno;
  if (fclose(file) != 0 && !reason) {
    reason = errno;
  }
  return reason;
}

static int draw(const char* program, const char* folder, const char* name, const char* ending,
                VidaError* error) {
  char path[VIDA_PATH_SIZE] = "", partial[VIDA_PATH_SIZE] = "";
  vida__append(path, sizeof path, "%s/%s.%s", folder, name, ending);
  vida__append(partial, sizeof partial, "%s.partial", path);
  remove(path); /* of an earlier run */
  int code = run_gnuplot(program, folder, name, ending, error);
  if (!code && !is_whole(partial, ending)) {
    code = vida__fail(error, VIDA_INPUT_OUTPUT, "gnuplot did not write all of '%s'", path);
  }
  if (!code && rename(partial, path) != 0) {
    code = vida__fail(error, VIDA_INPUT_OUTPUT, "cannot write '%s': %s", path, strerror(errno));
  }
  if (code) {
    const int reason = find_refusal(partial);
    remove(partial);
    if (reason) {
      code = vida__fail(error, VIDA_INPUT_OUTPUT, "cannot write '%s': %s", path, strerror(reason));
    }
  }
  return code;
}

/* ---- a picture ------------------------------------------------------------------------------- */

static const char* name_of_kind(const void* list, int index) {
  (void)list;
  return kinds[index].kind.name;
}

static const kind_row* find_kind(const char* name, VidaError* error) {
  for (int i = 0; i < KINDS; i++) {
    if (strcmp(kinds[i].kind.name, name) == 0) {
      return &kinds[i];
    }
  }
  const int nearest = Vida_NearestName(name, KINDS, name_of_kind, NULL);
  char names[VIDA_MESSAGE_SIZE] = "";
  for (int i = 0; i < KINDS; i++) {
    vida__append(names, sizeof names, "%s%s", i ? ", " : "", kinds[i].kind.name);
  }
  vida__fail(error, VIDA_UNKNOWN_NAME, "no kind of picture '%s'; %s%s%s", name,
             nearest >= 0 ? "did you mean '" : "there are ",
             nearest >= 0 ? kinds[nearest].kind.name : names, nearest >= 0 ? "'?" : "");
  return NULL;
}

static int check_methods(const VidaPlot* plot, const vida_results* results, VidaError* error) {
  for (int i = 0; plot->methods && plot->methods[i]; i++) {
    bool known = false;
    char names[VIDA_MESSAGE_SIZE / 2] = "";
    for (int k = 0; k < results->method_count; k++) {
      known = known || strcmp(results->methods[k], plot->methods[i]) == 0;
      vida__append(names, sizeof names, "%s%s", k ? ", " : "", results->methods[k]);
    }
    if (!known) {
      return vida__fail(error, VIDA_UNKNOWN_NAME, "no run of '%s' in the results; they are of %s",
                        plot->methods[i], names);
    }
  }
  return VIDA_SUCCESS;
}

/* Removes its files if they hold a picture of other results. */
static void remove_old(const char* folder, const char* name) {
  static const char* const endings[] = {"svg", "png", "gp", "dat"};
  char path[VIDA_PATH_SIZE];
  for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
    path[0] = '\0';
    vida__append(path, sizeof path, "%s/%s.%s", folder, name, endings[i]);
    remove(path);
  }
}

void vida__remove_pictures(const char* directory) {
  static const char* const endings[] = {"svg", "png"};
  char path[VIDA_PATH_SIZE];
  for (int i = 0; i < 2 * KINDS; i++) {
    path[0] = '\0';
    vida__append(path, sizeof path, "%s/plots/%s.%s", directory, kinds[i / 2].kind.name,
                 endings[i % 2]);
    remove(path);
    vida__append(path, sizeof path, ".partial"); /* of a run that was killed meanwhile */
    remove(path);
  }
}

static int no_data(const vida_picture* picture, VidaError* error) {
  const VidaPlot* plot = picture->wishes;
  bool has_trajectories = false;
  for (int run = 0; run < picture->results->count; run++) {
    has_trajectories = has_trajectories || picture->results->runs[run].file[0];
  }
  const bool chosen = plot->methods || plot->step_count > 0 || plot->columns || plot->to > 0.0;
  return vida__fail_flag(error, VIDA_NOT_SUPPORTED, "NO_DATA",
                         "there is nothing to draw for a picture of kind '%s' in '%s'%s%s",
                         plot->kind, picture->results->directory,
                         chosen ? " with these methods, steps, columns and times" : "",
                         has_trajectories ? ""
                                          : ", which has no trajectories (sweeps write them "
                                            "with --trajectories)");
}

static int make_picture(const vida_results* results, const kind_row* kind, const VidaPlot* plot,
                        const char* program, VidaError* error) {
  char folder[VIDA_PATH_SIZE] = "";
  vida_picture picture = {.wishes = plot, .results = results};
  const char* name = plot->name ? plot->name : plot->kind;
  vida__append(folder, sizeof folder, "%s%s", plot->folder ? plot->folder : results->directory,
               plot->folder ? "" : "/plots");
  vida__append(picture.title, sizeof picture.title, "%s%s%s", results->runs[0].row.system,
               results->label[0] ? ", " : "", results->label);
  int code = kind->make(&picture, error);
  if (plot->title) {
    picture.title[0] = '\0';
    vida__append(picture.title, sizeof picture.title, "%s", plot->title);
  }
  const bool empty = !code && !vida__shows_anything(&picture);
  if (empty) {
    code = no_data(&picture, error);
  }
  if (!plot->folder && (!code || empty)) {
    remove_old(folder, name);
  }
  code = code ? code : vida__make_directory(folder, error);
  code = code ? code : vida__write_script(&picture, folder, name, error);
  vida__free_picture(&picture);
  if (!code && (plot->svg || !plot->png)) {
    code = draw(program, folder, name, "svg", error);
  }
  if (!code && plot->png) {
    code = draw(program, folder, name, "png", error);
  }
  return code;
}

int VidaReport_Plot(const char* directory, const VidaPlot* plot, VidaError* error) {
  if (VIDA_REFUSE_NULL(error, directory, plot)) {
    return VIDA_BAD_ARGUMENT;
  }
  char program[VIDA_PATH_SIZE];
  vida_results results;
  if (!plot->kind) {
    return vida__fail(error, VIDA_BAD_ARGUMENT, "a picture needs a kind");
  }
  if (plot->name && (!plot->name[0] || strchr(plot->name, '/'))) {
    return vida__fail(error, VIDA_BAD_ARGUMENT, "'%s' is not the name of a file", plot->name);
  }
  const kind_row* kind = find_kind(plot->kind, error);
  if (!kind) {
    return VIDA_UNKNOWN_NAME;
  }
  VidaPlot wishes = *plot;
  if (!(wishes.to > wishes.from)) {
    wishes.from = -INFINITY;
    wishes.to = INFINITY;
  }
  int code = vida__read_results(directory, plot->study, &results, error);
  code = code ? code : check_methods(plot, &results, error);
  if (!code && !find_gnuplot(program)) {
    code = vida__fail_flag(error, VIDA_NOT_SUPPORTED, "NO_GNUPLOT",
                           "gnuplot is not there, so no pictures are drawn; on Debian and Ubuntu: "
                           "apt-get install gnuplot-nox");
  }
  code = code ? code : make_picture(&results, kind, &wishes, program, error);
  vida__free_results(&results);
  return code;
}

int VidaReport_StudyCount(const char* directory, VidaError* error) {
  return VIDA_REFUSE_NULL(error, directory) ? 0 : vida__count_stored(directory, error);
}
