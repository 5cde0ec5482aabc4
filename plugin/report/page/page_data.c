/* The data of a page as JSON: descriptions of the systems, rows, recorded states, and the points
 * and lines of their drawings. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>
#include <vida/vida.h>

#include "base/memory.h"
#include "base/string_table.h"
#include "base/sundials.h"
#include "base/text.h"
#include "report/output/output.h"
#include "report/output/summary.h"
#include "report/page/page.h"
#include "report/page/recording.h"
#include "report/sweep/files.h"
#include "study/remarks.h"
#include "study/study.h"
#include "system/constraints/vanishing.h"

enum {
  MOST_LISTED = 200, /* coordinates, terms and rows that are listed individually */
  MOST_EVENTS = 500, /* of a run, as marks */
  DIGITS_STATE = 7,
  DIGITS_POINT = 5, /* digits of values that are only drawn */
  DIGITS_ERROR = 4,
  DIGITS_TIME = 10
};

/* ---- JSON ------------------------------------------------------------------------------------ */

static void write_number(FILE* file, double value, int digits) {
  char text[VIDA_REAL_TEXT_SIZE];
  fputs(isfinite(value) ? vida__real_text(text, value, digits) : "null", file);
}

static void write_text(FILE* file, const char* name, const char* text) {
  fprintf(file, "\"%s\": ", name);
  vida__write_json_string(file, text ? text : "");
}

static void write_value(FILE* file, const char* name, double value) {
  fprintf(file, "\"%s\": ", name);
  write_number(file, value, 17);
}

static const char* comma(int index) {
  return index > 0 ? ", " : "";
}

static int listed(int count) {
  return count < MOST_LISTED ? count : MOST_LISTED;
}

/* ---- where and with what --------------------------------------------------------------------- */

/* The name of the processor if the operating system has it; otherwise "". */
static void find_processor(char* text, size_t size) {
  char line[256];
  FILE* file = fopen("/proc/cpuinfo", "r");
  text[0] = '\0';
  while (file && fgets(line, sizeof line, file)) {
    char* value = strchr(line, ':');
    if (strncmp(line, "model name", 10) == 0 && value) {
      value += 1 + strspn(value + 1, " ");
      value[strcspn(value, "\n")] = '\0';
      vida__append(text, size, "%s", value);
      break;
    }
  }
  if (file) {
    fclose(file);
  }
}

static void write_facts(FILE* file, const VidaPageFacts* facts) {
  struct utsname machine;
  struct tm parts;
  char when[64] = "", processor[256], system[512] = "";
  const time_t now = time(NULL);
  if (now != (time_t)-1 && gmtime_r(&now, &parts)) {
    strftime(when, sizeof when, "%Y-%m-%d %H:%M UTC", &parts);
  }
  if (uname(&machine) >= 0) {
    vida__append(system, sizeof system, "%s %s, %s", machine.sysname, machine.release,
                 machine.machine);
  }
  find_processor(processor, sizeof processor);
  write_text(file, "scenario", facts ? facts->scenario : "");
  fputs(", ", file);
  write_text(file, "software", facts ? facts->software : "");
  fputs(", ", file);
  write_text(file, "vida", Vida_Version());
  fputs(", ", file);
  write_text(file, "sundials", Vida_SundialsVersion());
  fputs(", ", file);
  write_text(file, "made", when);
  fputs(", ", file);
  write_text(file, "machine", system);
  fputs(", ", file);
  write_text(file, "processor", processor);
  fputs(", ", file);
  write_value(file, "noise_factor", VIDA_NOISE_FACTOR);
  fprintf(file, ", \"processors\": %ld", sysconf(_SC_NPROCESSORS_ONLN));
}

static const char* truth(bool value) {
  return value ? "true" : "false";
}

