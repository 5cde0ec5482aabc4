#include "stepper/hybrid/touching_problem.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "system/evaluate/sizes.h"

/* ---- creation -------------------------------------------------------------------------------- */

static int allocate_work(vida_hybrid* hybrid, VidaError* error) {
  vida_hybrid_contacts* own = hybrid->contacts;
  const size_t n = (size_t)hybrid->frame->self.model.n, m = (size_t)own->all->row_count;
  const size_t rows = m + (size_t)hybrid->frame->self.model.m; /* the most of a mode */
  const size_t count = (size_t)own->count, entries = (size_t)own->all->entry_count;
  const size_t most = m < VIDA_IMPACT_ROWS ? m : VIDA_IMPACT_ROWS;
  vida_array arrays[] = {{&own->g, m},
                         {&own->rate, m},
                         {&own->bias, m},
                         {&own->size, m},
                         {&own->multipliers, rows},
                         {&own->entries, entries},
                         {&own->accelerations, n},
                         {&own->reach, count},
                         {&own->graze, count},
                         {&own->creep, count},
                         {&own->departure, count},
                         {&own->flight, 6 * n},
                         {&own->normal, count},
                         {&own->margin, count},
                         {&own->speed, m},
                         {&own->place, VIDA_SLIP_MOST * count},
                         {&own->node_place, VIDA_SLIP_MOST * count},
                         {&own->node_reach, count},
                         {&own->node_graze, count},
                         {&own->node_creep, count},
                         {&own->node_departure, count},
                         {&own->node_speed, m},
                         {&own->columns, most * n},
                         {&own->delassus, most * VIDA_IMPACT_ROWS},
                         {&own->w, most},
                         {&own->w_size, most},
                         {&own->w_before, most},
                         {&own->base_rate, rows},
                         {&own->impulse, most},
                         {&own->work, most},
                         {&own->force, most},
                         {&own->matrix, most * (most + 1)},
                         {&own->right_side, n + rows}};
  own->block = vida__allocate_arrays(arrays, sizeof arrays / sizeof *arrays);
  own->flags = vida__allocate(2 * count, sizeof *own->flags);
  own->touching = vida__allocate(count, sizeof *own->touching);
  own->unknown_contact = vida__allocate(2 * most, sizeof *own->unknown_contact);
  own->law = (vida_impact_law)VidaOptions_Get(hybrid->frame->options, "impact_law");
  if (!own->block || !own->flags || !own->touching || !own->unknown_contact ||
      vida__touching_problem_create(own->all->row_count, &own->problem)) {
    return vida__fail_memory(error);
  }
  own->wanted = own->flags + count;
  own->unknown_row = own->unknown_contact + most;
  return VIDA_SUCCESS;
}

int vida__contacts_create(vida_hybrid* hybrid, VidaError* error) {
  const VidaSystem* system = hybrid->frame->self.model.system;
  vida_hybrid_contacts* own = vida__allocate(1, sizeof *own);
  hybrid->contacts = own;
  if (!own) {
    return vida__fail_memory(error);
  }
  own->count = system->contacts->count;
  own->list = system->contacts->list;
  own->first_row = vida__allocate((size_t)own->count, sizeof *own->first_row);
  int code = own->first_row ? VIDA_SUCCESS : vida__fail_memory(error);
  for (int c = 0; c < own->count && !code; c++) {
    own->first_row[c] = own->list[c].first_row;
  }
  code = code ? code : vida__contact_system_create(system, &own->all, error);
  code = code ? code : vida__build_pattern(own->all, error); /* which lists the entries */
  code = code ? code : vida__evaluator_create(own->all, &own->evaluator, error);
  return code ? code : allocate_work(hybrid, error);
}

