/* Functions for adding terms to a system. */
#ifndef VIDA_SYSTEM_MODEL_BUILD_H
#define VIDA_SYSTEM_MODEL_BUILD_H

#include "system/model/model.h"

/* Refuses additions to a complete system, and names that are missing or contain control characters.
 */
int vida__check_addition(const VidaSystem* system, const char* kind, const char* name,
                         VidaError* error);
/* Refuses a name that exists in the set; `kind` is a plural noun for the message. */
int vida__check_new_name(const vida_string_table* names, const char* kind, const char* name,
                         VidaError* error);
/* Refuses names of constraint rows that exist. */
int vida__check_row_names(const VidaSystem* system, const char* name, int rows, VidaError* error);
/* Refuses control characters in a unit (nullable). */
int vida__check_unit(const char* kind, const char* name, const char* unit, VidaError* error);
/* Add a batch of one instance with its own functions. The system owns the reference to these, also
 * on failure. Fails with VIDA_OUT_OF_MEMORY if `functions` is NULL. */
int vida__add_term(VidaSystem* system, const vida_term_kernel* kernel, int width, const int* index,
                   vida_functions* functions, VidaError* error);
int vida__add_constraint(VidaSystem* system, const vida_constraint_kernel* kernel, int rows,
                         const char* unit, int width, const int* index, vida_functions* functions,
                         VidaError* error);
/* Releases a reference; NULL is allowed. */
void vida__release_functions(vida_functions* functions);

/* Returns the batch for another instance like those of `like`, a new batch if there is none; NULL
 * without memory. */
vida_term_batch* vida__find_term_batch(VidaSystem* system, const vida_term_batch* like);
vida_constraint_batch* vida__find_constraint_batch(VidaSystem* system,
                                                   const vida_constraint_batch* like);
/* Reserves memory for another instance; then writes its indices and parameters. */
int vida__append_term(vida_term_batch* batch, const int* index, const double* parameters);
/* Reserves memory for another instance and its rows, named "name", "name (row 2)", ...; then writes
 * its indices and parameters. */
int vida__append_constraint(VidaSystem* system, vida_constraint_batch* batch, const int* index,
                            const double* parameters, const char* name, const char* unit,
                            double length, VidaError* error);
/* Refuses what is not finite: "kind 'name': what: expected a finite number, got nan". */
int vida__check_finite_value(const char* kind, const char* name, const char* what, double value,
                             VidaError* error);
/* Computes the masses from coordinates and terms, at the present parameters. */
int vida__fill_masses(VidaSystem* system, VidaError* error);
/* Assigns work space and parameters to batches of tapes, when nothing can be added any more. */
void vida__place_tapes(VidaSystem* system);

#endif
