/* What ERKStep and ARKStep have in common: ARKODE's one-step methods by Butcher tables. */
#ifndef VIDA_SOLVE_ARKODE_H
#define VIDA_SOLVE_ARKODE_H

#include <sundials/sundials_nonlinearsolver.h>

#include "solve/integrator.h"
#include "solve/tables.h"

/* One memory of ARKODE. */
typedef struct vida_arkode_memory {
  void* arkode;
  /* Of implicit methods; else NULL. */
  SUNMatrix matrix;
  SUNLinearSolver solver;
  SUNNonlinearSolver newton;
} vida_arkode_memory;

/* `memory` of a vida_ode whose class is one of ARKODE's. */
typedef struct vida_arkode {
  vida_arkode_memory steps;
  /* For nodes inside of steps: fixed steps. NULL where all nodes are ends of steps. */
  vida_arkode_memory between;
  vida_controller controller;
  double stop; /* of the last `begin` */
  /* Begins anew at t from ode->y: ERKStepReInit, ARKStepReInit. */
  int (*reinit)(void* arkode, double t, N_Vector y);
} vida_arkode;

/* Makes one memory with this table, whose messages go to ode->sink: 0 or a VidaCode. What it has
 * made by then is destroyed in either case. */
typedef int (*vida_arkode_maker)(vida_ode* ode, ARKodeButcherTable table,
                                 vida_arkode_memory* memory);

/* Parts of a class: its `create`, with what differs between the packages, and all other functions
 * but `count`. */
int vida__arkode_create(vida_ode* ode, vida_arkode_maker make,
                        int (*reinit)(void* arkode, double t, N_Vector y));
int vida__arkode_begin(vida_ode* ode, double t, double step, double stop);
int vida__arkode_step(vida_ode* ode, double towards);
bool vida__arkode_is_refused(int flag);
int vida__arkode_interpolate(vida_ode* ode, double t);
int vida__arkode_last_error(vida_ode* ode, double* step);
void vida__arkode_destroy(vida_ode* ode);
/* Counts rejected steps, of adaptive methods. */
void vida__arkode_count(vida_ode* ode);

#endif
