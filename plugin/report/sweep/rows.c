/* The rows of a sweep as lines of rows.csv. */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "report/sweep/files.h"
#include "study/remarks.h"

int vida__find_row_columns(const VidaStudy* study, vida_row_columns* columns, VidaError* error) {
  vida_columns all = vida__common_columns();
  vida__add_study_columns(study, &all);
  *columns = (vida_row_columns){.columns.count = 0};
  for (int i = 0; i < all.count; i++) {
    if (all.column[i]->offset != offsetof(VidaRow, wall_s)) {
      columns->columns.column[columns->columns.count++] = all.column[i];
    }
  }
  return vida__name_start_columns(study, study->sweep->varies, &columns->starts, error);
}

void vida__free_row_columns(vida_row_columns* columns) {
  vida__free_start_columns(&columns->starts);
}

void vida__write_row_names(const vida_row_columns* columns, FILE* file) {
  fputs("start", file);
  for (int i = 0; i < columns->columns.count; i++) {
    fprintf(file, ",%s", columns->columns.column[i]->name);
  }
  for (int i = 0; i < columns->starts.count; i++) {
    fputc(',', file);
    vida__write_csv_field(file, columns->starts.name[i]);
  }
  fputc('\n', file);
}

static void write_row(const VidaStudy* chunk, int run, const vida_row_columns* columns,
                      FILE* file) {
  char text[VIDA_MESSAGE_SIZE];
  for (int i = 0; i < columns->columns.count; i++) {
    const VidaColumn* column = columns->columns.column[i];
    if (column->offset == offsetof(VidaRow, message)) { /* without notes about times */
      vida__remarks_text(&chunk->runs[run].row, ~(1U << VIDA_REMARK_IN_NOTES), text, sizeof text);
    } else {
      vida__cell_text(&chunk->runs[run].row, column, text, sizeof text);
    }
    fputc(',', file);
    if (column->type == VIDA_COLUMN_TEXT) {
      vida__write_csv_field(file, text);
    } else {
      fputs(text, file);
    }
  }
  for (int i = 0; i < columns->starts.count; i++) {
    vida__start_text(chunk, run, &columns->starts, i, text);
    fprintf(file, ",%s", text);
  }
  fputc('\n', file);
}

int vida__put_rows(const VidaStudy* chunk, const vida_row_columns* columns, long first, long count,
                   vida_record* record, VidaError* error) {
  char* text = NULL;
  size_t size = 0;
  FILE* file = open_memstream(&text, &size);
  if (!file) {
    return vida__fail_memory(error);
  }
  for (long i = 0; i < count; i++) {
    for (long run = i; run < chunk->count; run += count) { /* the methods from one start */
      fprintf(file, "%ld", first + i + 1);
      write_row(chunk, (int)run, columns, file);
    }
  }
  const bool good = !ferror(file);
  const bool closed = fclose(file) == 0;
  if (good && closed) {
    vida__put_integer(record, (int64_t)size);
    vida__put_bytes(record, text, size);
  }
  free(text);
  return good && closed && !record->no_memory ? VIDA_SUCCESS : vida__fail_memory(error);
}
