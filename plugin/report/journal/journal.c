/* The journal of a study: its records are a head, which says what the results belong to, then
 * references and runs in the order in which they ended. A frame with the kind, the length and a
 * checksum precedes each record; what a killed process left incomplete at the end is recognized by
 * it and cut off. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vida/report.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/record.h"
#include "base/text.h"
#include "report/output/output.h"
#include "report/page/recording.h"
#include "study/reference/reference.h"
#include "study/run/run_state.h"
#include "study/study.h"
#include "study/time/time_limits.h"

#define MAGIC "VIDA journal\n"
enum { MAGIC_SIZE = sizeof MAGIC - 1, FORMAT = 3, FRAME_SIZE = 24, PATH_SIZE = 4096 };

/* A larger reference is not stored but computed again. */
enum { LARGEST_REFERENCE = 1 << 26 /* bytes */ };

/* Seconds between two calls of fsync: a power failure loses the runs of the last second, a killed
 * process none. */
#define SECONDS_BETWEEN_SYNCS 1.0

typedef enum record_kind { RECORD_HEAD = 1, RECORD_REFERENCE, RECORD_RUN } record_kind;

/* The part of a journal that follows one study. */
typedef struct follower {
  VidaJournal* journal;
  int index; /* of the study */
  VidaTrajectories* trajectories;
  bool has_reference; /* its record has been written */
  vida_run_keeper keeper;
  vida_fingerprint print; /* of the study */
  bool has_states;        /* of runs in progress, in files of their own */
  vida_record* recorded;  /* of runs that go on: the states for the page; NULL: there are none */
  int runs;               /* of the study */
} follower;

struct VidaJournal {
  VidaJournalScope scope;
  follower* followers; /* scope.count */
  char path[PATH_SIZE];
  int file;        /* -1: closed, or could not be written */
  off_t end;       /* of the last complete record */
  double synced;   /* clock reading at the last fsync, s */
  bool is_unsaved; /* something was written since */
  int kept;
  long long lost;
  bool goes_on;              /* with what an earlier process has made */
  int begun;                 /* runs of which it has kept a state */
  vida_record record, frame; /* work space */
};

static VidaRecording* recording_of(const VidaJournal* journal, int study) {
  return journal->scope.recording ? journal->scope.recording[study] : NULL;
}

static int fail_to_write(const VidaJournal* journal, VidaError* error) {
  return vida__fail(error, VIDA_INPUT_OUTPUT, "cannot write '%s': %s", journal->path,
                    strerror(errno));
}

/* ---- writing --------------------------------------------------------------------------------- */

static bool write_all(int file, const unsigned char* bytes, size_t size) {
  while (size > 0) {
    const ssize_t written = write(file, bytes, size);
    if (written < 0 && errno == EINTR) {
      continue;
    }
    if (written <= 0) {
      return false;
    }
    bytes += written;
    size -= (size_t)written;
  }
  return true;
}

static uint64_t sum_record(int64_t kind, const vida_record* record) {
  const unsigned char byte = (unsigned char)kind;
  const uint64_t sum = vida__checksum(VIDA_CHECKSUM_START, &byte, 1);
  return vida__checksum(sum, record->bytes, record->size);
}

/* Appends journal->record. A record that does not fit on the disk is cut off again. */
static int append_record(VidaJournal* journal, record_kind kind, VidaError* error) {
  if (journal->file < 0) {
    errno = EIO;
    return fail_to_write(journal, error);
  }
  vida_record* record = &journal->record;
  vida_record* frame = &journal->frame;
  vida__clear_record(frame);
  vida__put_integer(frame, (int64_t)kind);
  vida__put_integer(frame, (int64_t)record->size);
  vida__put_integer(frame, (int64_t)sum_record((int64_t)kind, record));
  if (record->no_memory || frame->no_memory) {
    return vida__fail_memory(error);
  }
  if (!write_all(journal->file, frame->bytes, frame->size) ||
      !write_all(journal->file, record->bytes, record->size)) {
    const int code = fail_to_write(journal, error);
    if (ftruncate(journal->file, journal->end) != 0 ||
        lseek(journal->file, journal->end, SEEK_SET) < 0) {
      close(journal->file); /* nothing may follow a part of a record */
      journal->file = -1;
    }
    return code;
  }
  journal->end += (off_t)(frame->size + record->size);
  journal->is_unsaved = true;
  return VIDA_SUCCESS;
}

