/* Declaration of contacts, and their inquiry functions. */
#include "system/contacts/contacts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "expr/graph.h"
#include "system/model/build.h"
#include "system/terms/dependence.h"

/* ---- the rows of contacts -------------------------------------------------------------------- */

#define EXCHANGE(type, a, b) \
  do {                       \
    type kept = (a);         \
    (a) = (b);               \
    (b) = kept;              \
  } while (0)

void vida__exchange_rows(VidaSystem* system) {
  vida_row_set* set = &system->contacts->set;
  EXCHANGE(int, system->constraint_batch_count, set->constraint_batch_count);
  EXCHANGE(size_t, system->constraint_batch_capacity, set->constraint_batch_capacity);
  EXCHANGE(vida_constraint_batch*, system->constraint_batches, set->constraint_batches);
  EXCHANGE(int, system->last_constraint_batch, set->last_constraint_batch);
  EXCHANGE(int, system->row_count, set->row_count);
  EXCHANGE(size_t, system->row_capacity, set->row_capacity);
  EXCHANGE(vida_row*, system->rows, set->rows);
  EXCHANGE(vida_string_table, system->row_names, set->row_names);
  EXCHANGE(int, system->link_count, set->link_count);
  EXCHANGE(size_t, system->link_capacity, set->link_capacity);
  EXCHANGE(vida_link*, system->links, set->links);
  EXCHANGE(bool, system->time_dependent, set->time_dependent);
  EXCHANGE(bool, system->nonholonomic, set->nonholonomic);
}

static void release_batch(vida_constraint_batch* batch) {
  free(batch->index);
  free(batch->parameter);
  free(batch->row);
  vida__release_functions(batch->functions);
  memset(batch, 0, sizeof *batch);
}

void vida__drop_contact_rows(VidaSystem* system, int rows) {
  vida_row_set* set = &system->contacts->set;
  for (int b = set->constraint_batch_count - 1; b >= 0; b--) {
    vida_constraint_batch* batch = &set->constraint_batches[b];
    while (batch->count > 0 && batch->row[batch->count - 1] >= rows) {
      batch->count--;
    }
    if (batch->count == 0) { /* new batches are the last ones */
      release_batch(batch);
      set->constraint_batch_count--;
    }
  }
  set->last_constraint_batch = 0;
  vida__drop_strings(&set->row_names, rows);
  set->row_count = rows;
  vida__drop_strings(&system->contacts->names, system->contacts->count);
  if (system->contacts->count == 0) {
    vida__contacts_destroy(&system->contacts);
  }
}

vida_contacts* vida__contacts(VidaSystem* system) {
  if (!system->contacts) {
    system->contacts = vida__allocate(1, sizeof *system->contacts);
  }
  return system->contacts;
}

void vida__contacts_destroy(vida_contacts** contacts) {
  vida_contacts* old = *contacts;
  if (!old) {
    return;
  }
  for (size_t b = 0; b < old->set.constraint_batch_capacity; b++) {
    release_batch(&old->set.constraint_batches[b]);
  }
  free(old->set.constraint_batches);
  free(old->set.rows);
  free(old->set.links);
  vida__free_strings(&old->set.row_names);
  vida__free_strings(&old->names);
  for (int c = 0; c < old->count; c++) {
    vida__sliding_destroy(&old->list[c]);
  }
  free(old->list);
  free(old);
  *contacts = NULL;
}

int vida__contact_multiplier(VidaSystem* system, int contact, int* number, VidaError* error) {
  vida_contact* of = &system->contacts->list[contact];
  if (!of->has_multiplier) {
    const int code = vida__add_multiplier(system, -1, &of->multiplier, error);
    if (code) {
      return code;
    }
    of->has_multiplier = true;
  }
  *number = of->multiplier;
  return VIDA_SUCCESS;
}

/* ---- checks ---------------------------------------------------------------------------------- */

static int check_name(const VidaSystem* system, const char* name, VidaError* error) {
  int code = vida__check_addition(system, "contact", name, error);
  if (!code && system->contacts) {
    code = vida__check_new_name(&system->contacts->names, "contacts", name, error);
  }
  if (!code && vida__find_string(&system->row_names, name) >= 0) {
    code = vida__fail(error, VIDA_BAD_ARGUMENT, "contact '%s': a constraint has this name", name);
  }
  return code;
}

