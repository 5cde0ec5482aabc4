#include "report/output/json_check.h"

#include <stdbool.h>
#include <string.h>

#include "base/text.h"

enum { MOST_LEVELS = 256 };

typedef struct reader {
  const char *at, *end;
  char open[MOST_LEVELS]; /* '{' or '[' of each level */
  int depth;
} reader;

static bool is_at(const reader* from, char c) {
  return from->at < from->end && *from->at == c;
}

static void skip_space(reader* from) {
  while (from->at < from->end && *from->at && strchr(" \t\n\r", *from->at)) {
    from->at++;
  }
}

static bool is_hex(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static const char* read_escape(reader* from) {
  from->at++;
  if (from->at < from->end && *from->at == 'u') {
    for (int i = 0; i < 4; i++) {
      from->at++;
      if (from->at >= from->end || !is_hex(*from->at)) {
        return "expected four hexadecimal digits after \\u";
      }
    }
  } else if (from->at >= from->end || !*from->at || !strchr("\"\\/bfnrt", *from->at)) {
    return "a backslash that escapes nothing";
  }
  from->at++;
  return NULL;
}

static const char* read_string(reader* from) {
  if (!is_at(from, '"')) {
    return "expected a string in quotes";
  }
  from->at++;
  while (from->at < from->end && *from->at != '"') {
    const size_t length = vida__character_length(from->at, (size_t)(from->end - from->at));
    const char* fault = NULL;
    if ((unsigned char)*from->at < 0x20) {
      return "a string without its closing quote, or a bare control character in it";
    }
    if (length == 0) {
      return "bytes that are not UTF-8";
    }
    if (*from->at == '\\') {
      fault = read_escape(from);
    } else {
      from->at += length;
    }
    if (fault) {
      return fault;
    }
  }
  if (from->at >= from->end) {
    return "a string without its closing quote";
  }
  from->at++;
  return NULL;
}

static bool skip_digits(reader* from) {
  const char* first = from->at;
  while (from->at < from->end && *from->at >= '0' && *from->at <= '9') {
    from->at++;
  }
  return from->at > first;
}

static const char* read_number(reader* from) {
  from->at += is_at(from, '-');
  const char* first = from->at;
  if (!skip_digits(from)) {
    return "expected a value";
  }
  if (*first == '0' && from->at > first + 1) {
    return "a number that begins with 0";
  }
  if (is_at(from, '.')) {
    from->at++;
    if (!skip_digits(from)) {
      return "a decimal point without digits behind it";
    }
  }
  if (is_at(from, 'e') || is_at(from, 'E')) {
    from->at++;
    from->at += is_at(from, '+') || is_at(from, '-');
    if (!skip_digits(from)) {
      return "an exponent without digits";
    }
  }
  return NULL;
}

static bool take_word(reader* from) {
  static const char* const words[] = {"null", "true", "false"};
  for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
    const size_t length = strlen(words[i]);
    if ((size_t)(from->end - from->at) >= length && memcmp(from->at, words[i], length) == 0) {
      from->at += length;
      return true;
    }
  }
  return false;
}

static const char* read_name(reader* from) {
  const char* fault = read_string(from);
  skip_space(from);
  if (!fault && !is_at(from, ':')) {
    fault = "expected ':' after a name";
  }
  from->at += fault ? 0 : 1;
  return fault;
}

/* Opens levels up to a value that is not a list or an object, or an empty one. */
static const char* open_levels(reader* from, bool* is_closed) {
  *is_closed = false;
  skip_space(from);
  while (is_at(from, '{') || is_at(from, '[')) {
    const char open = *from->at++;
    if (from->depth == MOST_LEVELS) {
      return "too many levels of nesting";
    }
    from->open[from->depth++] = open;
    skip_space(from);
    if (is_at(from, open == '{' ? '}' : ']')) {
      *is_closed = true;
      return NULL;
    }
    const char* fault = open == '{' ? read_name(from) : NULL;
    if (fault) {
      return fault;
    }
    skip_space(from);
  }
  return NULL;
}

/* Closes the levels that end after a value; *more receives whether another value follows. */
static const char* close_levels(reader* from, bool* more) {
  *more = false;
  for (skip_space(from); from->depth > 0; skip_space(from)) {
    const char open = from->open[from->depth - 1];
    if (is_at(from, open == '{' ? '}' : ']')) {
      from->at++;
      from->depth--;
    } else if (is_at(from, ',')) {
      from->at++;
      skip_space(from);
      *more = true;
      return open == '{' ? read_name(from) : NULL;
    } else {
      return open == '{' ? "expected ',' or '}'" : "expected ',' or ']'";
    }
  }
  return NULL;
}

static const char* read_value(reader* from, bool* more) {
  bool is_closed;
  const char* fault = open_levels(from, &is_closed);
  if (!fault && !is_closed && !take_word(from)) {
    fault = is_at(from, '"') ? read_string(from) : read_number(from);
  }
  return fault ? fault : close_levels(from, more);
}

const char* vida__find_json_fault(const char* text, size_t size, long* line, long* column) {
  reader from = {.at = text, .end = text + size};
  const char* fault = NULL;
  bool more = true;
  while (!fault && more) {
    fault = read_value(&from, &more);
  }
  if (!fault && from.at < from.end) {
    fault = "something follows the end";
  }
  *line = *column = 1;
  for (const char* c = text; c < from.at; c++) {
    *column = *c == '\n' ? 1 : *column + 1;
    *line += *c == '\n';
  }
  return fault;
}
