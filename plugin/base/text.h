/* Numbers and names as text, the same in every locale. */
#ifndef VIDA_BASE_TEXT_H
#define VIDA_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#define VIDA_REAL_TEXT_SIZE 32

/* Writes a number with `digits` significant digits (17: %.17g, exact) and '.' as decimal point;
 * returns `text`. */
char* vida__real_text(char text[VIDA_REAL_TEXT_SIZE], double value, int digits);
/* Reads the whole of `text` as a finite number with '.' as decimal point. */
bool vida__read_real(const char* text, double* value);
/* The shortest decimal that reads back as the same number: 0.1, not 0.10000000000000001. */
char* vida__shortest_text(char text[VIDA_REAL_TEXT_SIZE], double value);
/* Appends formatted text to a buffer of `size` bytes that holds a string; cut to size between
 * characters of UTF-8, always ended. Sentences, in buffers of 512 bytes and more, are cut at a word
 * and end in " ..."; nothing is appended to them then. */
void vida__append(char* text, size_t size, const char* format, ...);
/* The end of such a sentence: of one that fills its buffer and was cut anywhere. */
void vida__end_at_word(char* text, size_t size);

/* What ends a noun behind this number: "run" or "runs". */
const char* vida__plural(long count);

/* The first control character of a text in UTF-8, with which it could command a terminal; NULL when
 * there is none. *code (nullable) receives its number. */
char* vida__find_control(const char* text, int* code);

/* Bytes of the well-formed character of UTF-8 that the text (`size` bytes) begins with, 0 when
 * there is none (RFC 3629: neither overlong forms nor surrogates, nothing above U+10FFFF). */
size_t vida__character_length(const char* text, size_t size);
/* Takes away what is left of a character of UTF-8 at the end of a text that was cut. */
void vida__drop_partial(char* text);
/* Width of a text in characters, and how many bytes its first `most` characters have. */
int vida__text_width(const char* text);
size_t vida__fitting_bytes(const char* text, int most);
/* The first bytes that are no UTF-8; NULL when there are none. */
const char* vida__find_bad_bytes(const char* text);

#endif
