/* Making an option set out of tables of rows. */
#ifndef VIDA_BASE_OPTIONS_H
#define VIDA_BASE_OPTIONS_H

#include <vida/options.h>

/* Tables end with a row whose name is NULL. `tables` is a list of `count` tables (kept, not copied:
 * they are static). `owner` names the method in messages ("del-midpoint", "comparison"); kept too.
 */
int vida__options_create(const char* owner, int count, const VidaOptionRow* const* tables,
                         VidaOptions** options, VidaError* error);

/* Whether the method has an option of this name. */
bool vida__has_option(const VidaOptions* options, const char* name);

/* The coordinates that have values of their own, by names in their order: the name of number
 * `index`, and of its option (nullable); NULL behind the last one. */
const char* vida__options_coordinate(const VidaOptions* options, int index, const char** option);

#endif