static int check_numbers(const VidaContact* contact, VidaError* error) {
  char got[VIDA_REAL_TEXT_SIZE];
  const double e = contact->restitution, mu = contact->friction;
  if (!(e >= 0.0 && e <= 1.0)) {
    return vida__fail(error, VIDA_BAD_ARGUMENT,
                      "contact '%s': restitution: expected a number from 0 to 1, got %s",
                      contact->name, vida__shortest_text(got, e));
  }
  if (!(mu >= 0.0) || !isfinite(mu)) {
    return vida__fail(error, VIDA_BAD_ARGUMENT,
                      "contact '%s': friction: expected a non-negative number, got %s",
                      contact->name, vida__shortest_text(got, mu));
  }
  if (contact->slip_count < 0 || contact->slip_count > VIDA_SLIP_MOST) {
    return vida__fail(error, VIDA_BAD_ARGUMENT,
                      "contact '%s': a slip velocity has at most %d components, got %d",
                      contact->name, (int)VIDA_SLIP_MOST, contact->slip_count);
  }
  return mu > 0.0 && contact->slip_count == 0
             ? vida__fail(error, VIDA_BAD_ARGUMENT,
                          "contact '%s': friction needs the slip velocity", contact->name)
             : VIDA_SUCCESS;
}

int vida__check_contact(const VidaSystem* system, const VidaContact* contact, VidaError* error) {
  const int code = check_name(system, contact->name, error);
  return code ? code : check_numbers(contact, error);
}

int vida__check_contact_names(const VidaSystem* system, VidaError* error) {
  for (int i = 0; system->contacts && i < system->contacts->set.row_count; i++) {
    const char* name = system->contacts->set.rows[i].name;
    if (vida__find_string(&system->row_names, name) >= 0) {
      return vida__fail(error, VIDA_BAD_ARGUMENT, "a contact and a constraint are named '%s'",
                        name);
    }
  }
  return VIDA_SUCCESS;
}

/* Finds what an expression depends on. */
static int find_dependence(const VidaSystem* system, VidaExpression expression,
                           vida_dependence* found, VidaError* error) {
  const vida_graph* graph = system->graph;
  bool* used = vida__allocate((size_t)expression + 1, sizeof *used);
  if (!used) {
    return vida__fail_memory(error);
  }
  *found = (vida_dependence){0};
  used[expression] = true;
  vida__graph_mark_used(graph, expression + 1, used);
  for (int i = 0; i <= expression; i++) {
    if (used[i] && graph->nodes[i].operation == VIDA_OP_INPUT) {
      const vida_dependence own = vida__input_dependence(&graph->nodes[i]);
      vida__merge_dependence(found, &own);
    }
  }
  free(used);
  return VIDA_SUCCESS;
}

static int check_expression(const VidaSystem* system, const char* name, const char* what,
                            VidaExpression expression, VidaError* error) {
  return !system->graph || expression < 0 || expression >= system->graph->count
             ? vida__fail(error, VIDA_BAD_ARGUMENT,
                          "contact '%s': %s: this expression does not belong to system '%s'", name,
                          what, system->name)
             : VIDA_SUCCESS;
}

static int check_gap(const VidaSystem* system, const VidaContact* contact, VidaError* error) {
  vida_dependence found;
  int code = check_expression(system, contact->name, "gap", contact->gap, error);
  code = code ? code : find_dependence(system, contact->gap, &found, error);
  if (!code && (found.rates || !found.positions)) {
    code = vida__fail(error, VIDA_BAD_ARGUMENT,
                      "contact '%s': gap: expected a function of positions and time, got one that "
                      "depends on %s",
                      contact->name, found.rates ? "a rate" : "no position");
  }
  return code;
}

static int check_slip(const VidaSystem* system, const VidaContact* contact, int i,
                      VidaError* error) {
  vida_dependence found;
  int code = check_expression(system, contact->name, "slip", contact->slip[i], error);
  code = code ? code : find_dependence(system, contact->slip[i], &found, error);
  if (!code && !found.rates) {
    code = vida__fail(error, VIDA_BAD_ARGUMENT,
                      "contact '%s': slip: expected a velocity, which depends on rates",
                      contact->name);
  }
  return code;
}

/* ---- addition -------------------------------------------------------------------------------- */

int vida__keep_contact(VidaSystem* system, const VidaContact* contact, int first_row,
                       int displacement_count, int* index, VidaError* error) {
  vida_contacts* contacts = system->contacts;
  const char* name = vida__store_text(&system->names, contact->name);
  if (!name || vida__reserve_strings(&contacts->names, 1) ||
      vida__reserve((void**)&contacts->list, &contacts->capacity, (size_t)contacts->count + 1,
                    sizeof *contacts->list)) {
    return vida__fail_memory(error);
  }
  contacts->list[contacts->count] = (vida_contact){.name = name,
                                                   .restitution = contact->restitution,
                                                   .friction = contact->friction,
                                                   .slip_count = contact->slip_count,
                                                   .first_row = first_row,
                                                   .displacement_count = displacement_count};
  vida__add_callers_string(&contacts->names, name);
  if (index) {
    *index = contacts->count;
  }
  contacts->count++;
  return VIDA_SUCCESS;
}

