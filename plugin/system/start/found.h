/* What was found of values that were left free, in words. */
#ifndef VIDA_SYSTEM_START_FOUND_H
#define VIDA_SYSTEM_START_FOUND_H

#include "system/model/model.h"

/* What was given of a coordinate, or of its rate. */
typedef VidaInitial vida_initial_getter(const void* data, int coordinate);

/* Appends "found: NAME = VALUE, ..." and a line break to notes (VIDA_NOTES_SIZE) where some of the
 * values x (n) were free; of many those that are not 0. */
void vida__note_found(const VidaSystem* system, bool is_rate, vida_initial_getter* get,
                      const void* data, const double* x, char* notes);

#endif
