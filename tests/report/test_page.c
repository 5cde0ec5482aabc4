/* What pages are made of: where points of drawings are, and which states are recorded. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <vida/vida.h>

#include "report/page/recording.h"
#include "support/check.h"
#include "support/comparison.h"
#include "support/model.h"

enum { MOST_COORDINATES = 16 };

/* ---- points of bodies ------------------------------------------------------------------------ */

/* A system of `count` coordinates c0, c1, ... that move freely. */
static VidaSystem* free_system(int dimension, int count) {
  VidaSystem* system = NULL;
  VidaError error = {0};
  char name[16];
  REQUIRE_OK(VidaSystem_Create("drawn", dimension, &system, &error), &error);
  VidaExpression sum;
  REQUIRE_OK(VidaSystem_Constant(system, 0.0, &sum, &error), &error);
  for (int i = 0; i < count; i++) {
    VidaExpression rate;
    snprintf(name, sizeof name, "c%d", i);
    REQUIRE_OK(VidaSystem_AddCoordinate(system, name, "m", VidaInitial_Given(0.0),
                                        VidaInitial_Given(0.0), NULL, &error),
               &error);
    REQUIRE_OK(VidaSystem_Rate(system, i, &rate, &error), &error);
    REQUIRE_OK(VidaSystem_Apply(system, "*", 2, (VidaExpression[]){rate, rate}, &rate, &error),
               &error);
    REQUIRE_OK(VidaSystem_Apply(system, "+", 2, (VidaExpression[]){sum, rate}, &sum, &error),
               &error);
  }
  REQUIRE_OK(VidaSystem_AddExpressionLagrangian(system, "kinetic", sum, &error), &error);
  return system;
}

/* Where the one point of the system is at q; the system is destroyed. */
static void find_point(VidaSystem* system, const VidaDrawnPoint* point, const double* q,
                       double xyz[3]) {
  static const double at_rest[MOST_COORDINATES];
  vida_wireframe wireframe;
  vida_evaluator evaluator;
  VidaError error = {0};
  REQUIRE_OK(VidaSystem_AddLine(system, "line", "body", 1, point, &error), &error);
  REQUIRE_OK(VidaSystem_Complete(system, &error), &error);
  REQUIRE_OK(vida__evaluator_create(system, &evaluator, &error), &error);
  REQUIRE_OK(vida__wireframe_create(system, 100, &wireframe, &error), &error);
  EXPECT(wireframe.point_count == 1 && wireframe.line_count == 1, "%d points, %d lines",
         wireframe.point_count, wireframe.line_count);
  vida__wireframe_points(&wireframe, &evaluator, 0.0, q, at_rest, xyz);
  vida__wireframe_destroy(&wireframe);
  vida__evaluator_destroy(&evaluator);
  VidaSystem_Destroy(&system);
}

static void expect_point(const double xyz[3], double x, double y, double z, const char* what) {
  EXPECT_NEAR(xyz[0], x, 8 * DBL_EPSILON * 10, "%s", what);
  EXPECT_NEAR(xyz[1], y, 8 * DBL_EPSILON * 10, "%s", what);
  EXPECT_NEAR(xyz[2], z, 8 * DBL_EPSILON * 10, "%s", what);
}

/* A turn by `a` about z, with a quaternion of any length. */
static void test_quaternion(void) {
  const double a = 0.7, size = 1.5;
  const double q[] = {1.0, 2.0, 3.0, size * cos(a / 2), 0.0, 0.0, size * sin(a / 2)};
  const VidaDrawnPoint point = {
      .frame = VIDA_DRAWN_QUATERNION, .centre = 0, .turn = 3, .place = {2.0, -1.0, 0.5}};
  double xyz[3];
  find_point(free_system(3, 7), &point, q, xyz);
  expect_point(xyz, 1.0 + 2.0 * cos(a) + sin(a), 2.0 + 2.0 * sin(a) - cos(a), 3.5, "quaternion");
}

static void test_angle(void) {
  const double a = -1.1, q[] = {0.5, -0.5, a};
  const VidaDrawnPoint point = {
      .frame = VIDA_DRAWN_ANGLE, .centre = 0, .turn = 2, .place = {1.0, 2.0}};
  double xyz[3];
  find_point(free_system(2, 3), &point, q, xyz);
  expect_point(xyz, 0.5 + cos(a) - 2.0 * sin(a), -0.5 + sin(a) + 2.0 * cos(a), 0.0, "angle");
}

