/* Public functions of recordings, pages, spreads, drawings and labels with NULL for what must not
 * be NULL: refused by name, or nothing returned. Others are in test_null.c and test_null_runs.c. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <vida/vida.h>

#include "support/check.h"
#include "support/refused.h"

static VidaSystem* free_particle(bool complete) {
  const VidaParticle particle = {.name = "bob", .mass = 1.0};
  VidaSystem* system = NULL;
  VidaError error;
  REQUIRE_OK(VidaSystem_Create("one", 2, &system, &error), &error);
  REQUIRE_OK(VidaSystem_AddParticle(system, &particle, NULL, &error), &error);
  if (complete) {
    REQUIRE_OK(VidaSystem_Complete(system, &error), &error);
  }
  return system;
}

static VidaStudy* make_study(const VidaSystem* system) {
  VidaOptions* options = NULL;
  VidaStudy* study = NULL;
  VidaError error;
  REQUIRE_OK(VidaStudy_CreateOptions(&options, &error), &error);
  REQUIRE_OK(VidaOptions_SetReal(options, "time", 1.0, &error), &error);
  REQUIRE_OK(VidaStudy_Create(system, options, &study, &error), &error);
  VidaOptions_Destroy(&options);
  return study;
}

static void test_pages(void) {
  VidaError error = {0};
  VidaSystem* system = free_particle(true);
  VidaStudy* study = make_study(system);
  VidaRecording *recording = NULL, *none = NULL;
  const VidaPageFacts facts = {0};
  REFUSED("recording", VidaRecording_Create(study, NULL, &error));
  REFUSED("study", VidaRecording_Create(NULL, &none, &error));
  REQUIRE_OK(VidaRecording_Create(study, &recording, &error), &error);
  const VidaRecording* one[1] = {recording};
  const VidaRecording* missing[2] = {recording, NULL};
  REFUSED("recordings", VidaReport_Page(NULL, 1, &facts, "page.html", &error));
  REFUSED("path", VidaReport_Page(one, 1, &facts, NULL, &error));
  REFUSED("recordings", VidaReport_PageData(NULL, 1, &facts, "page.json", &error));
  REFUSED("path", VidaReport_PageData(one, 1, &facts, NULL, &error));
  EXPECT(VidaReport_PageData(missing, 2, &facts, "page.json", &error) == VIDA_BAD_ARGUMENT &&
             strcmp(error.message, "recording 2 of 2 is NULL") == 0,
         "%s", error.message);
  EXPECT(VidaReport_Page(one, 0, &facts, "page.html", &error) == VIDA_BAD_ARGUMENT, "no recording");
  REFUSED("data_path", VidaReport_PageFromData(NULL, "page.html", &error));
  REFUSED("path", VidaReport_PageFromData("page.json", NULL, &error));
  REFUSED("path", VidaReport_PreparePage(NULL, &error));
  const VidaObserver observer = VidaRecording_Observer(NULL);
  EXPECT(!observer.begin && !observer.sample && !observer.end && !observer.progress, "observer");
  VidaRecording_Destroy(&recording);
  VidaRecording_Destroy(&recording);
  VidaRecording_Destroy(NULL);
  const VidaPlot plot = {0};
  REFUSED("directory", VidaReport_Plot(NULL, &plot, &error));
  REFUSED("plot", VidaReport_Plot(".", NULL, &error));
  EXPECT(VidaReport_StudyCount(NULL, &error) == 0 && error.code == VIDA_BAD_ARGUMENT, "studies");
  EXPECT(VidaReport_CountPartial(NULL) == 0, "partial files");
  const VidaExport wishes = {.format = "numpy"};
  int written = 0;
  REFUSED("directory", VidaReport_Export(NULL, &wishes, &written, &error));
  REFUSED("wishes", VidaReport_Export(".", NULL, &written, &error));
  REFUSED("written", VidaReport_Export(".", &wishes, NULL, &error));
  VidaTrajectory* trajectory = NULL;
  REFUSED("trajectories", VidaTrajectories_Finish(NULL, &error));
  REFUSED("trajectory", VidaTrajectory_Read("x.csv", NULL, &error));
  REFUSED("place", VidaTrajectory_Read(NULL, &trajectory, &error));
  EXPECT(VidaTrajectory_RowCount(NULL) == 0 && VidaTrajectory_ColumnCount(NULL) == 0 &&
             !VidaTrajectory_Title(NULL, 0) && isnan(VidaTrajectory_Value(NULL, 0, 0)),
         "a trajectory");
  VidaTrajectory_Destroy(NULL);
  VidaTrajectory_Destroy(&trajectory);
  VidaStudy_Destroy(&study);
  VidaSystem_Destroy(&system);
}

static void test_journals(void) {
  VidaError error = {0};
  VidaSystem* system = free_particle(true);
  VidaStudy* study = make_study(system);
  const VidaJournalScope scope = {.directory = ".", .count = 1, .studies = &study};
  const VidaJournalScope none = {.directory = "."}, nowhere = {.count = 1, .studies = &study};
  VidaJournal* journal = NULL;
  VidaFolder* folder = NULL;
  REFUSED("scope", VidaJournal_Create(NULL, &journal, &error));
  REFUSED("journal", VidaJournal_Create(&scope, NULL, &error));
  REFUSED("scope", VidaJournal_Resume(NULL, &journal, &error));
  REFUSED("journal", VidaJournal_Resume(&scope, NULL, &error));
  EXPECT(VidaJournal_Create(&none, &journal, &error) == VIDA_BAD_ARGUMENT, "no studies");
  EXPECT(VidaJournal_Resume(&nowhere, &journal, &error) == VIDA_BAD_ARGUMENT, "no folder");
  EXPECT(VidaJournal_StoredRuns(NULL) == 0 && VidaJournal_StoredRuns("nowhere") == 0, "no journal");
  EXPECT(VidaJournal_KeptRuns(NULL) == 0 && VidaJournal_BegunRuns(NULL) == 0 &&
             VidaJournal_LostBytes(NULL) == 0,
         "no journal");
  EXPECT(!VidaJournal_RemoveComplete(NULL) && !VidaReport_IsUnfinished(NULL), "no journal");
  EXPECT(VidaJournal_Observer(NULL, 0, NULL).begin == NULL, "no journal");
  VidaJournal_Destroy(&journal);
  VidaJournal_Destroy(NULL);
  REFUSED("directory", VidaReport_ReopenFolder(NULL, &folder, &error));
  REFUSED("folder", VidaReport_ReopenFolder(".", NULL, &error));
  EXPECT(VidaReport_ReopenFolder(".", &folder, &error) == VIDA_INPUT_OUTPUT &&
             strcmp(error.flag, "NOTHING_UNFINISHED") == 0,
         "%s", error.message);
  VidaStudy_Destroy(&study);
  VidaSystem_Destroy(&system);
}

static void test_progress(void) {
  VidaError error = {0};
  VidaProgress progress = {.study = 1, .studies = 2, .runs = 7, .finished = 3, .what = "rattle"};
  progress.fraction = 0.25;
  progress.elapsed = 3.0;
  progress.left = NAN;
  REFUSED("directory", VidaReport_WriteProgress(NULL, &progress, &error));
  REFUSED("progress", VidaReport_WriteProgress(".", NULL, &error));
  REFUSED("directory", VidaReport_ReadProgress(NULL, &progress, &error));
  REFUSED("progress", VidaReport_ReadProgress(".", NULL, &error));
  VidaReport_RemoveProgress(NULL);
  EXPECT(VidaReport_ReadProgress(".", &progress, &error) == VIDA_INPUT_OUTPUT &&
             strcmp(error.flag, "NOT_RUNNING") == 0,
         "%s", error.message);
}

/* What is written is read again; a damaged file is refused. */
static void test_progress_file(void) {
  VidaError error = {0};
  VidaProgress read;
  const VidaProgress written = {.study = 1,
                                .studies = 2,
                                .runs = 7,
                                .finished = 3,
                                .what = "rattle, h = 0.1",
                                .fraction = 0.25,
                                .elapsed = 3.0,
                                .left = NAN};
  REQUIRE_OK(VidaReport_WriteProgress(".", &written, &error), &error);
  REQUIRE_OK(VidaReport_ReadProgress(".", &read, &error), &error);
  EXPECT(read.study == 1 && read.studies == 2 && read.runs == 7 && read.finished == 3, "counts");
  EXPECT(read.fraction == 0.25 && read.elapsed == 3.0 && isnan(read.left), "numbers");
  EXPECT(strcmp(read.what, "rattle, h = 0.1") == 0 && read.process > 0, "'%s'", read.what);
  EXPECT(read.age >= 0.0, "age %g", read.age);
  FILE* file = fopen("progress.txt", "a");
  EXPECT(file != NULL && fputs("finished: many\n", file) >= 0 && fclose(file) == 0, "append");
  EXPECT_ERROR(VidaReport_ReadProgress(".", &read, &error), &error, VIDA_INPUT_OUTPUT,
               "is not a record of progress");
  VidaReport_RemoveProgress(".");
  EXPECT(VidaReport_ReadProgress(".", &read, &error) == VIDA_INPUT_OUTPUT, "removed");
}

