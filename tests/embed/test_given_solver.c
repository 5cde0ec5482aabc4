/* Steppers in the SUNContext of a program, with the program's linear solver: the same motion as
 * with VIDA's own, every Newton step through the given solver, and failures that are reported. */
#include <math.h>
#include <nvector/nvector_serial.h>
#include <stdlib.h>
#include <string.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunlinsol/sunlinsol_klu.h>
#include <sunmatrix/sunmatrix_band.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunmatrix/sunmatrix_sparse.h>
#include <vida/vida.h>

#include "support/check.h"
#include "support/model.h"
#include "support/program.h"
#include "support/refused.h"

/* ---- a linear solver that counts and fails -----------------------------------------------------
 */

typedef enum Fault {
  NO_FAULT,
  RECOVERABLE_SETUP,
  FATAL_SETUP,
  RECOVERABLE_SOLVE,
  FATAL_SOLVE,
  NAN_SOLUTION
} Fault;

typedef struct Solvers {
  SUNContext context; /* that the solver is created in */
  SUNMatrix_ID kind;
  Fault fault;
  long created, freed, setups, solves;
} Solvers;

typedef struct Wrapped {
  SUNLinearSolver inner; /* of SUNDIALS: dense or KLU */
  Solvers* solvers;
} Wrapped;

static SUNLinearSolver_Type wrapped_type(SUNLinearSolver solver) {
  (void)solver;
  return SUNLINEARSOLVER_DIRECT;
}

static int wrapped_setup(SUNLinearSolver solver, SUNMatrix matrix) {
  Wrapped* own = solver->content;
  own->solvers->setups++;
  return own->solvers->fault == RECOVERABLE_SETUP ? 7
         : own->solvers->fault == FATAL_SETUP     ? -7
                                                  : SUNLinSolSetup(own->inner, matrix);
}

static int wrapped_solve(SUNLinearSolver solver, SUNMatrix matrix, N_Vector x, N_Vector b,
                         sunrealtype tolerance) {
  Wrapped* own = solver->content;
  own->solvers->solves++;
  if (own->solvers->fault == NAN_SOLUTION) {
    N_VConst(NAN, x);
    return 0;
  }
  return own->solvers->fault == RECOVERABLE_SOLVE ? 8
         : own->solvers->fault == FATAL_SOLVE     ? -8
                                              : SUNLinSolSolve(own->inner, matrix, x, b, tolerance);
}

#if SUNDIALS_VERSION_MAJOR >= 7
typedef SUNErrCode Code;
#else
typedef int Code;
#endif

static Code wrapped_free(SUNLinearSolver solver) {
  Wrapped* own = solver->content;
  own->solvers->freed++;
  SUNLinSolFree(own->inner);
  free(own);
  solver->content = NULL;
  SUNLinSolFreeEmpty(solver);
  return 0;
}

static int create_solver(void* data, const VidaNewtonPattern* pattern, N_Vector shape,
                         SUNMatrix* matrix, SUNLinearSolver* solver, VidaError* error) {
  Solvers* solvers = data;
  const int code = VidaNewtonPattern_CreateMatrix(pattern, solvers->kind, matrix, error);
  if (code) {
    return code;
  }
  Wrapped* own = malloc(sizeof *own);
  own->solvers = solvers;
  own->inner = solvers->kind == SUNMATRIX_DENSE ? SUNLinSol_Dense(shape, *matrix, solvers->context)
                                                : SUNLinSol_KLU(shape, *matrix, solvers->context);
  *solver = SUNLinSolNewEmpty(solvers->context);
  (*solver)->content = own;
  (*solver)->ops->gettype = wrapped_type;
  (*solver)->ops->setup = wrapped_setup;
  (*solver)->ops->solve = wrapped_solve;
  (*solver)->ops->free = wrapped_free;
  solvers->created++;
  return 0;
}

/* ---- steppers ----------------------------------------------------------------------------------
 */

