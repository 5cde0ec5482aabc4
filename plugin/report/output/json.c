#include <string.h>
#include <vida/report.h>

#include "report/output/output.h"

void vida__write_json_string(FILE* file, const char* text) {
  static const char special[] = "\"\\\b\f\n\r\t";
  static const char letters[] = "\"\\bfnrt";
  size_t left = strlen(text);
  fputc('"', file);
  while (left > 0) {
    const size_t length = vida__character_length(text, left);
    const char* found = strchr(special, *text);
    if (length == 0) {
      fputs("\\ufffd", file); /* what cannot be said in Unicode is marked, not passed on */
    } else if (found) {
      fprintf(file, "\\%c", letters[found - special]);
    } else if ((unsigned char)*text < 0x20 || *text == 0x7F) {
      fprintf(file, "\\u%04x", (unsigned)*text);
    } else {
      fwrite(text, 1, length, file);
    }
    text += length > 0 ? length : 1;
    left -= length > 0 ? length : 1;
  }
  fputc('"', file);
}

void vida__write_json_row(FILE* file, const VidaRow* row, const vida_columns* columns) {
  char text[VIDA_MESSAGE_SIZE];
  for (int i = 0; i < columns->count; i++) {
    const VidaColumn* column = columns->column[i];
    vida__cell_text(row, column, text, sizeof text);
    fprintf(file, "%s\"%s\": ", i > 0 ? ", " : "", column->name);
    if (column->type == VIDA_COLUMN_TEXT) {
      vida__write_json_string(file, text);
    } else {
      fputs(text[0] ? text : "null", file);
    }
  }
}

static void write_starts(FILE* file, const VidaStudy* study, int run,
                         const vida_start_columns* starts) {
  char text[VIDA_REAL_TEXT_SIZE];
  for (int i = 0; i < starts->count; i++) {
    fputs(", ", file);
    vida__write_json_string(file, starts->name[i]);
    vida__start_text(study, run, starts, i, text);
    fprintf(file, ": %s", text[0] ? text : "null");
  }
}

int VidaReport_Json(const VidaStudy* const* studies, int count, FILE* file, VidaError* error) {
  if (vida__check_studies(__func__, studies, count, file, error)) {
    return VIDA_BAD_ARGUMENT;
  }
  bool first = true;
  vida_columns columns = vida__common_columns();
  for (int s = 0; s < count; s++) {
    vida__add_study_columns(studies[s], &columns);
  }
  vida_start_columns starts;
  const int code = vida__find_start_columns(studies, count, &starts, error);
  fputs("[", file);
  for (int s = 0; s < count && !code; s++) {
    vida__place_start_columns(studies[s], &starts);
    for (int run = 0; run < VidaStudy_RunCount(studies[s]); run++) {
      fputs(first ? "\n  {" : ",\n  {", file);
      vida__write_json_row(file, VidaStudy_Row(studies[s], run), &columns);
      write_starts(file, studies[s], run, &starts);
      fputs("}", file);
      first = false;
    }
  }
  vida__free_start_columns(&starts);
  if (code) {
    return code;
  }
  fputs(first ? "]\n" : "\n]\n", file);
  return vida__finish_output(file, "the JSON output", error);
}
