/* Rank of the constraint Jacobian, and motions whose constraints say more than is needed. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/check.h"
#include "support/formula.h"
#include "support/mechanism.h"

static const double pi = 3.14159265358979323846;

enum { MOST_ROWS = 64 };

typedef struct Rank {
  int rank, count;
  int dependent[MOST_ROWS];
} Rank;

static Rank rank_at(const VidaSystem* system, const double* q) {
  VidaError error;
  Rank rank = {0};
  REQUIRE_OK(VidaSystem_Rank(system, 0.0, q, &rank.rank, rank.dependent, &error), &error);
  rank.count = VidaSystem_ConstraintCount(system) - rank.rank;
  return rank;
}

static VidaSystem* new_system(int dimension) {
  VidaError error;
  VidaSystem* system = NULL;
  REQUIRE_OK(VidaSystem_Create("framework", dimension, &system, &error), &error);
  return system;
}

static void add_particle(VidaSystem* system, const char* name, double mass, int dimension,
                         const double* q) {
  VidaError error;
  VidaParticle particle = {.name = name, .mass = mass};
  for (int i = 0; i < dimension; i++) {
    particle.position[i] = VidaInitial_Given(q[i]);
    particle.velocity[i] = VidaInitial_Given(0.0);
  }
  REQUIRE_OK(VidaSystem_AddParticle(system, &particle, NULL, &error), &error);
}

static void add_rod(VidaSystem* system, const char* name, int from, int to, double length) {
  VidaError error;
  const VidaDistance rod = {name,
                            from < 0 ? VidaPoint_Fixed(0.0, 0.0, 0.0) : VidaPoint_Particle(from),
                            VidaPoint_Particle(to), length};
  REQUIRE_OK(VidaSystem_AddDistance(system, &rod, &error), &error);
}

static void complete(VidaSystem* system) {
  VidaError error;
  REQUIRE_OK(VidaSystem_Complete(system, &error), &error);
}

/* ---- frameworks: Maxwell's count, 2 n - 3 independent rods of a rigid plane framework ----------
 */

/* A square with both diagonals, in units of length and mass from the very small to the very large.
 */
static void test_braced_square(void) {
  static const int ends[6][2] = {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {0, 2}, {1, 3}};
  static const char* const names[6] = {"south", "east", "north", "west", "up", "down"};
  for (int k = -12; k <= 12; k += 4) {
    const double unit = pow(10.0, k);
    const double corner[4][2] = {{0.0, 0.0}, {unit, 0.0}, {unit, unit}, {0.0, unit}};
    VidaSystem* system = new_system(2);
    double q[8];
    for (int i = 0; i < 4; i++) {
      const char* const corners[4] = {"a", "b", "c", "d"};
      add_particle(system, corners[i], pow(10.0, (double)(3 * i - k)), 2, corner[i]);
      q[2 * i] = corner[i][0];
      q[2 * i + 1] = corner[i][1];
    }
    for (int r = 0; r < 6; r++) {
      add_rod(system, names[r], ends[r][0], ends[r][1], unit * (r < 4 ? 1.0 : sqrt(2.0)));
    }
    complete(system);
    const Rank rank = rank_at(system, q);
    EXPECT(rank.rank == 5, "unit %g: rank %d of 6 rods", unit, rank.rank);
    EXPECT(rank.count == 1 && rank.dependent[0] == 5, "not the last one, but %d",
           rank.dependent[0]);
    EXPECT(rank.dependent[1] == -1, "what follows is %d", rank.dependent[1]);
    VidaSystem_Destroy(&system);
  }
}

/* Of a shallow arch with unit gradients (1, r) and (-1, r), whose sum (0, 2 r) is the smallest of
 * their combinations: its length is 2 r, relative to the weights (1, 1) sqrt(2) r. */
