/* Elements: systems that serve as patterns, whose batches are shared by all instances. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vida/expression.h>

#include "base/error.h"
#include "base/memory.h"
#include "system/model/build.h"

enum { LOCAL_WORK = 64 }; /* doubles of work space for an instance of usual size */

/* One instance that is being added. */
typedef struct instance {
  VidaSystem* system;
  const VidaSystem* element;
  const char* name;
  const int* coordinates;
  const double* parameters; /* of the element; NULL: its own values */
  const int* links;
  int* index; /* work: one index per coordinate of the element */
  char* row_name;
  size_t row_name_size;
} instance;

static int check_coordinates(const instance* add, VidaError* error) {
  const VidaSystem* system = add->system;
  const int width = add->element->coordinate_count;
  for (int i = 0; i < width; i++) {
    const int own = add->coordinates[i];
    if (own < 0 || own >= system->coordinate_count) {
      return vida__fail(error, VIDA_BAD_ARGUMENT,
                        "%s '%s': '%s' stands for coordinate number %d, which does not exist",
                        add->element->name, add->name, add->element->coordinates[i].name, own);
    }
    for (int j = 0; j < i; j++) {
      if (own == add->coordinates[j]) {
        return vida__fail(error, VIDA_BAD_ARGUMENT,
                          "%s '%s': '%s' and '%s' both stand for coordinate '%s'",
                          add->element->name, add->name, add->element->coordinates[j].name,
                          add->element->coordinates[i].name, system->coordinates[own].name);
      }
    }
  }
  return VIDA_SUCCESS;
}

static int check_parameters(const instance* add, VidaError* error) {
  for (int k = 0; k < add->element->parameter_count; k++) {
    const char* name = add->element->parameters[k].name;
    const int link = add->links ? add->links[k] : -1;
    if (link >= add->system->parameter_count) {
      return vida__fail(error, VIDA_BAD_ARGUMENT,
                        "%s '%s': '%s' follows parameter number %d, which does not exist",
                        add->element->name, add->name, name, link);
    }
    if (add->parameters && link < 0) {
      const int code =
          vida__check_finite_value(add->element->name, add->name, name, add->parameters[k], error);
      if (code) {
        return code;
      }
    }
  }
  return VIDA_SUCCESS;
}

static double parameter_value(const instance* add, int k) {
  const int link = add->links ? add->links[k] : -1;
  if (link >= 0) {
    return add->system->parameter_values[link];
  }
  return add->parameters ? add->parameters[k] : add->element->parameter_values[k];
}

/* Finds the parameters of the instance in the batch: the batch's own, if it has any, otherwise
 * those of the element. Returns their number. */
static int fill_parameters(const instance* add, int own_count, const double* own, double* values) {
  const int count = own_count ? own_count : add->element->parameter_count;
  for (int k = 0; k < count; k++) {
    values[k] = own_count ? own[k] : parameter_value(add, k);
  }
  return count;
}

static int add_links(const instance* add, bool of_constraint, int batch, int first,
                     VidaError* error) {
  VidaSystem* system = add->system;
  for (int k = 0; k < add->element->parameter_count; k++) {
    if (!add->links || add->links[k] < 0) {
      continue;
    }
    if (vida__reserve((void**)&system->links, &system->link_capacity,
                      (size_t)system->link_count + 1, sizeof *system->links)) {
      return vida__fail_memory(error);
    }
    system->links[system->link_count++] =
        (vida_link){of_constraint, batch, first + k, add->links[k]};
  }
  return VIDA_SUCCESS;
}

static void map_index(const instance* add, int width, const int* from) {
  for (int j = 0; j < width; j++) {
    add->index[j] = add->coordinates[from[j]];
  }
}

static int add_term(const instance* add, const vida_term_batch* from, int i, double* values,
                    VidaError* error) {
  VidaSystem* system = add->system;
  const int count = fill_parameters(add, from->functions ? 0 : from->parameters,
                                    from->parameter + i * from->parameters, values);
  vida_term_batch like = {.kernel = from->kernel,
                          .dimension = from->dimension,
                          .width = from->width,
                          .parameters = count,
                          .block = from->block,
                          .functions = from->functions};
  vida_term_batch* batch = vida__find_term_batch(system, &like);
  map_index(add, from->width, from->index + (size_t)i * (size_t)from->width);
  if (!batch || vida__append_term(batch, add->index, values)) {
    return vida__fail_memory(error);
  }
  system->only_potentials = system->only_potentials && from->kernel->is_potential;
  return from->functions ? add_links(add, false, (int)(batch - system->term_batches),
                                     (batch->count - 1) * count, error)
                         : VIDA_SUCCESS;
}

/* Returns the name of a constraint: that of the instance, followed by that of the constraint if
 * there are several. */
static const char* name_rows(const instance* add, const vida_constraint_batch* from, int i) {
  if (add->element->row_count <= from->rows) {
    return add->name;
  }
  snprintf(add->row_name, add->row_name_size, "%s: %s", add->name,
           from->functions ? from->functions->name : add->element->rows[from->row[i]].name);
  return add->row_name;
}

/* Call this before anything is added, so that a failure changes nothing. */
static int check_row_names(const instance* add, VidaError* error) {
  int code = VIDA_SUCCESS;
  for (int b = 0; b < add->element->constraint_batch_count; b++) {
    const vida_constraint_batch* from = &add->element->constraint_batches[b];
    for (int i = 0; i < from->count && !code; i++) {
      code = vida__check_row_names(add->system, name_rows(add, from, i), from->rows, error);
    }
  }
  return code;
}

