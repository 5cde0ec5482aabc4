/* Functions that the kinds of pictures share: the selection of runs and columns, and their labels.
 */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "report/plot/plot.h"
#include "study/step_choice.h"

enum {
  MOST_LABEL = 46, /* characters of a label next to the panels */
  MOST_VARIANTS = 12
};

/* ---- building a picture ---------------------------------------------------------------------- */

void vida__free_picture(vida_picture* picture) {
  for (int p = 0; p < picture->count; p++) {
    for (int c = 0; c < picture->panels[p].count; c++) {
      free(picture->panels[p].curves[c].x);
      free(picture->panels[p].curves[c].y);
    }
    free(picture->panels[p].curves);
    free(picture->panels[p].failures);
  }
  free(picture->panels);
  free(picture->entries);
  vida__free_strings(&picture->notes);
  memset(picture, 0, sizeof *picture);
}

vida_panel* vida__add_panel(vida_picture* picture) {
  if (vida__reserve((void**)&picture->panels, &picture->capacity, (size_t)picture->count + 1,
                    sizeof *picture->panels)) {
    return NULL;
  }
  vida_panel* panel = &picture->panels[picture->count++];
  panel->level = panel->from = panel->to = NAN;
  return panel;
}

vida_curve* vida__add_curve(vida_panel* panel) {
  if (vida__reserve((void**)&panel->curves, &panel->capacity, (size_t)panel->count + 1,
                    sizeof *panel->curves)) {
    return NULL;
  }
  return &panel->curves[panel->count++];
}

int vida__extend_curve(vida_curve* curve, double x, double y, VidaError* error) {
  const size_t needed = (size_t)curve->count + 1;
  if (vida__reserve((void**)&curve->x, &curve->x_capacity, needed, sizeof *curve->x) ||
      vida__reserve((void**)&curve->y, &curve->y_capacity, needed, sizeof *curve->y)) {
    return vida__fail_memory(error);
  }
  curve->x[curve->count] = x;
  curve->y[curve->count++] = y;
  return VIDA_SUCCESS;
}

int vida__add_failure(vida_panel* panel, double x, int colour, VidaError* error) {
  if (vida__reserve((void**)&panel->failures, &panel->failure_capacity,
                    (size_t)panel->failure_count + 1, sizeof *panel->failures)) {
    return vida__fail_memory(error);
  }
  panel->failures[panel->failure_count++] = (vida_failure){x, colour};
  return VIDA_SUCCESS;
}

int vida__legend(vida_picture* picture, const char* label, int colour, int dash, bool marked) {
  for (int i = 0; i < picture->entry_count; i++) {
    if (strcmp(picture->entries[i].label, label) == 0) {
      return i;
    }
  }
  if (vida__reserve((void**)&picture->entries, &picture->entry_capacity,
                    (size_t)picture->entry_count + 1, sizeof *picture->entries)) {
    return -1;
  }
  vida_legend_entry* entry = &picture->entries[picture->entry_count];
  vida__append(entry->label, sizeof entry->label, "%s", label);
  entry->colour = colour;
  entry->dash = dash;
  entry->marked = marked;
  return picture->entry_count++;
}

void vida__add_note(vida_picture* picture, const char* format, ...) {
  char text[VIDA_TEXT_SIZE];
  va_list list;
  va_start(list, format);
  vsnprintf(text, sizeof text, format, list);
  va_end(list);
  vida__add_string(&picture->notes, text); /* omitted if memory does not suffice */
}

void vida__notes_text(const vida_picture* picture, char text[VIDA_TEXT_SIZE]) {
  text[0] = '\0';
  for (int i = 0; i < picture->notes.count; i++) {
    vida__append(text, VIDA_TEXT_SIZE, "%s%s", i > 0 ? "; " : "", picture->notes.texts[i]);
  }
}

