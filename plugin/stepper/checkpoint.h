/* Checkpoints: the state of a stepper as a record (base/record.h).
 *
 * A stepper is loaded into a new one, which is started again as the saved one was: this computes
 * all that follows from the start, and chooses plans and orders of elimination. Then the numbers
 * that steps have changed since replace those of the start. */
#ifndef VIDA_STEPPER_CHECKPOINT_H
#define VIDA_STEPPER_CHECKPOINT_H

#include "base/state_record.h"
#include "stepper/frame.h"

/* Saves a stepper as VidaStepper_SaveBytes does. *is_exact receives whether the loaded stepper goes
 * on bit for bit. */
int vida__save_stepper(const VidaStepper* stepper, unsigned char** bytes, size_t* size,
                       bool* is_exact, VidaError* error);

/* Visits the version, the method, its options and what its steps depend on in the system: a record
 * that differs fails and names what does. When it is loaded, *options receives the options, which
 * the caller frees with VidaOptions_Destroy, also after a failure (checkpoint_system.c). */
void vida__record_head(const VidaSystem* system, VidaOptions** options, VidaRecord* record);
/* Visits values of the equations of motion at the start of the motion, likewise
 * (checkpoint_system.c). */
void vida__record_equations(VidaStepper* stepper, VidaRecord* record);

#endif