static int synchronize(VidaJournal* journal, VidaError* error) {
  journal->synced = vida__read_clock();
  if (journal->file >= 0 && journal->is_unsaved && fsync(journal->file) != 0 && errno != EINVAL &&
      errno != ENOSYS) {
    return fail_to_write(journal, error);
  }
  journal->is_unsaved = false;
  return VIDA_SUCCESS;
}

/* ---- the head -------------------------------------------------------------------------------- */

static int put_head(VidaJournal* journal, VidaError* error) {
  vida_record* record = &journal->record;
  int code = VIDA_SUCCESS;
  vida__clear_record(record);
  vida__put_integer(record, FORMAT);
  vida__put_text(record, Vida_Version());
  vida__put_text(record, Vida_SundialsVersion());
  vida__put_integer(record, journal->scope.count);
  for (int i = 0; i < journal->scope.count && !code; i++) {
    const VidaStudy* study = journal->scope.studies[i];
    vida_fingerprint print;
    code = vida__fingerprint_study(study, &print, error);
    vida__put_integer(record, study->count);
    vida__put_integer(record, (int64_t)print.system);
    vida__put_integer(record, (int64_t)print.options);
    vida__put_integer(record, (int64_t)print.reference);
    vida__put_integer(record, (int64_t)print.runs);
    vida__put_choices(study, record);
  }
  return code;
}

static int fail_as_changed(const VidaJournal* journal, VidaError* error, const char* what) {
  return vida__fail_flag(error, VIDA_INPUT_OUTPUT, "CHANGED",
                         "the unfinished study in '%s' cannot go on: %s", journal->scope.directory,
                         what);
}

static int compare_version(const VidaJournal* journal, vida_record* read, const char* software,
                           const char* now, VidaError* error) {
  char then[VIDA_NAME_SIZE], what[VIDA_MESSAGE_SIZE] = "";
  vida__get_text(read, then, sizeof then);
  if (read->too_short || strcmp(then, now) == 0) {
    return VIDA_SUCCESS;
  }
  vida__append(what, sizeof what, "it belongs to %s %s, and this is %s", software, then, now);
  return fail_as_changed(journal, error, what);
}

static int compare_study(const VidaJournal* journal, int index, vida_record* read,
                         VidaError* error) {
  static const char* const parts[] = {"the system", "an option", "the reference",
                                      "the list of runs"};
  const VidaStudy* study = journal->scope.studies[index];
  vida_fingerprint print;
  char what[VIDA_MESSAGE_SIZE] = "", which[VIDA_NAME_SIZE] = "the comparison";
  const int code = vida__fingerprint_study(study, &print, error);
  if (code) {
    return code;
  }
  const uint64_t now[] = {print.system, print.options, print.reference, print.runs};
  const int64_t runs = vida__get_integer(read);
  const char* changed = runs != study->count ? parts[3] : NULL;
  for (int k = 0; k < 4; k++) {
    const uint64_t then = (uint64_t)vida__get_integer(read);
    changed = !changed && then != now[k] ? parts[k] : changed;
  }
  vida_changed_choice choice;
  const bool is_found = vida__find_changed_choice(study, read, &choice);
  if (read->too_short || !changed) {
    return VIDA_SUCCESS;
  }
  if (journal->scope.count > 1) {
    which[0] = '\0';
    vida__append(which, sizeof which, "comparison %d", index + 1);
  }
  if (changed != parts[0] && is_found) {
    vida__append(what, sizeof what, "%s of %s was %s and is %s now", choice.what, which,
                 choice.then, choice.now);
  } else {
    vida__append(what, sizeof what, "%s of %s has changed since", changed, which);
  }
  return fail_as_changed(journal, error, what);
}

/* Compares journal->record, the head of an earlier process, with the studies. */
static int compare_head(VidaJournal* journal, VidaError* error) {
  vida_record* read = &journal->record;
  const int64_t format = vida__get_integer(read);
  if (format != FORMAT) {
    return fail_as_changed(journal, error, "it belongs to another version of VIDA");
  }
  int code = compare_version(journal, read, "VIDA", Vida_Version(), error);
  code = code ? code : compare_version(journal, read, "SUNDIALS", Vida_SundialsVersion(), error);
  if (!code && vida__get_integer(read) != journal->scope.count) {
    code = fail_as_changed(journal, error, "it has another number of comparisons");
  }
  for (int i = 0; i < journal->scope.count && !code; i++) {
    code = compare_study(journal, i, read, error);
  }
  if (!code && !vida__is_read(read)) {
    code = fail_as_changed(journal, error, "its " VIDA_JOURNAL_NAME " is damaged");
  }
  return code;
}