/* `axis`: whether plots of errors have the column; `smaller`: whether it is an error. */
static void write_columns(FILE* file, const vida_columns* columns) {
  static const char* const types[] = {"text", "real", "count"};
  static const char* const groups[] = {"run",      "reference",  "energy",    "drift",
                                       "momentum", "constraint", "structure", "cost"};
  fputs("\"columns\": [", file);
  for (int i = 0; i < columns->count; i++) {
    const VidaColumn* column = columns->column[i];
    fprintf(file, "%s{", comma(i));
    write_text(file, "name", column->name);
    fputs(", ", file);
    write_text(file, "text", column->text);
    fprintf(file, ", \"type\": \"%s\", \"group\": \"%s\"", types[column->type],
            groups[column->group]);
    fprintf(file, ", \"smaller\": %s, \"axis\": %s, \"exchange\": %s}",
            truth((column->traits & VIDA_COLUMN_SMALLER) != 0), truth(column->axis[0] != '\0'),
            truth((column->traits & VIDA_COLUMN_EXCHANGE) != 0));
  }
  fputs("]", file);
}

/* Writes the meaning of each status. */
static void write_statuses(FILE* file) {
  fputs("\"statuses\": {", file);
  for (int i = 0; Vida_Status(i); i++) {
    fputs(comma(i), file);
    write_text(file, Vida_Status(i)->name, Vida_Status(i)->text);
  }
  fputs("}", file);
}

/* Writes the methods of all comparisons with their colours, which pictures share. `lap` counts
 * methods with the same colour. */
static int write_methods(FILE* file, const VidaRecording* const* recordings, int count) {
  vida_string_table methods = {0};
  bool good = true;
  for (int i = 0; i < count; i++) {
    for (int run = 0; run < recordings[i]->study->count && good; run++) {
      good = vida__add_string(&methods, recordings[i]->study->runs[run].row.method) >= 0;
    }
  }
  char(*names)[VIDA_NAME_SIZE] = vida__allocate((size_t)methods.count, sizeof *names);
  int* numbers = vida__allocate((size_t)methods.count, sizeof *numbers);
  good = good && names && numbers;
  for (int i = 0; i < methods.count && good; i++) {
    vida__append(names[i], sizeof *names, "%s", methods.texts[i]);
  }
  good = good && vida__choose_colours(methods.count, names, numbers, NULL) == VIDA_SUCCESS;
  fputs("\"methods\": [", file);
  for (int i = 0; i < methods.count && good; i++) {
    fprintf(file, "%s{", comma(i));
    write_text(file, "name", names[i]);
    fputs(", ", file);
    write_text(file, "light", vida__colour(numbers[i])->light);
    fputs(", ", file);
    write_text(file, "dark", vida__colour(numbers[i])->dark);
    fprintf(file, ", \"lap\": %d}", numbers[i] / VIDA_COLOURS);
  }
  fputs("]", file);
  vida__free_strings(&methods);
  free(names);
  free(numbers);
  return good ? VIDA_SUCCESS : VIDA_OUT_OF_MEMORY;
}

/* ---- the system ------------------------------------------------------------------------------ */

static void write_coordinates(FILE* file, const VidaStudy* study) {
  const VidaSystem* system = study->system;
  fprintf(file, "\"coordinate_count\": %d, \"coordinates\": [", system->coordinate_count);
  for (int i = 0; i < listed(system->coordinate_count); i++) {
    fprintf(file, "%s{", comma(i));
    write_text(file, "name", system->coordinates[i].name);
    fputs(", ", file);
    write_text(file, "unit", system->coordinates[i].unit);
    fputs(", ", file);
    write_value(file, "value", study->q0[i]);
    fputs(", ", file);
    write_value(file, "rate", study->v0[i]);
    fputs(", ", file);
    write_value(file, "mass", system->mass[i]);
    fputs("}", file);
  }
  fputs("]", file);
}

static void write_particles(FILE* file, const VidaSystem* system) {
  fprintf(file, "\"particle_count\": %d, \"particles\": [", system->particle_count);
  for (int i = 0; i < listed(system->particle_count); i++) {
    fprintf(file, "%s{", comma(i));
    write_text(file, "name", system->particles[i].name);
    fprintf(file, ", \"coordinate\": %d, ", system->particles[i].coordinate);
    write_value(file, "mass", system->mass[system->particles[i].coordinate]);
    fputs("}", file);
  }
  fputs("], \"gravity\": [", file);
  for (int k = 0; k < system->dimension; k++) {
    fputs(comma(k), file);
    write_number(file, system->gravity[k], 17);
  }
  fputs("]", file);
}

static const char* term_role(const vida_term_kernel* kernel) {
  if (kernel->mass || kernel->is_kinetic) {
    return "kinetic energy";
  }
  return kernel->is_potential ? "potential" : kernel->is_force ? "force" : "Lagrangian";
}