static void expect_near_row(const VidaSystem* system, const double* top, double rise, int near) {
  const double at_rest[2] = {0.0, 0.0};
  VidaError error;
  VidaOptions* options = NULL;
  VidaStepper* stepper = NULL;
  double distance = 0.0;
  REQUIRE_OK(VidaOptions_Create("rattle", &options, &error), &error);
  REQUIRE_OK(VidaOptions_SetReal(options, "h", 1e-3, &error), &error);
  REQUIRE_OK(VidaStepper_Create(system, options, &stepper, &error), &error);
  REQUIRE_OK(VidaStepper_Start(stepper, 0.0, top, at_rest, &error), &error);
  const int row = VidaStepper_NearlyDependentRow(stepper, &distance);
  EXPECT(row == near, "rise %g: nearly dependent row %d", rise, row);
  EXPECT_NEAR(distance, near < 0 ? 1.0 : sqrt(2.0) * rise, 1e-6 * distance, "rise %g", rise);
  VidaStepper_Destroy(&stepper);
  VidaOptions_Destroy(&options);
}

/* A shallow arch: two rods of length 1 that rise by `rise`. Their rows are independent as long as
 * it is no rounding; at zero the point cannot be moved by either, and the second adds nothing. */
static void test_near_dependence(void) {
  VidaError error;
  for (int k = 0; k < 9; k++) {
    const double rise = k < 8 ? pow(10.0, -k) : 0.0;
    const double top[2] = {1.0, rise};
    VidaSystem* system = new_system(2);
    add_particle(system, "top", 1.0, 2, top);
    add_rod(system, "left", -1, 0, sqrt(1.0 + rise * rise));
    const VidaDistance right = {"right", VidaPoint_Fixed(2.0, 0.0, 0.0), VidaPoint_Particle(0),
                                sqrt(1.0 + rise * rise)};
    REQUIRE_OK(VidaSystem_AddDistance(system, &right, &error), &error);
    complete(system);
    const Rank rank = rank_at(system, top);
    EXPECT(rank.rank == (rise > 0.0 ? 2 : 1), "rise %g: rank %d", rise, rank.rank);
    if (k < 8) { /* the distances 1.4e-5 and below are near */
      expect_near_row(system, top, rise, k > 4 ? 1 : -1);
    }
    VidaSystem_Destroy(&system);
  }
}

/* A long chain: the smallest singular value falls like 1/links, but every rod counts. */
static void test_long_chain(void) {
  const int links = CHECK_SANITIZED ? 5000 : 100000;
  VidaError error;
  VidaSystem* system = new_system(2);
  char name[32];
  double* q = malloc(2 * (size_t)links * sizeof *q);
  int* dependent = malloc(((size_t)links + 1) * sizeof *dependent);
  int rank = 0;
  EXPECT(q && dependent, "no memory");
  for (int i = 0; i < links; i++) {
    q[2 * i] = i + 1.0;
    q[2 * i + 1] = 0.0;
    snprintf(name, sizeof name, "p%d", i);
    add_particle(system, name, 1.0, 2, q + 2 * i);
    snprintf(name, sizeof name, "rod %d", i);
    add_rod(system, name, i - 1, i, 1.0);
  }
  /* from the ground to the last one: a straight line of rods, whose ends are as far apart as can be
   */
  add_rod(system, "string", -1, links - 1, links);
  complete(system);
  REQUIRE_OK(VidaSystem_Rank(system, 0.0, q, &rank, dependent, &error), &error);
  EXPECT(rank == links, "%d rods: rank %d", links, rank);
  EXPECT(dependent[0] == links, "the first dependent row is %d", dependent[0]);
  free(q);
  free(dependent);
  VidaSystem_Destroy(&system);
}

/* ---- hinges ---------------------------------------------------------------------------------- */

