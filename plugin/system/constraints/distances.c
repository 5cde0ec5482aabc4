#include "system/constraints/distances.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* ---- form ------------------------------------------------------------------------------------ */

/* Returns whether `count` local coordinates are consecutive coordinates of the system. */
static bool is_consecutive(const int* index, int count) {
  for (int k = 1; k < count; k++) {
    if (index[k] != index[0] + k) {
      return false;
    }
  }
  return true;
}

/* A built-in distance has the coordinates of both points, or those of the only one. A formula lists
 * its coordinates in the order of their first use; which of them form a point is not known before
 * it is evaluated, but its width must be one or two dimensions. */
static bool has_form(const vida_constraint_batch* batch, int dimension) {
  return batch->kernel->is_quadratic && !batch->kernel->is_nonholonomic && batch->rows == 1 &&
         (batch->width == dimension || batch->width == 2 * dimension);
}

static int find_dimension(const VidaSystem* system) {
  int dimension = 0;
  for (int b = 0; b < system->constraint_batch_count; b++) {
    const vida_constraint_batch* batch = &system->constraint_batches[b];
    const int own = batch->kernel == &vida__distance ? batch->dimension : batch->width;
    dimension = dimension == 0 || own < dimension ? own : dimension;
  }
  /* All constraints may be formulas between two points, without one for a single point. */
  return dimension > system->dimension && dimension == 2 * system->dimension ? system->dimension
                                                                             : dimension;
}

static bool is_of_distances(const VidaSystem* system, int dimension) {
  if (system->row_count == 0 || system->time_dependent || dimension > VIDA_MOST_COMPONENTS) {
    return false;
  }
  for (int b = 0; b < system->constraint_batch_count; b++) {
    if (!has_form(&system->constraint_batches[b], dimension)) {
      return false;
    }
  }
  return true;
}

/* The largest number of local coordinates in a batch of formulas. */
static size_t count_probed(const VidaSystem* system) {
  size_t most = 0;
  for (int b = 0; b < system->constraint_batch_count; b++) {
    const vida_constraint_batch* batch = &system->constraint_batches[b];
    const size_t own = (size_t)batch->count * (size_t)batch->width;
    most = batch->kernel != &vida__distance && own > most ? own : most;
  }
  return most;
}

static int allocate(const VidaSystem* system, vida_distances* distances) {
  const size_t m = (size_t)system->row_count, dimension = (size_t)distances->dimension;
  const size_t probed = count_probed(system);
  const vida_array arrays[] = {{&distances->factor, m},      {&distances->place, m * dimension},
                               {&distances->probe, probed},  {&distances->entries, probed},
                               {&distances->slopes, probed}, {&distances->velocity, probed}};
  const size_t n = (size_t)system->coordinate_count;
  distances->first = vida__allocate(2 * m + n + probed, sizeof *distances->first);
  if (!distances->first || !vida__allocate_arrays(arrays, sizeof arrays / sizeof *arrays)) {
    return VIDA_OUT_OF_MEMORY;
  }
  distances->second = distances->first + m;
  distances->point = distances->second + m;
  distances->index = distances->point + n;
  return VIDA_SUCCESS;
}

/* ---- rods ------------------------------------------------------------------------------------ */

static bool measure_rods(vida_distances* distances, const vida_constraint_batch* batch) {
  const int dimension = distances->dimension;
  const bool is_pair = batch->width > dimension;
  for (int i = 0; i < batch->count; i++) {
    const int* index = batch->index + i * batch->width;
    const double* parameter = batch->parameter + i * VIDA_DISTANCE_PARAMETERS;
    const int row = batch->row[i];
    if (!is_consecutive(index, dimension) ||
        (is_pair && !is_consecutive(index + dimension, dimension))) {
      return false;
    }
    distances->first[row] = is_pair ? index[0] : -1;
    distances->second[row] = is_pair ? index[dimension] : index[0];
    distances->factor[row] = 1.0 / parameter[VIDA_DISTANCE_LENGTH];
    for (int k = 0; k < dimension; k++) {
      distances->place[row * dimension + k] = is_pair ? 0.0 : parameter[VIDA_DISTANCE_ANCHOR + k];
    }
  }
  return true;
}

