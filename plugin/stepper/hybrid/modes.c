/* Modes: sets of closed contacts, with the steppers that make the steps in them. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "stepper/hybrid/contacts.h"

static int create_one(vida_hybrid* hybrid, const VidaSystem* system, VidaStepper** made,
                      VidaError* error) {
  VidaStepper* frame = hybrid->frame;
  const int code = vida__create_stepper(system, frame->options, NULL, made, error);
  if (!code) {
    (*made)->outer = frame;
  } else if (error && system != frame->self.model.system) {
    error->flag[0] = '\0'; /* methods that accept the system itself may also refuse the mode */
  }
  return code;
}

static int fill_mode(vida_hybrid* hybrid, const unsigned char* flags, vida_mode* mode,
                     VidaError* error) {
  const VidaSystem* system = hybrid->frame->self.model.system;
  const size_t count = hybrid->contacts ? (size_t)hybrid->contacts->count : 0;
  mode->flags = vida__allocate(count, sizeof *mode->flags);
  mode->first_row = vida__allocate(count, sizeof *mode->first_row);
  mode->stepper_places = vida__allocate(3 * VIDA_SLIP_MOST * count, sizeof *mode->stepper_places);
  if (!mode->flags || !mode->first_row || !mode->stepper_places) {
    return vida__fail_memory(error);
  }
  mode->probe_places = mode->stepper_places + VIDA_SLIP_MOST * count;
  mode->recorder_places = mode->probe_places + VIDA_SLIP_MOST * count;
  for (size_t c = 0; c < count; c++) {
    mode->flags[c] = flags[c];
    mode->closed_count += flags[c] != 0;
  }
  int code = VIDA_SUCCESS;
  if (mode->closed_count > 0) {
    code = vida__variant_create(system, flags, &mode->variant, mode->first_row, error);
  }
  system = mode->variant ? mode->variant : system;
  code = code ? code : create_one(hybrid, system, &mode->stepper, error);
  code = code ? code : create_one(hybrid, system, &mode->probe, error);
  return code || !hybrid->has_records ? code : create_one(hybrid, system, &mode->recorder, error);
}

void vida__destroy_mode(vida_mode* mode) {
  VidaStepper_Destroy(&mode->stepper);
  VidaStepper_Destroy(&mode->probe);
  VidaStepper_Destroy(&mode->recorder);
  VidaSystem_Destroy(&mode->variant);
  free(mode->flags);
  free(mode->first_row);
  free(mode->stepper_places);
}

int vida__add_mode(vida_hybrid* hybrid, const unsigned char* flags, VidaError* error) {
  if (vida__reserve((void**)&hybrid->modes, &hybrid->mode_capacity, (size_t)hybrid->mode_count + 1,
                    sizeof *hybrid->modes)) {
    return vida__fail_memory(error);
  }
  vida_mode* mode = &hybrid->modes[hybrid->mode_count++];
  *mode = (vida_mode){0};
  const int code = fill_mode(hybrid, flags, mode, error);
  if (code) {
    vida__destroy_mode(&hybrid->modes[--hybrid->mode_count]);
  }
  return code;
}

vida_mode* vida__current_mode(const vida_hybrid* hybrid) {
  return &hybrid->modes[hybrid->mode];
}

/* Fails because the mode with these flags would be one too many. */
static int fail_modes(const vida_hybrid* hybrid, const unsigned char* flags, VidaError* error) {
  const vida_hybrid_contacts* own = hybrid->contacts;
  char closed[VIDA_MESSAGE_SIZE / 2] = "", t[VIDA_REAL_TEXT_SIZE];
  vida_name_list names = {closed, sizeof closed, VIDA_CONTACTS_NAMED, 0};
  for (int c = 0; c < own->count; c++) {
    if (flags[c]) {
      vida__list_name(&names, own->list[c].name);
    }
  }
  vida__end_list(&names);
  char more[VIDA_METHODS_SIZE] = "";
  vida__append_stepping(hybrid->frame->self.model.system, ", or ", "or",
                        ", which take contacts without modes", more, sizeof more);
  return vida__fail_flag(error, VIDA_STEP_NOT_CONVERGED, VIDA_TOO_MANY_MODES,
                         "at t = %s there would be more than max_modes = %d sets of contacts that "
                         "are closed, stick or slide; the next one has %s; try more%s",
                         vida__real_text(t, hybrid->tried.t, 10), hybrid->mode_count,
                         names.count > 0 ? closed : "no closed contact", more);
}

int vida__enter_mode(vida_hybrid* hybrid, const unsigned char* flags, VidaError* error) {
  const size_t count = (size_t)hybrid->contacts->count;
  for (int k = 0; k < hybrid->mode_count; k++) {
    if (memcmp(hybrid->modes[k].flags, flags, count) == 0) {
      hybrid->mode = k;
      return VIDA_SUCCESS;
    }
  }
  if (hybrid->mode_count >= VidaOptions_Get(hybrid->frame->options, "max_modes")) {
    return fail_modes(hybrid, flags, error);
  }
  const int code = vida__add_mode(hybrid, flags, error);
  hybrid->mode = code ? hybrid->mode : hybrid->mode_count - 1;
  return code;
}
