/* The summary of a comparison: made from rows that are written here, so that what it should say is
 * known. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vida/vida.h>

#include "report/output/summary.h"
#include "study/reference/reference.h"
#include "study/remarks.h"
#include "study/study.h"
#include "support/check.h"
#include "support/comparison.h"
#include "support/model.h"

typedef struct Fixture {
  VidaSystem* system;
  VidaStudy* study;
  vida_summary summary;
} Fixture;

/* Runs that are not made: their rows are given afterwards. reference: NULL: none. */
static Fixture make(const char* reference, const char* const* runs, int count) {
  const double v1[3] = {0.1, -1.0, 0.0}, v2[3] = {0.1, 1.0, 0.2};
  Model model = model_dumbbell(v1, v2);
  Fixture fixture = {.system = model_system(&model)};
  VidaError error = {0};
  fixture.study = comparison_study(fixture.system, "time=4");
  if (reference) {
    REQUIRE_OK(comparison_reference(fixture.study, reference, &error), &error);
  }
  for (int i = 0; i < count; i++) {
    REQUIRE_OK(comparison_run(fixture.study, runs[i], &error), &error);
    vida_run* run = &fixture.study->runs[i];
    vida__forget_measurements(&run->row);
    run->sizes = (vida_run_sizes){.energy = 2.0,
                                  .momentum = 2.0,
                                  .constraint = 1.0,
                                  .constraint_rate = 1.0,
                                  .energy_start = 1.0,
                                  .momentum_start = 1.0,
                                  .energy_drift_interval = NAN,
                                  .energy_oscillation = NAN};
  }
  return fixture;
}

static VidaRow* finish(Fixture* fixture, int run, double position_error, double seconds) {
  VidaRow* row = &fixture->study->runs[run].row;
  strcpy(row->status, "ok");
  row->t_end = 4.0;
  row->wall_s = seconds;
  row->position_error = position_error;
  return row;
}

static void set_energy(Fixture* fixture, int run, double error, double slope, double interval,
                       double oscillation) {
  vida_run* of = &fixture->study->runs[run];
  of->row.energy_error = error;
  of->row.energy_drift = slope;
  of->sizes.energy_drift_interval = interval;
  of->sizes.energy_oscillation = oscillation;
}

static void summarize(Fixture* fixture) {
  vida__free_summary(&fixture->summary);
  EXPECT(vida__summarize(fixture->study, &fixture->summary) == VIDA_SUCCESS, "no memory");
}

static void end(Fixture* fixture) {
  vida__free_summary(&fixture->summary);
  VidaStudy_Destroy(&fixture->study);
  VidaSystem_Destroy(&fixture->system);
}

/* The methods of a line; "" when there is none. */
static const char* names_of(const Fixture* fixture, const char* topic, vida_verdict verdict) {
  for (int i = 0; i < fixture->summary.line_count; i++) {
    const vida_summary_line* line = &fixture->summary.lines[i];
    if (strcmp(line->topic, topic) == 0 && line->verdict == verdict) {
      return line->names;
    }
  }
  return "";
}

static void expect_names(const Fixture* fixture, const char* topic, vida_verdict verdict,
                         const char* expected) {
  const char* found = names_of(fixture, topic, verdict);
  EXPECT(strcmp(found, expected) == 0, "%s, %d: '%s', expected '%s'", topic, (int)verdict, found,
         expected);
}

/* ---- what was kept --------------------------------------------------------------------------- */

