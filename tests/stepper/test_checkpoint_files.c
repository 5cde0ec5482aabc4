/* Checkpoints that are damaged, forged or of something else; files; starts and systems that are not
 * those of the audit. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vida/vida.h>

#include "base/record.h"

#include "support/check.h"
#include "support/model.h"
#include "support/motion.h"

enum { HEADER = 32, BLOCK = 4096, CHECK = 8 };

/* A saved stepper. */
typedef struct Saved {
  unsigned char* bytes;
  size_t size;
} Saved;

static Saved save(const VidaStepper* stepper) {
  Saved saved = {0};
  VidaError error = {0};
  REQUIRE_OK(VidaStepper_SaveBytes(stepper, &saved.bytes, &saved.size, &error), &error);
  return saved;
}

static bool are_same(const VidaStepper* a, const VidaStepper* b) {
  const Saved first = save(a), second = save(b);
  const bool same = first.size == second.size && !memcmp(first.bytes, second.bytes, first.size);
  free(first.bytes);
  free(second.bytes);
  return same;
}

static void steps(VidaStepper* stepper, long count) {
  VidaError error = {0};
  REQUIRE_OK(VidaStepper_Steps(stepper, count, NULL, &error), &error);
}

/* The saved stepper and the loaded one make the same steps. */
static void check_same(VidaStepper* stepper, long count, const char* what) {
  VidaStepper* loaded = NULL;
  VidaError error = {0};
  const Saved saved = save(stepper);
  REQUIRE_OK(VidaStepper_LoadBytes(VidaStepper_System(stepper), VidaStepper_Options(stepper),
                                   saved.bytes, saved.size, &loaded, &error),
             &error);
  EXPECT(are_same(stepper, loaded), "%s: other numbers", what);
  steps(stepper, count);
  steps(loaded, count);
  EXPECT(are_same(stepper, loaded), "%s: other numbers later", what);
  EXPECT(VidaStepper_Time(stepper) == VidaStepper_Time(loaded) &&
             VidaStepper_StepCount(stepper) == VidaStepper_StepCount(loaded),
         "%s: another time", what);
  VidaStepper_Destroy(&loaded);
  free(saved.bytes);
}

/* ---- damage ---------------------------------------------------------------------------------- */

/* No flipped bit and no missing byte goes unnoticed, and nothing is left behind. */
static void test_damage(void) {
  const Model model = model_chain(3, 0.5);
  Motion motion = motion_start(&model, "rattle", 0.01, "auto");
  VidaStepper* loaded = NULL;
  VidaError error = {0};
  long missed = 0;
  motion_steps(&motion, 20);
  const Saved saved = save(motion.stepper);
  for (size_t k = 0; k < saved.size; k++) {
    saved.bytes[k] ^= (unsigned char)(1u << k % 8);
    const int code =
        VidaStepper_LoadBytes(motion.system, NULL, saved.bytes, saved.size, &loaded, &error);
    missed += code == VIDA_INPUT_OUTPUT && !loaded && *error.message ? 0 : 1;
    VidaStepper_Destroy(&loaded);
    saved.bytes[k] ^= (unsigned char)(1u << k % 8);
  }
  for (size_t k = 0; k < saved.size; k++) {
    const int code = VidaStepper_LoadBytes(motion.system, NULL, saved.bytes, k, &loaded, &error);
    missed += code == VIDA_INPUT_OUTPUT && !loaded ? 0 : 1;
  }
  EXPECT(missed == 0, "%ld of %zu went unnoticed", missed, 2 * saved.size);
  EXPECT_ERROR(VidaStepper_LoadBytes(motion.system, NULL, saved.bytes, 0, &loaded, &error), &error,
               VIDA_INPUT_OUTPUT, "is not a checkpoint");
  EXPECT_ERROR(
      VidaStepper_LoadBytes(motion.system, NULL, saved.bytes, saved.size - 1, &loaded, &error),
      &error, VIDA_INPUT_OUTPUT, "truncated");
  saved.bytes[HEADER + 100] ^= 4;
  EXPECT_ERROR(VidaStepper_LoadBytes(motion.system, NULL, saved.bytes, saved.size, &loaded, &error),
               &error, VIDA_INPUT_OUTPUT, "damaged");
  free(saved.bytes);
  motion_end(&motion);
}

