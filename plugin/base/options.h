/* Sets of options from tables of rows. */
#ifndef VIDA_BASE_OPTIONS_H
#define VIDA_BASE_OPTIONS_H

#include <vida/options.h>

/* Creates a set of options from `count` tables (static, not copied), each of which ends with a row
 * with a NULL name. `owner` (static, not copied) is the name in messages: "del-midpoint",
 * "comparison". */
int vida__options_create(const char* owner, int count, const VidaOptionRow* const* tables,
                         VidaOptions** options, VidaError* error);

/* Returns whether the set has an option of this name. */
bool vida__has_option(const VidaOptions* options, const char* name);

/* Returns the coordinate of the value with this index among the values of single coordinates, which
 * are sorted by name; NULL after the last one. *option (nullable) receives the name of its
 * option. */
const char* vida__options_coordinate(const VidaOptions* options, int index, const char** option);

#endif
