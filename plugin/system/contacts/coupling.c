/* Couplings: constraints that events engage and release. They are kept as contacts without
 * friction, whose normal row holds a value. */
#include <math.h>

#include "base/error.h"
#include "base/text.h"
#include "expr/graph.h"
#include "system/contacts/contacts.h"
#include "system/model/build.h"

static int check_coupling(const VidaSystem* system, const VidaCoupling* coupling,
                          VidaError* error) {
  char got[VIDA_REAL_TEXT_SIZE];
  if (!(coupling->strength > 0.0)) {
    return vida__fail(error, VIDA_BAD_ARGUMENT,
                      "coupling '%s': strength: expected a positive number, got %s", coupling->name,
                      vida__shortest_text(got, coupling->strength));
  }
  if (!system->graph || coupling->function < 0 || coupling->function >= system->graph->count) {
    return vida__fail(error, VIDA_BAD_ARGUMENT,
                      "coupling '%s': this expression does not belong to system '%s'",
                      coupling->name, system->name);
  }
  return vida__check_unit("coupling", coupling->name, coupling->unit, error);
}

int VidaSystem_AddCoupling(VidaSystem* system, const VidaCoupling* coupling, int* index,
                           VidaError* error) {
  if (VIDA_REFUSE_NULL(error, system, coupling)) {
    return VIDA_BAD_ARGUMENT;
  }
  const VidaContact contact = {.name = coupling->name, .gap = coupling->function};
  int made = -1;
  int code = vida__check_contact(system, &contact, error);
  code = code ? code : check_coupling(system, coupling, error);
  if (code) {
    return code;
  }
  if (!vida__contacts(system)) {
    return vida__fail_memory(error);
  }
  const int first_row = system->contacts->set.row_count;
  vida__exchange_rows(system);
  code = vida__add_held_row(system, coupling->name, coupling->unit, coupling->function, error);
  vida__exchange_rows(system);
  code = code ? code : vida__keep_contact(system, &contact, first_row, 0, &made, error);
  if (code) {
    vida__drop_contact_rows(system, first_row);
    return code;
  }
  vida_contact* kept = &system->contacts->list[made];
  kept->is_coupling = true;
  kept->is_engaged = coupling->is_engaged;
  kept->strength = coupling->strength;
  if (index) {
    *index = made;
  }
  return VIDA_SUCCESS;
}

const char* vida__first_coupling(const VidaSystem* system) {
  for (int c = 0; system->contacts && c < system->contacts->count; c++) {
    if (system->contacts->list[c].is_coupling) {
      return system->contacts->list[c].name;
    }
  }
  return NULL;
}
