#include "base/options.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"

/* The value of an option for one coordinate. */
typedef struct coordinate_value {
  int row;
  char* coordinate;
  double value;
} coordinate_value;

struct VidaOptions {
  const char* owner;
  int count;
  const VidaOptionRow** rows; /* count */
  double* values;             /* count */
  bool* set;                  /* count */
  coordinate_value* own;      /* by rows and names */
  size_t own_count, own_capacity;
};

static int count_rows(const VidaOptionRow* table) {
  int count = 0;
  while (table[count].name) {
    count++;
  }
  return count;
}

static int allocate_options(const char* owner, int count, VidaOptions** options, VidaError* error) {
  VidaOptions* created = vida__allocate(1, sizeof *created);
  *options = created;
  if (!created) {
    return vida__fail_memory(error);
  }
  created->owner = owner;
  created->count = count;
  created->rows = vida__allocate((size_t)count, sizeof *created->rows);
  created->values = vida__allocate((size_t)count, sizeof *created->values);
  created->set = vida__allocate((size_t)count, sizeof *created->set);
  if (!created->rows || !created->values || !created->set) {
    VidaOptions_Destroy(options);
    return vida__fail_memory(error);
  }
  return VIDA_SUCCESS;
}

int vida__options_create(const char* owner, int count, const VidaOptionRow* const* tables,
                         VidaOptions** options, VidaError* error) {
  int rows = 0;
  for (int i = 0; i < count; i++) {
    rows += count_rows(tables[i]);
  }
  const int code = allocate_options(owner, rows, options, error);
  if (code) {
    return code;
  }
  int next = 0;
  for (int i = 0; i < count; i++) {
    for (const VidaOptionRow* row = tables[i]; row->name; row++, next++) {
      (*options)->rows[next] = row;
      (*options)->values[next] = row->default_value;
    }
  }
  return VIDA_SUCCESS;
}

/* Returns the index of the value, or the one at which it would be inserted. */
static size_t find_own(const VidaOptions* options, int row, const char* coordinate,
                       bool* is_there) {
  size_t k = 0;
  *is_there = false;
  for (; k < options->own_count; k++) {
    const coordinate_value* value = &options->own[k];
    const int order = value->row != row ? value->row - row : strcmp(value->coordinate, coordinate);
    *is_there = order == 0;
    if (order >= 0) {
      break;
    }
  }
  return k;
}

static int store_own(VidaOptions* options, int row, const char* coordinate, double value,
                     VidaError* error) {
  bool is_there;
  const size_t place = find_own(options, row, coordinate, &is_there);
  if (!is_there) {
    char* name = vida__copy_text(coordinate);
    if (!name || vida__reserve((void**)&options->own, &options->own_capacity,
                               options->own_count + 1, sizeof *options->own)) {
      free(name);
      return vida__fail_memory(error);
    }
    memmove(&options->own[place + 1], &options->own[place],
            (options->own_count - place) * sizeof *options->own);
    options->own[place] = (coordinate_value){.row = row, .coordinate = name};
    options->own_count++;
  }
  options->own[place].value = value;
  options->set[row] = true;
  return VIDA_SUCCESS;
}

int VidaOptions_Copy(const VidaOptions* options, VidaOptions** copy, VidaError* error) {
  int code = VIDA_REFUSE_NULL(error, copy);
  if (code) {
    return code;
  }
  *copy = NULL;
  code = VIDA_REFUSE_NULL(error, options);
  code = code ? code : allocate_options(options->owner, options->count, copy, error);
  if (code) {
    return code;
  }
  const size_t count = (size_t)options->count;
  memcpy((*copy)->rows, options->rows, count * sizeof *options->rows);
  memcpy((*copy)->values, options->values, count * sizeof *options->values);
  memcpy((*copy)->set, options->set, count * sizeof *options->set);
  for (size_t k = 0; k < options->own_count && !code; k++) {
    const coordinate_value* value = &options->own[k];
    code = store_own(*copy, value->row, value->coordinate, value->value, error);
  }
  if (code) {
    VidaOptions_Destroy(copy);
  }
  return code;
}

