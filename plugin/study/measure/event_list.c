#include "study/measure/event_list.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <vida/contact.h>

#include "base/error.h"
#include "base/memory.h"
#include "system/model/event.h"
#include "system/model/model.h"

/* ---- sources --------------------------------------------------------------------------------- */

/* The kinds of events that a contact has: all but the first. */
enum { CONTACT_KINDS = VIDA_EVENT_KINDS - 1 };

int vida__count_sources(const VidaSystem* system) {
  return VidaSystem_EventCount(system) + CONTACT_KINDS * VidaSystem_ContactCount(system);
}

static int find_source(const VidaSystem* system, VidaEventKind kind, int index) {
  return kind == VIDA_EVENT_ZERO
             ? index
             : VidaSystem_EventCount(system) + CONTACT_KINDS * index + (int)kind - 1;
}

const char* vida__source_name(const VidaSystem* system, int source, VidaEventKind* kind) {
  const int contact = source - VidaSystem_EventCount(system);
  *kind = contact < 0 ? VIDA_EVENT_ZERO : (VidaEventKind)(contact % CONTACT_KINDS + 1);
  return contact < 0 ? VidaSystem_EventName(system, source)
                     : VidaSystem_ContactName(system, contact / CONTACT_KINDS);
}

static int source_of(const vida_event_list* list, long i) {
  return find_source(list->system, list->events[i].kind, list->events[i].index);
}

/* ---- lists ----------------------------------------------------------------------------------- */

int vida__create_events(const VidaSystem* system, vida_event_list* list, VidaError* error) {
  const int sources = vida__count_sources(system);
  *list = (vida_event_list){.system = system};
  list->counts = sources > 0 ? vida__allocate((size_t)sources, sizeof *list->counts) : NULL;
  return sources == 0 || list->counts ? VIDA_SUCCESS : vida__fail_memory(error);
}

void vida__destroy_events(vida_event_list* list) {
  free(list->events);
  free(list->counts);
  *list = (vida_event_list){0};
}

void vida__exchange_events(vida_event_list* one, vida_event_list* other) {
  const vida_event_list kept = *one;
  *one = *other;
  *other = kept;
}

void vida__clear_events(vida_event_list* list) {
  list->count = list->kept = 0;
  list->last = (VidaStudyEvent){.t = NAN};
  if (list->counts) {
    memset(list->counts, 0, (size_t)vida__count_sources(list->system) * sizeof *list->counts);
  }
}

static bool ends_motion(const vida_event_list* list, const VidaStudyEvent* event) {
  return event->name && event->kind == VIDA_EVENT_ZERO &&
         list->system->events[event->index].action == VIDA_EVENT_STOP;
}

int vida__add_event(vida_event_list* list, const VidaEventRecord* record) {
  const VidaStudyEvent event = {record->kind, record->index, record->name, record->t};
  if (list->kept < VIDA_MOST_EVENTS) {
    if (vida__reserve((void**)&list->events, &list->capacity, (size_t)list->kept + 1,
                      sizeof *list->events)) {
      return VIDA_OUT_OF_MEMORY;
    }
    list->events[list->kept++] = event;
  }
  if (!ends_motion(list, &list->last) || list->last.t != event.t) {
    list->last = event;
  }
  list->counts[find_source(list->system, record->kind, record->index)]++;
  list->count++;
  return VIDA_SUCCESS;
}

/* Events that are not kept belong to earlier steps, but for those of the step that has failed; the
 * counts are then upper bounds. */
void vida__forget_events_after(vida_event_list* list, double t) {
  while (list->kept == list->count && list->kept > 0 && list->events[list->kept - 1].t > t) {
    list->counts[source_of(list, list->kept - 1)]--;
    list->kept--;
    list->count--;
  }
}

/* ---- comparison ------------------------------------------------------------------------------ */