/* The energy's parts are 2 J; the time is 4 s. */
static void test_verdicts(void) {
  static const char* const runs[] = {
      "energy-momentum h=0.1", "rattle h=0.1",      "rattle h=0.05", "hht h=0.1", "hht h=0.05",
      "verlet h=0.1",          "del-midpoint h=0.1"};
  Fixture fixture = make(NULL, runs, 5);
  for (int i = 0; i < 5; i++) {
    finish(&fixture, i, NAN, 1e-3);
  }
  set_energy(&fixture, 0, 1e-15, 1e-16, 1e-15, 1e-15);
  set_energy(&fixture, 1, 1e-2, 1e-4, 2e-4, 1.5e-2);
  set_energy(&fixture, 2, 2e-3, -2e-5, 5e-5, 3e-3);
  set_energy(&fixture, 3, 1e-2, -5e-3, 1e-4, 1e-3);
  set_energy(&fixture, 4, 1e-3, -1e-4, 1e-3, 1e-3); /* alone it would not tell */
  summarize(&fixture);
  expect_names(&fixture, "energy", VIDA_VERDICT_ROUNDING, "energy-momentum");
  expect_names(&fixture, "energy", VIDA_VERDICT_STEADY, "rattle");
  expect_names(&fixture, "energy", VIDA_VERDICT_DRIFT, "hht (in 1 of 2 runs)");
  expect_names(&fixture, "energy", VIDA_VERDICT_UNTOLD, "");
  expect_names(&fixture, "momenta", VIDA_VERDICT_ROUNDING, "");
  /* Less than the error of the work is no measurement. */
  fixture.study->runs[1].row.work_error = 2e-2;
  fixture.study->runs[2].row.work_error = 1e-2;
  summarize(&fixture);
  expect_names(&fixture, "energy", VIDA_VERDICT_STEADY, "");
  expect_names(&fixture, "energy", VIDA_VERDICT_DRIFT, "hht (in 1 of 2 runs)");
  fixture.study->runs[1].row.work_error = fixture.study->runs[2].row.work_error = 0.0;
  summarize(&fixture);
  for (int i = 0; i < fixture.summary.line_count; i++) {
    const char* text = fixture.summary.lines[i].text;
    if (fixture.summary.lines[i].verdict == VIDA_VERDICT_DRIFT) {
      EXPECT(strcmp(text,
                    "hht (0.01 J with h = 0.1 s, 0.001 J with h = 0.05 s; drift in 1 of 2 "
                    "runs)") == 0,
             "'%s'", text);
    } else if (fixture.summary.lines[i].verdict == VIDA_VERDICT_ROUNDING) {
      EXPECT(strcmp(text, "energy-momentum (at most 1e-15 J)") == 0, "'%s'", text);
    }
  }
  /* A slope that is not above its interval says nothing where that is as large as the error. */
  set_energy(&fixture, 1, 1e-2, 1e-3, 2e-2, 1.5e-2);
  summarize(&fixture);
  expect_names(&fixture, "energy", VIDA_VERDICT_UNTOLD, "rattle (in 1 of 2 runs)");
  /* Nor is it called a drift when it is hardly above. */
  set_energy(&fixture, 1, 1e-2, 1.2e-3, 1e-3, 1.5e-2);
  summarize(&fixture);
  expect_names(&fixture, "energy", VIDA_VERDICT_UNTOLD, "rattle (in 1 of 2 runs)");
  /* Nor where it makes less than a quarter of the oscillation: 4 s of 8e-4 J/s beside 1.5e-2 J. */
  set_energy(&fixture, 1, 1e-2, 8e-4, 1e-5, 1.5e-2);
  summarize(&fixture);
  expect_names(&fixture, "energy", VIDA_VERDICT_DRIFT, "hht (in 1 of 2 runs)");
  /* A constant offset does not drift, however small its oscillation. */
  set_energy(&fixture, 1, 1e-2, 1e-12, 1e-12, 1e-15);
  summarize(&fixture);
  expect_names(&fixture, "energy", VIDA_VERDICT_STEADY, "rattle");
  /* Too few states for an interval. */
  set_energy(&fixture, 1, 1e-2, 1.2e-3, NAN, NAN);
  summarize(&fixture);
  expect_names(&fixture, "energy", VIDA_VERDICT_UNTOLD, "rattle (in 1 of 2 runs)");
  end(&fixture);
}

