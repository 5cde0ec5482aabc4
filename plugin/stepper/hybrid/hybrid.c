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

enum { MOST_PARTS = 1000000 };

/* ---- modes ----------------------------------------------------------------------------------- */

static int create_one(vida_hybrid* hybrid, const VidaSystem* system, VidaStepper** made,
                      VidaError* error) {
  VidaStepper* frame = hybrid->frame;
  const int code = vida__create_stepper(system, frame->options, NULL, made, error);
  if (!code) {
    (*made)->outer = frame;
  } else if (error && system != frame->self.model.system) {
    error->flag[0] = '\0'; /* methods that accept the system itself may also refuse the mode */
  }
  return code;
}

static int fill_mode(vida_hybrid* hybrid, const unsigned char* flags, vida_mode* mode,
                     VidaError* error) {
  const VidaSystem* system = hybrid->frame->self.model.system;
  const size_t count = hybrid->contacts ? (size_t)hybrid->contacts->count : 0;
  mode->flags = vida__allocate(count, sizeof *mode->flags);
  mode->first_row = vida__allocate(count, sizeof *mode->first_row);
  mode->stepper_places = vida__allocate(2 * VIDA_SLIP_MOST * count, sizeof *mode->stepper_places);
  if (!mode->flags || !mode->first_row || !mode->stepper_places) {
    return vida__fail_memory(error);
  }
  mode->probe_places = mode->stepper_places + VIDA_SLIP_MOST * count;
  for (size_t c = 0; c < count; c++) {
    mode->flags[c] = flags[c];
    mode->closed_count += flags[c] != 0;
  }
  int code = VIDA_SUCCESS;
  if (mode->closed_count > 0) {
    code = vida__variant_create(system, flags, &mode->variant, mode->first_row, error);
  }
  system = mode->variant ? mode->variant : system;
  code = code ? code : create_one(hybrid, system, &mode->stepper, error);
  return code ? code : create_one(hybrid, system, &mode->probe, error);
}

static void destroy_mode(vida_mode* mode) {
  VidaStepper_Destroy(&mode->stepper);
  VidaStepper_Destroy(&mode->probe);
  VidaSystem_Destroy(&mode->variant);
  free(mode->flags);
  free(mode->first_row);
  free(mode->stepper_places);
}

int vida__add_mode(vida_hybrid* hybrid, const unsigned char* flags, VidaError* error) {
  if (vida__reserve((void**)&hybrid->modes, &hybrid->mode_capacity, (size_t)hybrid->mode_count + 1,
                    sizeof *hybrid->modes)) {
    return vida__fail_memory(error);
  }
  vida_mode* mode = &hybrid->modes[hybrid->mode_count++];
  *mode = (vida_mode){0};
  const int code = fill_mode(hybrid, flags, mode, error);
  if (code) {
    destroy_mode(&hybrid->modes[--hybrid->mode_count]);
  }
  return code;
}

vida_mode* vida__current_mode(const vida_hybrid* hybrid) {
  return &hybrid->modes[hybrid->mode];
}

/* Fails because the mode with these flags would be one too many. */
static int fail_modes(const vida_hybrid* hybrid, const unsigned char* flags, VidaError* error) {
  const vida_hybrid_contacts* own = hybrid->contacts;
  char closed[VIDA_MESSAGE_SIZE / 2] = "", t[VIDA_REAL_TEXT_SIZE];
  vida_name_list names = {closed, sizeof closed, VIDA_CONTACTS_NAMED, 0};
  for (int c = 0; c < own->count; c++) {
    if (flags[c]) {
      vida__list_name(&names, own->list[c].name);
    }
  }
  vida__end_list(&names);
  char more[VIDA_METHODS_SIZE] = "";
  vida__append_stepping(hybrid->frame->self.model.system, ", or ", "or",
                        ", which take contacts without modes", more, sizeof more);
  return vida__fail_flag(error, VIDA_STEP_NOT_CONVERGED, VIDA_TOO_MANY_MODES,
                         "at t = %s there would be more than max_modes = %d sets of contacts that "
                         "are closed, stick or slide; the next one has %s; try more%s",
                         vida__real_text(t, hybrid->tried.t, 10), hybrid->mode_count,
                         names.count > 0 ? closed : "no closed contact", more);
}

