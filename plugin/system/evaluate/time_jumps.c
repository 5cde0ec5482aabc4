#include "system/evaluate/time_jumps.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "system/terms/traced.h"

enum { MOST_EVALUATIONS = 200000, MOST_DIGITS = 64 };
/* Conditions that are undecided on more than this part of an interval are refused. */
static const double visible_part = 1e-6;

/* ---- declared times -------------------------------------------------------------------------- */

int VidaSystem_AddJumpTime(VidaSystem* system, double t, VidaError* error) {
  char got[VIDA_REAL_TEXT_SIZE];
  if (VIDA_REFUSE_NULL(error, system)) {
    return VIDA_BAD_ARGUMENT;
  }
  if (system->complete) {
    return vida__fail(error, VIDA_WRONG_ORDER,
                      "system '%s' is complete; jumps are declared before VidaSystem_Complete",
                      system->name);
  }
  if (!isfinite(t)) {
    return vida__fail(error, VIDA_BAD_ARGUMENT, "the time of a jump must be finite, got %s",
                      vida__shortest_text(got, t));
  }
  if (vida__reserve((void**)&system->jump_times, &system->jump_time_capacity,
                    (size_t)system->jump_time_count + 1, sizeof *system->jump_times)) {
    return vida__fail_memory(error);
  }
  int place = system->jump_time_count;
  for (; place > 0 && system->jump_times[place - 1] > t; place--) {
    system->jump_times[place] = system->jump_times[place - 1];
  }
  system->jump_times[place] = t;
  system->jump_time_count++;
  return VIDA_SUCCESS;
}

/* ---- conditions of batches ------------------------------------------------------------------- */

/* The conditions of a batch, the parameters of instance 0, and the distance to those of the next
 * instance. */
typedef struct timed_batch {
  const vida_conditions* conditions;
  const char* name;
  const double* parameters;
  int stride, count;
} timed_batch;

static timed_batch describe_batch(const vida_functions* functions, bool is_traced,
                                  const vida_tape_place* place, int count) {
  timed_batch batch = {.conditions = NULL};
  const vida_traced* traced = (const vida_traced*)functions;
  if (is_traced && traced->conditions) {
    batch = (timed_batch){traced->conditions, functions->name, place->parameters, place->stride,
                          place->stride ? count : 1};
  }
  return batch;
}

/* Returns the number of batches: those of terms, then those of constraints. */
static int batch_count(const VidaSystem* system) {
  return system->term_batch_count + system->constraint_batch_count;
}

static timed_batch find_batch(const VidaSystem* system, int b) {
  if (b < system->term_batch_count) {
    const vida_term_batch* batch = &system->term_batches[b];
    const bool is_traced = batch->functions && !batch->kernel->is_callback;
    return describe_batch(batch->functions, is_traced, &batch->tape, batch->count);
  }
  const vida_constraint_batch* batch = &system->constraint_batches[b - system->term_batch_count];
  const bool is_traced = batch->functions && batch->kernel != &vida__callback_constraint;
  return describe_batch(batch->functions, is_traced, &batch->tape, batch->count);
}

bool vida__has_jumps(const VidaSystem* system) {
  bool has = system->jump_time_count > 0;
  for (int b = 0; b < batch_count(system) && !has; b++) {
    has = find_batch(system, b).conditions != NULL;
  }
  return has;
}

int vida__jump_search_create(const VidaSystem* system, vida_jump_search* search, VidaError* error) {
  int longest = 0;
  for (int b = 0; b < batch_count(system); b++) {
    const vida_conditions* conditions = find_batch(system, b).conditions;
    longest = conditions && conditions->count > longest ? conditions->count : longest;
  }
  *search = (vida_jump_search){.system = system};
  search->value = vida__allocate(2 * (size_t)longest, sizeof *search->value);
  if (!search->value) {
    return vida__fail_memory(error);
  }
  search->left = search->value + longest;
  return VIDA_SUCCESS;
}

void vida__jump_search_destroy(vida_jump_search* search) {
  free(search->value);
  *search = (vida_jump_search){0};
}

/* ---- searching ------------------------------------------------------------------------------- */

/* Returns whether a declared time lies between low and high, ends included. */
static bool has_declared(const VidaSystem* system, double low, double high) {
  int first = 0, last = system->jump_time_count;
  while (first < last) {
    const int middle = first + (last - first) / 2;
    if (system->jump_times[middle] < low) {
      first = middle + 1;
    } else {
      last = middle;
    }
  }
  return first < system->jump_time_count && system->jump_times[first] <= high;
}

/* Returns whether all conditions are decided from low to high. */
static bool is_decided(vida_jump_search* search, double low, double high) {
  const VidaSystem* system = search->system;
  search->evaluations++;
  if (has_declared(system, low, high)) {
    search->name = "a declared time";
    return false;
  }
  for (int b = 0; b < batch_count(system); b++) {
    const timed_batch batch = find_batch(system, b);
    for (int i = 0; batch.conditions && i < batch.count; i++) {
      if (!vida__conditions_decide(batch.conditions, batch.parameters + i * batch.stride, low, high,
                                   search->value)) {
        search->name = batch.name;
        return false;
      }
    }
  }
  return true;
}