static void put(unsigned char* at, uint64_t value) {
  for (int k = 0; k < 8; k++) {
    at[k] = (unsigned char)(value >> (8 * k));
  }
}

/* Makes the checksums fit again. */
static void seal(Saved saved) {
  put(saved.bytes + 24, vida__checksum(VIDA_CHECKSUM_START, saved.bytes, 24));
  size_t index = 0;
  for (size_t at = HEADER; at < saved.size; index++) {
    const size_t left = saved.size - at - CHECK, count = left < BLOCK ? left : BLOCK;
    put(saved.bytes + at + count,
        vida__checksum(VIDA_CHECKSUM_START + index, saved.bytes + at, count));
    at += count + CHECK;
  }
}

/* Forged records with right checksums are refused, or give some stepper; none breaks anything. */
static void test_forgery(void) {
  static const char* const methods[] = {"rattle", "energy-momentum", "radau", "spark-lobatto"};
  const size_t stride = CHECK_SANITIZED ? 997 : 61;
  const Model model = model_chain(3, 0.5);
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
    Motion motion = motion_start(&model, methods[i], 0.01, "auto");
    motion_steps(&motion, 20);
    const Saved saved = save(motion.stepper);
    long refused = 0, loads = 0;
    for (size_t k = HEADER + i; k < saved.size; k += stride) {
      VidaStepper* loaded = NULL;
      VidaError error = {0};
      const unsigned char kept = saved.bytes[k];
      saved.bytes[k] = (unsigned char)(k % 3 ? 255 : kept + 1);
      seal(saved);
      if (VidaStepper_LoadBytes(motion.system, NULL, saved.bytes, saved.size, &loaded, &error)) {
        refused++;
        EXPECT(!loaded && *error.message, "byte %zu of %s: no message", k, methods[i]);
      } else {
        loads++;
        VidaStepper_Steps(loaded, 3, NULL, &error);
        VidaStepper_Destroy(&loaded);
      }
      saved.bytes[k] = kept;
    }
    EXPECT(refused > 0 && loads > 0, "%s: %ld refused, %ld loaded", methods[i], refused, loads);
    free(saved.bytes);
    motion_end(&motion);
  }
}

/* Another format, and a length that no memory has. */
static void test_header(void) {
  const Model model = model_oscillator(1.0, 4.0, 1.0, 0.0);
  Motion motion = motion_start(&model, "verlet", 0.01, "auto");
  VidaStepper* loaded = NULL;
  VidaError error = {0};
  const Saved saved = save(motion.stepper);
  const uint64_t lengths[] = {0, 1, UINT64_C(1) << 62, UINT64_MAX, UINT64_MAX / 2};
  for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++) {
    put(saved.bytes + 16, lengths[k]);
    put(saved.bytes + 24, vida__checksum(VIDA_CHECKSUM_START, saved.bytes, 24));
    EXPECT_ERROR(
        VidaStepper_LoadBytes(motion.system, NULL, saved.bytes, saved.size, &loaded, &error),
        &error, VIDA_INPUT_OUTPUT, k < 2 ? "damaged" : "truncated");
  }
  put(saved.bytes + 8, 2);
  put(saved.bytes + 24, vida__checksum(VIDA_CHECKSUM_START, saved.bytes, 24));
  EXPECT_ERROR(VidaStepper_LoadBytes(motion.system, NULL, saved.bytes, saved.size, &loaded, &error),
               &error, VIDA_INPUT_OUTPUT, "has format 2 of checkpoints");
  free(saved.bytes);
  motion_end(&motion);
}

/* ---- something else -------------------------------------------------------------------------- */

static void refuse(Saved saved, const VidaSystem* system, const VidaOptions* options,
                   const char* text) {
  VidaStepper* loaded = NULL;
  VidaError error = {0};
  EXPECT_ERROR(VidaStepper_LoadBytes(system, options, saved.bytes, saved.size, &loaded, &error),
               &error, VIDA_BAD_ARGUMENT, text);
  EXPECT(!loaded, "a stepper of another system");
}

