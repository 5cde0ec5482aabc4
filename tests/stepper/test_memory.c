/* What is allocated, and when: nothing in a step, nothing left behind, and no crash when there is
 * no memory. The program counts by standing in for malloc and its kin; under AddressSanitizer,
 * which does that itself, by its hooks. */
#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE /* RTLD_NEXT */
#endif
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <vida/contact.h>
#include <vida/drawing.h>
#include <vida/expression.h>
#include <vida/forces.h>
#include <vida/joints.h>
#include <vida/report.h>

#include "support/check.h"
#include "support/motion.h"

#if CHECK_SANITIZED
#define CAN_COUNT 1
#define CAN_FAIL 0
#elif defined(__GLIBC__)
#include <dlfcn.h>
#define CAN_COUNT 1
#define CAN_FAIL 1
#else
#define CAN_COUNT 0
#define CAN_FAIL 0
#endif

/* ---- counting ------------------------------------------------------------------------------- */

static volatile long allocations; /* calls that gave memory */
static volatile long releases;

/* Valgrind puts its own functions before ours: it then looks for leaks and for misuse instead. */
static bool under_valgrind(void) {
  const char* preloaded = getenv("LD_PRELOAD");
  return preloaded && strstr(preloaded, "vgpreload");
}

static bool counts(void) {
  return CAN_COUNT && !under_valgrind();
}

#if CHECK_SANITIZED

/* of sanitizer/allocator_interface.h, which not every compiler brings along */
int __sanitizer_install_malloc_and_free_hooks(void (*allocated)(const volatile void*, size_t),
                                              void (*released)(const volatile void*));

static void count_allocation(const volatile void* block, size_t size) {
  (void)block;
  (void)size;
  allocations++;
}

static void count_release(const volatile void* block) {
  releases += block ? 1 : 0;
}

static void begin_counting(void) {
  __sanitizer_install_malloc_and_free_hooks(count_allocation, count_release);
}

#elif CAN_FAIL

/* Of the calls by VIDA itself (which is linked into this program, SUNDIALS is not), the one with
 * this number fails; 0: none does. SUNDIALS and KLU get their memory always: not all of their
 * versions bear to be refused. */
static volatile long fail_at;
static volatile long calls_of_vida;

extern const char __executable_start[];
extern const char etext[];

static bool refused(const void* caller) {
  const char* address = caller;
  if (address < __executable_start || address >= etext) {
    return false;
  }
  calls_of_vida++;
  return calls_of_vida == fail_at;
}

static void* find_next(const char* name) {
  void* found = dlsym(RTLD_NEXT, name);
  if (!found) {
    abort();
  }
  return found;
}

/* Older dlsym functions allocate. What they get is never released. */
static void* early_memory(size_t size) {
  static _Alignas(max_align_t) char memory[4096];
  static size_t used;
  const size_t unit = _Alignof(max_align_t);
  const size_t start = used;
  used += (size + unit - 1) / unit * unit;
  return used <= sizeof memory ? memory + start : NULL;
}

static void* (*next_malloc)(size_t);
static void* (*next_calloc)(size_t, size_t);
static void* (*next_realloc)(void*, size_t);
static void (*next_free)(void*);

static bool find_all(void) {
  static bool searching;
  if (next_free) {
    return true;
  }
  if (searching) {
    return false;
  }
  searching = true;
  *(void**)&next_malloc = find_next("malloc");
  *(void**)&next_calloc = find_next("calloc");
  *(void**)&next_realloc = find_next("realloc");
  *(void**)&next_free = find_next("free");
  return true;
}

void* malloc(size_t size) {
  if (!find_all()) {
    return early_memory(size);
  }
  void* block = refused(__builtin_return_address(0)) ? NULL : next_malloc(size);
  allocations += block ? 1 : 0;
  return block;
}

void* calloc(size_t count, size_t size) {
  if (!find_all()) {
    return early_memory(count * size);
  }
  void* block = refused(__builtin_return_address(0)) ? NULL : next_calloc(count, size);
  allocations += block ? 1 : 0;
  return block;
}

void* realloc(void* old, size_t size) {
  if (!find_all()) {
    return early_memory(size);
  }
  void* block = refused(__builtin_return_address(0)) ? NULL : next_realloc(old, size);
  allocations += block ? 1 : 0;
  releases += block && old ? 1 : 0;
  return block;
}