/* The same numbers in other units: what is rounding is rounding beside the size. */
static void test_sizes(void) {
  static const char* const runs[] = {"rattle h=0.1"};
  Fixture fixture = make(NULL, runs, 1);
  VidaRow* row = finish(&fixture, 0, NAN, 1e-3);
  for (int decade = -30; decade <= 30; decade += 15) {
    const double unit = pow(10.0, decade);
    fixture.study->runs[0].sizes.momentum = 2.0 * unit;
    fixture.study->runs[0].sizes.constraint = unit;
    row->momentum_error = 1e-14 * unit;
    row->constraint_position = 1e-9 * unit;
    summarize(&fixture);
    expect_names(&fixture, "momenta", VIDA_VERDICT_ROUNDING, "rattle");
    expect_names(&fixture, "constraints", VIDA_VERDICT_OFF, "rattle");
    row->momentum_error = 1e-9 * unit;
    row->constraint_position = 1e-15 * unit;
    summarize(&fixture);
    expect_names(&fixture, "momenta", VIDA_VERDICT_OFF, "rattle");
    expect_names(&fixture, "constraints", VIDA_VERDICT_ROUNDING, "rattle");
  }
  /* Without a size nothing but zero is called rounding. */
  fixture.study->runs[0].sizes.momentum = 0.0;
  row->momentum_error = 1e-300;
  summarize(&fixture);
  expect_names(&fixture, "momenta", VIDA_VERDICT_OFF, "rattle");
  row->momentum_error = 0.0;
  summarize(&fixture);
  expect_names(&fixture, "momenta", VIDA_VERDICT_ROUNDING, "rattle");
  end(&fixture);
}

/* ---- what an error costs --------------------------------------------------------------------- */

static void expect_price(const Fixture* fixture, int index, double error, double least, int run,
                         int next) {
  EXPECT(index < fixture->summary.cost_count, "there are %d prices only",
         fixture->summary.cost_count);
  const vida_summary_cost* price = &fixture->summary.prices[index];
  EXPECT(fabs(price->error / error - 1.0) < 1e-12 && fabs(price->least_error / least - 1.0) < 1e-12,
         "price %d is that of %g to %g", index, price->error, price->least_error);
  EXPECT(price->run == run && price->next == next, "price %d: runs %d, %d, expected %d, %d", index,
         price->run, price->next, run, next);
}

static void test_prices(void) {
  static const char* const runs[] = {"rattle h=0.1", "rattle h=0.01", "energy-momentum h=0.1",
                                     "energy-momentum h=0.01"};
  Fixture fixture = make("rattle h=0.001", runs, 4);
  fixture.study->reference->position_error = 1e-6;
  finish(&fixture, 0, 2e-2, 1e-3);
  finish(&fixture, 1, 1e-4, 8e-3); /* 1e-4 is reached */
  finish(&fixture, 2, 5e-3, 2e-3);
  finish(&fixture, 3, 1e-9, 20e-3); /* known to 1e-6 only */
  summarize(&fixture);
  EXPECT(fixture.summary.cost_count == 3, "there are %d", fixture.summary.cost_count);
  expect_price(&fixture, 0, 1e-2, 1e-2, 2, 1);
  expect_price(&fixture, 1, 1e-3, 1e-4, 1, 3);
  expect_price(&fixture, 2, 1e-5, 1e-6, 3, -1);
  /* A run that failed has no price, however small its error. */
  strcpy(fixture.study->runs[3].row.status, "UNBOUNDED");
  summarize(&fixture);
  EXPECT(fixture.summary.cost_count == 2, "there are %d", fixture.summary.cost_count);
  expect_price(&fixture, 1, 1e-3, 1e-4, 1, -1);
  end(&fixture);
}

/* All in one decade, and a single run. */
static void test_one_row(void) {
  static const char* const runs[] = {"rattle h=0.1"};
  Fixture fixture = make("rattle h=0.001", runs, 1);
  fixture.study->reference->position_error = NAN;
  finish(&fixture, 0, 2e-3, 1e-3);
  summarize(&fixture);
  EXPECT(fixture.summary.cost_count == 1, "there are %d", fixture.summary.cost_count);
  expect_price(&fixture, 0, 1e-2, 1e-2, 0, -1);
  /* The reference itself: nothing is known. */
  fixture.study->runs[0].row.position_error = 0.0;
  summarize(&fixture);
  EXPECT(fixture.summary.cost_count == 0, "there are %d", fixture.summary.cost_count);
  end(&fixture);
}