/* Five of the ten rows of two hinges on one axis suffice. */
static void test_door_rank(void) {
  for (int order = 0; order < 2; order++) {
    const Door door = {.hinges = 2, .opened = pi / 3.0, .hinges_first = order == 1};
    VidaSystem* system = mechanism_door(&door);
    VidaError error;
    double q[DOOR_COORDINATES], v[DOOR_COORDINATES];
    REQUIRE_OK(VidaSystem_Start(system, 0.0, NULL, q, v, NULL, &error), &error);
    const Rank rank = rank_at(system, q);
    EXPECT(rank.rank == 11, "rank %d of 16", rank.rank);
    for (int k = 0; k < rank.count && order == 0; k++) {
      const char* name = VidaSystem_ConstraintName(system, rank.dependent[k]);
      EXPECT(strncmp(name, "upper hinge", 11) == 0, "dependent is '%s'", name);
    }
    VidaSystem_Destroy(&system);
  }
}

typedef struct Motion {
  double q[FOUR_BAR_COORDINATES], v[FOUR_BAR_COORDINATES];
  double multipliers[FOUR_BAR_ROWS];
  double position_error, velocity_error, energy, energy_start;
  bool unique;
  int dependent;
} Motion;

static Motion move(const VidaSystem* system, const char* method, double h, long steps,
                   const double* v0) {
  VidaError error;
  VidaOptions* options = NULL;
  VidaStepper* stepper = NULL;
  Motion motion = {0};
  const size_t n = (size_t)VidaSystem_CoordinateCount(system);
  REQUIRE_OK(VidaSystem_Start(system, 0.0, NULL, motion.q, motion.v, NULL, &error), &error);
  if (v0) {
    memcpy(motion.v, v0, n * sizeof *v0);
  }
  REQUIRE_OK(VidaOptions_Create(method, &options, &error), &error);
  REQUIRE_OK(VidaOptions_SetReal(options, "h", h, &error), &error);
  REQUIRE_OK(VidaStepper_Create(system, options, &stepper, &error), &error);
  REQUIRE_OK(VidaStepper_Start(stepper, 0.0, motion.q, motion.v, &error), &error);
  REQUIRE_OK(VidaStepper_Energy(stepper, &motion.energy_start, NULL, &error), &error);
  for (long k = 0; k < steps; k++) {
    REQUIRE_OK(VidaStepper_Step(stepper, &error), &error);
    double position, velocity;
    REQUIRE_OK(VidaStepper_ConstraintErrors(stepper, &position, &velocity, &error), &error);
    motion.position_error = fmax(motion.position_error, position);
    motion.velocity_error = fmax(motion.velocity_error, velocity);
  }
  memcpy(motion.q, VidaStepper_Positions(stepper), n * sizeof *motion.q);
  REQUIRE_OK(VidaStepper_Velocities(stepper, motion.v, &error), &error);
  REQUIRE_OK(VidaStepper_Energy(stepper, &motion.energy, NULL, &error), &error);
  memcpy(motion.multipliers, VidaStepper_Multipliers(stepper, NULL),
         (size_t)VidaSystem_ConstraintCount(system) * sizeof(double));
  motion.unique = VidaStepper_MultipliersAreUnique(stepper);
  motion.dependent = VidaStepper_DependentRows(stepper, NULL);
  VidaStepper_Destroy(&stepper);
  VidaOptions_Destroy(&options);
  return motion;
}

static double largest_difference(int n, const double* a, const double* b) {
  double largest = 0.0;
  for (int i = 0; i < n; i++) {
    largest = fmax(largest, fabs(a[i] - b[i]));
  }
  return largest;
}

/* The physical pendulum I = m w^2 / 3 at lever w / 2 under g sin 10 deg, released at 60 deg: the
 * period 4 K(sin 30 deg) sqrt(2 w / (3 g sin 10 deg)) = 4.2183052440757 s; after a quarter of it
 * the door is at its lowest with 2 sin(30 deg) sqrt(3 g sin 10 deg / (2 w)) = 1.59850959783 rad/s.
 */
