#include "system/symmetry_space.h"

#include <math.h>
#include <string.h>

#include "base/text.h"

enum { LARGEST = VIDA_LARGEST_MOMENTUM_COUNT };

/* Reduces a row by the others, and returns the index of its largest entry; -1 if it depends on
 * them. */
static int reduce(const vida_symmetry_space* space, double row[LARGEST]) {
  const int size = space->size;
  for (int r = 0; r < space->rank; r++) {
    const double factor = row[space->pivot[r]];
    for (int k = 0; k < size; k++) {
      row[k] -= factor * space->row[r][k];
    }
  }
  int pivot = 0;
  for (int k = 1; k < size; k++) {
    pivot = fabs(row[k]) > fabs(row[pivot]) ? k : pivot;
  }
  return space->rank < size && fabs(row[pivot]) > space->tolerance ? pivot : -1;
}

static void eliminate(vida_symmetry_space* space, const double* reduced, int pivot) {
  const int size = space->size;
  double* kept = space->row[space->rank];
  for (int k = 0; k < size; k++) {
    kept[k] = reduced[k] / reduced[pivot];
  }
  for (int r = 0; r < space->rank; r++) {
    const double factor = space->row[r][pivot];
    for (int k = 0; k < size; k++) {
      space->row[r][k] -= factor * kept[k];
    }
  }
  space->pivot[space->rank++] = pivot;
}

bool vida__symmetry_row(vida_symmetry_space* space, const double* value, const double* size,
                        bool adds) {
  double row[LARGEST] = {0.0};
  double largest = 0.0;
  for (int k = 0; k < space->size; k++) {
    const double unit = k < space->dimension ? 1.0 : space->length;
    row[k] = value[k] / unit;
    largest = fmax(largest, size[k] / unit);
  }
  if (!(largest > 0.0) || !isfinite(largest)) {
    return false;
  }
  for (int k = 0; k < space->size; k++) {
    row[k] /= largest;
  }
  const int pivot = reduce(space, row);
  if (pivot >= 0 && adds) {
    eliminate(space, row, pivot);
  }
  return pivot >= 0;
}

static void name_momentum(vida_momentum_map* map, int dimension) {
  static const char* axes[3] = {"x", "y", "z"};
  map->name[0] = '\0';
  for (int k = 0; k < LARGEST; k++) {
    const double weight = map->weight[k];
    char number[VIDA_REAL_TEXT_SIZE];
    if (weight == 0.0) {
      continue;
    }
    const char* axis = k < dimension ? axes[k] : axes[dimension == 3 ? k - dimension : 2];
    const char* sign = map->name[0] ? (weight < 0.0 ? " - " : " + ") : (weight < 0.0 ? "-" : "");
    vida__append(map->name, sizeof map->name, "%s", sign);
    if (fabs(weight) != 1.0) {
      vida__append(map->name, sizeof map->name, "%s ", vida__real_text(number, fabs(weight), 4));
    }
    vida__append(map->name, sizeof map->name, "%s_%s", k < dimension ? "L" : "J", axis);
  }
}

/* Returns whether some row has its pivot at a generator. */
static bool is_pivot(const vida_symmetry_space* rows, int generator) {
  for (int r = 0; r < rows->rank; r++) {
    if (rows->pivot[r] == generator) {
      return true;
    }
  }
  return false;
}

/* Changes weights for rotations about the center, J - c x L, to those for rotations about the
 * origin. */
static void turn_about_origin(int dimension, const double center[3], double* weight) {
  for (int k = 0; k < vida__count_rotations(dimension); k++) {
    int a, b;
    vida__find_plane(dimension, k, &a, &b);
    weight[b] -= center[a] * weight[dimension + k];
    weight[a] += center[b] * weight[dimension + k];
  }
}

/* Returns the generator with the largest weight if that of the given one nearly vanishes. */
static int choose_own(const vida_symmetry_space* rows, int dimension, double length,
                      const double* weight, int given) {
  static const double small = 1e-13; /* rounding */
  double scaled[LARGEST] = {0.0};
  int largest = 0;
  for (int k = 0; k < rows->size; k++) {
    scaled[k] = fabs(k < dimension ? weight[k] / length : weight[k]);
    largest = scaled[k] > scaled[largest] ? k : largest;
  }
  return scaled[given] < small * scaled[largest] ? largest : given;
}

/* Makes the weights of the maps' own generators a unit matrix again, as those about the center are.
 */
static void separate(const vida_symmetry_space* rows, int dimension, double length,
                     vida_momentum_map* maps, int* own, int count) {
  for (int m = 0; m < count; m++) {
    own[m] = choose_own(rows, dimension, length, maps[m].weight, own[m]);
    const double pivot = maps[m].weight[own[m]];
    for (int other = 0; other < count; other++) {
      const double factor = maps[other].weight[own[m]] / pivot;
      for (int k = 0; k < LARGEST && other != m; k++) {
        maps[other].weight[k] -= factor * maps[m].weight[k];
      }
    }
  }
}

/* Sets weights of translations to zero that are rounding of the distance from the origin. */
static void clear_rounding(const vida_symmetry_space* rows, int dimension,
                           const vida_extent* extent, int own, double* weight) {
  const double scaled = own < dimension ? weight[own] : weight[own] * extent->length;
  for (int k = 0; k < dimension; k++) {
    weight[k] = fabs(weight[k]) > rows->tolerance * fabs(scaled) ? weight[k] : 0.0;
  }
}

void vida__take_null_space(VidaSystem* system, const vida_symmetry_space* rows,
                           const vida_extent* extent) {
  const int d = system->dimension;
  int own[LARGEST];
  for (int free_one = 0; free_one < rows->size; free_one++) {
    double weight[LARGEST] = {0.0};
    if (is_pivot(rows, free_one)) {
      continue;
    }
    weight[free_one] = 1.0;
    for (int r = 0; r < rows->rank; r++) {
      weight[rows->pivot[r]] = -rows->row[r][free_one];
    }
    own[system->momentum_count] = free_one;
    vida_momentum_map* map = &system->momenta[system->momentum_count++];
    memset(map->weight, 0, sizeof map->weight);
    for (int k = 0; k < rows->size; k++) {
      const double in_units = k < d ? weight[k] * extent->length : weight[k];
      map->weight[k] = fabs(weight[k]) > rows->tolerance ? in_units : 0.0;
    }
    if (extent->away > 0.0) {
      turn_about_origin(d, extent->center, map->weight);
    }
  }
  if (extent->away > 0.0) {
    separate(rows, d, extent->length, system->momenta, own, system->momentum_count);
  }
  for (int m = 0; m < system->momentum_count; m++) {
    vida_momentum_map* map = &system->momenta[m];
    if (extent->away > 0.0) {
      clear_rounding(rows, d, extent, own[m], map->weight);
    }
    /* The weight of the generator itself is one, for any length scale. */
    const double scale = map->weight[own[m]];
    for (int k = 0; k < rows->size; k++) {
      map->weight[k] /= scale;
    }
    name_momentum(map, d);
  }
}