static void write_spring(FILE* file, const vida_term_batch* batch) {
  const double* p = batch->parameter;
  fputs(", ", file);
  write_value(file, "stiffness", p[0]);
  fputs(", ", file);
  write_value(file, "cubic", p[1]);
  fputs(", ", file);
  write_value(file, "length", p[2]);
  fprintf(file, ", \"law\": \"%s\"", batch->kernel == &vida__squared_spring ? "squared" : "linear");
}

static void write_terms(FILE* file, const VidaSystem* system) {
  fprintf(file, "\"term_count\": %d, \"terms\": [", system->term_batch_count);
  for (int b = 0; b < listed(system->term_batch_count); b++) {
    const vida_term_batch* batch = &system->term_batches[b];
    const bool is_spring =
        batch->kernel == &vida__linear_spring || batch->kernel == &vida__squared_spring;
    fprintf(file, "%s{", comma(b));
    write_text(file, "name", batch->functions ? batch->functions->name : batch->kernel->kind);
    fputs(", ", file);
    write_text(file, "role", term_role(batch->kernel));
    fprintf(file, ", \"count\": %d", batch->count);
    if (is_spring && batch->count == 1) {
      write_spring(file, batch);
    }
    fputs("}", file);
  }
  fputs("]", file);
}

static void write_rows_of_constraints(FILE* file, const VidaSystem* system) {
  char unit[VIDA_NAME_SIZE];
  fprintf(file, "\"constraint_count\": %d, \"constraints\": [", system->row_count);
  for (int i = 0; i < listed(system->row_count); i++) {
    const vida_row* row = &system->rows[i];
    fprintf(file, "%s{", comma(i));
    write_text(file, "name", row->name);
    fputs(", ", file);
    write_text(file, "unit", row->unit);
    fputs(", ", file);
    vida__multiplier_unit(system, i, unit, sizeof unit);
    write_text(file, "multiplier_unit", unit);
    fprintf(file, ", \"kind\": \"%s\", ",
            row->is_nonholonomic           ? "nonholonomic"
            : vida__is_distance(system, i) ? "distance"
                                           : "holonomic");
    write_value(file, "length", row->length > 0.0 ? row->length : (double)NAN);
    fputs("}", file);
  }
  fputs("]", file);
}

static void write_parameters(FILE* file, const VidaStudy* study) {
  const VidaSystem* system = study->system;
  fprintf(file, "\"parameter_count\": %d, \"observable_count\": %d, \"parameters\": [",
          system->parameter_count, system->observable_count);
  for (int i = 0; i < listed(system->parameter_count); i++) {
    fprintf(file, "%s{", comma(i));
    write_text(file, "name", system->parameters[i].name);
    fputs(", ", file);
    write_value(file, "value", system->parameter_values[i]);
    fputs("}", file);
  }
  fputs("], \"momenta\": [", file);
  for (int i = 0; i < system->momentum_count; i++) {
    fprintf(file, "%s{", comma(i));
    write_text(file, "name", system->momenta[i].name);
    fputs(", ", file);
    write_text(file, "unit", vida__momentum_unit(system, i));
    fputs("}", file);
  }
  fputs("], \"observables\": [", file);
  for (int i = 0; i < listed(system->observable_count); i++) {
    fprintf(file, "%s{", comma(i));
    write_text(file, "name", system->observables[i].name);
    fputs(", ", file);
    write_text(file, "unit", system->observables[i].unit);
    fprintf(file, ", \"conserved\": %s}", system->observables[i].conserved ? "true" : "false");
  }
  fputs("]", file);
}

static void write_system(FILE* file, const VidaStudy* study) {
  const VidaSystem* system = study->system;
  fputs("\"system\": {", file);
  write_text(file, "name", system->name);
  fprintf(file, ", \"dimension\": %d,\n", system->dimension);
  write_coordinates(file, study);
  fputs(",\n", file);
  write_particles(file, system);
  fputs(",\n", file);
  write_terms(file, system);
  fputs(",\n", file);
  write_rows_of_constraints(file, system);
  fputs(",\n", file);
  write_parameters(file, study);
  fputs("}", file);
}

/* ---- the drawing ----------------------------------------------------------------------------- */

