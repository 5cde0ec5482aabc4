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
  const vida_array arrays[] = {{&distances->factor, m},
                               {&distances->place, m * dimension},
                               {&distances->probe, probed},
                               {&distances->entries, probed},
                               {&distances->slopes, probed}};
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

/* Computes the gradients of all instances of the batch, each with coordinates of its own: 0, but
 * `value` for local coordinate j (-1: none). */
static bool probe(vida_distances* distances, const vida_constraint_batch* batch,
                  vida_evaluator* evaluator, int j, double value, double* gradients) {
  const int count = batch->count * batch->width;
  vida_constraint_batch alone = *batch;
  alone.index = distances->index;
  for (int k = 0; k < count; k++) {
    distances->index[k] = k;
    distances->probe[k] = k % batch->width == j ? value : 0.0;
  }
  const vida_place at = vida__place(evaluator, 0.0, distances->probe, NULL);
  if (batch->kernel->jacobian(&alone, &at, gradients)) {
    evaluator->error = (VidaError){0};
    return false;
  }
  return true;
}

/* Finds the points of an instance from the second derivatives with respect to its first local
 * coordinate: c for itself, and -c for the same component of the other point, if there is one. */
static bool find_points(vida_distances* distances, const vida_constraint_batch* batch, int i) {
  const int dimension = distances->dimension, width = batch->width, row = batch->row[i];
  const int* index = batch->index + i * width;
  const double* slopes = distances->slopes + i * width;
  const double* constant = distances->entries + i * width;
  const double factor = slopes[0] - constant[0];
  const bool is_pair = width > dimension;
  if (!(factor != 0.0) || !is_consecutive(index, dimension) ||
      (is_pair && !is_consecutive(index + dimension, dimension))) {
    return false;
  }
  for (int k = 0; k < width && is_pair; k++) {
    if (constant[k] != 0.0) { /* one of the points has an offset */
      return false;
    }
  }
  distances->first[row] = is_pair ? index[dimension] : -1;
  distances->second[row] = index[0];
  distances->factor[row] = factor;
  for (int k = 0; k < dimension; k++) {
    distances->place[row * dimension + k] = is_pair ? 0.0 : -constant[k] / factor;
  }
  return isfinite(factor);
}

/* Returns whether the second derivatives with respect to local coordinate j are those of a
 * distance. */
static bool has_slopes(const vida_distances* distances, const vida_constraint_batch* batch, int i,
                       int j) {
  const int dimension = distances->dimension, width = batch->width;
  const double factor = distances->factor[batch->row[i]];
  for (int k = 0; k < width; k++) {
    const double slope = distances->slopes[i * width + k] - distances->entries[i * width + k];
    const double expected = k == j ? factor : k % dimension == j % dimension ? -factor : 0.0;
    if (!(fabs(slope - expected) <= 1e-15 * fabs(factor))) {
      return false;
    }
  }
  return true;
}

static bool measure_formulas(vida_distances* distances, const vida_constraint_batch* batch,
                             vida_evaluator* evaluator) {
  if (!probe(distances, batch, evaluator, -1, 0.0, distances->entries)) {
    return false;
  }
  for (int j = 0; j < batch->width; j++) {
    if (!probe(distances, batch, evaluator, j, 1.0, distances->slopes)) {
      return false;
    }
    for (int i = 0; i < batch->count; i++) {
      if ((j == 0 && !find_points(distances, batch, i)) || !has_slopes(distances, batch, i, j)) {
        return false;
      }
    }
  }
  return true;
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
