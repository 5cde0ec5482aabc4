/* The format NPY of NumPy (NEP 1, numpy/lib/format.py): a description as text, then the numbers
 * with the lowest byte first. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/string_table.h"
#include "base/text.h"
#include "report/export/formats.h"

enum { ALIGNMENT = 64, NAME_SIZE = 500 };

/* A text that grows. */
typedef struct description {
  char* text;
  size_t size, capacity;
  bool no_memory;
} description;

static void add_bytes(description* to, const char* text, size_t size) {
  to->no_memory = to->no_memory ||
                  vida__reserve((void**)&to->text, &to->capacity, to->size + size + ALIGNMENT, 1);
  if (!to->no_memory) {
    memcpy(to->text + to->size, text, size);
    to->size += size;
  }
}

static void add(description* to, const char* text) {
  add_bytes(to, text, strlen(text));
}

/* A literal of Python. */
static void add_quoted(description* to, const char* text) {
  add(to, "'");
  for (; *text; text++) {
    if (*text == '\'' || *text == '\\') {
      add(to, "\\");
    }
    add_bytes(to, text, 1);
  }
  add(to, "'");
}

/* Returns whether the text was not yet there. */
static bool is_new(vida_string_table* known, const char* text, bool* no_memory) {
  const int before = known->count;
  const int place = vida__add_string(known, text);
  *no_memory = *no_memory || place < 0;
  return place == before;
}

/* Names of fields are unique; the title with the unit is a second name of its field. */
static void add_field(description* to, vida_string_table* known, const char* title) {
  char name[VIDA_NAME_SIZE], unit[VIDA_NAME_SIZE], unique[NAME_SIZE] = "";
  vida__split_title(title, name, unit);
  vida__append(unique, sizeof unique, "%s", name);
  for (int number = 2; !is_new(known, unique, &to->no_memory) && !to->no_memory; number++) {
    unique[0] = '\0';
    vida__append(unique, sizeof unique, "%s_%d", name, number);
  }
  const bool has_title = unit[0] && is_new(known, title, &to->no_memory);
  add(to, "(");
  if (has_title) {
    add(to, "(");
    add_quoted(to, title);
    add(to, ", ");
  }
  add_quoted(to, unique);
  add(to, has_title ? "), '<f8'), " : ", '<f8'), ");
}

/* The magic bytes, the version, the length of what follows, and the description. Version 3 is that
 * of UTF-8. */
static int describe(const vida_table* table, description* to, VidaError* error) {
  vida_string_table known = {0};
  char shape[80];
  add_bytes(to, "\x93NUMPY\x03\x00\0\0\0\0", 12);
  add(to, "{'descr': [");
  for (int i = 0; i < table->columns; i++) {
    add_field(to, &known, vida__table_title(table, i));
  }
  snprintf(shape, sizeof shape, "], 'fortran_order': False, 'shape': (%ld,), }", table->rows);
  add(to, shape);
  while (!to->no_memory && (to->size + 1) % ALIGNMENT != 0) {
    add(to, " ");
  }
  add(to, "\n");
  vida__free_strings(&known);
  if (to->no_memory) {
    return vida__fail_memory(error);
  }
  const size_t length = to->size - 12;
  for (int i = 0; i < 4; i++) {
    to->text[8 + i] = (char)(length >> (8 * i) & 0xff);
  }
  return VIDA_SUCCESS;
}

static void write_number(FILE* file, double value) {
  uint64_t word;
  unsigned char bytes[8];
  memcpy(&word, &value, sizeof word);
  for (int i = 0; i < 8; i++) {
    bytes[i] = (unsigned char)(word >> (8 * i));
  }
  fwrite(bytes, 1, sizeof bytes, file);
}

int vida__export_npy(const vida_table* table, const char* folder, const char* name,
                     VidaError* error) {
  char path[VIDA_PATH_SIZE], file_name[VIDA_FILE_NAME_SIZE + 8] = "";
  description head = {0};
  int code = describe(table, &head, error);
  vida__append(file_name, sizeof file_name, "%s.npy", name);
  FILE* file = code ? NULL : vida__open_export(path, folder, file_name, error);
  if (!file) {
    free(head.text);
    return code ? code : VIDA_INPUT_OUTPUT;
  }
  fwrite(head.text, 1, head.size, file);
  free(head.text);
  for (long row = 0; row < table->rows; row++) {
    for (int i = 0; i < table->columns; i++) {
      write_number(file, vida__table_real(table, row, i));
    }
  }
  return vida__close_export(file, path, error);
}
