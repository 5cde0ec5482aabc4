#include "report/sweep/distribution.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "study/time/time_limits.h"

/* Messages to process 0, and from it. */
typedef enum message_kind {
  MESSAGE_HELLO,  /* study, identity, and what is known of its share of the starts */
  MESSAGE_RESULT, /* of a chunk */
  MESSAGE_FAILED, /* code and text */
  MESSAGE_BYE,    /* the process has no more sweeps */
  MESSAGE_STARTS, /* what is known of all starts */
  MESSAGE_CHUNK,  /* a chunk to be made: index, first start, and number of starts */
  MESSAGE_DONE,   /* there are no more, and no process has any */
  MESSAGE_REFUSED /* text: the process does not belong to this sweep */
} message_kind;

/* Chunks that a process has at once: the next one is there when one is done. */
enum { AT_ONCE = 2, SLOTS_OF_RANK = 4 };

typedef struct result_slot {
  bool is_there;
  vida_record record;
} result_slot;

struct vida_distribution {
  const VidaRanks* ranks;
  long next, turn;    /* index of the chunk to be handed out; of that whose result is next */
  long start, starts; /* first start of the next chunk; all starts */
  vida_pace pace;
  result_slot* slots; /* slot_count; that of chunk i is i % slot_count */
  long slot_count;
  int* chunks;   /* ranks->count: that a process has */
  bool is_over;  /* and all have been told */
  double looked; /* clock reading at the last look for messages, s */
};

static int send_record(const VidaRanks* ranks, int to, message_kind kind, const vida_record* record,
                       VidaError* error) {
  return record->no_memory
             ? vida__fail_memory(error)
             : ranks->send(ranks->data, to, (int)kind, record->bytes, record->size, error);
}

static int send_number(const VidaRanks* ranks, int to, message_kind kind, long number,
                       VidaError* error) {
  vida_record record = {0};
  vida__put_integer(&record, number);
  const int code = send_record(ranks, to, kind, &record, error);
  vida__free_record(&record);
  return code;
}

static int receive_record(const VidaRanks* ranks, bool waits, int* from, int* kind,
                          vida_record* record, VidaError* error) {
  void* bytes = NULL;
  size_t size = 0;
  const int code = ranks->receive(ranks->data, waits, from, kind, &bytes, &size, error);
  *record = (vida_record){.bytes = bytes, .size = size, .capacity = size};
  return code;
}

static int refuse_comparisons(int from, VidaError* error) {
  return vida__fail_flag(error, VIDA_INPUT_OUTPUT, "CHANGED",
                         "rank %d of the processes has other comparisons", from);
}

static int take_failure(int from, vida_record* record, VidaError* error) {
  char text[VIDA_MESSAGE_SIZE];
  const int code = (int)vida__get_integer(record);
  vida__get_text(record, text, sizeof text);
  return vida__fail(error, code ? code : VIDA_INPUT_OUTPUT, "rank %d: %s", from, text);
}

static void send_failure(const VidaRanks* ranks, const VidaError* problem) {
  vida_record record = {0};
  vida__put_integer(&record, problem->code);
  vida__put_text(&record, problem->message);
  send_record(ranks, 0, MESSAGE_FAILED, &record, NULL);
  vida__free_record(&record);
}

static int fail_as_refused(vida_record* record, VidaError* error) {
  char text[VIDA_MESSAGE_SIZE];
  vida__get_text(record, text, sizeof text);
  return vida__fail(error, VIDA_INPUT_OUTPUT, "%s", text);
}

/* ---- the survey of the starts ---------------------------------------------------------------- */

/* A study that is surveyed together. */
typedef struct joint_survey {
  const VidaRanks* ranks;
  int index; /* of the study */
  VidaStudy* study;
  const vida_fingerprint* print;
} joint_survey;

/* Waits for a message. */
static int await(const VidaRanks* ranks, int* from, int* kind, vida_record* record,
                 VidaError* error) {
  int code = VIDA_SUCCESS;
  for (*from = -1; *from < 0 && !code;) {
    vida__free_record(record);
    code = receive_record(ranks, true, from, kind, record, error);
  }
  return code;
}

