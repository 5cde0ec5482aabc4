/* The list of methods, and their options. To add a method: its file, and one line here. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/options.h"
#include "base/text.h"
#include "stepper/frame.h"

#define VIDA_METHOD_LIST(X)    \
  X(del_midpoint)              \
  X(del_endpoint)              \
  X(del_trapezoidal)           \
  X(rattle)                    \
  X(rattle_variable)           \
  X(del_chart)                 \
  X(compose)                   \
  X(del_nonholonomic)          \
  X(del_nonholonomic_relaxed)  \
  X(del_regularized)           \
  X(spook)                     \
  X(spook_newton)              \
  X(energy_momentum)           \
  X(energy_momentum_projected) \
  X(average_vector_field)      \
  X(itoh_abe)                  \
  X(chorin)                    \
  X(galerkin_gauss)            \
  X(spark_lobatto)             \
  X(hht)                       \
  X(generalized_alpha)         \
  X(radau)                     \
  X(symplectic_euler)          \
  X(symplectic_implicit)       \
  X(implicit_midpoint)         \
  X(lie_trotter)               \
  X(verlet)                    \
  X(lgvi)                      \
  X(simo_wong)                 \
  X(ida_index3)                \
  X(ida_index2)                \
  X(ida_ggl)                   \
  X(ida_index1)                \
  X(ida_projected)             \
  X(baumgarte)                 \
  X(stabilized_ode)            \
  X(post_stabilized)           \
  X(coordinate_projection)     \
  X(coordinate_partitioning)   \
  X(cvode_projected)

#define DECLARE(name) extern const VidaMethod vida__##name;
VIDA_METHOD_LIST(DECLARE)
#undef DECLARE

#define LIST(name) &vida__##name,
static const VidaMethod* const built_in[] = {VIDA_METHOD_LIST(LIST)};
#undef LIST

enum { BUILT_IN = sizeof built_in / sizeof built_in[0], MOST_ADDED = 64 };

/* Those that programs have added, before they used anything. */
static const VidaMethod* added[MOST_ADDED];
static int added_count;

const VidaMethod* vida__method(int index) {
  if (index < 0 || index >= BUILT_IN + added_count) {
    return NULL;
  }
  return index < BUILT_IN ? built_in[index] : added[index - BUILT_IN];
}

const VidaOptionRow vida__common_options[] = {
    {"h", VIDA_OPTION_REAL, "s", NAN, 0.0, INFINITY, true, NULL, "Step size; required."},
    VIDA_MAP_ROWS,
    {NULL, VIDA_OPTION_REAL, NULL, 0.0, 0.0, 0.0, false, NULL, NULL}};

const VidaOptionRow vida__adaptive_options[] = {
    {"h", VIDA_OPTION_REAL, "s", NAN, 0.0, INFINITY, true, NULL,
     "Interval between output states; by default comparisons choose it. The method chooses its own "
     "steps."},
    {"rtol", VIDA_OPTION_REAL, "1", 1e-6, 1e-15, 1.0, false, NULL,
     "Relative tolerance of the local error."},
    VIDA_ATOL_ROW("rtol times their size"),
    VIDA_MAX_STEPS_ROW,
    VIDA_LINEAR_SOLVER_ROW,
    {NULL, VIDA_OPTION_REAL, NULL, 0.0, 0.0, 0.0, false, NULL, NULL}};

int Vida_MethodCount(void) {
  return BUILT_IN + added_count;
}

const VidaMethodInfo* Vida_MethodInfo(int index) {
  const VidaMethod* method = vida__method(index);
  return method ? &method->info : NULL;
}

const VidaMethod* vida__find_method(const char* name) {
  for (int i = 0; name && i < Vida_MethodCount(); i++) {
    if (strcmp(vida__method(i)->info.name, name) == 0) {
      return vida__method(i);
    }
  }
  return NULL;
}

int Vida_RegisterMethod(const VidaMethod* method, VidaError* error) {
  if (VIDA_REFUSE_NULL(error, method)) {
    return VIDA_BAD_ARGUMENT;
  }
  if (method->size != sizeof *method) {
    return vida__fail(error, VIDA_BAD_ARGUMENT,
                      "the record of a method has %zu bytes where this version of VIDA has %zu; "
                      "build it with the headers of this version",
                      method->size, sizeof *method);
  }
  if (!method->info.name || !*method->info.name) {
    return vida__fail(error, VIDA_BAD_ARGUMENT, "the record of a method has no name");
  }
  if (!method->info.title || !method->info.equation || !method->info.limits || !method->options ||
      !method->create || !method->start || !method->step || !method->velocities ||
      !method->energy) {
    return vida__fail(error, VIDA_BAD_ARGUMENT,
                      "method '%s' needs a title, an equation, limits, option rows, create, start, "
                      "step, velocities and energy",
                      method->info.name);
  }
  if (vida__find_method(method->info.name)) {
    return vida__fail(error, VIDA_BAD_ARGUMENT, "there is already a method '%s'",
                      method->info.name);
  }
  if (added_count == MOST_ADDED) {
    return vida__fail(error, VIDA_OUT_OF_MEMORY, "no more than %d methods can be added",
                      MOST_ADDED);
  }
  added[added_count++] = method;
  return VIDA_SUCCESS;
}

const VidaMethodInfo* Vida_FindMethod(const char* name) {
  const VidaMethod* method = vida__find_method(name);
  return method ? &method->info : NULL;
}

int Vida_MethodOrder(const VidaOptions* options) {
  const VidaMethod* method = vida__find_method(VidaOptions_Method(options));
  if (!method) {
    return 0;
  }
  return method->order ? method->order(options) : method->info.order;
}

bool Vida_IsAdaptive(const VidaOptions* options) {
  return isfinite(VidaOptions_Get(options, "rtol"));
}

static const char* method_name(const void* list, int index) {
  (void)list;
  return vida__method(index)->info.name;
}

int VidaOptions_Create(const char* method, VidaOptions** options, VidaError* error) {
  if (VIDA_REFUSE_NULL(error, options)) {
    return VIDA_BAD_ARGUMENT;
  }
  *options = NULL;
  if (VIDA_REFUSE_NULL(error, method)) {
    return VIDA_BAD_ARGUMENT;
  }
  const VidaMethod* found = vida__find_method(method);
  if (!found) {
    const int nearest = Vida_NearestName(method, Vida_MethodCount(), method_name, NULL);
    if (nearest >= 0) {
      return vida__fail(error, VIDA_UNKNOWN_NAME, "unknown method '%s'; did you mean '%s'?", method,
                        vida__method(nearest)->info.name);
    }
    return vida__fail(error, VIDA_UNKNOWN_NAME, "unknown method '%s'", method);
  }
  const VidaOptionRow* const tables[] = {found->common ? found->common : vida__common_options,
                                         found->options};
  return vida__options_create(found->info.name, 2, tables, options, error);
}
