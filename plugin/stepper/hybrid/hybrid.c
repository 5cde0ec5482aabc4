/* Steps with events: parts of a step, which end where something changes. */
#include "stepper/hybrid/hybrid.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "stepper/branch_watch.h"
#include "stepper/hybrid/contacts.h"
#include "stepper/jumps.h"

enum { MOST_PARTS = 1000000, MOST_REPEATS = 1000 };

VidaStepper* vida__active_stepper(const VidaStepper* stepper) {
  return stepper->hybrid && stepper->started ? vida__current_mode(stepper->hybrid)->stepper
                                             : (VidaStepper*)stepper;
}

/* ---- creation -------------------------------------------------------------------------------- */

static int allocate_samples(vida_hybrid* hybrid, VidaError* error) {
  vida_search *acting = &hybrid->acting, *recorded = &hybrid->recorded;
  vida_sample* const samples[] = {&hybrid->at,       &hybrid->tried,  &hybrid->acted,
                                  &hybrid->ended,    &hybrid->node,   &acting->from,
                                  &acting->before,   &acting->after,  &recorded->from,
                                  &recorded->before, &recorded->after};
  const size_t n = (size_t)hybrid->frame->self.model.n, count = (size_t)hybrid->watched_count;
  const size_t number = sizeof samples / sizeof *samples;
  const size_t each = 2 * n + 2 * count;
  const size_t contact_rows = hybrid->contacts ? (size_t)hybrid->contacts->all->row_count : 0;
  const size_t rows = (size_t)hybrid->frame->self.model.m + contact_rows;
  hybrid->block = vida__allocate(number * each + 3 * n + rows, sizeof *hybrid->block);
  hybrid->node_watched = vida__allocate(count, sizeof *hybrid->node_watched);
  if (!hybrid->block || !hybrid->node_watched) {
    return vida__fail_memory(error);
  }
  for (size_t k = 0; k < number; k++) {
    double* place = hybrid->block + k * each;
    *samples[k] = (vida_sample){0.0, place, place + n, place + 2 * n, place + 2 * n + count};
  }
  hybrid->v_before = hybrid->block + number * each;
  hybrid->extent = hybrid->v_before + n;
  hybrid->node_extent = hybrid->extent + n;
  hybrid->node_lambda = hybrid->node_extent + n;
  return VIDA_SUCCESS;
}

static int list_functions(vida_hybrid* hybrid, VidaError* error) {
  const VidaSystem* system = hybrid->frame->self.model.system;
  const size_t contacts = hybrid->contacts ? (size_t)hybrid->contacts->count : 0;
  hybrid->watched =
      vida__allocate((size_t)system->event_count + 2 * contacts, sizeof *hybrid->watched);
  if (!hybrid->watched) {
    return vida__fail_memory(error);
  }
  for (int i = 0; i < system->event_count; i++) {
    const vida_event* event = &system->events[i];
    const VidaDirection direction = event->direction;
    const bool is_record = event->action == VIDA_EVENT_RECORD && event->coupling_count == 0;
    hybrid->has_records = hybrid->has_records || is_record;
    hybrid->watched[hybrid->watched_count++] =
        (vida_watched){.kind = VIDA_WATCHED_EVENT,
                       .index = i,
                       .is_record = is_record,
                       .is_rising = direction != VIDA_DIRECTION_FALLING,
                       .is_falling = direction != VIDA_DIRECTION_RISING};
  }
  vida__watch_contacts(hybrid);
  return VIDA_SUCCESS;
}

int vida__hybrid_create(VidaStepper* stepper, VidaError* error) {
  const VidaSystem* system = stepper->self.model.system;
  const bool takes_contacts = stepper->self.method->info.capabilities & VIDA_CAN_CONTACTS;
  const bool has_contacts = VidaSystem_ContactCount(system) > 0 && !takes_contacts;
  if (system->event_count == 0 && !has_contacts) {
    return VIDA_SUCCESS;
  }
  vida_hybrid* made = vida__allocate(1, sizeof *made);
  stepper->hybrid = made;
  if (!made) {
    return vida__fail_memory(error);
  }
  made->frame = stepper;
  made->recorded.is_of_records = true;
  made->search = &made->acting;
  int code = vida__evaluator_create(system, &made->evaluator, error);
  if (!code && has_contacts) {
    code = vida__contacts_create(made, error);
  }
  code = code ? code : list_functions(made, error);
  code = code ? code : allocate_samples(made, error);
  code = code ? code : vida__add_mode(made, made->contacts ? made->contacts->flags : NULL, error);
  /* The steppers of the modes meet the jumps in time. The frame evaluates formulas at nodes. */
  vida__jumps_destroy(&stepper->jumps);
  stepper->self.model.evaluator.segment = NULL;
  return code;
}