static void refuse(const VidaRanks* ranks, int rank, const VidaError* why) {
  vida_record text = {0};
  vida__put_text(&text, why->message);
  send_record(ranks, rank, MESSAGE_REFUSED, &text, NULL);
  vida__free_record(&text);
}

static int take_hello(const joint_survey* self, int from, vida_record* record, VidaError* error) {
  char whose[VIDA_NAME_SIZE] = "";
  VidaError why = {0};
  vida__append(whose, sizeof whose, "rank %d of the processes has", from);
  int code = vida__get_integer(record) == self->index
                 ? vida__compare_identity(self->study, self->print, record, whose, &why)
                 : refuse_comparisons(from, &why);
  if (!code) {
    vida__get_share(self->study, from, self->ranks->count, record);
    code = vida__is_read(record) ? VIDA_SUCCESS : refuse_comparisons(from, &why);
  }
  if (code) {
    refuse(self->ranks, from, &why);
    if (error) {
      *error = why;
    }
  }
  return code;
}

static int gather_shares(const joint_survey* self, VidaError* error) {
  const VidaRanks* ranks = self->ranks;
  int code = vida__survey_share(self->study, 0, ranks->count, error);
  for (int left = ranks->count - 1; left > 0 && !code; left--) {
    int from, kind = MESSAGE_FAILED;
    vida_record record = {0};
    code = await(ranks, &from, &kind, &record, error);
    if (!code) {
      code = kind == MESSAGE_HELLO    ? take_hello(self, from, &record, error)
             : kind == MESSAGE_FAILED ? take_failure(from, &record, error)
                                      : refuse_comparisons(from, error);
    }
    vida__free_record(&record);
  }
  code = code ? code : vida__complete_survey(self->study, error);
  vida_record all = {0};
  vida__put_share(self->study, 0, 1, &all);
  for (int rank = 1; rank < ranks->count && !code; rank++) {
    code = send_record(ranks, rank, MESSAGE_STARTS, &all, error);
  }
  vida__free_record(&all);
  return code;
}

static int say_hello(const joint_survey* self, VidaError* error) {
  vida_record record = {0};
  vida__put_integer(&record, self->index);
  vida__put_identity(self->study, self->print, &record);
  vida__put_share(self->study, self->ranks->rank, self->ranks->count, &record);
  const int code = send_record(self->ranks, 0, MESSAGE_HELLO, &record, error);
  vida__free_record(&record);
  return code;
}

static int give_share(const joint_survey* self, VidaError* error) {
  const VidaRanks* ranks = self->ranks;
  VidaError problem = {0};
  int from, kind = MESSAGE_REFUSED;
  int code = vida__survey_share(self->study, ranks->rank, ranks->count, &problem);
  if (code) {
    send_failure(ranks, &problem);
    if (error) {
      *error = problem;
    }
    return code;
  }
  vida_record record = {0};
  code = say_hello(self, error);
  code = code ? code : await(ranks, &from, &kind, &record, error);
  if (!code && kind == MESSAGE_STARTS) {
    vida__get_share(self->study, 0, 1, &record);
    code = vida__complete_survey(self->study, error);
  } else if (!code) {
    code = fail_as_refused(&record, error);
  }
  vida__free_record(&record);
  return code;
}

int vida__survey_together(const VidaSweepScope* scope, const vida_fingerprint* prints,
                          VidaError* error) {
  int code = VIDA_SUCCESS;
  for (int i = 0; i < scope->count && !code; i++) {
    const joint_survey self = {scope->ranks, i, scope->studies[i], &prints[i]};
    if (scope->studies[i]->sweep) {
      code = scope->ranks->rank == 0 ? gather_shares(&self, error) : give_share(&self, error);
    }
  }
  return code;
}

/* ---- process 0 ------------------------------------------------------------------------------- */

static bool has_chunk(const vida_distribution* self) {
  return self->start < self->starts && self->next < self->turn + self->slot_count;
}

