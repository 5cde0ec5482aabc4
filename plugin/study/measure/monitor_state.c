/* The monitors of a run in a record, with which another process goes on with the run. What follows
 * from the start is not in it: monitors are loaded after the same start. Neither are the places in
 * the reference, which are found again. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "study/measure/monitors.h"
#include "system/model/model.h"

/* Visits a string constant that may be NULL. A loaded one belongs to the study. */
static void record_word(const char** word, VidaStudy* study, VidaRecord* record) {
  char text[VIDA_NAME_SIZE] = "";
  bool is_there = *word != NULL;
  snprintf(text, sizeof text, "%s", is_there ? *word : "");
  VidaRecord_Flag(record, &is_there);
  vida__record_text(record, text, sizeof text);
  if (!VidaRecord_IsLoading(record) || vida__record_failure(record, NULL)) {
    return;
  }
  pthread_mutex_t* lock = study->lock;
  if (lock) {
    pthread_mutex_lock(lock);
  }
  *word = is_there ? vida__store_text(&study->words, text) : NULL;
  if (lock) {
    pthread_mutex_unlock(lock);
  }
  if (is_there && !*word) {
    vida__record_fail_memory(record);
  }
}

static void record_violation(vida_violation* violation, VidaStudy* study, VidaRecord* record) {
  bool* const flags[] = {&violation->is_found, &violation->is_of_length, &violation->is_velocity,
                         &violation->is_loose};
  const char** const words[] = {&violation->remedy.option, &violation->remedy.value,
                                &violation->remedy.method};
  const int rows = VidaSystem_ConstraintCount(study->system);
  for (size_t k = 0; k < sizeof flags / sizeof *flags; k++) {
    VidaRecord_Flag(record, flags[k]);
  }
  vida__record_integers(record, &violation->row, 1, 0, rows > 0 ? rows - 1 : 0);
  VidaRecord_Reals(record, &violation->t, 1);
  VidaRecord_Reals(record, &violation->part, 1);
  for (size_t k = 0; k < sizeof words / sizeof *words; k++) {
    record_word(words[k], study, record);
  }
}

/* Visits the name of a row as its index; -1: none. */
static void record_row(const char** name, const VidaSystem* system, VidaRecord* record) {
  int row = -1;
  for (int r = 0; r < system->row_count && *name && row < 0; r++) {
    row = strcmp(system->rows[r].name, *name) == 0 ? r : row;
  }
  vida__record_integers(record, &row, 1, -1, system->row_count - 1);
  *name = row >= 0 ? system->rows[row].name : NULL;
}

static void record_norms(vida_monitors* monitors, VidaRecord* record) {
  vida_error_norm* const norms[] = {&monitors->position, &monitors->velocity, &monitors->multiplier,
                                    &monitors->energy, &monitors->momentum};
  vida_drift* const drifts[] = {&monitors->energy_drift, &monitors->momentum_drift,
                                &monitors->constraint_drift};
  vida__record_part(record, "norms");
  for (size_t k = 0; k < sizeof norms / sizeof *norms; k++) {
    vida__norm_record(norms[k], record);
  }
  for (size_t k = 0; k < sizeof drifts / sizeof *drifts; k++) {
    vida__drift_record(drifts[k], record);
  }
}

/* The newest values, and the largest ones. */
static void record_values(vida_monitors* monitors, VidaRecord* record) {
  const VidaSystem* system = monitors->study->system;
  const size_t n = (size_t)VidaSystem_CoordinateCount(system);
  const size_t m = (size_t)VidaSystem_ConstraintCount(system);
  const size_t maps = (size_t)(VidaSystem_MomentumCount(system) + monitors->conserved);
  double* const reals[] = {&monitors->constraint_position,
                           &monitors->constraint_velocity,
                           &monitors->largest_work,
                           &monitors->energy_now,
                           &monitors->work_now,
                           &monitors->energy_defect,
                           &monitors->impact_gain,
                           &monitors->impact_gain_t,
                           &monitors->impact_motion,
                           &monitors->event_t,
                           &monitors->parasitic_t,
                           &monitors->parasitic_since,
                           &monitors->passage_t};
  const struct {
    double* values;
    size_t count;
  } arrays[] = {{monitors->v, n},
                {monitors->event_v, n},
                {monitors->momenta_start, maps}, /* events change it */
                {monitors->momenta, maps},
                {monitors->observables, (size_t)VidaSystem_ObservableCount(system)},
                {monitors->valueless, 2 * (size_t)VidaSystem_ObservableCount(system)},
                {monitors->g, m},
                {monitors->g_rate, m},
                {monitors->multipliers_there, m},
                {monitors->row_speeds, m}};
  for (size_t k = 0; k < sizeof reals / sizeof *reals; k++) {
    VidaRecord_Reals(record, reals[k], 1);
  }
  vida__record_integers(record, &monitors->parasitic_count, 1, 0, VIDA_PARASITIC_OBSERVATIONS);
  for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) {
    VidaRecord_Reals(record, arrays[k].values, arrays[k].count);
  }
}

void vida__monitors_record(vida_monitors* monitors, VidaStudy* study, VidaRecord* record) {
  vida__record_part(record, "monitors");
  record_values(monitors, record);
  record_norms(monitors, record);
  vida__energy_record(&monitors->energy_verdict, record);
  vida__shadow_record(&monitors->shadow, record);
  vida__switch_watch_record(&monitors->switches, record);
  vida__work_record(&monitors->work, record);
  record_violation(&monitors->violation, study, record);
  record_violation(&monitors->loose_velocities, study, record);
  record_row(&monitors->passage, study->system, record);
}