void vida__hybrid_destroy(vida_hybrid** hybrid) {
  vida_hybrid* old = *hybrid;
  if (!old) {
    return;
  }
  for (int k = 0; k < old->mode_count; k++) {
    vida__destroy_mode(&old->modes[k]);
  }
  vida__hybrid_contacts_destroy(&old->contacts);
  vida__evaluator_destroy(&old->evaluator);
  free(old->modes);
  free(old->watched);
  free(old->node_watched);
  free(old->block);
  free(old);
  *hybrid = NULL;
}

/* ---- the state of the frame ------------------------------------------------------------------ */

/* Shows a node of the stepper of the mode, from its positions on (frame.h), as that of the frame.
 */
static void show_node(vida_hybrid* hybrid, const double* node, double lambda_t, const double* v) {
  VidaStepper* frame = hybrid->frame;
  const size_t n = (size_t)frame->self.model.n, m = (size_t)frame->self.model.m;
  VidaNode* to = &frame->self.node;
  memcpy(to->q, node, (5 * n + m) * sizeof *node);
  to->lambda_t = lambda_t;
  vida__replace_node(frame);
  memcpy(frame->node_velocity, v, n * sizeof *v);
  frame->has_node_velocity = true;
  to->t0 = hybrid->has_ended ? hybrid->end : hybrid->t0;
  to->h = hybrid->h;
  to->step = hybrid->has_ended ? 0 : hybrid->step;
}

/* Shows the state of the stepper of the mode as that of the frame. */
static int show_state(vida_hybrid* hybrid, VidaError* error) {
  VidaStepper* active = vida__current_mode(hybrid)->stepper;
  const double* v;
  const int code = vida__node_velocities(&active->self, &v, error);
  if (!code) {
    show_node(hybrid, active->self.node.q, active->self.node.lambda_t, v);
  }
  return code;
}

VidaStatistics vida__hybrid_statistics(const vida_hybrid* hybrid) {
  VidaStatistics sum = hybrid->spent;
  for (int k = 0; k < hybrid->mode_count; k++) {
    const VidaStepper* stepper = hybrid->modes[k].stepper;
    if (stepper->started) {
      vida__add_statistics(&sum, VidaStepper_Statistics(stepper));
      sum.singular_passages += VidaStepper_SingularPassages(stepper, NULL, NULL);
    }
  }
  return sum;
}

/* ---- start ----------------------------------------------------------------------------------- */

/* Remembers the places of the mode at a first start. */
static void keep_first(const vida_hybrid* hybrid, const VidaStepper* stepper) {
  const vida_mode* mode = vida__current_mode(hybrid);
  if (mode->variant) {
    vida__visit_places(hybrid, mode, true,
                       stepper == mode->probe      ? mode->probe_places
                       : stepper == mode->recorder ? mode->recorder_places
                                                   : mode->stepper_places);
  }
}

/* Starts a stepper of the mode at a sample with the step `way`. */
static int start_in_mode(vida_hybrid* hybrid, VidaStepper* stepper, const vida_sample* at,
                         double way, bool again, VidaError* error) {
  const size_t n = (size_t)stepper->self.model.n;
  const bool is_recorder = stepper == vida__current_mode(hybrid)->recorder;
  memcpy(stepper->self.model.extent, hybrid->extent, n * sizeof *hybrid->extent);
  for (size_t i = 0; i < n && !is_recorder; i++) {
    hybrid->extent[i] = fmax(hybrid->extent[i], fabs(at->q[i]));
  }
  if (!again) {
    keep_first(hybrid, stepper);
  }
  int code = stepper->jumps ? vida__jumps_begin(stepper, at->t, way, error) : VIDA_SUCCESS;
  return code ? code : vida__start_motion(stepper, at->t, way, at->q, at->v, again, error);
}

int vida__ready_probe(vida_hybrid* hybrid, const vida_sample* at, VidaError* error) {
  VidaStepper* probe = vida__current_mode(hybrid)->probe;
  return probe->started ? VIDA_SUCCESS : start_in_mode(hybrid, probe, at, hybrid->h, false, error);
}

