/* Comparisons: errors, references, starts, failures, rows. Expected values are closed forms: on the
 * oscillator x'' = -x the midpoint rule turns the phase by 2 atan(h/2) in each step. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <vida/vida.h>

#include "support/check.h"
#include "support/comparison.h"
#include "support/model.h"

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

static double phase(double h) {
  return 2.0 * atan(0.5 * h);
}

/* x'' = -x from x = 1 at rest */
static VidaSystem* oscillator(void) {
  const Model model = model_oscillator(1.0, 1.0, 1.0, 0.0);
  return model_system(&model);
}

/* q'' = -q in the plane from (1, 0) with velocity (0, 1): a circle, J_z = 1, energy 1 */
static VidaSystem* circle(void) {
  Model model = model_oscillator(1.0, 1.0, 1.0, 0.0);
  model.name = "circle";
  model.dimension = 2;
  model.particle[0].position[1] = VidaInitial_Given(0.0);
  model.particle[0].velocity[1] = VidaInitial_Given(1.0);
  return model_system(&model);
}

/* 2 kg on a rod of 0.5 m in the plane, without gravity, at 3 m/s */
static VidaSystem* sling(void) {
  Model model = model_pendulum(2, 2.0, 0.5, 0.0, 6.0);
  model.gravity[1] = 0.0;
  return model_system(&model);
}

/* Two unit masses that turn about each other: no step above 0.368163760378 has a solution. */
static VidaSystem* dumbbell(void) {
  const double v1[3] = {0.1, -1.0, 0.0}, v2[3] = {0.1, 1.0, 0.2};
  const Model model = model_dumbbell(v1, v2);
  return model_system(&model);
}

static VidaSystem* free_particle(void) {
  const double x = 0.0, v = 1.0;
  const Model model = model_free_particle(1, 10.0, &x, &v);
  return model_system(&model);
}

static void run_study(VidaStudy* study) {
  VidaError error = {0};
  REQUIRE_OK(VidaStudy_Run(study, NULL, &error), &error);
}

static void end_study(VidaStudy** study, VidaSystem** system) {
  VidaStudy_Destroy(study);
  VidaSystem_Destroy(system);
}

/* ---- errors against closed forms ------------------------------------------------------------ */

/* Sum over the steps of run and reference, both by the midpoint rule, of |x - x_r| and |v - v_r|;
 * x = cos, v = -sin of the phase. */
typedef struct Expected {
  double position, velocity, size, position_max, position_end;
} Expected;

static Expected oscillator_errors(double h, long steps, double reference_h, long between) {
  Expected sum = {0};
  for (long k = 1; k <= steps; k++) {
    const double a = (double)k * phase(h), b = (double)(k * between) * phase(reference_h);
    sum.position_end = fabs(cos(a) - cos(b));
    sum.position += sum.position_end / (double)steps;
    sum.velocity += fabs(sin(a) - sin(b)) / (double)steps;
    sum.size += fabs(cos(b)) / (double)steps;
    sum.position_max = fmax(sum.position_max, sum.position_end);
  }
  return sum;
}

static void test_mean_error(void) {
  VidaSystem* system = oscillator();
  VidaStudy* study = comparison_study(system, "time=10");
  static const char* const runs[] = {"del-midpoint h=0.1", "del-midpoint h=0.05"};
  comparison_add(study, "energy-momentum h=0.01", runs, 2);
  run_study(study);
  for (int i = 0; i < 2; i++) {
    const VidaRow* row = VidaStudy_Row(study, i);
    const Expected expected = oscillator_errors(row->h, i ? 200 : 100, 0.01, i ? 5 : 10);
    EXPECT(strcmp(row->status, "ok") == 0, "%s", row->message);
    EXPECT(strcmp(row->system, "oscillator") == 0 && strcmp(row->method, "del-midpoint") == 0,
           "%s, %s", row->system, row->method);
    EXPECT(row->steps == (i ? 200 : 100) && row->t_end == 10.0, "%ld steps to %g", row->steps,
           row->t_end);
    EXPECT_NEAR(row->position_error, expected.position, 1e-13, "run %d", i);
    EXPECT_NEAR(row->velocity_error, expected.velocity, 1e-13, "run %d", i);
    EXPECT_BELOW(row->energy_error, 1e-13, "the midpoint rule keeps quadratic energies");
    EXPECT_BELOW(row->energy_drift, 1e-14, "run %d", i);
    EXPECT(isnan(row->multiplier_error) && isnan(row->constraint_position), "no constraints");
    EXPECT(isnan(row->momentum_error), "no symmetry");
    EXPECT(row->wall_s > 0.0 && row->newton_iterations >= row->steps, "run %d", i);
  }
  end_study(&study, &system);
}

