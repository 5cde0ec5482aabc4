/* Variants: systems in which some contacts are closed, or do not slip. */
#include <stdlib.h>
#include <string.h>

#include "base/elimination.h"
#include "base/error.h"
#include "base/memory.h"
#include "system/contacts/contacts.h"
#include "system/model/build.h"
#include "system/power.h"

/* ---- copies ---------------------------------------------------------------------------------- */

/* Copies the array and leaves room for `more` elements. */
static int copy_array(const void* from, int count, int more, size_t size, void** copy) {
  *copy = vida__allocate((size_t)count + (size_t)more, size);
  if (*copy && count > 0) {
    memcpy(*copy, from, (size_t)count * size);
  }
  return *copy ? VIDA_SUCCESS : VIDA_OUT_OF_MEMORY;
}

/* Makes `variant` a copy of `base` that owns what will differ: batches, whose slots are in another
 * matrix, and rows. Indices, parameters and functions of its batches remain those of `base`. */
static int copy_base(const VidaSystem* base, VidaSystem* variant) {
  const int more_batches = base->contacts ? base->contacts->set.constraint_batch_count : 0;
  const int more_rows = base->contacts ? base->contacts->set.row_count : 0;
  *variant = *base;
  variant->base = base;
  variant->shared_batches = base->constraint_batch_count;
  variant->contacts = NULL;
  variant->events = NULL;
  variant->event_count = 0;
  variant->drawing = NULL;
  variant->links = NULL;
  variant->link_count = 0;
  variant->entries = NULL;
  variant->mass_slot = NULL;
  variant->multiplier_rows = variant->reaction_rows = NULL;
  memset(&variant->pattern, 0, sizeof variant->pattern);
  memset(&variant->row_names, 0, sizeof variant->row_names);
  variant->term_batches = variant->observable_batches = NULL;
  variant->constraint_batches = NULL;
  variant->rows = NULL;
  const int more_terms = base->contacts ? base->contacts->count : 0;
  if (copy_array(base->term_batches, base->term_batch_count, more_terms, sizeof *base->term_batches,
                 (void**)&variant->term_batches) ||
      copy_array(base->observable_batches, base->observable_count, 0,
                 sizeof *base->observable_batches, (void**)&variant->observable_batches) ||
      copy_array(base->constraint_batches, base->constraint_batch_count, more_batches,
                 sizeof *base->constraint_batches, (void**)&variant->constraint_batches) ||
      copy_array(base->multiplier_rows, base->multiplier_count, 0, sizeof *base->multiplier_rows,
                 (void**)&variant->multiplier_rows) ||
      copy_array(base->rows, base->row_count, more_rows, sizeof *base->rows,
                 (void**)&variant->rows)) {
    return VIDA_OUT_OF_MEMORY;
  }
  for (int b = 0; b < variant->term_batch_count; b++) {
    vida_term_batch* batch = &variant->term_batches[b];
    batch->slot = batch->multiplier_slot = batch->multiplier_column = NULL;
  }
  for (int b = 0; b < variant->constraint_batch_count; b++) {
    variant->constraint_batches[b].slot = NULL;
  }
  return VIDA_SUCCESS;
}

void vida__variant_release(VidaSystem* variant) {
  for (int b = 0; variant->term_batches && b < variant->term_batch_count; b++) {
    free(variant->term_batches[b].slot);
    free(variant->term_batches[b].multiplier_slot);
    free(variant->term_batches[b].multiplier_column);
  }
  for (int b = 0; variant->constraint_batches && b < variant->constraint_batch_count; b++) {
    vida_constraint_batch* batch = &variant->constraint_batches[b];
    free(batch->slot);
    if (b >= variant->shared_batches) {
      free(batch->index);
      free(batch->parameter);
      free(batch->row);
    }
  }
  vida__free_strings(&variant->row_names);
  free(variant->term_batches);
  free(variant->observable_batches);
  free(variant->constraint_batches);
  free(variant->rows);
  free(variant->multiplier_rows);
  free(variant->reaction_rows);
  free(variant->entries);
  vida__free_pattern_order(&variant->pattern);
  free(variant->pattern.column_start);
  free(variant->pattern.row);
  free(variant->mass_slot);
}