void free(void* block) {
  if (find_all()) {
    next_free(block);
    releases += block ? 1 : 0;
  }
}

static void begin_counting(void) {
  find_all();
}

#else

static void begin_counting(void) {}

#endif

/* ---- a rigid body, for methods that take nothing else ---------------------------------------- */

typedef struct Formulas {
  VidaSystem* system;
  VidaError* error;
  int code;
} Formulas;

static VidaExpression apply(Formulas* f, const char* operation, VidaExpression a,
                            VidaExpression b) {
  const VidaExpression operands[2] = {a, b};
  VidaExpression result = 0;
  f->code =
      f->code ? f->code : VidaSystem_Apply(f->system, operation, 2, operands, &result, f->error);
  return f->code ? 0 : result;
}

static VidaExpression square(Formulas* f, VidaExpression a) {
  return apply(f, "*", a, a);
}

/* Twice component i of the vector part of conj(q) * v */
static VidaExpression rate_about(Formulas* f, const VidaExpression* q, const VidaExpression* v,
                                 int i) {
  const int a = 1 + (i + 1) % 3;
  const int b = 1 + (i + 2) % 3;
  const VidaExpression plain =
      apply(f, "-", apply(f, "*", q[0], v[1 + i]), apply(f, "*", q[1 + i], v[0]));
  const VidaExpression crossed =
      apply(f, "-", apply(f, "*", q[b], v[a]), apply(f, "*", q[a], v[b]));
  const VidaExpression half = apply(f, "+", plain, crossed);
  return apply(f, "+", half, half);
}

/* Moments 2 about a fixed point, in the potential 1 - cos(tilt) */
static int build_body(VidaSystem** system, VidaError* error) {
  static const char* const names[4] = {"q.s", "q.x", "q.y", "q.z"};
  static const int all[4] = {0, 1, 2, 3};
  VidaExpression q[4] = {0}, v[4] = {0}, one = 0;
  VidaExpression kinetic = 0, tilt = 0, norm = 0;
  Formulas f = {NULL, error, VidaSystem_Create("top", 3, system, error)};
  f.system = *system;
  for (int i = 0; i < 4 && !f.code; i++) {
    f.code = VidaSystem_AddCoordinate(f.system, names[i], "1", VidaInitial_Given(i ? 0.0 : 1.0),
                                      VidaInitial_Given(0.3 * i), NULL, error);
    f.code = f.code ? f.code : VidaSystem_Position(f.system, i, &q[i], error);
    f.code = f.code ? f.code : VidaSystem_Rate(f.system, i, &v[i], error);
  }
  f.code = f.code ? f.code : VidaSystem_Constant(f.system, 1.0, &one, error);
  for (int i = 0; i < 3 && !f.code; i++) {
    const VidaExpression part = square(&f, rate_about(&f, q, v, i));
    kinetic = i ? apply(&f, "+", kinetic, part) : part;
  }
  tilt = apply(&f, "+", square(&f, q[1]), square(&f, q[2]));
  norm = apply(&f, "+", tilt, apply(&f, "+", square(&f, q[0]), square(&f, q[3])));
  norm = apply(&f, "-", norm, one);
  tilt = apply(&f, "-", apply(&f, "-", one, tilt), tilt);
  int code = f.code;
  code = code ? code : VidaSystem_AddExpressionLagrangian(*system, "rotation", kinetic, error);
  code = code ? code : VidaSystem_AddExpressionLagrangian(*system, "weight", tilt, error);
  code = code ? code : VidaSystem_AddExpressionConstraint(*system, "unit", "1", norm, error);
  code = code ? code : VidaSystem_AddMotion(*system, VIDA_MOTION_QUATERNION, all, error);
  return code ? code : VidaSystem_Complete(*system, error);
}

static bool takes_bodies(const char* method) {
  return (Vida_FindMethod(method)->capabilities & VIDA_CAN_RIGID_BODIES) != 0;
}

/* ---- steps ---------------------------------------------------------------------------------- */

static const char* const solvers[] = {"dense", "klu"};

