/* The statuses of runs as a table, from the list in the header. */
#include <string.h>

#include "study/study.h"

#define STATUS_ROW(name, outcome, doubtful, text) {name, VIDA_OUTCOME_##outcome, doubtful, text},
static const VidaStatus statuses[] = {VIDA_STATUS_LIST(STATUS_ROW)};
#undef STATUS_ROW

enum { STATUSES = sizeof statuses / sizeof statuses[0] };

/* Every status that is not in the list is a flag of SUNDIALS. */
static const VidaStatus other = {"", VIDA_OUTCOME_FAILED, 0, "a solver of SUNDIALS ended the run"};

const VidaStatus* Vida_Status(int index) {
  return index >= 0 && index < STATUSES ? &statuses[index] : NULL;
}

const VidaStatus* Vida_FindStatus(const char* name) {
  for (int i = 0; name && i < STATUSES; i++) {
    if (strcmp(statuses[i].name, name) == 0) {
      return &statuses[i];
    }
  }
  return &other;
}

VidaOutcome VidaRow_Outcome(const VidaRow* row) {
  return row ? Vida_FindStatus(row->status)->outcome : VIDA_OUTCOME_NOT_RUN;
}

bool vida__is_finished(const VidaRow* row) {
  return VidaRow_Outcome(row) == VIDA_OUTCOME_FINISHED;
}
