/* The Butcher tables of the integrators (ode.h), from ARKODE or defined here. */
#ifndef VIDA_SOLVE_TABLES_H
#define VIDA_SOLVE_TABLES_H

/* These headers declare the tables in all versions of ARKODE. */
#include <arkode/arkode_arkstep.h>
#include <arkode/arkode_erkstep.h>

#include "solve/ode.h"

/* Returns the table of a one-step method; NULL without memory. The caller frees it with
 * ARKodeButcherTable_Free. */
ARKodeButcherTable vida__butcher_table(vida_integrator integrator);

/* Returns whether the last of several stages is at the end of the step. */
bool vida__has_final_stage(ARKodeButcherTable table);
/* Moves a final stage away from the end of the step. ARKODE 7.1 starts the next step with the rate
 * of the final stage, although `settle` has changed the state since. The result of a step does not
 * depend on this stage, and the shift is too small to affect the error estimate. */
void vida__separate_final_stage(ARKodeButcherTable table);

#endif