/* Everything that is asked after a step, as a study does */
static int look(VidaStepper* stepper, double* v, double* values) {
  VidaError error;
  double energy, position, velocity;
  int code = VidaStepper_Velocities(stepper, v, &error);
  code = code ? code : VidaStepper_Energy(stepper, &energy, NULL, &error);
  code = code ? code : VidaStepper_ConstraintErrors(stepper, &position, &velocity, &error);
  code = code ? code : VidaStepper_Constraints(stepper, values, NULL, &error);
  VidaSystem_Momentum(VidaStepper_System(stepper), VidaStepper_Positions(stepper),
                      VidaStepper_Momenta(stepper), values);
  return code;
}

/* Valgrind does not count, and takes long. */
static int steps_to_count(void) {
  return under_valgrind() ? 20 : 1000;
}

static void count_in_steps(const Model* model, const char* method, const char* solver) {
  const int steps = steps_to_count();
  double v[MODEL_COORDINATES], values[MODEL_COORDINATES];
  VidaError error = {0};
  int code = 0;
  Motion motion = motion_start(model, method, 0.01, solver);
  if (motion.stepper) {
    const long before = allocations;
    code = VidaStepper_Start(motion.stepper, 0.0, motion.q0, motion.v0, &error);
    for (int i = 0; i < steps && !code; i++) {
      code = VidaStepper_Step(motion.stepper, &error);
      code = code ? code : look(motion.stepper, v, values);
    }
    const long made = allocations - before;
    REQUIRE_OK(code, &error);
    EXPECT(made == 0, "%ld allocations in %d steps of %s with %s on %s", made, steps, method,
           solver, model->name);
  }
  motion_end(&motion);
}

static void count_in_body_steps(const char* method, const char* solver) {
  const int steps = steps_to_count();
  const char* const settings[] = {"linear_solver", solver, NULL};
  VidaOptions* options = motion_method(method, 0.01, settings);
  VidaSystem* system = NULL;
  VidaStepper* stepper = NULL;
  VidaError error = {0};
  double q[4], v[4], values[4];
  REQUIRE_OK(build_body(&system, &error), &error);
  REQUIRE_OK(VidaStepper_Create(system, options, &stepper, &error), &error);
  REQUIRE_OK(VidaSystem_Start(system, 0.0, NULL, q, v, NULL, &error), &error);
  REQUIRE_OK(VidaStepper_Start(stepper, 0.0, q, v, &error), &error);
  const long before = allocations;
  int code = VidaStepper_Start(stepper, 0.0, q, v, &error);
  for (int i = 0; i < steps && !code; i++) {
    code = VidaStepper_Step(stepper, &error);
    code = code ? code : look(stepper, v, values);
  }
  const long made = allocations - before;
  REQUIRE_OK(code, &error);
  EXPECT(made == 0, "%ld allocations in %d steps of %s with %s on a body", made, steps, method,
         solver);
  VidaStepper_Destroy(&stepper);
  VidaSystem_Destroy(&system);
  VidaOptions_Destroy(&options);
}

static void test_steps(void) {
  const Model pendulum = model_double_spherical_pendulum();
  const Model particles = model_four_particles();
  const Model chain = model_chain(8, 0.3);
  for (int i = 0; i < Vida_MethodCount(); i++) {
    for (int k = 0; k < 2; k++) {
      const char* method = Vida_MethodInfo(i)->name;
      count_in_steps(&pendulum, method, solvers[k]);
      count_in_steps(&particles, method, solvers[k]);
      count_in_steps(&chain, method, solvers[k]);
      if (takes_bodies(method)) {
        count_in_body_steps(method, solvers[k]);
      }
    }
  }
}

/* Methods of ours that choose their own steps; those of SUNDIALS' integrators allocate themselves.
 */
static void test_adaptive_steps(void) {
  const Model models[] = {model_double_spherical_pendulum(), model_four_particles(),
                          model_chain(8, 0.3)};
  for (int k = 0; k < 6; k++) {
    const char* const settings[] = {"rtol", "1e-6", "linear_solver", solvers[k % 2], NULL};
    double q[MODEL_COORDINATES], v[MODEL_COORDINATES];
    VidaError error = {0};
    VidaSystem* system = model_system(&models[k / 2]);
    VidaOptions* options = motion_method("radau", 0.1, settings);
    VidaStepper* stepper = NULL;
    REQUIRE_OK(VidaSystem_Start(system, 0.0, NULL, q, v, NULL, &error), &error);
    REQUIRE_OK(VidaStepper_Create(system, options, &stepper, &error), &error);
    REQUIRE_OK(VidaStepper_Start(stepper, 0.0, q, v, &error), &error);
    const long before = allocations;
    int code = 0;
    for (int i = 0; i < 20 && !code; i++) {
      code = VidaStepper_Step(stepper, &error);
    }
    const long made = allocations - before;
    REQUIRE_OK(code, &error);
    EXPECT(made == 0, "%ld allocations with %s on %s", made, solvers[k % 2], models[k / 2].name);
    VidaOptions_Destroy(&options);
    VidaStepper_Destroy(&stepper);
    VidaSystem_Destroy(&system);
  }
}

