#include "report/output/summary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/string_table.h"
#include "base/text.h"
#include "report/output/output.h"
#include "study/remarks.h"
#include "study/step_choice.h"
#include "study/study.h"
#include "system/model/model.h"

enum {
  MOST_GROUPS =
      12,         /* sets of options that are distinguished; if there are more, only methods are */
  MOST_NAMED = 4, /* runs of which the same is said */
  MOST_PRICES = 20
};

/* The largest relative changes of a quantity that counts as conserved: those of the audit, which
 * measures claims. */
static const double rounding_of_invariants = 1e-11;
static const double rounding_of_constraints = 1e-13;
/* Rows that depend on others follow from them with the rounding of the solutions of nearly singular
 * equations. */
static const double rounding_of_dependent_rates = 1e-11;

/* A slope that exceeds its 95 % interval by this factor is a drift: of about ten methods with three
 * steps each, one slope exceeds the interval itself by chance. */
static const double surely = 1.5;

/* A slope whose effect over the whole time is a smaller fraction of the oscillation may belong to a
 * slower oscillation, as in the energy of symplectic methods. */
static const double least_share = 0.25;

/* Relative to the error: an offset whose slope changes it by less over the whole time is constant.
 */
static const double hardly_any = 1e-3;

/* ---- quantities ------------------------------------------------------------------------------ */

typedef struct quantity {
  const char* topic;
  const char* column; /* of the error */
  size_t size;        /* member of vida_run_sizes */
  double rounding;
} quantity;

static const quantity quantities[] = {
    {"energy", "energy_error", offsetof(vida_run_sizes, energy), rounding_of_invariants},
    {"momenta", "momentum_error", offsetof(vida_run_sizes, momentum), rounding_of_invariants},
    {"constraints", "constraint_position", offsetof(vida_run_sizes, constraint),
     rounding_of_constraints},
    {"their rates", "constraint_velocity", offsetof(vida_run_sizes, constraint_rate),
     rounding_of_constraints}};
enum { ENERGY, MOMENTA, CONSTRAINTS, RATES, QUANTITIES };

/* If work is done on the system, the energy error is the change without the work. */
static const char* find_topic(const VidaStudy* study, int what) {
  return what == ENERGY && vida__has_energy_sources(study->system) ? "energy balance"
                                                                   : quantities[what].topic;
}

static double error_of(const VidaRow* row, int what) {
  return vida__cell_value(row, Vida_FindColumn(quantities[what].column));
}

/* A fitted drift with its confidence, and the oscillation about it. */
typedef struct fit {
  double slope, interval, oscillation;
} fit;

/* NaN where none was made. Rates have none. */
static fit find_fit(const vida_run* run, int what) {
  const VidaRow* row = &run->row;
  switch (what) {
    case ENERGY:
      return (fit){row->energy_drift, run->sizes.energy_drift_interval,
                   run->sizes.energy_oscillation};
    case MOMENTA:
      return (fit){row->momentum_drift, row->momentum_drift_interval, row->momentum_oscillation};
    case CONSTRAINTS:
      return (fit){row->constraint_drift, row->constraint_drift_interval,
                   row->constraint_oscillation};
    default:
      return (fit){NAN, NAN, NAN};
  }
}

/* Relative errors of energy and momenta are parts of their values at the start. */
static double size_of(const VidaStudy* study, const vida_run* run, int what) {
  const vida_run_sizes* sizes = &run->sizes;
  const double start = fabs(what == ENERGY ? sizes->energy_start : sizes->momentum_start);
  double size;
  memcpy(&size, (const char*)sizes + quantities[what].size, sizeof size);
  return study->relative && what <= MOMENTA ? (start > 0.0 ? size / start : 0.0) : size;
}

static bool has_lost_energy(const VidaRow* row) {
  return vida__has_remark(row, VIDA_REMARK_ENERGY_FAR) ||
         vida__has_remark(row, VIDA_REMARK_ENERGY_LOST) ||
         vida__has_remark(row, VIDA_REMARK_ENERGY_GAINED) ||
         vida__has_remark(row, VIDA_REMARK_ENERGY_LOST_AT_REST) ||
         vida__has_remark(row, VIDA_REMARK_ENERGY_GAINED_AT_REST) ||
         vida__has_remark(row, VIDA_REMARK_IMPACT_GAIN) ||
         vida__has_remark(row, VIDA_REMARK_PARASITIC);
}

