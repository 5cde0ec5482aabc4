/* Checkpoints of motions with events: the modes with their steppers, and what is watched. */
#include <limits.h>
#include <string.h>

#include "base/state_record.h"
#include "stepper/hybrid/contacts.h"
#include "stepper/nested.h"

static void record_sample(const vida_hybrid* hybrid, vida_sample* sample, VidaRecord* record) {
  const size_t n = (size_t)hybrid->frame->self.model.n, count = (size_t)hybrid->watched_count;
  VidaRecord_Reals(record, &sample->t, 1);
  VidaRecord_Reals(record, sample->q, n);
  VidaRecord_Reals(record, sample->v, n);
  VidaRecord_Reals(record, sample->value, count);
  VidaRecord_Reals(record, sample->rate, count);
}

static void record_clock(vida_hybrid* hybrid, VidaRecord* record) {
  vida_crowd* crowd = &hybrid->crowd;
  double* reals[] = {&hybrid->t0,     &hybrid->h,       &hybrid->end,
                     &crowd->event_t, &crowd->record_t, &crowd->since};
  bool* flags[] = {&hybrid->is_aligned, &hybrid->has_ended, &crowd->is_crowded};
  for (size_t k = 0; k < sizeof reals / sizeof *reals; k++) {
    VidaRecord_Reals(record, reals[k], 1);
  }
  for (size_t k = 0; k < sizeof flags / sizeof *flags; k++) {
    VidaRecord_Flag(record, flags[k]);
  }
  VidaRecord_Integer(record, &hybrid->step, 0, LONG_MAX);
  VidaRecord_Integer(record, &crowd->repeats, 0, LONG_MAX);
  VidaRecord_Integer(record, &crowd->record_repeats, 0, LONG_MAX);
  VidaRecord_Integer(record, &crowd->crowds, 0, LONG_MAX);
  vida__record_integers(record, &crowd->count, 1, 0, INT_MAX);
  vida__record_statistics(&hybrid->spent, record);
}

static void record_watched(vida_hybrid* hybrid, VidaRecord* record) {
  for (int i = 0; i < hybrid->watched_count; i++) {
    vida_watched* watched = &hybrid->watched[i];
    vida__record_integers(record, &watched->side, 1, -1, 1);
    VidaRecord_Flag(record, &watched->is_at_zero);
    VidaRecord_Flag(record, &watched->is_fired);
    VidaRecord_Reals(record, &watched->speed, 1);
  }
}

/* ---- modes ----------------------------------------------------------------------------------- */

/* Returns whether a contact can have these flags. */
static bool are_flags(const vida_contact* contact, int flags) {
  const bool has_slips = contact->friction > 0.0;
  const int direction = VIDA_CONTACT_BACKWARD | (contact->slip_count > 1 ? VIDA_CONTACT_SECOND : 0);
  switch (flags & ~direction) {
    case VIDA_CONTACT_NORMAL | VIDA_CONTACT_SLIDE:
      return has_slips;
    case VIDA_CONTACT_NORMAL | VIDA_CONTACT_STICK:
      return flags == (VIDA_CONTACT_NORMAL | VIDA_CONTACT_STICK) && has_slips;
    case VIDA_CONTACT_NORMAL | VIDA_CONTACT_PLACE:
      return flags == (VIDA_CONTACT_NORMAL | VIDA_CONTACT_PLACE) && contact->displacement_count > 0;
    default:
      return flags == 0 || flags == VIDA_CONTACT_NORMAL;
  }
}

/* Visits the flags of mode k, and creates it where it is not there. */
static void record_flags(vida_hybrid* hybrid, int k, VidaRecord* record) {
  vida_hybrid_contacts* own = hybrid->contacts;
  for (int c = 0; own && c < own->count; c++) {
    int flags = k < hybrid->mode_count ? hybrid->modes[k].flags[c] : 0;
    vida__record_integers(record, &flags, 1, 0, UCHAR_MAX);
    own->wanted[c] = (unsigned char)flags;
    const bool is_same = k >= hybrid->mode_count || hybrid->modes[k].flags[c] == flags;
    if (!is_same || !are_flags(&own->list[c], flags)) {
      vida__record_fail(record, VIDA_INPUT_OUTPUT,
                        "the checkpoint is damaged: contact '%.200s' cannot have the state %d",
                        own->list[c].name, flags);
    }
  }
  VidaError reason;
  if (k >= hybrid->mode_count && !vida__record_failure(record, NULL) &&
      vida__add_mode(hybrid, own ? own->wanted : NULL, &reason)) {
    vida__record_fail(record, reason.code, "%.400s", reason.message);
  }
}