/* d1 = y, d2 = z: the third direction is x. */
static void test_directions(void) {
  const double q[] = {1.0, 1.0, 1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0};
  const double rod[] = {1.0, 1.0, 0.6, 0.8};
  const VidaDrawnPoint flat = {.frame = VIDA_DRAWN_DIRECTIONS,
                               .centre = 0,
                               .turn = 3,
                               .directions = 2,
                               .place = {2.0, 3.0, 4.0}};
  const VidaDrawnPoint end = {.frame = VIDA_DRAWN_DIRECTIONS,
                              .centre = 0,
                              .turn = 2,
                              .directions = 1,
                              .place = {5.0, 10.0}};
  double xyz[3];
  find_point(free_system(3, 9), &flat, q, xyz);
  expect_point(xyz, 5.0, 3.0, 4.0, "two directions in space");
  find_point(free_system(2, 4), &end, rod, xyz);
  expect_point(xyz, 1.0 + 3.0 - 8.0, 1.0 + 4.0 + 6.0, 0.0, "one direction in the plane");
}

/* A constant, a coordinate and a formula; where the formula has no value there is no point. */
static void test_formula(void) {
  VidaError error = {0};
  for (int i = 0; i < 2; i++) {
    const double q[] = {4.0, i == 0 ? 9.0 : -9.0};
    VidaSystem* system = free_system(2, 2);
    VidaDrawnPoint point = {.frame = VIDA_DRAWN_FORMULA, .components = 3};
    double xyz[3];
    REQUIRE_OK(VidaSystem_Constant(system, -7.0, &point.formula[0], &error), &error);
    REQUIRE_OK(VidaSystem_Position(system, 0, &point.formula[1], &error), &error);
    REQUIRE_OK(VidaSystem_Position(system, 1, &point.formula[2], &error), &error);
    REQUIRE_OK(VidaSystem_Apply(system, "sqrt", 1, &point.formula[2], &point.formula[2], &error),
               &error);
    find_point(system, &point, q, xyz);
    EXPECT(xyz[0] == -7.0 && xyz[1] == 4.0, "%g %g", xyz[0], xyz[1]);
    EXPECT(i == 0 ? xyz[2] == 3.0 : isnan(xyz[2]), "sqrt(%g) is %g", q[1], xyz[2]);
  }
}

static void test_refusals(void) {
  VidaError error = {0};
  VidaSystem* system = free_system(2, 3);
  const VidaDrawnPoint good = {.frame = VIDA_DRAWN_CENTRE, .centre = 1};
  const VidaDrawnPoint bad[] = {
      {.frame = VIDA_DRAWN_CENTRE, .centre = 2}, /* its second coordinate is missing */
      {.frame = VIDA_DRAWN_CENTRE, .centre = -2},
      {.frame = VIDA_DRAWN_ANGLE, .centre = 0, .turn = 3},
      {.frame = VIDA_DRAWN_QUATERNION, .centre = -1, .turn = 0}, /* in the plane */
      {.frame = VIDA_DRAWN_DIRECTIONS, .centre = -1, .turn = 0, .directions = 2},
      {.frame = VIDA_DRAWN_DIRECTIONS, .centre = -1, .turn = 0, .directions = -1},
      {.frame = VIDA_DRAWN_SPACE, .place = {NAN}},
      {.frame = VIDA_DRAWN_FORMULA, .components = 1},
      {.frame = VIDA_DRAWN_FORMULA, .components = 2, .formula = {0, 1 << 30}},
      {.frame = (VidaDrawnFrame)17}};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    EXPECT_ERROR(VidaSystem_AddLine(system, "wrong", "body", 1, &bad[i], &error), &error,
                 VIDA_BAD_ARGUMENT, "line 'wrong'");
  }
  EXPECT_ERROR(VidaSystem_AddLine(system, "none", "body", 0, &good, &error), &error,
               VIDA_BAD_ARGUMENT, "at least one point");
  EXPECT_ERROR(VidaSystem_AddLine(system, "", "body", 1, &good, &error), &error, VIDA_BAD_ARGUMENT,
               "name");
  REQUIRE_OK(VidaSystem_AddLine(system, "line", "body", 1, &good, &error), &error);
  REQUIRE_OK(VidaSystem_Complete(system, &error), &error);
  EXPECT_ERROR(VidaSystem_AddLine(system, "late", "body", 1, &good, &error), &error,
               VIDA_WRONG_ORDER, "complete");
  VidaSystem_Destroy(&system);
}