/* ---- formulas -------------------------------------------------------------------------------- */

/* A batch whose instances have coordinates of their own, at distances->probe. */
static vida_constraint_batch separate(vida_distances* distances,
                                      const vida_constraint_batch* batch) {
  vida_constraint_batch alone = *batch;
  alone.index = distances->index;
  for (int k = 0; k < batch->count * batch->width; k++) {
    distances->index[k] = k;
  }
  return alone;
}

/* Computes the gradients of all instances at distances->probe into distances->entries. */
static bool find_gradients(vida_distances* distances, const vida_constraint_batch* batch,
                           vida_evaluator* evaluator) {
  const vida_constraint_batch alone = separate(distances, batch);
  const vida_place at = vida__place(evaluator, 0.0, distances->probe, NULL);
  const int code = batch->kernel->jacobian(&alone, &at, distances->entries);
  evaluator->error = code ? (VidaError){0} : evaluator->error;
  return !code;
}

/* Computes the second derivatives with respect to local coordinate j of all instances, which are
 * those of G v for a unit velocity v, into distances->slopes. They are constant. */
static bool find_slopes(vida_distances* distances, const vida_constraint_batch* batch,
                        vida_evaluator* evaluator, int j) {
  const vida_constraint_batch alone = separate(distances, batch);
  for (int k = 0; k < batch->count * batch->width; k++) {
    distances->probe[k] = 0.0;
    distances->velocity[k] = k % batch->width == j ? 1.0 : 0.0;
  }
  const vida_place at = vida__place(evaluator, 0.0, distances->probe, distances->velocity);
  const int code = batch->kernel->value_gradient(&alone, &at, distances->slopes);
  evaluator->error = code ? (VidaError){0} : evaluator->error;
  return !code;
}

/* Finds the points of an instance from the second derivatives with respect to its first local
 * coordinate: c for itself, and -c for the same component of the other point, if there is one. */
static bool find_points(vida_distances* distances, const vida_constraint_batch* batch, int i) {
  const int dimension = distances->dimension, width = batch->width, row = batch->row[i];
  const int* index = batch->index + i * width;
  const double factor = distances->slopes[i * width];
  const bool is_pair = width > dimension;
  if (!(factor != 0.0) || !isfinite(factor) || !is_consecutive(index, dimension) ||
      (is_pair && !is_consecutive(index + dimension, dimension))) {
    return false;
  }
  /* In the order of coordinates, as rods between successive points, whatever their sign in the
   * formula is. */
  const int other = is_pair ? index[dimension] : -1;
  distances->first[row] = other < index[0] ? other : index[0];
  distances->second[row] = other < index[0] ? index[0] : other;
  distances->factor[row] = factor;
  return true;
}

/* Returns whether the second derivatives with respect to local coordinate j are those of a
 * distance. */
static bool has_slopes(const vida_distances* distances, const vida_constraint_batch* batch, int i,
                       int j) {
  const int dimension = distances->dimension, width = batch->width;
  const double factor = distances->factor[batch->row[i]];
  for (int k = 0; k < width; k++) {
    const double expected = k == j ? factor : k % dimension == j % dimension ? -factor : 0.0;
    if (!(fabs(distances->slopes[i * width + k] - expected) <= 1e-15 * fabs(factor))) {
      return false;
    }
  }
  return true;
}

/* Moves the places of distances from them to where their gradients vanish: far from the origin, the
 * gradient near a place has less rounding than that at the origin. */
