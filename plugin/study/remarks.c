/* Remarks of rows, and their texts. */
#include "study/remarks.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "stepper/frame.h"

#define REMARK_ROW(kind, weight, where, template) \
  {#kind, VIDA_REMARK_SEVERITY_##weight, VIDA_REMARK_##where, template},
static const VidaRemarkInfo kinds[VIDA_REMARK_KINDS] = {VIDA_REMARK_LIST(REMARK_ROW)};
#undef REMARK_ROW

const VidaRemarkInfo* Vida_RemarkInfo(int kind) {
  return kind >= 0 && kind < VIDA_REMARK_KINDS ? &kinds[kind] : NULL;
}

const char* vida__remark_name(const VidaRow* row, const VidaRemark* remark) {
  return remark->name < 0 ? "" : row->names + remark->name;
}

/* ---- words ----------------------------------------------------------------------------------- */

/* Appends the value of the placeholder `letter`. */
static void append_part(const VidaRow* row, const VidaRemark* remark, char letter, int digits,
                        char* text, size_t size) {
  char number[VIDA_REAL_TEXT_SIZE];
  switch (letter) {
    case 'n':
      vida__append(text, size, "%s", vida__remark_name(row, remark));
      break;
    case 'w':
      vida__append(text, size, "%s", remark->word ? remark->word : "");
      break;
    case 't':
      vida__append(text, size, "%s", vida__real_text(number, remark->t, digits));
      break;
    case 'a':
      vida__append(text, size, "%s", vida__real_text(number, remark->a, digits));
      break;
    case 'b':
      vida__append(text, size, "%s", vida__real_text(number, remark->b, digits));
      break;
    case 'c':
      vida__append(text, size, "%ld", remark->count);
      break;
    case 's':
      vida__append(text, size, "%s", vida__plural(remark->count));
      break;
    case 'r':
      vida__append_remedy(&remark->remedy, text, size);
      break;
    default:
      vida__append(text, size, "%c", letter);
      break;
  }
}

/* Appends the text of the remark, from the template of its kind. */
static void append_remark(const VidaRow* row, const VidaRemark* remark, char* text, size_t size) {
  const char* at = kinds[remark->kind].text;
  while (*at) {
    const size_t plain = strcspn(at, "%");
    vida__append(text, size, "%.*s", (int)plain, at);
    at += plain;
    if (*at) {
      int digits = 0;
      for (at++; isdigit((unsigned char)*at); at++) {
        digits = 10 * digits + (*at - '0');
      }
      append_part(row, remark, *at, digits, text, size);
      at++;
    }
  }
}

void VidaRow_RemarkText(const VidaRow* row, int index, char* text, size_t size) {
  if (!text || size == 0) {
    return;
  }
  text[0] = '\0';
  if (row && index >= 0 && index < row->remark_count) {
    append_remark(row, &row->remarks[index], text, size);
  }
}

/* Appends the remarks with a place in the set `places`: those that are marks if `marks`, otherwise
 * the others. */
static void append_places(const VidaRow* row, unsigned places, bool marks, char* text,
                          size_t size) {
  for (int i = 0; i < row->remark_count; i++) {
    const VidaRemarkPlace place = kinds[row->remarks[i].kind].place;
    if ((places & (1U << place)) && (place == VIDA_REMARK_AS_MARK) == marks) {
      vida__append(text, size, "%s", text[0] ? "; " : "");
      append_remark(row, &row->remarks[i], text, size);
    }
  }
}

void vida__remarks_text(const VidaRow* row, unsigned places, char* text, size_t size) {
  text[0] = '\0';
  append_places(row, places, false, text, size);
  append_places(row, places, true, text, size);
}

/* ---- records --------------------------------------------------------------------------------- */

/* Returns the number of used bytes of row->names. */
static size_t names_length(const VidaRow* row) {
  size_t length = 0;
  for (int i = 0; i < row->remark_count; i++) {
    if (row->remarks[i].name >= 0) {
      const size_t begin = (size_t)row->remarks[i].name;
      const size_t end = begin + strlen(row->names + begin) + 1;
      length = end > length ? end : length;
    }
  }
  return length;
}

void vida__add_remark(VidaRow* row, VidaRemark remark, const char* name) {
  const size_t begin = names_length(row);
  if (row->remark_count == VIDA_MOST_REMARKS) {
    return;
  }
  remark.name = -1;
  if (name && begin < sizeof row->names) {
    remark.name = (int)begin;
    row->names[begin] = '\0';
    vida__append(row->names + begin, sizeof row->names - begin, "%s", name);
  }
  row->remarks[row->remark_count++] = remark;
  vida__remarks_text(row, VIDA_REMARKS_EVERYWHERE, row->message, sizeof row->message);
}

void vida__clear_remarks(VidaRow* row) {
  row->remark_count = 0;
  row->message[0] = '\0';
}

bool vida__has_remark(const VidaRow* row, VidaRemarkKind kind) {
  for (int i = 0; i < row->remark_count; i++) {
    if (row->remarks[i].kind == kind) {
      return true;
    }
  }
  return false;
}

static bool is_same_number(double x, double y) {
  return x == y || (isnan(x) && isnan(y));
}

static bool is_same_word(const char* x, const char* y) {
  return x == y || (x && y && strcmp(x, y) == 0);
}

bool vida__same_remarks(const VidaRow* one, const VidaRow* other) {
  bool same = one->remark_count == other->remark_count;
  for (int i = 0; i < one->remark_count && same; i++) {
    const VidaRemark *x = &one->remarks[i], *y = &other->remarks[i];
    same = x->kind == y->kind && x->count == y->count && is_same_number(x->t, y->t) &&
           is_same_number(x->a, y->a) && is_same_number(x->b, y->b) &&
           is_same_word(x->word, y->word) && is_same_word(x->remedy.option, y->remedy.option) &&
           is_same_word(x->remedy.value, y->remedy.value) &&
           is_same_word(x->remedy.method, y->remedy.method) &&
           strcmp(vida__remark_name(one, x), vida__remark_name(other, y)) == 0;
  }
  return same;
}
