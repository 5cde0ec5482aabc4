#include "system/fingerprint.h"

#include "base/error.h"
#include "base/record.h"
#include "system/contacts/contacts.h"
#include "system/model/event.h"
#include "system/model/model.h"

static void put_initial(vida_record* record, const VidaInitial* initial) {
  vida__put_real(record, initial->value);
  vida__put_real(record, initial->branch);
  vida__put_integer(record, initial->free);
  vida__put_integer(record, initial->is_default);
}

static void put_coordinates(vida_record* record, const VidaSystem* system) {
  vida__put_text(record, system->name);
  vida__put_integer(record, system->dimension);
  vida__put_reals(record, 3, system->gravity);
  vida__put_integer(record, system->coordinate_count);
  for (int i = 0; i < system->coordinate_count; i++) {
    const vida_coordinate* coordinate = &system->coordinates[i];
    vida__put_text(record, coordinate->name);
    vida__put_text(record, coordinate->unit);
    put_initial(record, &coordinate->position);
    put_initial(record, &coordinate->velocity);
    vida__put_real(record, system->mass[i]);
    vida__put_real(record, system->uniform_force[i]);
  }
  vida__put_integer(record, system->parameter_count);
  for (int i = 0; i < system->parameter_count; i++) {
    vida__put_text(record, system->parameters[i].name);
    vida__put_real(record, system->parameter_values[i]);
  }
  vida__put_integer(record, system->jump_time_count);
  vida__put_reals(record, (size_t)system->jump_time_count, system->jump_times);
}

static void put_functions(vida_record* record, const vida_functions* functions) {
  vida__put_text(record, functions ? functions->name : "");
  if (functions && functions->describe) {
    functions->describe(functions, record);
  }
}

static void put_term_batch(vida_record* record, const vida_term_batch* batch) {
  vida__put_text(record, batch->kernel->kind);
  vida__put_integer(record, batch->width);
  vida__put_integer(record, batch->count);
  for (int i = 0; i < batch->count * batch->width; i++) {
    vida__put_integer(record, batch->index[i]);
  }
  vida__put_reals(record, (size_t)batch->count * (size_t)batch->parameters, batch->parameter);
  put_functions(record, batch->functions);
}

static void put_constraint_batch(vida_record* record, const vida_constraint_batch* batch) {
  vida__put_text(record, batch->kernel->kind);
  vida__put_integer(record, batch->width);
  vida__put_integer(record, batch->count);
  for (int i = 0; i < batch->count * batch->width; i++) {
    vida__put_integer(record, batch->index[i]);
  }
  for (int i = 0; i < batch->count; i++) {
    vida__put_integer(record, batch->row[i]);
  }
  vida__put_reals(record, (size_t)batch->count * (size_t)batch->parameters, batch->parameter);
  put_functions(record, batch->functions);
}

static void put_rows(vida_record* record, int count, const vida_row* rows) {
  vida__put_integer(record, count);
  for (int i = 0; i < count; i++) {
    const vida_row* row = &rows[i];
    vida__put_text(record, row->name);
    vida__put_text(record, row->unit);
    vida__put_reals(record, 3, (const double[]){row->length, row->compliance, row->damping_time});
    vida__put_integer(record, row->is_nonholonomic);
  }
}

static void put_observables(vida_record* record, const VidaSystem* system) {
  vida__put_integer(record, system->observable_count);
  for (int i = 0; i < system->observable_count; i++) {
    const vida_observable* observable = &system->observables[i];
    vida__put_text(record, observable->name);
    vida__put_text(record, observable->unit);
    vida__put_integer(record, observable->conserved);
    put_term_batch(record, &system->observable_batches[i]);
  }
}

static void put_multipliers(vida_record* record, const VidaSystem* system) {
  for (int k = 0; k < system->multiplier_count; k++) {
    vida__put_integer(record, system->multiplier_rows[k]);
  }
}

/* A system without contacts has the same record as before there were any. */
static void put_contacts(vida_record* record, const vida_contacts* contacts) {
  if (!contacts) {
    return;
  }
  vida__put_integer(record, contacts->count);
  for (int i = 0; i < contacts->count; i++) {
    const vida_contact* contact = &contacts->list[i];
    vida__put_text(record, contact->name);
    vida__put_real(record, contact->restitution);
    vida__put_real(record, contact->friction);
    vida__put_integer(record, contact->slip_count);
    if (contact->is_coupling) {
      vida__put_integer(record, contact->is_engaged);
      vida__put_real(record, contact->strength);
    }
  }
  put_rows(record, contacts->set.row_count, contacts->set.rows);
  for (int b = 0; b < contacts->set.constraint_batch_count; b++) {
    put_constraint_batch(record, &contacts->set.constraint_batches[b]);
  }
}

static void put_events(vida_record* record, const VidaSystem* system) {
  for (int i = 0; i < system->event_count; i++) {
    const vida_event* event = &system->events[i];
    vida__put_text(record, event->name);
    vida__put_integer(record, event->direction);
    vida__put_integer(record, event->action);
    put_term_batch(record, &event->value);
    for (int k = 0; k < event->coupling_count; k++) {
      vida__put_integer(record, event->couplings[k]);
      vida__put_integer(record, event->engages[k]);
    }
    for (int k = 0; k < event->count; k++) {
      vida__put_integer(record, event->coordinates[k]);
      put_term_batch(record, &event->velocities[k]);
    }
  }
}

/* Continues the checksum with what the record holds, and empties it: a large system needs no more
 * memory than its largest part. */
static void take(vida_record* record, uint64_t* sum, bool* no_memory) {
  *sum = vida__checksum(*sum, record->bytes, record->size);
  *no_memory = *no_memory || record->no_memory;
  vida__clear_record(record);
}

int vida__fingerprint_system(const VidaSystem* system, uint64_t* checksum, VidaError* error) {
  vida_record record = {0};
  bool no_memory = false;
  *checksum = VIDA_CHECKSUM_START;
  put_coordinates(&record, system);
  put_rows(&record, system->row_count, system->rows);
  take(&record, checksum, &no_memory);
  for (int i = 0; i < system->term_batch_count; i++) {
    put_term_batch(&record, &system->term_batches[i]);
    take(&record, checksum, &no_memory);
  }
  for (int i = 0; i < system->constraint_batch_count; i++) {
    put_constraint_batch(&record, &system->constraint_batches[i]);
    take(&record, checksum, &no_memory);
  }
  put_observables(&record, system);
  put_contacts(&record, system->contacts);
  put_multipliers(&record, system);
  put_events(&record, system);
  take(&record, checksum, &no_memory);
  vida__free_record(&record);
  return no_memory ? vida__fail_memory(error) : VIDA_SUCCESS;
}
