#include "system/evaluate/own_sizes.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* The origin is far if it is that many lengths away. */
static const double far = 1e3;
/* A length of a system, relative to the distance from the origin; less may be rounding. */
static const double least_length = 1e-10;
/* Of positions, with some room for the sums that they enter. */
static const double rounding = 100.0 * DBL_EPSILON;

static int count_points(const VidaSystem* system) {
  return system->particle_count + system->motion_count;
}

/* Returns the indices of the coordinates of a point; NULL for other motions. `own` (3) is work
 * space. */
static const int* find_point(const VidaSystem* system, int i, int* own) {
  if (i >= system->particle_count) {
    const vida_motion* motion = &system->motions[i - system->particle_count];
    return motion->kind == VIDA_MOTION_POINT ? motion->coordinate : NULL;
  }
  for (int k = 0; k < 3; k++) {
    own[k] = system->particles[i].coordinate + k;
  }
  return own;
}

/* Returns the largest side of the box of the points, and finds the middle of them and the largest
 * distance from the origin. */
static double find_box(const VidaSystem* system, double center[3], double* reach) {
  double side = 0.0;
  *reach = 0.0;
  for (int axis = 0; axis < system->dimension; axis++) {
    double least = INFINITY, most = -INFINITY;
    int own[3];
    for (int i = 0; i < count_points(system); i++) {
      const int* point = find_point(system, i, own);
      const double x = point ? system->coordinates[point[axis]].position.value : (double)NAN;
      least = isfinite(x) ? fmin(least, x) : least;
      most = isfinite(x) ? fmax(most, x) : most;
    }
    if (most >= least) {
      side = fmax(side, most - least);
      center[axis] = 0.5 * least + 0.5 * most;
      *reach = fmax(*reach, fmax(fabs(least), fabs(most)));
    }
  }
  return side;
}

/* Returns the largest ratio of an entry of a direction or an angle to the largest entry of a point
 * in its row. size (n) is < 0 for points, 1 for directions and angles, 0 for others. */
static double find_lever(const VidaSystem* system, const double* entries, const double* size) {
  double lever = 0.0;
  for (int e = 0; e < system->entry_count && entries;) {
    const int row = system->entries[e].row;
    double by_point = 0.0, by_turn = 0.0;
    for (; e < system->entry_count && system->entries[e].row == row; e++) {
      const double kind = size[system->entries[e].coordinate];
      by_point = kind < 0.0 ? fmax(by_point, fabs(entries[e])) : by_point;
      by_turn = kind > 0.0 ? fmax(by_turn, fabs(entries[e])) : by_turn;
    }
    lever = by_point > 0.0 ? fmax(lever, by_turn / by_point) : lever;
  }
  return isfinite(lever) ? lever : 0.0;
}

static void find_extent(const VidaSystem* system, const double* entries, const double* size,
                        vida_extent* extent) {
  double reach, rods = 0.0;
  memset(extent, 0, sizeof *extent);
  const double side = find_box(system, extent->center, &reach);
  for (int r = 0; r < system->row_count; r++) {
    rods = fmax(rods, system->rows[r].length);
  }
  const double known = fmax(rods, find_lever(system, entries, size));
  const double own = fmax(side, known);
  if (reach > far * own && own > least_length * reach) {
    extent->length = own;
    extent->away = reach;
    extent->rounding = rounding * reach / own;
    return;
  }
  memset(extent->center, 0, sizeof extent->center);
  const double length = fmax(reach, known);
  extent->length = length > 0.0 ? length : 1.0;
}