static void test_other_norms(void) {
  VidaSystem* system = oscillator();
  const Expected expected = oscillator_errors(0.1, 100, 0.01, 10);
  const struct {
    const char* options;
    double position;
  } cases[] = {{"time=10 norm=max", expected.position_max},
               {"time=10 norm=end", expected.position_end},
               {"time=10 norm=mean relative=true", expected.position / expected.size}};
  static const char* const runs[] = {"del-midpoint h=0.1"};
  for (int i = 0; i < COUNT(cases); i++) {
    VidaStudy* study = comparison_study(system, cases[i].options);
    comparison_add(study, "energy-momentum h=0.01", runs, 1);
    run_study(study);
    EXPECT_NEAR(VidaStudy_Row(study, 0)->position_error, cases[i].position, 1e-13, "%s",
                cases[i].options);
    VidaStudy_Destroy(&study);
  }
  VidaSystem_Destroy(&system);
}

/* The length of the vector divides the mean; a selection shortens it. */
static void test_vectors_and_selection(void) {
  VidaSystem* system = circle();
  VidaError error = {0};
  static const char* const runs[] = {"del-midpoint h=0.1"};
  const Expected one = oscillator_errors(0.1, 100, 0.01, 10);
  double both = 0.0;
  for (int k = 1; k <= 100; k++) {
    both += fabs(2.0 * sin(0.5 * k * (phase(0.1) - 10.0 * phase(0.01)))) / (100 * 2);
  }
  for (int selected = 0; selected < 2; selected++) {
    VidaStudy* study = comparison_study(system, "time=10");
    const int first = 0, absent = 2, twice[] = {1, 1};
    comparison_add(study, "energy-momentum h=0.01", runs, 1);
    EXPECT_ERROR(VidaStudy_SelectCoordinates(study, 1, &absent, &error), &error, VIDA_BAD_ARGUMENT,
                 "no coordinate 2");
    EXPECT_ERROR(VidaStudy_SelectCoordinates(study, 2, twice, &error), &error, VIDA_BAD_ARGUMENT,
                 "twice");
    if (selected) {
      REQUIRE_OK(VidaStudy_SelectCoordinates(study, 1, &first, &error), &error);
    }
    run_study(study);
    EXPECT_NEAR(VidaStudy_Row(study, 0)->position_error, selected ? one.position : both, 1e-13,
                "selected: %d", selected);
    EXPECT_BELOW(VidaStudy_Row(study, 0)->momentum_error, 1e-13, "J_z is kept");
    VidaStudy_Destroy(&study);
  }
  VidaSystem_Destroy(&system);
}

/* On a circle of radius l at speed v both methods turn by a constant angle per step; the discrete
 * equations of motion then give the tensions 2 m l (1 - cos theta) / h^2, sin theta = h v / l
 * (del-midpoint), and m v^2 / l (energy-momentum). */
static void test_multiplier_error(void) {
  VidaSystem* system = sling();
  VidaStudy* study = comparison_study(system, "time=1");
  static const char* const runs[] = {"del-midpoint h=0.02", "energy-momentum h=0.05",
                                     "del-midpoint h=0.1"};
  comparison_add(study, "energy-momentum h=0.01", runs, 3);
  run_study(study);
  const double m = 2.0, l = 0.5, v = 3.0, h = 0.02;
  const double theta = asin(h * v / l), reference = 2.0 * atan(0.01 * v / (2.0 * l));
  const double tension = 2.0 * m * l * (1.0 - cos(theta)) / (h * h);
  double position = 0.0;
  for (int k = 1; k <= 50; k++) {
    position += fabs(2.0 * l * sin(0.5 * k * (theta - 2.0 * reference))) / (50 * 2);
  }
  const VidaRow* row = VidaStudy_Row(study, 0);
  EXPECT_NEAR(row->multiplier_error, fabs(tension - m * v * v / l), 1e-9, "del-midpoint");
  EXPECT_NEAR(row->position_error, position, 1e-12, "del-midpoint");
  EXPECT_BELOW(row->constraint_position, 1e-13, "del-midpoint");
  EXPECT_BELOW(row->constraint_velocity, 1e-12, "del-midpoint");
  row = VidaStudy_Row(study, 1);
  EXPECT_BELOW(row->multiplier_error, 1e-9, "energy-momentum");
  EXPECT_BELOW(row->energy_error, 1e-12, "energy-momentum");
  EXPECT_BELOW(row->momentum_error, 1e-12, "energy-momentum");
  /* The middle of a step of 0.1, where its multiplier belongs, is five steps of the reference away
   * from its ends; sin theta = 3/5. */
  row = VidaStudy_Row(study, 2);
  EXPECT_NEAR(row->multiplier_error, fabs(2.0 * m * l * (1.0 - 0.8) / 0.01 - m * v * v / l), 1e-9,
              "del-midpoint, coarse");
  end_study(&study, &system);
}

static void test_no_reference(void) {
  VidaSystem* system = oscillator();
  VidaStudy* study = comparison_study(system, "time=1");
  static const char* const runs[] = {"del-midpoint h=0.1"};
  double position_error = 0.0;
  comparison_add(study, NULL, runs, 1);
  run_study(study);
  const VidaRow* row = VidaStudy_Row(study, 0);
  EXPECT(strcmp(row->status, "ok") == 0, "%s", row->message);
  EXPECT(isnan(row->position_error) && isnan(row->velocity_error), "not measured");
  EXPECT_BELOW(row->energy_error, 1e-14, "measured");
  EXPECT(strcmp(VidaStudy_Reference(study, &position_error), "") == 0, "none");
  EXPECT(isnan(position_error), "none");
  end_study(&study, &system);
}

