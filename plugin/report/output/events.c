/* The events of runs, as a table with one row for each: events.csv beside the trajectories. */
#include <math.h>
#include <vida/report.h>

#include "base/text.h"
#include "report/output/output.h"
#include "study/study.h"

bool vida__has_events(const VidaStudy* study) {
  return VidaStudy_HasColumn(study, Vida_FindColumn("events"));
}

static void write_number(FILE* file, double value) {
  char text[VIDA_REAL_TEXT_SIZE];
  fprintf(file, ",%s", isfinite(value) ? vida__real_text(text, value, 17) : "");
}

static void write_run(FILE* file, const VidaStudy* study, int run) {
  const VidaRow* row = VidaStudy_Row(study, run);
  const VidaStudyEvent* events = NULL;
  const long count = VidaStudy_Events(study, run, &events);
  for (long i = 0; i < count; i++) {
    fprintf(file, "%d,", run + 1);
    vida__write_csv_field(file, row->method);
    fputc(',', file);
    vida__write_csv_field(file, row->options);
    write_number(file, row->h);
    write_number(file, row->rtol);
    fputc(',', file);
    vida__write_csv_field(file, events[i].name);
    fprintf(file, ",%s", Vida_EventKindName((int)events[i].kind));
    write_number(file, events[i].t);
    fputc('\n', file);
  }
}

int vida__write_events_csv(const VidaStudy* study, FILE* file, VidaError* error) {
  fputs("run,method,options,h,rtol,event,kind,t [s]\n", file);
  for (int run = 0; run < VidaStudy_RunCount(study); run++) {
    write_run(file, study, run);
  }
  return vida__finish_output(file, "the events", error);
}