/* ---- runs and references --------------------------------------------------------------------- */

/* The reference is complete before the first run begins. */
static int begin_run(void* data, int run, const VidaRow* row, VidaError* error) {
  follower* self = data;
  VidaJournal* journal = self->journal;
  const VidaStudy* study = journal->scope.studies[self->index];
  const VidaRecording* recording = recording_of(journal, self->index);
  vida_record* record = &journal->record;
  (void)row;
  if (self->recorded && self->recorded[run].size > 0) {
    const int code =
        vida__get_recording(recording_of(journal, self->index), run, &self->recorded[run], error);
    vida__free_record(&self->recorded[run]);
    if (code) {
      return code;
    }
  }
  if (self->has_reference || !study->reference || study->reference->known.state ||
      study->reference->states == 0) { /* none, or one for each start, which is computed again */
    return VIDA_SUCCESS;
  }
  self->has_reference = true;
  if (vida__comparison_of(study, &study->runs[run]) < 2) {
    return VIDA_SUCCESS; /* a time limit has ended the estimate of its error: it is computed again
                          */
  }
  vida__clear_record(record);
  vida__put_integer(record, self->index);
  vida__put_integer(record, recording != NULL);
  if (recording) {
    vida__put_recorded_reference(recording, record);
  }
  vida__put_reference(study, record);
  if (record->size <= LARGEST_REFERENCE) {
    append_record(journal, RECORD_REFERENCE, NULL); /* if it does not fit, it is computed again */
  }
  return VIDA_SUCCESS;
}

static int end_run(void* data, int run, const VidaRow* row, VidaError* error) {
  follower* self = data;
  VidaJournal* journal = self->journal;
  const VidaRecording* recording = recording_of(journal, self->index);
  vida_record* record = &journal->record;
  vida_stored_file file = {.name = ""};
  if (!vida__has_ended(row)) {
    return VIDA_SUCCESS;
  }
  if (self->trajectories) {
    vida__find_trajectory(self->trajectories, run, &file);
  }
  vida__clear_record(record);
  vida__put_integer(record, self->index);
  vida__put_integer(record, run);
  vida__put_text(record, file.name);
  vida__put_integer(record, file.size);
  vida__put_integer(record, (int64_t)file.sum);
  vida__put_integer(record, recording != NULL);
  if (recording) {
    vida__put_recorded_run(recording, run, record);
  }
  vida__put_run(journal->scope.studies[self->index], run, row, record);
  const int code = append_record(journal, RECORD_RUN, error);
  if (!code && self->has_states) {
    vida__remove_run_state(journal->scope.directories[self->index], run);
  }
  const bool is_due = vida__read_clock() - journal->synced >= SECONDS_BETWEEN_SYNCS;
  return code || !is_due ? code : synchronize(journal, error);
}

/* ---- states of runs in progress -------------------------------------------------------------- */

static void put_print(const vida_fingerprint* print, vida_record* record) {
  vida__put_integer(record, (int64_t)print->system);
  vida__put_integer(record, (int64_t)print->options);
  vida__put_integer(record, (int64_t)print->reference);
  vida__put_integer(record, (int64_t)print->runs);
}

static bool is_print(const vida_fingerprint* print, vida_record* record) {
  const uint64_t parts[] = {print->system, print->options, print->reference, print->runs};
  bool is_same = true;
  for (int k = 0; k < 4; k++) {
    is_same = (uint64_t)vida__get_integer(record) == parts[k] && is_same;
  }
  return is_same && !record->too_short;
}

/* Appends a part with its length, and empties it. */
static void put_part(vida_record* record, vida_record* part) {
  vida__put_integer(record, (int64_t)part->size);
  vida__put_bytes(record, part->bytes, part->size);
  record->no_memory = record->no_memory || part->no_memory;
  vida__clear_record(part);
}

/* Reads a part; its bytes are copied. */
static bool get_part(vida_record* record, vida_record* part) {
  const int64_t size = vida__get_integer(record);
  if (record->too_short || size < 0 || (uint64_t)size > record->size - record->at) {
    return false;
  }
  vida__put_bytes(part, record->bytes + record->at, (size_t)size);
  record->at += (size_t)size;
  return !part->no_memory;
}