/* Differences that come out as h^2 times something: |cos k phase(2h) - cos 2k phase(h)| / 3. */
static void test_reference_estimate(void) {
  VidaSystem* system = oscillator();
  VidaStudy* study = comparison_study(system, "time=10");
  static const char* const runs[] = {"del-midpoint h=0.1", "energy-momentum h=0.01"};
  double estimate = 0.0, expected = 0.0, actual = 0.0;
  comparison_add(study, "energy-momentum h=0.01", runs, 2);
  run_study(study);
  for (int k = 1; k <= 500; k++) {
    expected += fabs(cos(k * phase(0.02)) - cos(2 * k * phase(0.01))) / (3 * 500);
    actual += fabs(cos(0.02 * k) - cos(2 * k * phase(0.01))) / 500;
  }
  EXPECT(strcmp(VidaStudy_Reference(study, &estimate), "energy-momentum, h = 0.01 s") == 0, "%s",
         VidaStudy_Reference(study, NULL));
  EXPECT_NEAR(estimate, expected, 1e-12, "from two solutions");
  EXPECT_NEAR(estimate, actual, 0.01 * actual, "the true error of the reference");
  /* The reference itself as a run: status ok, and the reader is told. */
  const VidaRow* row = VidaStudy_Row(study, 1);
  EXPECT(strcmp(row->status, "ok") == 0 && row->position_error == 0.0, "error %g",
         row->position_error);
  EXPECT(strstr(row->message, "below the reference's own estimated error"), "'%s'", row->message);
  EXPECT(VidaStudy_Row(study, 0)->message[0] == '\0', "'%s'", VidaStudy_Row(study, 0)->message);
  VidaStudy_Destroy(&study);

  study = comparison_study(system, "time=10 reference_estimate=false");
  comparison_add(study, "energy-momentum h=0.01", runs, 2);
  run_study(study);
  VidaStudy_Reference(study, &estimate);
  EXPECT(isnan(estimate), "not asked for");
  end_study(&study, &system);
}

static void test_common_times(void) {
  VidaSystem* system = oscillator();
  VidaStudy* study = comparison_study(system, "time=1");
  VidaError error = {0};
  static const char* const runs[] = {"del-midpoint h=0.1"};
  double expected = 0.0;
  comparison_add(study, "energy-momentum h=0.04", runs, 1);
  run_study(study);
  for (int k = 1; k <= 5; k++) { /* t = 0.2 k */
    expected += fabs(cos(2 * k * phase(0.1)) - cos(5 * k * phase(0.04))) / 5;
  }
  const VidaRow* row = VidaStudy_Row(study, 0);
  EXPECT_NEAR(row->position_error, expected, 1e-14, "at common times");
  EXPECT(strstr(row->message, "after every 2 steps only"), "'%s'", row->message);
  EXPECT_ERROR(comparison_reference(study, "rattle h=0.1", &error), &error, VIDA_BAD_ARGUMENT,
               "a reference already");
  VidaStudy_Destroy(&study);

  /* refused whichever comes first */
  static const char* const odd[] = {"del-midpoint h=0.000992063492063492"}; /* 1/1008 */
  study = comparison_study(system, "time=1");
  comparison_add(study, "energy-momentum h=0.000991080277502478", NULL, 0); /* 1/1009 */
  EXPECT_ERROR(comparison_run(study, odd[0], &error), &error, VIDA_STEP_DOES_NOT_FIT,
               "h = 0.000992063492063 and the reference's h = 0.000991080277502 ");
  VidaStudy_Destroy(&study);
  study = comparison_study(system, "time=1");
  comparison_add(study, NULL, odd, 1);
  EXPECT_ERROR(comparison_reference(study, "energy-momentum h=0.000991080277502478", &error),
               &error, VIDA_STEP_DOES_NOT_FIT, "too few times in common");
  end_study(&study, &system);
}

static void test_shortened_run(void) {
  VidaSystem* system = oscillator();
  VidaStudy* study = comparison_study(system, "time=1 end_step=shorten norm=end");
  static const char* const runs[] = {"del-midpoint h=0.3", "del-midpoint h=0.25"};
  comparison_add(study, "energy-momentum h=0.1", runs, 2);
  run_study(study);
  const VidaRow* row = VidaStudy_Row(study, 0);
  const double end = cos(3.0 * phase(0.3) + phase(0.1)), reference = cos(10.0 * phase(0.1));
  EXPECT(strcmp(row->status, "ok") == 0, "%s", row->message);
  EXPECT(row->steps == 4 && row->t_end == 1.0, "%ld steps to %.17g", row->steps, row->t_end);
  EXPECT_NEAR(row->position_error, fabs(end - reference), 1e-14, "three steps and a third");
  EXPECT(row->newton_iterations >= 4, "%ld iterations", row->newton_iterations);
  EXPECT(VidaStudy_Row(study, 1)->steps == 4, "a step that fits");
  end_study(&study, &system);
}

