/* Samples of the functions of events, and the search for their zeros. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "stepper/hybrid/contacts.h"
#include "stepper/hybrid/hybrid.h"

/* Two times that rounding may have made different. */
static double slack_of(double t) {
  return 4.0 * DBL_EPSILON * fabs(t) + DBL_MIN;
}

static const char* name_of(const vida_hybrid* hybrid, const vida_watched* watched) {
  const VidaSystem* system = hybrid->frame->self.model.system;
  return watched->kind == VIDA_WATCHED_EVENT ? VidaSystem_EventName(system, watched->index)
                                             : VidaSystem_ContactName(system, watched->index);
}

/* Returns whether a function belongs to the current search. */
static bool is_sought(const vida_hybrid* hybrid, const vida_watched* watched) {
  return watched->is_record == hybrid->search->is_of_records;
}

const char* vida__fired_name(const vida_hybrid* hybrid) {
  const char* name = "";
  for (int i = 0; i < hybrid->watched_count; i++) {
    const bool is_meant = hybrid->watched[i].is_fired && is_sought(hybrid, &hybrid->watched[i]);
    name = is_meant ? name_of(hybrid, &hybrid->watched[i]) : name;
  }
  return name;
}

static int fail_function(const vida_hybrid* hybrid, const vida_watched* watched, double t,
                         VidaError* error) {
  char number[VIDA_REAL_TEXT_SIZE];
  return vida__fail(error, VIDA_NOT_FINITE, "%s '%s': its function has no finite value at t = %s",
                    watched->kind == VIDA_WATCHED_EVENT ? "event" : "contact",
                    name_of(hybrid, watched), vida__real_text(number, t, 12));
}

int vida__take_sample(vida_hybrid* hybrid, vida_sample* sample, VidaError* error) {
  const bool is_of_records = hybrid->search->is_of_records;
  int code = is_of_records ? VIDA_SUCCESS : vida__sample_contacts(hybrid, sample, error);
  for (int i = 0; i < hybrid->watched_count && !code; i++) {
    const vida_watched* watched = &hybrid->watched[i];
    if (is_of_records && !watched->is_record) {
      continue; /* contacts remember the largest sizes of all their samples */
    }
    if (watched->kind == VIDA_WATCHED_EVENT) {
      code = vida__evaluate_event(&hybrid->evaluator, watched->index, sample->t, sample->q,
                                  sample->v, &sample->value[i], &sample->rate[i]);
    }
    if (!code && !isfinite(sample->value[i])) {
      code = VIDA_NOT_FINITE;
    }
    code = code ? fail_function(hybrid, watched, sample->t, error) : code;
  }
  return code;
}

void vida__copy_sample(const vida_hybrid* hybrid, const vida_sample* from, vida_sample* to) {
  const size_t n = (size_t)hybrid->frame->self.model.n * sizeof(double);
  const size_t count = (size_t)hybrid->watched_count * sizeof(double);
  to->t = from->t;
  memcpy(to->q, from->q, n);
  memcpy(to->v, from->v, n);
  memcpy(to->value, from->value, count);
  memcpy(to->rate, from->rate, count);
}

static void swap_samples(vida_sample* a, vida_sample* b) {
  const vida_sample kept = *a;
  *a = *b;
  *b = kept;
}

static int sign_of(double value) {
  return (value > 0.0) - (value < 0.0);
}

/* Returns whether function i, which is leaving a zero, still has the other sign by rounding. */
static bool is_leaving(const vida_hybrid* hybrid, int i, const vida_sample* sample) {
  const vida_watched* watched = &hybrid->watched[i];
  const double near = 16.0 * slack_of(sample->t);
  const double event_t = watched->is_record ? hybrid->crowd.record_t : hybrid->crowd.event_t;
  return watched->kind == VIDA_WATCHED_EVENT && watched->is_at_zero &&
         sample->value[i] * watched->side <= 0.0 &&
         (isfinite(sample->rate[i]) ? sample->rate[i] * watched->side > 0.0
                                    : sample->t - event_t <= near);
}

/* Returns whether function i changes its sign up to a sample. */
static bool crosses_at(const vida_hybrid* hybrid, int i, const vida_sample* sample) {
  return vida__is_crossed(&hybrid->watched[i], sample->value[i]) && !is_leaving(hybrid, i, sample);
}

/* Takes the sign of function i at a sample at which it is not crossed. */
static void take_side(vida_hybrid* hybrid, int i, const vida_sample* sample) {
  vida_watched* watched = &hybrid->watched[i];
  const int side = sign_of(sample->value[i]);
  const bool is_one_sided = watched->kind != VIDA_WATCHED_EVENT;
  if (is_leaving(hybrid, i, sample)) {
    return;
  }
  watched->is_at_zero = watched->is_at_zero && (is_one_sided ? side != watched->side : side == 0);
  watched->side = side && !is_one_sided ? side : watched->side;
}