/* What is drawn without being told: two particles, a rod from a fixed point, a rod between them. */
static void test_pictures_of_points(void) {
  VidaError error = {0};
  vida_wireframe wireframe;
  vida_evaluator evaluator;
  const Model model = model_double_spherical_pendulum();
  VidaSystem* system = model_system(&model);
  double q[6], v[6], xyz[3 * 6];
  REQUIRE_OK(VidaSystem_Start(system, 0.0, NULL, q, v, NULL, &error), &error);
  REQUIRE_OK(vida__evaluator_create(system, &evaluator, &error), &error);
  REQUIRE_OK(vida__wireframe_create(system, 6, &wireframe, &error), &error);
  EXPECT(wireframe.particles == 2 && wireframe.point_count == 6 && wireframe.line_count == 2,
         "%d particles, %d points, %d lines", wireframe.particles, wireframe.point_count,
         wireframe.line_count);
  EXPECT(wireframe.dimension == 3 && !wireframe.is_cut, "dimension %d", wireframe.dimension);
  vida__wireframe_points(&wireframe, &evaluator, 0.0, q, v, xyz);
  for (int i = 0; i < 6; i++) {
    EXPECT(xyz[i] == q[i], "particles: %g is not %g", xyz[i], q[i]);
    EXPECT(xyz[12 + i] == q[i], "lower rod: %g is not %g", xyz[12 + i], q[i]);
    EXPECT(xyz[6 + i] == (i < 3 ? 0.0 : q[i - 3]), "upper rod: %g", xyz[6 + i]);
  }
  vida__wireframe_destroy(&wireframe);
  REQUIRE_OK(vida__wireframe_create(system, 5, &wireframe, &error), &error);
  EXPECT(wireframe.is_cut && wireframe.point_count == 4, "%d points", wireframe.point_count);
  vida__wireframe_destroy(&wireframe);
  vida__evaluator_destroy(&evaluator);
  VidaSystem_Destroy(&system);
}

/* What is hidden is not drawn, be it a rod or a line; what is added afterwards under the name is.
 */
static void test_hidden_lines(void) {
  VidaError error = {0};
  vida_wireframe wireframe;
  const VidaDrawnPoint origin = {.frame = VIDA_DRAWN_SPACE};
  const double start[2] = {1.0, 0.0};
  const VidaParticle bob = {.name = "bob",
                            .mass = 1.0,
                            .position = {VidaInitial_Given(start[0]), VidaInitial_Given(start[1])}};
  const VidaDistance rod = {"rod", VidaPoint_Fixed(0.0, 0.0, 0.0), VidaPoint_Particle(0), 1.0};
  VidaSystem* system = NULL;
  REQUIRE_OK(VidaSystem_Create("hidden", 2, &system, &error), &error);
  REQUIRE_OK(VidaSystem_AddParticle(system, &bob, NULL, &error), &error);
  REQUIRE_OK(VidaSystem_AddDistance(system, &rod, &error), &error);
  REQUIRE_OK(VidaSystem_AddLine(system, "arm", "body", 1, &origin, &error), &error);
  REQUIRE_OK(VidaSystem_AddLine(system, "kept", "body", 1, &origin, &error), &error);
  EXPECT_ERROR(VidaSystem_HideLines(system, "leg", &error), &error, VIDA_BAD_ARGUMENT,
               "nothing named 'leg'");
  REQUIRE_OK(VidaSystem_HideLines(system, "arm", &error), &error);
  REQUIRE_OK(VidaSystem_HideLines(system, "rod", &error), &error);
  REQUIRE_OK(VidaSystem_AddLine(system, "arm", "line", 1, &origin, &error), &error);
  REQUIRE_OK(VidaSystem_Complete(system, &error), &error);
  REQUIRE_OK(vida__wireframe_create(system, 9, &wireframe, &error), &error);
  EXPECT(wireframe.particles == 1 && wireframe.line_count == 2, "%d particles, %d lines",
         wireframe.particles, wireframe.line_count);
  EXPECT(strcmp(wireframe.lines[0].name, "kept") == 0 &&
             strcmp(wireframe.lines[1].name, "arm") == 0 &&
             strcmp(wireframe.lines[1].style, "line") == 0,
         "%s, %s", wireframe.lines[0].name, wireframe.lines[1].name);
  vida__wireframe_destroy(&wireframe);
  VidaSystem_Destroy(&system);
}

/* ---- recordings ------------------------------------------------------------------------------ */

enum { MOST_SAMPLES = 4096 };

