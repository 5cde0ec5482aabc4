/* Jumps in time: when conditions of time change in the formulas of a system, and the times that
 * were declared for its C functions. */
#ifndef VIDA_SYSTEM_EVALUATE_TIME_JUMPS_H
#define VIDA_SYSTEM_EVALUATE_TIME_JUMPS_H

#include "expr/interval_bounds.h"
#include "system/model/model.h"

/* Whether anything in the equations of motion may jump in time. */
bool vida__has_jumps(const VidaSystem* system);

/* One jump. Rounding leaves open where it is between `before` and `after`, in which no condition is
 * certain; t is there. */
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

/* The first jump that is not before `from`, or `to` at the latest, into *jump, and whether there is
 * one into *found. No jump is passed over: conditions are evaluated for intervals of time. Fails
 * with VIDA_NOT_SUPPORTED where a condition cannot be told from its change for a visible part of
 * the interval, or changes too often. */
int vida__find_jump(vida_jump_search* search, double from, double to, vida_jump* jump, bool* found,
                    VidaError* error);

#endif
