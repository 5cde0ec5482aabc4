/* The events of a run or of a reference, and the differences between the times of both. */
#ifndef VIDA_STUDY_MEASURE_EVENT_LIST_H
#define VIDA_STUDY_MEASURE_EVENT_LIST_H

#include <vida/study.h>

#include "base/record.h"

/* The events of a motion, in the order of time. */
typedef struct vida_event_list {
  const VidaSystem* system;
  long count;             /* of all events */
  long kept;              /* of those in `events`: the first ones, at most VIDA_MOST_EVENTS */
  VidaStudyEvent* events; /* kept */
  size_t capacity;        /* of `events` */
  long* counts;           /* number of all events of each source */
  VidaStudyEvent last;    /* the last one; of several at one time, the one that ends the motion */
} vida_event_list;

/* Creates an empty list; a system without events needs no memory. The caller frees it with
 * vida__destroy_events, also after a failure. */
int vida__create_events(const VidaSystem* system, vida_event_list* list, VidaError* error);
/* Frees a list; it may be zero-initialized. */
void vida__destroy_events(vida_event_list* list);
/* Exchanges the contents of two lists. */
void vida__exchange_events(vida_event_list* one, vida_event_list* other);
/* Removes all events. */
void vida__clear_events(vida_event_list* list);
/* Adds an event. Returns 0 or VIDA_OUT_OF_MEMORY. */
int vida__add_event(vida_event_list* list, const VidaEventRecord* record);
/* Removes the last events that are later than t: those of a step that has failed. */
void vida__forget_events_after(vida_event_list* list, double t);
/* Compares two lists of one system, each event with the one of the same number, kind and name in
 * the other list. Returns the largest difference of their times (s), 0 without events. If the
 * numbers of some events differ, returns NaN, and *differs receives one of these sources. */
double vida__compare_events(const vida_event_list* list, const vida_event_list* reference,
                            int* differs);
/* Returns the number of sources: events, and contacts with each kind of event. */
int vida__count_sources(const VidaSystem* system);
/* Returns the name of the event or contact of a source, and its kind. */
const char* vida__source_name(const VidaSystem* system, int source, VidaEventKind* kind);

/* Appends a list to a record, and reads one in another process into an empty list. A record that
 * does not fit counts as too short. */
void vida__put_events(const vida_event_list* list, vida_record* record);
int vida__get_events(vida_event_list* list, vida_record* record, VidaError* error);

#endif