/* Implicit tables of ARKStep, at fixed steps. */
static void test_implicit_steps(void) {
  static const char* const tables[] = {"sdirk2", "esdirk3", "esdirk4", "esdirk5"};
  static const char* const methods[] = {"baumgarte", "stabilized-ode", "post-stabilized",
                                        "coordinate-projection"};
  const Model model = model_double_spherical_pendulum();
  for (int k = 0; k < 16; k++) {
    const char* const settings[] = {"integrator", tables[k % 4], NULL};
    double q[MODEL_COORDINATES], v[MODEL_COORDINATES];
    VidaError error = {0};
    VidaSystem* system = model_system(&model);
    VidaOptions* options = motion_method(methods[k / 4], 0.01, settings);
    VidaStepper* stepper = NULL;
    REQUIRE_OK(VidaSystem_Start(system, 0.0, NULL, q, v, NULL, &error), &error);
    REQUIRE_OK(VidaStepper_Create(system, options, &stepper, &error), &error);
    const long before = allocations;
    int code = VidaStepper_Start(stepper, 0.0, q, v, &error);
    for (int i = 0; i < 50 && !code; i++) {
      code = VidaStepper_Step(stepper, &error);
    }
    const long made = allocations - before;
    REQUIRE_OK(code, &error);
    EXPECT(made == 0, "%ld allocations in steps of %s with %s", made, methods[k / 4],
           tables[k % 4]);
    VidaOptions_Destroy(&options);
    VidaStepper_Destroy(&stepper);
    VidaSystem_Destroy(&system);
  }
}

/* A particle falls for sqrt(2 / g) s onto a floor, where it stays. */
static void drop_particle(VidaSystem** system, VidaError* error) {
  const double gravity[2] = {0.0, -9.81};
  const VidaParticle particle = {
      .name = "p", .mass = 2.0, .position = {VidaInitial_Given(0.3), VidaInitial_Given(1.0)}};
  VidaContact floor = {.name = "floor"};
  REQUIRE_OK(VidaSystem_Create("drop", 2, system, error), error);
  REQUIRE_OK(VidaSystem_AddGravity(*system, gravity, error), error);
  REQUIRE_OK(VidaSystem_AddParticle(*system, &particle, NULL, error), error);
  REQUIRE_OK(VidaSystem_Position(*system, 1, &floor.gap, error), error);
  REQUIRE_OK(VidaSystem_AddContact(*system, &floor, NULL, error), error);
  REQUIRE_OK(VidaSystem_Complete(*system, error), error);
}

/* Makes steps of a motion from its start; returns how many of them, and of the start, allocate. */
static int count_from_start(VidaStepper* stepper, const double* q, const double* v) {
  VidaError error = {0};
  int allocating = 0;
  for (int i = 0; i <= 20; i++) {
    const long before = allocations;
    const int code =
        i == 0 ? VidaStepper_Start(stepper, 0.0, q, v, &error) : VidaStepper_Step(stepper, &error);
    allocating += allocations != before;
    REQUIRE_OK(code, &error);
  }
  EXPECT_NEAR(VidaStepper_Positions(stepper)[1], 0.0, 1e-12, "the particle lies on the floor");
  return allocating;
}