/* Returns whether an event function rests at its zero: its rate is rounding beside an earlier one,
 * or, where steps of a coarse tolerance bend its way, it moves slowly back to its side. */
static bool is_still(const vida_watched* watched, double rate) {
  static const double rounded_part = 1e-9, slow_part = 1e-3;
  const double part = rate * watched->side > 0.0 ? slow_part : rounded_part;
  return watched->kind == VIDA_WATCHED_EVENT && fabs(rate) <= part * watched->speed;
}

bool vida__leave_event(vida_hybrid* hybrid, const vida_sample* from) {
  const size_t bytes = (size_t)hybrid->frame->self.model.n * sizeof *from->v;
  const bool has_changed = memcmp(hybrid->v_before, from->v, bytes) != 0;
  bool moves = true;
  for (int i = 0; i < hybrid->watched_count; i++) {
    vida_watched* watched = &hybrid->watched[i];
    const int side = sign_of(from->value[i]);
    if (watched->kind != VIDA_WATCHED_EVENT) {
      continue;
    }
    moves = moves && !(has_changed && !watched->is_record && watched->is_fired &&
                       watched->touches && is_still(watched, from->rate[i]));
    watched->speed =
        watched->is_fired && isfinite(from->rate[i]) ? fabs(from->rate[i]) : watched->speed;
    if (has_changed && !isfinite(from->rate[i]) && side != 0) { /* it depends on velocities */
      watched->side = side;
      watched->is_at_zero = false;
    } else if (watched->is_at_zero && isfinite(from->rate[i]) && from->rate[i] != 0.0) {
      watched->side = sign_of(from->rate[i]);
    }
  }
  return moves;
}

bool vida__is_turned_back(const vida_hybrid* hybrid) {
  for (int i = 0; i < hybrid->watched_count; i++) {
    const vida_watched* watched = &hybrid->watched[i];
    if (watched->kind == VIDA_WATCHED_EVENT && !watched->is_record && watched->is_fired &&
        hybrid->tried.rate[i] * watched->side > 0.0) {
      return true;
    }
  }
  return false;
}

static void begin_search(const vida_hybrid* hybrid, const vida_sample* from, vida_search* search) {
  vida__copy_sample(hybrid, from, &search->from);
  vida__copy_sample(hybrid, from, &search->before);
  search->is_crossed = false;
}

void vida__begin_searches(vida_hybrid* hybrid, const vida_sample* from) {
  begin_search(hybrid, from, &hybrid->acting);
  if (hybrid->has_records) {
    begin_search(hybrid, from, &hybrid->recorded);
  }
}

static bool crosses(const vida_hybrid* hybrid, const vida_sample* sample) {
  for (int i = 0; i < hybrid->watched_count; i++) {
    if (is_sought(hybrid, &hybrid->watched[i]) && crosses_at(hybrid, i, sample)) {
      return true;
    }
  }
  return false;
}

void vida__compare_sample(vida_hybrid* hybrid, const vida_sample* next) {
  vida_search* search = hybrid->search;
  if (search->is_crossed) {
    return;
  }
  for (int i = 0; i < hybrid->watched_count; i++) {
    vida_watched* watched = &hybrid->watched[i];
    if (is_sought(hybrid, watched)) {
      watched->speed = fmax(watched->speed, fabs(next->rate[i])); /* not NaN */
    }
  }
  search->is_crossed = crosses(hybrid, next);
  if (!search->is_crossed) {
    for (int i = 0; i < hybrid->watched_count; i++) {
      if (is_sought(hybrid, &hybrid->watched[i])) {
        take_side(hybrid, i, next);
      }
    }
  }
  vida__copy_sample(hybrid, next, search->is_crossed ? &search->after : &search->before);
}

bool vida__pass_quietly(vida_hybrid* hybrid) {
  const vida_sample* next = &hybrid->ended;
  double t;
  for (int i = 0; i < hybrid->watched_count; i++) {
    if (crosses_at(hybrid, i, next)) {
      return false;
    }
  }
  for (int i = 0; i < hybrid->watched_count; i++) {
    vida_watched* watched = &hybrid->watched[i];
    watched->speed = fmax(watched->speed, fabs(next->rate[i])); /* not NaN */
    take_side(hybrid, i, next);
  }
  for (int i = 0; i < hybrid->watched_count; i++) {
    if (vida__may_dip(&hybrid->watched[i], i, &hybrid->at, next, &t)) {
      return false;
    }
  }
  swap_samples(&hybrid->at, &hybrid->ended);
  return true;
}

/* ---- two zeros in a step --------------------------------------------------------------------- */

/* Looks for a change of sign of function i near an extremum, whose time is estimated from the rates
 * at both ends of an interval that gets shorter. */
