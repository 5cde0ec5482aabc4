/* The columns of rows as tables, from the lists in the header. */
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "study/study.h"

#define COLUMN_PLACE(name) offsetof(VidaRow, name), sizeof(((VidaRow*)0)->name)

#define COLUMN_ROW(name, type, unit, text) \
  {#name, VIDA_COLUMN_##type, unit, text, COLUMN_PLACE(name), ""},
static const VidaColumn columns[VIDA_COLUMNS] = {VIDA_COLUMN_LIST(COLUMN_ROW)};
#undef COLUMN_ROW

#define COLUMN_ROW(name, option, type, unit, text) \
  {#name, VIDA_COLUMN_##type, unit, text, COLUMN_PLACE(name), #option},
static const VidaColumn optional[] = {VIDA_OPTIONAL_COLUMN_LIST(COLUMN_ROW)};
#undef COLUMN_ROW

enum { OPTIONAL = sizeof optional / sizeof optional[0] };

const VidaColumn* Vida_Column(int index) {
  return index >= 0 && index < VIDA_COLUMNS ? &columns[index] : NULL;
}

const VidaColumn* Vida_OptionalColumn(int index) {
  return index >= 0 && index < OPTIONAL ? &optional[index] : NULL;
}

/* All columns, one after the other. */
static const VidaColumn* column_at(int index) {
  return index < VIDA_COLUMNS ? Vida_Column(index) : Vida_OptionalColumn(index - VIDA_COLUMNS);
}

const VidaColumn* Vida_FindColumn(const char* name) {
  for (int i = 0; name && i < VIDA_COLUMNS + OPTIONAL; i++) {
    if (strcmp(column_at(i)->name, name) == 0) {
      return column_at(i);
    }
  }
  return NULL;
}

bool VidaStudy_HasColumn(const VidaStudy* study, const VidaColumn* column) {
  return study && column &&
         (!column->option[0] || VidaOptions_Get(study->options, column->option) != 0.0);
}

/* ---- rows ------------------------------------------------------------------------------------ */

void vida__forget_measurements(VidaRow* row) {
  const double wall = row->wall_s, t_end = row->t_end, h = row->h, rtol = row->rtol;
  for (int i = 0; i < VIDA_COLUMNS + OPTIONAL; i++) {
    const double unknown = NAN;
    if (column_at(i)->type == VIDA_COLUMN_REAL) {
      memcpy((char*)row + column_at(i)->offset, &unknown, sizeof unknown);
    }
  }
  row->wall_s = wall;
  row->t_end = t_end;
  row->h = h;
  row->rtol = rtol;
}

void vida__add_remark(VidaRow* row, const char* remark) {
  char last[VIDA_MESSAGE_SIZE] = "";
  char* below = strstr(row->message, VIDA_REMARK_BELOW);
  if (below) {
    vida__append(last, sizeof last, "; %s", below);
    below[below == row->message ? 0 : -2] = '\0'; /* with the "; " before it */
  }
  vida__append(row->message, sizeof row->message, "%s%s%s", row->message[0] ? "; " : "", remark,
               last);
}