static double find_rounding(const VidaRow* row, int what) {
  const bool depends = vida__has_remark(row, VIDA_REMARK_ROW_DEPENDS) ||
                       vida__has_remark(row, VIDA_REMARK_ROWS_DEPEND);
  return what == RATES && depends ? rounding_of_dependent_rates : quantities[what].rounding;
}

static vida_verdict judge(const VidaStudy* study, const vida_run* run, int what) {
  const double error = error_of(&run->row, what);
  const double size = size_of(study, run, what);
  const double time = fabs(study->time);
  const fit drift = find_fit(run, what);
  if (error <= find_rounding(&run->row, what) * size || error == 0.0) {
    return VIDA_VERDICT_ROUNDING;
  }
  if (isnan(drift.slope) && isnan(drift.interval)) {
    return VIDA_VERDICT_OFF;
  }
  if ((fabs(drift.slope) + drift.interval) * time <= hardly_any * error) {
    return VIDA_VERDICT_STEADY;
  }
  if (!isfinite(drift.interval) || !isfinite(drift.slope)) {
    return VIDA_VERDICT_UNTOLD;
  }
  if (fabs(drift.slope) > surely * drift.interval &&
      fabs(drift.slope) * time > least_share * drift.oscillation) {
    return VIDA_VERDICT_DRIFT;
  }
  if (what == ENERGY && has_lost_energy(&run->row)) {
    return VIDA_VERDICT_OFF; /* which the row says as well */
  }
  /* The absence of a drift is meaningful only if a drift of the size of the oscillation would be
   * visible. */
  return fabs(drift.slope) <= drift.interval && drift.interval * time <= drift.oscillation
             ? VIDA_VERDICT_STEADY
             : VIDA_VERDICT_UNTOLD;
}

static void verdict_text(const VidaStudy* study, int what, vida_verdict verdict, char* text,
                         size_t size) {
  char time[VIDA_REAL_TEXT_SIZE];
  const bool is_row = what == CONSTRAINTS || what == RATES;
  vida__real_text(time, fabs(study->time), 6);
  text[0] = '\0';
  switch (verdict) {
    case VIDA_VERDICT_ROUNDING:
      vida__append(text, size, "kept to rounding");
      break;
    case VIDA_VERDICT_STEADY:
      vida__append(text, size, "off, but no drift seen in %s s", time);
      break;
    case VIDA_VERDICT_UNTOLD:
      vida__append(text, size, "off; %s s are too short to show a drift", time);
      break;
    case VIDA_VERDICT_OFF:
      vida__append(text, size, is_row ? "violated" : "off");
      break;
    default:
      vida__append(text, size, "drift");
      break;
  }
}

/* ---- groups: methods with their options ------------------------------------------------------ */

typedef struct groups {
  vida_string_table names;
  int* group; /* of each run */
} groups;

static int name_groups(const VidaStudy* study, bool with_options, groups* all) {
  for (int i = 0; i < study->count; i++) {
    const vida_run* run = &study->runs[i];
    const char* options = with_options ? vida__bare_options(run) : "";
    char name[VIDA_NAME_SIZE + VIDA_OPTIONS_SIZE] = "";
    vida__append(name, sizeof name, "%s%s%s", run->row.method, options[0] ? " " : "", options);
    all->group[i] = vida__add_string(&all->names, name);
    if (all->group[i] < 0) {
      return VIDA_OUT_OF_MEMORY;
    }
  }
  return VIDA_SUCCESS;
}

static void free_groups(groups* all) {
  vida__free_strings(&all->names);
  free(all->group);
}

/* Returns whether some method has runs with other options than its first ones. */
static bool has_variants(const groups* methods, const groups* options) {
  return options->names.count > methods->names.count;
}

