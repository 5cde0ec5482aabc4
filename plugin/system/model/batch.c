/* Batches of a system: search, and addition of instances. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "system/model/build.h"
#include "system/model/drawing.h"
#include "system/model/event.h"

enum { ROW_NUMBER_SIZE = 32 }; /* of " (row 2)" */

/* ---- finding --------------------------------------------------------------------------------- */

static bool is_like_term(const vida_term_batch* batch, const vida_term_batch* like) {
  return batch->kernel == like->kernel && batch->width == like->width &&
         batch->functions == like->functions && batch->parameters == like->parameters;
}

static bool is_like_constraint(const vida_constraint_batch* batch,
                               const vida_constraint_batch* like) {
  return batch->kernel == like->kernel && batch->width == like->width &&
         batch->functions == like->functions && batch->parameters == like->parameters;
}

/* Successive instances mostly belong to the same batch or to batches in turn, so the search begins
 * with the last batch and the one after it. */
vida_term_batch* vida__find_term_batch(VidaSystem* system, const vida_term_batch* like) {
  const int count = system->term_batch_count;
  for (int k = 0; k < count; k++) {
    const int b = (system->last_term_batch + k) % count;
    if (is_like_term(&system->term_batches[b], like)) {
      system->last_term_batch = b;
      return &system->term_batches[b];
    }
  }
  if (vida__reserve((void**)&system->term_batches, &system->term_batch_capacity, (size_t)count + 1,
                    sizeof *system->term_batches)) {
    return NULL;
  }
  vida_term_batch* batch = &system->term_batches[system->term_batch_count++];
  *batch = *like;
  if (batch->functions) {
    batch->functions->references++;
  }
  return batch;
}

vida_constraint_batch* vida__find_constraint_batch(VidaSystem* system,
                                                   const vida_constraint_batch* like) {
  const int count = system->constraint_batch_count;
  for (int k = 0; k < count; k++) {
    const int b = (system->last_constraint_batch + k) % count;
    if (is_like_constraint(&system->constraint_batches[b], like)) {
      system->last_constraint_batch = b;
      return &system->constraint_batches[b];
    }
  }
  if (vida__reserve((void**)&system->constraint_batches, &system->constraint_batch_capacity,
                    (size_t)count + 1, sizeof *system->constraint_batches)) {
    return NULL;
  }
  vida_constraint_batch* batch = &system->constraint_batches[system->constraint_batch_count++];
  *batch = *like;
  if (batch->functions) {
    batch->functions->references++;
  }
  return batch;
}

/* ---- instances ------------------------------------------------------------------------------- */

static int append_instance(int** index, size_t* index_capacity, double** parameter,
                           size_t* parameter_capacity, int count, int width, const int* indices,
                           int parameters, const double* values) {
  const size_t index_end = ((size_t)count + 1) * (size_t)width;
  const size_t parameter_end = ((size_t)count + 1) * (size_t)parameters;
  if (vida__reserve((void**)index, index_capacity, index_end, sizeof **index) ||
      vida__reserve((void**)parameter, parameter_capacity, parameter_end, sizeof **parameter)) {
    return VIDA_OUT_OF_MEMORY;
  }
  if (width) {
    memcpy(*index + index_end - (size_t)width, indices, (size_t)width * sizeof *indices);
  }
  if (parameters && values) {
    memcpy(*parameter + parameter_end - (size_t)parameters, values,
           (size_t)parameters * sizeof *values);
  }
  return VIDA_SUCCESS;
}

int vida__append_term(vida_term_batch* batch, const int* index, const double* parameters) {
  const int code = append_instance(&batch->index, &batch->index_capacity, &batch->parameter,
                                   &batch->parameter_capacity, batch->count, batch->width, index,
                                   batch->parameters, parameters);
  batch->count += !code;
  return code;
}

const char* vida__intern_unit(VidaSystem* system, const char* unit) {
  const int at = vida__add_string(&system->units, unit);
  return at < 0 ? NULL : system->units.texts[at];
}

/* Writes the name of a row: "name" for a single row, otherwise "name (row 2)". */
static int write_row_name(const char* name, int rows, int row, vida_joined* text) {
  char number[ROW_NUMBER_SIZE] = " (row 1)";
  if (row < 9) {
    number[6] = (char)('1' + row);
  } else {
    snprintf(number, sizeof number, " (row %d)", row + 1);
  }
  return vida__join(text, name, rows > 1 ? number : "", "");
}

int vida__check_row_names(const VidaSystem* system, const char* name, int rows, VidaError* error) {
  int code = VIDA_SUCCESS;
  for (int r = 0; r < rows && !code; r++) {
    vida_joined row_name;
    code = write_row_name(name, rows, r, &row_name)
               ? vida__fail_memory(error)
               : vida__check_new_name(&system->row_names, "constraints", row_name.text, error);
    vida__free_joined(&row_name);
  }
  return code;
}

/* Adds the rows of one constraint; adds none on failure. */
static int add_rows(VidaSystem* system, const char* name, int count, const char* unit,
                    double length, bool is_nonholonomic, VidaError* error) {
  const char* interned = vida__intern_unit(system, unit ? unit : "");
  int added = 0;
  if (interned && !vida__reserve_strings(&system->row_names, (size_t)count) &&
      !vida__reserve((void**)&system->rows, &system->row_capacity,
                     (size_t)(system->row_count + count), sizeof *system->rows)) {
    for (; added < count; added++) {
      vida_row* row = &system->rows[system->row_count + added];
      vida_joined row_name;
      row->name = write_row_name(name, count, added, &row_name)
                      ? NULL
                      : vida__store_text(&system->names, row_name.text);
      vida__free_joined(&row_name);
      row->name_length = strlen(name);
      row->unit = interned;
      row->length = length;
      row->is_nonholonomic = is_nonholonomic;
      row->compliance = (double)NAN;
      row->damping_time = (double)NAN;
      if (!row->name) {
        break;
      }
    }
  }
  if (added < count) {
    return vida__fail_memory(error);
  }
  for (int r = 0; r < count; r++) {
    vida__add_callers_string(&system->row_names, system->rows[system->row_count++].name);
  }
  return VIDA_SUCCESS;
}

