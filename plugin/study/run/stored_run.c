/* The result of a run in a record, with which a study goes on in another process. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "study/study.h"

/* ---- remarks --------------------------------------------------------------------------------- */

/* A string constant that may be NULL. */
static void put_word(vida_record* record, const char* word) {
  vida__put_integer(record, word != NULL);
  vida__put_text(record, word ? word : "");
}

/* Reads a word into the study, which owns it from now on. */
static const char* get_word(VidaStudy* study, vida_record* record) {
  char text[VIDA_MESSAGE_SIZE];
  const bool is_there = vida__get_integer(record) != 0;
  vida__get_text(record, text, sizeof text);
  const char* word = is_there ? vida__store_text(&study->words, text) : NULL;
  record->no_memory = record->no_memory || (is_there && !word);
  return word;
}

static void put_remarks(const VidaRow* row, vida_record* record) {
  vida__put_integer(record, row->remark_count);
  for (int i = 0; i < row->remark_count; i++) {
    const VidaRemark* remark = &row->remarks[i];
    vida__put_integer(record, (int64_t)remark->kind);
    vida__put_integer(record, remark->name >= 0);
    vida__put_text(record, remark->name >= 0 ? row->names + remark->name : "");
    put_word(record, remark->word);
    vida__put_reals(record, 3, (const double[]){remark->t, remark->a, remark->b});
    put_word(record, remark->remedy.option);
    put_word(record, remark->remedy.value);
    put_word(record, remark->remedy.method);
    vida__put_integer(record, remark->count);
  }
}

static void get_remarks(VidaStudy* study, vida_record* record, VidaRow* row) {
  const int64_t count = vida__get_integer(record);
  size_t used = 0;
  record->too_short = record->too_short || count < 0 || count > VIDA_MOST_REMARKS;
  row->remark_count = record->too_short ? 0 : (int)count;
  for (int i = 0; i < row->remark_count; i++) {
    VidaRemark* remark = &row->remarks[i];
    const int64_t kind = vida__get_integer(record);
    const bool is_named = vida__get_integer(record) != 0;
    remark->kind = kind >= 0 && kind < VIDA_REMARK_KINDS ? (VidaRemarkKind)kind : 0;
    record->too_short = record->too_short || (int64_t)remark->kind != kind;
    remark->name = is_named ? (int)used : -1;
    if (is_named) {
      vida__get_text(record, row->names + used, sizeof row->names - used);
      used += strlen(row->names + used) + 1;
      used = used < sizeof row->names ? used : sizeof row->names - 1;
    } else {
      char none[1];
      vida__get_text(record, none, sizeof none);
    }
    remark->word = get_word(study, record);
    remark->t = vida__get_real(record);
    remark->a = vida__get_real(record);
    remark->b = vida__get_real(record);
    remark->remedy.option = get_word(study, record);
    remark->remedy.value = get_word(study, record);
    remark->remedy.method = get_word(study, record);
    remark->count = vida__get_count(record);
  }
}

/* ---- rows ------------------------------------------------------------------------------------ */

static void put_row(const VidaRow* row, vida_record* record) {
  for (int i = 0; vida__column_at(i); i++) {
    const VidaColumn* column = vida__column_at(i);
    const char* member = (const char*)row + column->offset;
    long count;
    double value;
    switch (column->type) {
      case VIDA_COLUMN_TEXT:
        vida__put_text(record, member);
        break;
      case VIDA_COLUMN_COUNT:
        memcpy(&count, member, sizeof count);
        vida__put_integer(record, count);
        break;
      case VIDA_COLUMN_REAL:
      default:
        memcpy(&value, member, sizeof value);
        vida__put_real(record, value);
        break;
    }
  }
  vida__put_integer(record, row->forced_steps);
  vida__put_integer(record, row->doubtful);
  put_remarks(row, record);
}

static void get_row(VidaStudy* study, vida_record* record, VidaRow* row) {
  for (int i = 0; vida__column_at(i); i++) {
    const VidaColumn* column = vida__column_at(i);
    char* member = (char*)row + column->offset;
    long count;
    double value;
    switch (column->type) {
      case VIDA_COLUMN_TEXT:
        vida__get_text(record, member, column->size);
        break;
      case VIDA_COLUMN_COUNT:
        count = vida__get_count(record);
        memcpy(member, &count, sizeof count);
        break;
      case VIDA_COLUMN_REAL:
      default:
        value = vida__get_real(record);
        memcpy(member, &value, sizeof value);
        break;
    }
  }
  row->forced_steps = vida__get_count(record);
  row->doubtful = (unsigned)vida__get_integer(record);
  get_remarks(study, record, row);
}

/* ---- runs ------------------------------------------------------------------------------------ */

/* The sizes of a run as numbers. */
enum { SIZES = sizeof(vida_run_sizes) / sizeof(double) };
_Static_assert(sizeof(vida_run_sizes) == SIZES * sizeof(double), "only numbers");

void vida__put_run(const VidaStudy* study, int index, const VidaRow* row, vida_record* record) {
  const vida_run* run = &study->runs[index];
  const size_t n = (size_t)VidaSystem_CoordinateCount(study->system);
  double sizes[SIZES];
  memcpy(sizes, &run->sizes, sizeof sizes);
  put_row(row, record);
  vida__put_reals(record, SIZES, sizes);
  vida__put_events(&run->events, record);
  vida__put_integer(record, run->joint_steps);
  vida__put_real(record, run->reference_error);
  vida__put_integer(record, vida__comparison_of(study, run));
  if (run->own_start) {
    vida__put_reals(record, 2 * n, run->own_start + 2 * n);
  }
}

int vida__get_run(VidaStudy* study, int index, vida_record* record, VidaError* error) {
  vida_run* run = &study->runs[index];
  const size_t n = (size_t)VidaSystem_CoordinateCount(study->system);
  VidaRow* row = vida__allocate(1, sizeof *row);
  double* start = vida__allocate(2 * n, sizeof *start);
  double sizes[SIZES];
  vida_event_list events;
  int code = vida__create_events(study->system, &events, error);
  code = code || (row && start) ? code : vida__fail_memory(error);
  if (!code) {
    get_row(study, record, row);
    vida__get_reals(record, SIZES, sizes);
    code = vida__get_events(&events, record, error);
    const long joint_steps = vida__get_count(record);
    const double reference_error = vida__get_real(record);
    const int64_t compared = vida__get_integer(record);
    vida__get_reals(record, run->own_start ? 2 * n : 0, start);
    if (record->no_memory || code) {
      code = vida__fail_memory(error);
    } else if (record->too_short || strcmp(row->method, run->row.method) != 0) {
      code = vida__fail(error, VIDA_INPUT_OUTPUT, "the stored result does not fit run %d", index);
    } else {
      run->row = *row;
      vida__exchange_events(&run->events, &events);
      run->joint_steps = joint_steps;
      run->reference_error = reference_error;
      run->is_kept = true;
      run->compared = compared > 0 && compared <= 2 ? (int)compared : 0;
      memcpy(&run->sizes, sizes, sizeof sizes);
      if (run->own_start) {
        memcpy(run->own_start + 2 * n, start, 2 * n * sizeof *start);
      }
    }
  }
  vida__destroy_events(&events);
  free(row);
  free(start);
  return code;
}
