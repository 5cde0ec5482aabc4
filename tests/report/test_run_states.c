/* Long runs: a process that is killed leaves their states, and the next one goes on from there. The
 * expected rows and trajectories are those of a study that was not killed, byte by byte. */
#include <CUnit/CUnit.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vida/vida.h>

#include "support/bob.h"
#include "support/check.h"

/* The library forgets some memory when it gives up a damaged file. */
const char* __lsan_default_suppressions(void);
const char* __lsan_default_suppressions(void) {
  return "leak:libhdf5\nleak:argz_add_sep\n";
}

#define FOLDER "test_run_states.tmp"

enum { RUNS = 4, MOST_PATH = 512 };

/* A driven pendulum with damping and a force that depends on a switch, so that work, jumps and
 * constraints are measured; four methods. */
typedef struct problem {
  VidaSystem* system;
  VidaStudy* study;
  VidaRecording* recording;
  VidaTrajectories* trajectories;
} problem;

static void add_run(VidaStudy* study, const char* method, const char* option, double value) {
  VidaError error;
  VidaOptions* options = NULL;
  REQUIRE_OK(VidaOptions_Create(method, &options, &error), &error);
  REQUIRE_OK(VidaOptions_SetReal(options, option, value, &error), &error);
  REQUIRE_OK(VidaStudy_AddRun(study, options, &error), &error);
  VidaOptions_Destroy(&options);
}

static int push(double t, const double* q, const double* v, double* force, void* user_data) {
  (void)q, (void)user_data;
  force[0] = sin(3.0 * t) - 0.1 * v[0];
  force[1] = -0.1 * v[1];
  return 0;
}

static problem make_problem(const char* folder, const char* format, int jobs) {
  VidaError error;
  problem made = {0};
  VidaOptions* options = NULL;
  const VidaForce force = {.value = push};
  REQUIRE_OK(bob_system(0.8, 0.6, 9.81, true, &made.system, &error), &error);
  REQUIRE_OK(VidaSystem_AddForce(made.system, "push", 2, (const int[]){0, 1}, &force, NULL, &error),
             &error);
  REQUIRE_OK(VidaSystem_Complete(made.system, &error), &error);
  REQUIRE_OK(VidaStudy_CreateOptions(&options, &error), &error);
  REQUIRE_OK(VidaOptions_SetReal(options, "time", 8.0, &error), &error);
  REQUIRE_OK(VidaOptions_SetReal(options, "every", 1.0, &error), &error);
  REQUIRE_OK(VidaOptions_SetReal(options, "checkpoint", 0.0, &error), &error);
  REQUIRE_OK(VidaOptions_SetReal(options, "jobs", jobs, &error), &error);
  REQUIRE_OK(VidaOptions_SetBoolean(options, "drift", true, &error), &error);
  REQUIRE_OK(VidaOptions_SetText(options, "trajectories", format, &error), &error);
  REQUIRE_OK(VidaStudy_Create(made.system, options, &made.study, &error), &error);
  VidaOptions_Destroy(&options);
  add_run(made.study, "rattle", "h", 0.01);
  add_run(made.study, "energy-momentum", "h", 0.01);
  add_run(made.study, "radau", "rtol", 1e-6);
  add_run(made.study, "ida-ggl", "rtol", 1e-6); /* begins again: IDA gives its history to nobody */
  REQUIRE_OK(VidaRecording_Create(made.study, &made.recording, &error), &error);
  REQUIRE_OK(VidaTrajectories_Create(made.study, folder, &made.trajectories, &error), &error);
  return made;
}

static void free_problem(problem* made) {
  VidaTrajectories_Destroy(&made->trajectories);
  VidaRecording_Destroy(&made->recording);
  VidaStudy_Destroy(&made->study);
  VidaSystem_Destroy(&made->system);
}

/* Passes calls on to all observers. Ends the process, as a kill does, when `victim` has a state and
 * has gone on for some samples since. */
typedef struct chain {
  VidaObserver inner[3];
  int victim; /* -1: none */
  char state[MOST_PATH];
  int since;
  double first[RUNS]; /* times of the first samples */
} chain;

static int begin(void* data, int run, const VidaRow* row, VidaError* error) {
  chain* all = data;
  int code = 0;
  all->first[run] = NAN;
  for (int i = 0; i < 3 && !code; i++) {
    const VidaObserver* to = &all->inner[i];
    code = to->begin ? to->begin(to->data, run, row, error) : 0;
  }
  return code;
}

static int sample(void* data, int run, const VidaSample* at, VidaError* error) {
  chain* all = data;
  int code = 0;
  all->first[run] = isnan(all->first[run]) ? at->t : all->first[run];
  for (int i = 0; i < 3 && !code; i++) {
    const VidaObserver* to = &all->inner[i];
    code = to->sample ? to->sample(to->data, run, at, error) : 0;
  }
  if (run == all->victim && at->t > 1.0 && access(all->state, F_OK) == 0 && ++all->since == 30) {
    _exit(9);
  }
  return code;
}

