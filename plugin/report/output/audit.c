/* Writes an audit: a table for each method, one line for each measurement, or one line for each
 * method. */
#include <math.h>
#include <string.h>
#include <vida/audit.h>

#include "base/error.h"
#include "base/text.h"
#include "diagnose/audit.h"
#include "report/output/output.h"

#define CELL 64
#define ROUNDING 1e-13 /* of the start's energy: a smaller rise is none */
#define CONSTRAINT_ROUNDING 1e-13

static const char* const status_words[] = {"measured", "refused", "broken"};
static const char* const verdict_words[] = {"", "not measured", "true", "false"};
static const char* const energy_words[] = {"", "exact", "bounded", "drifting"};

/* Returns the word for growth with this exponent of time. */
static const char* growth_word(double power) {
  return power < 0.5 ? "bounded" : power < 1.5 ? "linear" : "quadratic";
}

/* Texts for missing values, by VidaAuditAvailability: in the terminal table, and in Markdown. */
static const char* const short_words[] = {"", "?", "refuses", "-"};
static const char* const long_words[] = {"", "not measured", "refuses", "-"};

/* ---- cells ----------------------------------------------------------------------------------- */

static const char* mark(VidaAuditVerdict verdict) {
  return verdict == VIDA_AUDIT_TRUE ? "*" : verdict == VIDA_AUDIT_FALSE ? "!" : "";
}

static const char* size_text(char text[VIDA_REAL_TEXT_SIZE], double value) {
  if (value == 0.0) {
    return "0";
  }
  snprintf(text, VIDA_REAL_TEXT_SIZE, "%.0e", value);
  return text;
}

static void order_cell(const VidaAuditMeasurement* order, bool with_interval, char cell[CELL]) {
  cell[0] = '\0';
  if (isinf(order->value)) {
    snprintf(cell, CELL, "exact%s", mark(order->verdict));
  } else if (!isnan(order->value) && with_interval) {
    snprintf(cell, CELL, "%.2f+-%.2f%s", order->value, order->interval, mark(order->verdict));
  } else if (!isnan(order->value)) {
    snprintf(cell, CELL, "%.2f%s", order->value, mark(order->verdict));
  }
}

static void energy_cell(const VidaAuditRow* row, char cell[CELL]) {
  const VidaAuditMeasurement* energy = &row->measurement[VIDA_AUDIT_ENERGY];
  const VidaAuditMeasurement* drift = &row->measurement[VIDA_AUDIT_DRIFT];
  const VidaAuditMeasurement* rise = &row->measurement[VIDA_AUDIT_DISSIPATION];
  char number[VIDA_REAL_TEXT_SIZE];
  cell[0] = '\0';
  if (!isnan(energy->value)) {
    const VidaAuditVerdict of_shadow = row->measurement[VIDA_AUDIT_SHADOW].verdict;
    VidaAuditVerdict worse = energy->verdict > drift->verdict ? energy->verdict : drift->verdict;
    worse = of_shadow > worse ? of_shadow : worse;
    snprintf(cell, CELL, "%s %s%s", energy_words[row->energy], size_text(number, energy->value),
             mark(worse));
  } else if (rise->value > ROUNDING) {
    snprintf(cell, CELL, "rises %s%s", size_text(number, rise->value), mark(rise->verdict));
  } else if (!isnan(rise->value)) {
    snprintf(cell, CELL, "falls%s", mark(rise->verdict));
  }
}

static void value_cell(const VidaAuditMeasurement* measured, char cell[CELL]) {
  char number[VIDA_REAL_TEXT_SIZE];
  cell[0] = '\0';
  if (!isnan(measured->value)) {
    snprintf(cell, CELL, "%s%s", size_text(number, measured->value), mark(measured->verdict));
  }
}

static const char* kind_of(const VidaAuditRow* row, VidaAuditProperty property) {
  const double value = row->measurement[property].value;
  if (property == VIDA_AUDIT_ENERGY || property == VIDA_AUDIT_DRIFT) {
    return energy_words[row->energy];
  }
  if (property == VIDA_AUDIT_POSITION_GROWTH || property == VIDA_AUDIT_VELOCITY_GROWTH) {
    const bool positions = property == VIDA_AUDIT_POSITION_GROWTH;
    const double level =
        row->measurement[positions ? VIDA_AUDIT_POSITION_LEVEL : VIDA_AUDIT_VELOCITY_LEVEL].value;
    return isnan(value) ? "" : level <= CONSTRAINT_ROUNDING ? "none" : growth_word(value);
  }
  return property <= VIDA_AUDIT_MULTIPLIER_ORDER && isinf(row->measurement[property].value)
             ? "exact"
             : "";
}