static void write_drawing(FILE* file, const vida_wireframe* wireframe) {
  fprintf(file, "\"drawing\": {\"dimension\": %d, \"points\": %d, \"cut\": %s, \"particles\": [",
          wireframe->dimension, wireframe->point_count, wireframe->is_cut ? "true" : "false");
  for (int i = 0; i < wireframe->particles; i++) {
    const vida_particle* particle = &wireframe->system->particles[i];
    fprintf(file, "%s{", comma(i));
    write_text(file, "name", particle->name);
    fputs(", ", file);
    write_value(file, "mass", wireframe->system->mass[particle->coordinate]);
    fputs("}", file);
  }
  fputs("], \"lines\": [", file);
  for (int i = 0; i < wireframe->line_count; i++) {
    const vida_drawn_line* line = &wireframe->lines[i];
    fprintf(file, "%s{", comma(i));
    write_text(file, "name", line->name);
    fputs(", ", file);
    write_text(file, "style", line->style);
    fprintf(file, ", \"first\": %d, \"count\": %d}", line->first, line->count);
  }
  fputs("], \"fixed\": [", file);
  bool any = false;
  for (int i = 0; i < wireframe->point_count; i++) {
    if (wireframe->points[i].given.frame == VIDA_DRAWN_SPACE) {
      fprintf(file, "%s%d", any ? ", " : "", i);
      any = true;
    }
  }
  fputs("]}", file);
}

/* ---- the runs -------------------------------------------------------------------------------- */

/* Place `place` of each of `count` rows of `width` numbers. */
static void write_numbers(FILE* file, const double* rows, int count, int width, int place,
                          int digits) {
  fputs("[", file);
  for (int i = 0; i < count; i++) {
    fputs(i > 0 ? "," : "", file);
    write_number(file, rows[(size_t)i * (size_t)width + (size_t)place], digits);
  }
  fputs("]", file);
}

static void write_column(FILE* file, const VidaRecording* from, const vida_recorded_run* run,
                         int place, int digits) {
  write_numbers(file, run->rows, run->count, from->layout.width, place, digits);
}

static void write_named_columns(FILE* file, const VidaRecording* from, const vida_recorded_run* run,
                                const char* name, int place, int count, int digits) {
  fprintf(file, ",\n\"%s\": [", name);
  for (int i = 0; i < count; i++) {
    fputs(comma(i), file);
    write_column(file, from, run, place + i, digits);
  }
  fputs("]", file);
}

static void write_reference(FILE* file, const VidaRecording* from) {
  const vida_recorded_reference* reference = &from->reference;
  const int width = 1 + 3 * from->layout.points;
  if (reference->count == 0) {
    fputs("\"reference_run\": null", file);
    return;
  }
  fputs("\"reference_run\": {\"t\": ", file);
  write_numbers(file, reference->rows, reference->count, width, 0, DIGITS_TIME);
  fputs(",\n\"points\": [", file);
  for (int i = 1; i < width; i++) {
    fputs(comma(i - 1), file);
    write_numbers(file, reference->rows, reference->count, width, i, DIGITS_POINT);
  }
  fputs("]}", file);
}

/* Stores changes since the start, which keeps the digits of differences of large numbers. */
static void write_changes(FILE* file, const VidaRecording* from, const vida_recorded_run* run) {
  const vida_recorded_layout* at = &from->layout;
  const size_t width = (size_t)at->width;
  for (int kind = 0; kind < 2; kind++) {
    fputs(kind == 0 ? ",\n\"energy_change\": [" : "],\n\"energy_error\": [", file);
    for (int i = 0; i < run->count; i++) {
      const double* row = run->rows + (size_t)i * width;
      fputs(i > 0 ? "," : "", file);
      write_number(file, row[at->energy] - run->rows[at->energy] - (kind ? row[at->work] : 0.0),
                   DIGITS_ERROR);
    }
  }
  fputs("],\n\"momentum_change\": [", file);
  for (int i = 0; i < run->count; i++) {
    double sum = 0.0;
    for (int k = at->momentum; k < at->momentum + at->momenta; k++) {
      const double change = run->rows[(size_t)i * width + (size_t)k] - run->rows[k];
      sum += change * change;
    }
    fputs(i > 0 ? "," : "", file);
    write_number(file, sqrt(sum), DIGITS_ERROR);
  }
  fputs("]", file);
}