static int make_groups(const VidaStudy* study, groups* all) {
  groups methods = {0};
  all->group = vida__allocate((size_t)study->count + 1, sizeof *all->group);
  methods.group = vida__allocate((size_t)study->count + 1, sizeof *methods.group);
  int code = all->group && methods.group ? VIDA_SUCCESS : VIDA_OUT_OF_MEMORY;
  code = code ? code : name_groups(study, false, &methods);
  code = code ? code : name_groups(study, true, all);
  if (!code && (!has_variants(&methods, all) || all->names.count > MOST_GROUPS)) {
    const groups other = *all;
    *all = methods;
    methods = other;
  }
  free_groups(&methods);
  return code;
}

/* ---- texts ----------------------------------------------------------------------------------- */

static void write_step(const VidaRow* row, FILE* file) {
  char step[VIDA_REAL_TEXT_SIZE];
  const vida_step_choice choice = vida__step_choice_of(row);
  fprintf(file, "%s = %s%s", choice.name, vida__real_text(step, choice.value, 6), choice.unit);
}

static void write_error(double value, const char* unit, FILE* file) {
  char number[VIDA_REAL_TEXT_SIZE];
  fprintf(file, "%s%s%s", vida__real_text(number, value, 2), unit[0] ? " " : "", unit);
}

/* The results of the finished runs of a group for a quantity. */
typedef struct range {
  int runs, finished, measured;
  int largest, smallest; /* runs */
  int worst;             /* of how many runs the verdict is that of the group */
  vida_verdict verdict;
} range;

static range find_range(const VidaStudy* study, const groups* all, int group, int what) {
  range found = {.largest = -1, .smallest = -1, .verdict = VIDA_VERDICT_ROUNDING};
  for (int i = 0; i < study->count; i++) {
    const VidaRow* row = &study->runs[i].row;
    const double error = error_of(row, what);
    if (all->group[i] != group) {
      continue;
    }
    found.runs++;
    found.finished += vida__is_finished(row);
    /* An error that may come from the integration of the work is not known. */
    const bool is_unresolved = what == ENERGY && error < row->work_error;
    if (!vida__is_finished(row) || !isfinite(error) || is_unresolved) {
      continue;
    }
    found.measured++;
    if (found.largest < 0 || error > error_of(&study->runs[found.largest].row, what)) {
      found.largest = i;
    }
    if (found.smallest < 0 || error < error_of(&study->runs[found.smallest].row, what)) {
      found.smallest = i;
    }
    const vida_verdict verdict = judge(study, &study->runs[i], what);
    found.worst = verdict > found.verdict ? 1 : found.worst + (verdict == found.verdict);
    found.verdict = verdict > found.verdict ? verdict : found.verdict;
  }
  return found;
}

static const char* const short_words[VIDA_VERDICTS] = {"kept", "no drift", "not told", "off",
                                                       "drift"};

static void write_range(const VidaStudy* study, const range* found, int what, const char* unit,
                        FILE* file) {
  const VidaRow* largest = &study->runs[found->largest].row;
  const VidaRow* smallest = &study->runs[found->smallest].row;
  const double most = error_of(largest, what);
  const double least = error_of(smallest, what);
  fputs(" (", file);
  if (found->verdict == VIDA_VERDICT_ROUNDING) {
    fputs("at most ", file);
    write_error(most, unit, file);
  } else {
    write_error(most, unit, file);
    fputs(" with ", file);
    write_step(largest, file);
    if (least < most) {
      fputs(", ", file);
      write_error(least, unit, file);
      fputs(" with ", file);
      write_step(smallest, file);
    }
  }
  if (found->worst < found->measured) {
    fprintf(file, "; %s in %d of %d runs", short_words[found->verdict], found->worst,
            found->measured);
  }
  fputs(")", file);
}

/* Returns a text that `write` writes to memory; NULL without memory. */
typedef struct text_maker {
  FILE* file;
  char* text;
  size_t size;
} text_maker;

static bool begin_text(text_maker* maker) {
  maker->text = NULL;
  maker->file = open_memstream(&maker->text, &maker->size);
  return maker->file != NULL;
}

static char* end_text(text_maker* maker) {
  const bool good = maker->file && !ferror(maker->file);
  if (maker->file && fclose(maker->file) == 0 && good) {
    return maker->text;
  }
  free(maker->text);
  return NULL;
}

/* ---- what was kept --------------------------------------------------------------------------- */