static void test_door_period(void) {
  static const char* const methods[] = {"rattle", "del-midpoint", "energy-momentum"};
  const double quarter = 4.2183052440757 / 4.0;
  const Door two = {.hinges = 2, .opened = pi / 3.0};
  VidaSystem* system = mechanism_door(&two);
  for (int m = 0; m < 3; m++) {
    double angle[2], rate[2];
    for (int k = 0; k < 2; k++) {
      const long steps = k ? 400 : 200;
      const Motion motion = move(system, methods[m], quarter / (double)steps, steps, NULL);
      angle[k] = mechanism_door_angle(motion.q);
      rate[k] = mechanism_door_rate(motion.q, motion.v);
      EXPECT_BELOW(motion.position_error, 1e-14, "%s: g", methods[m]);
      EXPECT(!motion.unique && motion.dependent == 5, "%s: %d dependent rows", methods[m],
             motion.dependent);
    }
    EXPECT_BELOW(angle[1], 1e-4, "%s: the angle", methods[m]);
    /* Richardson: what is left is of fourth order, 1e-9 here */
    EXPECT_BELOW((4.0 * angle[1] - angle[0]) / 3.0, 1e-8, "%s: the angle, extrapolated",
                 methods[m]);
    EXPECT_NEAR((4.0 * rate[1] - rate[0]) / 3.0, -1.59850959783, 1e-8, "%s: the rate", methods[m]);
  }
  VidaSystem_Destroy(&system);
}

/* The second hinge changes nothing: the same motion to rounding, the same sum of forces; equal rows
 * share equally, which is the least norm. */
static void test_second_hinge(void) {
  static const char* const methods[] = {"rattle", "del-midpoint", "del-endpoint"};
  const Door one = {.hinges = 1, .opened = pi / 3.0};
  const Door two = {.hinges = 2, .opened = pi / 3.0};
  VidaSystem* single = mechanism_door(&one);
  VidaSystem* pair = mechanism_door(&two);
  for (int m = 0; m < 3; m++) {
    const Motion a = move(single, methods[m], 0.01, 1000, NULL);
    const Motion b = move(pair, methods[m], 0.01, 1000, NULL);
    EXPECT(a.unique && !b.unique, "%s: which is unique", methods[m]);
    EXPECT_BELOW(largest_difference(DOOR_COORDINATES, a.q, b.q), 1e-11, "%s: q", methods[m]);
    EXPECT_BELOW(largest_difference(DOOR_COORDINATES, a.v, b.v), 1e-11, "%s: v", methods[m]);
    EXPECT_BELOW(b.position_error, 1e-14, "%s: g", methods[m]);
    EXPECT_BELOW(b.velocity_error, 1e-13, "%s: dg/dt", methods[m]);
    for (int i = 0; i < 3; i++) {
      /* rows 6..8 and 11..13 hold the points, in newtons; the weight is 196 N */
      EXPECT_NEAR(b.multipliers[6 + i] + b.multipliers[11 + i], a.multipliers[6 + i], 1e-7,
                  "%s: force %d of the hinges", methods[m], i);
    }
    for (int i = 0; i < 2; i++) {
      EXPECT_NEAR(b.multipliers[9 + i], b.multipliers[14 + i], 1e-7, "%s: axis row %d", methods[m],
                  i);
    }
  }
  VidaSystem_Destroy(&single);
  VidaSystem_Destroy(&pair);
}

/* Hinges that are 1 mm off: no motion satisfies both, and the message says which and by how much.
 */
/* At rest, opened by 60 degrees, a door starts to turn with -3/2 (g sin 10 deg / w) sin 60 deg (a
 * plate on a side, I = m w^2 / 3), on one hinge or two; what each hinge takes is not unique, and of
 * all shares the least is found: a second hinge never asks for more than one alone. */