static void write_events(FILE* file, const VidaStudy* study, int index) {
  const VidaStudyEvent* events = NULL;
  const long count = VidaStudy_Events(study, index, &events);
  fputs(",\n\"events\": [", file);
  for (int i = 0; i < count && i < MOST_EVENTS && vida__has_events(study); i++) {
    fprintf(file, "%s{", comma(i));
    write_text(file, "name", events[i].name);
    fputs(", ", file);
    write_text(file, "kind", Vida_EventKindName((int)events[i].kind));
    fputs(", \"t\": ", file);
    write_number(file, events[i].t, DIGITS_TIME);
    fputs("}", file);
  }
  fputs("]", file);
}

static void write_run(FILE* file, const VidaRecording* from, int index) {
  const vida_recorded_layout* at = &from->layout;
  const vida_recorded_run* run = vida__recorded_run(from, index);
  if (!run || run->count == 0) {
    fputs("null", file);
    return;
  }
  fprintf(file, "{\"every\": %ld, \"t\": ", run->every);
  write_column(file, from, run, 0, DIGITS_TIME);
  write_named_columns(file, from, run, "q", at->q, at->n, DIGITS_STATE);
  write_named_columns(file, from, run, "v", at->v, at->n, DIGITS_STATE);
  write_named_columns(file, from, run, "multipliers", at->multipliers, at->m, DIGITS_STATE);
  fputs(",\n\"multipliers_t\": ", file);
  write_column(file, from, run, at->multipliers_t, DIGITS_TIME);
  fputs(", ", file);
  write_value(file, "energy_start", run->rows[at->energy]);
  write_changes(file, from, run);
  fputs(",\n\"constraint_position\": ", file);
  write_column(file, from, run, at->g, DIGITS_ERROR);
  fputs(",\n\"constraint_velocity\": ", file);
  write_column(file, from, run, at->g_rate, DIGITS_ERROR);
  write_named_columns(file, from, run, "observables", at->observable, at->observables,
                      DIGITS_STATE);
  write_named_columns(file, from, run, "points", at->point, 3 * at->points, DIGITS_POINT);
  write_events(file, from->study, index);
  fputs("}", file);
}

/* Writes the orders of all series; for work and precision also the errors whose costs are reported,
 * and the seconds that each series needs for them. */
static void write_series(FILE* file, const VidaStudy* study) {
  double errors[VIDA_MOST_ERRORS];
  const bool priced = VidaOptions_Get(study->options, "work_precision") != 0.0;
  const int count = priced ? vida__choose_errors(study, errors) : 0;
  fputs("\"priced_errors\": [", file);
  for (int k = 0; k < count; k++) {
    fputs(comma(k), file);
    write_number(file, errors[k], 17);
  }
  fputs("],\n\"series\": [", file);
  bool any = false;
  for (int i = 0; i < VidaStudy_SeriesCount(study); i++) {
    VidaSeries series;
    if (VidaStudy_Series(study, i, &series, NULL)) {
      continue;
    }
    fprintf(file, "%s{", any ? ", " : "");
    write_text(file, "method", series.method);
    fputs(", ", file);
    write_text(file, "options", series.options);
    fputs(", ", file);
    write_value(file, "order", series.order);
    fputs(", ", file);
    write_value(file, "interval", series.interval);
    fputs(", ", file);
    write_value(file, "largest_error", series.largest_error);
    fprintf(file, ", \"runs\": %d, \"adaptive\": %s, \"seconds\": [", series.count,
            series.adaptive ? "true" : "false");
    for (int k = 0; k < count; k++) {
      fputs(comma(k), file);
      write_number(file, VidaStudy_SecondsFor(study, i, errors[k]), DIGITS_ERROR);
    }
    fputs("]}", file);
    any = true;
  }
  fputs("]", file);
}

/* The map of a method of a sweep as a member with the text of a picture; without memory, none. */
static void write_map(FILE* file, const VidaStudy* study, int method) {
  char* text = NULL;
  size_t size = 0;
  FILE* picture = study->sweep ? open_memstream(&text, &size) : NULL;
  const bool is_there = picture && vida__write_sweep_map(study, method, picture);
  if (picture && fclose(picture) == 0 && is_there) {
    fputs(", ", file);
    write_text(file, "map", text);
  }
  free(text);
}

