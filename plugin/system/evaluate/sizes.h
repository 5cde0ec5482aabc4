/* Sizes of values, by units, with which rounding is compared. */
#ifndef VIDA_SYSTEM_EVALUATE_SIZES_H
#define VIDA_SYSTEM_EVALUATE_SIZES_H

#include "system/model/model.h"

/* A cache of the largest values by unit. If there are more units than places, it holds the latest
 * ones. */
enum { VIDA_REMEMBERED_UNITS = 8 };
typedef struct vida_unit_sizes {
  int count;
  const char* unit[VIDA_REMEMBERED_UNITS];
  double largest[VIDA_REMEMBERED_UNITS];
} vida_unit_sizes;

/* Returns the index of a unit in the cache, and adds the unit with the size 0 if it is new. *is_new
 * receives whether it is. */
int vida__find_unit_slot(vida_unit_sizes* sizes, const char* unit, bool* is_new);
static inline int vida__unit_slot(vida_unit_sizes* sizes, const char* unit, bool* is_new) {
  /* nearly always; units of coordinates and rows are unique texts */
  for (int i = 0; i < sizes->count && i < 2; i++) {
    if (unit == sizes->unit[i]) {
      *is_new = false;
      return i;
    }
  }
  return vida__find_unit_slot(sizes, unit, is_new);
}

/* Adds to floor (m) the sizes of the rows of G x if each entry is multiplied by the largest
 * coordinate with its unit in the row, since all true products of a row may vanish up to rounding
 * if directions are parallel to axes of space. `entries` are those of G; x (n) are coordinates. */
void vida__add_row_sizes(const VidaSystem* system, const double* entries, const double* x,
                         double* floor);

/* Returns the size that a row of G x would have if each entry were multiplied by the largest
 * coordinate with its unit in the system, for an angle at least 1 rad. `entries` are those of G;
 * x (n) are positions. */
double vida__find_system_size(const VidaSystem* system, const double* entries, const double* x,
                              int row);

/* Terms of rows of positions that are a smaller part of the lengths of the system are no measure of
 * their row: violations are rounding from about a ten-millionth of a size on. */
#define VIDA_VANISHING_PART 1e-5

/* Raises sizes (m) of rows of G x to `part` of those that they would have if nothing in them
 * vanished: if each entry were multiplied by the value of its unit that moves, in the mass norm, as
 * much as the row's other coordinates (the rates of a body that spins about its centre, or its
 * radius of gyration, beside a centre at rest in the origin), or by a tenth of the largest value of
 * its unit in the system. `entries` are those of G; x (n) are sizes, root_mass (n) the square roots
 * of their masses, both equal for the components of a vector or quaternion. */
void vida__raise_row_sizes(const VidaSystem* system, const double* entries, const double* root_mass,
                           const double* x, double part, double* sizes);

/* Part of the largest component in the mass norm: about the square root of rounding. */
#define VIDA_LEAST_PART 1e-8

/* Returns the least size of a coordinate in the mass norm, sqrt(M_ii) |x_i|. It is for coordinates
 * whose unit has no other value (an angle of 0 beside lengths), so that the rounding of a solver
 * does not count as their size. It is VIDA_LEAST_PART of the largest component of x (n), of an
 * angle of 1 rad and, if x are positions, of the lengths of rows; 0 if all of these are 0.
 * `entries` are those of G; mass (n) is the diagonal of M. */
double vida__least_size(const VidaSystem* system, const double* entries, const double* mass,
                        const double* x, bool is_position);

#endif
