/* Ordinary differential equations y' = f(t,y), integrated by SUNDIALS: ARKODE (explicit and
 * implicit Runge-Kutta tables, with fixed or adaptive steps) and CVODE (multistep methods, always
 * adaptive). butcher_tables.h lists them. Both implement the interface of integrator.h.
 *
 * A driver advances the state from node to node. The caller owns the state at a node. If it changes
 * the state, it must call vida__ode_restart before the next advance. Creation and restarts allocate
 * all memory. */
#ifndef VIDA_SOLVE_ODE_H
#define VIDA_SOLVE_ODE_H

#include <stdbool.h>
#include <vida/error.h>

#include "base/given_solver.h"
#include "base/state_record.h"
#include "solve/butcher_tables.h"

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

struct vida_integrator_class;

typedef struct vida_ode_settings {
  vida_integrator integrator;
  const struct vida_integrator_class* class; /* NULL: that of `integrator` */
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
/* Visits the state of a driver. */
void vida__ode_record(vida_ode* ode, VidaRecord* record);

#endif
