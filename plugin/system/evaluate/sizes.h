/* Sizes of values by their units, beside which rounding is judged. */
#ifndef VIDA_SYSTEM_EVALUATE_SIZES_H
#define VIDA_SYSTEM_EVALUATE_SIZES_H

#include "system/model/model.h"

/* The largest values by unit, so that each is computed once; of very many units, the latest ones.
 */
enum { VIDA_REMEMBERED_UNITS = 8 };
typedef struct vida_unit_sizes {
  int count;
  const char* unit[VIDA_REMEMBERED_UNITS];
  double largest[VIDA_REMEMBERED_UNITS];
} vida_unit_sizes;

/* The size of a unit, to be read or set; that of a new unit is 0. */
int vida__unit_slot(vida_unit_sizes* sizes, const char* unit, bool* is_new);

/* Adds to floor (rows) the size that rows of G would have if each entry were multiplied by the
 * largest coordinate of its unit in the row: if directions are parallel to axes of space, all
 * products of a row may vanish up to rounding. entries: of G; x (n): coordinates. */
void vida__add_row_sizes(const VidaSystem* system, const double* entries, const double* x,
                         double* floor);

/* The least sizes of coordinates, for those whose unit has no value of its own (an angle of 0
 * beside lengths), so that the rounding of a solver does not count as a size. In the mass norm,
 * sqrt(M_ii) |x_i|: a small fraction of the largest component of x (n), of an angle of 1 rad and,
 * if x are positions, of the lengths of rows; 0 if all of these are 0. entries: of G; mass (n): the
 * diagonal of M. */
double vida__least_size(const VidaSystem* system, const double* entries, const double* mass,
                        const double* x, bool is_position);

#endif