static void test_accelerations(void) {
  double size[2];
  for (int hinges = 1; hinges <= 2; hinges++) {
    const Door door = {.hinges = hinges, .opened = pi / 3.0};
    VidaSystem* system = mechanism_door(&door);
    VidaError error = {0};
    double q[DOOR_COORDINATES], v[DOOR_COORDINATES], a[DOOR_COORDINATES], lambda[DOOR_ROWS];
    REQUIRE_OK(VidaSystem_Start(system, 0.0, NULL, q, v, NULL, &error), &error);
    REQUIRE_OK(VidaSystem_Accelerations(system, 0.0, q, v, a, lambda, &error), &error);
    /* from rest the rate after a second would be the acceleration */
    EXPECT_NEAR(mechanism_door_rate(q, a), -1.5 * 9.81 * sin(10.0 * pi / 180.0) * sin(pi / 3.0),
                1e-10, "%d hinges", hinges);
    size[hinges - 1] = 0.0;
    for (int r = 0; r < VidaSystem_ConstraintCount(system); r++) {
      size[hinges - 1] += lambda[r] * lambda[r];
    }
    VidaSystem_Destroy(&system);
  }
  EXPECT(size[1] <= size[0] * (1.0 + 1e-9), "least norm: %g with two, %g with one", size[1],
         size[0]);
}

static void test_contradiction(void) {
  for (int along = 0; along < 3; along++) {
    Door door = {.hinges = 2, .opened = pi / 3.0};
    door.shift[along] = 1e-3;
    VidaSystem* system = mechanism_door(&door);
    for (int adjust = 0; adjust < 2; adjust++) {
      VidaError error;
      double q[DOOR_COORDINATES], v[DOOR_COORDINATES];
      VidaStartOptions options = VidaStartOptions_Default();
      options.adjust = adjust == 1;
      const int code = VidaSystem_Start(system, 0.0, &options, q, v, NULL, &error);
      EXPECT_ERROR(code, &error, VIDA_INCONSISTENT_START, "contradict");
      EXPECT(strstr(error.message, "lower hinge") || strstr(error.message, "upper hinge"),
             "no hinge in \"%s\"", error.message);
      EXPECT(strstr(error.message, " m, ") || strstr(error.message, "0.00"),
             "no residual in \"%s\"", error.message);
    }
    VidaSystem_Destroy(&system);
  }
}

/* ---- four-bar: 18 coordinates, 20 rows, rank 17 ------------------------------------------------
 */

/* Rates of the four-bar for that of the crank, by the loop of velocities:
 * w1 k x AB + w2 k x BC = w3 k x DC. */
static void find_velocities(const double* q, double crank, double* v) {
  static const double length[3] = {0.5, 1.2, 0.8};
  const double angle[3] = {q[5], q[11], q[17]};
  const double across = sin(angle[2] - angle[1]);
  const double rate[3] = {crank, -crank * length[0] / length[1] * sin(angle[2] - angle[0]) / across,
                          -crank * length[0] / length[2] * sin(angle[1] - angle[0]) / across};
  const double start[3][2] = {
      {0.0, 0.0},
      {-crank * length[0] * sin(angle[0]), crank * length[0] * cos(angle[0])},
      {0.0, 0.0}};
  for (int k = 0; k < 3; k++) {
    const double half = 0.5 * length[k] * rate[k];
    v[6 * k] = start[k][0] - half * sin(angle[k]);
    v[6 * k + 1] = start[k][1] + half * cos(angle[k]);
    v[6 * k + 5] = rate[k];
  }
}

/* Assembly from guesses that are 20 degrees off, on the branch (D-B)x(C-B) > 0: rocker angles from
 * the intersection of two circles. */