void vida__note_missing(vida_picture* picture) {
  int failed = 0, lost = 0;
  for (int run = 0; run < picture->results->count; run++) {
    const vida_stored_run* self = &picture->results->runs[run];
    if (vida__is_chosen(picture, run) && !self->file[0]) {
      failed += self->failed;
      lost += !self->failed;
    }
  }
  if (failed > 0) {
    vida__add_note(picture, "%d failed at the start", failed);
  }
  if (lost > 0) {
    vida__add_note(picture, "the trajectories of %d are missing", lost);
  }
}

bool vida__shows_anything(const vida_picture* picture) {
  for (int p = 0; p < picture->count; p++) {
    for (int c = 0; c < picture->panels[p].count; c++) {
      const vida_curve* curve = &picture->panels[p].curves[c];
      for (long i = 0; i < curve->count; i++) {
        if (isfinite(curve->x[i]) && isfinite(curve->y[i])) {
          return true;
        }
      }
    }
  }
  return false;
}

/* ---- choosing -------------------------------------------------------------------------------- */

bool vida__is_chosen(const vida_picture* picture, int run) {
  const VidaPlot* wishes = picture->wishes;
  const VidaRow* row = &picture->results->runs[run].row;
  bool method = !wishes->methods || !wishes->methods[0];
  for (int i = 0; !method && wishes->methods[i]; i++) {
    method = strcmp(wishes->methods[i], row->method) == 0;
  }
  bool step = wishes->step_count <= 0;
  for (int i = 0; !step && i < wishes->step_count; i++) {
    step = fabs(vida__step_or_tolerance(row) - wishes->steps[i]) <= 1e-6 * wishes->steps[i];
  }
  return method && step;
}

bool* vida__choose_runs(vida_picture* picture, vida_run_test* is_shown, const void* data, int most,
                        const char* what, VidaError* error) {
  const vida_results* results = picture->results;
  const size_t count = (size_t)results->count;
  bool* chosen = vida__allocate(count, sizeof *chosen);
  int* method = vida__allocate(count, sizeof *method);
  int shown = 0;
  int code = chosen && method ? VIDA_SUCCESS : vida__fail_memory(error);
  for (int run = 0; run < results->count && !code; run++) {
    const bool is_one = is_shown(picture, run, data);
    method[run] = is_one ? results->runs[run].method : -1;
    shown += is_one;
  }
  code = code ? code : vida__spread_runs(results->count, method, most, chosen, error);
  free(method);
  if (code) {
    free(chosen);
    return NULL;
  }
  if (shown > most) {
    vida__add_note(picture, "%d of %d runs%s, spread over the methods", most, shown, what);
  }
  return chosen;
}

bool vida__is_selected_column(const vida_picture* picture, const char* name) {
  const char* const* columns = picture->wishes->columns;
  if (!columns || !columns[0]) {
    return true;
  }
  for (int i = 0; columns[i]; i++) {
    if (strcmp(columns[i], name) == 0) {
      return true;
    }
  }
  return false;
}

bool vida__is_finest(const vida_picture* picture, int run) {
  const vida_stored_run* self = &picture->results->runs[run];
  if (picture->wishes->step_count > 0) {
    return true; /* the user has chosen */
  }
  for (int i = 0; i < picture->results->count; i++) {
    const vida_stored_run* other = &picture->results->runs[i];
    if (other->method == self->method && other->variant == self->variant && other->file[0] &&
        vida__is_adaptive(&other->row) == vida__is_adaptive(&self->row) &&
        vida__step_or_tolerance(&other->row) < vida__step_or_tolerance(&self->row)) {
      return false;
    }
  }
  return true;
}

bool vida__is_in_time(const vida_picture* picture, double t) {
  return !(t < picture->wishes->from) && !(t > picture->wishes->to);
}

/* ---- names ----------------------------------------------------------------------------------- */

void vida__step_text(const VidaRow* row, char text[VIDA_TEXT_SIZE]) {
  char number[VIDA_REAL_TEXT_SIZE];
  text[0] = '\0';
  const vida_step_choice choice = vida__step_choice_of(row);
  vida__append(text, VIDA_TEXT_SIZE, "%s = %s%s", choice.name,
               vida__real_text(number, choice.value, 6), choice.unit);
}