static int start_part(vida_hybrid* hybrid, double way, VidaError* error) {
  vida_mode* mode = vida__current_mode(hybrid);
  hybrid->is_at_node = false;
  const bool again = mode->stepper->started && !mode->is_fresh;
  if (mode->stepper->started) {
    vida__add_statistics(&hybrid->spent, VidaStepper_Statistics(mode->stepper));
  }
  mode->is_fresh = false;
  if (mode->recorder && !again) {
    const int code = start_in_mode(hybrid, mode->recorder, &hybrid->at, way, false, error);
    if (code) {
      return code;
    }
  }
  return start_in_mode(hybrid, mode->stepper, &hybrid->at, way, again, error);
}

/* Returns the probe of the current search. */
static VidaStepper* probe_of(const vida_hybrid* hybrid) {
  const vida_mode* mode = vida__current_mode(hybrid);
  return hybrid->search->is_of_records ? mode->recorder : mode->probe;
}

static int start_probe(vida_hybrid* hybrid, double way, VidaError* error) {
  VidaStepper* probe = probe_of(hybrid);
  return start_in_mode(hybrid, probe, &hybrid->at, way, probe->started, error);
}

int vida__hybrid_start(VidaStepper* stepper, double t0, double h, const double* q, const double* v,
                       VidaError* error) {
  vida_hybrid* hybrid = stepper->hybrid;
  const size_t bytes = (size_t)stepper->self.model.n * sizeof *q;
  hybrid->t0 = t0;
  hybrid->h = h;
  hybrid->step = hybrid->parts = 0;
  hybrid->mode = 0;
  hybrid->has_ended = hybrid->is_flying = false;
  hybrid->crowd = (vida_crowd){.event_t = NAN, .record_t = NAN, .since = NAN};
  hybrid->search = &hybrid->acting;
  hybrid->spent = (VidaStatistics){0};
  for (int k = 0; k < hybrid->mode_count; k++) {
    hybrid->modes[k].stepper->started = hybrid->modes[k].probe->started = false;
  }
  hybrid->at.t = t0;
  memset(hybrid->extent, 0, bytes);
  memcpy(hybrid->at.q, q, bytes);
  memcpy(hybrid->at.v, v, bytes);
  for (int i = 0; i < hybrid->watched_count; i++) {
    hybrid->watched[i].side = hybrid->watched[i].kind == VIDA_WATCHED_EVENT ? 0 : 1;
    hybrid->watched[i].is_at_zero = hybrid->watched[i].is_fired = false;
    hybrid->watched[i].speed = 0.0;
  }
  int code = start_part(hybrid, h, error);
  code = code ? code : start_probe(hybrid, h, error);
  bool is_changed = false;
  code = code ? code : vida__start_contacts(hybrid, &is_changed, error);
  if (!code && (is_changed || hybrid->mode != 0)) {
    code = start_part(hybrid, h, error);
  }
  hybrid->is_aligned = !code;
  code = code ? code : vida__take_sample(hybrid, &hybrid->at, error);
  if (!code) {
    vida__begin_searches(hybrid, &hybrid->at);
    vida__compare_sample(hybrid, &hybrid->at); /* the signs at the start */
    hybrid->search = &hybrid->recorded;
    vida__compare_sample(hybrid, &hybrid->at);
    hybrid->search = &hybrid->acting;
    code = show_state(hybrid, error);
  }
  return code;
}

void vida__hybrid_space_nodes(VidaStepper* stepper, double h) {
  vida_hybrid* hybrid = stepper->hybrid;
  hybrid->t0 = VidaStepper_Time(stepper);
  hybrid->h = h;
  hybrid->step = 0;
  hybrid->is_aligned = false;
}

/* ---- steps of the probe ---------------------------------------------------------------------- */

static int make_step(VidaStepper* stepper, VidaError* error) {
  return stepper->jumps ? vida__jumps_step(stepper, error) : vida__make_step(stepper, error);
}

/* Computes hybrid->tried at the time t on the cubic through the state before an event and that at
 * the end of the search. */
static void interpolate(vida_hybrid* hybrid, double t) {
  const vida_sample *from = &hybrid->search->before, *to = hybrid->search->end;
  const double h = to->t - from->t, x = h > 0.0 ? (t - from->t) / h : 0.0, y = 1.0 - x;
  for (int i = 0; i < hybrid->frame->self.model.n; i++) {
    const double slope = h > 0.0 ? (to->q[i] - from->q[i]) / h : from->v[i];
    const double bend0 = from->v[i] - slope, bend1 = to->v[i] - slope;
    hybrid->tried.q[i] = y * from->q[i] + x * to->q[i] + h * x * y * (y * bend0 - x * bend1);
    hybrid->tried.v[i] = slope + y * (1.0 - 3.0 * x) * bend0 - x * (2.0 - 3.0 * x) * bend1;
  }
}

