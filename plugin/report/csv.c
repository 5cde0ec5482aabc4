#include <vida/report.h>

#include "report/output.h"

int VidaReport_Csv(const VidaStudy* const* studies, int count, FILE* file, VidaError* error) {
  if (vida__check_studies(__func__, studies, count, file, error)) {
    return VIDA_BAD_ARGUMENT;
  }
  char text[VIDA_MESSAGE_SIZE];
  vida_columns columns = vida__common_columns();
  for (int s = 0; s < count; s++) {
    vida__add_study_columns(studies[s], &columns);
  }
  for (int i = 0; i < columns.count; i++) {
    fprintf(file, "%s%s", i > 0 ? "," : "", columns.column[i]->name);
  }
  fputc('\n', file);
  for (int s = 0; s < count; s++) {
    for (int run = 0; run < VidaStudy_RunCount(studies[s]); run++) {
      for (int i = 0; i < columns.count; i++) {
        if (i > 0) {
          fputc(',', file);
        }
        vida__cell_text(VidaStudy_Row(studies[s], run), columns.column[i], text, sizeof text);
        vida__write_csv_field(file, text);
      }
      fputc('\n', file);
    }
  }
  return vida__finish_output(file, "the CSV output", error);
}
