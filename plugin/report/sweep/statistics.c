/* statistics.csv: what is left of the columns of a sweep, method by method. Wall times are left
 * out, so that the same sweep writes the same bytes. */
#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "report/sweep/files.h"

enum { PATH_SIZE = 4096 };

/* Begins a line with what distinguishes the methods. */
static void write_method(const vida_sweep_method* method, const char* column, FILE* file) {
  const double sizes[] = {method->h, method->rtol};
  vida__write_csv_field(file, method->name);
  fputc(',', file);
  vida__write_csv_field(file, method->options);
  for (int i = 0; i < 2; i++) {
    char text[VIDA_REAL_TEXT_SIZE] = "";
    fprintf(file, ",%s", isfinite(sizes[i]) ? vida__real_text(text, sizes[i], 17) : "");
  }
  fprintf(file, ",%s", column);
}

static void write_column(const vida_sweep_method* method, const VidaColumn* column,
                         const vida_column_total* total, FILE* file) {
  const double freedom = fmax((double)total->count - 1.0, 1.0);
  const double numbers[] = {total->mean,
                            sqrt(total->squares / freedom),
                            total->least,
                            vida__total_quantile(total, 0.05),
                            vida__total_quantile(total, 0.25),
                            vida__total_quantile(total, 0.5),
                            vida__total_quantile(total, 0.75),
                            vida__total_quantile(total, 0.95),
                            total->largest};
  write_method(method, column->name, file);
  fprintf(file, ",%ld", total->count);
  for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
    char text[VIDA_REAL_TEXT_SIZE];
    fprintf(file, ",%s", vida__real_text(text, numbers[i], 17));
  }
  fprintf(file, ",%ld,%ld\n", total->least_at + 1, total->largest_at + 1);
}

static void write_methods(const VidaStudy* study, FILE* file) {
  fputs(
      "method,options,h,rtol,column,count,mean,deviation,minimum,quantile_5,lower_quartile,median,"
      "upper_quartile,quantile_95,maximum,minimum_start,maximum_start\n",
      file);
  for (int m = 0; m < study->sweep->method_count; m++) {
    const vida_sweep_method* method = &study->sweep->methods[m];
    for (int i = 0; i < method->totals.status_count; i++) {
      const vida_status_total* status = &method->totals.statuses[i];
      char name[VIDA_FLAG_SIZE + 8] = "";
      vida__append(name, sizeof name, "status %s", status->status);
      write_method(method, name, file);
      fprintf(file, ",%ld,,,,,,,,,,%ld,\n", status->count, status->first + 1);
    }
    for (int i = 0; vida__column_at(i); i++) {
      const VidaColumn* column = vida__column_at(i);
      if (method->totals.columns[i].count > 0 && column->offset != offsetof(VidaRow, wall_s)) {
        write_column(method, column, &method->totals.columns[i], file);
      }
    }
  }
}

int vida__write_sweep_statistics(const VidaStudy* study, const char* folder, VidaError* error) {
  char path[PATH_SIZE];
  const int length = snprintf(path, sizeof path, "%s/" VIDA_SWEEP_STATISTICS_NAME, folder);
  FILE* file = length > 0 && length < PATH_SIZE ? vida__create_stream(path) : NULL;
  if (!file) {
    return vida__fail(error, VIDA_INPUT_OUTPUT, "cannot write statistics.csv in '%.200s': %s",
                      folder, strerror(errno));
  }
  write_methods(study, file);
  const int code = vida__finish_output(file, path, error);
  if (fclose(file) != 0 && !code) {
    return vida__fail(error, VIDA_INPUT_OUTPUT, "cannot write '%s': %s", path, strerror(errno));
  }
  return code;
}