static void test_assembly(void) {
  static const int none[3] = {-1, -1, -1};
  static const double crank[4] = {0.0, 90.0, 180.0, 270.0};
  static const double rocker[4] = {46.56746344, 78.00465372, 127.1688997, 131.1347561};
  for (int k = 0; k < 8; k++) {
    const double first = crank[k % 4] * pi / 180.0;
    const double last = rocker[k % 4] * pi / 180.0;
    const double off = (k < 4 ? 20.0 : -20.0) * pi / 180.0;
    const double coupler =
        atan2(0.8 * sin(last) - 0.5 * sin(first), 1.0 + 0.8 * cos(last) - 0.5 * cos(first));
    const double guess[3] = {first, coupler - off, last + off};
    VidaSystem* system = mechanism_four_bar(guess, none);
    VidaError error;
    char notes[VIDA_NOTES_SIZE];
    double q[FOUR_BAR_COORDINATES], v[FOUR_BAR_COORDINATES];
    REQUIRE_OK(VidaSystem_Start(system, 0.0, NULL, q, v, notes, &error), &error);
    EXPECT_NEAR(q[17] * 180.0 / pi, rocker[k % 4], 1e-7, "rocker, crank at %g", crank[k % 4]);
    EXPECT_NEAR(q[5], first, 1e-15, "the crank was held");
    EXPECT(strstr(notes, "rocker.angle = ") != NULL, "not told: %s", notes);
    VidaSystem_Destroy(&system);
  }
}

/* The rocker's angle on the branch (D-B)x(C-B) > 0, from the crank's by two circles. */
static double rocker_angle(double crank) {
  const double bx = 0.5 * cos(crank);
  const double by = 0.5 * sin(crank);
  const double distance = hypot(bx - 1.0, by);
  return atan2(by, bx - 1.0) - acos((distance * distance + 0.64 - 1.44) / (1.6 * distance));
}

static void test_four_bar(void) {
  static const int none[3] = {-1, -1, -1};
  const double guess[3] = {pi / 2.0, 0.3, 1.3};
  VidaSystem* full = mechanism_four_bar(guess, none);
  VidaError error;
  char notes[VIDA_NOTES_SIZE];
  double q[FOUR_BAR_COORDINATES], v[FOUR_BAR_COORDINATES];
  REQUIRE_OK(VidaSystem_Start(full, 0.0, NULL, q, v, notes, &error), &error);
  /* The rocker's angle for a crank at 90 deg, from the intersection of two circles. */
  EXPECT_NEAR(q[17] * 180.0 / pi, 78.00465372, 1e-7, "rocker");
  EXPECT(strstr(notes, "rocker.angle"), "the branch is not told: %s", notes);
  const Rank rank = rank_at(full, q);
  EXPECT(rank.rank == 17, "rank %d of 20", rank.rank);

  VidaSystem* reduced = mechanism_four_bar(guess, rank.dependent);
  const Rank rest = rank_at(reduced, q);
  EXPECT(rest.rank == 17 && rest.count == 0, "rank %d of 17", rest.rank);

  /* The crank turns at 2 rad/s. */
  double v0[FOUR_BAR_COORDINATES] = {0.0};
  find_velocities(q, 2.0, v0);
  const Motion alone = move(reduced, "rattle", 0.01, 300, v0);
  const Motion both = move(full, "rattle", 0.01, 300, v0);
  EXPECT(alone.unique && !both.unique && both.dependent == 3, "%d dependent rows", both.dependent);
  EXPECT_BELOW(largest_difference(FOUR_BAR_COORDINATES, alone.q, both.q), 1e-10, "q");
  EXPECT_BELOW(largest_difference(FOUR_BAR_COORDINATES, alone.v, both.v), 1e-10, "v");
  EXPECT_BELOW(both.position_error, 1e-14, "g");
  EXPECT_BELOW(both.velocity_error, 1e-13, "dg/dt");
  EXPECT_BELOW(both.energy / both.energy_start - 1.0, 1e-2, "energy");
  EXPECT(fabs(both.q[5] - q[5]) > 1.0, "it has not turned: %g", both.q[5]);
  EXPECT_BELOW(remainder(both.q[17] - rocker_angle(both.q[5]), 2.0 * pi), 1e-12, "rocker");

  /* The formulations of IDA, within their tolerance; in weightlessness the energy is constant. */
  static const char* const others[] = {"ida-index3", "ida-index2", "ida-ggl", "ida-index1",
                                       "ida-projected"};
  for (int i = 0; i < 5; i++) {
    const Motion of = move(full, others[i], 0.01, 300, v0);
    EXPECT(!of.unique && of.dependent == 3, "%s: %d dependent rows", others[i], of.dependent);
    EXPECT_BELOW(of.energy / of.energy_start - 1.0, i ? 1e-3 : 5e-2, "%s: energy", others[i]);
    EXPECT_BELOW(remainder(of.q[17] - rocker_angle(of.q[5]), 2.0 * pi), 1e-3, "%s: rocker",
                 others[i]);
  }
  VidaSystem_Destroy(&reduced);
  VidaSystem_Destroy(&full);
}