/* Adds the normal row (slip < 0) or a slip row. */
static int add_row(VidaSystem* system, const VidaContact* contact, const char* part, int slip,
                   VidaError* error) {
  VidaError why;
  vida_joined name;
  int code = VIDA_OUT_OF_MEMORY;
  if (!vida__join(&name, contact->name, part, "")) {
    code = slip < 0 ? VidaSystem_AddExpressionConstraint(system, name.text, "m", contact->gap, &why)
                    : VidaSystem_AddExpressionNonholonomic(system, name.text, "m/s",
                                                           contact->slip[slip], &why);
  }
  vida__free_joined(&name);
  if (!code) {
    return VIDA_SUCCESS;
  }
  if (code == VIDA_OUT_OF_MEMORY) {
    return vida__fail_memory(error);
  }
  /* check_gap and check_slip have left one reason. */
  return slip >= 0 && code == VIDA_BAD_ARGUMENT
             ? vida__fail(error, code,
                          "contact '%s': slip: expected a function linear in the rates",
                          contact->name)
             : vida__fail(error, code, "contact '%s': %s", contact->name, why.message);
}

static int add_rows(VidaSystem* system, const VidaContact* contact, int* displacement_count,
                    VidaError* error) {
  static const char* const names[VIDA_SLIP_MOST] = {": slip 1", ": slip 2"};
  const int count = contact->slip_count;
  int code = add_row(system, contact, count > 0 ? ": gap" : "", -1, error);
  for (int i = 0; i < count && !code; i++) {
    code = add_row(system, contact, count > 1 ? names[i] : ": slip", i, error);
  }
  return code ? code : vida__add_displacements(system, contact, displacement_count, error);
}

int VidaSystem_AddContact(VidaSystem* system, const VidaContact* contact, int* index,
                          VidaError* error) {
  int code = VIDA_REFUSE_NULL(error, system, contact);
  code = code ? code : vida__check_contact(system, contact, error);
  code = code ? code : check_gap(system, contact, error);
  for (int i = 0; !code && i < contact->slip_count; i++) {
    code = check_slip(system, contact, i, error);
  }
  if (code) {
    return code;
  }
  if (!vida__contacts(system)) {
    return vida__fail_memory(error);
  }
  const int first_row = system->contacts->set.row_count;
  int displacement_count = 0;
  vida__exchange_rows(system);
  code = add_rows(system, contact, &displacement_count, error);
  vida__exchange_rows(system);
  code = code ? code
              : vida__keep_contact(system, contact, first_row, displacement_count, index, error);
  if (!code) {
    code = vida__add_sliding(system, contact, system->contacts->count - 1, error);
    if (code) {
      vida__sliding_destroy(&system->contacts->list[--system->contacts->count]);
    }
  }
  if (code) {
    vida__drop_contact_rows(system, first_row);
  }
  return code;
}

/* ---- looking --------------------------------------------------------------------------------- */

int VidaSystem_ContactCount(const VidaSystem* system) {
  return system && system->contacts ? system->contacts->count : 0;
}

/* Returns the contact with this index; NULL for an unknown one. */
static const vida_contact* find(const VidaSystem* system, int contact) {
  return contact >= 0 && contact < VidaSystem_ContactCount(system)
             ? &system->contacts->list[contact]
             : NULL;
}

int VidaSystem_ContactIndex(const VidaSystem* system, const char* name) {
  return name && VidaSystem_ContactCount(system) > 0
             ? vida__find_string(&system->contacts->names, name)
             : -1;
}

const char* VidaSystem_ContactName(const VidaSystem* system, int contact) {
  const vida_contact* found = find(system, contact);
  return found ? found->name : NULL;
}

double VidaSystem_ContactRestitution(const VidaSystem* system, int contact) {
  const vida_contact* found = find(system, contact);
  return found ? found->restitution : (double)NAN;
}

double VidaSystem_ContactFriction(const VidaSystem* system, int contact) {
  const vida_contact* found = find(system, contact);
  return found ? found->friction : (double)NAN;
}

int VidaSystem_ContactSlipCount(const VidaSystem* system, int contact) {
  const vida_contact* found = find(system, contact);
  return found ? found->slip_count : 0;
}

const char* vida__gap_unit(const VidaSystem* system, int contact) {
  const char* unit = system->contacts->set.rows[system->contacts->list[contact].first_row].unit;
  return unit && *unit ? unit : "m";
}

int vida__fail_negative_gap(const VidaSystem* system, int contact, double gap, double t,
                            VidaError* error) {
  char texts[2][VIDA_REAL_TEXT_SIZE];
  return vida__fail(error, VIDA_INCONSISTENT_START,
                    "contact '%s' begins with a negative gap, %s %s, at t = %s; change the initial "
                    "positions",
                    system->contacts->list[contact].name, vida__real_text(texts[0], gap, 6),
                    vida__gap_unit(system, contact), vida__real_text(texts[1], t, 10));
}
