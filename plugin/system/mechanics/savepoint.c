#include "system/mechanics/savepoint.h"

#include <stdlib.h>
#include <string.h>

#include "system/mechanics/pattern.h"
#include "system/model/build.h"
#include "system/model/drawing.h"

vida_savepoint vida__savepoint(const VidaSystem* system) {
  return (vida_savepoint){
      .coordinates = system->coordinate_count,
      .particles = system->particle_count,
      .motions = system->motion_count,
      .rows = system->row_count,
      .links = system->link_count,
      .instances = system->mechanics ? system->mechanics->instance_names.count : 0,
      .lines = system->drawing ? system->drawing->line_count : 0,
      .points = system->drawing ? system->drawing->point_count : 0,
      .only_potentials = system->only_potentials,
      .nonholonomic = system->nonholonomic,
      .time_dependent = system->time_dependent};
}

/* Returns the number of instances of a batch without the last ones that act on a coordinate from
 * `first` on. */
static int count_older(const int* index, int count, int width, int first) {
  for (; count > 0; count--) {
    bool is_new = false;
    for (int j = 0; j < width; j++) {
      is_new = is_new || index[(size_t)(count - 1) * (size_t)width + (size_t)j] >= first;
    }
    if (!is_new) {
      break;
    }
  }
  return count;
}

static void take_back_terms(VidaSystem* system, int first) {
  for (int b = system->term_batch_count - 1; b >= 0; b--) {
    vida_term_batch* batch = &system->term_batches[b];
    const int older = count_older(batch->index, batch->count, batch->width, first);
    const bool is_new = older == 0; /* or its first instance could not be added */
    batch->count = older;
    if (is_new) { /* new batches are the last ones */
      free(batch->index);
      free(batch->parameter);
      vida__release_functions(batch->functions);
      memset(batch, 0, sizeof *batch);
      system->term_batch_count--;
    }
  }
  system->last_term_batch = 0;
}

static void take_back_constraints(VidaSystem* system, int first) {
  for (int b = system->constraint_batch_count - 1; b >= 0; b--) {
    vida_constraint_batch* batch = &system->constraint_batches[b];
    const int older = count_older(batch->index, batch->count, batch->width, first);
    const bool is_new = older == 0; /* or its first instance could not be added */
    batch->count = older;
    if (is_new) {
      free(batch->index);
      free(batch->parameter);
      free(batch->row);
      vida__release_functions(batch->functions);
      memset(batch, 0, sizeof *batch);
      system->constraint_batch_count--;
    }
  }
  system->last_constraint_batch = 0;
}

static void take_back_lines(vida_drawing* drawing, int lines, int points) {
  drawing->line_count = lines;
  drawing->point_count = points;
}

void vida__return_to(VidaSystem* system, const vida_savepoint* savepoint) {
  take_back_terms(system, savepoint->coordinates);
  take_back_constraints(system, savepoint->coordinates);
  vida__drop_strings(&system->row_names, savepoint->rows);
  vida__drop_strings(&system->particle_names, savepoint->particles);
  vida__drop_strings(&system->coordinate_names, savepoint->coordinates);
  system->row_count = savepoint->rows;
  system->particle_count = savepoint->particles;
  system->coordinate_count = savepoint->coordinates;
  if (system->drawing) {
    take_back_lines(system->drawing, savepoint->lines, savepoint->points);
  }
  system->motion_count = savepoint->motions;
  system->link_count = savepoint->links;
  system->only_potentials = savepoint->only_potentials;
  system->nonholonomic = savepoint->nonholonomic;
  system->time_dependent = savepoint->time_dependent;
  if (system->mechanics) {
    vida__drop_strings(&system->mechanics->instance_names, savepoint->instances);
  }
}