/* Computes hybrid->tried at the time t by a step of the probe. */
static int probe_to(vida_hybrid* hybrid, double t, VidaError* error) {
  VidaStepper* probe = probe_of(hybrid);
  vida_sample* tried = &hybrid->tried;
  const double way = t - hybrid->at.t;
  vida__copy_sample(hybrid, &hybrid->at, tried);
  if (hybrid->is_flying && way > 0.0 && probe->started &&
      vida__fly(hybrid, &probe->self, way, tried->q, tried->v)) {
    return VIDA_SUCCESS;
  }
  if (!(way > 0.0) || (way < VIDA_SHORTEST_PART * hybrid->h && probe->started &&
                       vida__advance_shortly(&probe->self, tried->t, way, tried->q, tried->v))) {
    return VIDA_SUCCESS;
  }
  int code = start_probe(hybrid, way, error);
  code = code ? code : make_step(probe, error);
  return code ? code : vida__copy_state(&probe->self, tried->q, tried->v, error);
}

int vida__try_time(vida_hybrid* hybrid, double t, VidaError* error) {
  VidaError reason = {0};
  int code = probe_to(hybrid, t, &reason);
  /* The motion has made the step that the probe, which begins anew, cannot make. */
  if (code > 0 && hybrid->search->is_of_records) {
    interpolate(hybrid, t);
    code = VIDA_SUCCESS;
  }
  if (code && error) {
    *error = reason;
  }
  hybrid->tried.t = t;
  return code ? code : vida__take_sample(hybrid, &hybrid->tried, error);
}

/* ---- events that are only recorded ----------------------------------------------------------- */

static int fail_chattering(const vida_hybrid* hybrid, double at, VidaError* error) {
  char t[VIDA_REAL_TEXT_SIZE], more[VIDA_METHODS_SIZE] = "";
  if (hybrid->contacts) {
    vida__append_stepping(hybrid->frame->self.model.system, "; ", "and",
                          " take contacts without events", more, sizeof more);
  } else {
    vida__append(more, sizeof more,
                 "; let its action move the state away from the zero of its function");
  }
  return vida__fail_flag(error, VIDA_STEP_NOT_CONVERGED, "CHATTERING",
                         "events follow each other without end at t = %s (chattering), the last "
                         "one is '%s'%s",
                         vida__real_text(t, at, 12), vida__fired_name(hybrid), more);
}

/* Counts an event, and fails after too many of them in a step of the caller. */
static int count_event(vida_hybrid* hybrid, double end, VidaError* error) {
  char t[VIDA_REAL_TEXT_SIZE];
  if (++hybrid->parts <= MOST_PARTS) {
    return VIDA_SUCCESS;
  }
  return vida__fail_flag(error, VIDA_STEP_NOT_CONVERGED, "CHATTERING",
                         "there are more than %d events in the step that ends at t = %s; the last "
                         "one is '%s' at t = %s; try a smaller h",
                         MOST_PARTS, vida__real_text(t, end, 12), vida__fired_name(hybrid),
                         vida__real_text((char[VIDA_REAL_TEXT_SIZE]){0}, hybrid->tried.t, 12));
}

/* Returns whether two events happen at one time. */
static bool is_same_time(double t, double before) {
  return t - before <= 8.0 * DBL_EPSILON * fabs(t); /* false for NaN */
}

/* Fails if recorded events follow each other without end. */
static int check_records(vida_hybrid* hybrid, double end, VidaError* error) {
  vida_crowd* crowd = &hybrid->crowd;
  const double at = hybrid->tried.t;
  crowd->record_repeats = is_same_time(at, crowd->record_t) ? crowd->record_repeats + 1 : 0;
  crowd->record_t = at;
  return crowd->record_repeats > MOST_REPEATS ? fail_chattering(hybrid, at, error)
                                              : count_event(hybrid, end, error);
}