static int add_line(const VidaStudy* study, const groups* all, int what, vida_verdict verdict,
                    vida_summary* summary) {
  char unit[VIDA_NAME_SIZE];
  vida_units units;
  text_maker names, text;
  bool any = false;
  vida__find_units(study, &units);
  vida__column_unit(&units, study->relative, Vida_FindColumn(quantities[what].column), unit);
  const bool begun = begin_text(&names), both = begin_text(&text) && begun;
  for (int g = 0; g < all->names.count && both; g++) {
    const range found = find_range(study, all, g, what);
    if (found.measured == 0 || found.verdict != verdict) {
      continue;
    }
    for (int k = 0; k < 2; k++) {
      FILE* file = k == 0 ? names.file : text.file;
      fprintf(file, "%s%s", !any ? "" : k == 0 ? ", " : "\n", all->names.texts[g]);
      if (found.finished < found.runs) {
        fprintf(file, " (%d of %d runs)", found.finished, found.runs);
      }
      if (k == 0 && found.worst < found.measured) {
        fprintf(file, " (in %d of %d runs)", found.worst, found.measured);
      }
    }
    write_range(study, &found, what, unit, text.file);
    any = true;
  }
  char* name = end_text(&names);
  char* long_text = end_text(&text);
  if (!name || !long_text || !any) {
    free(name);
    free(long_text);
    return both && name && long_text ? VIDA_SUCCESS : VIDA_OUT_OF_MEMORY;
  }
  vida_summary_line* line = &summary->lines[summary->line_count++];
  *line = (vida_summary_line){
      .topic = find_topic(study, what), .verdict = verdict, .names = name, .text = long_text};
  verdict_text(study, what, verdict, line->verdict_text, sizeof line->verdict_text);
  return VIDA_SUCCESS;
}

static int add_lines(const VidaStudy* study, const groups* all, vida_summary* summary) {
  int code = VIDA_SUCCESS;
  summary->lines = vida__allocate((size_t)QUANTITIES * VIDA_VERDICTS, sizeof *summary->lines);
  if (!summary->lines) {
    return VIDA_OUT_OF_MEMORY;
  }
  for (int what = 0; what < QUANTITIES; what++) {
    for (int v = 0; v < VIDA_VERDICTS && !code; v++) {
      code = add_line(study, all, what, (vida_verdict)v, summary);
    }
  }
  return code;
}

/* ---- what an error costs --------------------------------------------------------------------- */

/* Returns the known error: an error below that of the reference is only known to be at most that;
 * NaN if it is not known, or if the run did not reach its end. */
static double known_error(const VidaStudy* study, const VidaRow* row) {
  double own = NAN;
  VidaStudy_Reference(study, &own);
  if (!vida__is_finished(row) || row->doubtful || !isfinite(row->position_error) ||
      !(row->wall_s > 0.0)) {
    return NAN;
  }
  const double error = isfinite(own) ? fmax(row->position_error, own) : row->position_error;
  return error > 0.0 ? error : (double)NAN;
}

/* Returns the fastest run without doubts whose error is known to be at most this, outside the group
 * `but`. */
static int find_cheapest(const VidaStudy* study, const groups* all, double error, int but) {
  int best = -1;
  for (int i = 0; i < study->count; i++) {
    if (all->group[i] != but && known_error(study, &study->runs[i].row) <= error &&
        (best < 0 || study->runs[i].row.wall_s < study->runs[best].row.wall_s)) {
      best = i;
    }
  }
  return best;
}

/* Runs from different starts have different errors and times for reasons that are not those of
 * their methods. */
static bool has_several_starts(const VidaStudy* study) {
  bool has = false;
  for (int i = 0; i < study->count; i++) {
    has = has || study->runs[i].alike > 1;
  }
  return has;
}

