/* Names: no two of a kind may be alike, which is told where the second one is added and leaves the
 * system as it was; and no name or unit may command a terminal. */
#include <stdio.h>
#include <string.h>
#include <vida/vida.h>

#include "support/check.h"

static VidaSystem* new_system(const char* name) {
  VidaSystem* system = NULL;
  VidaError error = {0};
  REQUIRE_OK(VidaSystem_Create(name, 2, &system, &error), &error);
  return system;
}

static int add_particle(VidaSystem* system, const char* name, VidaError* error) {
  const VidaParticle particle = {.name = name, .mass = 1.0};
  return VidaSystem_AddParticle(system, &particle, NULL, error);
}

static int add_coordinate(VidaSystem* system, const char* name, VidaError* error) {
  const VidaInitial at = VidaInitial_Given(0.0);
  return VidaSystem_AddCoordinate(system, name, "", at, at, NULL, error);
}

static int add_spring(VidaSystem* system, const char* name, VidaError* error) {
  const VidaSpring spring = {
      .name = name, .from = VidaPoint_Particle(0), .to = VidaPoint_Particle(1), .stiffness = 1.0};
  return VidaSystem_AddSpring(system, &spring, error);
}

static int add_rod(VidaSystem* system, const char* name, VidaError* error) {
  const VidaDistance rod = {
      .name = name, .from = VidaPoint_Particle(0), .to = VidaPoint_Particle(1), .length = 1.0};
  return VidaSystem_AddDistance(system, &rod, error);
}

static int add_row(VidaSystem* system, const char* name, VidaError* error) {
  VidaExpression x = -1;
  const int code = VidaSystem_Position(system, 0, &x, error);
  return code ? code : VidaSystem_AddExpressionConstraint(system, name, "m", x, error);
}

static int add_parameter(VidaSystem* system, const char* name, VidaError* error) {
  return VidaSystem_AddParameter(system, name, 1.0, NULL, error);
}

static int add_observable(VidaSystem* system, const char* name, VidaError* error) {
  VidaExpression x = -1;
  const int code = VidaSystem_Position(system, 0, &x, error);
  return code ? code : VidaSystem_AddObservable(system, name, "m", false, x, error);
}

typedef struct Kind {
  const char* plural;
  int (*add)(VidaSystem* system, const char* name, VidaError* error);
} Kind;