static VidaOptions* options_of(const char* method, double h) {
  VidaError error = {0};
  VidaOptions* options = NULL;
  REQUIRE_OK(VidaOptions_Create(method, &options, &error), &error);
  REQUIRE_OK(VidaOptions_SetReal(options, "h", h, &error), &error);
  return options;
}

static VidaSundialsServices services_of(Solvers* solvers) {
  return (VidaSundialsServices){.size = sizeof(VidaSundialsServices),
                                .context = solvers->context,
                                .create_solver = create_solver,
                                .data = solvers};
}

static int start(VidaStepper* stepper, VidaError* error) {
  enum { MOST = MODEL_COORDINATES };
  double q[MOST], v[MOST];
  REQUIRE_OK(VidaSystem_Start(VidaStepper_System(stepper), 0.0, NULL, q, v, NULL, error), error);
  return VidaStepper_Start(stepper, 0.0, q, v, error);
}

/* Makes `steps` steps of both and returns the largest difference of positions. */
static double compare(VidaStepper* one, VidaStepper* other, int steps) {
  VidaError error = {0};
  double largest = 0.0;
  const int n = VidaSystem_CoordinateCount(VidaStepper_System(one));
  for (int k = 0; k < steps; k++) {
    REQUIRE_OK(VidaStepper_Step(one, &error), &error);
    REQUIRE_OK(VidaStepper_Step(other, &error), &error);
    for (int i = 0; i < n; i++) {
      largest =
          fmax(largest, fabs(VidaStepper_Positions(one)[i] - VidaStepper_Positions(other)[i]));
    }
  }
  return largest;
}

/* ---- every method ------------------------------------------------------------------------------
 */

/* Returns whether the method uses the given solver on this system. Positions are of size 1; the
 * equations of 20 steps amplify rounding less than a thousand times. */
static bool try_method(const VidaSystem* system, const char* method, SUNMatrix_ID kind) {
  VidaError error = {0};
  Solvers solvers = {.context = program_context(), .kind = kind};
  VidaOptions* options = options_of(method, 0.01);
  VidaStepper *given = NULL, *own = NULL;
  const VidaSundialsServices services = services_of(&solvers);
  const int code = VidaStepper_CreateInContext(system, options, &services, &given, &error);
  if (code) {
    EXPECT(code == VIDA_NOT_SUPPORTED, "%s: code %d, %s", method, code, error.message);
    EXPECT(!given, "%s: a stepper in spite of code %d", method, code);
  } else {
    REQUIRE_OK(VidaStepper_Create(system, options, &own, &error), &error);
    REQUIRE_OK(start(given, &error), &error);
    REQUIRE_OK(start(own, &error), &error);
    const long before = solvers.solves;
    const double difference = compare(given, own, 20);
    const long iterations = VidaStepper_Statistics(given).newton_iterations;
    EXPECT_BELOW(difference, 1e-12, "%s: the positions differ", method);
    /* radau has an iteration of its own, and that of other methods only where it fails. */
    const bool is_always = strcmp(method, "radau") != 0;
    EXPECT(!is_always || (solvers.solves - before == iterations && iterations >= 10),
           "%s: %ld solves in %ld iterations", method, solvers.solves - before, iterations);
  }
  VidaStepper_Destroy(&own);
  VidaStepper_Destroy(&given);
  VidaOptions_Destroy(&options);
  EXPECT(solvers.created == solvers.freed, "%s: %ld solvers created, %ld freed", method,
         solvers.created, solvers.freed);
  SUNContext_Free(&solvers.context);
  return code == 0;
}

