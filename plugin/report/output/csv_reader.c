/* Reads CSV: fields in quotes, line breaks in them, and numbers in every locale. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "report/output/output.h"
#include "report/output/results.h"

static long count_lines(const char* text, const char* end) {
  long line = 1;
  for (; text < end; text++) {
    line += *text == '\n';
  }
  return line;
}

static int read_text(const char* path, char** text, VidaError* error) {
  size_t used = 0, capacity = 0;
  FILE* file = fopen(path, "rb");
  if (!file) {
    return vida__fail(error, VIDA_INPUT_OUTPUT, "cannot read '%s': %s", path, strerror(errno));
  }
  int code = VIDA_SUCCESS;
  size_t got = 0;
  do {
    code = vida__reserve((void**)text, &capacity, used + 65536 + 1, 1);
    if (!code) {
      errno = 0;
      got = fread(*text + used, 1, capacity - used - 1, file);
      used += got;
    }
  } while (!code && got > 0);
  if (code) {
    vida__fail_memory(error);
  } else if (ferror(file)) {
    code = vida__fail(error, VIDA_INPUT_OUTPUT, "cannot read '%s': %s", path,
                      errno ? strerror(errno) : "it is no file");
  } else {
    (*text)[used] = '\0';
    const char* bad = vida__find_invalid_utf8(*text);
    if (strlen(*text) != used) {
      code =
          vida__fail(error, VIDA_INPUT_OUTPUT, "'%s' is not a text file: it has a zero byte", path);
    } else if (bad) {
      code = vida__fail(error, VIDA_INPUT_OUTPUT, "'%s', line %ld: bytes that are not UTF-8", path,
                        count_lines(*text, bad));
    }
  }
  fclose(file);
  return code;
}

/* Ends the field at *from in place, without its quotes. *from then points behind its terminator,
 * which is returned: ',', '\n' or '\0'; '"' if quotes do not match. */
static char take_field(char** from, char** field) {
  char *in = *from, *out = *from;
  *field = out;
  if (*in == '"') {
    for (in++; *in && !(in[0] == '"' && in[1] != '"'); in++) {
      in += in[0] == '"';
      *out++ = *in;
    }
    if (*in != '"') {
      return '"';
    }
    in++;
  } else {
    while (*in && *in != ',' && *in != '\n' && *in != '\r') {
      *out++ = *in++;
    }
  }
  if (*in == '\r' && in[1] == '\n') {
    in++;
  }
  const char end = *in;
  if (end && end != ',' && end != '\n') {
    return '"';
  }
  *out = '\0';
  *field += vida__is_guarded(*field);
  *from = end ? in + 1 : in;
  return end;
}

static int split_text(const char* path, vida_csv* csv, VidaError* error) {
  size_t capacity = 0, used = 0;
  char* from = csv->text;
  long record = 0;
  while (*from) {
    int columns = 0;
    char end = ',';
    while (end == ',') {
      if (vida__reserve((void**)&csv->cells, &capacity, used + 1, sizeof *csv->cells)) {
        return vida__fail_memory(error);
      }
      end = take_field(&from, &csv->cells[used++]);
      columns++;
    }
    if (end == '"') {
      return vida__fail(error, VIDA_INPUT_OUTPUT, "'%s': quotes do not match in record %ld", path,
                        record + 1);
    }
    if (record == 0) {
      csv->columns = columns;
    } else if (columns != csv->columns) {
      return vida__fail(error, VIDA_INPUT_OUTPUT, "'%s': record %ld has %d fields, expected %d",
                        path, record + 1, columns, csv->columns);
    }
    record++;
  }
  if (record == 0) {
    return vida__fail(error, VIDA_INPUT_OUTPUT, "'%s' is empty", path);
  }
  csv->rows = record - 1;
  return VIDA_SUCCESS;
}

int vida__read_csv(const char* path, vida_csv* csv, VidaError* error) {
  memset(csv, 0, sizeof *csv);
  int code = read_text(path, &csv->text, error);
  code = code ? code : split_text(path, csv, error);
  if (code) {
    vida__free_csv(csv);
  }
  return code;
}

void vida__free_csv(vida_csv* csv) {
  free(csv->text);
  free(csv->cells);
  memset(csv, 0, sizeof *csv);
}

const char* vida__csv_cell(const vida_csv* csv, long row, int column) {
  return csv->cells[(size_t)(row + 1) * (size_t)csv->columns + (size_t)column];
}

double vida__csv_real(const vida_csv* csv, long row, int column) {
  double value = NAN;
  return vida__read_real(vida__csv_cell(csv, row, column), &value) ? value : (double)NAN;
}

int vida__check_numbers(const vida_csv* csv, const char* path, int column, VidaError* error) {
  double value;
  for (long row = 0; row < csv->rows; row++) {
    const char* cell = vida__csv_cell(csv, row, column);
    if (*cell && !vida__read_real(cell, &value)) {
      return vida__fail(error, VIDA_INPUT_OUTPUT,
                        "'%s' is damaged: record %ld has '%.40s' in column '%.60s', where a number "
                        "is expected",
                        path, row + 2, cell, vida__csv_cell(csv, -1, column));
    }
  }
  return VIDA_SUCCESS;
}

void vida__split_title(const char* title, char name[VIDA_NAME_SIZE], char unit[VIDA_NAME_SIZE]) {
  const char* bracket = NULL;
  const size_t length = strlen(title);
  if (length > 0 && title[length - 1] == ']') {
    for (const char* next = strstr(title, " ["); next; next = strstr(next + 1, " [")) {
      bracket = next;
    }
  }
  name[0] = unit[0] = '\0';
  vida__append(name, VIDA_NAME_SIZE, "%.*s", bracket ? (int)(bracket - title) : (int)length, title);
  if (bracket) {
    vida__append(unit, VIDA_NAME_SIZE, "%.*s", (int)strlen(bracket) - 3, bracket + 2);
  }
}

int vida__csv_column(const vida_csv* csv, const char* name) {
  char bare[VIDA_NAME_SIZE], unit[VIDA_NAME_SIZE];
  for (int i = 0; i < csv->columns; i++) {
    const char* title = vida__csv_cell(csv, -1, i);
    vida__split_title(title, bare, unit);
    if (strcmp(name, title) == 0 || strcmp(name, bare) == 0) {
      return i;
    }
  }
  return -1;
}
