/* The table of columns, from the list in vida/columns.h, and cells of rows. */
#include <math.h>
#include <string.h>

#include "study/study.h"

#define UNIT_TEXT(name, text) static const char unit_##name[] = text;
VIDA_UNIT_LIST(UNIT_TEXT)
#undef UNIT_TEXT

#define TYPE_NAME VIDA_COLUMN_TEXT
#define TYPE_OPTIONS VIDA_COLUMN_TEXT
#define TYPE_FLAG VIDA_COLUMN_TEXT
#define TYPE_MESSAGE VIDA_COLUMN_TEXT
#define TYPE_REAL VIDA_COLUMN_REAL
#define TYPE_COUNT VIDA_COLUMN_COUNT
#define COLUMN_ROW(member, class, needs, kind, about, heading, weight, label, flags, words) \
  {.name = #member,                                                                         \
   .type = TYPE_##class,                                                                    \
   .unit = unit_##kind,                                                                     \
   .text = (words),                                                                         \
   .offset = offsetof(VidaRow, member),                                                     \
   .size = sizeof(((VidaRow*)0)->member),                                                   \
   .option = (needs),                                                                       \
   .unit_kind = VIDA_UNIT_##kind,                                                           \
   .group = VIDA_GROUP_##about,                                                             \
   .title = (heading),                                                                      \
   .importance = (weight),                                                                  \
   .axis = (label),                                                                         \
   .traits = (flags)},
static const VidaColumn columns[] = {VIDA_COLUMN_LIST(COLUMN_ROW)};
#undef COLUMN_ROW

enum { ALL_COLUMNS = sizeof columns / sizeof columns[0] };

/* Returns the column with this index among the optional columns, or among the others. */
static const VidaColumn* find_column(int index, bool is_optional) {
  for (int i = 0; i < ALL_COLUMNS && index >= 0; i++) {
    if ((columns[i].option[0] != '\0') == is_optional && index-- == 0) {
      return &columns[i];
    }
  }
  return NULL;
}

const VidaColumn* Vida_Column(int index) {
  return find_column(index, false);
}

const VidaColumn* Vida_OptionalColumn(int index) {
  return find_column(index, true);
}

const VidaColumn* vida__column_at(int index) {
  return index >= 0 && index < ALL_COLUMNS ? &columns[index] : NULL;
}

const VidaColumn* Vida_FindColumn(const char* name) {
  for (int i = 0; name && i < ALL_COLUMNS; i++) {
    if (strcmp(columns[i].name, name) == 0) {
      return &columns[i];
    }
  }
  return NULL;
}

bool VidaStudy_HasColumn(const VidaStudy* study, const VidaColumn* column) {
  return study && column &&
         (!column->option[0] || VidaOptions_Get(study->options, column->option) != 0.0) &&
         (!(column->traits & VIDA_COLUMN_EVENTS) || vida__count_sources(study->system) > 0);
}

/* ---- cells ----------------------------------------------------------------------------------- */

double vida__cell_value(const VidaRow* row, const VidaColumn* column) {
  const char* member = (const char*)row + column->offset;
  double value = NAN;
  long count;
  switch (column->type) {
    case VIDA_COLUMN_REAL:
      memcpy(&value, member, sizeof value);
      return value;
    case VIDA_COLUMN_COUNT:
      memcpy(&count, member, sizeof count);
      return (double)count;
    case VIDA_COLUMN_TEXT:
    default:
      return value;
  }
}

void vida__forget_measurements(VidaRow* row) {
  const double unknown = NAN;
  for (int i = 0; i < ALL_COLUMNS; i++) {
    if (vida__is_measured(&columns[i])) {
      memcpy((char*)row + columns[i].offset, &unknown, sizeof unknown);
    }
  }
}

bool vida__is_measured(const VidaColumn* column) {
  return column->type == VIDA_COLUMN_REAL && column->group != VIDA_GROUP_RUN &&
         column->group != VIDA_GROUP_COST;
}
