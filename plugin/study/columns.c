#include <vida/study.h>

/* The columns as a table, from the one list in the header. */
#define COLUMN_ROW(name, type, unit, text) \
  {#name, VIDA_COLUMN_##type, unit, text, offsetof(VidaRow, name)},
static const VidaColumn columns[VIDA_COLUMNS] = {VIDA_COLUMN_LIST(COLUMN_ROW)};
#undef COLUMN_ROW

const VidaColumn* Vida_Column(int index) {
  return index >= 0 && index < VIDA_COLUMNS ? &columns[index] : NULL;
}