/* Reports the recorded events up to a sample: hybrid->ended or hybrid->acted. */
static int record_up_to(vida_hybrid* hybrid, const vida_sample* end, VidaError* error) {
  vida_search* search = &hybrid->recorded;
  int code = VIDA_SUCCESS;
  hybrid->search = search;
  search->end = end;
  while (!code) {
    vida__compare_sample(hybrid, end);
    code = search->is_crossed || hybrid->was_followed ? VIDA_SUCCESS
                                                      : vida__look_between(hybrid, end, error);
    if (code || !search->is_crossed) {
      break;
    }
    code = vida__locate_event(hybrid, error);
    code = code ? code : check_records(hybrid, end->t, error);
    code = code ? code : vida__report_records(hybrid, error);
    vida__copy_sample(hybrid, &hybrid->tried, &search->from);
    vida__copy_sample(hybrid, &hybrid->tried, &search->before);
    search->is_crossed = false;
  }
  hybrid->search = &hybrid->acting;
  return code;
}

/* Reports the recorded events before the one at hybrid->tried, and marks those that happen with it.
 */
static int record_before(vida_hybrid* hybrid, VidaError* error) {
  if (!hybrid->has_records) {
    return VIDA_SUCCESS;
  }
  vida__copy_sample(hybrid, &hybrid->tried, &hybrid->acted);
  const int code = record_up_to(hybrid, &hybrid->acted, error);
  vida__copy_sample(hybrid, &hybrid->acted, &hybrid->tried);
  vida__mark_records(hybrid);
  hybrid->crowd.record_t = hybrid->tried.t;
  return code;
}

/* ---- parts of a step ------------------------------------------------------------------------- */

int vida__hybrid_follow(VidaStepper* active, double t, const double* q, const double* v,
                        VidaError* error) {
  vida_hybrid* hybrid = active->outer ? active->outer->hybrid : NULL;
  if (!hybrid || !hybrid->is_following || !hybrid->frame->self.adaptive ||
      vida__current_mode(hybrid)->stepper != active || hybrid->acting.is_crossed ||
      t > hybrid->part_end) {
    return VIDA_SUCCESS;
  }
  const size_t bytes = (size_t)active->self.model.n * sizeof *q;
  hybrid->ended.t = t;
  memcpy(hybrid->ended.q, q, bytes);
  memcpy(hybrid->ended.v, v, bytes);
  const int code = vida__take_sample(hybrid, &hybrid->ended, error);
  hybrid->was_followed = true;
  if (code) {
    return code;
  }
  vida__compare_sample(hybrid, &hybrid->ended);
  return hybrid->has_records && !hybrid->acting.is_crossed
             ? record_up_to(hybrid, &hybrid->ended, error)
             : VIDA_SUCCESS;
}

/* Takes the state to which the stepper of the mode has come. */
static int take_ended(vida_hybrid* hybrid, double end, VidaError* error) {
  VidaIntegration* self = &vida__current_mode(hybrid)->stepper->self;
  const int code = vida__copy_state(self, hybrid->ended.q, hybrid->ended.v, error);
  hybrid->ended.t = end;
  return code ? code : vida__take_sample(hybrid, &hybrid->ended, error);
}

/* Makes a short part with the probe. */
static int make_short_part(vida_hybrid* hybrid, double end, VidaError* error) {
  const int code = vida__try_time(hybrid, end, error);
  vida__copy_sample(hybrid, &hybrid->tried, &hybrid->ended);
  hybrid->is_aligned = false;
  return code;
}

/* Makes the step of the method from hybrid->at to `end`, or a flight that ends earlier;
 * hybrid->ended receives the state there. Own steps of the method are compared on the way. */
static int make_part(vida_hybrid* hybrid, double end, bool is_tried, VidaError* error) {
  VidaStepper* active = vida__current_mode(hybrid)->stepper;
  const double way = end - hybrid->at.t;
  const bool is_whole = fabs(way - hybrid->h) <= 16.0 * DBL_EPSILON * fmax(fabs(end), hybrid->h);
  const double landing = vida__find_flight(hybrid, end);
  hybrid->was_followed = false;
  hybrid->is_flying = !isnan(landing);
  if (hybrid->is_flying || (!is_whole && way < VIDA_SHORTEST_PART * hybrid->h)) {
    return make_short_part(hybrid, hybrid->is_flying ? landing : end, error);
  }
  int code = VIDA_SUCCESS;
  if (!is_whole || !hybrid->is_aligned) {
    code = start_part(hybrid, is_whole ? hybrid->h : way, error);
  }
  hybrid->is_aligned = is_whole;
  hybrid->is_following = true;
  hybrid->part_end = end;
  const bool is_made =
      !code && is_whole && !is_tried && !active->jumps && vida__try_calm_step(active);
  code = code || is_made ? code : make_step(active, error);
  hybrid->is_following = false;
  hybrid->is_at_node = hybrid->is_at_node && code != VIDA_SUCCESS;
  return code ? code : take_ended(hybrid, end, error);
}

