/* Jumps in time: the times at which the conditions of time in the formulas of a system change, and
 * the times that were declared for its C functions. */
#ifndef VIDA_SYSTEM_EVALUATE_TIME_JUMPS_H
#define VIDA_SYSTEM_EVALUATE_TIME_JUMPS_H

#include "expr/interval_bounds.h"
#include "system/model/model.h"

/* Returns whether anything in the equations of motion may jump in time. */
bool vida__has_jumps(const VidaSystem* system);

/* A jump. Rounding leaves the conditions undecided between `before` and `after`; t lies between
 * them. */
typedef struct vida_jump {
  double before, t, after;
} vida_jump;

/* The mutable state of the search, for one thread. */
typedef struct vida_jump_search {
  const VidaSystem* system;
  vida_bounds *value, *left; /* work space for the longest list of conditions */
  const char* name;          /* of the last term with undecided conditions */
  long evaluations;          /* number of evaluations of conditions */
} vida_jump_search;

/* Creates a search. The caller frees it with vida__jump_search_destroy. */
int vida__jump_search_create(const VidaSystem* system, vida_jump_search* search, VidaError* error);
/* Frees a search. */
void vida__jump_search_destroy(vida_jump_search* search);

/* Finds the first jump in from <= t <= to: *found receives whether there is one, and *jump the
 * jump. The search evaluates conditions on intervals of time and misses no jump. Fails with
 * VIDA_NOT_SUPPORTED if a condition stays undecided on a significant part of the interval, or
 * changes too often. */
int vida__find_jump(vida_jump_search* search, double from, double to, vida_jump* jump, bool* found,
                    VidaError* error);

#endif