/* Only the first step with a combination of closed contacts allocates. */
static void test_contact_steps(void) {
  static const char* const methods[] = {"rattle", "del-midpoint", "energy-momentum", "radau"};
  static const char* const settings[] = {NULL};
  for (int k = 0; k < 4; k++) {
    double q[2], v[2];
    VidaError error = {0};
    VidaSystem* system = NULL;
    VidaStepper* stepper = NULL;
    drop_particle(&system, &error);
    VidaOptions* options = motion_method(methods[k], 0.05, settings);
    REQUIRE_OK(VidaSystem_Start(system, 0.0, NULL, q, v, NULL, &error), &error);
    REQUIRE_OK(VidaStepper_Create(system, options, &stepper, &error), &error);
    const int first = count_from_start(stepper, q, v), second = count_from_start(stepper, q, v);
    EXPECT(first == (counts() ? 1 : 0), "%d steps of %s allocate", first, methods[k]);
    EXPECT(second == 0, "%d steps of %s allocate again", second, methods[k]);
    VidaOptions_Destroy(&options);
    VidaStepper_Destroy(&stepper);
    VidaSystem_Destroy(&system);
  }
}

/* The counter counts, otherwise the tests here would prove nothing. */
static void test_counter(void) {
  void* volatile block[3];
  const long before = allocations;
  const long released = releases;
  block[0] = malloc(10);
  block[1] = calloc(3, 10);
  block[2] = realloc(block[0], 1000);
  free(block[1]);
  free(block[2]);
  EXPECT(!counts() || allocations - before >= 3, "%ld allocations", allocations - before);
  EXPECT(!counts() || releases - released == allocations - before, "%ld releases",
         releases - released);
}

/* ---- life and death ------------------------------------------------------------------------- */

static int draw(VidaSystem* system, VidaError* error) {
  VidaDrawnPoint points[2] = {{.frame = VIDA_DRAWN_CENTRE, .centre = 0},
                              {.frame = VIDA_DRAWN_FORMULA, .components = 2}};
  int code = VidaSystem_Position(system, 0, &points[1].formula[0], error);
  code = code ? code
              : VidaSystem_Apply(system, "sin", 1, &points[1].formula[0], &points[1].formula[1],
                                 error);
  return code ? code : VidaSystem_AddLine(system, "line", "body", 2, points, error);
}

/* A whole life: system, options, stepper, two steps, a failing step, a comparison. What is returned
 * is the first failure. */
static int build(VidaSystem** system, VidaError* error) {
  static const double gravity[2] = {0.0, -9.81};
  static const char* const names[2] = {"upper", "lower"};
  int code = VidaSystem_Create("double pendulum", 2, system, error);
  code = code ? code : VidaSystem_AddGravity(*system, gravity, error);
  for (int i = 0; i < 2 && !code; i++) {
    const VidaParticle particle = {
        .name = names[i],
        .mass = 1.0 + i,
        .position = {VidaInitial_Given(0.6 * (i + 1)), VidaInitial_Free(-1.0)},
        .velocity = {VidaInitial_Given(0.1), VidaInitial_Free(0.0)}};
    const VidaDistance rod = {.name = names[i],
                              .from = i ? VidaPoint_Particle(0) : VidaPoint_Fixed(0.0, 0.0, 0.0),
                              .to = VidaPoint_Particle(i),
                              .length = 1.0};
    code = VidaSystem_AddParticle(*system, &particle, NULL, error);
    code = code ? code : VidaSystem_AddDistance(*system, &rod, error);
  }
  const VidaSpring spring = {.name = "band",
                             .from = VidaPoint_Particle(0),
                             .to = VidaPoint_Fixed(1.0, 1.0, 0.0),
                             .stiffness = 2.0,
                             .length = 0.5};
  code = code ? code : VidaSystem_AddSpring(*system, &spring, error);
  code = code ? code : draw(*system, error);
  return code ? code : VidaSystem_Complete(*system, error);
}

static int step_twice(const VidaSystem* system, const VidaOptions* options, VidaError* error) {
  VidaStepper* stepper = NULL;
  double q[4], v[4];
  char notes[VIDA_NOTES_SIZE];
  int code = VidaSystem_Start(system, 0.0, NULL, q, v, notes, error);
  code = code ? code : VidaStepper_Create(system, options, &stepper, error);
  code = code ? code : VidaStepper_Start(stepper, 0.0, q, v, error);
  code = code ? code : VidaStepper_Step(stepper, error);
  code = code ? code : VidaStepper_Step(stepper, error);
  VidaStepper_Destroy(&stepper);
  return code;
}

