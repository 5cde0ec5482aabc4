/* The Butcher tables of the integrators (solve/ode.h), as ARKODE has them or made here. */
#ifndef VIDA_SOLVE_TABLES_H
#define VIDA_SOLVE_TABLES_H

/* Of all versions, also their tables: */
#include <arkode/arkode_arkstep.h>
#include <arkode/arkode_erkstep.h>

#include "solve/ode.h"

/* Of a one-step method, to be freed with ARKodeButcherTable_Free; NULL: out of memory. */
ARKodeButcherTable vida__butcher_table(vida_integrator integrator);

/* Whether the last of some stages is where the step ends. */
bool vida__has_final_stage(ARKodeButcherTable table);
/* ARKODE 7.1 begins the next step with the rate of a final stage, although `settle` has moved the
 * end since. Such a stage has no part in the result: it is moved by less than an error estimate can
 * notice, and is no longer taken for the end. */
void vida__separate_final_stage(ARKodeButcherTable table);

#endif