static const Kind kinds[] = {
    {"particles", add_particle},     {"coordinates", add_coordinate}, {"springs", add_spring},
    {"constraints", add_rod},        {"constraints", add_row},        {"parameters", add_parameter},
    {"observables", add_observable},
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

static void test_twice(void) {
  for (int k = 0; k < KINDS; k++) {
    VidaSystem* system = new_system("rig");
    VidaError error = {0};
    char expected[64];
    snprintf(expected, sizeof expected, "there are two %s named 'same'", kinds[k].plural);
    REQUIRE_OK(add_particle(system, "a", &error), &error);
    REQUIRE_OK(add_particle(system, "b", &error), &error);
    REQUIRE_OK(kinds[k].add(system, "same", &error), &error);
    const int coordinates = VidaSystem_CoordinateCount(system);
    const int rows = VidaSystem_ConstraintCount(system);
    EXPECT_ERROR(kinds[k].add(system, "same", &error), &error, VIDA_BAD_ARGUMENT, expected);
    EXPECT(VidaSystem_CoordinateCount(system) == coordinates &&
               VidaSystem_ConstraintCount(system) == rows,
           "a second one of the %s was added", kinds[k].plural);
    REQUIRE_OK(kinds[k].add(system, "Same", &error), &error);
    VidaSystem_Destroy(&system);
  }
}

/* A particle has the coordinates "name.x", "name.y". */
static void test_particle_and_coordinate(void) {
  VidaSystem* system = new_system("rig");
  VidaError error = {0};
  REQUIRE_OK(add_coordinate(system, "ball.y", &error), &error);
  EXPECT_ERROR(add_particle(system, "ball", &error), &error, VIDA_BAD_ARGUMENT,
               "there are two coordinates named 'ball.y'");
  EXPECT(VidaSystem_CoordinateCount(system) == 1 && VidaSystem_ParticleCount(system) == 0,
         "half a particle was added");
  REQUIRE_OK(add_coordinate(system, "ball.x", &error), &error);
  REQUIRE_OK(add_particle(system, "cube", &error), &error);
  REQUIRE_OK(VidaSystem_AddParameter(system, "ball.x", 1.0, NULL, &error), &error);
  VidaSystem_Destroy(&system);
}

/* Of an element with a potential and two rows nothing is added when the second row's name is there
 * already. */
static void test_element(void) {
  static const int both[4] = {0, 1, 2, 3};
  VidaSystem* element = new_system("joint");
  VidaSystem* system = new_system("rig");
  VidaError error = {0};
  REQUIRE_OK(add_particle(element, "a", &error), &error);
  REQUIRE_OK(add_particle(element, "b", &error), &error);
  REQUIRE_OK(add_spring(element, "bush", &error), &error);
  REQUIRE_OK(add_rod(element, "first", &error), &error);
  REQUIRE_OK(add_row(element, "second", &error), &error);
  REQUIRE_OK(add_particle(system, "a", &error), &error);
  REQUIRE_OK(add_particle(system, "b", &error), &error);
  REQUIRE_OK(add_row(system, "hip: second", &error), &error);
  EXPECT_ERROR(VidaSystem_AddElement(system, element, "hip", both, NULL, NULL, &error), &error,
               VIDA_BAD_ARGUMENT, "there are two constraints named 'hip: second'");
  EXPECT(VidaSystem_ConstraintCount(system) == 1, "%d rows", VidaSystem_ConstraintCount(system));
  REQUIRE_OK(VidaSystem_AddElement(system, element, "knee", both, NULL, NULL, &error), &error);
  EXPECT_ERROR(VidaSystem_AddElement(system, element, "knee", both, NULL, NULL, &error), &error,
               VIDA_BAD_ARGUMENT, "there are two constraints named 'knee: first'");
  EXPECT(VidaSystem_ConstraintCount(system) == 3, "%d rows", VidaSystem_ConstraintCount(system));
  VidaSystem_Destroy(&system);
  VidaSystem_Destroy(&element);
}

/* So many that the set has grown several times: each is found, and no other. */
static void test_many(void) {
  enum { MANY = 1000 };
  VidaSystem* system = new_system("rig");
  VidaError error = {0};
  char name[32];
  for (int i = 0; i < MANY; i++) {
    snprintf(name, sizeof name, "link %d", i);
    REQUIRE_OK(add_coordinate(system, name, &error), &error);
  }
  for (int i = 0; i < MANY; i++) {
    snprintf(name, sizeof name, "link %d", i);
    EXPECT_ERROR(add_coordinate(system, name, &error), &error, VIDA_BAD_ARGUMENT, name);
  }
  EXPECT(VidaSystem_CoordinateCount(system) == MANY, "%d", VidaSystem_CoordinateCount(system));
  VidaSystem_Destroy(&system);
}

/* ESC begins the commands of terminals (ECMA-48), and so does U+009B, in UTF-8 C2 9B; "é" is C3 A9,
 * and "\302\260" a degree sign. */
static void test_control_characters(void) {
  static const struct {
    const char* name;
    const char* number; /* NULL: it is allowed */
  } names[] = {{"a\033[2J", "27"},
               {"two\nlines", "10"},
               {"\177", "127"},
               {"\302\2332J", "155"},
               {"caf\303\251", NULL},
               {"45\302\260", NULL},
               /* Latin-1, cut off, overlong, a surrogate */
               {"caf\351", "not valid UTF-8"},
               {"caf\303", "not valid UTF-8"},
               {"\300\257", "not valid UTF-8"},
               {"\355\240\200", "not valid UTF-8"}};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    VidaSystem* other = NULL;
    VidaError error = {0};
    const int code = VidaSystem_Create(names[i].name, 2, &other, &error);
    EXPECT((code != 0) == (names[i].number != NULL), "system %zu: %s", i, error.message);
    VidaSystem_Destroy(&other);
    for (int k = 0; k < KINDS; k++) {
      VidaSystem* system = new_system("rig");
      REQUIRE_OK(add_particle(system, "a", &error), &error);
      REQUIRE_OK(add_particle(system, "b", &error), &error);
      if (names[i].number) {
        EXPECT_ERROR(kinds[k].add(system, names[i].name, &error), &error, VIDA_BAD_ARGUMENT,
                     names[i].number);
      } else {
        REQUIRE_OK(kinds[k].add(system, names[i].name, &error), &error);
      }
      VidaSystem_Destroy(&system);
    }
  }
  VidaSystem* system = new_system("rig");
  VidaError error = {0};
  const VidaInitial at = VidaInitial_Given(0.0);
  EXPECT_ERROR(VidaSystem_AddCoordinate(system, "x", "m\033c", at, at, NULL, &error), &error,
               VIDA_BAD_ARGUMENT, "coordinate 'x': its unit has the control character 27");
  /* what was asked for stands in a message, but commands nothing */
  EXPECT_ERROR(VidaSystem_SetRelaxation(system, "\033c\302\233x", 1.0, 1.0, &error), &error,
               VIDA_UNKNOWN_NAME, "'?c??x'");
  VidaSystem_Destroy(&system);
}

int main(void) {
  static const CheckTest tests[] = {{"twice", test_twice},
                                    {"particle and coordinate", test_particle_and_coordinate},
                                    {"element", test_element},
                                    {"many", test_many},
                                    {"control characters", test_control_characters},
                                    {NULL, NULL}};
  return check_main("names", tests);
}