int vida__append_constraint(VidaSystem* system, vida_constraint_batch* batch, const int* index,
                            const double* parameters, const char* name, const char* unit,
                            double length, VidaError* error) {
  if (append_instance(&batch->index, &batch->index_capacity, &batch->parameter,
                      &batch->parameter_capacity, batch->count, batch->width, index,
                      batch->parameters, parameters) ||
      vida__reserve((void**)&batch->row, &batch->row_capacity, (size_t)batch->count + 1,
                    sizeof *batch->row)) {
    return vida__fail_memory(error);
  }
  const int first = system->row_count;
  const int code =
      add_rows(system, name, batch->rows, unit, length, batch->kernel->is_nonholonomic, error);
  if (!code) {
    batch->row[batch->count++] = first;
    system->nonholonomic = system->nonholonomic || batch->kernel->is_nonholonomic;
  }
  return code;
}

/* ---- batches with functions of their own ----------------------------------------------------- */

int vida__add_term(VidaSystem* system, const vida_term_kernel* kernel, int width, const int* index,
                   vida_functions* functions, VidaError* error) {
  if (!functions ||
      vida__reserve((void**)&system->term_batches, &system->term_batch_capacity,
                    (size_t)system->term_batch_count + 1, sizeof *system->term_batches)) {
    vida__release_functions(functions);
    return vida__fail_memory(error);
  }
  vida_term_batch* batch = &system->term_batches[system->term_batch_count];
  batch->kernel = kernel;
  batch->width = width;
  if (vida__append_term(batch, index, NULL)) {
    vida__release_functions(functions);
    return vida__fail_memory(error);
  }
  batch->functions = functions;
  system->term_batch_count++;
  system->only_potentials = system->only_potentials && kernel->is_potential;
  return VIDA_SUCCESS;
}

int vida__add_constraint(VidaSystem* system, const vida_constraint_kernel* kernel, int rows,
                         const char* unit, int width, const int* index, vida_functions* functions,
                         VidaError* error) {
  if (functions) {
    int code = vida__check_row_names(system, functions->name, rows, error);
    code = code ? code : vida__check_unit("constraint", functions->name, unit, error);
    if (code) {
      vida__release_functions(functions);
      return code;
    }
  }
  if (!functions ||
      vida__reserve((void**)&system->constraint_batches, &system->constraint_batch_capacity,
                    (size_t)system->constraint_batch_count + 1,
                    sizeof *system->constraint_batches)) {
    vida__release_functions(functions);
    return vida__fail_memory(error);
  }
  vida_constraint_batch* batch = &system->constraint_batches[system->constraint_batch_count];
  batch->kernel = kernel;
  batch->width = width;
  batch->rows = rows;
  const int code =
      vida__append_constraint(system, batch, index, NULL, functions->name, unit, 0.0, error);
  if (code) {
    vida__release_functions(functions);
    return code;
  }
  batch->functions = functions;
  system->constraint_batch_count++;
  return VIDA_SUCCESS;
}

/* ---- tapes ----------------------------------------------------------------------------------- */

/* From this number of instances on, lanes are faster even if they are not full. */
enum { LEAST_IN_LANES = 4 };

static void place_batch(VidaSystem* system, const vida_functions* functions, int count,
                        int parameters, const double* own, vida_tape_place* place,
                        bool* takes_turns) {
  if (!functions || !functions->work_size) {
    return;
  }
  place->in_lanes = count >= LEAST_IN_LANES;
  place->parameters = parameters ? own : system->parameter_values;
  place->stride = parameters;
  place->work = system->tape_scratch;
  *takes_turns |= functions->takes_turns;
  system->tape_scratch += functions->work_size(functions, place->in_lanes);
}

static void place_value(VidaSystem* system, vida_term_batch* batch, bool* takes_turns) {
  place_batch(system, batch->functions, batch->count, batch->parameters, batch->parameter,
              &batch->tape, takes_turns);
}

void vida__place_tapes(VidaSystem* system) {
  bool takes_turns = false;
  system->tape_scratch = 0;
  for (int b = 0; b < system->term_batch_count; b++) {
    place_value(system, &system->term_batches[b], &takes_turns);
  }
  for (int b = 0; b < system->constraint_batch_count; b++) {
    vida_constraint_batch* batch = &system->constraint_batches[b];
    place_batch(system, batch->functions, batch->count, batch->parameters, batch->parameter,
                &batch->tape, &takes_turns);
  }
  for (int b = 0; b < system->observable_count; b++) {
    place_value(system, &system->observable_batches[b], &takes_turns);
  }
  for (int b = 0; system->drawing && b < system->drawing->batch_count; b++) {
    place_value(system, &system->drawing->batches[b], &takes_turns);
  }
  for (int i = 0; i < system->event_count; i++) {
    vida_event* event = &system->events[i];
    place_value(system, &event->value, &takes_turns);
    place_value(system, &event->rate, &takes_turns);
    for (int k = 0; k < event->count; k++) {
      place_value(system, &event->velocities[k], &takes_turns);
    }
  }
  /* Behind a tape, the place is not 0. */
  system->turn_place = takes_turns ? system->tape_scratch : 0;
  system->tape_scratch += takes_turns ? 3 * (size_t)system->coordinate_count : 0;
}
