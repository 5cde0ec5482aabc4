/* Tools for files that add to a system. */
#ifndef VIDA_SYSTEM_BUILD_H
#define VIDA_SYSTEM_BUILD_H

#include "system/model.h"

/* Refuses an addition to a complete system, and one without a name. */
int vida__check_addition(const VidaSystem* system, const char* kind, const char* name,
                         VidaError* error);
/* Add a batch of one instance with functions of its own, which the system then owns; they are
 * destroyed on failure. NULL functions (no memory for them) are such a failure. Units are static.
 */
int vida__add_term(VidaSystem* system, const vida_term_kernel* kernel, int width, const int* index,
                   vida_functions* functions, VidaError* error);
int vida__add_constraint(VidaSystem* system, const vida_constraint_kernel* kernel, int rows,
                         const char* unit, int width, const int* index, vida_functions* functions,
                         VidaError* error);

#endif
