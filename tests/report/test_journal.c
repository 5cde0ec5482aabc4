/* Journals: what was read back is what was written, byte by byte; a journal that does not belong to
 * the study, or is damaged, is refused or cut, and never changes a result. The expected results are
 * those of the study run without a journal. */
#include <CUnit/CUnit.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vida/vida.h>

#include "support/check.h"

#define FOLDER "test_journal.tmp"
#define JOURNAL FOLDER "/study.journal"

enum { RUNS = 4 };

/* A pendulum whose length is given, and its study with a reference and four runs, of which the
 * third fails. */
typedef struct problem {
  VidaSystem* system;
  VidaStudy* study;
  VidaRecording* recording;
} problem;

static void add(VidaStudy* study, const char* method, double h, bool is_reference) {
  VidaError error;
  VidaOptions* options = NULL;
  REQUIRE_OK(VidaOptions_Create(method, &options, &error), &error);
  REQUIRE_OK(VidaOptions_SetReal(options, "h", h, &error), &error);
  REQUIRE_OK(is_reference ? VidaStudy_SetReference(study, options, &error)
                          : VidaStudy_AddRun(study, options, &error),
             &error);
  VidaOptions_Destroy(&options);
}

static problem make_problem(double length, double time, double last_h) {
  VidaError error;
  problem made = {0};
  VidaOptions* options = NULL;
  int bob;
  REQUIRE_OK(VidaSystem_Create("pendulum", 2, &made.system, &error), &error);
  VidaParticle particle = {.name = "bob", .mass = 1.0};
  particle.position[0] = VidaInitial_Given(length);
  particle.position[1] = VidaInitial_Given(0.0);
  REQUIRE_OK(VidaSystem_AddParticle(made.system, &particle, &bob, &error), &error);
  REQUIRE_OK(VidaSystem_AddGravity(made.system, (double[]){0.0, -9.81}, &error), &error);
  const VidaEnd ends[2] = {VidaEnd_Ground(0.0, 0.0, 0.0), VidaEnd_Particle(bob)};
  REQUIRE_OK(VidaSystem_AddLink(made.system, "rod", ends, length, &error), &error);
  REQUIRE_OK(VidaSystem_Complete(made.system, &error), &error);
  REQUIRE_OK(VidaStudy_CreateOptions(&options, &error), &error);
  REQUIRE_OK(VidaOptions_SetReal(options, "time", time, &error), &error);
  REQUIRE_OK(VidaStudy_Create(made.system, options, &made.study, &error), &error);
  VidaOptions_Destroy(&options);
  add(made.study, "rattle", 0.001, true);
  add(made.study, "rattle", 0.1, false);
  add(made.study, "energy-momentum", 0.05, false);
  add(made.study, "rattle", 1.0, false);
  add(made.study, "del-midpoint", last_h, false);
  REQUIRE_OK(VidaRecording_Create(made.study, &made.recording, &error), &error);
  return made;
}

static void free_problem(problem* made) {
  VidaRecording_Destroy(&made->recording);
  VidaStudy_Destroy(&made->study);
  VidaSystem_Destroy(&made->system);
}

static VidaJournalScope scope_of(problem* made) {
  return (VidaJournalScope){
      .directory = FOLDER, .count = 1, .studies = &made->study, .recording = &made->recording};
}

/* Passes calls on to a recording and a journal, and counts the runs; stops after `most`. */
typedef struct pair {
  VidaObserver recording, journal;
  int begun, most;
} pair;

static int begin_both(void* data, int run, const VidaRow* row, VidaError* error) {
  pair* both = data;
  if (both->begun++ == both->most) {
    return VIDA_STOPPED;
  }
  const int code = both->recording.begin(both->recording.data, run, row, error);
  return code || !both->journal.begin ? code
                                      : both->journal.begin(both->journal.data, run, row, error);
}

static int sample_both(void* data, int run, const VidaSample* sample, VidaError* error) {
  const pair* both = data;
  return both->recording.sample(both->recording.data, run, sample, error);
}

static int end_both(void* data, int run, const VidaRow* row, VidaError* error) {
  const pair* both = data;
  const int code = both->recording.end(both->recording.data, run, row, error);
  return code || !both->journal.end ? code : both->journal.end(both->journal.data, run, row, error);
}

/* Runs the study up to `most` runs; returns how many were begun. */
static int run_problem(problem* made, VidaJournal* journal, int most) {
  VidaError error;
  pair both = {VidaRecording_Observer(made->recording), VidaJournal_Observer(journal, 0, NULL), 0,
               most};
  const VidaObserver observer = {begin_both, sample_both, end_both, NULL, &both, NULL};
  const int code = VidaStudy_Run(made->study, &observer, &error);
  EXPECT(code == (both.begun > most ? VIDA_STOPPED : VIDA_SUCCESS), "%d: %s", code, error.message);
  return both.begun > most ? most : both.begun;
}