static int compare_with(const VidaSystem* system, const VidaOptions* method, VidaError* error) {
  VidaOptions* options = NULL;
  VidaStudy* study = NULL;
  VidaRecording* recording = NULL;
  int code = VidaStudy_CreateOptions(&options, error);
  code = code ? code : VidaOptions_SetReal(options, "time", 0.1, error);
  /* an estimate that cannot be made is left out, which is no failure */
  code = code ? code : VidaOptions_SetBoolean(options, "reference_estimate", false, error);
  code = code ? code : VidaStudy_Create(system, options, &study, error);
  code = code ? code : VidaStudy_SetReference(study, method, error);
  code = code ? code : VidaStudy_AddRun(study, method, error);
  code = code ? code : VidaRecording_Create(study, &recording, error);
  if (!code) {
    const VidaObserver observer = VidaRecording_Observer(recording);
    code = VidaStudy_Run(study, &observer, error);
  }
  if (!code && strcmp(VidaStudy_Row(study, 0)->status, "ok") != 0) {
    const VidaRow* row = VidaStudy_Row(study, 0); /* a run that failed keeps its row */
    code = VIDA_OUT_OF_MEMORY;
    error->code = code;
    snprintf(error->message, sizeof error->message, "%.100s: %.300s", row->status, row->message);
  }
  VidaRecording_Destroy(&recording);
  VidaStudy_Destroy(&study);
  VidaOptions_Destroy(&options);
  return code;
}

static bool has_option(const VidaOptions* options, const char* name) {
  for (int i = 0; i < VidaOptions_Count(options); i++) {
    if (strcmp(VidaOptions_Row(options, i)->name, name) == 0) {
      return true;
    }
  }
  return false;
}

static const char* live_integrator; /* of `live`; NULL: that of the method */

static int live(const char* method, const char* solver, VidaError* error) {
  VidaSystem* system = NULL;
  VidaOptions* options = NULL;
  VidaOptions* copy = NULL;
  int code = takes_bodies(method) ? build_body(&system, error) : build(&system, error);
  code = code ? code : VidaOptions_Create(method, &options, error);
  code = code ? code : VidaOptions_SetReal(options, "h", 0.01, error);
  if (!code && !isnan(VidaOptions_Get(options, "linear_solver"))) {
    code = VidaOptions_SetText(options, "linear_solver", solver, error);
  }
  if (!code && live_integrator) {
    code = VidaOptions_SetText(options, "integrator", live_integrator, error);
  }
  if (!code && has_option(options, "atol") && Vida_IsAdaptive(options) && !takes_bodies(method)) {
    code = VidaOptions_SetOf(options, "atol", VidaSystem_CoordinateName(system, 0), 1e-6, error);
  }
  code = code ? code : VidaOptions_Copy(options, &copy, error);
  code = code ? code : step_twice(system, copy, error);
  code = code ? code : compare_with(system, options, error);
  VidaOptions_Destroy(&copy);
  VidaOptions_Destroy(&options);
  VidaSystem_Destroy(&system);
  return code;
}

/* 200 lives leave nothing behind (fewer where each takes long). */
static void test_cycles(void) {
  const int lives = under_valgrind() ? 6 : CHECK_SANITIZED ? 10 : 200;
  for (int i = 0; i < Vida_MethodCount(); i++) {
    const char* method = Vida_MethodInfo(i)->name;
    VidaError error = {0};
    long kept = 0;
    int code = live(method, solvers[0], &error);
    if (code == VIDA_NOT_SUPPORTED) {
      continue;
    }
    for (int k = 0; k < lives && !code; k++) {
      if (k == 4) {
        kept = allocations - releases; /* libraries may keep something from the first time */
      }
      code = live(method, solvers[k % 2], &error);
    }
    REQUIRE_OK(code, &error);
    EXPECT(allocations - releases == kept, "%ld blocks were left by %s in %d lives",
           allocations - releases - kept, method, lives - 4);
  }
}

/* ---- no memory ------------------------------------------------------------------------------ */