/* ---- nothing to tell ------------------------------------------------------------------------- */

static void test_nothing(void) {
  static const char* const runs[] = {"rattle h=0.1", "hht h=0.1", "ida-ggl rtol=1e-6"};
  Fixture fixture = make(NULL, runs, 0);
  summarize(&fixture);
  EXPECT(fixture.summary.runs == 0 && fixture.summary.methods == 0, "runs of an empty study");
  end(&fixture);

  fixture = make("rattle h=0.001", runs, 3); /* not run at all */
  summarize(&fixture);
  EXPECT(fixture.summary.finished == 0 && fixture.summary.failed == 0, "runs that were not made");
  EXPECT(fixture.summary.line_count == 0 && fixture.summary.cost_count == 0 &&
             fixture.summary.failure_count == 0,
         "something is told of runs that were not made");
  for (int i = 0; i < 3; i++) { /* all failed, two of them alike */
    VidaRow* row = &fixture.study->runs[i].row;
    strcpy(row->status, i < 2 ? "UNBOUNDED" : "IDA_CONV_FAIL");
    if (i < 2) {
      vida__add_remark(row, (VidaRemark){.kind = VIDA_REMARK_FAILURE}, "rod is torn");
    }
    row->t_end = i < 2 ? 1.5 : NAN;
    row->energy_error = 1e-15;
    row->constraint_position = 1e-15;
  }
  summarize(&fixture);
  EXPECT(fixture.summary.line_count == 0 && fixture.summary.cost_count == 0,
         "something was kept by runs that failed");
  EXPECT(fixture.summary.failure_count == 2, "there are %d", fixture.summary.failure_count);
  EXPECT(strcmp(fixture.summary.failures[0].names, "rattle, h = 0.1 s; hht, h = 0.1 s") == 0,
         "'%s'", fixture.summary.failures[0].names);
  EXPECT(strcmp(fixture.summary.failures[0].text, "at t = 1.5 s: rod is torn") == 0, "'%s'",
         fixture.summary.failures[0].text);
  EXPECT(fixture.summary.failures[1].text[0] == '\0', "'%s'", fixture.summary.failures[1].text);
  end(&fixture);
}

/* NaN and infinite measurements, which rows should not have, are taken for none. */
static void test_not_numbers(void) {
  static const char* const runs[] = {"rattle h=0.1", "ida-ggl rtol=1e-6"};
  Fixture fixture = make("rattle h=0.001", runs, 2);
  finish(&fixture, 0, NAN, NAN);
  VidaRow* row = finish(&fixture, 1, INFINITY, 0.0);
  row->energy_error = row->constraint_position = INFINITY;
  summarize(&fixture);
  EXPECT(fixture.summary.line_count == 0 && fixture.summary.cost_count == 0,
         "something is told of what is no number");
  fixture.study->runs[0].sizes.energy = NAN;
  set_energy(&fixture, 0, 1e-3, NAN, 1.0, NAN);
  summarize(&fixture);
  expect_names(&fixture, "energy", VIDA_VERDICT_UNTOLD, "rattle");
  end(&fixture);
}

/* ---- options --------------------------------------------------------------------------------- */

