/* Plans: condensed steps are those with all unknowns, and are made where they can be. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <vida/vida.h>

#include "support/check.h"
#include "support/model.h"
#include "support/motion.h"

enum { MOST_LEGS = 20, MOST_COORDINATES = 3 * (MOST_LEGS + 1) };

static VidaStepper* start(const VidaSystem* system, const char* method, double h,
                          const char* plan) {
  VidaError error = {0};
  VidaStepper* stepper = NULL;
  double q[MOST_COORDINATES], v[MOST_COORDINATES];
  const char* const settings[] = {"plan", plan, NULL};
  VidaOptions* options = motion_method(method, h, settings);
  REQUIRE_OK(VidaStepper_Create(system, options, &stepper, &error), &error);
  VidaOptions_Destroy(&options);
  REQUIRE_OK(VidaSystem_Start(system, 0.0, NULL, q, v, NULL, &error), &error);
  REQUIRE_OK(VidaStepper_Start(stepper, 0.0, q, v, &error), &error);
  return stepper;
}

static VidaStepPlan plan_of(const VidaStepper* stepper) {
  VidaStepPlan plan;
  VidaError error = {0};
  REQUIRE_OK(VidaStepper_Plan(stepper, &plan, &error), &error);
  return plan;
}

/* Both plans solve the same equations to rounding; motions of chains amplify what differs. */
static void compare(const VidaSystem* system, const char* method, const char* plan, double h,
                    int steps, double allowed) {
  VidaError error = {0};
  VidaStepper* condensed = start(system, method, h, "auto");
  VidaStepper* general = start(system, method, h, "general");
  double v[2][MODEL_COORDINATES];
  const bool is_condensed = strcmp(plan, "condensed") == 0;
  EXPECT(strcmp(plan_of(condensed).name, plan) == 0 &&
             plan_of(condensed).unknowns ==
                 VidaSystem_ConstraintCount(system) +
                     (is_condensed ? 0 : VidaSystem_CoordinateCount(system)),
         "%s: plan %s", method, plan_of(condensed).name);
  EXPECT(strcmp(plan_of(general).name, "general") == 0 &&
             plan_of(general).unknowns ==
                 VidaSystem_CoordinateCount(system) + VidaSystem_ConstraintCount(system),
         "%s: plan %s", method, plan_of(general).name);
  for (int k = 0; k < steps; k++) {
    REQUIRE_OK(VidaStepper_Step(condensed, &error), &error);
    REQUIRE_OK(VidaStepper_Step(general, &error), &error);
  }
  REQUIRE_OK(VidaStepper_Velocities(condensed, v[0], &error), &error);
  REQUIRE_OK(VidaStepper_Velocities(general, v[1], &error), &error);
  for (int i = 0; i < VidaSystem_CoordinateCount(system); i++) {
    EXPECT_NEAR(VidaStepper_Positions(condensed)[i], VidaStepper_Positions(general)[i], allowed,
                "%s, coordinate %d", method, i);
    EXPECT_NEAR(v[0][i], v[1][i], 100.0 * allowed, "%s, rate %d", method, i);
  }
  for (int r = 0; r < VidaSystem_ConstraintCount(system); r++) {
    const double force = VidaStepper_Multipliers(general, NULL)[r];
    EXPECT_NEAR(VidaStepper_Multipliers(condensed, NULL)[r], force,
                100.0 * allowed / h * fmax(1.0, fabs(force)), "%s, force %d", method, r);
  }
  VidaStepper_Destroy(&condensed);
  VidaStepper_Destroy(&general);
}

static const char* const methods[] = {"del-endpoint", "del-trapezoidal", "rattle",
                                      "energy-momentum"};
enum { METHODS = sizeof methods / sizeof *methods };

static void test_same_steps(void) {
  const Model models[] = {model_pendulum(2, 1.0, 1.0, 1.0, 0.0), model_double_spherical_pendulum(),
                          model_chain(8, 0.1)};
  for (size_t k = 0; k < sizeof models / sizeof *models; k++) {
    VidaSystem* system = model_system(&models[k]);
    for (int m = 0; m < METHODS; m++) {
      compare(system, methods[m], "condensed", 1e-3, 1000, 1e-12);
    }
    VidaSystem_Destroy(&system);
  }
}

/* Steps so large that some of them are solved with all unknowns are those of that plan, too. */
static void test_large_steps(void) {
  const Model model = model_double_spherical_pendulum();
  VidaSystem* system = model_system(&model);
  for (int m = 0; m < METHODS; m++) {
    compare(system, methods[m], "condensed", 0.1, 20, 1e-11);
  }
  VidaSystem_Destroy(&system);
}

/* A particle of this mass with rods to particles of 1 kg around it; the first rod may be there
 * twice. */