void vida__hybrid_contacts_destroy(vida_hybrid_contacts** contacts) {
  vida_hybrid_contacts* old = *contacts;
  if (!old) {
    return;
  }
  vida__evaluator_destroy(&old->evaluator);
  vida__touching_problem_destroy(&old->problem);
  VidaSystem_Destroy(&old->all);
  free(old->first_row);
  free(old->block);
  free(old->flags);
  free(old->touching);
  free(old->unknown_contact);
  free(old);
  *contacts = NULL;
}

void vida__watch_contacts(vida_hybrid* hybrid) {
  const int count = hybrid->contacts ? hybrid->contacts->count : 0;
  hybrid->first_contact = hybrid->watched_count;
  for (int c = 0; c < count; c++) {
    for (int k = 0; k < 2; k++) {
      hybrid->watched[hybrid->watched_count++] =
          (vida_watched){.kind = k == 0 ? VIDA_WATCHED_NORMAL : VIDA_WATCHED_FRICTION,
                         .index = c,
                         .side = 1,
                         .is_falling = true};
    }
  }
}

/* ---- functions ------------------------------------------------------------------------------- */

/* Updates the largest speeds of the rows. */
static void take_speeds(vida_hybrid_contacts* own, const double* v) {
  double* sum = own->bias;
  memset(sum, 0, (size_t)own->all->row_count * sizeof *sum);
  for (int e = 0; e < own->all->entry_count; e++) {
    const vida_jacobian_entry* entry = &own->all->entries[e];
    sum[entry->row] += fabs(own->entries[e] * v[entry->coordinate]);
  }
  for (int r = 0; r < own->all->row_count; r++) {
    own->speed[r] = fmax(own->speed[r], sum[r]);
  }
}

int vida__evaluate_contacts(vida_hybrid* hybrid, const vida_sample* at, VidaError* error) {
  vida_hybrid_contacts* own = hybrid->contacts;
  vida_evaluator* evaluator = &own->evaluator;
  int code = vida__constraints(evaluator, at->t, at->q, NULL, own->g);
  code = code ? code : vida__jacobian(evaluator, at->t, at->q, own->entries);
  code = code ? code
              : vida__velocity_residual(evaluator, at->t, at->q, own->entries, at->v, own->rate);
  if (code) {
    return vida__fail(error, code, "%s", evaluator->error.message);
  }
  take_speeds(own, at->v);
  /* The size of the terms of g: of those that depend on positions, and of the rest. */
  memset(own->size, 0, (size_t)own->all->row_count * sizeof *own->size);
  memcpy(own->bias, own->g, (size_t)own->all->row_count * sizeof *own->bias);
  for (int e = 0; e < own->all->entry_count; e++) {
    const vida_jacobian_entry* entry = &own->all->entries[e];
    const double term = own->entries[e] * at->q[entry->coordinate];
    own->size[entry->row] += fabs(term);
    own->bias[entry->row] -= term;
  }
  for (int r = 0; r < own->all->row_count; r++) {
    own->size[r] += fabs(own->bias[r]);
  }
  for (int c = 0; c < own->count; c++) {
    own->reach[c] = fmax(own->reach[c], own->size[own->first_row[c]]);
  }
  return VIDA_SUCCESS;
}

/* Returns how far the velocities and forces move each row of `all` in a step of the caller. */
static const double* find_falls(const vida_hybrid* hybrid, VidaStepper* stepper) {
  const vida_hybrid_contacts* own = hybrid->contacts;
  double *x = stepper->self.work.speed, *falls = own->multipliers; /* as in impact.c */
  vida__measure_displacements(&stepper->self, hybrid->h, hybrid->at.v, x);
  memset(falls, 0, (size_t)own->all->row_count * sizeof *falls);
  vida__add_row_sizes(own->all, own->entries, x, falls);
  return falls;
}

/* A body that rests at the origin of a coordinate leaves terms of a row that are rounding: then
 * violations are compared with how far it would fall in a step. */
static void enlarge_reach(double* reach, double size, double fall) {
  static const double rounding = 1e-8;
  *reach = fmax(*reach, size);
  *reach = *reach > rounding * fall ? *reach : fall;
}