/* ---- the table for people -------------------------------------------------------------------- */

enum { SYSTEM_WIDTH = 26, REASON_WIDTH = 90 };

typedef struct table_column {
  VidaAuditProperty property;
  int width;
} table_column;

static const table_column table_columns[] = {{VIDA_AUDIT_POSITION_ORDER, 13},
                                             {VIDA_AUDIT_LEAST_ERROR, 8},
                                             {VIDA_AUDIT_VELOCITY_ORDER, 8},
                                             {VIDA_AUDIT_MULTIPLIER_ORDER, 13},
                                             {VIDA_AUDIT_ENERGY, 16},
                                             {VIDA_AUDIT_MOMENTUM, 9},
                                             {VIDA_AUDIT_SYMPLECTIC, 8},
                                             {VIDA_AUDIT_REVERSIBLE, 9},
                                             {VIDA_AUDIT_POSITION_LEVEL, 8},
                                             {VIDA_AUDIT_POSITION_GROWTH, 11},
                                             {VIDA_AUDIT_VELOCITY_LEVEL, 8},
                                             {VIDA_AUDIT_VELOCITY_GROWTH, 12},
                                             {VIDA_AUDIT_COST, 5}};
enum { TABLE_COLUMNS = sizeof table_columns / sizeof table_columns[0] };

static void table_cell(const VidaAuditRow* row, VidaAuditProperty property, char cell[CELL]) {
  const VidaAuditMeasurement* measured = &row->measurement[property];
  if (property <= VIDA_AUDIT_MULTIPLIER_ORDER) {
    order_cell(measured, property == VIDA_AUDIT_POSITION_ORDER, cell);
  } else if (property == VIDA_AUDIT_ENERGY) {
    energy_cell(row, cell);
  } else if (property == VIDA_AUDIT_POSITION_GROWTH || property == VIDA_AUDIT_VELOCITY_GROWTH) {
    snprintf(cell, CELL, "%s", kind_of(row, property));
  } else if (property == VIDA_AUDIT_COST) {
    cell[0] = '\0';
    if (!isnan(measured->value)) {
      snprintf(cell, CELL, "%.1f", measured->value);
    }
  } else {
    value_cell(measured, cell);
  }
  if (!cell[0]) {
    snprintf(cell, CELL, "%s", short_words[measured->availability]);
  }
}

/* Returns the length of the longest beginning of a text that ends with a word and is not too long.
 */
static int whole_words(const char* text, int most) {
  int end = most;
  if (strlen(text) <= (size_t)most) {
    return (int)strlen(text);
  }
  while (end > 0 && text[end] != ' ') {
    end--;
  }
  return end > 0 ? end : most;
}

static void write_table_row(const VidaAuditRow* row, FILE* file) {
  char cell[CELL];
  fprintf(file, "  %-*s", SYSTEM_WIDTH, row->system);
  if (row->status == VIDA_AUDIT_REFUSED) {
    const int shown = whole_words(row->message, REASON_WIDTH);
    fprintf(file, "refused: %.*s%s\n", shown, row->message, row->message[shown] ? " ..." : "");
    return;
  }
  for (int i = 0; i < TABLE_COLUMNS && row->status == VIDA_AUDIT_MEASURED; i++) {
    table_cell(row, table_columns[i].property, cell);
    fprintf(file, "%-*s", i == TABLE_COLUMNS - 1 ? 0 : table_columns[i].width, cell);
  }
  fputc('\n', file);
  if (row->false_claims > 0) {
    fprintf(file, "  %*s%s: %s\n", SYSTEM_WIDTH, "",
            row->status == VIDA_AUDIT_BROKEN ? "broken" : "false", row->message);
  } else if (row->message[0]) { /* claims that stay open */
    fprintf(file, "  %*s%s\n", SYSTEM_WIDTH, "", row->message);
  }
}