static int add_constraint(const instance* add, const vida_constraint_batch* from, int i,
                          double* values, VidaError* error) {
  VidaSystem* system = add->system;
  const vida_row* row = &add->element->rows[from->row[i]];
  const int count = fill_parameters(add, from->functions ? 0 : from->parameters,
                                    from->parameter + i * from->parameters, values);
  vida_constraint_batch like = {.kernel = from->kernel,
                                .dimension = from->dimension,
                                .width = from->width,
                                .rows = from->rows,
                                .parameters = count,
                                .block = from->block,
                                .functions = from->functions};
  vida_constraint_batch* batch = vida__find_constraint_batch(system, &like);
  map_index(add, from->width, from->index + (size_t)i * (size_t)from->width);
  if (!batch) {
    return vida__fail_memory(error);
  }
  const int code = vida__append_constraint(system, batch, add->index, values,
                                           name_rows(add, from, i), row->unit, row->length, error);
  if (code) {
    return code;
  }
  for (int r = 0; r < from->rows; r++) {
    vida_row* added = &system->rows[system->row_count - from->rows + r];
    added->compliance = row[r].compliance;
    added->damping_time = row[r].damping_time;
    added->has_rate = row[r].has_rate;
  }
  system->time_dependent = system->time_dependent || add->element->time_dependent;
  return from->functions ? add_links(add, true, (int)(batch - system->constraint_batches),
                                     (batch->count - 1) * count, error)
                         : VIDA_SUCCESS;
}

static int add_all(const instance* add, double* values, VidaError* error) {
  const VidaSystem* element = add->element;
  for (int b = 0; b < element->term_batch_count; b++) {
    for (int i = 0; i < element->term_batches[b].count; i++) {
      const int code = add_term(add, &element->term_batches[b], i, values, error);
      if (code) {
        return code;
      }
    }
  }
  for (int b = 0; b < element->constraint_batch_count; b++) {
    for (int i = 0; i < element->constraint_batches[b].count; i++) {
      const int code = add_constraint(add, &element->constraint_batches[b], i, values, error);
      if (code) {
        return code;
      }
    }
  }
  return VIDA_SUCCESS;
}

static size_t longest_row_name(const VidaSystem* element) {
  size_t longest = 0;
  for (int r = 0; r < element->row_count; r++) {
    const size_t length = strlen(element->rows[r].name);
    longest = length > longest ? length : longest;
  }
  return longest;
}

/* Returns the largest number of parameters of a batch of the element. */
static size_t most_parameters(const VidaSystem* element) {
  int most = element->parameter_count;
  for (int b = 0; b < element->term_batch_count; b++) {
    most = element->term_batches[b].parameters > most ? element->term_batches[b].parameters : most;
  }
  for (int b = 0; b < element->constraint_batch_count; b++) {
    const int own = element->constraint_batches[b].parameters;
    most = own > most ? own : most;
  }
  return (size_t)most;
}

static int check_element(const VidaSystem* system, const VidaSystem* element, const char* name,
                         VidaError* error) {
  if (element == system) {
    return vida__fail(error, VIDA_BAD_ARGUMENT, "system '%s' cannot be an element of itself",
                      system->name);
  }
  if (element->contacts) {
    return vida__fail(error, VIDA_BAD_ARGUMENT, "%s '%s': an element cannot have contacts",
                      element->name, name);
  }
  if (element->term_batch_count == 0 && element->constraint_batch_count == 0) {
    return vida__fail(error, VIDA_BAD_ARGUMENT, "%s '%s': the element has no term", element->name,
                      name);
  }
  for (int b = 0; b < element->term_batch_count; b++) {
    if (element->term_batches[b].kernel->is_reactive) {
      return vida__fail(error, VIDA_NOT_SUPPORTED,
                        "%s '%s': its force '%s' depends on a multiplier, which the force of an "
                        "element cannot; add this force to the system '%s'",
                        element->name, name, element->term_batches[b].functions->name,
                        system->name);
    }
  }
  return VIDA_SUCCESS;
}

int VidaSystem_AddElement(VidaSystem* system, const VidaSystem* element, const char* name,
                          const int* coordinates, const double* parameters, const int* links,
                          VidaError* error) {
  if (VIDA_REFUSE_NULL(error, system, element, name, coordinates)) {
    return VIDA_BAD_ARGUMENT;
  }
  instance add = {.system = system,
                  .element = element,
                  .name = name,
                  .coordinates = coordinates,
                  .parameters = parameters,
                  .links = links};
  int code = vida__check_addition(system, element->name, name, error);
  code = code ? code : check_element(system, element, name, error);
  code = code ? code : check_coordinates(&add, error);
  code = code ? code : check_parameters(&add, error);
  if (code) {
    return code;
  }
  add.row_name_size = strlen(name) + longest_row_name(element) + 3;
  /* One block: values, indices, the name of a row. */
  const size_t value_bytes = most_parameters(element) * sizeof(double);
  const size_t index_bytes = (size_t)element->coordinate_count * sizeof *add.index;
  const size_t bytes = value_bytes + index_bytes + add.row_name_size;
  double local[LOCAL_WORK];
  double* values = bytes <= sizeof local ? local : vida__allocate(bytes, 1);
  if (values) {
    add.index = (int*)(void*)((char*)values + value_bytes);
    add.row_name = (char*)values + value_bytes + index_bytes;
  }
  code = values ? check_row_names(&add, error) : vida__fail_memory(error);
  code = code ? code : add_all(&add, values, error);
  /* The system needs the work space of the element's callbacks, too. */
  if (element->shared_scratch > system->shared_scratch) {
    system->shared_scratch = element->shared_scratch;
  }
  if (values != local) {
    free(values);
  }
  return code;
}
