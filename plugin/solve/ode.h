/* Ordinary differential equations y' = f(t,y), integrated by SUNDIALS: ARKODE (explicit and
 * implicit Runge-Kutta tables, with fixed or adaptive steps) and CVODE (multistep methods, always
 * adaptive). Both implement the interface of integrator.h.
 *
 * A driver advances the state from node to node. The caller owns the state at a node. If it changes
 * the state, it must call vida__ode_restart before the next advance. Creation and restarts allocate
 * all memory. */
#ifndef VIDA_SOLVE_ODE_H
#define VIDA_SOLVE_ODE_H

#include <stdbool.h>
#include <vida/error.h>

#include "base/given_solver.h"

/* All integrators. X(NAME, name, class, order, embedded, table): `class` is the class without its
 * prefix (vida__erkstep, integrator.h); `embedded` is the order of the embedded formula, or 0;
 * `table` is the number of its table in ARKODE, VIDA_OWN_TABLE for tables in tables.c, and
 * VIDA_NO_TABLE for multistep methods. The first row is separate, so that VIDA_INTEGRATORS can join
 * the names with "|". */
#define VIDA_INTEGRATOR_LIST(X)                    \
  X(EULER, "euler", erkstep, 1, 0, VIDA_OWN_TABLE) \
  VIDA_OTHER_INTEGRATOR_LIST(X)
#define VIDA_OTHER_INTEGRATOR_LIST(X)                                                   \
  X(HEUN, "heun", erkstep, 2, 1, ARKODE_HEUN_EULER_2_1_2)                               \
  X(MIDPOINT, "midpoint", erkstep, 2, 0, VIDA_OWN_TABLE)                                \
  X(BOGACKI_SHAMPINE, "bogacki-shampine", erkstep, 3, 2, ARKODE_BOGACKI_SHAMPINE_4_2_3) \
  X(RK4, "rk4", erkstep, 4, 0, VIDA_OWN_TABLE)                                          \
  X(ZONNEVELD, "zonneveld", erkstep, 4, 3, ARKODE_ZONNEVELD_5_3_4)                      \
  X(CASH_KARP, "cash-karp", erkstep, 5, 4, ARKODE_CASH_KARP_6_4_5)                      \
  X(DORMAND_PRINCE, "dormand-prince", erkstep, 5, 4, ARKODE_DORMAND_PRINCE_7_4_5)       \
  X(VERNER, "verner", erkstep, 6, 5, ARKODE_VERNER_8_5_6)                               \
  X(FEHLBERG, "fehlberg", erkstep, 8, 7, ARKODE_FEHLBERG_13_7_8)                        \
  X(ADAMS, "adams", cvode, 12, 11, VIDA_NO_TABLE)                                       \
  X(BDF, "bdf", cvode, 5, 4, VIDA_NO_TABLE)                                             \
  X(SDIRK2, "sdirk2", arkstep, 2, 1, ARKODE_SDIRK_2_1_2)                                \
  X(ESDIRK3, "esdirk3", arkstep, 3, 2, ARKODE_ARK324L2SA_DIRK_4_2_3)                    \
  X(ESDIRK4, "esdirk4", arkstep, 4, 3, ARKODE_ARK436L2SA_DIRK_6_3_4)                    \
  X(ESDIRK5, "esdirk5", arkstep, 5, 4, ARKODE_ARK548L2SA_DIRK_8_4_5)

#define VIDA_INTEGRATOR_ENUMERATOR(name, text, class, order, embedded, table) \
  VIDA_INTEGRATOR_##name,
typedef enum vida_integrator {
  VIDA_INTEGRATOR_LIST(VIDA_INTEGRATOR_ENUMERATOR) VIDA_INTEGRATOR_COUNT
} vida_integrator;
#undef VIDA_INTEGRATOR_ENUMERATOR

/* The names of the integrators as choices of an option, in the order of the list. */
#define VIDA_INTEGRATOR_CHOICE(name, text, class, order, embedded, table) "|" text
#define VIDA_INTEGRATORS "euler" VIDA_OTHER_INTEGRATOR_LIST(VIDA_INTEGRATOR_CHOICE)