#if CAN_FAIL
static void fail_each_allocation(const char* method, const char* solver) {
  enum { MOST = 5000 };
  const long apart = under_valgrind() ? 41 : CHECK_SANITIZED ? 5 : 1; /* where each takes long */
  VidaError error = {0};
  if (live(method, solver, &error) == VIDA_NOT_SUPPORTED) {
    return;
  }
  for (long n = 1; n <= MOST; n += apart) {
    const long kept = allocations - releases;
    calls_of_vida = 0;
    fail_at = n;
    memset(&error, 0, sizeof error);
    const int code = live(method, solver, &error);
    const bool happened = calls_of_vida >= n;
    const long left = allocations - releases - kept;
    fail_at = 0;
    if (!happened) {
      EXPECT(!code, "%s: %s", method, error.message);
      EXPECT(n > 20, "only %ld allocations were seen", n - 1);
      return;
    }
    EXPECT(code == VIDA_OUT_OF_MEMORY, "%s with %s, allocation %ld: %s: %s", method, solver, n,
           Vida_CodeName(code), error.message);
    EXPECT(strlen(error.message) > 0, "%s, allocation %ld: no message", method, n);
    EXPECT(left == 0, "%s with %s, allocation %ld: %ld blocks are left", method, solver, n, left);
  }
  EXPECT(false, "%s needs more than %d allocations", method, MOST);
}

static void test_no_memory(void) {
  for (int i = 0; i < Vida_MethodCount() && counts(); i++) {
    for (int k = 0; k < 2; k++) {
      fail_each_allocation(Vida_MethodInfo(i)->name, solvers[k]);
    }
  }
  live_integrator = "esdirk3"; /* of ARKStep */
  if (counts()) {
    fail_each_allocation("coordinate-projection", solvers[0]);
  }
  live_integrator = NULL;
}

static int add_quaternion(VidaSystem* system, VidaError* error) {
  const VidaRigidBody top = {
      .name = "top", .mass = 1.0, .inertia = {{1.0, 0, 0}, {0, 1.5, 0}, {0, 0, 2.0}}};
  return VidaSystem_AddRigidBody(system, &top, NULL, error);
}

static int add_directors(VidaSystem* system, VidaError* error) {
  const VidaRigidBody top = {.name = "top",
                             .mass = 1.0,
                             .inertia = {{1.0, 0, 0}, {0, 1.5, 0}, {0, 0, 2.0}},
                             .as = VIDA_ORIENTATION_DIRECTORS};
  return VidaSystem_AddRigidBody(system, &top, NULL, error);
}

static int add_rod(VidaSystem* system, VidaError* error) {
  const VidaRod rod = {.name = "top", .mass = 1.0, .length = 1.0, .direction = {1.0}};
  return VidaSystem_AddRod(system, &rod, NULL, error);
}

/* A link whose length is the time, a curve and a torque on the body that is there. */
static int add_driven(VidaSystem* system, VidaError* error) {
  const VidaEnd ends[2] = {VidaEnd_Ground(0, 0, 0), VidaEnd_Body(0, 1.0, 0, 0)};
  VidaExpression time = -1, point[3];
  int code = VidaSystem_Time(system, &time, error);
  code = code ? code : VidaSystem_AddVariableLink(system, "winch", ends, time, error);
  code = code ? code : VidaSystem_CurvePoint(system, point, error);
  const VidaCurve curve = {.name = "track",
                           .ends = {ends[0], ends[1]},
                           .count = 1,
                           .formulas = {code ? -1 : point[2]},
                           .unit = "m"};
  const VidaTorque torque = {
      .name = "torque", .ends = {ends[0], ends[1]}, .moment = {time, time, time}};
  code = code ? code : VidaSystem_AddCurve(system, &curve, error);
  return code ? code : VidaSystem_AddTorque(system, &torque, error);
}

typedef int add_function(VidaSystem* system, VidaError* error);

/* An addition for which there is no memory; a body leaves nothing of it in the system. */
static bool fail_addition(long n, add_function* add) {
  VidaError error = {0};
  VidaSystem* system = NULL;
  const long kept = allocations - releases;
  REQUIRE_OK(VidaSystem_Create("rig", 3, &system, &error), &error);
  if (add == add_driven) {
    REQUIRE_OK(add_quaternion(system, &error), &error);
  }
  const int coordinates = VidaSystem_CoordinateCount(system);
  calls_of_vida = 0;
  fail_at = n;
  const int code = add(system, &error);
  const bool happened = calls_of_vida >= n;
  fail_at = 0;
  /* Without a node that nothing needs in the end, the addition succeeds. */
  if (happened && code) {
    EXPECT(code == VIDA_OUT_OF_MEMORY, "allocation %ld: %s", n, error.message);
    EXPECT(VidaSystem_CoordinateCount(system) == coordinates, "allocation %ld: %d coordinates", n,
           VidaSystem_CoordinateCount(system));
  }
  if (happened && code && add != add_driven) {
    EXPECT(VidaSystem_ParticleCount(system) == 0 && VidaSystem_BodyCount(system) == 0 &&
               VidaSystem_ConstraintCount(system) == 0,
           "allocation %ld: parts are left", n);
    REQUIRE_OK(add(system, &error), &error);
  }
  VidaSystem_Destroy(&system);
  EXPECT(allocations - releases == kept, "allocation %ld: blocks are left", n);
  return happened;
}

