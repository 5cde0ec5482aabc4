/* Contacts of a motion with events. */
#ifndef VIDA_STEPPER_HYBRID_CONTACTS_H
#define VIDA_STEPPER_HYBRID_CONTACTS_H

#include "stepper/hybrid/hybrid.h"

/* Returns the name of a contact. */
const char* vida__contact_name(const VidaSystem* system, int contact);
/* Fills the functions of contacts in a sample. */
int vida__sample_contacts(vida_hybrid* hybrid, vida_sample* sample, VidaError* error);
/* Closes, opens and hits the contacts whose functions are marked, at hybrid->tried. */
int vida__process_contacts(vida_hybrid* hybrid, bool* is_changed, VidaError* error);

#endif