/* How errors are spread over many starts: for each measured column its five numbers. */
static void write_spreads(FILE* file, const VidaStudy* study, const vida_columns* columns) {
  fputs("\"spreads\": [", file);
  for (int i = 0; i < VidaStudy_SpreadCount(study); i++) {
    VidaSpread spread;
    VidaStudy_Spread(study, i, &spread, NULL);
    fprintf(file, "%s{", comma(i));
    write_text(file, "method", spread.method);
    fputs(", ", file);
    write_text(file, "options", spread.options);
    fputs(", ", file);
    write_value(file, "h", spread.h);
    fputs(", ", file);
    write_value(file, "rtol", spread.rtol);
    fprintf(file, ", \"runs\": %d, \"quantiles\": {", spread.runs);
    bool any = false;
    for (int k = 0; k < columns->count; k++) {
      VidaQuantiles found;
      if (columns->column[k]->type != VIDA_COLUMN_REAL ||
          VidaStudy_Quantiles(study, i, columns->column[k], &found, NULL) || found.count == 0) {
        continue;
      }
      const double numbers[] = {found.minimum, found.lower_quartile, found.median,
                                found.upper_quartile, found.maximum};
      fprintf(file, "%s\"%s\": [%d", any ? ", " : "", columns->column[k]->name, found.count);
      for (size_t j = 0; j < sizeof numbers / sizeof numbers[0]; j++) {
        fputs(", ", file);
        write_number(file, numbers[j], DIGITS_ERROR);
      }
      fputs("]", file);
      any = true;
    }
    fputs("}", file);
    write_map(file, study, i);
    fputs("}", file);
  }
  fputs("]", file);
}

/* Units of the columns, which depend on the system. */
static void write_units(FILE* file, const VidaStudy* study, const vida_columns* columns) {
  vida_units units;
  char unit[VIDA_NAME_SIZE];
  vida__find_units(study, &units);
  fputs("\"units\": {", file);
  for (int i = 0; i < columns->count; i++) {
    vida__column_unit(&units, study->relative, columns->column[i], unit);
    fputs(comma(i), file);
    write_text(file, columns->column[i]->name, unit);
  }
  fputs("}", file);
}

static void write_verdicts(FILE* file, const vida_summary* summary) {
  fputs("\"lines\": [", file);
  for (int i = 0; i < summary->line_count; i++) {
    const vida_summary_line* line = &summary->lines[i];
    fprintf(file, "%s{", comma(i));
    write_text(file, "topic", line->topic);
    fputs(", ", file);
    write_text(file, "verdict", line->verdict_text);
    fputs(", ", file);
    write_text(file, "text", line->text);
    fputs("}", file);
  }
  fputs("]", file);
}

static void write_costs(FILE* file, const vida_summary* summary) {
  fputs(", \"prices\": [", file);
  for (int i = 0; i < summary->cost_count; i++) {
    const vida_summary_cost* price = &summary->prices[i];
    fprintf(file, "%s{", comma(i));
    write_value(file, "error", price->error);
    fputs(", ", file);
    write_value(file, "least_error", price->least_error);
    fprintf(file, ", \"run\": %d, ", price->run);
    write_value(file, "next", price->next < 0 ? (double)NAN : price->next);
    fputs("}", file);
  }
  fputs("]", file);
}

static void write_failures(FILE* file, const vida_summary* summary) {
  fputs(", \"failures\": [", file);
  for (int i = 0; i < summary->failure_count; i++) {
    const vida_summary_failure* failure = &summary->failures[i];
    fprintf(file, "%s{", comma(i));
    write_text(file, "names", failure->names);
    fputs(", ", file);
    write_text(file, "status", failure->status);
    fputs(", ", file);
    write_text(file, "text", failure->text);
    fputs("}", file);
  }
  fputs("]", file);
}