static int end(void* data, int run, const VidaRow* row, VidaError* error) {
  const chain* all = data;
  int code = 0;
  for (int i = 0; i < 3 && !code; i++) {
    const VidaObserver* to = &all->inner[i];
    code = to->end ? to->end(to->data, run, row, error) : 0;
  }
  return code;
}

/* Makes the study in a folder, with a new journal or with one that is there. Returns the times of
 * the first samples in first (RUNS, nullable). */
static void run_study(const char* folder, const char* format, int jobs, bool goes_on, int victim,
                      double* first) {
  VidaError error;
  problem made = make_problem(folder, format, jobs);
  VidaJournal* journal = NULL;
  const VidaJournalScope scope = {.directory = folder,
                                  .count = 1,
                                  .studies = &made.study,
                                  .recording = &made.recording,
                                  .directories = &folder};
  REQUIRE_OK(goes_on ? VidaJournal_Resume(&scope, &journal, &error)
                     : VidaJournal_Create(&scope, &journal, &error),
             &error);
  chain all = {.inner = {VidaTrajectories_Observer(made.trajectories),
                         VidaRecording_Observer(made.recording),
                         VidaJournal_Observer(journal, 0, made.trajectories)},
               .victim = victim};
  snprintf(all.state, sizeof all.state, "%s/run-%d.journal", folder, victim + 1);
  for (int run = 0; run < RUNS; run++) {
    all.first[run] = NAN;
  }
  const VidaObserver observer = {.begin = begin, .sample = sample, .end = end, .data = &all};
  REQUIRE_OK(VidaStudy_Run(made.study, &observer, &error), &error);
  REQUIRE_OK(VidaTrajectories_Finish(made.trajectories, &error), &error);
  const VidaRecording* recording = made.recording;
  const VidaPageFacts facts = {.scenario = "test", .software = "test"};
  char path[MOST_PATH];
  snprintf(path, sizeof path, "%s/page.json", folder);
  REQUIRE_OK(VidaReport_PageData(&recording, 1, &facts, path, &error), &error);
  const VidaStudy* study = made.study;
  REQUIRE_OK(VidaReport_Write(&study, 1, folder, &error), &error);
  EXPECT(VidaJournal_RemoveComplete(journal), "the journal is not complete");
  VidaJournal_Destroy(&journal);
  free_problem(&made);
  if (first) {
    memcpy(first, all.first, sizeof all.first);
  }
}

/* Makes the study in a process that is killed in a run. */
static void kill_study(const char* folder, const char* format, int jobs, bool goes_on, int victim) {
  fflush(NULL);
  const pid_t child = fork();
  if (child == 0) {
    run_study(folder, format, jobs, goes_on, victim, NULL);
    _exit(0);
  }
  int status = 0;
  CU_ASSERT_FATAL(child > 0 && waitpid(child, &status, 0) == child);
  EXPECT(WIFEXITED(status) && WEXITSTATUS(status) == 9, "the process was not killed: %d", status);
}

static void make_folder(const char* folder) {
  char command[MOST_PATH + 32];
  snprintf(command, sizeof command, "rm -rf %s && mkdir -p %s", folder, folder);
  CU_ASSERT_FATAL(system(command) == 0);
}

static char* read_text(const char* folder, const char* name, size_t* size) {
  char path[MOST_PATH];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE* file = fopen(path, "rb");
  EXPECT(file != NULL, "%s is missing", path);
  char* text = calloc(1 << 22, 1);
  CU_ASSERT_FATAL(text != NULL);
  *size = file ? fread(text, 1, (1 << 22) - 1, file) : 0;
  if (file) {
    fclose(file);
  }
  return text;
}

/* Removes the numbers after a key. */
static void remove_after(char* text, const char* key, const char* to) {
  for (char* at = strstr(text, key); at; at = strstr(at + 1, key)) {
    char* rest = at + strlen(key);
    char* end_of = rest + strcspn(rest, to);
    memmove(rest, end_of, strlen(end_of) + 1);
  }
}

static void expect_equal(const char* name) {
  size_t sizes[2];
  char* text[2] = {read_text(FOLDER "/whole", name, &sizes[0]),
                   read_text(FOLDER "/killed", name, &sizes[1])};
  const bool is_page = strstr(name, ".json") != NULL;
  for (int i = 0; i < 2 && is_page; i++) {
    remove_after(text[i], "\"wall_s\": ", ",");
    remove_after(text[i], "\"made\": ", ",");
    remove_after(text[i], "\"prices\": ", "\n");
  }
  EXPECT(is_page ? strcmp(text[0], text[1]) == 0
                 : sizes[0] == sizes[1] && memcmp(text[0], text[1], sizes[0]) == 0,
         "%s differs", name);
  free(text[0]);
  free(text[1]);
}