static int keep_state(void* data, int run, const vida_record* state, VidaError* error) {
  follower* self = data;
  VidaJournal* journal = self->journal;
  const VidaRecording* recording = recording_of(journal, self->index);
  vida_record* record = &journal->record;
  vida_record part = {0};
  vida__clear_record(record);
  put_print(&self->print, record);
  vida__put_integer(record, run);
  int code = self->trajectories ? vida__put_trajectory(self->trajectories, run, &part, error)
                                : VIDA_SUCCESS;
  put_part(record, &part);
  if (recording) {
    vida__put_recording(recording, run, &part);
  }
  put_part(record, &part);
  vida__free_record(&part);
  vida__put_bytes(record, state->bytes, state->size);
  self->has_states = true;
  return code ? code
              : vida__write_run_state(journal->scope.directories[self->index], run, record, error);
}

/* Finds the parts of a state in the record of its file. */
static bool take_parts(follower* self, int run, vida_record* record, vida_record* state) {
  const VidaJournal* journal = self->journal;
  vida_record written = {0}, recorded = {0};
  bool good = is_print(&self->print, record) && vida__get_integer(record) == run &&
              get_part(record, &written) && get_part(record, &recorded) &&
              (recorded.size > 0) == (recording_of(journal, self->index) != NULL) &&
              (self->trajectories ? vida__get_trajectory(self->trajectories, run, &written)
                                  : written.size == 0);
  if (good && !self->recorded) {
    self->recorded = vida__allocate((size_t)self->runs, sizeof *self->recorded);
  }
  good = good && self->recorded;
  if (good) {
    self->recorded[run] = recorded;
    recorded = (vida_record){0};
    vida__put_bytes(state, record->bytes + record->at, record->size - record->at);
  }
  vida__free_record(&written);
  vida__free_record(&recorded);
  return good && !state->no_memory;
}

static bool find_state(void* data, int run, vida_record* state) {
  follower* self = data;
  const VidaJournal* journal = self->journal;
  vida_record record = {0};
  const bool is_found =
      journal->goes_on &&
      vida__read_run_state(journal->scope.directories[self->index], run, &record) &&
      take_parts(self, run, &record, state);
  vida__free_record(&record);
  return is_found;
}

static void choose_state(void* data, int run, bool goes_on) {
  follower* self = data;
  const VidaJournal* journal = self->journal;
  if (goes_on || !journal->goes_on) {
    return;
  }
  if (self->recorded) {
    vida__free_record(&self->recorded[run]);
  }
  if (self->trajectories) {
    vida__drop_trajectory(self->trajectories, run);
  }
  vida__remove_run_state(journal->scope.directories[self->index], run);
}

/* Makes the next VidaStudy_Run keep the states of long runs. Without memory, it keeps none. */
static void keep_states(follower* self) {
  VidaStudy* study = self->journal->scope.studies[self->index];
  VidaError ignored;
  if (!self->journal->scope.directories || vida__fingerprint_study(study, &self->print, &ignored)) {
    return;
  }
  self->has_states = self->journal->goes_on;
  self->runs = study->count;
  self->keeper = (vida_run_keeper){VidaOptions_Get(study->options, "checkpoint"), find_state,
                                   choose_state, keep_state, self};
  study->keeper = &self->keeper;
}

VidaObserver VidaJournal_Observer(VidaJournal* journal, int study, VidaTrajectories* trajectories) {
  if (!journal || study < 0 || study >= journal->scope.count) {
    return (VidaObserver){0};
  }
  follower* self = &journal->followers[study];
  self->trajectories = trajectories;
  keep_states(self);
  return (VidaObserver){.begin = begin_run, .end = end_run, .data = self};
}

/* Returns the index of the study to which the record belongs; -1 for none. */
static int get_study(const VidaJournal* journal, vida_record* record) {
  const int64_t index = vida__get_integer(record);
  record->too_short = record->too_short || index < 0 || index >= journal->scope.count;
  return record->too_short ? -1 : (int)index;
}

