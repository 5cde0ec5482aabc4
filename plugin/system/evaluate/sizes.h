/* Sizes of values by their units, beside which rounding is judged. */
#ifndef VIDA_SYSTEM_EVALUATE_SIZES_H
#define VIDA_SYSTEM_EVALUATE_SIZES_H

#include "system/model/model.h"

/* The largest values of the units met so far, so that each is looked for once; of very many units
 * the last ones. */
enum { VIDA_REMEMBERED_UNITS = 8 };
typedef struct vida_unit_sizes {
  int count;
  const char* unit[VIDA_REMEMBERED_UNITS];
  double largest[VIDA_REMEMBERED_UNITS];
} vida_unit_sizes;

/* Where the size of a unit is; a new one is 0. */
int vida__unit_slot(vida_unit_sizes* sizes, const char* unit, bool* is_new);

/* Adds to floor (rows) what rows of G would be if each entry met the largest coordinate of its unit
 * in the row: where directions lie along axes of space, all products of a row may vanish but for
 * rounding. entries: of G; x (n): coordinates. */
void vida__add_row_sizes(const VidaSystem* system, const double* entries, const double* x,
                         double* floor);

/* What a solver's rounding makes of a value of 0 is no size: what coordinates are at least judged
 * by, for those whose unit has no value of its own (an angle of 0 beside lengths). In the mass
 * norm, sqrt(M_ii) |x_i|: a small part of the largest component of x (n), of an angle of 1 rad and
 * of the lengths of rows where x are positions; 0 where all of that is 0. entries: of G; mass (n):
 * the diagonal of M. */
double vida__least_size(const VidaSystem* system, const double* entries, const double* mass,
                        const double* x, bool is_position);

#endif