static vida_chunk take_chunk(vida_distribution* self) {
  const vida_chunk chunk = {self->next++, self->start,
                            vida__next_chunk(&self->pace, self->starts - self->start)};
  self->start += chunk.count;
  return chunk;
}

static int send_chunk(const VidaRanks* ranks, int to, vida_chunk chunk, VidaError* error) {
  vida_record record = {0};
  vida__put_integer(&record, chunk.index);
  vida__put_integer(&record, chunk.first);
  vida__put_integer(&record, chunk.count);
  const int code = send_record(ranks, to, MESSAGE_CHUNK, &record, error);
  vida__free_record(&record);
  return code;
}

/* Gives a process what it can have. */
static int give_chunks(vida_distribution* self, int rank, VidaError* error) {
  int code = VIDA_SUCCESS;
  while (!code && self->chunks[rank] < AT_ONCE && has_chunk(self)) {
    code = send_chunk(self->ranks, rank, take_chunk(self), error);
    self->chunks[rank]++;
  }
  return code;
}

int vida__create_distribution(const VidaRanks* ranks, const VidaStudy* study, long first,
                              vida_distribution** distribution, VidaError* error) {
  vida_distribution* made = vida__allocate(1, sizeof *made);
  if (!made) {
    return vida__fail_memory(error);
  }
  *made = (vida_distribution){.ranks = ranks,
                              .start = first,
                              .starts = study->sweep->starts.count,
                              .pace = vida__begin_pace(study),
                              .slot_count = (long)SLOTS_OF_RANK * ranks->count};
  made->slots = vida__allocate((size_t)made->slot_count, sizeof *made->slots);
  made->chunks = vida__allocate((size_t)ranks->count, sizeof *made->chunks);
  *distribution = made;
  int code = made->slots && made->chunks ? VIDA_SUCCESS : vida__fail_memory(error);
  for (int rank = 1; rank < ranks->count && !code; rank++) {
    code = give_chunks(made, rank, error);
  }
  return code;
}

void vida__destroy_distribution(vida_distribution** distribution) {
  vida_distribution* old = *distribution;
  if (!old) {
    return;
  }
  for (long i = 0; i < old->slot_count && old->slots; i++) {
    vida__free_record(&old->slots[i].record);
  }
  free(old->slots);
  free(old->chunks);
  free(old);
  *distribution = NULL;
}

/* Keeps a result; the record is then empty. */
static int take_result(vida_distribution* self, int from, vida_record* record, VidaError* error) {
  const long chunk = vida__get_count(record);
  record->at = 0;
  result_slot* slot = &self->slots[chunk < 0 ? 0 : chunk % self->slot_count];
  if (chunk < self->turn || chunk >= self->next || slot->is_there) {
    return vida__fail(error, VIDA_INPUT_OUTPUT, "rank %d has sent a result that was not asked for",
                      from);
  }
  vida__free_record(&slot->record);
  *slot = (result_slot){true, *record};
  *record = (vida_record){0};
  self->chunks[from]--;
  return give_chunks(self, from, error);
}

/* A look for messages costs some microseconds, as short runs do. */
#define SECONDS_BETWEEN_LOOKS 5e-4

int vida__serve_ranks(vida_distribution* self, bool waits, VidaError* error) {
  int code = VIDA_SUCCESS, from = 0;
  const double now = vida__read_clock();
  if (!waits && now - self->looked < SECONDS_BETWEEN_LOOKS) {
    return VIDA_SUCCESS;
  }
  self->looked = now;
  while (!code && from >= 0) {
    int kind = 0;
    vida_record record = {0};
    code = receive_record(self->ranks, waits, &from, &kind, &record, error);
    if (!code && from > 0 && from < self->ranks->count) {
      code = kind == MESSAGE_RESULT   ? take_result(self, from, &record, error)
             : kind == MESSAGE_FAILED ? take_failure(from, &record, error)
                                      : refuse_comparisons(from, error);
    }
    vida__free_record(&record);
    waits = false;
  }
  return code;
}