/* Passes samples on and keeps times and first coordinates. */
typedef struct Keeper {
  VidaObserver inner;
  int count;
  double t[MOST_SAMPLES], x[MOST_SAMPLES], force[MOST_SAMPLES], force_t[MOST_SAMPLES];
} Keeper;

static int keep_begin(void* data, int run, const VidaRow* row, VidaError* error) {
  const Keeper* keeper = data;
  return keeper->inner.begin(keeper->inner.data, run, row, error);
}

static int keep_sample(void* data, int run, const VidaSample* sample, VidaError* error) {
  Keeper* keeper = data;
  if (keeper->count < MOST_SAMPLES) {
    keeper->t[keeper->count] = sample->t;
    keeper->x[keeper->count] = sample->q[0];
    keeper->force[keeper->count] = sample->multipliers[0];
    keeper->force_t[keeper->count] = sample->multipliers_t;
  }
  keeper->count++;
  return keeper->inner.sample(keeper->inner.data, run, sample, error);
}

static int keep_end(void* data, int run, const VidaRow* row, VidaError* error) {
  const Keeper* keeper = data;
  return keeper->inner.end(keeper->inner.data, run, row, error);
}

/* Of n rows every 2^k-th is kept, so that there are at most 501, and the last one. */
static void check_thinning(const VidaSystem* system, const char* time, int samples) {
  static Keeper keeper;
  VidaError error = {0};
  VidaRecording* recording = NULL;
  char method[64];
  VidaStudy* study = comparison_study(system, time);
  snprintf(method, sizeof method, "rattle h=0.01");
  REQUIRE_OK(comparison_run(study, method, &error), &error);
  REQUIRE_OK(VidaRecording_Create(study, &recording, &error), &error);
  memset(&keeper, 0, sizeof keeper);
  keeper.inner = VidaRecording_Observer(recording);
  const VidaObserver observer = {keep_begin, keep_sample, keep_end, NULL, &keeper, NULL};
  REQUIRE_OK(VidaStudy_Run(study, &observer, &error), &error);
  EXPECT(keeper.count == samples, "%s: %d rows came", time, keeper.count);
  const vida_recorded_run* run = &recording->run[0];
  const size_t width = (size_t)recording->layout.width;
  int every = 1;
  while ((samples + every - 1) / every > 500) {
    every *= 2;
  }
  const int expected = (samples + every - 1) / every + ((samples - 1) % every != 0);
  EXPECT(run->count == expected && run->every == every, "%s: %d rows, of every %ld, not %d of %d",
         time, run->count, run->every, expected, every);
  for (int i = 0; i < run->count; i++) {
    const int of = i * every < samples ? i * every : samples - 1;
    const double* row = run->rows + (size_t)i * width;
    EXPECT(row[0] == keeper.t[of] && row[recording->layout.q] == keeper.x[of],
           "%s: row %d is not sample %d", time, i, of);
    /* Both are NaN at the start. */
    EXPECT(!memcmp(&row[recording->layout.multipliers], &keeper.force[of], sizeof *row) &&
               !memcmp(&row[recording->layout.multipliers_t], &keeper.force_t[of], sizeof *row),
           "%s: the multiplier of row %d is %g at %g, not %g at %g", time, i,
           row[recording->layout.multipliers], row[recording->layout.multipliers_t],
           keeper.force[of], keeper.force_t[of]);
  }
  VidaRecording_Destroy(&recording);
  VidaStudy_Destroy(&study);
}

static void test_recordings(void) {
  const Model model = model_pendulum(2, 1.0, 1.0, 1.0, 0.0);
  VidaSystem* system = model_system(&model);
  check_thinning(system, "time=0.01 every=1", 2);
  check_thinning(system, "time=4.99 every=1", 500);
  check_thinning(system, "time=5 every=1", 501);
  check_thinning(system, "time=10 every=1", 1001);
  check_thinning(system, "time=10.03 every=1", 1004);
  check_thinning(system, "time=39.99 every=1", 4000);
  VidaSystem_Destroy(&system);
}

int main(void) {
  static const CheckTest tests[] = {{"quaternions", test_quaternion},
                                    {"angles", test_angle},
                                    {"directions", test_directions},
                                    {"formulas", test_formula},
                                    {"refusals", test_refusals},
                                    {"pictures of points", test_pictures_of_points},
                                    {"hidden lines", test_hidden_lines},
                                    {"recordings", test_recordings},
                                    {NULL, NULL}};
  return check_main("page", tests);
}