/* null if memory does not suffice. */
static void write_summary(FILE* file, const VidaStudy* study) {
  vida_summary summary;
  fputs("\"summary\": ", file);
  if (vida__summarize(study, &summary)) {
    fputs("null", file);
  } else {
    fprintf(file,
            "{\"runs\": %d, \"finished\": %d, \"failed\": %d, \"methods\": %d, "
            "\"methods_finished\": %d, ",
            summary.runs, summary.finished, summary.failed, summary.methods,
            summary.methods_finished);
    write_verdicts(file, &summary);
    write_costs(file, &summary);
    write_failures(file, &summary);
    fputs("}", file);
  }
  vida__free_summary(&summary);
}

/* Writes the kind of every remark, and whether the page shows it next to the run. */
static void write_remarks(FILE* file, const VidaRow* row) {
  char text[VIDA_MESSAGE_SIZE];
  fputs(", \"remarks\": [", file);
  for (int i = 0; i < row->remark_count; i++) {
    const VidaRemarkInfo* info = Vida_RemarkInfo((int)row->remarks[i].kind);
    VidaRow_RemarkText(row, i, text, sizeof text);
    fprintf(file, "%s{", comma(i));
    write_text(file, "kind", info->name);
    fprintf(file, ", \"told\": %s, ", truth(info->place != VIDA_REMARK_IN_NOTES));
    write_text(file, "text", text);
    fputs("}", file);
  }
  fputs("]", file);
}

static void write_study(FILE* file, const VidaRecording* from, const vida_columns* columns) {
  const VidaStudy* study = from->study;
  char options[VIDA_MESSAGE_SIZE];
  double own_error;
  fputs("{", file);
  write_system(file, study);
  fputs(",\n", file);
  write_text(file, "label", study->label);
  fputs(", ", file);
  write_text(file, "energy_balance", vida__energy_balance_text(study->system));
  fputs(",\n", file);
  write_drawing(file, &from->wireframe);
  fputs(",\n", file);
  write_value(file, "t0", study->t0);
  fputs(", ", file);
  write_value(file, "time", study->time);
  fputs(", ", file);
  write_text(file, "norm", vida__norm_text(study));
  fprintf(file, ", \"relative\": %s, ", study->relative ? "true" : "false");
  VidaOptions_Describe(study->options, options, sizeof options);
  write_text(file, "options", options);
  fputs(", ", file);
  char start[VIDA_NOTES_SIZE] = "";
  const char* times = study->notes + study->start_notes;
  vida__append(start, sizeof start, "%.*s", (int)study->start_notes, study->notes);
  write_text(file, "notes", start);
  fputs(", ", file);
  write_text(file, "times", times + strspn(times, "\n"));
  fputs(", ", file);
  write_text(file, "reference", VidaStudy_Reference(study, &own_error));
  fputs(", ", file);
  write_value(file, "reference_error", own_error);
  fputs(",\n", file);
  write_reference(file, from);
  fputs(",\n", file);
  write_units(file, study, columns);
  fputs(",\n", file);
  write_series(file, study);
  fputs(",\n", file);
  write_summary(file, study);
  fputs(",\n", file);
  write_spreads(file, study, columns);
  fputs(",\n\"rows\": [\n", file);
  for (int i = 0; i < study->count; i++) {
    fputs(i > 0 ? ",\n" : "", file);
    fputs("{", file);
    vida__write_json_row(file, &study->runs[i].row, columns);
    write_remarks(file, &study->runs[i].row);
    fputs("}", file);
  }
  fputs("],\n\"runs\": [\n", file);
  for (int i = 0; i < study->count; i++) {
    fputs(i > 0 ? ",\n" : "", file);
    write_run(file, from, i);
  }
  fputs("]}", file);
}

int vida__write_page_data(const VidaRecording* const* recordings, int count,
                          const VidaPageFacts* facts, FILE* file) {
  vida_columns columns = vida__common_columns();
  for (int i = 0; i < count; i++) {
    vida__add_study_columns(recordings[i]->study, &columns);
  }
  fputs(VIDA_PAGE_DATA_BEGIN "\n", file);
  write_facts(file, facts);
  fputs(",\n", file);
  write_columns(file, &columns);
  fputs(",\n", file);
  write_statuses(file);
  fputs(",\n", file);
  const int code = write_methods(file, recordings, count);
  fputs(",\n\"studies\": [\n", file);
  for (int i = 0; i < count; i++) {
    fputs(i > 0 ? ",\n" : "", file);
    write_study(file, recordings[i], &columns);
  }
  fputs("]}\n", file);
  return code;
}