static void test_methods(void) {
  const Model chain = model_chain(3, 0.4), springs = model_springs();
  VidaSystem* systems[] = {model_system(&chain), model_system(&springs)};
  int used = 0;
  bool is_used_by_rattle = false, is_used_by_gauss = false;
  for (int k = 0; k < Vida_MethodCount(); k++) {
    const char* name = Vida_MethodInfo(k)->name;
    for (int s = 0; s < 2; s++) {
      const bool is_used = try_method(systems[s], name, k % 2 ? SUNMATRIX_DENSE : SUNMATRIX_SPARSE);
      used += is_used;
      is_used_by_rattle = is_used_by_rattle || (is_used && !strcmp(name, "rattle"));
      is_used_by_gauss = is_used_by_gauss || (is_used && !strcmp(name, "galerkin-gauss"));
    }
  }
  EXPECT(used >= 20 && is_used_by_rattle && is_used_by_gauss, "used in %d cases", used);
  for (int kind = 0; kind < 2; kind++) {
    EXPECT(try_method(systems[0], "energy-momentum", kind ? SUNMATRIX_SPARSE : SUNMATRIX_DENSE),
           "energy-momentum does not use it");
  }
  VidaSystem_Destroy(&systems[0]);
  VidaSystem_Destroy(&systems[1]);
}

/* A context alone changes no bit. */
static void test_context_alone(void) {
  const char* const methods[] = {"rattle",          "energy-momentum",        "ida-ggl",
                                 "baumgarte",       "post-stabilized",        "radau",
                                 "cvode-projected", "coordinate-partitioning"};
  VidaError error = {0};
  const Model model = model_chain(3, 0.4);
  VidaSystem* system = model_system(&model);
  SUNContext context = program_context();
  const VidaSundialsServices services = {.size = sizeof services, .context = context};
  for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) {
    if (!Vida_FindMethod(methods[k])) {
      continue;
    }
    VidaOptions* options = options_of(methods[k], 0.01);
    VidaStepper *given = NULL, *own = NULL;
    REQUIRE_OK(VidaStepper_CreateInContext(system, options, &services, &given, &error), &error);
    REQUIRE_OK(VidaStepper_Create(system, options, &own, &error), &error);
    REQUIRE_OK(start(given, &error), &error);
    REQUIRE_OK(start(own, &error), &error);
    const double difference = compare(given, own, 20);
    EXPECT(difference == 0.0, "%s: positions differ by %g", methods[k], difference);
    VidaStepper_Destroy(&own);
    VidaStepper_Destroy(&given);
    VidaOptions_Destroy(&options);
  }
  SUNContext_Free(&context);
  VidaSystem_Destroy(&system);
}

/* ---- failures ----------------------------------------------------------------------------------
 */

static void test_faults(void) {
  static const struct {
    Fault fault;
    int code;
    const char* text;
  } cases[] = {
      {RECOVERABLE_SETUP, VIDA_CALLBACK_RECOVERABLE, "could not factor the Newton matrix: code 7"},
      {FATAL_SETUP, VIDA_SOLVER_FAILED, "could not factor the Newton matrix: code -7"},
      {RECOVERABLE_SOLVE, VIDA_CALLBACK_RECOVERABLE, "could not solve the Newton step: code 8"},
      {FATAL_SOLVE, VIDA_SOLVER_FAILED, "could not solve the Newton step: code -8"},
      {NAN_SOLUTION, VIDA_CALLBACK_RECOVERABLE, "with finite numbers"}};
  VidaError error = {0};
  const Model model = model_pendulum(2, 1.0, 1.0, 0.7, 0.0);
  VidaSystem* system = model_system(&model);
  Solvers solvers = {.context = program_context(), .kind = SUNMATRIX_DENSE};
  const VidaSundialsServices services = services_of(&solvers);
  VidaOptions* options = options_of("rattle", 0.1);
  VidaStepper *given = NULL, *own = NULL;
  REQUIRE_OK(VidaStepper_CreateInContext(system, options, &services, &given, &error), &error);
  REQUIRE_OK(VidaStepper_Create(system, options, &own, &error), &error);
  REQUIRE_OK(start(given, &error), &error);
  REQUIRE_OK(start(own, &error), &error);
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    solvers.fault = cases[k].fault;
    const double before = VidaStepper_Positions(given)[0];
    EXPECT_ERROR(VidaStepper_Step(given, &error), &error, cases[k].code, cases[k].text);
    EXPECT(strstr(error.message, "t = 0"), "the step is not named: %s", error.message);
    EXPECT(VidaStepper_Positions(given)[0] == before, "the state has changed");
  }
  solvers.fault = NO_FAULT; /* the state is that before the step, which now succeeds */
  EXPECT_BELOW(compare(given, own, 5), 1e-14, "positions after the failures");
  VidaStepper_Destroy(&given);
  VidaStepper_Destroy(&own);
  VidaOptions_Destroy(&options);
  SUNContext_Free(&solvers.context);
  VidaSystem_Destroy(&system);
}