static int restore_reference(VidaJournal* journal, VidaError* error) {
  vida_record* record = &journal->record;
  const int index = get_study(journal, record);
  const bool is_recorded = vida__get_integer(record) != 0;
  VidaRecording* recording = index < 0 ? NULL : recording_of(journal, index);
  if (index < 0 || !journal->scope.studies[index]->reference ||
      is_recorded != (recording != NULL)) {
    return VIDA_SUCCESS; /* it is computed again */
  }
  int code = is_recorded ? vida__get_recorded_reference(recording, record, error) : VIDA_SUCCESS;
  code = code ? code : vida__get_reference(journal->scope.studies[index], record, error);
  journal->followers[index].has_reference = !code;
  return code;
}

static int restore_run(VidaJournal* journal, VidaError* error) {
  vida_record* record = &journal->record;
  vida_stored_file file;
  const int index = get_study(journal, record);
  const int64_t run = vida__get_integer(record);
  vida__get_text(record, file.name, sizeof file.name);
  file.size = vida__get_integer(record);
  file.sum = (uint64_t)vida__get_integer(record);
  const bool is_recorded = vida__get_integer(record) != 0;
  VidaRecording* recording = index < 0 ? NULL : recording_of(journal, index);
  if (index < 0 || run < 0 || run >= journal->scope.studies[index]->count ||
      is_recorded != (recording != NULL)) {
    return vida__fail(error, VIDA_INPUT_OUTPUT, "a stored result does not fit the studies");
  }
  const char* directory = journal->scope.directories ? journal->scope.directories[index] : NULL;
  if (directory && !vida__has_trajectory(directory, &file)) {
    return VIDA_SUCCESS; /* the run is made again */
  }
  VidaStudy* study = journal->scope.studies[index];
  const bool is_new = !study->runs[run].is_kept;
  int code =
      is_recorded ? vida__get_recorded_run(recording, (int)run, record, error) : VIDA_SUCCESS;
  code = code ? code : vida__get_run(study, (int)run, record, error);
  journal->kept += is_new && !code;
  return code;
}

/* ---- reading --------------------------------------------------------------------------------- */

static bool read_all(int file, void* bytes, size_t size) {
  char* to = bytes;
  while (size > 0) {
    const ssize_t got = read(file, to, size);
    if (got < 0 && errno == EINTR) {
      continue;
    }
    if (got <= 0) {
      return false;
    }
    to += got;
    size -= (size_t)got;
  }
  return true;
}

static int fail_to_read(const VidaJournal* journal, VidaError* error) {
  return vida__fail(error, VIDA_INPUT_OUTPUT, "cannot read '%s': %s", journal->path,
                    strerror(errno));
}

/* Reads the next record. *is_there is false at the end of the file, and where the rest is
 * incomplete or damaged. Fails if the disk does: what follows may be good. */
static int read_record(VidaJournal* journal, long long file_size, record_kind* kind, bool* is_there,
                       VidaError* error) {
  vida_record* frame = &journal->frame;
  unsigned char bytes[FRAME_SIZE];
  *is_there = false;
  vida__clear_record(frame);
  errno = 0;
  if (!read_all(journal->file, bytes, sizeof bytes)) {
    return errno ? fail_to_read(journal, error) : VIDA_SUCCESS;
  }
  vida__put_bytes(frame, bytes, sizeof bytes);
  const int64_t type = vida__get_integer(frame);
  const int64_t size = vida__get_integer(frame);
  const uint64_t sum = (uint64_t)vida__get_integer(frame);
  if (size < 0 || size > file_size - (long long)journal->end - FRAME_SIZE) {
    return VIDA_SUCCESS;
  }
  vida__clear_record(&journal->record);
  void* all = journal->record.bytes;
  const int failed = vida__reserve(&all, &journal->record.capacity, (size_t)size, 1);
  journal->record.bytes = all;
  if (failed) {
    return vida__fail_memory(error);
  }
  journal->record.size = (size_t)size;
  if (!read_all(journal->file, journal->record.bytes, (size_t)size)) {
    return errno ? fail_to_read(journal, error) : VIDA_SUCCESS;
  }
  *is_there =
      type >= RECORD_HEAD && type <= RECORD_RUN && sum_record(type, &journal->record) == sum;
  *kind = (record_kind)type;
  journal->end += *is_there ? (off_t)(FRAME_SIZE + size) : 0;
  return VIDA_SUCCESS;
}