int vida__enter_mode(vida_hybrid* hybrid, const unsigned char* flags, VidaError* error) {
  const size_t count = (size_t)hybrid->contacts->count;
  for (int k = 0; k < hybrid->mode_count; k++) {
    if (memcmp(hybrid->modes[k].flags, flags, count) == 0) {
      hybrid->mode = k;
      return VIDA_SUCCESS;
    }
  }
  if (hybrid->mode_count >= VidaOptions_Get(hybrid->frame->options, "max_modes")) {
    return fail_modes(hybrid, flags, error);
  }
  const int code = vida__add_mode(hybrid, flags, error);
  hybrid->mode = code ? hybrid->mode : hybrid->mode_count - 1;
  return code;
}

VidaStepper* vida__active_stepper(const VidaStepper* stepper) {
  return stepper->hybrid && stepper->started ? vida__current_mode(stepper->hybrid)->stepper
                                             : (VidaStepper*)stepper;
}

/* ---- creation -------------------------------------------------------------------------------- */

static int allocate_samples(vida_hybrid* hybrid, VidaError* error) {
  vida_sample* const samples[] = {&hybrid->at,   &hybrid->before, &hybrid->after, &hybrid->tried,
                                  &hybrid->from, &hybrid->ended,  &hybrid->node};
  const size_t n = (size_t)hybrid->frame->self.model.n, count = (size_t)hybrid->watched_count;
  const size_t number = sizeof samples / sizeof *samples;
  const size_t each = 2 * n + 2 * count;
  hybrid->block = vida__allocate(number * each + 3 * n, sizeof *hybrid->block);
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
    const VidaDirection direction = system->events[i].direction;
    hybrid->watched[hybrid->watched_count++] =
        (vida_watched){.kind = VIDA_WATCHED_EVENT,
                       .index = i,
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
    destroy_mode(&old->modes[k]);
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

/* Shows the state of the stepper of the mode as that of the frame. */
static int show_state(vida_hybrid* hybrid, VidaError* error) {
  VidaStepper *frame = hybrid->frame, *active = vida__current_mode(hybrid)->stepper;
  const size_t n = (size_t)frame->self.model.n * sizeof(double);
  VidaNode *to = &frame->self.node, *from = &active->self.node;
  const double* v;
  const int code = vida__node_velocities(&active->self, &v, error);
  if (code) {
    return code;
  }
  memcpy(to->q, from->q, n);
  memcpy(to->q_low, from->q_low, n);
  memcpy(to->p, from->p, n);
  memcpy(to->p_low, from->p_low, n);
  memcpy(to->lambda, from->lambda, (size_t)frame->self.model.m * sizeof(double));
  to->lambda_t = from->lambda_t;
  vida__replace_node(frame);
  memcpy(frame->node_velocity, v, n);
  frame->has_node_velocity = true;
  to->t0 = hybrid->has_ended ? hybrid->end : hybrid->t0;
  to->h = hybrid->h;
  to->step = hybrid->has_ended ? 0 : hybrid->step;
  return VIDA_SUCCESS;
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
                       stepper == mode->probe ? mode->probe_places : mode->stepper_places);
  }
}

/* Starts a stepper of the mode at a sample with the step `way`. */
static int start_in_mode(vida_hybrid* hybrid, VidaStepper* stepper, const vida_sample* at,
                         double way, bool again, VidaError* error) {
  const size_t n = (size_t)stepper->self.model.n;
  for (size_t i = 0; i < n; i++) {
    hybrid->extent[i] = fmax(hybrid->extent[i], fabs(at->q[i]));
  }
  memcpy(stepper->self.model.extent, hybrid->extent, n * sizeof *hybrid->extent);
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
  const bool again = mode->stepper->started && !mode->is_fresh;
  if (mode->stepper->started) {
    vida__add_statistics(&hybrid->spent, VidaStepper_Statistics(mode->stepper));
  }
  mode->is_fresh = false;
  return start_in_mode(hybrid, mode->stepper, &hybrid->at, way, again, error);
}