/* The page's data of a study without its measured times, to be freed. */
static char* results_of(problem* made) {
  VidaError error;
  const VidaRecording* recording = made->recording;
  const VidaPageFacts facts = {.scenario = "test", .software = "test"};
  REQUIRE_OK(VidaReport_PageData(&recording, 1, &facts, FOLDER "/page.json", &error), &error);
  FILE* file = fopen(FOLDER "/page.json", "rb");
  CU_ASSERT_FATAL(file != NULL);
  fseek(file, 0, SEEK_END);
  const size_t size = (size_t)ftell(file);
  rewind(file);
  char* text = calloc(size + 1, 1);
  CU_ASSERT_FATAL(text != NULL && fread(text, 1, size, file) == size);
  fclose(file);
  static const char* const times[] = {"\"wall_s\": ", "\"made\": ", "\"prices\": "};
  for (size_t i = 0; i < sizeof times / sizeof times[0]; i++) {
    for (char* at = strstr(text, times[i]); at; at = strstr(at + 1, times[i])) {
      const char* end = i == 2 ? "\n" : ",";
      char* rest = at + strcspn(at, end);
      memmove(at + strlen(times[i]), rest, strlen(rest) + 1);
    }
  }
  return text;
}

static char* expected_results(void) {
  problem made = make_problem(1.0, 2.0, 0.1);
  EXPECT(run_problem(&made, NULL, RUNS) == RUNS, "all runs");
  char* text = results_of(&made);
  free_problem(&made);
  return text;
}

/* Writes a journal of the first `most` runs. */
static void write_journal(int most) {
  VidaError error;
  problem made = make_problem(1.0, 2.0, 0.1);
  const VidaJournalScope scope = scope_of(&made);
  VidaJournal* journal = NULL;
  REQUIRE_OK(VidaJournal_Create(&scope, &journal, &error), &error);
  run_problem(&made, journal, most);
  EXPECT(VidaJournal_RemoveComplete(journal) == (most == RUNS), "removed too early");
  VidaJournal_Destroy(&journal);
  EXPECT(journal == NULL, "destroyed");
  free_problem(&made);
}

static void test_go_on(void) {
  char* expected = expected_results();
  for (int most = 0; most < RUNS; most++) {
    VidaError error;
    write_journal(most);
    problem made = make_problem(1.0, 2.0, 0.1);
    const VidaJournalScope scope = scope_of(&made);
    VidaJournal* journal = NULL;
    REQUIRE_OK(VidaJournal_Resume(&scope, &journal, &error), &error);
    EXPECT(VidaJournal_KeptRuns(journal) == most, "%d", VidaJournal_KeptRuns(journal));
    EXPECT(VidaJournal_LostBytes(journal) == 0, "%lld", VidaJournal_LostBytes(journal));
    EXPECT(run_problem(&made, journal, RUNS) == RUNS - most, "after %d runs", most);
    char* found = results_of(&made);
    EXPECT(strcmp(found, expected) == 0, "results differ after %d runs", most);
    free(found);
    EXPECT(VidaJournal_RemoveComplete(journal), "not removed");
    EXPECT(!VidaReport_IsUnfinished(FOLDER), "unfinished");
    VidaJournal_Destroy(&journal);
    /* A further run of the study makes all runs. */
    EXPECT(run_problem(&made, NULL, RUNS) == RUNS, "kept for good");
    free_problem(&made);
  }
  free(expected);
}

static void refuse_resume(problem made, const char* why) {
  VidaError error = {0};
  const VidaJournalScope scope = scope_of(&made);
  VidaJournal* journal = NULL;
  EXPECT(VidaJournal_Resume(&scope, &journal, &error) == VIDA_INPUT_OUTPUT && !journal, "%s", why);
  EXPECT(strcmp(error.flag, "CHANGED") == 0 && strstr(error.message, why) != NULL, "%s: %s", why,
         error.message);
  EXPECT(run_problem(&made, NULL, RUNS) == RUNS, "%s: runs were kept", why);
  free_problem(&made);
}

static void test_changed(void) {
  write_journal(2);
  refuse_resume(make_problem(1.5, 2.0, 0.1), "the system of the comparison has changed");
  refuse_resume(make_problem(1.0, 3.0, 0.1), "time of the comparison was 2 and is 3 now");
  refuse_resume(
      make_problem(1.0, 2.0, 0.2),
      "run 4 of the comparison was del-midpoint, h = 0.1 s and is del-midpoint, h = 0.2 s now");
}