/* Reads everything after the first bytes, and cuts off what is incomplete. */
static int read_journal(VidaJournal* journal, VidaError* error) {
  struct stat status;
  char magic[MAGIC_SIZE];
  record_kind kind = RECORD_HEAD;
  bool is_there = false;
  if (fstat(journal->file, &status) != 0) {
    return fail_to_read(journal, error);
  }
  if (!read_all(journal->file, magic, MAGIC_SIZE) || memcmp(magic, MAGIC, MAGIC_SIZE) != 0) {
    return fail_as_changed(journal, error, "its " VIDA_JOURNAL_NAME " is damaged");
  }
  const long long size = (long long)status.st_size;
  journal->end = MAGIC_SIZE;
  int code = read_record(journal, size, &kind, &is_there, error);
  if (!code && (!is_there || kind != RECORD_HEAD)) {
    return fail_as_changed(journal, error, "its " VIDA_JOURNAL_NAME " is damaged");
  }
  code = code ? code : compare_head(journal, error);
  while (!code && is_there) {
    code = read_record(journal, size, &kind, &is_there, error);
    if (!code && is_there && kind == RECORD_REFERENCE) {
      code = restore_reference(journal, error);
    } else if (!code && is_there && kind == RECORD_RUN) {
      code = restore_run(journal, error);
    }
  }
  journal->lost = size - (long long)journal->end;
  if (!code && (ftruncate(journal->file, journal->end) != 0 ||
                lseek(journal->file, journal->end, SEEK_SET) < 0)) {
    code = fail_to_write(journal, error);
  }
  return code;
}

/* ---- creation -------------------------------------------------------------------------------- */

void VidaJournal_Destroy(VidaJournal** journal) {
  VidaJournal* old = journal ? *journal : NULL;
  if (!old) {
    return;
  }
  if (old->file >= 0) {
    synchronize(old, NULL);
    close(old->file);
  }
  vida__free_record(&old->record);
  vida__free_record(&old->frame);
  for (int i = 0; i < old->scope.count; i++) {
    follower* self = &old->followers[i];
    for (int run = 0; run < self->runs && self->recorded; run++) {
      vida__free_record(&self->recorded[run]);
    }
    free(self->recorded);
  }
  free(old->followers);
  free(old);
  *journal = NULL;
}

/* Creates a journal object with the path of its file. */
static int make_journal(const VidaJournalScope* scope, VidaJournal** journal, VidaError* error) {
  VidaJournal* made = vida__allocate(1, sizeof *made);
  follower* followers = vida__allocate((size_t)scope->count, sizeof *followers);
  if (!made || !followers) {
    free(made);
    free(followers);
    return vida__fail_memory(error);
  }
  *made = (VidaJournal){.scope = *scope, .followers = followers, .file = -1};
  *journal = made;
  for (int i = 0; i < scope->count; i++) {
    followers[i] = (follower){.journal = made, .index = i};
  }
  const int length =
      snprintf(made->path, sizeof made->path, "%s/" VIDA_JOURNAL_NAME, scope->directory);
  if (length < 0 || (size_t)length >= sizeof made->path) {
    return vida__fail(error, VIDA_INPUT_OUTPUT, "the name of the folder '%.40s...' is too long",
                      scope->directory);
  }
  made->synced = vida__read_clock();
  return VIDA_SUCCESS;
}

static int fail_to_open(const VidaJournal* journal, VidaError* error) {
  return vida__fail(error, VIDA_INPUT_OUTPUT, "cannot open '%s': %s", journal->path,
                    strerror(errno));
}

