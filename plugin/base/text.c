#include "base/text.h"

#include <ctype.h>
#include <locale.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vida/error.h>

static const char* decimal_point(void) {
  const struct lconv* convention = localeconv();
  const char* point = convention ? convention->decimal_point : NULL;
  return point && *point ? point : ".";
}

char* vida__real_text(char text[VIDA_REAL_TEXT_SIZE], double value, int digits) {
  if (isnan(value)) { /* whatever its sign bit */
    snprintf(text, VIDA_REAL_TEXT_SIZE, "nan");
    return text;
  }
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
    /* The decimal point is never a comma, whatever the locale. */
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

char* vida__shortest_text(char text[VIDA_REAL_TEXT_SIZE], double value) {
  for (int digits = 6; digits <= 17; digits++) {
    double back = 0.0;
    vida__real_text(text, value, digits);
    if (vida__read_real(text, &back) && back == value) {
      break;
    }
  }
  return text;
}

enum { LONGEST_NAME = 63 };

/* Edit distance in which swapping two neighbours counts once, as typing errors do. */
static int edit_distance(const char* a, const char* b) {
  int rows[3][LONGEST_NAME + 2];
  const int na = (int)strlen(a);
  const int nb = (int)strlen(b);
  int *before = rows[0], *above = rows[1], *row = rows[2];
  for (int j = 0; j <= nb; j++) {
    above[j] = j;
  }
  for (int i = 1; i <= na; i++) {
    row[0] = i;
    for (int j = 1; j <= nb; j++) {
      const int x = tolower((unsigned char)a[i - 1]);
      const int y = tolower((unsigned char)b[j - 1]);
      int best = above[j - 1] + (x != y);
      best = above[j] + 1 < best ? above[j] + 1 : best;
      best = row[j - 1] + 1 < best ? row[j - 1] + 1 : best;
      if (i > 1 && j > 1 && x == tolower((unsigned char)b[j - 2]) &&
          y == tolower((unsigned char)a[i - 2]) && before[j - 2] + 1 < best) {
        best = before[j - 2] + 1;
      }
      row[j] = best;
    }
    int* oldest = before;
    before = above;
    above = row;
    row = oldest;
  }
  return above[nb];
}

int Vida_NearestName(const char* name, int count, const char* (*get)(const void* list, int index),
                     const void* list) {
  int nearest = -1;
  const size_t length = name && get ? strlen(name) : LONGEST_NAME + 1;
  int limit = length < 4 ? 1 : length < 6 ? 2 : (int)(length / 3);
  if (length > LONGEST_NAME) {
    return -1;
  }
  for (int i = 0; i < count; i++) {
    const char* candidate = get(list, i);
    if (strlen(candidate) > LONGEST_NAME) {
      continue;
    }
    const int distance = edit_distance(name, candidate);
    /* A very short name has nothing in common with another after two edits. */
    if (distance <= limit && distance < (int)strlen(candidate) && distance < (int)length) {
      nearest = i;
      limit = distance - 1;
    }
  }
  return nearest;
}

/* Texts of at least this size are sentences; a truncated one leaves room after its dots. */
enum { LEAST_SENTENCE = 512, MOST_OF_WORD = 48 };
static const char cut[] = " ...";

void vida__truncate_at_word(char* text, size_t size) {
  const size_t most = size - sizeof cut;
  size_t end = most;
  if (size < LEAST_SENTENCE) {
    return;
  }
  while (end > most - MOST_OF_WORD && text[end] != ' ') {
    end--;
  }
  if (text[end] != ' ') { /* but not within a character */
    for (end = most; end > 0 && ((unsigned char)text[end] & 0xC0) == 0x80; end--) {}
  }
  memcpy(text + end, cut, sizeof cut);
}

static bool was_cut(const char* text, size_t used, size_t size) {
  const size_t length = sizeof cut - 1;
  return size >= LEAST_SENTENCE && used + sizeof cut + MOST_OF_WORD >= size && used >= length &&
         strcmp(text + used - length, cut) == 0;
}

void vida__append(char* text, size_t size, const char* format, ...) {
  const size_t used = strlen(text);
  va_list list;
  if (used + 1 >= size || was_cut(text, used, size)) {
    return;
  }
  va_start(list, format);
  const int length = vsnprintf(text + used, size - used, format, list);
  va_end(list);
  if (length > 0 && (size_t)length >= size - used) {
    vida__truncate_at_word(text, size);
    vida__drop_partial_character(text);
  }
}

void vida__list_name(vida_name_list* list, const char* name) {
  if (list->count++ < list->most) {
    vida__append(list->text, list->size, "%s'%s'", list->count > 1 ? ", " : "", name);
  }
}

void vida__end_list(const vida_name_list* list) {
  if (list->count > list->most) {
    vida__append(list->text, list->size, " and %d more", list->count - list->most);
  }
}

void vida__drop_partial_character(char* text) {
  const size_t length = strlen(text);
  size_t first = length;
  while (first > 0 && length - first < 4 && ((unsigned char)text[first - 1] & 0xC0) == 0x80) {
    first--;
  }
  if (first > 0 && ((unsigned char)text[first - 1] & 0xC0) == 0xC0 &&
      vida__character_length(text + first - 1, length - first + 1) != length - first + 1) {
    text[first - 1] = '\0';
  }
}

const char* vida__plural(long count) {
  return count == 1 ? "" : "s";
}

char* vida__find_control(const char* text, int* code) {
  for (const char* c = text; *c; c++) {
    const unsigned char first = (unsigned char)c[0], second = (unsigned char)c[1];
    const bool is_wide = first == 0xC2 && second >= 0x80 && second < 0xA0; /* U+0080 to U+009F */
    if (first < 0x20 || first == 0x7F || is_wide) {
      if (code) {
        *code = is_wide ? second : first;
      }
      return (char*)c;
    }
  }
  return NULL;
}

size_t vida__character_length(const char* text, size_t size) {
  const unsigned char* c = (const unsigned char*)text;
  size_t length = 0;
  unsigned char low = 0x80, high = 0xBF;
  if (size > 0 && c[0] < 0x80) {
    return 1;
  }
  if (size > 1 && c[0] >= 0xC2 && c[0] <= 0xDF) {
    length = 2;
  } else if (size > 2 && c[0] >= 0xE0 && c[0] <= 0xEF) {
    length = 3;
    low = c[0] == 0xE0 ? 0xA0 : low;
    high = c[0] == 0xED ? 0x9F : high;
  } else if (size > 3 && c[0] >= 0xF0 && c[0] <= 0xF4) {
    length = 4;
    low = c[0] == 0xF0 ? 0x90 : low;
    high = c[0] == 0xF4 ? 0x8F : high;
  }
  for (size_t i = 1; i < length; i++) {
    if (c[i] < low || c[i] > high) {
      return 0;
    }
    low = 0x80;
    high = 0xBF;
  }
  return length;
}

int vida__text_width(const char* text) {
  int width = 0;
  for (; *text; text++) {
    width += ((unsigned char)*text & 0xC0) != 0x80;
  }
  return width;
}

size_t vida__fitting_bytes(const char* text, int most) {
  size_t bytes = 0;
  for (int letters = 0; text[bytes]; bytes++) {
    letters += ((unsigned char)text[bytes] & 0xC0) != 0x80;
    if (letters > most) {
      break;
    }
  }
  return bytes;
}

const char* vida__find_invalid_utf8(const char* text) {
  size_t left = strlen(text);
  while (left > 0) {
    const size_t length = vida__character_length(text, left);
    if (length == 0) {
      return text;
    }
    text += length;
    left -= length;
  }
  return NULL;
}

/* ---- texts made of parts --------------------------------------------------------------------- */

int vida__join(vida_joined* joined, const char* first, const char* second, const char* third) {
  const char* const parts[] = {first, second, third};
  size_t length[3], total = 0;
  for (int i = 0; i < 3; i++) {
    length[i] = strlen(parts[i]);
    total += length[i];
  }
  joined->text = total < sizeof joined->local ? joined->local : malloc(total + 1);
  if (!joined->text) {
    return VIDA_OUT_OF_MEMORY;
  }
  char* end = joined->text;
  for (int i = 0; i < 3; i++) {
    memcpy(end, parts[i], length[i]);
    end += length[i];
  }
  *end = '\0';
  return VIDA_SUCCESS;
}

void vida__free_joined(vida_joined* joined) {
  if (joined->text != joined->local) {
    free(joined->text);
  }
}