bool vida__set_reach(const vida_hybrid* hybrid, VidaStepper* stepper) {
  const vida_hybrid_contacts* own = hybrid->contacts;
  const vida_mode* mode = vida__current_mode(hybrid);
  if (stepper != mode->stepper && stepper != mode->probe && stepper != mode->recorder) {
    return false; /* it is nested in the frame, and has only the rows of the system */
  }
  const double* falls = own && mode->closed_count > 0 ? find_falls(hybrid, stepper) : NULL;
  for (int c = 0; falls && c < own->count; c++) {
    const int row = mode->first_row[c], first = own->first_row[c];
    double* reach = stepper->self.model.reach;
    if (mode->flags[c]) {
      enlarge_reach(&reach[row], own->reach[c], falls[first]);
    }
    const int places = mode->flags[c] & VIDA_CONTACT_PLACE ? own->list[c].displacement_count : 0;
    for (int k = 1; k <= places; k++) {
      const int place = first + own->list[c].slip_count + k;
      enlarge_reach(&reach[row + k], own->size[place], falls[place]);
    }
  }
  return true;
}

/* Takes the forces of contact c from the multipliers, of which its own begin at `row`; the reaction
 * of a row is -lambda times its gradient. */
static void take_multipliers(vida_hybrid_contacts* own, int c, int row) {
  const vida_contact* contact = &own->list[c];
  if (!own->flags[c]) {
    return;
  }
  own->normal[c] = -own->multipliers[row];
  if (contact->is_coupling) {
    own->margin[c] = contact->strength - fabs(own->multipliers[row]);
  } else if (own->flags[c] & VIDA_CONTACT_STICKS) {
    own->margin[c] = -contact->friction * own->multipliers[row] -
                     vida__slip_length(own->multipliers + row + 1, contact->slip_count);
  }
}

/* Computes the forces of closed contacts, from the equations of motion of the mode. */
static int find_multipliers(vida_hybrid* hybrid, const vida_sample* at, VidaError* error) {
  vida_hybrid_contacts* own = hybrid->contacts;
  VidaIntegration* self = &vida__current_mode(hybrid)->probe->self;
  int code = vida__ready_probe(hybrid, at, error);
  if (code) {
    return code;
  }
  code = vida__accelerations(self, at->t, at->q, at->v, own->accelerations, own->multipliers);
  if (code) {
    char t[VIDA_REAL_TEXT_SIZE];
    return vida__fail(error, code,
                      "the forces of closed contacts of system '%s' are not determined at t = %s",
                      self->model.system->name, vida__real_text(t, at->t, 12));
  }
  for (int c = 0; c < own->count; c++) {
    take_multipliers(own, c, vida__current_mode(hybrid)->first_row[c]);
  }
  return self->model.redundant ? vida__choose_forces(hybrid, at, error) : VIDA_SUCCESS;
}

/* Returns the size below which a gap is zero: rounding, and for a contact that has just opened also
 * the error of an adaptive method, which would close it again. A contact that opens with a rate
 * leaves zero before that error grows: for it, the error counts only while the gap is negative and
 * the rate is still about that of the opening. */
static double resolution_of(const vida_hybrid* hybrid, int c) {
  const vida_hybrid_contacts* own = hybrid->contacts;
  const VidaIntegration* self = &hybrid->frame->self;
  const int row = own->first_row[c];
  const bool has_error =
      own->departure[c] == 0.0 || (own->g[row] < 0.0 && own->rate[row] >= 0.5 * own->departure[c]);
  const bool has_opened =
      hybrid->watched[hybrid->first_contact + 2 * c].is_at_zero && self->adaptive && has_error;
  const double error = has_opened ? VidaOptions_Get(self->options, "rtol") * own->reach[c] : 0.0;
  return fmax(fmax(error, own->graze[c]), 4.0 * DBL_EPSILON * own->size[row]);
}