void VidaOptions_Destroy(VidaOptions** options) {
  if (options && *options) {
    free((*options)->rows);
    free((*options)->values);
    free((*options)->set);
    for (size_t k = 0; k < (*options)->own_count; k++) {
      free((*options)->own[k].coordinate);
    }
    free((*options)->own);
    free(*options);
    *options = NULL;
  }
}

const char* VidaOptions_Method(const VidaOptions* options) {
  return options ? options->owner : "";
}

int VidaOptions_Count(const VidaOptions* options) {
  return options ? options->count : 0;
}

const VidaOptionRow* VidaOptions_Row(const VidaOptions* options, int index) {
  return options && index >= 0 && index < options->count ? options->rows[index] : NULL;
}

static int find_option(const VidaOptions* options, const char* name) {
  for (int i = 0; options && name && i < options->count; i++) {
    if (strcmp(options->rows[i]->name, name) == 0) {
      return i;
    }
  }
  return -1;
}

bool vida__has_option(const VidaOptions* options, const char* name) {
  return find_option(options, name) >= 0;
}

static const char* row_name(const void* list, int index) {
  return ((const VidaOptions*)list)->rows[index]->name;
}

static int require_option(const VidaOptions* options, const char* name, int* index,
                          VidaError* error) {
  *index = find_option(options, name);
  if (*index >= 0) {
    return VIDA_SUCCESS;
  }
  const int nearest = Vida_NearestName(name, options->count, row_name, options);
  if (nearest >= 0) {
    return vida__fail(error, VIDA_UNKNOWN_NAME, "unknown option '%s' of %s; did you mean '%s'?",
                      name, options->owner, options->rows[nearest]->name);
  }
  return vida__fail(error, VIDA_UNKNOWN_NAME, "unknown option '%s' of %s", name, options->owner);
}

/* "a positive number in s", "an integer from 1 to 100", "one of auto|dense|klu". */
static void describe_expected(const VidaOptionRow* row, char* text, size_t size) {
  char low[VIDA_REAL_TEXT_SIZE];
  char high[VIDA_REAL_TEXT_SIZE];
  text[0] = '\0';
  if (row->type == VIDA_OPTION_BOOLEAN) {
    vida__append(text, size, "true or false");
    return;
  }
  if (row->type == VIDA_OPTION_CHOICE) {
    vida__append(text, size, "one of %s", row->choices);
    return;
  }
  const char* kind = row->type == VIDA_OPTION_INTEGER ? "integer" : "number";
  const char* article = row->type == VIDA_OPTION_INTEGER ? "an " : "a ";
  if (row->minimum == 0.0 && row->open) {
    vida__append(text, size, "a positive %s", kind);
  } else {
    vida__append(text, size, "%s%s", article, kind);
    if (isfinite(row->minimum)) {
      vida__append(text, size, " %s %s", row->open ? "above" : "not below",
                   vida__real_text(low, row->minimum, 6));
    }
  }
  if (isfinite(row->maximum)) {
    vida__append(text, size, ", at most %s", vida__real_text(high, row->maximum, 6));
  }
  if (row->unit && *row->unit && strcmp(row->unit, "1") != 0) {
    vida__append(text, size, " in %s", row->unit);
  }
}

static int refuse(const VidaOptions* options, int index, const char* got, VidaError* error) {
  char expected[320];
  describe_expected(options->rows[index], expected, sizeof expected);
  const char* name = options->rows[index]->name;
  vida__fail(error, VIDA_BAD_ARGUMENT, "%s: expected %s, got %s", name, expected, got);
  if (error) {
    error->subject = (int)strlen(name) + (int)strlen(": ");
  }
  return VIDA_BAD_ARGUMENT;
}

static bool is_allowed(const VidaOptionRow* row, double value) {
  if (!isfinite(value) || value < row->minimum || value > row->maximum) {
    return false;
  }
  if (row->open && value == row->minimum) {
    return false;
  }
  return row->type != VIDA_OPTION_INTEGER || value == floor(value);
}

static int store(VidaOptions* options, int index, double value) {
  options->values[index] = value;
  options->set[index] = true;
  return VIDA_SUCCESS;
}