/* Sorts the kept events by their sources: those of source s begin at begin[s] in `order`. */
static void sort_events(const vida_event_list* list, int sources, long* begin, long* order) {
  memset(begin, 0, ((size_t)sources + 1) * sizeof *begin);
  for (long i = 0; i < list->kept; i++) {
    begin[source_of(list, i) + 1]++;
  }
  for (int s = 0; s < sources; s++) {
    begin[s + 1] += begin[s];
  }
  for (long i = list->kept - 1; i >= 0; i--) { /* fills each part from its end */
    order[--begin[source_of(list, i) + 1]] = i;
  }
  memmove(begin, begin + 1, (size_t)sources * sizeof *begin);
  begin[sources] = list->kept;
}

double vida__compare_events(const vida_event_list* list, const vida_event_list* reference,
                            int* differs) {
  const int sources = vida__count_sources(list->system);
  double largest = 0.0;
  *differs = -1;
  for (int s = 0; s < sources; s++) {
    if (list->counts[s] != reference->counts[s]) {
      *differs = s;
      return NAN;
    }
  }
  long* begin = vida__allocate(2 * ((size_t)sources + 1), sizeof *begin);
  long* order = vida__allocate((size_t)reference->kept + 1, sizeof *order);
  if (!begin || !order) {
    largest = NAN;
  } else {
    long* next = begin + sources + 1;
    sort_events(reference, sources, begin, order);
    memcpy(next, begin, ((size_t)sources + 1) * sizeof *next);
    for (long i = 0; i < list->kept; i++) {
      const int s = source_of(list, i);
      if (next[s] < begin[s + 1]) { /* otherwise one of the two is not kept */
        largest = fmax(largest, fabs(list->events[i].t - reference->events[order[next[s]++]].t));
      }
    }
  }
  free(begin);
  free(order);
  return largest;
}

/* ---- records --------------------------------------------------------------------------------- */

void vida__put_events(const vida_event_list* list, vida_record* record) {
  const int sources = list->counts ? vida__count_sources(list->system) : 0;
  vida__put_integer(record, list->count);
  vida__put_integer(record, list->kept);
  for (int s = 0; s < sources; s++) {
    vida__put_integer(record, list->counts[s]);
  }
  for (long i = 0; i < list->kept; i++) {
    vida__put_integer(record, source_of(list, i));
    vida__put_real(record, list->events[i].t);
  }
}

static VidaStudyEvent get_event(const VidaSystem* system, int64_t source, double t) {
  VidaStudyEvent event = {.t = t};
  const int contact = (int)source - VidaSystem_EventCount(system);
  event.name = vida__source_name(system, (int)source, &event.kind);
  event.index = contact < 0 ? (int)source : contact / CONTACT_KINDS;
  return event;
}

int vida__get_events(vida_event_list* list, vida_record* record, VidaError* error) {
  const int sources = list->counts ? vida__count_sources(list->system) : 0;
  const int64_t count = vida__get_integer(record), kept = vida__get_integer(record);
  vida__clear_events(list);
  record->too_short = record->too_short || count < 0 || kept < 0 || kept > count ||
                      kept > VIDA_MOST_EVENTS || (sources == 0 && count > 0);
  for (int s = 0; s < sources && !record->too_short; s++) {
    list->counts[s] = vida__get_count(record);
  }
  if (!record->too_short &&
      vida__reserve((void**)&list->events, &list->capacity, (size_t)kept, sizeof *list->events)) {
    return vida__fail_memory(error);
  }
  for (int64_t i = 0; i < kept && !record->too_short; i++) {
    const int64_t source = vida__get_integer(record);
    const double t = vida__get_real(record);
    record->too_short = record->too_short || source < 0 || source >= sources;
    if (!record->too_short) {
      list->events[list->kept++] = get_event(list->system, source, t);
    }
  }
  list->count = record->too_short ? list->kept : (long)count;
  return VIDA_SUCCESS;
}
