/* The speeds that constraints relate, with which violations of hidden constraints are compared.
 *
 * A row between points that does not see a common translation of them relates their velocities to
 * their mean one: the speed of the whole system in space says nothing about the violation. Other
 * rows are at rest in space, and relate velocities in space. */
#include "stepper/row_speeds.h"

#include <math.h>
#include <string.h>

#include "system/evaluate/sizes.h"

/* Relative to the sum of sizes; a smaller sum of gradients is zero. */
static const double vanishing_sum = 1e-9;

enum { MOST_POINTS = 8 };

/* Returns coordinate d of a point: of a particle, or of a moving point after the particles. */
static int find_coordinate(const VidaSystem* system, int point, int d) {
  return point < system->particle_count
             ? system->particles[point].coordinate + d
             : system->motions[point - system->particle_count].coordinate[d];
}

/* Numbers the points: point[i] is that of coordinate i, or -1. */
static void find_points(const VidaSystem* system, double* point) {
  for (int i = 0; i < system->coordinate_count; i++) {
    point[i] = -1.0;
  }
  for (int k = 0; k < system->particle_count + system->motion_count; k++) {
    const int motion = k - system->particle_count;
    if (motion >= 0 && system->motions[motion].kind != VIDA_MOTION_POINT) {
      continue;
    }
    for (int d = 0; d < system->dimension; d++) {
      point[find_coordinate(system, k, d)] = k;
    }
  }
}

/* The points of a row, and what it sees of translations. */
typedef struct row_points {
  int count;
  int point[MOST_POINTS];
  double sum[3], size[3];
} row_points;

static void add_entry(const VidaSystem* system, int point, int coordinate, double entry,
                      row_points* at) {
  int k = 0;
  while (k < at->count && at->point[k] != point) {
    k++;
  }
  if (k == at->count && k < MOST_POINTS) {
    at->point[at->count++] = point;
  }
  for (int d = 0; d < system->dimension; d++) {
    if (find_coordinate(system, point, d) == coordinate) {
      at->sum[d] += entry;
      at->size[d] += fabs(entry);
    }
  }
}

/* Returns the end of the entries of the row that begins at `first`. */
static int find_points_of_row(const VidaSystem* system, const double* entries, const double* point,
                              int first, row_points* at) {
  int e = first;
  memset(at, 0, sizeof *at);
  for (; e < system->entry_count && system->entries[e].row == system->entries[first].row; e++) {
    const int i = system->entries[e].coordinate;
    if (point[i] >= 0.0) {
      add_entry(system, (int)point[i], i, entries[e], at);
    }
  }
  return e;
}

static bool is_relative(const VidaSystem* system, const row_points* at) {
  bool is_blind = at->count > 1 && at->count < MOST_POINTS;
  for (int d = 0; d < system->dimension; d++) {
    is_blind = is_blind && fabs(at->sum[d]) <= vanishing_sum * at->size[d];
  }
  return is_blind;
}

/* Returns the largest component of the velocities of the points, relative to their mean. */
static double find_relative_speed(const VidaSystem* system, const row_points* at, const double* v) {
  double largest = 0.0;
  for (int d = 0; d < system->dimension; d++) {
    double mean = 0.0;
    for (int k = 0; k < at->count; k++) {
      mean += v[find_coordinate(system, at->point[k], d)] / at->count;
    }
    for (int k = 0; k < at->count; k++) {
      largest = fmax(largest, fabs(v[find_coordinate(system, at->point[k], d)] - mean));
    }
  }
  return largest;
}

/* The numbers of a measurement: the points of coordinates, and speeds in space (n each). */
typedef struct measured_speeds {
  const double *entries, *point, *v, *speed;
} measured_speeds;

static double* speed_of_unit(const VidaSystem* system, vida_unit_sizes* sizes, int coordinate) {
  bool is_new;
  return &sizes->largest[vida__unit_slot(sizes, system->coordinates[coordinate].unit, &is_new)];
}

/* Computes the largest speeds, by units, that the row from the entry `first` on relates. Returns
 * the end of its entries. */
static int find_speeds_of_row(const VidaSystem* system, const measured_speeds* of, int first,
                              vida_unit_sizes* row) {
  row_points at;
  const int end = find_points_of_row(system, of->entries, of->point, first, &at);
  const bool is_blind = is_relative(system, &at);
  const double relative = is_blind ? find_relative_speed(system, &at, of->v) : 0.0;
  *row = (vida_unit_sizes){0};
  for (int e = first; e < end; e++) {
    const int i = system->entries[e].coordinate;
    double* largest = speed_of_unit(system, row, i);
    *largest = fmax(*largest, is_blind && of->point[i] >= 0.0 ? relative : of->speed[i]);
  }
  return end;
}

/* Points at rest on the axis of a body that spins have speeds of rounding only, too. Those of
 * points do not count, because they are in space. Overwrites the speeds and points of coordinates.
 */
static void count_spins(VidaIntegration* self, const double* entries, double part, double* speeds) {
  double* spin = self->work.speed;
  for (int i = 0; i < self->model.n; i++) {
    spin[i] = self->work.place[i] < 0.0 ? spin[i] : 0.0;
  }
  vida__raise_sizes(self, entries, spin, part, speeds);
}

void vida__measure_row_speeds(VidaIntegration* self, const double* entries, const double* v,
                              double* speeds) {
  /* A row in which nothing moves has speeds of rounding only. */
  static const double least_part = 0.01;
  const VidaSystem* system = self->model.system;
  const measured_speeds of = {entries, self->work.place, v, self->work.speed};
  vida_unit_sizes row, fastest = {0};
  find_points(system, self->work.place);
  for (int i = 0; i < system->coordinate_count; i++) {
    self->work.speed[i] = fabs(v[i]);
  }
  vida__share_sizes(system, self->work.speed);
  memset(speeds, 0, (size_t)self->model.m * sizeof *speeds);
  for (int e = 0; e < system->entry_count;) {
    for (const int end = find_speeds_of_row(system, &of, e, &row); e < end; e++) {
      const int i = system->entries[e].coordinate;
      double* most = speed_of_unit(system, &fastest, i);
      *most = fmax(*most, *speed_of_unit(system, &row, i));
    }
  }
  for (int e = 0; e < system->entry_count;) {
    for (const int end = find_speeds_of_row(system, &of, e, &row); e < end; e++) {
      const int i = system->entries[e].coordinate;
      const double least = least_part * *speed_of_unit(system, &fastest, i);
      speeds[system->entries[e].row] +=
          fabs(entries[e]) * fmax(*speed_of_unit(system, &row, i), least);
    }
  }
  count_spins(self, entries, least_part, speeds);
}