static void write_head(const VidaAuditRow* row, FILE* file) {
  const VidaMethodInfo* info = Vida_FindMethod(row->method);
  fprintf(file, "%s%s%s: %s\n  %-*s", row->method, row->options[0] ? " " : "", row->options,
          info ? info->title : "", SYSTEM_WIDTH, "system");
  for (int i = 0; i < TABLE_COLUMNS; i++) {
    fprintf(file, "%-*s", i == TABLE_COLUMNS - 1 ? 0 : table_columns[i].width,
            VidaAudit_Column(table_columns[i].property)->title);
  }
  fputc('\n', file);
}

static int count_open(const VidaAudit* audit) {
  int open = 0;
  for (int i = 0; i < VidaAudit_RowCount(audit); i++) {
    const VidaAuditRow* row = VidaAudit_Row(audit, i);
    for (int k = 0; k < VIDA_AUDIT_PROPERTIES && !VidaAudit_IsSummary(row); k++) {
      open += row->measurement[k].verdict == VIDA_AUDIT_OPEN;
    }
  }
  return open;
}

/* Tells what has become of the claims. */
static void write_verdict(const VidaAudit* audit, bool is_measured, FILE* file) {
  const int failures = VidaAudit_FalseClaims(audit), open = count_open(audit);
  if (failures > 0) {
    fprintf(file, "%d false claim%s", failures, failures == 1 ? "" : "s");
  } else if (is_measured) {
    fputs(open > 0 ? "all claims that were measured are true" : "all claims are true", file);
  } else {
    fputs("no claim was measured", file);
  }
  if (open > 0) {
    fprintf(file, "; %d could not be measured", open);
  }
  fputc('\n', file);
}

int VidaReport_AuditTable(const VidaAudit* audit, FILE* file, VidaError* error) {
  if (VIDA_REFUSE_NULL(error, audit, file)) {
    return VIDA_BAD_ARGUMENT;
  }
  const int count = VidaAudit_RowCount(audit);
  bool is_measured = false;
  for (int i = 0; i < count; i++) {
    const VidaAuditRow* row = VidaAudit_Row(audit, i);
    const VidaAuditRow* before = VidaAudit_Row(audit, i - 1);
    if (!before || VidaAudit_IsSummary(before)) {
      write_head(row, file);
    }
    write_table_row(row, file);
    is_measured = is_measured || (row->status == VIDA_AUDIT_MEASURED && !VidaAudit_IsSummary(row));
    if (VidaAudit_IsSummary(row)) {
      fputc('\n', file);
    }
  }
  fputs(
      "Sizes are relative; of all systems the lowest order and the largest size are shown.\n"
      "* claimed and measured, ! claimed and not measured\n"
      "refuses: accepts no system with this property; ?: not measured; -: does not apply\n",
      file);
  write_verdict(audit, is_measured, file);
  return vida__finish_output(file, "the table", error);
}

/* ---- every measurement ----------------------------------------------------------------------- */

/* Writes a line of CSV or an object of JSON. */
typedef struct audit_line {
  const VidaAuditRow* row;
  const char* property; /* "position_order", "momentum J_z", "" for a refusal */
  double value, interval, claimed;
  const char *verdict, *kind;
} audit_line;

typedef void (*write_line)(FILE* file, const audit_line* line, bool first);

static void write_number(FILE* file, double value, const char* nothing) {
  char number[VIDA_REAL_TEXT_SIZE];
  fputs(isfinite(value) ? vida__real_text(number, value, 17) : nothing, file);
}

static void write_csv_line(FILE* file, const audit_line* line, bool first) {
  const VidaAuditRow* row = line->row;
  const double numbers[] = {line->value, line->interval, line->claimed};
  const char* texts[] = {row->method,    row->options, row->system, status_words[row->status],
                         line->property, line->kind};
  (void)first;
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    vida__write_csv_field(file, texts[i]);
    fputc(',', file);
  }
  for (size_t i = 0; i < 3; i++) {
    write_number(file, numbers[i], "");
    fputc(',', file);
  }
  fprintf(file, "%s,", line->verdict);
  write_number(file, row->h, "");
  fprintf(file, ",%ld,", row->steps);
  vida__write_csv_field(file, row->message);
  fputc('\n', file);
}