/* Sets of options are told apart as long as there are few, and methods where there are many. */
static void test_options(void) {
  char texts[16][64];
  const char* runs[16];
  for (int i = 0; i < 16; i++) {
    snprintf(texts[i], sizeof texts[i], "baumgarte rtol=1e-6 gamma=%d", i + 1);
    runs[i] = texts[i];
  }
  Fixture fixture = make(NULL, runs, 2);
  for (int i = 0; i < 2; i++) {
    finish(&fixture, i, NAN, 1e-3)->constraint_position = i == 0 ? 1e-3 : 1e-16;
  }
  summarize(&fixture);
  expect_names(&fixture, "constraints", VIDA_VERDICT_OFF, "baumgarte gamma=1");
  expect_names(&fixture, "constraints", VIDA_VERDICT_ROUNDING, "baumgarte gamma=2");
  end(&fixture);
  fixture = make(NULL, runs, 16);
  for (int i = 0; i < 15; i++) {
    finish(&fixture, i, NAN, 1e-3)->constraint_position = 1e-16;
  }
  strcpy(fixture.study->runs[15].row.status, "UNBOUNDED");
  summarize(&fixture);
  EXPECT(fixture.summary.methods == 1, "there are %d", fixture.summary.methods);
  expect_names(&fixture, "constraints", VIDA_VERDICT_ROUNDING, "baumgarte (15 of 16 runs)");
  end(&fixture);
}

/* ---- runs that are made ---------------------------------------------------------------------- */

/* Claims of the methods' authors: energy-momentum keeps the energy; rattle keeps momenta and both
 * levels of constraints. */
static void test_real_runs(void) {
  static const char* const runs[] = {"energy-momentum h=0.02", "rattle h=0.02", "hht h=0.02"};
  const double v1[3] = {0.1, -1.0, 0.0}, v2[3] = {0.1, 1.0, 0.2};
  Model model = model_dumbbell(v1, v2);
  VidaError error = {0};
  Fixture fixture = {.system = model_system(&model)};
  fixture.study = comparison_study(fixture.system, "time=20");
  comparison_add(fixture.study, "rattle h=0.001", runs, 3);
  REQUIRE_OK(VidaStudy_Run(fixture.study, NULL, &error), &error);
  summarize(&fixture);
  EXPECT(strstr(names_of(&fixture, "energy", VIDA_VERDICT_ROUNDING), "energy-momentum") != NULL,
         "energy-momentum has not kept the energy");
  EXPECT(strstr(names_of(&fixture, "momenta", VIDA_VERDICT_ROUNDING), "rattle") != NULL,
         "rattle has not kept the momenta");
  EXPECT(strstr(names_of(&fixture, "constraints", VIDA_VERDICT_ROUNDING), "rattle") != NULL,
         "rattle has not kept the constraints");
  EXPECT(strstr(names_of(&fixture, "their rates", VIDA_VERDICT_ROUNDING), "rattle") != NULL,
         "rattle has not kept their rates");
  EXPECT(fixture.summary.cost_count > 0, "no price");
  end(&fixture);
}

/* Rates of 2e-12 of their terms are the rounding of the solution where rows depend on each other,
 * and otherwise not; 2e-6 is a violation anywhere. */
static void test_redundant_rates(void) {
  static const char* const runs[] = {"rattle h=0.1", "energy-momentum h=0.1"};
  Fixture fixture = make(NULL, runs, 2);
  for (int i = 0; i < 2; i++) {
    finish(&fixture, i, NAN, 1e-3)->constraint_velocity = i == 0 ? 2e-12 : 2e-6;
  }
  summarize(&fixture);
  expect_names(&fixture, "their rates", VIDA_VERDICT_OFF, "rattle, energy-momentum");
  for (int i = 0; i < 2; i++) {
    vida__add_remark(&fixture.study->runs[i].row, (VidaRemark){.kind = VIDA_REMARK_ROW_DEPENDS},
                     "rod");
  }
  summarize(&fixture);
  expect_names(&fixture, "their rates", VIDA_VERDICT_ROUNDING, "rattle");
  expect_names(&fixture, "their rates", VIDA_VERDICT_OFF, "energy-momentum");
  end(&fixture);
}

int main(void) {
  static const CheckTest tests[] = {{"verdicts", test_verdicts},
                                    {"sizes", test_sizes},
                                    {"prices", test_prices},
                                    {"one row", test_one_row},
                                    {"nothing", test_nothing},
                                    {"not numbers", test_not_numbers},
                                    {"options", test_options},
                                    {"real runs", test_real_runs},
                                    {"redundant rates", test_redundant_rates},
                                    {NULL, NULL}};
  return check_main("summary", tests);
}
