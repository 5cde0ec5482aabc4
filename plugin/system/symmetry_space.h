/* The linear system whose null space contains the symmetries, and the momentum maps of this space.
 * Its unknowns are the generators: translations, then rotations. */
#ifndef VIDA_SYSTEM_SYMMETRY_SPACE_H
#define VIDA_SYSTEM_SYMMETRY_SPACE_H

#include "system/evaluate/own_sizes.h"

typedef struct vida_symmetry_space {
  int size, dimension;
  int rank;
  double length;    /* of the system: the unit of the rows of translations */
  double tolerance; /* of a row that vanishes, relative to the size of its terms */
  double row[VIDA_LARGEST_MOMENTUM_COUNT]
            [VIDA_LARGEST_MOMENTUM_COUNT]; /* reduced: 1 at its own pivot, 0 at all other pivots */
  int pivot[VIDA_LARGEST_MOMENTUM_COUNT];
} vida_symmetry_space;

static inline int vida__count_rotations(int dimension) {
  return dimension == 3 ? 3 : dimension - 1;
}

/* Finds the plane (a, b) of rotation number k: about x, y, z in space, about z in the plane. */
static inline void vida__find_plane(int dimension, int k, int* a, int* b) {
  *a = dimension == 3 ? (k + 1) % 3 : 0;
  *b = dimension == 3 ? (k + 2) % 3 : 1;
}

/* Makes a row from the derivatives along all generators, scaled to one, and the sizes of their
 * terms. Returns whether it is independent of the others, and adds it then if `adds`. */
bool vida__symmetry_row(vida_symmetry_space* space, const double* value, const double* size,
                        bool adds);

/* Adds the null space to the momentum maps of the system: one for every generator that is not a
 * pivot. Rows are those of rotations about the center of `extent`. */
void vida__take_null_space(VidaSystem* system, const vida_symmetry_space* space,
                           const vida_extent* extent);

#endif