/* Adds a contact with friction beside another one, without the memory of allocation n. Returns
 * whether there was such an allocation. */
static bool fail_contact(long n) {
  const VidaParticle particle = {
      .name = "p", .mass = 2.0, .position = {VidaInitial_Given(1.0), VidaInitial_Given(1.0)}};
  VidaError error = {0};
  VidaSystem* system = NULL;
  VidaContact wall = {.name = "wall"};
  VidaContact floor = {.name = "floor", .friction = 0.5, .slip_count = 1};
  const long kept = allocations - releases;
  REQUIRE_OK(VidaSystem_Create("corner", 2, &system, &error), &error);
  REQUIRE_OK(VidaSystem_AddParticle(system, &particle, NULL, &error), &error);
  REQUIRE_OK(VidaSystem_Position(system, 0, &wall.gap, &error), &error);
  REQUIRE_OK(VidaSystem_Position(system, 1, &floor.gap, &error), &error);
  REQUIRE_OK(VidaSystem_Rate(system, 0, &floor.slip[0], &error), &error);
  REQUIRE_OK(VidaSystem_AddContact(system, &wall, NULL, &error), &error);
  calls_of_vida = 0;
  fail_at = n;
  const int code = VidaSystem_AddContact(system, &floor, NULL, &error);
  const bool happened = calls_of_vida >= n;
  fail_at = 0;
  if (code) {
    EXPECT(code == VIDA_OUT_OF_MEMORY, "allocation %ld: %s", n, error.message);
    EXPECT(VidaSystem_ContactCount(system) == 1 && VidaSystem_ContactIndex(system, "floor") == -1,
           "allocation %ld: a contact is left", n);
    REQUIRE_OK(VidaSystem_AddContact(system, &floor, NULL, &error), &error);
  }
  REQUIRE_OK(VidaSystem_Complete(system, &error), &error);
  VidaSystem_Destroy(&system);
  EXPECT(allocations - releases == kept, "allocation %ld: blocks are left", n);
  return happened;
}

static void test_contacts_without_memory(void) {
  long n = 1;
  while (counts() && fail_contact(n)) {
    n++;
  }
  EXPECT(!counts() || n > 20, "only %ld allocations were seen", n - 1);
}

static void test_bodies_without_memory(void) {
  static add_function* const additions[] = {add_quaternion, add_directors, add_rod, add_driven};
  for (size_t i = 0; i < sizeof additions / sizeof additions[0] && counts(); i++) {
    long n = 1;
    while (fail_addition(n, additions[i])) {
      n++;
    }
    EXPECT(n > 100, "addition %d: only %ld allocations were seen", (int)i, n - 1);
  }
}
#endif

int main(void) {
  enum { WITHOUT_FAILURES = 6 };
  CheckTest tests[] = {
    {"the counter counts", test_counter},
    {"a step allocates nothing", test_steps},
    {"steps of its own choice allocate nothing", test_adaptive_steps},
    {"implicit tables allocate nothing in a step", test_implicit_steps},
    {"steps with contacts allocate where a combination of them is new", test_contact_steps},
    {"200 lives leave nothing", test_cycles},
#if CAN_FAIL
    {"every allocation may fail", test_no_memory},
    {"bodies without memory", test_bodies_without_memory},
    {"contacts without memory", test_contacts_without_memory},
#endif
    {NULL, NULL}
  };
  begin_counting();
  if (!counts()) { /* then no allocation can be made to fail */
    tests[WITHOUT_FAILURES] = (CheckTest){NULL, NULL};
  }
  return check_main("memory", tests);
}