static void test_others(void) {
  const Model model = model_pendulum(2, 1.5, 2.0, 0.6, 1.0);
  const Model heavier = model_pendulum(2, 1.6, 2.0, 0.6, 1.0);
  const Model longer = model_pendulum(2, 1.5, 2.1, 0.6, 1.0);
  const Model other = model_chain(2, 0.5);
  Motion motion = motion_start(&model, "rattle", 0.01, "auto");
  VidaSystem* systems[] = {model_system(&heavier), model_system(&longer), model_system(&other),
                           model_open_system(&model)};
  VidaOptions* options[] = {motion_method("rattle", 0.02, NULL),
                            motion_method("del-midpoint", 0.01, NULL)};
  VidaStepper* loaded = NULL;
  VidaError error = {0};
  const Saved saved = save(motion.stepper);
  refuse(saved, systems[0], NULL, "the mass of '");
  refuse(saved, systems[1], NULL, "differ");
  refuse(saved, systems[2], NULL, "belongs to another system: its name");
  refuse(saved, motion.system, options[0], "has the option h = 0.01, not 0.02");
  refuse(saved, motion.system, options[1], "is of method rattle, not of del-midpoint");
  EXPECT_ERROR(VidaStepper_LoadBytes(systems[3], NULL, saved.bytes, saved.size, &loaded, &error),
               &error, VIDA_WRONG_ORDER, "is not complete yet");
  for (size_t k = 0; k < sizeof systems / sizeof *systems; k++) {
    VidaSystem_Destroy(&systems[k]);
  }
  VidaOptions_Destroy(&options[0]);
  VidaOptions_Destroy(&options[1]);
  free(saved.bytes);
  motion_end(&motion);
}

/* ---- files ----------------------------------------------------------------------------------- */

static void test_files(void) {
  const char* path = "checkpoint.state";
  const Model model = model_chain(4, 0.3);
  Motion motion = motion_start(&model, "compose", 0.01, "auto");
  VidaStepper* loaded = NULL;
  VidaOptions* options = motion_method("rattle", 0.01, NULL);
  VidaStepper* idle = NULL;
  VidaError error = {0};
  for (int k = 0; k < 3; k++) { /* the file is replaced */
    motion_steps(&motion, 7);
    REQUIRE_OK(VidaStepper_Save(motion.stepper, path, &error), &error);
  }
  REQUIRE_OK(VidaStepper_Load(motion.system, NULL, path, &loaded, &error), &error);
  EXPECT(are_same(motion.stepper, loaded), "the file has something else");
  VidaStepper_Destroy(&loaded);
  EXPECT_ERROR(VidaStepper_Save(motion.stepper, "nowhere/a.state", &error), &error,
               VIDA_INPUT_OUTPUT, "'nowhere/a.state' cannot be written: No such file");
  EXPECT_ERROR(VidaStepper_Load(motion.system, NULL, "nowhere/a.state", &loaded, &error), &error,
               VIDA_INPUT_OUTPUT, "'nowhere/a.state' cannot be opened: No such file");
  REQUIRE_OK(VidaStepper_Create(motion.system, options, &idle, &error), &error);
  EXPECT_ERROR(VidaStepper_Save(idle, path, &error), &error, VIDA_WRONG_ORDER,
               "has not been started");
  remove(path);
  VidaStepper_Destroy(&idle);
  VidaOptions_Destroy(&options);
  motion_end(&motion);
}

/* ---- starts and systems ---------------------------------------------------------------------- */

/* Sparse matrices, whose factors with pivots are made again, and long series of steps. */
static void test_large(void) {
  static const char* const methods[] = {"rattle", "del-midpoint", "energy-momentum",
                                        "radau",  "hht",          "compose"};
  static const char* const solvers[] = {"auto", "klu"};
  const Model model = model_chain(12, 0.3);
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
    for (size_t k = 0; k < 2; k++) {
      if (strcmp(methods[i], "hht") != 0 || k == 0) {
        Motion motion = motion_start(&model, methods[i], 0.005, solvers[k]);
        motion_steps(&motion, 33);
        check_same(motion.stepper, 40, methods[i]);
        motion_end(&motion);
      }
    }
  }
}