/* ---- two points ----------------------------------------------------------------------------- */

/* The three-term recurrence q[k+1] = 2 cos(phase) q[k] - q[k-1] goes on from the reference's state;
 * the momentum map of the discrete momentum is sin(theta) (1/h + h/4), where theta is the angle to
 * the second point, and J = 1 at the start. */
static void test_two_points(void) {
  VidaSystem* system = circle();
  VidaStudy* study = comparison_study(system, "time=10");
  static const char* const runs[] = {"del-midpoint h=0.1 start=two-point"};
  comparison_add(study, "energy-momentum h=0.01", runs, 1);
  run_study(study);
  const double theta = 10.0 * phase(0.01), h = 0.1;
  double x[3] = {1.0, cos(theta), 0.0}, y[3] = {0.0, sin(theta), 0.0}, position = 0.0;
  for (int k = 2; k <= 100; k++) {
    x[2] = 2.0 * cos(phase(h)) * x[1] - x[0];
    y[2] = 2.0 * cos(phase(h)) * y[1] - y[0];
    position += hypot(x[2] - cos(k * theta), y[2] - sin(k * theta)) / (100 * 2);
    memmove(x, x + 1, 2 * sizeof x[0]);
    memmove(y, y + 1, 2 * sizeof y[0]);
  }
  const VidaRow* row = VidaStudy_Row(study, 0);
  EXPECT(strcmp(row->status, "ok") == 0, "%s", row->message);
  EXPECT(strcmp(row->options, "start=two-point") == 0, "'%s'", row->options);
  EXPECT_NEAR(row->position_error, position, 1e-12, "positions");
  EXPECT_NEAR(row->momentum_error, fabs(sin(theta) * (1.0 / h + h / 4.0) - 1.0), 1e-12, "momentum");
  end_study(&study, &system);
}

static void test_two_points_refused(void) {
  VidaSystem* system = circle();
  VidaStudy* study = comparison_study(system, "time=1");
  VidaError error = {0};
  EXPECT_ERROR(comparison_run(study, "del-midpoint h=0.25 start=two-point", &error), &error,
               VIDA_BAD_ARGUMENT, "second point from the reference");
  EXPECT_ERROR(comparison_reference(study, "del-midpoint h=0.25 start=two-point", &error), &error,
               VIDA_BAD_ARGUMENT, "cannot start from two points");
  comparison_add(study, "energy-momentum h=0.1", NULL, 0);
  EXPECT_ERROR(comparison_run(study, "del-midpoint h=0.25 start=two-point", &error), &error,
               VIDA_STEP_DOES_NOT_FIT, "h = 0.25 is not a multiple of the reference's h = 0.1");
  EXPECT(VidaStudy_RunCount(study) == 0, "%d runs", VidaStudy_RunCount(study));
  end_study(&study, &system);
}

/* ---- failures ------------------------------------------------------------------------------- */

static void test_failing_run(void) {
  VidaSystem* system = dumbbell();
  VidaStudy* study = comparison_study(system, "time=4");
  static const char* const runs[] = {"rattle h=0.1", "rattle h=0.4", "energy-momentum h=0.2"};
  comparison_add(study, "energy-momentum h=0.01", runs, 3);
  run_study(study);
  for (int i = 0; i < 3; i++) {
    const VidaRow* row = VidaStudy_Row(study, i);
    const bool failed = i == 1;
    EXPECT((strcmp(row->status, "ok") != 0) == failed, "run %d: %s", i, row->status);
    EXPECT((row->message[0] != '\0') == failed, "run %d: '%s'", i, row->message);
    EXPECT(row->t_end == (failed ? 0.0 : 4.0), "run %d: %g", i, row->t_end);
    EXPECT((isnan(row->position_error) && isnan(row->energy_error) && isnan(row->momentum_error) &&
            isnan(row->constraint_position)) == failed,
           "run %d", i);
  }
  end_study(&study, &system);
}

static void test_failing_reference(void) {
  VidaSystem* system = dumbbell();
  VidaStudy* study = comparison_study(system, "time=4");
  VidaError error = {0};
  static const char* const runs[] = {"energy-momentum h=0.1"};
  comparison_add(study, "rattle h=0.4", runs, 1);
  const int code = VidaStudy_Run(study, NULL, &error);
  EXPECT(code != 0, "no solution");
  EXPECT(strstr(error.message, "the reference (rattle, h = 0.4 s) failed at t = 0: "), "%s",
         error.message);
  EXPECT(strcmp(VidaStudy_Row(study, 0)->status, "ok") == 0 &&
             isnan(VidaStudy_Row(study, 0)->position_error),
         "%s", VidaStudy_Row(study, 0)->status);
  end_study(&study, &system);
}

