/* ERKStep and ARKStep, the one-step methods of ARKODE with Butcher tables: their common functions.
 */
#ifndef VIDA_SOLVE_ARKODE_H
#define VIDA_SOLVE_ARKODE_H

/* These headers declare the Butcher tables in all versions of ARKODE. */
#include <arkode/arkode_arkstep.h>
#include <arkode/arkode_erkstep.h>
#include <sundials/sundials_nonlinearsolver.h>

#include "solve/butcher_tables.h"
#include "solve/integrator.h"

/* The memory of one ARKODE integrator. */
typedef struct vida_arkode_memory {
  void* arkode;
  /* For implicit methods; otherwise NULL. */
  SUNMatrix matrix;
  SUNLinearSolver solver;
  SUNNonlinearSolver newton;
} vida_arkode_memory;

/* The `memory` of a vida_ode that uses ARKODE. */
typedef struct vida_arkode {
  vida_arkode_memory steps;
  /* An integrator with fixed steps for nodes within steps. NULL if all nodes are ends of steps. */
  vida_arkode_memory between;
  vida_controller controller;
  double stop; /* argument of the last `begin` */
  /* Restarts at t from y: ERKStepReInit or ARKStepReInit. */
  int (*reinit)(void* arkode, double t, N_Vector y);
} vida_arkode;

/* Creates one memory with this table, whose messages go to ode->sink. Returns 0 or a VidaCode. The
 * caller destroys the memory in either case. */
typedef int (*vida_arkode_maker)(vida_ode* ode, ARKodeButcherTable table,
                                 vida_arkode_memory* memory);

/* The `create` of a class; make and reinit are the functions of the package. */
int vida__arkode_create(vida_ode* ode, vida_arkode_maker make,
                        int (*reinit)(void* arkode, double t, N_Vector y));
/* The `begin` of a class. */
int vida__arkode_begin(vida_ode* ode, double t, double step, double stop);
/* The `step` of a class. */
int vida__arkode_step(vida_ode* ode, double towards);
/* The `is_refused` of a class. */
bool vida__arkode_is_refused(int flag);
/* The `interpolate` of a class. */
int vida__arkode_interpolate(vida_ode* ode, double t);
/* The `last_error` of a class. */
int vida__arkode_last_error(vida_ode* ode, double* step);
/* The `record` of a class: steps that end at nodes begin there, too; others restart at the node
 * with the size of the next step, without the last errors. */
void vida__arkode_record(vida_ode* ode, VidaRecord* record);
/* The `destroy` of a class. */
void vida__arkode_destroy(vida_ode* ode);
/* Counts the rejected steps of adaptive methods; a part of the `count` of a class. */
void vida__arkode_count(vida_ode* ode);

#endif