static int look_at_extremum(vida_hybrid* hybrid, int i, const vida_sample* end, VidaError* error) {
  enum { MOST_LOOKS = 12 };
  vida_search* search = hybrid->search;
  const vida_watched* watched = &hybrid->watched[i];
  double t = 0.0;
  vida__copy_sample(hybrid, end, &search->after);
  for (int k = 0; k < MOST_LOOKS; k++) {
    if (!vida__may_dip(watched, i, &search->before, &search->after, &t) ||
        t - search->before.t <= slack_of(t) || search->after.t - t <= slack_of(t)) {
      break;
    }
    const int code = vida__try_time(hybrid, t, error);
    if (code) {
      return code;
    }
    if (crosses(hybrid, &hybrid->tried)) {
      search->is_crossed = true;
      swap_samples(&hybrid->tried, &search->after);
      return VIDA_SUCCESS;
    }
    if (hybrid->tried.rate[i] * watched->side < 0.0) {
      swap_samples(&hybrid->tried, &search->before);
    } else {
      swap_samples(&hybrid->tried, &search->after);
    }
  }
  return VIDA_SUCCESS;
}

int vida__look_between(vida_hybrid* hybrid, const vida_sample* end, VidaError* error) {
  vida_search* search = hybrid->search;
  double t;
  for (int i = 0; i < hybrid->watched_count && !search->is_crossed; i++) {
    if (!is_sought(hybrid, &hybrid->watched[i])) {
      continue;
    }
    vida__copy_sample(hybrid, &search->from, &search->before);
    if (vida__may_dip(&hybrid->watched[i], i, &search->from, end, &t)) {
      const int code = look_at_extremum(hybrid, i, end, error);
      if (code) {
        return code;
      }
    }
  }
  return VIDA_SUCCESS;
}

/* ---- zeros ----------------------------------------------------------------------------------- */

/* Returns the earliest estimate of a zero between search->before and `after`. */
static double estimate(const vida_hybrid* hybrid, int iteration) {
  const vida_search* search = hybrid->search;
  double t = search->after.t;
  for (int i = 0; i < hybrid->watched_count; i++) {
    if (is_sought(hybrid, &hybrid->watched[i]) && crosses_at(hybrid, i, &search->after)) {
      t = fmin(t, vida__estimate_zero(&hybrid->watched[i], i, &search->before, &search->after,
                                      iteration));
    }
  }
  return fmax(t, search->before.t);
}

/* Returns whether function i changes its sign up to hybrid->tried. */
static bool is_zero_there(const vida_hybrid* hybrid, int i, int iteration) {
  const vida_search* search = hybrid->search;
  const double t = hybrid->tried.t;
  return crosses_at(hybrid, i, &search->after) &&
         vida__estimate_zero(&hybrid->watched[i], i, &search->before, &search->after, iteration) <=
             t + 4.0 * slack_of(t);
}

/* Marks the functions that change their sign up to hybrid->tried. */
static void mark_fired(vida_hybrid* hybrid, int iteration) {
  for (int i = 0; i < hybrid->watched_count; i++) {
    vida_watched* watched = &hybrid->watched[i];
    if (is_sought(hybrid, watched)) {
      watched->is_fired = is_zero_there(hybrid, i, iteration);
      watched->touches = is_still(watched, hybrid->tried.rate[i]);
    }
  }
}

void vida__mark_records(vida_hybrid* hybrid) {
  for (int i = 0; i < hybrid->watched_count; i++) {
    vida_watched* watched = &hybrid->watched[i];
    watched->is_fired = watched->is_record ? is_zero_there(hybrid, i, 0) : watched->is_fired;
  }
}

int vida__locate_event(vida_hybrid* hybrid, VidaError* error) {
  enum { MOST_TRIALS = 200 };
  vida_search* search = hybrid->search;
  for (int k = 0; k < MOST_TRIALS; k++) {
    double t = estimate(hybrid, k);
    const double slack = slack_of(search->after.t);
    if (search->after.t - search->before.t <= slack) {
      break;
    }
    /* An estimate at an end of the interval does not make it shorter. */
    if (t - search->before.t < slack && search->before.t > hybrid->at.t) {
      t = search->before.t + slack;
    }
    int code = vida__try_time(hybrid, t, error);
    if (code) {
      return code;
    }
    if (crosses(hybrid, &hybrid->tried)) {
      vida__copy_sample(hybrid, &hybrid->tried, &search->after);
    } else if (t > search->before.t) {
      vida__copy_sample(hybrid, &hybrid->tried, &search->before);
      for (int i = 0; i < hybrid->watched_count; i++) {
        vida_watched* watched = &hybrid->watched[i];
        watched->is_at_zero =
            watched->is_at_zero &&
            !(is_sought(hybrid, watched) && hybrid->tried.value[i] * watched->side > 0.0);
      }
    }
    if (fabs(estimate(hybrid, 0) - t) <= slack) {
      mark_fired(hybrid, 0);
      return VIDA_SUCCESS;
    }
  }
  const int code = vida__try_time(hybrid, search->after.t, error);
  if (!code) {
    mark_fired(hybrid, 1);
  }
  return code;
}
