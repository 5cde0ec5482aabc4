/* Jumps in time: the times at which conditions of time change in the formulas of a system, and the
 * times that were declared for its C functions. */
#ifndef VIDA_SYSTEM_EVALUATE_TIME_JUMPS_H
#define VIDA_SYSTEM_EVALUATE_TIME_JUMPS_H

#include "expr/interval_bounds.h"
#include "system/model/model.h"

/* Whether anything in the equations of motion may jump in time. */
bool vida__has_jumps(const VidaSystem* system);

/* A jump. It lies between `before` and `after`, where rounding leaves the conditions undecided; t
 * lies there. */
typedef struct vida_jump {
  double before, t, after;
} vida_jump;

/* The mutable side of the search, for one thread. */
typedef struct vida_jump_search {
  const VidaSystem* system;
  vida_bounds *value, *left; /* of the longest list of conditions */
  const char* name;          /* of the term whose conditions were last found undecided */
  long looks;
} vida_jump_search;

int vida__jump_search_create(const VidaSystem* system, vida_jump_search* search, VidaError* error);
void vida__jump_search_destroy(vida_jump_search* search);

/* Writes the first jump in from <= t <= to to *jump, and whether there is one to *found. The search
 * evaluates conditions on intervals of time, so that it misses no jump. Fails with
 * VIDA_NOT_SUPPORTED if a condition stays undecided on a significant part of the interval, or
 * changes too often. */
int vida__find_jump(vida_jump_search* search, double from, double to, vida_jump* jump, bool* found,
                    VidaError* error);

#endif