static int open_file(VidaJournal* journal, VidaError* error) {
  journal->file = open(journal->path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
  return journal->file >= 0 ? VIDA_SUCCESS : fail_to_open(journal, error);
}

static int check_scope(const VidaJournalScope* scope, VidaError* error) {
  if (scope->count < 1 || !scope->studies || !scope->directory) {
    return vida__fail(error, VIDA_BAD_ARGUMENT, "a journal needs a folder and studies");
  }
  for (int i = 0; i < scope->count; i++) {
    if (!scope->studies[i]) {
      return vida__fail(error, VIDA_BAD_ARGUMENT, "studies[%d] of the journal is NULL", i);
    }
  }
  return VIDA_SUCCESS;
}

/* The file gets its name when it has its head: a process that is killed before leaves no journal.
 */
static int begin_journal(VidaJournal* journal, VidaError* error) {
  char partial[PATH_SIZE + sizeof ".partial"];
  snprintf(partial, sizeof partial, "%s.partial", journal->path);
  journal->file = vida__create_file(partial);
  int code = journal->file >= 0 ? VIDA_SUCCESS : fail_to_open(journal, error);
  code = code ? code : put_head(journal, error);
  if (!code && !write_all(journal->file, (const unsigned char*)MAGIC, MAGIC_SIZE)) {
    code = fail_to_write(journal, error);
  }
  journal->end = MAGIC_SIZE;
  code = code ? code : append_record(journal, RECORD_HEAD, error);
  code = code ? code : synchronize(journal, error);
  if (!code && rename(partial, journal->path) != 0) {
    code = fail_to_write(journal, error);
  } else if (!code) {
    vida__keep_name(journal->path);
  }
  if (code) {
    remove(partial);
  }
  return code;
}

int VidaJournal_Create(const VidaJournalScope* scope, VidaJournal** journal, VidaError* error) {
  if (VIDA_REFUSE_NULL(error, journal)) {
    return VIDA_BAD_ARGUMENT;
  }
  *journal = NULL;
  int code = VIDA_REFUSE_NULL(error, scope);
  code = code ? code : check_scope(scope, error);
  code = code ? code : make_journal(scope, journal, error);
  code = code ? code : begin_journal(*journal, error);
  if (code) {
    VidaJournal_Destroy(journal);
  }
  return code;
}

/* Nothing that was read is kept. */
static void forget_runs(const VidaJournalScope* scope) {
  for (int i = 0; i < scope->count; i++) {
    VidaStudy* study = scope->studies[i];
    if (study->reference) {
      study->reference->is_kept = false;
    }
    for (int run = 0; run < study->count; run++) {
      study->runs[run].is_kept = false;
    }
  }
}

int VidaJournal_Resume(const VidaJournalScope* scope, VidaJournal** journal, VidaError* error) {
  if (VIDA_REFUSE_NULL(error, journal)) {
    return VIDA_BAD_ARGUMENT;
  }
  *journal = NULL;
  int code = VIDA_REFUSE_NULL(error, scope);
  code = code ? code : check_scope(scope, error);
  code = code ? code : make_journal(scope, journal, error);
  code = code ? code : open_file(*journal, error);
  code = code ? code : read_journal(*journal, error);
  if (!code) {
    (*journal)->goes_on = true;
    (*journal)->begun = vida__count_run_states(scope->directory);
  }
  if (code && *journal) {
    forget_runs(scope);
    VidaJournal_Destroy(journal);
  }
  return code;
}

int VidaJournal_StoredRuns(const char* directory) {
  const VidaJournalScope scope = {.directory = directory, .count = 1};
  VidaJournal* journal = NULL;
  char magic[MAGIC_SIZE];
  record_kind kind = RECORD_HEAD;
  struct stat status;
  int runs = 0;
  bool is_there = directory && !make_journal(&scope, &journal, NULL) && !open_file(journal, NULL) &&
                  fstat(journal->file, &status) == 0 &&
                  read_all(journal->file, magic, MAGIC_SIZE) &&
                  memcmp(magic, MAGIC, MAGIC_SIZE) == 0;
  if (is_there) {
    journal->end = MAGIC_SIZE;
  }
  while (is_there && !read_record(journal, (long long)status.st_size, &kind, &is_there, NULL) &&
         is_there) {
    runs += kind == RECORD_RUN;
  }
  runs += journal && journal->file >= 0 ? vida__count_run_states(directory) : 0;
  VidaJournal_Destroy(&journal);
  return runs;
}

int VidaJournal_KeptRuns(const VidaJournal* journal) {
  return journal ? journal->kept : 0;
}

int VidaJournal_BegunRuns(const VidaJournal* journal) {
  return journal ? journal->begun : 0;
}

long long VidaJournal_LostBytes(const VidaJournal* journal) {
  return journal ? journal->lost : 0;
}

bool VidaJournal_RemoveComplete(VidaJournal* journal) {
  bool is_complete = journal != NULL;
  for (int i = 0; is_complete && i < journal->scope.count; i++) {
    const VidaStudy* study = journal->scope.studies[i];
    for (int run = 0; run < study->count; run++) {
      is_complete = is_complete && vida__has_ended(&study->runs[run].row);
    }
  }
  if (!is_complete || unlink(journal->path) != 0) {
    return false;
  }
  for (int i = 0; i < journal->scope.count && journal->scope.directories; i++) {
    vida__remove_run_states(journal->scope.directories[i]);
  }
  return true;
}
