#include <vida/report.h>

#include "report/output/output.h"

int VidaReport_Csv(const VidaStudy* const* studies, int count, FILE* file, VidaError* error) {
  if (vida__check_studies(__func__, studies, count, file, error)) {
    return VIDA_BAD_ARGUMENT;
  }
  char text[VIDA_MESSAGE_SIZE];
  vida_columns columns = vida__common_columns();
  for (int s = 0; s < count; s++) {
    vida__add_study_columns(studies[s], &columns);
  }
  vida_start_columns starts;
  const int code = vida__find_start_columns(studies, count, &starts, error);
  for (int i = 0; i < columns.count; i++) {
    fprintf(file, "%s%s", i > 0 ? "," : "", columns.column[i]->name);
  }
  for (int i = 0; i < starts.count; i++) {
    fputc(',', file);
    vida__write_csv_field(file, starts.name[i]);
  }
  fputc('\n', file);
  for (int s = 0; s < count && !code; s++) {
    vida__place_start_columns(studies[s], &starts);
    for (int run = 0; run < VidaStudy_RunCount(studies[s]); run++) {
      for (int i = 0; i < columns.count; i++) {
        if (i > 0) {
          fputc(',', file);
        }
        vida__cell_text(VidaStudy_Row(studies[s], run), columns.column[i], text, sizeof text);
        if (columns.column[i]->type == VIDA_COLUMN_TEXT) {
          vida__write_csv_field(file, text);
        } else {
          fputs(text, file);
        }
      }
      for (int i = 0; i < starts.count; i++) {
        vida__start_text(studies[s], run, &starts, i, text);
        fprintf(file, ",%s", text);
      }
      fputc('\n', file);
    }
  }
  vida__free_start_columns(&starts);
  return code ? code : vida__finish_output(file, "the CSV output", error);
}