/* The gap of an open contact, the normal force of a closed one. */
static void sample_normal(const vida_hybrid* hybrid, int c, double* value, double* rate) {
  const vida_hybrid_contacts* own = hybrid->contacts;
  const int row = own->first_row[c];
  if (own->list[c].is_coupling) {
    *value = 1.0;
    *rate = (double)NAN;
    return;
  }
  if (own->flags[c]) {
    *value = own->normal[c];
    *rate = (double)NAN;
    return;
  }
  *value = fabs(own->g[row]) <= resolution_of(hybrid, c) ? 0.0 : own->g[row];
  *rate = fabs(own->rate[row]) <= VIDA_ROUNDED_RATE * own->speed[row] ? 0.0 : own->rate[row];
}

/* What is left of the largest friction of a contact that sticks; the slip velocity of one that
 * slides, along the axis of its direction. */
static void sample_friction(const vida_hybrid* hybrid, int c, double* value, double* rate) {
  const vida_hybrid_contacts* own = hybrid->contacts;
  *value = 1.0;
  *rate = (double)NAN;
  if (own->list[c].is_coupling) {
    const bool may_break = own->flags[c] && isfinite(own->list[c].strength);
    *value = may_break ? own->margin[c] : 1.0;
  } else if (own->flags[c] & VIDA_CONTACT_STICKS) {
    *value = own->margin[c];
  } else if (own->flags[c] & VIDA_CONTACT_SLIDE) {
    const int axis = own->flags[c] & VIDA_CONTACT_SECOND ? 1 : 0;
    const int slip_row = own->first_row[c] + 1 + axis;
    const double slip = own->rate[slip_row];
    const bool begins = hybrid->watched[hybrid->first_contact + 2 * c + 1].is_at_zero;
    *value = own->flags[c] & VIDA_CONTACT_BACKWARD ? -slip : slip;
    if (begins && fabs(slip) <= fmax(VIDA_ROUNDED_RATE * own->speed[slip_row], own->creep[c])) {
      *value = 0.0;
    }
  }
}

int vida__sample_contacts(vida_hybrid* hybrid, vida_sample* sample, VidaError* error) {
  vida_hybrid_contacts* own = hybrid->contacts;
  if (!own) {
    return VIDA_SUCCESS;
  }
  const vida_mode* mode = vida__current_mode(hybrid);
  int code = vida__evaluate_contacts(hybrid, sample, error);
  if (!code && mode->closed_count > 0) {
    code = find_multipliers(hybrid, sample, error);
  }
  for (int c = 0; c < own->count && !code; c++) {
    const int k = hybrid->first_contact + 2 * c;
    sample_normal(hybrid, c, &sample->value[k], &sample->rate[k]);
    sample_friction(hybrid, c, &sample->value[k + 1], &sample->rate[k + 1]);
  }
  return code;
}

/* ---- changes --------------------------------------------------------------------------------- */

static int report(vida_hybrid* hybrid, VidaEventKind kind, int contact, VidaError* error) {
  return vida__report_event(hybrid, kind, contact, hybrid->contacts->list[contact].name, error);
}

/* Returns the flags of a mode for the state of a contact. */
static unsigned char flags_of(const vida_hybrid_contacts* own, const vida_touching* at) {
  const bool is_second = at->slip_count > 1 && fabs(at->direction[1]) > fabs(at->direction[0]);
  switch (at->state) {
    case VIDA_TOUCHING_RESTS:
      return VIDA_CONTACT_NORMAL;
    case VIDA_TOUCHING_STICKS:
      return VIDA_CONTACT_NORMAL |
             (own->list[at->contact].displacement_count > 0 ? VIDA_CONTACT_PLACE
                                                            : VIDA_CONTACT_STICK);
    case VIDA_TOUCHING_SLIDES:
      return (unsigned char)(VIDA_CONTACT_NORMAL | VIDA_CONTACT_SLIDE |
                             (is_second ? VIDA_CONTACT_SECOND : 0) |
                             (at->direction[is_second] < 0.0 ? VIDA_CONTACT_BACKWARD : 0));
    default:
      return 0;
  }
}