/* Notices events that follow each other ever faster. */
static void watch_crowd(vida_hybrid* hybrid, double t) {
  enum { CROWD = 64 };
  static const double crowded = 1e-6; /* of a step, for so many events */
  hybrid->crowd.is_crowded =
      hybrid->crowd.is_crowded && t - hybrid->crowd.since < crowded * hybrid->h;
  if (++hybrid->crowd.count >= CROWD) {
    hybrid->crowd.is_crowded = t - hybrid->crowd.since < crowded * hybrid->h; /* false for NaN */
    hybrid->crowd.crowds = hybrid->crowd.is_crowded ? hybrid->crowd.crowds + 1 : 0;
    hybrid->crowd.since = t;
    hybrid->crowd.count = 0;
  }
}

/* Returns whether events accumulate at a time (Zeno). Where there are contacts, the motion comes to
 * rest instead. */
static bool accumulates(const vida_hybrid* hybrid) {
  enum { MOST_CROWDS = 4 };
  const long of_all = hybrid->watched_count / 8; /* all functions may vanish at one time */
  return !hybrid->contacts && hybrid->crowd.crowds >= MOST_CROWDS + of_all;
}

/* Fails if events that may change the motion follow each other without end. */
static int check_progress(vida_hybrid* hybrid, double end, VidaError* error) {
  static const double near_part = 1e-3; /* of a step, after an event */
  const double at = hybrid->tried.t;
  const bool stands = is_same_time(at, hybrid->crowd.event_t);
  const bool is_near = at - hybrid->crowd.event_t <= near_part * hybrid->h; /* false for NaN */
  hybrid->crowd.repeats = stands ? hybrid->crowd.repeats + 1 : 0;
  hybrid->crowd.event_t = at;
  watch_crowd(hybrid, at);
  if (hybrid->crowd.repeats > MOST_REPEATS || accumulates(hybrid) ||
      (is_near && vida__is_turned_back(hybrid))) {
    return fail_chattering(hybrid, at, error);
  }
  return count_event(hybrid, end, error);
}

/* Processes the events up to hybrid->ended that do not change the motion, and the first one that
 * does (*is_changed), which leaves hybrid->tried at the state after it. */
static int process_part(vida_hybrid* hybrid, bool* is_changed, VidaError* error) {
  const bool is_followed = hybrid->was_followed;
  int code = VIDA_SUCCESS;
  *is_changed = false;
  while (!code && !*is_changed) {
    vida__compare_sample(hybrid, &hybrid->ended);
    code = hybrid->acting.is_crossed || is_followed
               ? VIDA_SUCCESS
               : vida__look_between(hybrid, &hybrid->ended, error);
    if (code || !hybrid->acting.is_crossed) {
      break;
    }
    code = vida__locate_event(hybrid, error);
    code = code ? code : check_progress(hybrid, hybrid->ended.t, error);
    code = code ? code : record_before(hybrid, error);
    code = code ? code : vida__process_events(hybrid, is_changed, error);
    /* The event may have changed which gaps are too small to count. */
    if (!code && !*is_changed && hybrid->contacts) {
      code = vida__take_sample(hybrid, &hybrid->ended, error);
    }
    /* Own steps of the method after the event have not been compared: it makes them again. */
    *is_changed = *is_changed || is_followed;
    vida__begin_searches(hybrid, &hybrid->tried);
  }
  return code || *is_changed || !hybrid->has_records ? code
                                                     : record_up_to(hybrid, &hybrid->ended, error);
}

/* What has become of a step before its first part. */
typedef enum step_begin {
  STEP_NEW,
  STEP_TRIED, /* it is not a calm one, and the stepper of the mode is still at the node */
  STEP_MADE,  /* hybrid->ended is its end, and functions may have changed their signs on the way */
  STEP_QUIET  /* nothing has happened, and hybrid->at is its end */
} step_begin;