/* ---- rows of contacts ------------------------------------------------------------------------ */

/* Appends row `from` of the contacts, and finds the first row with its unit. */
static void append_row(VidaSystem* variant, const vida_row* from) {
  vida_row* row = &variant->rows[variant->row_count];
  *row = *from;
  row->alike = variant->row_count;
  for (int r = 0; r < variant->row_count; r++) {
    if (variant->rows[r].unit == row->unit) {
      row->alike = variant->rows[r].alike;
      break;
    }
  }
  variant->row_count++;
  variant->time_dependent = variant->time_dependent || row->has_rate;
  variant->nonholonomic = variant->nonholonomic || row->is_nonholonomic;
}

/* Appends the rows that `flags` selects. place[r] receives the new index of row r of the contacts,
 * or -1. */
static void append_rows(VidaSystem* variant, const vida_contacts* contacts,
                        const unsigned char* flags, int* place, int* first_row) {
  for (int c = 0; c < contacts->count; c++) {
    const vida_contact* contact = &contacts->list[c];
    const int before = variant->row_count;
    for (int k = 0; k <= contact->slip_count + contact->displacement_count; k++) {
      const int row = contact->first_row + k;
      const bool is_asked = flags[c] & (k == 0                     ? VIDA_CONTACT_NORMAL
                                        : k <= contact->slip_count ? VIDA_CONTACT_STICK
                                                                   : VIDA_CONTACT_PLACE);
      place[row] = is_asked ? variant->row_count : -1;
      if (is_asked) {
        append_row(variant, &contacts->set.rows[row]);
      }
    }
    if (contact->has_multiplier) {
      variant->multiplier_rows[contact->multiplier] = place[contact->first_row];
    }
    if (first_row) {
      first_row[c] = variant->row_count > before ? before : -1;
    }
  }
}

/* Appends the instances of a batch whose rows the variant has. */
static int append_batch(VidaSystem* variant, const vida_constraint_batch* from, const int* place) {
  int count = 0;
  for (int i = 0; i < from->count; i++) {
    count += place[from->row[i]] >= 0;
  }
  if (count == 0) {
    return VIDA_SUCCESS;
  }
  const size_t width = (size_t)from->width, parameters = (size_t)from->parameters;
  vida_constraint_batch* batch = &variant->constraint_batches[variant->constraint_batch_count++];
  *batch = *from;
  batch->slot = NULL;
  batch->index = vida__allocate((size_t)count * width, sizeof *batch->index);
  batch->parameter = vida__allocate((size_t)count * parameters, sizeof *batch->parameter);
  batch->row = vida__allocate((size_t)count, sizeof *batch->row);
  batch->count = 0;
  if (!batch->index || !batch->parameter || !batch->row) {
    return VIDA_OUT_OF_MEMORY;
  }
  for (size_t i = 0; i < (size_t)from->count; i++) {
    if (place[from->row[i]] < 0) {
      continue;
    }
    const size_t to = (size_t)batch->count++;
    batch->row[to] = place[from->row[i]];
    memcpy(batch->index + to * width, from->index + i * width, width * sizeof *batch->index);
    if (parameters) {
      memcpy(batch->parameter + to * parameters, from->parameter + i * parameters,
             parameters * sizeof *batch->parameter);
    }
  }
  return VIDA_SUCCESS;
}

static int append_contacts(VidaSystem* variant, const vida_contacts* contacts,
                           const unsigned char* flags, int* first_row) {
  int* place = vida__allocate((size_t)contacts->set.row_count, sizeof *place);
  if (!place) {
    return VIDA_OUT_OF_MEMORY;
  }
  append_rows(variant, contacts, flags, place, first_row);
  int code = VIDA_SUCCESS;
  for (int b = 0; b < contacts->set.constraint_batch_count && !code; b++) {
    code = append_batch(variant, &contacts->set.constraint_batches[b], place);
  }
  free(place);
  return code;
}

