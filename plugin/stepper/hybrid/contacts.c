#include "stepper/hybrid/contacts.h"

const char* vida__contact_name(const VidaSystem* system, int contact) {
  (void)system, (void)contact;
  return "";
}

int vida__sample_contacts(vida_hybrid* hybrid, vida_sample* sample, VidaError* error) {
  (void)hybrid, (void)sample, (void)error;
  return VIDA_SUCCESS;
}

int vida__process_contacts(vida_hybrid* hybrid, bool* is_changed, VidaError* error) {
  (void)hybrid, (void)is_changed, (void)error;
  return VIDA_SUCCESS;
}