static VidaSystem* make_spider(int legs, double mass, bool twice) {
  VidaError error = {0};
  VidaSystem* s = NULL;
  char name[32];
  REQUIRE_OK(VidaSystem_Create("spider", 3, &s, &error), &error);
  for (int p = 0; p <= legs; p++) {
    const double angle = 6.283185307179586 * p / legs;
    snprintf(name, sizeof name, "foot %d", p);
    VidaParticle foot = {.name = p ? name : "body", .mass = p ? 1.0 : mass};
    const double place[3] = {p ? cos(angle) : 0.0, p ? sin(angle) : 0.0, 0.0};
    for (int k = 0; k < 3; k++) {
      foot.position[k] = VidaInitial_Given(place[k]);
      foot.velocity[k] = VidaInitial_Given(0.0);
    }
    REQUIRE_OK(VidaSystem_AddParticle(s, &foot, NULL, &error), &error);
  }
  for (int p = 1; p <= legs; p++) {
    for (int again = 0; again <= (twice && p == 1); again++) {
      snprintf(name, sizeof name, "leg %d.%d", p, again);
      const VidaDistance leg = {name, VidaPoint_Particle(0), VidaPoint_Particle(p), 1.0};
      REQUIRE_OK(VidaSystem_AddDistance(s, &leg, &error), &error);
    }
  }
  REQUIRE_OK(VidaSystem_Complete(s, &error), &error);
  return s;
}

/* All unknowns are used where masses differ by 16 orders of magnitude, where a rod is there twice,
 * and where so many rods meet in one particle that products of their gradients, of which a
 * coordinate with k rods has k^2, outnumber the gradients: 10.5 to 1 for 20 legs. */
static void test_choice(void) {
  const struct {
    int legs;
    double mass;
    bool twice;
    const char* plan;
  } cases[] = {{3, 1.0, false, "condensed"},
               {3, 1e-16, false, "general"},
               {3, 1.0, true, "general"},
               {11, 1.0, false, "condensed"},
               {MOST_LEGS, 1.0, false, "general"}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    VidaSystem* system = make_spider(cases[k].legs, cases[k].mass, cases[k].twice);
    VidaStepper* stepper = start(system, "rattle", 0.01, "auto");
    const VidaStepPlan plan = plan_of(stepper);
    const int m = VidaSystem_ConstraintCount(system);
    const bool is_condensed = strcmp(cases[k].plan, "condensed") == 0;
    EXPECT(strcmp(plan.name, cases[k].plan) == 0, "case %zu: %s", k, plan.name);
    EXPECT(plan.unknowns == m + (is_condensed ? 0 : VidaSystem_CoordinateCount(system)),
           "case %zu: %d unknowns", k, plan.unknowns);
    EXPECT(!is_condensed || plan.entries == (long)m * m, "case %zu: %ld entries of a full matrix",
           k, plan.entries);
    VidaStepper_Destroy(&stepper);
    VidaSystem_Destroy(&system);
  }
}

/* A flat rigid triangle, hung by a rod, has a mirror image that satisfies all rods, too. A motion
 * keeps its side, since it cannot pass the singular straight configuration without being told. */
static void test_flat_triangle(void) {
  VidaError error = {0};
  const double y = 0.01, long_rod = sqrt(1.0 + y * y);
  const double places[3][2] = {{0.0, 0.0}, {1.0, y}, {2.0, 0.0}};
  const struct {
    const char* name;
    int first, second;
    double length;
  } rods[] = {{"r1", 0, 1, long_rod}, {"r2", 1, 2, long_rod}, {"r3", 0, 2, 2.0}};
  VidaSystem* s = NULL;
  const double gravity[3] = {0.0, -MODEL_GRAVITY, 0.0};
  REQUIRE_OK(VidaSystem_Create("triangle", 2, &s, &error), &error);
  REQUIRE_OK(VidaSystem_AddGravity(s, gravity, &error), &error);
  for (int p = 0; p < 3; p++) {
    static const char* const names[] = {"a", "b", "c"};
    VidaParticle particle = {.name = names[p], .mass = p == 2 ? 2.0 : 1.0};
    for (int k = 0; k < 2; k++) {
      particle.position[k] = VidaInitial_Given(places[p][k]);
      particle.velocity[k] = VidaInitial_Given(0.0);
    }
    REQUIRE_OK(VidaSystem_AddParticle(s, &particle, NULL, &error), &error);
  }
  const VidaDistance hanger = {"h", VidaPoint_Fixed(0.0, 1.0, 0.0), VidaPoint_Particle(0), 1.0};
  REQUIRE_OK(VidaSystem_AddDistance(s, &hanger, &error), &error);
  for (size_t r = 0; r < sizeof rods / sizeof *rods; r++) {
    const VidaDistance rod = {rods[r].name, VidaPoint_Particle(rods[r].first),
                              VidaPoint_Particle(rods[r].second), rods[r].length};
    REQUIRE_OK(VidaSystem_AddDistance(s, &rod, &error), &error);
  }
  REQUIRE_OK(VidaSystem_Complete(s, &error), &error);
  for (int m = 0; m < METHODS; m++) {
    VidaStepper* stepper = start(s, methods[m], 0.03, "auto");
    EXPECT(strcmp(plan_of(stepper).name, "condensed") == 0, "%s", plan_of(stepper).name);
    for (int k = 0; k < 100; k++) {
      REQUIRE_OK(VidaStepper_Step(stepper, &error), &error);
      const double* q = VidaStepper_Positions(stepper);
      const double area = (q[4] - q[0]) * (q[3] - q[1]) - (q[5] - q[1]) * (q[2] - q[0]);
      EXPECT(area > 0.0, "%s: the triangle is mirrored in step %d", methods[m], k + 1);
    }
    VidaStepper_Destroy(&stepper);
  }
  VidaSystem_Destroy(&s);
}