static void test_start(void) {
  Model model = model_pendulum(2, 1.0, 1.0, 0.5, 0.0);
  model.particle[0].position[0].value += 1e-3;
  VidaSystem* system = model_system(&model);
  VidaError error = {0};
  VidaStudy* study = comparison_study(system, "time=1");
  static const char* const runs[] = {"rattle h=0.1"};
  comparison_add(study, NULL, runs, 1);
  EXPECT_ERROR(VidaStudy_Run(study, NULL, &error), &error, VIDA_INCONSISTENT_START, "rod");
  VidaStudy_Destroy(&study);
  study = comparison_study(system, "time=1 adjust_start=true");
  comparison_add(study, NULL, runs, 1);
  run_study(study);
  EXPECT(VidaStudy_Notes(study)[0] != '\0', "what was changed");
  EXPECT(strcmp(VidaStudy_Row(study, 0)->status, "ok") == 0, "%s",
         VidaStudy_Row(study, 0)->message);
  end_study(&study, &system);
}

static void test_bad_input(void) {
  VidaSystem* system = oscillator();
  VidaOptions* options = NULL;
  VidaStudy* study = NULL;
  VidaError error = {0};
  VidaSystem* open = NULL;
  REQUIRE_OK(VidaStudy_CreateOptions(&options, &error), &error);
  REQUIRE_OK(VidaSystem_Create("open", 2, &open, &error), &error);
  EXPECT_ERROR(VidaStudy_Create(open, options, &study, &error), &error, VIDA_WRONG_ORDER,
               "system 'open' is not complete yet");
  VidaSystem_Destroy(&open);
  EXPECT_ERROR(VidaStudy_Create(system, options, &study, &error), &error, VIDA_BAD_ARGUMENT,
               "time is not set");
  EXPECT_ERROR(VidaOptions_SetReal(options, "time", -1.0, &error), &error, VIDA_BAD_ARGUMENT,
               "time: expected a positive number");
  EXPECT_ERROR(VidaOptions_SetText(options, "nrom", "max", &error), &error, VIDA_UNKNOWN_NAME,
               "norm");
  EXPECT_ERROR(VidaOptions_SetText(options, "norm", "rms", &error), &error, VIDA_BAD_ARGUMENT,
               "mean|max|end");
  study = comparison_study(system, "time=1");
  EXPECT_ERROR(VidaStudy_AddRun(study, options, &error), &error, VIDA_BAD_ARGUMENT,
               "options of a method");
  EXPECT_ERROR(comparison_run(study, "rattle", &error), &error, VIDA_BAD_ARGUMENT, "h is not set");
  EXPECT_ERROR(comparison_run(study, "rattle h=0.3", &error), &error, VIDA_STEP_DOES_NOT_FIT,
               "nearest: 0.25 or 0.333333333333");
  EXPECT(VidaStudy_RunCount(study) == 0 && !VidaStudy_Row(study, 0), "nothing was added");
  run_study(study); /* of no runs */
  VidaOptions_Destroy(&options);
  end_study(&study, &system);
}

/* ---- observers ------------------------------------------------------------------------------ */

typedef struct Diary {
  char events[64]; /* b, s, e in order; repeated s once */
  long samples;
  double first, last, h;
  long every;
  long off_grid;
  int fail_at, progress;
} Diary;

static void note(Diary* diary, char event) {
  const size_t length = strlen(diary->events);
  if (length + 1 < sizeof diary->events && (length == 0 || diary->events[length - 1] != event)) {
    diary->events[length] = event;
  }
}

static int on_begin(void* data, int run, const VidaRow* row, VidaError* error) {
  Diary* diary = data;
  (void)run;
  (void)error;
  note(diary, 'b');
  diary->samples = 0;
  diary->h = row->h;
  return 0;
}

static int on_sample(void* data, int run, const VidaSample* sample, VidaError* error) {
  Diary* diary = data;
  (void)run;
  note(diary, 's');
  if (diary->samples == 0) {
    diary->first = sample->t;
  }
  const double on_grid = (double)(diary->samples * diary->every) * diary->h;
  diary->off_grid += sample->t != diary->first + on_grid ? 1 : 0;
  diary->last = sample->t;
  diary->samples++;
  if (diary->fail_at > 0 && diary->samples == diary->fail_at) {
    error->code = VIDA_INPUT_OUTPUT;
    strcpy(error->message, "the disk is full");
    return VIDA_INPUT_OUTPUT;
  }
  return 0;
}

static int on_end(void* data, int run, const VidaRow* row, VidaError* error) {
  Diary* diary = data;
  (void)run;
  (void)error;
  note(diary, row->status[0] == 'o' ? 'e' : 'f');
  return 0;
}

static int on_progress(void* data, int run, const char* what, double fraction) {
  Diary* diary = data;
  EXPECT(fraction >= 0.0 && fraction <= 1.0 && what[0] && run >= -1, "%g of %s", fraction, what);
  diary->progress++;
  return 1;
}