static int refuse_number(const VidaOptions* options, int index, double value, VidaError* error) {
  char got[VIDA_REAL_TEXT_SIZE];
  return refuse(options, index, vida__shortest_text(got, value), error);
}

int VidaOptions_SetReal(VidaOptions* options, const char* name, double value, VidaError* error) {
  if (VIDA_REFUSE_NULL(error, options, name)) {
    return VIDA_BAD_ARGUMENT;
  }
  int index = -1;
  const int code = require_option(options, name, &index, error);
  if (code) {
    return code;
  }
  const VidaOptionRow* row = options->rows[index];
  const bool is_number = row->type != VIDA_OPTION_BOOLEAN && row->type != VIDA_OPTION_CHOICE;
  if (!is_number || !is_allowed(row, value)) {
    return refuse_number(options, index, value, error);
  }
  return store(options, index, value);
}

int VidaOptions_SetOf(VidaOptions* options, const char* name, const char* coordinate, double value,
                      VidaError* error) {
  if (VIDA_REFUSE_NULL(error, options, name, coordinate)) {
    return VIDA_BAD_ARGUMENT;
  }
  int index = -1;
  const int code = require_option(options, name, &index, error);
  if (code) {
    return code;
  }
  const VidaOptionRow* row = options->rows[index];
  if (row->type != VIDA_OPTION_BY_COORDINATE) {
    return vida__fail(error, VIDA_BAD_ARGUMENT,
                      "%s has one value for all coordinates, and cannot be set for coordinate '%s'",
                      name, coordinate);
  }
  if (!is_allowed(row, value)) {
    return refuse_number(options, index, value, error);
  }
  return store_own(options, index, coordinate, value, error);
}

int VidaOptions_SetBoolean(VidaOptions* options, const char* name, bool value, VidaError* error) {
  if (VIDA_REFUSE_NULL(error, options, name)) {
    return VIDA_BAD_ARGUMENT;
  }
  int index = -1;
  const int code = require_option(options, name, &index, error);
  if (code) {
    return code;
  }
  if (options->rows[index]->type != VIDA_OPTION_BOOLEAN) {
    return refuse(options, index, value ? "true" : "false", error);
  }
  return store(options, index, value ? 1.0 : 0.0);
}

/* Returns the index of `text` in "a|b|c"; -1 if it is not a choice. */
static int find_choice(const char* choices, const char* text) {
  const size_t length = strlen(text);
  int index = 0;
  for (const char* start = choices; length > 0; index++) {
    const char* end = strchr(start, '|');
    const size_t size = end ? (size_t)(end - start) : strlen(start);
    if (size == length && strncmp(start, text, size) == 0) {
      return index;
    }
    if (!end) {
      break;
    }
    start = end + 1;
  }
  return -1;
}

/* "1e-6,theta=1e-8"; as it came when something in it cannot be read. */
static int read_by_coordinate(VidaOptions* options, int index, const char* text, const char* got,
                              VidaError* error) {
  const VidaOptionRow* row = options->rows[index];
  int code = VIDA_SUCCESS;
  for (const char* piece = text; piece && !code;) {
    char copy[256] = "";
    const size_t length = strcspn(piece, ",");
    double value = NAN;
    vida__append(copy, sizeof copy, "%.*s", (int)length, piece);
    char* equals = strrchr(copy, '=');
    if (!vida__read_real(equals ? equals + 1 : copy, &value) || !is_allowed(row, value)) {
      return refuse(options, index, got, error);
    }
    if (equals) {
      *equals = '\0';
    }
    code = equals ? store_own(options, index, copy, value, error) : store(options, index, value);
    piece = piece[length] ? piece + length + 1 : NULL;
  }
  return code;
}