#if SUNDIALS_VERSION_MAJOR >= 7
static void count_message(int line, const char* function, const char* file, const char* message,
                          SUNErrCode code, void* data, SUNContext context) {
  (void)line, (void)function, (void)file, (void)message, (void)code, (void)context;
  ++*(long*)data;
}
#endif

/* From version 7 on a context has handlers of errors, which VIDA leaves alone. */
static void test_handlers(void) {
  VidaError error = {0};
  const Model model = model_pendulum(2, 1.0, 1.0, 0.7, 0.0);
  VidaSystem* system = model_system(&model);
  Solvers solvers = {.context = program_context(), .kind = SUNMATRIX_DENSE};
  const VidaSundialsServices services = services_of(&solvers);
  VidaOptions* options = options_of("rattle", 0.1);
  VidaStepper* stepper = NULL;
  long messages = 0;
#if SUNDIALS_VERSION_MAJOR >= 7
  SUNContext_ClearErrHandlers(solvers.context);
  SUNContext_PushErrHandler(solvers.context, count_message, &messages);
#endif
  REQUIRE_OK(VidaStepper_CreateInContext(system, options, &services, &stepper, &error), &error);
  REQUIRE_OK(start(stepper, &error), &error);
  solvers.fault = FATAL_SETUP;
  EXPECT(VidaStepper_Step(stepper, &error) < 0, "a step without a factorization");
  EXPECT(messages > 0 || SUNDIALS_VERSION_MAJOR < 7, "the program's handler got no message");
  VidaStepper_Destroy(&stepper);
  N_Vector vector = N_VNew_Serial(3, solvers.context); /* the context survives the stepper */
  EXPECT(vector && N_VGetLength(vector) == 3, "no vector");
  N_VDestroy(vector);
  VidaOptions_Destroy(&options);
  SUNContext_Free(&solvers.context);
  VidaSystem_Destroy(&system);
}

/* ---- what cannot work --------------------------------------------------------------------------
 */

typedef enum Mistake {
  NO_MATRIX,
  NO_SOLVER,
  BAND_MATRIX,
  ROW_MATRIX,
  SMALL_MATRIX,
  NO_ROOM,
  OTHER_CONTEXT,
  WRONG_KIND,
  OWN_CODE,
  ITERATIVE
} Mistake;

typedef struct Faulty {
  SUNContext context, other;
  Mistake mistake;
} Faulty;

static SUNLinearSolver_Type iterative_type(SUNLinearSolver solver) {
  (void)solver;
  return SUNLINEARSOLVER_ITERATIVE;
}

static int create_faulty(void* data, const VidaNewtonPattern* pattern, N_Vector shape,
                         SUNMatrix* matrix, SUNLinearSolver* solver, VidaError* error) {
  const Faulty* faulty = data;
  const sunindextype size = VidaNewtonPattern_Size(pattern);
  const sunindextype entries = VidaNewtonPattern_EntryCount(pattern);
  EXPECT(size == 3 && entries >= 6 && entries <= 9, "%ld rows, %ld entries", (long)size,
         (long)entries);
  SUNContext context = faulty->mistake == OTHER_CONTEXT ? faulty->other : faulty->context;
  switch (faulty->mistake) {
    case NO_MATRIX:
      return 0;
    case OWN_CODE:
      return 5;
    case WRONG_KIND:
      return VidaNewtonPattern_CreateMatrix(pattern, SUNMATRIX_BAND, matrix, error);
    case BAND_MATRIX:
      *matrix = SUNBandMatrix(size, 2, 2, context);
      return 0;
    case ROW_MATRIX:
      *matrix = SUNSparseMatrix(size, size, entries, CSR_MAT, context);
      return 0;
    case NO_ROOM:
      *matrix = SUNSparseMatrix(size, size, entries - 1, CSC_MAT, context);
      return 0;
    case SMALL_MATRIX:
      *matrix = SUNDenseMatrix(size, size - 1, context);
      return 0;
    default:
      *matrix = SUNDenseMatrix(size, size, context);
      if (faulty->mistake == ITERATIVE) {
        *solver = SUNLinSol_Dense(shape, *matrix, context);
        (*solver)->ops->gettype = iterative_type;
      }
      return 0;
  }
}