static void test_observer(void) {
  VidaSystem* system = oscillator();
  VidaStudy* study = comparison_study(system, "time=1 t0=5 every=4");
  VidaError error = {0};
  Diary diary = {.every = 4};
  const VidaObserver observer = {
      .begin = on_begin, .sample = on_sample, .end = on_end, .data = &diary};
  static const char* const runs[] = {"del-midpoint h=0.1", "rattle h=0.1 start=two-point"};
  comparison_add(study, "energy-momentum h=0.05", runs, 2);
  run_study(study);
  const VidaRow before = *VidaStudy_Row(study, 0);
  REQUIRE_OK(VidaStudy_Run(study, &observer, &error), &error);
  EXPECT(strcmp(diary.events, "bsebse") == 0, "%s", diary.events);
  /* steps 0, 4, 8 and the last, 10 */
  EXPECT(diary.samples == 4 && diary.off_grid == 2, "%ld rows, %ld beside the grid", diary.samples,
         diary.off_grid);
  EXPECT(diary.first == 5.0 && diary.last == 6.0, "from %.17g to %.17g", diary.first, diary.last);
  const VidaRow* after = VidaStudy_Row(study, 0);
  EXPECT(before.position_error == after->position_error &&
             before.velocity_error == after->velocity_error &&
             before.energy_error == after->energy_error,
         "looking changes nothing");
  end_study(&study, &system);
}

static void test_automatic_rows(void) {
  VidaSystem* system = free_particle();
  VidaStudy* study = comparison_study(system, "time=30000");
  VidaError error = {0};
  Diary diary = {.every = 30};
  const VidaObserver observer = {.begin = on_begin, .sample = on_sample, .data = &diary};
  static const char* const runs[] = {"del-endpoint h=1"};
  comparison_add(study, NULL, runs, 1);
  REQUIRE_OK(VidaStudy_Run(study, &observer, &error), &error);
  EXPECT(diary.samples == 1001 && diary.off_grid == 0, "%ld rows, %ld beside the grid",
         diary.samples, diary.off_grid);
  end_study(&study, &system);
}

static void test_observer_failure(void) {
  VidaSystem* system = oscillator();
  VidaStudy* study = comparison_study(system, "time=1 every=1");
  VidaError error = {0};
  Diary diary = {.every = 1, .fail_at = 3};
  const VidaObserver observer = {
      .begin = on_begin, .sample = on_sample, .end = on_end, .data = &diary};
  static const char* const runs[] = {"del-midpoint h=0.1", "rattle h=0.1"};
  comparison_add(study, NULL, runs, 2);
  EXPECT_ERROR(VidaStudy_Run(study, &observer, &error), &error, VIDA_INPUT_OUTPUT,
               "the disk is full");
  EXPECT(strcmp(diary.events, "bs") == 0, "%s", diary.events);
  EXPECT(strcmp(VidaStudy_Row(study, 1)->status, "NOT_RUN") == 0, "the study has ended");
  end_study(&study, &system);
}

static void test_stop(void) {
  VidaSystem* system = free_particle();
  VidaStudy* study = comparison_study(system, "time=1e9");
  VidaError error = {0};
  Diary diary = {.every = 1000000};
  const VidaObserver observer = {
      .begin = on_begin, .end = on_end, .progress = on_progress, .data = &diary};
  static const char* const runs[] = {"del-midpoint h=1", "rattle h=1"};
  comparison_add(study, NULL, runs, 2);
  EXPECT_ERROR(VidaStudy_Run(study, &observer, &error), &error, VIDA_STOPPED, "stopped on request");
  const VidaRow* row = VidaStudy_Row(study, 0);
  EXPECT(strcmp(diary.events, "bf") == 0 && diary.progress == 1, "%s, %d", diary.events,
         diary.progress);
  /* A free particle keeps its energy and its momentum: 0 up to rounding, of as many steps as there
   * were, and not unknown. */
  EXPECT(strcmp(row->status, "STOPPED") == 0, "%s", row->status);
  EXPECT(row->energy_error <= 1e-12 && row->momentum_error <= 1e-12 &&
             fabs(row->energy_drift) <= 1e-12,
         "%g %g %g", row->energy_error, row->momentum_error, row->energy_drift);
  EXPECT(isnan(row->constraint_position) && isnan(row->position_error), "there are none");
  EXPECT(row->t_end > 0.0 && row->t_end == (double)row->steps, "%g", row->t_end);
  EXPECT(strcmp(VidaStudy_Row(study, 1)->status, "NOT_RUN") == 0, "the study has ended");
  end_study(&study, &system);
}

/* ---- runs that cannot go on
 * ---------------------------------------------------------------------- */

/* A method that cannot integrate the system has a row, and the others go on. */
static int angle_value(double t, const double* q, const double* v, double* lagrangian, void* data) {
  (void)t;
  (void)data;
  *lagrangian = 0.5 * v[0] * v[0] + cos(q[0]);
  return 0;
}

/* Not a number from q = limit on, where there is one. */
static int angle_gradient(double t, const double* q, const double* v, double* l_q, double* l_v,
                          void* data) {
  const double* limit = data;
  (void)t;
  l_q[0] = limit && q[0] > *limit ? NAN : -sin(q[0]);
  l_v[0] = v[0];
  return 0;
}

