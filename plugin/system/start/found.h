/* Notes on the free values that the start computed. */
#ifndef VIDA_SYSTEM_START_FOUND_H
#define VIDA_SYSTEM_START_FOUND_H

#include "system/model/model.h"

/* The given initial value of a coordinate, or of its rate. */
typedef VidaInitial vida_initial_getter(const void* data, int coordinate);

/* Appends "found: NAME = VALUE, ..." and a line break to notes (VIDA_NOTES_SIZE) for the free
 * values among x (n); if there are many, for those that are not 0. */
void vida__note_found(const VidaSystem* system, bool is_rate, vida_initial_getter* get,
                      const void* data, const double* x, char* notes);

#endif
