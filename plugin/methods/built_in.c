/* The methods of the library, in the order of `vida methods`. To add a method: its file, and one
 * line here. */
#include "stepper/registry.h"

#define VIDA_METHOD_LIST(X)    \
  X(del_midpoint)              \
  X(del_endpoint)              \
  X(del_trapezoidal)           \
  X(del_ggl)                   \
  X(rattle)                    \
  X(rattle_variable)           \
  X(del_chart)                 \
  X(compose)                   \
  X(symmetric_multistep)       \
  X(del_nonholonomic)          \
  X(gni)                       \
  X(del_nonholonomic_relaxed)  \
  X(del_regularized)           \
  X(spook)                     \
  X(spook_newton)              \
  X(moreau_jean)               \
  X(energy_momentum)           \
  X(energy_momentum_projected) \
  X(energy_momentum_ggl)       \
  X(energy_momentum_livens)    \
  X(energy_collocation)        \
  X(average_vector_field)      \
  X(itoh_abe)                  \
  X(chorin)                    \
  X(galerkin_gauss)            \
  X(spark_lobatto)             \
  X(spark_nonholonomic)        \
  X(hht)                       \
  X(generalized_alpha)         \
  X(radau)                     \
  X(symplectic_euler)          \
  X(symplectic_implicit)       \
  X(implicit_midpoint)         \
  X(lie_trotter)               \
  X(verlet)                    \
  X(lgvi)                      \
  X(rotation_splitting)        \
  X(simo_wong)                 \
  X(rattlie)                   \
  X(lie_alpha)                 \
  X(ida_index3)                \
  X(ida_index2)                \
  X(ida_ggl)                   \
  X(ida_index1)                \
  X(ida_projected)             \
  X(baumgarte)                 \
  X(stabilized_ode)            \
  X(post_stabilized)           \
  X(coordinate_projection)     \
  X(half_explicit)             \
  X(extrapolation)             \
  X(coordinate_partitioning)   \
  X(cvode_projected)

#define DECLARE(name) extern const VidaMethod vida__##name;
VIDA_METHOD_LIST(DECLARE)
#undef DECLARE

#define LIST(name) &vida__##name,
const VidaMethod* const vida__built_in_methods[] = {VIDA_METHOD_LIST(LIST)};
#undef LIST

const int vida__built_in_count = sizeof vida__built_in_methods / sizeof vida__built_in_methods[0];