static bool correct_places(vida_distances* distances, const vida_constraint_batch* batch,
                           vida_evaluator* evaluator) {
  const int dimension = distances->dimension;
  for (int k = 0; k < batch->count * dimension; k++) {
    distances->probe[k] = distances->place[batch->row[k / dimension] * dimension + k % dimension];
  }
  if (!find_gradients(distances, batch, evaluator)) {
    return false;
  }
  for (int k = 0; k < batch->count * dimension; k++) {
    const int row = batch->row[k / dimension];
    distances->place[row * dimension + k % dimension] -=
        distances->entries[k] / distances->factor[row];
  }
  return true;
}

/* Finds the places of distances from places; returns whether distances of two points have none. */
static bool find_places(vida_distances* distances, const vida_constraint_batch* batch,
                        vida_evaluator* evaluator) {
  enum { CORRECTIONS = 3 };
  const int dimension = distances->dimension;
  bool is_found = true;
  for (int k = 0; k < batch->count * dimension; k++) {
    distances->place[batch->row[k / dimension] * dimension + k % dimension] = 0.0;
  }
  for (int pass = 0; pass < CORRECTIONS && batch->width == dimension && is_found; pass++) {
    is_found = correct_places(distances, batch, evaluator);
  }
  if (batch->width == dimension) {
    return is_found;
  }
  memset(distances->probe, 0, (size_t)(batch->count * batch->width) * sizeof *distances->probe);
  is_found = find_gradients(distances, batch, evaluator);
  for (int k = 0; k < batch->count * batch->width && is_found; k++) {
    is_found = distances->entries[k] == 0.0; /* otherwise one of the points has an offset */
  }
  return is_found;
}

static bool measure_formulas(vida_distances* distances, const vida_constraint_batch* batch,
                             vida_evaluator* evaluator) {
  for (int j = 0; j < batch->width; j++) {
    if (!find_slopes(distances, batch, evaluator, j)) {
      return false;
    }
    for (int i = 0; i < batch->count; i++) {
      if ((j == 0 && !find_points(distances, batch, i)) || !has_slopes(distances, batch, i, j)) {
        return false;
      }
    }
  }
  return find_places(distances, batch, evaluator);
}

/* ---- use ------------------------------------------------------------------------------------- */

/* Notes the coordinates of a point. Returns false if another point has one of them. */
static bool note_point(vida_distances* distances, int first) {
  for (int k = first; k < first + distances->dimension; k++) {
    if (distances->point[k] >= 0 && distances->point[k] != first) {
      return false;
    }
    distances->point[k] = first;
  }
  return true;
}

static bool has_separate_points(vida_distances* distances, int coordinate_count) {
  for (int i = 0; i < coordinate_count; i++) {
    distances->point[i] = -1;
  }
  for (int r = 0; r < distances->count; r++) {
    if (!note_point(distances, distances->second[r]) ||
        (distances->first[r] >= 0 && !note_point(distances, distances->first[r]))) {
      return false;
    }
  }
  return true;
}

bool vida__measure_distances(vida_distances* distances, vida_evaluator* evaluator) {
  const VidaSystem* system = evaluator->system;
  for (int b = 0; b < system->constraint_batch_count; b++) {
    const vida_constraint_batch* batch = &system->constraint_batches[b];
    if (!(batch->kernel == &vida__distance ? measure_rods(distances, batch)
                                           : measure_formulas(distances, batch, evaluator))) {
      return false;
    }
  }
  return has_separate_points(distances, system->coordinate_count);
}

int vida__find_distances(const VidaSystem* system, vida_distances* distances) {
  memset(distances, 0, sizeof *distances);
  const int dimension = find_dimension(system);
  if (!is_of_distances(system, dimension)) {
    return VIDA_SUCCESS;
  }
  distances->dimension = dimension;
  const int code = allocate(system, distances);
  distances->count = code ? 0 : system->row_count;
  return code;
}

void vida__free_distances(vida_distances* distances) {
  free(distances->first);
  free(distances->factor);
  memset(distances, 0, sizeof *distances);
}