/* ---- velocities, and coordinates without mass --------------------------------------------------
 */

/* A blade that moves along itself: x' sin a - y' cos a = 0 counts in the rank, but says nothing
 * about positions. */
static VidaSystem* blade_system(double angle, int rows) {
  static const char* const names[3] = {"x", "y", "a"};
  VidaError error;
  VidaSystem* system = new_system(2);
  for (int i = 0; i < 3; i++) {
    REQUIRE_OK(VidaSystem_AddCoordinate(
                   system, names[i], i < 2 ? "m" : "rad", VidaInitial_Given(i < 2 ? 3.0 : angle),
                   i == 1 ? VidaInitial_Free(0.0) : VidaInitial_Given(2.0), NULL, &error),
               &error);
  }
  VidaExpression v[3], l = number(system, 0.0);
  for (int i = 0; i < 3; i++) {
    v[i] = rate(system, i);
    l = apply(system, "+", l, apply(system, "*", v[i], v[i]));
  }
  const VidaExpression a = position(system, 2);
  const VidaExpression row =
      apply(system, "-", apply(system, "*", v[0], apply(system, "sin", a, -1)),
            apply(system, "*", v[1], apply(system, "cos", a, -1)));
  REQUIRE_OK(VidaSystem_AddExpressionLagrangian(system, "kinetic", l, &error), &error);
  for (int k = 0; k < rows; k++) {
    REQUIRE_OK(VidaSystem_AddExpressionNonholonomic(
                   system, k ? "again" : "blade", "m/s",
                   k ? apply(system, "*", row, number(system, 3.0)) : row, &error),
               &error);
  }
  complete(system);
  return system;
}

static void test_blade(void) {
  const double angle = 0.5;
  VidaError error;
  char notes[VIDA_NOTES_SIZE];
  double q[3], v[3];
  VidaSystem* once = blade_system(angle, 1);
  VidaSystem* system = blade_system(angle, 2);
  REQUIRE_OK(VidaSystem_Start(system, 0.0, NULL, q, v, notes, &error), &error);
  EXPECT_NEAR(v[1], 2.0 * tan(angle), 1e-15, "y'");
  EXPECT(q[0] == 3.0 && q[1] == 3.0 && q[2] == angle, "positions have moved: %g %g %g", q[0], q[1],
         q[2]);
  const Rank rank = rank_at(system, q);
  EXPECT(rank.rank == 1 && rank.dependent[0] == 1, "rank %d, dependent %d", rank.rank,
         rank.dependent[0]);
  const Motion alone = move(once, "del-nonholonomic", 0.01, 200, NULL);
  const Motion both = move(system, "del-nonholonomic", 0.01, 200, NULL);
  EXPECT(alone.unique && !both.unique, "which is unique");
  EXPECT_BELOW(largest_difference(3, alone.q, both.q), 1e-11, "q");
  EXPECT_BELOW(largest_difference(3, alone.v, both.v), 1e-11, "v");
  EXPECT_NEAR(both.multipliers[0] + 3.0 * both.multipliers[1], alone.multipliers[0], 1e-8,
              "the force");
  VidaSystem_Destroy(&once);
  VidaSystem_Destroy(&system);
}