/* Reports what has become of a touching contact. */
static int report_change(vida_hybrid* hybrid, const vida_touching* at, VidaError* error) {
  const unsigned char before = hybrid->contacts->flags[at->contact];
  const unsigned char after = hybrid->contacts->wanted[at->contact];
  int code = at->is_hit ? report(hybrid, VIDA_EVENT_IMPACT, at->contact, error) : VIDA_SUCCESS;
  if (!code && !before != !after) {
    code = report(hybrid, after ? VIDA_EVENT_REST : VIDA_EVENT_RELEASE, at->contact, error);
  }
  const bool stuck = before & VIDA_CONTACT_STICKS, sticks = after & VIDA_CONTACT_STICKS;
  if (!code && before && after && stuck != sticks) {
    code = report(hybrid, sticks ? VIDA_EVENT_STICK : VIDA_EVENT_SLIDE, at->contact, error);
  }
  return code;
}

/* Takes the displacements of contacts that begin to stick from the last evaluation of their rows.
 */
static void take_places(vida_hybrid_contacts* own) {
  for (int c = 0; c < own->count; c++) {
    const bool begins = (own->wanted[c] & ~own->flags[c]) & VIDA_CONTACT_PLACE;
    const int first = own->first_row[c] + 1 + own->list[c].slip_count;
    for (int k = 0; begins && k < own->list[c].displacement_count; k++) {
      own->place[VIDA_SLIP_MOST * c + k] = own->g[first + k];
    }
  }
}

void vida__visit_places(const vida_hybrid* hybrid, const vida_mode* mode, bool reads,
                        double* places) {
  const vida_hybrid_contacts* own = hybrid->contacts;
  for (int c = 0; c < own->count; c++) {
    const bool is_coupling = own->list[c].is_coupling && mode->flags[c];
    const int count = is_coupling                             ? 1
                      : (mode->flags[c] & VIDA_CONTACT_PLACE) ? own->list[c].displacement_count
                                                              : 0;
    for (int k = 0; k < count; k++) {
      const int row = mode->first_row[c] + (is_coupling ? 0 : 1 + k);
      double* place = &places[VIDA_SLIP_MOST * c + k];
      if (reads) {
        *place = vida__displacement(mode->variant, row);
      } else {
        vida__set_displacement(mode->variant, row, *place);
      }
    }
  }
}

/* Sets the displacements of all contacts that stick in the mode. */
static void set_places(vida_hybrid* hybrid) {
  vida__visit_places(hybrid, vida__current_mode(hybrid), false, hybrid->contacts->place);
}

void vida__keep_contacts(vida_hybrid* hybrid, bool back) {
  vida_hybrid_contacts* own = hybrid->contacts;
  if (!own) {
    return;
  }
  const size_t count = (size_t)own->count;
  const struct {
    double *now, *node;
    size_t size;
  } arrays[] = {{own->place, own->node_place, VIDA_SLIP_MOST * count},
                {own->reach, own->node_reach, count},
                {own->graze, own->node_graze, count},
                {own->creep, own->node_creep, count},
                {own->departure, own->node_departure, count},
                {own->speed, own->node_speed, (size_t)own->all->row_count}};
  for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) {
    memcpy(back ? arrays[k].now : arrays[k].node, back ? arrays[k].node : arrays[k].now,
           arrays[k].size * sizeof(double));
  }
  *(back ? &own->base : &own->node_base) = back ? own->node_base : own->base;
  if (back) {
    own->is_switched = false;
    memcpy(own->flags, vida__current_mode(hybrid)->flags, (size_t)own->count);
    set_places(hybrid);
  }
}