int VidaOptions_SetText(VidaOptions* options, const char* name, const char* text,
                        VidaError* error) {
  if (VIDA_REFUSE_NULL(error, options, name, text)) {
    return VIDA_BAD_ARGUMENT;
  }
  char got[80] = "";
  int index = -1;
  const int code = require_option(options, name, &index, error);
  if (code) {
    return code;
  }
  const VidaOptionRow* row = options->rows[index];
  double value = 0.0;
  vida__append(got, sizeof got, "'%s'", text);
  switch (row->type) {
    case VIDA_OPTION_CHOICE: {
      const int choice = find_choice(row->choices, text);
      return choice >= 0 ? store(options, index, choice) : refuse(options, index, got, error);
    }
    case VIDA_OPTION_BOOLEAN:
      if (strcmp(text, "true") == 0 || strcmp(text, "false") == 0) {
        return store(options, index, text[0] == 't');
      }
      return refuse(options, index, got, error);
    case VIDA_OPTION_BY_COORDINATE:
      return read_by_coordinate(options, index, text, got, error);
    case VIDA_OPTION_REAL:
    case VIDA_OPTION_INTEGER:
    default:
      if (vida__read_real(text, &value) && is_allowed(row, value)) {
        return store(options, index, value);
      }
      return refuse(options, index, got, error);
  }
}

double VidaOptions_Get(const VidaOptions* options, const char* name) {
  const int index = find_option(options, name);
  return index >= 0 ? options->values[index] : (double)NAN;
}

double VidaOptions_GetOf(const VidaOptions* options, const char* name, const char* coordinate) {
  const int index = find_option(options, name);
  bool has_own = false;
  const size_t place =
      index >= 0 && coordinate ? find_own(options, index, coordinate, &has_own) : 0;
  return has_own ? options->own[place].value : index >= 0 ? options->values[index] : (double)NAN;
}

const char* vida__options_coordinate(const VidaOptions* options, int index, const char** option) {
  if (index < 0 || (size_t)index >= options->own_count) {
    return NULL;
  }
  if (option) {
    *option = options->rows[options->own[index].row]->name;
  }
  return options->own[index].coordinate;
}

static void by_coordinate_text(const VidaOptions* options, int index, char* text, size_t size) {
  char number[VIDA_REAL_TEXT_SIZE];
  if (!isnan(options->values[index])) {
    vida__append(text, size, "%s", vida__real_text(number, options->values[index], 15));
  }
  for (size_t k = 0; k < options->own_count; k++) {
    const coordinate_value* own = &options->own[k];
    if (own->row == index) {
      vida__append(text, size, "%s%s=%s", text[0] ? "," : "", own->coordinate,
                   vida__real_text(number, own->value, 15));
    }
  }
}

static void choice_text(const VidaOptionRow* row, double value, char* text, size_t size) {
  const char* start = row->choices;
  for (int i = 0; i < (int)value && start; i++) {
    start = strchr(start, '|');
    start = start ? start + 1 : NULL;
  }
  const size_t length = start ? strcspn(start, "|") : 0;
  text[0] = '\0';
  vida__append(text, size, "%.*s", (int)length, start ? start : "");
}

bool VidaOptions_IsSet(const VidaOptions* options, const char* name) {
  const int index = find_option(options, name);
  return index >= 0 && options->set[index];
}

bool VidaOptions_HasChoice(const VidaOptions* options, const char* name, const char* choice) {
  const int index = find_option(options, name);
  return index >= 0 && choice && options->rows[index]->type == VIDA_OPTION_CHOICE &&
         find_choice(options->rows[index]->choices, choice) == (int)options->values[index];
}

void VidaOptions_Text(const VidaOptions* options, const char* name, char* text, size_t size) {
  const int index = find_option(options, name);
  char number[VIDA_REAL_TEXT_SIZE];
  if (!text || size == 0) {
    return;
  }
  text[0] = '\0';
  if (index < 0) {
    return;
  }
  const VidaOptionRow* row = options->rows[index];
  const double value = options->values[index];
  switch (row->type) {
    case VIDA_OPTION_CHOICE:
      choice_text(row, value, text, size);
      break;
    case VIDA_OPTION_BOOLEAN:
      vida__append(text, size, "%s", value != 0.0 ? "true" : "false");
      break;
    case VIDA_OPTION_BY_COORDINATE:
      by_coordinate_text(options, index, text, size);
      break;
    case VIDA_OPTION_REAL:
    case VIDA_OPTION_INTEGER:
    default:
      /* 15 digits show the number as the user typed it; the exact number is in its column. */
      vida__append(text, size, "%s", vida__real_text(number, value, 15));
      break;
  }
}
