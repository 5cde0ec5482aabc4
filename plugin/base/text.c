#include "base/text.h"

#include <ctype.h>
#include <locale.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char* decimal_point(void) {
  const struct lconv* convention = localeconv();
  const char* point = convention ? convention->decimal_point : NULL;
  return point && *point ? point : ".";
}

char* vida__real_text(char text[VIDA_REAL_TEXT_SIZE], double value, int digits) {
  snprintf(text, VIDA_REAL_TEXT_SIZE, "%.*g", digits, value);
  const char* point = decimal_point();
  char* found = strcmp(point, ".") != 0 ? strstr(text, point) : NULL;
  if (found) {
    const size_t length = strlen(point);
    *found = '.';
    memmove(found + 1, found + length, strlen(found + length) + 1);
  }
  return text;
}

bool vida__read_real(const char* text, double* value) {
  char copy[64];
  const char* point = decimal_point();
  size_t used = 0;
  if (!*text || isspace((unsigned char)*text)) {
    return false;
  }
  for (const char* c = text; *c; c++) {
    const char* piece = *c == '.' ? point : NULL;
    const size_t length = piece ? strlen(piece) : 1;
    /* A comma is never a decimal point here, not even where the locale has it so. */
    if (*c == ',' || used + length >= sizeof copy) {
      return false;
    }
    memcpy(copy + used, piece ? piece : c, length);
    used += length;
  }
  copy[used] = '\0';
  char* end = NULL;
  *value = strtod(copy, &end);
  return *end == '\0' && isfinite(*value);
}

/* Levenshtein's distance, for names shorter than the row below. */
enum { LONGEST_NAME = 63 };

static int edit_distance(const char* a, const char* b) {
  int row[LONGEST_NAME + 2];
  const int na = (int)strlen(a);
  const int nb = (int)strlen(b);
  if (na > LONGEST_NAME || nb > LONGEST_NAME) {
    return LONGEST_NAME;
  }
  for (int j = 0; j <= nb; j++) {
    row[j] = j;
  }
  for (int i = 1; i <= na; i++) {
    int diagonal = row[0];
    row[0] = i;
    for (int j = 1; j <= nb; j++) {
      const int above = row[j];
      int best = diagonal + (tolower((unsigned char)a[i - 1]) != tolower((unsigned char)b[j - 1]));
      best = above + 1 < best ? above + 1 : best;
      best = row[j - 1] + 1 < best ? row[j - 1] + 1 : best;
      row[j] = best;
      diagonal = above;
    }
  }
  return row[nb];
}

int vida__nearest_name(const char* name, int count, const char* (*get)(const void* list, int index),
                       const void* list) {
  int limit = (int)strlen(name) / 3;
  limit = limit < 2 ? 2 : limit;
  int nearest = -1;
  for (int i = 0; i < count; i++) {
    const char* candidate = get(list, i);
    const int distance = edit_distance(name, candidate);
    /* Of a very short name, two edits leave nothing that is still like it. */
    if (distance <= limit && distance < (int)strlen(candidate)) {
      nearest = i;
      limit = distance - 1;
    }
  }
  return nearest;
}

void vida__append(char* text, size_t size, const char* format, ...) {
  const size_t used = strlen(text);
  va_list list;
  if (used + 1 >= size) {
    return;
  }
  va_start(list, format);
  vsnprintf(text + used, size - used, format, list);
  va_end(list);
}
