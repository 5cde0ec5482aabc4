/* Ordinary differential equations y' = f(t,y), by SUNDIALS' ARKODE (explicit and implicit
 * Runge-Kutta tables, at fixed steps or adaptive) and CVODE (multistep, always adaptive), each of
 * which is behind the interface of solve/integrator.h.
 *
 * A driver goes from node to node. What the caller has at a node is the state, so that it may be
 * changed there as long as the next Advance is told by a Restart. Everything is allocated by Create
 * and Restart. */
#ifndef VIDA_SOLVE_ODE_H
#define VIDA_SOLVE_ODE_H

#include <stdbool.h>
#include <vida/error.h>

/* X(NAME, name, class, order, order of the embedded formula or 0): `class` is the package that has
 * it, as in vida__erkstep (solve/integrator.h). The first row is apart so that the names can be
 * joined. */
#define VIDA_INTEGRATOR_LIST(X)    \
  X(EULER, "euler", erkstep, 1, 0) \
  VIDA_OTHER_INTEGRATOR_LIST(X)
#define VIDA_OTHER_INTEGRATOR_LIST(X)                    \
  X(HEUN, "heun", erkstep, 2, 1)                         \
  X(MIDPOINT, "midpoint", erkstep, 2, 0)                 \
  X(BOGACKI_SHAMPINE, "bogacki-shampine", erkstep, 3, 2) \
  X(RK4, "rk4", erkstep, 4, 0)                           \
  X(ZONNEVELD, "zonneveld", erkstep, 4, 3)               \
  X(CASH_KARP, "cash-karp", erkstep, 5, 4)               \
  X(DORMAND_PRINCE, "dormand-prince", erkstep, 5, 4)     \
  X(VERNER, "verner", erkstep, 6, 5)                     \
  X(FEHLBERG, "fehlberg", erkstep, 8, 7)                 \
  X(ADAMS, "adams", cvode, 12, 11)                       \
  X(BDF, "bdf", cvode, 5, 4)                             \
  X(SDIRK2, "sdirk2", arkstep, 2, 1)                     \
  X(ESDIRK3, "esdirk3", arkstep, 3, 2)                   \
  X(ESDIRK4, "esdirk4", arkstep, 4, 3)                   \
  X(ESDIRK5, "esdirk5", arkstep, 5, 4)

#define VIDA_INTEGRATOR_ENUMERATOR(name, text, class, order, embedded) VIDA_INTEGRATOR_##name,
typedef enum vida_integrator {
  VIDA_INTEGRATOR_LIST(VIDA_INTEGRATOR_ENUMERATOR) VIDA_INTEGRATOR_COUNT
} vida_integrator;
#undef VIDA_INTEGRATOR_ENUMERATOR

/* Their names as choices of an option, in the same order. */
#define VIDA_INTEGRATOR_CHOICE(name, text, class, order, embedded) "|" text
#define VIDA_INTEGRATORS "euler" VIDA_OTHER_INTEGRATOR_LIST(VIDA_INTEGRATOR_CHOICE)

const char* vida__integrator_name(vida_integrator integrator);
/* Of multistep methods the highest one. */
int vida__integrator_order(vida_integrator integrator);
bool vida__integrator_is_multistep(vida_integrator integrator);
/* Whether it is a table of ARKStep, whose steps solve equations by Newton's method. */
bool vida__integrator_is_implicit(vida_integrator integrator);
/* Whether it can choose its own steps. */
bool vida__integrator_is_adaptive(vida_integrator integrator);

/* All return 0, > 0 (a smaller step may do) or < 0. */
typedef struct vida_ode_functions {
  int (*rate)(void* data, double t, const double* y, double* rate);
  /* Changes y after an accepted step of a Runge-Kutta method, whose next one goes on from there.
   * NULL: nothing to do. */
  int (*settle)(void* data, double t, double* y);
  /* Looks at y after a step that the next one goes on from (is_end), or at a node between: 0, or
   * > 0 where it is not to be accepted. Adaptive Runge-Kutta methods then make a smaller step,
   * others fail, and so do nodes between. NULL: all are. */
  int (*accept)(void* data, double t, const double* y, bool is_end);
  /* For BDF: `correction` that brings y onto a manifold, to less than epsilon in the norm of the
   * weights (nullable: as near as it can), and takes out of `error` (nullable) what leads off it.
   * NULL: no projection. */
  int (*project)(void* data, double t, const double* y, double* correction, double* error,
                 const double* weights, double epsilon);
  /* Asked before steps and rates, with the time of the newest state: 0, or the negative code that
   * the advance then fails with. NULL: nobody is asked. */
  int (*interrupted)(void* data, double reached);
} vida_ode_functions;

typedef struct vida_ode_settings {
  vida_integrator integrator;
  bool adaptive;
  /* Of adaptive Runge-Kutta methods: nodes are ends of steps. Otherwise nodes are looked at without
   * any effect on the steps. */
  bool ends_at_nodes;
  double rtol;
  double max_steps; /* between two nodes */
} vida_ode_settings;

typedef struct vida_ode_counts {
  long steps, rejected, rates, jacobians, newton_iterations;
} vida_ode_counts;

typedef struct vida_ode vida_ode;

int vida__ode_create(int size, vida_ode_functions functions, void* data, vida_ode_settings settings,
                     vida_ode** ode, VidaError* error);
void vida__ode_destroy(vida_ode** ode);

/* The absolute tolerances (size, > 0), to be filled before the first Advance. At fixed steps they
 * are the sizes of the components, which tell implicit methods how well to solve their equations.
 */
double* vida__ode_tolerances(vida_ode* ode);
/* The next Advance begins anew, without what earlier steps have left; `step` is the first one to be
 * tried by adaptive methods, 0: estimated, from what happens there and not from where one looks. */
void vida__ode_restart(vida_ode* ode, double step);
/* From y (size) at t to y at `next`, in one step or in as many as the tolerances take. On failure
 * y is undefined, the next Advance begins anew, and the error has the solver's flag and a message
 * without the time; `reached` (nullable) is where it ended. */
int vida__ode_advance(vida_ode* ode, double t, double next, double* y, double* reached,
                      VidaError* error);
/* f at (t,y), remembered if it was the last one asked for. */
int vida__ode_rate(vida_ode* ode, double t, const double* y, double* rate);
/* In `settle`: where the integrator has last found the rate before the end of the step (size), and
 * when. */
const double* vida__ode_last_stage(const vida_ode* ode, double* t);
void vida__ode_reset_counts(vida_ode* ode);
vida_ode_counts vida__ode_count(const vida_ode* ode);

#endif