static void test_studies(void) {
  VidaError error = {0};
  VidaSystem* system = free_particle(true);
  VidaStudy* study = make_study(system);
  VidaSpread spread;
  VidaQuantiles quantiles;
  VidaMoments moments;
  const double* values = NULL;
  char text[8] = "old";
  REFUSED("study", VidaStudy_SetLabel(NULL, "x", &error));
  REFUSED("label", VidaStudy_SetLabel(study, NULL, &error));
  REFUSED("study", VidaStudy_SetAutomaticReference(NULL, &error));
  REFUSED("study", VidaStudy_Spread(NULL, 0, &spread, &error));
  REFUSED("spread", VidaStudy_Spread(study, 0, NULL, &error));
  REFUSED("study", VidaStudy_Quantiles(NULL, 0, Vida_Column(3), &quantiles, &error));
  REFUSED("column", VidaStudy_Quantiles(study, 0, NULL, &quantiles, &error));
  REFUSED("quantiles", VidaStudy_Quantiles(study, 0, Vida_Column(3), NULL, &error));
  REFUSED("study", VidaStudy_Moments(NULL, 0, Vida_Column(3), &moments, &error));
  REFUSED("column", VidaStudy_Moments(study, 0, NULL, &moments, &error));
  REFUSED("moments", VidaStudy_Moments(study, 0, Vida_Column(3), NULL, &error));
  EXPECT(VidaStudy_SpreadCount(NULL) == 0, "spreads");
  EXPECT(VidaStudy_Label(NULL)[0] == '\0', "label");
  const VidaStartOptions start = VidaStudy_StartOptions(NULL);
  EXPECT(!start.adjust && start.tolerance == VidaStartOptions_Default().tolerance, "start options");
  VidaRow_RemarkText(NULL, 0, text, sizeof text);
  EXPECT(text[0] == '\0', "'%s'", text);
  VidaRow_RemarkText(NULL, 0, NULL, 0);
  EXPECT(VidaRow_Outcome(NULL) == VIDA_OUTCOME_NOT_RUN, "outcome");
  EXPECT(Vida_FindStatus(NULL)->outcome == VIDA_OUTCOME_FAILED, "status");
  EXPECT(!VidaStudy_HasColumn(NULL, Vida_Column(3)) && !VidaStudy_HasColumn(study, NULL), "column");
  EXPECT(!VidaStudy_RunStart(NULL, 0, &values, &values) &&
             !VidaStudy_RunStart(study, 0, NULL, &values) &&
             !VidaStudy_RunStart(study, 0, &values, NULL),
         "start");
  EXPECT(!VidaStudy_StartVaries(NULL, 0, false), "varies");
  EXPECT(VidaStudy_Done(NULL, 0, 0.5) == 0.0, "done");
  EXPECT(!Vida_FindColumn(NULL), "column by name");
  strcpy(text, "old");
  REFUSED("study", VidaStudy_SelectColumns(NULL, "q", &error));
  REFUSED("columns", VidaStudy_SelectColumns(study, NULL, &error));
  EXPECT(VidaStudy_TrajectoryBytes(NULL) == 0.0, "bytes");
  VidaStudy_CostWarnings(NULL, true, text, sizeof text);
  EXPECT(text[0] == '\0', "cost warnings");
  VidaStudy_CostWarnings(study, true, NULL, 0);
  REFUSED("stepper", VidaStepper_SetInterrupt(NULL, NULL, NULL, &error));
  VidaStudy_Destroy(&study);
  VidaSystem_Destroy(&system);
}