static void write_json_line(FILE* file, const audit_line* line, bool first) {
  const VidaAuditRow* row = line->row;
  const struct {
    const char *key, *text;
  } texts[] = {{"method", row->method},      {"options", row->options},
               {"system", row->system},      {"status", status_words[row->status]},
               {"property", line->property}, {"kind", line->kind},
               {"verdict", line->verdict},   {"message", row->message}};
  const struct {
    const char* key;
    double value;
  } numbers[] = {{"value", line->value},
                 {"interval", line->interval},
                 {"claimed", line->claimed},
                 {"h", row->h},
                 {"steps", (double)row->steps}};
  fputs(first ? "\n  {" : ",\n  {", file);
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    fprintf(file, "%s\"%s\": ", i ? ", " : "", texts[i].key);
    vida__write_json_string(file, texts[i].text);
  }
  for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
    fprintf(file, ", \"%s\": ", numbers[i].key);
    write_number(file, numbers[i].value, "null");
  }
  fputc('}', file);
}

static void write_lines(const VidaAudit* audit, FILE* file, write_line write) {
  bool first = true;
  for (int i = 0; i < VidaAudit_RowCount(audit); i++) {
    const VidaAuditRow* row = VidaAudit_Row(audit, i);
    if (row->status != VIDA_AUDIT_MEASURED || (VidaAudit_IsSummary(row) && row->false_claims)) {
      const audit_line none = {row, "", NAN, NAN, NAN, row->false_claims ? "false" : "", ""};
      write(file, &none, first);
      first = false;
    }
    for (int k = 0; k < VIDA_AUDIT_PROPERTIES; k++) {
      const VidaAuditMeasurement* at = &row->measurement[k];
      const audit_line one = {row,
                              VidaAudit_Column((VidaAuditProperty)k)->word,
                              at->value,
                              at->interval,
                              at->claimed,
                              verdict_words[at->verdict],
                              kind_of(row, (VidaAuditProperty)k)};
      if (!isnan(at->value) || at->verdict != VIDA_AUDIT_NO_CLAIM) {
        write(file, &one, first);
        first = false;
      }
    }
    for (int k = 0; k < row->momentum_count; k++) {
      char name[VIDA_NAME_SIZE + 16] = "";
      vida__append(name, sizeof name, "momentum %s", row->momentum[k].name);
      const audit_line one = {row, name, row->momentum[k].value, NAN, NAN, "", ""};
      write(file, &one, first);
    }
  }
}

int VidaReport_AuditCsv(const VidaAudit* audit, FILE* file, VidaError* error) {
  if (VIDA_REFUSE_NULL(error, audit, file)) {
    return VIDA_BAD_ARGUMENT;
  }
  fputs(
      "method,options,system,status,property,kind,value,interval,claimed,verdict,h,steps,message\n",
      file);
  write_lines(audit, file, write_csv_line);
  return vida__finish_output(file, "the CSV output", error);
}

int VidaReport_AuditJson(const VidaAudit* audit, FILE* file, VidaError* error) {
  if (VIDA_REFUSE_NULL(error, audit, file)) {
    return VIDA_BAD_ARGUMENT;
  }
  fputs("[", file);
  write_lines(audit, file, write_json_line);
  fputs("\n]\n", file);
  return vida__finish_output(file, "the JSON output", error);
}

/* ---- a line for each method ------------------------------------------------------------------ */

static const char* markdown_value(const VidaAuditMeasurement* measured, double kept) {
  if (isnan(measured->value)) {
    return measured->verdict == VIDA_AUDIT_FALSE ? "no (claimed)"
                                                 : long_words[measured->availability];
  }
  return measured->value <= kept                 ? "yes"
         : measured->verdict == VIDA_AUDIT_FALSE ? "no (claimed)"
                                                 : "no";
}

/* Returns "yes", or how the violation grows. */
static const char* markdown_level(const VidaAuditRow* row, VidaAuditProperty level,
                                  VidaAuditProperty growth) {
  const VidaAuditMeasurement* measured = &row->measurement[level];
  if (isnan(measured->value) || measured->value <= CONSTRAINT_ROUNDING ||
      measured->verdict == VIDA_AUDIT_FALSE) {
    return markdown_value(measured, CONSTRAINT_ROUNDING);
  }
  return growth_word(row->measurement[growth].value);
}