/* Returns whether all conditions are equal in two intervals in which they are decided. */
static bool is_same(vida_jump_search* search, double low, double before, double after,
                    double high) {
  for (int b = 0; b < batch_count(search->system); b++) {
    const timed_batch batch = find_batch(search->system, b);
    for (int i = 0; batch.conditions && i < batch.count; i++) {
      const double* parameters = batch.parameters + i * batch.stride;
      vida__conditions_decide(batch.conditions, parameters, low, before, search->left);
      vida__conditions_decide(batch.conditions, parameters, after, high, search->value);
      if (!vida__conditions_equal(batch.conditions, search->left, search->value)) {
        return false;
      }
    }
  }
  return true;
}

/* Returns the smallest difference of times that the search resolves between low and high. */
static double find_grain(double low, double high, double span) {
  return fmax(2.0 * DBL_EPSILON * fmax(fabs(low), fabs(high)), DBL_EPSILON * span);
}

static int refuse(const vida_jump_search* search, const char* what, double from, double to,
                  VidaError* error) {
  char a[VIDA_REAL_TEXT_SIZE], b[VIDA_REAL_TEXT_SIZE];
  return vida__fail(error, VIDA_NOT_SUPPORTED,
                    "'%s': a condition of time %s between t = %s and t = %s; its changes cannot be "
                    "located. Give their times by vida.switch { at = { ... } }",
                    search->name ? search->name : "", what, vida__real_text(a, from, 12),
                    vida__real_text(b, to, 12));
}

/* Finds the first undecided interval of the smallest length. Returns false if there is none. The
 * search proceeds in time and halves undecided intervals. */
static bool find_undecided(vida_jump_search* search, double from, double to, double* low,
                           double* high) {
  double at = from, width = to - from;
  while (at < to && search->evaluations < MOST_EVALUATIONS) {
    const double end = fmin(at + width, to);
    const double grain = find_grain(at, end, to - from);
    if (is_decided(search, at, end)) {
      at = end;
      width *= 2.0;
    } else if (end - at <= 2.0 * grain) { /* factor 2, because sums of times are rounded */
      *low = at;
      *high = fmax(end, nextafter(at, INFINITY));
      return true;
    } else {
      width = fmax(0.5 * (end - at), grain);
    }
  }
  return search->evaluations >= MOST_EVALUATIONS;
}

/* Moves *high to the time from which all conditions are decided again. */
static bool leave_undecided(vida_jump_search* search, double low, double span, double* high) {
  const double grain = find_grain(low, *high, span);
  double width = grain;
  double before = *high; /* conditions are undecided up to this time */
  while (!is_decided(search, *high, *high + grain)) {
    before = *high;
    *high += width;
    width *= 2.0;
    if (!(*high - low <= visible_part * span)) {
      return false;
    }
  }
  while (*high - before > 2.0 * grain) {
    const double middle = before + 0.5 * (*high - before);
    if (is_decided(search, middle, middle + grain)) {
      *high = middle;
    } else {
      before = middle;
    }
  }
  return true;
}

/* Narrows a jump that is undecided in its last few digits to the last digit. A time with which a
 * formula compares t itself is then exact. */
static void narrow(vida_jump_search* search, double grain, vida_jump* jump) {
  const double from = jump->before, to = jump->after;
  if (to - from > 16.0 * grain) {
    return;
  }
  double next = nextafter(from, to);
  for (int i = 0; i < MOST_DIGITS && next < to && is_decided(search, from, next); i++) {
    jump->before = next;
    next = nextafter(next, to);
  }
  next = nextafter(to, from);
  for (int i = 0; i < MOST_DIGITS && next > jump->before && is_decided(search, next, to); i++) {
    jump->after = next;
    next = nextafter(next, from);
  }
  const bool is_narrow = nextafter(jump->before, to) >= jump->after;
  jump->t = is_narrow ? jump->after : 0.5 * (jump->before + jump->after);
}

int vida__find_jump(vida_jump_search* search, double from, double to, vida_jump* jump, bool* found,
                    VidaError* error) {
  const double span = to - from;
  double low = from, high = from;
  search->evaluations = 0;
  *found = false;
  while (find_undecided(search, high, to, &low, &high)) {
    if (search->evaluations >= MOST_EVALUATIONS) {
      return refuse(search, "may change too often", from, to, error);
    }
    if (!leave_undecided(search, low, span, &high)) {
      return refuse(search, "cannot be decided", low, high, error);
    }
    const double grain = find_grain(low, high, span);
    if (low == from || has_declared(search->system, low, high) ||
        !is_same(search, low - grain, low, high, high + grain)) {
      *jump = (vida_jump){low, 0.5 * (low + high), high};
      narrow(search, grain, jump);
      *found = true;
      return VIDA_SUCCESS;
    }
  }
  return VIDA_SUCCESS;
}
