/* The failures and remarks below a table, equal ones once. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/string_table.h"
#include "base/text.h"
#include "report/output/output.h"
#include "study/remarks.h"
#include "study/step_choice.h"
#include "study/study.h"

enum { MOST_NAMED = 4 }; /* runs that have the same remarks */

/* Runs that have the same remarks. */
typedef struct remark_groups {
  vida_string_table keys;
  int *first, *last, *count; /* of each key: runs */
  int* next;                 /* of each run: the next one with its key; -1: none */
} remark_groups;

void vida__name_run(const VidaRow* row, char* text, size_t size) {
  char step[VIDA_REAL_TEXT_SIZE];
  const vida_step_choice choice = vida__step_choice_of(row);
  vida__append(text, size, "%s, %s = %s%s%s%s", row->method, choice.name,
               vida__real_text(step, choice.value, 12), choice.unit, row->options[0] ? ", " : "",
               row->options);
}

/* Writes the status of a failed run and its remarks, except those that are written once for all
 * runs. */
static void describe_run(const VidaRow* row, char* text, size_t size) {
  char t[VIDA_REAL_TEXT_SIZE], remarks[VIDA_MESSAGE_SIZE];
  text[0] = '\0';
  if (!vida__is_finished(row)) {
    vida__append(text, size, "%s at t = %s s: ", row->status, vida__real_text(t, row->t_end, 12));
  }
  vida__remarks_text(row, VIDA_REMARKS_OF_RUNS, remarks, sizeof remarks);
  vida__append(text, size, "%s", remarks);
}

/* Failures of many starts are written once for each status and each set of kinds of remarks,
 * whatever their numbers are. */
static bool is_of_sweep(const VidaStudy* study, int run) {
  return study->runs[run].own_start && !vida__is_finished(VidaStudy_Row(study, run));
}

static void make_key(const VidaStudy* study, int run, char* key, size_t size) {
  const VidaRow* row = VidaStudy_Row(study, run);
  if (!is_of_sweep(study, run)) {
    describe_run(row, key, size);
    return;
  }
  key[0] = '\0';
  vida__append(key, size, "%s", row->status);
  for (int i = 0; i < row->remark_count; i++) {
    vida__append(key, size, " %d", (int)row->remarks[i].kind);
  }
}

static bool is_reported(const VidaRow* row) {
  for (int i = 0; i < row->remark_count; i++) {
    if (Vida_RemarkInfo((int)row->remarks[i].kind)->place == VIDA_REMARK_BELOW_ROWS) {
      return true;
    }
  }
  return false;
}

/* Appends the name of the run; of one whose start has no label, with the number of the start. */
static void append_run(const VidaStudy* study, int number, char* text, size_t size) {
  const vida_run* run = &study->runs[number];
  vida__name_run(&run->row, text, size);
  if (run->own_start && !run->label[0] && study->runs[run->first].alike > 1) {
    vida__append(text, size, ", start %ld", run->start);
  }
}

/* Writes the names of the first runs of a group, and their remarks; for failures of many starts,
 * those of the first one. */
static void write_group(const VidaStudy* study, const remark_groups* groups, int number, int width,
                        const VidaTableStyle* style, FILE* file) {
  char text[4 * VIDA_MESSAGE_SIZE] = "", words[2 * VIDA_MESSAGE_SIZE];
  const VidaRow* first = VidaStudy_Row(study, groups->first[number]);
  const bool is_sweep = is_of_sweep(study, groups->first[number]);
  const VidaOutcome outcome = VidaRow_Outcome(first);
  const int most = is_sweep ? 1 : MOST_NAMED;
  int named = 0;
  for (int run = groups->first[number]; run >= 0 && named < most; run = groups->next[run]) {
    vida__append(text, sizeof text, "%s", named++ > 0 ? "; " : "");
    append_run(study, run, text, sizeof text);
  }
  if (groups->count[number] > named) {
    const int others = groups->count[number] - named;
    vida__append(text, sizeof text, " and %d other run%s", others, vida__plural(others));
  }
  describe_run(first, words, sizeof words);
  vida__append(text, sizeof text, "%s: %s",
               is_sweep && named < groups->count[number] ? " (numbers of the first)" : "", words);
  vida__write_styled(text, width, vida__style_begin(style, outcome),
                     vida__style_end(style, outcome), file);
}

static int allocate_groups(remark_groups* groups, int runs) {
  const size_t count = (size_t)runs;
  groups->first = vida__allocate(count, sizeof(int));
  groups->last = vida__allocate(count, sizeof(int));
  groups->count = vida__allocate(count, sizeof(int));
  groups->next = vida__allocate(count, sizeof(int));
  return groups->first && groups->last && groups->count && groups->next ? VIDA_SUCCESS
                                                                        : VIDA_OUT_OF_MEMORY;
}

static void free_groups(remark_groups* groups) {
  vida__free_strings(&groups->keys);
  free(groups->first);
  free(groups->last);
  free(groups->count);
  free(groups->next);
}

static int add_run(remark_groups* groups, const VidaStudy* study, int run) {
  char key[2 * VIDA_MESSAGE_SIZE];
  make_key(study, run, key, sizeof key);
  const int before = groups->keys.count;
  const int number = vida__add_string(&groups->keys, key);
  if (number < 0) {
    return VIDA_OUT_OF_MEMORY;
  }
  if (number == before) {
    groups->first[number] = run;
  } else {
    groups->next[groups->last[number]] = run;
  }
  groups->last[number] = run;
  groups->next[run] = -1;
  groups->count[number]++;
  return VIDA_SUCCESS;
}

int vida__write_remarks(const VidaStudy* study, int width, const VidaTableStyle* style, FILE* file,
                        bool* any, bool* marked) {
  const int runs = VidaStudy_RunCount(study);
  remark_groups groups = {0};
  int code = allocate_groups(&groups, runs);
  for (int i = 0; i < runs && !code; i++) {
    const VidaRow* row = VidaStudy_Row(study, i);
    *marked = *marked || vida__has_remark(row, VIDA_REMARK_BELOW_REFERENCE);
    code = is_reported(row) ? add_run(&groups, study, i) : VIDA_SUCCESS;
  }
  for (int i = 0; i < groups.keys.count && !code; i++) {
    if (!*any) {
      fputc('\n', file);
    }
    *any = true;
    write_group(study, &groups, i, width, style, file);
  }
  free_groups(&groups);
  return code;
}