int vida__try_to_end(vida_distribution* self, bool* is_over, VidaError* error) {
  const bool can_end = self->turn == self->next && self->start == self->starts && !self->is_over;
  int code = VIDA_SUCCESS;
  for (int rank = 1; rank < self->ranks->count && can_end && !code; rank++) {
    code = send_number(self->ranks, rank, MESSAGE_DONE, 0, error);
  }
  self->is_over = self->is_over || can_end;
  *is_over = self->is_over;
  return code;
}

vida_record* vida__next_result(vida_distribution* self) {
  result_slot* slot = &self->slots[self->turn % self->slot_count];
  return self->turn < self->next && slot->is_there ? &slot->record : NULL;
}

void vida__drop_result(vida_distribution* self) {
  result_slot* slot = &self->slots[self->turn % self->slot_count];
  vida__free_record(&slot->record);
  slot->is_there = false;
  self->turn++;
  for (int rank = 1; rank < self->ranks->count; rank++) { /* some may have waited for the place */
    VidaError ignored;
    give_chunks(self, rank, &ignored); /* what cannot be sent is seen when nothing is received */
  }
}

vida_chunk vida__take_own_chunk(vida_distribution* self) {
  return has_chunk(self) ? take_chunk(self) : (vida_chunk){.index = -1};
}

void vida__note_result(vida_distribution* self, long count, double seconds) {
  vida__note_chunk(&self->pace, count, seconds);
}

vida_record* vida__own_result(vida_distribution* self, long chunk) {
  return &self->slots[chunk % self->slot_count].record;
}

void vida__store_own_result(vida_distribution* self, long chunk) {
  self->slots[chunk % self->slot_count].is_there = true;
}

int vida__dismiss_ranks(const VidaRanks* ranks, VidaError* error) {
  int code = VIDA_SUCCESS;
  for (int left = ranks->count - 1; left > 0 && !code;) {
    int from = -1, kind = MESSAGE_BYE;
    vida_record record = {0};
    code = receive_record(ranks, true, &from, &kind, &record, error);
    vida__free_record(&record);
    if (!code && from >= 0) {
      code = kind == MESSAGE_BYE ? VIDA_SUCCESS : refuse_comparisons(from, error);
      left--;
    }
  }
  return code;
}

/* ---- the other processes --------------------------------------------------------------------- */

static int answer(const VidaRanks* ranks, VidaStudy* study, const vida_row_columns* columns,
                  vida_chunk chunk, double began, VidaError* error) {
  vida_record record = {0};
  VidaError problem = {0};
  int code = vida__make_chunk(ranks, study, columns, chunk, began, NULL, &record, &problem);
  if (code) {
    send_failure(ranks, &problem);
    if (error) {
      *error = problem;
    }
  } else {
    code = send_record(ranks, 0, MESSAGE_RESULT, &record, error);
  }
  vida__free_record(&record);
  return code;
}

static int work_on_study(const VidaRanks* ranks, VidaStudy* study, VidaError* error) {
  vida_row_columns columns;
  const double began = vida__read_clock();
  int code = vida__find_row_columns(study, &columns, error);
  for (bool is_done = false; !code && !is_done;) {
    int from = -1, kind = MESSAGE_DONE;
    vida_record record = {0};
    code = await(ranks, &from, &kind, &record, error);
    if (!code && kind == MESSAGE_CHUNK) {
      vida_chunk chunk = {.index = vida__get_count(&record)};
      chunk.first = vida__get_count(&record);
      chunk.count = vida__get_count(&record);
      code = answer(ranks, study, &columns, chunk, began, error);
    } else if (!code && kind == MESSAGE_REFUSED) {
      code = fail_as_refused(&record, error);
    } else {
      is_done = true;
    }
    vida__free_record(&record);
  }
  vida__free_row_columns(&columns);
  return code;
}

int vida__work_for_rank_0(const VidaSweepScope* scope, VidaError* error) {
  int code = VIDA_SUCCESS;
  for (int i = 0; i < scope->count && !code; i++) {
    if (scope->studies[i]->sweep) {
      code = work_on_study(scope->ranks, scope->studies[i], error);
    }
  }
  return code ? code : send_number(scope->ranks, 0, MESSAGE_BYE, 0, error);
}