/* ---- energy-momentum ---- */

/* Particles and springs on a line; the first particle may hang on a rod. */
static VidaSystem* make_spring_chain(double stiffness, bool has_rod) {
  VidaError error = {0};
  VidaSystem* s = NULL;
  enum { PARTICLES = 4 };
  static const char* const names[] = {"p0", "p1", "p2", "p3"};
  const double gravity[3] = {0.0, -MODEL_GRAVITY, 0.0};
  REQUIRE_OK(VidaSystem_Create("springs", 2, &s, &error), &error);
  REQUIRE_OK(VidaSystem_AddGravity(s, gravity, &error), &error);
  for (int p = 0; p < PARTICLES; p++) {
    VidaParticle particle = {.name = names[p], .mass = 1.0 + p};
    particle.position[0] = VidaInitial_Given(1.0 + p);
    particle.position[1] = VidaInitial_Given(0.0);
    particle.velocity[0] = VidaInitial_Given(0.0);
    particle.velocity[1] = VidaInitial_Given(0.3 * p);
    REQUIRE_OK(VidaSystem_AddParticle(s, &particle, NULL, &error), &error);
    if (p > 0) {
      const VidaSpring spring = {.name = names[p],
                                 .from = VidaPoint_Particle(p - 1),
                                 .to = VidaPoint_Particle(p),
                                 .stiffness = stiffness,
                                 .length = 0.9};
      REQUIRE_OK(VidaSystem_AddSpring(s, &spring, &error), &error);
    }
  }
  if (has_rod) {
    const VidaDistance rod = {"rod", VidaPoint_Fixed(0.0, 0.0, 0.0), VidaPoint_Particle(0), 1.0};
    REQUIRE_OK(VidaSystem_AddDistance(s, &rod, &error), &error);
  }
  REQUIRE_OK(VidaSystem_Complete(s, &error), &error);
  return s;
}

/* The work of forces and tensions, which the matrix of the plan leaves out or keeps for several
 * steps, is the same for soft springs, for which the plan converges, and for those so stiff that
 * each step needs a matrix of its own (h omega is about 0.03 and 30). */
static void test_springs(void) {
  for (int has_rod = 0; has_rod <= 1; has_rod++) {
    VidaSystem* soft = make_spring_chain(1e2, has_rod);
    VidaSystem* stiff = make_spring_chain(1e8, has_rod);
    const char* plan = has_rod ? "condensed" : "simplified";
    compare(soft, "energy-momentum", plan, 2e-3, 500, 1e-12);
    compare(stiff, "energy-momentum", plan, 2e-3, 20, 1e-11);
    VidaSystem_Destroy(&soft);
    VidaSystem_Destroy(&stiff);
  }
}

static void test_refusals(void) {
  VidaError error = {0};
  VidaStepPlan plan;
  const Model model = model_pendulum(2, 1.0, 1.0, 1.0, 0.0);
  VidaSystem* system = model_system(&model);
  VidaStepper* stepper = NULL;
  VidaOptions* options = motion_method("rattle", 0.01, NULL);
  REQUIRE_OK(VidaStepper_Create(system, options, &stepper, &error), &error);
  EXPECT(VidaStepper_Plan(stepper, &plan, &error) == VIDA_WRONG_ORDER, "%s", error.message);
  VidaStepper_Destroy(&stepper);
  VidaOptions_Destroy(&options);
  VidaSystem_Destroy(&system);
}

int main(void) {
  static const CheckTest tests[] = {{"the same steps", test_same_steps},
                                    {"large steps", test_large_steps},
                                    {"the choice", test_choice},
                                    {"a flat triangle", test_flat_triangle},
                                    {"springs", test_springs},
                                    {"refusals", test_refusals},
                                    {NULL, NULL}};
  return check_main("plans", tests);
}