static int add_prices(const VidaStudy* study, const groups* all, vida_summary* summary) {
  double most = NAN, least = NAN;
  for (int i = 0; i < study->count; i++) {
    const double error = known_error(study, &study->runs[i].row);
    most = fmax(most, error); /* which leave NaN out */
    least = fmin(least, error);
  }
  summary->prices = vida__allocate(MOST_PRICES, sizeof *summary->prices);
  if (!summary->prices) {
    return VIDA_OUT_OF_MEMORY;
  }
  if (isnan(most) || has_several_starts(study)) {
    return VIDA_SUCCESS;
  }
  /* Powers of ten are reached from above: 1e-3 itself counts as an error of 1e-3. */
  const int last = (int)ceil(log10(least) - 1e-9);
  int first = (int)floor(log10(most));
  first = first < last ? last : first;
  for (int digit = first; digit >= last && digit > first - MOST_PRICES; digit--) {
    const double error = pow(10.0, digit) * (1.0 + 1e-9);
    const int run = find_cheapest(study, all, error, -1);
    vida_summary_cost* before =
        summary->cost_count > 0 ? &summary->prices[summary->cost_count - 1] : NULL;
    if (run < 0) {
      continue;
    }
    const int next = find_cheapest(study, all, error, all->group[run]);
    if (before && before->run == run && before->next == next) {
      before->least_error = pow(10.0, digit);
      continue;
    }
    summary->prices[summary->cost_count++] =
        (vida_summary_cost){pow(10.0, digit), pow(10.0, digit), run, next};
  }
  return VIDA_SUCCESS;
}

/* ---- what failed ----------------------------------------------------------------------------- */

static bool is_failed(const VidaRow* row) {
  return VidaRow_Outcome(row) == VIDA_OUTCOME_FAILED;
}

static bool is_same_failure(const VidaRow* one, const VidaRow* other) {
  return is_failed(other) && strcmp(one->status, other->status) == 0 &&
         vida__same_remarks(one, other) && one->t_end == other->t_end;
}

static int add_failure(const VidaStudy* study, int first, bool* told, vida_summary* summary) {
  const VidaRow* row = &study->runs[first].row;
  text_maker names, text;
  char t[VIDA_REAL_TEXT_SIZE];
  int count = 0;
  const bool begun = begin_text(&names), both = begin_text(&text) && begun;
  for (int i = first; i < study->count && both; i++) {
    const VidaRow* other = &study->runs[i].row;
    if (told[i] || (i != first && !is_same_failure(row, other))) {
      continue;
    }
    told[i] = true;
    if (count++ < MOST_NAMED) {
      fprintf(names.file, "%s%s, ", count > 1 ? "; " : "", other->method);
      write_step(other, names.file);
      fprintf(names.file, "%s%s", other->options[0] ? ", " : "", other->options);
    }
  }
  if (both && count > MOST_NAMED) {
    fprintf(names.file, " and %d other run%s", count - MOST_NAMED,
            vida__plural(count - MOST_NAMED));
  }
  if (both && isfinite(row->t_end)) {
    fprintf(text.file, "at t = %s s%s", vida__real_text(t, row->t_end, 6),
            row->message[0] ? ": " : "");
  }
  if (both) {
    fputs(row->message, text.file);
  }
  vida_summary_failure* failure = &summary->failures[summary->failure_count];
  failure->names = end_text(&names);
  failure->text = end_text(&text);
  vida__append(failure->status, sizeof failure->status, "%s", row->status);
  summary->failure_count++;
  return failure->names && failure->text ? VIDA_SUCCESS : VIDA_OUT_OF_MEMORY;
}

static int add_failures(const VidaStudy* study, vida_summary* summary) {
  bool* told = vida__allocate((size_t)study->count + 1, sizeof *told);
  summary->failures = vida__allocate((size_t)study->count + 1, sizeof *summary->failures);
  int code = told && summary->failures ? VIDA_SUCCESS : VIDA_OUT_OF_MEMORY;
  for (int i = 0; i < study->count && !code; i++) {
    if (is_failed(&study->runs[i].row) && !told[i]) {
      code = add_failure(study, i, told, summary);
    }
  }
  free(told);
  return code;
}

/* ---- the whole ------------------------------------------------------------------------------- */

static int count_methods(const VidaStudy* study, const groups* all, bool finished) {
  int count = 0;
  for (int g = 0; g < all->names.count; g++) {
    bool any = false;
    for (int i = 0; i < study->count && !any; i++) {
      any = all->group[i] == g && (!finished || vida__is_finished(&study->runs[i].row));
    }
    count += any;
  }
  return count;
}