/* Truncates a text to this number of characters (not bytes) with "...". */
static void cut(char* text, size_t size, int characters) {
  int count = 0;
  char* place = NULL;
  for (char* c = text; *c; c++) {
    if (((unsigned char)*c & 0xC0) != 0x80 && ++count == characters - 1) {
      place = c;
    }
  }
  if (count > characters && place) {
    *place = '\0';
    vida__append(text, size, "...");
  }
}

/* Returns the options of a run, or, without options, how its steps are chosen. The output interval
 * of an adaptive method does not distinguish runs. */
static void append_variant(const VidaRow* row, char label[VIDA_TEXT_SIZE]) {
  const bool is_adaptive = vida__is_adaptive(row);
  const char* options = row->options;
  if (is_adaptive && strncmp(options, "h=", 2) == 0) {
    options += strcspn(options, " ");
    options += strspn(options, " ");
  }
  if (options[0]) {
    vida__append(label, VIDA_TEXT_SIZE, " %s", options);
  } else {
    vida__append(label, VIDA_TEXT_SIZE, is_adaptive ? " with rtol" : " with h");
  }
}

int vida__colour_of_run(const vida_picture* picture, int run) {
  return picture->results->colours[picture->results->runs[run].method];
}

void vida__run_label(const vida_picture* picture, int run, bool step, char label[VIDA_TEXT_SIZE]) {
  const vida_results* results = picture->results;
  const vida_stored_run* self = &results->runs[run];
  int variants = 1;
  label[0] = '\0';
  for (int i = 0; i < results->count; i++) {
    const vida_stored_run* other = &results->runs[i];
    if (other->method == self->method && other->variant >= variants) {
      variants = other->variant + 1;
    }
  }
  vida__append(label, VIDA_TEXT_SIZE, "%s", self->row.method);
  if (variants > MOST_VARIANTS) { /* a sweep: too many for a legend */
    vida__append(label, VIDA_TEXT_SIZE, ", %d sets of options", variants);
  } else if (variants > 1) {
    append_variant(&self->row, label);
    cut(label, VIDA_TEXT_SIZE, MOST_LABEL);
  }
  if (step) {
    char text[VIDA_TEXT_SIZE];
    vida__step_text(&self->row, text);
    vida__append(label, VIDA_TEXT_SIZE, ", %s", text);
  }
}

/* "kg m^2/s" as "kg m\u00b2/s". */
static void write_powers(char text[VIDA_TEXT_SIZE]) {
  static const char* const powers[] = {"\u2070", "\u00b9", "\u00b2", "\u00b3", "\u2074",
                                       "\u2075", "\u2076", "\u2077", "\u2078", "\u2079"};
  char copy[VIDA_TEXT_SIZE];
  memcpy(copy, text, sizeof copy);
  text[0] = '\0';
  for (const char* c = copy; *c; c++) {
    if (*c == '^' && c[1] >= '0' && c[1] <= '9' && !(c[2] >= '0' && c[2] <= '9')) {
      vida__append(text, VIDA_TEXT_SIZE, "%s", powers[*++c - '0']);
    } else {
      vida__append(text, VIDA_TEXT_SIZE, "%c", *c);
    }
  }
}

void vida__axis_title(char text[VIDA_TEXT_SIZE], const char* name, const char* unit) {
  char units[VIDA_TEXT_SIZE] = "";
  text[0] = '\0';
  vida__append(units, sizeof units, "%s", unit);
  write_powers(units);
  vida__append(text, VIDA_TEXT_SIZE, "%s", name);
  if (units[0] && strcmp(units, "1") != 0) {
    vida__append(text, VIDA_TEXT_SIZE, " [%s]", units);
  }
}

void vida__column_title(const vida_trajectory* trajectory, int column, char text[VIDA_TEXT_SIZE]) {
  char name[VIDA_NAME_SIZE], unit[VIDA_NAME_SIZE];
  vida__split_title(vida__table_title(&trajectory->table, column), name, unit);
  vida__axis_title(text, name, unit);
}