/* Two bodies that move side by side come nearer or not by rounding. Returns the size of the gap
 * that does not count then: neither an impact nor a force has followed from the event. */
static double find_graze(const vida_hybrid_contacts* own, const vida_touching* at) {
  const int row = own->first_row[at->contact];
  const bool is_grazing =
      at->state == VIDA_TOUCHING_OPEN && at->is_fired && !at->is_hit && !at->is_carried;
  return is_grazing ? 4.0 * fmax(fabs(own->g[row]), 16.0 * DBL_EPSILON * own->size[row]) : 0.0;
}

/* Returns the rate with which a contact opens; 0 for one whose force has vanished, or that grazes.
 */
static double find_departure(const vida_hybrid_contacts* own, const vida_touching* at) {
  const bool is_pushed = at->is_hit || at->is_carried;
  const bool departs =
      at->state == VIDA_TOUCHING_OPEN && (is_pushed || !(at->must_open || at->is_fired));
  const double rate = own->w[at->row];
  return departs && rate > VIDA_ROUNDED_RATE * own->w_size[at->row] ? rate : 0.0;
}

/* A contact that ceases to slide, and slides again at once, has a slip velocity that is an error.
 * Returns the size of that which does not count. */
static double find_creep(const vida_hybrid_contacts* own, const vida_touching* at) {
  const bool begins = at->state == VIDA_TOUCHING_SLIDES && at->is_incipient;
  return begins ? 4.0 * vida__slip_length(own->w + at->row + 1, at->slip_count) : 0.0;
}

/* Appends `before`, the contacts that the wanted mode has with this flag, and `after`; nothing
 * without any. */
static void append_state(const vida_hybrid_contacts* own, unsigned char flag, const char* before,
                         const char* after, VidaError* error) {
  char list[VIDA_MESSAGE_SIZE / 4] = "";
  vida_name_list names = {list, sizeof list, VIDA_CONTACTS_NAMED, 0};
  for (int c = 0; c < own->count; c++) {
    if (own->wanted[c] & flag) {
      vida__list_name(&names, own->list[c].name);
    }
  }
  vida__end_list(&names);
  if (names.count > 0) {
    vida__append(error->message, sizeof error->message, "%s%s%s", before, list, after);
  }
}

/* Says in `error` which mode a method has refused or could not enter, what makes it of another kind
 * than the system, and what can be done. */
static void explain_mode(const vida_hybrid* hybrid, int code, VidaError* error) {
  const vida_hybrid_contacts* own = hybrid->contacts;
  char t[VIDA_REAL_TEXT_SIZE];
  vida__append(error->message, sizeof error->message,
               "; this is the mode after contact '%s' at t = %s",
               own->list[own->touching[0].contact].name, vida__real_text(t, hybrid->tried.t, 10));
  if (code == VIDA_NOT_SUPPORTED) {
    append_state(own, VIDA_CONTACT_STICK, ", where sticking of ",
                 " is a nonholonomic constraint, because the slip velocity is no rate of a linear "
                 "function of positions",
                 error);
    append_state(own, VIDA_CONTACT_SLIDE, ", where sliding of ",
                 " causes a force that depends on the multiplier of the gap", error);
  }
  vida__append_stepping(hybrid->frame->self.model.system, "; ", "and",
                        " take contacts without modes", error->message, sizeof error->message);
  if (code == VIDA_NOT_SUPPORTED) {
    vida__append(error->message, sizeof error->message,
                 "; 'vida advise' lists methods that take all modes");
  }
}

