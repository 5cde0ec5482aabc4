/* Functions for adding terms to a system. */
#ifndef VIDA_SYSTEM_MODEL_BUILD_H
#define VIDA_SYSTEM_MODEL_BUILD_H

#include "system/model/model.h"

/* Refuses a name with control characters, and one that is not valid UTF-8: names go to terminals
 * and files unchanged, and JSON, HTML and SVG files must be valid UTF-8. */
int vida__check_letters(const char* kind, const char* name, VidaError* error);
/* Refuses additions to a complete system, and names that are missing or contain control characters.
 */
int vida__check_addition(const VidaSystem* system, const char* kind, const char* name,
                         VidaError* error);
/* Refuses a name that exists in the set; `kind` is a plural noun for the message. */
int vida__check_new_name(const vida_string_table* names, const char* kind, const char* name,
                         VidaError* error);
/* Refuses a constraint whose `rows` rows would have the names of existing rows. */
int vida__check_row_names(const VidaSystem* system, const char* name, int rows, VidaError* error);
/* Refuses control characters in a unit (nullable). */
int vida__check_unit(const char* kind, const char* name, const char* unit, VidaError* error);
/* Adds a batch of one instance of a term with its own functions. The system owns the reference to
 * these, also on failure. Fails with VIDA_OUT_OF_MEMORY if `functions` is NULL. */
int vida__add_term(VidaSystem* system, const vida_term_kernel* kernel, int width, const int* index,
                   vida_functions* functions, VidaError* error);
/* Adds a batch of one instance of a constraint with its own functions. The system owns the
 * reference to these, also on failure. Fails with VIDA_OUT_OF_MEMORY if `functions` is NULL. */
int vida__add_constraint(VidaSystem* system, const vida_constraint_kernel* kernel, int rows,
                         const char* unit, int width, const int* index, vida_functions* functions,
                         VidaError* error);
/* Adds a number for the multiplier of a row (-1: of none so far; multiplier_rows can be set later),
 * or finds the one that it has. */
int vida__add_multiplier(VidaSystem* system, int row, int* number, VidaError* error);
/* Releases a reference to functions; NULL is allowed. */
void vida__release_functions(vida_functions* functions);

/* Returns the system's copy of a unit, and adds it if it is new. Returns NULL without memory. */
const char* vida__intern_unit(VidaSystem* system, const char* unit);
/* Returns the batch for another term with the properties of `like`, and adds a batch if there is
 * none. Returns NULL without memory. */
vida_term_batch* vida__find_term_batch(VidaSystem* system, const vida_term_batch* like);
/* Returns the batch for another constraint with the properties of `like`, and adds a batch if there
 * is none. Returns NULL without memory. */
vida_constraint_batch* vida__find_constraint_batch(VidaSystem* system,
                                                   const vida_constraint_batch* like);
/* Adds an instance to a batch of terms, with its indices and parameters. */
int vida__append_term(vida_term_batch* batch, const int* index, const double* parameters);
/* Adds an instance to a batch of constraints, with its indices and parameters, and its rows, named
 * "name", "name (row 2)", ... */
int vida__append_constraint(VidaSystem* system, vida_constraint_batch* batch, const int* index,
                            const double* parameters, const char* name, const char* unit,
                            double length, VidaError* error);
/* Refuses a value that is not finite: "kind 'name': what: expected a finite number, got nan". */
int vida__check_finite_value(const char* kind, const char* name, const char* what, double value,
                             VidaError* error);
/* Refuses a number that is none of the enumerators 0 .. last of an enumeration. */
int vida__check_kind(const char* kind, const char* name, const char* what, int value, int last,
                     VidaError* error);
/* Computes the masses from coordinates and terms, at the current parameters. */
int vida__fill_masses(VidaSystem* system, VidaError* error);
/* Assigns work space and parameters to batches of tapes, after all terms have been added. */
void vida__place_tapes(VidaSystem* system);
/* Frees the events of a system (event.c). */
void vida__events_destroy(VidaSystem* system);

#endif