static void expect_same(const char* format) {
  static const char* const csv[] = {
      "pendulum-rattle-h_0.01.csv", "pendulum-energy-momentum-h_0.01.csv",
      "pendulum-radau-rtol_1e-06.csv", "pendulum-ida-ggl-rtol_1e-06.csv"};
  expect_equal("page.json");
  expect_equal("comparison.json");
  if (strcmp(format, "hdf5") == 0) {
    expect_equal("trajectories.h5");
  }
  for (int i = 0; i < RUNS && strcmp(format, "csv") == 0; i++) {
    expect_equal(csv[i]);
  }
}

static void check_format(const char* format) {
  make_folder(FOLDER "/whole");
  run_study(FOLDER "/whole", format, 1, false, -1, NULL);
  for (int victim = 0; victim < 3; victim++) {
    double first[RUNS];
    make_folder(FOLDER "/killed");
    kill_study(FOLDER "/killed", format, 1, false, victim);
    kill_study(FOLDER "/killed", format, 1, true, victim); /* and again while it goes on */
    run_study(FOLDER "/killed", format, 1, true, -1, first);
    EXPECT(first[victim] > 0.0, "%s, run %d begins at %g", format, victim, first[victim]);
    for (int run = 0; run < RUNS; run++) { /* those before are not made, those after begin anew */
      EXPECT(run < victim ? isnan(first[run]) : run == victim || first[run] == 0.0,
             "%s, run %d of %d begins at %g", format, run, victim, first[run]);
    }
    expect_same(format);
  }
}

static void test_csv(void) {
  check_format("csv");
}

static void test_none(void) {
  check_format("none");
}

static void test_hdf5(void) {
  char version[VIDA_NAME_SIZE];
  if (VidaReport_Hdf5Version(version)[0]) {
    check_format("hdf5");
  }
}

/* Runs in parallel, each with its state; the notes say that they were. */
static void test_parallel(void) {
  make_folder(FOLDER "/whole");
  run_study(FOLDER "/whole", "csv", 3, false, -1, NULL);
  for (int victim = 0; victim < 3; victim++) {
    make_folder(FOLDER "/killed");
    kill_study(FOLDER "/killed", "csv", 3, false, victim);
    run_study(FOLDER "/killed", "csv", 3, true, -1, NULL);
    expect_same("csv");
  }
}

/* Changes a byte of a file, or removes its end. */
static void damage(const char* name, long at, bool is_cut) {
  char path[MOST_PATH];
  snprintf(path, sizeof path, FOLDER "/killed/%s", name);
  FILE* file = fopen(path, "r+b");
  CU_ASSERT_FATAL(file != NULL);
  if (is_cut) {
    CU_ASSERT_FATAL(ftruncate(fileno(file), at) == 0);
  } else {
    fseek(file, at, SEEK_SET);
    const int byte = getc(file);
    fseek(file, at, SEEK_SET);
    putc(byte ^ 4, file);
  }
  fclose(file);
}

/* A state or a trajectory that is damaged is not used: the run begins anew. */
static void test_damage(void) {
  static const struct {
    const char* name;
    long at;
    bool is_cut;
  } faults[] = {{"run-1.journal", 30, false},
                {"run-1.journal", 900, false},
                {"run-1.journal", 900, true},
                {"run-1.journal", 0, true},
                {"pendulum-rattle-h_0.01.csv.partial", 50, false},
                {"pendulum-rattle-h_0.01.csv.partial", 50, true}};
  make_folder(FOLDER "/whole");
  run_study(FOLDER "/whole", "csv", 1, false, -1, NULL);
  for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
    double first[RUNS];
    make_folder(FOLDER "/killed");
    kill_study(FOLDER "/killed", "csv", 1, false, 0);
    damage(faults[i].name, faults[i].at, faults[i].is_cut);
    run_study(FOLDER "/killed", "csv", 1, true, -1, first);
    EXPECT(first[0] == 0.0, "%s, byte %ld: the run begins at %g", faults[i].name, faults[i].at,
           first[0]);
    expect_same("csv");
  }
}

/* A byte of a trajectory that was finished: its run is made again, the others are not. */
static void test_finished(void) {
  double first[RUNS];
  make_folder(FOLDER "/whole");
  run_study(FOLDER "/whole", "csv", 1, false, -1, NULL);
  make_folder(FOLDER "/killed");
  kill_study(FOLDER "/killed", "csv", 1, false, 2);
  damage("pendulum-energy-momentum-h_0.01.csv", 5000, false);
  run_study(FOLDER "/killed", "csv", 1, true, -1, first);
  EXPECT(isnan(first[0]) && first[1] == 0.0 && first[2] > 0.0, "the runs begin at %g, %g, %g",
         first[0], first[1], first[2]);
  expect_same("csv");
}

int main(void) {
  static const CheckTest tests[] = {{"trajectories as CSV", test_csv},
                                    {"trajectories as HDF5", test_hdf5},
                                    {"no trajectories", test_none},
                                    {"runs in parallel", test_parallel},
                                    {"damage changes no result", test_damage},
                                    {"damage to what was finished", test_finished},
                                    {NULL, NULL}};
  mkdir(FOLDER, 0777);
  const int code = check_main("states of runs", tests);
  return code == 0 && system("rm -rf " FOLDER) != 0 ? 1 : code;
}
