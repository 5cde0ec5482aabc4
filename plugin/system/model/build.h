/* Tools for files that add to a system. */
#ifndef VIDA_SYSTEM_MODEL_BUILD_H
#define VIDA_SYSTEM_MODEL_BUILD_H

#include "system/model/model.h"

/* Refuses an addition to a complete system, and one without a name or with control characters in
 * it. */
int vida__check_addition(const VidaSystem* system, const char* kind, const char* name,
                         VidaError* error);
/* Refuses a name that is in the set; `kind` in the plural. */
int vida__check_new_name(const vida_string_table* names, const char* kind, const char* name,
                         VidaError* error);
/* The same for the names of the rows of a constraint. */
int vida__check_row_names(const VidaSystem* system, const char* name, int rows, VidaError* error);
/* Refuses control characters in a unit (nullable). */
int vida__check_unit(const char* kind, const char* name, const char* unit, VidaError* error);
/* Add a batch of one instance with functions of its own, of which the system then has the
 * reference; it is given up on failure. NULL functions (no memory for them) are such a failure. */
int vida__add_term(VidaSystem* system, const vida_term_kernel* kernel, int width, const int* index,
                   vida_functions* functions, VidaError* error);
int vida__add_constraint(VidaSystem* system, const vida_constraint_kernel* kernel, int rows,
                         const char* unit, int width, const int* index, vida_functions* functions,
                         VidaError* error);
/* Gives up a reference; NULL is allowed. */
void vida__release_functions(vida_functions* functions);

/* The batch for one more instance like those of `like`, a new one if there is none; NULL without
 * memory. */
vida_term_batch* vida__find_term_batch(VidaSystem* system, const vida_term_batch* like);
vida_constraint_batch* vida__find_constraint_batch(VidaSystem* system,
                                                   const vida_constraint_batch* like);
/* Room for one more instance, then its indices and parameters. */
int vida__append_term(vida_term_batch* batch, const int* index, const double* parameters);
/* The same, and its rows of names "name", "name (row 2)", ... */
int vida__append_constraint(VidaSystem* system, vida_constraint_batch* batch, const int* index,
                            const double* parameters, const char* name, const char* unit,
                            double length, VidaError* error);
/* Refuses what is not finite: "kind 'name': what: expected a finite number, got nan". */
int vida__check_finite_value(const char* kind, const char* name, const char* what, double value,
                             VidaError* error);
/* Masses from coordinates and terms, at the present parameters. */
int vida__fill_masses(VidaSystem* system, VidaError* error);
/* Where batches of tapes work and find their parameters, once nothing can be added any more. */
void vida__place_tapes(VidaSystem* system);

#endif