/* Returns whether a row is of the method of a summary, with the same options. */
static bool is_summed_up(const VidaAuditRow* row, const VidaAuditRow* summary) {
  return strcmp(row->method, summary->method) == 0 && strcmp(row->options, summary->options) == 0 &&
         !VidaAudit_IsSummary(row);
}

static void write_order(double order, bool adaptive, VidaAuditAvailability availability,
                        char cell[CELL]) {
  snprintf(cell, CELL, "%s", long_words[availability]);
  if (!isnan(order)) {
    snprintf(cell, CELL, isinf(order) ? "exact" : adaptive ? "rtol^%.1f" : "%.1f", order);
  }
}

/* Writes the lowest order on systems of one kind without events, rounded: "2", "exact", or why
 * there is none. */
static void lowest_order(const VidaAudit* audit, const VidaAuditRow* summary, bool general,
                         char cell[CELL]) {
  bool adaptive = false;
  double lowest = NAN;
  VidaAuditAvailability availability = VIDA_AUDIT_DOES_NOT_APPLY;
  for (int i = 0; i < VidaAudit_RowCount(audit); i++) {
    const VidaAuditRow* row = VidaAudit_Row(audit, i);
    if (is_summed_up(row, summary) && !row->has_events && row->general == general) {
      const VidaAuditMeasurement* order = &row->measurement[VIDA_AUDIT_POSITION_ORDER];
      lowest = fmin(lowest, order->value);
      availability = order->availability < availability ? order->availability : availability;
      adaptive = row->adaptive;
    }
  }
  write_order(lowest, adaptive, availability, cell);
}

/* Some methods keep momentum maps only if the Lagrangian is v^T M v / 2 - V(q) with constant M. */
static const char* momentum_value(const VidaAudit* audit, const VidaAuditRow* summary,
                                  double kept) {
  const VidaAuditMeasurement* measured = &summary->measurement[VIDA_AUDIT_MOMENTUM];
  const bool is_lost = measured->value > kept && measured->verdict != VIDA_AUDIT_FALSE;
  double largest = NAN;
  for (int i = 0; i < VidaAudit_RowCount(audit); i++) {
    const VidaAuditRow* row = VidaAudit_Row(audit, i);
    if (is_summed_up(row, summary) && row->has_events == summary->has_events && !row->general) {
      largest = fmax(largest, row->measurement[VIDA_AUDIT_MOMENTUM].value);
    }
  }
  return is_lost && largest <= kept ? "constant M" : markdown_value(measured, kept);
}

static const char* energy_value(const VidaAuditRow* row) {
  return row->energy == VIDA_AUDIT_ENERGY_NONE
             ? long_words[row->measurement[VIDA_AUDIT_ENERGY].availability]
             : energy_words[row->energy];
}

static void write_markdown_row(const VidaAudit* audit, const VidaAuditRow* row, FILE* file) {
  static const struct {
    VidaAuditProperty property;
    double kept;
  } columns[] = {{VIDA_AUDIT_SYMPLECTIC, 1e-8}, {VIDA_AUDIT_REVERSIBLE, 1e-11}};
  const VidaAuditMeasurement* cost = &row->measurement[VIDA_AUDIT_COST];
  char cell[CELL], general[CELL];
  lowest_order(audit, row, false, cell);
  lowest_order(audit, row, true, general);
  fprintf(file, "| `%s%s%s` | %s | %s | %s |", row->method, row->options[0] ? " " : "",
          row->options, cell, general, energy_value(row));
  fprintf(file, " %s |", momentum_value(audit, row, 1e-12));
  for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++) {
    fprintf(file, " %s |", markdown_value(&row->measurement[columns[i].property], columns[i].kept));
  }
  fprintf(file, " %s | %s |",
          markdown_level(row, VIDA_AUDIT_POSITION_LEVEL, VIDA_AUDIT_POSITION_GROWTH),
          markdown_level(row, VIDA_AUDIT_VELOCITY_LEVEL, VIDA_AUDIT_VELOCITY_GROWTH));
  if (isnan(cost->value)) {
    fprintf(file, " %s |\n", long_words[cost->availability]);
  } else {
    fprintf(file, " %.1f |\n", cost->value);
  }
}