/* Appends the forces of contacts that slide. */
static void append_sliding(VidaSystem* variant, const vida_contacts* contacts,
                           const unsigned char* flags) {
  for (int c = 0; c < contacts->count; c++) {
    const vida_term_batch* sliding = vida__sliding_term(&contacts->list[c], flags[c]);
    if (sliding) {
      variant->term_batches[variant->term_batch_count++] = *sliding;
      variant->has_forces = variant->has_reactive_forces = true;
      variant->only_potentials = variant->separable = false;
    }
  }
}

static int name_rows(VidaSystem* variant) {
  if (vida__reserve_strings(&variant->row_names, (size_t)variant->row_count)) {
    return VIDA_OUT_OF_MEMORY;
  }
  for (int r = 0; r < variant->row_count; r++) {
    vida__add_callers_string(&variant->row_names, variant->rows[r].name);
  }
  return VIDA_SUCCESS;
}

/* ---- creation -------------------------------------------------------------------------------- */

int vida__variant_create(const VidaSystem* base, const unsigned char* flags, VidaSystem** variant,
                         int* first_row, VidaError* error) {
  *variant = NULL;
  VidaSystem* made = vida__allocate(1, sizeof *made);
  if (!made) {
    return vida__fail_memory(error);
  }
  int code = copy_base(base, made);
  if (!code && base->contacts) {
    code = append_contacts(made, base->contacts, flags, first_row);
    append_sliding(made, base->contacts, flags);
  }
  code = code ? code : name_rows(made);
  if (code) {
    vida__fail_memory(error);
  } else {
    vida__place_tapes(made);
    code = vida__build_pattern(made, error);
    code = code ? code : vida__find_energy_sources(made, error);
    code = code ? code : vida__find_symmetries(made, error);
  }
  if (code) {
    VidaSystem_Destroy(&made);
    return code;
  }
  *variant = made;
  return VIDA_SUCCESS;
}

int vida__contact_system_create(const VidaSystem* base, VidaSystem** rows, VidaError* error) {
  const int contacts = base->contacts->count;
  *rows = NULL;
  unsigned char* flags = vida__allocate((size_t)contacts, sizeof *flags);
  VidaSystem* made = vida__allocate(1, sizeof *made);
  if (!made || !flags) {
    free(flags);
    free(made);
    return vida__fail_memory(error);
  }
  memset(flags, VIDA_CONTACT_NORMAL | VIDA_CONTACT_STICK | VIDA_CONTACT_PLACE, (size_t)contacts);
  VidaSystem bare = *base;
  bare.term_batch_count = bare.observable_count = 0;
  bare.constraint_batch_count = bare.row_count = 0;
  bare.time_dependent = bare.nonholonomic = false;
  int code = copy_base(&bare, made);
  made->base = base;
  code = code ? code : append_contacts(made, base->contacts, flags, NULL);
  code = code ? code : name_rows(made);
  free(flags);
  if (code) {
    VidaSystem_Destroy(&made);
    return vida__fail_memory(error);
  }
  vida__place_tapes(made);
  *rows = made;
  return VIDA_SUCCESS;
}

int vida__narrow_momenta(VidaSystem* system, VidaError* error) {
  enum { MOST_ROWS = 300 };
  if (!system->contacts || system->momentum_count == 0) {
    return VIDA_SUCCESS;
  }
  if (system->contacts->set.row_count > MOST_ROWS) {
    system->momentum_count = 0;
    return VIDA_SUCCESS;
  }
  const size_t count = (size_t)system->contacts->count;
  VidaSystem* closed = NULL;
  unsigned char* flags = vida__allocate(count, sizeof *flags);
  if (!flags) {
    return vida__fail_memory(error);
  }
  for (size_t c = 0; c < count; c++) {
    flags[c] = system->contacts->list[c].friction > 0.0 ? VIDA_CONTACT_NORMAL | VIDA_CONTACT_STICK
                                                        : VIDA_CONTACT_NORMAL;
  }
  const int code = vida__variant_create(system, flags, &closed, NULL, error);
  if (!code) {
    system->momentum_count = closed->momentum_count;
    memcpy(system->momenta, closed->momenta, sizeof system->momenta);
  }
  VidaSystem_Destroy(&closed);
  free(flags);
  return code;
}