static void test_mistakes(void) {
  static const struct {
    Mistake mistake;
    int code;
    const char* text;
  } cases[] = {{NO_MATRIX, VIDA_BAD_ARGUMENT, "no matrix"},
               {NO_SOLVER, VIDA_BAD_ARGUMENT, "no linear solver"},
               {BAND_MATRIX, VIDA_NOT_SUPPORTED, "dense or sparse"},
               {ROW_MATRIX, VIDA_NOT_SUPPORTED, "by columns"},
               {SMALL_MATRIX, VIDA_BAD_ARGUMENT, "3 x 2 instead of 3 x 3"},
               {NO_ROOM, VIDA_BAD_ARGUMENT, "room for"},
               {OTHER_CONTEXT, VIDA_BAD_ARGUMENT, "another SUNContext"},
               {WRONG_KIND, VIDA_NOT_SUPPORTED, "dense or sparse"},
               {OWN_CODE, VIDA_CALLBACK_FAILED, "code 5"},
               {ITERATIVE, VIDA_NOT_SUPPORTED, "SUNLINEARSOLVER_DIRECT"}};
  VidaError error = {0};
  const Model model = model_pendulum(2, 1.0, 1.0, 0.7, 0.0);
  VidaSystem* system = model_system(&model);
  Faulty faulty = {.context = program_context(), .other = program_context()};
  VidaSundialsServices services = {.size = sizeof services,
                                   .context = faulty.context,
                                   .create_solver = create_faulty,
                                   .data = &faulty};
  VidaOptions* options = options_of("rattle", 0.1);
  VidaOptions* without = options_of("ida-ggl", 0.1);
  VidaStepper* stepper = NULL;
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    faulty.mistake = cases[k].mistake;
    EXPECT_ERROR(VidaStepper_CreateInContext(system, options, &services, &stepper, &error), &error,
                 cases[k].code, cases[k].text);
    EXPECT(!stepper, "a stepper in spite of '%s'", error.message);
  }
  EXPECT_ERROR(VidaStepper_CreateInContext(system, without, &services, &stepper, &error), &error,
               VIDA_NOT_SUPPORTED, "ida-ggl cannot use a given linear solver");
  services.size = 8;
  EXPECT_ERROR(VidaStepper_CreateInContext(system, options, &services, &stepper, &error), &error,
               VIDA_BAD_ARGUMENT, "8 bytes");
  services = (VidaSundialsServices){.size = sizeof services};
  EXPECT_ERROR(VidaStepper_CreateInContext(system, options, &services, &stepper, &error), &error,
               VIDA_BAD_ARGUMENT, "context");
  VidaOptions_Destroy(&options);
  VidaOptions_Destroy(&without);
  SUNContext_Free(&faulty.context);
  SUNContext_Free(&faulty.other);
  VidaSystem_Destroy(&system);
}

static const CheckTest tests[] = {{"every method with the given solver", test_methods},
                                  {"a context alone", test_context_alone},
                                  {"failures of the solver", test_faults},
                                  {"handlers of errors", test_handlers},
                                  {"what cannot work", test_mistakes},
                                  {NULL, NULL}};

int main(void) {
  return check_main("steppers in the context of a program", tests);
}
