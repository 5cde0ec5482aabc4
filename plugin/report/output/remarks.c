/* What is said of runs below a table: failures and remarks in words, each once. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/register.h"
#include "base/text.h"
#include "report/output/output.h"
#include "study/study.h"

enum { MOST_NAMED = 4 }; /* runs of which the same is said */

/* Runs of which the same is said. */
typedef struct said_of_runs {
  vida_register texts;
  int *first, *last, *count; /* of each text: runs */
  int* next;                 /* of each run: the next one with its text; -1: none */
} said_of_runs;

void vida__name_run(const VidaRow* row, char* text, size_t size) {
  char step[VIDA_REAL_TEXT_SIZE];
  const bool adaptive = isnan(row->h);
  vida__append(text, size, "%s, %s = %s%s%s%s", row->method, adaptive ? "rtol" : "h",
               vida__real_text(step, adaptive ? row->rtol : row->h, 12), adaptive ? "" : " s",
               row->options[0] ? ", " : "", row->options);
}

/* What is said of the run, without its name. */
static void message_text(const VidaRow* row, const char* message, char* text, size_t size) {
  char t[VIDA_REAL_TEXT_SIZE];
  if (strcmp(row->status, "ok") != 0) {
    vida__append(text, size, "%s at t = %s s: ", row->status, vida__real_text(t, row->t_end, 12));
  }
  vida__append(text, size, "%s", message);
}

/* Takes the remarks out of the message that are said once for all; true: the mark stands for one.
 */
static bool strip_remarks(char* message) {
  const size_t length = strlen(VIDA_REMARK_SHARED);
  if (strncmp(message, VIDA_REMARK_SHARED, length) == 0) {
    const char* rest = message + length + (message[length] ? 2 : 0); /* and the "; " */
    memmove(message, rest, strlen(rest) + 1);
  }
  char* below = strstr(message, VIDA_REMARK_BELOW);
  if (below) {
    below[below - message >= 2 ? -2 : 0] = '\0';
  }
  return below;
}

static bool has_own_start(const VidaStudy* study, int run) {
  return study->runs[run].own_start;
}

/* Failures at many starts are the same but for their numbers, which are left out, unless they are
 * part of a name. */
static void mask_numbers(char* text) {
  bool is_quoted = false;
  char before = ' ', *to = text;
  for (const char* from = text; *from;) {
    char* end = NULL;
    is_quoted = is_quoted != (*from == '\'');
    const bool begins = !is_quoted && (before == ' ' || before == '(');
    if (begins && (isdigit((unsigned char)*from) || *from == '-')) {
      (void)strtod(from, &end);
    }
    const bool is_number = end && end > from;
    before = is_number ? '#' : *from;
    *to++ = before;
    from = is_number ? end : from + 1;
  }
  *to = '\0';
}

/* The names of the first runs of which this is said, and it; of failures at many starts the first
 * one. */
static void write_message(const VidaStudy* study, const said_of_runs* said, int number, int width,
                          FILE* file) {
  char text[4 * VIDA_MESSAGE_SIZE] = "", message[VIDA_MESSAGE_SIZE] = "";
  const VidaRow* first = VidaStudy_Row(study, said->first[number]);
  const bool is_sweep =
      strcmp(first->status, "ok") != 0 && has_own_start(study, said->first[number]);
  const int most = is_sweep ? 1 : MOST_NAMED;
  int named = 0;
  for (int run = said->first[number]; run >= 0 && named < most; run = said->next[run]) {
    vida__append(text, sizeof text, "%s", named++ > 0 ? "; " : "");
    vida__name_run(VidaStudy_Row(study, run), text, sizeof text);
  }
  if (said->count[number] > named) {
    const int others = said->count[number] - named;
    vida__append(text, sizeof text, " and %d other run%s", others, vida__plural(others));
  }
  vida__append(message, sizeof message, "%s", first->message);
  strip_remarks(message);
  vida__append(text, sizeof text,
               "%s: ", is_sweep && named < said->count[number] ? " (numbers of the first)" : "");
  message_text(first, message, text, sizeof text);
  vida__write_paragraph(text, width, file);
}

static int allocate_said(said_of_runs* said, int runs) {
  const size_t count = (size_t)runs;
  said->first = vida__allocate(count, sizeof(int));
  said->last = vida__allocate(count, sizeof(int));
  said->count = vida__allocate(count, sizeof(int));
  said->next = vida__allocate(count, sizeof(int));
  return said->first && said->last && said->count && said->next ? VIDA_SUCCESS : VIDA_OUT_OF_MEMORY;
}

static void free_said(said_of_runs* said) {
  vida__free_register(&said->texts);
  free(said->first);
  free(said->last);
  free(said->count);
  free(said->next);
}

static int add_said(said_of_runs* said, const VidaStudy* study, const char* message, int run) {
  const VidaRow* row = VidaStudy_Row(study, run);
  char text[2 * VIDA_MESSAGE_SIZE] = "";
  message_text(row, message, text, sizeof text);
  if (strcmp(row->status, "ok") != 0 && has_own_start(study, run)) {
    mask_numbers(text);
  }
  const int before = said->texts.count;
  const int number = vida__register_text(&said->texts, text);
  if (number < 0) {
    return VIDA_OUT_OF_MEMORY;
  }
  if (number == before) {
    said->first[number] = run;
  } else {
    said->next[said->last[number]] = run;
  }
  said->last[number] = run;
  said->next[run] = -1;
  said->count[number]++;
  return VIDA_SUCCESS;
}

int vida__write_said(const VidaStudy* study, int width, FILE* file, bool* any, bool* marked) {
  const int runs = VidaStudy_RunCount(study);
  said_of_runs said = {0};
  int code = allocate_said(&said, runs);
  for (int i = 0; i < runs && !code; i++) {
    char message[VIDA_MESSAGE_SIZE] = "";
    vida__append(message, sizeof message, "%s", VidaStudy_Row(study, i)->message);
    *marked = strip_remarks(message) || *marked;
    code = message[0] ? add_said(&said, study, message, i) : VIDA_SUCCESS;
  }
  for (int i = 0; i < said.texts.count && !code; i++) {
    if (!*any) {
      fputc('\n', file);
    }
    *any = true;
    write_message(study, &said, i, width, file);
  }
  free_said(&said);
  return code;
}
