/* Memory of vida/sundials.h: functions that integrators call allocate nothing, and a creation
 * without memory fails with VIDA_OUT_OF_MEMORY. The program counts by standing in for malloc. */
#include <math.h>
#include <nvector/nvector_serial.h>
#include <stddef.h>
#include <vida/vida.h>

#include "support/check.h"
#include "support/program.h"

#if defined(__GLIBC__) && !CHECK_SANITIZED
#define CAN_COUNT 1

/* What malloc and its kin are in the C library of GNU. */
void* __libc_malloc(size_t size);
void* __libc_calloc(size_t count, size_t size);
void* __libc_realloc(void* block, size_t size);

static volatile long allocations;
/* Of the calls by VIDA itself, which is linked into this program, the one with this number fails;
 * 0: none does. SUNDIALS always gets its memory: not all of its versions check what they get. */
static volatile long fail_at;
static volatile long calls_of_vida;

extern const char __executable_start[];
extern const char etext[];

static int is_refused(const void* caller) {
  const char* address = caller;
  allocations++;
  if (address < __executable_start || address >= etext) {
    return 0;
  }
  calls_of_vida++;
  return calls_of_vida == fail_at;
}

void* malloc(size_t size) {
  return is_refused(__builtin_return_address(0)) ? NULL : __libc_malloc(size);
}

void* calloc(size_t count, size_t size) {
  return is_refused(__builtin_return_address(0)) ? NULL : __libc_calloc(count, size);
}

void* realloc(void* block, size_t size) {
  return is_refused(__builtin_return_address(0)) ? NULL : __libc_realloc(block, size);
}

#else
#define CAN_COUNT 0
static long allocations, fail_at, calls_of_vida;
#endif

/* One call of every function that integrators call, for each kind. */
static void call_all(VidaFormulation* formulation, VidaFormulationKind kind, N_Vector y,
                     N_Vector dy, N_Vector r, SUNMatrix matrix) {
  int code = 0;
  if (kind == VIDA_FORMULATION_ODE) {
    code = VidaFormulation_Rate(0.0, y, r, formulation);
    code = code ? code
                : VidaFormulation_RateJacobian(0.0, y, r, matrix, formulation, NULL, NULL, NULL);
    code = code ? code : VidaFormulation_Project(0.0, y, r, 0.1, dy, formulation);
    code = code ? code : VidaFormulation_ProjectStep(0.0, y, formulation);
  } else if (kind == VIDA_FORMULATION_POSITIONS) {
    code = VidaFormulation_PositionResidual(y, r, formulation);
    code = code ? code : VidaFormulation_PositionJacobian(y, r, matrix, formulation, NULL, NULL);
  } else {
    code = VidaFormulation_Residual(0.0, y, dy, r, formulation);
    code = code ? code
                : VidaFormulation_Jacobian(0.0, 100.0, y, dy, r, matrix, formulation, NULL, NULL,
                                           NULL);
  }
  REQUIRE_OK(code, VidaFormulation_LastError(formulation));
}

static void test_functions(void) {
  VidaError error = {0};
  SUNContext context = program_context();
  VidaSystem* system = program_slider_crank();
  for (int kind = VIDA_FORMULATION_INDEX_3; kind <= VIDA_FORMULATION_POSITIONS; kind++) {
    VidaFormulation* formulation = NULL;
    N_Vector y = NULL;
    SUNMatrix matrix = NULL;
    REQUIRE_OK(
        VidaFormulation_Create(system, (VidaFormulationKind)kind, context, &formulation, &error),
        &error);
    REQUIRE_OK(VidaFormulation_CreateVector(formulation, &y, &error), &error);
    REQUIRE_OK(VidaFormulation_CreateMatrix(formulation, SUNMATRIX_SPARSE, &matrix, &error),
               &error);
    N_Vector dy = N_VClone(y), r = N_VClone(y);
    REQUIRE_OK(VidaFormulation_Start(formulation, 0.0, NULL, NULL, y, dy, &error), &error);
    const long before = allocations;
    call_all(formulation, (VidaFormulationKind)kind, y, dy, r, matrix);
    EXPECT(allocations == before, "formulation %d: %ld allocations", kind, allocations - before);
    SUNMatDestroy(matrix);
    N_VDestroy(y);
    N_VDestroy(dy);
    N_VDestroy(r);
    VidaFormulation_Destroy(&formulation);
  }
  VidaSystem_Destroy(&system);
  SUNContext_Free(&context);
}

static void test_no_memory(void) {
  VidaError error = {0};
  SUNContext context = program_context();
  VidaSystem* system = program_slider_crank();
  for (int kind = VIDA_FORMULATION_INDEX_3; kind <= VIDA_FORMULATION_POSITIONS; kind++) {
    long failed = 1;
    for (bool has_failed = CAN_COUNT; has_failed && failed < 2000; failed++) {
      VidaFormulation* formulation = NULL;
      calls_of_vida = 0;
      fail_at = failed;
      const int code =
          VidaFormulation_Create(system, (VidaFormulationKind)kind, context, &formulation, &error);
      has_failed = calls_of_vida >= failed;
      fail_at = 0;
      EXPECT(code == (has_failed ? VIDA_OUT_OF_MEMORY : 0), "allocation %ld fails: code %d", failed,
             code);
      EXPECT(!has_failed || !formulation, "allocation %ld fails: a formulation", failed);
      VidaFormulation_Destroy(&formulation);
    }
    EXPECT(!CAN_COUNT || failed > 10, "formulation %d: %ld allocations", kind, failed);
  }
  VidaSystem_Destroy(&system);
  SUNContext_Free(&context);
}

static const CheckTest tests[] = {{"functions of integrators", test_functions},
                                  {"creation without memory", test_no_memory},
                                  {NULL, NULL}};

int main(void) {
  return check_main("memory of vida/sundials.h", tests);
}