static unsigned char* read_bytes(size_t* size) {
  FILE* file = fopen(JOURNAL, "rb");
  CU_ASSERT_FATAL(file != NULL);
  fseek(file, 0, SEEK_END);
  *size = (size_t)ftell(file);
  rewind(file);
  unsigned char* bytes = malloc(*size);
  CU_ASSERT_FATAL(bytes != NULL && fread(bytes, 1, *size, file) == *size);
  fclose(file);
  return bytes;
}

static void write_bytes(const unsigned char* bytes, size_t size) {
  FILE* file = fopen(JOURNAL, "wb");
  CU_ASSERT_FATAL(file != NULL && fwrite(bytes, 1, size, file) == size);
  fclose(file);
}

/* Resumes a damaged journal: refused, or some runs are kept, and the results are the same. */
static void expect_same(const char* expected, bool is_run) {
  VidaError error;
  problem made = make_problem(1.0, 2.0, 0.1);
  const VidaJournalScope scope = scope_of(&made);
  VidaJournal* journal = NULL;
  const int code = VidaJournal_Resume(&scope, &journal, &error);
  EXPECT(code == VIDA_SUCCESS || code == VIDA_INPUT_OUTPUT, "%d: %s", code, error.message);
  if (is_run) {
    run_problem(&made, code ? NULL : journal, RUNS);
    char* found = results_of(&made);
    EXPECT(strcmp(found, expected) == 0, "results differ");
    free(found);
  }
  VidaJournal_Destroy(&journal);
  free_problem(&made);
}

static void test_damage(void) {
  char* expected = expected_results();
  size_t size;
  write_journal(3);
  unsigned char* bytes = read_bytes(&size);
  const size_t stride = size / 41 + 1;
  for (size_t at = 0; at < size; at += at < 300 ? 1 : stride) {
    bytes[at] ^= 0x10;
    write_bytes(bytes, size);
    bytes[at] ^= 0x10;
    expect_same(expected, at % 5 == 0);
  }
  for (size_t kept = 0; kept < size; kept += stride) { /* as a killed process leaves it */
    write_bytes(bytes, kept);
    expect_same(expected, kept % 5 == 0);
  }
  free(bytes);
  free(expected);
}

/* A disk that is full in the middle of a journal: the study ends, what was finished is kept, and
 * the results of what goes on are the same. */
static void test_full_disk(void) {
  char* expected = expected_results();
  size_t size, whole;
  write_journal(0);
  free(read_bytes(&size));
  write_journal(3);
  free(read_bytes(&whole));
  struct rlimit old;
  CU_ASSERT_FATAL(getrlimit(RLIMIT_FSIZE, &old) == 0);
  void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
  int resumed = 0;
  for (size_t limit = size + 1; limit < whole; limit += (whole - size) / 5) {
    VidaError error;
    problem made = make_problem(1.0, 2.0, 0.1);
    const VidaJournalScope scope = scope_of(&made);
    const struct rlimit few = {.rlim_cur = limit, .rlim_max = old.rlim_max};
    VidaJournal* journal = NULL;
    REQUIRE_OK(VidaJournal_Create(&scope, &journal, &error), &error);
    pair both = {VidaRecording_Observer(made.recording), VidaJournal_Observer(journal, 0, NULL), 0,
                 RUNS};
    const VidaObserver observer = {
        .begin = begin_both, .sample = sample_both, .end = end_both, .data = &both};
    setrlimit(RLIMIT_FSIZE, &few);
    const int code = VidaStudy_Run(made.study, &observer, &error);
    setrlimit(RLIMIT_FSIZE, &old);
    EXPECT(code == VIDA_INPUT_OUTPUT && strstr(error.message, JOURNAL) != NULL, "%d: %s", code,
           error.message);
    VidaJournal_Destroy(&journal);
    free_problem(&made);
    made = make_problem(1.0, 2.0, 0.1);
    const VidaJournalScope again = scope_of(&made);
    REQUIRE_OK(VidaJournal_Resume(&again, &journal, &error), &error);
    EXPECT(VidaJournal_LostBytes(journal) == 0, "a part of a record is left");
    resumed += VidaJournal_KeptRuns(journal);
    run_problem(&made, journal, RUNS);
    char* found = results_of(&made);
    EXPECT(strcmp(found, expected) == 0, "results differ after %zu bytes", limit);
    free(found);
    VidaJournal_Destroy(&journal);
    free_problem(&made);
  }
  EXPECT(resumed > 0, "no run was kept");
  signal(SIGXFSZ, handler);
  free(expected);
}

int main(void) {
  static const CheckTest tests[] = {{"another process goes on", test_go_on},
                                    {"a changed study is refused", test_changed},
                                    {"damage changes no result", test_damage},
                                    {"a full disk loses no run", test_full_disk},
                                    {NULL, NULL}};
  mkdir(FOLDER, 0777);
  const int code = check_main("journal", tests);
  remove(JOURNAL);
  remove(FOLDER "/page.json");
  rmdir(FOLDER);
  return code;
}