/* Visits a stepper of a mode. Its first start is made again where the contacts were then. */
static void record_stepper(vida_hybrid* hybrid, vida_mode* mode, VidaStepper* stepper,
                           double* places, VidaRecord* record) {
  const size_t count = hybrid->contacts ? (size_t)hybrid->contacts->count : 0;
  const size_t n = (size_t)stepper->self.model.n;
  VidaRecord_Reals(record, places, VIDA_SLIP_MOST * count);
  if (VidaRecord_IsLoading(record)) {
    memcpy(stepper->self.model.extent, hybrid->extent, n * sizeof *hybrid->extent);
    if (mode->variant) {
      vida__visit_places(hybrid, mode, false, places);
    }
  }
  vida__nested_record(stepper, record);
}

static void record_mode(vida_hybrid* hybrid, int k, VidaRecord* record) {
  vida__record_part(record, "mode");
  record_flags(hybrid, k, record);
  if (vida__record_failure(record, NULL)) {
    return;
  }
  vida_hybrid_contacts* own = hybrid->contacts;
  vida_mode* mode = &hybrid->modes[k];
  double* now = own ? own->node_place : NULL; /* work space between steps */
  if (mode->variant) {
    vida__visit_places(hybrid, mode, true, now);
  }
  VidaRecord_Reals(record, now, own ? VIDA_SLIP_MOST * (size_t)own->count : 0);
  VidaRecord_Flag(record, &mode->is_fresh);
  record_stepper(hybrid, mode, mode->stepper, mode->stepper_places, record);
  record_stepper(hybrid, mode, mode->probe, mode->probe_places, record);
  if (mode->recorder) {
    record_stepper(hybrid, mode, mode->recorder, mode->recorder_places, record);
  }
  if (mode->variant) {
    vida__visit_places(hybrid, mode, false, now);
  }
}

static void record_contacts(vida_hybrid_contacts* own, VidaRecord* record) {
  const size_t count = (size_t)own->count;
  const vida_array arrays[] = {{&own->place, VIDA_SLIP_MOST * count},
                               {&own->reach, count},
                               {&own->graze, count},
                               {&own->creep, count},
                               {&own->departure, count},
                               {&own->speed, (size_t)own->all->row_count}};
  vida__record_arrays(record, arrays, sizeof arrays / sizeof *arrays);
}

void vida__hybrid_record(vida_hybrid* hybrid, VidaRecord* record) {
  vida_hybrid_contacts* own = hybrid->contacts;
  int count = hybrid->mode_count;
  vida__record_part(record, "events");
  vida__record_same(record, "functions of events", 1, &hybrid->watched_count);
  record_clock(hybrid, record);
  record_sample(hybrid, &hybrid->at, record);
  VidaRecord_Reals(record, hybrid->extent, (size_t)hybrid->frame->self.model.n);
  record_watched(hybrid, record);
  if (own) {
    record_contacts(own, record);
  }
  vida__record_integers(record, &count, 1, 1,
                        (int)VidaOptions_Get(hybrid->frame->options, "max_modes"));
  for (int k = 0; k < count && !vida__record_failure(record, NULL); k++) {
    record_mode(hybrid, k, record);
  }
  vida__record_integers(record, &hybrid->mode, 1, 0, count - 1);
  if (own) {
    vida__record_integers(record, &own->base, 1, 0, count - 1);
    if (VidaRecord_IsLoading(record) && !vida__record_failure(record, NULL)) {
      memcpy(own->flags, hybrid->modes[hybrid->mode].flags, (size_t)own->count);
    }
  }
}