static VidaSystem* angle_system(double* limit) {
  const VidaLagrangian lagrangian = {.value = angle_value, .gradient = angle_gradient};
  VidaSystem* system = NULL;
  VidaError error = {0};
  int index = -1;
  REQUIRE_OK(VidaSystem_Create("angle", 1, &system, &error), &error);
  REQUIRE_OK(VidaSystem_AddCoordinate(system, "theta", "rad", VidaInitial_Given(0.0),
                                      VidaInitial_Given(1.0), &index, &error),
             &error);
  REQUIRE_OK(VidaSystem_AddLagrangian(system, "pendulum", 1, &index, &lagrangian, limit, &error),
             &error);
  REQUIRE_OK(VidaSystem_Complete(system, &error), &error);
  return system;
}

static void test_unsupported_method(void) {
  VidaSystem* system = angle_system(NULL);
  VidaStudy* study = comparison_study(system, "time=1 t0=2");
  static const char* const runs[] = {"energy-momentum h=0.1", "del-midpoint h=0.1"};
  comparison_add(study, NULL, runs, 2);
  run_study(study);
  const VidaRow* row = VidaStudy_Row(study, 0);
  EXPECT(strcmp(row->status, "NOT_SUPPORTED") == 0 && row->t_end == 2.0 && row->steps == 0,
         "%s at %g after %ld steps", row->status, row->t_end, row->steps);
  EXPECT(row->message[0] != '\0', "the reason is told");
  row = VidaStudy_Row(study, 1);
  EXPECT(strcmp(row->status, "ok") == 0 && row->t_end == 3.0, "%s: %s", row->status, row->message);
  end_study(&study, &system);
}

/* theta' = cos would be slower: theta passes 0.5 between t = 0.5 and 0.6 (theta <= t). */
static void test_not_a_number(void) {
  double limit = 0.5;
  VidaSystem* system = angle_system(&limit);
  VidaStudy* study = comparison_study(system, "time=1 every=4");
  VidaError error = {0};
  Diary diary = {.every = 4};
  const VidaObserver observer = {
      .begin = on_begin, .sample = on_sample, .end = on_end, .data = &diary};
  static const char* const runs[] = {"del-midpoint h=0.02"};
  comparison_add(study, NULL, runs, 1);
  REQUIRE_OK(VidaStudy_Run(study, &observer, &error), &error);
  const VidaRow* row = VidaStudy_Row(study, 0);
  EXPECT(strcmp(row->status, "ok") != 0 && row->message[0], "%s", row->status);
  EXPECT(row->t_end >= 0.48 && row->t_end < 0.6, "stopped at %g", row->t_end);
  EXPECT(row->t_end == (double)row->steps * 0.02, "%ld steps", row->steps);
  /* 24 steps of size 0.02 were well: what they kept is told. */
  EXPECT(row->energy_error >= 0.0 && isfinite(row->energy_error) && isfinite(row->energy_drift),
         "%g %g", row->energy_error, row->energy_drift);
  EXPECT(strcmp(diary.events, "bsf") == 0, "%s", diary.events);
  EXPECT(diary.last == row->t_end, "the last row is at %g", diary.last);
  end_study(&study, &system);
}

/* A mass at rest in its spring: nothing to be relative to, which is said and not written as NaN. */
static void test_relative_to_nothing(void) {
  const Model model = model_oscillator(1.0, 1.0, 0.0, 0.0);
  VidaSystem* system = model_system(&model);
  VidaStudy* study = comparison_study(system, "time=1 relative=true");
  static const char* const runs[] = {"del-midpoint h=0.1"};
  comparison_add(study, "energy-momentum h=0.1", runs, 1);
  run_study(study);
  const VidaRow* row = VidaStudy_Row(study, 0);
  EXPECT(strcmp(row->status, "ok") == 0 && isnan(row->position_error), "%s", row->message);
  EXPECT(strstr(row->message, "no relative position error") &&
             strstr(row->message, "no relative energy error"),
         "%s", row->message);
  end_study(&study, &system);
}

/* ---- columns -------------------------------------------------------------------------------- */

/* Of 1000 steps of the reference and 100 and 200 of the runs. */
static void test_done(void) {
  VidaSystem* system = oscillator();
  VidaStudy* study = comparison_study(system, "time=10");
  static const char* const runs[] = {"del-midpoint h=0.1", "del-midpoint h=0.05"};
  comparison_add(study, "energy-momentum h=0.01", runs, 2);
  EXPECT_NEAR(VidaStudy_Done(study, VIDA_REFERENCE_RUN, 0.5), 500.0 / 1300.0, 1e-15, "reference");
  EXPECT_NEAR(VidaStudy_Done(study, 0, 0.0), 1000.0 / 1300.0, 1e-15, "at the first run");
  EXPECT_NEAR(VidaStudy_Done(study, 1, 0.25), 1150.0 / 1300.0, 1e-15, "in the second run");
  EXPECT_NEAR(VidaStudy_Done(study, 1, 1.0), 1.0, 1e-15, "at the end");
  EXPECT_NEAR(VidaStudy_Done(study, VIDA_ALL_RUNS, 0.3), 0.3, 0.0, "all at once");
  EXPECT(VidaStudy_Done(NULL, 0, 0.5) == 0.0, "no study");
  end_study(&study, &system);
}

