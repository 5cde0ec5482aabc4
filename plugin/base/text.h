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
/* Appends formatted text to a buffer of `size` bytes that holds a string; cut to size, always
 * ended. Sentences, in buffers of 512 bytes and more, are cut at a word and end in " ...";
 * nothing is appended to them then. */
void vida__append(char* text, size_t size, const char* format, ...);
/* The end of such a sentence: of one that fills its buffer and was cut anywhere. */
void vida__end_at_word(char* text, size_t size);

/* The first control character of a text in UTF-8, with which it could command a terminal; NULL when
 * there is none. *code (nullable) receives its number. */
char* vida__find_control(const char* text, int* code);

#endif
