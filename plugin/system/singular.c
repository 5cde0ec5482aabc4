#include "system/singular.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/nullspace.h"
#include "base/text.h"

/* Of a scaled matrix: what is no more than rounding, over some digits. */
static const double nothing = 1e-11;
/* Beside the largest part of a direction. */
static const double least_part = 0.05;
enum { MOST_NAMED = 4 };

/* "'bead.x', 'bead.y' and 2 more" of the unknowns first to last that have a part. */
static int append_parts(const VidaSystem* system, const double* part, int first, int last,
                        const char* before, char* text, size_t size) {
  int count = 0;
  double largest = 0.0;
  for (int i = first; i < last; i++) {
    largest = fmax(largest, fabs(part[i]));
  }
  for (int i = first; i < last; i++) {
    if (!(fabs(part[i]) > least_part) || !(fabs(part[i]) > least_part * largest)) {
      continue;
    }
    const int row = i - system->coordinate_count;
    if (count < MOST_NAMED) {
      vida__append(text, size, "%s'%s'", count ? ", " : before,
                   row < 0 ? system->coordinates[i].name : system->rows[row].name);
    }
    count++;
  }
  if (count > MOST_NAMED) {
    vida__append(text, size, " and %d more", count - MOST_NAMED);
  }
  return count;
}

void vida__append_singular(const VidaSystem* system, const double* values, char* text,
                           size_t size) {
  const int n = system->coordinate_count;
  const int all = n + system->row_count;
  double smallest = 0.0;
  double* direction = vida__allocate(2 * (size_t)all, sizeof *direction);
  if (direction && !vida__find_null_direction(&system->pattern, values, direction, direction + all,
                                              &smallest) &&
      smallest < nothing) {
    const int moving =
        append_parts(system, direction, 0, n, "; nothing determines the motion of ", text, size);
    if (moving > 0) {
      vida__append(text, size,
                   ": neither a mass that counts beside the others nor a constraint");
    } else {
      append_parts(system, direction, n, all, "; nothing tells apart the forces of constraints ",
                   text, size);
    }
  }
  free(direction);
}