static void test_sweeps(void) {
  VidaError error = {0};
  VidaSystem* system = free_particle(true);
  VidaStudy* study = make_study(system);
  const VidaStarts starts = {.count = 1};
  VidaSweepStatus status;
  const VidaSweepScope nothing = {.count = 1}, none = {.count = 1, .studies = &(VidaStudy*){NULL}};
  REFUSED("study", VidaStudy_SetStarts(NULL, &starts, &error));
  REFUSED("starts", VidaStudy_SetStarts(study, NULL, &error));
  EXPECT_ERROR(VidaStudy_SetStarts(study, &starts, &error), &error, VIDA_BAD_ARGUMENT,
               "at least one start and its function");
  EXPECT(VidaStudy_SweepCounts(NULL).starts == 0 && VidaStudy_SweepCounts(study).runs == 0,
         "counts");
  EXPECT(!VidaStudy_SweepStatus(NULL, 0, 0, &status) && !VidaStudy_SweepStatus(study, 0, 0, NULL),
         "statuses");
  REFUSED("scope", VidaSweep_Run(NULL, false, NULL, &error));
  EXPECT_ERROR(VidaSweep_Run(&nothing, false, NULL, &error), &error, VIDA_BAD_ARGUMENT, "studies");
  EXPECT_ERROR(VidaSweep_Run(&none, false, NULL, &error), &error, VIDA_BAD_ARGUMENT,
               "studies[0] of the sweep is NULL");
  VidaSweep_RemoveState(NULL);
  EXPECT(VidaSweep_StoredStarts(NULL) == 0, "no folder");
  EXPECT(!VidaReport_HasJournal(NULL), "journal");
  VidaStudy_Destroy(&study);
  VidaSystem_Destroy(&system);
}

