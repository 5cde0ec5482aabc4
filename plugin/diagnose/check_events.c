/* Events at the start: what they are, and functions without a value. */
#include <math.h>

#include "base/text.h"
#include "diagnose/check.h"
#include "system/model/event.h"

enum { MOST_LISTED = 20 }; /* events that are listed individually */

static void describe(VidaCheck* check, const vida_event* event, double value) {
  static const char* const directions[] = {"", ", rising", ", falling"};
  static const char* const actions[] = {"recorded", "ends the motion", "sets velocities",
                                        "calls a function"};
  char number[VIDA_REAL_TEXT_SIZE];
  vida__check_find(check, VIDA_SEVERITY_NOTE, event->name, "event: %s%s; its function is %s here%s",
                   actions[event->action], directions[event->direction],
                   vida__real_text(number, value, 6),
                   value == 0.0 ? " (a zero at the start is no event)" : "");
}

void vida__check_events(VidaCheck* check) {
  const VidaSystem* system = check->system;
  for (int i = 0; i < system->event_count; i++) {
    const vida_event* event = &system->events[i];
    double value = 0.0, rate;
    if (vida__evaluate_event(&check->evaluator, i, check->t, check->q, check->v, &value, &rate) ||
        !isfinite(value)) {
      vida__check_find(check, VIDA_SEVERITY_ERROR, event->name,
                       "the function of the event has no finite value at the start");
    } else if (i < MOST_LISTED) {
      describe(check, event, value);
    }
  }
  if (system->event_count > MOST_LISTED) {
    vida__check_find(check, VIDA_SEVERITY_NOTE, "events", "%d events in all", system->event_count);
  }
}