/* Marks the coordinates of points with -1, those of directions and angles with 1, others with 0. */
static void mark_kinds(const VidaSystem* system, double* kind) {
  static const int width[] = {[VIDA_MOTION_QUATERNION] = 4, [VIDA_MOTION_ANGLE] = 1};
  const int d = system->dimension;
  memset(kind, 0, (size_t)system->coordinate_count * sizeof *kind);
  for (int p = 0; p < system->particle_count; p++) {
    for (int k = 0; k < d; k++) {
      kind[system->particles[p].coordinate + k] = -1.0;
    }
  }
  for (int i = 0; i < system->motion_count; i++) {
    const vida_motion* motion = &system->motions[i];
    const bool is_vector =
        motion->kind == VIDA_MOTION_POINT || motion->kind == VIDA_MOTION_DIRECTION;
    for (int k = 0; k < (is_vector ? d : width[motion->kind]); k++) {
      kind[motion->coordinate[k]] = motion->kind == VIDA_MOTION_POINT ? -1.0 : 1.0;
    }
  }
}

/* Gives coordinates of size 0 the displacement that changes a row as much as one of the others. */
static void follow_rows(const VidaSystem* system, const double* entries, double* work,
                        double* size) {
  memset(work, 0, (size_t)system->coordinate_count * sizeof *work);
  for (int first = 0, e = 0; first < system->entry_count && entries; first = e) {
    const int row = system->entries[first].row;
    double change = 0.0;
    for (e = first; e < system->entry_count && system->entries[e].row == row; e++) {
      change = fmax(change, fabs(entries[e]) * size[system->entries[e].coordinate]);
    }
    for (int k = first; k < e; k++) {
      const int i = system->entries[k].coordinate;
      double* own = &work[system->coordinates[i].alike];
      *own = size[i] == 0.0 && entries[k] != 0.0 ? fmax(*own, change / fabs(entries[k])) : *own;
    }
  }
  for (int i = 0; i < system->coordinate_count; i++) {
    const double own = work[system->coordinates[i].alike];
    size[i] = size[i] > 0.0 ? size[i] : own > 0.0 && isfinite(own) ? own : 1.0;
  }
}

void vida__find_own_sizes(const VidaSystem* system, const double* entries, double* work,
                          double* size, vida_extent* extent) {
  const int n = system->coordinate_count;
  const char* of_points = NULL;
  mark_kinds(system, size);
  find_extent(system, entries, size, extent);
  memset(work, 0, (size_t)n * sizeof *work);
  for (int i = 0; i < n; i++) {
    const vida_coordinate* coordinate = &system->coordinates[i];
    const double value = coordinate->position.value;
    double* largest = &work[coordinate->alike];
    of_points = size[i] < 0.0 ? coordinate->unit : of_points;
    *largest = size[i] == 0.0 && isfinite(value) ? fmax(*largest, fabs(value)) : *largest;
  }
  for (int i = 0; i < n; i++) {
    const vida_coordinate* coordinate = &system->coordinates[i];
    const double largest = work[coordinate->alike];
    if (size[i] == 0.0) {
      size[i] = strcmp(coordinate->unit, "rad") == 0              ? 1.0
                : largest == 0.0 && coordinate->unit == of_points ? extent->length
                                                                  : largest;
    }
    size[i] = size[i] < 0.0 ? extent->length : size[i];
  }
  follow_rows(system, entries, work, size);
}

void vida__find_start_sizes(vida_evaluator* evaluator, double* entries, double* work, double* size,
                            vida_extent* extent) {
  const VidaSystem* system = evaluator->system;
  double* start = work + system->coordinate_count;
  for (int i = 0; i < system->coordinate_count; i++) {
    const double value = system->coordinates[i].position.value;
    start[i] = isfinite(value) ? value : 0.0;
  }
  const bool has_entries =
      system->entry_count > 0 && !vida__jacobian(evaluator, 0.0, start, entries);
  vida__find_own_sizes(system, has_entries ? entries : NULL, work, size, extent);
}

void vida__measure_from_center(const VidaSystem* system, const vida_extent* extent, const double* q,
                               double* moved) {
  memcpy(moved, q, (size_t)system->coordinate_count * sizeof *q);
  for (int i = 0; i < count_points(system) && extent->away > 0.0; i++) {
    int own[3];
    const int* point = find_point(system, i, own);
    for (int axis = 0; axis < system->dimension && point; axis++) {
      moved[point[axis]] -= extent->center[axis];
    }
  }
}
