/* Numbers and names as text, independent of the locale. */
#ifndef VIDA_BASE_TEXT_H
#define VIDA_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#define VIDA_REAL_TEXT_SIZE 32

/* Writes a number with `digits` significant digits (17: %.17g, exact) and the decimal point '.'.
 * Returns `text`. */
char* vida__real_text(char text[VIDA_REAL_TEXT_SIZE], double value, int digits);
/* Reads all of `text` as a finite number with the decimal point '.'. Returns whether it is one. */
bool vida__read_real(const char* text, double* value);
/* Writes the shortest decimal number that reads back as the same value: 0.1, not
 * 0.10000000000000001. Returns `text`. */
char* vida__shortest_text(char text[VIDA_REAL_TEXT_SIZE], double value);
/* Appends formatted text to the string in a buffer of `size` bytes, truncated between UTF-8
 * characters. Buffers of 512 bytes and more hold sentences: these are truncated after a word and
 * end in " ...", and later calls append nothing. */
void vida__append(char* text, size_t size, const char* format, ...);
/* Ends a sentence that fills its buffer and was truncated: after a word, with " ...". */
void vida__truncate_at_word(char* text, size_t size);

/* A list of names in a message, "'a', 'b' and 2 more". */
typedef struct vida_name_list {
  char* text; /* the string to which it is appended, */
  size_t size;
  int most;  /* the largest number of names that are written, */
  int count; /* and of those in the list so far; 0 at first */
} vida_name_list;
/* Appends a name. */
void vida__list_name(vida_name_list* list, const char* name);
/* Appends the number of names that were not written. */
void vida__end_list(const vida_name_list* list);

/* Returns the ending of a noun after a number: "" for 1, otherwise "s". */
const char* vida__plural(long count);

/* Returns the first control character of a UTF-8 text, which could control a terminal; NULL if
 * there is none. *code (nullable) receives its code point. */
char* vida__find_control(const char* text, int* code);

/* Returns the number of bytes of the well-formed UTF-8 character at the beginning of a text of
 * `size` bytes; 0 if there is none (RFC 3629: no overlong forms, no surrogates, nothing above
 * U+10FFFF). */
size_t vida__character_length(const char* text, size_t size);
/* Removes an incomplete UTF-8 character at the end of a truncated text. */
void vida__drop_partial_character(char* text);
/* Returns the number of characters of a text. */
int vida__text_width(const char* text);
/* Returns the number of bytes of the first `most` characters of a text. */
size_t vida__fitting_bytes(const char* text, int most);
/* Returns the first bytes that are not UTF-8; NULL if there are none. */
const char* vida__find_invalid_utf8(const char* text);

/* A text made of parts, without allocation if it is short. */
enum { VIDA_SHORT_TEXT = 128 };
typedef struct vida_joined {
  char* text;
  char local[VIDA_SHORT_TEXT];
} vida_joined;

/* Joins three texts. Returns 0 or VIDA_OUT_OF_MEMORY; the caller frees with vida__free_joined, also
 * after a failure. */
int vida__join(vida_joined* joined, const char* first, const char* second, const char* third);
void vida__free_joined(vida_joined* joined);

#endif