static void test_drawings(void) {
  VidaError error = {0};
  VidaSystem* system = free_particle(false);
  const VidaDrawnPoint point = {0};
  const VidaExpression node = 0;
  REFUSED("system", VidaSystem_AddLine(NULL, "line", "rod", 1, &point, &error));
  REFUSED("name", VidaSystem_AddLine(system, NULL, "rod", 1, &point, &error));
  REFUSED("style", VidaSystem_AddLine(system, "line", NULL, 1, &point, &error));
  REFUSED("points", VidaSystem_AddLine(system, "line", "rod", 1, NULL, &error));
  REFUSED("system", VidaSystem_HideLines(NULL, "line", &error));
  REFUSED("name", VidaSystem_HideLines(system, NULL, &error));
  REFUSED("system", VidaSystem_AddExpressionForceAlong(NULL, "f", 1, &node, &node, &error));
  REFUSED("name", VidaSystem_AddExpressionForceAlong(system, NULL, 1, &node, &node, &error));
  REFUSED("along", VidaSystem_AddExpressionForceAlong(system, "f", 1, NULL, &node, &error));
  REFUSED("force", VidaSystem_AddExpressionForceAlong(system, "f", 1, &node, NULL, &error));
  VidaSystem_Destroy(&system);
}

int main(void) {
  static const CheckTest tests[] = {{"pages", test_pages},
                                    {"journals", test_journals},
                                    {"progress", test_progress_file},
                                    {"progress of NULL", test_progress},
                                    {"studies", test_studies},
                                    {"sweeps", test_sweeps},
                                    {"drawings", test_drawings},
                                    {NULL, NULL}};
  return check_main("NULL arguments of outputs", tests);
}