/* Rows of runs that were made at once say that their times are not their own; tables do not repeat
 * it. */
static void test_shared_time(void) {
  VidaSystem* system = oscillator();
  for (int jobs = 1; jobs <= 2; jobs++) {
    VidaStudy* study = comparison_study(system, jobs == 1 ? "time=10" : "time=10 jobs=2");
    static const char* const runs[] = {"del-midpoint h=0.1", "del-midpoint h=0.05"};
    char* table = NULL;
    size_t size = 0;
    comparison_add(study, NULL, runs, 2);
    run_study(study);
    const char* message = VidaStudy_Row(study, 1)->message;
    EXPECT((strstr(message, "wall_s was measured while runs were made in parallel") != NULL) ==
               (jobs == 2),
           "'%s'", message);
    FILE* file = open_memstream(&table, &size);
    EXPECT(file && VidaReport_Table(study, file, 0, NULL) == 0, "no table");
    fclose(file);
    EXPECT(!strstr(table, "made in parallel"), "'%s'", table);
    EXPECT((strstr(table, "2 parallel runs") != NULL) == (jobs == 2), "'%s'", table);
    free(table);
    VidaStudy_Destroy(&study);
  }
  VidaSystem_Destroy(&system);
}

/* The powers of ten between the errors of the runs. */
static void test_error_range(void) {
  VidaError error = {0};
  VidaSystem* system = oscillator();
  VidaStudy* study = comparison_study(system, "time=10");
  static const char* const runs[] = {"del-midpoint h=0.2", "del-midpoint h=0.02"};
  double largest = NAN, smallest = NAN;
  EXPECT(!strcmp(VidaStudy_Label(study), ""), "a label that nobody set");
  REQUIRE_OK(VidaStudy_SetLabel(study, "mass=1", &error), &error);
  EXPECT(!strcmp(VidaStudy_Label(study), "mass=1"), "the label '%s'", VidaStudy_Label(study));
  comparison_add(study, "energy-momentum h=0.01", runs, 2);
  EXPECT(!VidaStudy_ErrorRange(study, &largest, &smallest), "errors before the run");
  run_study(study);
  EXPECT(VidaStudy_ErrorRange(study, &largest, &smallest), "no errors");
  const double most = oscillator_errors(0.2, 50, 0.01, 20).position;
  const double least = oscillator_errors(0.02, 500, 0.01, 2).position;
  EXPECT_NEAR(largest, pow(10.0, floor(log10(most))), 1e-9 * largest, "below %g", most);
  EXPECT_NEAR(smallest, pow(10.0, ceil(log10(least))), 1e-9 * smallest, "above %g", least);
  end_study(&study, &system);
}

static void test_columns(void) {
  VidaRow row = {.h = 0.25, .steps = 7, .message = "words"};
  EXPECT(VIDA_COLUMNS == 26 && !Vida_Column(-1) && !Vida_Column(VIDA_COLUMNS), "%d columns",
         VIDA_COLUMNS);
  EXPECT(strcmp(Vida_Column(0)->name, "system") == 0, "first");
  const VidaColumn* column = Vida_Column(3);
  double h = 0.0;
  memcpy(&h, (const char*)&row + column->offset, sizeof h);
  EXPECT(strcmp(column->name, "h") == 0 && column->type == VIDA_COLUMN_REAL && h == 0.25, "h");
  column = Vida_FindColumn("message");
  EXPECT(strcmp((const char*)&row + column->offset, "words") == 0, "message");
}

int main(void) {
  static const CheckTest tests[] = {{"mean error", test_mean_error},
                                    {"other norms", test_other_norms},
                                    {"vectors and selection", test_vectors_and_selection},
                                    {"multiplier error", test_multiplier_error},
                                    {"no reference", test_no_reference},
                                    {"the reference's own error", test_reference_estimate},
                                    {"common times", test_common_times},
                                    {"shortened run", test_shortened_run},
                                    {"two points", test_two_points},
                                    {"two points refused", test_two_points_refused},
                                    {"failing run", test_failing_run},
                                    {"failing reference", test_failing_reference},
                                    {"start", test_start},
                                    {"bad input", test_bad_input},
                                    {"observer", test_observer},
                                    {"automatic rows", test_automatic_rows},
                                    {"failing observer", test_observer_failure},
                                    {"stop", test_stop},
                                    {"unsupported method", test_unsupported_method},
                                    {"not a number", test_not_a_number},
                                    {"relative to nothing", test_relative_to_nothing},
                                    {"how much is done", test_done},
                                    {"shared time", test_shared_time},
                                    {"labels and errors", test_error_range},
                                    {"columns", test_columns},
                                    {NULL, NULL}};
  return check_main("study", tests);
}