/* Enters the mode that the states of the touching contacts make. */
static int take_mode(vida_hybrid* hybrid, bool* is_changed, VidaError* error) {
  vida_hybrid_contacts* own = hybrid->contacts;
  int code = VIDA_SUCCESS;
  memcpy(own->wanted, own->flags, (size_t)own->count);
  for (int i = 0; i < own->touching_count; i++) {
    own->wanted[own->touching[i].contact] = flags_of(own, &own->touching[i]);
  }
  const bool changes =
      memcmp(own->wanted, vida__current_mode(hybrid)->flags, (size_t)own->count) != 0;
  if (changes) {
    take_places(own);
    code = vida__enter_mode(hybrid, own->wanted, error);
    set_places(hybrid);
    code = code ? code : vida__ready_probe(hybrid, &hybrid->tried, error);
    code = code ? code : vida__project_positions(hybrid, error);
    code = code ? code : vida__project_velocities(hybrid, error);
    if (code && error && strcmp(error->flag, VIDA_TOO_MANY_MODES) != 0) {
      explain_mode(hybrid, code, error);
    }
  }
  for (int i = 0; i < own->touching_count && !code; i++) {
    code = report_change(hybrid, &own->touching[i], error);
  }
  memcpy(own->flags, own->wanted, (size_t)own->count);
  for (int i = 0; i < own->touching_count; i++) {
    const vida_touching* at = &own->touching[i];
    vida_watched* watched = &hybrid->watched[hybrid->first_contact + 2 * at->contact];
    watched[0].is_at_zero = at->state == VIDA_TOUCHING_OPEN;
    own->graze[at->contact] = find_graze(own, at);
    own->creep[at->contact] = find_creep(own, at);
    own->departure[at->contact] = find_departure(own, at);
    watched[1].is_at_zero = at->state == VIDA_TOUCHING_SLIDES && at->is_incipient;
  }
  *is_changed = *is_changed || changes;
  return code;
}

/* ---- couplings ------------------------------------------------------------------------------- */

int vida__switch_coupling(vida_hybrid* hybrid, int coupling, bool engages, VidaError* error) {
  vida_hybrid_contacts* own = hybrid->contacts;
  if ((own->flags[coupling] != 0) == engages) {
    return VIDA_SUCCESS;
  }
  const int code = vida__evaluate_contacts(hybrid, &hybrid->tried, error);
  own->place[VIDA_SLIP_MOST * coupling] = own->g[own->first_row[coupling]];
  own->flags[coupling] = engages ? VIDA_CONTACT_NORMAL : 0;
  own->is_switched = true;
  return code;
}

/* Enters the mode in which only the engaged couplings hold, from which impulses and forces of
 * contacts are found. */
static int enter_base(vida_hybrid* hybrid, VidaError* error) {
  vida_hybrid_contacts* own = hybrid->contacts;
  for (int c = 0; c < own->count; c++) {
    own->wanted[c] = own->list[c].is_coupling ? own->flags[c] : 0;
  }
  int code = vida__enter_mode(hybrid, own->wanted, error);
  set_places(hybrid);
  own->base = code ? own->base : hybrid->mode;
  return code ? code : vida__ready_probe(hybrid, &hybrid->tried, error);
}

/* Removes the rates of couplings that have been engaged, and reports what has changed. */
static int take_couplings(vida_hybrid* hybrid, const unsigned char* before, VidaError* error) {
  vida_hybrid_contacts* own = hybrid->contacts;
  int code = enter_base(hybrid, error);
  code = code ? code : vida__project_velocities(hybrid, error);
  for (int c = 0; c < own->count && !code; c++) {
    if (own->list[c].is_coupling && own->flags[c] != before[c]) {
      code = report(hybrid, own->flags[c] ? VIDA_EVENT_ENGAGE : VIDA_EVENT_BREAK, c, error);
    }
  }
  own->is_switched = false;
  return code;
}

/* Releases the couplings whose force has reached their strength. */
static int break_couplings(vida_hybrid* hybrid, VidaError* error) {
  const vida_hybrid_contacts* own = hybrid->contacts;
  int code = VIDA_SUCCESS;
  for (int c = 0; c < own->count && !code; c++) {
    if (own->list[c].is_coupling && hybrid->watched[hybrid->first_contact + 2 * c + 1].is_fired) {
      code = vida__switch_coupling(hybrid, c, false, error);
    }
  }
  return code;
}