/* ---- a line for each method, through events -------------------------------------------------- */

/* Returns whether there are rows of a system (NULL: of any) with or without events. */
static bool has_rows(const VidaAudit* audit, const char* system, bool has_events) {
  for (int i = 0; i < VidaAudit_RowCount(audit); i++) {
    const VidaAuditRow* row = VidaAudit_Row(audit, i);
    if (!VidaAudit_IsSummary(row) && row->has_events == has_events &&
        (!system || strcmp(row->system, system) == 0)) {
      return true;
    }
  }
  return false;
}

static void write_event_head(const VidaAudit* audit, FILE* file) {
  int count = 6;
  fputs("| method | contacts |", file);
  for (int s = 0; s < VidaAudit_SystemCount(); s++) {
    if (has_rows(audit, VidaAudit_SystemName(s), true)) {
      fprintf(file, " %s |", VidaAudit_SystemName(s));
      count++;
    }
  }
  fputs(" energy | momenta | reversible | g = 0 |\n|", file);
  for (int i = 0; i < count; i++) {
    fputs("---|", file);
  }
  fputc('\n', file);
}

/* The order on each system, and what the method keeps through events. */
static void write_event_row(const VidaAudit* audit, const VidaAuditRow* row, FILE* file) {
  char cell[CELL];
  fprintf(file, "| `%s%s%s` | %s |", row->method, row->options[0] ? " " : "", row->options,
          Vida_IsTimeStepping(Vida_FindMethod(row->method)) ? "time stepping" : "events");
  for (int s = 0; s < VidaAudit_SystemCount(); s++) {
    for (int i = 0; i < VidaAudit_RowCount(audit); i++) {
      const VidaAuditRow* one = VidaAudit_Row(audit, i);
      if (is_summed_up(one, row) && one->has_events &&
          strcmp(one->system, VidaAudit_SystemName(s)) == 0) {
        const VidaAuditMeasurement* order = &one->measurement[VIDA_AUDIT_POSITION_ORDER];
        write_order(order->value, one->adaptive, order->availability, cell);
        fprintf(file, " %s |", cell);
      }
    }
  }
  fprintf(file, " %s | %s | %s | %s |\n", energy_value(row), momentum_value(audit, row, 1e-12),
          markdown_value(&row->measurement[VIDA_AUDIT_REVERSIBLE], 1e-11),
          markdown_level(row, VIDA_AUDIT_POSITION_LEVEL, VIDA_AUDIT_POSITION_GROWTH));
}

/* Writes a line for each summary, with what is measured on systems with or without events. */
static void write_summaries(const VidaAudit* audit, bool has_events,
                            void (*write)(const VidaAudit*, const VidaAuditRow*, FILE*),
                            FILE* file) {
  for (int i = 0; i < VidaAudit_RowCount(audit); i++) {
    if (VidaAudit_IsSummary(VidaAudit_Row(audit, i))) {
      VidaAuditRow gathered;
      vida__gather_audit(audit, VidaAudit_Row(audit, i), has_events, &gathered);
      write(audit, &gathered, file);
    }
  }
}

int VidaReport_AuditMarkdown(const VidaAudit* audit, FILE* file, VidaError* error) {
  if (VIDA_REFUSE_NULL(error, audit, file)) {
    return VIDA_BAD_ARGUMENT;
  }
  const bool is_smooth = has_rows(audit, NULL, false), has_events = has_rows(audit, NULL, true);
  if (is_smooth) {
    fputs(
        "| method | order | order, general Lagrangian | energy | momenta | symplectic | reversible "
        "| g = 0 | G v = 0 | residuals "
        "a step |\n|---|---|---|---|---|---|---|---|---|---|\n",
        file);
    write_summaries(audit, false, write_markdown_row, file);
  }
  if (is_smooth && has_events) {
    fputc('\n', file);
  }
  if (has_events) {
    write_event_head(audit, file);
    write_summaries(audit, true, write_event_row, file);
  }
  return vida__finish_output(file, "the Markdown output", error);
}