int vida__summarize(const VidaStudy* study, vida_summary* summary) {
  groups all = {0};
  memset(summary, 0, sizeof *summary);
  int code = make_groups(study, &all);
  for (int i = 0; i < study->count; i++) {
    summary->finished += vida__is_finished(&study->runs[i].row);
    summary->failed += is_failed(&study->runs[i].row);
  }
  summary->runs = study->count;
  if (!code) {
    summary->methods = count_methods(study, &all, false);
    summary->methods_finished = count_methods(study, &all, true);
  }
  code = code ? code : add_lines(study, &all, summary);
  code = code ? code : add_prices(study, &all, summary);
  code = code ? code : add_failures(study, summary);
  free_groups(&all);
  return code;
}

void vida__free_summary(vida_summary* summary) {
  for (int i = 0; i < summary->line_count; i++) {
    free(summary->lines[i].names);
    free(summary->lines[i].text);
  }
  for (int i = 0; i < summary->failure_count; i++) {
    free(summary->failures[i].names);
    free(summary->failures[i].text);
  }
  free(summary->lines);
  free(summary->prices);
  free(summary->failures);
  memset(summary, 0, sizeof *summary);
}

/* ---- below a table --------------------------------------------------------------------------- */

enum { LEAST_METHODS = 2 };

static int write_topic(const vida_summary* summary, const char* topic, int width, FILE* file) {
  text_maker text;
  bool any = false;
  if (!begin_text(&text)) {
    return VIDA_OUT_OF_MEMORY;
  }
  for (int i = 0; i < summary->line_count; i++) {
    const vida_summary_line* line = &summary->lines[i];
    if (strcmp(line->topic, topic) == 0) {
      fprintf(text.file, "%s%s%s: %s", any ? "; " : topic, any ? "" : ": ", line->verdict_text,
              line->names);
      any = true;
    }
  }
  char* made = end_text(&text);
  if (made && any) {
    vida__write_paragraph(made, width, file);
  }
  free(made);
  return made ? VIDA_SUCCESS : VIDA_OUT_OF_MEMORY;
}

static int write_costs(const VidaStudy* study, const vida_summary* summary, int width, FILE* file) {
  char number[VIDA_REAL_TEXT_SIZE], unit[VIDA_NAME_SIZE];
  text_maker text;
  vida_units units;
  vida__find_units(study, &units);
  vida__column_unit(&units, study->relative, Vida_FindColumn("position_error"), unit);
  if (summary->cost_count == 0) {
    return VIDA_SUCCESS;
  }
  if (!begin_text(&text)) {
    return VIDA_OUT_OF_MEMORY;
  }
  fputs("fastest run with a position error of at most", text.file);
  for (int i = 0, next; i < summary->cost_count; i = next) {
    const vida_summary_cost* price = &summary->prices[i];
    const VidaRow* row = &study->runs[price->run].row;
    const char* options = vida__bare_options(&study->runs[price->run]);
    double least = price->least_error;
    for (next = i + 1; next < summary->cost_count && summary->prices[next].run == price->run;
         next++) {
      least = summary->prices[next].least_error;
    }
    fprintf(text.file, "%s %s", i > 0 ? ";" : "", vida__real_text(number, price->error, 1));
    if (least < price->error) {
      fprintf(text.file, " to %s", vida__real_text(number, least, 1));
    }
    fprintf(text.file, "%s%s: %s%s%s, ", unit[0] ? " " : "", unit, row->method,
            options[0] ? " " : "", options);
    write_step(row, text.file);
    fprintf(text.file, " (%s ms)", vida__real_text(number, 1e3 * row->wall_s, 3));
  }
  char* made = end_text(&text);
  if (made) {
    vida__write_paragraph(made, width, file);
  }
  free(made);
  return made ? VIDA_SUCCESS : VIDA_OUT_OF_MEMORY;
}

int vida__write_summary(const VidaStudy* study, int width, FILE* file) {
  vida_summary summary;
  int code = vida__summarize(study, &summary);
  if (!code && summary.methods_finished >= LEAST_METHODS) {
    fputc('\n', file);
    for (int what = 0; what < QUANTITIES && !code; what++) {
      code = write_topic(&summary, find_topic(study, what), width, file);
    }
    code = code ? code : write_costs(study, &summary, width, file);
  }
  vida__free_summary(&summary);
  return code;
}
