/* Texts and names of files in gnuplot scripts, with any content. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "report/plot/plot.h"

/* In single quotes gnuplot interprets only the quote itself: two quotes are one quote in some
 * places and an end in others. In double quotes, special characters are written as numbers. */
static void write_quoted(FILE* file, const char* text, size_t length) {
  bool is_plain = true;
  for (size_t i = 0; i < length && is_plain; i++) {
    is_plain = text[i] != '\'' && (unsigned char)text[i] >= 0x20 && text[i] != 0x7F;
  }
  if (is_plain) {
    fprintf(file, "'%.*s'", (int)length, text);
    return;
  }
  fputc('"', file);
  for (size_t i = 0; i < length; i++) {
    const unsigned char byte = (unsigned char)text[i];
    if (byte < 0x20 || byte == 0x7F || strchr("'\"\\`$@", byte)) {
      fprintf(file, "\\%03o", byte);
    } else {
      fputc(byte, file);
    }
  }
  fputc('"', file);
}

void vida__write_gnuplot_text(FILE* file, const char* text) {
  char shown[4096];
  size_t used = 0;
  size_t left = strlen(text);
  while (left > 0 && used + 8 < sizeof shown) {
    const size_t length = vida__character_length(text, left);
    int control;
    const bool is_control = vida__find_control(text, &control) == text;
    if (length == 0 || is_control) {
      shown[used++] = length == 0 ? '?' : ' ';
    } else {
      /* XML allows "]]>" only at the end of CDATA, but gnuplot writes it into SVG unchanged. */
      if (*text == '>' && used >= 2 && memcmp(shown + used - 2, "]]", 2) == 0) {
        shown[used++] = ' ';
      }
      memcpy(shown + used, text, length);
      used += length;
    }
    text += length > 0 ? length : 1;
    left -= length > 0 ? length : 1;
  }
  write_quoted(file, shown, used);
}

void vida__write_gnuplot_path(FILE* file, const char* path) {
  /* Names that begin with ~, $, < or | would be somebody's home, a block of data or a command. */
  if (path[0] != '/') {
    fputs("'./' . ", file);
  }
  write_quoted(file, path, strlen(path));
}