static int advance(vida_hybrid* hybrid, double end, step_begin begin, VidaError* error) {
  int code = VIDA_SUCCESS;
  hybrid->parts = 0;
  while (!code && !hybrid->has_ended && hybrid->at.t < end) {
    bool is_changed = false;
    vida__begin_searches(hybrid, &hybrid->at);
    code = begin == STEP_MADE ? VIDA_SUCCESS : make_part(hybrid, end, begin == STEP_TRIED, error);
    hybrid->is_flying = hybrid->is_flying && begin != STEP_MADE;
    begin = STEP_NEW;
    code = code ? code : process_part(hybrid, &is_changed, error);
    if (code) {
      break;
    }
    vida__copy_sample(hybrid, is_changed ? &hybrid->tried : &hybrid->ended, &hybrid->at);
    if (is_changed) {
      hybrid->is_aligned = false;
      code = vida__take_sample(hybrid, &hybrid->at, error);
      if (!vida__leave_event(hybrid, &hybrid->at) && !code) {
        code = fail_chattering(hybrid, hybrid->at.t, error);
      }
    } else if (!hybrid->is_flying) {
      hybrid->at.t = end;
    }
  }
  /* The frame shows the state of the stepper of the mode, which must be there. */
  if (!code && (hybrid->has_ended || !hybrid->is_aligned)) {
    code = start_part(hybrid, hybrid->h, error);
    hybrid->is_aligned = !code;
  }
  return code;
}

/* ---- steps ----------------------------------------------------------------------------------- */

/* The steppers of a mode. */
static VidaStepper* stepper_of(const vida_mode* mode, int k) {
  return k == 0 ? mode->stepper : k == 1 ? mode->probe : mode->recorder;
}

/* Keeps the node before a step, apart from what vida__keep_contacts keeps. `lambda`: multipliers of
 * the mode there. */
static void keep_node(vida_hybrid* hybrid, const double* lambda, double lambda_t) {
  const VidaStepper* active = vida__current_mode(hybrid)->stepper;
  vida__copy_sample(hybrid, &hybrid->at, &hybrid->node);
  hybrid->node_mode = hybrid->mode;
  hybrid->node_crowd = hybrid->crowd;
  memcpy(hybrid->node_extent, hybrid->extent,
         (size_t)hybrid->frame->self.model.n * sizeof *hybrid->extent);
  memcpy(hybrid->node_lambda, lambda, (size_t)active->self.model.m * sizeof *lambda);
  hybrid->node_lambda_t = lambda_t;
  hybrid->node_is_begun = active->self.node.step > 0;
  memcpy(hybrid->node_watched, hybrid->watched,
         (size_t)hybrid->watched_count * sizeof *hybrid->watched);
  for (int m = 0; m < hybrid->mode_count; m++) {
    vida_mode* mode = &hybrid->modes[m];
    mode->node_is_fresh = mode->is_fresh;
    for (int k = 0; k < 3; k++) {
      mode->node_started[k] = stepper_of(mode, k) && stepper_of(mode, k)->started;
    }
  }
}

/* Steppers that the failed step has started first begin another time. */
static void return_modes(vida_hybrid* hybrid) {
  for (int m = 0; m < hybrid->mode_count; m++) {
    vida_mode* mode = &hybrid->modes[m];
    mode->is_fresh = mode->node_is_fresh;
    for (int k = 0; k < 3; k++) {
      if (stepper_of(mode, k)) {
        stepper_of(mode, k)->started = stepper_of(mode, k)->started && mode->node_started[k];
      }
    }
  }
}

/* Starts the stepper of the mode at the node again, with the multipliers that it had there. */
static void start_at_node(vida_hybrid* hybrid) {
  VidaStepper* active = vida__current_mode(hybrid)->stepper;
  VidaError unused;
  hybrid->is_aligned = !start_part(hybrid, hybrid->h, &unused);
  if (hybrid->is_aligned && hybrid->node_is_begun && active->self.method->multipliers) {
    active->has_node_multipliers = !vida__node_multipliers(&active->self, &unused);
  } else if (hybrid->is_aligned) {
    memcpy(active->self.node.lambda, hybrid->node_lambda,
           (size_t)active->self.model.m * sizeof *hybrid->node_lambda);
    active->self.node.lambda_t = hybrid->node_lambda_t;
  }
}