static int start_probe(vida_hybrid* hybrid, double way, VidaError* error) {
  VidaStepper* probe = vida__current_mode(hybrid)->probe;
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
  hybrid->has_ended = false;
  hybrid->crowd = (vida_crowd){.event_t = NAN, .since = NAN};
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
    vida__begin_search(hybrid, &hybrid->at);
    vida__compare_sample(hybrid, &hybrid->at); /* the signs at the start */
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

int vida__try_time(vida_hybrid* hybrid, double t, VidaError* error) {
  VidaStepper* probe = vida__current_mode(hybrid)->probe;
  vida_sample* tried = &hybrid->tried;
  const double way = t - hybrid->at.t;
  vida__copy_sample(hybrid, &hybrid->at, tried);
  int code = VIDA_SUCCESS;
  if (way > 0.0 && !(way < VIDA_SHORTEST_PART * hybrid->h && probe->started &&
                     vida__advance_shortly(&probe->self, tried->t, way, tried->q, tried->v))) {
    code = start_probe(hybrid, way, error);
    code = code ? code : make_step(probe, error);
    code = code ? code : vida__copy_state(&probe->self, tried->q, tried->v, error);
  }
  tried->t = t;
  return code ? code : vida__take_sample(hybrid, tried, error);
}

/* ---- parts of a step ------------------------------------------------------------------------- */

int vida__hybrid_follow(VidaStepper* active, double t, const double* q, const double* v,
                        VidaError* error) {
  vida_hybrid* hybrid = active->outer ? active->outer->hybrid : NULL;
  if (!hybrid || !hybrid->is_following || !hybrid->frame->self.adaptive ||
      vida__current_mode(hybrid)->stepper != active || hybrid->is_crossed || t > hybrid->part_end) {
    return VIDA_SUCCESS;
  }
  const size_t bytes = (size_t)active->self.model.n * sizeof *q;
  hybrid->tried.t = t;
  memcpy(hybrid->tried.q, q, bytes);
  memcpy(hybrid->tried.v, v, bytes);
  const int code = vida__take_sample(hybrid, &hybrid->tried, error);
  hybrid->was_followed = true;
  if (!code) {
    vida__compare_sample(hybrid, &hybrid->tried);
  }
  return code;
}

/* Makes the step of the method from hybrid->at to `end`; hybrid->ended receives the state there.
 * Own steps of the method are compared on the way. */
static int make_part(vida_hybrid* hybrid, double end, VidaError* error) {
  VidaStepper* active = vida__current_mode(hybrid)->stepper;
  const double way = end - hybrid->at.t;
  const bool is_whole = fabs(way - hybrid->h) <= 16.0 * DBL_EPSILON * fmax(fabs(end), hybrid->h);
  hybrid->was_followed = false;
  if (!is_whole && way < VIDA_SHORTEST_PART * hybrid->h) {
    const int code = vida__try_time(hybrid, end, error);
    vida__copy_sample(hybrid, &hybrid->tried, &hybrid->ended);
    hybrid->is_aligned = false;
    return code;
  }
  int code = VIDA_SUCCESS;
  if (!is_whole || !hybrid->is_aligned) {
    code = start_part(hybrid, is_whole ? hybrid->h : way, error);
  }
  hybrid->is_aligned = is_whole;
  hybrid->is_following = true;
  hybrid->part_end = end;
  code = code ? code : make_step(active, error);
  hybrid->is_following = false;
  code = code ? code : vida__copy_state(&active->self, hybrid->ended.q, hybrid->ended.v, error);
  hybrid->ended.t = end;
  return code ? code : vida__take_sample(hybrid, &hybrid->ended, error);
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

/* Fails if events follow each other without end. */
static int check_progress(vida_hybrid* hybrid, double end, VidaError* error) {
  enum { MOST_REPEATS = 1000 };
  static const double near_part = 1e-3; /* of a step, after an event */
  char t[VIDA_REAL_TEXT_SIZE];
  const double at = hybrid->tried.t;
  const bool stands =
      at - hybrid->crowd.event_t <= 8.0 * DBL_EPSILON * fabs(at);           /* false for NaN */
  const bool is_near = at - hybrid->crowd.event_t <= near_part * hybrid->h; /* false for NaN */
  hybrid->crowd.repeats = stands ? hybrid->crowd.repeats + 1 : 0;
  hybrid->crowd.event_t = at;
  watch_crowd(hybrid, at);
  if (hybrid->crowd.repeats > MOST_REPEATS || accumulates(hybrid) ||
      (is_near && vida__is_turned_back(hybrid))) {
    return fail_chattering(hybrid, at, error);
  }
  if (++hybrid->parts > MOST_PARTS) {
    return vida__fail_flag(
        error, VIDA_STEP_NOT_CONVERGED, "CHATTERING",
        "there are more than %d events in the step that ends at t = %s; the last "
        "one is '%s' at t = %s; try a smaller h",
        MOST_PARTS, vida__real_text(t, end, 12), vida__fired_name(hybrid),
        vida__real_text((char[VIDA_REAL_TEXT_SIZE]){0}, at, 12));
  }
  return VIDA_SUCCESS;
}

/* Processes the events up to hybrid->ended that do not change the motion, and the first one that
 * does (*is_changed), which leaves hybrid->tried at the state after it. */
static int process_part(vida_hybrid* hybrid, bool* is_changed, VidaError* error) {
  const bool is_followed = hybrid->was_followed;
  int code = VIDA_SUCCESS;
  *is_changed = false;
  while (!code && !*is_changed) {
    vida__compare_sample(hybrid, &hybrid->ended);
    code = hybrid->is_crossed || is_followed ? VIDA_SUCCESS : vida__look_between(hybrid, error);
    if (code || !hybrid->is_crossed) {
      break;
    }
    code = vida__locate_event(hybrid, error);
    code = code ? code : check_progress(hybrid, hybrid->ended.t, error);
    code = code ? code : vida__process_events(hybrid, is_changed, error);
    /* The event may have changed which gaps are too small to count. */
    if (!code && !*is_changed && hybrid->contacts) {
      code = vida__take_sample(hybrid, &hybrid->ended, error);
    }
    /* Own steps of the method after the event have not been compared: it makes them again. */
    *is_changed = *is_changed || is_followed;
    vida__begin_search(hybrid, &hybrid->tried);
  }
  return code;
}

static int advance(vida_hybrid* hybrid, double end, VidaError* error) {
  int code = VIDA_SUCCESS;
  hybrid->parts = 0;
  while (!code && !hybrid->has_ended && hybrid->at.t < end) {
    bool is_changed = false;
    vida__begin_search(hybrid, &hybrid->at);
    code = make_part(hybrid, end, error);
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
    } else {
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

static void keep_node(vida_hybrid* hybrid) {
  vida__copy_sample(hybrid, &hybrid->at, &hybrid->node);
  hybrid->node_mode = hybrid->mode;
  hybrid->node_crowd = hybrid->crowd;
  memcpy(hybrid->node_extent, hybrid->extent,
         (size_t)hybrid->frame->self.model.n * sizeof *hybrid->extent);
  vida__keep_contacts(hybrid, false);
  memcpy(hybrid->node_watched, hybrid->watched,
         (size_t)hybrid->watched_count * sizeof *hybrid->watched);
}

static void return_to_node(vida_hybrid* hybrid) {
  vida__copy_sample(hybrid, &hybrid->node, &hybrid->at);
  hybrid->mode = hybrid->node_mode;
  hybrid->crowd = hybrid->node_crowd;
  memcpy(hybrid->extent, hybrid->node_extent,
         (size_t)hybrid->frame->self.model.n * sizeof *hybrid->extent);
  vida__keep_contacts(hybrid, true);
  hybrid->is_aligned = hybrid->has_ended = hybrid->is_following = false;
  memcpy(hybrid->watched, hybrid->node_watched,
         (size_t)hybrid->watched_count * sizeof *hybrid->watched);
}

int vida__hybrid_step(VidaStepper* stepper, VidaError* error) {
  vida_hybrid* hybrid = stepper->hybrid;
  if (hybrid->has_ended) {
    char t[VIDA_REAL_TEXT_SIZE];
    return vida__fail(error, VIDA_WRONG_ORDER, "an event has ended the motion at t = %s",
                      vida__real_text(t, hybrid->end, 12));
  }
  keep_node(hybrid);
  vida__begin_interruptible(stepper);
  int code = advance(hybrid, hybrid->t0 + (double)(hybrid->step + 1) * hybrid->h, error);
  if (vida__end_interruptible(stepper)) {
    code = vida__fail_interrupted(stepper, error);
  }
  if (code) {
    VidaError unused; /* the next step starts there anyway */
    return_to_node(hybrid);
    hybrid->is_aligned = !start_part(hybrid, hybrid->h, &unused);
    return code;
  }
  hybrid->step++;
  return show_state(hybrid, error);
}