/* A second start, another step, two points; a stepper with an earlier life has other pivots. */
static void test_starts(void) {
  const Model model = model_double_spherical_pendulum();
  Motion motion = motion_start(&model, "del-midpoint", 0.01, "klu");
  VidaError error = {0};
  double q[MODEL_COORDINATES], q1[MODEL_COORDINATES];
  memcpy(q, motion.q0, sizeof q);
  motion_steps(&motion, 3);
  check_same(motion.stepper, 5, "first start");
  memcpy(q1, VidaStepper_Positions(motion.stepper), (size_t)motion.n * sizeof *q1);
  REQUIRE_OK(VidaStepper_StartWithStep(motion.stepper, 2.0, 0.004, motion.q0, motion.v0, &error),
             &error);
  steps(motion.stepper, 4);
  check_same(motion.stepper, 5, "another step");
  REQUIRE_OK(VidaStepper_Start(motion.stepper, 0.0, motion.q0, motion.v0, &error), &error);
  check_same(motion.stepper, 5, "at the start");
  REQUIRE_OK(VidaStepper_Start(motion.stepper, 0.0, motion.q0, motion.v0, &error), &error);
  steps(motion.stepper, 1);
  memcpy(q1, VidaStepper_Positions(motion.stepper), (size_t)motion.n * sizeof *q1);
  REQUIRE_OK(VidaStepper_StartTwoPoints(motion.stepper, 0.0, q, q1, &error), &error);
  check_same(motion.stepper, 5, "two points");
  motion_end(&motion);
}

/* x'' = 1 or -1, by the sign of sin(pi t / 0.35): steps meet jumps in time and start there again.
 */
static void test_jumps(void) {
  static const char* const methods[] = {"rattle", "del-midpoint", "radau", "half-explicit",
                                        "energy-momentum-livens"};
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
    VidaSystem* system = NULL;
    VidaStepper* stepper = NULL;
    VidaOptions* options = motion_method(methods[i], 0.1, NULL);
    VidaError error = {0};
    VidaExpression t, factor, phase, sine, zero, less, one, minus, force, x;
    const VidaParticle bead = {.name = "bead", .mass = 1.0};
    const double q[1] = {0.0}, v[1] = {0.1};
    REQUIRE_OK(VidaSystem_Create("flip", 1, &system, &error), &error);
    REQUIRE_OK(VidaSystem_AddParticle(system, &bead, NULL, &error), &error);
    VidaSystem_Time(system, &t, &error);
    VidaSystem_Position(system, 0, &x, &error);
    VidaSystem_Constant(system, 3.14159265358979323846 / 0.35, &factor, &error);
    VidaSystem_Constant(system, 0.0, &zero, &error);
    VidaSystem_Constant(system, 1.0, &one, &error);
    VidaSystem_Constant(system, -1.0, &minus, &error);
    VidaSystem_Apply(system, "*", 2, (VidaExpression[]){factor, t}, &phase, &error);
    VidaSystem_Apply(system, "sin", 1, &phase, &sine, &error);
    VidaSystem_Apply(system, "<", 2, (VidaExpression[]){zero, sine}, &less, &error);
    VidaSystem_Apply(system, "where", 3, (VidaExpression[]){less, one, minus}, &force, &error);
    const int coordinate = 0;
    REQUIRE_OK(VidaSystem_AddExpressionForce(system, "flip", 1, &coordinate, &force, &error),
               &error);
    REQUIRE_OK(VidaSystem_Complete(system, &error), &error);
    if (!VidaStepper_Create(system, options, &stepper, &error)) {
      REQUIRE_OK(VidaStepper_Start(stepper, 0.0, q, v, &error), &error);
      for (int k = 0; k < 9; k++) {
        check_same(stepper, k % 3 + 1, methods[i]);
      }
    } else {
      EXPECT(error.code == VIDA_NOT_SUPPORTED, "%s: %s", methods[i], error.message);
    }
    VidaStepper_Destroy(&stepper);
    VidaOptions_Destroy(&options);
    VidaSystem_Destroy(&system);
  }
}

int main(void) {
  static const CheckTest tests[] = {
      {"damage", test_damage}, {"forgery", test_forgery}, {"header", test_header},
      {"others", test_others}, {"files", test_files},     {"large", test_large},
      {"starts", test_starts}, {"jumps", test_jumps},     {NULL, NULL}};
  return check_main("checkpoint files", tests);
}
