/* Creation and destruction of systems with all that belongs to them. */
#include <stdlib.h>
#include <vida/system.h>

#include "base/elimination.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/string_table.h"
#include "base/text.h"
#include "expr/graph.h"
#include "system/contacts/contacts.h"
#include "system/mechanics/pattern.h"
#include "system/model/build.h"
#include "system/model/chart.h"
#include "system/model/drawing.h"

int VidaSystem_Create(const char* name, int dimension, VidaSystem** system, VidaError* error) {
  if (VIDA_REFUSE_NULL(error, system)) {
    return VIDA_BAD_ARGUMENT;
  }
  *system = NULL;
  if (!name || !*name) {
    return vida__fail(error, VIDA_BAD_ARGUMENT, "a system needs a name");
  }
  if (vida__check_letters("system", name, error)) {
    return VIDA_BAD_ARGUMENT;
  }
  if (dimension < 1 || dimension > 3) {
    return vida__fail(error, VIDA_BAD_ARGUMENT,
                      "system '%s': dimension: expected 1, 2 or 3, got %d", name, dimension);
  }
  VidaSystem* created = vida__allocate(1, sizeof *created);
  if (!created) {
    return vida__fail_memory(error);
  }
  created->dimension = dimension;
  created->only_potentials = true;
  created->name = vida__copy_text(name);
  if (!created->name) {
    VidaSystem_Destroy(&created);
    return vida__fail_memory(error);
  }
  *system = created;
  return VIDA_SUCCESS;
}

static void destroy_term(vida_term_batch* batch) {
  free(batch->index);
  free(batch->parameter);
  free(batch->slot);
  free(batch->multiplier_slot);
  free(batch->multiplier_column);
  vida__release_functions(batch->functions);
}

void VidaSystem_Destroy(VidaSystem** system) {
  VidaSystem* old = system ? *system : NULL;
  if (!old) {
    return;
  }
  if (old->base) {
    vida__variant_release(old);
    free(old);
    *system = NULL;
    return;
  }
  vida__contacts_destroy(&old->contacts);
  for (int i = 0; i < old->spring_count; i++) {
    free(old->springs[i]);
  }
  vida__mechanics_destroy(&old->mechanics);
  vida__free_texts(&old->names);
  vida__free_strings(&old->units);
  vida__free_strings(&old->coordinate_names);
  vida__free_strings(&old->particle_names);
  vida__free_strings(&old->row_names);
  vida__free_strings(&old->spring_names);
  /* Frees all batches up to the capacity: a batch that could not be filled without memory is not
   * counted. */
  for (size_t b = 0; b < old->term_batch_capacity; b++) {
    destroy_term(&old->term_batches[b]);
  }
  for (size_t b = 0; b < old->constraint_batch_capacity; b++) {
    free(old->constraint_batches[b].index);
    free(old->constraint_batches[b].parameter);
    free(old->constraint_batches[b].row);
    free(old->constraint_batches[b].slot);
    vida__release_functions(old->constraint_batches[b].functions);
  }
  for (size_t b = 0; b < old->observable_batch_capacity; b++) {
    destroy_term(&old->observable_batches[b]);
  }
  vida__events_destroy(old);
  for (int i = 0; i < old->observable_count; i++) {
    free(old->observables[i].name);
    free(old->observables[i].unit);
  }
  for (int i = 0; i < old->parameter_count; i++) {
    free(old->parameters[i].name);
  }
  free(old->observables);
  free(old->observable_batches);
  free(old->parameters);
  free(old->parameter_values);
  free(old->links);
  free(old->jump_times);
  free(old->motions);
  free(old->coordinates);
  free(old->particles);
  free(old->springs);
  free(old->rows);
  free(old->multiplier_rows);
  free(old->reaction_rows);
  free(old->term_batches);
  free(old->constraint_batches);
  free(old->entries);
  vida__free_pattern_order(&old->pattern);
  free(old->pattern.column_start);
  free(old->pattern.row);
  free(old->mass_slot);
  free(old->mass);
  free(old->uniform_force);
  vida__graph_destroy(&old->graph);
  vida__chart_destroy(&old->chart);
  vida__drawing_destroy(&old->drawing);
  free(old->name);
  free(old);
  *system = NULL;
}