/* ---- events ---------------------------------------------------------------------------------- */

/* Lets the contacts with a vanishing gap act at a state. */
static int resolve(vida_hybrid* hybrid, vida_sample* at, bool* is_changed, VidaError* error) {
  vida_hybrid_contacts* own = hybrid->contacts;
  int code = vida__find_touching(hybrid, at, error);
  if (code || own->touching_count == 0) {
    return code;
  }
  bool any = false;
  code = vida__apply_impulses(hybrid, at, &any, error);
  *is_changed = *is_changed || any;
  code = code ? code : vida__choose_closed(hybrid, at, error);
  return code ? code : take_mode(hybrid, is_changed, error);
}

int vida__process_contacts(vida_hybrid* hybrid, bool* is_changed, VidaError* error) {
  const vida_hybrid_contacts* own = hybrid->contacts;
  if (!own) {
    return VIDA_SUCCESS;
  }
  bool concerns = *is_changed; /* new velocities may close contacts, too */
  int code = break_couplings(hybrid, error);
  if (!code && own->is_switched) {
    concerns = *is_changed = true;
    code = take_couplings(hybrid, vida__current_mode(hybrid)->flags, error);
  }
  for (int c = 0; c < own->count; c++) {
    const vida_watched* watched = &hybrid->watched[hybrid->first_contact + 2 * c];
    concerns = concerns || watched[0].is_fired || watched[1].is_fired;
  }
  return code || !concerns ? code : resolve(hybrid, &hybrid->tried, is_changed, error);
}

int vida__start_contacts(vida_hybrid* hybrid, bool* is_changed, VidaError* error) {
  vida_hybrid_contacts* own = hybrid->contacts;
  if (!own) {
    return VIDA_SUCCESS;
  }
  own->base = 0;
  own->is_switched = false;
  for (int c = 0; c < own->count; c++) {
    own->flags[c] = own->list[c].is_coupling && own->list[c].is_engaged ? VIDA_CONTACT_NORMAL : 0;
  }
  memset(own->reach, 0, (size_t)own->count * sizeof *own->reach);
  memset(own->graze, 0, (size_t)own->count * sizeof *own->graze);
  memset(own->creep, 0, (size_t)own->count * sizeof *own->creep);
  memset(own->departure, 0, (size_t)own->count * sizeof *own->departure);
  memset(own->speed, 0, (size_t)own->all->row_count * sizeof *own->speed);
  int code = vida__evaluate_contacts(hybrid, &hybrid->at, error);
  for (int c = 0; c < own->count && !code; c++) {
    const int row = own->first_row[c];
    own->place[VIDA_SLIP_MOST * c] = own->list[c].is_coupling ? own->g[row] : 0.0;
    if (own->flags[c] && fabs(own->rate[row]) > 1e-9 * own->speed[row]) {
      char rate[VIDA_REAL_TEXT_SIZE];
      code = vida__fail(error, VIDA_INCONSISTENT_START,
                        "coupling '%s' is engaged at the start, but its function has the rate %s",
                        own->list[c].name, vida__real_text(rate, own->rate[row], 6));
    }
    if (!code && !own->list[c].is_coupling && own->g[row] < -1e-9 * own->size[row]) {
      code = vida__fail_negative_gap(hybrid->frame->self.model.system, c, own->g[row], hybrid->at.t,
                                     error);
    }
  }
  /* What is closed at the start is no event. */
  int (*const observe)(const VidaEventRecord* record, void* data) = hybrid->observe;
  hybrid->observe = NULL;
  vida__copy_sample(hybrid, &hybrid->at, &hybrid->tried);
  code = code ? code : enter_base(hybrid, error);
  code = code ? code : resolve(hybrid, &hybrid->tried, is_changed, error);
  hybrid->observe = observe;
  vida__copy_sample(hybrid, &hybrid->tried, &hybrid->at);
  return code;
}
