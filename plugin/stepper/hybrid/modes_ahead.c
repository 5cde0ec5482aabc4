/* The modes that a motion may enter, tried before it does. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "stepper/hybrid/contacts.h"

/* The number of contacts of one kind that are tried. */
enum { MOST_OF_A_KIND = 3 };

static bool is_one_kind(const vida_contact* a, const vida_contact* b) {
  return a->is_coupling == b->is_coupling && (a->friction > 0.0) == (b->friction > 0.0) &&
         a->slip_count == b->slip_count &&
         (a->displacement_count > 0) == (b->displacement_count > 0);
}

/* An elastic contact without friction stays open. */
static bool may_close(const vida_contact* contact) {
  return contact->is_coupling || contact->restitution < 1.0 || contact->friction > 0.0;
}

/* Returns whether contact c must be tried. */
static bool is_to_be_tried(const vida_hybrid_contacts* own, int c) {
  int before = 0;
  for (int k = 0; k < c; k++) {
    before += may_close(&own->list[k]) && is_one_kind(&own->list[k], &own->list[c]);
  }
  return may_close(&own->list[c]) && before < MOST_OF_A_KIND;
}

/* Creates a stepper of the mode with own->wanted. */
static int try_mode(const VidaStepper* stepper, int c, const char* state, VidaError* error) {
  const VidaSystem* system = stepper->self.model.system;
  const vida_contact* contact = &stepper->hybrid->contacts->list[c];
  VidaSystem* variant = NULL;
  VidaStepper* made = NULL;
  VidaError refusal = {0};
  int code =
      vida__variant_create(system, stepper->hybrid->contacts->wanted, &variant, NULL, &refusal);
  code = code ? code : vida__create_stepper(variant, stepper->options, NULL, &made, &refusal);
  VidaStepper_Destroy(&made);
  VidaSystem_Destroy(&variant);
  return code ? vida__fail(error, code, "%s '%s' %s: %s",
                           contact->is_coupling ? "coupling" : "contact", contact->name, state,
                           refusal.message)
              : VIDA_SUCCESS;
}

static int try_states(const VidaStepper* stepper, int c, VidaError* error) {
  static const unsigned char sliding = VIDA_CONTACT_NORMAL | VIDA_CONTACT_SLIDE;
  const vida_hybrid_contacts* own = stepper->hybrid->contacts;
  const vida_contact* contact = &own->list[c];
  const unsigned char sticking =
      VIDA_CONTACT_NORMAL |
      (contact->displacement_count > 0 ? VIDA_CONTACT_PLACE : VIDA_CONTACT_STICK);
  const unsigned char kept = own->wanted[c];
  int code = VIDA_SUCCESS;
  if (contact->friction > 0.0) {
    own->wanted[c] = sliding;
    code = try_mode(stepper, c, "slides", error);
    own->wanted[c] = sticking;
    code = code ? code : try_mode(stepper, c, "sticks", error);
  } else {
    own->wanted[c] = VIDA_CONTACT_NORMAL;
    code = try_mode(stepper, c, contact->is_coupling ? "is engaged" : "rests", error);
  }
  own->wanted[c] = kept;
  return code;
}

int vida__check_modes(const VidaStepper* stepper, VidaError* error) {
  const vida_hybrid_contacts* own = stepper->hybrid ? stepper->hybrid->contacts : NULL;
  int code = VIDA_SUCCESS;
  for (int c = 0; own && c < own->count; c++) {
    own->wanted[c] = own->list[c].is_coupling && own->list[c].is_engaged ? VIDA_CONTACT_NORMAL : 0;
  }
  for (int c = 0; own && c < own->count && !code; c++) {
    code = is_to_be_tried(own, c) ? try_states(stepper, c, error) : VIDA_SUCCESS;
  }
  return code;
}