static void return_to_node(vida_hybrid* hybrid) {
  const size_t bytes = (size_t)hybrid->frame->self.model.n * sizeof *hybrid->extent;
  const bool is_there = hybrid->is_at_node && hybrid->mode == hybrid->node_mode;
  VidaError unused;
  vida__copy_sample(hybrid, &hybrid->node, &hybrid->at);
  hybrid->mode = hybrid->node_mode;
  hybrid->crowd = hybrid->node_crowd;
  hybrid->has_ended = hybrid->is_following = hybrid->is_flying = false;
  hybrid->search = &hybrid->acting;
  return_modes(hybrid);
  vida__keep_contacts(hybrid, true);
  memcpy(hybrid->extent, hybrid->node_extent, bytes);
  memcpy(hybrid->watched, hybrid->node_watched,
         (size_t)hybrid->watched_count * sizeof *hybrid->watched);
  if (!is_there) {
    vida__take_sample(hybrid, &hybrid->at, &unused); /* with its rows, which a start reads */
    vida__keep_contacts(hybrid, true);
    start_at_node(hybrid);
    memcpy(hybrid->extent, hybrid->node_extent, bytes);
  }
}

/* Makes a calm step from a node, in which nothing happens, or begins another one. */
static step_begin begin_step(vida_hybrid* hybrid, double end, int* code, VidaError* error) {
  VidaStepper* active = vida__current_mode(hybrid)->stepper;
  if (!hybrid->is_aligned || active->jumps) {
    return STEP_NEW;
  }
  if (!vida__try_calm_step(active)) {
    return STEP_TRIED;
  }
  hybrid->was_followed = false;
  *code = take_ended(hybrid, end, error);
  return !*code && vida__pass_quietly(hybrid) ? STEP_QUIET : STEP_MADE;
}

/* Makes quiet steps, and returns what the next one has begun with. */
static step_begin make_quiet_steps(vida_hybrid* hybrid, long most, long* made, int* code,
                                   VidaError* error) {
  VidaNode* node = &hybrid->frame->self.node;
  step_begin begin = STEP_QUIET;
  for (*made = 0; *made < most; (*made)++) {
    vida__keep_contacts(hybrid, false);
    begin = begin_step(hybrid, hybrid->t0 + (double)(hybrid->step + 1) * hybrid->h, code, error);
    if (begin != STEP_QUIET) {
      break;
    }
    node->step = ++hybrid->step; /* for messages */
  }
  return begin;
}

/* Shows the node before a step that has begun after quiet ones. */
static int show_before(vida_hybrid* hybrid, step_begin begin, VidaError* error) {
  const VidaStepper* active = vida__current_mode(hybrid)->stepper;
  if (begin != STEP_MADE) {
    return show_state(hybrid, error);
  }
  show_node(hybrid, active->kept, active->kept_lambda_t, hybrid->at.v);
  return VIDA_SUCCESS;
}

/* Makes one step from the node, which may have begun. */
static int finish_step(vida_hybrid* hybrid, step_begin begin, int code, VidaError* error) {
  const VidaStepper* active = vida__current_mode(hybrid)->stepper;
  const bool is_made = begin == STEP_MADE;
  const double end = hybrid->t0 + (double)(hybrid->step + 1) * hybrid->h;
  keep_node(hybrid, is_made ? active->kept + 5 * active->self.model.n : active->self.node.lambda,
            is_made ? active->kept_lambda_t : active->self.node.lambda_t);
  hybrid->is_at_node = hybrid->is_aligned && !is_made;
  code = code ? code : advance(hybrid, end, begin, error);
  code = code ? code : hybrid->frame->interrupt.code;
  if (code) {
    return_to_node(hybrid); /* the next step starts there anyway */
  }
  return code;
}

int vida__hybrid_steps(VidaStepper* stepper, long most, long* made, VidaError* error) {
  vida_hybrid* hybrid = stepper->hybrid;
  int code = VIDA_SUCCESS;
  *made = 0;
  if (hybrid->has_ended) {
    char t[VIDA_REAL_TEXT_SIZE];
    return vida__fail(error, VIDA_WRONG_ORDER, "an event has ended the motion at t = %s",
                      vida__real_text(t, hybrid->end, 12));
  }
  vida__begin_interruptible(stepper);
  const step_begin begin = make_quiet_steps(hybrid, most, made, &code, error);
  const bool is_quiet = begin == STEP_QUIET;
  const int shown = *made > 0 ? show_before(hybrid, begin, error) : VIDA_SUCCESS;
  code = is_quiet ? shown : finish_step(hybrid, begin, code ? code : shown, error);
  if (vida__end_interruptible(stepper) && (code || is_quiet)) {
    return vida__fail_interrupted(stepper, error);
  }
  if (code || is_quiet) {
    return code;
  }
  hybrid->step++;
  (*made)++;
  return show_state(hybrid, error);
}