/* Returns the name of an integrator. */
const char* vida__integrator_name(vida_integrator integrator);
/* Returns the order of an integrator, for multistep methods the highest one. */
int vida__integrator_order(vida_integrator integrator);
/* Returns whether an integrator is a multistep method. */
bool vida__integrator_is_multistep(vida_integrator integrator);
/* Returns whether an integrator is a table of ARKStep, whose steps solve equations by Newton's
 * method. */
bool vida__integrator_is_implicit(vida_integrator integrator);
/* Returns whether an integrator can choose its own steps. */
bool vida__integrator_is_adaptive(vida_integrator integrator);

/* The functions of a differential equation. All return 0, > 0 (a smaller step may help) or < 0. */
typedef struct vida_ode_functions {
  /* Computes the right-hand side f(t,y). */
  int (*rate)(void* data, double t, const double* y, double* rate);
  /* Changes y after an accepted step of a Runge-Kutta method; the next step starts from the changed
   * y. NULL: no change. */
  int (*settle)(void* data, double t, double* y);
  /* Checks y after a step (is_end), or at a node within a step. Returns 0, or > 0 to reject y.
   * Adaptive Runge-Kutta methods then make a smaller step; other methods, and nodes within steps,
   * fail. NULL: every y is accepted. */
  int (*accept)(void* data, double t, const double* y, bool is_end);
  /* For BDF: computes the `correction` that moves y onto a manifold, with an error below epsilon in
   * the norm of the weights (`weights` NULL: as close as possible), and removes from `error`
   * (nullable) the part that leads off the manifold. NULL: no projection. */
  int (*project)(void* data, double t, const double* y, double* correction, double* error,
                 const double* weights, double epsilon);
  /* Called before steps and rates with the time of the newest state. Returns 0, or the negative
   * code with which the advance then fails. NULL: no interrupts. */
  int (*interrupted)(void* data, double reached);
} vida_ode_functions;

typedef struct vida_ode_settings {
  vida_integrator integrator;
  bool adaptive;
  /* For adaptive Runge-Kutta methods: steps end at nodes. Otherwise the state at nodes is
   * interpolated, without any effect on the steps. */
  bool ends_at_nodes;
  double rtol;
  double max_steps;              /* largest number of steps between two nodes */
  const vida_services* services; /* NULL: the context is VIDA's */
} vida_ode_settings;

typedef struct vida_ode_counts {
  long steps, rejected, rates, jacobians, newton_iterations;
} vida_ode_counts;

typedef struct vida_ode vida_ode;

/* Creates a driver for `size` equations. `data`, the argument of the functions, must outlive it.
 * The caller frees *ode with vida__ode_destroy. */
int vida__ode_create(int size, vida_ode_functions functions, void* data, vida_ode_settings settings,
                     vida_ode** ode, VidaError* error);
/* Frees a driver and sets *ode to NULL; NULL is allowed. */
void vida__ode_destroy(vida_ode** ode);

/* Returns the absolute tolerances (size, > 0), which the caller fills before the first advance.
 * With fixed steps they are the sizes of the components, which determine how accurately implicit
 * methods solve their equations. */
double* vida__ode_tolerances(vida_ode* ode);
/* Makes the next advance restart the integrator without the history of earlier steps. `step` is the
 * first step that adaptive methods try; 0: estimated from the equations, independently of the next
 * node. */
void vida__ode_restart(vida_ode* ode, double step);
/* Advances y (size) from t to `next`, in one step, or in as many as the tolerances require. On
 * failure y is undefined, the next advance restarts the integrator, `error` has the flag of the
 * solver and a message without the time, and *reached (nullable) receives the time that the
 * integrator reached. */
int vida__ode_advance(vida_ode* ode, double t, double next, double* y, double* reached,
                      VidaError* error);
/* Computes f at (t,y), or returns the stored value if that was the last evaluation. */
int vida__ode_rate(vida_ode* ode, double t, const double* y, double* rate);
/* For use in `settle`. Returns the point (size) at which the integrator evaluated the last rate
 * before the end of the step, and writes its time to *t. */
const double* vida__ode_last_stage(const vida_ode* ode, double* t);
/* Sets all counts to 0. */
void vida__ode_reset_counts(vida_ode* ode);
/* Returns the counts since the last reset. */
vida_ode_counts vida__ode_count(const vida_ode* ode);

#endif