/* A unit quaternion has no mass along itself; at the identity its scalar part has none at all. Free
 * body with inertias 1, 2, 3 about its axes: T = w J w / 2, w = 2 vec(conj(q) q'). The norm is held
 * twice, by |q|^2 / 2 and by |q|^4 / 4. Energy J1 w1^2 / 2 and spin about axis 1 are constant. */
static void test_quaternion(void) {
  static const char* const names[4] = {"q0", "q1", "q2", "q3"};
  /* vec(conj(q) q'): which rate and sign goes with which component */
  static const int index[3][4] = {{1, 0, 3, 2}, {2, 3, 0, 1}, {3, 2, 1, 0}};
  static const double sign[3][4] = {{1, -1, -1, 1}, {1, 1, -1, -1}, {1, -1, 1, -1}};
  VidaError error;
  VidaSystem* system = new_system(3);
  for (int i = 0; i < 4; i++) {
    REQUIRE_OK(VidaSystem_AddCoordinate(system, names[i], "", VidaInitial_Given(i ? 0.0 : 1.0),
                                        VidaInitial_Given(i == 1 ? 0.5 : 0.0), NULL, &error),
               &error);
  }
  VidaExpression l = number(system, 0.0);
  VidaExpression norm = number(system, -1.0);
  for (int k = 0; k < 3; k++) {
    VidaExpression half = number(system, 0.0);
    for (int i = 0; i < 4; i++) {
      const VidaExpression part = times(
          system, sign[k][i], apply(system, "*", position(system, i), rate(system, index[k][i])));
      half = apply(system, "+", half, part);
    }
    l = apply(system, "+", l, times(system, 2.0 * (k + 1), square(system, half)));
  }
  for (int i = 0; i < 4; i++) {
    norm = apply(system, "+", norm, square(system, position(system, i)));
  }
  REQUIRE_OK(VidaSystem_AddExpressionLagrangian(system, "body", l, &error), &error);
  const VidaExpression plus_two = apply(system, "+", norm, number(system, 2.0));
  REQUIRE_OK(VidaSystem_AddExpressionConstraint(
                 system, "norm", "", apply(system, "*", norm, number(system, 0.5)), &error),
             &error);
  REQUIRE_OK(
      VidaSystem_AddExpressionConstraint(
          system, "norm again", "",
          apply(system, "*", number(system, 0.25), apply(system, "*", norm, plus_two)), &error),
      &error);
  complete(system);
  const double identity[4] = {1.0, 0.0, 0.0, 0.0};
  const Rank rank = rank_at(system, identity);
  EXPECT(rank.rank == 1 && rank.dependent[0] == 1, "rank %d, dependent %d", rank.rank,
         rank.dependent[0]);
  /* w1 = 1: after t = 1 the rotation is by one radian, up to h^2 / 24 of the angle */
  const Motion motion = move(system, "del-midpoint", 0.01, 100, NULL);
  EXPECT(!motion.unique, "multipliers are said to be unique");
  EXPECT_NEAR(motion.q[0], cos(0.5), 1e-5, "q0");
  EXPECT_NEAR(motion.q[1], sin(0.5), 1e-5, "q1");
  EXPECT_BELOW(motion.position_error, 1e-15, "the norm");
  EXPECT_NEAR(motion.energy, motion.energy_start, 1e-13, "energy");
  VidaSystem_Destroy(&system);
}

int main(void) {
  const CheckTest tests[] = {{"braced square", test_braced_square},
                             {"near dependence", test_near_dependence},
                             {"long chain", test_long_chain},
                             {"rank of a door", test_door_rank},
                             {"accelerations of a door", test_accelerations},
                             {"period of a door", test_door_period},
                             {"second hinge", test_second_hinge},
                             {"contradiction", test_contradiction},
                             {"assembly", test_assembly},
                             {"four-bar", test_four_bar},
                             {"blade", test_blade},
                             {"quaternion", test_quaternion},
                             {NULL, NULL}};
  return check_main("rank", tests);
}
